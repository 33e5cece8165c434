"""A SQLite file that many processes share, and that never costs an error.

A write is a transaction in the write-ahead log, so a process may be killed at any moment. A file that is damaged, or
that another version wrote, is set aside and a new one begun; where nothing can be written (a full disk, a read-only
folder) the file is off from then on. Either is said once.
"""

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

_APPLICATION = 0x676C6F73  # "glos": what SQLite's application_id is for
_BUSY_MS = 5000
_TRIES = 3  # a busy file, or one just begun anew, is tried again
_LOG = logging.getLogger(__name__)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
T = TypeVar("T")


class Database:
    """One file of answers; trouble with it is a None."""

    def __init__(self, file: Path, *, schema: str, version: int) -> None:
        """Open it with the first use.

        Args:
            file: where it lies, or will lie.
            schema: the statements that begin a new one.
            version: of the schema; a file with another one is set aside.
        """
        self.file = file
        self.is_off = False
        self._schema = schema
        self._version = version
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._process = os.getpid()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.close()
            self._connection = None

    def attempt(self, act: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the file; where that fails, see to the file and return None."""
        with self._lock:
            for _ in range(_TRIES):
                try:
                    db = self._open()
                    return act(db) if db else None
                except sqlite3.Error as error:
                    self._see_to(error)
                except OSError as error:
                    self._turn_off(error.strerror or str(error))
        return None

    def _open(self) -> sqlite3.Connection | None:
        if self._process != os.getpid():  # SQLite's connections do not survive a fork
            self._connection, self._process = None, os.getpid()
        if self._connection or self.is_off:
            return self._connection
        self.file.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.file, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        try:
            self._identity = _identity(self.file)
            db.execute("PRAGMA foreign_keys = ON")
            if _is_new(db):
                db.execute("PRAGMA journal_mode = WAL")
                with transaction(db):
                    if _is_new(db):  # nobody else made it in the meantime
                        for statement in _statements(self._schema):
                            db.execute(statement)
                        db.execute(f"PRAGMA application_id = {_APPLICATION}")
                        db.execute(f"PRAGMA user_version = {self._version}")
            db.execute("PRAGMA synchronous = NORMAL")
            if _versions(db) != (_APPLICATION, self._version):
                raise sqlite3.DatabaseError("another version of glossbot wrote it")
        except BaseException:
            db.close()
            raise
        self._connection = db
        return db

    def _see_to(self, error: sqlite3.Error) -> None:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # without the extended part
        if code in _BUSY:
            _LOG.debug("%s: busy: %s", self.file, error)
        elif code in _UNWRITABLE:
            self._turn_off(str(error))
        else:
            self._set_aside(str(error))

    def _turn_off(self, reason: str) -> None:
        self.close()
        if not self.is_off:
            _LOG.warning("%s: the answer cache cannot be written and is off: %s", self.file, reason)
        self.is_off = True

    def _set_aside(self, reason: str) -> None:
        self.close()
        if self._identity != _identity(self.file):  # another process has set it aside already
            return
        aside = self.file.with_name(f"{self.file.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
        try:
            self.file.replace(aside)
            for ending in ("-wal", "-shm"):
                Path(f"{self.file}{ending}").unlink(missing_ok=True)
        except OSError as error:
            self._turn_off(error.strerror or str(error))
            return
        _LOG.warning(
            "%s: the answer cache cannot be used (%s); it lies at %s now and a new one is begun",
            self.file,
            reason,
            aside,
        )


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Do all of something or nothing, with nobody else writing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _versions(db: sqlite3.Connection) -> tuple[int, int]:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return application, version


def _is_new(db: sqlite3.Connection) -> bool:
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return tables == 0 and _versions(db) == (0, 0)


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script one by one; `executescript` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
