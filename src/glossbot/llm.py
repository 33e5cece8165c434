"""The language model: what the rest of glossbot asks of one, and a GGUF file run by llama.cpp in this process."""

import ctypes
import hashlib
import threading
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import jinja2
import numpy as np
import psutil
from pydantic import Field

from glossbot import chat_template
from glossbot.choices import Chooser, Logits, walk
from glossbot.entry import Frozen
from glossbot.errors import EngineError, ModelCorruptError, ModelFormatError, ModelMemoryError, SettingsError
from glossbot.machine import memory_available, wait_politely
from glossbot.weights import check_gguf

if TYPE_CHECKING:
    import llama_cpp

GpuLayers = int | Literal["auto", "all"]

_BATCH = 256
_FEWEST_TOKENS = 8  # room for an answer that is worth beginning
_KEPT: list[object] = []  # ctypes callbacks that llama.cpp calls for as long as the process lives
_MOST_CONTEXT = 1 << 30  # tokens; more in a header is an error or an attack
_OVERHEAD = 160 << 20  # bytes that llama.cpp needs beside weights and KV cache for a small model's compute buffers
# They mark where text goes that must not be read as control tokens; plain letters, which no chat template changes.
_SYSTEM_SLOT, _USER_SLOT = "GLOSSBOTSYSTEMSLOT", "GLOSSBOTUSERSLOT"


class Prompt(Frozen):
    """What the model is given: standing instructions, the task, and how its answer begins."""

    system: str
    user: str
    start: str = ""
    text: str = Field(default="", description="What free writing rests on; choices hold it already.")
    choices: tuple[str, ...] = Field(default=(), description="Texts of which one is to be written; none: anything may.")

    @property
    def with_text(self) -> str:
        """What the user says, after the text that it is about."""
        return f"{self.text}\n\n{self.user}" if self.text else self.user


class Usage(Frozen):
    """Tokens that one generation took."""

    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            reused_tokens=self.reused_tokens + other.reused_tokens,
            generated_tokens=self.generated_tokens + other.generated_tokens,
        )


class Generation(Protocol):
    """One running generation: an iterator over pieces of text that must be closed, and that can be cancelled."""

    usage: Usage

    def __iter__(self) -> Iterator[str]:
        """Yield pieces of text, what the prompt starts the answer with not among them."""
        ...


