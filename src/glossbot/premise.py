"""False premises: does an entry deny what a question takes for granted?

"Why is FlashAttention an approximation?" has no answer where the entry says that it is none. What an entry denies is
found by form: a negation, with words of the question right behind it, in a clause about the entry itself. That finds
few of all contradictions, and hardly ever one where there is none.
"""

import re
from collections.abc import Iterator

from glossbot.entry import Entry, Frozen, split_sentences
from glossbot.names import stem, tokenize
from glossbot.phrasing import Intent
from glossbot.question import Question
from glossbot.verify import LIGHT

_REACH = 8  # words behind a negation that it is taken to deny
_NEGATION = re.compile(r"\b(?:no|not|never|none|neither|nor|without|cannot|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:]\s+(?:whereas|while|but|so|because|since|and)\b|\bwhereas\b|;", re.IGNORECASE)
_PRESUMES = (Intent.WHY, Intent.HOW, Intent.WHEN)
_GIVEN = re.compile(r"^(?:since|because|given|considering|as|now that)\b", re.IGNORECASE)


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
    for sentence in _statements(entry):
        for clause in _CLAUSE_END.split(sentence):
            for negation in _NEGATION.finditer(clause):
                behind = [stem(token.key) for token in tokenize(clause[negation.end() :])[:_REACH]]
                telling = [word for word in behind if word not in LIGHT]
                # Two words in common, or the very thing that is negated: "is not an approximation".
                if len(asked & set(behind)) >= 2 or (telling and telling[0] in asked):
                    return Denial(entry=entry, sentence=sentence)
    return None


def _statements(entry: Entry) -> Iterator[str]:
    """Yield what the entry says of itself: its sentences, and of a contrast the clause that begins with its term."""
    yield from entry.sentences
    for contrast in entry.contrasts:
        if contrast.text.casefold().startswith(entry.term.casefold()):
            yield contrast.text
    yield from split_sentences(entry.plain or "")
