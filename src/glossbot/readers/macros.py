"""Macros of site generators in running text, to the Markdown that they stand for.

Hugo's ``{{< ref "x" >}}``, MDN's ``{{Glossary("x", "text")}}``, the ``{{ variable }}`` and ``{% tag %}`` of Liquid and
Jinja: a macro with a text becomes that text, one that names another entry a link to it, any other nothing.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

# A macro ends before another one begins, so no unclosed one is searched through twice.
PATTERN = r"\{\{\{?(?:[^{}]|\{(?!\{)|\}(?!\}))*\}\}\}?|\{%(?:[^{%]|%(?!\})|\{(?!%))*%\}"

_BRACKET = re.compile(r"[\[\]]")
_HUGO = re.compile(r"\{\{\{?(?P<mark>[<%])\s*(?P<inside>.*?)\s*(?:[>%])\}\}\}?", re.DOTALL)
_TAG = re.compile(r"\{%-?\s*(?P<inside>.*?)\s*-?%\}", re.DOTALL)
_CALL = re.compile(r"(?P<name>\w[\w.-]*)\s*(?:\((?P<arguments>.*)\))?", re.DOTALL)
_EXPRESSION = re.compile(r"[-\w.$@\[\]'\"]+(?:\s*(?:\||\?\?|\+)\s*.*)?", re.DOTALL)
_ARGUMENT = re.compile(
    r"""(?:(?P<name>[\w-]+)\s*=\s*)?(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>[^\s"',=]+))"""
)
_BEFORE_TEX_GROUP = re.compile(r"(?:\\[A-Za-z]+|[\^_])(?:\{+[^{}]*\}+)*$")
_TEXT_NAMES = ("text", "title", "caption", "label", "display", "content")
_TARGET_NAMES = ("term_id", "term-id", "termid", "term", "id", "key", "slug", "target", "to", "ref", "name")
_NAMES_AN_ENTRY = re.compile(r"gloss|term|tooltip|defin", re.IGNORECASE)
_HREF = re.compile(r"(?:rel)?ref|link|url|post_url|relative_url|absolute_url", re.IGNORECASE)
_SHOWS_NO_TEXT = re.compile(
    r"embed|sidebar|^\w*api_?ref$|^(?:js|css|html|svg|http)ref$|list|previous|next|compat|specif|quicklink|include|nav|"
    r"toc|subpage|readfile|youtube|vimeo|video|audio|gist|img|image|figure|svg$|icon|param|inherit|badge|livesample",
    re.IGNORECASE,
)
_SHOWS_CODE = re.compile(r"xref$|^http|^css|^svg|^csp$|^mathml|^js|^dom|^webext", re.IGNORECASE)
_SHOWS_ELEMENT = re.compile(r"(?:html|svg|mathml)element", re.IGNORECASE)


def link(text: str, target: str) -> str:
    """Return a Markdown link to another entry, by any name of it."""
    shown = _BRACKET.sub(r"\\\g<0>", text)
    return f"[{shown}](#{quote(target.strip(), safe='')})" if target.strip() else text


def code(text: str) -> str:
    """Return a text set as code."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{text}{ticks}" if text else ""


@dataclass(frozen=True, kw_only=True)
class _Macro:
    """A macro's name and arguments."""

    name: str
    positional: Sequence[str] = ()
    named: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, name: str, arguments: str) -> "_Macro":
        positional: list[str] = []
        named: dict[str, str] = {}
        for match in _ARGUMENT.finditer(arguments):
            value = match["double"] if match["double"] is not None else match["single"]
            value = html.unescape(re.sub(r"\\(.)", r"\1", value)) if value is not None else match["bare"]
            if match["name"]:
                named[match["name"].lower()] = value
            else:
                positional.append(value)
        return cls(name=name, positional=positional, named=named)

    def first_of(self, names: Sequence[str]) -> str:
        return next((self.named[name].strip() for name in names if self.named.get(name, "").strip()), "")


def render(macro: str, *, before: str = "") -> str:
    """Return what a macro stands for.

    Args:
        macro: the macro with its braces, as `PATTERN` finds it.
        before: the text before it; braces that TeX groups with stay.
    """
    if match := _HUGO.fullmatch(macro):
        return _shortcode(match["inside"])
    if match := _TAG.fullmatch(macro):
        return _liquid(match["inside"])
    inside = macro.strip("{}").strip("-~# \t\n")
    if match := _CALL.fullmatch(inside):
        if match["arguments"] is not None:
            return _call(_Macro.parse(match["name"], match["arguments"]))
        return macro if _BEFORE_TEX_GROUP.search(before) else ""
    return "" if _EXPRESSION.fullmatch(inside) else inside


def _shortcode(inside: str) -> str:
    if escaped := re.fullmatch(r"/\*\s*(.*?)\s*\*/", inside, re.DOTALL):
        return code(escaped[1])
    name, _, arguments = inside.partition(" ")
    if name.startswith("/") or not name:
        return ""
    macro = _Macro.parse(name, arguments.rstrip("/ "))
    if _HREF.fullmatch(name):
        return _href("".join(macro.positional[:1]) or macro.first_of(("path", *_TARGET_NAMES)))
    if _NAMES_AN_ENTRY.search(name):
        target = macro.first_of(_TARGET_NAMES) or "".join(macro.positional[:1])
        text = macro.first_of(_TEXT_NAMES) or (macro.positional[1] if len(macro.positional) > 1 else "") or target
        return " ".join(filter(None, (macro.named.get("prepend", "").strip(), link(text, target))))
    return _text(macro)


def _call(macro: _Macro) -> str:
    shown = [*(text.strip() for text in macro.positional), "", ""]
    first, second = shown[:2]
    name = macro.name.lower()
    if name == "rfc":
        return f"RFC {first}" + (f": {second}" if second else "")
    if _SHOWS_ELEMENT.fullmatch(name):
        return code(second or f"<{first}>")
    if _SHOWS_CODE.search(name) and not _SHOWS_NO_TEXT.search(name) and "nocode" not in shown:
        return code(second or first.rpartition("/")[2])
    if _NAMES_AN_ENTRY.search(name) and not _SHOWS_NO_TEXT.search(name):
        return link(second or first, first)
    return _text(macro)


def _liquid(inside: str) -> str:
    name, _, arguments = inside.partition(" ")
    macro = _Macro.parse(name, arguments)
    if name == "data" and arguments.startswith("variables."):
        # The name of a product, as GitHub's documentation writes it; its last part is the best that one file tells.
        return arguments.split()[0].rpartition(".")[2].removeprefix("prodname_").replace("_", " ")
    if _HREF.fullmatch(name):
        return _href("".join(macro.positional[:1]))
    if _NAMES_AN_ENTRY.search(name) and not name.startswith("end") and macro.positional:
        return link(macro.positional[-1], macro.positional[0])
    return ""


def _text(macro: _Macro) -> str:
    if text := macro.first_of(_TEXT_NAMES):
        return text
    if _SHOWS_NO_TEXT.search(macro.name):
        return ""
    shown = [text for text in macro.positional if text.strip()]
    return shown[min(1, len(shown) - 1)] if shown else ""


def _href(path: str) -> str:
    """Return where a reference to a page leads: its fragment, or the page's name."""
    page, _, fragment = path.partition("#")
    name = re.sub(r"(?:/_?index)?\.\w+$", "", page.rstrip("/")).rpartition("/")[2]
    return f"#{quote(fragment or name, safe='')}"