class LanguageModel(Protocol):
    """What glossbot asks of a language model."""

    @property
    def fingerprint(self) -> str:
        """A hash that changes with the model."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether the next generation starts without loading anything."""
        ...

    def load(self) -> None:
        """Make ready to generate."""
        ...

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = (), cancel: threading.Event | None = None
    ) -> Generation:
        """Start a generation; iterate over the result to run it."""
        ...


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
        self._llama: llama_cpp.Llama | None = None
        self._abort = _Abort()

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
        return self._llama is not None

    def load(self) -> None:
        """Load the file.

        Raises:
            ModelMissingError: there is no such file.
            ModelFormatError: the file is not GGUF, or of an architecture that llama.cpp does not know.
            ModelCorruptError: the file is shorter than its header says, or damaged.
            ModelMemoryError: weights and context need more memory than is free.
            SettingsError: layers are to go to a GPU and llama.cpp was built without GPU support.
            EngineError: llama.cpp cannot be loaded.
        """
        with self._lock:
            self._loaded()

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = (), cancel: threading.Event | None = None
    ) -> "LocalGeneration":
        """Start a generation; iterate over the result to run it, close it to free the model.

        Args:
            prompt: what the model is given; nothing in it is read as a control token.
            max_tokens: the most tokens to write.
            stop: texts before which the generation ends.
            cancel: once set, the generation ends within a fraction of a second, also while the prompt is processed.
        """
        return LocalGeneration(self, prompt, max_tokens=max_tokens, stop=stop, cancel=cancel)

    @contextmanager
    def _session(self, cancel: threading.Event | None) -> Iterator["llama_cpp.Llama"]:
        """Hold the model for one generation."""
        with self._lock:
            llama = self._loaded()
            self._abort.event = cancel
            try:
                yield llama
            finally:
                self._abort.event = None
                if cancel and cancel.is_set():
                    llama.reset()  # a batch that was broken off leaves the KV cache in an unknown state

    def _loaded(self) -> "llama_cpp.Llama":
        if self._llama is None:
            check_gguf(self.path)
            self._llama = self._open()
        return self._llama

    def _open(self) -> "llama_cpp.Llama":
        wait_politely()
        try:
            import llama_cpp
        except (ImportError, OSError, RuntimeError) as error:
            raise EngineError(f"llama.cpp cannot be loaded: {error}; `glossbot doctor` says more") from error
        layers = self._layers(llama_cpp.llama_supports_gpu_offload())
        log = _engine_log()
        log.clear()
        try:
            head = llama_cpp.Llama(str(self.path), vocab_only=True, verbose=False)
            if (_trained_context(head.metadata) or 1) > _MOST_CONTEXT:
                raise ModelFormatError(
                    f"{self.path}: its header names an impossible context length; take another model"
                )
            self._check_memory(head.metadata, on_gpu=layers != 0)
            head.close()
            llama = llama_cpp.Llama(
                str(self.path),
                n_ctx=min(self._context_size, _trained_context(head.metadata) or self._context_size),
                n_batch=_BATCH,
                n_ubatch=_BATCH,
                n_threads=self._threads,
                n_threads_batch=self._threads,
                n_gpu_layers=layers,
                seed=self._seed,
                verbose=False,
            )
        except jinja2.TemplateError as error:
            raise ModelFormatError(
                f"{self.path}: its chat template cannot be read: {error}; take another model"
            ) from error
        except (ValueError, RuntimeError, AssertionError, MemoryError) as error:
            raise self._load_error("".join(log), error) from error
        abort = llama_cpp.ggml_abort_callback(self._abort)
        llama_cpp.llama_set_abort_callback(llama.ctx, abort, ctypes.c_void_p(0))
        # Freed before the callbacks are: llama.cpp calls them while it is freed, also at the end of the process.
        weakref.finalize(self, _free, llama, abort)
        return llama

    def _layers(self, offload: bool) -> int:
        if self._gpu_layers == "auto":
            return -1 if offload else 0
        layers = -1 if self._gpu_layers == "all" else self._gpu_layers
        if layers != 0 and not offload:
            raise SettingsError(
                f"gpu_layers is {self._gpu_layers}, but this llama.cpp was built for the CPU only; install it with "
                "`make chat GPU=cuda` (or metal, vulkan), or set gpu_layers to auto or 0"
            )
        return layers

    def _check_memory(self, metadata: dict[str, str], *, on_gpu: bool) -> None:
        """Refuse a model that would drive the machine into swap, or be killed for its memory."""
        if on_gpu:
            return  # weights and KV cache go to the GPU, whose memory llama.cpp checks itself
        weights = self.path.stat().st_size
        cache = _cache_bytes(metadata, min(self._context_size, _trained_context(metadata) or self._context_size))
        needed, free = weights + cache + _OVERHEAD, memory_available()
        if needed > free:
            raise ModelMemoryError(
                f"{self.path}: needs about {_gib(needed)} of memory (weights {_gib(weights)}, context {_gib(cache)}), "
                f"and {_gib(free)} is free; close other programs, set a smaller context_size, or take a smaller model"
            )

    def _load_error(self, log: str, error: Exception) -> Exception:
        """Turn llama.cpp's log into the error that says what a person can do."""
        told = log.casefold()
        reason = " ".join(log.split())[-300:] or str(error)
        if any(
            sign in told
            for sign in (
                "within the file bounds",
                "corrupted or incomplete",
                "unexpectedly reached end",
                "failed to read",
            )
        ):
            return ModelCorruptError(f"{self.path}: truncated or damaged; fetch it again (llama.cpp says: {reason})")
        if any(sign in told for sign in ("unknown model architecture", "invalid magic", "unsupported")):
            return ModelFormatError(f"{self.path}: not a model that this llama.cpp reads (it says: {reason})")
        if any(sign in told for sign in ("failed to allocate", "out of memory", "unable to allocate", "alloc")):
            return ModelMemoryError(f"{self.path}: not enough memory to load it (llama.cpp says: {reason})")
        return ModelCorruptError(f"{self.path}: llama.cpp cannot load it; it may be damaged (it says: {reason})")

    @cached_property
    def _template(self) -> tuple[str, str, str] | None:
        """The chat template around system and user text, from the GGUF; None for a base model, which has none."""
        llama = self._loaded()
        source = llama.metadata.get("tokenizer.chat_template")
        if not source:
            return None
        with_system = [{"role": "system", "content": _SYSTEM_SLOT}, {"role": "user", "content": _USER_SLOT}]
        user_only = [{"role": "user", "content": f"{_SYSTEM_SLOT}\n\n{_USER_SLOT}"}]  # some know no system role
        bos, eos = _piece(llama, llama.token_bos()), _piece(llama, llama.token_eos())
        try:
            rendered = chat_template.render(source, bos=bos, eos=eos, conversations=(with_system, user_only))
        except ModelFormatError as error:
            raise ModelFormatError(f"{self.path}: {error}; take another model") from error
        if rendered is None:
            return None
        before, _, rest = rendered.partition(_SYSTEM_SLOT)
        between, found, after = rest.partition(_USER_SLOT)
        return (before, between, after) if found else None

    def _tokens(self, prompt: Prompt) -> tuple[list[int], list[int]]:
        """Return the standing beginning of a prompt and the rest as tokens; only the template has control tokens."""
        llama = self._loaded()
        user = prompt.user if prompt.choices else prompt.with_text

        def plain(text: str) -> list[int]:
            return list(llama.tokenize(text.encode(), add_bos=False, special=False))

        def control(text: str) -> list[int]:
            return list(llama.tokenize(text.encode(), add_bos=False, special=True))

        if self._template is None:
            bos = [llama.token_bos()] if llama.metadata.get("tokenizer.ggml.add_bos_token") != "false" else []
            head = [token for token in bos if token >= 0]
            return head + plain(f"{prompt.system}\n\n"), plain(f"{user}\n\n{prompt.start}")
        before, between, after = self._template
        standing = control(before) + plain(prompt.system) + control(between)
        return standing, plain(user) + control(after) + plain(prompt.start)

    @staticmethod
    def _keep(llama: "llama_cpp.Llama", standing: Sequence[int]) -> int:
        """Bring the KV cache to exactly the standing beginning; return how many tokens of it were there already.

        What follows is always computed anew, in batches of the same shape, since llama.cpp's sums (and then its words)
        depend a little on the shape: so a question has the same answer whatever was asked before it.
        """
        held = llama.input_ids[: len(standing)].tolist() if llama.n_tokens >= len(standing) else []
        if held == list(standing):
            llama.n_tokens = len(standing)
            return len(standing)
        llama.reset()
        llama.eval(standing)
        return 0


