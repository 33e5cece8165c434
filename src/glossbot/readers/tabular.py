"""Rows of a table that is a file of its own (CSV, a sheet) to drafts: finding its header, and doing without one."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from statistics import median
from typing import NamedTuple

from glossbot.readers import columns, values
from glossbot.readers.columns import Field
from glossbot.readers.document import Document, Draft

_PREAMBLE = 30  # rows in which the header is looked for, below a title and notes
_TEXTS: frozenset[Field | None] = frozenset(("definition", "plain", None))
_HEADER = re.compile(r"[^.!?]*[^.!?,;\s]")
_HEADER_WORDS = 3
_SHOWN_HEADERS, _SHOWN_LETTERS = 12, 40  # of the columns that a message names
_MUCH_LONGER = 2  # times: a definition than the name of its column


class Row(NamedTuple):
    """The cells of a row, and the line (or row of a sheet) where it begins."""

    cells: Sequence[str]
    line: int
    spans: bool = False  # whether one cell spans the whole table: a heading of the rows below


class _Layout(NamedTuple):
    """Which field each column holds, for one language."""

    fields: Mapping[int, Field]
    language: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Table:
    """What the columns of a table are called and hold."""

    headers: list[str]
    layouts: list[_Layout]

    @property
    def ends_in_definition(self) -> bool:
        return self.layouts[0].fields.get(len(self.headers) - 1) == "definition"


def read_rows(
    document: Document, rows: Iterable[Row], *, where: str = "", delimiter: str = "", may_guess: bool = True
) -> Iterator[Draft]:
    """Yield the drafts of a table's rows, one for each language of a row.

    Args:
        document: takes the problems.
        rows: read once, front to back, so that they may be streamed.
        where: what problems begin with (``sheet 'Terms': ``).
        delimiter: what stood between the cells, to join a definition that was not quoted.
        may_guess: whether a table without a known header is read all the same, where it looks like a glossary.
    """
    rows = (row for row in rows if any(cell.strip() for cell in row.cells))
    start = list(islice(rows, _PREAMBLE))
    if not start:
        return
    overrides = document.options.columns
    header = next((index for index, row in enumerate(start) if columns.recognise(row.cells, overrides)), None)
    if header is None:
        table, body = _unknown(document, start, where=where, may_guess=may_guess)
    else:
        table, body = _known(start[header].cells, overrides), start[header + 1 :]
        if any(len(_trimmed(row.cells)) > 1 for row in start[:header]):
            document.notice(start[header].line, f"{where}read as the header; the rows above it were passed over")
    if table is None:
        return
    category: str | None = None
    for row in chain(body, rows):
        cells = _trimmed(row.cells)
        if cells == table.headers:  # repeated, as at the top of every printed page
            continue
        if row.spans or _is_letter(cells, table):
            category = next(filter(None, map(str.strip, cells))) if row.spans else None
            continue
        yield from _drafts(document, row, table, category, where=where, delimiter=delimiter)


def _known(cells: Sequence[str], overrides: Mapping[str, str]) -> _Table:
    headers = _trimmed(cells)
    by_language = columns.by_language(headers)
    if overrides:
        by_language = {None: list(range(len(headers)))}
    layouts = []
    for language, indexes in by_language.items():
        fields = columns.recognise([headers[index] for index in indexes], overrides) or {}
        layouts.append(_Layout({indexes[index]: field for index, field in fields.items()}, language))
    return _Table(headers=headers, layouts=layouts)


def _unknown(document: Document, start: list[Row], *, where: str, may_guess: bool) -> tuple[_Table | None, list[Row]]:
    """Judge a table none of whose rows is a known header: by its first row, which may be a header or data."""
    first = next((index for index, row in enumerate(start) if len(_trimmed(row.cells)) > 1), 0)
    headers, line = _trimmed(start[first].cells), start[first].line
    body = start[first + 1 :]
    if wrong := columns.missing(headers, document.options.columns):
        document.problem(line, f"{where}{wrong}")
        return None, []
    is_header = _is_header(headers, body)
    is_data = not is_header and _defines(start[first:])
    if not may_guess or not (is_data or (is_header and len(headers) == 2)):
        there = ", ".join(repr(header[:_SHOWN_LETTERS]) for header in headers[:_SHOWN_HEADERS] if header)
        advice = "name them with --map term=…,definition=…"
        document.problem(line, f"{where}no column is known to hold a term and one its definition: {there}; {advice}")
        return None, []
    layouts = [_Layout({0: "term", 1: "definition"})]
    if is_header:
        document.notice(line, f"{where}{headers[0]!r} read as the term, {headers[1]!r} as its definition")
        return _Table(headers=headers, layouts=layouts), body
    document.notice(line, f"{where}no header; the first column read as the term, the second as its definition")
    return _Table(headers=[""] * len(headers), layouts=layouts), start[first:]


def _is_header(cells: Sequence[str], body: Sequence[Row]) -> bool:
    """Tell whether the first row of two columns or more names them, though by unknown names."""
    if not all(_HEADER.fullmatch(cell.strip()) and len(cell.split()) <= _HEADER_WORDS for cell in cells):
        return False
    lengths = [len(text) for text in _second(body)]
    return len(cells) > 1 and bool(lengths) and median(lengths) >= _MUCH_LONGER * len(cells[1])


def _defines(rows: Sequence[Row]) -> bool:
    """Tell whether the second column holds texts, and no numbers or single words."""
    texts = _second(rows)
    return bool(texts) and median(len(text.split()) if text.isascii() else len(text) // 2 for text in texts) > 1


def _second(rows: Sequence[Row]) -> list[str]:
    return [row.cells[1].strip() for row in rows if len(row.cells) > 1]


def _drafts(
    document: Document, row: Row, table: _Table, category: str | None, *, where: str, delimiter: str
) -> Iterator[Draft]:
    cells, width = _trimmed(row.cells), len(table.headers)
    if delimiter and (len(cells) > width or len(row.cells) < width):
        count = max(len(cells), min(width, len(row.cells)))
        advice = f"; quote cells that hold {delimiter!r}" if count > width else ""
        has = "1 cell" if count == 1 else f"{count} cells"
        document.problem(row.line, f"{where}row has {has}, the header has {width}{advice}")
        if count > width:
            if not table.ends_in_definition:
                return
            cells[width - 1 :] = [delimiter.join(row.cells[width - 1 : count])]
    for layout in table.layouts:
        others = [other.fields.keys() for other in table.layouts if other is not layout]
        theirs = frozenset().union(*others) - layout.fields.keys()
        shown = [
            "" if index in theirs else values.definition(cell) if layout.fields.get(index) in _TEXTS else cell
            for index, cell in enumerate(cells)
        ]
        draft = columns.draft(
            shown, layout.fields, headers=table.headers, line=row.line, category=category, language=layout.language
        )
        if draft is None:
            continue
        if len(table.layouts) == 1:
            yield draft
        elif draft.term or draft.definition:
            yield replace(draft, key=draft.key or f"{document.label}:{row.line}", language=layout.language)


def _is_letter(cells: Sequence[str], table: _Table) -> bool:
    """Tell a row that holds one letter and nothing else: the heading of the terms that begin with it."""
    filled = [cell for cell in cells if cell.strip()]
    return len(filled) == 1 < len(table.headers) and len(filled[0].strip()) == 1


def _trimmed(cells: Sequence[str]) -> list[str]:
    """Return cells without the empty ones at the end, which spreadsheets like to add."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return [cell.strip() for cell in cells[:end]]
