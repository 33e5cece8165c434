"""Text within Markdown: how it is parsed, and how plain text is written so that it stays as it is.

Pieces of Markdown are put together with marks in them: a mark before each character that Markdown might take for
markup, and marks for emphasis. `settled` then writes as few escapes as do.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# Marks, which are no characters of a text (`invisible.drop` leaves none of them).
ESCAPE, EMPHASIS, STRONG, STRIKE, BREAK = "\x00", "\x01", "\x02", "\x03", "\x04"
_MARKS = re.compile("[\x00-\x04]")
_EMPHASIS = str.maketrans({EMPHASIS: "*", STRONG: "**", STRIKE: "~~"})
_NO_EMPHASIS = str.maketrans(dict.fromkeys((EMPHASIS, STRONG, STRIKE)))

DEEPEST = 60  # levels of nested blocks, or of links and emphasis
LONGEST = 1 << 15  # characters of one paragraph in which markup is looked for: some of that is not done in linear time

# A backslash before a bracket begins maths, ``\\(x\\)``, and is left to stand as it is.
_RISKY = re.compile(
    r"\\[()\[\]]|(?P<risky>\\(?=[!-/:-@\[-`{-~])|[`*\[\]<]|!(?=\[)|&(?=#?\w)|~~|(?<![^\W_])_|_(?![^\W_]))"
)
_BEGINS_BLOCK = re.compile(
    r"""
    [ \t]*+ (?: \d{1,9} (?=[.)](?:[ \t]|$))
      | (?= \#{1,6}(?:[ \t]|$) | [-+*](?:[ \t]|$) | [>|] | ~{3} | `{3}[^`]*$ | =+[ \t]*$ | -{2,}[ \t]*$
          | (?:[-*_][ \t]*){3,}$ | \[[^\]]*\]:
          | <(?![a-z][a-z0-9+.-]*[:@])[!?/a-z] ) )
    """,
    re.VERBOSE | re.IGNORECASE,
)

_ELEMENTS = frozenset(
    """a abbr acronym address area article aside audio b base basefont bdi bdo big blink blockquote body br button
    canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset
    figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input
    ins kbd label legend li link main map mark marquee math menu meta meter nav nobr noframes noscript object ol
    optgroup option output p param picture pre progress q rp rt ruby s samp script search section select small source
    span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt
    u ul var video wbr""".split()
)
_VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
_RUNNING = frozenset("script style iframe embed applet svg".split())
# Without an end tag these take all that follows for something that is not shown.
_SWALLOWING = _RUNNING | frozenset(
    "audio button canvas datalist head math noframes noscript object select template textarea title video".split()
)
_BARE_ATTRIBUTES = frozenset(
    """allowfullscreen async autofocus autoplay checked compact controls default defer disabled download hidden inert
    ismap itemscope loop markdown multiple muted nomodule noresize noshade novalidate nowrap open playsinline readonly
    required reversed selected""".split()
)
_MATHS = ("\\(", "\\)")  # nobody escapes a parenthesis for its own sake
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:-]*)(?P<attributes>[^>]*?)/?>", re.DOTALL)
_SCHEMES = frozenset("http https mailto ftp ftps file data javascript vbscript tel blob about".split())
_RUNS = re.compile(
    r"""</?(?: (?:script|style|iframe|object|embed|svg|base|meta)\b[^<>]* | [a-z][^<>]*[\s/"']on[a-z]+\s*=[^<>]* )>?""",
    re.VERBOSE | re.IGNORECASE,
)
_VALUED = re.compile(r"""[^\s"'<>/=]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)""")
_NOTHING = Token("html_inline", "", 0)  # in the place of a tag that is left out


class _Parser(MarkdownIt):
    """CommonMark with tables; addresses of links stay as they are written, safe or not."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        """Keep an address."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the library's name
        """Keep an address that is shown."""
        return link

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the library's name
        """Take any address for one, so that an unsafe link is seen to be a link."""
        return True


@cache
def parser() -> MarkdownIt:
    """Return the parser of definitions; the children of an inline token hold HTML only where it is HTML."""
    parser = _Parser("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"]).disable("text_join")
    parser.core.ruler.at("inline", _parse_inline)
    return parser


def inline(text: str) -> list[Token]:
    """Return the tokens of a text that holds no blocks, such as a name or one paragraph."""
    return [child for token in parser().parseInline(text) for child in token.children or ()]


def text_of(tokens: Iterable[Token]) -> str:
    """Return what inline tokens say, without markup."""
    return "".join(_text(token) for token in tokens)


def marked(text: str) -> str:
    """Mark the characters of a plain text that Markdown might take for markup."""
    return _RISKY.sub(lambda match: ESCAPE + match[0] if match["risky"] else match[0], text)