class _Abort:
    """Asked by llama.cpp, again and again while it computes, whether to stop."""

    def __init__(self) -> None:
        self.event: threading.Event | None = None

    def __call__(self, _data: object) -> bool:
        return self.event is not None and self.event.is_set()


class LocalGeneration:
    """One generation by a `LocalModel`."""

    def __init__(
        self, model: LocalModel, prompt: Prompt, *, max_tokens: int, stop: Sequence[str], cancel: threading.Event | None
    ) -> None:
        self.usage = Usage()
        self._model = model
        self._prompt = prompt
        self._max_tokens = max_tokens
        self._stop = list(stop)
        self._cancel = cancel

    def __iter__(self) -> Iterator[str]:
        with self._model._session(self._cancel) as llama:
            standing, rest = self._model._tokens(self._prompt)
            tokens = standing + rest
            room = llama.n_ctx() - len(tokens)
            if room < _FEWEST_TOKENS:
                raise EngineError(
                    f"the prompt has {len(tokens)} tokens and the context {llama.n_ctx()}; set a larger context_size"
                )
            try:
                yield from self._run(llama, standing, tokens, min(self._max_tokens, room))
            except RuntimeError as error:
                if not (self._cancel and self._cancel.is_set()):  # a computation that was called off raises too
                    raise EngineError(f"llama.cpp failed while it wrote: {error}") from error

    def _run(
        self, llama: "llama_cpp.Llama", standing: Sequence[int], tokens: Sequence[int], max_tokens: int
    ) -> Iterator[str]:
        self.usage = Usage(prompt_tokens=len(tokens), reused_tokens=self._model._keep(llama, standing))
        if self._prompt.choices:
            yield from self._choose(llama, tokens[len(standing) :])
            return
        stream: Any = llama.create_completion(
            tokens,
            max_tokens=max_tokens,
            temperature=self._model._temperature,
            seed=self._model._seed,
            stop=self._stop,
            stream=True,
        )
        try:
            for chunk in stream:
                # The last token was drawn and not yet computed; what ends a text is a token too.
                self.usage = self.usage.model_copy(update={"generated_tokens": llama.n_tokens - len(tokens) + 1})
                if self._cancel and self._cancel.is_set():
                    return
                if text := chunk["choices"][0]["text"]:
                    yield text
        finally:
            stream.close()

    def _choose(self, llama: "llama_cpp.Llama", rest: Sequence[int]) -> Iterator[str]:
        """Write one of the prompt's choices, whole."""
        choices = {
            tuple(llama.tokenize(text.encode(), add_bos=False, special=False)): text for text in self._prompt.choices
        }
        begun = list(rest)

        def compute(pending: Sequence[int]) -> Logits:
            llama.eval([*begun, *pending])
            begun.clear()
            logits = llama._ctx.get_logits_ith(-1)
            return np.ctypeslib.as_array(logits, shape=(llama.n_vocab(),))

        chooser = Chooser(temperature=self._model._temperature, seed=self._model._seed)
        written: list[int] = []
        for token in walk(list(choices), end=llama.token_eos(), compute=compute, chooser=chooser):
            if self._cancel and self._cancel.is_set():
                return
            written.append(token)
            self.usage = self.usage.model_copy(update={"generated_tokens": len(written)})
        yield choices[tuple(written)]


