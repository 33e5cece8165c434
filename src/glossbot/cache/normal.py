"""A question as it is looked up word for word: what only looks different is the same, nothing else is.

It is used before anything heavy is loaded, so it needs nothing but the standard library.
"""

import re
import unicodedata

_END = re.compile(r"[\s?!.…？！。]+$")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-"})
# Written in capitals these are names and not words: IT, US, WHO.
_WORDS = frozenset(
    "it us who am or and can may will so is as in on at be do go he me no of to up we if by an all".split()
)


def normalise(question: str) -> str:
    """Return a question without what is not seen or does not count: case, spaces, invisible characters, end marks.

    The case of a word counts where it makes a name of it ("what does IT do", "what does it do"); every sign inside the
    question counts.
    """
    shown = (" " if char.isspace() else char for char in unicodedata.normalize("NFC", question))
    kept = "".join(char for char in shown if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    words = _END.sub("", kept.translate(_QUOTES)).split()
    return " ".join(word if word.isupper() and word.lower() in _WORDS else word.lower() for word in words)
