"""Bytes to text: byte order marks, UTF-16 without one, UTF-8, and a guess for the rest."""

import codecs
import re
from collections import Counter
from typing import NamedTuple

from glossbot.errors import GlossaryError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark begins it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 1 << 16
_BEGINNING = 1 << 12  # bytes in which a declaration stands
_DECLARATION = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE
)
_C1 = re.compile(rb"[\x80-\x9f]")
_SIGN_IN_WORD = re.compile(r"(?<=[a-z])[¿³¹²¼½¾¶±¯£¥¢¨¸¬]|[¿³¹²¼½¾¶±¯£¥¢¨¸¬](?=[a-z])")
_MOST_HIGH = 0.4  # of the bytes: accented letters of a western language
_MOST_SIGNS = 0.1  # of those
_BREAKS = b"\t\n\r ,;|#-"
_FEWEST_ZEROS = 0.005  # of the bytes of UTF-16: even a text in Chinese has line ends
_FEW_CONTROLS = 0.001  # of a text file's bytes; a binary file has many more


class Decoded(NamedTuple):
    """A text, and how it was decoded."""

    text: str
    encoding: str
    guessed: bool


def decode(data: bytes, *, label: str) -> Decoded:
    """Decode a file's bytes.

    Args:
        data: the whole file.
        label: the file's name, for messages.

    Raises:
        GlossaryError: the bytes are not text, or not in the encoding that their mark announces.
    """
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return Decoded(_decoded(data, marked, label=label).removeprefix("\ufeff"), marked, guessed=False)
    if name := _utf16_without_mark(data):
        return Decoded(_decoded(data, name, label=label), name, guessed=True)
    if _is_binary(data):
        raise GlossaryError(f"{label}: a binary file, not text")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", guessed=False)
    except UnicodeDecodeError as error:
        return _declared(data) or _guess(data, error, label=label)


def _decoded(data: bytes, name: str, *, label: str) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise GlossaryError(
            f"{label}:{line}: not {name.removesuffix('-sig').upper()} text (byte {error.start})"
        ) from error


def _declared(data: bytes) -> Decoded | None:
    """Decode as the file itself says, if it is HTML or XML and says so truly."""
    match = _DECLARATION.search(data[:_BEGINNING])
    name = match[1].decode().lower() if match else "utf-8"
    name = "windows-1252" if name in ("iso-8859-1", "latin1", "us-ascii", "ascii") else name  # as browsers do
    if name.startswith("utf"):
        return None
    try:
        return Decoded(data.decode(name), name, guessed=False)
    except (UnicodeDecodeError, LookupError):
        return None


def _guess(data: bytes, error: UnicodeDecodeError, *, label: str) -> Decoded:
    """Guess the encoding of bytes that are not UTF-8."""
    # A file of mostly valid UTF-8 with a few damaged bytes is damaged; read as another encoding it would be mojibake.
    line = data[: error.start].count(b"\n") + 1
    multibyte = len(re.findall(rb"[\xc3-\xf4][\x80-\xbf]+", data))
    strays = len(data) - len(data.decode("utf-8", "ignore").encode())
    if multibyte > strays:
        raise GlossaryError(f"{label}:{line}: not UTF-8 text (byte {error.start}); save the file as UTF-8")
    # Western text first: for these two, statistics on short texts guess wrongly more often than this rule.
    name = "windows-1252" if _C1.search(data) else "latin-1"
    sample = data[:_SAMPLE]
    if not _is_western(sample):
        import charset_normalizer

        best = charset_normalizer.from_bytes(sample).best()
        name = best.encoding if best else name
    try:
        return Decoded(data.decode(name), name, guessed=True)
    except (UnicodeDecodeError, LookupError):
        raise GlossaryError(f"{label}:{line}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from error


def _is_western(sample: bytes) -> bool:
    """Tell a text most of whose letters are ASCII, and whose words hold no signs (``¿ó³æ`` is no word)."""
    high = sum(byte >= 0x80 for byte in sample)
    signs = len(_SIGN_IN_WORD.findall(sample.decode("windows-1252", "replace")))
    return high <= _MOST_HIGH * len(sample) and signs <= _MOST_SIGNS * high


def _utf16_without_mark(data: bytes) -> str | None:
    """Tell UTF-16 by its spaces, line ends and delimiters, whose zero bytes stand always on the same side."""
    sample = data[:_SAMPLE]
    if len(data) < 4 or len(data) % 2 or b"\0" not in sample:
        return None
    pairs = Counter(zip(sample[::2], sample[1::2], strict=False))
    little, big = sum(pairs[char, 0] for char in _BREAKS), sum(pairs[0, char] for char in _BREAKS)
    zeros = sum(count for pair, count in pairs.items() if 0 in pair)
    if zeros < _FEWEST_ZEROS * len(sample) or pairs[0, 0]:
        return None
    if little > 10 * big:
        return "utf-16-le"
    return "utf-16-be" if big > 10 * little else None


def _is_binary(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    controls = len(re.findall(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", sample))
    return controls > max(1, _FEW_CONTROLS * len(sample)) or sample.startswith((b"PK\x03\x04", b"%PDF-", b"\x1f\x8b"))
