"""reStructuredText: Sphinx's ``.. glossary::`` blocks, else definition lists, else a section for each term.

Docutils parses; `sphinx` adds the directives and roles that it lacks, and `doctree` writes what it found as Markdown.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from docutils import nodes

from glossbot.readers import section_titles, sphinx
from glossbot.readers.doctree import Writer
from glossbot.readers.document import Document, Draft
from glossbot.readers.sphinx_directives import GLOSSARY

_DIRECTIVE = re.compile(r"^\s*\.\. (?:[\w:-]+::(?:\s|$)|_[^:\n]+:(?:\s|$))", re.MULTILINE)
# How docutils spells letters that are no accented ASCII ones; Sphinx does the same.
_SPELLED = str.maketrans(
    {"ß": "sz", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ŧ": "t", "Æ": "", "Œ": ""}
)


class _Item(NamedTuple):
    """An entry in the document tree."""

    term: nodes.Element
    others: Sequence[nodes.Element]  # further terms of the same definition
    body: list[nodes.Node]
    category: str | None


def recognises(beginning: str) -> bool:
    """Tell whether a text has a directive or a hyperlink target of reStructuredText."""
    return bool(_DIRECTIVE.search(beginning))


def read(document: Document) -> Iterable[Draft]:
    """Read one file.

    Raises:
        GlossaryError: it is nested too deeply to be parsed.
    """
    try:
        return _read(document)
    except RecursionError as error:
        raise document.error(None, "nested too deeply to be read") from error


def _read(document: Document) -> list[Draft]:
    tree = sphinx.parse(document)
    writer = Writer(tree)
    glossaries = [node for node in tree.findall(nodes.definition_list) if GLOSSARY in node["classes"]]
    if glossaries:
        items = [item for glossary in glossaries for item in _list_items(glossary)]
        anchors: Iterator[str | None] = _term_ids(items, taken=set(tree.ids))
    else:
        items = _definition_lists_or_sections(tree)
        anchors = (_own_id(item.term) for item in items)
    has_categories = len({item.category for item in items}) > 1
    return [
        Draft(
            term=writer.inline(item.term),
            aliases=[writer.inline(other) for other in item.others],
            definition=writer.definition(item.body),
            category=item.category if has_categories else None,
            line=_line(item.term, document.lines),
            anchor=anchor,
            key=_label(item.term),
        )
        for item, anchor in zip(items, anchors, strict=True)
    ]


def _list_items(list_: nodes.Element) -> Iterator[_Item]:
    section = list_.parent
    for item in list_.children:
        parts = [child for child in item.children if isinstance(child, nodes.Element)]
        terms = [part for part in parts if isinstance(part, nodes.term)]
        if not terms:
            continue
        classifier = next((part.astext() for part in parts if isinstance(part, nodes.classifier)), None)
        body: list[nodes.Node] = [
            child for part in parts if isinstance(part, nodes.definition) for child in part.children
        ]
        yield _Item(terms[0], terms[1:], body, classifier or _title(section))


def _definition_lists_or_sections(tree: nodes.document) -> list[_Item]:
    """Return what there is more of: items of definition lists that stand in no other block, or innermost sections."""
    lists = [
        list_
        for list_ in tree.findall(nodes.definition_list)
        if isinstance(list_.parent, nodes.section | nodes.document)
    ]
    in_lists = [item for list_ in lists for item in _list_items(list_)]
    innermost = [
        section
        for section in tree.findall(nodes.section)
        if not any(isinstance(child, nodes.section) for child in section.children) and _is_term(section)
    ]
    if len(in_lists) >= len(innermost):
        return in_lists
    return [_section_item(section) for section in innermost]


def _is_term(section: nodes.section) -> bool:
    title = section.children[0].astext()
    others = (section_titles.is_before, section_titles.is_behind, section_titles.is_letter, section_titles.is_glossary)
    return not any(is_other(title) for is_other in others)


def _section_item(section: nodes.section) -> _Item:
    title = section.children[0]
    assert isinstance(title, nodes.title)  # the parser makes no section without one
    body = [child for child in section.children if child is not title]
    return _Item(title, [], body, _title(section.parent))


def _title(section: nodes.Element | None) -> str | None:
    """Return the title of the section around a list, unless it is a letter or the glossary's own."""
    while section is not None and not isinstance(section, nodes.section):
        section = section.parent
    title = section.children[0].astext() if section is not None else ""
    return None if section_titles.is_letter(title) or section_titles.is_glossary(title) else title or None


def _term_ids(items: Iterable[_Item], *, taken: set[str]) -> Iterator[str | None]:
    """Yield the ids that Sphinx gives to glossary terms, those of other terms of a definition counted on the way."""
    number = 0
    for item in items:
        ids = []
        for term in (item.term, *item.others):
            id_ = _sphinx_id(f"term-{term.astext()}")
            while id_ == "term" or id_ in taken:
                id_ = f"term-{number}"
                number += 1
            taken.add(id_)
            ids.append(id_)
        yield ids[0]


def _sphinx_id(text: str) -> str:
    ascii_ = unicodedata.normalize("NFKD", text.translate(_SPELLED)).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"^[-0-9._]+|-+$", "", re.sub(r"[^a-zA-Z0-9._]+", "-", " ".join(ascii_.split())))


def _line(term: nodes.Element, lines: Sequence[str]) -> int:
    """Return the line of a term; docutils knows that of a title only nearly, from the line below or above it."""
    line = term.line or (term.parent.line if term.parent else None) or 1
    near = [number for number in (line, line - 1, line + 1) if 1 <= number <= len(lines)]
    stated = (number for number in near if lines[number - 1].strip() == term.rawsource.strip())
    return next(stated, min(max(line, 1), len(lines)))


def _own_id(term: nodes.Element) -> str | None:
    """Return the id of a section's title, or of a target within a definition list's term."""
    holder = term.parent if isinstance(term, nodes.title) else term.next_node(nodes.target)
    return next(iter(holder["ids"]), None) if isinstance(holder, nodes.Element) else None


def _label(term: nodes.Element) -> str | None:
    """Return the label before a section (``.. _label:``), which references name."""
    names = term.parent["names"] if isinstance(term, nodes.title) else []
    return names[-1] if len(names) > 1 else None
