"""Which sections of a Markdown text are terms, which are categories of terms, and which are neither.

Judged from the top down, all sections of the same depth together: a heading with nothing but other headings below it
is a category; one with text is a term, and what stands below it belongs to its definition, unless most of its kind have
several sections with names of their own.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from glossbot.entry import fold
from glossbot.readers import definition_lists, entry_fields, section_titles, term_items, term_tables
from glossbot.readers.document import Document, Draft
from glossbot.readers.entry_fields import EntryFields
from glossbot.readers.markdown_sections import Outline, Section

_NUMBER = re.compile(r"\d+(?:\.\d+)*[.)]?\s+(?=\S)")
_OFTEN = 3  # a heading that occurs so often below others names one side of each
_MANY_PARTS = 4  # of one term; what has more of them on average is a category
_FEW = 2  # sections of prose beside a list of terms, which are no terms


class _Kind(Enum):
    TERM = auto()
    CATEGORY = auto()  # of the sections or the lists below it
    NOTHING = auto()


@dataclass(frozen=True, kw_only=True)
class _Placed:
    """A section, and the category that it stands in."""

    section: Section
    category: str | None


def read(outline: Outline, document: Document, *, title: str | None) -> list[Draft]:
    """Return the entries of a text, in order.

    Args:
        outline: the text.
        document: takes what is wrong or passed over.
        title: of the text, where its front matter states one.
    """
    return _Reader(outline, document).read(_scope(outline.root, title, outline, document))


def is_one_entry(section: Section, outline: Outline, document: Document) -> bool:
    """Tell whether a whole text under one title defines that title, rather than holding entries."""
    reader = _Reader(outline, document)
    reader.pool([section])
    if any(section_titles.is_glossary(one.name) for one in (section, *section.children)):
        return False
    listed = reader.listed[section]
    if listed and (section.blocks[0].kind != "paragraph" or len(listed) > _MANY_PARTS):
        return False
    return reader.is_term_alone(section)


class _Reader:
    """Reads the entries of one text."""

    def __init__(self, outline: Outline, document: Document) -> None:
        self._outline = outline
        self._document = document
        self.listed: dict[Section, list[Draft]] = {}  # entries in the lists and tables of each section
        self._strays: list[int] = []  # lines of the items in them that are none

    def read(self, scope: Sequence[Section]) -> list[Draft]:
        """Return the entries of some sections and of all below them."""
        self.pool(scope)
        for line in self._strays:
            self._document.notice(line, "a list item without a term and a definition; passed over")
        drafts: list[Draft] = []
        containers = [_Placed(section=section, category=None) for section in scope]
        while containers:
            group = [
                _Placed(section=child, category=_category(placed))
                for placed in containers
                for child in placed.section.children
            ]
            kinds = self._judge([placed.section for placed in group])
            terms = [placed for placed, kind in zip(group, kinds, strict=True) if kind is _Kind.TERM]
            below = {placed.section for placed in terms}
            lists = [draft for placed in containers for draft in self._listed(placed, below)]
            terms = self._without_asides(terms, lists, group, kinds)
            drafts += lists
            drafts += _without_numbers([self._draft(placed) for placed in terms])
            containers = [placed for placed, kind in zip(group, kinds, strict=True) if kind is _Kind.CATEGORY]
        return sorted(drafts, key=lambda draft: draft.line)

    def pool(self, scope: Sequence[Section]) -> None:
        """Find the lists of terms; what looks like one here and there only is none."""
        sections = [section for top in scope for section in top.walk()]
        lists = {section: term_items.in_lists(self._outline, section) for section in sections}
        every = [one for several in lists.values() for one in several if one.drafts]
        clear = sum(len(one.drafts) for one in every if one.is_clear)
        likely = sum(len(one.drafts) for one in every)
        most_are_terms = likely >= 2 and likely >= 0.8 * sum(one.size for one in every)
        for section in sections:
            found = definition_lists.read(self._outline, section) + term_tables.read(
                section, self._document.options.columns
            )
            for one in lists[section]:
                if (one.is_clear and clear >= 2) or (one.is_likely and most_are_terms):
                    found += one.drafts
                    self._strays += one.strays
            if not found:
                paragraphs = term_items.in_paragraphs(section)
                enough = 1 if section_titles.is_letter(section.name) else 2
                if paragraphs.is_clear and len(paragraphs.drafts) >= enough:
                    found += paragraphs.drafts
            self.listed[section] = found

    def is_term_alone(self, section: Section) -> bool:
        """Tell whether a section that has no sisters is a term, rather than a title."""
        own = _has_text(section)
        parts, distinct = len(section.children), len(self._distinct([section]))
        if not own:
            return parts > 0 and distinct == 0
        if distinct == 0 or any(self._has_fields(child) for child in section.children):
            return distinct == 0
        return distinct == 1 or (distinct < _MANY_PARTS and distinct < parts)

    def _judge(self, group: Sequence[Section]) -> list[_Kind]:
        """Return what each of some sections of the same depth is."""
        leaves = [section for section in group if not section.children and _has_text(section)]
        lists = {section for section in leaves if self._is_list(section)}
        parts_of_text = sum(_is_introduced(section) for section in lists)
        by_lists = 2 * (len(lists) - parts_of_text) >= len(leaves) or len(lists) == len(leaves)
        beside = {section for section in group if _is_beside(section, group)}
        prose = [section for section in leaves if section not in beside and not (by_lists and section in lists)]
        mixed = [section for section in group if section.children and _has_text(section)]
        distinct = set(self._distinct(group))
        parts = sum(child in distinct for section in mixed for child in section.children)
        are_categories = bool(mixed) and (
            parts > _MANY_PARTS * len(mixed)
            or (len(mixed) > len(prose) and parts > len(prose) + len(mixed))
            or (not prose and parts >= len(mixed) > 1)
        )

        def kind(section: Section) -> _Kind:
            if section in beside:
                return _Kind.NOTHING
            announces = section_titles.is_glossary(section.name) or section_titles.is_letter(section.name)
            if self._is_list(section) and (by_lists or announces):
                return _Kind.CATEGORY
            if not section.children:
                is_empty = bool(section.title) and not _has_text(section)
                is_title = len(group) == 1 and section_titles.is_glossary(section.name)
                return _Kind.NOTHING if is_title or (is_empty and (announces or not prose)) else _Kind.TERM
            if not _has_text(section):
                return _Kind.CATEGORY if any(child in distinct for child in section.children) else _Kind.TERM
            if announces or any(self._has_fields(child) for child in section.children):
                return _Kind.CATEGORY
            if len(group) == 1:
                return _Kind.TERM if self.is_term_alone(section) else _Kind.CATEGORY
            return _Kind.CATEGORY if are_categories else _Kind.TERM

        return [kind(section) for section in group]

    def _distinct(self, group: Sequence[Section]) -> list[Section]:
        """Return the sections below some others whose names are their own, not those of one side of a term."""
        children = [child for section in group for child in section.children]
        counts = Counter(fold(child.name) for child in children)
        return [
            child
            for child in children
            if counts[fold(child.name)] < _OFTEN and not section_titles.is_aspect(child.name)
        ]

    def _is_list(self, section: Section) -> bool:
        """Tell whether a section holds a list of terms that is more than a part of a definition."""
        found = self.listed[section]
        if not found or section.children:
            return False
        leads = all(block.kind not in ("paragraph", "fence") for block in section.blocks[:1])
        # A term whose definition begins with its own name in bold is no list of terms.
        return (leads or len(found) > 1) and fold(found[0].term) != fold(section.name)

    def _has_fields(self, section: Section) -> bool:
        lists = [block for block in section.blocks if block.kind == "bullet_list"]
        return any(entry_fields.is_field(line) for block in lists for line in block.source.split("\n"))

    def _listed(self, container: _Placed, terms: Collection[Section]) -> list[Draft]:
        """Return the entries in a container's own lists; a list before more terms that are sections is none."""
        found = self.listed[container.section]
        if sum(child in terms for child in container.section.children) > len(found):
            return []
        category = _category(container)
        return [replace(draft, category=draft.category or category) for draft in found]

    def _without_asides(
        self, terms: list[_Placed], lists: Sequence[Draft], group: Sequence[_Placed], kinds: Sequence[_Kind]
    ) -> list[_Placed]:
        """Drop the few sections of prose that stand beside lists of terms."""
        listed = len(lists) + sum(
            len(self.listed[placed.section])
            for placed, kind in zip(group, kinds, strict=True)
            if kind is _Kind.CATEGORY and not placed.section.children
        )
        if not terms or listed <= len(terms) or (len(terms) > _FEW and listed < 5 * len(terms)):
            return terms
        for placed in terms:
            self._document.notice(
                placed.section.line, f"{placed.section.name!r} stands beside a list of terms; passed over"
            )
        return []

    def _draft(self, placed: _Placed) -> Draft:
        section = placed.section
        fields = EntryFields.of(section.blocks, self._outline.lines, self._document)
        below = section.parts()[len(section.blocks) :]
        return Draft(
            term=section.title.rstrip(":"),
            aliases=fields.aliases,
            category=placed.category,
            definition="\n\n".join(filter(None, (fields.definition, *below))),
            plain=" ".join(fields.plain) or None,
            asked=fields.asked,
            related=fields.related,
            contrasts=fields.contrasts,
            line=section.line,
            anchor=section.anchor,
        )


