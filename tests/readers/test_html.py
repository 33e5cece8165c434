from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import GlossaryError
from glossbot.readers import ReadOptions, html
from glossbot.readers import read as read_files
from glossbot.readers.document import Document, Draft


def read(text: str, *, label: str = "glossary.html") -> list[Draft]:
    return list(html.read(Document.of(text, label=label)))


def pairs(text: str, *, label: str = "glossary.html") -> list[tuple[str, str]]:
    return [(draft.term, draft.definition) for draft in read(text, label=label)]


SPHINX = """<!DOCTYPE html>
<html lang="en"><head><title>Glossary &#8212; Widgets 1.0</title></head><body>
<div class="related" role="navigation"><dl><dt>index</dt><dd>of all</dd></dl></div>
<div class="body" role="main"><section id="glossary"><h1>Glossary<a class="headerlink" href="#glossary">¶</a></h1>
<dl class="glossary simple">
<dt id="term-gear">gear<a class="headerlink" href="#term-gear" title="Link">¶</a></dt><dt
 id="term-cog"><code class="docutils literal"><span class="pre">cog</span></code><a href="#term-cog">¶</a></dt><dd><p>A
wheel, see <a class="reference internal" href="#term-cog"><span>cogs</span></a>
and <a href="other.html#axle">axles</a>.</p>
<dl class="simple"><dt>inner</dt><dd><p>nested</p></dd></dl></dd>
<dt id="term-lever">lever<span class="classifier">L</span></dt><dd><p>A bar.</p>
<div class="highlight-python3"><div class="highlight"><pre><span></span><span class="k">pull</span>(1)
  push()
</pre></div></div></dd>
</dl>
<dl class="py function"><dt class="sig" id="f">f(x)</dt><dd><p>A function.</p></dd></dl>
</section></div></body></html>"""


def test_sphinx() -> None:
    gear, lever = read(SPHINX)
    assert (gear.term, gear.aliases, gear.anchor, gear.line) == ("gear", ["`cog`"], "term-gear", 6)
    assert gear.definition == ("A wheel, see [cogs](#term-gear) and [axles](other.html#axle).\n\n- inner: nested")
    assert (lever.term, lever.line) == ("lever", 11)
    assert lever.definition == "A bar.\n\n```python3\npull(1)\n  push()\n```"


def test_docbook() -> None:
    page = """<?xml version="1.0" encoding="ISO-8859-1"?>
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Words</title></head><body>
    <div class="navheader"><table><tr><th>Term</th><th>Definition</th></tr><tr><td>x</td><td>y</td></tr></table></div>
    <div class="toc"><dl><dt><a href="#a">A</a></dt><dd>in the contents</dd></dl></div>
    <div class="glossary"><div class="glossdiv"><h3 class="title">A</h3><dl>
    <dt><a id="a1"/><span class="glossterm">Apple</span></dt>
    <dd class="glossdef"><p>A fruit.</p><p>See Also <a class="glossseealso" href="words.html#p1">Pear</a>.</p></dd>
    <dd class="glossdef"><p>A <em><a href="words.html#p1">pear</a></em>'s neighbour.</p></dd>
    <dt><span class="glossterm">Pome</span></dt><dd><p>See <a class="glosssee" href="#a1">Apple</a>.</p></dd>
    </dl></div><div class="glossdiv"><h3>P</h3><dl><dt id="p1">Pear</dt><dd>Another.</dd></dl></div></div>"""
    apple, pome, pear = read(page, label="words.html")
    assert (apple.term, apple.anchor, apple.line, apple.category) == ("Apple", "a1", 6, None)
    assert apple.definition == "A fruit.\n\nA *[pear](#p1)*'s neighbour."
    assert apple.related == ["Pear"]
    assert pome.definition == "See [Apple](#a1)."
    assert (pear.term, pear.definition, pear.anchor) == ("Pear", "Another.", "p1")


def test_asciidoctor() -> None:
    page = """<div class="dlist glossary"><dl><dt id="mud">mud</dt><dd><p>Wet earth.</p></dd></dl></div>
    <div class="hdlist glossary"><table><tr><td class="hdlist1">rain<br>shower</td>
    <td class="hdlist2"><p>Falls.</p></td></tr></table></div>"""
    mud, rain = read(page)
    assert (mud.term, mud.definition, mud.anchor) == ("mud", "Wet earth.", "mud")
    assert (rain.term, rain.aliases, rain.definition) == ("rain", ["shower"], "Falls.")


