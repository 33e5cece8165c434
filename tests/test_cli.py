"""The command line: what it prints, and the exit code of each kind of error."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from glossbot import __version__
from glossbot.cli import app, main
from glossbot.index import Index
from glossbot.settings import Settings


@pytest.fixture
def ready(small_glossary: Path, tiny_embedder: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the small glossary indexed and the tiny models set; returns the index file."""
    monkeypatch.setenv("GLOSSBOT_MODEL", str(tiny_gguf))
    monkeypatch.setenv("GLOSSBOT_EMBEDDER", str(tiny_embedder))
    assert run("index", str(small_glossary)) == 0
    return Settings.load().index_file


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_an_answer_cites_both_sides_and_ends_with_0(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("ask", "difference between GQA and MQA") == 0
    printed = capsys.readouterr().out
    assert "a key head per group, multi-query attention a single key head. [1] [2]" in printed
    assert "[1] grouped-query attention  small.md:3" in printed
    assert "[2] multi-query attention  small.md:14" in printed
    assert "\x1b" not in printed, "no colours where nobody looks"


def test_a_refusal_ends_with_0(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("ask", "who won the 2018 world cup") == 0
    assert "The glossary does not cover this" in capsys.readouterr().out


def test_a_question_may_come_in_words_or_on_standard_input(
    ready: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    capsys.readouterr()
    assert run("ask", "--json", "what", "is", "GQA") == 0
    in_words = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(sys, "stdin", io.StringIO("what is GQA\n"))
    assert run("ask", "--json") == 0
    piped = json.loads(capsys.readouterr().out)
    assert in_words["text"] == piped["text"]
    assert in_words["question"] == piped["question"] == "what is GQA"


def test_events_come_one_on_a_line(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("ask", "--jsonl", "what is GQA") == 0
    types = [json.loads(line)["type"] for line in capsys.readouterr().out.splitlines()]
    assert types[0] == "question"
    assert types[-1] == "done"
    assert types.index("evidence") < types.index("sentence")


def truncated(path: Path, tmp_path: Path) -> Path:
    short = tmp_path / "short.gguf"
    short.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return short


def test_each_model_error_has_its_code(
    ready: Path, tiny_gguf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.gguf"
    words.write_text("these are words, and no model")
    huge = tmp_path / "huge.gguf"
    huge.write_bytes(tiny_gguf.read_bytes())
    os.truncate(huge, 1 << 42)  # sparse: takes no room on the disk
    for model, code, said in (
        (tmp_path / "none.gguf", 20, "there is no such file"),
        (truncated(tiny_gguf, tmp_path), 21, "truncated or damaged"),
        (words, 22, "not a GGUF file"),
        (huge, 23, "of memory"),
    ):
        capsys.readouterr()
        assert run("ask", "--model", str(model), "why does GQA shrink the KV cache") == code
        error = capsys.readouterr().err
        assert said in error
        assert str(model) in error
        assert "Traceback" not in error
    capsys.readouterr()
    assert run("ask", "--model", "no-such-model", "what is GQA") == 20
    assert "glossbot models list" in capsys.readouterr().err


def test_layers_for_a_gpu_that_the_build_does_not_know_are_refused(
    ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("ask", "--gpu-layers", "auto", "what is GQA") == 0
    assert run("ask", "--gpu-layers", "all", "why does GQA shrink the KV cache") == 3
    assert "built for the CPU only" in capsys.readouterr().err
    assert run("ask", "--gpu-layers", "many", "what is GQA") == 3
    assert "--gpu-layers: 'many' does not fit" in capsys.readouterr().err


def test_each_index_error_has_its_code(
    ready: Path, small_glossary: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.md"
    own.write_bytes(small_glossary.read_bytes())
    assert run("index", str(own)) == 0
    own.write_text(own.read_text(encoding="utf-8").replace("per group", "for each group"), encoding="utf-8")
    assert run("ask", "what is GQA") == 12
    assert f"{own} has changed" in capsys.readouterr().err
    assert run("index") == 0
    assert "1 changed" in capsys.readouterr().out
    assert run("ask", "what is GQA") == 0

    ready.write_bytes(ready.read_bytes()[:-200])
    assert run("ask", "what is GQA") == 11
    assert "damaged" in capsys.readouterr().err
    ready.unlink()
    assert run("ask", "what is GQA") == 10
    assert "glossbot index" in capsys.readouterr().err


def test_an_empty_question_has_its_code(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for empty in ("", "   ", "?"):
        assert run("ask", empty) == 4
        assert "empty" in capsys.readouterr().err
    assert run("ask", "GQA " * 5000) == 4


def test_an_unknown_setting_has_its_code(
    ready: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GLOSSBOT_MODLE", "x")
    assert run("ask", "what is GQA") == 3
    assert "Did you mean GLOSSBOT_MODEL?" in capsys.readouterr().err
    monkeypatch.delenv("GLOSSBOT_MODLE")
    (home / "glossbot.toml").write_text('modle = "x"\n')
    assert run("ask", "what is GQA") == 3
    assert "Did you mean model?" in capsys.readouterr().err


def test_a_glossary_that_cannot_be_read_has_its_code(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("term,definition\none,One is a number.\ntwo,\n")
    before = ready.read_bytes()
    assert run("index", "--strict", str(bad)) == 5
    assert capsys.readouterr().err.splitlines()[-1] == "glossbot: bad.csv:3: 'two' has no definition"
    assert run("index", str(tmp_path / "none.csv")) == 5
    assert ready.read_bytes() == before, "the old index is still there"


def test_what_cannot_be_read_is_said_and_the_rest_is_indexed(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "bad.csv").write_text("term,definition\none,One is a number.\ntwo,\n")
    (folder / "more.csv").write_text("term,definition\none,One comes first.\n")
    (folder / "README.md").write_text("All about it.")
    capsys.readouterr()
    assert run("index", str(folder)) == 0
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        "docs/bad.csv:3: 'two' has no definition",
        "docs/more.csv:2: 'one' is defined in docs/bad.csv:2 too, in other words; both are kept in one entry",
        "1 file: passed over: docs/README.md",
    ]
    assert printed.out == f"1 entries: 1 added, 0 changed, 6 removed, 0 unchanged: {ready}\n"
    assert run("index") == 0
    assert "up to date (1 problem in the files; `glossbot lint` lists them)" in capsys.readouterr().out
    assert run("index", "--strict") == 5


def test_of_many_problems_the_first_are_said(ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"word {number},\n" for number in range(50))
    (tmp_path / "bad.csv").write_text(f"term,definition\none,One is a number.\n{rows}")
    capsys.readouterr()
    assert run("index", str(tmp_path / "bad.csv")) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "bad.csv:3: 'word 0' has no definition"
    assert len(said) == 21
    assert said[-1] == "… and 30 more; `glossbot lint` lists all"


def test_several_files_folders_and_globs_make_one_glossary(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a/one", "b/two", "b/c/three", "four"):
        path = tmp_path / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"term,definition\n{path.stem},The word {path.stem} is a number.\n")
    assert run("index", str(tmp_path / "a"), str(tmp_path / "b/**/*.csv"), str(tmp_path / "four.csv")) == 0
    capsys.readouterr()
    assert run("terms", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(entry["term"], entry["file"]) for entry in listed] == [
        ("one", "a/one.csv"),
        ("three", "b/c/three.csv"),
        ("two", "b/two.csv"),
        ("four", "four.csv"),
    ]


def listed_terms(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    capsys.readouterr()
    assert run("terms", "--json", *arguments) == 0
    return [entry["term"] for entry in json.loads(capsys.readouterr().out)]


def test_glossaries_lie_side_by_side_and_are_chosen_by_name(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = tmp_path / "tea.csv"
    tea.write_text("term,definition\noolong,Oolong is a tea.\n")
    assert run("index", str(tea), "--name", "tea") == 0
    assert (ready.parent / "tea.index").is_file()
    assert listed_terms(capsys, "--name", "tea") == ["oolong"]
    assert len(listed_terms(capsys)) == 6
    assert run("ask", "--name", "tea", "what is oolong") == 0
    assert "Oolong is a tea. [1]" in capsys.readouterr().out
    monkeypatch.setenv("GLOSSBOT_NAME", "tea")
    assert listed_terms(capsys) == ["oolong"]
    assert run("index") == 0
    assert "1 entries, up to date" in capsys.readouterr().out

    assert run("glossaries") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{'glossary':<24}6 entries",
        f"    {Index.open(ready).header.roots[0].path}",  # type: ignore[index]
        f"{'tea':<24}1 entries, in use",
        f"    {tea}",
    ]
    (ready.parent / "tea.index").write_bytes(b"damaged")
    assert run("glossaries", "--json") == 0
    whole, broken = json.loads(capsys.readouterr().out)
    assert (whole["name"], whole["entries"], whole["error"]) == ("glossary", 6, None)
    assert "glossbot index --name tea" in broken["error"]


def test_files_that_are_set_belong_to_the_glossary_that_is_set(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for term in ("oolong", "zebra"):
        (tmp_path / f"{term}.csv").write_text(f"term,definition\n{term},It is a thing.\n")
    assert run("index", str(tmp_path / "oolong.csv"), "--name", "tea") == 0
    monkeypatch.setenv("GLOSSBOT_GLOSSARY", json.dumps([str(tmp_path / "zebra.csv")]))
    assert run("index", "--name", "tea") == 0
    assert listed_terms(capsys, "--name", "tea") == ["oolong"]
    assert run("index") == 0
    assert listed_terms(capsys) == ["zebra"]


def test_a_name_that_is_none_is_refused(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", "../x", "a/b", ".x", "-x", "x" * 51, "a\n"):
        assert run("terms", f"--name={name}") == 3
        assert "--name: " in capsys.readouterr().err
    assert run("terms", "--name", "новый") == 10
    assert run("index", "--name", "new") == 2
    assert "there is no glossary 'new' yet" in " ".join(capsys.readouterr().err.split())


def test_no_glossary_is_said_to_be_none(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("glossaries") == 0
    assert "no glossary is indexed yet" in capsys.readouterr().err


def test_how_files_are_read_is_kept_for_the_next_time(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Wort;Sinn\nzebra;Ein Tier.\n", encoding="utf-8")
    mapping = ("--map", "term=Wort,definition=Sinn", "--format", "csv")
    assert run("index", str(own), *mapping, "--base-url", "https://x.org/own") == 0
    assert listed_terms(capsys) == ["zebra"]
    assert run("index") == 0
    assert "up to date" in capsys.readouterr().out
    own.write_text("Wort;Sinn\nzebra;Ein Tier.\nyak;Ein Rind.\n", encoding="utf-8")
    assert run("index") == 0
    assert "2 entries: 1 added, 0 changed, 0 removed, 1 unchanged" in capsys.readouterr().out
    assert run("index", "--base-url", "https://x.org/new") == 0
    assert "2 changed" in capsys.readouterr().out
    kept = Index.open(ready).header.options
    assert kept.base_url == "https://x.org/new"
    assert (kept.format, kept.columns) == ("csv", {"term": "Wort", "definition": "Sinn"})
    assert run("index", str(own), *mapping) == 0, "with paths it begins anew"
    assert Index.open(ready).header.options.base_url is None


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--map", "term", "'term' is not FIELD=NAME"),
        ("--map", "term=", "is not FIELD=NAME"),
        ("--map", "word=Wort", "there is no field 'word'; there are term, definition"),
        ("--format", "papyrus", "'papyrus' is none of markdown, "),
        ("--base-url", "ftp://x.org", "no http or https address"),
        ("--base-url", "javascript:alert(1)", "no http or https address"),
        ("--base-url", "https://", "no http or https address"),
        ("--base-url", "https://x.org/a b", "no http or https address"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(
    option: str, value: str, said: str, ready: Path, small_glossary: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run("index", str(small_glossary), option, value) == 2
    printed = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert said in printed


def test_a_column_may_have_a_comma_in_its_name(ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.csv"
    own.write_text('"Word, new",Sense\nzebra,A horse in stripes.\n')
    assert run("index", str(own), "--map", "term=Word, new,definition=Sense") == 0
    assert listed_terms(capsys) == ["zebra"]


def test_one_language_is_read_or_another(ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for language, term in (("en", "cache"), ("de", "Zwischenspeicher")):
        (tmp_path / f"terms.{language}.csv").write_text(f"term,definition\n{term},It keeps things.\n")
    assert run("index", str(tmp_path / "terms.*.csv")) == 0
    assert "left out: de 1" in capsys.readouterr().err
    assert listed_terms(capsys) == ["cache"]
    assert run("index", "--lang", "de") == 0
    assert listed_terms(capsys) == ["Zwischenspeicher"]
    assert run("index", "--lang", "all") == 0
    assert sorted(listed_terms(capsys)) == ["Zwischenspeicher", "cache"]
    assert run("index", "--lang", "fi") == 5
    assert "no entry in the language 'fi'; there are: de, en" in capsys.readouterr().err


def test_an_index_of_an_older_format_is_rebuilt_from_what_it_was(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.csv"
    own.write_text("term,definition\nzebra,A horse in stripes.\n")
    with zipfile.ZipFile(ready, "w") as archive:
        archive.writestr("header.json", json.dumps({"format": 1, "roots": [str(own)]}))
    capsys.readouterr()
    assert run("ask", "what is a zebra") == 12
    assert "format 1" in capsys.readouterr().err
    assert run("index") == 0
    printed = capsys.readouterr()
    assert "The old index cannot be used and is built anew" in printed.err
    assert "1 entries: 1 added" in printed.out
    assert run("ask", "what is a zebra") == 0


def test_wrong_usage_ends_with_2(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("ask", "--no-such-option") == 2
    assert run("index", "--shipped", "x.md") == 2
    assert run("eval", "nonsense", "x.jsonl") == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_index_that_is_up_to_date_is_left_alone(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = ready.stat().st_mtime_ns
    assert run("index") == 0
    assert "up to date" in capsys.readouterr().out
    assert ready.stat().st_mtime_ns == before


def test_terms_are_listed_searched_and_shown(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("terms", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed) == 6
    fields = "id term names category definition file line url language others attribution aliases"
    assert list(listed[0]) == fields.split()
    assert run("terms", "attention") == 0
    found = capsys.readouterr().out
    assert "grouped-query attention" in found
    assert "information retrieval" not in found
    assert run("terms", "--show", "gqa") == 0
    assert "keys are stored once per group" in capsys.readouterr().out
    assert run("terms", "--show", "nothing") == 6
    capsys.readouterr()
    assert run("terms", "zzz") == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == ""
    assert printed.err == "no entry is called 'zzz'; `glossbot terms` lists them all\n"


def test_an_entry_is_shown_with_all_its_places_and_its_origin(
    ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, meaning in (("a", "A horse in stripes."), ("b", "A crossing.")):
        (tmp_path / f"{name}.json").write_text(
            json.dumps([{"name": "zebra", "text": meaning, "licence": "CC BY 4.0", "anchor": "z"}])
        )
    mapping = ("--map", "term=name,definition=text", "--map", "attribution=licence,anchor=anchor")
    files = (str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert run("index", *files, *mapping, "--base-url", "https://x.org/g") == 0
    capsys.readouterr()
    assert run("terms", "--show", "zebra") == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "a.json:1  https://x.org/g#z",
        "b.json:1  https://x.org/g#z",
        "CC BY 4.0",
    ]
    assert run("terms", "--json") == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["url"], entry["attribution"]) == ("https://x.org/g#z", "CC BY 4.0")
    assert entry["others"] == [{"file": "b.json", "line": 1, "url": "https://x.org/g#z"}]
    assert run("ask", "what is a zebra") == 0
    assert "[1] zebra  a.json:1, b.json:1  https://x.org/g#z  CC BY 4.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("term", "definition"),
    [
        ("ذاكرة", "ذاكرة التخزين المؤقت تحفظ القِيَمَ."),
        ("缓存", "缓存保存值。"),
        ("कैशे", "कैशे मान रखता है।"),
        ("ማህደር", "ማህደር እሴቶችን ይይዛል።"),
        ("캐시", "캐시는 값을 보관한다."),
        ("cafe\u0301", "A cafe\u0301 has a combining mark."),
        ("\u05de\u05b0\u05d8\u05b8", "\u05de\u05b0\u05d8\u05b8 has points."),
    ],
)
def test_every_script_arrives_as_it_is_written(
    term: str, definition: str, ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.csv").write_text(f"term,definition\n{term},{definition}\n", encoding="utf-8")
    assert run("index", str(tmp_path / "own.csv")) == 0
    capsys.readouterr()
    assert run("terms", "--json") == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["term"], entry["definition"]) == (term, definition)
    assert run("ask", "--json", term) == 0
    assert definition in json.loads(capsys.readouterr().out)["text"]


def test_nothing_steers_the_terminal(ready: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = tmp_path / "evil.md"
    evil.write_text("## trap\n\nA trap is \x1b[31mred\x07 and \x9b2J [bold]not markup[/bold].\n", encoding="utf-8")
    assert run("index", str(evil)) == 0
    capsys.readouterr()
    assert run("ask", "what is a trap") == 0
    assert run("terms", "--show", "trap") == 0
    printed = capsys.readouterr().out
    assert not set("\x1b\x07\x9b") & set(printed)
    assert "[bold]not markup[/bold]" in printed


def test_every_command_has_help_and_every_setting_shows(capsys: pytest.CaptureFixture[str]) -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]
    for name in (*names, "models"):
        assert run(name, "--help") == 0
    capsys.readouterr()
    assert run("settings") == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in Settings.model_fields)
    assert run("--version") == 0
    assert __version__ in capsys.readouterr().out


def test_the_models_are_listed_with_where_they_would_lie(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("models", "list") == 0
    printed = capsys.readouterr().out
    assert "smollm2-135m-instruct" in printed
    assert "missing" in printed
    assert run("models", "path") == 0
    assert capsys.readouterr().out.strip() == str(home / "models")
    assert run("models", "path", "nonsense") == 20


def test_starting_loads_nothing_heavy() -> None:
    code = (
        "import sys; from glossbot.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'torch', 'faiss', 'gradio', 'llama_cpp', 'numpy', 'bm25s'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_question_that_names_its_terms_loads_no_torch(ready: Path) -> None:
    code = (
        "import sys; from glossbot.cli import main\n"
        "try: main(['ask', 'difference between GQA and MQA'])\nexcept SystemExit: pass\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_pipe_that_closes_early_is_no_error(ready: Path) -> None:
    command = f"{sys.executable} -m glossbot terms | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0"
    assert "Traceback" not in done.stderr
