"""Markdown glossaries: what is read, where it is said to stand, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot import readers
from glossbot.entry import Entry
from glossbot.errors import GlossaryError
from glossbot.readers import markdown

GLOSSARY = """\
# Attention

An introduction that belongs to no term.

## grouped-query attention (GQA)

- Also called: grouped attention, GQ
  attention
- Related: KV cache
- In plain words: Teams use
  one notebook each.

Groups of heads share keys.

It has:

- one key head,
- one value head.

```python
## not a heading
```

- vs. multi-query attention: It keeps one head
  per group.

# Memory

## KV cache

Keeps keys.
"""


def test_every_part_of_an_entry_is_read() -> None:
    gqa, cache = markdown.read(GLOSSARY, "a.md")
    assert gqa.term == "grouped-query attention"
    assert gqa.aliases == ("GQA", "grouped attention", "GQ attention")
    assert gqa.related == ("KV cache",)
    assert gqa.plain == "Teams use one notebook each."
    assert gqa.category == "Attention"
    assert gqa.definition == (
        "Groups of heads share keys.\n\nIt has:\n\n- one key head,\n- one value head.\n\n"
        "```python\n## not a heading\n```"
    )
    (contrast,) = gqa.contrasts
    assert contrast.other == "multi-query attention"
    assert contrast.text == "It keeps one head per group."
    assert (cache.term, cache.category, cache.definition) == ("KV cache", "Memory", "Keeps keys.")


def test_lines_are_those_of_the_file() -> None:
    lines = GLOSSARY.splitlines()
    for entry in markdown.read(GLOSSARY, "a.md"):
        assert lines[entry.line - 1].startswith(f"## {entry.term}")
        for contrast in entry.contrasts:
            assert f"vs. {contrast.other}" in lines[contrast.line - 1]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_lines_do_not_depend_on_how_lines_end(newline: str, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(GLOSSARY.replace("\n", newline).encode())
    (expected, other), (gqa, cache) = markdown.read(GLOSSARY, "a.md"), readers.read([file]).entries
    assert (gqa.line, cache.line) == (expected.line, other.line)
    assert gqa.definition == expected.definition


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_unusual_line_separators_shift_no_definition(separator: str) -> None:
    text = f"# Terms\n\n## one\n\nFirst{separator}half.\n\n## two\n\nSecond thing.\n"
    one, two = markdown.read(text, "a.md")
    assert "".join(one.definition.split()) == "Firsthalf."
    assert two.definition == "Second thing."
    assert two.line == 7


def test_a_file_of_single_headings_is_a_glossary_too() -> None:
    one, two = markdown.read("# one\nFirst.\n# two\nSecond.\n", "a.md")
    assert (one.category, two.category) == (None, None)


def test_text_without_headings_holds_no_entry() -> None:
    assert markdown.read("Just a text.\n\n- a list\n", "a.md") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# A\n\n## one\n\nText.\n\n## two\n", r"^a\.md:7: 'two' has no definition"),
        ("# A\n\n## one\n- Related: two\n", r"^a\.md:3: 'one' has no definition"),
        ("# A\n\n## \n\nText.\n", r"^a\.md:3: a heading without a headword"),
    ],
)
def test_an_incomplete_entry_is_named_with_its_line(text: str, message: str) -> None:
    with pytest.raises(GlossaryError, match=message):
        markdown.read(text, "a.md")


def test_a_contrast_without_a_sentence_is_named_with_its_line() -> None:
    with pytest.raises(GlossaryError, match=r"^a\.md:5: 'vs two' has no sentence"):
        markdown.read("## one\n\nText.\n\n- vs two:\n", "a.md")


def read_or_refuse(text: str) -> list[Entry]:
    try:
        return markdown.read(text, "a.md")
    except GlossaryError as error:
        if not str(error).startswith("a.md:"):
            raise
        return []


@given(st.text(alphabet=st.sampled_from("#-*>`|[](): \nabvs.\t\u2028\x00\ufeff&<")))
def test_any_text_is_read_or_refused(text: str) -> None:
    for entry in read_or_refuse(text):
        assert entry.term.strip()
        assert entry.definition.strip()
        assert 1 <= entry.line <= text.count("\n") + 1


@given(st.text())
def test_any_definition_is_read_or_refused(text: str) -> None:
    read_or_refuse(f"## term\n\n{text}")


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_folders_are_searched_and_sorted(tmp_path: Path) -> None:
    folder = tmp_path / "glossary"
    write(folder, **{"b.md": "## b\nText.", "a__c.markdown": "## c\nText.", "README.md": "## r\nText.", "x.txt": "x"})
    write(folder, **{".hidden__h.md": "## h\nText.", ".h.md": "## h\nText."})
    glossary = readers.read([folder])
    assert [(entry.term, entry.file) for entry in glossary.entries] == [
        ("c", "glossary/a/c.markdown"),
        ("b", "glossary/b.md"),
    ]


def test_a_file_named_outright_is_read_and_once_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, **{"docs__README.md": "## r\nText."})
    monkeypatch.chdir(tmp_path)
    glossary = readers.read([Path("docs/README.md"), tmp_path / "docs/README.md"])
    assert [entry.file for entry in glossary.entries] == ["docs/README.md"]


def test_private_folders_are_not_named_in_answers(tmp_path: Path) -> None:
    write(tmp_path, **{"secret__terms__a.md": "## a\nText."})
    for source in (tmp_path / "secret/terms", tmp_path / "secret/terms/a.md"):
        (entry,) = readers.read([source]).entries
        assert "secret" not in entry.file
        assert entry.file.endswith("a.md")


def test_the_same_headword_in_two_files_has_two_ids(tmp_path: Path) -> None:
    write(tmp_path, **{"a.md": "## cache\nOne.", "b.md": "## Cache\nTwo."})
    assert [entry.id for entry in readers.read([tmp_path]).entries] == ["cache", "cache-2"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf## a\nText.")
    assert readers.read([tmp_path]).entries[0].term == "a"


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"## a\n\nText \xff.\n")
    with pytest.raises(GlossaryError, match=r"a\.md:3: not UTF-8 text \(byte 11\)"):
        readers.read([tmp_path])


def test_what_cannot_be_a_glossary_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.docx").write_bytes(b"x")
    (tmp_path / "a.md").write_text("No headings.")
    with pytest.raises(GlossaryError, match="no glossary file in this folder"):
        readers.read([tmp_path / "empty"])
    with pytest.raises(GlossaryError, match=r"unknown format \.docx; known formats: \.markdown, \.md"):
        readers.read([tmp_path / "a.docx"])
    with pytest.raises(GlossaryError, match="no such file or folder"):
        readers.read([tmp_path / "nothing.md"])
    with pytest.raises(GlossaryError, match="no entry found"):
        readers.read([tmp_path / "a.md"])
    with pytest.raises(GlossaryError, match="no source given"):
        readers.read([])
