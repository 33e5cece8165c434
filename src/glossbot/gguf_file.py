"""Open a GGUF file with llama.cpp, or say what a person can do about one that cannot be opened."""

import ctypes
from collections import deque
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import jinja2

from glossbot.errors import (
    EngineError,
    GlossbotError,
    ModelCorruptError,
    ModelFormatError,
    ModelMemoryError,
    SettingsError,
)
from glossbot.machine import memory_available, wait_politely
from glossbot.weights import check_gguf

if TYPE_CHECKING:
    import llama_cpp

GpuLayers = int | Literal["auto", "all"]

_BATCH = 256
_MOST_CONTEXT = 1 << 30  # tokens; more in a header is an error or an attack
_OVERHEAD = 160 << 20  # bytes that llama.cpp needs beside weights and KV cache for a small model's compute buffers
_KEPT: list[object] = []  # ctypes callbacks that llama.cpp calls for as long as the process lives
# What llama.cpp logs where it refuses a file, in small letters.
_DAMAGED = ("within the file bounds", "corrupted or incomplete", "unexpectedly reached end", "failed to read")
_FOREIGN = ("unknown model architecture", "invalid magic", "unsupported")
_TOO_LARGE = ("failed to allocate", "out of memory", "unable to allocate", "alloc")


def open_gguf(path: Path, *, context_size: int, threads: int, gpu_layers: GpuLayers, seed: int) -> "llama_cpp.Llama":
    """Load a GGUF file.

    Args:
        path: the file.
        context_size: in tokens; it is no larger than what the model was trained for.
        threads: that compute.
        gpu_layers: how many layers go to a GPU; auto: all, where llama.cpp was built for one.
        seed: of sampling.

    Raises:
        ModelMissingError: there is no such file.
        ModelFormatError: the file is not GGUF, or of an architecture that llama.cpp does not know.
        ModelCorruptError: the file is shorter than its header says, or damaged.
        ModelMemoryError: weights and context need more memory than is free.
        SettingsError: layers are to go to a GPU and llama.cpp was built without GPU support.
        EngineError: llama.cpp cannot be loaded.
    """
    check_gguf(path)
    wait_politely()
    try:
        import llama_cpp
    except (ImportError, OSError, RuntimeError) as error:
        raise EngineError(f"llama.cpp cannot be loaded: {error}; `glossbot doctor` says more") from error
    layers = _layers(gpu_layers, offload=llama_cpp.llama_supports_gpu_offload())
    log = _engine_log()
    log.clear()
    try:
        head = llama_cpp.Llama(str(path), vocab_only=True, verbose=False)
        trained = _trained_context(head.metadata) or context_size
        if trained > _MOST_CONTEXT:
            raise ModelFormatError(f"{path}: its header names an impossible context length; take another model")
        if layers == 0:  # weights and KV cache of a GPU lie in memory that llama.cpp checks itself
            _check_memory(path, head.metadata, min(context_size, trained))
        head.close()
        return llama_cpp.Llama(
            str(path),
            n_ctx=min(context_size, trained),
            n_batch=_BATCH,
            n_ubatch=_BATCH,
            n_threads=threads,
            n_threads_batch=threads,
            n_gpu_layers=layers,
            seed=seed,
            verbose=False,
        )
    except jinja2.TemplateError as error:
        raise ModelFormatError(f"{path}: its chat template cannot be read: {error}; take another model") from error
    except (ValueError, RuntimeError, AssertionError, MemoryError) as error:
        raise _load_error(path, "".join(log), error) from error


def _layers(wanted: GpuLayers, *, offload: bool) -> int:
    """Return how many layers go to a GPU, as llama.cpp counts: -1 for all."""
    if wanted == "auto":
        return -1 if offload else 0
    layers = -1 if wanted == "all" else wanted
    if layers != 0 and not offload:
        raise SettingsError(
            f"gpu_layers is {wanted}, but this llama.cpp was built for the CPU only; install it with "
            "`make chat GPU=cuda` (or metal, vulkan), or set gpu_layers to auto or 0"
        )
    return layers


def _check_memory(path: Path, metadata: dict[str, str], context: int) -> None:
    """Refuse a model that would drive the machine into swap, or be killed for its memory."""
    weights, kept = path.stat().st_size, _cache_bytes(metadata, context)
    needed, free = weights + kept + _OVERHEAD, memory_available()
    if needed > free:
        raise ModelMemoryError(
            f"{path}: needs about {_gib(needed)} of memory (weights {_gib(weights)}, context {_gib(kept)}), "
            f"and {_gib(free)} is free; close other programs, set a smaller context_size, or take a smaller model"
        )


def _load_error(path: Path, log: str, error: Exception) -> GlossbotError:
    """Turn llama.cpp's log into the error that says what a person can do."""
    told = log.casefold()
    reason = " ".join(log.split())[-300:] or str(error)
    if any(sign in told for sign in _DAMAGED):
        return ModelCorruptError(f"{path}: truncated or damaged; fetch it again (llama.cpp says: {reason})")
    if any(sign in told for sign in _FOREIGN):
        return ModelFormatError(f"{path}: not a model that this llama.cpp reads (it says: {reason})")
    if any(sign in told for sign in _TOO_LARGE):
        return ModelMemoryError(f"{path}: not enough memory to load it (llama.cpp says: {reason})")
    return ModelCorruptError(f"{path}: llama.cpp cannot load it; it may be damaged (it says: {reason})")


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


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB"
