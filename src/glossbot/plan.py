"""What to say, in which order, and what each part may rest on; decided before a model writes a word.

The plan follows the intent: a definition is the entry's own words; a comparison is the written contrast, then both
sides; a reason, a way or an occasion is the sentence that holds it; a list is a line for each entry. A part that the
model words names its entries and the wordings that are open to it, so that a fact cannot be bound to another term.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from glossbot import prompts
from glossbot.answer import Status
from glossbot.entry import Entry, Frozen, Glossary
from glossbot.names import stem
from glossbot.phrasing import Intent
from glossbot.retrieve import FALSE_PREMISE, UNSETTLED, Evidence
from glossbot.synonyms import canonical
from glossbot.verify import MENTION, Verifier

_MOST_QUOTED = 4  # sentences of one entry that an answer about it repeats
_MOST_EXPLAINED = 3  # entries that a reason or a way is quoted from
_MOST_BESIDE = 2  # sentences of each side that stand in for a written contrast
_MOST_COMPARED = 3  # entries that are set side by side where nobody asks for a comparison
# "Throughput / goodput, explain both": what names several entries and wants none of the other things compares them.
_BESIDE_EACH_OTHER = (Intent.DEFINE, Intent.RELATE)
_CUE = 1.2  # what a word such as "because" is worth in words shared with the question
_CUES = {
    Intent.WHY: re.compile(r"\b(?:because|since|so that|therefore|which lets|reason|matters?|due to)\b", re.IGNORECASE),
    Intent.HOW: re.compile(r"\b(?:by|with|through|uses?|each|then|splits?|stores?|keeps?)\b", re.IGNORECASE),
    Intent.WHEN: re.compile(r"\b(?:when|where|suits?|fits?|for|if|choice)\b", re.IGNORECASE),
}


class Notice(Frozen):
    """A sentence of glossbot's own, about the answer and not about the subject."""

    text: str


class Quote(Frozen):
    """A sentence of an entry, word for word."""

    entry: Entry
    text: str
    only_if_new: bool = False


class Opposed(Frozen):
    """A contrast that the glossary has in writing."""

    text: str
    left: Entry
    right: Entry


class Wording(Frozen):
    """One way to say something, and the sentences of the glossary that it says."""

    text: str
    says: tuple[str, ...]


class Written(Frozen):
    """A sentence that the model words: what it may rest on, how it may be said, and what stands in for it."""

    question: str
    entries: tuple[Entry, ...]
    wordings: tuple[Wording, ...]
    instead: tuple[Quote, ...]


Part = Notice | Quote | Opposed | Written


