"""Tables of terms in Markdown."""

import re
from collections.abc import Mapping
from dataclasses import replace

from markdown_it.rules_block.table import escapedSplit

from glossbot.readers import columns, markup
from glossbot.readers.document import Draft
from glossbot.readers.markdown_sections import Block, Section

_UNNAMED: dict[int, columns.Field] = {0: "term", 1: "definition"}  # of a table without a header
_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.IGNORECASE)


def read(section: Section, names: Mapping[str, str]) -> list[Draft]:
    """Return the entries of the tables that stand directly in a section, as far as their columns are known.

    Args:
        section: whose tables are read.
        names: the owner's own names of columns, by the field that each holds.
    """
    drafts: list[Draft] = []
    for block in section.blocks:
        if block.kind == "table":
            drafts += _rows(block, names)
    return drafts


def _rows(block: Block, names: Mapping[str, str]) -> list[Draft]:
    rows = _cells(block)
    headers = [markup.plain(cell) for cell in rows[0][1]]
    fields = columns.recognise(headers, names) if any(headers) else _UNNAMED
    if fields is None:
        return []
    naming = [index for index, field in fields.items() if field in ("term", "abbreviation", "expansion")]
    drafts: list[Draft] = []
    category: str | None = None
    for line, cells in rows[1:]:
        filled = [index for index, cell in enumerate(cells) if cell]
        if len(filled) == 1 and filled[0] in naming and len(cells) > 2:
            category = markup.plain(cells[filled[0]])  # a row that heads those below it
            continue
        draft = columns.draft(cells, fields, headers=headers, line=line, category=category)
        if draft is None:
            continue
        if not draft.term and drafts and draft.definition:  # goes on with the row above
            drafts[-1] = replace(drafts[-1], definition=f"{drafts[-1].definition}\n\n{draft.definition}")
        else:
            drafts.append(draft)
    return drafts


def _cells(block: Block) -> list[tuple[int, list[str]]]:
    """Return each row's line, counted from 1, and its cells; a bar too many belongs to the last cell."""
    lines = block.source.split("\n")
    rows: list[tuple[int, list[str]]] = []
    for token in block.tokens:
        if token.type != "tr_open" or token.map is None:
            continue
        source = lines[token.map[0] - block.start].strip()
        cells = escapedSplit(source.removeprefix("|"))
        if cells and not cells[-1].strip() and source.endswith("|"):
            cells.pop()
        width = len(rows[0][1]) if rows else len(cells)
        if len(cells) > width:
            cells[width - 1 :] = ["|".join(cells[width - 1 :])]
        rows.append((token.map[0] + 1, [_BREAK.sub("\n\n", cell).strip() for cell in cells]))
    return rows
