"""Glossbot: the path from a question to its answer, and the events on the way.

Every front end shows the events of `Glossbot.stream`; none decides anything about answers.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from glossbot import prompts, weights
from glossbot.compose import Composer, Dropped, Sentence, render
from glossbot.embed import Embedder
from glossbot.entry import Entry, Frozen, Glossary, Place
from glossbot.errors import GlossbotError, QuestionError
from glossbot.followup import Turn
from glossbot.index import Index
from glossbot.llm import LanguageModel, LocalModel, Usage
from glossbot.manifest import Kind
from glossbot.phrasing import Intent
from glossbot.question import Question, understand
from glossbot.retrieve import Evidence, Reason, Retriever, Status
from glossbot.settings import Settings
from glossbot.verify import Verifier

_REMEMBERED_TURNS = 6


class Citation(Frozen):
    """An entry that an answer rests on, and where it stands."""

    n: int
    entry_id: str
    term: str
    names: tuple[str, ...]
    definition: str
    file: str
    line: int
    url: str | None = None
    others: tuple[Place, ...] = ()
    language: str | None = None
    attribution: str | None = None


class Timings(Frozen):
    """What an answer took; milliseconds from the question's arrival, and tokens."""

    understand_ms: float = 0.0
    retrieve_ms: float = 0.0
    first_sentence_ms: float | None = None
    total_ms: float = 0.0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0


class Versions(Frozen):
    """Hashes of what an answer depends on."""

    corpus: str
    embedder: str
    model: str
    prompts: str


class CacheHit(Frozen):
    """That an answer was given before, and to which question."""

    kind: Literal["exact", "semantic"]
    question: str


class Answer(Frozen):
    """A whole answer."""

    question: str
    rewritten: str | None
    status: Status
    missing: tuple[str, ...]
    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    suggestions: tuple[str, ...]
    cache: CacheHit | None = None
    dropped: tuple[Dropped, ...]
    timings: Timings
    versions: Versions


class ProgressEvent(Frozen):
    """Something takes a while."""

    type: Literal["progress"] = "progress"
    message: str


class QuestionEvent(Frozen):
    """The question as understood."""

    type: Literal["question"] = "question"
    question: str
    rewritten: str | None
    intent: Intent
    terms: tuple[str, ...]
    unknown: tuple[str, ...]


class EvidenceCard(Citation):
    """An entry to show beside the answer, with the reason why."""

    reason: Reason
    score: float


class EvidenceEvent(Frozen):
    """The entries that the answer will rest on, and the verdict."""

    type: Literal["evidence"] = "evidence"
    status: Status
    missing: tuple[str, ...]
    suggestions: tuple[str, ...]
    cards: tuple[EvidenceCard, ...]


class SentenceEvent(Frozen):
    """One verified sentence."""

    type: Literal["sentence"] = "sentence"
    sentence: Sentence


