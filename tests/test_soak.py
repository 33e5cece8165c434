"""Long runs: builds killed at random moments, many questions at once, a hundred thousand entries (`make soak`)."""

import json
import os
import pty
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
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


@pytest.mark.models
def test_a_hundred_thousand_entries_fit_and_are_brought_up_to_date(
    real_models: None, record_property: Callable[[str, object], None]
) -> None:
    """With entries of a headword and a short sentence, since two processors embed some hundred texts a second."""
    command = [sys.executable, "benchmarks/scale.py", "--json"]
    root = Path(__file__).resolve().parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    record_property("figures", figures)
    assert max(figures[run]["peak_mb"] for run in ("first", "again", "unchanged")) <= 3 << 10
    assert figures["share"] <= 0.05, "the share of the first time that one entry in a hundred takes, besides the start"


def test_a_long_build_tells_how_long_it_still_takes(
    tiny_embedder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLOSSBOT_EMBEDDER", str(tiny_embedder))
    monkeypatch.setenv("TERM", "xterm")
    rows = "".join(f"word {number},The word {number} is a number.\n" for number in range(20_000))
    (tmp_path / "own.csv").write_text(f"term,definition\n{rows}")
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "glossbot", "index", str(tmp_path / "own.csv")]
    with subprocess.Popen(command, stdin=end, stdout=subprocess.DEVNULL, stderr=end) as build:
        os.close(end)
        shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", "".join(pieces(terminal)))
    assert build.returncode == 0
    assert "Reading" in shown
    assert re.search(r"Embedding\s+\S+ [1-9]\d*/40000 \d:\d\d:\d\d", shown)


def pieces(terminal: int) -> Iterator[str]:
    """Yield what is printed on a terminal until its other end is closed."""
    with os.fdopen(terminal, "rb", buffering=0) as screen:
        try:
            while piece := screen.read(1 << 16):
                yield piece.decode(errors="replace")
        except OSError:  # how Linux says that the other end is closed
            return
