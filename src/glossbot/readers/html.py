"""HTML pages: the glossaries that documentation tools publish, and those that are written by hand.

A list that is marked as a glossary is taken before all else; otherwise the page's shape decides (`html_shapes`).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bs4.element import PageElement, Tag

from glossbot.readers import columns, html_shapes
from glossbot.readers.document import Document, Draft
from glossbot.readers.html_markdown import classes, visible_text
from glossbot.readers.html_page import Page, anchors, language_of, line
from glossbot.readers.html_shapes import Item, Row

_BEGINNING = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|dl|h[1-6]|table)\b", re.I | re.S
)


def recognises(beginning: str) -> bool:
    """Tell whether a text begins as a page does."""
    return bool(_BEGINNING.match(beginning))


def read(document: Document) -> Iterable[Draft]:
    """Read one page; one that nothing marks as a glossary is a guess."""
    page = Page(document)
    items: Sequence[Item | Row] = html_shapes.marked_lists(page)
    if not items:
        items = html_shapes.best(page, document.options.columns)
        document.is_guessed = not page.is_announced
    document.attribution = document.attribution or page.attribution
    document.language = document.language or page.language
    found = [(item, list(_anchors(item))) for item in items]
    for _, names in found:
        page.same(names, names[0] if names else "")
    for item, names in found:
        anchor = names[0] if names else None
        draft = _of_item(item, page, anchor) if isinstance(item, Item) else _of_row(item, page, anchor)
        if draft is not None:
            yield draft


def _of_item(item: Item, page: Page, anchor: str | None) -> Draft:
    term, *aliases = (page.line_of_markdown(_without_classifiers(nodes)) for nodes in item.terms)
    related: list[str] = []
    parts = [[node for node in part if not _takes_related(node, related)] for part in item.parts]
    definition = "\n\n".join(filter(None, map(page.markdown, parts)))
    if related and not definition:  # it says nothing else
        related, definition = [], "\n\n".join(filter(None, map(page.markdown, item.parts)))
    return Draft(
        term=term,
        aliases=[alias for alias in aliases if alias],
        definition=definition,
        category=item.category,
        related=related,
        language=language_of(item.at),
        anchor=anchor,
        line=line(item.at),
    )


def _of_row(row: Row, page: Page, anchor: str | None) -> Draft | None:
    texts = [page.markdown(cell.children) for cell in row.cells]
    draft = columns.draft(texts, row.fields, headers=row.headers, line=line(row.at), category=row.category)
    return draft if draft is None or draft.anchor or not anchor else replace(draft, anchor=anchor)


def _anchors(item: Item | Row) -> Iterable[str]:
    """Yield the names by which an entry can be linked, the best first: the term's own, else what is around it alone."""
    if isinstance(item, Row):
        yield from anchors(item.at)
        return
    found = list(anchors(item.at))
    for other in item.others:
        found += anchors(other)
    yield from found or _around(item.at)


def _around(element: Tag) -> Iterable[str]:
    """Yield the name of a section that begins with an element, or of an empty anchor before it."""
    before = element.find_previous_sibling(True)
    parent = element.parent
    if (
        before is None
        and parent is not None
        and parent.name in ("section", "div", "li", "article", "details", "header")
    ):
        if name := parent.get("id"):
            yield str(name)
    elif before is not None and before.name in ("a", "span") and not visible_text(before):
        yield from anchors(before)


def _without_classifiers(nodes: Sequence[PageElement]) -> list[PageElement]:
    return [
        node for node in nodes if not isinstance(node, Tag) or not any("classifier" in name for name in classes(node))
    ]


def _takes_related(node: PageElement, related: list[str]) -> bool:
    """Take the terms out of a paragraph of DocBook that only says what to see also."""
    links = node.find_all("a", class_="glossseealso") if isinstance(node, Tag) and node.name == "p" else []
    related += (visible_text(link) for link in links)
    return bool(links)
