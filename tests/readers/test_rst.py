import textwrap
from collections.abc import Sequence

import pytest
from docutils.core import publish_parts
from docutils.parsers.rst import directives, roles
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import rst
from glossbot.readers.document import Document, Draft


def read(text: str) -> tuple[Sequence[Draft], Document]:
    document = Document.of(textwrap.dedent(text).lstrip("\n"))
    return list(rst.read(document)), document


def definition(body: str) -> str:
    """Return the definition of the only term of a glossary."""
    text = ".. glossary::\n\n   term\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "      ")
    (draft,), document = read(text)
    assert not document.problems
    return draft.definition


def test_glossary_has_terms_with_their_lines_anchors_and_other_names() -> None:
    drafts, document = read(
        """
        Words
        =====

        .. glossary::
           :sorted:

           abstract base class
           ABC
              A class that others derive from.

           .. a comment
              in two lines

           cache : C

              A store.

              Kept close.

           中文
              Chinese.
           ``...``
              Dots.
        """
    )
    assert [(draft.term, tuple(draft.aliases), draft.line, draft.anchor) for draft in drafts] == [
        ("abstract base class", ("ABC",), 7, "term-abstract-base-class"),
        ("cache", (), 14, "term-cache"),
        ("中文", (), 20, "term-0"),
        ("`...`", (), 22, "term-..."),
    ]
    assert drafts[1].definition == "A store.\n\nKept close."
    assert not document.problems


def test_letters_are_spelled_in_ids_as_sphinx_spells_them() -> None:
    drafts, _ = read(".. glossary::\n\n   Größe Ünïcode\n      A size.\n\n   größe ünïcode\n      Another.\n")
    assert [draft.anchor for draft in drafts] == ["term-Grosze-Unicode", "term-grosze-unicode"]


def test_ids_are_not_given_twice() -> None:
    drafts, _ = read(".. glossary::\n\n   a b\n      One.\n\n   a-b\n      Two.\n")
    assert [draft.anchor for draft in drafts] == ["term-a-b", "term-0"]


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        (":term:`other term` and :term:`it <other term>`", "[other term](#other%20term) and [it](#other%20term)"),
        (":term:`!other`, :class:`~a.b.C`, :func:`f`, :py:meth:`.m`", "other, `C`, `f()`, `m()`"),
        (":pep:`8`", "[PEP 8](https://peps.python.org/pep-0008/)"),
        (":ref:`some-label`, :ref:`it <label>`, :doc:`/a/b`", "some label, it, b"),
        (":nosuch:`role of text`, :nosuch:`code`", "role of text, `code`"),
        (":file:`/etc/{name}`, :guilabel:`&Open`, :menuselection:`A --> B`", "`/etc/name`, Open, A → B"),
        ("*a* **b** ``c`` `d` :math:`x^2` H\\ :sub:`2`\\ O", "*a* **b** `c` `d` $x^2$ H_2O"),
        ("`text <https://example.org/a_(b)>`_", "[text](<https://example.org/a_(b)>)"),
        ("Vec<T> & a[0](x)", r"Vec\<T> & a\[0\](x)"),
        ("- one\n\n  more\n\n  1. two\n- three", "- one\n\n  more\n\n  1. two\n- three"),
        ("Code::\n\n    x = `1`\n      y", "Code:\n\n```\nx = `1`\n  y\n```"),
        (".. code-block:: python\n   :linenos:\n   :nosuch: x\n\n   f(x)", "```python\nf(x)\n```"),
        (".. math:: a = b\n   :label: eq", "$$\na = b\n$$"),
        (".. note:: Careful.", "**Note:** Careful."),
        (".. seealso:: :term:`b`", "**See also:** [b](#b)"),
        (".. versionadded:: 3.5\n   It came.", "**Added in version 3.5:** It came."),
        (".. deprecated:: 2.0 It went.", "**Deprecated since version 2.0:** It went."),
        (".. nosuch:: argument\n   :option: x\n\n   Body *here*.", "argument\n\nBody *here*."),
        (".. index:: single: a\n\nText.", "Text."),
        (".. image:: x.png\n   :alt: a picture", "a picture"),
        ("inner\n  text", "- **inner:** text"),
        ("| one\n| two", "one  \ntwo"),
        ("=== ===\nA   B\n=== ===\n1   2|\n=== ===", "| A | B |\n| --- | --- |\n| 1 | 2\\| |"),
        (".. list-table::\n\n   * - A\n     - B\n   * - 1\n     - 2", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
    ],
)
def test_definition_becomes_markdown(source: str, markdown: str) -> None:
    assert definition(source) == markdown


def test_footnotes_and_substitutions_come_along() -> None:
    (draft,), document = read(
        """
        .. |short| replace:: *abbreviated*

        .. glossary::

           term
              It is |short| [1]_.

        .. [1] Says who.
        """
    )
    assert draft.definition == "It is *abbreviated* [1].\n\n[1] Says who."
    assert not document.problems


def test_what_may_be_defined_elsewhere_is_a_notice() -> None:
    (draft,), document = read(".. glossary::\n\n   a\n      Of |version|, see there_.\n\n      .. include:: b.rst\n")
    assert draft.definition == "Of version, see there."
    assert not document.problems
    assert [notice.line for notice in document.notices] == [6, 4, 4]


