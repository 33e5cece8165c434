"""Roles of Sphinx as the text or the code that they show, and as references to other entries."""

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from docutils import nodes

LABEL = "label"  # attribute of a reference: the label that it names
UNTITLED = "untitled"  # attribute of such a reference: it is shown by the title of what it names


class Interpreted(NamedTuple):
    """The text of a role: what it shows, what it names, and how."""

    title: str
    target: str
    is_titled: bool
    is_link: bool

    @classmethod
    def parse(cls, text: str) -> "Interpreted":
        """Take ``title <target>``, ``!no link`` and ``~only.the.last.part`` apart."""
        is_link = not text.startswith("!")
        text = " ".join(text.removeprefix("!").split())
        title, bracket, target = text.removesuffix(">").rpartition("<")
        if text.endswith(">") and bracket and title.strip():
            return cls(title.strip(), target.strip(), is_titled=True, is_link=is_link)
        target = text.removeprefix("~")
        title = target if target == text else target.rpartition(".")[2] or target
        return cls(title, target, is_titled=False, is_link=is_link)


def _text(role: Interpreted) -> nodes.Node:
    return nodes.inline("", role.title)


def _code(role: Interpreted) -> nodes.Node:
    return nodes.literal("", role.title if role.is_titled else role.title.lstrip("."))


def _call(role: Interpreted) -> nodes.Node:
    code = _code(role)
    return code if role.is_titled or code.astext().endswith(")") else nodes.literal("", f"{code.astext()}()")


def code_or_text(role: Interpreted) -> nodes.Node:
    """Return what a role that is not known shows: one word is taken for code."""
    return _text(role) if role.is_titled or " " in role.title else _code(role)


def _term(role: Interpreted) -> nodes.Node:
    return nodes.reference("", role.title, refuri=f"#{quote(role.target)}") if role.is_link else _text(role)


def _label(role: Interpreted) -> nodes.Node:
    title = role.title if role.is_titled else _words(role.title)
    return nodes.reference("", title, **{LABEL: role.target if role.is_link else "", UNTITLED: not role.is_titled})


def _page(role: Interpreted) -> nodes.Node:
    return nodes.inline("", role.title if role.is_titled else _words(role.title.rstrip("/").rpartition("/")[2]))


def _words(label: str) -> str:
    return re.sub(r"[-_]+", " ", label).strip() or label


def _proposal(role: Interpreted, *, series: str, url: str) -> nodes.Node:
    number, _, fragment = role.target.partition("#")
    if not number.isascii() or not number.isdigit():
        return _text(role)
    title = role.title if role.is_titled else f"{series} {number}"
    return nodes.reference("", title, refuri=url.format(int(number[:9])) + (f"#{quote(fragment)}" if fragment else ""))


def _pep(role: Interpreted) -> nodes.Node:
    return _proposal(role, series="PEP", url="https://peps.python.org/pep-{:04d}/")


def _rfc(role: Interpreted) -> nodes.Node:
    return _proposal(role, series="RFC", url="https://datatracker.ietf.org/doc/html/rfc{}")


def _label_of_interface(role: Interpreted) -> nodes.Node:
    return nodes.inline("", re.sub(r"&(.)", r"\1", role.title).replace("-->", "→"))


def _file(role: Interpreted) -> nodes.Node:
    return nodes.literal("", re.sub(r"(?<!\\)[{}]", "", role.title))


# By the last part of their names (`c:func`, `external+python:py:class`). Any other is code if it is one word.
ROLES: dict[str, Callable[[Interpreted], nodes.Node]] = {
    "term": _term,
    "pep": _pep,
    "rfc": _rfc,
    "doc": _page,
    **dict.fromkeys(("ref", "numref"), _label),
    **dict.fromkeys(("func", "meth", "function", "method", "cfunc"), _call),
    **dict.fromkeys(("guilabel", "menuselection"), _label_of_interface),
    **dict.fromkeys(("file", "samp"), _file),
    **dict.fromkeys(("abbr", "dfn", "eq", "index", "cite", "download"), _text),
    **dict.fromkeys(
        """class mod attr exc data const obj type member macro var enum struct keyword option token envvar command
        program kbd makevar regexp mimetype manpage""".split(),
        _code,
    ),
}
