from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import delimited
from glossbot.readers.document import Document, Draft, ReadOptions


def document(text: str, *, name: str = "terms.csv", **columns: str) -> Document:
    return Document(path=Path(name), label=name, data=text.encode(), options=ReadOptions(columns=columns))


def read(text: str, *, name: str = "terms.csv", **columns: str) -> tuple[list[Draft], Document]:
    source = document(text, name=name, **columns)
    return list(delimited.read(source)), source


def said(source: Document) -> list[str]:
    return [str(problem) for problem in (*source.problems, *source.notices)]


def test_lines_are_those_where_rows_begin() -> None:
    drafts, source = read('Term,Definition\r\n"API","two\r\nlines, ""quoted"""\r\n\r\nCPU,"chip"\r\n')
    assert [(draft.term, draft.definition, draft.line) for draft in drafts] == [
        ("API", 'two\r\nlines, "quoted"', 2),
        ("CPU", "chip", 5),
    ]
    assert said(source) == []


@pytest.mark.parametrize(
    ("text", "name", "notices"),
    [
        (
            "Term;Definition\nAPI;a, b, c\n",
            "t.csv",
            ["t.csv:1: cells are separated by semicolons, as it seems, not by commas"],
        ),
        ("Term\tDefinition\nAPI\ta, b, c\n", "t.tsv", []),
        ("Term|Definition\nAPI|a, b, c\n", "t.psv", []),
        ("Term|Definition\nAPI|a, b, c\n", "t.txt", []),
        ("sep=;\nTerm;Definition\nAPI;a, b, c\n", "t.csv", []),
    ],
)
def test_delimiters_are_told_from_the_rows(text: str, name: str, notices: list[str]) -> None:
    drafts, source = read(text, name=name)
    assert [(draft.term, draft.definition) for draft in drafts] == [("API", "a, b, c")]
    assert said(source) == notices


def test_ragged_rows_are_problems_and_lose_nothing() -> None:
    drafts, source = read("Term,Definition\nAPI,one, two\nCPU\nRAM,store,,\n")
    assert [(draft.term, draft.definition) for draft in drafts] == [("API", "one, two"), ("CPU", ""), ("RAM", "store")]
    assert said(source) == [
        "terms.csv:2: row has 3 cells, the header has 2; quote cells that hold ','",
        "terms.csv:3: row has 1 cell, the header has 2",
    ]


def test_a_row_that_is_too_long_before_its_last_column_is_left_out() -> None:
    drafts, source = read("Term,Definition,Note\nAPI,one,two,three,four\nCPU,chip,x\n")
    assert [draft.term for draft in drafts] == ["CPU"]
    assert said(source)[0].startswith("terms.csv:2: row has 5 cells, the header has 3")


def test_a_quote_that_is_never_closed_costs_its_own_line() -> None:
    drafts, source = read('Term,Definition\nAPI,"open\nCPU,chip\nRAM,"a ""store"""\nGPU,"more\n')
    assert [(draft.term, draft.definition) for draft in drafts] == [
        ("API", "open"),
        ("CPU", "chip"),
        ("RAM", 'a "store"'),
        ("GPU", "more"),
    ]
    assert [problem.line for problem in source.problems] == [2, 5]


def test_quotes_that_are_not_doubled_stay() -> None:
    drafts, source = read('Term,Definition\nAPI,"a "border" of"\n')
    assert drafts[0].definition == 'a border" of"'
    assert said(source) == []


def test_a_file_without_a_header_is_read_and_said() -> None:
    drafts, source = read("API,Application Programming Interface\nCPU,Central Processing Unit\n")
    assert [draft.line for draft in drafts] == [1, 2]
    assert said(source) == ["terms.csv:1: no header; the first column read as the term, the second as its definition"]


