"""The index: built, saved, opened, brought up to date, searched; killed while it was written, and damaged."""

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
from glossbot import index_file, paths
from glossbot.embed import Embedder
from glossbot.errors import GlossaryError, IndexCorruptError, IndexMissingError, IndexOutdatedError, StorageError
from glossbot.index import Index
from glossbot.index_file import FORMAT, ROW, Recipe, in_folder, read_recipe
from glossbot.readers import Reading, ReadOptions, Root
from glossbot.texts import KINDS, Text, TextKind, text_key, texts

MEMBERS = ("header.json", "entries.jsonl", "rows.npy", "vectors.npy")


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
    return (
        left.glossary == right.glossary
        and np.array_equal(left.rows, right.rows)
        and np.array_equal(left._vectors, right._vectors)
    )


def row_texts(index: Index) -> list[tuple[int, Text]]:
    """Return the text of each row with the number of its entry, and see that the rows say the same."""
    listed = [(number, text) for number, entry in enumerate(index.glossary.entries) for text in texts(entry)]
    assert index.rows["entry"].tolist() == [number for number, _ in listed]
    assert [KINDS[kind] for kind in index.rows["kind"].tolist()] == [text.kind for _, text in listed]
    assert index.rows["key"].tolist() == [text_key(text.text) for _, text in listed]
    return listed


def distinct(index: Index) -> int:
    return len({text.text for _, text in row_texts(index)})


# ---------------------------------------------------------------- build, save, open


def test_a_saved_index_is_the_one_that_was_built(source: Path, embedder: Embedder, tmp_path: Path) -> None:
    built, changes = Index.build([source], embedder)
    assert (changes.added, changes.changed, changes.removed, changes.unchanged) == (6, 0, 0, 0)
    file = tmp_path / "deep" / "down" / "glossary.index"
    built.save(file)
    opened = Index.open(file, embedder=embedder)
    assert same(built, opened)
    assert opened.header == built.header
    assert opened.roots == (Root(path=source, label="glossary"),)
    assert opened.staleness() is None
    assert [path.name for path in file.parent.iterdir()] == ["glossary.index"]
    assert Index.open(file).glossary == built.glossary, "an embedder is not needed to read it"


def test_every_text_of_an_entry_has_a_row(small_index: Index) -> None:
    found = {text.text for _, text in row_texts(small_index)}
    for entry in small_index.glossary.entries:
        assert set(entry.names) <= found
        assert {contrast.text for contrast in entry.contrasts} <= found
        if len(entry.sentences) > 1:
            assert set(entry.sentences) <= found
    assert any("تخزين" in text for text in found)


def test_a_long_definition_is_embedded_to_its_end(embedder: Embedder, tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(1000)]
    (tmp_path / "a.md").write_text(f"## long\n\n{' '.join(words)}\n", encoding="utf-8")
    index, _ = Index.build([tmp_path], embedder)
    chunks = [text.text.split() for _, text in row_texts(index) if text.kind is TextKind.DEFINITION]
    assert set(words) <= {word for chunk in chunks for word in chunk}
    assert all(len(chunk) < 200 for chunk in chunks)


