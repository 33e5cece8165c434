"""Follow-ups: rewrite a question that leans on earlier turns so that it stands alone."""

import re
from collections.abc import Sequence

from glossbot import phrasing
from glossbot.entry import Frozen
from glossbot.names import NameFinder, is_everyday
from glossbot.phrasing import Intent


class Turn(Frozen):
    """What is kept of an earlier turn: how it was understood, and the terms of the entries that it was about."""

    intent: Intent
    terms: tuple[str, ...]


# "forget it", "never mind that": a pronoun that asks for nothing.
_ASIDE = re.compile(
    r"\b(?:forget (?:about )?(?:it|that|this)|never ?mind(?: (?:it|that|this))?|leave (?:it|that)"
    r"|(?:got|understood) (?:it|that)|i (?:see|get) (?:it|that)"
    r"|that(?:'s|’s| is) (?:all|enough|clear|fine|great|good|it)|that helps|makes sense|thanks for that)\b[,.!;:]*",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|its|that one|this one|that|this|they|them|their|these|those"
    r"|(?:the |of the |of those )?(?:two|both)(?: of them)?(?= |$)"
    r"|the (?P<place>first|second|third|former|latter|last|other)(?: one)?)(?![\w'’-])",
    re.IGNORECASE,
)
# "Which one is faster": asks to choose among what was spoken of, unless it says among what.
_WHICH = re.compile(
    r"\bwhich (?:one|(?:one )?of (?:them|those|these|the two|both))\b(?! of)"
    r"|\bwhich\b(?= (?:is|are|was|does|do|has|needs?|uses?)\b)",
    re.IGNORECASE,
)
_BOTH = frozenset(("they", "them", "their", "these", "those", "two", "both"))
_MORE = re.compile(
    r"^(?:ok(?:ay)?|and|so|but|then|now|what about|how about|same for|also|[\s,.!])+\s+(?P<rest>.+?)\s*\??$",
    re.IGNORECASE,
)
_BEFORE_PRONOUN = frozenset(
    "is are was were does do did of about with from than like to and or but on in for use fix why how".split()
)
_AFTER_PRONOUN = frozenset("is are was were does do did work works and or so in on for to help cost matter".split())
_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": -1, "third": 2, "last": -1}


def rewrite(text: str, finder: NameFinder, history: Sequence[Turn]) -> str | None:
    """Return a follow-up as a question that stands alone, or None where it leans on nothing earlier."""
    text = _ASIDE.sub(" ", text).strip()
    last = history[-1]
    found = finder.find(text)
    mentions = [mention for mention in found if mention.entries and not is_everyday(mention.name)]
    content = phrasing.content_words(phrasing.mask(text, found))
    goes_on = _MORE.match(text)
    if goes_on and mentions and not content:
        return _same_about(mentions[0].text, last)
    if not mentions and (choice := _choice(text, history)):
        return choice
    if replaced := _replace_pronouns(text, history, before=mentions[0].start if mentions else len(text)):
        return replaced
    if not found and len(content) <= 3 and (goes_on or not content):  # "and the downside?", "why?"
        return f"{text.rstrip(' ?')} {'of ' if content else ''}{last.terms[0]}?"
    return None


def _choice(text: str, history: Sequence[Turn]) -> str | None:
    """Return a question for one of several as a question that names them, or None where there are not several."""
    which = _WHICH.search(text)
    topics = list(dict.fromkeys(term for turn in history[-2:] for term in turn.terms))
    several = history[-1].terms if len(history[-1].terms) > 1 else topics
    if not which or len(several) < 2:
        return None
    named = f"which of {' and '.join(several[-3:])}"
    return f"{text[: which.start()]}{named}{text[which.end() :]}"


def _replace_pronouns(text: str, history: Sequence[Turn], *, before: int) -> str | None:
    """Replace what points to earlier turns; after a name (from ``before`` on) a pronoun means that name."""
    pieces: list[str] = []
    position = 0
    for pronoun in _PRONOUN.finditer(text):
        # A second "it" means what the first one did; "the first one" always points back.
        points_back = pronoun["place"] or (pronoun.start() < before and not pieces)
        if not points_back or (not pronoun["place"] and _is_conjunction(text, pronoun)):
            continue
        if (referent := _referent(pronoun, history)) is not None:
            pieces += [text[position : pronoun.start()], referent]
            position = pronoun.end()
    return "".join((*pieces, text[position:])) if pieces else None


def _same_about(name: str, last: Turn) -> str:
    """Return the last question, asked about another name."""
    if last.intent is Intent.COMPARE:
        return f"difference between {last.terms[0]} and {name}"
    frames = {Intent.WHY: "why {}", Intent.HOW: "how does {} work", Intent.WHEN: "when to use {}"}
    return frames.get(last.intent, "what is {}").format(name)


def _referent(pronoun: re.Match[str], history: Sequence[Turn]) -> str | None:
    """Return what a pronoun stands for: a term of the last turn, or of the conversation for "the first one"."""
    said = pronoun[0].casefold()
    last = history[-1].terms
    topics = list(dict.fromkeys(term for turn in history for term in turn.terms))
    if place := pronoun["place"]:
        choices: Sequence[str] = last if len(last) > 1 else topics
        if place.casefold() == "other":
            return choices[-1] if len(choices) > 1 else None
        ordinal = _ORDINALS[place.casefold()]
        return choices[ordinal] if -len(choices) <= ordinal < len(choices) else None
    if set(said.split()) & _BOTH:
        pair = last if len(last) > 1 else topics[-2:]
        means_two = "two" in said or "both" in said
        if means_two or len(last) > 1:
            return ("of " if said.startswith("of") else "") + " and ".join(pair[:3])
    return last[0] + ("'s" if said in ("its", "their") else "")


def _is_conjunction(text: str, pronoun: re.Match[str]) -> bool:
    """Tell whether "that" or "this" only joins or points on ("the fact that …", "this term")."""
    if pronoun[0].casefold() not in ("that", "this", "these", "those"):
        return False
    before, after = text[: pronoun.start()].split(), text[pronoun.end() :].split()
    joins = bool(before) and before[-1].casefold() not in _BEFORE_PRONOUN
    return joins and bool(after) and after[0].casefold() not in _AFTER_PRONOUN
