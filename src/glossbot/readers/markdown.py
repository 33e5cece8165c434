"""Markdown glossaries: a heading for each term, definition lists, lists, tables, or a file for each term.

The project's own format is the first of these::

    # Category

    ## headword (ABBR)

    - Also called: alias, another alias
    - Related: other headword, third headword
    - In plain words: The same without a technical term.

    The definition, in any number of paragraphs.

    - vs other headword: One sentence that tells the two apart.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from mdit_py_plugins.anchors.index import slugify

from glossbot.entry import fold
from glossbot.readers import columns, front_matter, html, markdown_dialects, markup, section_titles, term_sections
from glossbot.readers.document import Document, Draft
from glossbot.readers.entry_fields import EntryFields
from glossbot.readers.front_matter import FrontMatter
from glossbot.readers.macros import link
from glossbot.readers.markdown_dialects import ABBREVIATION
from glossbot.readers.markdown_sections import Outline, Section

_TITLES = ("term", "headword", "title", "name")
_SHORT_DEFINITIONS = ("definition", "short-description", "short-definition", "description", "summary", "excerpt")
_ALIASES = tuple(
    "aka aliases alias synonyms synonym abbreviation abbreviations abbr acronym acronyms also-known-as also-called "
    "other-names full-form full-name expansion short".split()
)
_ATTRIBUTIONS = ("license", "licence", "attribution", "copyright", "rights", "source", "credit")
_OF_NOTES = ("aliases", "alias", "tags")  # fields that notes have, which are called by their files' names
# Fields that only a file about one term has.
_ONE_TERM = tuple(
    "term headword aka short-description short-definition definition acronym abbreviation synonyms full-form "
    "also-known-as".split()
)
_ONE_TERM_LAYOUT = re.compile(r"(?:glossary[ _/-]?)?(?:term|entry|definition|item|disambiguation)s?", re.IGNORECASE)
_ONE_TERM_SLUG = re.compile(r"/?(?:.*/)?(?:glossary|terms?|definitions?)/[^/]+/?", re.IGNORECASE)
_SITE_IN_TITLE = re.compile(r"\s*(?:[|–—]|\s-)\s*\w*\s*glossary\s*$|^glossary\s*[:|]\s*", re.IGNORECASE)
_STATES_LICENCE = re.compile(
    r"""[\W_]*(?:(?:this|the|all|our|its)?\s*(?:\w+\s+)?(?:glossary|work|page|document|file|content|contents|text|material|definitions)\b
    [^\n]{0,200}?\blicen[cs]ed?\b.*|(?:licen[cs]ed?|copyright)\s*(?::|under|\(c\)|©|\d{4}).*|(?:©|\(c\))\s*.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_HTML_ENTRIES = re.compile(r"<(?:dl|table)\b", re.IGNORECASE)
_LONGEST_LICENCE = 600  # characters
_FIRST_SENTENCE = 300  # characters that hold it
_AUTO_IDS = re.compile(r"^\{:\s*auto\\?_ids\s*\}", re.MULTILINE)


def read(document: Document) -> Iterable[Draft]:
    """Read one file."""
    front = front_matter.read(document)
    outline = Outline(markdown_dialects.translate([""] * front.length + document.lines[front.length :]))
    document.language = front.text("lang", "language", "locale") or document.language
    document.attribution = front.text(*_ATTRIBUTIONS) or _licence(outline.root)
    title = _title(front)
    if title is None and front.names(*_OF_NOTES):
        title = document.path.stem
    page = _page(front, outline, document, title)
    drafts = [page] if page else term_sections.read(outline, document, title=title)
    if not drafts:
        drafts = _in_html(outline, document) or _abbreviations(document) or _note(outline, document)
    document.is_guessed = not _is_announced(front, outline, document, title, drafts) and _has_glossary(
        document.siblings
    )
    if _AUTO_IDS.search(document.text):
        drafts = [replace(draft, anchor=draft.anchor or slugify(markup.plain(draft.term))) for draft in drafts]
    return drafts


def _page(front: FrontMatter, outline: Outline, document: Document, title: str | None) -> Draft | None:
    """Return the entry of a file about one term, or None for a file that holds entries."""
    body = _body(outline.root, title)
    short = front.text(*_SHORT_DEFINITIONS)
    target = front.text("redirect", "redirect-to", "see")
    if _is_about_one_term(front):
        title = title or body.title or document.path.stem
    elif (
        title is None
        or section_titles.is_glossary(title)
        or document.path.stem == "_index"
        or not (term_sections.is_one_entry(body, outline, document) or ((short or target) and not body.parts()))
    ):
        return None
    fields = EntryFields.of(body.blocks, outline.lines, document)
    text = "\n\n".join(filter(None, (fields.definition, *body.parts()[len(body.blocks) :])))
    if (stated := front.text("definition")) and text:
        text = f"{stated}\n\n{text}"
    key = front.text("id", "term-id", "uid", "key") or (front.text("slug") or "").rstrip("/").rpartition("/")[2] or None
    return Draft(
        term=_heading(title) if title != body.title else title,
        aliases=(*_aliases(front), *fields.aliases),
        definition=text or short or (f"See {link(target, target)}" if target else ""),
        category=front.text("category", "topic", "domain") or ", ".join(front.names("categories", "tags")) or None,
        plain=" ".join(fields.plain) or None,
        asked=fields.asked,
        related=(*front.names("related", "related-terms", "see-also"), *fields.related),
        contrasts=fields.contrasts,
        line=front.line(*_TITLES) if title != body.title else body.line,
        # Kubernetes lists all of its terms on one page.
        anchor=f"term-{key}" if "full-link" in front.fields or "short-description" in front.fields else None,
        key=key,
    )


def _title(front: FrontMatter) -> str | None:
    """Return the title that the front matter states, without the name of the site."""
    title = front.text(*_TITLES)
    return title and (_SITE_IN_TITLE.sub("", title) or title)


def _heading(title: str) -> str:
    """Return a title of front matter, which is plain text unless it holds code, as Markdown."""
    return title if "`" in title else markup.escape(title)


def _is_about_one_term(front: FrontMatter) -> bool:
    layouts = front.names("page-type", "layout", "type", "schema")
    return (
        any(key in front.fields for key in _ONE_TERM)
        or any(_ONE_TERM_LAYOUT.fullmatch(layout) for layout in layouts)
        or bool(_ONE_TERM_SLUG.fullmatch(front.text("slug") or ""))
    )


def _body(root: Section, title: str | None) -> Section:
    """Return the section that holds everything: the text, or its only heading where that repeats the title."""
    if len(root.children) != 1 or root.blocks:
        return root
    (child,) = root.children
    return child if title is None or child.level == 1 or fold(child.name) == fold(title) else root


def _in_html(outline: Outline, document: Document) -> list[Draft]:
    """Return the entries of lists and tables that are written in HTML."""
    lines = [""] * len(outline.lines)
    for section in outline.root.walk():
        for block in section.blocks:
            if block.kind == "html_block":
                lines[block.start : block.stop] = outline.lines[block.start : block.stop]
    text = "\n".join(lines)
    if not _HTML_ENTRIES.search(text):
        return []
    # The other lines are empty, so that what is found has the line that it has in the file.
    return list(html.read(replace(document, data=text.encode("utf-8", "surrogatepass"))))


def _abbreviations(document: Document) -> list[Draft]:
    """Return the entries of a file that holds nothing but abbreviations for other pages."""
    matches = ((at, ABBREVIATION.fullmatch(line)) for at, line in enumerate(document.lines, 1))
    return [Draft(term=match["short"], definition=match["full"], line=at) for at, match in matches if match]


def _note(outline: Outline, document: Document) -> list[Draft]:
    """Return the entry of a note without a heading whose text is about the name of the file."""
    name = document.path.stem
    text = "\n\n".join(outline.root.parts())
    if len(name) < 2 or outline.root.children or section_titles.is_glossary(name):
        return []
    if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text[:_FIRST_SENTENCE], re.IGNORECASE):
        return []
    line = outline.root.blocks[0].line
    document.notice(line, f"no heading; the headword {name!r} is the file's name")
    return [Draft(term=name, definition=text, line=line)]


