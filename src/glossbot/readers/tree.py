"""Values within values, as JSON, YAML and TOML hold them, each with its line."""

from dataclasses import dataclass, field
from typing import TypeAlias

from glossbot.readers.document import Document

DEEPEST = 100
_MOST_ALIASED = 1_000_000  # values that the aliases of one document may stand for


@dataclass(slots=True, eq=False)
class Scalar:
    """A string, or anything else that is one value, as it is written."""

    text: str
    line: int
    is_string: bool = True
    size: int = 1

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing; the word ``null`` may still be a name."""
        return not self.text.strip() or (not self.is_string and self.text.lower() == "null")


@dataclass(slots=True, eq=False)
class Array:
    """A list."""

    line: int
    items: list["Node"] = field(default_factory=list)
    is_whole: bool = False  # False where the file breaks off within it
    size: int = 1


@dataclass(slots=True, eq=False)
class Table:
    """A mapping: its keys and values in the order of the file, repeated keys and all."""

    line: int
    pairs: list[tuple[Scalar, "Node"]] = field(default_factory=list)
    is_whole: bool = False
    size: int = 1

    def get(self, key: str) -> "Node | None":
        """Return the value of a key; the last one, where it is repeated."""
        return next((value for name, value in reversed(self.pairs) if name.text == key), None)


Node: TypeAlias = Scalar | Array | Table


class Builder:
    """Puts a tree together from what a parser meets, front to back; where it breaks off, what it met is there."""

    def __init__(self, document: Document, *, line: int = 1) -> None:
        self._document = document
        self._root = Array(line)
        self._open: list[Array | Table] = [self._root]
        self._keys: list[Scalar | None] = [None]  # the key that waits for its value, for each open container
        self._aliased = 0

    @property
    def roots(self) -> list[Node]:
        """The documents of the file."""
        return self._root.items

    @property
    def wants_key(self) -> bool:
        """Whether the next scalar is a key."""
        return isinstance(self._open[-1], Table) and self._keys[-1] is None

    @property
    def wants_value(self) -> bool:
        """Whether a key waits for its value."""
        return self._keys[-1] is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in the innermost open container yet."""
        container = self._open[-1]
        return not (container.items if isinstance(container, Array) else container.pairs)

    @property
    def container(self) -> Array | Table:
        """The innermost open container; that of the roots has no end."""
        return self._open[-1]

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self._open) - 1

    def scalar(self, text: str, line: int, *, is_string: bool = True) -> Scalar:
        """Add a key or a value."""
        node = Scalar(text, line, is_string)
        if self.wants_key:
            self._keys[-1] = node
        else:
            self._add(node)
        return node

    def open(self, node: Array | Table) -> None:
        """Begin a list or a mapping.

        Raises:
            GlossaryError: it lies too deep.
        """
        if len(self._open) > DEEPEST:
            raise self._document.error(node.line, f"values nested more than {DEEPEST} levels deep")
        self._add(node)
        self._open.append(node)
        self._keys.append(None)

    def close(self) -> None:
        """End the innermost list or mapping."""
        node = self._open.pop()
        self._keys.pop()
        node.is_whole = True
        if isinstance(node, Table):
            self._notice_repeated(node)
        self._open[-1].size += node.size

    def alias(self, node: Node, line: int) -> None:
        """Add a value that stands elsewhere already.

        Raises:
            GlossaryError: the aliases of the document stand for too much.
        """
        self._aliased += node.size
        if self._aliased > _MOST_ALIASED:
            raise self._document.error(line, f"aliases that stand for more than {_MOST_ALIASED:,} values")
        self._add(node)
        self._open[-1].size += node.size - (isinstance(node, Scalar))

    def _add(self, node: Node) -> None:
        parent = self._open[-1]
        if isinstance(parent, Array):
            parent.items.append(node)
        elif key := self._keys[-1]:
            parent.pairs.append((key, node))
            self._keys[-1] = None
        if isinstance(node, Scalar):
            parent.size += 1

    def _notice_repeated(self, table: Table) -> None:
        first: dict[str, int] = {}
        for key, _ in table.pairs:
            if key.text in first and key.text:
                self._document.notice(key.line, f"the key {key.text!r} stands in line {first[key.text]} too")
            first.setdefault(key.text, key.line)
