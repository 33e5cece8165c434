"""The file that an index is kept in: written beside its place and put there in one step, checked when it is read.

It is an uncompressed zip of ``header.json`` (the versions, what it was built from, and the checksums of the others),
``entries.jsonl``, ``rows.npy`` (for each row of vectors its entry, its kind of text, and a hash of the text, which
finds the vector again when the index is brought up to date) and ``vectors.npy``. Nothing in it is a pickle.
"""

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, field_validator

from glossbot.embed import Vectors
from glossbot.entry import Entry, Frozen, Glossary
from glossbot.errors import GlossbotError, IndexCorruptError, IndexMissingError, IndexOutdatedError, StorageError
from glossbot.readers import ReadOptions, Root, Source
from glossbot.settings import DEFAULT_NAME
from glossbot.texts import KEY_BYTES, KINDS

FORMAT = 2
SUFFIX = ".index"
ROW = np.dtype([("entry", "<i4"), ("kind", "u1"), ("key", f"V{KEY_BYTES}")])

_HEADER, _ENTRIES, _ROWS, _VECTORS = "header.json", "entries.jsonl", "rows.npy", "vectors.npy"
_BEGINNING = 1 << 24  # bytes in which the header ends
_SHIPPED = ["shipped"]  # how format 1 wrote that the shipped glossary was read

Rows = NDArray[np.void]


class Recipe(BaseModel):
    """What an index is built from: enough to build it again."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    roots: tuple[Root, ...] | None = Field(description="None for the shipped glossary, wherever it is installed.")
    options: ReadOptions = ReadOptions()

    @field_validator("roots", mode="before")
    @classmethod
    def _of_format_1(cls, value: Any) -> Any:
        if value == _SHIPPED:
            return None
        return [Root.of(Path(one)) if isinstance(one, str) else one for one in value] if value is not None else None


class Header(Frozen):
    """What the index was built from, and the checksums of its other members."""

    format: int
    corpus: str
    embedder: str
    roots: tuple[Root, ...] | None
    options: ReadOptions
    sources: tuple[Source, ...]
    entries: int
    covered_from: float = Field(description="How sure it must be that the best entry is meant, see `retrieve`.")
    calibrated: bool = Field(default=False, description="Whether that was found from the glossary (`calibrate`).")
    problems: int = Field(description="How many things in the sources could not be read.")
    checksums: dict[str, str] = Field(default_factory=dict)


class Indexed(Frozen):
    """One of the glossaries that are indexed."""

    name: str
    entries: int | None = None
    sources: tuple[str, ...] = ()
    error: str | None = None


class Parts(NamedTuple):
    """All that an index is made of."""

    header: Header
    glossary: Glossary
    rows: Rows
    vectors: Vectors


def rebuild(file: Path) -> str:
    """Return the command that builds an index."""
    return "glossbot index" if file.stem == DEFAULT_NAME else f"glossbot index --name {file.stem}"


def read(file: Path) -> Parts:
    """Read an index.

    Raises:
        IndexMissingError: there is none.
        IndexCorruptError: it is damaged.
        IndexOutdatedError: another version made it.
    """
    with _opened(file) as archive:
        header = _header(file, archive)
        glossary = _entries(archive, header)
        parts = Parts(header, glossary, _array(archive, _ROWS, header), _array(archive, _VECTORS, header))
    if not _is_sound(parts):
        raise IndexCorruptError(
            f"{file}: its entries, texts and vectors do not fit together; run `{rebuild(file)}` to build it again"
        )
    return parts


def read_header(file: Path) -> Header:
    """Read no more of an index than what it was built from.

    Raises:
        IndexMissingError, IndexCorruptError, IndexOutdatedError: as for `read`.
    """
    with _opened(file) as archive:
        return _header(file, archive)


def in_folder(folder: Path) -> list[Indexed]:
    """Return the glossaries that have an index in a folder, also those that cannot be used, with the reason."""
    found = []
    for file in sorted(folder.glob(f"[!.]*{SUFFIX}")):
        try:
            header = read_header(file)
        except GlossbotError as error:
            found.append(Indexed(name=file.stem, error=str(error)))
            continue
        sources = ("the shipped glossary",) if header.roots is None else tuple(map(str, header.roots))
        found.append(Indexed(name=file.stem, entries=header.entries, sources=sources))
    return found


def read_recipe(file: Path) -> Recipe | None:
    """Return what an index was built from, whichever version wrote it and whatever has become of it, or None."""
    try:
        with file.open("rb") as raw:
            text = raw.read(_BEGINNING).partition(_HEADER.encode())[2].decode(errors="replace")
        return Recipe.model_validate(json.JSONDecoder().raw_decode(text, text.index("{"))[0])
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def write(file: Path, parts: Parts) -> Header:
    """Write an index beside its place and put it there in one step; a crash leaves the old one.

    Returns:
        The header, with the checksums.

    Raises:
        StorageError: the disk is full, or the folder cannot be written to.
    """
    entries = b"\n".join(entry.model_dump_json().encode() for entry in parts.glossary.entries)
    checksums = {_ENTRIES: _sha256(entries), _ROWS: _sha256(parts.rows), _VECTORS: _sha256(parts.vectors)}
    header = parts.header.model_copy(update={"checksums": checksums})
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _clear_leftovers(file)
        with beside.open("wb") as raw:
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_HEADER, header.model_dump_json(indent=1))  # first: see `read_recipe`
                archive.writestr(_ENTRIES, entries)
                for name, array in ((_ROWS, parts.rows), (_VECTORS, parts.vectors)):
                    with archive.open(name, "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, array, allow_pickle=False)
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
    return header


# What the parts raise that read a file which is not what it should be.
_DAMAGED = (zipfile.BadZipFile, KeyError, ValueError, TypeError, EOFError, OSError, RuntimeError, MemoryError)


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    """Open an index file; whatever goes wrong with it inside is said to be damage."""
    if not file.exists():
        raise IndexMissingError(f"{file}: there is no index yet; run `{rebuild(file)}` to build it")
    try:
        with zipfile.ZipFile(file) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise IndexCorruptError(
                    f"{file}: not an index that glossbot wrote; run `{rebuild(file)}` to build it again"
                )
            yield archive
    except _DAMAGED as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise IndexCorruptError(
            f"{file}: the index is damaged ({what}); run `{rebuild(file)}` to build it again"
        ) from error


def _header(file: Path, archive: zipfile.ZipFile) -> Header:
    """Check the format before anything else, since another format's header may hold anything."""
    raw = json.loads(archive.read(_HEADER))
    if not isinstance(raw, dict) or type(raw.get("format")) is not int:
        raise ValueError("its header is not one that glossbot wrote")
    if raw["format"] != FORMAT:
        raise IndexOutdatedError(
            f"{file}: format {raw['format']}, this version reads {FORMAT}; run `{rebuild(file)}` to build it again"
        )
    return Header.model_validate(raw)


