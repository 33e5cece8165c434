"""False premises: does an entry deny what a question takes for granted?

"Why is FlashAttention an approximation?" has no answer where the entry says that it is none. What an entry denies is
found by form: a negation, with words of the question right behind it, in a clause about the entry itself. That finds
few of all contradictions, and hardly ever one where there is none.
"""

import re
from collections.abc import Iterator, Sequence

from glossbot.entry import Entry, Frozen, split_sentences
from glossbot.names import stem, tokenize
from glossbot.phrasing import Intent
from glossbot.question import Question
from glossbot.verify import LIGHT

_REACH = 8  # words behind a negation that it is taken to deny
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:]\s+(?:whereas|while|but|so|because|since|and)\b|\bwhereas\b|;", re.IGNORECASE)
# Words that say opposite things; where the question has one and a sentence of the entry the other, they may disagree.
_OPPOSITES = tuple(
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for one, other in (
        (
            "increase increases raise grow grows larger bigger higher",
            "reduce reduces lower shrink shrinks cut cuts smaller",
        ),
        ("faster quicker", "slower"),
        ("longer", "shorter"),
        ("cheaper", "costs expensive"),
        ("exact", "approximation approximate meaning similarity"),
        ("internal", "external contract customers"),
        ("fewer", "more same"),
        ("all", "small share few part"),
        ("separate", "single"),
        ("changing dynamic", "fixed static"),
    )
)
_PRESUMES = (Intent.WHY, Intent.HOW, Intent.WHEN)
_GIVEN = re.compile(r"^(?:since|because|given|considering|as|now that)\b", re.IGNORECASE)


_ASKS_WHETHER = re.compile(
    r"(?:\b(?:right|correct|true|no|yes|huh)|\b(?:is|are|do|does|did|was|were)n['’]?t (?:it|they|that))\s*\?*$",
    re.IGNORECASE,
)
_BORNE_OUT = 0.75  # share of a claim's telling words that one sentence has to have


class Denial(Frozen):
    """A sentence of an entry that denies what a question takes for granted."""

    entry: Entry
    sentence: str


def denied(question: Question, entry: Entry) -> Denial | None:
    """Return what an entry says against what a question takes for granted, or None.

    Args:
        question: what is asked; only a question that presumes something (why, how, since …) can be denied.
        entry: an entry that the question names.
    """
    if question.intent not in _PRESUMES and not _GIVEN.match(question.asked):
        return None
    if _NEGATION.search(question.asked):
        return None
    asked = {stem(word) for word in question.content}
    said = {stem(token.key) for token in tokenize(question.asked)}
    known = {stem(token.key) for sentence in _statements(entry) for token in tokenize(sentence)}
    for sentence in _statements(entry):
        words = {stem(token.key) for token in tokenize(sentence)}
        if _disagree(said, words, known) and asked & words:
            return Denial(entry=entry, sentence=sentence)
        for clause in _CLAUSE_END.split(sentence):
            for negation in _NEGATION.finditer(clause):
                behind = [stem(token.key) for token in tokenize(clause[negation.end() :])[:_REACH]]
                telling = [word for word in behind if word not in LIGHT]
                # Two words in common, or the very thing that is negated: "is not an approximation".
                if len(asked & set(behind)) >= 2 or (telling and telling[0] in asked):
                    return Denial(entry=entry, sentence=sentence)
    return None


def unsettled(question: Question, entries: Sequence[Entry]) -> bool:
    """Tell whether a question asks if something is so, and no sentence of the named entries speaks of just that."""
    if question.intent is not Intent.YES_NO and not _ASKS_WHETHER.search(question.asked):
        return False
    asked = {stem(word) for word in question.content}
    if len(asked) < 2:
        return False
    sentences = (
        {stem(token.key) for token in tokenize(sentence)} for entry in entries for sentence in _statements(entry)
    )
    return all(len(asked & words) < _BORNE_OUT * len(asked) for words in sentences)


def _disagree(said: set[str], words: set[str], known: set[str]) -> bool:
    """Tell whether a question uses a word that the entry never does, and a sentence its opposite."""
    return any(
        (said & one and not known & one and words & other) or (said & other and not known & other and words & one)
        for one, other in _OPPOSITES
    )


def _statements(entry: Entry) -> Iterator[str]:
    """Yield what the entry says of itself: its sentences, and of a contrast the clause that begins with its term."""
    yield from entry.sentences
    for contrast in entry.contrasts:
        if contrast.text.casefold().startswith(entry.term.casefold()):
            yield contrast.text
    yield from split_sentences(entry.plain or "")