def _free(llama: "llama_cpp.Llama", _abort: object) -> None:
    llama.close()


@cache
def _engine_log() -> deque[str]:
    """Return the last lines that llama.cpp logged; it has one log for all models, set here once and for good."""
    import llama_cpp

    lines: deque[str] = deque(maxlen=40)

    def keep(_level: int, text: bytes, _data: object) -> None:
        lines.append(text.decode("utf-8", "replace"))

    callback = llama_cpp.llama_log_callback(keep)
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))
    _KEPT.append(callback)
    return lines


def _cache_bytes(metadata: dict[str, str], context: int) -> int:
    """Return the size of a 16-bit KV cache: 2 bytes for each key and value of each layer and position."""
    kind = metadata.get("general.architecture", "")

    def number(key: str, default: int) -> int:
        value = metadata.get(f"{kind}.{key}", "")
        return int(value) if value.isdigit() else default

    heads = number("attention.head_count", 1)
    width = number("embedding_length", 0) // max(heads, 1)
    per_head = number("attention.key_length", width) + number("attention.value_length", width)
    return 2 * context * number("block_count", 0) * number("attention.head_count_kv", heads) * per_head


def _trained_context(metadata: dict[str, str]) -> int | None:
    value = metadata.get(f"{metadata.get('general.architecture', '')}.context_length", "")
    return int(value) if value.isdigit() else None


def _piece(llama: "llama_cpp.Llama", token: int) -> str:
    return str(llama._model.token_get_text(token)) if token >= 0 else ""


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB"