def _entries(archive: zipfile.ZipFile, header: Header) -> Glossary:
    data = archive.read(_ENTRIES)
    _check(_ENTRIES, _sha256(data), header)
    return Glossary(entries=tuple(map(Entry.model_validate_json, data.splitlines())))


def _array(archive: zipfile.ZipFile, name: str, header: Header) -> NDArray[Any]:
    with archive.open(name) as raw:
        array: NDArray[Any] = np.lib.format.read_array(raw, allow_pickle=False)
        if raw.read(1):  # which also makes the zip check the member's end
            raise ValueError(f"{name} in it does not end where it should")
    _check(name, _sha256(array), header)
    return array


def _sha256(data: bytes | NDArray[Any]) -> str:
    return hashlib.sha256(data if isinstance(data, bytes) else data.reshape(-1).view(np.uint8).data).hexdigest()


def _check(name: str, sha256: str, header: Header) -> None:
    if sha256 != header.checksums.get(name):
        raise ValueError(f"the checksum of {name} in it is wrong")


def _is_sound(parts: Parts) -> bool:
    """Tell whether the parts fit together, whoever wrote them."""
    header, glossary, rows, vectors = parts
    return (
        rows.dtype == ROW
        and rows.ndim == 1
        and vectors.dtype == np.float32
        and vectors.ndim == 2
        and len(vectors) == len(rows) > 0
        and bool(np.isfinite(vectors.sum(axis=1)).all())
        and bool(((rows["entry"] >= 0) & (rows["entry"] < len(glossary))).all())
        and bool((rows["kind"] < len(KINDS)).all())
        and all(entry.definition.strip() for entry in glossary.entries)
        and len(glossary) == header.entries
    )


def _clear_leftovers(file: Path) -> None:
    """Remove what a build that was killed has left beside an index."""
    for left in file.parent.glob(f".{file.name}.*"):
        if not (left.suffix[1:].isdigit() and psutil.pid_exists(int(left.suffix[1:]))):
            left.unlink(missing_ok=True)
