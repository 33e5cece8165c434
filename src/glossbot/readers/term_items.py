"""Lists and paragraphs of terms in Markdown: ``- **Term**: definition``, ``* TERM – definition``, ``**Term** …``."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from markdown_it.token import Token

from glossbot.readers import entry_fields, markup
from glossbot.readers.document import Draft
from glossbot.readers.markdown_sections import Block, Outline, Section

_MOST_WORDS = 9  # of a term that is not set off
_MARKED = re.compile(
    r"""(?P<mark>\*{1,3}|_{1,3})(?P<term>(?=\S)[^\n]{1,160}?)(?P=mark)(?![*_\w])
    (?P<behind>[ \t]*[(（\[][^()（）\[\]\n]{1,80}[)）\]])?
    (?P<separator>\s*(?:[:：]|[-–—=]{1,3}(?=\s)|→|\\?\n|$)\s*)?""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"(?P<term>[^\n]{1,160}?)(?:\s*:\s+|：\s*|\s+(?:[-–—]{1,3}|=|→)\s+)(?P<definition>\S.*)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?。]\s")
_LABEL = re.compile(
    r"(?:notes?|warnings?|tips?|hints?|cautions?|important|examples?|e\.g|see|see also|info|definition|todo)\W*",
    re.IGNORECASE,
)
_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_TASK = re.compile(r"\[[ xX]\]\s+")
_MOSTLY = 0.8


class _Item(NamedTuple):
    """A list item or the beginning of a paragraph, as far as it is a term with a definition."""

    draft: Draft
    is_clear: bool  # its term is set off by more than a separator


@dataclass(kw_only=True)
class Listed:
    """What the lists or paragraphs of one section would be as entries, and how sure that is."""

    drafts: list[Draft] = field(default_factory=list)
    clear: int = 0  # of the drafts, those whose term is set off in bold
    size: int = 0  # items or paragraphs in all, those that are no terms too
    strays: list[int] = field(default_factory=list)  # lines of those that are no terms

    @property
    def is_clear(self) -> bool:
        """Whether nearly all begin with a term that is set off."""
        return self.size > 0 and self.clear >= _MOSTLY * self.size

    @property
    def is_likely(self) -> bool:
        """Whether nearly all begin with what may be a term."""
        return self.size > 0 and len(self.drafts) >= _MOSTLY * self.size

    def add(self, item: _Item | None, line: int) -> None:
        """Count one more."""
        self.size += 1
        if item is None:
            self.strays.append(line)
        else:
            self.drafts.append(item.draft)
            self.clear += item.is_clear


def in_lists(outline: Outline, section: Section) -> list[Listed]:
    """Return what each list that stands directly in a section would be as a list of terms."""
    return [_list(block, outline.lines) for block in section.blocks if block.kind in ("bullet_list", "ordered_list")]


def in_paragraphs(section: Section) -> Listed:
    """Return what the paragraphs that begin with a term would be, each with all blocks up to the next."""
    found = Listed()
    current: tuple[re.Match[str], int, list[str]] | None = None
    chunks = [chunk for block in section.blocks for chunk in _chunks(block)]
    for line, kind, text in chunks:
        match = _MARKED.match(text) if kind == "paragraph" else None
        if match and len(match["mark"]) > 1 and not _is_label(match["term"]):
            _close(found, current)
            current = (match, line, [text])
        elif current:
            current[2].append(text)
        elif kind == "paragraph" and found.size == 0 and not found.strays:
            found.strays.append(line)  # an introduction
        elif kind == "paragraph":
            found.add(None, line)
    _close(found, current)
    return found


def _close(found: Listed, current: tuple[re.Match[str], int, list[str]] | None) -> None:
    if current is None:
        return
    match, line, texts = current
    text = "\n\n".join(texts)
    found.add(_marked(match, text, line), line)


