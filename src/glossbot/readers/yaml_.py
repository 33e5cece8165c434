"""YAML, read with the line of every value; every scalar stays as it is written (``no``, ``1.0`` and ``on`` are words).

The events of PyYAML's parser are used, not its loaders: nothing is constructed, aliases are counted before they are
followed, and what stands before a mistake is kept.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml
from yaml import events
from yaml.reader import Reader
from yaml.resolver import Resolver

from glossbot.readers import records
from glossbot.readers.document import Document, Draft
from glossbot.readers.tree import Array, Builder, Node, Scalar, Table

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_MISTAKES = 20  # of a file, behind each of which reading goes on
_ENTRY = re.compile(r"^( *)- ", re.MULTILINE)
_KEY = re.compile(r"^[^\s#\-]", re.MULTILINE)
_STRING = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"
_RESOLVER = Resolver()


def read(document: Document) -> Iterator[Draft]:
    """Read one file; behind a mistake, reading goes on with the next entry of the list that it lies in."""
    text = Reader.NON_PRINTABLE.sub(" ", document.text)
    entry = _ENTRY.search(text)
    resume = re.compile(rf"^{entry[1]}- ", re.MULTILINE) if entry else _KEY
    roots: list[Node] = []
    start, line = 0, 1
    for _ in range(_MOST_MISTAKES):
        builder = Builder(document, line=line)
        mistake = _build(text[start:], builder, first_line=line)
        roots += builder.roots
        if mistake is None:
            break
        document.problem(mistake.line, mistake.message)
        if not (following := resume.search(text, _line_end(text, start, mistake.line - line))):
            break
        line += text.count("\n", start, following.start())
        start = following.start()
    return records.drafts(document, roots)


class _Mistake(NamedTuple):
    """What is no YAML, and in which line."""

    line: int
    message: str


def _build(text: str, builder: Builder, *, first_line: int) -> _Mistake | None:
    """Build what a text holds, and return what is wrong with it.

    Raises:
        GlossaryError: it is nested too deeply, or its aliases stand for too much.
    """
    anchors: dict[str, Node] = {}
    line = first_line
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            line = first_line + event.start_mark.line if event.start_mark else line
            node: Node | None = None
            match event:
                case events.DocumentStartEvent():
                    anchors = {}
                case events.MappingStartEvent():
                    builder.open(node := Table(line))
                case events.SequenceStartEvent():
                    builder.open(node := Array(line))
                case events.ScalarEvent():
                    node = _scalar(event, builder, line)
                case events.AliasEvent():
                    if (target := anchors.get(event.anchor or "")) is None:
                        return _Mistake(line, f"no anchor &{event.anchor} stands before this alias")
                    if not isinstance(target, Scalar) and not target.is_whole:
                        return _Mistake(line, f"*{event.anchor} stands within what it stands for")
                    builder.alias(target, line)
                case events.MappingEndEvent() | events.SequenceEndEvent():
                    if isinstance(builder.container, Table):
                        _merge(builder.container)
                    builder.close()
            if node and isinstance(event, events.NodeEvent) and event.anchor:
                anchors[event.anchor] = node
    except yaml.MarkedYAMLError as error:
        # What is never closed is noticed at the end of the file only; the mistake is where it was opened.
        at_end = "end of stream" in (error.problem or "")
        mark = (error.context_mark if at_end else error.problem_mark) or error.problem_mark
        message = ", ".join(filter(None, (error.context, error.problem)))
        return _Mistake(first_line + (mark.line if mark else 0), f"no YAML: {message}")
    except yaml.YAMLError as error:
        return _Mistake(first_line, f"no YAML: {error}")
    return None


def _scalar(event: events.ScalarEvent, builder: Builder, line: int) -> Scalar:
    tag = event.tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
    text = "" if event.value == "~" and tag == _NULL else event.value
    return builder.scalar(text, line, is_string=tag == _STRING)


def _merge(table: Table) -> None:
    """Add what a table takes over from others (``<<: *base``) and does not state itself."""
    merged = [value for key, value in table.pairs if key.text == "<<" and not key.is_string]
    if not merged:
        return
    table.pairs = [(key, value) for key, value in table.pairs if key.text != "<<" or key.is_string]
    known = {key.text for key, _ in table.pairs}
    for base in merged:
        for one in base.items if isinstance(base, Array) else [base]:
            if isinstance(one, Table):
                table.pairs += [(key, value) for key, value in one.pairs if key.text not in known]
                known |= {key.text for key, _ in one.pairs}


def _line_end(text: str, start: int, lines: int) -> int:
    """Return where a line ends, counted from the line of a start."""
    for _ in range(lines + 1):
        start = text.find("\n", start) + 1 or len(text)
    return start
