"""Is a sentence supported by entries? Decided by rules alone, so that the same sentence always gets the same verdict.

A written sentence passes only where it says what one sentence of the entry says, in an order of its clauses that keeps
the meaning (`wording`), or a part of it that cannot mean something else: articles, synonyms and the choice among the
entry's names do not count, brackets may go, and so may an end that begins at a comma and only adds. Nothing may be left
out at the beginning, in the middle, or where a condition, a limit or a contrast begins. That is strict: a paraphrase
that the rules do not know is refused, right or wrong, and the entry's own words are shown instead.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations

from glossbot.entry import Entry, Frozen, fold
from glossbot.names import NameFinder, stem, tokenize
from glossbot.synonyms import canonical
from glossbot.wording import Wordings

FEWEST_WORDS, MOST_WORDS = 4, 120
_REMEMBERED = 4096  # texts
MENTION = "@"  # before an entry's id where a name stood; no word has it

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
        self.wordings = Wordings(names)
        self._words = lru_cache(maxsize=_REMEMBERED)(self._words_of)  # an entry's own sentences come again and again
        self._telling = lru_cache(maxsize=_REMEMBERED)(self._find_telling)
        self._said = lru_cache(maxsize=_REMEMBERED)(self._said_by)

    def check(self, sentence: str, *entries: Entry) -> Verdict:
        """Tell whether entries support a sentence.

        Args:
            sentence: one sentence, without citation markers.
            entries: what the sentence would cite: one entry, or two that it sets side by side.
        """
        if reason := _malformed(sentence):
            return Verdict(supported=False, reason=reason)
        written = self._words(sentence)
        named = {entry for mention in self._names.find(sentence) for entry in mention.entries}
        for entry in entries:
            if entry not in named:
                return Verdict(supported=False, reason=f"does not name {entry.term}")
        if written in self._said(entries):
            return Verdict(supported=True)
        known = {word for words in self._said(entries) for word in words}
        foreign = [word for word in written if word not in known]
        if foreign:
            return Verdict(supported=False, reason=f"not in the glossary's text: {', '.join(dict.fromkeys(foreign))}")
        return Verdict(supported=False, reason="not what the glossary says")

    def covers(self, shown: Sequence[str], sentence: str) -> bool:
        """Tell whether a sentence adds little to what is shown already."""
        words = self.telling(sentence)
        seen = {word for text in shown for word in self.telling(text)}
        return len(words & seen) >= 0.8 * len(words)

    def telling(self, text: str) -> frozenset[str]:
        """Return the stems of the words that carry a claim, one for all synonyms, and a mark for each entry named."""
        return self._telling(text)

    def _find_telling(self, text: str) -> frozenset[str]:
        marks, rest, position = set(), "", 0
        for mention in self._names.find(text):
            marks |= {MENTION + entry.id for entry in mention.entries}
            rest += text[position : mention.start]
            position = mention.end
        words = _plain_words(rest + text[position:])
        return frozenset(marks | {stem(word) for word in words if word not in LIGHT})

    def _said_by(self, entries: tuple[Entry, ...]) -> frozenset[tuple[str, ...]]:
        """Return what entries say, in every form that is allowed, as words."""
        if len(entries) == 1:
            (entry,) = entries
            return frozenset(map(self._words, (*statements(entry), *self.wordings.forms(entry))))
        return frozenset(
            self._words(text)
            for left, right in permutations(entries, 2)
            for text in self.wordings.forms_together(left, right)
        )

    def _words_of(self, text: str) -> tuple[str, ...]:
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
                words.append(MENTION + mention.entries[0].id)
                position = mention.end
        return (*words, *_plain_words(text[position:]))


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
    words = (word.strip('.,;:!?()"“”') for word in canonical(text.replace("’", "'")).casefold().split())
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