def settled(text: str) -> str:
    """Return a marked paragraph as Markdown that says the same, with no more escapes than that needs."""
    if not _MARKS.search(text):
        return guarded(text)
    text = text.replace(BREAK, "  \n")
    plainest = text.translate(_NO_EMPHASIS).replace(ESCAPE, "\\")
    if len(text) > LONGEST:
        return guarded(plainest)
    stated = text_of(inline(plainest))
    emphasised = text.translate(_EMPHASIS)
    variants = (
        emphasised.replace(ESCAPE, ""),
        re.sub(ESCAPE + "(?![<&])", "", emphasised).replace(ESCAPE, "\\"),
        emphasised.replace(ESCAPE, "\\"),
    )
    return guarded(next((one for one in variants if text_of(inline(one)) == stated), plainest))


def guarded(paragraph: str) -> str:
    """Escape what would make a line of a paragraph a heading, a list item or another block."""
    return "\n".join(
        line[: begin.end()] + "\\" + line[begin.end() :] if (begin := _BEGINS_BLOCK.match(line)) else line
        for line in paragraph.split("\n")
    )


def _text(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "image":
        return text_of(token.children or ())
    return "" if token.type == "html_inline" else token.content


def _parse_inline(state: StateCore) -> None:
    state.tokens = [part for token in state.tokens for part in _judged_block(token)]
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if len(token.content) > LONGEST:
            token.children.append(Token("text", "", 0, content=token.content, meta={"unread": True}))
            continue
        state.md.inline.parse(token.content, state.md, state.env, token.children)
        token.children = list(_judged(token.children))


def _judged_block(token: Token) -> Sequence[Token]:
    """Turn a block of HTML that is no HTML, such as the line ``<T>``, to a paragraph."""
    content = token.content.strip()
    tag = _TAG.match(content) if token.type == "html_block" else None
    if not tag or _is_html(tag, before="", is_paired=f"</{tag['name']}" in content):
        return [token]
    opening, text, closing = Token("paragraph_open", "p", 1), Token("inline", "", 0), Token("paragraph_close", "p", -1)
    for part in (opening, text, closing):
        part.map, part.block, part.level = token.map, True, token.level
    text.content = content
    return [opening, text, closing]


def _judged(tokens: Sequence[Token]) -> Iterable[Token]:
    """Tell HTML from text that only looks like it: ``Vec<T>``, ``x<y and z>w``, ``<your-name>``."""
    tags = [_TAG.fullmatch(token.content) for token in tokens if token.type == "html_inline"]
    opened = {tag["name"] for tag in tags if tag and not tag["close"]}
    pairs = opened & {tag["name"] for tag in tags if tag and tag["close"]}
    before = ""
    in_name = False  # between angle brackets
    for token in tokens:
        tag = _TAG.fullmatch(token.content) if token.type == "html_inline" else None
        is_paired = tag is not None and tag["name"] in pairs
        if tag and not _is_html(tag, before=before, is_paired=is_paired):
            yield _plain_text(token.content)
        elif tag and tag["name"].lower() in _SWALLOWING and not is_paired:
            yield _NOTHING
        elif token.type == "link_open" and token.markup == "autolink" and _is_name(token):
            in_name = True
            yield _plain_text("<")
        elif token.type == "link_close" and in_name:
            in_name = False
            yield _plain_text(">")
        elif token.markup in _MATHS:
            yield _plain_text(token.markup)
        elif token.type == "text" and _RUNS.search(token.content):
            yield from _without_scripts(token.content)
        else:
            yield token
        before = token.content[-1:] if token.type == "text" else ""


def _without_scripts(text: str) -> Iterable[Token]:
    """Tell text from what is no tag for Markdown, but one that runs for a browser: ``<svg/onload=…>``."""
    last = 0
    for tag in _RUNS.finditer(text):
        yield _plain_text(text[last : tag.start()])
        yield _NOTHING
        last = tag.end()
    yield _plain_text(text[last:])


def _plain_text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _is_name(link: Token) -> bool:
    """Tell a qualified name in angle brackets, ``<dc:title>``, from an address."""
    scheme = str(link.attrGet("href")).partition(":")[0].casefold()
    return scheme not in _SCHEMES


def _is_html(tag: re.Match[str], *, before: str, is_paired: bool) -> bool:
    name = tag["name"].lower()
    attributes = _VALUED.sub(" ", tag["attributes"])
    bare = attributes.split()
    has_values = attributes != tag["attributes"]
    if name not in _ELEMENTS:
        return has_values or is_paired
    if not _BARE_ATTRIBUTES.issuperset(map(str.lower, bare)):
        return has_values
    if name in _VOID or is_paired or has_values:
        return True
    if before.isalnum():  # List<Object>
        return False
    return name in _RUNNING or name not in _SWALLOWING  # "the <title> element"
