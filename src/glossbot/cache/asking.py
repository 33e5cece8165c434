"""What a question asks, in one form for all ways to ask it: the kind of question, and its telling words.

"Could you tell me what a KV cache is?" and "kv cache meaning" ask one thing. Names of entries are masked first, so
that a headword, its aliases and its abbreviation are one word; politeness and the frame of the question are taken off,
and what is left is brought to lemmas and to one word of each synonymous few. Everything that is not taken off counts.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import OSA

from glossbot import phrasing
from glossbot.cache.frames import (
    ABOUT,
    AGENT,
    APPOSITION,
    ASIDES,
    CONTRACTIONS,
    FRAME_WORDS,
    FRAMES,
    PRELUDE,
    REQUEST,
    REWRITES,
    TAIL,
    TRUTH,
    Kind,
)
from glossbot.cache.synonymy import canonical, lemma
from glossbot.entry import Entry, Frozen, fold
from glossbot.names import Mention

NAME = "§"  # begins the word that stands for a name of the glossary


class Asked(Frozen):
    """A question in the form that all ways to ask it share."""

    kind: Kind
    words: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The words that stand for names, in order."""
        return tuple(word for word in self.words if word.startswith(NAME))


_SETTLED = (Kind.DEFINE, Kind.COMPARE, Kind.COMMON, Kind.SAME, Kind.RELATE)
_JOINING = frozenset("and vs versus with or to from between against apart".split())
_ANYONE = frozenset("i you we us me they people 1 someone user team engineer some".split())  # who asks of a term
_NEEDED = frozenset("use need keep want have important help".split())
# What may be there or not, where names are asked about. Whatever limits, denies or compares is not among them.
_LIGHT = frozenset(
    "happen dur use get on by with thing variant factor form kind way method mean meant so much lot".split()
)
_WORKING = frozenset("work function operat perform".split())
_MOVING = frozenset("convert switch migrat mov chang upgrad transfer port translat map export import go turn".split())
_PAST = re.compile(r"\b(?:did|was|were)\b")
_NUMBER = r"[£$€¥]?\d[\d.,:/]*\d|[£$€¥]?\d"
_WORD = re.compile(
    rf"{phrasing.MASK}|(?:{_NUMBER})(?:\s?(?:%|[kmgt]i?b\b|bits?\b|bytes?\b|ms\b|[^\W\d_]+))?|[^\W\d_]+[+#]*\d*[^\W_]*|[<>=≠≤≥±]"
)
_KEPT = frozenset("to in of and with per the on for vs vs. by from".split())  # of names of several words
_POSSESSED = re.compile(r"'s\b")


def asked(text: str, mentions: Sequence[Mention] = ()) -> Asked:
    """Bring a question into the form that all ways to ask it share.

    Args:
        text: the question, standing alone.
        mentions: the names in it that entries bear.
    """
    plain = _plain(_without_own_words(phrasing.mask(text, mentions), mentions))
    for pattern, full in REWRITES:
        plain = " ".join(pattern.sub(full, plain).split())
    kind, rest = _framed(plain)
    if kind in (Kind.HOW, Kind.WHERE, Kind.WHO, Kind.WHY):
        rest = AGENT.sub(" ", rest, count=1)
    words = canonical([_named(word, mentions) for word in _words(rest)])
    if kind in _SETTLED[1:]:
        words = [word for word in words if word not in _JOINING]
    if kind in (Kind.OTHER, Kind.WHICH, Kind.DEFINE, Kind.WHETHER) and "or" in words:
        kind, words = Kind.CHOOSE, [word for word in words if word != "or"]
    if any(word.startswith(NAME) for word in words):
        kind, words = _of_names(kind, words)
    if kind in (Kind.OTHER, Kind.WHICH, Kind.DEFINE):
        # "Benefits of …", "which benefits …" and "what are the benefits of …" are one.
        kind = Kind.DEFINE if all(word.startswith(NAME) for word in words) else Kind.WHICH
    if kind not in _SETTLED and _PAST.search(rest):
        words.append("past")
    return Asked(kind=kind, words=tuple(words))


def _framed(plain: str) -> tuple[Kind, str]:
    """Return the kind of a question, and what it is about."""
    for kind, frame, left in FRAMES:
        if found := frame.search(plain):
            return kind, f"{plain[: found.start()]} {found.expand(left)}"
    return Kind.OTHER, plain


