"""Parsing reStructuredText with what Sphinx adds to it.

Nothing stays behind in docutils: its tables of directives and roles are global, so they are exchanged while a text is
parsed and put back afterwards, as Sphinx does it. One parse runs at a time; docutils used by another thread during a
parse sees Sphinx's directives.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from urllib.parse import quote

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser, directives, roles, states
from docutils.parsers.rst.languages import en
from docutils.transforms import references

from glossbot.readers.document import Document
from glossbot.readers.sphinx_directives import DIRECTIVES, NOT_READ, Shown
from glossbot.readers.sphinx_roles import LABEL, ROLES, UNTITLED, Interpreted, code_or_text

_LINE_SEPARATORS = dict.fromkeys(map(ord, "\x1c\x1d\x1e\x85\u2028\u2029"), " ")  # lines to docutils, to no editor
# Docutils takes quadratic time for long words, and for markup that is not closed.
_LONGEST_PARAGRAPH = 20_000  # characters
_LONGEST_WORD = 500
_WORD = re.compile(r"[\w.+:-]+")
_MOST_FAULTS = 20  # of one paragraph
_LONGEST_SUBSTITUTION = 1_000  # characters, nested ones resolved
_DIRECTIVE_NAME = re.compile(rf"\.\. +(?:\|[^|\n]*\| +)?({states.Inliner.simplename}) ?::(?= |$)", re.MULTILINE)
_TRANSFORMS = [
    references.Substitutions,
    references.PropagateTargets,
    references.AnonymousHyperlinks,
    references.IndirectHyperlinks,
    references.Footnotes,
    references.ExternalTargets,
    references.InternalTargets,
    references.DanglingReferences,
]
_DEFINED_ELSEWHERE = re.compile(rf"Unknown target name|Undefined substitution|{NOT_READ}")
_parsing = threading.Lock()


def parse(document: Document) -> nodes.document:
    """Return the document tree of a file, references within it resolved; what docutils objects to is a problem of it.

    Raises:
        RecursionError: it is nested too deeply.
    """
    tree = utils.new_document(document.label, _settings())
    last = len(document.lines)

    def object_(message: nodes.system_message) -> None:
        text = message.children[0].astext() if message.children else ""
        line = message.get("line")
        note = document.notice if _DEFINED_ELSEWHERE.match(text) else document.problem
        if message["level"] >= utils.Reporter.WARNING_LEVEL:
            note(min(max(line, 1), last) if isinstance(line, int) else None, " ".join(text.split()))

    tree.reporter.attach_observer(object_)
    text = "\n".join(document.lines).translate(_LINE_SEPARATORS)
    with _parsing, _own_names(text):
        Parser(inliner=_Inliner(document)).parse(text, tree)
        tree.settings.line_length_limit = _LONGEST_SUBSTITUTION
        tree.transformer.add_transforms(_TRANSFORMS)
        tree.transformer.apply_transforms()
    _resolve_labels(tree)
    return tree


def _settings() -> Any:
    """Return docutils' defaults, read from no configuration file, with nothing inserted from elsewhere."""
    settings = frontend.get_default_settings(Parser)
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.warning_stream = False
    settings.report_level = utils.Reporter.WARNING_LEVEL
    settings.halt_level = utils.Reporter.SEVERE_LEVEL + 1
    settings.syntax_highlight = "none"
    settings.line_length_limit = 1 << 40
    return settings


@contextmanager
def _own_names(text: str) -> Iterator[None]:
    """Let docutils know every directive that a text uses, and forget what it learns from the text."""
    used = set(map(str.lower, _DIRECTIVE_NAME.findall(text)))
    unknown = used - en.directives.keys() - vars(directives)["_directive_registry"].keys()
    tables: tuple[tuple[ModuleType, str, dict[str, Any]], ...] = (
        (directives, "_directives", dict.fromkeys(unknown, Shown) | DIRECTIVES),
        (roles, "_roles", {}),
    )
    saved = [getattr(module, name) for module, name, _ in tables]
    try:
        for module, name, table in tables:
            setattr(module, name, table)
        yield
    finally:
        for (module, name, _), table in zip(tables, saved, strict=True):
            setattr(module, name, table)


def _resolve_labels(tree: nodes.document) -> None:
    """Make references to labels of the same file links, with the title of the section that they name."""
    for node in tree.findall(nodes.reference):
        label = nodes.fully_normalize_name(node.get(LABEL, ""))
        if label not in tree.nameids:
            continue
        node["refuri"] = f"#{quote(label)}"
        section = tree.ids.get(tree.nameids[label] or "")
        if node.get(UNTITLED) and isinstance(section, nodes.section) and (title := section.next_node(nodes.title)):
            node.children = []
            node += nodes.Text(title.astext())


class _Unreadable(Exception):  # noqa: N818 - it never leaves this module
    """A paragraph has more faults than is worth looking for."""


class _Inliner(states.Inliner):
    """Inline markup with Sphinx's roles, where no role is unknown and no paragraph takes long."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._faults = 0

    def parse(self, text: str, lineno: int, memo: Any, parent: nodes.Element) -> Any:
        """Return the nodes of a paragraph's text, and docutils' messages."""
        longest = max(map(len, _WORD.findall(text)), default=0)
        self._faults = 0
        if len(text) <= _LONGEST_PARAGRAPH and longest <= _LONGEST_WORD:
            try:
                return super().parse(text, lineno, memo, parent)
            except _Unreadable:
                pass
        self._document.problem(lineno, "a paragraph too long or too faulty to look for markup in; kept as it is")
        return [nodes.Text(nodes.unescape(text, restore_backslashes=True))], []

    def problematic(self, text: str, rawsource: str, message: nodes.system_message) -> nodes.problematic:
        """Return text in which markup is not closed or not known."""
        self._faults += 1
        if self._faults > _MOST_FAULTS:
            raise _Unreadable
        return super().problematic(text, rawsource, message)

    def interpreted(self, rawsource: str, text: str, role: str, lineno: int) -> Any:
        """Return the nodes of interpreted text, and docutils' messages."""
        name = role.lower()
        sphinx_role = ROLES.get(name.rpartition(":")[2])
        if not sphinx_role and (not name or name in en.roles or name in vars(roles)["_roles"]):
            return super().interpreted(rawsource, text, role, lineno)
        return [(sphinx_role or code_or_text)(Interpreted.parse(nodes.unescape(text)))], []


for _name, _pattern in vars(states.Inliner).items():  # docutils looks for its patterns in the class itself
    if isinstance(_pattern, str) and not _name.startswith("__"):
        setattr(_Inliner, _name, _pattern)
