"""Labelled fields below a headword: ``Also called:``, ``Related:``, ``In plain words:``, ``Asked as:``, ``vs X:``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from glossbot.entry import Contrast
from glossbot.readers import columns
from glossbot.readers.document import Document
from glossbot.readers.markdown_sections import Block

_FIELD = re.compile(
    r"""(?P<mark>[*_]{0,3})(?:
        (?P<aliases>also\ (?:called|known\ as)|a\.?k\.?a\.?|other\ names?|alias(?:es)?|synonyms?
            |abbreviations?|acronyms?)
        | (?P<related>related(?:\ (?:terms?|concepts?|entries))?)
        | (?P<plain>in\ plain\ (?:words|english))
        | (?P<asked>asked\ as)
    )\s*(?:(?P=mark)\s*:|:\s*(?P=mark))\s*(?P<value>.*)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_CONTRAST = re.compile(r"vs\.?\s+(.+?)\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_BULLET = re.compile(r"[-*+]\s+")
_LONGEST_NAME = 8  # words; a field of a paragraph that holds more holds no names


def is_field(text: str) -> bool:
    """Tell whether a list item is a field of an entry."""
    text = _BULLET.sub("", text, count=1) if text[:1] in "-*+" else text
    return bool(_FIELD.match(text) or _CONTRAST.match(text))


@dataclass(kw_only=True)
class EntryFields:
    """What the fields below one headword say, and the rest, which is the definition."""

    aliases: list[str] = field(default_factory=list)
    related: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    contrasts: list[Contrast] = field(default_factory=list)
    definition: str = ""

    @classmethod
    def of(cls, blocks: Sequence[Block], lines: Sequence[str], document: Document) -> "EntryFields":
        """Take the fields out of the blocks below a headword."""
        fields = cls()
        kept: list[str] = []
        for block in blocks:
            if block.kind == "bullet_list":
                kept.append(fields._sort(block, lines, document=document))
            elif block.kind != "paragraph" or not fields._take_paragraph(block.source):
                kept.append(block.source)
        fields.definition = "\n\n".join(part for part in kept if part)
        return fields

    def _sort(self, block: Block, lines: Sequence[str], *, document: Document) -> str:
        """Take the fields and contrasts out of a list; return the source of the items that belong to the definition."""
        rest: list[str] = []
        for item in block.tokens:
            if item.type != "list_item_open" or item.level != 1:
                continue
            start, stop = item.map or (block.start, block.stop)
            source = "\n".join(lines[start:stop]).rstrip()
            content = " ".join(_BULLET.sub("", source.strip(), count=1).split())
            if match := _FIELD.fullmatch(content):
                self._take(match)
            elif match := _CONTRAST.fullmatch(content):
                if not match[2]:
                    document.problem(start + 1, f"'vs {match[1]}' has no sentence")
                    continue
                self.contrasts.append(Contrast(other=match[1], text=match[2], line=start + 1))
            else:
                rest.append(source)
        return "\n".join(rest)

    def _take_paragraph(self, text: str) -> bool:
        """Take a paragraph that is nothing but a field with names."""
        match = _FIELD.fullmatch(text)
        if not match or not match["mark"] or match["plain"] or match["asked"] or "\n" in text:
            return False
        if any(len(name.split()) > _LONGEST_NAME for name in columns.names(match["value"])):
            return False
        self._take(match)
        return True

    def _take(self, match: re.Match[str]) -> None:
        if match["plain"]:
            self.plain.append(match["value"])
            return
        if match["asked"]:
            self.asked.append(match["value"])
            return
        names = [part.strip() for part in match["value"].split(",") if part.strip()]
        (self.aliases if match["aliases"] else self.related).extend(names)
