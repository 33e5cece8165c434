"""Stored answers as a file to carry to another machine: JSON Lines, the versions first, then an answer a line."""

import json
import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from glossbot.cache.record import Record
from glossbot.cache.store import FORMAT, Store
from glossbot.errors import CacheError, StorageError

_KIND = "glossbot answers"


class Head(BaseModel):
    """The first line of an export: what the answers were made by and from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str = _KIND
    format: int = FORMAT
    versions: str
    corpus: str


def export(store: Store, file: Path, *, versions: str, corpus: str) -> int:
    """Write the answers that are valid now; the file appears whole or not at all.

    Returns:
        How many there were.

    Raises:
        StorageError: the file cannot be written.
    """
    kept = [one for one in store.answers() if one.record.versions == versions and one.corpus == corpus]
    lines = [Head(versions=versions, corpus=corpus).model_dump_json(), *(one.record.model_dump_json() for one in kept)]
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StorageError(f"{file}: the answers cannot be written: {error.strerror}") from error
    return len(kept)


def import_answers(store: Store, file: Path, *, versions: str, corpus: str) -> int:
    """Store the answers of an export; all lines are checked before the first is stored.

    Returns:
        How many there were.

    Raises:
        CacheError: it is no export, is damaged, or was made with another glossary, model, embedder or settings.
    """
    try:
        first, *lines = file.read_text(encoding="utf-8").splitlines()
        head = Head.model_validate(json.loads(first))
    except OSError as error:
        raise CacheError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, ValidationError) as error:
        raise CacheError(f"{file}:1: this is no file that `glossbot cache export` wrote") from error
    if head.kind != _KIND or head.format != FORMAT:
        raise CacheError(f"{file}: format {head.format}, this version reads {FORMAT}; export it again")
    if head.versions != versions:
        raise CacheError(f"{file}: made with another model, embedder or settings; warm this cache instead")
    if head.corpus != corpus:
        raise CacheError(f"{file}: made from another version of the glossary; warm this cache instead")
    records = []
    for number, line in enumerate(lines, 2):
        try:
            record = Record.model_validate_json(line)
        except ValidationError as error:
            raise CacheError(f"{file}:{number}: not an answer; nothing was imported") from error
        if record.versions != versions:
            raise CacheError(f"{file}:{number}: an answer of another version; nothing was imported")
        records.append(record)
    for record in records:
        if not store.put(record, corpus=corpus):
            raise StorageError(f"{store.file}: the answers cannot be stored; is the disk full?")
    return len(records)
