"""The shapes that glossaries have on HTML pages: lists, tables, headings, folded parts, words marked in paragraphs."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from glossbot.readers import columns, section_titles
from glossbot.readers.columns import Field
from glossbot.readers.html_markdown import BLOCKS, attribute, cells, classes, groups, table_rows, visible_text
from glossbot.readers.html_page import HEADINGS, Page, flattened, has_class, is_heading, outermost

_GLOSSARY_CLASS = re.compile(r"(?:.*[-_])?gloss(?:ary|list|div|entry|def|aries)(?:[-_].*)?|glossary.*", re.IGNORECASE)
_OTHER_LISTS = frozenset(
    """py c cpp js rst std php rb dart function method class attribute data exception module field-list footnote
    footnotes citation option-list toc index docinfo metadata notes member-list footnote-list""".split()
)
_SEPARATOR = re.compile(r"[\s\u00a0]*(?:[:：–—−‒=]|-(?=\s)|\.(?=\s))[\s\u00a0]*")
_ENDS_OF_TERMS = tuple(":：–—.")
_MOST_WORDS = 10  # of a term that is only marked by its type
_FEW = 3  # marked words or headings, which pages have for other reasons too


Nodes = Sequence[PageElement]


@dataclass(frozen=True, kw_only=True)
class Item:
    """An entry on a page, as nodes."""

    at: Tag
    terms: Sequence[Nodes]
    parts: Sequence[Nodes]  # of the definition
    others: Sequence[Tag] = ()  # where its further terms stand
    category: str | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a table whose columns are known."""

    at: Tag
    cells: Sequence[Tag]
    headers: Sequence[str]
    fields: Mapping[int, Field]
    category: str | None = None


def marked_lists(page: Page) -> list[Item]:
    """Return the entries of the lists that are marked as a glossary."""
    return list(_lists(page.main, _is_marked)) or list(_lists(page.body, _is_marked))


def best(page: Page, overrides: Mapping[str, str]) -> Sequence[Item | Row]:
    """Return the entries of the shape that most of the page has.

    Args:
        page: the page, without marked lists.
        overrides: the owner's own names of columns.
    """
    few = 1 if page.is_announced else _FEW
    shapes: tuple[tuple[float, int, Sequence[Item | Row]], ...] = (
        (1.0, 1, list(_lists(page.main, _may_be_glossary))),
        (1.0, 1, list(_tables(page, overrides))),
        (1.0, few, list(_folded(page.main))),
        (0.9, few, list(_sections(page))),
        (0.8, few, list(_paragraphs(page.main, _defined))),
        (0.4, few, list(_paragraphs(page.main, _in_bold))),
    )
    found = [(weight * len(items), items) for weight, least, items in shapes if len(items) >= least]
    return max(found, key=lambda shape: shape[0], default=(0.0, ()))[1]


def _lists(root: Tag, is_wanted: Callable[[Tag], bool]) -> Iterator[Item]:
    for category, element in _under_headings(root, is_wanted):
        for terms, definitions in groups(element):
            if terms:
                names = [name for term in terms for name in _at_breaks(list(term.children))]
                parts = [list(part.children) for part in definitions]
                yield Item(at=terms[0], others=terms[1:], terms=names, parts=parts, category=category)


def _at_breaks(nodes: Nodes) -> Iterator[Nodes]:
    """Split the names that stand in one term on lines of their own."""
    name: list[PageElement] = []
    for node in nodes:
        if isinstance(node, Tag) and node.name == "br":
            yield name
            name = []
        else:
            name.append(node)
    yield name


def _is_marked(element: Tag) -> bool:
    if not _is_list(element) or _is_other_list(element):
        return False
    parents = [parent for parent, _ in zip(element.parents, range(3), strict=False)]
    around = (element, *(one for one in parents if one.name in ("div", "section")))
    definitions = (part for group in groups(element)[:2] for part in group.definitions)
    return any(_says_glossary(one) for one in around) or any("glossdef" in classes(part) for part in definitions)


def _says_glossary(element: Tag) -> bool:
    roles = f"{attribute(element, 'role')} {attribute(element, 'epub:type')}"
    return "glossary" in roles or any(_GLOSSARY_CLASS.fullmatch(name) for name in classes(element))


