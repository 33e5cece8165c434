"""What one `Glossbot` remembers of the answers that it gave: `cache` in terms of evidence and answers."""

from collections.abc import Iterator
from functools import cached_property
from importlib import metadata
from pathlib import Path

from glossbot import paths, prompts
from glossbot.answer import Answer, Citation, EvidenceEvent, Given, QuestionEvent
from glossbot.cache.answers import AnswerCache, Vector, Versions
from glossbot.cache.key import digest
from glossbot.cache.normal import normalise
from glossbot.cache.sameness import Lexicon
from glossbot.cache.stamp import Stamp, settings_key
from glossbot.cache.store import Store
from glossbot.embed import Embedder
from glossbot.errors import GlossbotError
from glossbot.index import Index
from glossbot.llm import LanguageModel
from glossbot.readers import Root
from glossbot.recall import Hit
from glossbot.retrieve import Evidence
from glossbot.settings import Settings


class Memory:
    """The answers given before that still hold for an index, an embedder, a model and settings."""

    def __init__(
        self, index: Index, embedder: Embedder, model: LanguageModel, settings: Settings, store: Store
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._model = model
        self._settings = settings
        self._store = store
        self._is_stamped = False

    @cached_property
    def answers(self) -> AnswerCache:
        """The stored answers.

        Raises:
            GlossbotError: the model's file is gone, so that nothing can be said of its answers.
        """
        made_by = (metadata.version("glossbot"), self._embedder.fingerprint, self._model.fingerprint, prompts.VERSION)
        glossary = self._index.glossary
        places = (f"{entry.id} {entry.file} {entry.line} {entry.url}" for entry in glossary.entries)
        return AnswerCache(
            self._store,
            Versions.of(*made_by, settings_key(self._settings), corpus=digest(glossary.fingerprint, *places)),
            fingerprints={entry.id: entry.fingerprint for entry in glossary.entries},
            lexicon=Lexicon.of(self._embedder.folder),
            renewed=self._renewed,
        )

    def exact(self, question: str) -> Hit | None:
        """Return the answer to a question that was asked in the same words, or None."""
        try:
            kept = self.answers.exact(question)
        except GlossbotError:
            return None
        hit = Hit.of(kept, "exact") if kept else None
        if hit:
            self._record(question)
        return hit

    def has(self, question: str) -> bool:
        """Tell whether a question was asked in these words; that is not counted as a hit."""
        versions = self.answers.versions
        kept = self._store.exact(normalise(question), versions=versions.maker, corpus=versions.corpus)
        return kept is not None

    def semantic(self, evidence: Evidence) -> Hit | None:
        """Return the answer to a question that is the same as this one, or None."""
        try:
            kept = self.answers.semantic(evidence, self._embed if self._embedder.is_loaded else None)
        except GlossbotError:
            return None
        hit = Hit.of(kept, "semantic") if kept else None
        if hit:
            self._record(evidence.question.asked)
        return hit

    def keep(self, evidence: Evidence, shown: EvidenceEvent, answer: Answer) -> bool:
        """Keep a whole answer; tell whether it was stored."""
        question = evidence.question
        event = QuestionEvent(
            question=question.asked,
            rewritten=None,
            intent=question.intent,
            terms=tuple(entry.term for entry in question.entries),
            unknown=question.unknown,
        )
        given = Given(question=event, evidence=shown, answer=answer)
        cited = {number for sentence in answer.sentences for number in sentence.citations}
        try:
            vector = self._embed(question.asked) if self._embedder.is_loaded else None
            is_kept = self.answers.keep(
                evidence,
                given.model_dump_json(),
                rests_on=[citation.entry_id for citation in answer.citations if citation.n in cited],
                vector=vector,
            )
        except GlossbotError:
            return False
        self._record(question.asked)
        self._stamp()
        return is_kept

    def forget(self, answer: Answer) -> bool:
        """Drop an answer that a reader found wrong, also the one that it was taken from; tell whether it was kept."""
        asked = answer.cache.question if answer.cache else answer.rewritten or answer.question
        try:
            return self.answers.forget(asked)
        except GlossbotError:
            return False

    def _embed(self, text: str) -> Vector:
        vector: Vector = self._embedder.encode([text])[0]
        return vector

    def _record(self, question: str) -> None:
        if self._settings.record_questions is not False:
            self._store.record_question(question)

    def _stamp(self) -> None:
        """Say once, for commands that load nothing, which files the stored answers rest on."""
        if self._is_stamped:
            return
        self._is_stamped = True
        versions = self.answers.versions
        files = list(self._files())
        stamp = Stamp.of(files, versions=versions.maker, corpus=versions.corpus) if files else None
        if stamp:
            self._store.keep_stamp(settings_key(self._settings), stamp.model_dump_json())

    def _files(self) -> Iterator[Path]:
        """Yield the files and folders that answers rest on; none where the model is no file of this machine."""
        model = getattr(self._model, "path", None)
        if isinstance(model, Path):
            yield from (self._settings.index_file, model, self._embedder.folder)
            yield from (root.path for root in self._index.roots or (Root.of(paths.shipped_corpus()),))
            yield from (Path(source.path) for source in self._index.header.sources)

    def _renewed(self, written: str) -> str:
        """Return a stored answer with the places where its entries stand now."""
        given = Given.model_validate_json(written)
        by_id = self._index.glossary.by_id

        def place(citation: Citation) -> dict[str, object]:
            entry = by_id[citation.entry_id]
            return {"file": entry.file, "line": entry.line, "url": entry.url, "others": entry.others}

        citations = tuple(one.model_copy(update=place(one)) for one in given.answer.citations)
        cards = tuple(one.model_copy(update=place(one)) for one in given.evidence.cards)
        answer = given.answer.model_copy(update={"citations": citations})
        evidence = given.evidence.model_copy(update={"cards": cards})
        return given.model_copy(update={"answer": answer, "evidence": evidence}).model_dump_json()
