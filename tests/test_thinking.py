"""What a model says to itself does not reach the reader, however its text is cut into pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.thinking import closing, spoken

CASES = [
    ("The cache grows.", "The cache grows."),
    ("<think>Hm, a < b.</think>The cache grows.", "The cache grows."),
    ("<think>\n\n</think>\n\nThe cache grows.", "\n\nThe cache grows."),
    ("One. <thought>two</thought>Three. <think>four</think>Five.", "One. Three. Five."),
    ("<think>It never comes to an end", ""),
    ("Before. <reasoning>It never comes to an end", "Before. "),
    ("<think>one<think>two</think>Said.", "Said."),
    ("<seed:think>a</think>b</seed:think>c", "c"),
    ("The cache grows.<|im_end|>\n<|im_start|>user\nWhy?", "The cache grows."),
    ("The cache grows.</s>And on.", "The cache grows."),
    ("The cache grows.<end_of_turn>\n", "The cache grows."),
    ("The cache grows.<｜end▁of▁sentence｜>", "The cache grows."),
    ("The cache grows. [INST] Why? [/INST]", "The cache grows. "),
    ("a < b and b <= c, [1] <T> x<y", "a < b and b <= c, [1] <T> x<y"),
    ("It ends in <thi", "It ends in <thi"),
    ("A <|1|> in a long line of <|" + "x" * 50, "A "),
    ("", ""),
]


@pytest.mark.parametrize(("text", "said"), CASES)
def test_thinking_and_marks_of_turns_are_left_out(text: str, said: str) -> None:
    assert "".join(spoken([text])) == said
    assert "".join(spoken(text)) == said, "letter by letter"


@given(st.sampled_from([text for text, _ in CASES]), st.lists(st.integers(0, 60)))
def test_where_a_text_is_cut_into_pieces_does_not_matter(text: str, cuts: list[int]) -> None:
    ends = [*sorted(cuts), len(text)]
    pieces = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert "".join(spoken(pieces)) == "".join(spoken([text]))


def test_what_is_certain_is_said_at_once() -> None:
    pieces = spoken(iter(["The cache ", "grows, a<b", " and ends.", "<think>", "more"]))
    assert next(pieces) == "The cache "
    assert next(pieces) == "grows, a"
    assert next(pieces) == "<b and ends."
    assert list(pieces) == []


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("<|im_start|>assistant\n", ""),
        ("<|im_start|>assistant\n<think>\n", "\n</think>\n\n"),
        ("<think>\n\n</think>\n\n", ""),
        ("<think>a</think> said <thought>", "\n</thought>\n\n"),
    ],
)
def test_thinking_that_a_template_opens_is_closed(text: str, closed: str) -> None:
    assert closing(text) == closed
