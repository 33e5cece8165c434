import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import spreadsheet
from glossbot.readers.document import Document, Draft

SHEET = "xl/worksheets/sheet1.xml"
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def saved(book: openpyxl.Workbook) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def workbook(**sheets: Sequence[Sequence[object]]) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    return book


def read(data: bytes) -> tuple[list[Draft], list[str]]:
    document = Document(path=Path("g.xlsx"), label="g.xlsx", data=data)
    drafts = list(spreadsheet.read(document))
    return drafts, [str(problem) for problem in (*document.problems, *document.notices)]


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The workbook with one of its parts replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, content if part == name else old.read(part))
    return file.getvalue()


GOOD = saved(workbook(Terms=[["Term", "Definition"], ["API", "A border"]]))


def test_every_sheet_with_terms_is_read_and_the_others_are_named() -> None:
    drafts, problems = read(
        saved(
            workbook(
                Terms=[["Our terms"], [], ["Term", "Definition"], ["API", "A border"], [], ["CPU", "The\nchip"]],
                Empty=[],
                Log=[["Version", "Changes"], ["1", "All is new in this one"]],
                Acronyms=[["Acronym", "Full name"], ["RAM", "Random-access memory"]],
            )
        )
    )
    assert [(draft.term, draft.definition, draft.line) for draft in drafts] == [
        ("API", "A border", 4),
        ("CPU", "The\nchip", 6),
        ("RAM", "Random-access memory", 2),
    ]
    assert problems == [
        "g.xlsx:1: sheet 'Log': no column is known to hold a term and one its definition: 'Version', 'Changes'; "
        "name them with --map term=…,definition=…"
    ]


def test_cells_are_read_as_they_are_shown() -> None:
    book = workbook(
        Terms=[
            ["Term", "Definition", "A", "B", "C", "D", "E"],
            [404, "x", 0.25, 3.0, datetime(2024, 1, 31), True, 1234.5],
        ]
    )
    sheet = book.worksheets[0]
    sheet["C2"].number_format = "0%"
    sheet["G2"].number_format = "#,##0.00"
    drafts, _ = read(saved(book))
    assert drafts[0].term == "404"
    assert drafts[0].definition.split("\n\n") == ["x", "A: 25%", "B: 3", "C: 2024-01-31", "D: TRUE", "E: 1,234.50"]


def test_merged_cells_hold_for_all_their_rows_and_headings_for_those_below() -> None:
    book = workbook(
        Terms=[
            ["Topic", "Term", "Definition"],
            ["Nets", "DNS", "Names"],
            [None, "HTTP", "Pages"],
            ["Chips", None, None],
            [None, "CPU", "Counts"],
        ]
    )
    book.worksheets[0].merge_cells("A2:A3")
    book.worksheets[0].merge_cells("A4:C4")
    drafts, problems = read(saved(book))
    assert [(draft.term, draft.category) for draft in drafts] == [("DNS", "Nets"), ("HTTP", "Nets"), ("CPU", "Chips")]
    assert problems == []


def test_the_value_that_a_formula_had_is_read() -> None:
    xml = (
        f'<worksheet xmlns="{NAMESPACE}"><sheetData>'
        '<row r="1"><c r="A1" t="str"><v>Term</v></c><c r="B1" t="str"><v>Definition</v></c></row>'
        '<row r="9"><c r="A9" t="str"><f>"A"&amp;"PI"</f><v>API</v></c><c r="B9" t="str"><v>x</v></c></row>'
        '<row r="1048576"><c r="A1048576" t="str"><v>last</v></c><c r="B1048576" t="str"><v>y</v></c></row>'
        "</sheetData></worksheet>"
    )
    drafts, _ = read(with_part(GOOD, SHEET, xml.encode()))
    assert [(draft.term, draft.line) for draft in drafts] == [("API", 9), ("last", 1_048_576)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no Excel workbook"),
        (GOOD[: len(GOOD) // 2], "no Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an encrypted workbook, or one of Excel before 2007"),
        (with_part(GOOD, "xl/workbook.xml", b"<workbook"), "a damaged workbook"),
        (with_part(GOOD, "xl/workbook.xml", b"<a>" * 50_000), "a damaged workbook"),
        (with_part(GOOD, SHEET, b" " * (40 << 20)), f"{SHEET} is packed more tightly than any workbook"),
        (with_part(GOOD, SHEET, b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "a damaged workbook"),
    ],
)
def test_what_is_no_sound_workbook_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(GlossaryError, match=rf"^g\.xlsx: {message}"):
        read(data)


def test_a_sheet_that_breaks_off_is_read_so_far() -> None:
    rows = "".join(
        f'<row><c t="str"><v>{term}</v></c><c t="str"><v>{definition}</v></c></row>'
        for term, definition in (("Term", "Definition"), ("API", "x"))
    )
    xml = f'<worksheet xmlns="{NAMESPACE}"><sheetData>{rows}<row><c t="s"><v>99</v></c></row>'
    drafts, problems = read(with_part(GOOD, SHEET, xml.encode() + b"</sheetData></worksheet>"))
    assert [draft.term for draft in drafts] == ["API"]
    assert problems == ["g.xlsx:3: sheet 'Terms': damaged from here on (list index out of range)"]


@given(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=8))
def test_a_damaged_workbook_is_read_or_refused(position: int, damage: bytes) -> None:
    try:
        read(GOOD[:position] + damage + GOOD[position + len(damage) :])
    except GlossaryError as error:
        assert str(error).startswith("g.xlsx")  # noqa: PT017
