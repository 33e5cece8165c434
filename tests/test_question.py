"""Questions: hostile ones, comparisons, follow-ups and unknown names. What tuning may change is not pinned here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.errors import QuestionError
from glossbot.followup import Turn
from glossbot.names import NameFinder
from glossbot.phrasing import Intent, clean
from glossbot.question import understand


def terms(text: str, finder: NameFinder) -> list[str]:
    return [entry.term for entry in understand(text, finder).entries]


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00", "\u200b\u202e\ufeff", "?!…", "🤖🤖🤖", "\ud800", "\u0301"])
def test_nothing_asked_is_an_error(text: str, shipped_names: NameFinder) -> None:
    with pytest.raises(QuestionError, match="empty"):
        understand(text, shipped_names)


def test_a_question_that_is_too_long_is_an_error(shipped_names: NameFinder) -> None:
    with pytest.raises(QuestionError, match="100000 characters, 1000 are taken"):
        understand("GQA " * 24_999 + "GQA!", shipped_names)
    assert terms("GQA " + "x" * 96, shipped_names)
    with pytest.raises(QuestionError):
        understand("GQA " + "x" * 97, shipped_names, max_chars=100)


@pytest.mark.parametrize(
    "text",
    [
        "what is G\u200bQ\u200bA",
        "what is \u202eGQA\u202c",
        "what is GQA\x00",
        "what is GQA \ud83d",
        "what is GQA 🤖",
        "what\r\nis\tGQA\u2028?",
        "\ufeffwhat is GQA",
        "what is ＧＱＡ",
        "what is <b>GQA</b>",
        "what is GQA\ue000?",
    ],
)
def test_a_name_is_found_through_hostile_characters(text: str, shipped_names: NameFinder) -> None:
    assert terms(text, shipped_names) == ["grouped-query attention"]


@given(st.text(max_size=80))
def test_a_clean_question_is_one_plain_line(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert cleaned.isprintable()
    cleaned.encode()


@given(st.text(alphabet=st.sampled_from("GQAMQ vs and orthe?-'’ \ue000\u200bwhatisdifferencebetween🤖,."), max_size=60))
def test_any_question_is_understood_or_refused(shipped_names: NameFinder, text: str) -> None:
    try:
        question = understand(text, shipped_names, history=[Turn(intent=Intent.COMPARE, terms=("KV cache", "vLLM"))])
    except QuestionError:
        return
    assert not any("\ue000" <= char <= "\uf8ff" for name in (*question.sides, *question.unknown) for char in name)


@pytest.mark.parametrize(
    "text",
    [
        "difference between GQA and MQA",
        "What's the difference between GQA and MQA?",
        "GQA vs MQA",
        "GQA vs. multi-query attention",
        "GQA versus MQA",
        "GQA or MQA?",
        "how does grouped-query attention differ from multi query attention",
        "compare gqa with mqa",
        "is GQA the same as MQA?",
        "GQA, MQA: what is the difference?",
    ],
)
def test_a_comparison_names_both_sides(text: str, shipped_names: NameFinder) -> None:
    question = understand(text, shipped_names)
    assert question.intent is Intent.COMPARE
    assert [entry.term for entry in question.entries] == ["grouped-query attention", "multi-query attention"]
    assert question.unknown == ()


def test_an_unknown_side_of_a_comparison_is_named(shipped_names: NameFinder) -> None:
    question = understand("difference between GQA and XQA", shipped_names)
    assert question.unknown == ("XQA",)
    assert [entry.term for entry in question.entries] == ["grouped-query attention"]


@pytest.mark.parametrize(
    ("text", "unknown"),
    [("what is XQA", "XQA"), ("explain FlashAttention-4", "FlashAttention-4"), ("what is INT3?", "INT3")],
)
def test_an_unknown_name_is_named(text: str, unknown: str, shipped_names: NameFinder) -> None:
    question = understand(text, shipped_names)
    assert question.unknown == (unknown,)
    assert question.entries == ()
