import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import asciidoc
from glossbot.readers.document import Document, Draft


def read(text: str) -> tuple[Sequence[Draft], Document]:
    document = Document.of(textwrap.dedent(text).lstrip("\n"))
    return list(asciidoc.read(document)), document


def definition(body: str) -> str:
    """Return the definition of the only term of a list."""
    (draft,), document = read(f"term::\n{body}")
    assert not document.problems
    return draft.definition


def terms(text: str) -> list[tuple[str, str]]:
    return [(draft.term, draft.definition) for draft in read(text)[0]]


def test_definition_list_has_terms_with_lines_anchors_and_other_names() -> None:
    drafts, document = read(
        """
        = A glossary

        [[def_api]]API::
        interface::
          What programs
          call.

        [[sdk]]
        SDK:: A kit.
        [#kit]#Kit#::
          Another.
        plain:: None.
        """
    )
    assert [(draft.term, tuple(draft.aliases), draft.line, draft.anchor) for draft in drafts] == [
        ("API", ("interface",), 3, "def_api"),
        ("SDK", (), 9, "sdk"),
        ("Kit", (), 10, "kit"),
        ("plain", (), 12, None),
    ]
    assert drafts[0].definition == "What programs call."
    assert not document.problems


@pytest.mark.parametrize("mark", ["::", ":::", "::::", ";;"])
def test_any_mark_may_be_outermost(mark: str) -> None:
    assert terms(f"a{mark} one\nb{mark}\n\n  two\n") == [("a", "one"), ("b", "two")]


def test_lists_within_a_definition_belong_to_it() -> None:
    text = """
    outer::
      Text.
    * bullet
    ** deeper
    . numbered
    inner;; nested
    more;; too
    next:: Text.
    """
    assert terms(text) == [
        (
            "outer",
            "Text.\n\n- bullet\n\n  - deeper\n\n    1. numbered\n\n       - **inner:** nested\n       - **more:** too",
        ),
        ("next", "Text."),
    ]


def test_blocks_are_attached_by_a_plus() -> None:
    text = """
    a::
      First.
    +
    Second.
    +
    --
    In a block:

    inner:: no entry
    --
    +
    [source,python]
    ----
    b:: c
    // kept

    d
    ----
    b:: Last.

    Not a part of it.
    """
    assert terms(text) == [
        ("a", "First.\n\nSecond.\n\nIn a block:\n\n- **inner:** no entry\n\n```python\nb:: c\n// kept\n\nd\n```"),
        ("b", "Last."),
    ]


def test_empty_lines_before_a_plus_lead_outwards() -> None:
    assert definition("Text.\n* bullet\n+\nto the bullet\n\n+\nto the term\n") == (
        "Text.\n\n- bullet\n\n  to the bullet\n\nto the term"
    )


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("*bold* _em_ `code` **un**bound", "**bold** *em* `code` **un**bound"),
        ("+*as it is*+ and `+a*b*+`", r"\*as it is\* and `a*b*`"),
        ("x^2^ H~2~O 1^st^", "x^2 H_2O 1st"),
        ("#marked# [.role]#text#", "marked text"),
        ("2*3*4 snake_case_name C++ a++", r"2\*3\*4 snake_case_name C++ a++"),
        (r"\*not bold* \<<not,linked>>", r"\*not bold\* \<\<not,linked>>"),
        ("<<id>>, <<id,the text>>, <<the-id>>", "[id](#id), [the text](#id), [the id](#the-id)"),
        ("xref:file.adoc#id[text], xref:file.adoc[text]", "[text](#id), [text](#file)"),
        ("link:https://a.b/c[text^], https://a.b[text,window=_blank]", "[text](https://a.b/c), [text](https://a.b)"),
        ("https://a.b/c. link:manual.html[The manual]", "https://a.b/c. The manual"),
        ("mailto:a@b.c[Write], linkgit:git-log[1]", "[Write](mailto:a@b.c), git-log(1)"),
        ("kbd:[Ctrl+C] menu:File[Save > All] btn:[OK]", "`Ctrl+C` File → Save → All `OK`"),
        ("pass:[as *is*] image:a.png[alt] stem:[x+y]", "as *is* alt $x+y$"),
        ("a footnote:[Or not.] (((hidden))) ((shown))", "a (Or not.) shown"),
        ('"`quoted text`" and "`a/**`"', '“quoted text” and "`a/**`"'),
        ("a -- b, {cpp} {asterisk} &lt;tag&gt; <T>", "a — b, C++ * <tag> <T>"),
        ("line +\nnext", "line next"),
        ("NOTE: Careful.", "**Note:** Careful."),
        ("[NOTE]\n====\nCareful.\n\nVery.\n====", "**Note:** Careful.\n\nVery."),
        ("....\na  b\n....", "```\na  b\n```"),
        ("```ruby\na\n```", "```ruby\na\n```"),
        ("Text.\n\n  literal\n   more", "Text.\n\n```\nliteral\n more\n```"),
        ("____\nSaid.\n____", "> Said."),
        ("++++\n<b>raw</b>\n++++", "<b>raw</b>"),
        ("* [x] done\n* [ ] open", "- done\n- open"),
        ("a.\n// a comment\nb.", "a. b."),
        ("a.\n+\n.Title\nb.", "a.\n\n**Title**\n\nb."),
        ("|===\n|A |B\n\n|1\n|2 \\| 3\n|===", "| A | B |\n| --- | --- |\n| 1 | 2 \\| 3 |"),
        ('[cols="1,1"]\n|===\n|A\n|B\n|1 a|2\n|===', "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        (",===\na,b\n,===", "| a | b |\n| --- | --- |"),
    ],
)
def test_definition_becomes_markdown(source: str, markdown: str) -> None:
    assert definition(source) == markdown


