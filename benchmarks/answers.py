"""How long answers take, warm: the cards, the first sentence and the whole answer, with the model and in quotes alone.

Run with ``.venv/bin/python benchmarks/answers.py [QUESTIONS.jsonl …]``; timed are the questions
of these files (default: evaluation/tune-answers.jsonl), by kind. Medians, in milliseconds.
"""

import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from glossbot.answer import DoneEvent, EvidenceEvent, SentenceEvent
from glossbot.bot import Glossbot
from glossbot.compose import Composer
from glossbot.settings import Settings
from glossbot.verify import Verifier

KINDS = ("define", "compare", "why", "how")


def questions(files: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each question."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            asked = json.loads(line)
            if asked["kind"] in KINDS:
                yield asked["kind"], asked["question"]


def timed(bot: Glossbot, question: str) -> dict[str, float]:
    """Return when the parts of one answer came, in milliseconds from the question."""
    begun = time.perf_counter()
    times: dict[str, float] = {}
    for event in bot.stream(question, afresh=True):
        took = (time.perf_counter() - begun) * 1000
        if isinstance(event, EvidenceEvent):
            times["cards"] = took
        elif isinstance(event, SentenceEvent):
            times.setdefault("first sentence", took)
        elif isinstance(event, DoneEvent):
            times["whole"] = took
    begun = time.perf_counter()
    evidence = bot.retrieve(question)
    list(Composer(bot.glossary, Verifier(bot.index.names), None).compose(evidence))
    times["in quotes alone"] = (time.perf_counter() - begun) * 1000
    return times


def main() -> None:
    """Print a row for each kind."""
    bot = Glossbot.load(Settings.load())
    bot.warm_up()
    asked = list(questions([Path(name) for name in sys.argv[1:]] or [Path("evaluation/tune-answers.jsonl")]))
    timed(bot, asked[0][1])
    taken = [(kind, timed(bot, question)) for kind, question in asked]
    for kind in KINDS:
        those = [times for of, times in taken if of == kind]
        if those:
            parts = {part: round(statistics.median(times[part] for times in those), 1) for part in those[0]}
            print(f"{kind:8} {len(those):3} questions  " + "  ".join(f"{part} {ms} ms" for part, ms in parts.items()))


if __name__ == "__main__":
    main()
