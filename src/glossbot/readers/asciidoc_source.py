"""The lines of an AsciiDoc file as they come to its parser: conditions decided, attributes set, files included."""

import errno
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from glossbot.errors import GlossaryError
from glossbot.readers.document import Document
from glossbot.readers.source import load

_CONDITION = re.compile(r"(ifdef|ifndef|ifeval|endif)::(\S*?)\[(.*)\]\s*")
_INCLUDE = re.compile(r"include::([^\[\]]+)\[([^\]]*)\]\s*")
_SETTING = re.compile(r":(!?)(\w[\w-]*)(!?):(?:\s+(.*))?")
_NAME = re.compile(r"(\\?)\{(\w[\w-]*)\}")
_LONGEST_VALUE = 1_000  # characters of one attribute
_LARGEST_EXPANSION = 1 << 24  # characters that the attributes of one file may become
_DEEPEST_INCLUDE = 16
_SUFFIXES = frozenset((".adoc", ".asciidoc", ".asc", ".txt"))
# Characters that might be taken for markup are character references.
_BUILT_IN = dict(
    name.split("=", 1)
    for name in """empty= blank= nbsp=&nbsp; deg=° apos=' quot=" lsquo=‘ rsquo=’ ldquo=“ rdquo=” brvbar=¦ amp=&amp;
    lt=&lt; gt=&gt; asterisk=&#42; plus=&#43; caret=&#94; tilde=&#126; backtick=&#96; backslash=&#92; startsb=&#91;
    endsb=&#93; vbar=&#124; litdd=&#45;&#45; pp=&#43;&#43; cpp=C&#43;&#43; two-colons=:: two-semicolons=;;
    sp=&#32; zwsp=&#8203; wj=&#8288;""".split()
)


class Line(NamedTuple):
    """A line and its number in the file."""

    text: str
    number: int


class Attributes:
    """The attributes of a document (``:name: value``), which its text refers to as ``{name}``."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._values: dict[str, str] = {}
        self._unknown: set[str] = set()
        self._left = _LARGEST_EXPANSION

    def __contains__(self, name: str) -> bool:
        return name in self._values or name in _BUILT_IN

    def set_by(self, line: Line) -> bool:
        """Set or unset an attribute if that is what a line does; tell whether it is."""
        setting = _SETTING.fullmatch(line.text)
        if not setting:
            return False
        name = setting[2].lower()
        if setting[1] or setting[3]:
            self._values.pop(name, None)
        else:
            self._values[name] = self.expand(Line((setting[4] or "").strip(), line.number))[:_LONGEST_VALUE]
        return True

    def expand(self, line: Line) -> str:
        """Return a text with the values of the attributes that it names; an unknown one stays and is noted once."""

        def value(name: re.Match[str]) -> str:
            key = name[2].lower()
            if name[1]:
                return name[0][1:]
            found = self._values.get(key, _BUILT_IN.get(key))
            if found is None or self._left < len(found):
                if key not in self._unknown:
                    self._unknown.add(key)
                    self._document.notice(line.number, f"the attribute {{{key}}} is not set in this file")
                return name[0]
            self._left -= len(found)
            return found

        return _NAME.sub(value, line.text) if "{" in line.text else line.text


class Source:
    """Reads a document's lines in order, with those of the files that it includes and that are not read by themselves.

    An included file is read once, and its lines have the number of the line that includes it.
    """

    def __init__(self, document: Document, attributes: Attributes) -> None:
        self._document = document
        self._attributes = attributes
        self._folder = document.path.parent.resolve()
        self._seen = {document.path.resolve()}
        self.has_includes = False

    def lines(self) -> Iterator[Line]:
        """Yield the lines that conditions let through; attributes are set on the way."""
        numbered = (Line(text.rstrip(), number) for number, text in enumerate(self._document.lines, 1))
        return self._lines(numbered, depth=0)

    @cached_property
    def _read_by_themselves(self) -> frozenset[Path]:
        return frozenset(path.resolve() for path in self._document.siblings)

    def _lines(self, lines: Iterable[Line], *, depth: int) -> Iterator[Line]:
        conditions: list[bool] = []
        for line in lines:
            if condition := _CONDITION.fullmatch(line.text):
                shown = self._condition(condition, conditions)
                if all(conditions) and shown:
                    yield Line(shown, line.number)
            elif not all(conditions):
                continue
            elif include := _INCLUDE.fullmatch(line.text):
                yield from self._included(include[1], line, depth=depth + 1)
            else:
                self._attributes.set_by(line)
                yield line

    def _condition(self, condition: re.Match[str], conditions: list[bool]) -> str:
        """Open or close a condition; return the text of one that is a single line, if it holds."""
        kind, names, text = condition.groups()
        if kind == "endif":
            if conditions:
                conditions.pop()
            return ""
        if kind == "ifeval":
            conditions.append(True)  # what it compares is known to the publisher alone
            return ""
        known = [name in self._attributes for name in filter(None, re.split("[,+]", names.lower()))]
        holds = (all(known) if "+" in names else any(known)) == (kind == "ifdef")
        if not text:
            conditions.append(holds)
        return text if holds else ""

    def _included(self, target: str, line: Line, *, depth: int) -> Iterator[Line]:
        self.has_includes = True
        name = self._attributes.expand(Line(target, line.number))
        path = self._document.path.parent / name
        try:
            path = path.resolve()
            if path in self._seen:
                return
            self._seen.add(path)
            lines = self._content(path, depth=depth)
        except (OSError, ValueError, RuntimeError, GlossaryError):
            self._document.notice(line.number, f"not read: include::{name}[]")
            return
        if path in self._read_by_themselves:
            for text in lines:
                self._attributes.set_by(Line(text.rstrip(), line.number))
        else:
            yield from self._lines((Line(text.rstrip(), line.number) for text in lines), depth=depth)

    def _content(self, path: Path, *, depth: int) -> list[str]:
        """Return the lines of an AsciiDoc file in the folder of the document or below it.

        Raises:
            OSError: it lies elsewhere, is in another format, is too large, or cannot be read.
            GlossaryError: it is no text.
        """
        if path.suffix.lower() not in _SUFFIXES or not path.is_relative_to(self._folder) or depth > _DEEPEST_INCLUDE:
            raise OSError(errno.EACCES, "not included")
        return Document(path=path, label=self._document.label, data=load(path).data).lines
