"""Follow-ups: each kind is rewritten to stand alone, and a question that stands alone is left as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.followup import Turn, rewrite
from glossbot.names import NameFinder
from glossbot.phrasing import Intent, clean
from glossbot.question import understand

GPTQ = Turn(intent=Intent.DEFINE, terms=("GPTQ",))
AWQ = Turn(intent=Intent.DEFINE, terms=("AWQ",))
BOTH = Turn(intent=Intent.COMPARE, terms=("GPTQ", "AWQ"))
GGUF = Turn(intent=Intent.DEFINE, terms=("GGUF",))


def about(text: str, finder: NameFinder, *history: Turn) -> list[str]:
    return [entry.term for entry in understand(text, finder, history=history).entries]


def test_a_follow_up_is_asked_about_what_was_answered(shipped_names: NameFinder) -> None:
    history = [Turn(intent=Intent.DEFINE, terms=("grouped-query attention",))]
    question = understand("why does it matter?", shipped_names, history=history)
    assert question.text == "why does it matter?"
    assert [entry.term for entry in question.entries] == ["grouped-query attention"]
    assert question.intent is Intent.WHY


@pytest.mark.parametrize(
    "text",
    [
        "why?",
        "why is that",
        "tell me more",
        "can you elaborate?",
        "in simpler words please",
        "hmm i don't get it",
        "explain that like i'm five",
        "give me an example",
        "what's the downside",
        "what about its downside",
        "pros and cons?",
        "does it work on a cpu",
        "isn't that slow?",
        "how do people avoid that",
        "and on the server side",
        "how to tune?",
        "why not always?",
        "good for servers?",
        "any alternative?",
        "ok and the opposite",
        "and its successor?",
        "what else is there",
    ],
)
def test_what_leans_on_the_last_topic_is_about_it(text: str, shipped_names: NameFinder) -> None:
    assert about(text, shipped_names, GGUF, AWQ) == ["AWQ"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("and GGUF?", ["GGUF"]),
        ("no i meant GGUF", ["GGUF"]),
        ("sorry, GGUF", ["GGUF"]),
        ("no, the first one", ["GPTQ"]),
        ("sorry, why?", ["AWQ"]),
        ("does it work with vLLM", ["AWQ", "vLLM"]),
        ("vs GGUF?", ["AWQ", "GGUF"]),
        ("difference to plain GGUF", ["AWQ", "GGUF"]),
        ("second one on a cpu?", ["AWQ"]),
        ("is GGUF the same thing?", ["GGUF", "AWQ"]),
        ("does vLLM support that?", ["vLLM", "AWQ"]),
        ("compare them", ["GPTQ", "AWQ"]),
        ("so what's the difference?", ["GPTQ", "AWQ"]),
        ("what is there to know about each of them", ["GPTQ", "AWQ"]),
        ("which one is faster?", ["GPTQ", "AWQ"]),
        ("which should I pick", ["GPTQ", "AWQ"]),
        ("the first one, does it need data", ["GPTQ"]),
        ("tell me more about the former", ["GPTQ"]),
        ("does the second one need data", ["AWQ"]),
        ("how does it differ from the first", ["AWQ", "GPTQ"]),
        ("back to GPTQ: why is it slow", ["GPTQ"]),
        ("back to the first one: is it slow", ["GPTQ"]),
        ("thanks. what is GGUF", ["GGUF"]),
        ("unrelated: does it rain", []),
        ("forget it. what is GGUF", ["GGUF"]),
    ],
)
def test_a_follow_up_is_about_what_it_points_to(text: str, terms: list[str], shipped_names: NameFinder) -> None:
    assert about(text, shipped_names, GPTQ, AWQ) == terms


def test_what_was_compared_is_there_to_choose_from(shipped_names: NameFinder) -> None:
    assert about("which is better", shipped_names, GGUF, BOTH) == ["GPTQ", "AWQ"]
    assert about("what about the latter", shipped_names, GGUF, BOTH) == ["AWQ"]
    assert about("do they need data", shipped_names, GGUF, BOTH) == ["GPTQ", "AWQ"]


def test_what_helps_against_a_drawback_is_sought_beside_the_topic(shipped_names: NameFinder) -> None:
    asked = Turn(intent=Intent.DEFINE, terms=("scale to zero",), asked="what is the downside of scale to zero?")
    assert understand("how do people fix that", shipped_names, history=[asked]).seeks_name


def test_a_topic_can_be_returned_to_by_a_description(shipped_names: NameFinder) -> None:
    batching = Turn(intent=Intent.DEFINE, terms=("continuous batching",))
    assert about("back to the batching thing, who made it", shipped_names, batching, GGUF) == ["continuous batching"]


def test_a_name_that_shares_words_with_the_topic_need_not_be_said_whole(shipped_names: NameFinder) -> None:
    batch = Turn(intent=Intent.DEFINE, terms=("batch inference",))
    assert about("and the online kind?", shipped_names, batch) == ["online inference"]


@pytest.mark.parametrize(
    "text",
    [
        "what is the KV cache?",
        "ok what is kubernetes",
        "what is a vector database",
        "what do you call it when a request waits for a free slot",
        "shadow deployment: how does it work",
        "how does RAG pick its chunks",
        "my server dies when it gets too many requests, what helps",
        "two complete copies of production, flip a switch, flip back if it breaks",
        "what do we send to a freshly booted server so that the first real customer waits less",
        "blue green against canary, which one rolls back faster",
        "stop calling a provider that is down",
        "is it possible to serve many models at once",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(text: str, shipped_names: NameFinder) -> None:
    assert rewrite(text, shipped_names, [GGUF, AWQ]) is None


@given(
    st.lists(
        st.sampled_from(
            "and what about the second one other it its that they both of back to : , ? no i meant GPTQ which"
            " batching is why more compare them vs forget - ' 🤖 downside instead successor unrelated".split()
        ),
        max_size=9,
    ).map(" ".join)
)
def test_any_follow_up_is_rewritten_in_one_line_or_left(shipped_names: NameFinder, text: str) -> None:
    rewritten = rewrite(text, shipped_names, [GGUF, BOTH])
    assert rewritten is None or clean(rewritten)


FLASH = Turn(intent=Intent.DEFINE, terms=("FlashAttention",))
EVICTION = Turn(intent=Intent.DEFINE, terms=("KV cache eviction",))
TAIL = Turn(intent=Intent.COMPARE, terms=("p50", "P99"))


@pytest.mark.parametrize(
    ("text", "history", "rewritten"),
    [
        ("does vLLM support it too?", (AWQ,), "does vLLM support AWQ too?"),
        ("does vLLM have it?", (AWQ,), "does vLLM have AWQ?"),
        ("what changed in version 2?", (FLASH,), "what changed in FlashAttention-2?"),
        ("how are the last two different", (GGUF, GPTQ, AWQ), "difference between GPTQ and AWQ"),
        ("compare the first two", (GGUF, GPTQ, AWQ), "difference between GGUF and GPTQ"),
        ("compared with offloading", (EVICTION,), "difference between KV cache eviction and KV offloading"),
        ("vs bitsandbytes", (AWQ,), "difference between AWQ and bitsandbytes"),
        ("same as rate limiting?", (AWQ,), "is AWQ the same as rate limiting?"),
        ("which should I put in an SLA?", (TAIL,), "which of p50 and P99 should I put in an SLA?"),
        ("which of the three is slowest", (GGUF, GPTQ, AWQ), "which of GGUF and GPTQ and AWQ is slowest?"),
        ("no, the other thing, GGUF", (AWQ,), "what is GGUF"),
        ("huh? simpler please", (AWQ,), "explain AWQ"),
        ("no, I meant the KS one", (AWQ,), "what is KS test"),
    ],
)
def test_how_a_follow_up_is_rewritten(
    text: str, history: tuple[Turn, ...], rewritten: str, shipped_names: NameFinder
) -> None:
    assert understand(text, shipped_names, history=history).rewritten == rewritten


@pytest.mark.parametrize(
    "text", ["which metric is used for chat latency budgets", "is caching the prompt better than sending it again"]
)
def test_what_only_looks_like_a_follow_up_is_left(text: str, shipped_names: NameFinder) -> None:
    assert understand(text, shipped_names, history=(TAIL,)).rewritten is None
