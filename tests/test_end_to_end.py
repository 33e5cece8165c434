"""The installed command and the default models, on the shipped glossary, with nothing but loopback."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from glossbot import Glossbot, Settings, paths
from glossbot.answer import Origin
from glossbot.embed import Embedder
from glossbot.llm import Prompt
from glossbot.local_model import LocalModel
from glossbot.manifest import Kind
from glossbot.verify import Verifier
from glossbot.weights import locate

pytestmark = pytest.mark.models

GLOSSBOT = Path(sys.prefix) / "bin" / "glossbot"
# Reports every attempt to reach another machine, also one that is swallowed; Python imports it before anything else.
WATCH = """
import ipaddress, os, sys

def watch(event, arguments):
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host in (None, "", "localhost"):
        return
    try:
        if ipaddress.ip_address(host.split("%")[0]).is_loopback:
            return
    except ValueError:
        pass
    with open(os.environ["ATTEMPTS"], "a") as file:
        file.write(f"{event} {host}\\n")

sys.addaudithook(watch)
"""


def only_loopback(command: list[str]) -> list[str]:
    """Return a command that runs in a network of its own that has only loopback, where the system permits one."""
    inside = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if not (shutil.which("unshare") and shutil.which("ip")):
        return command
    permitted = subprocess.run([*inside, "true"], capture_output=True, check=False).returncode == 0
    return [*inside, *command] if permitted else command


class Machine:
    """An empty home, the default models of the checkout, and a watch over what is reached."""

    def __init__(self, folder: Path) -> None:
        root = paths.checkout()
        assert root
        defaults = Settings.model_fields
        models = root / "models"
        self.model = locate(defaults["model"].default, kind=Kind.LLM, models_dir=models)
        self.embedder = locate(defaults["embedder"].default, kind=Kind.EMBEDDER, models_dir=models)
        self.home = folder / "home"
        self.attempts = folder / "attempts"
        (folder / "watch").mkdir()
        (folder / "watch" / "sitecustomize.py").write_text(WATCH)
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "GLOSSBOT_HOME": str(self.home),
            "GLOSSBOT_MODEL": str(self.model),
            "GLOSSBOT_EMBEDDER": str(self.embedder),
            "PYTHONPATH": str(folder / "watch"),
            "ATTEMPTS": str(self.attempts),
        }
        self.environment.pop("HF_HUB_OFFLINE", None)  # the product has to see to that itself

    def run(self, *arguments: str) -> str:
        """Run glossbot and return what it prints; it must end well and reach no other machine."""
        command = only_loopback([str(GLOSSBOT), *arguments])
        done = subprocess.run(
            command, env=self.environment, cwd=self.home.parent, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert not self.attempts.exists(), self.attempts.read_text()
        return done.stdout

    def ask(self, question: str) -> dict[str, Any]:
        """Return an answer as `glossbot ask --json` prints it."""
        answer: dict[str, Any] = json.loads(self.run("ask", "--json", question))
        return answer


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with an index of the shipped glossary."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.run("index")
    assert (machine.home / "index" / "glossary.index").is_file()
    return machine


@pytest.fixture
def bot(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Glossbot:
    monkeypatch.setenv("GLOSSBOT_HOME", str(machine.home))
    return Glossbot.load(Settings(model=str(machine.model), embedder=str(machine.embedder)))


def test_the_watch_sees_what_is_reached(machine: Machine) -> None:
    code = "import socket\ntry: socket.create_connection(('192.0.2.1', 9), 0.1)\nexcept OSError: pass"
    subprocess.run(only_loopback([sys.executable, "-c", code]), env=machine.environment, check=True)
    assert "192.0.2.1" in machine.attempts.read_text()
    machine.attempts.unlink()


def test_a_comparison_cites_both_entries(machine: Machine) -> None:
    answer = machine.ask("difference between GQA and MQA")
    assert answer["status"] == "answered"
    terms = {citation["n"]: citation["term"] for citation in answer["citations"]}
    cited = {terms[n] for sentence in answer["sentences"] for n in sentence["citations"]}
    assert cited == {"grouped-query attention", "multi-query attention"}
    assert answer["sentences"][0]["origin"] == "contrast"
    assert "[1]" in answer["text"]
    assert "[2]" in answer["text"]


def test_what_is_not_covered_is_refused(machine: Machine) -> None:
    answer = machine.ask("who won the 2018 world cup")
    assert answer["status"] == "not_covered"
    assert answer["citations"] == []


def test_a_described_concept_is_found_without_a_network(machine: Machine) -> None:
    answer = machine.ask("a small model proposes several tokens and the large model checks them in one pass")
    assert answer["status"] == "answered"
    assert "speculative decoding" in [citation["term"] for citation in answer["citations"]]


def test_plain_output_has_the_answer_and_its_sources(machine: Machine) -> None:
    printed = machine.run("ask", "what is TTFT")
    assert "time to first token" in printed.casefold()
    assert "[1]" in printed
    assert "metrics.md" in printed
    assert "\x1b" not in printed, "no colours into a pipe"


def test_nothing_is_written_but_the_index_and_the_cache(machine: Machine) -> None:
    machine.ask("what is GQA")
    written = {path.relative_to(machine.home).as_posix() for path in machine.home.rglob("*") if path.is_file()}
    # SQLite keeps its log and its shared memory beside the file while it is open.
    assert {name.removesuffix("-wal").removesuffix("-shm") for name in written} == {
        "index/glossary.index",
        "cache/glossary.sqlite",
    }


@pytest.mark.parametrize(
    "question",
    [
        "why does GQA shrink the KV cache",
        "how does speculative decoding work",
        "why are draft models small",
        "difference between PTQ and QAT",
    ],
)
def test_what_the_default_model_writes_is_verified(question: str, bot: Glossbot) -> None:
    answer = bot.ask(question, afresh=True)
    assert answer.status == "answered"
    assert answer.timings.generated_tokens > 0, "the model is asked"
    entries = {citation.n: bot.glossary.by_id[citation.entry_id] for citation in answer.citations}
    verifier = Verifier(bot.index.names)
    assert any(sentence.origin is Origin.MODEL for sentence in answer.sentences)
    for sentence in answer.sentences:
        cited = [entries[number] for number in sentence.citations]
        if sentence.origin is Origin.QUOTED:
            assert " ".join(sentence.text.split()) in " ".join(cited[0].definition.split())
        elif sentence.origin is Origin.MODEL:
            assert verifier.check(sentence.text, *cited).supported
    again = bot.ask(question, afresh=True)
    assert again.text == answer.text
    assert again.dropped == answer.dropped


def test_control_tokens_of_the_default_model_are_plain_text(machine: Machine) -> None:
    model = LocalModel(machine.model)

    def tokens(user: str) -> int:
        generation = model.generate(Prompt(system="s", user=user), max_tokens=1)
        list(generation)
        return generation.usage.prompt_tokens

    assert tokens("<|im_end|>") > tokens("word") + 2
    assert tokens("<|im_end|>" * 20) >= 20 * 3 + tokens("")


def test_the_default_embedder_is_the_one_that_is_expected(machine: Machine) -> None:
    same, other, far = Embedder(machine.embedder).encode(
        ["the cache of keys and values", "a store for keys and values", "a football match"]
    )
    assert same @ other > 0.6 > 0.3 > same @ far
