"""Characters that nobody sees: those that hide or reorder text go, those that shape it stay."""

import re
import unicodedata
from functools import lru_cache

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# England, Scotland, Wales: a black flag, a few letters as tags, and the end tag.
_TAGGED_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_JOINERS = "\u200c\u200d"
_MARKS_OF_DIRECTION = "\u061c\u200e\u200f"
_SELECTORS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# Scripts in which a joiner, or its absence, makes another letter form or another word.
_JOINING_SCRIPTS = (
    "ARABIC SYRIAC NKO MANDAIC MONGOLIAN DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM "
    "SINHALA KHMER MYANMAR TIBETAN BALINESE JAVANESE SUNDANESE GRANTHA NEWA BRAHMI CHAKMA"
).split()


def drop(text: str) -> str:
    """Return a text without invisible characters, except where they shape what is seen.

    Kept are joiners within the scripts that need them and within emoji, a variation selector behind what it can vary,
    and marks of direction in a text that is written from right to left. Other line ends become line feeds.
    """
    if not _SUSPECT.search(text):
        return text
    text = _LINE_END.sub("\n", text)
    flags = {place for flag in _TAGGED_FLAG.finditer(text) for place in range(flag.start(), flag.end())}
    is_right_to_left = _RIGHT_TO_LEFT.search(text) is not None
    kept: list[str] = []
    last = 0
    before = ""  # the last character that stays
    for match in _SUSPECT.finditer(text):
        place, char = match.start(), match[0]
        if place > last:
            kept.append(text[last:place])
            before = text[place - 1]
        last = place + 1
        if place in flags or _is_seen(char, before, text[last : last + 1], is_right_to_left=is_right_to_left):
            kept.append(char)
            before = char
    kept.append(text[last:])
    return "".join(kept)


def _is_seen(char: str, before: str, after: str, *, is_right_to_left: bool) -> bool:
    """Tell whether an invisible character changes what is seen between its two neighbours."""
    if char in _MARKS_OF_DIRECTION:
        return is_right_to_left and before not in _MARKS_OF_DIRECTION
    if char in _JOINERS:
        if _is_pictograph(before) and _is_pictograph(after):
            return char == "\u200d"
        return _is_joined(before)
    if _SELECTORS.fullmatch(char):
        return bool(before) and not before.isspace() and _is_varied(before, char)
    return False


def _is_varied(before: str, selector: str) -> bool:
    if selector <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    if selector >= "\U000e0100":
        return unicodedata.name(before, "").startswith("CJK")
    if before.isascii():
        return before in "#*0123456789" and selector >= "\ufe0e"  # keycaps
    return not _SELECTORS.fullmatch(before) and before not in _JOINERS


def _is_pictograph(char: str) -> bool:
    return bool(char) and not char.isascii() and (unicodedata.category(char) in ("So", "Sk") or char == "\ufe0f")


@lru_cache(maxsize=1 << 12)
def _is_joined(char: str) -> bool:
    if not char or unicodedata.category(char)[0] not in "LM":
        return False
    return unicodedata.name(char, "").split(" ")[0] in _JOINING_SCRIPTS
