"""Markdown glossaries: which layouts are read, where entries stand, what becomes of dialects and front matter."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot import readers
from glossbot.errors import GlossaryError
from glossbot.readers import markdown
from glossbot.readers.document import Document, Draft

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


def read(text: str, label: str = "glossary.md") -> tuple[Sequence[Draft], Document]:
    document = Document.of(textwrap.dedent(text).lstrip("\n"), label=label)
    return list(markdown.read(document)), document


def defined(text: str, label: str = "glossary.md") -> dict[str, str]:
    return {draft.term: draft.definition for draft in read(text, label)[0]}


def definition(body: str) -> str:
    """Return what a body becomes below a heading in a glossary."""
    (draft,), _ = read(f"# Glossary\n\n## term\n\n{textwrap.dedent(body).strip()}\n")
    return draft.definition


# The project's own format


def test_every_part_of_an_entry_is_read() -> None:
    (gqa, cache), document = read(GLOSSARY)
    assert gqa.term == "grouped-query attention (GQA)"
    assert gqa.aliases == ["grouped attention", "GQ attention"]
    assert gqa.related == ["KV cache"]
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
    assert (document.problems, document.notices) == ([], [])


def test_lines_are_those_of_the_file() -> None:
    lines = GLOSSARY.splitlines()
    for draft in read(GLOSSARY)[0]:
        assert lines[draft.line - 1].startswith(f"## {draft.term}")
        for contrast in draft.contrasts:
            assert f"vs. {contrast.other}" in lines[contrast.line - 1]


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_lines_do_not_depend_on_how_lines_end(newline: str) -> None:
    expected = read(GLOSSARY)[0]
    drafts = list(markdown.read(Document.of(GLOSSARY.replace("\n", newline))))
    assert [(draft.line, draft.definition) for draft in drafts] == [(one.line, one.definition) for one in expected]


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_unusual_line_separators_shift_no_definition(separator: str) -> None:
    (one, two), _ = read(f"# Terms\n\n## one\n\nFirst{separator}half.\n\n## two\n\nSecond thing.\n")
    assert "".join(one.definition.split()) == "Firsthalf."
    assert two.definition == "Second thing."
    assert two.line == 7


def test_an_entry_without_a_definition_is_left_to_be_named_with_its_line() -> None:
    one, two = read("# A\n\n## one\n\nText.\n\n## two\n")[0]
    assert (two.term, two.definition, two.line) == ("two", "", 7)
    (only,) = read("# A\n\n## one\n- Related: two\n")[0]
    assert (only.definition, only.line) == ("", 3)
    assert one.definition == "Text."


def test_a_heading_without_a_headword_is_left_to_be_named_with_its_line() -> None:
    (draft,), _ = read("# A\n\n## \n\nText.\n")
    assert (draft.term, draft.line) == ("", 3)


def test_a_contrast_without_a_sentence_is_named_with_its_line() -> None:
    (draft,), document = read("## one\n\nText.\n\n- vs two:\n")
    assert (draft.definition, draft.contrasts) == ("Text.", [])
    assert [str(problem) for problem in document.problems] == ["glossary.md:5: 'vs two' has no sentence"]


def test_fields_may_be_bold_and_paragraphs() -> None:
    (draft,), _ = read("# Glossary\n\n## term\n\n**Synonyms:** one, two\n\nText.\n\n*Related terms*: third\n")
    assert (draft.aliases, draft.related, draft.definition) == (["one", "two"], ["third"], "Text.")


def test_text_without_terms_holds_no_entry() -> None:
    assert read("Just a text.\n\n- a list\n")[0] == []
    assert read("")[0] == []


# A heading for each term


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("# one\nFirst.\n# two\nSecond.\n", ["one", "two"]),
        ("# Glossary\n# one\nFirst.\n# two\nSecond.\n", ["one", "two"]),
        (
            "# Glossary\n\nIntro.\n\n## A\n\n### apple\n\nFruit.\n\n## B\n\n## C\n\n### cherry\n\nRed.\n",
            ["apple", "cherry"],
        ),
        ("# Glossary\n\n## A\n\n## apple\n\nFruit.\n\n## B\n\n## banana\n\nLong.\n", ["apple", "banana"]),
        (
            "# Terms\n\n## one\n\nText.\n\n### Example\n\nText.\n\n## two\n\nText.\n\n## three\n\nText.\n",
            ["one", "two", "three"],
        ),
        ("## one\n\nText.\n\n### A closer look\n\nText.\n", ["one"]),
        (
            "## one\n\n### Definition\n\nText.\n\n### Example\n\nText.\n\n## two\n\n### Definition\n\nText.\n",
            ["one", "two"],
        ),
        (
            "# Glossary\n\n## Introduction\n\nText.\n\n## one\n\nText.\n\n## two\n\nText.\n\n## See also\n\n- x\n",
            ["one", "two"],
        ),
        ("# Glossary\n\n## C\n\nA language.\n\n## R\n\nAnother one.\n", ["C", "R"]),
    ],
    ids=["top", "title", "letters", "flat letters", "part", "only", "parts", "beside", "one letter"],
)
def test_the_headings_that_are_terms_are_found(text: str, terms: list[str]) -> None:
    assert [draft.term for draft in read(text)[0]] == terms


def test_the_sections_below_a_term_belong_to_its_definition() -> None:
    assert definition("Text.\n\n### Example\n\nMore.\n\n#### Deeper\n\nEnd.") == (
        "Text.\n\n### Example\n\nMore.\n\n#### Deeper\n\nEnd."
    )


def test_categories_may_be_nested_and_have_introductions() -> None:
    drafts, _ = read(
        """
        # Handbook

        ## Networks

        ### Basics

        #### router

        R.

        #### switch

        S.

        ### Cloud

        #### gateway

        G.

        ## Storage

        All about storage.

        ### bucket

        B.

        ### disk

        D.
        """
    )
    assert [(draft.term, draft.category) for draft in drafts] == [
        ("router", "Basics"),
        ("switch", "Basics"),
        ("gateway", "Cloud"),
        ("bucket", "Storage"),
        ("disk", "Storage"),
    ]


def test_only_the_glossary_of_a_page_is_read() -> None:
    drafts, document = read(
        """
        # A tool

        What it does.

        ## Installing

        - **fast**: in a minute
        - **small**: in a megabyte

        ## Glossary

        ### one

        First.

        ### two

        Second.

        ## License

        MIT
        """
    )
    assert [draft.term for draft in drafts] == ["one", "two"]
    assert document.attribution == "MIT"


def test_anchors_are_those_of_the_published_page() -> None:
    text = """
        # Glossary

        ## Access Token (AT)

        Text.

        ## Access `Token` AT

        Text.

        ## other {#own-id .class}

        Text.

        <a name="before"></a>
        ## third

        Text.

        ## <a id="inside"></a>fourth

        Text.
    """
    anchors = {draft.term: draft.anchor for draft in read(text)[0]}
    assert anchors == {
        "Access Token (AT)": "access-token-at",
        "Access `Token` AT": "access-token-at-1",
        "other": "own-id",
        "third": "before",
        "fourth": "inside",
    }


def test_numbers_of_sections_are_no_part_of_terms() -> None:
    drafts, _ = read("# Glossary\n\n## 1. pod\n\nA.\n\n## 2. node\n\nB.\n")
    assert [(draft.term, draft.anchor) for draft in drafts] == [("pod", "1-pod"), ("node", "2-node")]
    assert list(defined("## 2 factor\n\nA.\n\n## node\n\nB.\n")) == ["2 factor", "node"]


def test_lists_and_tables_in_definitions_are_no_entries() -> None:
    text = "## one\n\nThere are:\n\n- **GET**: reads\n- **PUT**: writes\n\n"
    text += "## two\n\nText.\n\n## three\n\n| Name | Description |\n|-|-|\n| 200 | fine |\n"
    assert list(defined(f"# Glossary\n\n{text}")) == ["one", "two", "three"]


def test_what_parts_terms_is_no_definition() -> None:
    text = "# Glossary\n\n## one\n\nText.\n\n[Back to top](#glossary)\n\n---\n\n## two:\n\nText.\n"
    assert defined(text) == {"one": "Text.", "two": "Text."}


def test_links_that_name_their_target_elsewhere_carry_it() -> None:
    text = "See [the page][a],\n[a] and `[a]`.\n\n```\n[a]\n```\n\n[a]: https://example.org/x"
    assert definition(text) == (
        "See [the page](https://example.org/x),\n[a](https://example.org/x) and `[a]`.\n\n```\n[a]\n```"
    )


def test_the_last_line_may_state_the_licence() -> None:
    drafts, document = read("## one\n\nText.\n\n---\n\n*This glossary is licensed under CC BY 4.0.*\n")
    assert [draft.definition for draft in drafts] == ["Text."]
    assert document.attribution == "This glossary is licensed under CC BY 4.0."


# Definition lists


def test_definition_lists_of_every_dialect_are_read() -> None:
    drafts, _ = read(
        """
        ## Glossary

        {:auto_ids}
        change set
        :   A group of changes that are
        added to a [commit](#commit).

        pear
        apple
        : A fruit.
        : A brand.

        commit

        :   To record.

            - nested

            Second paragraph.

        lemon
        ~ sour
        lime
        ~ green

        ```
        no term
        : no definition
        ```
        """
    )
    assert {draft.term: (draft.line, draft.anchor, draft.definition) for draft in drafts} == {
        "change set": (4, "change-set", "A group of changes that are\nadded to a [commit](#commit)."),
        "pear": (8, "pear", "A fruit.\n\nA brand."),
        "commit": (13, "commit", "To record.\n\n- nested\n\nSecond paragraph."),
        "lemon": (21, "lemon", "sour"),
        "lime": (23, "lime", "green"),
    }
    assert drafts[1].aliases == ["apple"]


def test_the_glossary_directive_is_a_definition_list() -> None:
    text = "# Page\n\n```{glossary}\n:sorted:\n\none\n  First\n  line.\n\ntwo\nother two\n  Second.\n```\n"
    drafts, _ = read(text)
    assert [(draft.term, draft.aliases, draft.definition, draft.line) for draft in drafts] == [
        ("one", [], "First\nline.", 6),
        ("two", ["other two"], "Second.", 10),
    ]


# Lists and paragraphs


@pytest.mark.parametrize(
    "line",
    [
        "- **API**: the definition",
        "* **API:** the definition",
        "+ **API** - the definition",
        "1. __API__ — the definition",
        "- *API*: the definition",
        "- API: the definition",
        "* API – the definition",
        "- [ ] **API**: the definition",
        "- **API**\n\n  the definition",
    ],
)
def test_list_items_that_begin_with_a_term_are_entries(line: str) -> None:
    other = line.replace("API", "SDK").replace("the definition", "another one")
    assert defined(f"You may need more.\n\n{line}\n{other}\n") == {"API": "the definition", "SDK": "another one"}


def test_all_of_an_item_belongs_to_its_definition() -> None:
    drafts, document = read(
        """
        # Glossary

        - **term** (ABC): first line
          second line

          paragraph
          - nested **x**: y

          ```
          code
          ```
        - **other**: text
        - **third** is a term.
        - **fourth**: text
        - **fifth**: text
        - See [elsewhere](https://example.org).
        """
    )
    assert [draft.term for draft in drafts] == ["term (ABC)", "other", "third", "fourth", "fifth"]
    assert drafts[0].definition == "first line\nsecond line\n\nparagraph\n- nested **x**: y\n\n```\ncode\n```"
    assert drafts[2].definition == "**third** is a term."
    assert [notice.line for notice in document.notices] == [16]


def test_lists_may_stand_in_categories() -> None:
    by_heading = "# Glossary\n\n## Fruit\n\n- **pear**: p\n- **plum**: q\n\n## Nuts\n\n- **nut**: n\n"
    by_item = "# Glossary\n\n- **Fruit**\n  - **pear**: p\n  - **plum**: q\n- **Nuts**\n  - **nut**: n\n"
    for text in (by_heading, by_item):
        assert [(draft.term, draft.category) for draft in read(text)[0]] == [
            ("pear", "Fruit"),
            ("plum", "Fruit"),
            ("nut", "Nuts"),
        ]


@pytest.mark.parametrize(
    "text",
    [
        "**pear**: A fruit.\n\nMore.\n\n**plum**: Another.\n",
        "**pear**\n\nA fruit.\n\nMore.\n\n**plum**\n\nAnother.\n",
        "**pear**\nA fruit.\n\nMore.\n\n**plum**\nAnother.\n",
    ],
)
def test_paragraphs_that_begin_with_a_term_are_entries(text: str) -> None:
    assert defined(f"# Glossary\n\n{text}") == {"pear": "A fruit.\n\nMore.", "plum": "Another."}


def test_the_lines_of_one_paragraph_may_be_entries() -> None:
    drafts, _ = read("# Glossary\n\n**pear**: A fruit.  \n**plum**: Another.\\\n**fig**: One more.\n")
    assert [(draft.term, draft.definition, draft.line) for draft in drafts] == [
        ("pear", "A fruit.", 3),
        ("plum", "Another.", 4),
        ("fig", "One more.", 5),
    ]


# Tables


def test_tables_are_read_with_what_else_they_say() -> None:
    drafts, document = read(
        """
        # Terms

        | Term | Definition | Synonyms to AVOID | Example |
        |---|---|---|---|
        | **Task** | Something<br>to do. | to-do, chore | buy `a|b` |
        | Event | Happens. | — | |

        ## Resolved distinctions

        - A task is not an event.
        """
    )
    assert [(draft.term, draft.aliases, draft.line) for draft in drafts] == [
        ("**Task**", ("to-do", "chore"), 5),
        ("Event", (), 6),
    ]
    assert drafts[0].definition.startswith("Something\n\nto do.\n\n")
    assert "\n\nExample: buy `a|b`" in drafts[0].definition
    assert [notice.line for notice in document.notices] == [8]


def test_headings_and_tables_may_stand_in_one_file() -> None:
    table = "| Acronym | Definition |\n|-|-|\n| API | C |\n"
    text = f"# Page\n\n## Terms\n\n### pod\n\nA.\n\n### node\n\nB.\n\n## Acronyms\n\n{table}"
    assert defined(text) == {"pod": "A.", "node": "B.", "API": "C"}


def test_a_table_may_lack_a_header_and_a_file_may_hold_only_abbreviations() -> None:
    assert defined("# Terms\n\n| | |\n|-|-|\n| one | First. |\n") == {"one": "First."}
    assert defined("*[API]: Application programming interface\n*[SDK]: Kit\n", "abbreviations.md") == {
        "API": "Application programming interface",
        "SDK": "Kit",
    }
    assert defined("## one\n\nAn API.\n\n*[API]: Interface\n") == {"one": "An API."}


def test_the_owner_may_name_the_columns() -> None:
    document = Document.of("| X | Y |\n|-|-|\n| a | b |\n", columns={"term": "Y", "definition": "X"})
    assert [(draft.term, draft.definition) for draft in markdown.read(document)] == [("b", "a")]


# A file for each term


def test_front_matter_with_a_term_is_one_entry() -> None:
    (draft,), document = read(
        """
        ---
        title: Pod
        id: pod
        aka:
        - pods
        - k-pod
        tags: [core, workload]
        short_description: >
          Not used.
        lang: en
        license: CC-BY-4.0
        ---
        A pod.

        ## Parts

        - **one**: first
        - **two**: second

        ## Why there are pods

        Text.
        """,
        "pod.md",
    )
    assert (draft.term, draft.line, draft.key, draft.anchor) == ("Pod", 2, "pod", "term-pod")
    assert (draft.aliases, draft.category) == (("pods", "k-pod"), "core, workload")
    assert draft.definition.startswith("A pod.\n\n## Parts\n\n- **one**: first")
    assert draft.definition.endswith("Text.")
    assert (document.language, document.attribution) == ("en", "CC-BY-4.0")


@pytest.mark.parametrize(
    ("text", "label", "term"),
    [
        ("+++\ntitle = 'Pod'\naliases = ['/old']\n+++\nText.\n", "x.md", "Pod"),
        ("---\ntitle: Pod | Glossary\n---\nText.\n", "x.md", "Pod"),
        ("---\ntitle: <b> element\n---\nText.\n", "x.md", r"\<b> element"),
        ("---\nterm: NO\ndefinition: Text.\n---\n", "x.md", "NO"),
        ("---\ntitle: Pod\nslug: Glossary/Pod\n---\n\n# Pod\n\nText.\n", "x.md", "Pod"),
        ("---\ntags: [core]\n---\nText.\n", "Pod.md", "Pod"),
        ("# Pod\n\nText.\n", "pod.md", "Pod"),
        ("A pod is a group.\n", "Pod.md", "Pod"),
    ],
)
def test_files_of_one_term_in_other_ways(text: str, label: str, term: str) -> None:
    (draft,), _ = read(text, label)
    assert draft.term == term
    assert not draft.aliases
    assert draft.definition in ("Text.", "A pod is a group.")


def test_a_page_that_only_redirects_says_where_to() -> None:
    (draft,), _ = read("---\ntitle: Old name\nredirect: New name\n---\n", "old.md")
    assert (draft.term, draft.definition) == ("Old name", "See [New name](#New%20name)")


@pytest.mark.parametrize("title", ["Glossary", "Standard glossary", "用語集", "Glosario"])
def test_a_page_that_only_lists_the_glossary_is_no_entry(title: str) -> None:
    assert read(f"---\ntitle: {title}\nlayout: glossary\n---\n\nTerms are in the sidebar.\n", "index.md")[0] == []


def test_damaged_front_matter_is_named_with_its_line_and_the_rest_is_read() -> None:
    (draft,), document = read("---\nid: pod\ntitle: Pod: a group\n---\nText.\n", "pod.md")
    assert (draft.term, draft.definition, draft.line) == ("Pod: a group", "Text.", 3)
    assert [problem.line for problem in document.problems] == [3]
    (draft,), document = read("+++\ntitle = 'Pod'\nx = \n+++\nText.\n", "pod.md")
    assert (draft.term, [problem.line for problem in document.problems]) == ("Pod", [3])


@pytest.mark.parametrize(
    "text", ["---\na: " + "[" * 9999, "+++\na=" + "[" * 9999, "---\na: &a [*a]", "---\n? [a]\n: b"]
)
def test_hostile_front_matter_is_no_danger(text: str) -> None:
    drafts, _ = read(f"{text}\n{text[:3]}\n## one\n\nFirst.\n\n## two\n\nSecond.\n")
    assert [draft.term for draft in drafts][-2:] == ["one", "two"]


# Dialects


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('A {{< glossary_tooltip text="pods" term_id="pod" >}}.', "A [pods](#pod)."),
        ('A {{< glossary_tooltip term_id="pod" >}}.', "A [pod](#pod)."),
        ('{{< glossary_definition prepend="It is" term_id="pod" length="short" >}}', "It is [pod](#pod)"),
        ("{{< note >}}\nText.\n{{< /note >}}", "Text."),
        ('[x]({{< ref "concepts/pod.md" >}}) {{% param "version" %}}', "[x](#pod)"),
        ('{{Glossary("hyper text", "HT")}} {{glossary(\'scope\')}}', "[HT](#hyper%20text) [scope](#scope)"),
        ('{{GlossarySidebar}}\n\n{{domxref("a.b()", "b")}}', "`b`"),
        ('{{HTTPHeader("Accept")}} {{htmlelement("a")}} {{RFC(2616)}}', "`Accept` `<a>` RFC 2616"),
        ("{{EmbedLiveSample('Example', '300')}}Text.", "Text."),
        ("On {% data variables.product.prodname_actions %}{{ site.x }}{% if a %}.{% endif %}", "On actions."),
        ("one <!-- two\nthree --> four `<!--` <!-- open", "one \n four `<!--` <!-- open"),
        ("Text.\n<!--more-->\nMore.", "Text.\n\nMore."),
        ("[[Target|text]] [[Other#part]] ![[image.png]]", "[text](#Target) [Other](#Other)"),
        ("{term}`pods <pod>` {term}`node`", "[pods](#pod) [node](#node)"),
        ('<Term id="pod">pods</Term> <GlossaryTooltip term="node" />', "[pods](#pod) [node](#node)"),
        (":::note[Careful]\n\nText.\n\n:::", "**Careful**\n\nText."),
        ('!!! note "Careful"\n\n    Text.\n\n    More.\n\nEnd.', "**Careful**\n\nText.\n\nMore.\n\nEnd."),
        ("> [!NOTE]\n> Text.", "> \n> Text."),
        ("import X from './x';\n\nText.{:.lead}", "Text.{:.lead}"),
        ('[x](https://example.org){:target="_blank"}\n{: .lead}', "[x](https://example.org)"),
        ('```js {1,3} title="x"\n{{x}} [[y]] <!-- z -->\n```', "```js\n{{x}} [[y]] <!-- z -->\n```"),
        ("Text.\n\n```css hidden\nx\n```", "Text."),
        ("`{{x}}` ``[[`y`]]`` $\\frac{{a}}{{b}}$", "`{{x}}` ``[[`y`]]`` $\\frac{{a}}{{b}}$"),
        ("<https://example.org>", "[https://example.org](https://example.org)"),
    ],
)
def test_dialects_become_plain_markdown(source: str, expected: str) -> None:
    assert definition(source) == expected


def test_an_unclosed_fence_or_comment_keeps_all_text() -> None:
    assert definition("Text. <!-- open\n\n```\ncode") == "Text. <!-- open\n\n```\ncode"


def test_lists_written_in_html_are_read() -> None:
    drafts, _ = read(
        "# Glossary\n\n<dl>\n<dt>one</dt>\n<dd>First <b>thing</b>.</dd>\n<dt>two</dt><dd>Second.</dd>\n</dl>\n"
    )
    assert [(draft.term, draft.line) for draft in drafts] == [("one", 4), ("two", 6)]
    assert drafts[0].definition == "First **thing**."


# The whole way


def test_other_pages_beside_a_glossary_are_no_entries(tmp_path: Path) -> None:
    page = "# Installing\n\nHow to.\n\n## On Linux\n\nText.\n\n## On other systems\n\nText.\n"
    (tmp_path / "install.md").write_text(page)
    (tmp_path / "pods.md").write_text("# Pods\n\n## pod\n\n- Also called: capsule\n\nA group.\n")
    assert len(readers.read([tmp_path]).glossary.entries) == 3
    (tmp_path / "glossary.md").write_text("# Glossary\n\n## one\n\nFirst.\n\n## two\n\nSecond.\n")
    assert [entry.term for entry in readers.read([tmp_path]).glossary.entries] == ["one", "two", "pod"]


def test_references_of_a_folder_resolve(tmp_path: Path) -> None:
    (tmp_path / "pod.md").write_text('---\ntitle: Pod\nid: pod\naka: [PD]\n---\nRuns on a {{< term "worker" >}}.\n')
    (tmp_path / "node.md").write_text("---\ntitle: Node\nid: worker\nshort_description: A machine.\n---\n")
    (tmp_path / "_index.md").write_text("---\ntitle: Glossary\n---\n")
    reading = readers.read([tmp_path])
    node, pod = reading.glossary.entries
    assert (pod.term, pod.aliases, pod.definition, pod.related) == ("Pod", ("PD",), "Runs on a worker.", ("Node",))
    assert (node.term, node.definition) == ("Node", "A machine.")
    assert reading.problems == ()


# Any text at all

PIECES = [
    *"#-*+_:~|>`[](){}<!%=&\\\"' \t\r\n\u2028\x00\ufeffab1.",
    *(
        "\n\n",
        "\n# ",
        "\n## ",
        "\n### ",
        "\n- ",
        "\n  - ",
        "\n: ",
        "\n    ",
        "\n---\n",
        "```",
        "~~~",
        "**a**",
        "**a**: b",
    ),
    *("\n| a | b |\n|-|-|\n", "| term | definition |\n|-|-|\n", "[a]: b\n", "<a id=x>", "<!--", "-->", "[[", "]]"),
    *("---\n", "+++\n", "title: ", "aka: [", "{{", "}}", '{{a("b")}}', "{{< a >}}", "{%", "%}", "{% comment %}"),
    *("```{glossary}\n", "!!! note\n    ", ":::", "{:", "{#a}", "Glossary", "See also", "- vs x:", "- Also called: "),
]


def check(text: str) -> None:
    document = Document.of(text)
    try:
        drafts = list(markdown.read(document))
    except GlossaryError:
        return  # no text, for its control characters
    for draft in drafts:
        assert 1 <= draft.line <= len(document.lines)
    for problem in document.problems + document.notices:
        assert problem.line is None or 1 <= problem.line <= len(document.lines)


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text_is_read(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_definition_is_read(text: str) -> None:
    check(f"# Glossary\n\n## term\n\n{text}")


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_front_matter_is_read(text: str) -> None:
    check(f"---\ntitle: x\n{text}\n---\nText.")


@given(st.text())
def test_any_unicode_is_read(text: str) -> None:
    check(text)
    check(f"- **term**: {text}")


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "- " * 5_000 + "x", "{{" * 9_000, "<!--" * 9_000, "**a" * 9_000, "`a``" * 9_000]
)
def test_nasty_texts_are_kept_as_they_are(text: str) -> None:
    (draft,), _ = read(f"## term\n\n{text}\n")
    assert draft.definition == text.rstrip()
