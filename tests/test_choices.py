"""What is chosen is one of the texts, whole, and the model is asked only where they part."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.choices import Chooser, Logits, walk

END = 0
VOCABULARY = 12
tokens = st.lists(st.integers(1, VOCABULARY - 1), min_size=1, max_size=8).map(tuple)


class Model:
    """Logits that depend on all tokens computed so far, as a model's do."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.computed: list[int] = []
        self.calls = 0

    def compute(self, pending: Sequence[int]) -> Logits:
        self.computed += pending
        self.calls += 1
        return np.random.default_rng([self.seed, *self.computed]).standard_normal(VOCABULARY).astype(np.float32)


def choose(texts: Sequence[tuple[int, ...]], model: Model, **how: float) -> tuple[int, ...]:
    chooser = Chooser(temperature=how.get("temperature", 0.0), seed=int(how.get("seed", 0)))
    *_, (chosen,) = walk(texts, end=END, compute=model.compute, chooser=chooser)
    return chosen


@given(st.lists(tokens, min_size=1, max_size=9), st.integers(0, 99), st.sampled_from([0.0, 0.7]))
def test_one_of_the_texts_is_written_whole(texts: list[tuple[int, ...]], seed: int, temperature: float) -> None:
    model = Model(seed)
    chosen = choose(texts, model, temperature=temperature)
    assert chosen in texts
    assert tuple(model.computed) == chosen[: len(model.computed)], "what is computed is what is written"
    assert model.calls <= len(set(texts)) - 1


def test_a_single_text_needs_no_model() -> None:
    model = Model()
    assert choose([(3, 1, 4)], model) == (3, 1, 4)
    assert model.calls == 0


def test_the_likeliest_token_is_taken_at_each_fork() -> None:
    def compute(_pending: Sequence[int]) -> Logits:
        return np.array([0, 1, 9, 5, 0, 7], dtype=np.float32)

    texts = [(1, 4), (3, 5), (3, 1), (3, 4)]
    assert list(walk(texts, end=END, compute=compute, chooser=Chooser()))[-1] == [(3, 5)]


@pytest.mark.parametrize("logit", [-1.0, 9.0])
def test_a_text_that_is_the_beginning_of_another_may_end_there(logit: float) -> None:
    def compute(_pending: Sequence[int]) -> Logits:
        return np.array([logit, 0, 0, 0], dtype=np.float32)

    *_, chosen = walk([(1,), (1, 2)], end=END, compute=compute, chooser=Chooser())
    assert chosen == ([(1,)] if logit > 0 else [(1, 2)])


def test_a_temperature_draws_others_and_a_seed_the_same() -> None:
    texts = [(number,) for number in range(1, VOCABULARY)]
    drawn = {choose(texts, Model(), temperature=2.0, seed=seed) for seed in range(30)}
    assert len(drawn) > 3
    assert choose(texts, Model(), temperature=2.0, seed=5) == choose(texts, Model(), temperature=2.0, seed=5)


def test_logits_that_are_no_numbers_still_choose() -> None:
    def compute(_pending: Sequence[int]) -> Logits:
        return np.full(4, np.nan, dtype=np.float32)

    *_, chosen = walk([(1,), (2,)], end=END, compute=compute, chooser=Chooser(temperature=1.0))
    assert chosen in ([(1,)], [(2,)])
