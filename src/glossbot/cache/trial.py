"""The evaluation of the cache: pairs of questions, of which one is stored and the other one looked up."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, ValidationError

from glossbot.cache.answers import AnswerCache, Vector, Versions
from glossbot.cache.sameness import Lexicon
from glossbot.cache.store import Store
from glossbot.entry import Frozen
from glossbot.errors import GlossaryError
from glossbot.retrieve import Evidence

THRESHOLDS = (0.80, 0.85, 0.90)


class Pair(Frozen):
    """Two questions, and whether one answer serves both."""

    model_config = ConfigDict(extra="ignore")

    id: str
    a: str
    b: str
    same: bool


class PairOutcome(Frozen):
    """What the cache made of a pair: whether the answer to `a` was given to `b`."""

    id: str
    a: str
    b: str
    same: bool
    hit: Literal["exact", "semantic"] | None
    matched: str | None
    similarity: float

    @property
    def is_wrong(self) -> bool:
        """Whether the answer to another question was given."""
        return self.hit is not None and not self.same


class Rates(Frozen):
    """Shares of the pairs that are the same, and of those that are not, which were served."""

    method: str
    same_hits: int
    same: int
    false_hits: int
    different: int


class PairEvaluation(Frozen):
    """The rates of the cache, and of plain similarity beside it, with the raw outcome of every pair."""

    summary: tuple[Rates, ...]
    lines: tuple[PairOutcome, ...]


def read_pairs(file: Path) -> list[Pair]:
    """Read a file of pairs.

    Raises:
        GlossaryError: a line is not what it should be; the message names it.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise GlossaryError(f"{file}: cannot be read: {error.strerror}") from error
    pairs = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                pairs.append(Pair.model_validate(json.loads(line)))
            except (ValueError, ValidationError) as error:
                raise GlossaryError(f"{file}:{number}: not a pair of an evaluation: {error}") from error
    return pairs


def run(
    pairs: Sequence[Pair],
    retrieve: Callable[[str], Evidence],
    embed: Callable[[str], Vector],
    *,
    lexicon: Lexicon,
) -> Iterator[PairOutcome]:
    """Yield for each pair whether `b` is given what was stored for `a`; every pair has a cache of its own.

    No answer is generated: it is judged whether the questions are the same, so that a refusal counts as an answer.

    Args:
        pairs: what `read_pairs` returns.
        retrieve: returns the evidence for a question.
        embed: returns a question's vector, of length 1.
        lexicon: the words that are no slips.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "pairs.sqlite")
        try:
            for pair in pairs:
                stored, asked = retrieve(pair.a), retrieve(pair.b)
                entries = {entry.id: entry.fingerprint for entry in stored.entries + asked.entries}
                cache = AnswerCache(store, Versions(pair.id, ""), fingerprints=entries, lexicon=lexicon)
                cache.keep(stored, "", rests_on=[entry.id for entry in stored.named or stored.entries[:1]])
                exact = cache.exact(pair.b)
                found = exact or cache.semantic(asked)
                yield PairOutcome(
                    **pair.model_dump(),
                    hit=("exact" if exact else "semantic") if found else None,
                    matched=found.record.question if found else None,
                    similarity=round(float(embed(pair.a) @ embed(pair.b)), 4),
                )
                store.clear()
        finally:
            store.close()


def summarise(outcomes: Sequence[PairOutcome]) -> PairEvaluation:
    """Count hits, those of the cache first, then those that similarity alone would give."""
    served = {"cache": [outcome for outcome in outcomes if outcome.hit]}
    for least in THRESHOLDS:
        served[f"similarity ≥ {least:.2f}"] = [outcome for outcome in outcomes if outcome.similarity >= least]
    same = sum(outcome.same for outcome in outcomes)
    rates = (
        Rates(
            method=method,
            same_hits=sum(outcome.same for outcome in hits),
            same=same,
            false_hits=sum(not outcome.same for outcome in hits),
            different=len(outcomes) - same,
        )
        for method, hits in served.items()
    )
    return PairEvaluation(summary=tuple(rates), lines=tuple(outcomes))
