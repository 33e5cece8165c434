"""Pronouns and ordinals: what in a follow-up points to earlier topics, and to which ("it", "the second one")."""

import re
from collections.abc import Sequence

from glossbot import phrasing

# What may follow "the second", "both", "the two": no noun, which would make it another thing ("the first caller").
_NO_NOUN = (
    r"(?=\s*(?:$|[?!.,:;–—]|(?:is|are|was|were|does|do|has|have|should|can|needs?|works?|runs?|uses?|compares?|differs?"
    r"|relates?|really|still|also|with|from|in|then)\b))"
)
_PLACE = (
    r"the (?:very )?(?:one (?:you|we) (?:\w+ )?(?=first|second|third|last))?(?P<place>first|second|third|former"
    r"|latter|last|other)"
    rf"(?: one\b| of (?:them|those|these|the two)\b|{_NO_NOUN})"
)
POINTS_BACK = re.compile(
    rf"\b(?:that last one|{_PLACE}|that one|this one|(?:each|all|either|any|neither) of (?:them|these|those)"
    r"|it|its|that|this|they|them|their"
    rf"|(?:of )?(?:the two|these two|those two|both)(?: of (?:them|those|these))?{_NO_NOUN}|these|those"
    r"|(?:(?<=\bchoose )|(?<=\bpick )|(?<=\buse )|(?<=\bset )|(?<=\bget )|(?<=\bhave )|(?<=\bneed ))one"
    r"(?= (?:that|which|for|to|in|with)\b|$))(?![\w'’-])",
    re.IGNORECASE,
)
_SHORT_FORM = re.compile(r"\b(?P<pronoun>it|that|this|they|those)(?:['’](?P<verb>s|re|ll|d))\b", re.IGNORECASE)
_BARE_ORDINAL = re.compile(r"^(first|second|third|last|other) one\b", re.IGNORECASE)
_VERBS = {"s": "is", "re": "are", "ll": "will", "d": "would"}
# "What do you call it when …", "is it possible to …": a pronoun that points at what comes, or at nothing.
_POINTS_AHEAD = re.compile(
    r"\bcall (?:it|that|this)\b|\b(?:do|did|would) they call\b|\bis it(?= (?:called )?(?:when|if|because|that)\b)"
    r"|\bwhat time is it\b|\bit(?= (?:seems|depends)\b)"
    r"|\bis it(?= (?:possible|true|worth|better|ok|okay|safe|normal|common|wise|bad|good) (?:to|that|if)\b)",
    re.IGNORECASE,
)
_BREAK = re.compile(r"\w\W*[,.;:!?–—](?=\s)|\w -|\w (?:how|what|why|when|which|who) ", re.IGNORECASE)
_SUBORDINATE = re.compile(r"\b(?:when|if|because|while|where|until|unless|but|although|once|as|so)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:that|which|who)\b", re.IGNORECASE)
_SO_THAT = re.compile(r"\bso that\b", re.IGNORECASE)
_ACTING = re.compile(
    r"(?:do|does|did|can|could|will|would|is|are|has|have)\b(?:(?!\b(?:and|or|if|when|because|that|which)\b)[^,;])*"
    r"\b(?!(?:is|are|does|do|did|can|was)\b)[a-z]+ $",
    re.IGNORECASE,
)
_BEHIND_OBJECT = re.compile(
    r"(?:\s+(?:too|also|already|natively|yet|now|still|by default|out of the box|as well|at all|well|better))*\W*",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:how|what|why|when|which|who|where|from|in|is|are|do|does|did|can|could|should|will|would|must|has|have)\b",
    re.IGNORECASE,
)
_PLURAL = frozenset(("they", "them", "their", "these", "those", "two", "both"))
_BEFORE = frozenset(
    "is are was were does do did of about with from than like to and or but on in for use fix why how make"
    " would could should can will has have".split()
)
_VERBS_AFTER = frozenset("is are was were does do did has can will would".split())
_SUFFIX = re.compile(r"n['’]?t$|['’]s$")  # "isn't that …", "how's that …"
_AFTER = frozenset("and or so in on for to help cost matter then anyway".split())
_DESCRIPTION = 3  # telling words, among which is what a pronoun behind them means
_PLACES = {"first": 0, "former": 0, "second": 1, "latter": -1, "third": 2, "last": -1}


