"""AsciiDoc's blocks: definition lists as items with their terms, everything else as Markdown.

Lists nest by their marks, not by indentation: a mark that no list around uses opens a list in the item at hand.
"""

import itertools
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from glossbot.readers import writing
from glossbot.readers.asciidoc_grammar import (
    ADMONITION,
    ADMONITIONS,
    ATTRIBUTES,
    BREAK,
    BULLET,
    CHECKBOX,
    DELIMITER,
    DESCRIPTION,
    DESCRIPTION_MARKS,
    HEADING,
    MACRO,
    NUMBERED,
    SETTING,
    TITLE,
    UNDERLINE,
    UNDERLINE_LEVELS,
    Attributes,
    mark_of,
)
from glossbot.readers.asciidoc_source import Line
from glossbot.readers.asciidoc_table import rows

_DEEPEST = 24  # blocks within blocks; what lies deeper is read as text


@dataclass(kw_only=True)
class Item:
    """An item of a definition list: its terms, and its definition in blocks of Markdown."""

    terms: list[Line]
    blocks: list[str] = field(default_factory=list)
    anchor: str | None = None
    section: "Section | None" = None
    is_glossary: bool = False  # it, or the section that it stands in, is marked as ``[glossary]``


@dataclass(kw_only=True)
class Section:
    """A heading, and the blocks below it up to the next one, definition lists left out."""

    title: str
    level: int
    line: int
    anchor: str | None = None
    parent: "Section | None" = None
    is_glossary: bool = False
    blocks: list[str] = field(default_factory=list)


