"""How long understanding and retrieval take, the embedding of the question left out.

    .venv/bin/python benchmarks/retrieval.py [VECTORS]

Runs the questions of evaluation/ over the shipped glossary (index it first), then over a made-up one of so many vectors
(100,000 unless said otherwise), whose names and sentences are put together from the shipped ones and whose vectors are
random. Prints the median and the 95th percentile in milliseconds.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from glossbot.bot import Glossbot, open_embedder
from glossbot.embed import Vectors
from glossbot.entry import Entry, Glossary, unique_ids
from glossbot.errors import QuestionError
from glossbot.index import Index
from glossbot.index_file import ROW
from glossbot.question import understand
from glossbot.retrieve import Retriever
from glossbot.settings import Settings
from glossbot.texts import KINDS, text_key, texts

_DIMENSIONS = 384
_SETS = ("tune-retrieval", "more-retrieval", "tune-abstain", "more-abstain")


class _Embedded:
    """An embedder that has embedded everything before, so that only the rest is timed."""

    def __init__(self, vectors: dict[str, Vectors]) -> None:
        self._vectors = vectors
        self.is_loaded = True

    def encode(self, asked: Sequence[str]) -> Vectors:
        """Return vectors of shape (texts, dimensions)."""
        default = next(iter(self._vectors.values()))
        return np.stack([self._vectors.get(text, default) for text in asked])


def main() -> None:
    """Time both glossaries."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    folder = Path(__file__).parents[1] / "evaluation"
    lines = [json.loads(line) for name in _SETS for line in (folder / f"{name}.jsonl").read_text().splitlines()]
    questions = [line["question"] for line in lines]
    bot = Glossbot.load()
    vectors = dict(zip(questions, open_embedder(Settings.load()).encode(questions), strict=True))
    _report("shipped", bot.index, questions, _Embedded(vectors))
    _report(f"{wanted} vectors", _made_up(bot.glossary, bot.index, wanted), questions, _Embedded(vectors))


def _report(name: str, index: Index, questions: Sequence[str], embedder: _Embedded) -> None:
    retriever = Retriever(index, embedder)  # type: ignore[arg-type]
    for warm in (False, True):
        took = []
        for question in questions:
            begun = time.perf_counter()
            try:
                retriever.retrieve(understand(question, index.names))
            except QuestionError:
                continue
            took.append((time.perf_counter() - begun) * 1000)
        if warm:
            took.sort()
            print(
                f"{name}: {len(index.glossary)} entries, {len(index.rows)} vectors: "
                f"p50 {statistics.median(took):.1f} ms, p95 {took[int(0.95 * len(took))]:.1f} ms"
            )


def _made_up(shipped: Glossary, index: Index, wanted: int) -> Index:
    """Return an index of entries whose words are those of the shipped glossary, shuffled."""
    generator = random.Random(0)
    words = [word for entry in shipped.entries for word in entry.term.split()]
    sentences = [sentence for entry in shipped.entries for sentence in entry.sentences]
    made = wanted // 2  # one vector for the name, one for the only sentence
    terms = [f"{generator.choice(words)} {generator.choice(words)} {number:x}th" for number in range(made)]
    entries = tuple(
        Entry(id=id_, term=term, definition=generator.choice(sentences), file="made-up.md", line=1)
        for id_, term in zip(unique_ids(terms), terms, strict=True)
    )
    listed = [
        (number, KINDS.index(text.kind), text_key(text.text))
        for number, entry in enumerate(entries)
        for text in texts(entry)
    ]
    noise = np.random.default_rng(0).standard_normal((len(listed), _DIMENSIONS)).astype(np.float32)
    return Index(
        Glossary(entries=entries),
        np.array(listed, dtype=ROW),
        noise / np.linalg.norm(noise, axis=1, keepdims=True),
        index.header,
    )


if __name__ == "__main__":
    main()
