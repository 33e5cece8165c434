"""The index: entries, the vectors of their texts, and search over both.

`index_file` keeps it in a file. FAISS reads no file of ours (its reader is unsafe on foreign bytes): its exact index is
made from the vectors when the first search needs it, which takes little time at the sizes that a flat index is for.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from glossbot import index_file, paths, readers
from glossbot.embed import Embedder, Vectors
from glossbot.entry import Entry, Frozen, Glossary
from glossbot.errors import GlossaryError, IndexOutdatedError
from glossbot.index_file import FORMAT, ROW, Header, Parts, Rows, rebuild
from glossbot.names import NameFinder, stem, tokenize
from glossbot.readers import Reading, ReadOptions, Root
from glossbot.texts import KINDS, TextKind, text_key, texts

if TYPE_CHECKING:
    import bm25s
    import faiss

# How sure an answer to a description must be (see `retrieve`), by whether entries say how people ask for them:
# then a right entry is very much alike. Fitted on the questions in evaluation/ over the shipped glossary and others.
_COVERED_ASKED, _COVERED = 0.7, 0.4
_AT_ONCE = 4096  # texts whose vectors lie in memory beside the array that they go into


class Similarities(NamedTuple):
    """How similar an entry's texts are to a question: the best cosine of each kind of text."""

    name: float
    definition: float
    sentence: float
    plain: float
    asked: float
    contrast: float


class Changes(Frozen):
    """What a build did, counted in entries."""

    added: int
    changed: int
    removed: int
    unchanged: int


