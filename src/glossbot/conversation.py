"""What was spoken of before a question, and the words of the question that tell of which kind of follow-up it is."""

import re
from collections.abc import Sequence

from pydantic import Field

from glossbot import phrasing
from glossbot.entry import Frozen
from glossbot.names import Mention, NameFinder, is_everyday, tokenize
from glossbot.phrasing import Intent

SEVERAL = 3  # topics that are set side by side at most, and telling words of a short question
NAME_WORDS = 4  # words of a name at most, with what stands before it
LONG = 6  # telling words; a question with more says itself what it is about
_OPENER = re.compile(
    r"(?:(?:ok(?:ay)?|and|or|so|but|then|now|also|h+m+|ah|oh|well|right|alright|cool|great|nice|thanks|thank you|thx"
    r"|cheers|lol|anyway|please|yes|yeah|no|nope|sorry|wait|interesting|huh(?=\W+\w)|what about|how about|same for|btw"
    r"|by the way)\b[\s,.!?:;–—-]*)*",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\b(?:ok(?:ay)?|and|or|so|but|then|now|also|what about|how about|same for)\b", re.IGNORECASE)
_BEFORE_NAME = re.compile(r"^(?:(?:vs\.?|versus|from|than|against)\s+)?(?:(?:an?|the)\s+)?", re.IGNORECASE)
POINTING = r"(?: (?:it|they|that|this|them|those|these|the (?:last |first |other )?two|both)(?: (?:two|both))?)?"
ASKING = re.compile(
    r"^(?:how|when|what|why|who|where|which|is|are|do|does|did|can|could|should|will|would|must|has|have|define|explain"
    r"|describe|tell me)\b",
    re.IGNORECASE,
)
NAMING = re.compile(r"^(?:what(?:'s|’s|s| is| are)|who is|define|explain|describe|tell me)\b", re.IGNORECASE)


class Turn(Frozen):
    """What is kept of an earlier turn: how it was understood, and the terms of the entries that it was about."""

    intent: Intent
    terms: tuple[str, ...]
    asked: str = Field(default="", description="The question as it was answered.")


class Followup:
    """A question with what its kind is told by."""

    def __init__(self, text: str, finder: NameFinder, history: Sequence[Turn]) -> None:
        opened = _OPENER.match(text)
        self.text = text
        self.rest = text[opened.end() if opened else 0 :].rstrip(" ?!.")
        self.goes_on = bool(opened and _GOES_ON.search(opened[0]))
        self.finder = finder
        self.history = history
        self.last = history[-1]
        self.topics = tuple(dict.fromkeys(term for turn in history for term in turn.terms))
        self.found: Sequence[Mention] = finder.find(self.rest)
        against = re.match(r"(?:vs|versus)\b", self.rest, re.IGNORECASE)
        if not self.found and len(tokenize(self.rest)) <= NAME_WORDS and (self.goes_on or against):
            bare = _BEFORE_NAME.sub("", self.rest)
            self.found = finder.complete(self.rest, len(self.rest) - len(bare), len(self.rest))
        self.names = [mention for mention in self.found if mention.entries and not is_everyday(mention.name)]
        self.masked = phrasing.mask(self.rest, self.found)
        self.content = phrasing.content_words(self.masked)

    @property
    def topic(self) -> str:
        """What the last turn was about, as one phrase."""
        return " and ".join(self.last.terms[:SEVERAL])

    @property
    def several(self) -> tuple[str, ...]:
        """What there is to choose among: what the last turn set side by side, else what was spoken of last."""
        if len(self.last.terms) > 1:
            return self.last.terms[-SEVERAL:]
        return tuple(dict.fromkeys(term for turn in self.history[-SEVERAL:] for term in turn.terms))[-SEVERAL:]


def same_about(name: str, last: Turn) -> str:
    """Return the last question, asked about another name."""
    if last.intent is Intent.COMPARE:
        return f"difference between {last.terms[0]} and {name}"
    frames = {Intent.WHY: "why {}", Intent.HOW: "how does {} work", Intent.WHEN: "when to use {}"}
    return frames.get(last.intent, "what is {}").format(name)
