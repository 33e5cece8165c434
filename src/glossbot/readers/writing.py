"""Markdown as it is written by readers that parse a markup of their own.

Pieces of a line are marked (`markdown_text`): what is plain text stays plain text. `line` settles them.
"""

import re
from collections.abc import Sequence

from glossbot.readers import invisible, markdown_text
from glossbot.readers.markdown_text import EMPHASIS, STRONG

_BLOCK = re.compile(r"[-+*>|]\s?|\d+\.\s|`{3}|~{3}|\$\$")
_EXPONENT = re.compile(r"[-+−]?\d+|\w")


def plain(text: str) -> str:
    """Return a piece of plain text."""
    return markdown_text.marked(invisible.drop(text))


def emphasised(piece: str) -> str:
    """Return a piece in emphasis."""
    return f"{EMPHASIS}{piece}{EMPHASIS}" if piece.strip() else piece


def strong(piece: str) -> str:
    """Return a piece in strong emphasis."""
    return f"{STRONG}{piece}{STRONG}" if piece.strip() else piece


def code(text: str) -> str:
    """Return plain text as a piece of code."""
    text = " ".join(invisible.drop(text).split())
    if not text:
        return ""
    fence = "`" * (1 + _longest_run(text))
    return f"{fence} {text} {fence}" if text.startswith("`") or text.endswith("`") else f"{fence}{text}{fence}"


def link(piece: str, target: str) -> str:
    """Return a piece that leads somewhere; a target that is its own text stays text."""
    if not piece.strip() or target in ("", piece, f"mailto:{piece}"):
        return piece
    target = re.sub(r"[<>\s\x00-\x1f]", lambda char: f"%{ord(char[0]):02X}", target)
    return f"[{piece}](<{target}>)" if "(" in target or ")" in target else f"[{piece}]({target})"


def raised(piece: str, mark: str) -> str:
    """Return a superscript or subscript: a number or a letter with its mark, any other as text."""
    return f"{markdown_text.marked(mark)}{piece}" if _EXPONENT.fullmatch(piece) else piece


def line(pieces: str) -> str:
    """Return what was put together as one line of Markdown: a paragraph, a title, a term, a cell."""
    return markdown_text.settled(" ".join(pieces.split())).replace("\n", " ")


def fenced(text: str, language: str = "") -> str:
    """Return lines of code as a block; what is no name of a language is left out."""
    fence = "`" * max(3, 1 + _longest_run(text))
    name = language if re.fullmatch(r"[\w+#.-]+", language) else ""
    return f"{fence}{name}\n{text}\n{fence}"


def item(text: str, *, number: int | None = None) -> str:
    """Return an item of a list, which may hold several blocks."""
    marker = "- " if number is None else f"{number}. "
    indent = " " * len(marker)
    return marker + "\n".join(indent + one if one else "" for one in text.split("\n")).lstrip()


def labelled(label: str, text: str) -> str:
    """Return a text behind its label (``**Note:** …``), and a list, a table or code below it."""
    if not text:
        return f"**{label}**"
    gap = "\n\n" if _BLOCK.match(text) else " "
    return f"**{label}:**{gap}{text}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of Markdown as a table whose first row is its head."""
    if not rows:
        return ""
    width = max(map(len, rows))
    cells = [[" ".join(cell.split()).replace("|", r"\|") for cell in row] for row in rows]
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backquotes."""
    return max(map(len, re.findall("`+", text)), default=0)
