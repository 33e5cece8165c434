"""The embedder: real sentence-transformers on a tiny folder, and folders that hold no model."""

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

import tiny
from glossbot.embed import Embedder
from glossbot.errors import GlossbotError

TEXTS = [f"{word} cache of the {'long ' * (number % 7)}query" for number, word in enumerate(tiny.WORDS * 2)]


def test_texts_become_unit_vectors_in_their_order(embedder: Embedder) -> None:
    vectors = embedder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 48)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = np.concatenate([embedder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(vectors, alone, atol=1e-5)


def test_alike_texts_have_alike_vectors(embedder: Embedder) -> None:
    question, near, far = embedder.encode(["shares one key head", "one key head is shared", "documents that fit"])
    assert question @ near > question @ far


def test_no_text_gives_no_vector(embedder: Embedder) -> None:
    assert embedder.encode([]).shape == (0, 48)


def test_odd_texts_have_finite_vectors(embedder: Embedder) -> None:
    vectors = embedder.encode(["", " ", "🤖", "连续批处理", "x" * 100_000, "\x00", "\u202e"])
    assert np.isfinite(vectors).all()


def test_progress_counts_every_text(embedder: Embedder) -> None:
    counts: list[int] = []
    embedder.encode(TEXTS, progress=counts.append)
    assert sum(counts) == len(TEXTS)
    assert len(counts) > 1


def test_the_model_is_loaded_by_the_first_text(tiny_embedder: Path) -> None:
    embedder = Embedder(tiny_embedder, threads=1)
    states = [embedder.is_loaded]
    embedder.encode(["one"])
    states.append(embedder.is_loaded)
    assert states == [False, True]
    ahead = Embedder(tiny_embedder)
    ahead.load()
    assert ahead.is_loaded


def test_threads_can_share_an_embedder(tiny_embedder: Path) -> None:
    embedder = Embedder(tiny_embedder)
    expected = Embedder(tiny_embedder).encode(TEXTS)
    found: list[float] = []

    def run() -> None:
        for _ in range(5):
            found.append(float(np.abs(embedder.encode(TEXTS) - expected).max()))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 30
    assert max(found) < 1e-5


def test_fingerprint_follows_the_files(tiny_embedder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny_embedder, copy)
    fingerprint = Embedder(tiny_embedder).fingerprint
    assert Embedder(copy).fingerprint == fingerprint
    (copy / "receipt.json").write_text("{}")
    assert Embedder(copy).fingerprint == fingerprint
    weights = copy / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    changed = Embedder(copy).fingerprint
    assert changed != fingerprint
    (copy / "more.txt").write_text("x")
    assert Embedder(copy).fingerprint not in (changed, fingerprint)


@pytest.mark.parametrize("name", ["nothing", "sentence-transformers/all-MiniLM-L6-v2"])
def test_a_missing_folder_is_an_error_and_is_not_looked_for_elsewhere(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GlossbotError, match=name):
        Embedder(Path(name)).encode(["one"])


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("modules.json", b""),
        ("modules.json", b"not json"),
        ("modules.json", b"{}"),
        ("modules.json", b"[1]"),
        ("modules.json", json.dumps([{"idx": 0, "name": "0", "path": "", "type": "no.such.Module"}]).encode()),
        ("model.safetensors", b""),
        ("model.safetensors", b"\xff" * 100),
        ("tokenizer.json", b"{}"),
        ("tokenizer.json", b"not json"),
    ],
)
def test_a_damaged_folder_is_an_error_of_ours(file: str, content: bytes, tiny_embedder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "broken"
    shutil.copytree(tiny_embedder, copy)
    (copy / file).write_bytes(content)
    with pytest.raises(GlossbotError, match="broken"):
        Embedder(copy).encode(["one"])


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_truncated_file_is_an_error_of_ours(file: str, tiny_embedder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "cut"
    shutil.copytree(tiny_embedder, copy)
    (copy / file).write_bytes((copy / file).read_bytes()[:-500])
    with pytest.raises(GlossbotError, match="cut"):
        Embedder(copy).encode(["one"])
