import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import toml
from glossbot.readers.document import Document, Draft


def read(text: str) -> tuple[list[Draft], list[str]]:
    document = Document.of(text, label="g.toml")
    drafts = list(toml.read(document))
    return drafts, [str(problem) for problem in (*document.problems, *document.notices)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            '[[term]]\nname = "API"\ndefinition = """\n[x]\n\\"""y"""\n\n[[term]]\ndefinition = "z"\nname = "CPU"\n',
            [2, 9],
        ),
        ('[API]\ndefinition = "x"\n[ CPU ] # here\ndefinition = 1\n', [1, 3]),
        ('# ours\nAPI = "A border"\r\n"CPU" = \'A chip\'\n', [2, 3]),
        ('terms = [\n  {term = "API", definition = "x"}, # [\n  {term = "CPU", definition = "y"},\n]', [2, 3]),
        ('[terms]\nAPI.definition = "x"\n\nCPU.definition = "y"\n', [2, 4]),
        ('[[a.b]]\nterm = "API"\ndefinition = "x"\n[a.b.c]\nn = 1\n[[a.b]]\nterm = "CPU"\ndefinition = "y"', [2, 7]),
    ],
)
def test_every_term_has_its_line(text: str, lines: list[int]) -> None:
    drafts, problems = read(text)
    assert [(draft.term, draft.line) for draft in drafts] == list(zip(["API", "CPU"], lines, strict=True))
    assert problems == []


def test_what_stands_before_a_mistake_is_read() -> None:
    drafts, problems = read('[API]\ndefinition = "x"\n[CPU]\ndefinition = y\n[RAM]\ndefinition = "z"\n')
    assert [draft.term for draft in drafts] == ["API"]
    assert problems == ["g.toml:4: no TOML: Invalid value; nothing behind it was read"]


def test_settings_are_no_glossary() -> None:
    assert read('[project]\nname = "x"\ndescription = "Does a thing"\n[build-system]\nrequires = ["a b"]\n') == ([], [])


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a" + ".a" * 5000 + " = 1", "a = " + "{a = " * 5000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(
        GlossaryError, match=r"^g\.toml(:1)?: (?:values nested too deeply|a key of more than 100 parts)"
    ):
        read(text)


@given(
    st.lists(
        st.sampled_from(
            [
                "[",
                "]",
                "[[",
                "]]",
                "{",
                "}",
                "term",
                "definition",
                "=",
                '"x"',
                "'",
                '"""',
                ".",
                ",",
                "\n",
                "#",
                "1",
                "\\",
                "\r",
            ]
        )
    )
)
def test_any_text_is_read_or_refused(pieces: list[str]) -> None:
    document = Document.of("".join(pieces))
    try:
        drafts = list(toml.read(document))
    except GlossaryError:
        return
    assert all(1 <= draft.line <= len(document.lines) for draft in drafts)
