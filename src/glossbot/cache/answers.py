"""The cache in front of one glossary: an answer given before, to the very same question or to one that is the same."""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossbot.answer import Status
from glossbot.cache.asking import Asked
from glossbot.cache.key import Key, digest
from glossbot.cache.normal import normalise
from glossbot.cache.record import Kept, Record
from glossbot.cache.sameness import Lexicon, same
from glossbot.cache.store import FORMAT, Store
from glossbot.retrieve import Evidence

Vector = NDArray[np.float32]


class Versions(NamedTuple):
    """What an answer depends on, as hashes: all that makes it, and the glossary that it is made from."""

    maker: str
    corpus: str

    @classmethod
    def of(cls, *made_by: str, corpus: str) -> "Versions":
        """Return the versions of whatever makes answers: embedder, model, prompts, settings."""
        return cls(digest(str(FORMAT), *made_by), corpus)


class AnswerCache:
    """Stored answers that are valid for one glossary and one set of versions."""

    def __init__(
        self,
        store: Store,
        versions: Versions,
        *,
        fingerprints: Mapping[str, str],
        lexicon: Lexicon,
        renewed: Callable[[str], str] = str,
    ) -> None:
        """Open it, and forget the answers that cite what has changed.

        Args:
            store: where the answers lie.
            versions: of what answers are made by and from now.
            fingerprints: for each entry's id, a hash of all that it says.
            lexicon: the words that are no slips.
            renewed: brings an answer up to date whose entries only stand elsewhere now.
        """
        self.store = store
        self.versions = versions
        self._fingerprints = fingerprints
        self._lexicon = lexicon
        self._renewed = renewed
        store.forget_changed(fingerprints, versions=versions.maker, corpus=versions.corpus)

    def exact(self, question: str) -> Kept | None:
        """Return the answer to a question that was asked in the same words, of this very glossary, or None."""
        kept = self.store.exact(normalise(question), versions=self.versions.maker, corpus=self.versions.corpus)
        return self._counted(kept) if kept else None

    def semantic(self, evidence: Evidence, embed: Callable[[str], Vector] | None = None) -> Kept | None:
        """Return the answer to a question that is the same as this one, or None.

        Args:
            evidence: what the question would be answered from.
            embed: turns a text into a vector of length 1, to choose the nearest where several are the same; without it
                the one that was used last is taken.
        """
        key, asked = Key.of(evidence)
        candidates = self.store.candidates(form=key.form(asked), key=key.digest, versions=self.versions.maker)
        alike = (one for one in candidates if same(Asked(kind=asked.kind, words=one.words), asked, self._lexicon))
        stored = (self.store.answer(one.id) for one in alike)
        found = [kept for kept in stored if kept and self._holds(kept, evidence)]
        if not found:
            return None
        if len(found) > 1 and embed:
            vector = embed(evidence.question.asked)
            found.sort(key=lambda kept: -_likeness(kept, vector))
        return self._counted(found[0])

    def keep(
        self,
        evidence: Evidence,
        answer: str,
        *,
        rests_on: Collection[str],
        vector: Vector | None = None,
    ) -> bool:
        """Store an answer; tell whether it was stored.

        Args:
            evidence: what the question was answered from; the answer shows its entries.
            answer: the answer, in the form in which it is wanted back.
            rests_on: the ids of the entries that its sentences cite.
            vector: the question, embedded.
        """
        key, asked = Key.of(evidence)
        question = evidence.question.asked
        record = Record(
            question=question,
            exact=normalise(question),
            key=key.digest,
            form=key.form(asked),
            kind=asked.kind,
            words=asked.words,
            versions=self.versions.maker,
            lasting=evidence.status is Status.ANSWERED,
            cited={entry.id: entry.fingerprint for entry in evidence.entries},
            rests_on=tuple(rests_on),
            answer=answer,
        )
        return self.store.put(
            record, corpus=self.versions.corpus, vector=None if vector is None else np.asarray(vector, "<f4").tobytes()
        )

    def forget(self, question: str) -> bool:
        """Drop the answer to a question in these words; tell whether there was one."""
        kept = self.store.exact(normalise(question), versions=self.versions.maker, corpus=self.versions.corpus)
        return kept is not None and self.store.drop(kept.id)

    def _holds(self, kept: Kept, evidence: Evidence) -> bool:
        """Tell whether an answer still says what the glossary says, and only what this question has evidence for."""
        record = kept.record
        if kept.corpus != self.versions.corpus and not record.lasting:
            return False
        ids = {entry.id for entry in evidence.entries}
        return ids.issuperset(record.rests_on) and all(
            self._fingerprints.get(entry) == fingerprint for entry, fingerprint in record.cited.items()
        )

    def _counted(self, kept: Kept) -> Kept:
        self.store.used(kept)
        if kept.corpus == self.versions.corpus:
            return kept
        return self.store.renew(kept, corpus=self.versions.corpus, answer=self._renewed(kept.record.answer))


def _likeness(kept: Kept, vector: Vector) -> float:
    if kept.vector is None or len(kept.vector) != 4 * len(vector):
        return -1.0
    return float(np.frombuffer(kept.vector, "<f4") @ vector)