def test_lists_written_by_hand() -> None:
    page = "<DL>\n<DT><B>ash</B>\n<DD>A tree.\n<DT>birch\n<DD>Another.\n<DD>And more.\n</DL>"
    assert pairs(page) == [("**ash**", "A tree."), ("birch", "Another.\n\nAnd more.")]
    assert [draft.line for draft in read(page)] == [2, 4]


def test_groups_in_a_list() -> None:
    page = "<dl><div id='g'><dt>a1</dt><dt>a2</dt><dd>b</dd></div><div><dt>c1</dt><dd>d</dd></div></dl>"
    first, second = read(page)
    assert (first.term, first.aliases, first.definition, first.anchor) == ("a1", ["a2"], "b", "g")
    assert second.anchor is None


def test_headings() -> None:
    page = """<main><h1>Glossary</h1><p>What follows are words.</p><nav><a href="#x">A</a></nav>
    <h2>A</h2><h3 id="axe">Axe <a class="hash-link" href="#axe">#</a></h3><p>Cuts.</p><h4>Examples</h4><p>Two.</p>
    <section id="adze"><h3>Adze</h3><p>Shapes <a href="#axe">like an axe</a>.</p></section>
    <h2>Machines</h2><h3>Saw</h3><ul><li>one<li>two</ul><footer><a href="x">Edit this page</a></footer>
    <div class="theme-doc-toc-desktop"><ul><li><a href="#axe">Axe</a></ul></div></main>"""
    axe, adze, saw = read(page)
    assert (axe.term, axe.definition, axe.anchor, axe.category) == (
        "Axe",
        "Cuts.\n\n#### Examples\n\nTwo.",
        "axe",
        None,
    )
    assert (adze.definition, adze.anchor) == ("Shapes [like an axe](#axe).", "adze")
    assert (saw.definition, saw.category) == ("- one\n- two", "Machines")


def test_tables() -> None:
    page = """<h2>Tools</h2><table><thead><tr><th>Term</th><th>Definition</th></tr></thead>
    <tbody><tr id="r"><td>axe</td><td>Cuts <b>wood</b>.</td></tr><tr><td>saw</td><td>Saws.</td></tr></tbody></table>"""
    axe, saw = read(page)
    assert (axe.term, axe.definition, axe.anchor, axe.category, axe.line) == ("axe", "Cuts **wood**.", "r", "Tools", 2)
    assert (saw.term, saw.definition) == ("saw", "Saws.")


@pytest.mark.parametrize(
    "page",
    [
        "<details><summary>axe</summary>Cuts.</details><details><summary>saw</summary><p>Saws.</p></details>",
        "<p><strong>axe</strong>: Cuts.</p><p><strong>saw</strong> – Saws.</p>",
        "<p><b>axe:</b> Cuts.</p><p><b>saw.</b> Saws.</p>",
        "<p><b>axe</b><br>Cuts.</p><p><b>saw</b></p><p>Saws.</p>",
        "<ul><li><b>axe</b>: Cuts.</li><li><b>saw</b>: Saws.</li></ul>",
    ],
)
def test_marked_words(page: str) -> None:
    assert pairs(page) == [("axe", "Cuts."), ("saw", "Saws.")]


def test_defined_words_stay_in_their_sentence() -> None:
    page = "<p>An <dfn id='axe'>axe</dfn> cuts.</p><p>It is sharp.</p><p>A <dfn>saw</dfn> saws.</p>"
    assert pairs(page) == [("axe", "An *axe* cuts.\n\nIt is sharp."), ("saw", "A *saw* saws.")]
    assert read(page)[0].anchor == "axe"


def test_a_page_for_each_term() -> None:
    page = "<html><body><nav>x</nav><article><h1>Axe</h1><p>Cuts.</p></article></body></html>"
    assert pairs(page, label="glossary/axe.html") == [("Axe", "Cuts.")]
    assert pairs(page, label="tools/axe.html") == []


@pytest.mark.parametrize(
    "page",
    [
        "<h1>Index</h1><table class='genindextable'><tr><td>a</td><td>b</td></tr></table>",
        "<h1>API</h1><dl class='py function'><dt class='sig'>f(x)</dt><dd>does</dd></dl>",
        "<h1>Notes</h1><dl class='footnote'><dt>1</dt><dd>note</dd></dl>",
        "<h1>Search</h1><form role='search'><input></form><p>Words.</p>",
        "",
        "   ",
    ],
)
def test_other_pages_hold_no_entries(page: str) -> None:
    assert read(page, label="page.html") == []


