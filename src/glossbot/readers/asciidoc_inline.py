"""AsciiDoc's inline markup written as Markdown."""

import html
import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

from glossbot.readers import writing

_BRACKETS = r"\[((?:[^\[\]\\]|\\.|\[[^\[\]]*\])*)\]"
_TOKEN = re.compile(
    rf"""
    (?P<escape>\\(?=[*_`+^~\#<\[(]|[a-z]+:))
    | (?P<entity>&(?:\#\d{{1,7}}|\#x[\da-f]{{1,6}}|\w{{1,30}});)
    | (?P<quote>["']`(?=\S))
    | (?P<span>\+{{1,3}}(?=\S) | `{{1,2}} | \*{{1,2}} | _{{1,2}} | \#{{1,2}} | \^ | ~ | \$\$)
    | (?P<role>\[[.\#\w][^\[\]\n]*\](?=\#\S))
    | (?P<anchor>\[\[\[? [^\[\]\n]* \]\]\]?)
    | <<(?P<xref>[^<>]+)>>
    | (?P<hidden>\(\(\([^()]*\)\)\))
    | \(\((?P<index>[^()]+)\)\)
    | (?P<url>\b(?:https?|ftp|irc)://[^\s\[\]<>]{{1,1000}})(?P<url_text>{_BRACKETS})?
    | (?<![\w:])(?P<macro>[a-z][\w-]{{0,30}}):(?P<target>[^\s\[\]]{{0,500}})(?P<text>{_BRACKETS})
    | (?P<dash>(?<=\s)--(?=\s) | (?<=\w)--(?=\w))
    | (?P<break>\ \+$)
    """,
    re.VERBOSE | re.MULTILINE,
)
_XREF = re.compile(r"<<([^<>]+)>>")
_RUNNING_TEXT = re.compile(r"[^\W\d][\w\s,.;:!?'’-]*")
_NAMED_ATTRIBUTE = re.compile(r'\w+="?[^",]*"?')
# What a macro means whose text is neither shown nor a link's.
_INVISIBLE_MACROS = frozenset(("anchor", "indexterm", "icon"))
_FORMULAS = frozenset(("stem", "latexmath", "asciimath"))


class _Reference(NamedTuple):
    """A cross reference: the other entry's id, and the text that is shown, if any is written."""

    target: str
    text: str

    @classmethod
    def parse(cls, target: str, text: str) -> "_Reference":
        """Reduce ``file.adoc#id`` to the id, and a file alone to its name."""
        file, _, fragment = " ".join(target.split()).rpartition("#")
        name = fragment or file
        name = re.sub(r"\.(?:adoc|asciidoc|asc|txt|html)$", "", name).rpartition("/")[2]
        return cls(name or target, " ".join(text.split()))