def _of_names(kind: Kind, words: list[str]) -> tuple[Kind, list[str]]:
    """Return what is asked of names without the words that say nothing beside them: who asks, "happen", "use" …"""
    words = [word for word in words if word not in _ANYONE]
    told = {word for word in words if not word.startswith(NAME)}
    if kind is Kind.WHY and told and told <= _NEEDED:
        return Kind.PURPOSE, [word for word in words if word.startswith(NAME)]
    if kind is Kind.WHEN and told <= _NEEDED:
        return kind, [word for word in words if word.startswith(NAME)]
    if told & {"quality", "accuracy"}:
        words = ["reduc" if word in ("harm", "los") else word for word in words]
    if "problem" in told:
        words = ["solv" if word == "addres" else word for word in words]
    if told & {"reduc", "increas"}:
        words = [word for word in words if word != "size"]
    if "memory" in told:
        words = ["reduc" if word == "save" else word for word in words]
    if "latency" in told:
        words = ["reduc" if word == "improv" else word for word in words]
    light = set(_LIGHT)
    if kind is Kind.HOW:
        light |= _WORKING
    if kind in (Kind.WHETHER, Kind.WHO):
        light.discard("use")
    if not told & _MOVING:
        light.add("to")
    return kind, [word for word in words if word not in light]


def _plain(masked: str) -> str:
    """Return a masked question in small letters, without politeness and what is said around the question."""
    text = " ".join(map(_frame_word, masked.casefold().split()))
    for pattern, full in CONTRACTIONS:
        text = pattern.sub(full, text)
    text = re.sub(r"[\"“”«»()]", " ", text)
    text = re.sub(r"[?!.\s,;:]+$", "", " ".join(text.split()))
    before = None
    while before != text:
        before = text
        for pattern in (PRELUDE, REQUEST, TRUTH):
            text = pattern.sub("", text).strip()
        text = re.sub(r"[?!.\s,;:]+$", "", TAIL.sub("", text))
        text = ABOUT.sub("", text)
    text = " ".join(ASIDES.sub(" ", text).split())
    for pattern in APPOSITION:
        text = pattern.sub(" ", text)
    return " ".join(text.split())


def _frame_word(word: str) -> str:
    """Return a misspelt word of the frame as it is meant ("waht", "diffrence")."""
    if len(word) < 4 or word in FRAME_WORDS or not word.isalpha():
        return word
    for meant in FRAME_WORDS:
        if word.startswith(meant):  # another form of it
            continue
        if word[0] != meant[0] and sorted(word) != sorted(meant):
            continue
        if sorted(word) == sorted(meant) or (len(meant) >= 7 and OSA.distance(word, meant, score_cutoff=1) == 1):
            return meant
    return word


def _without_own_words(masked: str, mentions: Sequence[Mention]) -> str:
    """Drop words beside a name that other names of its entry have: "GQA attention", "FIFO scheduling"."""
    words = masked.split()
    own = {
        place: {word for entry in found[0].entries for name in entry.names for word in name.casefold().split()}
        for place, word in enumerate(words)
        if (found := phrasing.masked_by(word, mentions))
    }
    return " ".join(
        word
        for place, word in enumerate(words)
        if place in own or word.strip("?!.,;:").casefold() not in own.get(place - 1, set()) - _KEPT
    )


def _words(text: str) -> list[str]:
    return [
        re.sub(r"[\s,]", "", word) if word[-1:].isalnum() and any(map(str.isdigit, word)) else word
        for word in _WORD.findall(_POSSESSED.sub("", text))
    ]


def _named(word: str, mentions: Sequence[Mention]) -> str:
    if not phrasing.has_name(word):
        return word
    (mention,) = phrasing.masked_by(word, mentions)
    return NAME + "|".join(sorted(_meant(entry, mention.name) for entry in mention.entries))


def _meant(entry: Entry, name: str) -> str:
    """Return what a name stands for: its entry, and of an entry that holds several things the one that is named."""
    return f"{entry.id}:{fold(name)}" if name != entry.term and _is_umbrella(entry) else entry.id


@lru_cache(maxsize=1 << 12)
def _is_umbrella(entry: Entry) -> bool:
    """Tell whether an entry defines several things under one headword, as "sampling parameters" does.

    Then its definition tells them apart: it speaks of other names that are no variants of the headword.
    """
    own = {lemma(word) for word in _words(entry.term.casefold())}
    told = entry.definition.casefold()
    members = [
        alias
        for alias in map(str.casefold, entry.aliases)
        if re.search(rf"(?<![\w(]){re.escape(alias)}(?!\w)", told) and own.isdisjoint(map(lemma, _words(alias)))
    ]
    return len(members) > 1
