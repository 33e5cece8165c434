"""Is a sentence supported by an entry? Decided by rules alone, so that the same sentence always gets the same verdict.

A written sentence passes only where one sentence of the entry says the same: with every name replaced by its entry,
its telling words must stand in the source sentence in the same order, in at most `MOST_PIECES` unbroken pieces, and
what was left out between the pieces must not change what is said (no negation, no other term, few words). That is
strict: a small model's free paraphrase is refused, right or wrong, and the entry's own words are shown instead.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from glossbot.entry import Entry, Frozen
from glossbot.names import NameFinder, stem, tokenize

MOST_PIECES = 2
MOST_LEFT_OUT = 3  # telling words between two pieces
FEWEST_WORDS, MOST_WORDS = 4, 45
_LONGEST_WORD = 40  # letters; a small model that is caught in a loop writes longer ones
_TERM = "@"  # before an entry's id among the telling words; no word has it

# Words whose presence or absence turns a statement round; they count as telling words and may not be left out.
_TURNING = frozenset(
    "no not never none nor neither without cannot hardly rarely seldom only unless except instead than less fewer "
    "least "
    "more most few fails lacks lack avoid avoids if may might can could should must would but whereas while".split()
)
# Words that carry no claim of their own; a written sentence may hold any of them.
LIGHT = frozenset(
    "a an the is are was were be been being it its this that these those which who whose and or of in on at to for "
    "from "
    "by with as into over per so such also then thus there their they them has have had do does did because since "
    "when where how why each both any all will".split()
)
_LEAK = re.compile(
    r"<\||\|>|\[/?INST|</?s>|https?://|\b(?:as an ai|i am an?|the (?:given|above) text|the text (?:says|states|above)"
    r"|the passage|the question|this glossary)\b",
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

    def check(self, sentence: str, entry: Entry) -> Verdict:
        """Tell whether an entry supports a sentence.

        Args:
            sentence: one sentence, without citation markers.
            entry: what the sentence would cite.
        """
        if reason := _malformed(sentence):
            return Verdict(supported=False, reason=reason)
        written = self._claims(sentence)
        if _TERM + entry.id not in written:
            return Verdict(supported=False, reason=f"does not name {entry.term}")
        reasons = []
        for source in entry.sentences:
            reason = _differs(written, self._claims(source))
            if not reason:
                return Verdict(supported=True)
            reasons.append(reason)
        # The mildest objection tells most: the source sentence that came nearest.
        return Verdict(supported=False, reason=min(reasons, key=len))

    def may_go_on(self, beginning: str, entry: Entry) -> bool:
        """Tell whether the beginning of a sentence can still become one that an entry supports.

        It cannot once it holds a word that no sentence of the entry has; the last word may be unfinished.
        """
        whole, _, last = beginning.rpartition(" ")
        if len(whole.split()) > MOST_WORDS or len(last) > _LONGEST_WORD:
            return False
        known = {word for source in entry.sentences for word in self._claims(source)}
        return all(word in known for word in self._claims(whole))

    def covers(self, shown: Sequence[str], sentence: str) -> bool:
        """Tell whether a sentence adds little to what is shown already."""
        words = set(self._claims(sentence))
        seen = {word for text in shown for word in self._claims(text)}
        return len(words & seen) >= 0.8 * len(words)

    def _claims(self, text: str) -> list[str]:
        """Return a text's telling words as stems, each name replaced by its entry."""
        claims: list[str] = []
        position = 0
        for mention in self._names.find(text):
            if mention.entries:
                claims += _stems(text[position : mention.start])
                claims.append(_TERM + mention.entries[0].id)
                position = mention.end
        return claims + _stems(text[position:])


def _stems(text: str) -> list[str]:
    words = (token.key for token in tokenize(text.replace("'", "").replace("’", "")))
    return [word if word in _TURNING else stem(word) for word in words if word not in LIGHT]


def _malformed(sentence: str) -> str:
    words = len(sentence.split())
    if not sentence.endswith((".", "!", "。")):
        return "unfinished"
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        return f"{words} words long"
    if _LEAK.search(sentence):
        return "speaks of its instructions, or holds markup"
    return ""


def _differs(written: Sequence[str], source: Sequence[str]) -> str:
    """Say how a written sentence departs from a source sentence; nothing where it does not."""
    foreign = [word for word in written if word not in source]
    if foreign:
        return f"not in the entry: {', '.join(dict.fromkeys(foreign))}"
    blocks = [
        block for block in SequenceMatcher(None, source, written, autojunk=False).get_matching_blocks() if block.size
    ]
    if sum(block.size for block in blocks) < len(written):
        return "order of words changed"
    if len(blocks) > MOST_PIECES or any(block.size < 2 for block in blocks[1:]):
        return "pieced together"
    left_out = [word for before, after in pairwise(blocks) for word in source[before.a + before.size : after.a]]
    if len(left_out) > MOST_LEFT_OUT or any(word in _TURNING or word.startswith(_TERM) for word in left_out):
        return "leaves out what matters"
    last = blocks[-1]
    following = source[last.a + last.size :]
    if following and following[0] in ("if", "unless", "except", "only"):
        return "leaves out a condition"
    if blocks[0].a > 0 and any(word in _TURNING for word in source[: blocks[0].a]):
        return "leaves out what goes before"
    return ""