def _may_be_glossary(element: Tag) -> bool:
    return _is_list(element) and not _is_other_list(element) and any(group.terms for group in groups(element))


def _is_list(element: Tag) -> bool:
    return element.name == "dl"


def _is_other_list(element: Tag) -> bool:
    """Tell the lists of signatures, fields, footnotes and options that documentation is full of."""
    parent = element.parent
    if has_class(element, _OTHER_LISTS) or (parent is not None and has_class(parent, _OTHER_LISTS)):
        return True
    return any(has_class(term, ("sig", "sig-object")) for group in groups(element)[:1] for term in group.terms)


def _tables(page: Page, overrides: Mapping[str, str]) -> Iterator[Row]:
    for category, table in _under_headings(page.main, lambda element: element.name == "table"):
        rows = [row for row in table_rows(table) if row.find(("td", "th"), recursive=False)]
        if not rows or has_class(table, ("genindextable", "highlighttable")):
            continue
        headers = [visible_text(cell) for cell in cells(rows[0])]
        fields = columns.recognise(headers, overrides)
        if fields is None and page.is_announced and len(headers) == 2 and not rows[0].find("th", recursive=False):
            headers, fields = ["", ""], {0: "term", 1: "definition"}
        elif fields is not None:
            rows = rows[1:]
        for row in rows if fields else ():
            yield Row(at=row, cells=list(cells(row)), headers=headers, fields=fields or {}, category=category)


def _folded(root: Tag) -> Iterator[Item]:
    for category, element in _under_headings(root, lambda element: element.name == "details"):
        summary = element.find("summary", recursive=False)
        if isinstance(summary, Tag):
            body = [node for node in element.children if node is not summary]
            yield Item(at=summary, terms=[list(summary.children)], parts=[body], category=category)


def _sections(page: Page) -> Iterator[Item]:
    """Yield an entry for each heading of the level that has most of those that can be terms."""
    headings = [heading for heading in page.main.find_all(HEADINGS) if visible_text(heading)]
    titles = {id(heading): _title(heading) for heading in headings}
    terms = [heading for heading in headings if _may_be_term(titles[id(heading)])]
    counts = Counter(heading.name for heading in terms)
    if counts["h1"] < _FEW and (len(counts) > 1 or page.is_index or not page.is_announced):
        del counts["h1"]  # the title of the page
    if not counts:
        return
    level = max(counts, key=lambda name: (counts[name], name))
    at_level = [heading for heading in terms if heading.name == level]
    while at_level and section_titles.is_before(titles[id(at_level[0])]):
        del at_level[0]
    while at_level and section_titles.is_behind(titles[id(at_level[-1])]):
        del at_level[-1]
    chosen = {id(heading) for heading in at_level}
    categories = _Categories()
    current: tuple[Tag, list[PageElement], str | None] | None = None
    for node in flattened(page.main, headings):
        if isinstance(node, Tag) and is_heading(node) and node.name <= level:
            if current:
                yield Item(at=current[0], terms=[list(current[0].children)], parts=[current[1]], category=current[2])
            current = (node, [], categories.current) if id(node) in chosen else None
            categories.pass_by(node)
        elif current:
            current[1].append(node)
    if current:
        yield Item(at=current[0], terms=[list(current[0].children)], parts=[current[1]], category=current[2])


def _may_be_term(title: str) -> bool:
    return not (section_titles.is_letter(title) or section_titles.is_glossary(title) or section_titles.is_aspect(title))


def _paragraphs(root: Tag, term_of: Callable[[Tag], Tag | None]) -> Iterator[Item]:
    """Yield an entry for each paragraph or list item in which a term is marked, with what follows up to the next."""
    marks: dict[int, Tag] = {}
    blocks: list[Tag] = []
    for block in root.find_all(("p", "li", "div")):
        if (block.name != "div" or _is_paragraph(block)) and (term := term_of(block)) and id(term) not in marks:
            marks[id(block)] = term
            marks[id(term)] = term
            blocks.append(block)
    categories = _Categories()
    current: tuple[Tag, Tag, list[PageElement], str | None] | None = None
    for node in flattened(root, [*blocks, *root.find_all(HEADINGS)]):
        is_term = id(node) in marks
        if current and (is_term or is_heading(node)):
            yield _paragraph(*current)
            current = None
        if isinstance(node, Tag) and is_term:
            current = (node, marks[id(node)], [], categories.current)
        elif isinstance(node, Tag) and is_heading(node):
            categories.pass_by(node)
        elif current:
            current[2].append(node)
    if current:
        yield _paragraph(*current)


