"""The file of stored answers: what is kept, for how long, and what becomes of it when things go wrong."""

import logging
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from threading import Thread

import pytest

from glossbot.cache import exchange
from glossbot.cache.record import Record
from glossbot.cache.store import Store
from glossbot.errors import CacheError


def record(question: str, *, answer: str = "42", lasting: bool = True, **cited: str) -> Record:
    return Record(
        question=question,
        exact=question,
        key="key",
        form=question,
        kind="define",
        words=(question,),
        versions="v1",
        lasting=lasting,
        cited=cited,
        rests_on=tuple(cited),
        answer=answer,
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache" / "answers.sqlite")


def found(store: Store, question: str, *, versions: str = "v1", corpus: str = "c1") -> str | None:
    kept = store.exact(question, versions=versions, corpus=corpus)
    return kept.record.answer if kept else None


def test_an_answer_comes_back_for_its_versions_only(store: Store) -> None:
    assert store.put(record("a"), corpus="c1")
    assert found(store, "a") == "42"
    assert found(store, "b") is None
    assert found(store, "a", versions="v2") is None
    assert found(store, "a", corpus="c2") is None
    assert [one.words for one in store.candidates(form="a", key="key", versions="v1")] == [("a",)]
    assert store.candidates(form="a", key="key", versions="v2") == []


def test_a_later_answer_replaces_the_earlier_one(store: Store) -> None:
    store.put(record("a"), corpus="c1")
    store.put(record("a", answer="43"), corpus="c1")
    assert found(store, "a") == "43"
    assert store.stats().answers == 1


def test_candidates_of_the_same_words_come_first(store: Store) -> None:
    for question in ("a", "b", "c"):
        store.put(record(question), corpus="c1")
    assert store.candidates(form="a", key="key", versions="v1")[0].words == ("a",)
    assert len(store.candidates(form="a", key="key", versions="v1")) == 3


def test_hits_are_counted_and_seen_by_other_processes(store: Store) -> None:
    store.put(record("a"), corpus="c1")
    kept = store.answers()[0]
    store.used(kept)
    store.used(kept)
    assert Store(store.file).stats().hits == 2


def test_an_answer_ends_with_its_time(store: Store) -> None:
    store.put(record("a"), corpus="c1")
    store.close()
    assert found(Store(store.file, days=1e-9), "a") is None
    Store(store.file, days=1e-9).put(record("b"), corpus="c1")
    assert [kept.record.question for kept in Store(store.file).answers()] == ["b"]


def test_the_least_used_answers_make_room(tmp_path: Path) -> None:
    store = Store(tmp_path / "answers.sqlite", limit_mb=1)
    third = "x" * (300 << 10)
    for question in ("a", "b", "c"):
        store.put(record(question, answer=third), corpus="c1")
    store.used(store.answers(search="a")[0])
    store.put(record("d", answer=third), corpus="c1")
    assert {kept.record.question for kept in store.answers()} == {"a", "c", "d"}
    assert store.stats().mb <= 1
    assert not store.put(record("e", answer="x" * (2 << 20)), corpus="c1"), "larger than the whole cache"


def test_a_changed_entry_takes_only_its_answers_with_it(store: Store) -> None:
    store.put(record("a", gqa="1"), corpus="c1")
    store.put(record("b", mqa="1"), corpus="c1")
    store.put(record("both", gqa="1", mqa="1"), corpus="c1")
    store.put(record("refusal", lasting=False), corpus="c1")
    assert store.forget_changed({"gqa": "2", "mqa": "1"}, versions="v1", corpus="c2") == 3
    assert [kept.record.question for kept in store.answers()] == ["b"]
    assert store.forget_changed({}, versions="v1", corpus="c2") == 0, "looked through once for a corpus"
    assert found(store, "b", corpus="c2") is None, "only the semantic tier may say that it still holds"


def test_dropped_and_cleared_answers_are_gone(store: Store) -> None:
    for question in ("a", "b", "c"):
        store.put(record(question), corpus="c1")
    number = store.answers(search="a")[0].id
    assert store.drop(number)
    assert not store.drop(number)
    assert store.answer(number) is None
    assert store.clear() == 2
    assert store.stats().answers == 0
    assert store.stats().mb == 0


def test_questions_are_recorded_with_how_often_they_were_asked(store: Store) -> None:
    for question in ("a", "b", "b"):
        store.record_question(question)
    assert store.recorded_questions() == ["b", "a"]


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.put(record("a"), corpus="c1")
    store.close()
    for ending in ("-wal", "-shm"):
        Path(f"{store.file}{ending}").unlink(missing_ok=True)
    store.file.write_bytes(b"this is no database, " * 1000)
    assert found(store, "a") is None
    assert store.put(record("b"), corpus="c1")
    assert found(store, "b") == "42"
    assert [message for message in caplog.messages if "damaged-" in message]
    assert len(caplog.messages) == 1
    assert len(list(store.file.parent.glob("*.damaged-*"))) == 1


def test_a_file_damaged_while_it_is_open_costs_no_error(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(300):
        store.put(record(f"q{number}", answer="x" * 500), corpus="c1")
    store.close()
    with store.file.open("r+b") as file:
        for place in range(2, 40):
            file.seek(place * 4096)
            file.write(b"\xff" * 4000)
    answers = [found(store, f"q{number}") for number in range(300)]
    assert set(answers) <= {None, "x" * 500}
    assert store.put(record("new"), corpus="c1")
    assert found(store, "new") == "42"


def test_a_row_that_was_tampered_with_is_not_served(store: Store) -> None:
    store.put(record("a"), corpus="c1")
    store.close()
    with sqlite3.connect(store.file) as db:
        db.execute("UPDATE answers SET record = replace(record, '42', '43')")
    db.close()
    assert found(store, "a") is None
    assert store.stats().answers == 0


def test_a_file_of_another_version_is_set_aside(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.put(record("a"), corpus="c1")
    store.close()
    with sqlite3.connect(store.file) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    assert found(store, "a") is None
    assert "another version" in caplog.text


def test_a_folder_that_cannot_be_written_turns_it_off_with_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    store = Store(tmp_path / "file" / "answers.sqlite")
    for _ in range(3):
        assert not store.put(record("a"), corpus="c1")
        assert found(store, "a") is None
    assert store.is_off
    assert [entry.levelno for entry in caplog.records] == [logging.WARNING]


def test_a_full_disk_turns_it_off_with_one_warning(tmp_path: Path) -> None:
    """With a limit on the size of the process's files, which SQLite meets as it meets a full disk."""
    script = """
        import resource, signal, sys
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from test_cache_store import record, found
        from glossbot.cache.store import Store
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = Store(Path(sys.argv[1]))
        assert store.put(record("a"), corpus="c1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
        stored = [store.put(record(f"b{n}", answer="x" * 50_000), corpus="c1") for n in range(20)]
        assert not all(stored) and store.is_off
        assert found(store, "a") is None
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "answers.sqlite"), str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the answer cache cannot be written and is off") == 1
    assert found(Store(tmp_path / "answers.sqlite"), "a") == "42", "what was stored before is whole"


def test_threads_share_a_store(store: Store) -> None:
    def work(name: str) -> None:
        for number in range(30):
            store.put(record(f"{name}{number}", answer=name), corpus="c1")

    threads = [Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.stats().answers == 120
    assert all(found(store, f"{name}7") == name for name in "abcd")


def test_an_export_is_taken_over_by_the_same_versions_only(store: Store, tmp_path: Path) -> None:
    store.put(record("a", gqa="1"), corpus="c1")
    store.put(record("old"), corpus="c0")
    file = tmp_path / "answers.jsonl"
    assert exchange.export(store, file, versions="v1", corpus="c1") == 1
    other = Store(tmp_path / "other.sqlite")
    for versions, corpus in (("v2", "c1"), ("v1", "c2")):
        with pytest.raises(CacheError, match=r"made (with|from) another"):
            exchange.import_answers(other, file, versions=versions, corpus=corpus)
    assert exchange.import_answers(other, file, versions="v1", corpus="c1") == 1
    assert other.answers()[0].record == store.answers(search="a")[0].record


@pytest.mark.parametrize(
    "damage", ["", "{}\n", '{"kind": "glossbot answers", "format": 99, "versions": "v1", "corpus": "c1"}\n']
)
def test_what_is_no_export_is_refused(store: Store, tmp_path: Path, damage: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(damage)
    with pytest.raises(CacheError, match=r"answers\.jsonl"):
        exchange.import_answers(store, file, versions="v1", corpus="c1")


def test_a_broken_line_of_an_export_leaves_the_cache_as_it_was(store: Store, tmp_path: Path) -> None:
    store.put(record("a"), corpus="c1")
    file = tmp_path / "answers.jsonl"
    exchange.export(store, file, versions="v1", corpus="c1")
    file.write_text(file.read_text() + "{half")
    other = Store(tmp_path / "other.sqlite")
    with pytest.raises(CacheError, match=r"answers\.jsonl:3: .* nothing was imported"):
        exchange.import_answers(other, file, versions="v1", corpus="c1")
    assert other.answers() == []
