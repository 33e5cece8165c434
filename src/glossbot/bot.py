"""Glossbot: the path from a question to its answer, and the events on the way.

Every front end shows the events of `Glossbot.stream`; none decides anything about answers.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Self

from glossbot import phrasing, prompts, weights
from glossbot.answer import (
    Answer,
    Citation,
    DoneEvent,
    Dropped,
    ErrorEvent,
    Event,
    EvidenceCard,
    EvidenceEvent,
    ProgressEvent,
    QuestionEvent,
    Sentence,
    SentenceEvent,
    Timings,
    Versions,
)
from glossbot.cache.flight import Flights
from glossbot.cache.normal import normalise
from glossbot.cache.sameness import Lexicon
from glossbot.cache.store import Store
from glossbot.compose import Composer, render
from glossbot.embed import Embedder, Vectors
from glossbot.entry import Entry, Glossary
from glossbot.errors import GlossbotError, QuestionError
from glossbot.followup import Turn
from glossbot.index import Index
from glossbot.llm import LanguageModel, Usage
from glossbot.local_model import LocalModel
from glossbot.manifest import Kind
from glossbot.memory import Memory
from glossbot.phrasing import Intent
from glossbot.question import Question, understand
from glossbot.recall import open_store
from glossbot.retrieve import Evidence, Retriever
from glossbot.settings import Settings
from glossbot.verify import Verifier

_REMEMBERED_TURNS = 6


class Glossbot:
    """Answers questions about one glossary."""

    def __init__(
        self, index: Index, embedder: Embedder, model: LanguageModel, settings: Settings, *, cache: Store | None = None
    ) -> None:
        """Put the parts together; without a cache every question is answered anew."""
        self.index = index
        self.settings = settings
        self._embedder = embedder
        self._model = model
        self._retriever = Retriever(index, embedder, limit=settings.max_evidence)
        self._verifier = Verifier(index.names)
        self._memory = Memory(index, embedder, model, settings, cache) if cache else None
        self._flights: Flights[Event] = Flights()

    @classmethod
    def load(cls, settings: Settings | None = None) -> Self:
        """Open the index and find the models; the models themselves are loaded by the first question that needs them.

        Raises:
            SettingsError: a setting does not fit.
            IndexMissingError, IndexCorruptError, IndexOutdatedError: the index cannot be used.
            ModelMissingError, ModelCorruptError, ModelFormatError: a model file cannot be used.
        """
        settings = settings or Settings.load()
        embedder = open_embedder(settings)
        path = weights.locate(settings.model, kind=Kind.LLM, models_dir=settings.models_dir)
        model = LocalModel(
            path,
            context_size=settings.context_size,
            threads=settings.threads,
            gpu_layers=settings.gpu_layers,
            temperature=settings.temperature,
            seed=settings.seed,
        )
        index = Index.open(settings.index_file, embedder=embedder)
        return cls(index, embedder, model, settings, cache=open_store(settings))

    @property
    def glossary(self) -> Glossary:
        """The entries."""
        return self.index.glossary

    @property
    def lexicon(self) -> Lexicon:
        """The words that are no slips of the keyboard: the embedder's."""
        return Lexicon.of(self._embedder.folder)

    def embed(self, text: str) -> Vectors:
        """Return a text's vector, of shape (dimensions,) and length 1.

        Raises:
            EngineError: the embedder cannot be loaded.
        """
        vector: Vectors = self._embedder.encode([text])[0]
        return vector

    def warm_up(self) -> None:
        """Load both models now, so that the first question does not wait for them.

        Raises:
            GlossbotError: one of them cannot be loaded.
        """
        self._model.load()
        self._embedder.load()

    @property
    def memory(self) -> Memory | None:
        """The answers given before, where they are kept."""
        return self._memory

    def ask(
        self,
        question: str,
        history: Sequence[Answer | str] = (),
        *,
        instead_of: Answer | None = None,
        afresh: bool = False,
    ) -> Answer:
        """Answer a question.

        Args:
            question: what the reader typed.
            history: earlier answers, or questions, oldest first.
            instead_of: an earlier answer to it, which is to be worded otherwise; what is true stays the same.
            afresh: whether it is answered anew where an answer was given before.

        Raises:
            QuestionError: it is empty or too long.
            GlossbotError: a model fails; the error's class says how.
        """
        for event in self.stream(question, history, instead_of=instead_of, afresh=afresh):
            if isinstance(event, ErrorEvent):
                raise event.cause
            if isinstance(event, DoneEvent):
                return event.answer
        raise QuestionError("The question was cancelled.")

    def retrieve(self, question: str, history: Sequence[Answer | str] = ()) -> Evidence:
        """Return the evidence for a question, without answering it.

        Raises:
            QuestionError: it is empty or too long.
            EngineError: the embedder is needed and cannot be loaded.
        """
        return self._retriever.retrieve(self._understand(question, history))

    def stream(
        self,
        question: str,
        history: Sequence[Answer | str] = (),
        *,
        cancel: threading.Event | None = None,
        instead_of: Answer | None = None,
        afresh: bool = False,
    ) -> Iterator[Event]:
        """Answer a question event by event, `DoneEvent` last; none follows once `cancel` is set.

        A model that fails gives an `ErrorEvent`, after which the entries' own words still make an answer.

        Args:
            question: what the reader typed.
            history: earlier answers, or questions, oldest first.
            cancel: set by whoever no longer waits.
            instead_of: an earlier answer to it, which is to be worded otherwise.
            afresh: whether it is answered anew where an answer was given before.

        Raises:
            QuestionError: it is empty or too long.
            EngineError: the embedder is needed and cannot be loaded.
        """
        clock = _Clock()
        memory = None if afresh or instead_of else self._memory
        if memory and not history and (hit := memory.exact(question)):  # not even understood
            yield from hit.told(phrasing.clean(question), timings=clock.timings())
            return
        understood = self._understand(question, history)
        clock.mark("understand_ms")
        yield QuestionEvent(
            question=understood.text,
            rewritten=understood.rewritten,
            intent=understood.intent,
            terms=tuple(entry.term for entry in understood.entries),
            unknown=understood.unknown,
        )
        if memory and history and (hit := memory.exact(understood.asked)):
            yield from hit.events(understood.text, understood.rewritten, timings=clock.timings())
            return
        if self._retriever.needs_embedding(understood) and not self._embedder.is_loaded:
            yield ProgressEvent(message="Loading the embedder …")
        evidence = self._retriever.retrieve(understood)
        clock.mark("retrieve_ms")
        if memory and (hit := memory.semantic(evidence)):
            yield from hit.events(understood.text, understood.rewritten, timings=clock.timings())
            return
        if memory is None:
            yield from self._answer(evidence, clock, cancel, instead_of)
            return
        shared = self._flights.join(
            normalise(understood.asked),
            lambda all_cancelled: self._answer_once(memory, evidence, clock, all_cancelled),
            cancel=cancel,
        )
        for event in shared:
            yield _addressed(event, understood)

    def _answer_once(
        self, memory: Memory, evidence: Evidence, clock: "_Clock", cancel: threading.Event
    ) -> Iterator[Event]:
        """Yield a new answer, unless somebody's was kept in the moment since it was looked for."""
        if hit := memory.exact(evidence.question.asked):
            return hit.events(evidence.question.text, evidence.question.rewritten, timings=clock.timings())
        return self._answer(evidence, clock, cancel, None)

    def _answer(
        self, evidence: Evidence, clock: "_Clock", cancel: threading.Event | None, instead_of: Answer | None
    ) -> Iterator[Event]:
        """Yield the events of a new answer from the evidence on, and keep it for the next reader."""
        understood = evidence.question
        cards = tuple(_card(evidence, number) for number in range(1, len(evidence.items) + 1))
        shown = EvidenceEvent(
            status=evidence.status, missing=evidence.missing, suggestions=evidence.suggestions, cards=cards
        )
        yield shown
        if evidence.items and not self._model.is_loaded:
            yield ProgressEvent(message="Loading the model …")
        sentences: list[Sentence] = []
        dropped: list[Dropped] = []
        usage = Usage()
        is_whole = True
        avoid = frozenset(sentence.text for sentence in instead_of.sentences) if instead_of else frozenset()
        for made in self._compose(evidence, cancel, avoid):
            if isinstance(made, Sentence):
                sentences.append(made)
                clock.mark_first_sentence()
                yield SentenceEvent(sentence=made)
            elif isinstance(made, Dropped):
                dropped.append(made)
            elif isinstance(made, Usage):
                usage += made
            else:
                is_whole = is_whole and not isinstance(made, ErrorEvent)
                yield made
        if cancel and cancel.is_set():
            return
        answer = Answer(
            question=understood.text,
            rewritten=understood.rewritten,
            status=evidence.status,
            missing=evidence.missing,
            text=render(sentences, as_list=understood.intent is Intent.LIST),
            sentences=tuple(sentences),
            citations=tuple(_citation(entry, number) for number, entry in enumerate(evidence.entries, 1)),
            suggestions=evidence.suggestions,
            dropped=tuple(dropped),
            timings=clock.timings(usage),
            versions=self.versions,
        )
        if is_whole and self._memory:
            self._memory.keep(evidence, shown, answer)
        yield DoneEvent(answer=answer)

    @property
    def versions(self) -> Versions:
        """What an answer depends on now."""
        return Versions(
            corpus=self.index.header.corpus,
            embedder=self.index.header.embedder,
            model=self._model_fingerprint(),
            prompts=prompts.VERSION,
        )

    def _model_fingerprint(self) -> str:
        try:
            return self._model.fingerprint
        except GlossbotError:
            return ""  # the file is gone; what was said rests on the glossary alone

    def _compose(
        self, evidence: Evidence, cancel: threading.Event | None, avoid: frozenset[str]
    ) -> Iterator[Sentence | Dropped | Usage | ProgressEvent | ErrorEvent]:
        """Compose with the model; where it fails, say so once and go on with the entries' own words."""
        shown: list[Sentence] = []
        composer = Composer(self.glossary, self._verifier, self._model)
        try:
            for made in composer.compose(evidence, cancel=cancel, avoid=avoid):
                if isinstance(made, Sentence):
                    shown.append(made)
                yield made
        except GlossbotError as error:
            yield ErrorEvent(
                cause=error,
                error=type(error).__name__,
                message=str(error),
                exit_code=error.exit_code,
                http_status=error.http_status,
            )
            for made in Composer(self.glossary, self._verifier, None).compose(evidence, cancel=cancel):
                if isinstance(made, Sentence) and made not in shown:
                    yield made

    def _understand(self, question: str, history: Sequence[Answer | str]) -> Question:
        turns: list[Turn] = []
        for earlier in history[-_REMEMBERED_TURNS:]:
            text = earlier if isinstance(earlier, str) else earlier.rewritten or earlier.question
            try:
                understood = understand(text, self.index.names, history=turns)
            except QuestionError:
                continue
            named = [entry.term for entry in understood.entries]
            terms = named
            if not named or understood.seeks_name:  # about what was found, not about what it was told by
                found = (
                    [entry.term for entry in self._retriever.retrieve(understood).entries]
                    if isinstance(earlier, str)
                    else [citation.term for citation in earlier.citations]
                )
                new = [term for term in found if term not in named] or named
                terms = new[:1] if isinstance(earlier, str) or named else new
            if terms:
                turns.append(Turn(intent=understood.intent, terms=tuple(terms), asked=understood.asked))
        return understand(question, self.index.names, history=turns, max_chars=self.settings.max_question_chars)


