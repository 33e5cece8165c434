import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.readers.markup import clean, escape, from_html, plain

PAGE = "https://docs.example.org/glossary/terms.html"
FRAGMENTS = (
    "a", "b1", " ", "  ", "\n", "\n\n", "\t", "*", "**", "_", "__", "`", "```", "~~", "[", "]", "(", ")", "](", "![",
    "<", ">", "&", ";", "&lt;", "&amp;", "&#106;", "&amp;lt;", "|", "|-|", "- ", "1. ", "> ", "# ", "\\", "!", ":", "/",
    "<b>", "</b>", "<i>", "<br>", "<p>", "</p>", "<ul>", "<li>", "</ul>", "<table>", "<td>", "<div>", "</div>",
    "<script>", "</script>", "<a href='#x'>", "<a href=javascript:a>", "</a>", "<img src=x onerror=y>", "<!--", "-->",
    "<T>", "<x y>", "javascript:a", "http://a.b", "<http://a.b>", "[a]: b\n", "data:x", "\u202e", "\u200b", "\u200d",
    "é", "字", "$", "\\(", "---", "    ", "<code>", "</code>", "<sup>", "<dl>", "<dt>", "<dd>", "<pre>",
)  # fmt: skip
markup = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "Vec<T>, List<String>, Map<K, V> and Option<u>",
        "x<y and z>w",
        r"C:\dir\file and \\server\share",
        "snake_case and __all__ of 2 * 3 * 4",
        "$a_b^2$ and \\(x_1\\) and \\[y\\]",
        "AT&T & co; R&D",
        "`<b>` and `` a ` b &amp; ``",
        "```html\n<script>x</script> &amp; ![a](b)\n```",
        "Code:\n\n    indented <b>code</b> &amp;",
        "Put <your-name> there, see <dc:title>",
        "the <title> element of <head>",
        "*emphasis*, **strong**, ~~gone~~ and [a link](https://example.org/a_b 'title')",
        "- one\n- two\n\n1. three",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "<https://example.org>",
        "10% of 5' 3\" #1",
    ],
)
def test_what_is_safe_stays_as_it_is_written(text: str) -> None:
    assert clean(text).text == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("<script>alert(1)</script>kept", "kept"),
        ("a <script> b", "a b"),
        ("[x](javascript:alert(1))", "x"),
        ("[x](JaVa&#x73;cript:alert(1))", "x"),
        ("[x](data:text/html,y)", "x"),
        ("[x](vbscript:y)", "x"),
        ("[x](<java script:y>)", "x"),
        ("[x][y] z\n\n[y]: javascript:alert(1)", "x z"),
        ("<javascript:alert(1)>", "javascript:alert(1)"),
        ("[[a](javascript:b)](data:c)", r"\[a\](data:c)"),
        ("<a href='java\nscript:b'>x</a>", "x"),
        ("<a href='&#106;avascript:b'>x</a>", "x"),
        ("<img src=x onerror=alert(1) alt='a picture'> b", "a picture b"),
        ("x <svg/onload=alert(1)> y", "x y"),
        ("<x onclick=alert(1)>y</x>", "y"),
        ("<iframe src='https://e.org'></iframe>z", "z"),
        ("![a *b*](c.png)", "a b"),
        ("a<br>b<br/>c", "a  \nb  \nc"),
        ("<em>a</em> <b>b</b> <code>c*</code> <kbd>D</kbd>", "*a* **b** `c*` `D`"),
        ("H<sub>2</sub>O, x<sup>2</sup>, 2<sup>nd</sup>, x<sub>max</sub>", "H₂O, x², 2nd, x_max"),
        ("<a href='https://e.org/(a) b'>c</a>", "[c](https://e.org/%28a%29%20b)"),
        ("<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>", "- a\n- b\n  1. c"),
        ("<table><tr><th>A<th>B<tr><td>1|2<td>3</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | 3 |"),
        ("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dt>d</dt><dd>e</dd></dl>", "- a: b\n- c, d: e"),
        ("<details>\n<summary>a</summary>\n\nb *c*\n\n</details>", "a\n\nb *c*"),
        ("a <!-- b --> c", "a c"),
        ("*a* &amp; b &copy;", "*a* & b ©"),
        ("&lt;b&gt;", r"\<b>"),
        ("&amp;lt;b&amp;gt;", r"\&lt;b\&gt;"),
        ("a [b][c]\n\n[c]: https://e.org/d", "a [b](https://e.org/d)"),
        ("<pre><code class='language-py'>a &lt; b\nc</code></pre>", "```py\na < b\nc\n```"),
        ("<T>", "<T>"),
    ],
)
def test_markup_becomes_what_markdown_has_for_it(text: str, cleaned: str) -> None:
    assert clean(text).text == cleaned


def test_entities_are_resolved_once() -> None:
    once = clean("&amp;lt;b&amp;gt;").text
    assert plain(once) == "&lt;b&gt;"
    assert plain("&lt;b&gt;") == "<b>"


