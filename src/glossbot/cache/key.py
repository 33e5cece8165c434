"""The parts of a question that a cached answer has to share before its words are even compared."""

import hashlib
import json
from typing import Self

from glossbot.answer import Status
from glossbot.cache.asking import Asked, asked
from glossbot.cache.synonymy import NEGATIONS
from glossbot.entry import Frozen, fold
from glossbot.retrieve import FALSE_PREMISE, UNSETTLED, Evidence


class Key(Frozen):
    """What is asked for, and what it is answered from."""

    kind: str
    evidence: tuple[str, ...]
    names: tuple[str, ...]
    missing: tuple[str, ...]
    numbers: tuple[str, ...]
    negations: tuple[str, ...]
    covered: bool

    @classmethod
    def of(cls, evidence: Evidence) -> tuple[Self, Asked]:
        """Return the key parts of a question and its words.

        The evidence is what the question names; where it names nothing, the entry that answers it best. Names that
        the glossary lacks are among the words, and so is the order of all names, where it matters. Whether a premise
        is borne out is left aside: the same question has the same one.
        """
        question = evidence.question
        said = asked(question.asked, question.mentions)
        found = [] if said.names else [entry.id for entry in evidence.entries[:1]]
        missing = set(evidence.missing) - {FALSE_PREMISE, UNSETTLED, *question.unknown}
        key = cls(
            kind=said.kind,
            evidence=tuple(found),
            names=tuple(sorted(said.names)),
            missing=tuple(sorted(map(fold, missing))),
            numbers=tuple(sorted(word for word in said.words if any(map(str.isdigit, word)))),
            negations=tuple(sorted(word for word in said.words if word in NEGATIONS)),
            covered=evidence.status is not Status.NOT_COVERED,
        )
        return key, said

    @property
    def digest(self) -> str:
        """A hash of the parts."""
        return digest(self.model_dump_json())

    def form(self, said: Asked) -> str:
        """Return a hash of the parts and the words in any order, equal for most questions that are the same."""
        return digest(self.model_dump_json(), *sorted(said.words))


def digest(*parts: str) -> str:
    """Return a hash of texts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
