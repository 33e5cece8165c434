"""Excel workbooks: every sheet that has a column of terms."""

import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from io import BytesIO
from itertools import chain, count
from typing import Any, NamedTuple

from openpyxl.cell.read_only import EMPTY_CELL
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import range_boundaries

from glossbot.readers.document import Document, Draft
from glossbot.readers.tabular import Row, read_rows

_OLE = b"\xd0\xcf\x11\xe0"  # begins encrypted workbooks, and those of Excel before 2007
_LARGEST_UNPACKED = 1 << 30  # bytes of all parts together
_SUSPECT = 16 << 20  # bytes of a part, from which on it must not be packed too tightly
_TIGHTEST = 300  # times: real sheets pack a tenth as well
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 128
_LARGEST_WITH_MERGES = 64 << 20  # bytes of a sheet
_MERGE = re.compile(rb"<(?:\w+:)?mergeCell\b[^<>]*\bref=\"([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})\"")
_FIXED = re.compile(r"(?P<thousands>#,##)?0(?:\.(?P<decimals>0+))?(?P<percent>%)?")
_ESCAPE = re.compile(r"_x000[dD]_")


class _Merge(NamedTuple):
    """Cells that were made one; the first of them holds what all of them show."""

    left: int
    top: int
    right: int
    bottom: int


def read(document: Document) -> Iterator[Draft]:
    """Read one workbook."""
    _check(document)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of styles and extensions that it leaves out
        try:
            reader = ExcelReader(BytesIO(document.data), read_only=True, data_only=True, keep_links=False)
            reader.read()
            parts = {sheet.name: rel.target for sheet, rel in reader.parser.find_sheets()}
        except Exception as error:  # a damaged workbook makes openpyxl raise almost anything
            raise document.error(None, f"a damaged workbook ({_said(error)}); save it again as .xlsx") from error
        sheets = []
        for sheet in reader.wb.worksheets:
            rows = _rows(document, sheet, _merges(reader.archive, parts[sheet.title]))
            if first := next(rows, None):
                sheets.append((sheet.title, chain([first], rows)))
        for title, rows in sheets:
            yield from read_rows(document, rows, where=f"sheet {title!r}: ", may_guess=len(sheets) == 1)


def _check(document: Document) -> None:
    """Refuse what is no workbook, and what would unpack to far more than it seems.

    Raises:
        GlossaryError: the file is one of these.
    """
    if document.data.startswith(_OLE):
        raise document.error(
            None, "an encrypted workbook, or one of Excel before 2007; save it as .xlsx without a password"
        )
    try:
        with zipfile.ZipFile(BytesIO(document.data)) as archive:
            parts = archive.infolist()  # zipfile unpacks no part beyond the size that is stated here
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise document.error(None, f"no Excel workbook ({_said(error)}); save it as .xlsx") from error
    if any(part.flag_bits & 1 for part in parts):
        raise document.error(None, "an encrypted archive; save it as .xlsx without a password")
    unpacked = sum(part.file_size for part in parts)
    if unpacked > _LARGEST_UNPACKED:
        raise document.error(None, f"unpacks to {unpacked >> 20} MB; split the workbook")
    for part in parts:
        if part.file_size > max(_SUSPECT, _TIGHTEST * part.compress_size):
            raise document.error(
                None, f"{part.filename} is packed more tightly than any workbook; save the workbook again"
            )


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:100] or type(error).__name__


def _rows(document: Document, sheet: Any, merges: Iterable[_Merge]) -> Iterator[Row]:
    """Yield the rows of a sheet that hold something, merged cells filled."""
    starting: dict[int, list[_Merge]] = {}
    for merge in merges:
        starting.setdefault(merge.top, []).append(merge)
    filling: dict[int, tuple[_Merge, str]] = {}  # by column
    sheet.reset_dimensions()  # what a file states of its size is often wrong
    rows = sheet.iter_rows(max_row=_MOST_ROWS, max_col=_MOST_COLUMNS)
    blank = None
    for number in count(1):
        try:
            row = next(rows)
            if row is blank:  # the one that openpyxl yields for each row that the file leaves out
                continue
            cells = _cells(row)
        except StopIteration:
            return
        except Exception as error:  # as above
            document.problem(number, f"sheet {sheet.title!r}: damaged from here on ({_said(error)})")
            return
        filled = sum(map(bool, cells))
        if not filled:
            blank = row
            continue
        spans = False
        for merge in starting.get(number, ()):
            value = cells[merge.left - 1] if merge.left <= len(cells) else ""
            spans = spans or (filled == 1 and bool(value) and merge.right > merge.left)
            if merge.bottom > merge.top and merge.right == merge.left and value:
                filling[merge.left - 1] = (merge, value)
        for column, (merge, value) in list(filling.items()):
            if number > merge.bottom:
                del filling[column]
            else:
                cells += [""] * (column + 1 - len(cells))
                cells[column] = value
        yield Row(cells, number, spans)


def _cells(row: Sequence[Any]) -> list[str]:
    """Return what the cells of a row show, without those at its end that the file leaves out."""
    end = len(row)
    while end and row[end - 1] is EMPTY_CELL:
        end -= 1
    return [_shown(cell) for cell in row[:end]]


def _merges(archive: zipfile.ZipFile, part: str) -> Iterator[_Merge]:
    """Yield the merged cells of a sheet, which openpyxl does not tell where it streams."""
    if archive.getinfo(part).file_size > _LARGEST_WITH_MERGES:
        return
    try:
        xml = archive.read(part)
    except Exception:  # reading the rows says what is wrong
        return
    for found in _MERGE.finditer(xml):
        merge = _Merge(*range_boundaries(found[1].decode()))
        if merge.right <= _MOST_COLUMNS:
            yield merge


def _shown(cell: Any) -> str:
    """Return what a cell shows, as far as its format is a plain one."""
    value = cell.value
    match value:
        case None:
            return ""
        case str():
            return "" if cell.data_type == "e" else _ESCAPE.sub("", value).strip()
        case bool():
            return str(value).upper()
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
        case date() | time():
            return value.isoformat()
        case int() | float():
            return _number(value, cell.number_format or "General")
    return str(value)


def _number(value: float, number_format: str) -> str:
    if re.fullmatch("0{2,20}", number_format) and value == int(value):
        return str(int(value)).zfill(len(number_format))
    if fixed := _FIXED.fullmatch(number_format):
        shown = value * 100 if fixed["percent"] else value
        separator = "," if fixed["thousands"] else ""
        return f"{shown:{separator}.{len(fixed['decimals'] or '')}f}{fixed['percent'] or ''}"
    return f"{value:.15g}"
