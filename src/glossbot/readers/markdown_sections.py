"""The outline of a Markdown text: sections, each with its heading, its own blocks and the sections below it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from mdit_py_plugins.anchors.index import slugify

from glossbot.readers import markup

_ANCHOR = re.compile(r"""<a\s[^<>]*\b(?:id|name)\s*=\s*["']?(?P<id>[^"'<>\s]+)[^<>]*>""", re.IGNORECASE)
_REFERENCE_LINK = re.compile(
    r"`+[^`]*`+|(?<![\\\]])\[(?P<text>(?:[^\[\]\\]|\\.)+)\](?:\[(?P<label>[^\[\]\n]*)\])?(?![\[(:])"
)
_BACK_TO_TOP = re.compile(r"\W*\[[^\[\]]*\b(?:top|contents|index|up)\b[^\[\]]*\]\(#[^()]*\)\W*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block that stands directly in a section: a paragraph, a list, a table …"""

    kind: str  # as markdown-it calls its first token, without "_open"
    tokens: Sequence[Token]
    start: int  # its first line, counted from 0
    stop: int  # the line behind it
    source: str

    @property
    def line(self) -> int:
        """Its first line, counted from 1."""
        return self.start + 1


@dataclass(kw_only=True, eq=False)
class Section:
    """A heading and what stands below it."""

    title: str  # Markdown
    level: int  # of the heading; 0 for the whole text
    start: int  # the heading's line, counted from 0
    body: int = 0  # the line behind the heading
    stop: int = 0  # the line behind all of it
    heading: str = ""  # its source
    anchor: str | None = None
    blocks: list[Block] = field(default_factory=list)
    children: list["Section"] = field(default_factory=list)

    @property
    def line(self) -> int:
        """The heading's line, counted from 1."""
        return self.start + 1

    @cached_property
    def name(self) -> str:
        """The title without markup."""
        return markup.plain(self.title)

    def walk(self) -> Iterator["Section"]:
        """Yield this section and all below it, in order."""
        waiting = [self]
        while waiting:
            section = waiting.pop()
            yield section
            waiting += reversed(section.children)

    def parts(self) -> list[str]:
        """Return the source of its blocks and of all sections below it, with their headings."""
        found: list[str] = []
        for section in self.walk():
            if section is not self:
                found.append(section.heading)
            found += (block.source for block in section.blocks)
        return found


class Outline:
    """The sections of a text, and its lines."""

    def __init__(self, lines: Sequence[str]) -> None:
        environment: dict[str, dict[str, dict[str, str]]] = {}
        # Blocks are all that is looked at: a definition stays as it is written.
        parser = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
        tokens = parser.parse("\n".join(lines), environment)
        references = {label: entry["href"] for label, entry in environment.get("references", {}).items()}
        self.lines = _resolved(lines, tokens, references) if references else list(lines)
        self.root = Section(title="", level=0, start=0, stop=len(lines))
        self._grow(_blocks(tokens))

    def _grow(self, groups: Iterator[list[Token]]) -> None:
        path = [self.root]
        anchors: Counter[str] = Counter()
        for tokens in groups:
            start, stop = tokens[0].map or (0, 0)
            if tokens[0].type != "heading_open":
                path[-1].blocks.append(
                    Block(
                        kind=tokens[0].type.removesuffix("_open"),
                        tokens=tokens,
                        start=start,
                        stop=stop,
                        source="\n".join(self.lines[start:stop]).strip("\n").rstrip(),
                    )
                )
                continue
            section = Section(
                title=_ANCHOR.sub("", tokens[1].content).replace("</a>", "").strip(),
                level=int(tokens[0].tag[1:]),
                start=start,
                body=stop,
                heading="\n".join(self.lines[start:stop]).strip(),
            )
            section.anchor = self._anchor(section, path[-1], tokens[1].content, anchors)
            while path[-1].level >= section.level:
                path.pop().stop = start
            path[-1].children.append(section)
            path.append(section)
        for section in path:
            section.stop = len(self.lines)
        for section in self.root.walk():
            _trim(section)

    @staticmethod
    def _anchor(section: Section, before: Section, content: str, anchors: Counter[str]) -> str | None:
        """Return the id that a heading states, or that stands in the line before it, or that its text becomes."""
        if match := _ANCHOR.search(content):
            return match["id"]
        last = before.blocks[-1].source if before.blocks else ""
        if match := _ANCHOR.fullmatch(last.removesuffix("</a>").rstrip()):
            before.blocks.pop()
            return match["id"]
        name: str = slugify(section.name)
        anchors[name] += 1
        return (f"{name}-{anchors[name] - 1}" if anchors[name] > 1 else name) or None


def _trim(section: Section) -> None:
    """Drop the line that parts a section from the next, and links back to the top."""
    blocks = section.blocks
    while blocks and (
        blocks[-1].kind == "hr" or (len(blocks[-1].source) < 200 and _BACK_TO_TOP.fullmatch(blocks[-1].source))
    ):
        blocks.pop()


def _blocks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each top-level block."""
    group: list[Token] = []
    depth = 0
    for token in tokens:
        group.append(token)
        depth += token.nesting
        if depth == 0:
            yield group
            group = []


def _resolved(lines: Sequence[str], tokens: Sequence[Token], references: Mapping[str, str]) -> list[str]:
    """Write links that name a target defined elsewhere with the target itself, except in code."""
    code = {at for token in tokens if token.type in ("fence", "code_block") and token.map for at in range(*token.map)}

    def replaced(match: re.Match[str]) -> str:
        target = references.get(normalizeReference(match["label"] or match["text"])) if match["text"] else None
        if target is None:
            return match[0]
        return f"[{match['text']}]({f'<{target}>' if re.search(r'[ ()]', target) else target})"

    done: list[str] = []
    for is_code, run in groupby(range(len(lines)), key=code.__contains__):
        text = "\n".join(lines[at] for at in run)
        done += (text if is_code else _REFERENCE_LINK.sub(replaced, text)).split("\n")
    return done
