"""A source file's bytes, and the state that it was in when it was read."""

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple, Self

from glossbot.entry import Frozen

LARGEST = 256 << 20  # bytes of one file


class Source(Frozen):
    """A file that was read, as it was then; one that could not be read has no hash."""

    path: str
    size: int = 0
    mtime_ns: int = 0
    sha256: str = ""

    @classmethod
    def unread(cls, path: Path) -> Self:
        """Return the state of a file that could not be read."""
        try:
            found = path.stat()
        except OSError:
            return cls(path=str(path))
        return cls(path=str(path), size=found.st_size, mtime_ns=found.st_mtime_ns)

    def has_changed(self) -> bool:
        """Tell whether the file holds something else now; where its size and date are the same it is not read."""
        now = Source.unread(Path(self.path))
        if (now.size, now.mtime_ns) == (self.size, self.mtime_ns):
            return False
        try:
            return load(Path(self.path)).source.sha256 != self.sha256
        except OSError:
            return bool(self.sha256)


class Content(NamedTuple):
    """What a file holds."""

    data: bytes
    source: Source


def load(path: Path) -> Content:
    """Read a file whole, and never wait: a pipe or a device is refused without being read.

    Raises:
        OSError: it cannot be read, is no regular file, or is larger than `LARGEST`.
    """
    # Opened without blocking, since a file may have become a pipe after it was found.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "no regular file")
        if found.st_size > LARGEST:
            raise OSError(errno.EFBIG, f"larger than {LARGEST >> 20} MB; split the glossary")
        data = file.read()
    return Content(
        data,
        Source(path=str(path), size=found.st_size, mtime_ns=found.st_mtime_ns, sha256=hashlib.sha256(data).hexdigest()),
    )
