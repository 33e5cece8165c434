"""What passes between a file and its reader: the document that is read, and the drafts of entries that come of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import Field

from glossbot.entry import Contrast, Frozen
from glossbot.errors import GlossaryError
from glossbot.readers import encoding

_LINE_END = re.compile(r"\r\n|\r|\n")


class ReadOptions(Frozen):
    """How files are read, where that is not to be seen from them."""

    format: str | None = Field(default=None, description="The format of every file, by its name in `readers.FORMATS`.")
    columns: dict[str, str] = Field(
        default_factory=dict, description="The file's own column or key for a field: {'term': 'Name', …}."
    )
    language: str | None = Field(default=None, description="Which language of a multilingual glossary is read.")
    base_url: str | None = Field(default=None, description="Where the glossary is published.")


class Problem(Frozen):
    """Something in a file that could not be read, or was guessed; the rest of the file was read."""

    file: str
    line: int | None
    message: str
    code: str | None = None  # of the finding that `lint` makes of it, where that is more than "unreadable" or "guessed"
    term: str | None = None  # of the entry that it is about

    @classmethod
    def parse(cls, text: str, *, file: str) -> "Problem":
        """Return the problem that an error's message states, which begins with the file and perhaps the line."""
        line = re.match(r":(\d+): ", rest := text.removeprefix(file))
        message = rest[line.end() :] if line else rest.removeprefix(": ")
        return cls(file=file, line=int(line[1]) if line else None, message=message)

    def __str__(self) -> str:
        """Return it the way compilers do: ``file:line: message``."""
        return ":".join((self.file, *([str(self.line)] if self.line else []), f" {self.message}"))


class Reference(Frozen):
    """An entry's pointer to another one, as its source states it, and where that leads."""

    entry: str = Field(description="The id of the entry that refers.")
    name: str = Field(description="The other entry, as it is written.")
    target: str | None = Field(description="The headword of the entry that is meant; None where there is none.")
    stated: bool = Field(description="Whether it is one of the related entries that the source lists, not a link.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One entry as its source states it, before names are split, references resolved and files merged.

    Definitions are Markdown. A reference to another entry is written as a link to a fragment, ``[text](#target)``,
    where the target is the other's anchor, key or name; resolving it is left to `assemble`.
    """

    term: str
    definition: str
    line: int
    aliases: Sequence[str] = ()
    category: str | None = None
    plain: str | None = None
    asked: Sequence[str] = ()  # questions and descriptions of people who do not know the name
    related: Sequence[str] = ()
    contrasts: Sequence[Contrast] = ()
    language: str | None = None
    attribution: str | None = None  # licence or origin, where the source states it for this entry
    anchor: str | None = None  # the fragment of the entry on the published page
    key: str | None = None  # the source's own identifier; drafts of one concept in several languages share it


@dataclass(kw_only=True)
class Document:
    """A glossary file, and what its reader has to say about it."""

    path: Path
    label: str  # how the file is called in answers and messages
    data: bytes
    options: ReadOptions = field(default_factory=ReadOptions)
    language: str | None = None  # as the path tells it (``de/terms.md``, ``terms.de.md``)
    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    attribution: str | None = None  # set by a reader that finds the licence of the whole file
    is_guessed: bool = False  # set by a reader for which nothing but its shape makes the file a glossary
    siblings: frozenset[Path] = frozenset()  # all files that are read together: none is read again by being included

    @cached_property
    def text(self) -> str:
        """The decoded text, without a byte order mark; a guessed encoding becomes a notice.

        Raises:
            GlossaryError: the bytes are no text.
        """
        decoded = encoding.decode(self.data, label=self.label)
        if decoded.guessed:
            self.notice(None, f"read as {decoded.encoding}, which was guessed; save the file as UTF-8 to be sure")
        return decoded.text

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines, split where Markdown and most editors split them (not at every Unicode separator)."""
        return _LINE_END.split(self.text)

    def release(self) -> None:
        """Let go of the text; what was read from it stays."""
        self.data = b""
        for name in ("text", "lines"):
            self.__dict__.pop(name, None)

    def problem(self, line: int | None, message: str, *, code: str | None = None, term: str | None = None) -> None:
        """Note a part that cannot be read; the reader goes on behind it."""
        self.problems.append(Problem(file=self.label, line=line, message=message, code=code, term=term))

    def notice(self, line: int | None, message: str, *, code: str | None = None, term: str | None = None) -> None:
        """Note something that was guessed or passed over on purpose."""
        self.notices.append(Problem(file=self.label, line=line, message=message, code=code, term=term))

    def error(self, line: int | None, message: str) -> GlossaryError:
        """Return the error to raise where nothing of the file (or nothing further) can be read."""
        return GlossaryError(str(Problem(file=self.label, line=line, message=message)))

    @classmethod
    def of(cls, text: str, *, label: str = "glossary", columns: Mapping[str, str] | None = None) -> "Document":
        """Return a document that holds a text, as if it had been read from a file."""
        options = ReadOptions(columns=dict(columns or {}))
        return cls(path=Path(label), label=label, data=text.encode("utf-8", "surrogatepass"), options=options)