def test_two_columns_with_unknown_names_are_read_and_said() -> None:
    drafts, source = read("Ding,Was es tut\nAPI,Verbindet das eine Programm mit dem anderen\n")
    assert [(draft.term, draft.line) for draft in drafts] == [("API", 2)]
    assert said(source) == ["terms.csv:1: 'Ding' read as the term, 'Was es tut' as its definition"]


def test_more_columns_with_unknown_names_are_a_problem_that_names_them() -> None:
    drafts, source = read("Ding,Zahl,Farbe\nAPI,1,rot\n")
    assert drafts == []
    assert "'Ding', 'Zahl', 'Farbe'; name them with --map" in said(source)[0]


def test_the_owners_columns_are_used_and_missed() -> None:
    drafts, _ = read("Ding,Zahl,Was\nAPI,1,A border\n", term="Ding", definition="was")
    assert (drafts[0].term, drafts[0].definition) == ("API", "A border\n\nZahl: 1")
    drafts, source = read("Term,Definition\nAPI,x\n", term="Name")
    assert said(source) == ["terms.csv:1: no column 'Name' for the term; there are: 'Term', 'Definition'"]


def test_titles_letters_and_repeated_headers_are_no_entries() -> None:
    drafts, source = read("Our terms\nVersion,2\nTerm,Definition\nA,\nAPI,border\nTerm,Definition\nCPU,chip\n")
    assert [draft.term for draft in drafts] == ["API", "CPU"]
    assert said(source) == ["terms.csv:3: read as the header; the rows above it were passed over"]


def test_each_language_of_a_row_is_a_draft_of_one_concept() -> None:
    drafts, _ = read(
        "Term (EN),Definition (EN),Term (DE),Definition (DE),Topic\ndog,animal,Hund,Tier,Pets\ncat,beast,,,\n"
    )
    assert [(draft.term, draft.language, draft.category, draft.key) for draft in drafts] == [
        ("dog", "en", "Pets", "terms.csv:2"),
        ("Hund", "de", "Pets", "terms.csv:2"),
        ("cat", "en", None, "terms.csv:3"),
    ]


def test_html_in_cells_becomes_markdown() -> None:
    drafts, _ = read('Term,Definition\nAPI,"<p>A <b>border</b></p><ul><li>one</li></ul>"\n')
    assert drafts[0].definition == "A **border**\n\n- one"


def test_large_cells_and_a_zero_byte_are_read() -> None:
    drafts, _ = read(f"Term,Definition\nAPI,{'x' * 200_000}\nCPU,a\0b\n")
    assert [len(draft.definition) for draft in drafts] == [200_000, 3]


def test_thousands_of_broken_quotes_are_read() -> None:
    drafts, source = read("Term,Definition\n" + 'x",",\n' * 3000)
    assert len(source.problems) <= 102
    assert drafts == [] or drafts[-1].line <= 3001


@given(st.text(st.sampled_from("ab\",;|\t\n\r '\0<é"), max_size=80), st.booleans())
def test_any_text_is_read_or_refused(text: str, has_header: bool) -> None:
    source = document(("Term,Definition\n" if has_header else "") + text)
    lines = len(source.data.splitlines()) + 1
    try:
        drafts = list(delimited.read(source))
    except GlossaryError:
        return
    assert all(1 <= draft.line <= lines for draft in drafts)


@given(
    st.lists(
        st.tuples(
            *[st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=2).map(lambda text: f"x{text}x")] * 2
        ),
        min_size=1,
    )
)
def test_what_csv_writes_is_read(rows: list[tuple[str, str]]) -> None:
    quoted = ["{},{}".format(*('"' + cell.replace('"', '""') + '"' for cell in row)) for row in rows]
    drafts, _ = read("\n".join(["Term,Definition", *quoted]))
    # HTML and macros are translated; all else stays as it is.
    plain = [row for row in rows if not any(mark in "".join(row) for mark in ("<", "{", "["))]
    read_back = {(draft.term, draft.definition) for draft in drafts}
    assert {(term.strip(), definition.strip()) for term, definition in plain} <= read_back
