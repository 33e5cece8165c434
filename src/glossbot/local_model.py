"""A language model in process: a GGUF file run by llama.cpp."""

import hashlib
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path

import psutil

from glossbot import thinking
from glossbot.chat_format import Encoded
from glossbot.choices import Logits, Tokens, shared_length, walk
from glossbot.engine import Engine
from glossbot.errors import ContextTooSmallError, EngineError
from glossbot.gguf_file import GpuLayers
from glossbot.llm import Prompt, Usage
from glossbot.weights import check_gguf

_FEWEST_TOKENS = 8  # room for an answer that is worth beginning


class LocalModel:
    """A GGUF file run by llama.cpp in this process; loaded by the first generation.

    llama.cpp is not safe for threads, and a second generation while one is under way aborts the process: one lock is
    held for as long as a generation runs.
    """

    def __init__(
        self,
        path: Path,
        *,
        context_size: int = 2048,
        threads: int | None = None,
        gpu_layers: GpuLayers = 0,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.path = path
        self._context_size = context_size
        self._threads = threads or psutil.cpu_count(logical=False) or 1
        self._gpu_layers = gpu_layers
        self._temperature = temperature
        self._seed = seed
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the file's name, size and time of change, and of the sampling settings."""
        check_gguf(self.path)
        stat = self.path.stat()
        parts = (self.path.name, stat.st_size, stat.st_mtime_ns, self._context_size, self._temperature, self._seed)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    @property
    def is_loaded(self) -> bool:
        """Whether the next generation starts without loading the file."""
        return self._engine is not None

    def load(self) -> None:
        """Load the file.

        Raises:
            ModelMissingError, ModelFormatError, ModelCorruptError, ModelMemoryError, SettingsError, EngineError: as
                `open_gguf` does.
        """
        with self._lock:
            self._loaded()

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = (), cancel: threading.Event | None = None
    ) -> "LocalGeneration":
        """Start a generation; iterate over the result to run it, close it to free the model.

        Iterating raises what `load` does, `ContextTooSmallError` where the context has no room for the prompt and an
        answer, and `EngineError` where llama.cpp fails; the next generation then loads the file anew.

        Args:
            prompt: what the model is given; nothing in it is read as a control token.
            max_tokens: the most tokens to write freely; a choice is written whole.
            stop: texts before which the generation ends.
            cancel: once set, the generation ends within a fraction of a second, also while the prompt is processed.
        """
        return LocalGeneration(self, prompt, max_tokens=max_tokens, stop=stop, cancel=cancel)

    @contextmanager
    def session(self, cancel: threading.Event | None) -> Iterator[Engine]:
        """Hold the loaded model for one generation, up to its end or until it is cancelled."""
        with self._lock:
            engine = self._loaded()
            try:
                with engine.until(cancel):
                    yield engine
            except RuntimeError as error:
                if cancel and cancel.is_set():
                    return
                self._engine = None
                engine.close()
                raise EngineError(f"{self.path}: llama.cpp failed while it wrote: {error}") from error

    def _loaded(self) -> Engine:
        if self._engine is None:
            self._engine = Engine(
                self.path,
                context_size=self._context_size,
                threads=self._threads,
                gpu_layers=self._gpu_layers,
                temperature=self._temperature,
                seed=self._seed,
            )
        return self._engine


class LocalGeneration:
    """One generation by a `LocalModel`."""

    def __init__(
        self, model: LocalModel, prompt: Prompt, *, max_tokens: int, stop: Sequence[str], cancel: threading.Event | None
    ) -> None:
        self.usage = Usage()
        self._model = model
        self._prompt = prompt
        self._max_tokens = max_tokens
        self._stop = stop
        self._cancel = cancel

    def __iter__(self) -> Iterator[str]:
        with self._model.session(self._cancel) as engine:
            prompt = engine.format.encode(self._prompt)
            longest = max(map(len, prompt.choices), default=_FEWEST_TOKENS)
            if len(prompt.tokens) + longest > engine.context_size:
                raise ContextTooSmallError(
                    f"the prompt has {len(prompt.tokens)} tokens, an answer up to {longest}, and the context "
                    f"{engine.context_size}; set a larger context_size"
                )
            self.usage = Usage(prompt_tokens=len(prompt.tokens))
            yield from self._choose(engine, prompt) if prompt.choices else self._write(engine, prompt)

    def _choose(self, engine: Engine, prompt: Encoded) -> Iterator[str]:
        """Yield one of the choices, each piece of it as soon as it is certain."""
        if len(prompt.choices) == 1:
            ((tokens, text),) = prompt.choices.items()
            self._count(generated_tokens=len(tokens))
            yield text
            return
        reused, after_prompt = engine.begin(prompt)
        self._count(reused_tokens=reused, evaluated_tokens=len(prompt.tokens) - reused)

        def compute(tokens: Tokens) -> Logits:
            self._count(evaluated_tokens=len(tokens))
            return engine.compute(tokens) if tokens else after_prompt

        written, shown = 0, 0
        for still_open in walk(prompt.choices, end=engine.end, compute=compute, chooser=engine.chooser()):
            if self._is_cancelled():
                return
            texts = [prompt.choices[tokens] for tokens in still_open]
            certain_tokens, certain = shared_length(still_open), shared_length(texts)
            self._count(generated_tokens=certain_tokens - written)
            if certain > shown:
                yield texts[0][shown:certain]
            written, shown = certain_tokens, certain

    def _write(self, engine: Engine, prompt: Encoded) -> Iterator[str]:
        """Yield what the model says to the reader."""
        room = engine.context_size - len(prompt.tokens)
        reused, pieces = engine.write(prompt, max_tokens=min(self._max_tokens, room), stop=self._stop)
        self._count(reused_tokens=reused, evaluated_tokens=len(prompt.tokens) - reused)
        with closing(self._counted(engine, pieces)) as counted:
            yield from thinking.spoken(counted)

    def _counted(self, engine: Engine, pieces: Generator[str, None, None]) -> Generator[str, None, None]:
        """Yield what the model writes, until the generation is cancelled."""
        before = self.usage
        with closing(pieces):
            for piece in pieces:
                # The last token was drawn and not yet computed; what ends a text is a token too.
                computed = engine.length - before.prompt_tokens
                self.usage = before + Usage(generated_tokens=computed + 1, evaluated_tokens=computed)
                if self._is_cancelled():
                    return
                yield piece

    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def _count(self, **tokens: int) -> None:
        self.usage += Usage(**tokens)
