"""What a line of AsciiDoc is: an item of a list, a heading, a delimiter, attributes of the next block …"""

import re
from typing import NamedTuple

from glossbot.readers.asciidoc_table import column_count

DESCRIPTION = re.compile(r"\s*(?!//(?!/))(\S(?:.*?\S)??)(:{2,4}|;;)(?:\s+(.*))?")
BULLET = re.compile(r"\s*(\*{1,5}|-)\s+(\S.*)")
NUMBERED = re.compile(r"\s*(?:(\.{1,5})|(\d+)\.|([a-zA-Z])\.|<(?:\d+|\.)>)\s+(\S.*)")
CHECKBOX = re.compile(r"\[[ x*]\]\s+")
ATTRIBUTES = re.compile(r"\[(?!\[\[)(.*)\]")
SETTING = re.compile(r":!?\w[\w-]*!?:(?:\s.*)?")
TITLE = re.compile(r"\.(?![.\s])(\S.*)")
HEADING = re.compile(r"(={1,6}|#{1,6})\s+(\S.*?)(?:\s+\1)?")
UNDERLINE = re.compile(r"(=|-|~|\^|\+)\1+")
DELIMITER = re.compile(r"--|(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,})|(`{3,})[\w+#.-]*|[|,:!]={3,}")
BREAK = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}|- - -|\* \* \*")
MACRO = re.compile(r"(\w+)::(\S*?)\[(.*)\]")
ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)")
ADMONITIONS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))
UNDERLINE_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
DESCRIPTION_MARKS = frozenset(("::", ":::", "::::", ";;"))


class Attributes(NamedTuple):
    """What stands in brackets before a block: ``[source,ruby]``, ``[#id]``, ``[[id]]``; and its title."""

    style: str = ""
    language: str = ""
    anchor: str | None = None
    title: str = ""
    columns: int | None = None

    def read(self, text: str) -> "Attributes":
        """Return these with those of one more line in brackets."""
        if anchor := re.fullmatch(r"\[([^\[\],]+)(?:,.*)?\]", text):
            return self._replace(anchor=anchor[1])
        parts = [part.strip() for part in re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", text[:500])]
        style = re.match(r"[^#.%=]*", parts[0])
        anchor = re.search(r"#([\w:-]+)", parts[0])
        named = {key.strip(): value.strip("\"' ") for key, equals, value in (p.partition("=") for p in parts) if equals}
        return self._replace(
            style=(style[0].strip() if style and "=" not in parts[0] else "") or self.style,
            language=parts[1] if len(parts) > 1 and "=" not in parts[1] else named.get("language", self.language),
            anchor=anchor[1] if anchor else named.get("id", self.anchor),
            columns=column_count(named["cols"]) if "cols" in named else self.columns,
        )


def mark_of(text: str) -> str | None:
    """Return the mark of a list item, the same for all items of one list; None for any other line."""
    if match := BULLET.fullmatch(text):
        return match[1]
    if match := NUMBERED.fullmatch(text):
        return match[1] or ("1" if match[2] else "a" if match[3] else "<")
    match = DESCRIPTION.fullmatch(text)
    return match[2] if match else None
