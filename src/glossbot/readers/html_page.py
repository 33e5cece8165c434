"""An HTML page: its main part, where things stand in it, and what its links mean."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from bs4.element import PageElement, Tag

from glossbot.readers import html_markdown, section_titles
from glossbot.readers.document import Document
from glossbot.readers.html_markdown import attribute, classes, visible_text

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

# lxml counts lines no further than 65535, and Beautiful Soup does not tell them: each tag carries its own.
_LINE = "data-glossbot-line"
_START = re.compile(
    r"<(?:a|b|d[dt]|dfn|div|h[1-6]|li|p|section|span|strong|summary|t[dhr])(?=[\s/>])|\n", re.IGNORECASE
)
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_BESIDE = frozenset(("nav", "script", "style", "template", "noscript"))
_BESIDE_ROLES = frozenset(("navigation", "search", "contentinfo", "banner", "doc-toc"))
_BESIDE_CLASS = re.compile(
    r"(?:.*[-_])?(?:toc|table-of-contents|sidebar|sphinxsidebar|breadcrumbs?|pagination)(?:[-_].*)?|nav(?:header|footer)|mw-editsection"
)
_WORDS_OF_A_FOLDER = 2  # "test-pages-without-a-glossary" is none


class Page:
    """A parsed page.

    Args:
        document: the file that holds it.
    """

    def __init__(self, document: Document) -> None:
        self._name = PurePosixPath(document.label)
        self._soup = html_markdown.parse(_numbered("\n".join(document.lines)))
        self._canonical: dict[str, str] = {}
        for element in list(outermost(self._soup, _is_beside)):
            element.extract()
        for element in self._soup.find_all("table"):
            if element.parent is not None and "hdlist" in classes(element.parent):
                _make_list(element)

    @cached_property
    def body(self) -> Tag:
        """The whole page without its navigation."""
        return self._soup.body or self._soup

    @cached_property
    def main(self) -> Tag:
        """The part that the page is about."""
        root: Tag = self.body
        for is_wanted in (lambda element: "main" in (element.name, element.get("role")), "article"):
            found = root.find_all(is_wanted, limit=2)
            root = found[0] if len(found) == 1 else root
        return root

    @cached_property
    def is_announced(self) -> bool:
        """Whether the page, or its path, says that it is a glossary."""
        titles = [visible_text(title) for title in self._soup.find_all(("title", "h1", "h2"), limit=3)]
        parts = re.split(r"\s+[-–—|·:]\s+|\s*»\s*", " | ".join(titles))
        folders = [name for name in map(_words, self._name.parts[:-1]) if len(name.split()) <= _WORDS_OF_A_FOLDER]
        return any(map(section_titles.is_glossary, filter(None, (*parts, _words(self._name.stem), *folders))))

    @property
    def is_index(self) -> bool:
        """Whether the page stands for its folder."""
        return self._name.stem == "index"

    @cached_property
    def language(self) -> str | None:
        """The language of the page."""
        return language_of(self._soup.html) if self._soup.html else None

    @cached_property
    def attribution(self) -> str | None:
        """The licence that the page states."""
        link = self._soup.find(("link", "a"), rel="license")
        if isinstance(link, Tag):
            return " ".join(filter(None, (visible_text(link) or attribute(link, "title"), attribute(link, "href"))))
        names = re.compile(r"(?:dc\.|dcterms\.|og:)?(?:licen[cs]e|rights|copyright)", re.IGNORECASE)
        meta = self._soup.find("meta", attrs={"name": names}) or self._soup.find("meta", attrs={"property": names})
        return attribute(meta, "content").strip() or None if isinstance(meta, Tag) else None

    def same(self, anchors: Iterable[str], anchor: str) -> None:
        """Remember that some anchors are those of one entry."""
        for other in anchors:
            self._canonical.setdefault(other, anchor)

    def markdown(self, nodes: Iterable[PageElement]) -> str:
        """Return nodes as Markdown, with links to entries of this page as references."""
        return html_markdown.convert(nodes, self._destination)

    def line_of_markdown(self, nodes: Iterable[PageElement]) -> str:
        """Return nodes as one line of Markdown."""
        return html_markdown.line_of(nodes, self._destination)

    def _destination(self, address: str) -> str:
        try:
            parts = urlsplit(address)
        except ValueError:
            return address
        fragment = unquote(parts.fragment)
        if not fragment or parts.scheme or parts.netloc or not self._is_here(parts.path):
            return address
        return "#" + quote(self._canonical.get(fragment, fragment))

    def _is_here(self, path: str) -> bool:
        name = self._name.parent.name if self.is_index else self._name.name
        return not path or PurePosixPath(unquote(path)).name == name


def line(element: Tag) -> int:
    """Return the line of an element's tag, or of the next one outside or before it that has one."""
    found = element if element.has_attr(_LINE) else element.find(True, attrs={_LINE: True})
    if not isinstance(found, Tag):
        found = element.find_previous(True, attrs={_LINE: True})
    number = re.match("[0-9]+", attribute(found, _LINE)) if isinstance(found, Tag) else None
    return int(number[0]) if number else 1


