"""A prompt as tokens, in the form that a model was trained on: the chat template that its GGUF file brings along.

Only the template may write control tokens. What the reader and the glossary say is plain text, whatever it looks like;
else it could begin a turn of its own.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from glossbot import chat_template, thinking
from glossbot.choices import Tokens, shared_length
from glossbot.entry import Frozen
from glossbot.errors import ModelFormatError
from glossbot.llm import Prompt

if TYPE_CHECKING:
    import llama_cpp

# They mark where text goes while the template is rendered; plain letters, which no chat template changes.
_SYSTEM_SLOT, _USER_SLOT = "GLOSSBOTSYSTEMSLOT", "GLOSSBOTUSERSLOT"

# What kinds of tokens a vocabulary tells apart, and what some of them do to the spaces around them (llama.h).
_CONTROL, _USER_DEFINED, _LSTRIP, _RSTRIP = 1 << 3, 1 << 4, 1 << 7, 1 << 8

_END = re.compile(r"[^\n]*\n*[^\n]*\Z")  # of a text, enough of it to see how it is cut into tokens

Piece = str | int  # plain text, or a control token


class Encoded(Frozen):
    """A prompt as tokens."""

    standing: Tokens  # what all prompts with the same instructions begin with
    rest: Tokens
    choices: dict[Tokens, str]  # what may follow

    @property
    def tokens(self) -> Tokens:
        """The whole prompt."""
        return self.standing + self.rest


class _Template(NamedTuple):
    """What a model was trained to see around the system's and the user's text."""

    before: Sequence[Piece]
    between: Sequence[Piece]
    after: Sequence[Piece]


class ChatFormat:
    """Turns prompts into the tokens of one model."""

    def __init__(self, llama: "llama_cpp.Llama", path: Path) -> None:
        """Take a model, of which the vocabulary is enough, and the path of its file for errors."""
        self._llama = llama
        self._path = path

    def encode(self, prompt: Prompt) -> Encoded:
        """Return a prompt as tokens, cut as if its text and the template's were one.

        Raises:
            ModelFormatError: the chat template cannot be rendered in bounds.
        """
        template = self._template
        user = prompt.user if prompt.choices else prompt.with_text
        begun = _merged([*template.before, prompt.system, *template.between])
        whole = _merged([*begun, user, *template.after, prompt.start])
        tokens = self._tokens(whole)
        end = _END.search(whole[-1]) if isinstance(whole[-1], str) else None
        tokens, choices = self._choices(tokens, end[0] if end else "", prompt.choices)
        standing = shared_length([self._tokens(begun), tokens[:-1]])  # something is left to compute
        return Encoded(standing=tokens[:standing], rest=tokens[standing:], choices=choices)

    def _choices(self, tokens: Tokens, end: str, texts: Sequence[str]) -> tuple[Tokens, dict[Tokens, str]]:
        """Return what texts have in common with a prompt that ends so, as tokens, and how each of them goes on."""
        before = self._plain(end)
        choices = {self._plain(end + text): text for text in texts}
        common = min((shared_length([before, choice]) for choice in choices), default=len(before))
        # The prompt's last word may be cut in another way where a text follows.
        kept = len(tokens) - len(before) + common
        return tokens[:kept], {choice[common:]: text for choice, text in choices.items()}

    @cached_property
    def _template(self) -> _Template:
        rendered = self._rendered()
        if rendered is None:  # a base model: nothing but text
            before, between, after = "", "\n\n", "\n\n"
        else:
            before, _, rest = rendered.partition(_SYSTEM_SLOT)
            between, _, after = rest.partition(_USER_SLOT)
        bos = [self._llama.token_bos()] if self._llama._model.add_bos_token() else []
        opening = self._split(before)
        return _Template(
            before=opening if opening[:1] == bos else [*bos, *opening],
            between=self._split(between),
            after=self._split(after + thinking.closing(after)),
        )

    def _rendered(self) -> str | None:
        """Return the chat template with the slots in it, or None for a base model, which has none of use."""
        source = self._llama.metadata.get("tokenizer.chat_template")
        if not source:
            return None
        try:
            return chat_template.render(
                source,
                bos=self._text(self._llama.token_bos()),
                eos=self._text(self._llama.token_eos()),
                system=_SYSTEM_SLOT,
                user=_USER_SLOT,
            )
        except ModelFormatError as error:
            raise ModelFormatError(f"{self._path}: {error}; take another model") from error

    def _split(self, text: str) -> list[Piece]:
        """Cut a part of the template into its control tokens and the plain text around them."""
        marks = {self._text(token): token for token in self._cut(text, special=True) if self._is_mark(token)}
        if not marks:
            return [text] if text else []
        pattern = "|".join(map(re.escape, sorted(marks, key=len, reverse=True)))
        first, *others = re.split(pattern, text)
        pieces: list[Piece] = [first]
        for token, after in zip((marks[mark] for mark in re.findall(pattern, text)), others, strict=True):
            if self._attributes(token) & _LSTRIP:
                pieces[-1] = str(pieces[-1]).rstrip()
            pieces += [token, after.lstrip() if self._attributes(token) & _RSTRIP else after]
        return [piece for piece in pieces if piece != ""]

    def _tokens(self, pieces: Iterable[Piece]) -> Tokens:
        return tuple(
            token for piece in pieces for token in ((piece,) if isinstance(piece, int) else self._plain(piece))
        )

    def _plain(self, text: str) -> Tokens:
        """Return text as tokens, none of them with a meaning of its own.

        llama.cpp leaves control tokens alone when told so, but not those that a model's maker added without calling
        them control tokens, often enough marks of turns or of thinking. Cut after its first letter such a mark is text.
        """
        tokens = self._cut(text, special=False)
        marks = [re.escape(self._text(token)) for token in set(tokens) if self._is_mark(token)]
        cuts = [match.start() + 1 for match in re.finditer("|".join(marks), text)] if marks else []
        if not cuts:
            return tokens
        return tuple(token for start, end in pairwise((0, *cuts, len(text))) for token in self._plain(text[start:end]))

    def _cut(self, text: str, *, special: bool) -> Tokens:
        return tuple(self._llama.tokenize(text.encode(), add_bos=False, special=special)) if text else ()

    def _is_mark(self, token: int) -> bool:
        """Whether a token is no text: a control token, or one that was added as a whole and is not just spaces."""
        return bool(self._attributes(token) & _CONTROL) or (
            bool(self._attributes(token) & _USER_DEFINED) and len(self._text(token).strip(" \n\t▁")) > 1
        )

    def _attributes(self, token: int) -> int:
        import llama_cpp

        return int(llama_cpp.llama_vocab_get_attr(self._llama._model.vocab, token))

    def _text(self, token: int) -> str:
        return str(self._llama._model.token_get_text(token)) if token >= 0 else ""


def _merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Join neighbouring texts, so that they are cut into tokens as one."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return merged
