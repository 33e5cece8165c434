"""Find the entries that a text names: by headword, alias or abbreviation, inflected, spaced otherwise or misspelt.

Names are compared folded (`entry.fold`): case, spaces, hyphens and punctuation do not count, digits always do, so
"flash attention 2" names FlashAttention-2 and never FlashAttention. The longest name wins. Spelling is forgiven by
optimal string alignment distance (Damerau's operations, each stretch edited once), little for short names, where one
letter makes another name (GQA, MQA), and never in digits.
"""

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer
from pydantic import Field
from rapidfuzz.distance import OSA

from glossbot.entry import Entry, Frozen, Glossary, fold
from glossbot.spelling import Spellings, most_edits

_VERSION = re.compile(r"v?\d+(?:\.\d+)*[a-z]?")
_WORD = re.compile(r"[^\W\d_]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9+#]+")
_NO_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_STEMMER = snowballstemmer.stemmer("english")


# Words that carry no subject matter: question frames, auxiliaries, pronouns, politeness.
FUNCTION_WORDS = frozenset(
    """
    a about above actually after again all also always am an and another any anyone anything are aren't as asking at
    be because been before being below best better between both briefly but by can cannot can't care clearly come
    compare compared comparison could curious define definition describe detail details did didn't differ difference
    differences different differs distinguish do does doesn't doing don't done each easy either else english entry
    even ever every exactly example examples explain explained explanation few find for from general get give
    given glossary go good got had happen happens has have having he hello help her here hey hi him his how i idea if
    in instead into is isn't it its it's just kind know less let like list look lot made main make makes many matter
    matters may me mean meaning means meant might mind mine more most much must my name named need needed needs never
    no not now of off often ok okay on one ones only or other others our out over people play please point
    possible purpose put quick quickly quite rather real really reason regarding relate related relation relationship
    relative right role run s said same say see seem sense shall she short should show simple simply so some somebody
    someone something sort stand stands still such summarise summarize sure tell term terms than thank thanks that
    that's the their them then there these they thing things think this those to too topic trying type types
    under understand understanding up us use used useful uses using usually very versus via vs want was way ways we
    well were what whats what's when where whether which while who whom whose why will with without wonder word words
    work working works worse worth would wouldn't x y yes yet you your
    """.split()
)


class Token(NamedTuple):
    """A word of a text: ``text[start:end]``, and the same folded."""

    start: int
    end: int
    key: str


class MatchKind(StrEnum):
    """How a name was recognised, the surest first."""

    EXACT = "exact"
    INFLECTED = "inflected"
    MISSPELT = "misspelt"
    SHORTENED = "shortened"
    OTHER_VERSION = "other version"


class Mention(Frozen):
    """A stretch of a text that names entries; several where the name has several senses, none for another version."""

    start: int
    end: int
    text: str
    name: str
    entries: tuple[Entry, ...]
    kind: MatchKind
    everyday: bool = Field(default=False, description="Whether it may be meant as just a word.")


def tokenize(text: str) -> list[Token]:
    """Cut a text into words; in scripts that use no spaces every character is one."""
    if text.isascii():
        return [Token(match.start(), match.end(), match[0].lower()) for match in _ASCII_WORD.finditer(text)]
    tokens: list[Token] = []
    start = -1
    for position, char in enumerate(text):
        if _is_word(char):
            if _stands_alone(char):
                if start >= 0:
                    tokens.append(_token(text, start, position))
                tokens.append(_token(text, position, position + 1))
                start = -1
            elif start < 0:
                start = position
        elif unicodedata.category(char) != "Cf" and start >= 0:
            tokens.append(_token(text, start, position))
            start = -1
    if start >= 0:
        tokens.append(_token(text, start, len(text)))
    return [token for token in tokens if token.key]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of an English word (Snowball)."""
    return str(_STEMMER.stemWord(word))


def stems(text: str) -> set[str]:
    """Return the stems of a text's words."""
    return {stem(token.key) for token in tokenize(text)}


