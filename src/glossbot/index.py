"""The index: entries, the vectors of their texts, and search over both; one file, replaced as a whole.

The file is an uncompressed zip of ``header.json`` (versions, checksums, sources), ``entries.jsonl``, ``rows.jsonl``
(the texts that were embedded) and ``vectors.npy``, a vector for each row.
FAISS reads no file of ours (its reader is unsafe on foreign bytes): its exact index is made from the vectors when the
first search needs it, which takes milliseconds for the sizes that a flat index is for.
"""

import contextlib
import hashlib
import io
import json
import math
import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import psutil
from pydantic import Field, ValidationError

from glossbot import paths, readers
from glossbot.embed import Embedder, Vectors
from glossbot.entry import Entry, Frozen, Glossary, split_sentences
from glossbot.errors import GlossaryError, IndexCorruptError, IndexMissingError, IndexOutdatedError, StorageError
from glossbot.names import NameFinder, stem, tokenize

if TYPE_CHECKING:
    import bm25s
    import faiss

FORMAT = 1
SHIPPED = "shipped"  # stands for the shipped glossary among the sources, wherever it is installed
_MEMBERS = ("entries.jsonl", "rows.jsonl", "vectors.npy")
_CHUNK_WORDS = 120  # an embedder's window is counted in word pieces; 120 words fit the usual 256 with room to spare
_REBUILD = "run `glossbot index` to build it again"


class TextKind(StrEnum):
    """Which text of an entry a row of vectors stands for."""

    NAME = "name"
    DEFINITION = "definition"
    SENTENCE = "sentence"
    PLAIN = "plain"
    CONTRAST = "contrast"


class Row(Frozen):
    """One embedded text."""

    entry: int
    kind: TextKind
    text: str


class Similarities(NamedTuple):
    """How similar an entry's texts are to a question: the best cosine of each kind of text."""

    name: float
    definition: float
    sentence: float
    plain: float


class Source(Frozen):
    """A file that was indexed, as it was then."""

    path: str
    size: int
    mtime_ns: int
    sha256: str


class Header(Frozen):
    """What the index was built from, and the checksums of its other members."""

    format: int
    corpus: str
    embedder: str
    roots: tuple[str, ...]
    sources: tuple[Source, ...]
    checksums: dict[str, str] = Field(default_factory=dict)


class Changes(Frozen):
    """What a build did, counted in entries."""

    added: int
    changed: int
    removed: int
    unchanged: int