def test_links_within_the_glossary_are_references() -> None:
    text = "[a](#term-a), [b](../b/index.html), [c](c.md#d), [e f](#e%20f) and [g](https://e.org/g)"
    cleaned = clean(text)
    assert cleaned.text == "a, b, c, e f and [g](https://e.org/g)"
    assert cleaned.references == ("term-a", "b", "d", "e f")
    assert cleaned.fragments == {"term-a", "e f"}


def test_links_are_resolved_against_the_published_page() -> None:
    text = "[a](#a), [b](other.html), [c](/top/c), [d](//cdn.example.org/d) and <a href='x.html'>e</a>"
    assert clean(text, base_url=PAGE).text == (
        "a, [b](https://docs.example.org/glossary/other.html), [c](https://docs.example.org/top/c), "
        "[d](https://cdn.example.org/d) and [e](https://docs.example.org/glossary/x.html)"
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb\u2066c\u2069", "abc"),
        ("ja\u200bva\u2060\u00adscript", "javascript"),
        ("a\u200db", "ab"),
        ("x\x00y\x1bz\x9f", "xyz"),
        ("flag \U0001f3f4 \U000e0061\U000e0062", "flag \U0001f3f4"),
        ("a\ufe0f\ufe0f", "a"),
        ("a&#x202e;b", "ab"),
    ],
)
def test_characters_that_hide_text_are_dropped(text: str, seen: str) -> None:
    assert clean(text).text == seen


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",
        "क\u094d\u200dष and ന\u0d4d\u200d",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f3f3\ufe0f\u200d\U0001f308 1\ufe0f\u20e3",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "e\u0301 and \u05e9\u05dc\u05d5\u05dd\u200f!",
        "葛\U000e0100",
    ],
)
def test_characters_that_shape_text_stay(text: str) -> None:
    assert clean(text).text == text
    assert plain(text) == text


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("**bold** (`B`)", "bold (B)"),
        ("__init__", "__init__"),
        ("*args", "*args"),
        ("[a](#b) ![c](d)", "a c"),
        ("H<sub>2</sub>O", "H₂O"),
        ("Vec<T>", "Vec<T>"),
        ("<div>", "<div>"),
        (r"\*x\* C:\dir", r"*x* C:\dir"),
        ("a\n b", "a b"),
        ("<!-- nothing -->", ""),
        ("<img src=x onerror=y>", ""),
    ],
)
def test_plain_text(name: str, bare: str) -> None:
    assert plain(name) == bare


@pytest.mark.parametrize(
    ("fragment", "markdown"),
    [
        ("<p>1. a</p><p># b</p><p>- c</p><p>&gt; d</p>", "1\\. a\n\n\\# b\n\n\\- c\n\n\\> d"),
        ("<p>snake_case f(*args) 2 * 3 [1] x</p>", "snake_case f(*args) 2 * 3 [1] x"),
        ("<p>__init__ and *a*</p>", r"\_\_init\_\_ and \*a\*"),
        ("<p>a<b> b </b>c <i></i></p>", "a **b** c"),
        ("<p>a<p>b<div>c", "a\n\nb\n\nc"),
        ("a<br><br>b", "a\n\nb"),
        ("<a href='#x'><em><a href='#y'>z</a></em></a>", "*[z](#y)*"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<h3>a <b>b</b></h3>c", "### a **b**\n\nc"),
        ("<ul><li><p>a</p><pre>b\n  c</pre></li><li>d</li></ul>", "- a\n\n  ```\n  b\n    c\n  ```\n\n- d"),
        ("<code>a`b</code> <code>`</code>", "``a`b`` `` ` ``"),
        ("<span class='math'>\\(x_1\\)</span>", "\\(x_1\\)"),
        ("<script>a</script><style>b</style><svg><text>c</text></svg>d", "d"),
        ("<em><i>a</i></em> <em><strong>b</strong></em>", "*a* ***b***"),
        ("<table><tr><td>a</td></tr></table>", "a"),
        ("<td>a</td>", "a"),
        ("no <b>tags", "no **tags**"),
    ],
)
def test_html(fragment: str, markdown: str) -> None:
    assert from_html(fragment) == markdown


@given(markup, st.sampled_from([None, PAGE]))
def test_cleaning_twice_changes_nothing(text: str, base_url: str | None) -> None:
    once = clean(text, base_url=base_url).text
    assert clean(once, base_url=base_url).text == once


@given(markup)
def test_html_comes_out_clean(text: str) -> None:
    markdown = from_html(text)
    assert clean(markdown, base_url=PAGE).text == clean(clean(markdown, base_url=PAGE).text, base_url=PAGE).text


@given(markup.filter(lambda text: "\\[" not in text and "\\]" not in text))  # where maths begins and ends
def test_an_escaped_text_says_the_same(text: str) -> None:
    text = plain(escape(text))
    assert plain(escape(text)) == text


@pytest.mark.parametrize("nested", ["> ", "- ", "<div>", "<ul><li>", "<b>", "[", "*a ", "<table><tr><td>"])
def test_deep_nesting_loses_no_text(nested: str) -> None:
    text = f"{nested * 500}deepest"
    assert "deepest" in clean(text).text
    assert "deepest" in from_html(text)


def test_long_paragraphs_keep_their_text() -> None:
    text = "word &amp; <b>word</b> " * 4000
    assert clean(text).text.count("word") == 8000
