"""Turn texts into unit vectors with a local sentence-transformers model."""

import hashlib
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from glossbot.errors import EngineError
from glossbot.machine import wait_politely

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]
_BATCH = 32
_EDGE = 1 << 20  # bytes at either end of a large file that its fingerprint is taken from


class Embedder:
    """A sentence-transformers folder; the model (and torch, seconds of import) is loaded by the first text."""

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        self.folder = folder
        self._threads = threads
        # Fast tokenizers fail with "Already borrowed" when two threads use one; loading twice would be waste.
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether the next text is embedded without loading anything."""
        return self._model is not None

    @cached_property
    def fingerprint(self) -> str:
        """A hash that changes with the model: of its files' names and sizes, small files whole, large ones' ends."""
        digest = hashlib.sha256()
        for path in sorted(self.folder.rglob("*")):
            if not path.is_file() or path.name == "receipt.json":
                continue
            size = path.stat().st_size
            digest.update(f"{path.relative_to(self.folder).as_posix()}\0{size}\0".encode())
            with path.open("rb") as file:
                digest.update(file.read(_EDGE))
                if size > _EDGE:
                    file.seek(-_EDGE, os.SEEK_END)
                    digest.update(file.read(_EDGE))
        return digest.hexdigest()

    def load(self) -> None:
        """Load the model now instead of with the first text.

        Raises:
            EngineError: the folder holds no model that sentence-transformers can load.
        """
        with self._lock:
            self._load()

    def encode(self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None) -> Vectors:
        """Embed texts.

        Args:
            texts: any number of texts; what is longer than the model's window is cut there, so split it before.
            progress: called after each batch with the number of texts embedded since the last call.

        Returns:
            Array of shape (number of texts, dimensions), rows of length 1.

        Raises:
            EngineError: the model cannot be loaded.
        """
        batches: list[Vectors] = []
        with self._lock:
            model = self._load()
            for start in range(0, len(texts), _BATCH):
                batch = list(texts[start : start + _BATCH])
                vectors = model.encode(batch, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
                batches.append(np.asarray(vectors, dtype=np.float32))
                if progress:
                    progress(len(batch))
            dimensions = int(model.get_embedding_dimension() or 0)
        return np.concatenate(batches) if batches else np.zeros((0, dimensions), dtype=np.float32)

    def _load(self) -> "SentenceTransformer":
        if self._model is None:
            # The hub must not be asked whether the local folder is up to date (law 1).
            os.environ["HF_HUB_OFFLINE"] = "1"
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            wait_politely()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # third-party deprecations say nothing to a reader
                    import torch
                    from sentence_transformers import SentenceTransformer
                    from transformers.utils import logging as transformers_logging

                    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
                    if self._threads:
                        torch.set_num_threads(self._threads)
                    self._model = SentenceTransformer(str(self.folder), device="cpu", local_files_only=True)
            except Exception as error:  # tokenizers and safetensors raise their own, some bare Exception
                raise EngineError(f"{self.folder}: sentence-transformers cannot load this folder: {error}") from error
        return self._model
