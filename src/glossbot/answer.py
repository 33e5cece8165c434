"""What a reader is given: an answer and its parts, and the events by which it comes.

Nothing heavy is imported here, so that an answer given before is shown without loading what made it.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from glossbot.entry import Frozen, Place
from glossbot.errors import GlossbotError
from glossbot.phrasing import Intent

MARKER = re.compile(r"\s*\[\s*\d[\d,\s]*\]")


class Status(StrEnum):
    """Whether the glossary answers a question."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    AMBIGUOUS = "ambiguous"
    NOT_COVERED = "not_covered"


class Reason(StrEnum):
    """Why an entry is evidence."""

    NAMED = "named"
    SIMILAR = "similar"
    RELATED = "related"


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
        text = MARKER.sub(lambda match: match[0].replace("[", r"\[").replace("]", r"\]"), self.text)
        return text + "".join(f" [{number}]" for number in self.citations)


class Dropped(Frozen):
    """A sentence that the model wrote and no reader sees."""

    text: str
    reason: str


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
    evaluated_tokens: int = 0


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


class Given(Frozen):
    """A whole answer as it was given, to be given again."""

    question: QuestionEvent
    evidence: EvidenceEvent
    answer: Answer

    def again(self, hit: CacheHit, *, question: str, rewritten: str | None, timings: Timings) -> Iterator[Event]:
        """Yield the events of the answer, from the evidence on, for another reader.

        Args:
            hit: how it was found.
            question: what the reader typed.
            rewritten: the same, standing alone, where it leant on earlier turns.
            timings: what it took this time.
        """
        yield self.evidence
        for sentence in self.answer.sentences:
            yield SentenceEvent(sentence=sentence)
        told = {"question": question, "rewritten": rewritten, "cache": hit, "timings": timings}
        yield DoneEvent(answer=self.answer.model_copy(update=told))
