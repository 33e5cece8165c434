"""Find the entries that answer a question, and decide whether the glossary answers it at all.

Names come first: a question that is about the entries it names gets those, without any model. Another one is embedded;
then vectors, names and words are weighed together, and the best similarity, with the share of words that the glossary
never uses, decides whether it is covered.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from glossbot import phrasing
from glossbot.answer import Reason, Status
from glossbot.embed import Embedder, Vectors
from glossbot.entry import Entry, Frozen
from glossbot.facts import states_fact
from glossbot.index import Index, Similarities
from glossbot.phrasing import Intent
from glossbot.premise import Denial, denied, unsettled
from glossbot.question import Question

# Weights of an entry's score, tuned on evaluation/tune-retrieval.jsonl: cosines, the share of the question's words that
# the entry uses, its BM25 score as a share of the best, and being named.
_DEFINITION, _SENTENCE, _PLAIN, _ASKED, _CONTRAST, _NAME = 0.25, 0.22, 0.17, 0.36, 0.07, 0.05
_COVERAGE, _BM25, _NAMED = 0.14, 0.13, 0.05
_CLAUSE = 0.5  # a clause of a question counts so much, the whole question the rest
# How sure it is that the best entry is meant: its score, and parts of these. Fitted on evaluation/*.jsonl.
_LEAD, _LIKENESS, _COVERED, _FOREIGN, _LENGTH = 0.5, 0.3, 0.1, 0.1, 0.1
_USUAL_LENGTH = 6  # telling words
_MOST_LEAD = 0.15
# A few words in a row may be a name that the glossary lacks, and a single word says too little.
_NAMELIKE = 0.2
_NEAR_NAMED = 0.05  # what being related to a named entry adds to an entry's score
_BESIDE_NAMED = 0.15  # the same where the question asks for the counterpart of what it names
_RELATED, _NEAR = 0.65, 0.2  # coverage from which an entry joins the named ones, and what being related to them adds
FALSE_PREMISE = "what the question takes for granted"
_MOST_NAMED = 12
_LARGE_VOCABULARY = 2000  # words
_MOST_LISTED = 10
_SIDE = 0.4  # score from which a side of a comparison is taken to describe an entry
WHICH_NOT = "which ones do not"
UNSETTLED = "whether that is so"
_ASKED_FOR = re.compile(
    r"\b(?:what(?:'s|’s|s| is| are| does)|define|explain|describe|meaning of|definition of)\s+(?:an? |the )?[\"'“‘]?$",
    re.IGNORECASE,
)
_TOPIC_FIRST = re.compile(r"\s*[?!.:;–—]")
_LONG = 5  # telling words beside the names in a question
_POOL = 40  # entries of each search that are weighed
_CLOSE = 0.55  # a similar entry joins the best one as evidence from this share of its score on


class EvidenceItem(Frozen):
    """One entry of the evidence; its number in citations is its place, counted from 1."""

    entry: Entry
    reason: Reason
    score: float


class Evidence(Frozen):
    """What an answer may rest on."""

    question: Question
    status: Status
    items: tuple[EvidenceItem, ...] = ()
    missing: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    denial: Denial | None = None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries, in the order of their numbers."""
        return tuple(item.entry for item in self.items)

    @property
    def named(self) -> tuple[Entry, ...]:
        """The entries that the question names."""
        return tuple(item.entry for item in self.items if item.reason is Reason.NAMED)

    def number(self, entry: Entry) -> int:
        """Return an entry's number, counted from 1."""
        return self.entries.index(entry) + 1


class _Weighed(NamedTuple):
    entry: Entry
    score: float


class _Ranking(NamedTuple):
    """Entries with their scores, best first, and how sure it is that the best one is what was asked for."""

    items: tuple[_Weighed, ...] = ()
    sureness: float = 0.0


