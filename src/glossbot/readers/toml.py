"""TOML, read with the line of every value: `tomllib` reads the values, and a scan of the text finds their lines."""

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from glossbot.readers import records
from glossbot.readers.document import Document, Draft
from glossbot.readers.tree import DEEPEST, Array, Builder, Table

_Path = tuple[str | int, ...]

_STRING = r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})|(?P<comment>#[^\n]*)|(?P<mark>[\[\]{{}}=,\n])|(?P<word>[^\s\[\]{{}}=,.#\"']+)", re.DOTALL
)
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_DEEP_KEY = re.compile(rf"^[ \t\[]*{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{DEEPEST}}}", re.MULTILINE)
_HEADER = re.compile(r"^\[", re.MULTILINE)
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def read(document: Document) -> Iterator[Draft]:
    """Read one file; behind a mistake nothing is read."""
    text = document.text.replace("\r\n", "\n")
    if deep := _DEEP_KEY.search(text):
        raise document.error(text.count("\n", 0, deep.start()) + 1, f"a key of more than {DEEPEST} parts")
    values = _values(document, text)
    if values is None:
        return iter(())
    lines = _Lines(text + "\n").paths
    builder = Builder(document)
    _build(values, (), builder, lines, line=1)
    return records.drafts(document, builder.roots)


def _values(document: Document, text: str) -> dict[str, Any] | None:
    """Return what a text holds; of one with a mistake, what stands before the table that it lies in.

    Raises:
        GlossaryError: it is nested too deeply.
    """
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise document.error(None, "values nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        document.problem(line, f"no TOML: {_PLACE.sub('', str(error))}; nothing behind it was read")
    before = "".join(text.splitlines(keepends=True)[: line - 1])
    starts = [header.start() for header in _HEADER.finditer(before)]
    try:
        return tomllib.loads(before[: starts[-1]]) if starts else None
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _build(value: Any, path: _Path, builder: Builder, lines: dict[_Path, int], *, line: int) -> None:
    line = lines.get(path, line)
    match value:
        case dict():
            builder.open(Table(line))
            for key, inner in value.items():
                builder.scalar(key, lines.get((*path, key), line))
                _build(inner, (*path, key), builder, lines, line=line)
            builder.close()
        case list():
            builder.open(Array(line))
            for index, inner in enumerate(value):
                _build(inner, (*path, index), builder, lines, line=line)
            builder.close()
        case str():
            builder.scalar(value, line)
        case bool():
            builder.scalar(str(value).lower(), line, is_string=False)
        case _:
            builder.scalar(str(value), line, is_string=False)


@dataclass(slots=True)
class _Frame:
    """A table or an array whose end has not been reached."""

    path: _Path
    index: int | None = None  # of the array's present item
    key: list[str] = field(default_factory=list)
    in_value: bool = False

    @property
    def value_path(self) -> _Path:
        return (*self.path, *self.key) if self.index is None else (*self.path, self.index)


class _Lines:
    """The line of each key and each item of a valid text."""

    def __init__(self, text: str) -> None:
        self.paths: dict[_Path, int] = {}
        self._items: dict[_Path, int] = {}  # the present index of each array of tables
        self._frames = [_Frame(())]
        self._header = ""  # what its brackets are, within one
        ends = [match.end() for match in re.finditer("\n", text)]
        for token in _TOKEN.finditer(text):
            if token.lastgroup != "comment":
                self._take(token[0], bisect_right(ends, token.start()) + 1, is_mark=token.lastgroup == "mark")

    def _take(self, token: str, line: int, *, is_mark: bool) -> None:
        frame = self._frames[-1]
        is_root = len(self._frames) == 1
        if not is_mark:
            if frame.index is not None:
                self.paths.setdefault(frame.value_path, line)
            elif not frame.in_value:
                frame.key.append(_key(token))
                if not self._header:
                    self.paths.setdefault(frame.value_path, line)
        elif token == "\n":
            if is_root:
                self._end_statement(frame, line)
        elif is_root and not frame.in_value and token in "[]":
            self._header += token
        elif token == "=":
            frame.in_value = True
        elif token == ",":
            if frame.index is None:
                frame.key, frame.in_value = [], False
            else:
                frame.index += 1
        elif token in "[{":
            self.paths.setdefault(frame.value_path, line)
            self._frames.append(_Frame(frame.value_path, index=0 if token == "[" else None))
        elif not is_root:
            self._frames.pop()

    def _end_statement(self, frame: _Frame, line: int) -> None:
        if self._header:
            path: _Path = ()
            for depth, part in enumerate(frame.key, 1):
                path = (*path, part)
                if depth == len(frame.key) and self._header.startswith("[["):
                    self._items[path] = self._items.get(path, -1) + 1
                if path in self._items:
                    path = (*path, self._items[path])
                self.paths.setdefault(path, line)
            frame.path = path
            self._header = ""
        frame.key, frame.in_value = [], False


def _key(token: str) -> str:
    return token[1:-1] if token[0] == "'" else str(tomllib.loads(f"k={token}")["k"]) if token[0] == '"' else token
