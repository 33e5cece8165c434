import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import yaml_
from glossbot.readers.document import Document, Draft


def read(text: str) -> tuple[list[Draft], list[str]]:
    document = Document.of(text, label="g.yml")
    drafts = list(yaml_.read(document))
    return drafts, [str(problem) for problem in (*document.problems, *document.notices)]


def test_scalars_stay_as_they_are_written() -> None:
    drafts, _ = read(
        "- {term: no, definition: on}\n- {term: 1.10, definition: 0o17}\n- {term: null, definition: 2024-01-01}\n"
        "- term: folded\n  definition: >\n    one\n    two\n\n    three\n"
        "- term: literal\n  definition: |-\n    one\n    two\n"
        "- {term: empty, definition: ~}\n- {term: void, definition: null}\n"
    )
    assert [(draft.term, draft.definition, draft.line) for draft in drafts] == [
        ("no", "on", 1),
        ("1.10", "0o17", 2),
        ("null", "2024-01-01", 3),
        ("folded", "one two\nthree", 4),
        ("literal", "one\ntwo", 10),
        ("empty", "", 14),
        ("void", "", 15),
    ]


def test_words_that_yaml_takes_for_truth_are_languages_and_ids() -> None:
    drafts, _ = read("- slug: null\n  no: {term: hund, def: dyr}\n  en: {term: dog, def: animal}\n")
    assert [(draft.term, draft.language, draft.key) for draft in drafts] == [
        ("hund", "no", "null"),
        ("dog", "en", "null"),
    ]


def test_several_documents() -> None:
    drafts, _ = read("---\nterm: API\ndefinition: x\n---\nterm: CPU\ndefinition: y\n")
    assert [(draft.term, draft.line) for draft in drafts] == [("API", 2), ("CPU", 5)]


def test_anchors_and_merge_keys() -> None:
    drafts, problems = read(
        "base: &net {category: Net, source: Ours}\nterms:\n- {<<: *net, term: API, definition: &d A border}\n"
        "- {<<: [*net], term: CPU, category: Chips, definition: *d}\n- {term: '<<', definition: shift}\n"
    )
    assert [(draft.term, draft.category, draft.definition) for draft in drafts] == [
        ("API", "Net", "A border"),
        ("CPU", "Chips", "A border"),
        ("<<", None, "shift"),
    ]
    assert problems == []


def test_reading_goes_on_behind_a_mistake() -> None:
    drafts, problems = read(
        "terms:\n  - term: API\n    definition: x\n  - term: CPU\n    definition: A chip: small\n"
        "  - term: RAM\n    definition: y\n  - term: GPU\n    definition: 'open\n  - term: TPU\n    definition: z\n"
    )
    assert [(draft.term, draft.line) for draft in drafts] == [("API", 2), ("RAM", 6), ("TPU", 10)]
    assert problems == [
        "g.yml:5: no YAML: mapping values are not allowed in this context",
        "g.yml:9: no YAML: while scanning a quoted scalar, found unexpected end of stream",
    ]


def test_aliases_are_not_followed_without_end() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20))
    with pytest.raises(GlossaryError, match=r"^g\.yml:7: aliases that stand for more than 1,000,000 values"):
        read(bomb)
    assert read("a: &a [*a]\n") == ([], ["g.yml:1: *a stands within what it stands for"])
    assert read("a: *b\n") == ([], ["g.yml:1: no anchor &b stands before this alias"])


@pytest.mark.parametrize("text", ["- " * 5000, "{a: " * 200, "[" * 500])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(GlossaryError, match=r"^g\.yml:1: values nested more than 100 levels deep"):
        read(text)


def test_repeated_keys_are_noticed() -> None:
    drafts, problems = read("API: A border\nCPU: A chip\nAPI: Another one\n")
    assert [draft.definition for draft in drafts] == ["A border", "A chip", "Another one"]
    assert problems == ["g.yml:3: the key 'API' stands in line 1 too"]


def test_tags_and_control_characters_run_nothing() -> None:
    drafts, problems = read(
        "- term: API\n  definition: !!python/object/apply:os.getcwd [x]\n- {term: CPU, definition: a\x07b}\n"
    )
    assert [(draft.term, draft.definition) for draft in drafts] == [("API", "x"), ("CPU", "a b")]
    assert problems == []


def test_liquid_is_translated() -> None:
    drafts, _ = read("- term: token\n  description: >-\n    A token on {% data variables.product.prodname_dotcom %}.\n")
    assert drafts[0].definition == "A token on dotcom."


@given(
    st.lists(
        st.sampled_from(
            [
                "- ",
                "term: ",
                "definition: ",
                "x",
                "\n",
                "  ",
                "\t",
                "'",
                '"',
                "&a ",
                "*a",
                "<<: ",
                "|\n",
                ">\n",
                "{",
                "}",
                "[",
                "]",
                ": ",
                "#",
                "---\n",
                "!t ",
                "%",
                "? ",
            ]
        )
    )
)
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    document = Document.of("".join(pieces))
    try:
        drafts = list(yaml_.read(document))
    except GlossaryError:
        return
    assert all(1 <= draft.line <= len(document.lines) for draft in drafts)
