"""How long a hit takes, with many stored answers.

    .venv/bin/python benchmarks/cache/speed.py [ANSWERS]

Fills a cache in a temporary folder with so many answers (100,000 unless said otherwise) to made-up questions about the
shipped glossary (index it first), asks it questions that it has, and prints the median and the 95th percentile in
milliseconds: of exact hits, of semantic hits of questions that name terms, and of those that have to be embedded.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from glossbot.answer import DoneEvent
from glossbot.bot import Glossbot
from glossbot.cache.asking import NAME
from glossbot.cache.frames import Kind
from glossbot.cache.key import Key, digest
from glossbot.cache.normal import normalise
from glossbot.cache.record import Record
from glossbot.cache.store import Store
from glossbot.settings import Settings

_AGAIN = (
    ("what is {}", "could you tell me what {} means?"),
    ("difference between {} and {}", "how do {} and {} differ"),
    ("why use {}", "why should one use {}?"),
)
_DESCRIBED = (
    (
        "how can I make the first word of a reply come sooner",
        "How can we make the first word of a response come sooner?",
    ),
    ("why does a long chat get slower and slower", "how come a long chat gets slower and slower"),
)


def main() -> None:
    """Fill the cache, and time."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "answers.sqlite", limit_mb=4096)
        loaded = Glossbot.load(Settings.load(cache=False))
        bot = Glossbot(loaded.index, loaded._embedder, loaded._model, loaded.settings, cache=store)
        bot.warm_up()
        terms = [entry.term for entry in bot.glossary.entries]
        asked = [(one.format(*pair), other.format(*pair)) for one, other in _AGAIN for pair in _pairs(terms, 20)]
        for one, _ in (*asked, *_DESCRIBED):
            bot.ask(one)
        template = store.answers(limit=1)[0].record
        begun = time.perf_counter()
        _fill(store, bot, template, wanted - store.stats().answers)
        print(f"{store.stats().answers} answers, {store.stats().mb:.0f} MiB, in {time.perf_counter() - begun:.0f} s")
        _report("exact", bot, [one for one, _ in asked] * 3)
        _report("semantic, named", bot, [other for _, other in asked] * 3)
        _report("semantic, embedded", bot, [other for _, other in _DESCRIBED] * 50)
        store.close()


def _pairs(terms: Sequence[str], count: int) -> list[tuple[str, str]]:
    chance = random.Random(5)
    return [(chance.choice(terms), chance.choice(terms)) for _ in range(count)]


def _fill(store: Store, bot: Glossbot, template: Record, count: int) -> None:
    """Store answers to made-up questions: of two terms each, and with words enough that no two are the same."""
    assert bot.memory
    corpus = bot.memory.answers.versions.corpus
    chance = random.Random(3)
    vector = bot.embed("a question").tobytes()
    words = "latency memory quality cost tokens batches requests users replicas layers heads blocks traffic".split()
    for number in range(count):
        one, other = chance.choices(bot.glossary.entries, k=2)
        names = tuple(f"{NAME}{entry.id}" for entry in (one, other))
        said = (*names, *chance.choices(words, k=2), str(number))
        kind = chance.choice(list(Kind))
        key = Key(kind=kind, evidence=(), names=names, missing=(), numbers=said[-1:], negations=(), covered=True)
        question = f"{kind} {one.term} {other.term} {' '.join(said[2:])}"
        told = {"question": question, "exact": normalise(question), "key": key.digest, "form": digest(*said)}
        record = template.model_copy(update=told | {"words": said, "kind": kind})
        store.put(record, corpus=corpus, vector=vector)


def _report(name: str, bot: Glossbot, questions: Sequence[str]) -> None:
    took, hits = [], 0
    for question in questions:
        begun = time.perf_counter()
        events = list(bot.stream(question))
        took.append((time.perf_counter() - begun) * 1000)
        last = events[-1]
        hits += isinstance(last, DoneEvent) and last.answer.cache is not None
    median, slow = statistics.median(took), statistics.quantiles(took, n=20)[-1]
    print(f"{name:<20} p50 {median:6.2f} ms   p95 {slow:6.2f} ms   {hits} hits of {len(questions)}")


if __name__ == "__main__":
    main()