class Index:
    """Entries and their vectors, ready to be searched."""

    def __init__(self, glossary: Glossary, rows: Sequence[Row], vectors: Vectors, header: Header) -> None:
        self.glossary = glossary
        self.rows = tuple(rows)
        self.header = header
        self._vectors = vectors

    @classmethod
    def build(
        cls,
        roots: Sequence[Path] | None,
        embedder: Embedder,
        *,
        previous: Self | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Self, Changes]:
        """Read a glossary and embed it.

        Args:
            roots: the files and folders to read; None for the shipped glossary.
            embedder: what makes the vectors.
            previous: an index whose vectors are taken over for the texts that it has already.
            progress: called with texts embedded so far and texts to embed in all.

        Raises:
            GlossaryError: a source cannot be read.
            EngineError: the embedder cannot be loaded.
        """
        given = (paths.shipped_corpus(),) if roots is None else tuple(roots)
        glossary = readers.read(given)
        rows = _rows(glossary)
        known = previous._known_vectors() if previous and previous.header.embedder == embedder.fingerprint else {}
        # Texts of like length share a batch, since a batch is padded to its longest.
        missing = sorted({row.text for row in rows if row.text not in known}, key=len)
        done = 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress(done, len(missing))

        if missing:
            known |= dict(zip(missing, embedder.encode(missing, progress=advance), strict=True))
        vectors = np.stack([known[row.text] for row in rows]).astype(np.float32)
        header = Header(
            format=FORMAT,
            corpus=glossary.fingerprint,
            embedder=embedder.fingerprint,
            roots=_root_names(roots),
            sources=tuple(_source(file.path) for file in readers.source_files(given)),
        )
        return cls(glossary, rows, vectors, header), _changes(previous.glossary if previous else None, glossary)

    @classmethod
    def open(cls, file: Path, *, embedder: Embedder | None = None, check_sources: bool = True) -> Self:
        """Open an index file.

        Args:
            file: where it lies.
            embedder: what questions will be embedded with; None when nothing will be searched by vector.
            check_sources: whether an index older than its glossary files is refused.

        Raises:
            IndexMissingError: there is none.
            IndexCorruptError: it is damaged.
            IndexOutdatedError: it was made by another version, with another embedder, or from files that have changed.
        """
        if not file.exists():
            raise IndexMissingError(f"{file}: there is no index yet; run `glossbot index` to build it")
        try:
            with zipfile.ZipFile(file) as archive:
                if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                    raise IndexCorruptError(f"{file}: not an index that glossbot wrote; {_REBUILD}")
                header = _header(file, json.loads(archive.read("header.json")))
                members = {name: archive.read(name) for name in _MEMBERS}
        except (
            zipfile.BadZipFile,
            KeyError,
            ValueError,
            EOFError,
            OSError,
            RuntimeError,
        ) as error:
            raise IndexCorruptError(f"{file}: the index is damaged ({error}); {_REBUILD}") from error
        for name, data in members.items():
            if hashlib.sha256(data).hexdigest() != header.checksums.get(name):
                raise IndexCorruptError(f"{file}: the checksum of {name} in it is wrong; {_REBUILD}")
        entries, rows, vectors = members.values()
        try:
            index = cls(
                Glossary(entries=tuple(map(Entry.model_validate_json, entries.splitlines()))),
                tuple(map(Row.model_validate_json, rows.splitlines())),
                np.load(io.BytesIO(vectors), allow_pickle=False),
                header,
            )
        except (ValidationError, ValueError, TypeError, MemoryError) as error:
            raise IndexCorruptError(f"{file}: the index does not hold what its header says; {_REBUILD}") from error
        if not index._is_sound():
            raise IndexCorruptError(f"{file}: its entries, texts and vectors do not fit together; {_REBUILD}")
        if embedder and embedder.fingerprint != header.embedder:
            raise IndexOutdatedError(f"{file}: built with another embedder than {embedder.folder}; {_REBUILD}")
        if check_sources and (reason := index.staleness()):
            raise IndexOutdatedError(
                f"{file}: {reason} since it was built; run `glossbot index` to bring it up to date"
            )
        return index

    def _is_sound(self) -> bool:
        """Tell whether the parts fit together, whoever wrote them."""
        vectors, entries = self._vectors, len(self.glossary)
        return (
            isinstance(vectors, np.ndarray)
            and vectors.dtype == np.float32
            and vectors.ndim == 2
            and len(vectors) == len(self.rows) > 0
            and bool(np.isfinite(vectors).all())
            and all(0 <= row.entry < entries for row in self.rows)
            and all(entry.sentences for entry in self.glossary.entries)
        )

    def save(self, file: Path) -> None:
        """Write the index beside its place and put it there in one step; a crash leaves the old one.

        Raises:
            StorageError: the disk is full, or the folder cannot be written to.
        """
        buffer = io.BytesIO()
        np.save(buffer, self._vectors, allow_pickle=False)
        entries = "\n".join(entry.model_dump_json() for entry in self.glossary.entries).encode()
        rows = "\n".join(row.model_dump_json() for row in self.rows).encode()
        members = dict(zip(_MEMBERS, (entries, rows, buffer.getvalue()), strict=True))
        checksums = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
        self.header = self.header.model_copy(update={"checksums": checksums})
        beside = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            _clear_leftovers(file)
            with beside.open("wb") as raw:
                with zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as archive:
                    archive.writestr("header.json", self.header.model_dump_json(indent=1))
                    for name, data in members.items():
                        archive.writestr(name, data)
                raw.flush()
                os.fsync(raw.fileno())
            beside.replace(file)
        except OSError as error:
            raise StorageError(
                f"{file}: the index cannot be written: {error.strerror}; the old one is as it was"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)

    @property
    def roots(self) -> tuple[Path, ...] | None:
        """The files and folders that it was built from; None for the shipped glossary."""
        return None if self.header.roots == (SHIPPED,) else tuple(map(Path, self.header.roots))

    def is_current(self, roots: Sequence[Path] | None, embedder: Embedder) -> bool:
        """Tell whether a build from these files and folders would change nothing."""
        return (
            self.header.roots == _root_names(roots)
            and self.header.embedder == embedder.fingerprint
            and self.staleness() is None
        )

    def staleness(self) -> str | None:
        """Say how the glossary files differ from what was indexed, or return None where they do not.

        Files that are gone with their whole root do not count: an index may outlive its sources.
        """
        roots = self.roots or (paths.shipped_corpus(),)
        if not all(root.exists() for root in roots):
            return None
        try:
            now = {str(file.path) for file in readers.source_files(roots)}
        except GlossaryError as error:
            return str(error)
        before = {source.path: source for source in self.header.sources}
        if self.roots is None:  # the shipped glossary may have moved with the package
            here = {Path(path).name: path for path in now}
            before = {here.get(Path(path).name, path): source for path, source in before.items()}
        for path in sorted(now - set(before)):
            return f"{path} is new"
        for path in sorted(set(before) - now):
            return f"{path} is gone"
        for path, source in before.items():
            stat = Path(path).stat()
            if (stat.st_size, stat.st_mtime_ns) != (source.size, source.mtime_ns) and _sha256(
                Path(path)
            ) != source.sha256:
                return f"{path} has changed"
        return None

    @cached_property
    def names(self) -> NameFinder:
        """The finder for the glossary's names."""
        return NameFinder(self.glossary)

    def search_vector(self, vector: Vectors, *, limit: int) -> dict[int, Similarities]:
        """Return the entries with the most similar texts.

        Args:
            vector: the embedded question, of shape (dimensions,) and length 1.
            limit: how many entries at the most.

        Returns:
            For each entry, by its place in the glossary, the cosines of its texts; an entry's texts that are not among
            the nearest count as the farthest of those.
        """
        # An entry has several rows, so more rows than entries are asked for.
        wanted = min(len(self.rows), limit * 10)
        scores, found = self._faiss.search(vector.reshape(1, -1), wanted)
        best: dict[int, dict[TextKind, float]] = {}
        for score, number in zip(scores[0].tolist(), found[0].tolist(), strict=True):
            row = self.rows[number]
            if row.entry in best or len(best) < limit:
                best.setdefault(row.entry, {}).setdefault(row.kind, score)
        farthest = float(scores[0][-1])

        def alike(entry: int, texts: dict[TextKind, float]) -> Similarities:
            definition = texts.get(TextKind.DEFINITION, farthest)
            sentence = max(texts.get(TextKind.SENTENCE, farthest), definition)
            # An entry without plain words is not held back by that.
            plain = texts.get(TextKind.PLAIN, farthest) if self.glossary.entries[entry].plain else sentence
            return Similarities(texts.get(TextKind.NAME, farthest), definition, sentence, plain)

        return {entry: alike(entry, texts) for entry, texts in best.items()}

    def search_words(self, words: Sequence[str], *, limit: int) -> dict[int, float]:
        """Return the entries that share the most telling words with a question (BM25), best first.

        Args:
            words: the question's words, folded.
            limit: how many entries at the most.

        Returns:
            Scores above 0 of entries, by their place in the glossary.
        """
        # bm25s fails on a query of none but words that it never saw.
        query = [known for word in words if (known := stem(word)) in self._document_frequency]
        if not query:
            return {}
        found, scores = self._bm25.retrieve([query], k=min(limit, len(self.glossary)), show_progress=False, n_threads=1)
        return {entry: score for entry, score in zip(found[0].tolist(), scores[0].tolist(), strict=True) if score > 0}

    def coverage(self, entry: int, words: Sequence[str]) -> float:
        """Return the share of a question's words that an entry uses, each weighted by how telling it is (its idf)."""
        stems = {stem(word) for word in words}
        weights = {word: self._idf(word) for word in stems}
        total = sum(weights.values())
        return (
            sum(weight for word, weight in weights.items() if word in self._word_sets[entry]) / total if total else 0.0
        )

    def _idf(self, word: str) -> float:
        count = len(self.glossary)
        frequency = self._document_frequency[word]
        return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))

    @cached_property
    def _faiss(self) -> "faiss.IndexFlatIP":
        import faiss

        # faiss and torch each bring an OpenMP; on macOS two running pools crash the process.
        faiss.omp_set_num_threads(1)
        flat = faiss.IndexFlatIP(self._vectors.shape[1])
        flat.add(self._vectors)
        return flat

    @cached_property
    def _words(self) -> list[list[str]]:
        return [[stem(token.key) for token in tokenize(_full_text(entry))] for entry in self.glossary.entries]

    @cached_property
    def _word_sets(self) -> list[frozenset[str]]:
        return [frozenset(words) for words in self._words]

    @cached_property
    def _document_frequency(self) -> Counter[str]:
        return Counter(word for words in self._word_sets for word in words)

    @cached_property
    def _bm25(self) -> "bm25s.BM25":
        import bm25s

        retriever = bm25s.BM25()
        retriever.index(self._words, show_progress=False)
        return retriever

    def _known_vectors(self) -> dict[str, Vectors]:
        return {row.text: vector for row, vector in zip(self.rows, self._vectors, strict=True)}