def test_faults_are_problems_with_their_line(capfd: pytest.CaptureFixture[str]) -> None:
    drafts, document = read(
        """
        .. glossary::

           alone

           a
              Not **closed.

              .. table::
                 :nosuch: x

                 kept
        """
    )
    assert [(draft.term, tuple(draft.aliases)) for draft in drafts] == [("alone", ("a",))]
    assert drafts[0].definition.startswith("Not **closed.")
    assert "kept" in drafts[0].definition
    assert [problem.line for problem in document.problems] == [3, 6, 8]
    assert capfd.readouterr() == ("", "")


def test_sections_are_categories_but_letters_and_the_glossary_are_not() -> None:
    drafts, _ = read(
        """
        Glossary
        ========

        .. glossary::

           a
              A.

        Networks
        --------

        .. glossary::

           b
              B.

        C
        -

        .. glossary::

           c
              C.
        """
    )
    assert [(draft.term, draft.category) for draft in drafts] == [("a", None), ("b", "Networks"), ("c", None)]


def test_definition_lists_are_read_where_there_is_no_glossary() -> None:
    drafts, _ = read(
        """
        Terms
        =====

        *first* term
          One.

          inner
            Not a term.

        second : networks
          Two.
        """
    )
    assert [(draft.term, draft.line, draft.category) for draft in drafts] == [
        ("*first* term", 4, None),
        ("second", 10, "networks"),
    ]
    assert drafts[0].definition == "One.\n\n- **inner:** Not a term."


def test_sections_are_terms_where_there_are_no_lists() -> None:
    drafts, _ = read(
        """
        Glossary
        ========

        Introduction
        ------------

        Words.

        .. _the-cache:

        Cache
        -----

        A store. See `Other term`_ and :ref:`the-cache`.

        Other term
        ----------

        x
          y
        """
    )
    assert [(draft.term, draft.line, draft.anchor, draft.key) for draft in drafts] == [
        ("Cache", 11, "cache", "the-cache"),
        ("Other term", 16, "other-term", None),
    ]
    assert drafts[0].definition == "A store. See [Other term](#other-term) and [Cache](#the-cache)."


def test_nothing_is_inserted_and_nothing_stays_behind() -> None:
    before = dict(vars(directives)["_directives"]), dict(vars(roles)["_roles"])
    text = ".. role:: own\n\n.. default-role:: own\n\n.. glossary::\n\n   a\n      b `c`\n\n      .. raw:: html\n\n"
    text += "         d\n"
    (draft,), _ = read(text)
    assert draft.definition == "b c"
    assert (vars(directives)["_directives"], vars(roles)["_roles"]) == before
    settings = {"warning_stream": False, "report_level": 1}
    assert "Unknown directive" in publish_parts(text, writer="html5", settings_overrides=settings)["whole"]


def test_nesting_without_end_costs_its_own_definition_its_markup() -> None:
    deep = "".join(" " * (depth + 6) + "* a\n\n" for depth in range(0, 600, 2))
    drafts, document = read(f".. glossary::\n\n   deep\n{deep}\n   next\n      Fine.\n")
    assert [draft.term for draft in drafts] == ["deep", "next"]
    assert drafts[0].definition.startswith(r"\* a * a")
    assert [problem.line for problem in document.problems] == [3]


def test_nesting_without_end_is_an_error_where_it_is_all() -> None:
    with pytest.raises(GlossaryError, match="nested too deeply"):
        read("".join(" " * depth + "a\n" for depth in range(300)))


@pytest.mark.parametrize("piece", [" *a", "`a ", "|a ", "``a ", "a-", "[", "x", "_`a "])
def test_long_text_is_read(piece: str) -> None:
    (draft,), _ = read(".. glossary::\n\n   a\n      " + piece * 20_000)
    assert draft.definition.count("a") >= min(piece.count("a"), 1)


def test_is_recognised_by_a_directive() -> None:
    assert rst.recognises("Words\n=====\n\n.. glossary::\n   :sorted:\n")
    assert rst.recognises(".. _label:\n\nTitle\n")
    assert not rst.recognises("# Words\n\nterm::\n  text ... and .. more\n")


_MARKUP = """
.. glossary::|.. note::|.. nosuch:: x|.. code-block:: a|.. |a| replace:: b|.. table::|.. [1] c|.. _t: u|.. role:: r
:term:`|:x:`|`|``|*|**|_|__|[1]_|a_|:a: b|-|1.|+--+|====|===|::|<|>|&|[|](|\\|a|b c|é
"""
_pieces = st.sampled_from([*_MARKUP.replace("\n", "|").split("|"), "|", "\t", "\x00", "\u2028"])
_indents = st.sampled_from(["", "\n", "\n\n", "\n   ", "\n      ", "  "])


@given(st.lists(st.one_of(_pieces, _indents), max_size=40).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    document = Document.of(text)
    try:
        drafts = list(rst.read(document))
    except GlossaryError:
        return
    places = [draft.line for draft in drafts] + [note.line or 1 for note in (*document.problems, *document.notices)]
    assert all(1 <= line <= len(document.lines) for line in places)
