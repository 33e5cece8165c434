"""What JSON, YAML and TOML share: where the records lie, and what their keys mean. The trees are written in JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import json_
from glossbot.readers.document import Document, Draft


def read(value: object, **columns: str) -> tuple[list[Draft], Document]:
    document = Document.of(json.dumps(value), label="g.json", columns=columns)
    return list(json_.read(document)), document


def entries(value: object) -> list[tuple[str, str]]:
    drafts, document = read(value)
    assert document.problems == []
    return [(draft.term, draft.definition) for draft in drafts]


API = {"term": "API", "definition": "A border"}
CPU = {"term": "CPU", "definition": "A chip"}
BOTH = [("API", "A border"), ("CPU", "A chip")]


@pytest.mark.parametrize(
    "value",
    [
        [API, CPU],
        {"glossary": {"terms": [API, CPU]}},
        {"data": [API, CPU], "meta": {"total": 2, "page": "the first"}},
        {"API": "A border", "CPU": "A chip"},
        {"version": 3, "terms": {"API": "A border", "CPU": "A chip"}},
        {"API": {"definition": "A border"}, "CPU": {"definition": "A chip"}},
        {"a": {"title": "API", "body": "<dd><p>A border</p></dd>"}, "b": {"title": "CPU", "body": "<p>A chip</p>"}},
        {"Net": {"API": "A border"}, "Chips": {"CPU": "A chip"}},
        {"A": [API], "C": [CPU]},
        [{"API": "A border"}, {"CPU": "A chip"}],
        [["Term", "Definition"], ["API", "A border"], ["CPU", "A chip"]],
        [{"name": "Net", "description": "About nets", "terms": [{"name": "API", "description": "A border"}]}, CPU],
        {"settings": {"theme": "dark", "n": 1}, "deep": {"er": [API, CPU]}},
        {
            "@context": "https://schema.org",
            "@type": "DefinedTermSet",
            "name": "Our terms",
            "description": "All of them",
            "hasDefinedTerm": [
                {"@type": "DefinedTerm", "name": "API", "description": "A border", "inDefinedTermSet": "https://x.org"},
                {"@type": "DefinedTerm", "name": "CPU", "description": "A chip"},
            ],
        },
    ],
)
def test_records_are_found_where_people_keep_them(value: object) -> None:
    assert entries(value) == BOTH


def test_categories_come_from_the_keys_and_groups_around() -> None:
    drafts, _ = read({"Net": {"API": "A border"}, "Chips": {"CPU": {"definition": "A chip"}}})
    assert [draft.category for draft in drafts] == ["Net", "Chips"]
    drafts, _ = read([{"title": "Net", "items": [API]}, {"letter": "C", "items": [CPU | {"category": "Chips"}]}])
    assert [draft.category for draft in drafts] == ["Net", "Chips"]


@pytest.mark.parametrize(
    "value",
    [
        {
            "name": "package",
            "version": "1.0.0",
            "description": "Does a thing or two",
            "scripts": {"build": "tsc -p .", "test": "jest --ci --coverage"},
            "dependencies": {"react": "^18.0.0"},
        },
        {"compilerOptions": {"target": "es5", "strict": True}, "include": ["src"]},
        {"title": "Our site", "description": "All about us", "author": "Our team", "theme": {"color": "light blue"}},
        {"openapi": "3.0.0", "tags": [{"name": "pet", "description": "All about pets"}]},
        {"$schema": "x", "properties": {"a": {"title": "A", "description": "The a of it"}}},
        {"name": "CI", "on": "push", "jobs": {"test": {"steps": [{"name": "Run", "run": "make test"}]}}},
        {
            "inputs": {"token": {"description": "The token to use", "required": True}},
            "runs": {"using": "node20"},
            "x": 1,
        },
        {"host": "localhost", "port": 8080, "paths": ["a", "b"]},
        [{"id": 1, "value": 3}, {"id": 2, "value": 5}],
        [1, 2, "three"],
        "text",
        None,
    ],
)
def test_files_that_are_no_glossary_give_nothing_and_no_problem(value: object) -> None:
    assert entries(value) == []


def test_the_fields_of_a_record() -> None:
    drafts, document = read(
        [
            {
                "id": "api",
                "term": "application programming interface",
                "acronym": "API",
                "definition": ["A border.", "It is stable."],
                "aliases": ["iface, old", "port"],
                "related": [{"id": "abi"}, "cpu"],
                "category": "net",
                "tags": ["x", "y"],
                "depth": 2,
                "url": "https://x.org",
                "usageExamples": ["One socket", "Two sockets"],
                "source": "Handbook",
                "lang": "en",
            }
        ]
    )
    (draft,) = drafts
    assert (draft.term, draft.aliases) == ("application programming interface", ("API", "iface, old", "port"))
    assert draft.definition == "A border.\n\nIt is stable.\n\nUsage Examples:\n\n- One socket\n- Two sockets"
    assert (draft.related, draft.category, draft.key) == (["abi", "cpu"], "net", "api")
    assert (draft.attribution, draft.language) == ("Handbook", "en")
    assert document.problems == []


def test_values_are_shown_as_they_are_written() -> None:
    assert entries([{"term": 404, "definition": True}, {"term": "1.10", "definition": 1.10}]) == [
        ("404", "true"),
        ("1.10", "1.1"),
    ]


@pytest.mark.parametrize(
    "value",
    [
        [{"slug": "dog", "en": {"term": "dog", "def": "An animal"}, "de": {"term": "Hund", "def": "Ein Tier"}}],
        [{"id": "dog", "term": {"en": "dog", "de": "Hund"}, "definition": {"en": "An animal", "de": "Ein Tier"}}],
        [{"id": "dog", "term_en": "dog", "term_de": "Hund", "definition_en": "An animal", "definition_de": "Ein Tier"}],
        {
            "en": {"dog": {"term": "dog", "definition": "An animal"}},
            "de": {"dog": {"term": "Hund", "definition": "Ein Tier"}},
        },
        {
            "@graph": [
                {
                    "@id": "https://x.org/dog",
                    "skos:prefLabel": [{"@value": "dog", "@language": "en"}, {"@value": "Hund", "@language": "de"}],
                    "skos:definition": [
                        {"@value": "An animal", "@language": "en"},
                        {"@value": "Ein Tier", "@language": "de"},
                    ],
                }
            ]
        },
    ],
)
def test_each_language_is_a_draft_of_one_concept(value: object) -> None:
    drafts, _ = read(value)
    assert [(draft.term, draft.definition, draft.language, draft.key) for draft in drafts] == [
        ("dog", "An animal", "en", "dog"),
        ("Hund", "Ein Tier", "de", "dog"),
    ]


def test_translations_beside_a_record() -> None:
    drafts, _ = read([API | {"translations": {"de": {"term": "Schnittstelle", "definition": "Eine Grenze"}}}])
    assert [(draft.term, draft.language) for draft in drafts] == [("API", None), ("Schnittstelle", "de")]


def test_a_map_in_two_capitals_is_no_language() -> None:
    drafts, _ = read({"IT": {"API": "A border"}, "HR": {"CEO": "A boss or so"}})
    assert [(draft.category, draft.language) for draft in drafts] == [("IT", None), ("HR", None)]


def test_a_record_that_lacks_what_others_have_is_a_problem() -> None:
    drafts, document = read(
        [API, {"term": "CPU"}, {"definition": "x"}, {"other": 1}, {"term": "GPU", "definition": ""}]
    )
    assert [(draft.term, draft.definition) for draft in drafts] == [("API", "A border"), ("GPU", "")]
    assert [str(problem) for problem in document.problems] == [
        "g.json:1: a record without a definition; its keys are 'term'",
        "g.json:1: a record without a term; its keys are 'definition'",
    ]


def test_the_owners_keys_are_used_and_missed() -> None:
    drafts, _ = read([{"Ding": "API", "Was": "Grenze"}], term="Ding", definition="Was")
    assert [(draft.term, draft.definition) for draft in drafts] == [("API", "Grenze")]
    drafts, document = read({"all": [{"Ding": "API", "Was": "Grenze"}]}, term="Name")
    assert drafts == []
    assert [problem.message for problem in document.problems] == [
        "no column 'Name' for the term; there are: 'Ding', 'Was'"
    ]


KEYS = [
    "term",
    "name",
    "definition",
    "description",
    "text",
    "en",
    "de",
    "id",
    "terms",
    "glossary",
    "acronym",
    "a b",
    "@id",
]
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x y", "<p>x</p>", "{% x %}", "[[x]]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=30,
)


@given(TREES, st.sampled_from([{}, {"term": "name"}, {"definition": "text", "term": "id"}]))
def test_any_tree_is_read_or_refused(tree: Any, columns: dict[str, str]) -> None:
    document = Document.of(json.dumps(tree, indent=1), columns=columns)
    try:
        drafts = list(json_.read(document))
    except GlossaryError:
        return
    assert all(1 <= draft.line <= len(document.lines) for draft in drafts)