def test_references_without_a_text_show_the_term() -> None:
    drafts, _ = read("[[a]]First term::\n  One.\n\n[[b]]\nSecond:: See <<a>> and <<b>>.\n")
    assert drafts[1].definition == "See [First term](#a) and [Second](#b)."


def test_attributes_are_replaced_and_unknown_ones_noted() -> None:
    drafts, document = read(
        ":Name: the _{what}_\n:what: thing\n:name: the _{what}_\n:what!:\n\n{name}:: {name} {other} {other}.\n"
    )
    assert [(draft.term, draft.definition) for draft in drafts] == [("the *thing*", "the *thing* {other} {other}.")]
    assert [notice.line for notice in document.notices] == [1, 6]


def test_conditions_are_decided_by_the_attributes() -> None:
    text = """
    :on:

    a:: A.
    ifdef::on[]
    b:: B.
    ifdef::off[]
    c:: C.
    endif::[]
    endif::[]
    ifndef::on[]
    d:: D.
    endif::on[]
    ifdef::off,on[e:: E.]
    ifdef::off+on[f:: F.]
    """
    assert [term for term, _ in terms(text)] == ["a", "b", "e"]


def test_comments_are_no_entries() -> None:
    assert terms("a:: A.\n\n////\nb:: B.\n////\n\n// c:: C.\nd:: D.\n") == [("a", "A."), ("d", "D.")]


def test_a_marked_glossary_is_all_that_is_read() -> None:
    text = """
    == Options

    -v:: Be loud.

    [glossary]
    == Glossary

    a:: A.

    === Part

    b:: B.

    == More

    c:: C.

    [glossary]
    d:: D.
    """
    assert [term for term, _ in terms(text)] == ["a", "b", "d"]


def test_sections_are_categories() -> None:
    drafts, _ = read("= Title\n\na:: A.\n\n== Networks\n\n[horizontal]\nb:: B.\n\n== C\n\nc:: C.\n")
    assert [(draft.term, draft.category) for draft in drafts] == [("a", None), ("b", "Networks"), ("c", None)]


def test_sections_are_terms_where_there_are_no_lists() -> None:
    drafts, _ = read(
        "= Glossary\n\n== Introduction\n\nx\n\n== Cache [[c]]\n\nA _store_.\n\n* x\n\n[#other]\n== Queue\n\nText.\n"
    )
    assert [(draft.term, draft.line, draft.anchor, draft.definition) for draft in drafts] == [
        ("Cache", 7, "c", "A *store*.\n\n- x"),
        ("Queue", 14, "other", "Text."),
    ]


def included(folder: Path, *, siblings: Sequence[str] = ()) -> tuple[Sequence[Draft], Document]:
    """Read the file ``main.adoc`` of a folder."""
    path = folder / "main.adoc"
    document = Document(
        path=path, label="main.adoc", data=path.read_bytes(), siblings=frozenset(folder / name for name in siblings)
    )
    return list(asciidoc.read(document)), document


