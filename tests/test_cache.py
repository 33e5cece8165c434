"""Answers given before: which questions get them, and when they end."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from glossbot import recall
from glossbot.answer import Answer, DoneEvent, Event, EvidenceEvent, QuestionEvent, SentenceEvent, Status
from glossbot.bot import Glossbot
from glossbot.cache.store import Store
from glossbot.embed import Embedder
from glossbot.index import Index
from glossbot.local_model import LocalModel
from glossbot.settings import Settings


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "answers.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def bot(small_index: Index, embedder: Embedder, model: LocalModel, store: Store) -> Glossbot:
    return Glossbot(small_index, embedder, model, Settings(), cache=store)


def without_circumstances(answer: Answer) -> dict[str, object]:
    return answer.model_dump(exclude={"question", "cache", "timings"})


def hit(answer: Answer) -> tuple[str, str] | None:
    return (answer.cache.kind, answer.cache.question) if answer.cache else None


def test_the_same_words_are_an_exact_hit(bot: Glossbot) -> None:
    first = bot.ask("what is GQA")
    again = bot.ask("  What is gqa??")
    assert hit(first) is None
    assert hit(again) == ("exact", "what is GQA")
    assert again.question == "What is gqa??"
    assert without_circumstances(again) == without_circumstances(first)


def test_other_words_for_the_same_are_a_semantic_hit(bot: Glossbot) -> None:
    first = bot.ask("difference between GQA and MQA")
    again = bot.ask("how does multi-query attention differ from grouped-query attention?")
    assert hit(again) == ("semantic", "difference between GQA and MQA")
    assert without_circumstances(again) == without_circumstances(first)


@pytest.mark.parametrize(
    "other", ["what is MQA", "how does GQA work", "what is GQA in practice on CPU", "why is GQA slow"]
)
def test_another_question_is_answered_anew(bot: Glossbot, other: str) -> None:
    bot.ask("what is GQA")
    assert hit(bot.ask(other)) is None


def test_a_hit_tells_the_same_events(bot: Glossbot) -> None:
    def kinds() -> list[str]:
        return [event.type for event in bot.stream("why does GQA shrink the KV cache") if event.type != "progress"]

    assert kinds() == kinds()
    exact = list(bot.stream("why does GQA shrink the KV cache"))
    assert isinstance(exact[0], QuestionEvent)
    assert isinstance(exact[1], EvidenceEvent)
    assert isinstance(exact[-1], DoneEvent)
    assert [event.sentence for event in exact if isinstance(event, SentenceEvent)] == list(exact[-1].answer.sentences)


def test_a_refusal_is_kept_too(bot: Glossbot) -> None:
    assert bot.ask("what is FooAttention").status is Status.NOT_COVERED
    assert hit(bot.ask("What is FooAttention?")) == ("exact", "what is FooAttention")


def test_a_follow_up_is_looked_up_as_it_is_meant(bot: Glossbot) -> None:
    about_gqa, about_mqa = bot.ask("what is GQA"), bot.ask("what is MQA")
    assert hit(bot.ask("and MQA?", [about_gqa])) is not None
    first = bot.ask("does it shrink the KV cache", [about_gqa])
    other = bot.ask("does it shrink the KV cache", [about_mqa])
    assert first.rewritten != other.rewritten
    assert hit(other) is None
    again = bot.ask("does it shrink the KV cache", [about_gqa])
    assert again.cache
    assert without_circumstances(again) == without_circumstances(first)


def test_it_can_be_answered_afresh_and_the_new_answer_is_kept(bot: Glossbot, store: Store) -> None:
    first = bot.ask("what is GQA")
    before = store.answers()[0].id
    assert bot.ask("what is GQA", afresh=True).cache is None
    assert bot.ask("what is GQA", instead_of=first).cache is None
    (kept,) = store.answers()
    assert kept.id != before


def test_a_thumbs_down_drops_the_answer_and_what_it_was_taken_from(bot: Glossbot, store: Store) -> None:
    bot.ask("what is GQA")
    again = bot.ask("define grouped-query attention")
    assert again.cache
    assert bot.memory
    assert bot.memory.forget(again)
    assert store.answers() == []
    assert not bot.memory.forget(again)


def test_only_the_answers_that_cite_a_changed_entry_end(
    small_glossary: Path, embedder: Embedder, model: LocalModel, store: Store, tmp_path: Path
) -> None:
    glossary = tmp_path / "own.md"
    text = small_glossary.read_text(encoding="utf-8")

    def bot_over(written: str) -> Glossbot:
        glossary.write_text(written, encoding="utf-8")
        return Glossbot(Index.build([glossary], embedder)[0], embedder, model, Settings(), cache=store)

    first = bot_over(text)
    for question in ("what is GQA", "what is MQA", "what is FooAttention"):
        first.ask(question)
    edited = bot_over("\n\n\n" + text.replace("can cost quality.", "may cost quality."))
    kept = edited.ask("what is GQA")
    assert hit(kept) == ("semantic", "what is GQA"), "of another version only where understanding bears it out"
    assert kept.citations[0].line == first.ask("what is GQA", afresh=True).citations[0].line + 3
    assert hit(edited.ask("what is MQA")) is None
    assert hit(edited.ask("what is FooAttention")) is None
    assert "may cost quality" in edited.ask("what is MQA").text


def test_another_model_or_setting_has_answers_of_its_own(
    small_index: Index, embedder: Embedder, tiny_gguf: Path, model: LocalModel, store: Store
) -> None:
    Glossbot(small_index, embedder, model, Settings(), cache=store).ask("what is GQA")
    warmer = LocalModel(tiny_gguf, threads=1, temperature=0.5)
    assert hit(Glossbot(small_index, embedder, warmer, Settings(), cache=store).ask("what is GQA")) is None
    settings = Settings(max_evidence=2)
    assert hit(Glossbot(small_index, embedder, model, settings, cache=store).ask("what is GQA")) is None
    settings = Settings(title="another", port=1)
    assert hit(Glossbot(small_index, embedder, model, settings, cache=store).ask("what is GQA")) is not None


def test_ten_readers_at_once_cost_one_answer(bot: Glossbot, store: Store) -> None:
    everyone = threading.Barrier(10)

    def read(number: int) -> list[Event]:
        everyone.wait()
        question = "difference between GQA and MQA" if number % 2 else "Difference between GQA and MQA?"
        return list(bot.stream(question))

    with ThreadPoolExecutor(10) as readers:
        told = list(readers.map(read, range(10)))
    answers = [events[-1].answer for events in told if isinstance(events[-1], DoneEvent)]
    assert len(answers) == 10
    assert all({"question", "evidence", "sentence", "done"} <= {event.type for event in events} for events in told)
    assert len({answer.text for answer in answers}) == 1
    assert len({answer.timings for answer in answers if answer.cache is None}) == 1, "made once"
    assert {answer.question for answer in answers} == {
        "difference between GQA and MQA",
        "Difference between GQA and MQA?",
    }


def test_a_cancelled_answer_is_not_kept(bot: Glossbot, store: Store) -> None:
    cancel = threading.Event()
    for event in bot.stream("why does GQA shrink the KV cache", cancel=cancel):
        if isinstance(event, EvidenceEvent):
            cancel.set()
    assert store.answers() == []


def test_questions_are_recorded_unless_that_is_off(
    small_index: Index, embedder: Embedder, model: LocalModel, bot: Glossbot, store: Store
) -> None:
    bot.ask("what is GQA")
    bot.ask("what is GQA")
    assert store.recorded_questions() == ["what is GQA"]
    silent = Glossbot(small_index, embedder, model, Settings(record_questions=False), cache=store)
    silent.ask("what is MQA")
    silent.ask("what is GQA")
    assert store.recorded_questions() == ["what is GQA"]


def test_a_cache_that_cannot_be_written_costs_no_answer(
    small_index: Index, embedder: Embedder, model: LocalModel, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    bot = Glossbot(small_index, embedder, model, Settings(), cache=Store(tmp_path / "file" / "answers.sqlite"))
    assert bot.ask("what is GQA").text == bot.ask("what is GQA").text


@pytest.fixture
def asked_before(
    small_glossary: Path,
    tiny_embedder: Path,
    tiny_gguf: Path,
    embedder: Embedder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[], Path]:
    """Index a glossary of one's own, ask it a question, and return the glossary file."""

    def ask() -> Path:
        monkeypatch.setenv("GLOSSBOT_EMBEDDER", str(tiny_embedder))
        monkeypatch.setenv("GLOSSBOT_MODEL", str(tiny_gguf))
        glossary = tmp_path / "own.md"
        glossary.write_bytes(small_glossary.read_bytes())
        Index.build([glossary], embedder)[0].save(Settings.load().index_file)
        Glossbot.load().ask("what is GQA")
        return glossary

    return ask


def test_the_same_words_are_recalled_without_an_index(asked_before: Callable[[], Path]) -> None:
    asked_before()
    told = recall.recall(Settings.load(), "What is GQA?")
    assert told
    last = list(told)[-1]
    assert isinstance(last, DoneEvent)
    assert hit(last.answer) == ("exact", "what is GQA")
    assert recall.recall(Settings.load(), "what is MQA") is None
    assert recall.recall(Settings.load(max_evidence=1), "what is GQA") is None
    assert recall.recall(Settings.load(cache=False), "what is GQA") is None


def test_nothing_is_recalled_once_a_file_has_changed(asked_before: Callable[[], Path]) -> None:
    glossary = asked_before()
    glossary.write_text(glossary.read_text(encoding="utf-8") + "\n## tea\n\nTea is a drink.\n", encoding="utf-8")
    assert recall.recall(Settings.load(), "what is GQA") is None


def test_recalling_begins_no_cache(home: Path) -> None:
    assert recall.recall(Settings.load(), "what is GQA") is None
    assert not home.exists()
