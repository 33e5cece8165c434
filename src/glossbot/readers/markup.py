"""Markup to safe Markdown: what definitions may keep (code, emphasis, links, lists, tables, maths as text).

Every definition passes `clean`, whatever its reader did, so nothing that runs or loads can come out of a glossary.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from markdown_it.token import Token

from glossbot.readers import html_markdown, invisible
from glossbot.readers.markdown_text import DEEPEST, guarded, inline, marked, parser, settled, text_of

_SAFE_SCHEMES = frozenset(("http", "https", "mailto"))
_SCHEME = re.compile(r"([^/?#]*?):")
_PAGE = re.compile(
    r"(?:/?_?index)?\.(?:html?|xhtml|mdx?|markdown|rst|adoc|asciidoc|txt|xml)$|/_?index$|/$", re.IGNORECASE
)
_PARAGRAPH = re.compile(r"[^\W\d_][^\n\r\\`*_\[\]<>&~|$]*")  # one line that begins no block and holds no markup
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~!]")
_LONE_TAG = re.compile(r"</?[\w-]+ ?/?>")
_MATHS = (r"\[", r"\]")


class Cleaned(NamedTuple):
    """A safe text, and the entries that it refers to, as their links name them."""

    text: str
    references: tuple[str, ...]
    fragments: frozenset[str] = frozenset()  # those of the references that lead to a place on the same page


def from_html(fragment: str) -> str:
    """Return an HTML fragment as safe Markdown; scripts, styles, images and forms are left out."""
    return html_markdown.convert(html_markdown.parse(invisible.drop(fragment)).children, _harmless)


def escape(text: str) -> str:
    """Return a plain text as Markdown that says the same, with no more escapes than that needs."""
    paragraphs = re.split(r"\n\s*\n", invisible.drop(text))
    return "\n\n".join(settled(marked(paragraph.strip())) for paragraph in paragraphs)


def clean(markdown: str, *, base_url: str | None = None) -> Cleaned:
    """Return Markdown without raw HTML, images, unsafe links and invisible characters; code is left as it is.

    HTML becomes the Markdown that shows the same. What needs no change stays as it is written.

    Args:
        markdown: a definition as its reader made it.
        base_url: the published page, which relative links are resolved against; without one they become their text.

    Returns:
        The text, and the targets of the links that lead to no other site: fragments, or last parts of paths.
    """
    text = invisible.drop(markdown).strip()
    if _PARAGRAPH.fullmatch(text):
        return Cleaned(text, ())
    env: dict[str, object] = {}
    blocks = _blocks(parser().parse(text, env))
    # Links by reference lose their addresses, which stand behind all blocks; blocks of HTML may reach over several.
    has_definitions = "references" in env and bool(env["references"])
    links = _Links(base_url)
    if any(token.type == "html_block" for block in blocks for token in block):
        blocks = [[token for block in blocks for token in block]]
    changes = [_needs_change(block, has_definitions=has_definitions) for block in blocks]
    if not has_definitions and not any(changes):
        return links.cleaned(text)
    lines = text.split("\n")
    parts: list[str] = []
    for block, needs_change in zip(blocks, changes, strict=True):
        source = "\n".join(lines[slice(*(block[0].map or (0, len(lines))))])
        if _is_too_deep(block):
            parts.append(_literal(source))
        else:
            # Code that is only indented would be no code at the beginning of a text.
            is_kept = not needs_change and block[0].type != "code_block"
            parts.append(source.rstrip() if is_kept else _converted(block, links))
    return links.cleaned("\n\n".join(part for part in parts if part.strip()).strip())


def plain(markdown: str) -> str:
    """Return a name or a short text without any markup, on one line."""
    text = " ".join(invisible.drop(markdown).split())
    if not _SPECIAL.search(text):
        return text
    text = re.sub(r"(?<![\w*])__(?=\w+__(?!\w))(\w+)__", r"\\_\\_\1\\_\\_", text)  # __init__, and no emphasis
    tokens = inline(text)
    if any(token.type == "html_inline" for token in tokens):
        if _LONE_TAG.fullmatch(text):  # the name of an element
            return text
        tokens = inline(html_markdown.line_of(html_markdown.parse(_html(tokens)).children, _nowhere))
    return " ".join(invisible.drop(text_of(tokens)).split())


class _Links:
    """What becomes of the links in one definition, and where they led."""

    def __init__(self, base_url: str | None) -> None:
        self._base_url = base_url
        self._references: dict[str, None] = {}
        self._fragments: set[str] = set()

    def destination(self, address: str) -> str | None:
        """Return where a link leads in the cleaned text; note the entry that it may mean."""
        address = _bare(address)
        parts = _split(address)
        if parts is None or _scheme(address):
            return _harmless(address)
        if not parts.netloc:
            self._note(parts)
            if not parts.path and not parts.query:
                return None
        return _resolved(self._base_url, address)

    def cleaned(self, text: str) -> Cleaned:
        """Return a text with what was noted."""
        return Cleaned(text, tuple(self._references), frozenset(self._fragments))

    def _note(self, parts: SplitResult) -> None:
        reference = unquote(parts.fragment or _PAGE.sub("", parts.path).rpartition("/")[2])
        if reference := invisible.drop(reference).strip():
            self._references[reference] = None
            if not parts.path:
                self._fragments.add(reference)


def _blocks(tokens: Iterable[Token]) -> list[list[Token]]:
    """Group a flat token stream into its top-level blocks."""
    blocks: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            blocks.append([])
        blocks[-1].append(token)
        depth += token.nesting
    return blocks


def _needs_change(block: Sequence[Token], *, has_definitions: bool) -> bool:
    # A row may have cells beyond its header's, which are not among the tokens.
    return _is_too_deep(block) or any(
        token.type in ("html_block", "table_open")
        or any(_is_changed(child, has_definitions=has_definitions) for child in token.children or ())
        for token in block
    )


def _is_too_deep(block: Sequence[Token]) -> bool:
    """Tell whether the parser may have left out what is nested in a block."""
    return any(token.level >= DEEPEST - 2 for token in block)


def _is_changed(token: Token, *, has_definitions: bool) -> bool:
    if token.type in ("image", "html_inline") or "unread" in token.meta:
        return True
    if token.type == "link_open":
        address = str(token.attrGet("href"))
        return has_definitions or not _scheme(address) or _harmless(address) != address
    return token.type == "text_special" and token.info == "entity"


def _converted(block: Sequence[Token], links: _Links) -> str:
    soup = html_markdown.parse(_html(block))
    return html_markdown.convert(soup.children, links.destination)


def _html(tokens: Sequence[Token]) -> str:
    """Render tokens; images are their texts, and maths keeps its backslashes."""
    shown = [_shown(token) for token in tokens]
    return str(parser().renderer.render(shown, parser().options, {}))


def _shown(token: Token) -> Token:
    if token.children and token.type == "inline":
        return token.copy(children=[_shown(child) for child in token.children])
    if token.type == "image":
        return Token("text", "", 0, content=text_of(token.children or ()))
    if token.type == "text_special":
        return Token("text", "", 0, content=token.markup if token.markup in _MATHS else token.content)
    return token


def _literal(source: str) -> str:
    """Return what nobody would nest as deep as plain text."""
    return "\n".join(guarded(re.sub(r"([\\`*_\[\]<&~!|>])", r"\\\1", line.strip())) for line in source.split("\n"))


def _bare(address: str) -> str:
    """Drop what browsers drop from an address."""
    return re.sub(r"[\t\n\r]", "", invisible.drop(address)).strip("\x00\x01\x02 \u00a0\u3000")


def _split(address: str) -> SplitResult | None:
    try:
        return urlsplit(address)
    except ValueError:
        return None


def _scheme(address: str) -> str | None:
    match = _SCHEME.match(address)
    return match[1].casefold() if match else None


def _harmless(address: str) -> str | None:
    """Return the address of a link to a page or to a place on a page, and None for all else."""
    address = _bare(address)
    scheme = _scheme(address)
    return address if _split(address) is not None and (scheme is None or scheme in _SAFE_SCHEMES) else None


def _resolved(base_url: str | None, address: str) -> str | None:
    if base_url is None:
        return None
    try:
        resolved = urljoin(base_url, address)
    except ValueError:
        return None
    return resolved if _scheme(resolved) in _SAFE_SCHEMES else None


def _nowhere(address: str) -> None:
    """Leave no link."""
