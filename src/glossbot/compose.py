"""From evidence to sentences: plan what to say, let the model word it where it may, show only what is verified.

Each part of the plan rests on one entry, or on two that are set side by side, and the model sees only those, so that a
fact cannot be bound to the wrong term. Where it has no wording to choose from, fails, or writes what its entries do not
support, their own words stand.
"""

import threading
from collections.abc import Collection, Iterator, Sequence

from glossbot import prompts
from glossbot.answer import MARKER, Dropped, Origin, Sentence
from glossbot.entry import Entry, Glossary, split_sentences
from glossbot.errors import ContextTooSmallError
from glossbot.llm import LanguageModel, Usage
from glossbot.plan import Notice, Opposed, Part, Planner, Quote, Wording, Written
from glossbot.retrieve import Evidence
from glossbot.verify import Verifier

MAX_SENTENCE_TOKENS = 400  # in the most wasteful of tokenizers; a sentence ends long before


class Composer:
    """Writes answers over one glossary; without a model, in the glossary's words alone."""

    def __init__(self, glossary: Glossary, verifier: Verifier, model: LanguageModel | None) -> None:
        self._planner = Planner(glossary, verifier)
        self._verifier = verifier
        self._model = model

    def compose(
        self, evidence: Evidence, *, cancel: threading.Event | None = None, avoid: Collection[str] = ()
    ) -> Iterator[Sentence | Dropped | Usage]:
        """Yield the sentences of an answer as they are ready, with what was dropped and what each generation took.

        Args:
            evidence: what the answer may rest on.
            cancel: once set, no further sentence is begun, and a running generation ends.
            avoid: sentences of an earlier answer; what the model wrote of them is worded in another way.

        Raises:
            ModelMissingError, ModelCorruptError, ModelFormatError, ModelMemoryError, EngineError: the model is needed
                and cannot be loaded, or fails while it writes.
        """
        parts = self._planner.plan(evidence, again=bool(avoid))
        return _Answering(self._verifier, self._model, evidence, cancel, frozenset(avoid)).run(parts)


class _Answering:
    """One answer in the making: remembers what was shown, so that nothing is said twice."""

    def __init__(
        self,
        verifier: Verifier,
        model: LanguageModel | None,
        evidence: Evidence,
        cancel: threading.Event | None,
        avoid: frozenset[str],
    ) -> None:
        self._verifier = verifier
        self._model = model
        self._evidence = evidence
        self._cancel = cancel
        self._avoid = avoid
        self._shown: list[str] = []

    def run(self, parts: Iterator[Part]) -> Iterator[Sentence | Dropped | Usage]:
        for part in parts:
            match part:
                case Notice():
                    yield self._sentence(part.text, Origin.NOTICE)
                case Opposed():
                    yield self._sentence(part.text, Origin.CONTRAST, part.left, part.right)
                case Quote():
                    yield from self._quote(part)
                case Written():
                    yield from self._write(part)

    def _quote(self, quote: Quote) -> Iterator[Sentence]:
        if not quote.only_if_new or not self._is_said(quote.text):
            yield self._sentence(quote.text, Origin.QUOTED, quote.entry)

    def _write(self, part: Written) -> Iterator[Sentence | Dropped | Usage]:
        """Let the model word a part, and show what it wrote if its entries support it, else their own words."""
        if all(quote.only_if_new and self._is_said(quote.text) for quote in part.instead):
            return
        wordings = [wording for wording in part.wordings if self._is_open(wording)]
        if self._model is None or self._is_called_off() or not wordings:
            yield from self._quote_instead(part)
            return
        try:
            generated, usage = self._generate(self._model, part, wordings)
        except ContextTooSmallError as error:
            yield Dropped(text="", reason=str(error))
            yield from self._quote_instead(part)
            return
        yield usage
        if self._is_called_off():
            return
        sentence = next(iter(split_sentences(MARKER.sub("", generated))), "")
        verdict = self._verifier.check(sentence, *part.entries)
        if not verdict.supported or self._verifier.covers(self._shown, sentence):
            yield Dropped(text=sentence, reason=verdict.reason or "says again what was said")
            yield from self._quote_instead(part)
            return
        yield self._sentence(sentence, Origin.MODEL, *part.entries)
        self._shown += (source for wording in wordings if wording.text == sentence for source in wording.says)

    def _quote_instead(self, part: Written) -> Iterator[Sentence]:
        for quote in part.instead:
            yield from self._quote(quote)

    def _generate(self, model: LanguageModel, part: Written, wordings: Sequence[Wording]) -> tuple[str, Usage]:
        """Return what the model writes, up to the end of its first sentence, and what it took."""
        sources = tuple(dict.fromkeys(source for wording in wordings for source in wording.says))
        generation = model.generate(
            prompts.part(part.question, sources, choices=[wording.text for wording in wordings]),
            max_tokens=MAX_SENTENCE_TOKENS,
            cancel=self._cancel,
        )
        written = ""
        pieces = iter(generation)
        try:
            for piece in pieces:
                written += piece
                if len(split_sentences(written)) > 1:
                    break
        finally:
            if close := getattr(pieces, "close", None):
                close()  # frees the model
        return written, generation.usage

    def _is_open(self, wording: Wording) -> bool:
        return wording.text not in self._avoid and not any(map(self._is_said, wording.says))

    def _is_said(self, sentence: str) -> bool:
        return self._verifier.covers(self._shown, sentence)

    def _is_called_off(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def _sentence(self, text: str, origin: Origin, *entries: Entry) -> Sentence:
        self._shown.append(text)
        return Sentence(text=text, origin=origin, citations=tuple(map(self._evidence.number, entries)))


def render(sentences: Sequence[Sentence], *, as_list: bool = False) -> str:
    """Return sentences with their markers as Markdown: running text, or one item each."""
    if as_list:
        return "\n".join(f"- {sentence.marked}" if sentence.citations else sentence.marked for sentence in sentences)
    return " ".join(sentence.marked for sentence in sentences)
