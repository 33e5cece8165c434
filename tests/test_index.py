"""The index: built, saved, opened, brought up to date, searched; killed while it was written, and damaged."""

import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny
from glossbot import paths
from glossbot.embed import Embedder
from glossbot.errors import GlossaryError, IndexCorruptError, IndexMissingError, IndexOutdatedError, StorageError
from glossbot.index import FORMAT, Index

MEMBERS = ("header.json", "entries.jsonl", "rows.jsonl", "vectors.npy")


@pytest.fixture
def source(small_glossary: Path, tmp_path: Path) -> Path:
    """A copy of the small glossary that a test may change, in a folder."""
    folder = tmp_path / "glossary"
    folder.mkdir()
    shutil.copy(small_glossary, folder / "a.md")
    return folder


@pytest.fixture
def saved(source: Path, embedder: Embedder, tmp_path: Path) -> Path:
    """An index file built from the copy."""
    file = tmp_path / "index" / "glossary.index"
    Index.build([source], embedder)[0].save(file)
    return file


def rewrite(file: Path, change: Callable[[dict[str, bytes]], object], compression: int = zipfile.ZIP_STORED) -> None:
    """Change the members of an index, and write it as a sound zip file again."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def set_header(members: dict[str, bytes], **values: object) -> None:
    members["header.json"] = json.dumps({**json.loads(members["header.json"]), **values}).encode()


def same(left: Index, right: Index) -> bool:
    return left.glossary == right.glossary and left.rows == right.rows and np.array_equal(left._vectors, right._vectors)


# ---------------------------------------------------------------- build, save, open


def test_a_saved_index_is_the_one_that_was_built(source: Path, embedder: Embedder, tmp_path: Path) -> None:
    built, changes = Index.build([source], embedder)
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == (6, 0, 0, 0)
    file = tmp_path / "deep" / "down" / "glossary.index"
    built.save(file)
    opened = Index.open(file, embedder=embedder)
    assert same(built, opened)
    assert opened.header == built.header
    assert opened.roots == (source,)
    assert opened.staleness() is None
    assert [path.name for path in file.parent.iterdir()] == ["glossary.index"]
    assert Index.open(file).glossary == built.glossary, "an embedder is not needed to read it"


def test_every_text_of_an_entry_has_a_row(small_index: Index) -> None:
    texts = {row.text for row in small_index.rows}
    for entry in small_index.glossary.entries:
        assert set(entry.names) <= texts
        assert {contrast.text for contrast in entry.contrasts} <= texts
        if len(entry.sentences) > 1:
            assert set(entry.sentences) <= texts
    assert any("تخزين" in text for text in texts)


def test_a_long_definition_is_embedded_to_its_end(embedder: Embedder, tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(1000)]
    (tmp_path / "a.md").write_text(f"## long\n\n{' '.join(words)}\n", encoding="utf-8")
    index, _ = Index.build([tmp_path], embedder)
    indexed = {word for row in index.rows for word in row.text.split()}
    assert set(words) <= indexed
    assert all(len(row.text.split()) < 200 for row in index.rows if row.kind == "definition")


def test_a_glossary_that_cannot_be_read_builds_nothing(embedder: Embedder, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## term\n")
    with pytest.raises(GlossaryError, match=r"a\.md:1"):
        Index.build([tmp_path], embedder)


def test_the_shipped_glossary_is_found_again_when_it_has_moved(
    source: Path, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "shipped_corpus", lambda: source)
    built, _ = Index.build(None, embedder)
    built.save(tmp_path / "x.index")
    moved = source.rename(tmp_path / "elsewhere")
    monkeypatch.setattr(paths, "shipped_corpus", lambda: moved)
    opened = Index.open(tmp_path / "x.index", embedder=embedder)
    assert opened.roots is None
    (moved / "a.md").write_text("## other\n\nText.\n")
    with pytest.raises(IndexOutdatedError, match="has changed"):
        Index.open(tmp_path / "x.index", embedder=embedder)


def build_counted(source: Path, embedder: Embedder, previous: Index | None) -> tuple[Index, tuple[int, ...], list[int]]:
    told: list[tuple[int, int]] = []
    index, changes = Index.build([source], embedder, previous=previous, progress=lambda *now: told.append(now))
    totals = {total for _, total in told}
    assert len(totals) <= 1
    assert not told or told[-1][0] == told[-1][1]
    return index, (changes.added, changes.changed, changes.removed, changes.unchanged), sorted(totals)


def test_only_new_texts_are_embedded(source: Path, embedder: Embedder) -> None:
    file = source / "a.md"
    before, counts, totals = build_counted(source, embedder, None)
    assert counts == (6, 0, 0, 0)
    assert totals == [len({row.text for row in before.rows})]

    same_again, counts, totals = build_counted(source, embedder, before)
    assert (counts, totals) == ((0, 0, 0, 6), [])
    assert same(before, same_again)

    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("The KV cache grows with", "The KV cache stays below"), encoding="utf-8")
    changed, counts, totals = build_counted(source, embedder, before)
    assert counts == (0, 1, 0, 5)
    assert totals == [2], "the changed sentence, and the definition that holds it"
    scratch, _, _ = build_counted(source, embedder, None)
    assert changed.glossary == scratch.glossary
    np.testing.assert_allclose(changed._vectors, scratch._vectors, atol=1e-6)

    (source / "b.md").write_text("## new term\n\nA new definition.\n")
    file.write_text(text[: text.index("## information retrieval")], encoding="utf-8")
    _, counts, totals = build_counted(source, embedder, changed)
    assert counts == (1, 1, 2, 3)
    assert totals[0] > 2


def test_another_embedder_embeds_everything_anew(source: Path, saved: Path, tmp_path: Path) -> None:
    other = Embedder(write_other_embedder(tmp_path))
    previous = Index.open(saved)
    index, _, totals = build_counted(source, other, previous)
    assert totals == [len({row.text for row in index.rows})]
    with pytest.raises(IndexOutdatedError, match="another embedder"):
        Index.open(saved, embedder=other)


def write_other_embedder(folder: Path) -> Path:
    return tiny.write_embedder(folder / "other", ["other words"], seed=8)


# ---------------------------------------------------------------- out of date


def change(source: Path) -> None:
    (source / "a.md").write_text("## other\n\nText.\n")


def add(source: Path) -> None:
    (source / "b.md").write_text("## other\n\nText.\n")


def remove(source: Path) -> None:
    add(source)
    (source / "a.md").unlink()


def empty(source: Path) -> None:
    (source / "a.md").unlink()


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (change, r"a\.md has changed"),
        (add, r"b\.md is new"),
        (remove, r"\.md is (new|gone)"),
        (empty, "no glossary file"),
    ],
)
def test_an_index_older_than_its_glossary_is_refused(
    act: Callable[[Path], None], message: str, source: Path, saved: Path, embedder: Embedder
) -> None:
    act(source)
    with pytest.raises(IndexOutdatedError, match=message):
        Index.open(saved, embedder=embedder)
    assert len(Index.open(saved, embedder=embedder, check_sources=False).glossary) == 6


def test_a_file_that_was_only_touched_has_not_changed(source: Path, saved: Path) -> None:
    os.utime(source / "a.md", (1, 1))
    assert Index.open(saved).staleness() is None


def test_an_index_outlives_its_glossary(source: Path, saved: Path, embedder: Embedder) -> None:
    shutil.rmtree(source)
    assert len(Index.open(saved, embedder=embedder).glossary) == 6


# ---------------------------------------------------------------- killed

CHILD = """
import os, sys, time
from pathlib import Path
from glossbot.embed import Embedder
from glossbot.index import Index

