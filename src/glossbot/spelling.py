"""Find the names that a misspelt one may stand for, without comparing it with every name of a large glossary.

A name cut into one piece more than it may have edits keeps at least one piece whole, shifted by no more than that
number of letters (the pigeonhole principle, as in Li, Wang and Yang's Pass-Join, VLDB 2011). So names are looked up by
their pieces, and only those that share one are compared.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

_SHORT, _MIDDLE = 7, 13  # letters up to which one edit, and two, are forgiven


def most_edits(length: int) -> int:
    """Return how many edits are forgiven in a name of so many letters."""
    return 1 if length <= _SHORT else 2 if length <= _MIDDLE else 3


class Spellings:
    """The names of a glossary, folded, by their pieces."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._by_piece: dict[tuple[int, int, str], list[str]] = {}
        self._lengths: set[int] = set()
        for key in keys:
            self._lengths.add(len(key))
            for number, (start, end) in enumerate(_pieces(len(key))):
                self._by_piece.setdefault((len(key), number, key[start:end]), []).append(key)

    def near(self, written: str) -> set[str]:
        """Return all names within the edits that their length forgives, and some that are farther."""
        found = self._sharing_piece(written)
        if len(written) <= _SHORT + 1:  # two letters swapped where the two pieces meet leave neither whole
            for place in range(len(written) - 1):
                swapped = f"{written[:place]}{written[place + 1]}{written[place]}{written[place + 2 :]}"
                found |= self._sharing_piece(swapped)
        return found

    def _sharing_piece(self, written: str) -> set[str]:
        found: set[str] = set()
        for length in range(len(written) - 3, len(written) + 4):
            edits = most_edits(length)
            if length not in self._lengths or abs(length - len(written)) > edits:
                continue
            for number, (start, end) in enumerate(_pieces(length)):
                for shift in _shifts(len(written) - length, edits):
                    if start + shift >= 0:
                        found.update(self._by_piece.get((length, number, written[start + shift : end + shift]), ()))
        return found


@lru_cache
def _pieces(length: int) -> tuple[tuple[int, int], ...]:
    """Return where the pieces of a name of so many letters begin and end."""
    count = most_edits(length) + 1
    ends = [round(length * number / count) for number in range(count + 1)]
    return tuple(pairwise(ends))


def _shifts(longer: int, edits: int) -> Iterator[int]:
    """Yield how far a whole piece may have moved: letters added before it push it on, letters lost pull it back."""
    for shift in range(-edits, edits + 1):
        if abs(shift) + abs(longer - shift) <= edits:
            yield shift
