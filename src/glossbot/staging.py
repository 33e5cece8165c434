"""Where a pull works: a folder of its own beside the models, and the shelf of downloads that can be continued."""

import contextlib
import os
import platform
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import psutil

from glossbot.manifest import KnownModel, ModelFile
from glossbot.weights import STAGING

PARTS = ".parts"


@contextlib.contextmanager
def staging_folder(model: KnownModel, models_dir: Path) -> Iterator[Path]:
    """Make a folder that is this pull's own; its name tells others whether the pull still runs."""
    name = f"{STAGING}{model.id}-{_host()}-{os.getpid()}-"
    staging = Path(tempfile.mkdtemp(prefix=name, dir=models_dir))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextlib.contextmanager
def claimed_part(file: ModelFile, staging: Path) -> Iterator[Path]:
    """Take over what an earlier pull has of a file, and leave what there is then to a later one."""
    part = staging / f"{file.sha256}.part"
    shelf = staging.parent / PARTS
    # A rename can be won by one pull only; the other one begins anew.
    with contextlib.suppress(FileNotFoundError):
        (shelf / part.name).replace(part)
    try:
        yield part
    finally:
        _shelve(part, shelf)


def _shelve(part: Path, shelf: Path) -> None:
    """Keep a broken-off download for the next pull, unless there is a longer one."""
    with contextlib.suppress(FileNotFoundError):
        size = part.stat().st_size
        kept = shelf / part.name
        if size and not (kept.exists() and kept.stat().st_size > size):
            shelf.mkdir(exist_ok=True)
            part.replace(kept)


def clear_stale(models_dir: Path) -> None:
    """Remove what killed pulls have left, all but hub downloads that can be continued."""
    for path in models_dir.glob(f"{STAGING}*"):
        with contextlib.suppress(OSError):  # another pull may be clearing it too
            if not _is_stale(path):
                continue
            if path.is_dir():
                for part in path.glob("*.part"):
                    _shelve(part, models_dir / PARTS)
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()


def _is_stale(path: Path) -> bool:
    """Tell whether the pull that made a temporary file or folder is over."""
    changed = path.stat().st_mtime
    owner = re.search(r"-([0-9a-z]+)-(\d+)-[^-]*$", path.name)
    if not owner or owner[1] != _host():
        return time.time() - changed > 24 * 3600
    try:
        # A process that is younger than the folder has only got the number of the one that made it.
        return bool(psutil.Process(int(owner[2])).create_time() > changed + 10)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


def _host() -> str:
    # Process numbers mean nothing to another machine (or container) that shares the folder.
    return f"{zlib.crc32(platform.node().encode()):08x}"
