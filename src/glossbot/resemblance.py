"""Texts that are almost the same, found among many without comparing every text with every other.

Texts are compared as sets of word pairs; the resemblance of two is the share of their pairs that both have (A. Broder,
*On the resemblance and containment of documents*, 1997). Two sets that are alike enough share one of their rarest
members, so only texts that do are compared (R. Bayardo, Y. Ma, R. Srikant, *Scaling up all pairs similarity search*,
2007).
"""

import math
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

ALIKE = 0.85  # of their word pairs: at some twenty-five words, one differs
# Bounds that keep the time linear where thousands of texts come from one template.
_REMEMBERED = 50  # texts for one word pair, the latest
_COMPARED = 20  # texts with one text, those that share the most rare word pairs
# A word, or one character of a script that puts no spaces between words.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")

_Pair = tuple[str, str]


class Resemblance(NamedTuple):
    """Two texts that are alike, by their places in the sequence."""

    text: int
    earlier: int
    share: float


def alike(texts: Sequence[str]) -> Iterator[Resemblance]:
    """Yield each text that is almost the same as an earlier one, with the earlier one that it is most like.

    Case and punctuation do not count. A text of a few words is only found where another one has the same words.
    """
    sets = [_word_pairs(text) for text in texts]
    frequency = Counter(pair for pairs in sets for pair in pairs)
    same: dict[frozenset[_Pair], int] = {}
    having: defaultdict[_Pair, deque[int]] = defaultdict(lambda: deque(maxlen=_REMEMBERED))
    for number, pairs in enumerate(sets):
        if not pairs:
            continue
        if (earlier := same.setdefault(pairs, number)) != number:
            yield Resemblance(number, earlier, 1.0)
            continue
        needed = math.ceil(ALIKE * len(pairs))
        rarest = sorted(pairs, key=lambda pair: (frequency[pair], pair))[: len(pairs) - needed + 1]
        shared = Counter(other for pair in rarest for other in having[pair])
        best = max(
            ((_resemblance(pairs, sets[other]), -other) for other, _ in shared.most_common(_COMPARED)),
            default=(0.0, 0),
        )
        if best[0] >= ALIKE:
            yield Resemblance(number, -best[1], best[0])
        for pair in rarest:
            having[pair].append(number)


def _word_pairs(text: str) -> frozenset[_Pair]:
    words = _WORD.findall(text.casefold())
    return frozenset(pairwise(("", *words, ""))) if words else frozenset()


def _resemblance(left: frozenset[_Pair], right: frozenset[_Pair]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)