def _is_announced(
    front: FrontMatter, outline: Outline, document: Document, title: str | None, drafts: Sequence[Draft]
) -> bool:
    """Tell whether a file says that it belongs to a glossary, by its path, a title, or the fields of its entries."""
    names = (title or "", *Path(document.label).with_suffix("").parts, *(one.name for one in outline.root.walk()))
    return (
        _is_about_one_term(front)
        or any(draft.aliases or draft.plain or draft.contrasts for draft in drafts)
        or any(section_titles.is_glossary(_words(name)) for name in names)
    )


@lru_cache(maxsize=8)
def _has_glossary(siblings: frozenset[Path]) -> bool:
    """Tell whether one of some files is called a glossary, so that others may be something else."""
    return any(section_titles.is_glossary(_words(path.stem)) for path in siblings)


def _words(name: str) -> str:
    return re.sub(r"[-_]+", " ", name)


def _aliases(front: FrontMatter) -> list[str]:
    """Return the other names that the front matter states; Hugo's aliases are paths of the page."""
    found: list[str] = []
    for key in _ALIASES:
        stated = front.names(key)
        found += columns.names(stated[0]) if len(stated) == 1 else stated
    return [name for name in found if not name.startswith(("/", "http:", "https:"))]


def _licence(root: Section) -> str | None:
    """Return what the last paragraph or a section at the end says about the licence of the glossary."""
    *_, last = root.walk()
    if last.level and section_titles.is_licence(last.name):
        return markup.plain(" ".join(last.parts())) or None
    block = last.blocks[-1] if last.blocks else None
    if block is None or block.kind != "paragraph" or len(block.source) > _LONGEST_LICENCE:
        return None
    if not _STATES_LICENCE.fullmatch(block.source) or (len(last.blocks) == 1 and last.level):
        return None
    last.blocks.pop()
    while last.blocks and last.blocks[-1].kind == "hr":
        last.blocks.pop()
    return markup.plain(block.source)
