"""Choose one of some texts token by token, as a model's own words would lead it.

The texts, as tokens, form a trie. Where they agree nothing is decided and nothing need be computed; where they part,
the model's logits decide. So a sentence of forty tokens costs as many forward passes as it has forks, and what comes
out is always one of the texts, whole. (A GBNF grammar does the same by masking the whole vocabulary at every token,
which costs more than the model itself where that is small.)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

import numpy as np
import numpy.typing as npt

Logits = npt.NDArray[np.float32]
Tokens = tuple[int, ...]


class Chooser:
    """Picks among tokens by their logits: the likeliest, or one drawn at a temperature.

    Args:
        temperature: 0 takes the likeliest.
        seed: of what is drawn; the same seed draws the same.
    """

    def __init__(self, *, temperature: float = 0.0, seed: int = 0) -> None:
        self._temperature = temperature
        self._random = np.random.default_rng(seed)

    def pick(self, logits: Logits, tokens: Sequence[int]) -> int:
        """Return one of some tokens.

        Args:
            logits: of the whole vocabulary, shape ``(n_vocab,)``.
            tokens: those that are open.
        """
        scores = logits[list(tokens)].astype(np.float64)
        if self._temperature <= 0 or not np.isfinite(scores).all():
            return tokens[int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))]
        weights = np.exp((scores - scores.max()) / self._temperature)
        return tokens[int(self._random.choice(len(tokens), p=weights / weights.sum()))]


def walk(
    texts: Iterable[Tokens], *, end: int, compute: Callable[[Tokens], Logits], chooser: Chooser
) -> Iterator[list[Tokens]]:
    """Yield the texts that are still open: all of them, then fewer after each fork, at last one.

    Args:
        texts: each as tokens.
        end: the token for the end of a text, where one is the beginning of another.
        compute: takes the tokens since the last fork, and returns the logits of what may follow, shape ``(n_vocab,)``.
        chooser: decides where texts part.
    """
    open_texts = [(*text, end) for text in dict.fromkeys(texts)]
    computed = 0
    while True:
        yield [text[:-1] for text in open_texts]
        if len(open_texts) == 1:
            return
        fork = shared_length(open_texts)
        logits = compute(open_texts[0][computed:fork])
        chosen = chooser.pick(logits, list(dict.fromkeys(text[fork] for text in open_texts)))
        open_texts = [text for text in open_texts if text[fork] == chosen]
        computed = fork


def shared_length(texts: Sequence[Tokens] | Sequence[str]) -> int:
    """Return how far some texts, as tokens or as characters, begin alike."""
    ends = zip(min(texts), max(texts), strict=False)  # what lies between them in order begins as both do
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