def _scope(root: Section, title: str | None, outline: Outline, document: Document) -> list[Section]:
    """Return the sections that announce a glossary, where the text has others as well; else the whole text."""
    if title and section_titles.is_glossary(title):
        return [root]
    found: list[Section] = []
    for section in root.walk():
        if any(section.start < one.stop and one.start <= section.start for one in found[-1:]):
            continue  # below one that was found
        if section.level and section_titles.is_glossary(section.name):
            found.append(section)
    reader = _Reader(outline, document)
    reader.pool(found)
    return [section for section in found if section.children or reader.listed[section]] or [root]


def _without_numbers(drafts: list[Draft]) -> list[Draft]:
    """Drop the numbers of sections that are all numbered."""
    matches = [_NUMBER.match(draft.term) for draft in drafts]
    if len(drafts) < 2 or not all(matches):
        return drafts
    return [replace(draft, term=_NUMBER.sub("", draft.term, count=1)) for draft in drafts]


def _has_text(section: Section) -> bool:
    return any(block.kind != "hr" for block in section.blocks)


def _is_introduced(section: Section) -> bool:
    """Tell whether the text before a list makes it a part of itself: 'There are two:'."""
    first = section.blocks[0]
    return first.kind == "paragraph" and first.source.rstrip().endswith((":", "："))


def _is_beside(section: Section, group: Sequence[Section]) -> bool:
    """Tell whether a section stands before or behind the terms without being one."""
    if len(group) == 1:
        return False
    name = section.name
    return (
        (section is group[0] and section_titles.is_before(name))
        or (section is group[-1] and section_titles.is_behind(name))
        or fold(name) in ("seealso", "tableofcontents")
        or (section_titles.is_licence(name) and section is group[-1])
    )


def _category(placed: _Placed) -> str | None:
    """Return the category of what stands in a section; a letter and the glossary's own title are none."""
    name = placed.section.name
    if not name or section_titles.is_glossary(name) or section_titles.is_letter(name):
        return placed.category
    return name
