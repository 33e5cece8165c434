"""docutils' document tree written as Markdown."""

import re
from collections.abc import Iterable

from docutils import nodes

from glossbot.readers import writing

_REFERENCE_MARKS = re.compile(r"^[`|]+|[`|]*_{0,2}$")


class Writer:
    """Writes parts of one document tree."""

    def __init__(self, tree: nodes.document) -> None:
        self._tree = tree
        self._footnotes: dict[str, nodes.Element] = {}  # those that the definition at hand refers to

    def definition(self, body: Iterable[nodes.Node]) -> str:
        """Return a definition, and after it the footnotes that it refers to and that stand elsewhere."""
        self._footnotes = {}
        text = self._blocks(body)
        notes = [self._block(note) for note in list(self._footnotes.values())]
        return "\n\n".join([text, *(note for note in notes if note not in text)])

    def inline(self, node: nodes.Element) -> str:
        """Return what stands in a paragraph, a title or a term, on one line."""
        return writing.line(self._pieces(node))

    def _blocks(self, children: Iterable[nodes.Node]) -> str:
        return "\n\n".join(filter(None, map(self._block, children)))

    def _block(self, node: nodes.Node) -> str:
        match node:
            case nodes.system_message():  # the part of the source that it objects to
                return self._blocks(child for child in node.children if isinstance(child, nodes.literal_block))
            case nodes.comment() | nodes.substitution_definition() | nodes.pending():
                return ""
            case nodes.raw() | nodes.transition() | nodes.docinfo() | nodes.meta() | nodes.decoration():
                return ""
            case nodes.literal_block() | nodes.doctest_block():
                return writing.fenced(node.astext(), _language(node))
            case nodes.math_block():
                return f"$$\n{node.astext().strip()}\n$$"
            case nodes.bullet_list():
                return "\n".join(writing.item(self._blocks(item.children)) for item in node.children)
            case nodes.enumerated_list():
                first = int(node.get("start", 1))
                items = enumerate(node.children, first)
                return "\n".join(writing.item(self._blocks(item.children), number=number) for number, item in items)
            case nodes.definition_list() | nodes.field_list() | nodes.option_list():
                return "\n".join(map(self._labelled, node.children))
            case nodes.line_block():
                return "  \n".join(self._lines(node))
            case nodes.table():
                return self._table(node)
            case nodes.footnote() | nodes.citation():
                label = node.children[0].astext() if node.children else ""
                return writing.line(writing.plain(f"[{label}]")) + f" {self._blocks(node.children[1:])}"
            case nodes.admonition():
                return writing.labelled(writing.line(self._pieces(node.children[0])), self._blocks(node.children[1:]))
            case nodes.Admonition():
                return writing.labelled(type(node).__name__.capitalize(), self._blocks(node.children))
            case nodes.title() | nodes.rubric() | nodes.subtitle():
                return writing.line(writing.strong(self._pieces(node)))
            case nodes.attribution():
                return f"— {self.inline(node)}"
            case nodes.TextElement():
                return self.inline(node)
            case nodes.image():
                return writing.line(self._piece(node))
            case _:
                return self._blocks(node.children)

    def _labelled(self, item: nodes.Node) -> str:
        """Return an item of a definition, field or option list as an item that begins with its label."""
        *labels, body = item.children
        label = ", ".join(self.inline(one) if isinstance(one, nodes.TextElement) else one.astext() for one in labels)
        return writing.item(writing.labelled(label, self._blocks(body.children)))

    def _lines(self, block: nodes.Element) -> Iterable[str]:
        for line in block.children:
            if isinstance(line, nodes.line_block):
                yield from self._lines(line)
            elif isinstance(line, nodes.Element):
                yield self.inline(line)

    def _table(self, table: nodes.table) -> str:
        rows: list[list[str]] = []
        pending: dict[int, int] = {}  # how many rows a cell above still reaches down, by column
        for row in table.findall(nodes.row):
            cells: list[str] = []
            for entry in row.children:
                assert isinstance(entry, nodes.entry)
                while pending.get(len(cells), 0):
                    pending[len(cells)] -= 1
                    cells.append("")
                for _ in range(1 + entry.get("morecols", 0)):
                    pending[len(cells)] = entry.get("morerows", 0)
                    cells.append("")
                cells[-1 - entry.get("morecols", 0)] = self._blocks(entry.children)
            rows.append(cells)
        caption = [self.inline(title) for title in table.children if isinstance(title, nodes.title)]
        return "\n\n".join([*caption, writing.table(rows)])

    def _pieces(self, node: nodes.Node) -> str:
        return "".join(map(self._piece, node.children))

    def _piece(self, node: nodes.Node) -> str:
        match node:
            case nodes.Text():
                return writing.plain(node.astext())
            case nodes.literal():
                return writing.code(node.astext())
            case nodes.title_reference():  # text in single backquotes, which many mean for code
                text = node.astext()
                return writing.emphasised(writing.plain(text)) if " " in text else writing.code(text)
            case nodes.math():
                return writing.plain(f"${node.astext()}$")
            case nodes.emphasis():
                return writing.emphasised(self._pieces(node))
            case nodes.strong():
                return writing.strong(self._pieces(node))
            case nodes.superscript() | nodes.subscript():
                return writing.raised(self._pieces(node), "^" if isinstance(node, nodes.superscript) else "_")
            case nodes.reference():
                return self._link(node)
            case nodes.footnote_reference() | nodes.citation_reference():
                note = self._tree.ids.get(node.get("refid", ""))
                if isinstance(note, nodes.footnote | nodes.citation):
                    self._footnotes[node["refid"]] = note
                return writing.plain(f"[{node.astext()}]")
            case nodes.problematic():
                return writing.plain(_REFERENCE_MARKS.sub("", node.astext()))
            case nodes.image():
                alt = str(node.get("alt", ""))
                return "" if alt == node.get("uri") else writing.plain(alt)
            case nodes.system_message() | nodes.raw() | nodes.substitution_definition() | nodes.comment():
                return ""
            case _:
                return self._pieces(node)

    def _link(self, node: nodes.reference) -> str:
        target = node.get("refuri") or (f"#{node['refid']}" if "refid" in node else "")
        return writing.link(self._pieces(node), target)


def _language(block: nodes.Element) -> str:
    if isinstance(block, nodes.doctest_block):
        return "pycon"
    return block.get("language") or next((name for name in block["classes"] if name != "code"), "")
