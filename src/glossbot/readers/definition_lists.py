"""Definition lists of PHP Markdown Extra, kramdown and Pandoc: terms on lines of their own, then ``: definition``.

Read line by line, since the dialects agree on little else: a definition may go on in lines that are not indented,
several terms may share one, and one term may have several.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from glossbot.readers.document import Draft
from glossbot.readers.markdown_sections import Outline, Section

_DETAIL = re.compile(r" {0,3}[:~](?P<space>[ \t]+)(?=\S)")
_MOST_TERMS = 5  # of one definition; a longer run of lines is a paragraph whose last line is the term
_LONGEST_TERM = 120  # characters
_COMPACT_TERM = re.compile(r"(?:\S+\s+){0,5}\S*[^\s.,;:!?]")


@dataclass(kw_only=True)
class _Definition:
    """A list item: the lines of its terms, and of what they mean."""

    terms: list[int]
    details: list[int] = field(default_factory=list)


def read(outline: Outline, section: Section) -> list[Draft]:
    """Return the entries of the definition lists that stand directly in a section."""
    lines = outline.lines
    stop = section.children[0].start if section.children else section.stop
    other = {at for block in section.blocks if block.kind != "paragraph" for at in range(block.start, block.stop)}
    drafts = []
    found = list(_definitions(lines, section.body, stop, other))
    for definition, end in zip(found, [*(following.terms[0] for following in found[1:]), stop], strict=False):
        ends = [*definition.details[1:], end]
        texts = [_text(lines[start:end]) for start, end in zip(definition.details, ends, strict=True)]
        names = [lines[at].strip() for at in definition.terms]
        drafts.append(
            Draft(
                term=names[0],
                aliases=names[1:],
                definition="\n\n".join(filter(None, texts)),
                line=definition.terms[0] + 1,
            )
        )
    return drafts


def _definitions(lines: Sequence[str], first: int, stop: int, other: set[int]) -> Iterator[_Definition]:
    current: _Definition | None = None
    last = first - 1  # the last line that is taken for certain
    for at in range(first, stop):
        if at in other or not _DETAIL.match(lines[at]):
            continue
        terms = _terms(lines, last + 1, at, is_compact=current is not None)
        if terms:
            if current:
                yield current
            current = _Definition(terms=terms)
        if current:
            current.details.append(at)
            last = at
    if current:
        yield current


def _terms(lines: Sequence[str], first: int, detail: int, *, is_compact: bool) -> list[int]:
    """Return the lines of the terms that stand before a detail; none where the detail belongs to the terms above.

    Args:
        lines: of the whole text.
        first: the first line that may be a term.
        detail: the line of the detail.
        is_compact: whether another detail stands right before the first line, which its text may go on in.
    """
    end = detail
    if end > first and not lines[end - 1].strip():
        end -= 1
    start = end
    while start > first and lines[start - 1].strip() and end - start <= _MOST_TERMS:
        start -= 1
    if start == end or lines[start][:2].isspace() or lines[end - 1][:2].isspace():
        return []
    if start == first and is_compact:
        # No empty line parts it from the definition above, which may go on in it.
        return [end - 1] if _COMPACT_TERM.fullmatch(lines[end - 1].strip()) else []
    if end - start > _MOST_TERMS or any(len(line) > _LONGEST_TERM for line in lines[start:end]):
        start = end - 1
    return list(range(start, end))


def _text(lines: Sequence[str]) -> str:
    """Return a definition without its mark and indentation; a paragraph that is not indented ends it."""
    match = _DETAIL.match(lines[0])
    assert match
    kept = [lines[0][match.end() :]]
    after_blank = False
    for line in lines[1:]:
        indent = len(line) - len(line.lstrip())
        if line.strip() and after_blank and indent < 2 and not line.startswith("\t"):
            break
        kept.append(line[min(indent, 4) :] if not line.startswith("\t") else line[1:])
        after_blank = not line.strip()
    return "\n".join(kept).strip()
