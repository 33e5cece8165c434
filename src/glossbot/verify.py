"""Is a sentence supported by an entry? Decided by rules alone, so that the same sentence always gets the same verdict.

A written sentence passes only where it says word for word what one sentence of the entry says, or a part of it that
cannot mean something else: articles and the choice among the entry's names do not count, brackets may go, and so may an
end that begins at a comma and only adds. Nothing may be left out at the beginning, in the middle, or where a condition,
a limit or a contrast begins. That is strict: a free paraphrase is refused, right or wrong, and the entry's own words
are shown instead.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from glossbot.entry import Entry, Frozen, fold
from glossbot.names import NameFinder, stem, tokenize

FEWEST_WORDS, MOST_WORDS = 4, 120
_REMEMBERED = 4096  # texts
_TERM = "@"  # before an entry's id where a name stood; no word has it

# Words that carry no claim of their own; they are no sign that a sentence repeats another one.
LIGHT = frozenset(
    "a an the is are was were be been being it its this that these those which who whose and or of in on at to for "
    "from by with as into over per so such also then thus there their they them has have had do does did because since "
    "when where how why each both any all will".split()
)
_ARTICLES = frozenset(("a", "an", "the"))
_BRACKETS = re.compile(r"\s*\([^()]*\)")
# An end that begins so adds to what was said before it; any other may limit it.
_ADDS = re.compile(r"[,;]\s+(?:so|because|since|for example|such as|which)\b|\s+because\b", re.IGNORECASE)
# After these no cut is safe: what follows may qualify what stands before.
_QUALIFIES = re.compile(
    r"\b(?:no|not|never|nor|none|without|cannot|either|neither|only|more|less|rather|so|as|too|such|whether|if|unless"
    r"|when)\b|n't\b",
    re.IGNORECASE,
)
_LEAK = re.compile(
    r"<\||\|>|\[/?INST|</?s>|https?://|~~|\b(?:as an ai|i am an?|the (?:given|above) text"
    r"|the text (?:says|states|above)|the passage|the question|this glossary)\b",
    re.IGNORECASE,
)


class Verdict(Frozen):
    """Whether a sentence may be shown as supported, and if not, why."""

    supported: bool
    reason: str = ""


class Verifier:
    """Checks sentences against entries of one glossary."""

    def __init__(self, names: NameFinder) -> None:
        self._names = names
        self._words = lru_cache(maxsize=_REMEMBERED)(self._words_of)  # an entry's own sentences come again and again

    def check(self, sentence: str, entry: Entry) -> Verdict:
        """Tell whether an entry supports a sentence.

        Args:
            sentence: one sentence, without citation markers.
            entry: what the sentence would cite.
        """
        if reason := _malformed(sentence):
            return Verdict(supported=False, reason=reason)
        written = self._words(sentence)
        if _TERM + entry.id not in written:
            return Verdict(supported=False, reason=f"does not name {entry.term}")
        if any(written == self._words(text) for text in statements(entry)):
            return Verdict(supported=True)
        foreign = [word for word in written if word not in self._vocabulary(entry)]
        if foreign:
            return Verdict(supported=False, reason=f"not in the entry: {', '.join(dict.fromkeys(foreign))}")
        return Verdict(supported=False, reason="not what a sentence of the entry says")

    def covers(self, shown: Sequence[str], sentence: str) -> bool:
        """Tell whether a sentence adds little to what is shown already."""
        words = self._telling(sentence)
        seen = {word for text in shown for word in self._telling(text)}
        return len(words & seen) >= 0.8 * len(words)

    def _words_of(self, text: str) -> list[str]:
        """Return a text's words as written, folded to small letters, with each name replaced by its entry."""
        words: list[str] = []
        position = 0
        for mention in self._names.find(text):
            # Another alias may be a part of the entry: "top-k" and "top-p" name one, and mean two things.
            if any(
                fold(mention.text) == fold(entry.term) or _is_abbreviation(mention.text, entry.term)
                for entry in mention.entries
            ):
                words += _plain_words(text[position : mention.start])
                words.append(_TERM + mention.entries[0].id)
                position = mention.end
        return words + _plain_words(text[position:])

    def _telling(self, text: str) -> set[str]:
        """Return the stems of the words that carry a claim, and the entries named."""
        return {word if word.startswith(_TERM) else stem(word) for word in self._words(text) if word not in LIGHT}

    def _vocabulary(self, entry: Entry) -> set[str]:
        return {word for source in entry.sentences for word in self._words(source)}


def statements(entry: Entry) -> list[str]:
    """Return what an entry says: its sentences, and what is left when brackets and ends that only add are cut off."""
    return list(dict.fromkeys(text for source in entry.sentences for text in _cuts(source)))


def _cuts(source: str) -> Iterator[str]:
    for text in dict.fromkeys((source, _BRACKETS.sub("", source))):
        yield text
        for cut in _ADDS.finditer(text):
            head = text[: cut.start()]
            if not _QUALIFIES.search(head):
                yield f"{head}."


def _plain_words(text: str) -> list[str]:
    """Cut a text at its spaces; signs and figures stay as they are, only punctuation around a word goes."""
    words = (word.strip('.,;:!?()"“”') for word in text.replace("’", "'").casefold().split())
    return [word for word in words if word and word not in _ARTICLES]


def _is_abbreviation(name: str, term: str) -> bool:
    initials = "".join(token.key[0] for token in tokenize(term))
    return fold(name) == initials


def _malformed(sentence: str) -> str:
    words = len(tokenize(sentence))
    if not sentence.endswith((".", "!", "。")):
        return "unfinished"
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        return f"{words} words long"
    if _LEAK.search(sentence):
        return "speaks of its instructions, or holds markup"
    return ""
