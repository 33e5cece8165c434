"""Whether two questions are one, from their words alone."""

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.cache.asking import asked
from glossbot.cache.frames import Kind
from glossbot.cache.normal import normalise
from glossbot.cache.sameness import Lexicon, same
from glossbot.cache.synonymy import lemma
from glossbot.names import NameFinder

QUESTIONS = st.text(st.characters(codec="utf-8"), max_size=60)
WORDS = st.text(string.ascii_lowercase, min_size=1, max_size=12)


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    """A vocabulary of a few whole words."""
    file = tmp_path_factory.mktemp("words") / "vocab.txt"
    file.write_text("luggage allowance passenger prescription archive increase decrease austria australia meaning\n")
    return Lexicon(file)


@pytest.fixture(scope="module")
def are_same(shipped_names: NameFinder, lexicon: Lexicon):  # type: ignore[no-untyped-def]
    """Compare two questions about the shipped glossary."""

    def compare(one: str, other: str) -> bool:
        both = [
            asked(text, [mention for mention in shipped_names.find(text) if mention.entries]) for text in (one, other)
        ]
        forth, back = same(both[0], both[1], lexicon), same(both[1], both[0], lexicon)
        assert forth == back
        return forth

    return compare


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("what is TTFT", "Could you please tell me what time to first token means?"),
        ("difference between GQA and MQA", "how does multi-query attention differ from grouped-query attention"),
        ("Is speculative decoding supported by vLLM?", "does vLLM support speculative decoding"),
        ("AWQ or GPTQ, which is better?", "is GPTQ or AWQ better"),
        ("why does the KV cache grow", "how come the key-value cache gets bigger"),
        ("what is the luggage allowance for passengers", "Hi! what is the lugage allowence for passengers, please"),
        ("For my order, where is the receipt?", "where is the receipt for my order"),
        ("is it 10 GB", "is it 10GB"),
        ("which colour is the center", "which color is the centre"),
    ],
)
def test_the_same_in_other_words(are_same, one: str, other: str) -> None:  # type: ignore[no-untyped-def]
    assert are_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("what is GQA", "what is MQA"),
        ("what is GQA", "how does GQA work"),
        ("is prefill faster than decode", "is decode faster than prefill"),
        ("convert ONNX to SafeTensors", "convert SafeTensors to ONNX"),
        ("does GQA need calibration", "does GQA not need calibration"),
        ("how do I lower TTFT", "how do I lower TTFT on CPU"),
        ("how does speculative decoding work", "how does speculative decoding work without a draft model"),
        ("RoPE scaling to 32k", "RoPE scaling to 128k"),
        ("what does temperature do", "what does top-p do"),
        ("all ways to lower TTFT", "ways to lower TTFT"),
        ("does it increase", "does it decrease"),
        ("how do I archive it", "how do I unarchive it"),
        ("flights to Austria", "flights to Australia"),
        ("price in £400", "price in $400"),
        ("trains in the morning", "trains in the evening"),
        ("is 3 < 4", "is 3 > 4"),
        ("what does the employer pay", "what does the employed pay"),
        ("important duties", "import duties"),
    ],
)
def test_another_question(are_same, one: str, other: str) -> None:  # type: ignore[no-untyped-def]
    assert not are_same(one, other)


def test_without_a_vocabulary_nothing_is_a_slip(tmp_path: Path) -> None:
    assert not same(asked("lugage rules"), asked("luggage rules"), Lexicon(tmp_path / "none.txt"))


def test_what_is_asked_for_is_told_from_the_form(shipped_names: NameFinder) -> None:
    kinds = {
        text: asked(text, shipped_names.find(text)).kind
        for text in ("GQA", "GQA vs MQA", "why use GQA", "why is GQA fast", "is GQA fast")
    }
    assert list(kinds.values()) == [Kind.DEFINE, Kind.COMPARE, Kind.PURPOSE, Kind.WHY, Kind.WHETHER]


@given(QUESTIONS)
def test_a_question_is_itself_however_it_is_shown(question: str) -> None:
    exact = normalise(question)
    assert normalise(exact) == exact
    assert normalise(f"  {question} ?! ") == exact
    assert normalise(question.replace(" ", "\u200b \u00a0")) == exact


@given(QUESTIONS)
def test_a_question_is_the_same_as_itself(question: str) -> None:
    one = asked(question)
    assert same(one, one, Lexicon(Path("none")))


@given(st.lists(WORDS, max_size=8), st.integers(0, 10**6), st.integers(0, 10**6))
def test_other_numbers_are_another_question(words: list[str], one: int, other: int) -> None:
    first, second = (" ".join((*words, str(number))) for number in (one, other))
    assert (normalise(first) == normalise(second)) == (one == other)
    assert same(asked(first), asked(second), Lexicon(Path("none"))) == (one == other)


@given(st.lists(WORDS, min_size=1, max_size=8), st.sampled_from(["not", "never", "without", "only", "all"]))
def test_a_word_that_limits_or_denies_counts(words: list[str], word: str) -> None:
    plain = " ".join(words)
    limited = f"{plain} {word}"
    if word not in words:
        assert not same(asked(plain), asked(limited), Lexicon(Path("none")))


@given(WORDS)
def test_forms_of_a_word_share_their_lemma(word: str) -> None:
    if (
        len(word) > 4
        and word[-1] not in "aeiouysxzhgd"
        and word[-1] != word[-2]
        and any(char in "aeiou" for char in word)
    ):
        assert lemma(word) == lemma(f"{word}s") == lemma(f"{word}ed") == lemma(f"{word}ing")


def test_capitals_that_make_a_name_count() -> None:
    assert normalise("what does IT do?") != normalise("What does it do?")
    assert normalise("What is GQA") == normalise("what is gqa")