def _root_names(roots: Sequence[Path] | None) -> tuple[str, ...]:
    return (SHIPPED,) if roots is None else tuple(str(root.absolute()) for root in roots)


def _rows(glossary: Glossary) -> list[Row]:
    """Return the texts to embed: every name, every sentence, the definition in chunks, every contrast."""
    rows: list[Row] = []
    for number, entry in enumerate(glossary.entries):
        rows += [Row(entry=number, kind=TextKind.NAME, text=name) for name in entry.names]
        rows += [Row(entry=number, kind=TextKind.DEFINITION, text=chunk) for chunk in _chunks(entry)]
        if len(entry.sentences) > 1:
            rows += [Row(entry=number, kind=TextKind.SENTENCE, text=sentence) for sentence in entry.sentences]
        if entry.plain:
            rows += [Row(entry=number, kind=TextKind.PLAIN, text=text) for text in split_sentences(entry.plain)]
        rows += [Row(entry=number, kind=TextKind.CONTRAST, text=contrast.text) for contrast in entry.contrasts]
    return rows


def _chunks(entry: Entry) -> Iterator[str]:
    """Cut a definition into pieces that fit an embedder's window, each headed by the term; nothing is left out."""
    words = entry.definition.split()
    for start in range(0, len(words), _CHUNK_WORDS):
        yield f"{entry.term}: {' '.join(words[start : start + _CHUNK_WORDS])}"


