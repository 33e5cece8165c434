"""What a model says to itself and not to the reader: blocks of thinking, and marks of turns written out as text."""

import re
from collections.abc import Iterable, Iterator

_OPENS = r"<(?P<block>think|thinking|thought|reasoning|seed:think)>"
_ENDS_TURN = r"<[|｜][^<>\s]{1,20}[|｜]>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]"
_MARK = re.compile(rf"{_OPENS}|{_ENDS_TURN}")
_MARK_BEGUN = re.compile(r"[<\[][^<>\[\]\s]{0,24}$")


def closing(text: str) -> str:
    """Return what ends the thinking that a text leaves open, as a template for such models does; empty if none is."""
    blocks = list(re.finditer(_OPENS, text))
    if not blocks:
        return ""
    close = _close(blocks[-1]["block"])
    return "" if close in text[blocks[-1].end() :] else f"\n{close}\n\n"


def spoken(pieces: Iterable[str]) -> Iterator[str]:
    """Yield what of a text is said to the reader, piece by piece, up to a mark that ends the turn.

    What may be the beginning of a mark is held back until more is known; thinking that does not end leaves nothing.
    """
    held = close = ""
    for piece in pieces:
        held += piece
        while True:
            if close:
                _, found, after = held.partition(close)
                if not found:
                    held = held[1 - len(close) :]
                    break
                held, close = after, ""
            mark = _MARK.search(held)
            if not mark:
                break
            if mark.start():
                yield held[: mark.start()]
            if not mark["block"]:
                return
            held, close = held[mark.end() :], _close(mark["block"])
        if not close:
            begun = _MARK_BEGUN.search(held)
            certain = begun.start() if begun else len(held)
            if certain:
                yield held[:certain]
            held = held[certain:]
    if held and not close:
        yield held


def _close(block: str) -> str:
    return f"</{block}>"