def _chunks(block: Block) -> Iterator[tuple[int, str, str]]:
    """Yield a block, or the parts of a paragraph of which each line begins with a term and a separator."""
    if block.kind != "paragraph":
        yield block.line, block.kind, block.source
        return
    lines = block.source.split("\n")
    starts = [at for at, line in enumerate(lines) if (match := _MARKED.match(line)) and _has_colon(match)]
    if len(starts) < 2 or starts[0] != 0:
        yield block.line, block.kind, block.source
        return
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield block.line + start, block.kind, "\n".join(lines[start:stop]).rstrip("\\ ")


def _list(block: Block, lines: Sequence[str]) -> Listed:
    found = Listed()
    for start, tokens in _items(block.tokens, level=1):
        text = _source(tokens[0], lines)
        nested = list(_items(tokens, level=3))
        bare = _TASK.sub("", text, count=1)
        if nested and (category := _category(bare)):
            inner = Listed()
            for at, inner_tokens in nested:
                inner.add(_item(_source(inner_tokens[0], lines), at + 1, category=category), at + 1)
            if inner.is_clear:
                found.drafts += inner.drafts
                found.clear += inner.clear
                found.size += inner.size
                continue
        found.add(_item(bare, start + 1), start + 1)
    return found


def _category(text: str) -> str | None:
    """Return the name of a group of terms: the first line of an item that has only nested items below."""
    first, _, rest = text.partition("\n")
    if not _MARKER.match(rest.lstrip("\n")):
        return None
    return markup.plain(first).rstrip(": ") or None


def _items(tokens: Sequence[Token], *, level: int) -> Iterator[tuple[int, list[Token]]]:
    """Yield the first line of each item at one level of nesting, counted from 0, and the tokens of the item."""
    item: list[Token] | None = None
    for token in tokens:
        if token.type == "list_item_open" and token.level == level:
            item = []
        if item is not None:
            item.append(token)
        if token.type == "list_item_close" and token.level == level and item:
            yield (item[0].map or [0])[0], item
            item = None


def _source(item: Token, lines: Sequence[str]) -> str:
    """Return the text of a list item without its mark and indentation."""
    start, stop = item.map or (0, 0)
    first, *rest = lines[start:stop]
    match = _MARKER.match(first)
    width = match.end() if match else 0
    kept = [first[width:]]
    kept += (line[min(width, len(line) - len(line.lstrip())) :] for line in rest)
    return "\n".join(kept).strip()


def _item(text: str, line: int, *, category: str | None = None) -> _Item | None:
    if entry_fields.is_field(text):
        return None
    if (match := _MARKED.match(text)) and (len(match["mark"]) > 1 or match["separator"]):
        return None if _is_label(match["term"]) else _marked(match, text, line, category=category)
    match = _PLAIN.fullmatch(text)
    if not match or _is_label(match["term"]):
        return None
    term = match["term"].strip()
    if len(markup.plain(term).split()) > _MOST_WORDS or _SENTENCE_END.search(term):
        return None
    draft = Draft(term=term, definition=match["definition"].strip(), line=line, category=category)
    return _Item(draft, is_clear=False)


def _marked(match: re.Match[str], text: str, line: int, *, category: str | None = None) -> _Item | None:
    """Return the entry of a text that begins with a term set off; without a separator the whole text defines it."""
    term = f"{match['term']}{match['behind'] or ''}".strip()
    if match["separator"] is None and not _has_colon(match):
        term, definition = match["term"].strip(), text
    else:
        definition = text[match.end() :].strip()
    if not definition:
        return None
    draft = Draft(term=term.rstrip(":： "), definition=definition, line=line, category=category)
    return _Item(draft, is_clear=True)


def _has_colon(match: re.Match[str]) -> bool:
    """Tell whether a term is parted from its definition, by a colon in its markup or by something behind it."""
    return match["term"].rstrip().endswith((":", "：")) or bool((match["separator"] or "").strip())


def _is_label(term: str) -> bool:
    return bool(_LABEL.fullmatch(term.strip()))
