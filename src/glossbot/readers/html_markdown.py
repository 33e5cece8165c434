"""HTML elements as Markdown: what a definition may hold stays, all else becomes its text."""

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from bs4.builder._lxml import LXMLTreeBuilder
from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from glossbot.readers import invisible
from glossbot.readers.markdown_text import BREAK, EMPHASIS, ESCAPE, STRIKE, STRONG, marked, settled

BLOCKS = frozenset(
    """address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td
    tfoot th thead tr ul""".split()
)
_NOT_TEXT = frozenset(
    """applet audio base button canvas datalist embed frame frameset head iframe input link map meta noscript object
    script select style svg template textarea title video""".split()
)
_EMPHASIS = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), EMPHASIS),
    **dict.fromkeys(("strong", "b"), STRONG),
    **dict.fromkeys(("del", "s", "strike"), STRIKE),
}
_CODE = frozenset(("code", "kbd", "samp", "tt"))
_SMALL = {
    "sub": dict(zip("0123456789+-=()aehijklmnoprstuvx−", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₋", strict=True)),
    "sup": dict(zip("0123456789+-=()in−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ⁻", strict=True)),
}
_RAISED_BY_HABIT = re.compile(r"st|nd|rd|th|er|re|e|è?me|o|a|º|ª|tm|sm|®|™|©|[\[*†‡].*", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\f\r]+")
_BREAKS = re.compile(rf" *{BREAK} *")
_PARAGRAPH_END = re.compile(rf"{BREAK}(?: *{BREAK})+")
_TEX = re.compile(r"\\([(\[])(.*)\\[)\]]", re.DOTALL)
_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush|source)-(?!default$|none$|text$)([\w+#.-]+)")
_PERMALINK = frozenset("headerlink header-anchor hash-link heading-link heading-anchor permalink anchorjs-link".split())
_PERMALINK_TEXTS = frozenset(("", "¶", "#", "§", "🔗"))
_DEEPEST = 60  # of elements below them only the text is taken
_DEEPEST_BUILT = 512
_MOST_COLUMNS = 50

Destination = Callable[[str], str | None]


def parse(text: str) -> BeautifulSoup:
    """Parse a page or a fragment, however broken it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        return BeautifulSoup(text if "<" in text else f"<p>{text}", builder=_Builder())


def convert(nodes: Iterable[PageElement], destination: Destination) -> str:
    """Return nodes as Markdown.

    Args:
        nodes: siblings in a parsed page.
        destination: what the address of a link becomes; a link without one becomes its text.
    """
    return "\n\n".join(_Converter(destination).blocks(nodes, _Context()))


def line_of(nodes: Iterable[PageElement], destination: Destination) -> str:
    """Return nodes as one line of Markdown, whatever blocks they hold."""
    return _Converter(destination).line(nodes)


def is_permalink(element: Tag) -> bool:
    """Tell the mark behind a heading or a term that only leads to itself."""
    if element.name != "a":
        return False
    if not _PERMALINK.isdisjoint(classes(element)):
        return True
    target = element.get("href")
    return isinstance(target, str) and target.startswith("#") and visible_text(element) in _PERMALINK_TEXTS


def classes(element: Tag) -> list[str]:
    """Return the classes of an element."""
    found = element.get("class")
    return found.split() if isinstance(found, str) else list(found or ())


def visible_text(element: Tag) -> str:
    """Return the text of an element on one line."""
    return " ".join(invisible.drop(element.get_text()).split())


class _Builder(LXMLTreeBuilder):
    """Builds no deeper than pages are: each step below costs as much as is above it, so what stands there is text."""

    def __init__(self) -> None:
        super().__init__()
        self._built: list[bool] = []

    def start(self, tag: str | bytes, attrib: dict[Any, Any], nsmap: Any = MappingProxyType({})) -> None:
        """Begin an element."""
        self._built.append(len(self._built) < _DEEPEST_BUILT or tag in _NOT_TEXT)
        if self._built[-1]:
            super().start(tag, attrib, nsmap)

    def end(self, tag: str | bytes) -> None:
        """End an element."""
        if self._built.pop():
            super().end(tag)


class _Context(NamedTuple):
    """What surrounds an element."""

    depth: int = 0
    emphasis: frozenset[str] = frozenset()  # a mark is not repeated within itself
    in_link: bool = False

    def below(self) -> "_Context":
        return self._replace(depth=self.depth + 1)


class _Converter:
    """Walks through elements; each method returns their Markdown."""

    def __init__(self, destination: Destination) -> None:
        self._destination = destination
        self._known: set[int] = set()  # the identities of the elements that were looked into
        self._holders: set[int] = set()  # of those of them that hold blocks

    def blocks(self, nodes: Iterable[PageElement], context: _Context) -> list[str]:
        """Return blocks in order; text and inline elements between block elements make paragraphs."""
        found: list[str] = []
        run: list[PageElement] = []
        for node in nodes:
            if isinstance(node, Tag) and self._is_block(node):
                found += self._paragraphs(run, context)
                run = []
                found += self._block(node, context.below())
            else:
                run.append(node)
        return found + self._paragraphs(run, context)

    def line(self, nodes: Iterable[PageElement]) -> str:
        return " ".join(self._paragraphs(list(self._leaves(nodes)), _Context())).replace("  \n", " ")

    def _leaves(self, nodes: Iterable[PageElement]) -> Iterable[PageElement]:
        """Yield inline nodes in order, with a space between those of different blocks."""
        pending = list(nodes)[::-1]
        while pending:
            node = pending.pop()
            if isinstance(node, Tag) and self._is_block(node) and not _is_hidden(node):
                yield NavigableString(" ")
                pending += (NavigableString(" "), *list(node.children)[::-1])
            else:
                yield node

    def _is_block(self, element: Tag) -> bool:
        """Tell an element that is a block, or holds one, from those that stand in a line of text."""
        if element.name in BLOCKS:
            return True
        if id(element) not in self._known:
            self._known.add(id(element))
            for inner in element.find_all(True):
                self._known.add(id(inner))
                holder = inner.parent if inner.name in BLOCKS else None
                while holder is not None and id(holder) not in self._holders:
                    self._holders.add(id(holder))
                    holder = None if holder is element else holder.parent
        return id(element) in self._holders

    def _block(self, element: Tag, context: _Context) -> list[str]:
        name = element.name
        if context.depth > _DEEPEST:
            return [settled(marked(text))] if (text := visible_text(element)) else []
        if _is_hidden(element):
            return []
        if name in ("ul", "ol", "menu", "dir"):
            return self._list(element, context)
        if name == "dl":
            return self._definitions(element, context)
        if name == "table":
            return self._table(element, context)
        if name == "pre":
            return _fence(element)
        if name == "hr":
            return ["---"]
        if len(name) == 2 and name[0] == "h":
            text = self.line(element.children)
            return [f"{'#' * int(name[1])} {text}"] if text else []
        if name == "blockquote":
            quoted = "\n\n".join(self.blocks(element.children, context))
            return ["\n".join(f"> {line}".rstrip() for line in quoted.split("\n"))] if quoted else []
        return self.blocks(element.children, context)

    def _list(self, element: Tag, context: _Context) -> list[str]:
        start = element.get("start")
        number = int(start) if isinstance(start, str) and re.fullmatch("[0-9]{1,6}", start) else 1
        items: list[str] = []
        is_loose = False
        for child in element.children:
            if not isinstance(child, Tag):
                items += self._paragraphs([child], context)
                continue
            blocks = self.blocks(child.children, context) if child.name == "li" else self._block(child, context)
            if not blocks:
                continue
            marker = f"{number + len(items)}." if element.name == "ol" else "-"
            is_loose = is_loose or sum(not _is_list(block) for block in blocks) > 1
            items.append(_indented(blocks, marker))
        return [("\n\n" if is_loose else "\n").join(items)] if items else []

    def _definitions(self, element: Tag, context: _Context) -> list[str]:
        items: list[str] = []
        for group in groups(element):
            terms = ", ".join(filter(None, (self.line(term.children) for term in group.terms)))
            blocks = [block for part in group.definitions for block in self.blocks(part.children, context)]
            if terms and blocks and not _is_list(blocks[0]) and not blocks[0].startswith(("```", "|", ">", "#")):
                blocks[0] = f"{terms}: {blocks[0]}"
            elif terms:
                blocks.insert(0, terms)
            if blocks:
                items.append(_indented(blocks, "-"))
        return ["\n".join(items)] if items else []

    def _table(self, element: Tag, context: _Context) -> list[str]:
        if "highlighttable" in classes(element):
            return [fence for pre in element.find_all("pre") for fence in _fence(pre)]
        caption = element.find("caption", recursive=False)
        found = self._paragraphs(list(self._leaves(caption.children)), context) if isinstance(caption, Tag) else []
        rows = [list(cells(row)) for row in table_rows(element)]
        width = min(_MOST_COLUMNS, max(map(len, rows), default=0))
        if width < 2:  # a frame around something
            return [*found, *(block for row in rows for cell in row for block in self.blocks(cell.children, context))]
        texts = [[_in_cell(self.line(cell.children)) for cell in row] for row in rows]
        header = texts.pop(0) if all(cell.name == "th" for cell in rows[0]) else []
        lines = [_row(header, width), _row(["---"] * width, width), *(_row(row, width) for row in texts if any(row))]
        return [*found, "\n".join(lines)]

    def _paragraphs(self, nodes: Sequence[PageElement], context: _Context) -> list[str]:
        text = _SPACE.sub(" ", "".join(self._inline(node, context.below()) for node in nodes))
        parts = (_BREAKS.sub(BREAK, part).strip(BREAK + " ") for part in _PARAGRAPH_END.split(text))
        return [paragraph for part in parts if part and (paragraph := settled(part).strip())]

    def _inline(self, node: PageElement, context: _Context) -> str:
        if isinstance(node, NavigableString):
            return "" if isinstance(node, PreformattedString) else marked(invisible.drop(node))
        if not isinstance(node, Tag) or _is_hidden(node) or is_permalink(node):
            return ""
        name = node.name
        if name == "br":
            return BREAK
        if context.depth > _DEEPEST:
            return marked(invisible.drop(node.get_text()))
        if name == "img":
            return marked(invisible.drop(attribute(node, "alt")))
        if name == "math" or "math" in classes(node) or "katex" in classes(node):
            return _maths(node)
        if name in _CODE:
            return _code_span(node)
        if name in _EMPHASIS and _EMPHASIS[name] not in context.emphasis:
            mark = _EMPHASIS[name]
            inner = context.below()._replace(emphasis=context.emphasis | {mark})
            return _around(mark, self._children(node, inner), mark)
        if name == "a":
            return self._link(node, context)
        text = self._children(node, context.below())
        if name in _SMALL:
            return _small(text, name)
        return f"“{text}”" if name == "q" else text

    def _children(self, element: Tag, context: _Context) -> str:
        return "".join(self._inline(child, context) for child in element.children)

    def _link(self, element: Tag, context: _Context) -> str:
        address = attribute(element, "href")
        # Of links within links, which broken pages have, the inner one leads where the text says.
        if not address or context.in_link or element.find("a", href=True):
            return self._children(element, context.below())
        text = self._children(element, context.below()._replace(in_link=True))
        target = self._destination(address)
        if not target:
            return text
        target = destination_text(target)
        if text.replace(ESCAPE, "") == target and re.match("https?:", target):
            return f"<{target}>"
        return _around("[", text, f"]({target})")


class Group(NamedTuple):
    """Terms of a definition list, and what is said about them."""

    terms: list[Tag]
    definitions: list[Tag]


def groups(element: Tag) -> list[Group]:
    """Return the groups of a ``dl``, those within ``div`` too."""
    found: list[Group] = []
    for part in _parts(element):
        if part.name == "dt":
            if not found or found[-1].definitions:
                found.append(Group([], []))
            found[-1].terms.append(part)
        else:
            if not found:
                found.append(Group([], []))
            found[-1].definitions.append(part)
    return found


def table_rows(table: Tag) -> Iterable[Tag]:
    """Yield the rows of a table, without those of tables in it."""
    for child in table.find_all(True, recursive=False):
        if child.name == "tr":
            yield child
        elif child.name in ("thead", "tbody", "tfoot"):
            yield from child.find_all("tr", recursive=False)


def cells(row: Tag) -> Iterable[Tag]:
    """Yield the cells of a row."""
    yield from row.find_all(("td", "th"), recursive=False)


def destination_text(address: str) -> str:
    """Write an address so that it can stand between the parentheses of a link."""
    encoded = re.sub(r"[\s<>()\\\x00-\x20\x7f-\x9f]", lambda match: quote(match[0]), invisible.drop(address))
    return re.sub(r"&(?=#?\w+;)", "&amp;", encoded)


def _parts(element: Tag, levels: int = 2) -> Iterable[Tag]:
    """Yield the terms and definitions of a list, and those in a few levels of wrappers."""
    for child in element.find_all(True, recursive=False):
        if child.name in ("dt", "dd"):
            yield child
        elif levels and child.name in ("div", "dl"):
            yield from _parts(child, levels - 1)


def attribute(element: Tag, name: str) -> str:
    """Return the value of an attribute, or nothing."""
    value = element.get(name)
    return value if isinstance(value, str) else " ".join(value or ())


def _is_hidden(element: Tag) -> bool:
    return (element.name in _NOT_TEXT and not _is_tex(element)) or element.get("aria-hidden") == "true"


def _is_tex(element: Tag) -> bool:
    return element.name == "script" and attribute(element, "type").startswith("math/tex")


def _is_list(block: str) -> bool:
    return re.match(r"- |\d+\. ", block) is not None


def _indented(blocks: Sequence[str], marker: str) -> str:
    """Return the blocks of a list item, a list straight below its paragraph."""
    text = blocks[0]
    for block in blocks[1:]:
        text += ("\n" if _is_list(block) else "\n\n") + block
    indent = " " * (len(marker) + 1)
    return f"{marker} " + "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))[len(indent) :]


def _row(texts: Sequence[str], width: int) -> str:
    return "| " + " | ".join((*texts[:width], *[""] * (width - len(texts)))) + " |"


def _in_cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _around(before: str, text: str, after: str) -> str:
    """Put marks around a text, with the spaces at its ends outside."""
    inner = text.strip(" \t\n\r\f" + BREAK)
    if not inner:
        return text
    begin, end = text.index(inner[0]), len(text.rstrip(" \t\n\r\f" + BREAK))
    return f"{text[:begin]}{before}{inner}{after}{text[end:]}"


def _code_span(element: Tag) -> str:
    text = " ".join(invisible.drop(element.get_text()).split())
    if not text:
        return ""
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _fence(element: Tag) -> list[str]:
    parts = ("\n" if isinstance(node, Tag) and node.name == "br" else node for node in element.descendants)
    text = invisible.drop("".join(part for part in parts if isinstance(part, str))).strip("\n").rstrip()
    if not text.strip():
        return []
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return [f"{fence}{_language(element)}\n{text}\n{fence}"]


def _language(element: Tag) -> str:
    code = element.find("code")
    around = (code, element, element.parent, element.parent and element.parent.parent)
    for one in around:
        for name in classes(one) if isinstance(one, Tag) else ():
            if match := _LANGUAGE.fullmatch(name):
                return match[1]
    return ""


def _maths(element: Tag) -> str:
    """Return maths as the TeX that it was made of, or else as its text."""
    source = element.find("annotation", encoding="application/x-tex")
    text = " ".join(invisible.drop((source or element).get_text()).split())
    if not source and (match := _TEX.fullmatch(text)):
        return f"\\{match[1]}{marked(match[2])}\\{')' if match[1] == '(' else ']'}"
    return f"${marked(text)}$" if source else marked(text)


def _small(text: str, name: str) -> str:
    """Return what is raised or lowered in its own characters, or behind a sign."""
    content = text.replace(ESCAPE, "").strip()
    small = _SMALL[name]
    if content and all(char in small for char in content) and sum(map(str.isalpha, content)) < 2:
        return "".join(small[char] for char in content)
    if (name == "sup" and _RAISED_BY_HABIT.fullmatch(content)) or not content or len(content) > 40 or BREAK in text:
        return text
    sign = "^" if name == "sup" else ESCAPE + "_"
    return f"{sign}{text}" if content.isalnum() else f"{sign}({text})"
