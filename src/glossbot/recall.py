"""Answers given before to a question in the very same words, found without loading an index or a model."""

import time
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pydantic import ValidationError

from glossbot.answer import CacheHit, Event, Given, Timings
from glossbot.cache.normal import normalise
from glossbot.cache.record import Kept
from glossbot.cache.stamp import Stamp, settings_key
from glossbot.cache.store import Store
from glossbot.phrasing import clean
from glossbot.settings import Settings


class Hit(NamedTuple):
    """An answer given before, and how it was found."""

    given: Given
    cache: CacheHit

    @classmethod
    def of(cls, kept: Kept, kind: Literal["exact", "semantic"]) -> "Hit | None":
        """Return a stored answer as it was given, or None where it cannot be read."""
        try:
            given = Given.model_validate_json(kept.record.answer)
        except ValidationError:  # another release wrote it
            return None
        return cls(given, CacheHit(kind=kind, question=kept.record.question))

    def told(self, question: str, *, timings: Timings) -> Iterator[Event]:
        """Yield all events of the answer to a question that stands alone."""
        yield self.given.question.model_copy(update={"question": question})
        yield from self.events(question, None, timings=timings)

    def events(self, question: str, rewritten: str | None, *, timings: Timings) -> Iterator[Event]:
        """Yield the answer's events from the evidence on; see `Given.again`."""
        return self.given.again(self.cache, question=question, rewritten=rewritten, timings=timings)


def open_store(settings: Settings) -> Store | None:
    """Return where answers are kept, or None where they are not."""
    return Store(settings.cache_file, limit_mb=settings.cache_mb, days=settings.cache_days) if settings.cache else None


def recall(settings: Settings, question: str) -> Iterator[Event] | None:
    """Return the events of the answer to a question asked before in the same words, if all it rests on is as it was."""
    begun = time.perf_counter()
    store = open_store(settings)
    if store is None or not settings.cache_file.exists():
        return None
    try:
        written = store.stamp(settings_key(settings))
        stamp = Stamp.model_validate_json(written) if written else None
        if stamp is None or not stamp.holds:
            return None
        kept = store.exact(normalise(question), versions=stamp.versions, corpus=stamp.corpus)
        hit = Hit.of(kept, "exact") if kept else None
        if not (kept and hit):
            return None
        store.used(kept)
        if settings.record_questions is not False:
            store.record_question(kept.record.question)
        took = round((time.perf_counter() - begun) * 1000, 1)
        return hit.told(clean(question), timings=Timings(total_ms=took, first_sentence_ms=took))
    except ValidationError:
        return None
    finally:
        store.close()