def expand(text: str) -> str:
    """Write out what is left away: verbs behind pronouns ("it's"), the article of an ordinal ("second one")."""
    written = _SHORT_FORM.sub(lambda match: f"{match['pronoun']} {_VERBS[match['verb'].casefold()]}", text)
    return _BARE_ORDINAL.sub(r"the \1 one", written)


def ordinal(text: str, topics: Sequence[str]) -> str | None:
    """Return the topic that a text points to by its place ("the second one"), or None."""
    said = next((match for match in POINTS_BACK.finditer(text) if match["place"]), None)
    return _placed(said["place"], topics) if said else None


def replace(text: str, *, before: int, last: Sequence[str], topics: Sequence[str]) -> str | None:
    """Return a text with its pronouns replaced by what they stand for, or None where none points back.

    Args:
        text: a question.
        before: where its first name starts; from there on a pronoun means that name.
        last: the terms of the last turn.
        topics: the terms of all turns, each once, oldest first.
    """
    pieces: list[str] = []
    position = 0
    ahead = [match.span() for match in _POINTS_AHEAD.finditer(text)]
    for said in POINTS_BACK.finditer(text):
        # A second "it" means what the first one did; "the first one" always points back.
        if said["place"]:
            if len(phrasing.content_words(text[: said.start()])) > _DESCRIPTION:
                continue
        elif (
            pieces
            or (said.start() >= before and not _is_object(text, said))
            or any(start <= said.start() < end for start, end in ahead)
            or _is_conjunction(text, said)
            or (_is_about_itself(text[: said.start()]) and not _is_object(text, said))
        ):
            continue
        if (referent := _referent(said, last, topics)) is not None:
            pieces += [text[position : said.start()], referent]
            position = said.end()
            if said[0].casefold() in ("its", "their") and len(text[position:].split()) == 1:
                pieces[-1] = f"the{text[position:]} of {referent.removesuffix(chr(39) + 's')}"
                position = len(text)
    return "".join((*pieces, text[position:])) if pieces else None


def _referent(said: re.Match[str], last: Sequence[str], topics: Sequence[str]) -> str | None:
    word = said[0].casefold()
    if said["place"]:
        return _placed(said["place"], last if len(last) > 1 else topics)
    if set(word.split()) & _PLURAL:
        two = bool(re.search(r"\b(?:two|both|each|all|either|any|neither)\b", word))
        if two or len(last) > 1:
            pair = last if len(last) > 1 else topics[-2:]
            return ("of " if word.startswith("of") else "") + " and ".join(pair[:3])
    if word == "that last one":
        return last[-1]
    return last[0] + ("'s" if word in ("its", "their") else "")


def _placed(place: str, topics: Sequence[str]) -> str | None:
    if place.casefold() == "other":
        return topics[-2] if len(topics) > 1 else None
    number = _PLACES[place.casefold()]
    return topics[number] if -len(topics) <= number < len(topics) else None


def _is_conjunction(text: str, said: re.Match[str]) -> bool:
    """Tell whether "that" or "this" only joins or points on ("the fact that …", "this term")."""
    if said[0].casefold() not in ("that", "this", "these", "those"):
        return False
    before, after = text[: said.start()].split(), text[said.end() :].split()
    if not after or (before and _SUFFIX.sub("", before[-1].casefold()) in _BEFORE) or not after[0][0].isalnum():
        return False
    follows = after[0].casefold()
    return follows not in _AFTER and not (not before and follows in _VERBS_AFTER)


def _is_object(text: str, said: re.Match[str]) -> bool:
    """Tell whether a pronoun is what a named thing acts on ("does X do that?"), and so points back all the same."""
    acts = _ACTING.match(text[: said.start()])
    return bool(acts) and bool(_BEHIND_OBJECT.fullmatch(text, said.end()))


def _is_about_itself(before: str) -> bool:
    """Tell whether a pronoun behind some words means one of them ("my server dies when it gets …")."""
    told = len(phrasing.content_words(before))
    if any(phrasing.looks_like_name(word.strip(".,:;")) for word in before.split()):
        return True
    if told >= _DESCRIPTION or (told and _BREAK.search(before.rstrip() + " ")):
        return True
    if not _ASKING.match(before):
        return told > 1 or bool(told and _RELATIVE.search(before))
    return bool((told > 1 and _SUBORDINATE.search(before)) or (told and _SO_THAT.search(before)))