class Retriever:
    """Finds evidence in one index."""

    def __init__(self, index: Index, embedder: Embedder, *, limit: int = 5) -> None:
        self._index = index
        self._embedder = embedder
        self._limit = limit

    def retrieve(self, question: Question) -> Evidence:
        """Return the evidence for a question, with the verdict whether it can be answered.

        Raises:
            EngineError: the question has to be embedded and the embedder cannot be loaded.
        """
        described = self._described_sides(question)
        if set(question.unknown) - set(described) and not (question.entries or described):
            return self._not_covered(question)
        if self._asks_beyond_names(question):
            return self._not_covered(question)
        if len(question.mentions) == 1 and len(question.entries) > 1:
            return self._evidence(question, Status.AMBIGUOUS, self._named(question))
        if described:
            items = [*self._named(question), *described.values()]
            return self._judge(question, items, found=tuple(described))
        if not self.needs_embedding(question):
            return self._judge(question, [*self._named(question), *self._related(question)])
        weighed = self._weigh(question)
        if question.entries:
            return self._judge(question, self._ordered(question, weighed.items))
        return self._described(question, weighed)

    def sureness(self, question: Question) -> float:
        """Return how sure it is that the best entry for a described question is meant, on the scale of `covered_from`.

        Raises:
            EngineError: the embedder cannot be loaded.
        """
        return self._weigh(question).sureness

    def needs_embedding(self, question: Question) -> bool:
        """Tell whether the evidence for a question is found by its meaning, which takes the embedder.

        It is not where the question is about the entries that it names: it compares them, or says little else.
        """
        if not question.entries:
            return not question.unknown
        if len(question.sides) > 1:
            return False
        return (
            question.seeks_name
            or question.intent is Intent.LIST
            or len(question.content) > 3
            or (self._is_everyday(question) and len(question.content) > 1)
        )

    def _most(self, question: Question) -> int:
        """Return how many entries the evidence holds at most."""
        return _MOST_LISTED if question.intent is Intent.LIST else self._limit

    def _named(self, question: Question) -> list[EvidenceItem]:
        return [EvidenceItem(entry=entry, reason=Reason.NAMED, score=1.0) for entry in question.entries]

    def _described_sides(self, question: Question) -> dict[str, EvidenceItem]:
        """Return the entries that sides of a comparison describe instead of naming them ("that contract thing")."""
        found: dict[str, EvidenceItem] = {}
        sides = [side for side in question.sides if side in question.unknown and phrasing.describes_side(side)]
        for side in sides:
            words = phrasing.content_words(side)
            scores = self._scores(self._embedder.encode([side])[0], words) if words else {}
            place = max(scores, key=scores.__getitem__, default=None)
            if place is not None and scores[place] >= _SIDE:
                entry = self._index.glossary.entries[place]
                if entry not in question.entries:
                    found[side] = EvidenceItem(entry=entry, reason=Reason.SIMILAR, score=scores[place])
        return found

    def _related(self, question: Question) -> list[EvidenceItem]:
        """Return entries that use most of the question's other words, best first; being near a named one counts."""
        if len(question.content) < 2 or len(question.sides) > 1:
            return []
        glossary, named = self._index.glossary, set(question.entries)
        near = {other for entry in named for other in glossary.related(entry)}
        found = []
        for place in self._index.search_words(question.content, limit=_POOL):
            entry, coverage = glossary.entries[place], self._index.coverage(place, question.content)
            score = coverage + _NEAR * (entry in near)
            if entry not in named and score > _RELATED:
                found.append(EvidenceItem(entry=entry, reason=Reason.RELATED, score=score))
        return sorted(found, key=lambda item: -item.score)

    def _weigh(self, question: Question) -> _Ranking:
        """Rank the entries that are nearest in meaning, names and words.

        A question that asks two things at once ("…, and which one avoids that?") is weighed clause by clause as well,
        since an entry that answers one clause is seldom near to the whole.
        """
        clauses = [] if question.seeks_name else phrasing.clauses(question.asked)
        vectors = self._embedder.encode([question.asked, *clauses])
        scores = self._scores(vectors[0], question.content)
        parts = [
            self._scores(vector, phrasing.content_words(clause))
            for vector, clause in zip(vectors[1:], clauses, strict=True)
        ]
        entries, named, glossary = self._index.glossary.entries, set(question.entries), self._index.glossary
        near = {other for entry in named for other in glossary.neighbours(entry)}
        beside = _BESIDE_NAMED if phrasing.asks_for_counterpart(question.asked) else _NEAR_NAMED

        def score(place: int) -> float:
            whole = scores.get(place, 0.0)
            best = max((part.get(place, 0.0) for part in parts), default=0.0)
            told = max(whole, _CLAUSE * best + (1 - _CLAUSE) * whole)
            told += _NAMED * (entries[place] in named and not question.seeks_name)
            return told + beside * (entries[place] in near)

        places = set(scores).union(*parts)
        weighed = sorted((_Weighed(entries[place], score(place)) for place in places), key=lambda item: -item.score)
        return _Ranking(tuple(weighed), self._sureness(question, vectors[0], weighed))

    def _sureness(self, question: Question, vector: Vectors, weighed: Sequence[_Weighed]) -> float:
        """Return how likely the best entry is what was asked for, on the scale of the index's `covered_from`.

        A lead over the second best speaks for it, and one text that is very much alike; words that the glossary never
        uses speak against it. Of two questions that are as much alike the longer one says more that fits.
        """
        if not weighed or not question.content:
            return 0.0
        place = self._index.place(weighed[0].entry)
        lead = weighed[0].score - weighed[1].score if len(weighed) > 1 else _MOST_LEAD
        return (
            weighed[0].score
            + _LEAD * min(lead, _MOST_LEAD)
            + _LIKENESS * self._index.likeness(place, vector)
            + _COVERED * self._index.coverage(place, question.content)
            - _FOREIGN * len(question.foreign) / len(question.content)
            + _LENGTH * math.log(len(question.content) / _USUAL_LENGTH)
        )

    def _scores(self, vector: Vectors, words: Sequence[str]) -> dict[int, float]:
        """Return how near entries are to a text in meaning and words, by their place in the glossary."""
        nearest = self._index.search_vector(vector, limit=_POOL)
        farthest = Similarities(*(min(values) for values in zip(*nearest.values(), strict=True)))
        shared = self._index.search_words(words, limit=_POOL)
        most_shared = max(shared.values(), default=1.0)

        def score(place: int) -> float:
            alike = nearest.get(place, farthest)
            return (
                _DEFINITION * alike.definition
                + _SENTENCE * alike.sentence
                + _PLAIN * alike.plain
                + _ASKED * alike.asked
                + _CONTRAST * alike.contrast
                + _NAME * alike.name
                + _COVERAGE * self._index.coverage(place, words)
                + _BM25 * shared.get(place, 0.0) / most_shared
            )

        return {place: score(place) for place in {*nearest, *shared}}

    def _ordered(self, question: Question, weighed: Sequence[_Weighed]) -> list[EvidenceItem]:
        """Return named entries first, then the nearest; an entry that an everyday word names stands by its score."""
        named = self._named(question)
        others = [
            EvidenceItem(entry=entry, reason=Reason.SIMILAR, score=score)
            for entry, score in weighed
            if entry not in question.entries
        ]
        if not self._is_everyday(question) and not (question.seeks_name or self._describes(question)):
            return named + others
        by_score = dict(weighed)
        placed = [item.model_copy(update={"score": by_score.get(item.entry, 0.0)}) for item in named]
        kept = sorted([*placed, *others], key=lambda item: -item.score)[: self._most(question)]
        return kept if any(item in kept for item in placed) else [*kept[:-1], placed[0]]

    def _described(self, question: Question, ranking: _Ranking) -> Evidence:
        weighed = ranking.items
        if not self._is_covered(question, ranking):
            return self._not_covered(question, weighed)
        close = [item for item in weighed[: self._most(question)] if item.score >= weighed[0].score * _CLOSE]
        return self._judge(
            question, [EvidenceItem(entry=entry, reason=Reason.SIMILAR, score=score) for entry, score in close]
        )

    def _judge(self, question: Question, items: Sequence[EvidenceItem], *, found: Sequence[str] = ()) -> Evidence:
        """Return the evidence, partial where something that was asked for is missing; what was found is not."""
        missing = [*(name for name in question.unknown if name not in found), *_missing_facts(question)]
        denials = (denied(question, item.entry) for item in items if item.reason is Reason.NAMED)
        denial = next(filter(None, denials), None)
        if denial:
            missing.append(FALSE_PREMISE)
        elif question.entries and unsettled(question, question.entries):
            missing.append(UNSETTLED)
        evidence = self._evidence(question, Status.PARTIAL if missing else Status.ANSWERED, items, missing)
        return evidence.model_copy(update={"denial": denial})

    def _asks_beyond_names(self, question: Question) -> bool:
        """Tell whether the names in a question are beside the point.

        "Quantum tensor parallelism" is not tensor parallelism; and a question that names only an everyday word
        ("inference") and is otherwise in words that the glossary never uses is about something else.
        """
        if not question.entries:
            return False
        names = [mention.text.casefold() for mention in question.mentions]
        if len(question.sides) < 2 and any(name in other.casefold() for other in question.unknown for name in names):
            return True
        first = question.mentions[0]
        if not first.start and _TOPIC_FIRST.match(question.asked, first.end):
            return False  # "Backpressure?? Sounds like plumbing."
        if _ASKED_FOR.search(question.asked[: first.start]):
            return False  # "explain quantization to a lawyer"
        foreign = len(question.foreign)
        # A small glossary lacks most words, whatever is asked.
        many = 2 if self._index.names.vocabulary_size >= _LARGE_VOCABULARY else 4
        return self._is_everyday(question) and foreign >= many and foreign > len(question.content) / 2

    @staticmethod
    def _describes(question: Question) -> bool:
        """Tell whether a question only mentions a name while it describes something else at length."""
        return question.intent is Intent.DEFINE and question.describes and len(question.content) >= _LONG

    @staticmethod
    def _is_everyday(question: Question) -> bool:
        """Tell whether every name in a question may be meant as just a word."""
        return all(mention.everyday for mention in question.mentions)

    def _is_covered(self, question: Question, ranking: _Ranking) -> bool:
        needed = self._index.header.covered_from
        if not question.describes or len(question.content) == 1:
            needed += _NAMELIKE
        return ranking.sureness >= needed

    def _not_covered(self, question: Question, weighed: Sequence[_Weighed] = ()) -> Evidence:
        entries = self._index.glossary.entries
        nearest = [*question.entries, *(item.entry for item in weighed[:3])]
        if not nearest:
            nearest = [entries[place] for place in self._index.search_words(question.content, limit=3)]
        suggestions = tuple(dict.fromkeys(entry.term for entry in nearest))[:3]
        return Evidence(question=question, status=Status.NOT_COVERED, missing=question.unknown, suggestions=suggestions)

    def _evidence(
        self, question: Question, status: Status, items: Sequence[EvidenceItem], missing: Sequence[str] = ()
    ) -> Evidence:
        # All that are named are kept, or said to be left out; a page of a dozen definitions answers nobody.
        kept = tuple(items)[: max(self._most(question), min(len(question.entries), _MOST_NAMED))]
        missing = [*missing, *(entry.term for entry in question.entries[_MOST_NAMED:])]
        status = Status.PARTIAL if missing and status is Status.ANSWERED else status
        used = {item.entry for item in kept}
        near = (other for item in kept for other in self._index.glossary.related(item.entry) if other not in used)
        suggestions = tuple(dict.fromkeys(other.term for other in near))[:3]
        return Evidence(question=question, status=status, items=kept, missing=tuple(missing), suggestions=suggestions)


def _missing_facts(question: Question) -> list[str]:
    """Return what a question asks of the entries that it names and their sentences do not tell."""
    missing = []
    # A described concept is asked for itself ("how long until …"), a named one for a fact about it.
    if (fact := question.fact) and question.entries:
        told = (
            states_fact(fact, sentence, question.content, names=entry.names)
            for entry in question.entries
            for sentence in entry.sentences
        )
        missing += [] if any(told) else [fact]
    if question.intent is Intent.LIST and question.negated:
        missing.append(WHICH_NOT)
    if not question.entries or len(question.foreign) >= 2:
        missing += question.strangers
    return missing