class Blocks:
    """Parses the lines of a document; `items` and `sections` are what came of them."""

    def __init__(self, lines: Sequence[Line], inline: Callable[[Line], str]) -> None:
        self.items: list[Item] = []
        self.sections: list[Section] = []
        self._lines = lines
        self._inline = inline
        self._at = 0
        self._end = len(lines)
        self._depth = 0
        self._is_glossary = False
        self._open: list[Section] = []  # the sections around, outermost first
        self._lists: tuple[str, ...] = ()  # marks of the lists around, outermost first

    def parse(self) -> None:
        """Parse the whole document."""
        while self._skip_blank() >= 0 and not self._is_done():
            blocks = self._block()
            if self.sections:
                self.sections[-1].blocks += blocks

    # The lines.

    def _text(self, offset: int = 0) -> str:
        at = self._at + offset
        return self._lines[at].text if at < self._end else ""

    def _is_done(self) -> bool:
        return self._at >= self._end

    def _skip_blank(self) -> int:
        """Go to the next line with text, over comments; return how many empty lines lie before it."""
        start = self._at
        comments = 0
        while not self._is_done():
            text = self._text()
            if re.fullmatch("/{4,}", text):
                close = self._closing(text)
                comments += close - self._at
                self._at = close
            elif text.startswith("//") and not text.startswith("///"):
                comments += 1
            elif text:
                break
            else:
                self._at += 1
                continue
            self._at += 1
        return self._at - start - comments

    def _closing(self, delimiter: str) -> int:
        """Return where the block that begins at this line ends: at the same delimiter, or with the text."""
        at = self._at + 1
        while at < self._end and self._lines[at].text != delimiter:
            at += 1
        return at

    # Blocks.

    def _blocks(self) -> list[str]:
        """Parse blocks up to the end of the lines at hand."""
        found: list[str] = []
        while self._skip_blank() >= 0 and not self._is_done():
            found += self._block()
        return found

    def _block(self) -> list[str]:
        """Parse one block with what stands in brackets before it; always go forward."""
        attributes = Attributes()
        while not self._is_done():
            text = self._text()
            if match := ATTRIBUTES.fullmatch(text):
                attributes = attributes.read(match[1])
            elif match := TITLE.fullmatch(text):
                attributes = attributes._replace(title=self._inline(self._lines[self._at]._replace(text=match[1])))
            elif not SETTING.fullmatch(text):
                break
            self._at += 1
            self._skip_blank()
        if self._is_done():
            return []
        title = [writing.labelled(attributes.title, "")] if attributes.title else []
        return [block for block in (*title, *self._body(attributes)) if block]

    def _body(self, attributes: Attributes) -> list[str]:
        line = self._lines[self._at]
        if not self._lists and self._heading(attributes):
            return []
        if delimiter := DELIMITER.fullmatch(line.text):
            return self._delimited(delimiter[0], attributes)
        if BREAK.fullmatch(line.text) or line.text == "+":
            self._at += 1
            return []
        if mark := mark_of(line.text):
            return self._list(mark, attributes)
        if macro := MACRO.fullmatch(line.text):
            self._at += 1
            text = macro[3].split(",")[0].strip('" ')
            return [self._inline(line._replace(text=text))] if macro[1] == "image" and "=" not in text else []
        if line.text[0].isspace() and attributes.style != "normal":
            return [self._literal()]
        return [self._paragraph(attributes)]

    def _heading(self, attributes: Attributes) -> bool:
        """Take a heading, one with marks before it or one that is underlined."""
        line = self._lines[self._at]
        underline = UNDERLINE.fullmatch(self._text(1))
        if heading := HEADING.fullmatch(line.text):
            title, level, length = heading[2], len(heading[1]), 1
        elif underline and re.search(r"\w", line.text) and abs(len(line.text) - len(underline[0])) <= 1:
            if DELIMITER.fullmatch(line.text) or line.text[0].isspace() or mark_of(line.text):
                return False
            title, level, length = line.text, UNDERLINE_LEVELS[underline[1]], 2
        else:
            return False
        while self._open and self._open[-1].level >= level:
            self._open.pop()
        above = self._open[-1] if self._open else None
        self._at += length
        self._is_glossary = attributes.style == "glossary" or bool(above and above.is_glossary)
        anchor = re.search(r"\[\[([^\[\],]+)[^\[\]]*\]\]", title)
        section = Section(
            title=self._inline(line._replace(text=title)).strip(),
            level=level,
            line=line.number,
            anchor=anchor[1] if anchor else attributes.anchor,
            parent=above,
            is_glossary=self._is_glossary,
        )
        self._open.append(section)
        self.sections.append(section)
        return True

    def _delimited(self, delimiter: str, attributes: Attributes) -> list[str]:
        fence = re.match("`{3,}", delimiter)
        language = delimiter.lstrip("`") if fence else attributes.language
        close = self._closing(fence[0] if fence else delimiter)
        start, self._at = self._at + 1, min(close + 1, self._end)
        inner = self._lines[start:close]
        style = attributes.style
        if delimiter.startswith("/"):
            return []
        if delimiter[0] in "|,:!":
            cells = rows(inner, separator=delimiter[0], columns=attributes.columns)
            return [writing.table([[self._inline(cell) for cell in row] for row in cells])]
        if delimiter.startswith("+"):
            text = "\n".join(line.text for line in inner)
            return [f"$$\n{text}\n$$" if style in ("stem", "latexmath", "asciimath") else text]
        if fence or delimiter[:4] in ("----", "....") or style in ("source", "listing", "literal"):
            return [writing.fenced("\n".join(line.text for line in inner), language)]
        blocks = self._within(start, close)
        if style in ADMONITIONS:
            return [writing.labelled(style.capitalize(), "\n\n".join(blocks))] if blocks else []
        if delimiter.startswith("_") or style in ("quote", "verse"):
            return ["\n".join(f"> {text}".rstrip() for text in "\n\n".join(blocks).split("\n"))] if blocks else []
        return blocks

    def _within(self, start: int, end: int) -> list[str]:
        """Parse the lines of a delimited block, whose lists have nothing to do with those around."""
        saved = self._at, self._end, self._lists
        if self._depth >= _DEEPEST:
            return [" ".join(line.text for line in self._lines[start:end])]
        self._at, self._end, self._depth = start, end, self._depth + 1
        self._lists = ("",) if self._lists else ()  # inside an item its definition lists are no entries
        try:
            return self._blocks()
        finally:
            (self._at, self._end, self._lists), self._depth = saved, self._depth - 1

    def _paragraph(self, attributes: Attributes) -> str:
        first = self._lines[self._at]
        lines: list[str] = []
        while not self._is_done() and self._text() and not (lines and self._interrupts()):
            lines.append(self._text().strip())
            self._at += 1
        text = "\n".join(line for line in lines if not line.startswith("//") or line.startswith("///"))
        style = attributes.style
        if style in ("source", "listing", "literal"):
            return writing.fenced("\n".join(lines), attributes.language)
        return self._admonished(first._replace(text=text), style)

    def _interrupts(self) -> bool:
        """Tell whether a line ends the paragraph before it."""
        text = self._text()
        if text == "+" or DELIMITER.fullmatch(text) or (ATTRIBUTES.fullmatch(text) and text.startswith("[[")):
            return True
        return bool(self._lists) and (bool(mark_of(text)) or bool(ATTRIBUTES.fullmatch(text)))

    def _literal(self) -> str:
        lines: list[str] = []
        while not self._is_done() and self._text() and self._text() != "+" and not (lines and mark_of(self._text())):
            lines.append(self._text())
            self._at += 1
        return writing.fenced(textwrap.dedent("\n".join(lines)))

    # Lists.

    def _list(self, mark: str, attributes: Attributes) -> list[str]:
        """Parse a list; a definition list that lies in no other list gives entries."""
        is_outermost = not self._lists
        around, self._lists = self._lists, (*self._lists, mark)
        items: list[Item] = []
        while not self._is_done() and mark_of(self._text()) == mark:
            items.append(self._item(mark))
        self._lists = around
        if is_outermost and mark in DESCRIPTION_MARKS:
            items[0].anchor = items[0].anchor or attributes.anchor
            self._is_glossary = self._is_glossary or attributes.style == "glossary"
            for item in items:
                item.section = self.sections[-1] if self.sections else None
                item.is_glossary = self._is_glossary
            self.items += items
            return []
        numbers = itertools.count(1) if mark[0] in ".1a<" else itertools.repeat(None)
        return ["\n".join(self._written(item, number) for item, number in zip(items, numbers, strict=False))]

    def _written(self, item: Item, number: int | None) -> str:
        text = "\n\n".join(item.blocks)
        if item.terms:
            text = writing.labelled(", ".join(map(self._inline, item.terms)), text)
        return writing.item(text, number=number)

    def _item(self, mark: str) -> Item:
        item = Item(terms=[])
        line = self._lines[self._at]
        text = ""
        if mark in DESCRIPTION_MARKS:
            text = self._terms(item, mark)
        else:
            found = BULLET.fullmatch(line.text) or NUMBERED.fullmatch(line.text)
            text = CHECKBOX.sub("", found[found.lastindex or 0]) if found else ""
            self._at += 1
        self._first_text(item, text)
        self._attached(item)
        return item

    def _terms(self, item: Item, mark: str) -> str:
        """Take the terms of a definition, those on lines of their own too; return the text behind the last one."""
        while True:
            line = self._lines[self._at]
            found = DESCRIPTION.fullmatch(line.text)
            assert found is not None  # _mark saw it
            item.terms.append(line._replace(text=found[1]))
            self._at += 1
            if found[3]:
                return found[3]
            before = self._at
            self._skip_blank()
            if self._is_done() or mark_of(self._text()) != mark:
                if self._is_done() or (ATTRIBUTES.fullmatch(self._text()) and not self._is_own_block(is_adjacent=True)):
                    self._at = before
                return ""

    def _first_text(self, item: Item, text: str) -> None:
        """Take the text of an item, which goes on up to an empty line or the next item."""
        lines = [text] if text else []
        number = self._lines[self._at - 1].number
        while not self._is_done() and self._text() and not self._interrupts():
            if not lines and (MACRO.fullmatch(self._text()) or BREAK.fullmatch(self._text())):
                break
            if not self._text().startswith("//"):
                lines.append(self._text().strip())
            self._at += 1
        if lines:
            item.blocks.append(self._admonished(Line("\n".join(lines), number)))

    def _admonished(self, line: Line, style: str = "") -> str:
        """Return a paragraph, behind its label if it is a note or a warning."""
        if admonition := ADMONITION.match(line.text):
            style, line = admonition[1], line._replace(text=line.text[admonition.start(2) :])
        text = self._inline(line)
        return writing.labelled(style.capitalize(), text) if style in ADMONITIONS else text

    def _attached(self, item: Item) -> None:
        """Take what else belongs to an item: lists of other marks, indented text, and blocks behind a ``+``."""
        while True:
            before = self._at
            blank = self._skip_blank()
            text = self._text()
            if self._is_done():
                return
            if text == "+":
                if blank and len(self._lists) > 1:  # each empty line before it leads one list outwards
                    self._at = before + 1
                    return
                self._at += 1
                self._skip_blank()
                if not self._is_done():
                    item.blocks += self._block()
            elif mark := mark_of(text):
                if mark in self._lists:
                    return
                item.blocks += self._list(mark, Attributes())
            elif text[0].isspace() and blank:
                item.blocks.append(self._literal())
            elif self._is_own_block(is_adjacent=not blank or not item.blocks):
                item.blocks += self._block()
            else:
                self._at = before
                return

    def _is_own_block(self, *, is_adjacent: bool) -> bool:
        """Tell whether a block belongs to the item before it without a ``+``, attributes before it looked over."""
        at = self._at
        while at < self._end and ATTRIBUTES.fullmatch(self._lines[at].text):
            at += 1
        text = self._lines[at].text if at < self._end else ""
        if mark := mark_of(text):
            return mark not in self._lists
        return is_adjacent and bool(DELIMITER.fullmatch(text))
