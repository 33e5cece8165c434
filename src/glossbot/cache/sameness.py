"""Do two questions ask the same? Judged by their words; whatever is not known to be harmless is a difference."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from rapidfuzz.distance import OSA

from glossbot.cache.asking import NAME, Asked
from glossbot.cache.frames import Kind
from glossbot.cache.synonymy import lemma

_SYMMETRIC = (Kind.COMPARE, Kind.COMMON, Kind.SAME, Kind.RELATE, Kind.CHOOSE)
_CHOOSING = lemma("choose")
# Letters before a word that make another word of it.
_PREFIXES = (
    "un in im ir non dis de re pre post over under out anti multi bi tri semi mono co counter hyper hypo macro micro "
    "mega sub super inter intra up down mis"
).split()


class Lexicon:
    """The words that are known to be words, so that an unknown one beside them may be a slip of the keyboard.

    They are an embedder's vocabulary, where it has one of whole words; without it nothing is taken for a slip.
    """

    def __init__(self, vocabulary: Path) -> None:
        self._vocabulary = vocabulary

    @classmethod
    def of(cls, embedder: Path) -> Self:
        """Return the words that an embedder's folder lists."""
        return cls(embedder / "vocab.txt")

    @cached_property
    def _words(self) -> frozenset[str]:
        try:
            words = self._vocabulary.read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            return frozenset()
        return frozenset(words).union(map(lemma, words))

    def is_slip(self, one: str, other: str) -> bool:
        """Tell whether one of two words can only be the other one, misspelt."""
        if one[:1] != other[:1] or not (one.isalpha() and other.isalpha()):
            return False
        if (one in self._words) == (other in self._words):
            return False
        shorter = min(len(one), len(other))
        if shorter < 4 or OSA.distance(one, other) > (1 if shorter < 8 else 2):
            return False
        return not any(one == prefix + other or other == prefix + one for prefix in _PREFIXES)


def same(one: Asked, other: Asked, lexicon: Lexicon) -> bool:
    """Tell whether two questions ask the same.

    They have to be of one kind and say the same words, but for slips; in the same order, unless that cannot matter.
    """
    if one.kind is not other.kind:
        return False
    words = _spelt_alike(one.words, other.words, lexicon)
    if words is None:
        return False
    if words == other.words or _is_rotation(words, other.words):
        return True
    return bool(one.names) and _order_is_alike(one.kind, words, other.words)


def _spelt_alike(words: Sequence[str], others: Sequence[str], lexicon: Lexicon) -> tuple[str, ...] | None:
    """Return the first words spelt as the second ones, or None where they are not the same."""
    lacking, beyond = Counter(others) - Counter(words), Counter(words) - Counter(others)
    spelt: dict[str, str] = {}
    for word in beyond.elements():
        slips = [other for other in lacking.elements() if lexicon.is_slip(word, other)]
        if len(set(slips)) != 1:
            return None
        spelt[word] = slips[0]
        lacking.subtract(slips[:1])
    if any(lacking.values()):
        return None
    return tuple(spelt.get(word, word) for word in words)


def _order_is_alike(kind: Kind, words: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether the same words stand in another order that says the same.

    Names keep their order, unless they are set side by side. Nothing may have changed places around a word: "does cost
    affect quality", "does quality affect cost".
    """
    if kind in _SYMMETRIC or _CHOOSING in words:
        words, others = ([word for word in said if not word.startswith(NAME)] for said in (words, others))
    names, other_names = ([word for word in said if word.startswith(NAME)] for said in (words, others))
    if names != other_names:
        return False
    for pivot in set(words):
        before, before_others = set(words[: words.index(pivot)]), set(others[: others.index(pivot)])
        if before - before_others and before_others - before:
            return False
    return True


def _is_rotation(words: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether a part was only moved to the front: "for my order, where is the receipt"."""
    return any(words[place:] + words[:place] == others for place in range(1, len(words)))
