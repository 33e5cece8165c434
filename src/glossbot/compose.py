"""From evidence to sentences: plan what to say, let the model write where it may, show only what is verified.

The plan follows the intent. Each part of it rests on one entry, and the model sees only that entry, so that a fact
cannot be bound to the wrong term. What the entry itself says comes first or instead: a sentence of the model that is
not supported is dropped, and the entry's own words stand.
"""

import re
import threading
from collections.abc import Iterator, Sequence
from enum import StrEnum

from glossbot import prompts
from glossbot.entry import Entry, Frozen, Glossary, split_sentences
from glossbot.llm import LanguageModel, Usage
from glossbot.names import stem, stems
from glossbot.phrasing import Intent
from glossbot.retrieve import FALSE_PREMISE, UNSETTLED, Evidence, Status
from glossbot.verify import Verifier, statements

MAX_SENTENCE_TOKENS = 120  # a whole sentence of the longest kind; a choice is never cut short
_QUOTED_SENTENCES = 4  # most sentences of one entry that an answer about it repeats
_EXPLAINED = 3  # most entries that a reason or a way is quoted from
_CUE = 1.2  # what a word such as "because" is worth in words shared with the question
_MARKER = re.compile(r"\s*\[\s*\d[\d,\s]*\]")
_CUES = {
    Intent.WHY: re.compile(r"\b(?:because|since|so that|therefore|which lets|reason|matters?|due to)\b", re.IGNORECASE),
    Intent.HOW: re.compile(r"\b(?:by|with|through|uses?|each|then|splits?|stores?|keeps?)\b", re.IGNORECASE),
    Intent.WHEN: re.compile(r"\b(?:when|where|suits?|fits?|for|if|choice)\b", re.IGNORECASE),
}


class Origin(StrEnum):
    """Who wrote a sentence."""

    MODEL = "model"
    QUOTED = "quoted"
    CONTRAST = "contrast"
    NOTICE = "notice"


class Sentence(Frozen):
    """One sentence that a reader sees; its citations are numbers of the evidence, counted from 1."""

    text: str
    origin: Origin
    citations: tuple[int, ...] = ()

    @property
    def marked(self) -> str:
        """The sentence as Markdown, followed by its citation markers; what looks like one in its text is escaped."""
        text = _MARKER.sub(lambda match: match[0].replace("[", r"\[").replace("]", r"\]"), self.text)
        return text + "".join(f" [{number}]" for number in self.citations)


class Dropped(Frozen):
    """A sentence that the model wrote and no reader sees."""

    text: str
    reason: str


class Composer:
    """Writes answers over one glossary; without a model, in the glossary's words alone."""

    def __init__(self, glossary: Glossary, verifier: Verifier, model: LanguageModel | None) -> None:
        self._glossary = glossary
        self._verifier = verifier
        self._model = model

    def compose(
        self, evidence: Evidence, *, cancel: threading.Event | None = None
    ) -> Iterator[Sentence | Dropped | Usage]:
        """Yield the sentences of an answer as they are ready, with what was dropped and what each generation took.

        Args:
            evidence: what the answer may rest on.
            cancel: once set, no further sentence is begun, and a running generation ends.

        Raises:
            ModelMissingError, ModelCorruptError, ModelFormatError, ModelMemoryError, EngineError: the model is needed
                and cannot be loaded, or fails while it writes.
        """
        return _Answering(self._glossary, self._verifier, self._model, evidence, cancel).run()


