"""Follow-ups: rewrite a question that leans on earlier turns so that it stands alone.

A follow-up is of one of a few kinds (`_KINDS`), each a function that returns the question rewritten, or None where the
question is not of that kind. One of no kind stands alone, and nothing is carried over into it.
"""

import re
from collections.abc import Callable, Sequence

from glossbot import asking_on, beside, phrasing, pronoun
from glossbot.conversation import ASKING, NAME_WORDS, SEVERAL, Followup, Turn, same_about
from glossbot.names import FUNCTION_WORDS, NameFinder, is_everyday, stem, tokenize
from glossbot.phrasing import Intent

__all__ = ["Turn", "rewrite"]

# "forget it", "got it": a pronoun that asks for nothing.
_ASIDE = re.compile(
    r"\b(?:never ?mind(?: (?:it|that|this))?|leave (?:it|that)|(?:got|understood) (?:it|that)|i (?:see|get) (?:it|that)"
    r"|that(?:'s|’s| is) (?:all|enough|clear|fine|great|good|it)|that helps|makes sense|thanks for that)\b[,.!;:]*",
    re.IGNORECASE,
)
_SWITCH = re.compile(
    r"^(?!(?:is|are|was|do|does|can|what|how|why|which)\b)(?:[^\s:]+\s+){0,4}?"
    r"(?:unrelated|something (?:else|different)|(?:switch\w*|chang\w+) (?:the )?(?:topics?|subject)"
    r"|(?:an?other|different|new|next|separate) (?:thing|topic|question|subject|matter)|on another note"
    r"|forget (?:about )?(?:it|that|this)|never ?mind(?: (?:it|that))?)\b(?: now)?\s*[,:.;!–—-]+\s*(?P<rest>\S.{2,})$",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^(?:(?:no|nope|nah|sorry|oops|wait|ah|oh)\b[\s,.!]*)*"
    r"(?:(?:no|nah|sorry|oops)[\s,.!]+(?=\S)|(?:i|i'm|i’m) (?:meant?|was asking about|asking about) "
    r"|not that(?: one)?[\s,.]+)"
    r"(?:(?:rather|actually) )?(?:the other (?:thing|one)[\s,:–—-]+)?(?P<rest>.+)$",
    re.IGNORECASE,
)
_ONE = re.compile(r"(?:the )?(?P<begun>\S.*?) (?:one|kind|version|variant|sort|type)", re.IGNORECASE)
_RETURN = re.compile(
    r"^(?:(?:going|coming|go|come|let's go|getting) )?back to (?P<topic>[^,:;?–—]+)"
    r"(?:[,:;?–—]\s*(?P<rest>(?!.*\bback to\b).*))?$",
    re.IGNORECASE,
)


def rewrite(text: str, finder: NameFinder, history: Sequence[Turn]) -> str | None:
    """Return a follow-up as a question that stands alone, or None where it leans on nothing earlier."""
    if switch := _SWITCH.match(text):
        return switch["rest"]
    bare = _ASIDE.sub(" ", pronoun.expand(text)).strip()
    asked = Followup(bare, finder, history)
    if phrasing.seeks_name(asked.rest) and len(asked.content) > SEVERAL:  # describes what it asks for
        return None
    return next(filter(None, (kind(asked) for kind in _KINDS)), None)


def _correction(asked: Followup) -> str | None:
    """Take "no, I meant X" for the last question, asked about another name."""
    said = _CORRECTION.match(asked.text)
    if not said or len(said["rest"].split()) > NAME_WORDS or ASKING.match(said["rest"]):
        return None
    meant = pronoun.ordinal(said["rest"], asked.topics) or said["rest"].rstrip(" ?!.")
    if one := _ONE.fullmatch(meant):  # "the KS one"
        meant = next((mention.name for mention in asked.finder.complete(meant, *one.span("begun"))), meant)
    return same_about(meant, asked.last) if phrasing.content_words(meant) else None


def _return(asked: Followup) -> str | None:
    """Take "back to X: …" for a question about a topic spoken of before, which may be described."""
    back = _RETURN.match(asked.rest)
    if not back:
        return None
    rest = back["rest"] or ""
    said = asked.finder.find(back["topic"])
    named = [entry.term for mention in said for entry in mention.entries if not is_everyday(mention.name)]
    topic = pronoun.ordinal(back["topic"], asked.topics) or next(iter(named), None) or _described(asked, back["topic"])
    if not topic:
        return None
    if not rest:
        return f"what is {topic}?"
    turn = Turn(intent=Intent.DEFINE, terms=(topic,))
    return rewrite(rest, asked.finder, (*asked.history, turn)) or f"{rest.rstrip(' ?')}: {topic}?"


def _described(asked: Followup, description: str) -> str | None:
    """Return the topic whose names, else whose definition, have most of a description's words."""

    def likeness(term: str) -> tuple[int, int]:
        entries = [entry for mention in asked.finder.find(term) for entry in mention.entries]
        names = {stem(token.key) for entry in entries for name in entry.names for token in tokenize(name)}
        told = {stem(token.key) for entry in entries for token in tokenize(entry.definition)}
        return len(words & names), len(words & told)

    words = {stem(token.key) for token in tokenize(description) if token.key not in FUNCTION_WORDS}
    best = max(reversed(asked.topics), key=likeness)
    return best if likeness(best) > (0, 0) else None


def _pointing(asked: Followup) -> str | None:
    """Take "does it work with X" or "the second one" for a question about what is pointed to."""
    before = asked.names[0].start if asked.names else len(asked.rest)
    said = pronoun.replace(asked.rest, before=before, last=asked.last.terms, topics=asked.topics)
    return f"{said}?" if said else None


_KINDS: tuple[Callable[[Followup], str | None], ...] = (
    _correction,
    _return,
    asking_on.request,
    beside.comparison,
    beside.ellipsis,
    beside.second_side,
    beside.variant,
    beside.version,
    beside.choice,
    asking_on.aspect,
    beside.remedy,
    beside.relation,
    _pointing,
    asking_on.fragment,
)