def _full_text(entry: Entry) -> str:
    # Names count twice: a word of a name tells more than the same word in passing.
    contrasts = (contrast.text for contrast in entry.contrasts)
    return "\n".join((*entry.names, *entry.names, entry.definition, entry.plain or "", *contrasts))


def _changes(before: Glossary | None, after: Glossary) -> Changes:
    old = {entry.id: entry.fingerprint for entry in before.entries} if before else {}
    new = {entry.id: entry.fingerprint for entry in after.entries}
    shared = old.keys() & new.keys()
    changed = sum(old[id_] != new[id_] for id_ in shared)
    return Changes(
        added=len(new) - len(shared),
        changed=changed,
        removed=len(old) - len(shared),
        unchanged=len(shared) - changed,
    )


def _header(file: Path, raw: object) -> Header:
    """Check the format before anything else, since another format's header may hold anything."""
    if not isinstance(raw, dict) or not isinstance(raw.get("format"), int):
        raise IndexCorruptError(f"{file}: its header is not one that glossbot wrote; {_REBUILD}")
    if raw["format"] != FORMAT:
        raise IndexOutdatedError(f"{file}: format {raw['format']}, this version reads {FORMAT}; {_REBUILD}")
    return Header.model_validate(raw)


def _clear_leftovers(file: Path) -> None:
    """Remove what a build that was killed has left beside an index."""
    for left in file.parent.glob(f".{file.name}.*"):
        if not (left.suffix[1:].isdigit() and psutil.pid_exists(int(left.suffix[1:]))):
            left.unlink(missing_ok=True)


def _source(path: Path) -> Source:
    stat = path.stat()
    return Source(path=str(path), size=stat.st_size, mtime_ns=stat.st_mtime_ns, sha256=_sha256(path))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
