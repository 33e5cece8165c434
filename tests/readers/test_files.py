"""Which files are read: folders, globs, links, pipes, names in every script; and what is said of the others."""

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot import readers
from glossbot.entry import Glossary
from glossbot.errors import GlossaryError
from glossbot.readers import Reading, ReadOptions, source
from glossbot.readers.files import Found, Root, find
from glossbot.readers.source import Source, load

ENTRY = "## {}\n\nA thing.\n"


def write(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ENTRY.format(path.stem), encoding="utf-8")
    return folder


def found(*given: Path) -> Found:
    return find(map(Root.of, given), suffixes=frozenset((".md", ".txt")))


def labels(*given: Path) -> list[str]:
    return [file.label for file in found(*given).files]


def said(reading: Reading) -> list[str]:
    return [str(problem) for problem in (*reading.problems, *reading.notices)]


def terms(glossary: Glossary) -> list[str]:
    return [entry.term for entry in glossary.entries]


# ---------------------------------------------------------------- folders, globs, and the same file twice


def test_a_folder_is_searched_and_sorted(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "b.md", "a/c.MD", "a/a.md", ".hidden/x.md", ".x.md")
    assert labels(folder) == ["docs/a/a.md", "docs/a/c.MD", "docs/b.md"]


def test_nothing_of_a_folder_is_passed_over_in_silence(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md", "README.md", "LICENSE.md", "x/Contributing.md", "logo.png")
    assert found(folder).skipped == ("docs/LICENSE.md", "docs/README.md", "docs/logo.png", "docs/x/Contributing.md")
    (notice,) = readers.read([folder]).notices
    assert str(notice) == "4 files: passed over: docs/LICENSE.md, docs/README.md, docs/logo.png …"


def test_a_file_named_outright_is_always_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "README.md", ".x.md", "a.md")
    assert labels(folder / "README.md", folder / ".x.md") == ["README.md", ".x.md"]
    both = found(folder, folder / "README.md")
    assert [file.label for file in both.files] == ["docs/a.md", "README.md"]
    assert both.skipped == ()


def test_each_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "docs", "a/x.md", "b.md")
    (folder / "link.md").symlink_to(folder / "b.md")
    monkeypatch.chdir(tmp_path)
    given = (folder, folder / "a", folder / "b.md", Path("docs"), Path("docs/../docs/b.md"), Path("docs/*.md"))
    assert labels(*given) == ["docs/a/x.md", "docs/b.md"]


def test_globs_are_searched_without_hidden_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "docs", "a.md", "b/c.md", "b/d/e.md", ".git/f.md", "b/.g.md", "README.md", "h.css")
    monkeypatch.chdir(tmp_path)
    assert labels(Path("docs/*.md")) == ["docs/a.md"]
    assert labels(Path("docs/**/*.md")) == ["docs/a.md", "docs/b/c.md", "docs/b/d/e.md"]
    assert labels(Path("docs/**")) == ["docs/a.md", "docs/b/c.md", "docs/b/d/e.md"]
    assert labels(tmp_path / "docs" / "b" / "[cx].md") == ["b/c.md"]
    assert [file.page for file in found(Path("docs/b/**/*.md")).files] == ["c.md", "d/e.md"]


def test_a_file_whose_name_looks_like_a_glob_is_that_file(tmp_path: Path) -> None:
    write(tmp_path, "a[1].md", "a1.md")
    assert labels(tmp_path / "a[1].md") == ["a[1].md"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.md", "no such file or folder"),
        ("*.rst", "no file matches"),
        ("*.css", "no file of a known format matches; name it with --format"),
        ("**x/*.md", "no file matches|not a pattern"),
        ("empty", r"no glossary file in this folder; known formats: .*\.md"),
        ("dangling.md", "a link that leads nowhere"),
        ("circle.md", "a link that leads nowhere"),
        ("pipe", "neither a file nor a folder"),
        ("x" * 5000, "cannot be read: File name too long"),
    ],
)
def test_what_is_given_and_is_no_glossary_is_refused(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.css").write_text("x")
    (tmp_path / "dangling.md").symlink_to("none.md")
    (tmp_path / "circle.md").symlink_to("circle.md")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GlossaryError, match=message) as caught:
        found(tmp_path / name)
    assert name[:200] in str(caught.value)


def test_no_source_at_all_is_refused() -> None:
    with pytest.raises(GlossaryError, match="no source given"):
        readers.read([])


