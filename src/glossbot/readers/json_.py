"""JSON and JSON Lines, read with the line of every value; what stands before a mistake is kept."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder

from glossbot.readers import records
from glossbot.readers.document import Document, Draft
from glossbot.readers.tree import Array, Builder, Table

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)  # with the comments that some files have
_WORD = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_LINE_END = re.compile(r"\r\n|\r|\n")
_HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")  # ``\ud83d`` without its other half
_STRINGS = JSONDecoder(strict=False)  # line breaks within strings are read
_MOST_MISSING_COMMAS = 100
_SHOWN = 20  # characters of what a message quotes


def read(document: Document) -> Iterator[Draft]:
    """Read one JSON file; several values one after another are read like a list of them."""
    builder = Builder(document)
    parser = _Parser(document, document.text, builder)
    try:
        parser.parse()
    except _BrokenError as broken:
        document.problem(parser.line(broken.position), f"{broken}; nothing behind it was read")
    return records.drafts(document, builder.roots)


def read_lines(document: Document) -> Iterator[Draft]:
    """Read one file of JSON Lines: a record on each line."""
    rows = Array(1, is_whole=True)
    for number, line in enumerate(document.lines, 1):
        builder = Builder(document, line=number)
        try:
            _Parser(document, line, builder, first_line=number).parse()
            rows.items += builder.roots
        except _BrokenError as broken:
            document.problem(number, str(broken))
    return records.drafts(document, [rows])


class _BrokenError(Exception):
    """A text is no JSON from some position on."""

    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position


class _Parser:
    """Goes through a text once, without recursion, and has the builder make of it what it holds."""

    def __init__(self, document: Document, text: str, builder: Builder, *, first_line: int = 1) -> None:
        self._document = document
        self._text = text
        self._builder = builder
        self._first_line = first_line
        self._missing_commas = 0
        self._line_ends = [match.end() for match in _LINE_END.finditer(text)]

    def line(self, position: int) -> int:
        """Return the line of a position."""
        return self._first_line + bisect_right(self._line_ends, position)

    def parse(self) -> None:
        """Build the tree.

        Raises:
            _BrokenError: the text is no JSON from there on.
            GlossaryError: it is nested too deeply.
        """
        builder, text = self._builder, self._text
        position = self._skip(0)
        is_behind_value = False
        while position < len(text):
            char = text[position]
            closing = "}" if isinstance(builder.container, Table) else "]"
            if builder.depth and char == closing and not builder.wants_value:
                builder.close()
                position, is_behind_value = position + 1, True
            elif is_behind_value and builder.depth and char == ",":
                position, is_behind_value = position + 1, False
            elif is_behind_value and builder.depth and char not in '"{[':
                raise _BrokenError(position, f"',' or {closing!r} expected, not {self._shown(position)}")
            else:
                if is_behind_value and builder.depth:
                    self._miss_comma(position)
                position, is_behind_value = self._next(position), not builder.wants_value and not builder.is_empty
            position = self._skip(position)
        if builder.depth:
            closing = "}" if isinstance(builder.container, Table) else "]"
            raise _BrokenError(position, f"the file ends without the {closing!r} of line {builder.container.line}")

    def _miss_comma(self, position: int) -> None:
        """Note a forgotten comma; a text with many of them is something else."""
        self._missing_commas += 1
        if self._missing_commas > _MOST_MISSING_COMMAS:
            raise _BrokenError(position, "',' is missing over and over")
        self._document.problem(self.line(position), "a ',' is missing before this")

    def _next(self, position: int) -> int:
        """Build the key or the value that begins at a position, and return where it ends."""
        builder, text = self._builder, self._text
        if builder.wants_key:
            if text[position] != '"':
                raise _BrokenError(position, f"a key in quotation marks expected, not {self._shown(position)}")
            end = self._skip(self._string(position))
            if text[end : end + 1] != ":":
                raise _BrokenError(end, f"':' expected behind a key, not {self._shown(end)}")
            return end + 1
        match text[position]:
            case "{":
                builder.open(Table(self.line(position)))
                return position + 1
            case "[":
                builder.open(Array(self.line(position)))
                return position + 1
            case '"':
                return self._string(position)
        word = _WORD.match(text, position)
        if not word:
            raise _BrokenError(position, f"a value expected, not {self._shown(position)}")
        builder.scalar("" if word[0] == "null" else word[0], self.line(position), is_string=False)
        return word.end()

    def _string(self, position: int) -> int:
        string: str
        end: int
        try:
            string, end = _STRINGS.raw_decode(self._text, position)
        except JSONDecodeError as error:
            what = error.msg.removesuffix(" starting at").removesuffix(": ").removesuffix(" at")
            raise _BrokenError(error.pos, what[:1].lower() + what[1:]) from error
        self._builder.scalar(_HALF_CHARACTER.sub("\ufffd", string), self.line(position))
        return end

    def _skip(self, position: int) -> int:
        match = _SPACE.match(self._text, position)
        return match.end() if match else position

    def _shown(self, position: int) -> str:
        shown = self._text[position : position + _SHOWN].split("\n")[0]
        return repr(shown) if shown else "the end of the file"