class Planner:
    """Plans answers over one glossary."""

    def __init__(self, glossary: Glossary, verifier: Verifier) -> None:
        self._glossary = glossary
        self._verifier = verifier
        self._wordings = verifier.wordings

    def plan(self, evidence: Evidence, *, again: bool = False) -> Iterator[Part]:
        """Yield the parts of an answer in order.

        Args:
            evidence: what the answer may rest on.
            again: the answer was given before and another wording is wanted, also where it would be quoted.
        """
        if evidence.status is Status.NOT_COVERED:
            yield Notice(text=prompts.not_covered(evidence.missing))
            return
        lacking = [name for name in evidence.missing if name not in (FALSE_PREMISE, UNSETTLED)]
        if lacking:
            yield Notice(text=prompts.lacks(lacking))
        if UNSETTLED in evidence.missing:
            yield Notice(text=prompts.UNSETTLED)
        if evidence.denial:
            yield Notice(text=prompts.DENIED)
            yield Quote(entry=evidence.denial.entry, text=evidence.denial.sentence)
        intent = evidence.question.intent
        if evidence.status is Status.AMBIGUOUS:
            yield Notice(text=prompts.AMBIGUOUS)
            yield from map(_definition, evidence.entries)
        elif _sets_side_by_side(evidence) and not (lacking and intent is not Intent.COMPARE):
            yield from self._compare(evidence, again=again)
        elif intent is Intent.LIST:
            yield from self._list(evidence)
        elif intent is Intent.DEFINE or lacking or evidence.denial:
            yield from self._define(evidence, again=again)
        else:
            yield from self._explain(evidence)

    def _define(self, evidence: Evidence, *, again: bool) -> Iterator[Part]:
        entries = evidence.named or evidence.entries[:1]
        yield from map(_definition, entries)
        if len(entries) == 1:
            (entry,) = entries
            for sentence in entry.sentences[1:_MOST_QUOTED]:
                quote = Quote(entry=entry, text=sentence, only_if_new=True)
                yield self._worded(entry, [sentence], evidence) if again else quote

    def _compare(self, evidence: Evidence, *, again: bool) -> Iterator[Part]:
        sides = evidence.named
        if len(sides) == 1:
            names = list(dict.fromkeys(mention.text for mention in evidence.question.mentions))
            if len(names) > 1:
                yield Notice(text=prompts.same_entry(names, sides[0].term))
            yield from self._define(evidence, again=again)
            return
        opposed = [
            Opposed(text=contrast.text, left=left, right=right)
            for left, right in combinations(sides, 2)
            for _, contrast in self._glossary.contrasts(left, right)
        ]
        yield from opposed
        if not opposed and evidence.question.intent is Intent.COMPARE:
            yield Notice(text=prompts.no_contrast([side.term for side in sides]))
        definitions = tuple(map(_definition, sides))
        if len(sides) == 2:
            first = tuple(side.sentences[0] for side in sides)
            yield Written(
                question=evidence.question.asked,
                entries=sides,
                wordings=tuple(Wording(text=text, says=first) for text in self._wordings.together(*sides)),
                instead=definitions,
            )
        else:
            yield from definitions
        for side in sides:
            if further := side.sentences[1:_MOST_QUOTED]:
                yield self._worded(side, further, evidence, joined=further)
            if not opposed:
                for sentence in side.sentences[1:_MOST_BESIDE]:
                    yield Quote(entry=side, text=sentence, only_if_new=True)

    def _list(self, evidence: Evidence) -> Iterator[Part]:
        """Plan a line for each entry; where one is named, what it says, and those that are defined by it."""
        named = evidence.named
        if not named:
            yield from map(_definition, evidence.entries)
            return
        for entry in named:
            yield _definition(entry)
            for sentence in entry.sentences[1:_MOST_QUOTED] if len(named) == 1 else ():
                yield Quote(entry=entry, text=sentence, only_if_new=True)
        marks = {MENTION + entry.id for entry in named}
        for entry in evidence.entries:
            if entry not in named and marks & self._verifier.telling(entry.sentences[0]):
                yield _definition(entry)

    def _explain(self, evidence: Evidence) -> Iterator[Part]:
        main, *others = self._by_fit(evidence)[:_MOST_EXPLAINED]
        fitting = self._fitting(main, evidence)
        # The reason first, and then what it is a property of; where nothing more is asked, what it is.
        reason = fitting[:1] if self._asked(evidence) - {MENTION + main.id} else []
        said = list(dict.fromkeys((*reason, main.sentences[0], *fitting)))[:_MOST_QUOTED]
        yield self._worded(main, said[:1], evidence, joined=said)
        for sentence in said[1:]:
            yield self._worded(main, [sentence], evidence, joined=said)
        open_words = self._asked(evidence).difference(*map(self._verifier.telling, said))
        for other in others:
            sentence = self._fitting(other, evidence)[0]
            added = open_words & self._verifier.telling(sentence)
            # An entry that is named and not spoken of yet; of another, what answers much of what is still open.
            if MENTION + other.id in added or len(added) >= max(2, len(open_words) / 2):
                yield Quote(entry=other, text=sentence, only_if_new=True)
                open_words -= added

    def _worded(
        self, entry: Entry, sentences: Sequence[str], evidence: Evidence, *, joined: Sequence[str] = ()
    ) -> Written:
        """Plan a sentence that says what one of some sentences says, or two of them; the first stands in for it.

        Args:
            entry: whose sentences they are.
            sentences: any of them may be worded.
            evidence: with the question.
            joined: sentences of which one may be worded together with one of the others.
        """
        instead = Quote(entry=entry, text=sentences[0], only_if_new=True)
        # A sentence that does not name its entry cannot stand alone.
        mark = MENTION + entry.id
        sentences = [one for one in sentences if mark in self._verifier.telling(one)]
        pairs = [pair for one in joined for two in sentences if one != two for pair in ((one, two), (two, one))]
        wordings = [
            *(Wording(text=text, says=pair) for pair in pairs for text in self._wordings.joined(*pair)),
            *(Wording(text=text, says=(one,)) for one in sentences for text in self._wordings.of(one)),
        ]
        return Written(
            question=evidence.question.asked,
            entries=(entry,),
            wordings=tuple(dict.fromkeys(wordings)),
            instead=(instead,),
        )

    def _by_fit(self, evidence: Evidence) -> list[Entry]:
        """Return the evidence, where it begins with what is named that first which says most of what is asked."""
        if evidence.entries[0] not in evidence.named:
            return list(evidence.entries)
        asked = self._asked(evidence)

        def fit(entry: Entry) -> int:
            return max(len(asked & self._verifier.telling(sentence)) for sentence in entry.sentences)

        named = sorted(evidence.named, key=fit, reverse=True)
        return [*named, *(entry for entry in evidence.entries if entry not in named)]

    def _fitting(self, entry: Entry, evidence: Evidence) -> list[str]:
        """Return an entry's sentences, those first that share most with the question; equals keep their order."""
        cue = _CUES.get(evidence.question.intent)
        asked = self._asked(evidence) - {MENTION + entry.id}

        def fit(sentence: str) -> float:
            return len(asked & self._verifier.telling(sentence)) + (_CUE if cue and cue.search(sentence) else 0.0)

        return sorted(entry.sentences, key=fit, reverse=True)

    def _asked(self, evidence: Evidence) -> frozenset[str]:
        """Return what a question tells, and marks for what it names."""
        question = evidence.question
        words = {stem(word) for text in question.content for word in canonical(text).split()}
        named = {MENTION + entry.id for entry in question.entries}
        return frozenset((words & self._verifier.telling(question.asked)) | named)


def _sets_side_by_side(evidence: Evidence) -> bool:
    """Tell whether an answer compares: it is asked to, or several entries are named and nothing else is asked."""
    if evidence.question.intent is Intent.COMPARE:
        return bool(evidence.question.mentions)
    return evidence.question.intent in _BESIDE_EACH_OTHER and 2 <= len(evidence.named) <= _MOST_COMPARED


def _definition(entry: Entry) -> Quote:
    return Quote(entry=entry, text=entry.sentences[0])