class ErrorEvent(Frozen):
    """Something failed; what the entries themselves say still follows where it can."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    type: Literal["error"] = "error"
    cause: SkipJsonSchema[GlossbotError] = Field(exclude=True, repr=False)
    error: str
    message: str
    exit_code: int
    http_status: int


class DoneEvent(Frozen):
    """The whole answer; the last event."""

    type: Literal["done"] = "done"
    answer: Answer


Event = Annotated[
    ProgressEvent | QuestionEvent | EvidenceEvent | SentenceEvent | ErrorEvent | DoneEvent, Field(discriminator="type")
]


class Glossbot:
    """Answers questions about one glossary."""

    def __init__(self, index: Index, embedder: Embedder, model: LanguageModel, settings: Settings) -> None:
        self.index = index
        self.settings = settings
        self._embedder = embedder
        self._model = model
        self._retriever = Retriever(index, embedder, limit=settings.max_evidence)
        self._verifier = Verifier(index.names)

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
        return cls(Index.open(settings.index_file, embedder=embedder), embedder, model, settings)

    @property
    def glossary(self) -> Glossary:
        """The entries."""
        return self.index.glossary

    def warm_up(self) -> None:
        """Load both models now, so that the first question does not wait for them.

        Raises:
            GlossbotError: one of them cannot be loaded.
        """
        self._model.load()
        self._embedder.load()

    def ask(self, question: str, history: Sequence[Answer | str] = (), *, instead_of: Answer | None = None) -> Answer:
        """Answer a question.

        Args:
            question: what the reader typed.
            history: earlier answers, or questions, oldest first.
            instead_of: an earlier answer to it, which is to be worded otherwise; what is true stays the same.

        Raises:
            QuestionError: it is empty or too long.
            GlossbotError: a model fails; the error's class says how.
        """
        for event in self.stream(question, history, instead_of=instead_of):
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
    ) -> Iterator[Event]:
        """Answer a question event by event, `DoneEvent` last; none follows once `cancel` is set.

        A model that fails gives an `ErrorEvent`, after which the entries' own words still make an answer.

        Args:
            question: what the reader typed.
            history: earlier answers, or questions, oldest first.
            cancel: set by whoever no longer waits.
            instead_of: an earlier answer to it, which is to be worded otherwise.

        Raises:
            QuestionError: it is empty or too long.
            EngineError: the embedder is needed and cannot be loaded.
        """
        begun = time.perf_counter()

        def elapsed() -> float:
            return round((time.perf_counter() - begun) * 1000, 1)

        understood = self._understand(question, history)
        understand_ms = elapsed()
        yield QuestionEvent(
            question=understood.text,
            rewritten=understood.rewritten,
            intent=understood.intent,
            terms=tuple(entry.term for entry in understood.entries),
            unknown=understood.unknown,
        )
        if self._retriever.needs_embedding(understood) and not self._embedder.is_loaded:
            yield ProgressEvent(message="Loading the embedder …")
        evidence = self._retriever.retrieve(understood)
        retrieve_ms = elapsed() - understand_ms
        cards = tuple(_card(evidence, number) for number in range(1, len(evidence.items) + 1))
        yield EvidenceEvent(
            status=evidence.status, missing=evidence.missing, suggestions=evidence.suggestions, cards=cards
        )
        if evidence.items and not self._model.is_loaded:
            yield ProgressEvent(message="Loading the model …")
        sentences: list[Sentence] = []
        dropped: list[Dropped] = []
        usage = Usage()
        first_sentence_ms: float | None = None
        avoid = frozenset(sentence.text for sentence in instead_of.sentences) if instead_of else frozenset()
        for made in self._compose(evidence, cancel, avoid):
            if isinstance(made, Sentence):
                sentences.append(made)
                first_sentence_ms = first_sentence_ms if first_sentence_ms is not None else elapsed()
                yield SentenceEvent(sentence=made)
            elif isinstance(made, Dropped):
                dropped.append(made)
            elif isinstance(made, Usage):
                usage += made
            else:
                yield made
        if cancel and cancel.is_set():
            return
        yield DoneEvent(
            answer=Answer(
                question=understood.text,
                rewritten=understood.rewritten,
                status=evidence.status,
                missing=evidence.missing,
                text=render(sentences, as_list=understood.intent is Intent.LIST),
                sentences=tuple(sentences),
                citations=tuple(_citation(entry, number) for number, entry in enumerate(evidence.entries, 1)),
                suggestions=evidence.suggestions,
                dropped=tuple(dropped),
                timings=Timings(
                    understand_ms=understand_ms,
                    retrieve_ms=round(retrieve_ms, 1),
                    first_sentence_ms=first_sentence_ms,
                    total_ms=elapsed(),
                    **usage.model_dump(),
                ),
                versions=self.versions,
            )
        )

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


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name, not yet loaded.

    Raises:
        ModelMissingError, ModelCorruptError, ModelFormatError: its folder cannot be used.
    """
    folder = weights.locate(settings.embedder, kind=Kind.EMBEDDER, models_dir=settings.models_dir)
    return Embedder(folder, threads=settings.threads)


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
