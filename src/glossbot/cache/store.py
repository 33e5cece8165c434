"""The stored answers of one glossary, in one file.

An answer is there whole or not at all, and what was reported as stored survives the process's end at any moment. (A
power cut may cost the last ones.) Every row carries a checksum.
"""

import hashlib
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from glossbot.cache.database import Database, transaction
from glossbot.cache.record import Candidate, Kept, Record, Stats

FORMAT = 1
_MOST_CANDIDATES = 200
_MOST_RECORDED = 10_000
_DAY = 86_400.0  # seconds
_SCHEMA = """
CREATE TABLE answers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice, so that a number means one answer
    exact TEXT NOT NULL,      -- the question, normalised
    versions TEXT NOT NULL,   -- of what made the answer, but for the glossary
    corpus TEXT NOT NULL,     -- the glossary's version when the answer was last known to hold
    key TEXT NOT NULL,        -- digest of the key parts
    form TEXT NOT NULL,       -- digest of the key parts and the question's words
    words TEXT NOT NULL,      -- the question's words, one a line
    record TEXT NOT NULL,     -- a Record, as JSON
    checksum TEXT NOT NULL,
    vector BLOB,              -- the question embedded: float32, of length 1
    size INTEGER NOT NULL,
    created REAL NOT NULL,
    used REAL NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0,
    UNIQUE (exact, versions)
);
CREATE INDEX answers_form ON answers (form, versions);
CREATE INDEX answers_key ON answers (key, versions, used);
CREATE INDEX answers_used ON answers (used);
CREATE INDEX answers_created ON answers (created);
CREATE TABLE cited (
    answer INTEGER NOT NULL REFERENCES answers (id) ON DELETE CASCADE,
    entry TEXT NOT NULL,
    fingerprint TEXT NOT NULL
);
CREATE INDEX cited_answer ON cited (answer);
CREATE TABLE totals (answers INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO totals VALUES (0, 0);
CREATE TRIGGER added AFTER INSERT ON answers
BEGIN UPDATE totals SET answers = answers + 1, bytes = bytes + new.size; END;
CREATE TRIGGER removed AFTER DELETE ON answers
BEGIN UPDATE totals SET answers = answers - 1, bytes = bytes - old.size; END;
CREATE TABLE corpora (versions TEXT PRIMARY KEY, corpus TEXT NOT NULL);  -- for which changed answers were forgotten
CREATE TABLE stamps (settings TEXT PRIMARY KEY, stamp TEXT NOT NULL);
CREATE TABLE asked (question TEXT PRIMARY KEY, times INTEGER NOT NULL, last REAL NOT NULL);
"""