class Inline:
    """Writes inline markup as Markdown, with the texts of references that state none."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles

    def markdown(self, text: str) -> str:
        """Return a paragraph's or a term's text on one line; attributes are replaced already."""
        return writing.line(self._marked(text))

    def _marked(self, text: str) -> str:
        pieces: list[str] = []
        closers = _Closers(text)
        written_to = position = 0
        while token := _TOKEN.search(text, position):
            written, position = self._token(token, closers)
            if written is not None:
                pieces += (_plain(text[written_to : token.start()]), written)
                written_to = position
        pieces.append(_plain(text[written_to:]))
        return "".join(pieces)

    def _token(self, token: re.Match[str], closers: "_Closers") -> tuple[str | None, int]:
        """Return what a token means, None for plain text, and where to look for the next one."""
        text, end = token.string, token.end()
        match token.lastgroup if token.lastgroup not in ("url_text", "text") else None:
            case "escape":
                return _plain(text[end : end + 1]), end + 1
            case "entity":
                return _plain(token[0]), end
            case "quote":
                return self._quoted(token, closers)
            case "span":
                return self._span(token, closers)
            case "role" | "hidden" | "break":
                return "", end
            case "anchor":
                return (_plain(token[0][2:-2]) if token[0].startswith("[[[") else ""), end
            case "xref":
                target, _, shown = token["xref"].partition(",")
                return self._reference(_Reference.parse(target, shown)), end
            case "index":
                return self._marked(token["index"]), end
            case "dash":
                return "—", end
        if token["url"]:
            return self._url(token)
        return self._macro(token["macro"], token["target"], token["text"][1:-1].replace(r"\]", "]")), end

    def _quoted(self, token: re.Match[str], closers: "_Closers") -> tuple[str | None, int]:
        """Return text in curly quotes, which older files mean for code in straight ones."""
        mark = token[0][0]
        close = closers.after("`" + mark, token.end())
        inner = token.string[token.end() : close] if close is not None else ""
        if close is None or not _RUNNING_TEXT.fullmatch(inner):
            return None, token.start() + 1
        inner = _plain(inner)
        return f"“{inner}”" if mark == '"' else f"‘{inner}’", close + 2

    def _span(self, token: re.Match[str], closers: "_Closers") -> tuple[str | None, int]:
        marks, text = token[0], token.string
        for mark in dict.fromkeys((marks, marks[0])):
            start = token.start() + len(mark)
            if not _opens(text, token.start(), mark):
                continue
            close = closers.after(mark, start + 1)
            if close is not None:
                return self._formatted(mark, text[start:close]), close + len(mark)
        return None, token.end()

    def _formatted(self, mark: str, inner: str) -> str:
        match mark[0]:
            case "`":
                literal = re.fullmatch(r"\+(.+)\+", inner, re.DOTALL)
                return writing.code(html.unescape(literal[1] if literal else _XREF.sub(self._xref_text, inner)))
            case "*":
                return writing.strong(self._marked(inner))
            case "_":
                return writing.emphasised(self._marked(inner))
            case "#":
                return self._marked(inner)
            case "^" | "~":
                return writing.raised(self._marked(inner), "^" if mark == "^" else "_")
            case _:
                return inner if mark == "+++" else _plain(inner)

    def _xref_text(self, xref: re.Match[str]) -> str:
        target, _, shown = xref[1].partition(",")
        return shown.strip() or _plain(target)

    def _reference(self, reference: _Reference) -> str:
        text = self._marked(reference.text) or _plain(self._titles.get(reference.target) or _words(reference.target))
        return writing.link(text, f"#{quote(reference.target)}")

    def _url(self, token: re.Match[str]) -> tuple[str, int]:
        url = token["url"]
        if token["url_text"] is None:
            trimmed = url.rstrip(".,;:!?)'\"")
            return writing.plain(trimmed), token.start("url") + len(trimmed)
        return self._linked(url, token["url_text"][1:-1]), token.end()

    def _linked(self, url: str, text: str) -> str:
        text = _first_attribute(text)
        return writing.link(self._marked(text), url) if text else writing.plain(url)

    def _macro(self, name: str, target: str, text: str) -> str:
        match name:
            case "link":
                return (
                    self._linked(target, text)
                    if ":" in target
                    else self._marked(_first_attribute(text)) or _plain(target)
                )
            case "mailto":
                shown = _first_attribute(text)
                return writing.link(self._marked(shown), f"mailto:{target}") if shown else _plain(target)
            case "xref":
                return self._reference(_Reference.parse(target.removeprefix("#"), text))
            case "pass":
                return text
            case "kbd" | "btn":
                return writing.code(text)
            case "menu":
                return _plain(" → ".join([target, *(part.strip() for part in html.unescape(text).split(">"))]))
            case "footnote" | "footnoteref":
                return f" ({self._marked(text)})" if text else ""
            case "image":
                return self._marked(_first_attribute(text))
        if name in _FORMULAS:
            return writing.plain(f"${text}$")
        if name in _INVISIBLE_MACROS:
            return ""
        if text.isdigit() and target:  # a manual page and its section
            return writing.plain(f"{target}({text})")
        return self._marked(_first_attribute(text)) or _plain(target)


class _Closers:
    """Where in a text each kind of markup may close; each kind is looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, list[int]] = {}

    def after(self, mark: str, position: int) -> int | None:
        """Return the first place at or behind a position where a mark may close."""
        if mark not in self._found:
            pattern = re.escape(mark)
            if len(mark) == 1:
                no_space = mark in "^~"
                pattern = rf"(?<=\S){pattern}" + ("" if no_space else rf"(?![\w{pattern}])")
            self._found[mark] = [match.start() for match in re.finditer(pattern, self._text)]
        places = self._found[mark]
        index = bisect_left(places, position)
        return places[index] if index < len(places) else None


def _opens(text: str, start: int, mark: str) -> bool:
    """Tell whether a mark may open: doubled anywhere, single only at the beginning of a word."""
    following = text[start + len(mark) : start + len(mark) + 1]
    if len(mark) > 1 or mark in "^~":
        return bool(following) and not (mark in "^~" and following.isspace())
    before = text[start - 1] if start else " "
    return bool(following) and not following.isspace() and not (before.isalnum() or before in "_:;}")


def _plain(text: str) -> str:
    return writing.plain(html.unescape(text))


def _words(id_: str) -> str:
    return re.sub(r"[-_]+", " ", id_).strip() or id_


def _first_attribute(text: str) -> str:
    """Return the text of a macro without what follows it (``text,window=_blank``, ``text^``)."""
    if _NAMED_ATTRIBUTE.fullmatch(text.split(",")[0]):
        return ""
    text = re.split(r",\s*\w+=", text, maxsplit=1)[0].strip()
    return text.strip('"').removesuffix("^")
