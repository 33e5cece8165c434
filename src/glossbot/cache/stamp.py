"""What a cached answer rests on outside the cache, as far as a look at file sizes and dates can tell.

A command that answers from the cache alone opens no index and loads no model; it has to know that neither has changed.
Whoever stores answers keeps a stamp of all the files that they depend on, and a look-up checks it file by file.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict

from glossbot.settings import Settings

_MOST_FILES = 5000  # a stamp of more takes longer to check than the index takes to open
# Settings that answers do not depend on.
_ASIDE = frozenset("title host port threads gpu_layers cache cache_mb cache_days record_questions".split())


class Stamp(BaseModel):
    """The versions of the stored answers that may be shown while some files are as they were."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    versions: str
    corpus: str
    files: tuple[tuple[str, int, int], ...]  # path, size, time of the last change in nanoseconds

    @classmethod
    def of(cls, paths: Iterable[Path], *, versions: str, corpus: str) -> Self | None:
        """Return the stamp of files and folders as they are now, or None where they are too many."""
        files = []
        for path in _within(paths):
            files.append((str(path), *_state(path)))
            if len(files) > _MOST_FILES:
                return None
        return cls(versions=versions, corpus=corpus, files=tuple(files))

    @property
    def holds(self) -> bool:
        """Whether every file and folder is as it was."""
        return all(_state(Path(path)) == (size, changed) for path, size, changed in self.files)


def settings_key(settings: Settings) -> str:
    """Return the settings that change answers, as one text; a setting that nobody thought of counts."""
    return json.dumps(settings.model_dump(mode="json", exclude=set(_ASIDE)), sort_keys=True)


def _within(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield files, and of folders every file and folder in them, since a new file changes its folder's date."""
    for path in paths:
        yield path
        if path.is_dir():
            for folder, folders, names in os.walk(path):
                yield from (Path(folder, name) for name in sorted((*folders, *names)))


def _state(path: Path) -> tuple[int, int]:
    """Return a file's size and date; what is not there has neither."""
    try:
        found = path.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns
