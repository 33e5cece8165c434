"""Directives of Sphinx, and of what extends it, as far as a glossary needs them."""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList

GLOSSARY = "glossary"  # class of the definition list that a glossary directive makes
NOT_READ = "not read:"  # how the message begins on a directive for text from elsewhere


class _AnyOption(dict[str, Callable[[str], Any]]):
    """An option table that knows every option, so that none is an error; docutils asks whether it is empty."""

    def __missing__(self, name: str) -> Callable[[str], Any]:
        return directives.unchanged

    def __bool__(self) -> bool:
        return True


class _Directive(Directive):
    """A directive that takes what it is given."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = _AnyOption()

    @property
    def argument(self) -> str:
        return self.arguments[0] if self.arguments else ""

    def blocks(self, text: str = "") -> list[nodes.Node]:
        """Return what stands in the directive, after a text from its first line."""
        holder = nodes.Element()
        if text:
            lines = text.split("\n")
            self.state.nested_parse(StringList(lines, items=[("", self.lineno - 1)] * len(lines)), 0, holder)
        self.state.nested_parse(self.content, self.content_offset, holder)
        return holder.children


class Shown(_Directive):
    """An unknown directive: its argument and its content are text like any other."""

    def run(self) -> list[nodes.Node]:
        """Return the blocks that stand in its place."""
        return self.blocks(self.argument)


class _Content(_Directive):
    """A directive whose argument is none of the text."""

    def run(self) -> list[nodes.Node]:
        return self.blocks()


class _Dropped(_Directive):
    """A directive for the index, the layout or the navigation."""

    def run(self) -> list[nodes.Node]:
        return []


class _NotRead(_Directive):
    """A directive for text that lies elsewhere or is in another format."""

    def run(self) -> list[nodes.Node]:
        self.reporter.warning(f"{NOT_READ} {self.name}:: {self.argument}", line=self.lineno)
        return []


class _Code(_Directive):
    """Code; its language is the argument."""

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        return [nodes.literal_block(code, code, language=self.argument)] if code.strip() else []


class _Math(_Directive):
    """A formula, which may begin on the first line."""

    def run(self) -> list[nodes.Node]:
        formula = "\n".join(filter(None, (self.argument, *self.content)))
        return [nodes.math_block(formula, formula)] if formula else []


class _Titled(_Directive):
    """An admonition that docutils lacks, and the notes on versions, which name one in their argument."""

    titles: ClassVar = {
        "seealso": "See also",
        "todo": "To do",
        "versionadded": "Added in version",
        "versionchanged": "Changed in version",
        "versionremoved": "Removed in version",
        "deprecated": "Deprecated since version",
        "deprecated-removed": "Deprecated since version",
    }

    def run(self) -> list[nodes.Node]:
        title, text = self.titles[self.name.lower()], self.argument
        if title.endswith("version"):
            version, _, text = text.partition("\n") if "\n" in text else text.partition(" ")
            title = f"{title} {version}".strip()
        return [nodes.admonition("", nodes.title("", title), *self.blocks(text))]


class _Glossary(_Directive):
    """Terms on lines of their own, any number of them before one indented definition; `..` lines are comments."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        items: list[_GlossaryItem] = []
        in_comment = False
        for index, (text, (source, offset)) in enumerate(zip(self.content, self.content.items, strict=True)):
            if not text:
                if items:
                    items[-1].add("", source, offset)
            elif text[0].isspace():
                if items and not in_comment:
                    items[-1].add(text, source, offset)
                elif not items:
                    self.reporter.warning(
                        f"text before the first term of the glossary: {text.strip()}", line=offset + 1
                    )
            elif in_comment := text == ".." or text.startswith(".. "):
                continue
            else:
                if not items or items[-1].has_body:
                    items.append(_GlossaryItem())
                elif not self.content[index - 1]:
                    before = items[-1].terms[-1]
                    self.reporter.warning(
                        f"{before[0]!r} has no definition of its own: it shares the next", line=before[1]
                    )
                items[-1].terms.append((text, offset + 1))
        list_ = nodes.definition_list(classes=[GLOSSARY])
        list_ += [self.item(item) for item in items]
        return [list_]

    def item(self, item: "_GlossaryItem") -> nodes.definition_list_item:
        node = nodes.definition_list_item()
        for text, line in item.terms:
            name = re.split(r" +: +", text, maxsplit=1)[0]  # what follows is a key of the index
            found, _ = self.state.inline_text(name, line)
            term = nodes.term(text, "", *found)
            term.line = line
            node += term
        definition = nodes.definition()
        try:
            self.state.nested_parse(item.body, item.offset, definition)
        except RecursionError:
            self.reporter.error("nested too deeply; its definition is kept without markup", line=item.terms[0][1])
            definition.children = []
            definition += nodes.paragraph("", " ".join(" ".join(item.body).split()))
        node += definition
        return node


class _GlossaryItem:
    """A definition that is being collected, and its terms with their lines."""

    def __init__(self) -> None:
        self.terms: list[tuple[str, int]] = []
        self.body = StringList()
        self.has_body = False
        self.offset = 0  # of the definition's first line in the file
        self._indent = 0

    def add(self, text: str, source: str, offset: int) -> None:
        """Add a line of the definition, without the indentation of its first line."""
        if text and not self.has_body:
            self.has_body = True
            self.offset = offset
            self._indent = len(text) - len(text.lstrip())
        if self.has_body:
            cut = min(self._indent, len(text) - len(text.lstrip()))
            self.body.append(text[cut:], source, offset)


DIRECTIVES: dict[str, type[Directive]] = {
    "glossary": _Glossary,
    "math": _Math,
    **dict.fromkeys(_Titled.titles, _Titled),
    **dict.fromkeys(("include", "literalinclude", "raw"), _NotRead),
    **dict.fromkeys(
        """code code-block sourcecode ipython testcode doctest prompt productionlist console graphviz digraph graph
        mermaid uml""".split(),
        _Code,
    ),
    **dict.fromkeys("only ifconfig hlist rst-class cssclass tab-set tabs grid".split(), _Content),
    **dict.fromkeys(
        """index toctree contents sectionauthor codeauthor moduleauthor highlight currentmodule default-domain program
        tabularcolumns target-notes testsetup testcleanup meta""".split(),
        _Dropped,
    ),
}