def is_everyday(name: str) -> bool:
    """Tell whether a name is a single word in small letters, which may be meant as just a word."""
    return name.isalpha() and name.islower()


class NameFinder:
    """Recognises the names of one glossary."""

    def __init__(self, glossary: Glossary) -> None:
        self._names: dict[str, tuple[str, tuple[Entry, ...]]] = {}
        self._stems: dict[str, str] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        for entry in glossary.entries:
            for name in entry.names:
                key = fold(name)
                if key and key not in self._names:
                    self._names[key] = (name, glossary.named(name))
                    self._words[key] = tuple(token.key for token in tokenize(name))
        for key, words in self._words.items():
            if len(words) > 1 or len(key) >= 8:
                self._stems.setdefault("".join(map(stem, words)), key)
        self._inflected = {form: key for key in self._names for form in _forms(key) if form not in self._names}
        self._longest = max((len(words) for words in self._words.values()), default=0) + 1
        self._spellings = Spellings(self._names)
        self._by_first_word: dict[str, list[str]] = {}
        for key, words in self._words.items():
            if words:
                self._by_first_word.setdefault(words[0], []).append(key)
        self._vocabulary = frozenset(token.key for entry in glossary.entries for token in tokenize(_all_text(entry)))
        self._small_words = frozenset(
            word for entry in glossary.entries for word in _WORD.findall(_all_text(entry)) if word.islower()
        )
        self._by_first_letter: dict[str, list[str]] = {}
        for word in self._vocabulary:
            self._by_first_letter.setdefault(word[0], []).append(word)
        self._vocabulary_stems = frozenset(map(stem, self._vocabulary))

    def knows_word(self, word: str) -> bool:
        """Tell whether a folded word, or another form of it, occurs anywhere in the glossary."""
        return word in self._vocabulary or stem(word) in self._vocabulary_stems

    def misspells(self, word: str) -> bool:
        """Tell whether a folded word is a slip for one that the glossary uses."""
        return len(word) > 4 and any(
            self._is_misspelling(word, known) for known in self._by_first_letter.get(word[0], ()) if len(known) > 4
        )

    def writes_small(self, word: str) -> bool:
        """Tell whether the glossary writes a word in small letters somewhere; a proper name it does not."""
        return word in self._small_words

    @property
    def vocabulary_size(self) -> int:
        """The number of different words in the glossary."""
        return len(self._vocabulary)

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in a text, in order, none within another one."""
        tokens = tokenize(text)
        spelt = self._find_spelt(text, tokens)
        misspelt = self._find_misspelt(text, tokens, spelt)
        # "static baching": the longer name, misspelt, and not a shorter one that is in it.
        whole = [mention for mention in spelt if not any(_within(mention, other) for other in misspelt)]
        return sorted((*whole, *misspelt), key=lambda mention: mention.start)

    def named(self, text: str, start: int, end: int, *, also: str) -> list[Mention]:
        """Return a mention for ``text[start:end]`` where another text, that it stands for, is a name; else nothing."""
        key = fold(also)
        if key not in self._names:
            return []
        name, entries = self._names[key]
        kind = MatchKind.SHORTENED
        return [Mention(start=start, end=end, text=text[start:end], name=name, entries=entries, kind=kind)]

    def complete(self, text: str, start: int, end: int) -> list[Mention]:
        """Return a mention for ``text[start:end]`` where it is the beginning of one entry's name only, else nothing."""
        tokens = tokenize(text[start:end])
        words = tuple(token.key for token in tokens)
        short = 2 if text[start:end].isupper() else 4  # letters; "KS" begins the KS test, "of" begins nothing
        if not words or len("".join(words)) < short:
            return []
        begun = ((key, self._words[key]) for key in self._by_first_word.get(words[0], ()))
        keys = [key for key, parts in begun if parts[: len(words)] == words and len(parts) > len(words)]
        if len({self._names[key][1] for key in keys}) != 1:
            return []
        span = [Token(start + token.start, start + token.end, token.key) for token in tokens]
        return [self._mention(text, span, keys[0], MatchKind.SHORTENED)]

    def _find_spelt(self, text: str, tokens: Sequence[Token]) -> list[Mention]:
        found: list[Mention] = []
        first = 0
        while first < len(tokens):
            for last in range(min(len(tokens), first + self._longest), first, -1):
                if match := self._lookup(tokens[first:last]):
                    found.append(self._named(text, tokens, first, last, *match))
                    first = last
                    break
            else:
                first += 1
        return found

    def _lookup(self, span: Sequence[Token]) -> tuple[str, MatchKind] | None:
        key = "".join([token.key for token in span])
        if not key.isascii():
            key = fold(key)
        known = key if key in self._names else self._inflected.get(key)
        if known is not None:
            # "to p" is no "top": a short name may not be pieced together from other words.
            if len(span) > 1 and len(known) < 6 and len(span) != len(self._words[known]):
                return None
            return known, MatchKind.EXACT if known == key else MatchKind.INFLECTED
        known = self._stems.get("".join([stem(token.key) for token in span]))
        if known is not None and not any(map(str.isdigit, key)):
            return known, MatchKind.INFLECTED
        return None

    def _is_other_version(self, text: str, tokens: Sequence[Token], last: int) -> bool:
        """Tell whether what follows a name makes it another one, as in "FlashAttention-4" or "PagedAttention v3"."""
        if last >= len(tokens):
            return False
        following = tokens[last]
        gap = text[tokens[last - 1].end : following.start]
        if not _VERSION.fullmatch(following.key):
            return False
        is_last = last + 1 == len(tokens)
        return gap in ("-", "‑", ".", "_") or (
            gap == " " and (following.key[0] == "v" or (is_last and len(following.key) == 1))
        )

    def _find_misspelt(self, text: str, tokens: Sequence[Token], spelt: Sequence[Mention]) -> list[Mention]:
        found: list[Mention] = []
        first = 0
        while first < len(tokens):
            for last in range(min(len(tokens), first + self._longest), first, -1):
                span = tokens[first:last]
                start, end = span[0].start, span[-1].end
                if all(token.key in self._vocabulary for token in span) or _is_joined(span):
                    continue
                touched = [mention for mention in spelt if mention.start < end and mention.end > start]
                if any(
                    mention.start < start or mention.end > end or mention.end - mention.start == end - start
                    for mention in touched
                ):
                    continue
                if (key := self._nearest(text, span)) is not None:
                    found.append(self._named(text, tokens, first, last, key, MatchKind.MISSPELT))
                    first = last - 1
                    break
            first += 1
        return found

    def _named(self, text: str, tokens: Sequence[Token], first: int, last: int, key: str, kind: MatchKind) -> Mention:
        if self._is_other_version(text, tokens, last):
            return self._other_version(text, tokens[first : last + 1], key)
        return self._mention(text, tokens[first:last], key, kind)

    def _nearest(self, text: str, span: Sequence[Token]) -> str | None:
        """Return the one name that a span can be a misspelling of, or None where there is none or more than one."""
        written = "".join(token.key for token in span)
        capitals = sum(char.isupper() for char in text[span[0].start : span[-1].end])
        is_acronym = len(span) == 1 and len(written) <= 7 and capitals > len(written) / 2
        best: list[str] = []
        best_distance = 4
        for key in sorted(self._spellings.near(written)):
            distance = OSA.distance(written, key, score_cutoff=min(best_distance, 3))
            if distance > min(best_distance, 3) or not self._forgivable(written, key, span, distance, is_acronym):
                continue
            if distance < best_distance:
                best, best_distance = [key], distance
            else:
                best.append(key)
        senses = {self._names[key][1] for key in best}
        return best[0] if len(senses) == 1 else None

    def _forgivable(self, written: str, key: str, span: Sequence[Token], distance: int, is_acronym: bool) -> bool:
        if _digits(written) != _digits(key):
            return False
        length = min(len(written), len(key))
        if length <= 4 or is_acronym:
            return length >= 3 and _is_slip(written, key)
        if length <= 7 and written[0] != key[0]:
            return False
        if distance > most_edits(length):
            return False
        words = self._words[key]
        if len(words) == len(span):
            return all(
                token.key == word or self._is_misspelling(token.key, word)
                for token, word in zip(span, words, strict=True)
            )
        return True

    def _is_misspelling(self, written: str, word: str) -> bool:
        """Tell whether one word can be a slip for another; a word that the glossary uses is meant as it stands."""
        if written in self._vocabulary:
            return stem(written) == stem(word)
        allowed = 0 if len(word) <= 2 else 1 if len(word) <= 6 else 2
        return OSA.distance(written, word) <= allowed

    def _other_version(self, text: str, span: Sequence[Token], key: str) -> Mention:
        start, end = span[0].start, span[-1].end
        name = self._names[key][0]
        return Mention(start=start, end=end, text=text[start:end], name=name, entries=(), kind=MatchKind.OTHER_VERSION)

    def _mention(self, text: str, span: Sequence[Token], key: str, kind: MatchKind) -> Mention:
        start, end = span[0].start, span[-1].end
        name, entries = self._names[key]
        return Mention(
            start=start,
            end=end,
            text=text[start:end],
            name=name,
            entries=entries,
            kind=kind,
            everyday=self._is_everyday(name),
        )

    def _is_everyday(self, name: str) -> bool:
        """Tell whether a name is a word that texts use in small letters too ("Browser", but not "Ollama")."""
        return is_everyday(name) or (is_everyday(name[:1].lower() + name[1:]) and name.lower() in self._small_words)