def test_a_text_that_several_entries_have_is_embedded_once(embedder: Embedder, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("term,definition,aliases\none,The same.,x\ntwo,The same.,x\n")
    told: list[tuple[int, int]] = []
    index, _ = Index.build([tmp_path], embedder, progress=lambda *now: told.append(now))
    assert told[-1] == (distinct(index), distinct(index))
    by_text = {text.text: index._vectors[row] for row, (_, text) in enumerate(row_texts(index))}
    for row, (_, text) in enumerate(row_texts(index)):
        np.testing.assert_array_equal(index._vectors[row], by_text[text.text])
        np.testing.assert_allclose(index._vectors[row], embedder.encode([text.text])[0], atol=1e-6)


def test_a_glossary_that_cannot_be_read_builds_nothing(embedder: Embedder, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("term,definition\nterm,\n")
    with pytest.raises(GlossaryError, match=r"a\.csv:2"):
        Index.build([tmp_path], embedder)


def test_what_cannot_be_read_is_told_before_anything_is_embedded(embedder: Embedder, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("term,definition\none,One is a number.\ntwo,\n")
    told: list[object] = []

    def tell(reading: Reading) -> None:
        told.extend(map(str, reading.problems))

    index, _ = Index.build([tmp_path], embedder, on_read=tell, progress=lambda *now: told.append(now))
    assert told[0] == f"{tmp_path.name}/a.csv:3: 'two' has no definition"
    assert told[-1] == (2, 2)
    assert (index.header.entries, index.header.problems) == (1, 1)
    with pytest.raises(GlossaryError, match=r"a\.csv:3"):
        Index.build([tmp_path], embedder, strict=True)


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
    assert totals == [distinct(before)]

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
    assert totals == [distinct(index)]
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
    opened = Index.open(saved, embedder=embedder)
    assert len(opened.glossary) == 6
    assert not opened.is_current([source], embedder), "to read it again is an error, and no success"


def test_of_several_sources_those_that_are_gone_tell_nothing(
    small_glossary: Path, embedder: Embedder, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"## {name}\n\nThe word {name} is a number.\n")
    index, _ = Index.build([tmp_path / "one", tmp_path / "two/*.md", small_glossary], embedder)
    shutil.rmtree(tmp_path / "two")
    assert index.staleness() is None
    (tmp_path / "one" / "b.md").write_text("## three\n\nThree is a number.\n")
    assert index.staleness() == f"{tmp_path}/one/b.md is new"
    (tmp_path / "one" / "b.md").unlink()
    (tmp_path / "one" / "a.md").rename(tmp_path / "one" / "b.md")
    assert index.staleness() == f"{tmp_path}/one/b.md is new"


def test_a_glob_notices_new_files(source: Path, embedder: Embedder) -> None:
    index, _ = Index.build([source / "*.md"], embedder)
    assert index.staleness() is None
    add(source)
    assert index.staleness() == f"{source}/b.md is new"


def test_a_file_that_cannot_be_read_makes_no_index_old_until_it_can(source: Path, embedder: Embedder) -> None:
    (source / "link.md").symlink_to("none.md")
    (source / "binary.md").write_bytes(bytes(999))
    index, _ = Index.build([source], embedder)
    assert index.header.problems == 2
    assert index.staleness() is None
    add(source)
    (source / "b.md").rename(source / "none.md")
    assert index.staleness() == f"{source}/link.md is new"


def test_how_files_are_read_is_kept_and_counts(source: Path, embedder: Embedder, tmp_path: Path) -> None:
    options = ReadOptions(base_url="https://x.org/g")
    index, _ = Index.build([source], embedder, options=options)
    index.save(tmp_path / "x.index")
    opened = Index.open(tmp_path / "x.index", embedder=embedder)
    assert opened.header.options == options
    assert opened.glossary.entries[0].url == "https://x.org/g/a/#grouped-query-attention-gqa"
    assert opened.is_current([source], embedder, options=options)
    assert not opened.is_current([source], embedder)
    assert not opened.is_current([source / "a.md"], embedder, options=options)
    assert read_recipe(tmp_path / "x.index") == Recipe(roots=opened.roots, options=options)


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
        Index.open(tmp_path / "glossary.index")
    with pytest.raises(IndexMissingError, match="run `glossbot index --name tea` to build it"):
        Index.open(tmp_path / "tea.index")


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


def npy(array: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=array.dtype == object)
    return buffer.getvalue()


ROWS = np.zeros(2, dtype=ROW)
FAR = ROWS.copy()
FAR["entry"][1] = 99
BEFORE = ROWS.copy()
BEFORE["entry"][1] = -1
STRANGE = ROWS.copy()
STRANGE["kind"][1] = 99


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("entries.jsonl", b'{"id": "x"}'),
        ("entries.jsonl", b""),
        ("rows.npy", npy(ROWS[:1])),
        ("rows.npy", npy(FAR)),
        ("rows.npy", npy(BEFORE)),
        ("rows.npy", npy(STRANGE)),
        ("rows.npy", npy(np.zeros((2, 1), dtype=ROW))),
        ("rows.npy", npy(np.zeros(2, dtype=[("entry", "<i4"), ("kind", "u1")]))),
        ("rows.npy", npy(np.zeros(2, dtype=np.int64))),
        ("vectors.npy", npy(np.zeros((2, 48), dtype=np.float64))),
        ("vectors.npy", npy(np.zeros(2 * 48, dtype=np.float32))),
        ("vectors.npy", npy(np.full((2, 48), np.nan, dtype=np.float32))),
        ("vectors.npy", npy(np.array([{"a": 1}] * 2, dtype=object))),
        ("vectors.npy", npy(np.zeros((2, 48), dtype=np.float32)) + b"more"),
        ("vectors.npy", b"\x93NUMPY\x01\x00"),
        ("vectors.npy", npy(np.zeros(1, dtype=np.float32)).replace(b"(1,)", b"(9999999999999,)")),
    ],
)
def test_members_that_contradict_each_other(
    member: str, content: bytes, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where every checksum is right: whoever can write the file can write those too."""
    (tmp_path / "a.csv").write_text("term,definition\none,One is a number.\n")
    index, _ = Index.build([tmp_path / "a.csv"], embedder)
    index.save(tmp_path / "x.index")
    rewrite(tmp_path / "x.index", lambda members: members.__setitem__(member, content))
    monkeypatch.setattr(index_file, "_check", lambda *_: None)
    with pytest.raises(IndexCorruptError):
        Index.open(tmp_path / "x.index")


@pytest.mark.parametrize("number", [0, FORMAT + 1, 99])
def test_an_index_of_another_version(number: int, saved: Path) -> None:
    rewrite(
        saved, lambda members: members.__setitem__("header.json", json.dumps({"format": number, "new": 1}).encode())
    )
    with pytest.raises(IndexOutdatedError, match=f"format {number}, this version reads {FORMAT}"):
        Index.open(saved)


def test_what_an_index_was_built_from_outlives_it(source: Path, saved: Path) -> None:
    expected = Recipe(roots=(Root(path=source, label="glossary"),))
    assert read_recipe(saved) == expected
    saved.write_bytes(saved.read_bytes()[:3000])
    assert read_recipe(saved) == expected
    header = {"format": 1, "roots": [str(source)], "sources": []}
    rewrite_as(saved, header)
    assert read_recipe(saved) == expected
    rewrite_as(saved, {**header, "roots": ["shipped"]})
    assert read_recipe(saved) == Recipe(roots=None)


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"header.json", b"header.json[]", b"header.json{", b"header.json" + b"[" * 99999]
)
def test_what_an_unreadable_index_was_built_from_is_not_known(content: bytes, tmp_path: Path) -> None:
    assert read_recipe(tmp_path) is None
    assert read_recipe(tmp_path / "none.index") is None
    for beginning in (b"", b"header.json"):
        (tmp_path / "x.index").write_bytes(beginning + content)
        assert read_recipe(tmp_path / "x.index") is None


def rewrite_as(file: Path, header: dict[str, object]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(header))


def test_several_indexes_lie_side_by_side(source: Path, saved: Path) -> None:
    (saved.parent / "tea.index").write_bytes(b"no index")
    (saved.parent / ".hidden.index").write_bytes(saved.read_bytes())
    whole, broken = in_folder(saved.parent)
    assert (whole.name, whole.entries, whole.sources, whole.error) == ("glossary", 6, (str(source),), None)
    assert broken.name == "tea"
    assert "run `glossbot index --name tea` to build it again" in str(broken.error)
    assert in_folder(source / "nothing") == []


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
    for number, text in row_texts(small_index):
        (found,) = small_index.search_vector(embedder.encode([text.text])[0], limit=1).items()
        place, similarities = found
        assert place == number or text.text in small_index.glossary.entries[place].names
        if text.kind is not TextKind.CONTRAST:
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