class Store:
    """The stored answers of one glossary. Trouble with the file is a miss, never an error; see `Database`."""

    def __init__(self, file: Path, *, limit_mb: int = 100, days: float = 30) -> None:
        """Open it with the first use.

        Args:
            file: where it lies, or will lie.
            limit_mb: most that the answers may take, in MiB; those go first that were not used for longest.
            days: how long an answer is kept.
        """
        self._database = Database(file, schema=_SCHEMA, version=FORMAT)
        self._limit_mb = limit_mb
        self._days = days

    @property
    def file(self) -> Path:
        """Where it lies."""
        return self._database.file

    @property
    def is_off(self) -> bool:
        """Whether it was turned off because its file cannot be used."""
        return self._database.is_off

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def exact(self, exact: str, *, versions: str, corpus: str) -> Kept | None:
        """Return the answer to a normalised question that was given from this very glossary, or None."""
        found = self._database.attempt(
            lambda db: self._kept(db, "exact = ? AND versions = ? AND corpus = ?", (exact, versions, corpus), 1)
        )
        return found[0] if found else None

    def candidates(self, *, form: str, key: str, versions: str) -> list[Candidate]:
        """Return the answers whose key parts are equal, those of the very same words first, then the last used ones."""

        def look(db: sqlite3.Connection) -> list[Candidate]:
            select = "SELECT id, words FROM answers WHERE"
            alike = db.execute(f"{select} form = ? AND versions = ? LIMIT ?", (form, versions, _MOST_CANDIDATES))
            others = db.execute(
                f"{select} key = ? AND versions = ? AND form <> ? ORDER BY used DESC LIMIT ?",
                (key, versions, form, _MOST_CANDIDATES),
            )
            found = (*alike.fetchall(), *others.fetchall())
            return [Candidate(number, tuple(words.split("\n") if words else ())) for number, words in found]

        return self._database.attempt(look) or []

    def put(self, record: Record, *, corpus: str, vector: bytes | None = None) -> bool:
        """Store an answer in place of an earlier one to the same question; tell whether it was stored."""
        written = record.model_dump_json()
        size = len(written.encode()) + len(vector or b"")
        now = time.time()

        def write(db: sqlite3.Connection) -> bool:
            with transaction(db):
                db.execute("DELETE FROM answers WHERE exact = ? AND versions = ?", (record.exact, record.versions))
                self._make_room(db, size, now)
                row = db.execute(
                    "INSERT INTO answers"
                    " (exact, versions, corpus, key, form, words, record, checksum, vector, size, created, used)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        record.exact,
                        record.versions,
                        corpus,
                        record.key,
                        record.form,
                        "\n".join(record.words),
                        written,
                        _checksum(written, corpus),
                        vector,
                        size,
                        now,
                        now,
                    ),
                ).lastrowid
                db.executemany(
                    "INSERT INTO cited VALUES (?, ?, ?)",
                    [(row, entry, fingerprint) for entry, fingerprint in record.cited.items()],
                )
            return True

        return size <= self._limit_mb << 20 and bool(self._database.attempt(write))

    def used(self, kept: Kept) -> None:
        """Count a hit."""
        self._database.attempt(
            lambda db: db.execute("UPDATE answers SET hits = hits + 1, used = ? WHERE id = ?", (time.time(), kept.id))
        )

    def renew(self, kept: Kept, *, corpus: str, answer: str) -> Kept:
        """Say that an answer holds for another version of the glossary too, and how it reads there; return it so."""
        record = kept.record.model_copy(update={"answer": answer})
        written = record.model_dump_json()
        self._database.attempt(
            lambda db: db.execute(
                "UPDATE answers SET record = ?, corpus = ?, checksum = ? WHERE id = ?",
                (written, corpus, _checksum(written, corpus), kept.id),
            )
        )
        return kept.model_copy(update={"record": record, "corpus": corpus})

    def drop(self, number: int) -> bool:
        """Remove one answer by its number; tell whether it was there."""
        return bool(
            self._database.attempt(lambda db: db.execute("DELETE FROM answers WHERE id = ?", (number,)).rowcount)
        )

    def clear(self) -> int:
        """Remove every answer and every recorded question; return how many answers there were."""

        def write(db: sqlite3.Connection) -> int:
            with transaction(db):
                removed = db.execute("DELETE FROM answers").rowcount
                db.execute("DELETE FROM asked")
                db.execute("DELETE FROM stamps")
            db.execute("VACUUM")
            return removed

        return self._database.attempt(write) or 0

    def forget_changed(self, fingerprints: Mapping[str, str], *, versions: str, corpus: str) -> int:
        """Remove the answers that cite an entry as it no longer is, and of another corpus those that do not last.

        Returns:
            How many were removed; nothing is looked through where the glossary is the one it was the last time.
        """

        def write(db: sqlite3.Connection) -> int:
            known = db.execute("SELECT corpus FROM corpora WHERE versions = ?", (versions,)).fetchone()
            if known == (corpus,):
                return 0
            with transaction(db):
                cited = db.execute(
                    "SELECT answer, entry, fingerprint FROM cited JOIN answers ON id = answer WHERE versions = ?",
                    (versions,),
                )
                gone = {answer for answer, entry, fingerprint in cited if fingerprints.get(entry) != fingerprint}
                others = db.execute(
                    "SELECT id, record FROM answers WHERE versions = ? AND corpus <> ?", (versions, corpus)
                )
                gone |= {number for number, record in others if '"lasting":true' not in record}
                db.executemany("DELETE FROM answers WHERE id = ?", [(number,) for number in gone])
                db.execute("INSERT OR REPLACE INTO corpora VALUES (?, ?)", (versions, corpus))
            return len(gone)

        return self._database.attempt(write) or 0

    def answers(self, *, search: str = "", limit: int = 1_000_000) -> list[Kept]:
        """Return the answers whose question holds a text, the last used first."""
        found = self._database.attempt(lambda db: self._kept(db, "instr(exact, ?) > 0", (search.casefold(),), limit))
        return found or []

    def answer(self, number: int) -> Kept | None:
        """Return one answer by its number, or None."""
        found = self._database.attempt(lambda db: self._kept(db, "id = ?", (number,), 1))
        return found[0] if found else None

    def stats(self) -> Stats:
        """Count what is stored."""

        def look(db: sqlite3.Connection) -> Stats:
            answers, size = db.execute("SELECT answers, bytes FROM totals").fetchone()
            hits, oldest = db.execute("SELECT coalesce(sum(hits), 0), min(created) FROM answers").fetchone()
            (recorded,) = db.execute("SELECT count(*) FROM asked").fetchone()
            return Stats(
                file=str(self.file),
                answers=answers,
                mb=round(size / (1 << 20), 2),
                limit_mb=self._limit_mb,
                hits=hits,
                recorded_questions=recorded,
                oldest=oldest,
            )

        nothing = Stats(file=str(self.file), answers=0, mb=0.0, limit_mb=self._limit_mb, hits=0, recorded_questions=0)
        return self._database.attempt(look) or nothing

    def record_question(self, question: str) -> None:
        """Remember that a question was asked."""

        def write(db: sqlite3.Connection) -> None:
            with transaction(db):
                db.execute(
                    "INSERT INTO asked VALUES (?, 1, ?)"
                    " ON CONFLICT (question) DO UPDATE SET times = times + 1, last = excluded.last",
                    (question, time.time()),
                )
                db.execute(
                    "DELETE FROM asked WHERE question IN"
                    " (SELECT question FROM asked ORDER BY last DESC LIMIT -1 OFFSET ?)",
                    (_MOST_RECORDED,),
                )

        self._database.attempt(write)

    def recorded_questions(self) -> list[str]:
        """Return the questions that were recorded, the most frequent first."""
        rows = self._database.attempt(
            lambda db: db.execute("SELECT question FROM asked ORDER BY times DESC, last DESC").fetchall()
        )
        return [question for (question,) in rows or ()]

    def stamp(self, settings: str) -> str | None:
        """Return what was kept under `keep_stamp` for these settings, or None."""
        row = self._database.attempt(
            lambda db: db.execute("SELECT stamp FROM stamps WHERE settings = ?", (settings,)).fetchone()
        )
        return str(row[0]) if row else None

    def keep_stamp(self, settings: str, stamp: str) -> None:
        """Keep a text for some settings; see `stamp.Stamp`."""
        self._database.attempt(lambda db: db.execute("INSERT OR REPLACE INTO stamps VALUES (?, ?)", (settings, stamp)))

    def _kept(self, db: sqlite3.Connection, where: str, values: Sequence[object], limit: int) -> list[Kept]:
        """Return rows that are whole and young enough; a row whose checksum is wrong is removed."""
        rows = db.execute(
            "SELECT id, record, checksum, corpus, created, used, hits, vector FROM answers"
            f" WHERE {where} AND created >= ? ORDER BY used DESC LIMIT ?",
            (*values, time.time() - self._days * _DAY, limit),
        ).fetchall()
        found = []
        for number, written, checksum, corpus, created, used, hits, vector in rows:
            if checksum != _checksum(written, corpus):
                db.execute("DELETE FROM answers WHERE id = ?", (number,))
                continue
            record = Record.model_validate_json(written)
            found.append(
                Kept(id=number, record=record, corpus=corpus, created=created, used=used, hits=hits, vector=vector)
            )
        return found

    def _make_room(self, db: sqlite3.Connection, size: int, now: float) -> None:
        """Remove what is too old, then what was not used for longest, until an answer of `size` bytes fits."""
        db.execute("DELETE FROM answers WHERE created < ?", (now - self._days * _DAY,))
        limit = self._limit_mb << 20
        (stored,) = db.execute("SELECT bytes FROM totals").fetchone()
        excess = stored + size - limit
        for number, freed in db.execute("SELECT id, size FROM answers ORDER BY used").fetchall() if excess > 0 else ():
            if excess <= 0:
                break
            db.execute("DELETE FROM answers WHERE id = ?", (number,))
            excess -= freed


def _checksum(written: str, corpus: str) -> str:
    return hashlib.sha256(f"{corpus}\n{written}".encode()).hexdigest()