def test_what_the_page_says_of_itself() -> None:
    page = """<html lang="pt-BR"><head><link rel="license" href="https://licences.example.org/by" title="BY"></head>
    <dl><dt lang="fr">mot</dt><dd>parole</dd></dl></html>"""
    document = Document.of(page, label="glossary.html")
    (draft,) = html.read(document)
    assert (document.language, document.attribution) == ("pt-BR", "BY https://licences.example.org/by")
    assert draft.language == "fr"


def test_pages_without_a_glossary_beside_one(tmp_path: Path) -> None:
    (tmp_path / "glossary.html").write_text(SPHINX)
    (tmp_path / "genindex.html").write_text("<h1>Index</h1><dl><dt>f()</dt><dd>(in module m)</dd></dl>")
    (tmp_path / "index.html").write_text("<h1>Widgets</h1><h2>One</h2><p>x<h2>Two</h2><p>x<h2>Three</h2><p>x")
    reading = read_files([tmp_path], ReadOptions(base_url="https://docs.example.org/"))
    assert [entry.term for entry in reading.glossary.entries] == ["gear", "lever"]
    assert reading.glossary.entries[0].url == "https://docs.example.org/glossary.html#term-gear"
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("text", "is_page"),
    [
        ("<!DOCTYPE html><p>x", True),
        ("<?xml version='1.0'?>\n<!-- x -->\n<html xmlns='y'>", True),
        ("<tbx>", False),
        ("# Glossary\n\n<dl>", False),
    ],
)
def test_pages_are_recognised(text: str, is_page: bool) -> None:
    assert html.recognises(text) == is_page


@pytest.mark.parametrize("encoding", ["iso-8859-2", "shift_jis", "windows-1251"])
def test_a_page_in_the_encoding_that_it_declares(encoding: str) -> None:
    term = {"iso-8859-2": "żaba", "shift_jis": "用語", "windows-1251": "слово"}[encoding]
    page = f'<html><head><meta charset="{encoding}"></head><dl><dt>{term}<dd>x</dl>'
    document = Document(path=Path("glossary.html"), label="glossary.html", data=page.encode(encoding))
    assert [draft.term for draft in html.read(document)] == [term]
    assert document.notices == []


def test_lines_beyond_what_the_parser_counts() -> None:
    assert [draft.line for draft in read("\n" * 70000 + "<dl><dt>a<dd>b</dl>")] == [70001]


PIECES = (
    "<dl>", "</dl>", "<dl class=glossary>", "<dt>", "<dt id=a>", "</dt>", "<dd>", "</dd>", "<h1>", "<h2>", "</h2>",
    "<h3>", "<p>", "</p>", "<b>", "</b>", "<dfn>", "</dfn>", "<table>", "<tr>", "<th>", "<td>", "Term",
    "Definition", "</table>", "<details>", "<summary>", "</summary>", "<main>", "</main>", "<nav>", "<br>",
    "<a href='#a'>", "<a name=b>", "</a>", "word", " ", "\n", "\r\n", ":", "&lt;", "&#0;", "<!--", "-->",
    "<![CDATA[", "<?xml?>", "<", ">", "<div>", "<section id=s>", "</section>", "<ul>", "<li>", "<pre>", "<code>",
    "<script>", "\x00", "\u202e", "<div class=hdlist>", "<td class=hdlist1>", "<html lang=x>", "<body>",
    "<a class=glossseealso>", "<math>", "<svg>", "<title>Glossary</title>",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=50))
def test_any_text_is_read(text: str) -> None:
    document = Document.of(text, label="glossary.html")
    try:
        drafts = list(html.read(document))
    except GlossaryError:
        return
    assert all(1 <= draft.line <= len(document.lines) for draft in drafts)


@pytest.mark.parametrize(
    "nested", ["<dl><dt>a<dd>", "<div>", "<b>", "<table><tr><td>", "<ul><li>", "<section><h2>a</h2>"]
)
def test_deep_nesting_is_read(nested: str) -> None:
    page = f"<dl class=glossary><dt>term<dd>{nested * 700}deepest"
    assert "deepest" in read(page)[0].definition
