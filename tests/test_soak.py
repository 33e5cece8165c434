"""Long runs: builds killed at random moments, and many questions at once (`make soak`)."""

import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from glossbot.bot import Glossbot
from glossbot.index import Index
from glossbot.settings import Settings

pytestmark = pytest.mark.soak
QUESTIONS = ("what is GQA", "difference between GQA and MQA", "why does GQA matter", "what is FooAttention")


def test_builds_killed_at_random_moments_leave_a_whole_index(
    small_glossary: Path, tiny_embedder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOSSBOT_EMBEDDER", str(tiny_embedder))
    own = tmp_path / "own.md"
    command = [sys.executable, "-m", "glossbot", "index", str(own)]
    own.write_bytes(small_glossary.read_bytes())
    subprocess.run(command, check=True, capture_output=True)
    whole_s = time_of(command, own)
    moments = random.Random(7)
    for number in range(40):
        own.write_text(f"## term {number}\n\nTerm {number} is a thing.\n")
        build = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, whole_s * 1.1))
        build.kill()
        build.wait()
        assert len(Index.open(Settings.load().index_file, check_sources=False).glossary) in (1, 6)
    subprocess.run(command, check=True, capture_output=True)
    assert [path.name for path in Settings.load().index_file.parent.iterdir()] == ["glossary.index"]


def time_of(command: list[str], own: Path) -> float:
    own.write_text("## first\n\nThe first is a thing.\n")
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def test_many_questions_at_once_keep_their_answers_and_the_memory(small_bot: Glossbot) -> None:
    expected = {question: small_bot.ask(question).text for question in QUESTIONS}

    def ask(number: int) -> bool:
        question = QUESTIONS[number % len(QUESTIONS)]
        return small_bot.ask(question).text == expected[question]

    with ThreadPoolExecutor(8) as readers:
        assert all(readers.map(ask, range(200)))
        before = psutil.Process().memory_info().rss
        assert all(readers.map(ask, range(600)))
    assert psutil.Process().memory_info().rss - before < 64 << 20
