"""The answer cache under force: killed at random moments, and shared by many processes (`make soak`)."""

import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from glossbot.cache.store import Store

pytestmark = pytest.mark.soak
HERE = Path(__file__).parent
COMMON = """
    import hashlib, random, sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from test_cache_store import record, found
    from glossbot.cache.store import Store

    def right(question):
        return hashlib.sha256(question.encode()).hexdigest() * 50
"""
WRITER = f"""{COMMON}
    store = Store(Path(sys.argv[1]), limit_mb=10_000)
    for number in range(10**6):
        question = f"{{sys.argv[3]}}-{{number}}"
        if store.put(record(question, answer=right(question)), corpus="c1"):
            print(question, flush=True)
        store.record_question(question)
"""
MIXED = f"""{COMMON}
    store = Store(Path(sys.argv[1]))
    chance = random.Random(int(sys.argv[3]))
    for _ in range(100):
        question = f"q{{chance.randrange(40)}}"
        act = chance.choice("ppffcudsr")
        if act == "p":
            assert store.put(record(question, answer=right(question)), corpus="c1")
        elif act == "f":
            assert found(store, question) in (None, right(question))
        elif act == "c":
            for candidate in store.candidates(form=question, key="key", versions="v1")[:9]:
                kept = store.answer(candidate.id)
                assert kept is None or kept.record.answer == right(*candidate.words)
        elif act == "u":
            for kept in store.answers(search=question)[:3]:
                store.used(kept)
        elif act == "d":
            for kept in store.answers(search=question)[:1]:
                store.drop(kept.id)
        elif act == "s":
            assert store.stats().answers <= 40
        else:
            store.record_question(question)
    assert not store.is_off
"""


def start(script: str, file: Path, name: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", textwrap.dedent(script), str(file), str(HERE), str(name)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def right(question: str) -> str:
    import hashlib

    return hashlib.sha256(question.encode()).hexdigest() * 50


def test_killed_at_200_random_moments_it_loses_and_tears_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "answers.sqlite"
    moments = random.Random(11)
    stored: list[str] = []
    for number in range(200):
        writer = start(WRITER, file, number)
        assert writer.stdout
        # Most are killed while they write, some while they open the file, or before.
        first = writer.stdout.readline() if number % 4 else ""
        time.sleep(moments.uniform(0, 0.05 if number % 4 else 0.4))
        writer.kill()
        rest, _ = writer.communicate()
        lines = f"{first}{rest}".splitlines(keepends=True)
        stored += [line.strip() for line in lines if line.endswith("\n")]
    store = Store(file, limit_mb=10_000)
    kept = {one.record.question: one.record.answer for one in store.answers()}
    assert len(stored) > 200
    assert set(stored) <= set(kept), "reported as stored, and gone"
    assert all(answer == right(question) for question, answer in kept.items()), "a torn answer"
    assert store.stats().answers == len(kept)
    assert caplog.messages == []


def test_eight_processes_share_it(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    workers = [start(MIXED, file, number) for number in range(8)]
    results = [worker.communicate() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 8, results
    assert all(not said for _, said in results), results
    store = Store(file)
    assert all(kept.record.answer == right(kept.record.question) for kept in store.answers())
    assert store.stats().answers == len(store.answers())
