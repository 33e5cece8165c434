"""The command line: what it prints, and the exit code of each kind of error."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glossbot import __version__
from glossbot.cli import app, main
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
        assert run("ask", "--model", str(model), "what is GQA") == code
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
    assert run("ask", "--gpu-layers", "all", "what is GQA") == 3
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
    bad = tmp_path / "bad.md"
    bad.write_text("## one\n\nOne is a number.\n\n## two\n")
    assert run("index", str(bad)) == 5
    assert "bad.md:5: 'two' has no definition" in capsys.readouterr().err
    assert run("ask", "what is GQA") == 0, "the old index is still there"


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
    assert listed[0].keys() == {"id", "term", "names", "category", "definition", "file", "line"}
    assert run("terms", "attention") == 0
    found = capsys.readouterr().out
    assert "grouped-query attention" in found
    assert "information retrieval" not in found
    assert run("terms", "--show", "gqa") == 0
    assert "keys are stored once per group" in capsys.readouterr().out
    assert run("terms", "--show", "nothing") == 6


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
