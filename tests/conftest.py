"""What every test runs under (no network, no settings, a home of its own), and the tiny parts that tests share."""

import atexit
import ipaddress
import os
import socket
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings

import tiny
from glossbot import paths, readers, weights
from glossbot.bot import Glossbot
from glossbot.embed import Embedder
from glossbot.entry import Glossary
from glossbot.index import Index
from glossbot.local_model import LocalModel
from glossbot.names import NameFinder
from glossbot.settings import Settings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(__file__).parents[1] / ".venv/cache/hypothesis"))
hypothesis_settings.register_profile("same everywhere", database=None, deadline=None, derandomize=True)
hypothesis_settings.register_profile("quick", hypothesis_settings.get_profile("same everywhere"), max_examples=25)
hypothesis_settings.load_profile("same everywhere")
# llama_cpp keeps /dev/null open to the end: said after the summary, which is to be the last line.
atexit.register(warnings.filterwarnings, "ignore", "unclosed file", ResourceWarning)

GLOSSARY = """\
# Attention

## grouped-query attention (GQA)

- Related: multi-query attention, KV cache
- In plain words: Teams of readers use one notebook each.

Grouped-query attention lets each group of query heads share one key head and one value head.

Grouped-query attention shrinks the KV cache because keys are stored once per group.

- vs multi-query attention: Grouped-query attention has a key head per group, multi-query attention a single key head.

## multi-query attention (MQA)

- Related: grouped-query attention

Multi-query attention lets all query heads share a single key head. Multi-query attention can cost quality.

## KV cache

- Also called: key-value cache, attention cache

The KV cache stores keys and values of earlier tokens. The KV cache grows with the sequence.

# Words with two senses

## intermediate representation (IR)

An intermediate representation is the form of a program between its source and the machine.

## information retrieval (IR)

Information retrieval finds the documents that fit a query.

# Other scripts

## 连续批处理

- Also called: ذاكرة التخزين

连续批处理让新的请求在每一步加入批次。连续批处理提高吞吐量。
"""


class NetworkBlockedError(AssertionError):
    """A test tried to reach another machine."""


_connect, _connect_ex, _sendto = socket.socket.connect, socket.socket.connect_ex, socket.socket.sendto
_getaddrinfo = socket.getaddrinfo


@pytest.fixture(autouse=True)
def reached_out(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Block sockets to anywhere but this machine; a test that tried fails, even where the error was swallowed."""
    attempts: list[str] = []

    def check(host: object) -> None:
        if isinstance(host, bytes):
            host = host.decode("ascii", "replace")
        if host in (None, "", "localhost"):
            return
        try:
            address = ipaddress.ip_address(str(host).split("%")[0])
        except ValueError:
            address = None
        if address is None or not (address.is_loopback or address.is_unspecified):
            attempts.append(str(host))
            raise NetworkBlockedError(f"a test tried to reach {host}")

    def check_address(connection: socket.socket, address: Any) -> None:
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            check(address[0])

    def connect(self: socket.socket, address: Any) -> None:
        check_address(self, address)
        _connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        check_address(self, address)
        return _connect_ex(self, address)

    def sendto(self: socket.socket, data: Any, *rest: Any) -> int:
        check_address(self, rest[-1])
        return _sendto(self, data, *rest)

    def getaddrinfo(host: Any, *arguments: Any, **named: Any) -> Any:
        check(host)
        return _getaddrinfo(host, *arguments, **named)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket.socket, "sendto", sendto)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield attempts
    assert not attempts, f"the test tried to reach {', '.join(attempts)}"


@pytest.fixture(scope="session", autouse=True)
def _no_settings_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take away whatever the developer's shell and home set, for what is made once for all tests too."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.upper().startswith("GLOSSBOT_")]:
            patch.delenv(name)
        patch.setenv("GLOSSBOT_HOME", str(tmp_path_factory.mktemp("nothing") / "home"))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that glossbot writes under in this test; it is not there yet."""
    monkeypatch.setenv("GLOSSBOT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat model with random weights that llama.cpp runs."""
    return tiny.write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="session")
def tiny_embedder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers folder in which texts are alike as far as they share words."""
    return tiny.write_embedder(tmp_path_factory.mktemp("embedder") / "tiny", [GLOSSARY])


@pytest.fixture(scope="session")
def embedder(tiny_embedder: Path) -> Embedder:
    """The tiny embedder, to be shared."""
    return Embedder(tiny_embedder)


@pytest.fixture(scope="session")
def model(tiny_gguf: Path) -> LocalModel:
    """The tiny language model, to be shared."""
    return LocalModel(tiny_gguf, threads=1)


@pytest.fixture(scope="session")
def small_glossary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A glossary of six entries: aliases, a contrast, a name with two senses, names in other scripts."""
    path = tmp_path_factory.mktemp("glossary") / "small.md"
    path.write_text(GLOSSARY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def small_index(small_glossary: Path, embedder: Embedder) -> Index:
    """The index of the small glossary; to be read only."""
    return Index.build([small_glossary], embedder)[0]


@pytest.fixture
def small_bot(small_index: Index, embedder: Embedder, model: LocalModel) -> Glossbot:
    """The whole product on the small glossary and the tiny models."""
    return Glossbot(small_index, embedder, model, Settings())


@pytest.fixture(scope="session")
def shipped() -> Glossary:
    """The shipped glossary."""
    return readers.read([paths.shipped_corpus()]).glossary


@pytest.fixture(scope="session")
def shipped_names(shipped: Glossary) -> NameFinder:
    """The names of the shipped glossary."""
    return NameFinder(shipped)


@pytest.fixture
def real_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the two default models of the checkout, which `make test` fetches; the home stays the test's own."""
    folder = Path(__file__).parents[1] / "models"
    monkeypatch.setenv("GLOSSBOT_MODEL", str(weights.locate("smollm2-135m-instruct", kind="llm", models_dir=folder)))
    monkeypatch.setenv("GLOSSBOT_EMBEDDER", str(weights.locate("all-minilm-l6-v2", kind="embedder", models_dir=folder)))
