"""What a glossary is made of: entries, the contrasts between them, and the glossary that holds both."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field

# After an end mark and a space, or after an end mark of a script that puts no space there.
_SENTENCE_END = re.compile(r"""(?: (?<=[.!?…]) | (?<=[.!?…]["'”’)\]]) ) \s+ | (?<=[。！？｡؟।])\s*""", re.VERBOSE)
_ENDS_IN_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:(?i:e\.g|i\.e|vs|cf|approx|fig|eq|ca|resp|dr|mr|mrs|ms|prof)|[A-Z])\.$"
)
_ENDS_IN_SHORT_WORD = re.compile(r"(?:^|[\s(])(?:[a-z]{1,3}|\w+\.\w+)\.$")  # "etc. and" goes on
_LAST_WORD = 24  # characters that hold the last word of a text, as far as it can be an abbreviation
_ASCII_PUNCTUATION = re.compile(r"[^A-Za-z0-9+#]+")


class Frozen(BaseModel):
    """A value object: compared by what it holds, never changed after it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Contrast(Frozen):
    """One written sentence that tells an entry apart from another one."""

    other: str = Field(description="The other entry, by any of its names.")
    text: str
    line: int = Field(ge=1)


class Place(Frozen):
    """Where an entry stands."""

    file: str
    line: int = Field(ge=1)
    url: str | None = None


class Entry(Frozen):
    """One concept of a glossary, as its source file states it."""

    id: str = Field(description="Slug of the term, unique in the glossary.")
    term: str = Field(description="The headword.")
    aliases: tuple[str, ...] = ()
    category: str | None = None
    definition: str = Field(description="The whole definition, as written (Markdown).")
    plain: str | None = Field(default=None, description="The same in everyday words, for readers and for search.")
    asked: tuple[str, ...] = Field(default=(), description="How people ask for it who do not know its name.")
    related: tuple[str, ...] = Field(default=(), description="Names of entries to look at next.")
    contrasts: tuple[Contrast, ...] = ()
    file: str = Field(description="The source file, as a path that can be opened.")
    line: int = Field(ge=1, description="Line of the headword in the source file, counted from 1.")
    url: str | None = Field(default=None, description="Where the entry is published.")
    others: tuple[Place, ...] = Field(default=(), description="Further files that define the same concept.")
    language: str | None = Field(default=None, description="ISO 639 code, where the source states it.")
    attribution: str | None = Field(default=None, description="Licence or origin, where the source states it.")

    @property
    def names(self) -> tuple[str, ...]:
        """The headword, then every alias and abbreviation."""
        return (self.term, *self.aliases)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the definition says in sentences, in order: its running text and list items, without code and tables."""
        return tuple(split_sentences(prose(self.definition))) or tuple(split_sentences(self.definition))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all that an answer could take from this entry (not of where it stands)."""
        stated = self.model_dump_json(exclude={"file", "line", "others", "contrasts"})
        contrasts = "\n".join(f"{contrast.other}\t{contrast.text}" for contrast in self.contrasts)
        return hashlib.sha256(f"{stated}\n{contrasts}".encode()).hexdigest()


class Glossary(Frozen):
    """Entries in the order in which they were read."""

    entries: tuple[Entry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """Entries by their id."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def by_name(self) -> dict[str, tuple[Entry, ...]]:
        """Entries by each of their names, folded; a name with several senses has several entries."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for key in dict.fromkeys(filter(None, map(fold, entry.names))):  # nobody can ask for a sign by its name
                found.setdefault(key, []).append(entry)
        return {key: tuple(entries) for key, entries in found.items()}

    def named(self, name: str) -> tuple[Entry, ...]:
        """Return the entries that bear a name, written in any case and with any spacing or hyphens."""
        return self.by_name.get(fold(name), ())

    def related(self, entry: Entry) -> tuple[Entry, ...]:
        """Return the entries that an entry points to, without those that the glossary lacks."""
        found = (other for name in entry.related for other in self.named(name))
        return tuple(dict.fromkeys(found))

    def neighbours(self, entry: Entry) -> frozenset[Entry]:
        """Return the entries that an entry is related to or set against, whichever of the two says so."""
        return self._neighbours.get(entry.id, frozenset())

    @cached_property
    def _neighbours(self) -> dict[str, frozenset[Entry]]:
        found: dict[str, set[Entry]] = {entry.id: set() for entry in self.entries}
        for entry in self.entries:
            others = {other for contrast in entry.contrasts for other in self.named(contrast.other)}
            for other in (*self.related(entry), *others):
                found[entry.id].add(other)
                found[other.id].add(entry)
        return {id_: frozenset(others) for id_, others in found.items()}

    def contrasts(self, left: Entry, right: Entry) -> Iterator[tuple[Entry, Contrast]]:
        """Yield the contrasts written between two entries, each with the entry that holds it."""
        for holder, other in ((left, right), (right, left)):
            for contrast in holder.contrasts:
                if other in self.named(contrast.other):
                    yield holder, contrast

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of every entry's fingerprint, in order: the version of the corpus."""
        return hashlib.sha256("\n".join(entry.fingerprint for entry in self.entries).encode()).hexdigest()


def fold(name: str) -> str:
    """Reduce a name to what its spellings share: no case, no spaces, hyphens or punctuation, no invisible characters.

    Letters, digits and combining marks of every script stay, and so do ``+`` and ``#`` (C, C++ and C# are three names).
    """
    if name.isascii():
        return _ASCII_PUNCTUATION.sub("", name).lower()
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    kept = "".join(char for char in text if unicodedata.category(char)[0] in "LNM" or char in "+#")
    return unicodedata.normalize("NFKC", kept)  # a mark may have come to stand behind another letter


def slug(term: str) -> str:
    """Return a term as an id for links: lower case, words joined by hyphens, letters of every script kept."""
    text = unicodedata.normalize("NFKC", term).casefold()
    return re.sub(r"[^\w]+", "-", text).strip("-_") or "term"


def unique_ids(terms: Sequence[str]) -> list[str]:
    """Return one id for each term, in order; a repeated slug gets ``-2``, ``-3`` …"""
    numbers: dict[str, int] = {}  # by slug, the last number that an id of it has
    ids = []
    for term in terms:
        base = candidate = slug(term)
        while candidate in numbers:
            numbers[base] += 1
            candidate = f"{base}-{numbers[base]}"
        numbers[candidate] = 1
        ids.append(candidate)
    return ids


def prose(markdown: str) -> str:
    """Return the running text of a Markdown text: each list item a paragraph, code blocks and tables left out."""
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1[`~]*\s*?$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    lines = (line for line in text.split("\n") if not line.lstrip().startswith("|"))
    return re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "\n", "\n".join(lines), flags=re.MULTILINE).strip()


def split_sentences(text: str) -> list[str]:
    """Cut running text into sentences; abbreviations, initials and decimal points end none."""
    sentences: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        pending: list[str] = []
        for piece in filter(None, map(str.strip, _SENTENCE_END.split(" ".join(paragraph.split())))):
            if pending and not _goes_on(pending[-1], piece):
                sentences.append(" ".join(pending))
                pending = []
            pending.append(piece)
        if pending:
            sentences.append(" ".join(pending))
    return sentences


def _goes_on(text: str, following: str) -> bool:
    """Tell whether what follows a full stop belongs to the same sentence."""
    end = text[-_LAST_WORD:]
    if _ENDS_IN_ABBREVIATION.search(end):
        return True
    return following[0].islower() and bool(_ENDS_IN_SHORT_WORD.search(end))
