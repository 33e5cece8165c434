"""The evaluation: run questions with known answers through glossbot, and count.

The line formats are those of the files in ``evaluation/``. `evaluate` returns the raw outcome of every line beside the
totals, so that anyone can score them again.
"""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from glossbot.answer import Status
from glossbot.bot import Glossbot
from glossbot.entry import Frozen, fold
from glossbot.errors import GlossaryError, QuestionError
from glossbot.retrieve import Evidence

Kind = Literal["retrieval", "abstain", "followups"]
_WITHIN = 5


class Line(Frozen):
    """One question, or conversation, with what it needs."""

    model_config = ConfigDict(extra="ignore")

    id: str
    kind: str = "all"
    question: str = ""
    turns: tuple[str, ...] = ()
    gold: tuple[tuple[str, ...], ...] = Field(default=(), description="For each needed entry, names that identify it.")
    forbid: tuple[str, ...] = ()


class Outcome(Frozen):
    """What glossbot made of one line."""

    id: str
    kind: str
    question: str
    status: Status | None
    missing: tuple[str, ...] = ()
    evidence: tuple[tuple[str, ...], ...] = ()
    total_ms: float
    first: bool | None = Field(default=None, description="A needed entry stands first.")
    found: bool | None = Field(default=None, description="Every needed entry is in the evidence.")
    passed: bool
    gold: tuple[tuple[str, ...], ...] = ()


class Total(Frozen):
    """The outcomes of one kind, counted."""

    kind: str
    lines: int
    passed: int
    first: int | None = None
    found: int | None = None
    refused: int


class Evaluation(Frozen):
    """Totals and the raw outcome of every line."""

    summary: tuple[Total, ...]
    lines: tuple[Outcome, ...]


def read_lines(file: Path) -> list[Line]:
    """Read a question file.

    Raises:
        GlossaryError: a line is not what it should be; the message names it.
    """
    lines = []
    try:
        texts = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise GlossaryError(f"{file}: cannot be read: {error.strerror}") from error
    for number, text in enumerate(texts, 1):
        if text.strip():
            try:
                lines.append(Line.model_validate(json.loads(text)))
            except (ValueError, ValidationError) as error:
                raise GlossaryError(f"{file}:{number}: not a line of an evaluation: {error}") from error
    return lines


def evaluate(bot: Glossbot, kind: Kind, lines: Sequence[Line]) -> Iterator[Outcome]:
    """Yield the outcome of each line.

    Args:
        bot: what is evaluated.
        kind: ``retrieval`` passes where every needed entry is within the first five (and for define and typo first),
            ``abstain`` where the question is refused or its missing part said, ``followups`` where the last turn's
            evidence holds what is needed and nothing forbidden.
        lines: what `read_lines` returns.
    """
    for line in lines:
        begun = time.perf_counter()
        question = line.turns[-1] if line.turns else line.question
        try:
            evidence: Evidence | None = bot.retrieve(question, line.turns[:-1])
        except QuestionError:
            evidence = None
        took = round((time.perf_counter() - begun) * 1000, 2)
        yield _outcome(kind, line, question, evidence, took)


def summarise(outcomes: Sequence[Outcome]) -> Evaluation:
    """Count outcomes by kind."""
    kinds = dict.fromkeys(outcome.kind for outcome in outcomes)
    totals = []
    for kind in kinds:
        those = [outcome for outcome in outcomes if outcome.kind == kind]
        judged = those[0].found is not None
        totals.append(
            Total(
                kind=kind,
                lines=len(those),
                passed=sum(outcome.passed for outcome in those),
                first=sum(bool(outcome.first) for outcome in those) if judged else None,
                found=sum(bool(outcome.found) for outcome in those) if judged else None,
                refused=sum(outcome.status in (None, Status.NOT_COVERED) for outcome in those),
            )
        )
    return Evaluation(summary=tuple(totals), lines=tuple(outcomes))


def _outcome(kind: Kind, line: Line, question: str, evidence: Evidence | None, took: float) -> Outcome:
    within = None if line.kind == "list" else _WITHIN  # a list may be longer
    found_names = tuple(entry.names for entry in evidence.entries[:within]) if evidence else ()
    outcome: dict[str, Any] = {
        "id": line.id,
        "kind": line.kind,
        "question": question,
        "status": evidence.status if evidence else None,
        "missing": evidence.missing if evidence else (),
        "evidence": found_names,
        "total_ms": took,
        "gold": line.gold,
    }
    if kind == "abstain":
        refused = evidence is None or evidence.status is Status.NOT_COVERED or bool(evidence.missing)
        return Outcome(**outcome, passed=refused)
    keys = [{fold(name) for name in names} for names in found_names]
    wanted = [{fold(name) for name in names} for names in line.gold]
    found = all(any(gold & names for names in keys) for gold in wanted)
    first = bool(keys) and any(gold & keys[0] for gold in wanted)
    forbidden = {fold(name) for name in line.forbid}
    clean = not any(forbidden & names for names in keys)
    needs_first = line.kind in ("define", "typo")
    return Outcome(**outcome, first=first, found=found, passed=found and clean and (first or not needs_first))
