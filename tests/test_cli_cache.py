"""`glossbot cache` and what the command line does with answers that were given before."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from glossbot.cli import main
from glossbot.settings import Settings


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture
def ready(
    small_glossary: Path,
    tiny_embedder: Path,
    tiny_gguf: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A home with the small glossary indexed and the tiny models set."""
    monkeypatch.setenv("GLOSSBOT_MODEL", str(tiny_gguf))
    monkeypatch.setenv("GLOSSBOT_EMBEDDER", str(tiny_embedder))
    assert run("index", str(small_glossary)) == 0
    capsys.readouterr()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(*arguments) == 0
    return capsys.readouterr().out


def test_a_question_asked_again_says_so_and_can_be_asked_afresh(
    ready: None, capsys: pytest.CaptureFixture[str]
) -> None:
    first = printed(capsys, "ask", "what is GQA")
    again = printed(capsys, "ask", "What is GQA?")
    assert again.startswith(first.splitlines()[0])
    assert "Answered before, to: what is GQA" in again
    assert json.loads(printed(capsys, "ask", "--json", "what is GQA"))["cache"]["kind"] == "exact"
    assert json.loads(printed(capsys, "ask", "--json", "--afresh", "what is GQA"))["cache"] is None
    events = [json.loads(line)["type"] for line in printed(capsys, "ask", "--jsonl", "what is GQA").splitlines()]
    assert (events[:2], events[-1]) == (["question", "evidence"], "done")


def test_an_answer_given_before_loads_no_model_and_no_index(ready: None) -> None:
    assert run("ask", "what is GQA") == 0
    script = (
        "import sys; from glossbot.cli import main\n"
        "try: main(['ask', 'what is GQA'])\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'faiss', 'llama_cpp', 'sentence_transformers', 'numpy', 'gradio'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Answered before" in done.stdout


def test_warming_answers_definitions_and_contrasts_and_goes_on_where_it_was(
    ready: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = printed(capsys, "cache", "warm")
    answered = int(first.split()[0])
    assert answered >= 5
    assert printed(capsys, "cache", "warm").startswith(f"0 answered, {answered} answered before")
    listed = printed(capsys, "cache", "list", "difference")
    assert "difference between grouped-query attention (GQA) and" not in listed
    assert "difference between grouped-query attention and multi-query attention" in listed
    questions = tmp_path / "questions.txt"
    questions.write_text("what is FooAttention\nwhy does GQA shrink the KV cache\n\n", encoding="utf-8")
    assert printed(capsys, "cache", "warm", str(questions)).startswith("1 answered, 0 answered before, 1 that")
    assert "recorded" in printed(capsys, "cache", "stats")
    assert json.loads(printed(capsys, "cache", "stats", "--json"))["recorded_questions"] == 0, "nobody asked these"


def test_recorded_questions_can_be_answered_ahead(ready: None, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "ask", "what is GQA")
    number = json.loads(printed(capsys, "cache", "list", "--json"))[0]["id"]
    assert "what is GQA" in printed(capsys, "cache", "show", str(number))
    assert "Grouped-query attention" in json.loads(printed(capsys, "cache", "show", "--json", str(number)))["text"]
    printed(capsys, "cache", "drop", str(number))
    assert printed(capsys, "cache", "warm", "--recorded").startswith("1 answered")
    assert printed(capsys, "cache", "clear") == "1 answer removed\n"
    assert printed(capsys, "cache", "list") == ""


def test_an_export_is_taken_over_where_everything_is_the_same(
    ready: None, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed(capsys, "ask", "what is GQA")
    file = tmp_path / "answers.jsonl"
    assert printed(capsys, "cache", "export", str(file)).startswith("1 answer:")
    printed(capsys, "cache", "clear")
    assert printed(capsys, "cache", "import", str(file)) == "1 answer taken over\n"
    assert json.loads(printed(capsys, "ask", "--json", "what is GQA"))["cache"]
    monkeypatch.setenv("GLOSSBOT_TEMPERATURE", "0.3")
    assert run("cache", "import", str(file)) == 14
    assert "another model, embedder or settings" in capsys.readouterr().err


def test_what_is_not_there_is_said(ready: None, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("show", "drop"):
        assert run("cache", command, "7") == 14
        assert "no answer 7" in capsys.readouterr().err


def test_the_cache_can_be_off(ready: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOSSBOT_CACHE", "false")
    printed(capsys, "ask", "what is GQA")
    assert json.loads(printed(capsys, "ask", "--json", "what is GQA"))["cache"] is None
    assert not Settings.load().cache_file.exists()


def test_pairs_are_evaluated_beside_plain_similarity(
    ready: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {"id": "p1", "a": "what is GQA", "b": "define grouped-query attention", "same": True},
        {"id": "p2", "a": "what is GQA", "b": "what is MQA", "same": False},
        {"id": "p3", "a": "is tea hot", "b": "Is tea hot?", "same": True},
    ]
    pairs.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = json.loads(printed(capsys, "eval", "cache", str(pairs), "--json"))
    assert [line["hit"] for line in result["lines"]] == ["semantic", None, "exact"]
    assert result["lines"][0]["matched"] == "what is GQA"
    assert result["summary"][0]["method"] == "cache"
    assert len(result["summary"]) == 4
    assert "2 of 2" in printed(capsys, "eval", "cache", str(pairs))
    pairs.write_text('{"id": "p1"}', encoding="utf-8")
    assert run("eval", "cache", str(pairs)) == 5
    assert "pairs.jsonl:1: not a pair" in capsys.readouterr().err
