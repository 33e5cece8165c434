"""Model files: which ones are known, where they lie, and whether they are intact.

A file is hashed when it is fetched (`downloads`), and its size and time are kept in a receipt beside it. A start
compares only those; a file whose time has changed, or that has no receipt, is hashed once more.
"""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from pydantic import Field

from glossbot.errors import ModelCorruptError, ModelFormatError, ModelMissingError
from glossbot.manifest import Kind, KnownModel, Manifest, Record

RECEIPT = "receipt.json"
STAGING = ".pull-"  # how every temporary name in the models folder begins; `downloads` clears stale ones
_GGUF_MAGIC = b"GGUF"
_GGUF_HEADER = 24  # bytes: magic, version, counts of tensors and of metadata
_CHUNK = 1 << 20


class Progress(Protocol):
    """Told how far a long operation has come; the total may be an estimate."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take note of ``done`` of ``total`` bytes of ``what``."""


class State(StrEnum):
    """How a known model is found on this machine."""

    INSTALLED = "installed"
    MISSING = "missing"
    DAMAGED = "damaged"


class Standing(Record):
    """A known model and how it is found here."""

    model: KnownModel
    state: State
    path: Path
    detail: str = Field(description="What is wrong and what to do; empty for one that is installed.")


class _Stamp(Record):
    path: str
    size: int
    mtime_ns: int
    sha256: str


class _Receipt(Record):
    format: Literal[1] = 1
    files: tuple[_Stamp, ...]


def locate(
    name: str, *, kind: Kind | Literal["llm", "embedder"], models_dir: Path, manifest: Manifest | None = None
) -> Path:
    """Return the path of a model that is there and intact.

    Args:
        name: an id of the manifest, or the path of a GGUF file (llm) or a sentence-transformers folder (embedder).
        kind: what it is to be used for.
        models_dir: the folder that known models lie in.
        manifest: the known models; None for those that glossbot ships.

    Raises:
        ModelMissingError: it is not there, or no model has this id.
        ModelCorruptError: a file is truncated or is not the one that the manifest describes.
        ModelFormatError: it is not a GGUF file, or not a sentence-transformers folder.
    """
    known = (manifest or Manifest.load()).get(name)
    if known is None:
        path = _given_path(name, manifest or Manifest.load())
        _check_format(path, Kind(kind))
        return path
    if known.kind is not Kind(kind):
        raise ModelFormatError(
            f"{name} is of kind {known.kind.value}; what is needed here is a model of kind {Kind(kind).value}"
        )
    _check(known, models_dir)
    path = known.path(models_dir)
    _check_format(path, known.kind)
    return path


def status(*, models_dir: Path, manifest: Manifest | None = None) -> tuple[Standing, ...]:
    """Return how each known model is found, in the manifest's order; only files without a valid receipt are hashed."""
    return tuple(_standing(model, models_dir) for model in (manifest or Manifest.load()).models)


def verify(
    id_: str | None = None, *, models_dir: Path, manifest: Manifest | None = None, progress: Progress | None = None
) -> tuple[Standing, ...]:
    """Hash the files of a model again, or those of every model that is here.

    Args:
        id_: a model's id; None for all that are not missing.
        models_dir: the folder that known models lie in.
        manifest: the known models; None for those that glossbot ships.
        progress: told how many bytes have been hashed.

    Raises:
        ModelMissingError: no model has this id.
    """
    known = manifest or Manifest.load()
    if id_ is not None:
        return (_standing(known.find(id_), models_dir, hash_all=True, progress=progress),)
    found = (_standing(model, models_dir, hash_all=True, progress=progress) for model in known.models)
    return tuple(standing for standing in found if standing.state is not State.MISSING)


