"""How sure a match must be before a glossary is said to answer a described question, found from its entries alone.

What stands in an entry is asked as a question. With that text taken out and the entry left in, the glossary answers it;
with the whole entry taken out, it does not (leave-one-out). The scores of both kinds say where to draw the line.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence

from pydantic import Field

from glossbot.embed import Embedder
from glossbot.entry import Entry, Frozen, Glossary, split_sentences
from glossbot.errors import GlossaryError
from glossbot.index import Index
from glossbot.names import NameFinder
from glossbot.question import understand
from glossbot.retrieve import Retriever

_MOST_ENTRIES = 400  # asked of, drawn at random from a larger glossary
_FOLDS = 8  # each leaves its share of the entries out at once
_FEWEST = 20  # questions of each kind from which a line can be drawn
_MOST_REFUSED = 0.05  # share of questions with an answer that may be refused
_FEWEST_WORDS = 4  # in a text that can be asked as a question


class Calibration(Frozen):
    """Where the line is drawn, and what it does to the questions that it was drawn from."""

    covered_from: float
    before: float
    questions: int = Field(description="How many of each kind it was drawn from.")
    refused: float = Field(description="Share of the questions with an answer that fall below it.")
    answered: float = Field(description="Share of the questions without an answer that do not.")


class _Probe(Frozen):
    """A text of an entry, asked as a question, and the entry without it."""

    entry: Entry
    text: str
    rest: Entry


def calibrate(
    index: Index, embedder: Embedder, *, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> Calibration:
    """Find how sure a match must be; nothing is changed.

    Args:
        index: of the glossary that will be asked.
        embedder: the one that it was built with.
        seed: of the draw from a large glossary.
        progress: called with questions asked so far and in all.

    Raises:
        GlossaryError: the glossary says too little of its entries.
        EngineError: the embedder cannot be loaded.
    """
    probes = list(_probes(index.glossary, index.names))
    random.Random(seed).shuffle(probes)
    probes = probes[:_MOST_ENTRIES]
    if len(probes) < _FEWEST:
        raise GlossaryError(
            f"only {len(probes)} entries say enough to be asked about, and {_FEWEST} are needed; "
            "give entries `Asked as` or `In plain words` items, or more than one sentence"
        )
    with_answer: list[float] = []
    without: list[float] = []
    size = -(-len(probes) // _FOLDS)
    for start in range(0, len(probes), size):
        fold = probes[start : start + size]
        rest = {probe.entry.id: probe.rest for probe in fold}
        entries = index.glossary.entries
        kept = index.over(Glossary(entries=tuple(rest.get(entry.id, entry) for entry in entries)), embedder)
        left_out = index.over(Glossary(entries=tuple(entry for entry in entries if entry.id not in rest)), embedder)
        with_answer += _sureness(kept, embedder, fold)
        without += _sureness(left_out, embedder, fold)
        if progress:
            progress(len(with_answer), len(probes))
    line = _line(with_answer, without)
    return Calibration(
        covered_from=line,
        before=index.header.covered_from,
        questions=len(with_answer),
        refused=sum(score < line for score in with_answer) / len(with_answer),
        answered=sum(score >= line for score in without) / len(without),
    )


def _probes(glossary: Glossary, names: NameFinder) -> Iterator[_Probe]:
    """Yield for each entry the text that is most like a question about it and does not name it."""
    for entry in glossary.entries:
        for text, rest in _texts(entry):
            named = {other for mention in names.find(text) for other in mention.entries}
            if entry not in named and len(text.split()) >= _FEWEST_WORDS:
                yield _Probe(entry=entry, text=text, rest=rest)
                break


def _texts(entry: Entry) -> Iterator[tuple[str, Entry]]:
    """Yield texts of an entry, each with the entry as it is without that text."""
    for text in entry.asked:
        yield text, entry.model_copy(update={"asked": tuple(other for other in entry.asked if other != text)})
    if entry.plain:
        for text in split_sentences(entry.plain):
            yield text, entry.model_copy(update={"plain": None})
    for text in entry.sentences[1:]:
        said = " ".join(sentence for sentence in entry.sentences if sentence != text)
        yield text, Entry(**{**entry.model_dump(), "definition": said})


def _sureness(index: Index, embedder: Embedder, probes: Sequence[_Probe]) -> list[float]:
    retriever = Retriever(index, embedder)
    return [retriever.sureness(understand(probe.text, index.names)) for probe in probes]


def _line(with_answer: Sequence[float], without: Sequence[float]) -> float:
    """Return the score that parts both kinds best, and refuses few questions that have an answer."""

    def parted(line: float) -> int:
        return sum(score >= line for score in with_answer) + sum(score < line for score in without)

    most = sorted(with_answer)[int(_MOST_REFUSED * len(with_answer))]
    line = min(max(sorted({*with_answer, *without}), key=parted), most)
    return math.floor(line * 1000) / 1000  # rounded, but refusing none that the line itself does not