def _paragraph(block: Tag, term: Tag, behind: list[PageElement], category: str | None) -> Item:
    """Return the entry of a paragraph; a term that stands before a separator is no part of its definition."""
    name = visible_text(term)
    nodes: list[PageElement] = [node for node in block.children if not isinstance(node, PreformattedString)]
    while nodes and _is_blank(nodes[0]):
        del nodes[0]
    if nodes and isinstance(nodes[0], Tag) and visible_text(nodes[0]) == name:
        rest = _behind_separator(nodes[1:], is_separated=name.endswith(_ENDS_OF_TERMS))
        nodes = nodes if rest is None else rest
    return Item(
        at=block,
        terms=[[NavigableString(name.rstrip("".join(_ENDS_OF_TERMS) + " "))]],
        parts=[nodes, behind],
        category=category,
    )


def _behind_separator(nodes: list[PageElement], *, is_separated: bool) -> list[PageElement] | None:
    """Return what stands behind a separator, or None where the term is the beginning of a sentence."""
    while nodes and (_is_blank(nodes[0]) or (isinstance(nodes[0], Tag) and nodes[0].name == "br")):
        is_separated = is_separated or isinstance(nodes[0], Tag)
        nodes = nodes[1:]
    if nodes and isinstance(nodes[0], NavigableString) and (match := _SEPARATOR.match(nodes[0])):
        return [NavigableString(nodes[0][match.end() :]), *nodes[1:]]
    return nodes if is_separated or not nodes else None


def _defined(block: Tag) -> Tag | None:
    """Return the first word that a block defines, not looking into the blocks in it."""
    for child in block.find_all(True, recursive=False):
        term = child if child.name == "dfn" else None if child.name in BLOCKS else child.find("dfn")
        if isinstance(term, Tag):
            return term
    return None


def _in_bold(block: Tag) -> Tag | None:
    """Return the bold words that a block begins with."""
    element = block
    for _ in range(4):
        first = next((node for node in element.children if not _is_blank(node)), None)
        if not isinstance(first, Tag) or first.name not in ("b", "strong", "a", "span", "em", "i"):
            return None
        if first.name in ("b", "strong"):
            return first if 0 < len(visible_text(first).split()) <= _MOST_WORDS else None
        element = first
    return None


def _is_paragraph(element: Tag) -> bool:
    return not any(child.name in BLOCKS for child in element.find_all(True, recursive=False))


def _is_blank(node: PageElement) -> bool:
    return isinstance(node, PreformattedString) or (isinstance(node, NavigableString) and not node.strip())


class _Categories:
    """The headings above a place of a page, as far as they name what stands under them."""

    def __init__(self) -> None:
        self._above: list[tuple[str, str | None]] = []

    def pass_by(self, heading: Tag) -> None:
        """Go below a heading."""
        while self._above and self._above[-1][0] >= heading.name:
            del self._above[-1]
        title = _title(heading)
        names_nothing = heading.name == "h1" or not _may_be_term(title) or section_titles.is_before(title)
        self._above.append((heading.name, None if names_nothing else title))

    @property
    def current(self) -> str | None:
        """The nearest heading that names a category."""
        return next((title for _, title in reversed(self._above) if title), None)


def _under_headings(root: Tag, is_wanted: Callable[[Tag], bool]) -> Iterator[tuple[str | None, Tag]]:
    """Yield the outermost wanted elements, each with its category."""
    categories = _Categories()
    for element in outermost(root, lambda element: is_heading(element) or is_wanted(element)):
        if is_heading(element):
            categories.pass_by(element)
        else:
            yield categories.current, element


def _title(heading: Tag) -> str:
    return visible_text(heading).rstrip("¶#§🔗 ")