class _Answering:
    """One answer in the making: remembers what was shown, so that nothing is said twice."""

    def __init__(
        self,
        glossary: Glossary,
        verifier: Verifier,
        model: LanguageModel | None,
        evidence: Evidence,
        cancel: threading.Event | None,
    ) -> None:
        self._glossary = glossary
        self._verifier = verifier
        self._model = model
        self._evidence = evidence
        self._question = evidence.question
        self._cancel = cancel
        self._asked = {stem(word) for word in evidence.question.content}
        self._shown: list[str] = []

    def run(self) -> Iterator[Sentence | Dropped | Usage]:
        evidence = self._evidence
        if evidence.status is Status.NOT_COVERED:
            yield self._notice(prompts.not_covered(evidence.missing))
            return
        lacking = [name for name in evidence.missing if name not in (FALSE_PREMISE, UNSETTLED)]
        if lacking:
            yield self._notice(prompts.lacks(lacking))
        if UNSETTLED in evidence.missing:
            yield self._notice(prompts.UNSETTLED)
        if evidence.denial:
            yield self._notice(prompts.DENIED)
            yield self._quote(evidence.denial.entry, evidence.denial.sentence)
        if evidence.status is Status.AMBIGUOUS:
            yield self._notice(prompts.AMBIGUOUS)
            yield from (self._quote(entry, entry.sentences[0]) for entry in evidence.entries)
        elif self._question.intent is Intent.COMPARE and self._question.mentions:
            yield from self._compare()
        elif self._question.intent is Intent.LIST:
            yield from (self._quote(entry, entry.sentences[0]) for entry in evidence.entries)
        elif self._question.intent is Intent.DEFINE or lacking or evidence.denial:
            yield from self._define()
        else:
            yield from self._explain()

    def _define(self) -> Iterator[Sentence | Dropped | Usage]:
        entries = self._evidence.named or self._evidence.entries[:1]
        for entry in entries:
            yield self._quote(entry, entry.sentences[0])
        if len(entries) == 1:
            entry = entries[0]
            if len(entry.sentences) > 1:
                yield from self._write(entry, f"How does {entry.term} work, and why does it matter?", Intent.HOW)
            yield from self._quote_rest(entry)

    def _compare(self) -> Iterator[Sentence | Dropped | Usage]:
        sides = self._evidence.named
        if len(sides) == 1:
            names = list(dict.fromkeys(mention.text for mention in self._question.mentions))
            if len(names) > 1:
                yield self._notice(prompts.same_entry(names, sides[0].term))
            yield from self._define()
            return
        written = [
            (contrast.text, left, right)
            for number, left in enumerate(sides)
            for right in sides[number + 1 :]
            for _, contrast in self._glossary.contrasts(left, right)
        ]
        for text, left, right in written:
            yield self._sentence(text, Origin.CONTRAST, left, right)
        if not written:
            yield self._notice(prompts.no_contrast([side.term for side in sides]))
        for side in sides:
            yield self._quote(side, side.sentences[0])
        for side in sides:
            yield from self._write(side, f"What does {side.term} do, and what does it cost?", Intent.HOW)
            if not written:
                yield from self._quote_rest(side, most=2)

    def _explain(self) -> Iterator[Sentence | Dropped | Usage]:
        main, *others = self._evidence.entries[:_EXPLAINED]
        first, *more = self._fitting(main)
        yield self._quote(main, first)
        yield from self._write(main, self._question.asked, self._question.intent)
        for entry, sentences in ((main, more), *((other, self._fitting(other)) for other in others)):
            if sentences and self._helps(entry, sentences[0]):
                yield self._quote(entry, sentences[0])

    def _helps(self, entry: Entry, sentence: str) -> bool:
        """Tell whether a sentence adds to the answer: it is new, and to the point if of another entry."""
        if self._verifier.covers(self._shown, sentence):
            return False
        if not self._evidence.named or entry in self._evidence.named:
            return True
        return len(self._asked & stems(sentence)) * 2 > len(self._asked)

    def _write(self, entry: Entry, question: str, intent: Intent) -> Iterator[Sentence | Dropped | Usage]:
        """Let the model write one sentence on one entry, and show it if the entry supports it."""
        if self._model is None or (self._cancel and self._cancel.is_set()):
            return
        choices = [text for text in statements(entry) if not self._verifier.covers(self._shown, text)]
        if not choices:
            return
        generation = self._model.generate(
            prompts.part(question, intent, entry, choices=choices),
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
        yield generation.usage
        if self._cancel and self._cancel.is_set():
            return
        # A model that keeps to the choices needs no check; one behind an interface without grammars does.
        sentence = next(iter(split_sentences(_MARKER.sub("", written))), "")
        verdict = self._verifier.check(sentence, entry)
        if not verdict.supported:
            yield Dropped(text=sentence, reason=verdict.reason)
        elif self._verifier.covers(self._shown, sentence):
            yield Dropped(text=sentence, reason="says again what was said")
        else:
            yield self._sentence(sentence, Origin.QUOTED if sentence in entry.sentences else Origin.MODEL, entry)

    def _quote_rest(self, entry: Entry, *, most: int = _QUOTED_SENTENCES) -> Iterator[Sentence]:
        for sentence in entry.sentences[1:most]:
            if not self._verifier.covers(self._shown, sentence):
                yield self._quote(entry, sentence)

    def _fitting(self, entry: Entry) -> list[str]:
        """Return an entry's sentences, those first that share most with the question; equals keep their order."""
        cue = _CUES.get(self._question.intent)

        def fit(sentence: str) -> float:
            words = stems(sentence)
            return len(self._asked & words) + (_CUE if cue and cue.search(sentence) else 0.0)

        return sorted(entry.sentences, key=fit, reverse=True)

    def _quote(self, entry: Entry, text: str) -> Sentence:
        return self._sentence(text, Origin.QUOTED, entry)

    def _notice(self, text: str) -> Sentence:
        return self._sentence(text, Origin.NOTICE)

    def _sentence(self, text: str, origin: Origin, *entries: Entry) -> Sentence:
        self._shown.append(text)
        return Sentence(text=text, origin=origin, citations=tuple(map(self._evidence.number, entries)))


def render(sentences: Sequence[Sentence], *, as_list: bool = False) -> str:
    """Return sentences with their markers as Markdown: running text, or one item each."""
    if as_list:
        return "\n".join(f"- {sentence.marked}" if sentence.citations else sentence.marked for sentence in sentences)
    return " ".join(sentence.marked for sentence in sentences)