def _is_joined(span: Sequence[Token]) -> bool:
    """Tell whether a stretch begins or ends with a word that joins names ("or black tea"), or a slip for one."""
    return any(map(_is_filler_or_slip, (span[0].key, span[-1].key)))


# Every stretch that begins or ends with a word asks this of it again.
@lru_cache(maxsize=1 << 12)
def _is_filler_or_slip(key: str) -> bool:
    if key in FUNCTION_WORDS:
        return True
    return len(key) > 4 and any(
        OSA.distance(key, word, score_cutoff=1) <= 1 for word in FUNCTION_WORDS if len(word) > 4
    )


def _within(mention: Mention, other: Mention) -> bool:
    return other.start <= mention.start and mention.end <= other.end


def _is_slip(written: str, key: str) -> bool:
    """Tell whether two short names differ by a swap of neighbours or a doubled letter, not by another letter."""
    if len(written) == len(key):
        return written != key and sorted(written) == sorted(key) and OSA.distance(written, key) == 1
    return _undoubled(written) == _undoubled(key)


def _undoubled(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", word)


def _digits(word: str) -> str:
    return "".join(char for char in word if char.isdigit())


def _forms(key: str) -> list[str]:
    """Return the regular plural and singular forms of a folded name."""
    if len(key) < 2 or not key.isascii() or not any(char.isalpha() for char in key):
        return []
    forms = [f"{key}s"]
    if key.endswith(("s", "x", "ch", "sh")):
        forms.append(f"{key}es")
    if key.endswith("y"):
        forms.append(f"{key[:-1]}ies")
    if key.endswith("s") and not key.endswith("ss") and len(key) > 4:
        forms.append(key[:-1])
    return forms


def _all_text(entry: Entry) -> str:
    contrasts = (contrast.text for contrast in entry.contrasts)
    return "\n".join((*entry.names, entry.definition, entry.plain or "", *contrasts, entry.category or ""))


def _is_word(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNM" or char in "+#"


def _stands_alone(char: str) -> bool:
    return ord(char) > 0x0E00 and unicodedata.name(char, "").startswith(_NO_SPACES)


def _token(text: str, start: int, end: int) -> Token:
    return Token(start=start, end=end, key=fold(text[start:end]))