def anchors(element: Tag) -> Iterator[str]:
    """Yield the names that an element and those in it can be linked by."""
    for one in (element, *element.find_all(True)):
        for name in ("id", "name") if one.name == "a" else ("id",):
            if anchor := attribute(one, name).strip():
                yield anchor


def language_of(element: Tag) -> str | None:
    """Return the language that an element states."""
    return (attribute(element, "lang") or attribute(element, "xml:lang")).strip().replace("_", "-") or None


def outermost(root: Tag, is_wanted: Callable[[Tag], bool]) -> Iterator[Tag]:
    """Yield the wanted elements below a root in order, without those that stand in another wanted one."""
    pending: list[Tag] = [root]
    while pending:
        element = pending.pop()
        if element is not root and is_wanted(element):
            yield element
        else:
            pending += element.find_all(True, recursive=False)[::-1]


def flattened(root: Tag, marks: Sequence[Tag]) -> Iterator[PageElement]:
    """Yield the nodes of a page in order; of elements that hold marked ones, the nodes in them."""
    marked = {id(mark) for mark in marks}
    holders: set[int] = set()
    for mark in marks:
        holder = mark.parent
        while holder is not None and id(holder) not in holders:
            holders.add(id(holder))
            holder = holder.parent
    pending: list[PageElement] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Tag) and id(node) in holders and id(node) not in marked:
            pending += list(node.children)[::-1]
        else:
            yield node


def is_heading(element: PageElement) -> bool:
    """Tell a heading."""
    return isinstance(element, Tag) and element.name in HEADINGS


def has_class(element: Tag, names: Iterable[str]) -> bool:
    """Tell whether an element has one of some classes."""
    return not set(names).isdisjoint(classes(element))


def _is_beside(element: Tag) -> bool:
    """Tell what stands on every page of a site."""
    if element.name in _BESIDE or attribute(element, "role") in _BESIDE_ROLES or attribute(element, "id") == "toc":
        return True
    parent = element.parent.name if element.parent is not None else ""
    if (element.name == "header" and parent == "body") or (element.name == "footer" and parent != "blockquote"):
        return True
    return element.name not in ("body", "main", "html") and any(map(_BESIDE_CLASS.fullmatch, classes(element)))


def _words(name: str) -> str:
    return re.sub(r"[-_.]+", " ", name)


def _make_list(table: Tag) -> None:
    """Make a list again of the table that AsciiDoctor writes for a horizontal one."""
    for row in list(html_markdown.table_rows(table)):
        for cell in html_markdown.cells(row):
            cell.name = "dt" if "hdlist1" in classes(cell) else "dd"
        row.name = "div"
    for element in table.find_all("tbody", recursive=False):
        element.name = "div"
    table.name = "dl"


def _numbered(text: str) -> str:
    """Write into the tags that may begin an entry the line that they stand in."""
    number = 1

    def numbered(match: re.Match[str]) -> str:
        nonlocal number
        if match[0] == "\n":
            number += 1
            return "\n"
        return f"{match[0]} {_LINE}={number} "

    declaration = _XML_DECLARATION.match(text)
    if declaration:  # what it says of the encoding is no longer true
        text = "\n" * declaration[0].count("\n") + text[declaration.end() :]
    return _START.sub(numbered, text)
