"""AsciiDoc: its definition lists (those marked as ``[glossary]``, if any is), else a section for each term."""

import re
from collections.abc import Iterable, Sequence

from glossbot.readers import section_titles
from glossbot.readers.asciidoc_blocks import Blocks, Item, Section
from glossbot.readers.asciidoc_grammar import DESCRIPTION
from glossbot.readers.asciidoc_inline import Inline
from glossbot.readers.asciidoc_source import Attributes, Line, Source
from glossbot.readers.document import Document, Draft

_ANCHOR = re.compile(r"\[\[([^\[\],]+)[^\[\]]*\]\]|\[#([\w:.-]+)[^\[\]]*\](?=#)|\banchor:([^\s\[\]]+)\[[^\[\]]*\]")
_SIGN = re.compile(
    r"""^(?: =\ \S.* | include::\S+\[.*\] | \[(?:glossary|horizontal|qanda|source.*)\]
        | \[\[[^\[\]\n]+\]\](?:\S.*(?:::|;;).*)? )$""",
    re.MULTILINE | re.VERBOSE,
)
_TERM = re.compile(r"^\w[^\n]{0,80}(?:::|;;)$\n{1,2}(?:[ \t]+\S|\w)", re.MULTILINE)
_FEW_TERMS = 2


def recognises(beginning: str) -> bool:
    """Tell whether a text has a title, a block or an anchor of AsciiDoc, or several terms on lines of their own."""
    return bool(_SIGN.search(beginning)) or len(_TERM.findall(beginning)) > _FEW_TERMS


def read(document: Document) -> Iterable[Draft]:
    """Read one file, and the files that it includes and that are not read by themselves."""
    attributes = Attributes(document)
    source = Source(document, attributes)
    lines = list(source.lines())
    inline = Inline(_titles(lines))
    blocks = Blocks(lines, lambda line: inline.markdown(attributes.expand(line)))
    blocks.parse()
    items = [item for item in blocks.items if item.is_glossary] or blocks.items
    sections = _innermost(blocks.sections)
    has_categories = len({_category(item.section) for item in items}) > 1
    if len(sections) > len(items) and not source.has_includes:  # else the terms are where it includes them from
        return [_section_draft(section) for section in sections]
    return [
        _draft(item, [inline.markdown(attributes.expand(term)) for term in item.terms], has_category=has_categories)
        for item in items
    ]


def _draft(item: Item, terms: Sequence[str], *, has_category: bool) -> Draft:
    anchor = next((match for term in item.terms if (match := _ANCHOR.search(term.text))), None)
    return Draft(
        term=terms[0],
        aliases=terms[1:],
        definition="\n\n".join(item.blocks),
        line=item.terms[0].number,
        anchor=anchor[anchor.lastindex or 0] if anchor else item.anchor,
        category=_category(item.section) if has_category else None,
    )


def _section_draft(section: Section) -> Draft:
    return Draft(
        term=section.title,
        definition="\n\n".join(section.blocks),
        line=section.line,
        anchor=section.anchor,
        category=_category(section.parent),
    )


def _category(section: Section | None) -> str | None:
    """Return the title of a section, unless it is the document's, a letter, or the glossary's own."""
    if section is None or section.level == 1:
        return None
    is_none = section_titles.is_letter(section.title) or section_titles.is_glossary(section.title)
    return None if is_none else section.title


def _innermost(sections: Sequence[Section]) -> list[Section]:
    """Return the sections that may each define a term."""
    others = (section_titles.is_before, section_titles.is_behind, section_titles.is_letter, section_titles.is_glossary)
    parents = {id(section.parent) for section in sections}
    return [
        section
        for section in sections
        if section.blocks and id(section) not in parents and not any(is_other(section.title) for is_other in others)
    ]


def _titles(lines: Iterable[Line]) -> dict[str, str]:
    """Return the terms of anchors, which references show that state no text."""
    titles: dict[str, str] = {}
    above = ""  # an anchor on a line of its own
    for line in lines:
        anchor = _ANCHOR.match(line.text)
        name = anchor[anchor.lastindex or 0] if anchor else above
        text = line.text[anchor.end() :] if anchor else line.text
        if name and (term := DESCRIPTION.fullmatch(text)):
            titles.setdefault(name, term[1])
        above = name if not text else ""
    return titles
