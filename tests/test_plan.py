"""What is said, in which order, and what each part rests on."""

from collections.abc import Callable

import pytest

from glossbot import prompts
from glossbot.bot import Glossbot
from glossbot.embed import Embedder
from glossbot.entry import Entry
from glossbot.index import Index
from glossbot.local_model import LocalModel
from glossbot.plan import Notice, Opposed, Part, Planner, Quote, Written
from glossbot.settings import Settings
from glossbot.verify import Verifier

Plan = Callable[..., list[Part]]


@pytest.fixture(scope="module")
def plan(embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """Plan the answer to a question over the shipped glossary."""
    index = Index.build(None, embedder)[0]
    planner = Planner(index.glossary, Verifier(index.names))
    bot = Glossbot(index, embedder, LocalModel(tmp_path_factory.mktemp("none") / "no.gguf"), Settings())

    def parts(question: str, *, again: bool = False) -> list[Part]:
        return list(planner.plan(bot.retrieve(question), again=again))

    return parts


def test_a_definition_is_quoted_first_and_needs_no_model(plan: Plan) -> None:
    parts = plan("what is GQA")
    assert all(isinstance(part, Quote) for part in parts)
    first = parts[0]
    assert isinstance(first, Quote)
    assert first.text == first.entry.sentences[0]
    assert not first.only_if_new


def test_a_definition_asked_for_again_is_worded(plan: Plan) -> None:
    first, *rest = plan("what is GQA", again=True)
    assert isinstance(first, Quote)
    assert rest
    assert all(isinstance(part, Written) for part in rest)


def test_a_comparison_has_the_contrast_then_both_sides_in_one_sentence(plan: Plan) -> None:
    contrast, both, *sides = plan("difference between GQA and MQA")
    assert isinstance(contrast, Opposed)
    assert isinstance(both, Written)
    assert [entry.term for entry in both.entries] == ["grouped-query attention", "multi-query attention"]
    assert [quote.text for quote in both.instead] == [entry.sentences[0] for entry in both.entries]
    written = [part for part in sides if isinstance(part, Written)]
    assert [part.entries for part in written] == [(entry,) for entry in both.entries]


def test_a_comparison_without_a_contrast_says_so(plan: Plan) -> None:
    notice, *_ = plan("compare GQA and blue-green deployment")
    assert notice == Notice(text=prompts.no_contrast(["grouped-query attention", "blue-green deployment"]))


def test_three_sides_are_defined_one_by_one(plan: Plan) -> None:
    parts = plan("compare ring attention, sequence parallelism and tensor parallelism")
    defined = [part.entry.term for part in parts if isinstance(part, Quote) and not part.only_if_new]
    assert defined == ["ring attention", "sequence parallelism", "tensor parallelism"]


def test_the_reason_comes_before_what_a_thing_is(plan: Plan) -> None:
    first, *_ = plan("why does GQA shrink the KV cache")
    assert isinstance(first, Written)
    (instead,) = first.instead
    assert "because" in instead.text
    assert "KV cache" in instead.text


def test_where_nothing_more_is_asked_what_a_thing_is_comes_first(plan: Plan) -> None:
    first, *_ = plan("how does speculative decoding work?")
    assert isinstance(first, Written)
    (instead,) = first.instead
    assert instead.text == instead.entry.sentences[0]


@pytest.mark.parametrize(
    "question",
    ["why does GQA shrink the KV cache", "difference between PTQ and QAT", "how does chunked prefill help decode"],
)
def test_every_wording_says_sentences_of_the_entries_that_it_may_use(question: str, plan: Plan) -> None:
    written = [part for part in plan(question) if isinstance(part, Written)]
    assert any(part.wordings for part in written)
    for part in written:
        own = {sentence for entry in part.entries for sentence in entry.sentences}
        assert all(set(wording.says) <= own for wording in part.wordings)
        assert all(quote.text in own for quote in part.instead)


def test_an_entry_that_adds_nothing_is_not_cited(plan: Plan) -> None:
    cited = {entry.term for part in plan("does GQA reduce the KV cache") for entry in entries(part)}
    assert cited == {"grouped-query attention"}


def test_what_is_missing_is_said_first(plan: Plan) -> None:
    first, *_ = plan("difference between GQA and XQA")
    assert first == Notice(text=prompts.lacks(["XQA"]))


def test_a_refusal_is_one_sentence(plan: Plan) -> None:
    (only,) = plan("what is XQA")
    assert isinstance(only, Notice)
    assert only.text.startswith(prompts.NOT_COVERED[:-1])


def entries(part: Part) -> tuple[Entry, ...]:
    match part:
        case Quote():
            return (part.entry,)
        case Opposed():
            return (part.left, part.right)
        case Written():
            return part.entries
        case Notice():
            return ()