stage, file, source, folder = sys.argv[1], *map(Path, sys.argv[2:])

def stop(*_):
    print("here", flush=True)
    time.sleep(600)

if stage == "embedding":
    Index.build([source], Embedder(folder), progress=stop)
else:
    os.fsync = stop
    Index.open(file, check_sources=False).save(file)
"""


@pytest.mark.parametrize("stage", ["embedding", "writing"])
def test_a_killed_build_leaves_the_old_index(
    stage: str, source: Path, saved: Path, embedder: Embedder, tiny_embedder: Path
) -> None:
    before = saved.read_bytes()
    add(source)
    command = [sys.executable, "-c", CHILD, stage, str(saved), str(source), str(tiny_embedder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        assert child.stdout.readline() == "here\n"
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    assert saved.read_bytes() == before
    old = Index.open(saved, embedder=embedder, check_sources=False)
    new, changes = Index.build([source], embedder, previous=old)
    assert (changes.added, changes.unchanged) == (1, 6)
    new.save(saved)
    assert len(Index.open(saved, embedder=embedder).glossary) == 7
    assert [path.name for path in saved.parent.iterdir()] == [saved.name], "what the killed one left is cleared"


def test_a_disk_that_is_full_leaves_the_old_index(
    saved: Path, small_index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        Index.open(saved).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


# ---------------------------------------------------------------- damaged


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="run `glossbot index` to build it"):
        Index.open(tmp_path / "none.index")


@pytest.mark.parametrize("content", [b"", b"PK", b"no index at all" * 99, b"PK\x03\x04" + bytes(500)])
def test_a_file_that_is_no_index(content: bytes, saved: Path) -> None:
    saved.write_bytes(content)
    with pytest.raises(IndexCorruptError, match="run `glossbot index` to build it again"):
        Index.open(saved)


def test_a_folder_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexCorruptError):
        Index.open(tmp_path)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.99, 0.9999])
def test_a_truncated_index(share: float, saved: Path) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(IndexCorruptError):
        Index.open(saved)


@pytest.mark.parametrize("member", MEMBERS)
def test_a_flipped_byte_in_any_member(member: str, saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        info = archive.getinfo(member)
        data = archive.read(member)
    content = bytearray(saved.read_bytes())
    start = content.index(data, info.header_offset)
    for place in (0, len(data) // 2, len(data) - 1):
        damaged = content.copy()
        damaged[start + place] ^= 0x20
        saved.write_bytes(damaged)
        with pytest.raises(IndexCorruptError):
            Index.open(saved)


@given(data=st.data())
def test_any_flipped_byte_is_noticed_or_harmless(
    data: st.DataObject, small_index: Index, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "flipped.index"
    small_index.save(file)
    content = bytearray(file.read_bytes())
    # The members are guarded by checksums: the zip's own records are what is left to try.
    records = content.index(b"PK\x01\x02")
    place = data.draw(st.one_of(st.integers(0, 60), st.integers(records, len(content) - 1)))
    content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    try:
        opened = Index.open(file)
    except (IndexCorruptError, IndexOutdatedError):
        return
    assert same(opened, small_index)


def test_a_member_that_says_it_is_encrypted(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    saved.write_bytes(content)
    with pytest.raises(IndexCorruptError):
        Index.open(saved)


def drop(name: str) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.pop(name)


def put(name: str, content: bytes) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.__setitem__(name, content)


def halve(name: str) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.__setitem__(name, members[name][: len(members[name]) // 2])


@pytest.mark.parametrize(
    "act",
    [
        *(drop(name) for name in MEMBERS),
        *(halve(name) for name in MEMBERS),
        put("header.json", b"[]"),
        put("header.json", b"{}"),
        put("header.json", b'{"format": "one"}'),
        put("header.json", b'{"format": true}'),
        put("header.json", f'{{"format": {FORMAT}}}'.encode()),
        put("header.json", b"\xff\xfe"),
        put("header.json", b"[" * 100_000),
        put("entries.jsonl", b""),
        put("vectors.npy", b""),
    ],
)
def test_a_sound_zip_file_that_holds_something_else(act: Callable[[dict[str, bytes]], object], saved: Path) -> None:
    rewrite(saved, act)
    with pytest.raises(IndexCorruptError, match=str(saved)):
        Index.open(saved)


def test_a_compressed_index_is_none_of_ours(saved: Path) -> None:
    rewrite(saved, lambda _: None, zipfile.ZIP_DEFLATED)
    with pytest.raises(IndexCorruptError, match="not an index that glossbot wrote"):
        Index.open(saved)


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("entries.jsonl", b'{"id": "x"}'),
        ("rows.jsonl", b'{"entry": 0, "field": "name", "text": "x"}'),
        ("rows.jsonl", b'{"entry": 99, "field": "name", "text": "x"}'),
        ("vectors.npy", b"\x93NUMPY\x01\x00"),
    ],
)
def test_members_that_contradict_each_other(member: str, content: bytes, saved: Path) -> None:
    def forge(members: dict[str, bytes]) -> None:
        checksums = json.loads(members["header.json"])["checksums"]
        members[member] = content
        set_header(members, checksums={**checksums, member: hashlib.sha256(content).hexdigest()})

    rewrite(saved, forge)
    with pytest.raises(IndexCorruptError):
        Index.open(saved)


def test_pickles_are_never_loaded(saved: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)

    def forge(members: dict[str, bytes]) -> None:
        checksums = json.loads(members["header.json"])["checksums"]
        members["vectors.npy"] = buffer.getvalue()
        set_header(members, checksums={**checksums, "vectors.npy": hashlib.sha256(buffer.getvalue()).hexdigest()})

    rewrite(saved, forge)
    with pytest.raises(IndexCorruptError):
        Index.open(saved)


@pytest.mark.parametrize("number", [0, FORMAT + 1, 99])
def test_an_index_of_another_version(number: int, saved: Path) -> None:
    rewrite(
        saved, lambda members: members.__setitem__("header.json", json.dumps({"format": number, "new": 1}).encode())
    )
    with pytest.raises(IndexOutdatedError, match=f"format {number}, this version reads {FORMAT}"):
        Index.open(saved)


# ---------------------------------------------------------------- search


def terms(index: Index, found: dict[int, Any]) -> list[str]:
    return [index.glossary.entries[place].term for place in found]


def test_search_by_vector_finds_the_entry_that_is_meant(small_index: Index, embedder: Embedder) -> None:
    (vector,) = embedder.encode(["finds the documents that fit"])
    found = small_index.search_vector(vector, limit=3)
    assert terms(small_index, found)[0] == "information retrieval"
    assert len(found) == 3
    assert all(-1.001 <= cosine <= 1.001 for similarities in found.values() for cosine in similarities)


def test_a_text_of_the_glossary_is_found_with_full_similarity(small_index: Index, embedder: Embedder) -> None:
    for row in small_index.rows:
        (found,) = small_index.search_vector(embedder.encode([row.text])[0], limit=1).items()
        place, similarities = found
        assert place == row.entry or row.text in small_index.glossary.entries[place].names
        if row.kind != "contrast":
            assert max(similarities) == pytest.approx(1, abs=1e-4)


def test_more_entries_than_there_are_can_be_asked_for(small_index: Index, embedder: Embedder) -> None:
    assert len(small_index.search_vector(embedder.encode(["cache"])[0], limit=1000)) == 6
    assert small_index.search_words(["cache"], limit=1000)


def test_search_by_words_finds_the_entry_that_has_them(small_index: Index) -> None:
    def first(*words: str) -> str:
        return terms(small_index, small_index.search_words(words, limit=3))[0]

    assert first("documents", "fit", "queries") == "information retrieval"
    assert first("ir") in ("intermediate representation", "information retrieval")
    assert first("批", "次") == "连续批处理"
    scores = list(small_index.search_words(["head", "cache"], limit=6).values())
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


@pytest.mark.parametrize("words", [[], ["zebra"], ["🤖"], [""]])
def test_words_that_are_nowhere_find_nothing(words: list[str], small_index: Index) -> None:
    assert small_index.search_words(words, limit=5) == {}