def test_included_files_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "main.adoc").write_text("= G\n\ninclude::a.adoc[]\n\ninclude::a.adoc[]\n\n{name}:: Main.\n")
    (tmp_path / "a.adoc").write_text(":name: set there\n\na:: A.\ninclude::main.adoc[]\n")
    drafts, _ = included(tmp_path)
    assert [(draft.term, draft.line) for draft in drafts] == [("a", 3), ("set there", 7)]


def test_a_file_that_is_read_by_itself_is_not_included(tmp_path: Path) -> None:
    (tmp_path / "main.adoc").write_text("== Section\n\nText.\n\ninclude::a.adoc[]\n\n{name}:: Main.\n")
    (tmp_path / "a.adoc").write_text(":name: set there\n\na:: A.\n")
    drafts, _ = included(tmp_path, siblings=["main.adoc", "a.adoc"])
    assert [draft.term for draft in drafts] == ["set there"]


@pytest.mark.parametrize("target", ["../outside.adoc", "/etc/hostname", "gone.adoc", "code.py", "\x00.adoc"])
def test_what_cannot_be_included_is_a_notice(tmp_path: Path, target: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "outside.adoc").write_text("secret:: S.\n")
    (folder / "code.py").write_text("secret:: S.\n")
    (folder / "main.adoc").write_text(f"a:: A.\n\ninclude::{target}[]\n")
    drafts, document = included(folder)
    assert [draft.term for draft in drafts] == ["a"]
    assert [notice.line for notice in document.notices] == [3]


def test_attributes_cannot_grow_without_bound() -> None:
    bomb = "".join(
        f":a{n}: {'{a' + str(n - 1) + '}' if n else 'x'}{'{a' + str(n - 1) + '}' if n else 'x'}\n" for n in range(60)
    )
    (draft,), _ = read(f"{bomb}\na:: " + "{a59}" * 20)
    assert len(draft.definition) <= 20 * 1_000


@pytest.mark.parametrize(
    "text",
    ["*a " * 9_999, "`" * 9_999, "[" * 999, "<<" * 9_999, "a:" * 9_999, "((" * 9_999, "x" * 99_999, "\\" * 999],
)
def test_long_text_is_read(text: str) -> None:
    (draft,), _ = read(f"term:: {text}")
    assert draft.definition


@pytest.mark.parametrize("line", ["----", "====", "+", "[a]", "* a", "a::", "== a", "////", ".a", "|==="])
def test_many_lines_are_read(line: str) -> None:
    drafts, _ = read("term:: text\n" + f"{line}\n" * 3_000)
    assert drafts[0].definition.startswith("text")


def test_blocks_within_blocks_without_end_are_read() -> None:
    drafts, _ = read("term::\n" + "\n".join("=" * (300 - depth) for depth in range(296)) + "\ninnermost\n")
    assert "innermost" in drafts[0].definition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= Title\n\nText.\n", True),
        ("[[a]]term::\n\tText.\n", True),
        ("include::other.txt[]\n", True),
        ("a::\n  A.\n\nb::\n  B.\n\nc::\n  C.\n", True),
        ("# Title\n\nterm\n: text\n", False),
        ("Call it like this::\n\n  f()\n", False),
        ("a,b\n1,2\n", False),
    ],
)
def test_is_recognised_by_its_text(text: str, expected: bool) -> None:
    assert asciidoc.recognises(text) is expected


_MARKUP = """
a::|b;;|c:::|::|* x|** y|. z|1. w|-|+|--|----|....|====|****|____|++++|////|///|[NOTE]|[source,a]|[[id]]|[#id]|[|]|]]
= H|== H|~~~|===|NOTE: |.T|:a: b|{a}|{b}|include::x[]|ifdef::a[]|endif::[]|ifndef::a[x]|<<a|<<a,b>>|xref:a[b]|link:a[b]
https://a.b[c]|*|**|_|__|`|``|+++|^|~|#|\\|"`|`"|((a))|image::a[b]|$$|&lt;|<b>|a|b c|é|'''|,===|'
"""
_pieces = st.sampled_from([*_MARKUP.replace("\n", "|").split("|"), "|===", "|", "\t", "\x00", "\u2028"])
_ends = st.sampled_from(["", " ", "\n", "\n\n", "\n  "])


@given(st.lists(st.one_of(_pieces, _ends), max_size=40).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    document = Document.of(text)
    try:
        places = [draft.line for draft in asciidoc.read(document)]
    except GlossaryError:
        return
    places += [note.line or 1 for note in (*document.problems, *document.notices)]
    assert all(1 <= line <= len(document.lines) for line in places)