def test_private_folders_are_not_named_in_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "secret" / "terms", "a.md")
    (tmp_path / "secret" / "here").mkdir()
    monkeypatch.chdir(tmp_path / "secret" / "here")
    given = (
        tmp_path / "secret/terms",
        tmp_path / "secret/terms/a.md",
        Path("../terms"),
        tmp_path / "secret/terms/*.md",
    )
    for path in given:
        (label,) = labels(path)
        assert "secret" not in label
        assert label.endswith("a.md")


def test_a_relative_path_keeps_its_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "docs" / "terms", "a.md")
    monkeypatch.chdir(tmp_path)
    assert labels(Path("docs/terms/a.md")) == ["docs/terms/a.md"]
    assert labels(Path()) == ["docs/terms/a.md"]


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name", ["مصطلحات", "缓存", "शब्दावली", "የቃላት", "캐시", "ру́сский", "with space", "a\nb", "\u202eevil"]
)
def test_names_of_every_script_are_read(name: str, tmp_path: Path) -> None:
    folder = write(tmp_path / name, f"{name}.md")
    reading = readers.read([folder])
    (entry,) = reading.glossary.entries
    assert entry.file == f"{name}/{name}.md"
    assert Glossary.model_validate_json(reading.glossary.model_dump_json()) == reading.glossary


