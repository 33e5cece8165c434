"""What the rest of glossbot asks of a language model, wherever it runs."""

import threading
from collections.abc import Iterator, Sequence
from typing import Protocol

from pydantic import Field

from glossbot.entry import Frozen


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
    reused_tokens: int = Field(default=0, description="Of the prompt; they were computed before.")
    generated_tokens: int = Field(default=0, description="Written; where texts are chosen from, most are not computed.")
    evaluated_tokens: int = Field(default=0, description="Computed, of the prompt and of what was written.")

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})


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
        """Start a generation; iterate over the result to run it.

        Iterating raises `ContextTooSmallError` where the prompt leaves no room for an answer.
        """
        ...
