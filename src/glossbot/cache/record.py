"""What is stored of an answer, and what is told of it."""

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field


class Record(BaseModel):
    """An answer with all that tells whether it answers another question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str = Field(description="The question that it answers, standing alone.")
    exact: str = Field(description="The same, normalised.")
    key: str
    form: str
    kind: str
    words: tuple[str, ...]
    versions: str
    lasting: bool = Field(description="Whether it may outlive its version of the glossary.")
    cited: dict[str, str] = Field(description="For each entry that it shows, its fingerprint.")
    rests_on: tuple[str, ...] = Field(description="Those of them that its sentences cite.")
    answer: str = Field(description="The answer, as whoever stored it wrote it.")


class Candidate(NamedTuple):
    """What is looked at before a stored answer is read: its number and its question's words."""

    id: int
    words: tuple[str, ...]


class Kept(BaseModel):
    """A stored answer, and what has become of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int
    record: Record
    corpus: str = Field(description="The version of the glossary that it was last known to hold for.")
    created: float = Field(description="Seconds since 1970.")
    used: float
    hits: int
    vector: bytes | None = Field(default=None, repr=False)


class Stats(BaseModel):
    """What a cache file holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    answers: int
    mb: float
    limit_mb: int
    hits: int
    recorded_questions: int
    oldest: float | None = None
