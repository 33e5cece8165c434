from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.readers import columns
from glossbot.readers.column_names import NAMES
from glossbot.readers.document import Draft


def fields(*headers: str, **overrides: str) -> list[str | None]:
    """The field of each column, in order."""
    found = columns.recognise(headers, overrides)
    assert found is not None
    return [found.get(index) for index in range(len(headers))]


@pytest.mark.parametrize(
    "headers",
    [
        ("Term", "Definition"),
        ("**Name**", "Description"),
        ("glossary-term", "glossary-definition"),
        ("Terme", "Définition"),
        ("Begriff", "Erklärung"),
        ("Termino", "Definicion"),
        ("Термин", "Определение"),
        ("用語", "定義"),
        ("术语", "释义"),
        ("المصطلح", "التعريف"),
        ("용어", "설명"),
        ("Term (English)", "Business definition"),
        ("Word / phrase", "Meaning or explanation"),
        ("key", "value"),
        ("id", "definition"),
        ("post_title", "post_content"),
        ("skos:prefLabel", "skos:definition"),
        ("http://www.w3.org/2004/02/skos/core#prefLabel", "http://www.w3.org/2004/02/skos/core#definition"),
    ],
)
def test_terms_and_definitions_are_recognised_by_many_names(headers: Sequence[str]) -> None:
    assert fields(*headers) == ["term", "definition"]


def test_the_better_name_wins_whatever_the_order() -> None:
    assert fields("Description", "Name", "Term", "Definition") == [None, None, "term", "definition"]
    assert fields("#", "Term ID", "Term", "Definition", "See also") == [
        "number",
        "key",
        "term",
        "definition",
        "related",
    ]


def test_an_abbreviation_and_what_it_stands_for() -> None:
    assert fields("Acronym", "Full name", "Description") == ["abbreviation", "expansion", "definition"]
    assert fields("Acronym", "Meaning", "Description") == ["abbreviation", "expansion", "definition"]
    assert fields("Acronym", "Meaning") == ["abbreviation", "definition"]
    assert fields("Acronym", "Term") == ["abbreviation", "expansion"]


@pytest.mark.parametrize("headers", [(), ("Option", "Default"), ("Term",), ("Definition",), ("x" * 100, "Definition")])
def test_other_tables_are_none(headers: Sequence[str]) -> None:
    assert columns.recognise(headers, {}) is None


def test_the_owners_mapping_wins_and_what_it_lacks_is_named() -> None:
    assert fields("Term", "Was", "Definition", term="was") == [None, "term", "definition"]
    assert columns.recognise(("Term", "Definition"), {"term": "Nome"}) is None
    assert columns.missing(("Term", "Definition"), {"term": "Nome"}) == (
        "no column 'Nome' for the term; there are: 'Term', 'Definition'"
    )
    assert "no field 'trem'" in (columns.missing(("Term",), {"trem": "Term"}) or "")
    assert columns.missing(("Term",), {"term": "term"}) is None


def test_columns_of_several_languages() -> None:
    headers = ("ID", "Term (EN)", "Definition (EN)", "Term (DE)", "Definition (DE)")
    assert columns.by_language(headers) == {"en": [0, 1, 2], "de": [0, 3, 4]}
    assert columns.by_language(("Term (EN)", "Definition (EN)", "Note")) == {None: [0, 1, 2]}


def draft(row: Mapping[str, str], *, category: str | None = None) -> Draft:
    found = columns.recognise(list(row), {})
    assert found is not None
    made = columns.draft(list(row.values()), found, headers=list(row), line=3, category=category)
    assert made is not None
    return made


def test_a_row_becomes_a_draft() -> None:
    made = draft(
        {
            "Term": "interface",
            "Acronym": "IF",
            "Definition": "A border.",
            "Synonyms": "port, plug (in, out)",
            "See also": "—",
            "Example": "A socket",
            "Empty": "n/a",
            "Source": "Handbook",
        },
        category="Basics",
    )
    assert (made.term, made.aliases, made.category) == ("interface", ("IF", "port", "plug (in, out)"), "Basics")
    assert made.definition == "A border.\n\nExample: A socket"
    assert (made.related, made.attribution, made.line) == ([], "Handbook", 3)


def test_names_to_avoid_are_names_and_said_to_be_avoided() -> None:
    made = draft({"Term": "Task", "Definition": "A thing to do.", "Synonyms to AVOID": "to-do, chore"})
    assert made.aliases == ("to-do", "chore")
    assert made.definition == "A thing to do.\n\nSynonyms to AVOID: to-do, chore"


def test_full_name_and_abbreviation_change_roles_where_one_is_missing() -> None:
    row = {"Acronym": "API", "Full name": "Application Programming Interface", "Description": "A border."}
    assert (draft(row).term, draft(row).aliases) == ("Application Programming Interface", ("API",))
    row["Description"] = ""
    assert (draft(row).term, draft(row).definition) == ("API", "Application Programming Interface")
    row |= {"Full name": "-", "Description": "A border."}
    assert (draft(row).term, draft(row).definition, draft(row).aliases) == ("API", "A border.", ())


def test_an_empty_definition_stays_empty_and_a_blank_row_is_nothing() -> None:
    assert draft({"Term": "n/a", "Definition": "—", "Note": "later"}).definition == ""
    assert draft({"Term": "n/a", "Definition": "not applicable"}).term == "n/a"
    assert columns.draft(["", " "], {0: "term", 1: "definition"}, headers=["Term", "Definition"], line=1) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a, b and c", ["a", "b and c"]),
        ("a; b, c", ["a", "b, c"]),
        ("- a\n- b; c", ["a", "b; c"]),
        ("TCP/IP / internet", ["TCP/IP", "internet"]),
        ("\"a\", 'b', and “c”", ["a", "b", "c"]),
        ("甲、乙", ["甲", "乙"]),
        ("a | a | n/a", ["a"]),
        ("—", []),
    ],
)
def test_lists_of_names_are_split_at_their_strongest_separator(text: str, names: list[str]) -> None:
    assert columns.names(text) == names


@given(
    st.lists(st.sampled_from([name for names in NAMES.values() for name in names]) | st.text(max_size=12), max_size=9)
)
def test_every_field_that_is_found_is_a_column(headers: list[str]) -> None:
    found = columns.recognise(headers, {}) or {}
    assert all(0 <= index < len(headers) for index in found)
    for indexes in columns.by_language(headers).values():
        assert all(0 <= index < len(headers) for index in indexes)


@given(st.text(st.sampled_from("ab,;|/ \n()<br>-•\"'、"), max_size=60))
def test_names_are_never_empty(text: str) -> None:
    assert all(name and name == name.strip() for name in columns.names(text))