class _Clock:
    """When what was done, from a question's arrival on."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._marks: dict[str, float] = {}
        self._first_sentence_ms: float | None = None

    def mark(self, name: str) -> None:
        """Say that a step is done: it took the time since the last one."""
        self._marks[name] = round(self._elapsed() - sum(self._marks.values()), 1)

    def mark_first_sentence(self) -> None:
        """Say that a sentence is there; the first time counts."""
        if self._first_sentence_ms is None:
            self._first_sentence_ms = self._elapsed()

    def timings(self, usage: Usage | None = None) -> Timings:
        """Return what it took until now."""
        return Timings(
            **self._marks,
            first_sentence_ms=self._first_sentence_ms,
            total_ms=self._elapsed(),
            **(usage.model_dump() if usage else {}),
        )

    def _elapsed(self) -> float:
        return round((time.perf_counter() - self._begun) * 1000, 1)


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name, not yet loaded.

    Raises:
        ModelMissingError, ModelCorruptError, ModelFormatError: its folder cannot be used.
    """
    folder = weights.locate(settings.embedder, kind=Kind.EMBEDDER, models_dir=settings.models_dir)
    return Embedder(folder, threads=settings.threads)


def _addressed(event: Event, question: Question) -> Event:
    """Return an event of a shared answer as its reader asked for it."""
    if not isinstance(event, DoneEvent):
        return event
    told = {"question": question.text, "rewritten": question.rewritten}
    return DoneEvent(answer=event.answer.model_copy(update=told))


def _citation(entry: Entry, number: int) -> Citation:
    return Citation(
        n=number,
        entry_id=entry.id,
        term=entry.term,
        names=entry.names,
        definition=entry.definition,
        file=entry.file,
        line=entry.line,
        url=entry.url,
        others=entry.others,
        language=entry.language,
        attribution=entry.attribution,
    )


def _card(evidence: Evidence, number: int) -> EvidenceCard:
    item = evidence.items[number - 1]
    return EvidenceCard(**_citation(item.entry, number).model_dump(), reason=item.reason, score=round(item.score, 3))