class Index:
    """Entries and their vectors, ready to be searched."""

    def __init__(self, glossary: Glossary, rows: Rows, vectors: Vectors, header: Header) -> None:
        self.glossary = glossary
        self.rows = rows
        self.header = header
        self._vectors = vectors

    @classmethod
    def build(
        cls,
        sources: Sequence[Path | Root] | None,
        embedder: Embedder,
        *,
        options: ReadOptions | None = None,
        strict: bool = False,
        previous: Self | None = None,
        on_read: Callable[[Reading], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Self, Changes]:
        """Read a glossary and embed it.

        Args:
            sources: the files, folders and globs to read; None for the shipped glossary.
            embedder: what makes the vectors.
            options: how the files are read.
            strict: whether the first thing that cannot be read ends it.
            previous: an index whose vectors are taken over for the texts that it has already.
            on_read: called with what was read, before it is embedded.
            progress: called with texts embedded so far and texts to embed in all.

        Raises:
            GlossaryError: a source is not there, or no entry was found; or something cannot be read and `strict`.
            EngineError: the embedder cannot be loaded.
        """
        options = options or ReadOptions()
        roots = _roots(sources)
        reading = readers.read(roots or (paths.shipped_corpus(),), options, strict=strict)
        if on_read:
            on_read(reading)
        glossary = reading.glossary
        known = previous if previous and previous.header.embedder == embedder.fingerprint else None
        rows, vectors = _embedded(glossary, embedder, known=known, progress=progress)
        calibrated = previous.header if previous and previous.header.calibrated else None
        header = Header(
            format=FORMAT,
            corpus=glossary.fingerprint,
            embedder=embedder.fingerprint,
            roots=roots,
            options=options,
            sources=reading.sources,
            entries=len(glossary),
            covered_from=calibrated.covered_from if calibrated else _covered_from(glossary),
            calibrated=calibrated is not None,
            problems=len(reading.problems),
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
        header, glossary, rows, vectors = index_file.read(file)
        index = cls(glossary, rows, vectors, header)
        if embedder and embedder.fingerprint != header.embedder:
            raise IndexOutdatedError(
                f"{file}: built with another embedder than {embedder.folder}; run `{rebuild(file)}` to build it again"
            )
        if check_sources and (reason := index.staleness()):
            raise IndexOutdatedError(
                f"{file}: {reason} since it was built; run `{rebuild(file)}` to bring it up to date"
            )
        return index

    def over(self, glossary: Glossary, embedder: Embedder) -> Self:
        """Return an index over other entries; only texts that this one lacks are embedded.

        Raises:
            EngineError: the embedder cannot be loaded.
        """
        rows, vectors = _embedded(glossary, embedder, known=self, progress=None)
        return type(self)(glossary, rows, vectors, self.header)

    def calibrated(self, covered_from: float) -> Self:
        """Return the index with another line between what is covered and what is not, which later builds keep."""
        header = self.header.model_copy(update={"covered_from": covered_from, "calibrated": True})
        return type(self)(self.glossary, self.rows, self._vectors, header)

    def save(self, file: Path) -> None:
        """Write the index beside its place and put it there in one step; a crash leaves the old one.

        Raises:
            StorageError: the disk is full, or the folder cannot be written to.
        """
        self.header = index_file.write(file, Parts(self.header, self.glossary, self.rows, self._vectors))

    @property
    def roots(self) -> tuple[Root, ...] | None:
        """The files, folders and globs that it was built from; None for the shipped glossary."""
        return self.header.roots

    def is_current(
        self, sources: Sequence[Path | Root] | None, embedder: Embedder, *, options: ReadOptions | None = None
    ) -> bool:
        """Tell whether a build from these files and folders, read in this way, would change nothing."""
        roots = _roots(sources)
        return (
            _places(self.roots) == _places(roots)
            and all(root.path.exists() for root in roots or ())
            and self.header.options == (options or ReadOptions())
            and self.header.embedder == embedder.fingerprint
            and self.staleness() is None
        )

    def staleness(self) -> str | None:
        """Say how the glossary files differ from what was indexed, or return None where they do not.

        An index may outlive its sources (a download that was deleted, a disk that is not there): a file or folder that
        was given and is gone tells nothing, and its files count as they were. Where it is there and lacks one of the
        files that it held, the glossary has changed.
        """
        roots = [root for root in self.roots or (Root.of(paths.shipped_corpus()),) if root.path.exists()]
        if not roots:
            return None
        try:
            now = {str(file.path) for file in readers.source_files(roots, self.header.options).files}
        except GlossaryError as error:
            return str(error)
        before = {source.path: source for source in self.header.sources}
        if self.roots is None:  # the shipped glossary may have moved with the package
            here = {Path(path).name: path for path in now}
            moved = {path: here.get(Path(path).name, path) for path in before}
            before = {moved[path]: source.model_copy(update={"path": moved[path]}) for path, source in before.items()}
        else:
            before = {path: source for path, source in before.items() if any(root.holds(Path(path)) for root in roots)}
        for path in sorted(now - set(before)):
            return f"{path} is new"
        for path in sorted(set(before) - now):
            return f"{path} is gone"
        return next((f"{source.path} has changed" for source in before.values() if source.has_changed()), None)

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
        entries, kinds = self.rows["entry"][found[0]], self.rows["kind"][found[0]]
        best: dict[int, dict[TextKind, float]] = {}
        for score, entry, kind in zip(scores[0].tolist(), entries.tolist(), kinds.tolist(), strict=True):
            if entry in best or len(best) < limit:
                best.setdefault(entry, {}).setdefault(KINDS[kind], score)
        farthest = float(scores[0][-1])

        def alike(entry: int, texts: dict[TextKind, float]) -> Similarities:
            definition = texts.get(TextKind.DEFINITION, farthest)
            sentence = max(texts.get(TextKind.SENTENCE, farthest), definition)
            # An entry without plain words is not held back by that.
            plain = texts.get(TextKind.PLAIN, farthest) if self.glossary.entries[entry].plain else sentence
            asked = texts.get(TextKind.ASKED, farthest) if self.glossary.entries[entry].asked else plain
            contrast = texts.get(TextKind.CONTRAST, farthest)
            return Similarities(texts.get(TextKind.NAME, farthest), definition, sentence, plain, asked, contrast)

        return {entry: alike(entry, texts) for entry, texts in best.items()}

    def place(self, entry: Entry) -> int:
        """Return where an entry stands in the glossary."""
        return self._places[entry.id]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entry.id: place for place, entry in enumerate(self.glossary.entries)}

    def likeness(self, entry: int, vector: Vectors) -> float:
        """Return the best cosine of an entry's texts with an embedded text."""
        start, stop = np.searchsorted(self.rows["entry"], (entry, entry + 1))
        return float((self._vectors[start:stop] @ vector).max())

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


def _roots(sources: Sequence[Path | Root] | None) -> tuple[Root, ...] | None:
    return None if sources is None else tuple(one if isinstance(one, Root) else Root.of(one) for one in sources)


def _places(roots: Sequence[Root] | None) -> list[str] | None:
    return None if roots is None else [str(root) for root in roots]


def _embedded(
    glossary: Glossary, embedder: Embedder, *, known: Index | None, progress: Callable[[int, int], None] | None
) -> tuple[Rows, Vectors]:
    """Return a row and a vector for every text; those that an index holds already are taken from it."""
    old = {key: row for row, key in enumerate(known.rows["key"].tolist())} if known else {}
    first: dict[bytes, int] = {}  # by key, the row that a text has first
    missing: dict[int, str] = {}  # by row, the texts to embed
    listed: list[tuple[int, int, bytes]] = []
    for number, entry in enumerate(glossary.entries):
        for kind, text in texts(entry):
            key, row = text_key(text), len(listed)
            if first.setdefault(key, row) == row and key not in old:
                missing[row] = text
            listed.append((number, KINDS.index(kind), key))
    rows = np.array(listed, dtype=ROW)
    dimensions = known._vectors.shape[1] if known else embedder.encode([]).shape[1]
    vectors = np.empty((len(rows), dimensions), dtype=np.float32)
    _embed(missing, vectors, embedder, progress=progress)
    for row, (_, _, key) in enumerate(listed):
        if row not in missing:
            vectors[row] = known._vectors[old[key]] if known and key in old else vectors[first[key]]
    return rows, vectors


def _embed(
    missing: Mapping[int, str], vectors: Vectors, embedder: Embedder, *, progress: Callable[[int, int], None] | None
) -> None:
    """Embed the texts of some rows into their places."""
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress:
            progress(done, len(missing))

    # Texts of like length share a batch, since a batch is padded to its longest. The longest come first: then the time
    # that is left is never longer than it seemed, and what there is not enough memory for fails at once.
    order = sorted(missing, key=lambda row: len(missing[row]), reverse=True)
    for start in range(0, len(order), _AT_ONCE):
        batch = order[start : start + _AT_ONCE]
        vectors[batch] = embedder.encode([missing[row] for row in batch], progress=advance)


def _full_text(entry: Entry) -> str:
    # Names count twice: a word of a name tells more than the same word in passing.
    contrasts = (contrast.text for contrast in entry.contrasts)
    return "\n".join((*entry.names, *entry.names, entry.definition, entry.plain or "", *entry.asked, *contrasts))


def _covered_from(glossary: Glossary) -> float:
    asked = sum(bool(entry.asked) for entry in glossary.entries)
    return _COVERED_ASKED if 2 * asked > len(glossary) else _COVERED


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
