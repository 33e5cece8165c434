"""What is the same for every format: how a file's format is told, what is read of a broken file, what is imported."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossbot import readers
from glossbot.errors import GlossaryError
from glossbot.readers import FORMATS, Document, Draft, Problem, ReadOptions
from glossbot.readers import json_ as any_reader

HEAVY = {"bs4", "docutils", "lxml", "markdownify", "openpyxl", "defusedxml", "charset_normalizer", "torch", "faiss"}
SENTENCE = "A cache keeps what is used again."


def loaded(code: str) -> set[str]:
    """Return which heavy libraries a program has imported at its end."""
    program = f"import sys\n{code}\nprint(*sorted(set(sys.modules) & {HEAVY!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_who_reads_no_file_imports_no_parser() -> None:
    assert loaded("from glossbot import readers; readers.FORMATS") == set()
    assert loaded("import glossbot.bot") == set()


def test_a_format_brings_only_its_own_parsers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"term,definition\ncache,{SENTENCE}\n")
    code = f"from pathlib import Path; from glossbot import readers; readers.read([Path({str(tmp_path)!r})])"
    assert not loaded(code) & {"docutils", "openpyxl", "torch", "faiss"}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_one_that_can_be_called(name: str, tmp_path: Path) -> None:
    file = tmp_path / "empty.file"
    file.write_bytes(b"")
    with pytest.raises(GlossaryError, match=r"empty\.file"):
        readers.read([file], ReadOptions(format=name))
    if recognises := FORMATS[name].recognises:
        assert recognises("") in (True, False)


def test_no_suffix_is_taken_twice_without_a_way_to_choose() -> None:
    for suffix in {suffix for format_ in FORMATS.values() for suffix in format_.suffixes}:
        takers = [format_ for format_ in FORMATS.values() if suffix in format_.suffixes]
        assert suffix == suffix.lower()
        assert suffix.startswith(".")
        assert len(takers) == 1 or sum(taker.recognises is None for taker in takers) <= 1


def test_files_of_several_formats_make_one_glossary(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"## cache\n\n{SENTENCE}\n")
    (tmp_path / "b.csv").write_text("term,definition\ncache,A cache is small.\nhead,See cache.\n")
    (tmp_path / "c.json").write_text('[{"term": "layer", "definition": "A layer is a step."}]')
    reading = readers.read([tmp_path])
    assert [(entry.term, entry.aliases) for entry in reading.glossary.entries] == [("cache", ("head",)), ("layer", ())]
    assert reading.glossary.entries[0].definition == f"{SENTENCE}\n\nA cache is small."
    assert [(place.file, place.line) for place in reading.glossary.entries[0].others] == [(f"{tmp_path.name}/b.csv", 2)]
    assert [Path(source.path).name for source in reading.sources] == ["a.md", "b.csv", "c.json"]


def test_what_was_read_before_a_file_breaks_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(document: Document) -> Any:
        yield Draft(term="cache", definition=SENTENCE, line=1)
        document.problem(2, "half a row")
        raise document.error(3, "cut off")

    monkeypatch.setattr(any_reader, "read", breaking)
    (tmp_path / "a.json").write_text("{")
    reading = readers.read([tmp_path / "a.json"])
    assert [entry.term for entry in reading.glossary.entries] == ["cache"]
    assert list(map(str, reading.problems)) == ["a.json:2: half a row", "a.json:3: cut off"]


def test_a_text_is_let_go_once_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents: list[Document] = []
    read: Callable[[Document], Any] = any_reader.read

    def watched(document: Document) -> Any:
        documents.append(document)
        return read(document)

    monkeypatch.setattr(any_reader, "read", watched)
    (tmp_path / "a.json").write_text('[{"term": "layer", "definition": "A layer is a step."}]')
    readers.read([tmp_path / "a.json"])
    assert documents[0].data == b""
    assert "text" not in vars(documents[0])


@pytest.mark.parametrize("line", [None, 7])
def test_a_problem_is_said_the_way_compilers_do_and_understood_again(line: int | None) -> None:
    problem = Problem(file="a: b:3.md", line=line, message="x: y:4: z")
    assert str(problem) == ("a: b:3.md:7: x: y:4: z" if line else "a: b:3.md: x: y:4: z")
    assert Problem.parse(str(problem), file="a: b:3.md") == problem
