"""AsciiDoc's tables: cells one after the other, in rows of as many as the table has columns."""

import re
from collections.abc import Sequence

from glossbot.readers.asciidoc_source import Line

_CELL = re.compile(r"(?:(?<!\S)(?:\d+[*+]|\.\d+\+|\d+\.\d+\+)?[<^>]?[aehlmsv]?)?(?<!\\)\|")
_REPEATED = re.compile(r"(\d+)\*")


def column_count(specification: str) -> int:
    """Return how many columns ``cols="1,2"``, ``cols="3*"`` or ``cols="2*,1"`` describes."""
    repeated = (_REPEATED.match(part.strip()) for part in re.split("[,;]", specification))
    return sum(min(int(count[1][:3]), 99) if count else 1 for count in repeated)


def rows(lines: Sequence[Line], *, separator: str, columns: int | None) -> list[list[Line]]:
    """Return the cells of a table in rows.

    Args:
        lines: those between its delimiters.
        separator: what its delimiter begins with; ``,`` and ``:`` tell of one row on each line.
        columns: how many there are, where that is stated; else as many as stand on the first line.
    """
    if separator in ",:":
        return [
            [line._replace(text=cell.strip(' "')) for cell in line.text.split(separator)] for line in lines if line.text
        ]
    cells: list[Line] = []
    for line in lines:
        first, *others = _CELL.split(line.text.replace("!", "|") if separator == "!" else line.text)
        if cells and first.strip():
            cells[-1] = cells[-1]._replace(text=f"{cells[-1].text} {first.strip()}")
        cells += (line._replace(text=other.strip().replace(r"\|", "|")) for other in others)
        if columns is None and cells:
            columns = len(cells)
    width = columns or 1
    return [cells[start : start + width] for start in range(0, len(cells), width)]
