import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import json_
from glossbot.readers.document import Document, Draft


def read(text: str) -> tuple[list[Draft], list[str]]:
    document = Document.of(text, label="g.json")
    drafts = list(json_.read(document))
    return drafts, [str(problem) for problem in (*document.problems, *document.notices)]


def test_the_line_is_that_of_the_term() -> None:
    text = '[\n {"definition": "x",\n  "term": "API"},\n\n {"term": "CPU", "definition": "y"}\n]'
    assert [(draft.term, draft.line) for draft in read(text)[0]] == [("API", 3), ("CPU", 5)]
    assert [draft.line for draft in read('{\n"API": "A border",\r\n"CPU":\n"A chip"}')[0]] == [2, 3]


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ('{"term": "CPU", "defin', "3: unterminated string; nothing behind it was read"),
        (
            '{"term": "CPU", "definition": "a "b" c"}]',
            "3: ',' or '}' expected, not 'b\" c\"}]'; nothing behind it was read",
        ),
        ('{"term": "CPU", "definition": }]', "3: a value expected, not '}]'; nothing behind it was read"),
        ('{"term" "CPU"}]', "3: ':' expected behind a key, not '\"CPU\"}]'; nothing behind it was read"),
        ('{term: "CPU"}]', "3: a key in quotation marks expected, not 'term: \"CPU\"}]'; nothing behind it was read"),
        ("", "3: the file ends without the ']' of line 1; nothing behind it was read"),
    ],
)
def test_what_stands_before_a_mistake_is_read(end: str, message: str) -> None:
    drafts, problems = read('[\n{"term": "API", "definition": "x"},\n' + end)
    assert [draft.term for draft in drafts] == ["API"]
    assert problems == [f"g.json:{message}"]


def test_small_mistakes_cost_nothing() -> None:
    drafts, problems = read('[ // ours\n{"term": "A1", "definition": "x",}\n{"term": "B2", "definition": "y\nz"},\n]')
    assert [(draft.term, draft.definition) for draft in drafts] == [("A1", "x"), ("B2", "y\nz")]
    assert problems == ["g.json:3: a ',' is missing before this"]


def test_repeated_keys_are_noticed_and_both_read() -> None:
    drafts, problems = read('{"API": "A border",\n "API": "Another one"}')
    assert [draft.definition for draft in drafts] == ["A border", "Another one"]
    assert problems == ["g.json:2: the key 'API' stands in line 1 too"]


def test_half_a_character_is_replaced() -> None:
    drafts, _ = read('[{"term": "API", "definition": "x \\ud83d y \\ud83d\\ude00"}]')
    assert drafts[0].definition == "x \ufffd y 😀"


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "[" * 5000 + "]" * 5000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(GlossaryError, match=r"^g\.json:1: values nested more than 100 levels deep"):
        read(text)


@pytest.mark.parametrize(
    "text", ['"' * 50_000, "[]" * 20_000, ',"' * 20_000, "/*" * 20_000, "\\" * 50_000, '["",""' * 90]
)
def test_nasty_texts_are_read(text: str) -> None:
    assert read(text)[0] == []


def test_json_lines_are_read_one_by_one() -> None:
    document = Document.of(
        '{"term": "API", "definition": "x"}\n\n{"term": \n{"name": "CPU", "description": "a chip"}\n'
    )
    assert [(draft.term, draft.line) for draft in json_.read_lines(document)] == [("API", 1), ("CPU", 4)]
    assert [problem.line for problem in document.problems] == [3]


@given(
    st.lists(
        st.sampled_from(
            ['"', '"term"', '"definition"', "{", "}", "[", "]", ",", ":", "\\", "1", "null", "\n", "//", "x"]
        )
    )
)
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    document = Document.of("".join(pieces))
    for reader in (json_.read, json_.read_lines):
        try:
            drafts = list(reader(document))
        except GlossaryError:
            continue
        assert all(1 <= draft.line <= len(document.lines) for draft in drafts)


WORDS = st.text(st.characters(exclude_characters="<{[", exclude_categories=["Cs", "Cc"]), max_size=9)


@given(st.lists(st.tuples(WORDS, WORDS)), st.booleans())
def test_what_json_writes_is_read(records: list[tuple[str, str]], escaped: bool) -> None:
    words = [(f"term {term}.", f"said {definition}.") for term, definition in records]
    text = json.dumps([{"term": term, "definition": text} for term, text in words], ensure_ascii=escaped, indent=1)
    assert [(draft.term, draft.definition) for draft in read(text)[0]] == words