def sha256_of(path: Path, *, advance: Callable[[int], None] | None = None) -> str:
    """Return the SHA-256 of a file; ``advance`` is told the bytes of each piece that was read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            if advance:
                advance(len(chunk))
    return digest.hexdigest()


def write_receipt(model: KnownModel, folder: Path, *, beside: Path) -> None:
    """Record size and time of a model's files, which must just have been hashed.

    Args:
        model: whose files they are.
        folder: where they lie.
        beside: a folder on the same file system for the temporary file (an embedder's own folder is fingerprinted).
    """
    stamps = []
    for file in model.files:
        stat = (folder / file.path).stat()
        stamps.append(_Stamp(path=file.path, size=stat.st_size, mtime_ns=stat.st_mtime_ns, sha256=file.sha256))
    handle, temporary = tempfile.mkstemp(prefix=f"{STAGING}receipt-", dir=beside)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(_Receipt(files=tuple(stamps)).model_dump_json(indent=1))
        Path(temporary).chmod(0o644)
        Path(temporary).replace(folder / RECEIPT)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _given_path(name: str, manifest: Manifest) -> Path:
    """Return the path that a user has given, or say what is wrong with it."""
    path = Path(name).expanduser()
    if path.exists():
        return path.absolute()
    if "/" in name or os.sep in name or name.startswith("~") or name.lower().endswith(".gguf"):
        raise ModelMissingError(
            f"{path.absolute()}: there is no such file or folder; "
            "give the path of a model, or an id from `glossbot models list`"
        )
    manifest.find(name)  # says which ids are spelt alike
    raise ModelMissingError(f"{name}: there is no such model")


def _check_format(path: Path, kind: Kind) -> None:
    if kind is Kind.EMBEDDER:
        if not (path / "modules.json").is_file():
            raise ModelFormatError(f"{path}: not a sentence-transformers folder, since it holds no modules.json")
        return
    check_gguf(path)


def check_gguf(path: Path) -> None:
    """Check that a file can be a GGUF model at all, before anything native opens it.

    Raises:
        ModelMissingError: there is no such file.
        ModelFormatError: it does not begin like one.
        ModelCorruptError: it is too short to hold one.
    """
    if path.exists() and not path.is_file():  # a pipe or a device would be waited for, or read without end
        raise ModelFormatError(f"{path}: a folder, a pipe or a device; the language model has to be a GGUF file")
    try:
        with path.open("rb") as file:
            start = file.read(_GGUF_HEADER)
    except FileNotFoundError as error:
        raise ModelMissingError(
            f"{path}: there is no such file; `glossbot models list` shows the known models"
        ) from error
    except OSError as error:
        raise ModelMissingError(f"{path}: cannot be read: {error.strerror}") from error
    if start[: len(_GGUF_MAGIC)] != _GGUF_MAGIC:
        what = "it is empty" if not start else f"it begins with {start[:4]!r}"
        raise ModelFormatError(f"{path}: not a GGUF file: {what}; only GGUF models can be loaded")
    if len(start) < _GGUF_HEADER:
        raise ModelCorruptError(f"{path}: truncated, only {len(start)} bytes long; fetch it again")


def _standing(
    model: KnownModel, models_dir: Path, *, hash_all: bool = False, progress: Progress | None = None
) -> Standing:
    state, detail = State.INSTALLED, ""
    try:
        _check(model, models_dir, hash_all=hash_all, progress=progress)
    except ModelMissingError as error:
        state, detail = State.MISSING, str(error)
    except ModelCorruptError as error:
        state, detail = State.DAMAGED, str(error)
    return Standing(model=model, state=state, path=model.path(models_dir), detail=detail)


def _check(model: KnownModel, models_dir: Path, *, hash_all: bool = False, progress: Progress | None = None) -> None:
    """Raise unless every file of a model is there and is the one that the manifest describes."""
    folder = model.folder(models_dir)
    pull = f"`glossbot models pull {model.id}`"
    missing = [file for file in model.files if not (folder / file.path).is_file()]
    if len(missing) == len(model.files):
        raise ModelMissingError(f"{model.id} is not in {models_dir}; {pull} fetches it ({megabytes(model.size)})")
    if missing:
        raise ModelCorruptError(f"{folder / missing[0].path}: this file of {model.id} is gone; {pull} fetches it again")
    stamps = {stamp.path: stamp for stamp in _read_receipt(folder)}
    changed = False
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        if progress:
            progress(f"checking {model.id}", done, model.size)

    for file in model.files:
        path = folder / file.path
        try:
            stat = path.stat()
            if stat.st_size != file.size:
                raise ModelCorruptError(f"{path}: {stat.st_size} bytes instead of {file.size}; {pull} fetches it again")
            seen = _Stamp(path=file.path, size=stat.st_size, mtime_ns=stat.st_mtime_ns, sha256=file.sha256)
            if not hash_all and stamps.get(file.path) == seen:
                continue
            found = sha256_of(path, advance=advance)
        except OSError as error:
            raise ModelCorruptError(f"{path}: cannot be read: {error.strerror}") from error
        if found != file.sha256:
            raise ModelCorruptError(
                f"{path}: not the file that the manifest describes (SHA-256 {found[:12]}…, not {file.sha256[:12]}…); "
                f"{pull} fetches it again"
            )
        changed |= stamps.get(file.path) != seen
    if changed:
        # A folder that may only be read costs a hash at each start, and nothing else.
        with contextlib.suppress(OSError):
            write_receipt(model, folder, beside=models_dir)


def _read_receipt(folder: Path) -> tuple[_Stamp, ...]:
    """Return what a receipt holds; a missing or broken one holds nothing, so that the files are hashed."""
    try:
        return _Receipt.model_validate(json.loads((folder / RECEIPT).read_bytes())).files
    except (OSError, ValueError):
        return ()


def megabytes(size: int) -> str:
    """Return a size in bytes for a reader, in MB or GB."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"
