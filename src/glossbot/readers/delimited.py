"""CSV, TSV and their kin: tables whose cells stand between commas, semicolons, tabs or bars."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from itertools import islice

from glossbot.readers import columns
from glossbot.readers.document import Document, Draft
from glossbot.readers.source import LARGEST
from glossbot.readers.tabular import Row, read_rows

_BY_SUFFIX = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".psv": "|"}
_CALLED = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SAMPLE_ROWS = 200
_BROKEN_QUOTES = 100  # rows; with more of them, quotes are no quotes in this file


def read(document: Document) -> Iterator[Draft]:
    """Read one file."""
    lines = list(StringIO(document.text, newline=""))
    start = 0
    usual = _BY_SUFFIX.get(document.path.suffix.lower())
    delimiter = _stated(lines)
    if delimiter:
        start = 1
    else:
        delimiter = _delimiter(document, lines, usual=usual)
        if delimiter != (usual or delimiter):
            document.notice(
                1, f"cells are separated by {_CALLED[delimiter]}, as it seems, not by {_CALLED[usual or '']}"
            )
    with _cells_of_any_size():
        yield from read_rows(document, _rows(document, lines, delimiter, start=start), delimiter=delimiter)


def _stated(lines: Sequence[str]) -> str | None:
    """Return the delimiter that a first line ``sep=;`` states, as Excel writes and reads it."""
    first = lines[0].strip("\r\n").lower() if lines else ""
    return first[4] if len(first) == 5 and first.startswith("sep=") else None


def _delimiter(document: Document, lines: Sequence[str], *, usual: str | None) -> str:
    """Return what separates the cells: what makes a header of known columns, else the most even rows."""

    def fits(delimiter: str) -> tuple[bool, float, bool]:
        with _cells_of_any_size():
            rows = [row for row in islice(csv.reader(lines, delimiter=delimiter), _SAMPLE_ROWS) if any(row)]
        is_known = any(columns.recognise(row, document.options.columns) for row in rows[:30])
        widths = Counter(len(row) for row in rows)
        width, count = widths.most_common(1)[0] if widths else (0, 0)
        return is_known, count / len(rows) if width > 1 else 0.0, delimiter == usual

    return max(_CALLED, key=fits)


def _rows(document: Document, lines: Sequence[str], delimiter: str, *, start: int) -> Iterator[Row]:
    """Yield rows with the line where each begins; a quote that is never closed costs its own line only."""
    broken = 0
    while start < len(lines):
        reader = csv.reader(
            (lines[index] for index in range(start, len(lines))),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if broken < _BROKEN_QUOTES else csv.QUOTE_NONE,
            strict=True,
        )
        begin = 0
        try:
            for cells in reader:
                yield Row(cells, start + begin + 1)
                begin = reader.line_num
            return
        except csv.Error:
            start += begin
            is_one_line = reader.line_num == begin + 1 and not _is_open(lines[start], delimiter)
        if is_one_line:  # quotes within quotes that are not doubled: read as they stand
            yield Row(next(csv.reader([lines[start]], delimiter=delimiter)), start + 1)
        else:
            broken += 1
            document.problem(start + 1, "a quotation mark opens a cell and is never closed; the line is read without")
            if broken == _BROKEN_QUOTES:
                document.problem(start + 1, "too many of these; quotation marks are read as text from here on")
            line = lines[start].rstrip("\r\n")
            yield Row([cell.removeprefix('"') for cell in line.split(delimiter)], start + 1)
        start += 1


def _is_open(line: str, delimiter: str) -> bool:
    """Tell whether a line ends within quotes."""
    try:
        list(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    """Lift the csv module's limit on the size of a cell, which is meant for sources larger than `LARGEST`."""
    before = csv.field_size_limit(LARGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
