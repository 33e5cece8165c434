"""llama.cpp at work: one model, and one sequence of tokens whose keys and values it keeps.

llama.cpp's sums, and then its words, depend a little on how tokens are grouped into batches. So what is kept is used
again only where it was computed in the same groups: the standing beginning of a prompt, the rest of it, what follows.
An answer is then the same whatever was asked before it.
"""

import ctypes
import threading
import weakref
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from glossbot.chat_format import ChatFormat, Encoded
from glossbot.choices import Chooser, Logits, Tokens
from glossbot.gguf_file import GpuLayers, open_gguf

if TYPE_CHECKING:
    import llama_cpp


class Engine:
    """A model that is loaded; for one thread at a time."""

    def __init__(
        self, path: Path, *, context_size: int, threads: int, gpu_layers: GpuLayers, temperature: float, seed: int
    ) -> None:
        """Load a GGUF file; raises what `open_gguf` does."""
        self._llama = open_gguf(path, context_size=context_size, threads=threads, gpu_layers=gpu_layers, seed=seed)
        self._temperature = temperature
        self._seed = seed
        self.format = ChatFormat(self._llama, path)
        self._begun: tuple[Tokens, Tokens] | None = None  # the prompt that is kept whole, in its two groups
        self._after_begun = np.empty(0, dtype=np.float32)
        self._abort = _Abort()
        self._finalizer = weakref.finalize(self, _free, self._llama, _set_abort(self._llama, self._abort))

    def close(self) -> None:
        """Free its memory now."""
        self._finalizer()

    @property
    def context_size(self) -> int:
        """How many tokens it can keep."""
        return int(self._llama.n_ctx())

    @property
    def length(self) -> int:
        """How many tokens are computed and kept."""
        return int(self._llama.n_tokens)

    @property
    def end(self) -> int:
        """The token that ends a text."""
        return int(self._llama.token_eos())

    def chooser(self) -> Chooser:
        """Return what decides between tokens."""
        return Chooser(temperature=self._temperature, seed=self._seed)

    @contextmanager
    def until(self, cancel: threading.Event | None) -> Iterator[None]:
        """Break off what is computed, with a RuntimeError, once an event is set."""
        self._abort.event = cancel
        try:
            yield
        finally:
            self._abort.event = None
            if cancel and cancel.is_set():
                self._forget()  # a batch that was broken off leaves what is kept in an unknown state

    def begin(self, prompt: Encoded) -> tuple[int, Logits]:
        """Compute a prompt; return how many of its tokens were kept from earlier, and the logits of what may follow."""
        if self._begun == (prompt.standing, prompt.rest) and self._rewind(len(prompt.tokens)):
            return len(prompt.tokens), self._after_begun
        reused = self._keep(prompt.standing)
        self._after_begun = self.compute(prompt.rest)
        self._begun = (prompt.standing, prompt.rest)
        return reused, self._after_begun

    def compute(self, tokens: Tokens) -> Logits:
        """Go on with some tokens, at least one; return the logits of what may follow, shape ``(n_vocab,)``."""
        import llama_cpp

        self._llama.eval(tokens)
        logits = llama_cpp.llama_get_logits_ith(self._llama.ctx, -1)
        return np.ctypeslib.as_array(logits, shape=(self._llama.n_vocab(),)).copy()

    def write(self, prompt: Encoded, *, max_tokens: int, stop: Sequence[str]) -> tuple[int, Generator[str, None, None]]:
        """Go on freely after a prompt.

        Returns:
            How many of its tokens were kept from earlier, and the pieces of text, to be closed.
        """
        return self._keep(prompt.standing), self._pieces(prompt.tokens, max_tokens, stop)

    def _pieces(self, tokens: Tokens, max_tokens: int, stop: Sequence[str]) -> Generator[str, None, None]:
        stream: Any = self._llama.create_completion(
            list(tokens),
            max_tokens=max_tokens,
            temperature=self._temperature,
            seed=self._seed,
            stop=list(stop),
            stream=True,
        )
        with closing(stream):
            for chunk in stream:
                yield chunk["choices"][0]["text"]

    def _keep(self, standing: Tokens) -> int:
        """Keep exactly the standing beginning of a prompt; return how many of its tokens were there already."""
        self._begun = None
        held = tuple(self._llama.input_ids[: min(len(standing), self.length)].tolist())
        if held == standing and self._rewind(len(standing)):
            return len(standing)
        self._forget()
        self._llama.eval(standing)
        return 0

    def _rewind(self, length: int) -> bool:
        """Forget all tokens but the first; a model that keeps a running state instead of each token's cannot."""
        import llama_cpp

        if not llama_cpp.llama_memory_seq_rm(llama_cpp.llama_get_memory(self._llama.ctx), 0, length, -1):
            return False
        self._llama.n_tokens = length
        return True

    def _forget(self) -> None:
        self._begun = None
        self._llama.reset()


class _Abort:
    """Asked by llama.cpp, again and again while it computes, whether to stop."""

    def __init__(self) -> None:
        self.event: threading.Event | None = None

    def __call__(self, _data: object) -> bool:
        return self.event is not None and self.event.is_set()


def _set_abort(llama: "llama_cpp.Llama", abort: _Abort) -> object:
    """Return what must live as long as the model: llama.cpp asks also while it is freed, at the end of the process."""
    import llama_cpp

    callback = llama_cpp.ggml_abort_callback(abort)
    llama_cpp.llama_set_abort_callback(llama.ctx, callback, ctypes.c_void_p(0))
    return callback


def _free(llama: "llama_cpp.Llama", _callback: object) -> None:
    llama.close()
