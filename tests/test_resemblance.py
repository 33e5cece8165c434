"""Texts that are almost the same."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from glossbot.resemblance import ALIKE, alike

TEXT = (
    "A key-value cache keeps the keys and values of earlier tokens in memory, so that each step of decoding computes "
    "only those of the newest token and reads the others."
)


def test_one_word_of_many_may_differ() -> None:
    (found,) = alike([TEXT, "Something else altogether.", TEXT.replace("decoding", "generation")])
    assert (found.text, found.earlier) == (2, 0)
    assert ALIKE <= found.share < 1


def test_case_and_punctuation_do_not_count() -> None:
    (found,) = alike(["Stores keys, and values.", "stores KEYS and values"])
    assert found == (1, 0, 1.0)


def test_few_words_must_be_the_same() -> None:
    assert list(alike(["An even number.", "An odd number."])) == []
    assert list(alike(["An odd number.", "An odd number."])) == [(1, 0, 1.0)]


def test_texts_of_the_same_words_in_another_order_differ() -> None:
    assert list(alike(["The client asks the server for a page.", "The server asks the client for a page."])) == []


def test_scripts_without_spaces_are_compared_by_characters() -> None:
    text = "连续批处理让新的请求在每一步加入批次而不必等待其他请求完成从而提高吞吐量"
    assert [(found.text, found.earlier) for found in alike([text, "另一个术语", text.replace("新", "旧")])] == [(2, 0)]


def test_empty_texts_are_like_nothing() -> None:
    assert list(alike(["", "...", "", "..."])) == []


def test_each_text_of_a_template_is_found_once() -> None:
    texts = [f"{TEXT} This holds for part {number} of the manual." for number in range(300)]
    assert [found.text for found in alike(texts)] == list(range(1, 300))


words = st.lists(st.sampled_from("key value cache token head query".split()), max_size=12).map(" ".join)


@given(st.lists(words, max_size=12))
def test_nothing_that_is_alike_is_missed(texts: list[str]) -> None:
    def pairs(text: str) -> set[tuple[str, str]]:
        return set(pairwise(["", *text.split(), ""])) if text else set()

    def share(left: str, right: str) -> float:
        return len(pairs(left) & pairs(right)) / len(pairs(left) | pairs(right))

    found = {one.text: one for one in alike(texts)}
    for number, text in enumerate(texts):
        best = max((share(text, other) for other in texts[:number] if text and other), default=0.0)
        assert (number in found) is (best >= ALIKE)
        if number in found:
            assert found[number].share == best == share(text, texts[found[number].earlier])