def test_a_name_that_is_no_utf8_is_a_problem(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/b\xff.md")).write_text(ENTRY.format("b"))
    reading = readers.read([folder])
    assert said(reading) == ["docs/b\ufffd.md: its name is not UTF-8 text; rename it"]
    assert terms(reading.glossary) == ["a"]
    with pytest.raises(GlossaryError, match="not UTF-8 text"):
        readers.read([Path(os.fsdecode(os.fsencode(folder) + b"/b\xff.md"))])


# ---------------------------------------------------------------- links, pipes and devices


def test_links_that_leave_the_folder_are_not_read(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "x.md", "y.md")
    folder = write(tmp_path / "docs", "a.md")
    (folder / "x.md").symlink_to(outside / "x.md")
    (folder / "more").symlink_to(outside)
    (folder / "logo.png").symlink_to("/dev/zero")
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a"]
    assert [str(problem) for problem in reading.problems] == [
        "docs/more: a link that leaves the folder; not read",
        "docs/x.md: a link that leaves the folder; not read",
    ]
    assert found(folder / "**/*.md").files == found(folder / "*.md").files


def test_a_folder_may_be_a_link_itself(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md")
    (tmp_path / "docs").symlink_to("real")
    assert labels(tmp_path / "docs") == ["docs/a.md"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md", "b/c.md")
    for place in (folder, folder / "b"):
        (place / "up").symlink_to("..")
        (place / "self").symlink_to(".")
    (folder / "x.md").symlink_to("y.md")
    (folder / "y.md").symlink_to("x.md")
    both = found(folder, folder / "**/*.md")
    assert [file.label for file in both.files] == ["docs/a.md", "docs/b/c.md"]
    assert {problem.message for problem in both.problems} == {
        "a link that leaves the folder; not read",
        "a link that leads nowhere",
    }
    assert "docs/b/self (a link to a folder)" in both.skipped


def test_pipes_and_devices_block_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md")
    os.mkfifo(folder / "pipe.md")
    (folder / "link.md").symlink_to("pipe.md")
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a"]
    assert said(reading) == ["1 file: passed over: docs/pipe.md (no regular file)"]
    with pytest.raises(GlossaryError, match="neither a file nor a folder"):
        readers.read([Path("/dev/zero")])


def test_a_file_that_became_a_pipe_after_it_was_found_blocks_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(OSError, match="no regular file"):
        load(tmp_path / "a.md")


# ---------------------------------------------------------------- what cannot be read


def test_a_file_that_vanished_is_a_problem_of_its_own(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md", "b.md")
    (folder / "gone.md").symlink_to("none.md")
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a", "b"]
    assert said(reading) == ["docs/gone.md: a link that leads nowhere"]
    (file, _) = reading.files
    file.path.unlink()
    with pytest.raises(FileNotFoundError):
        load(file.path)


def test_files_that_vanish_while_they_are_read_stop_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", *(f"{number}.md" for number in range(200)))

    def remove() -> None:
        for number in reversed(range(100, 200)):
            (folder / f"{number}.md").unlink()

    remover = threading.Thread(target=remove)
    remover.start()
    reading = readers.read([folder])
    remover.join()
    assert {str(number) for number in range(100)} <= set(terms(reading.glossary))
    assert all("cannot be read: No such file" in problem for problem in said(reading))


def test_a_huge_file_is_refused_at_once(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md")
    huge = folder / "huge.md"
    with huge.open("wb") as file:
        file.truncate(1 << 30)  # sparse: one line of a gigabyte that takes no room on the disk
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a"]
    assert said(reading) == ["docs/huge.md: cannot be read: larger than 256 MB; split the glossary"]
    with pytest.raises(GlossaryError, match="larger than 256 MB"):
        readers.read([huge])


def test_the_largest_file_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md")
    size = (tmp_path / "a.md").stat().st_size
    monkeypatch.setattr(source, "LARGEST", size)
    assert len(readers.read([tmp_path]).glossary) == 1
    monkeypatch.setattr(source, "LARGEST", size - 1)
    with pytest.raises(GlossaryError, match="larger than"):
        readers.read([tmp_path])


@pytest.mark.parametrize("content", [bytes(3000), b"PK\x03\x04" + bytes(range(256)), os.urandom(64) * 50 + bytes(9)])
def test_a_binary_file_is_named(content: bytes, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md")
    (folder / "b.md").write_bytes(content)
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a"]
    assert said(reading) == ["docs/b.md: a binary file, not text"]


def test_folders_too_deep_to_open_are_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "docs", "a.md")
    monkeypatch.chdir(folder)
    for _ in range(25):
        Path("d" * 200).mkdir()
        os.chdir("d" * 200)
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a"]
    (problem,) = reading.problems
    assert problem.message == "cannot be read: File name too long"


# ---------------------------------------------------------------- formats


def test_text_of_no_known_format_is_passed_over_in_a_folder_and_refused_by_name(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md")
    (folder / "notes.txt").write_text("Nothing but prose\nover two lines.\n")
    reading = readers.read([folder])
    assert terms(reading.glossary) == ["a"]
    assert said(reading) == ["1 file: passed over: docs/notes.txt"]
    with pytest.raises(GlossaryError, match=r"notes\.txt: unknown format \.txt; name it with --format: markdown, "):
        readers.read([folder / "notes.txt"])


def test_a_format_that_is_named_is_taken(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", "a.md", "b.page", "c.csv")
    options = ReadOptions(format="markdown")
    assert terms(readers.read([folder / "b.page"], options).glossary) == ["b"]
    assert terms(readers.read([folder / "*.page"], options).glossary) == ["b"]
    reading = readers.read([folder], options)
    assert terms(reading.glossary) == ["a"]
    assert said(reading) == ["2 files: passed over: docs/b.page, docs/c.csv"]
    with pytest.raises(GlossaryError, match="'papyrus': no such format; there are markdown, "):
        readers.read([folder], ReadOptions(format="papyrus"))


def test_the_first_problem_ends_a_strict_reading(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("term,definition\nant,A thing.\nbee,\n")
    assert terms(readers.read([tmp_path / "a.csv"]).glossary) == ["ant"]
    with pytest.raises(GlossaryError, match=r"^a\.csv:3: 'bee' has no definition"):
        readers.read([tmp_path / "a.csv"], strict=True)


# ---------------------------------------------------------------- what a file was like


def test_a_source_tells_whether_it_has_changed(tmp_path: Path) -> None:
    (before,) = readers.read([write(tmp_path, "a.md")]).sources
    assert not before.has_changed()
    os.utime(tmp_path / "a.md", (1, 1))
    assert not before.has_changed(), "only touched"
    (tmp_path / "a.md").write_text("other")
    assert before.has_changed()
    (tmp_path / "a.md").unlink()
    assert before.has_changed()
    os.mkfifo(tmp_path / "a.md")
    assert before.has_changed()


def test_a_source_that_could_not_be_read_changes_when_it_can(tmp_path: Path) -> None:
    before = Source.unread(tmp_path / "a.md")
    assert not before.has_changed()
    write(tmp_path, "a.md")
    assert before.has_changed()


@given(st.text(alphabet=st.sampled_from("ab*?[]{}./~ -!\x00\n"), min_size=1, max_size=12))
def test_any_path_is_found_or_refused(given: str) -> None:
    path = Path("/nonexistent-folder") / given.lstrip("/")
    with pytest.raises(GlossaryError):
        found(path)
