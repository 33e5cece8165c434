"""Markdown with a heading for each term, as the shipped glossary is written.

::

    # Category

    ## headword (ABBR)

    - Also called: alias, another alias
    - Related: other headword, third headword
    - In plain words: The same without a technical term.

    The definition, in any number of paragraphs.

    - vs other headword: One sentence that tells the two apart.

The headword's level is the deepest that the file uses, so a file of ``#`` headings is a glossary too, and a file with
one ``#`` title and ``##`` terms takes the title for the category. Everything below a headword that is none of these
list items is definition, kept as it is written.
"""

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossbot.entry import Contrast, Entry, slug
from glossbot.errors import GlossaryError

_FIELD = re.compile(r"(also called|related|in plain words)\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_CONTRAST = re.compile(r"vs\.?\s+(.+?)\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_TRAILING_ABBREVIATION = re.compile(r"(.*\S)\s*\(([^()]{1,20})\)")


def read(text: str, file: str) -> list[Entry]:
    """Read one file.

    Args:
        text: the file's whole text.
        file: its path, for messages and citations.

    Raises:
        GlossaryError: a headword has no definition, or a ``vs`` item no sentence.
    """
    lines = re.split(r"\r\n|\r|\n", text)  # as markdown-it counts them; str.splitlines knows more line ends
    tokens = MarkdownIt("commonmark").parse(text)
    headings = [
        (index, int(token.tag[1:]), _first_line(token))
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    if not headings:
        return []
    term_level = max(level for _, level, _ in headings)
    entries: list[Entry] = []
    category: str | None = None
    for position, (index, level, line) in enumerate(headings):
        heading = tokens[index + 1].content.strip()
        if level < term_level:
            category = heading or None
            continue
        end = headings[position + 1][0] if position + 1 < len(headings) else len(tokens)
        entries.append(_entry(heading, tokens[index + 3 : end], lines, file=file, line=line, category=category))
    return entries


def _entry(heading: str, body: list[Token], lines: list[str], *, file: str, line: int, category: str | None) -> Entry:
    term, aliases = heading, []
    if match := _TRAILING_ABBREVIATION.fullmatch(heading):
        term, aliases = match[1], [match[2]]
    if not term:
        raise GlossaryError(f"{file}:{line}: a heading without a headword")
    found = _Items(aliases=aliases)
    kept: list[str] = []
    for block in _blocks(body):
        if block[0].type == "bullet_list_open":
            kept.append(found.sort(block, lines, file=file))
        else:
            kept.append(_source(block[0], lines))
    definition = "\n\n".join(part for part in kept if part)
    if not definition:
        raise GlossaryError(f"{file}:{line}: {term!r} has no definition; write it below the heading")
    return Entry(
        id=slug(term),
        term=term,
        aliases=tuple(name for name in dict.fromkeys(found.aliases) if name != term),
        category=category,
        definition=definition,
        plain=" ".join(found.plain) or None,
        related=tuple(dict.fromkeys(found.related)),
        contrasts=tuple(found.contrasts),
        file=file,
        line=line,
    )


@dataclass
class _Items:
    """What the list items below one headword say."""

    aliases: list[str]
    related: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    contrasts: list[Contrast] = field(default_factory=list)

    def sort(self, block: list[Token], lines: list[str], *, file: str) -> str:
        """Take the fields and contrasts out of a list; return the source of the items that belong to the definition."""
        rest: list[str] = []
        for item in block:
            if item.type != "list_item_open" or item.level != block[0].level + 1:
                continue
            source = _source(item, lines)
            content = " ".join(re.sub(r"^[-*+]\s+", "", source).split())
            if match := _FIELD.fullmatch(content):
                self._take_field(match[1].casefold(), match[2])
            elif match := _CONTRAST.fullmatch(content):
                line = _first_line(item)
                if not match[2]:
                    raise GlossaryError(f"{file}:{line}: 'vs {match[1]}' has no sentence")
                self.contrasts.append(Contrast(other=match[1], text=match[2], line=line))
            else:
                rest.append(source)
        return "\n".join(rest)

    def _take_field(self, name: str, value: str) -> None:
        if name == "in plain words":
            self.plain.append(value)
            return
        names = [part.strip() for part in value.split(",") if part.strip()]
        (self.aliases if name == "also called" else self.related).extend(names)


def _blocks(tokens: list[Token]) -> list[list[Token]]:
    """Group a flat token stream into its top-level blocks."""
    blocks: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            blocks.append([])
        blocks[-1].append(token)
        depth += token.nesting
    return blocks


def _source(token: Token, lines: list[str]) -> str:
    start, stop = token.map or (0, 0)
    return "\n".join(lines[start:stop]).strip()


def _first_line(token: Token) -> int:
    return (token.map or [0])[0] + 1
