"""The texts that stand for an entry in the search by meaning: each is embedded, and is a row of the index."""

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from glossbot.entry import Entry, split_sentences

CHUNK_WORDS = 120  # an embedder's window is counted in word pieces; 120 words fit the usual 256 with room to spare
KEY_BYTES = 16


class TextKind(StrEnum):
    """Which text of an entry a row of vectors stands for; an index holds it as its place here."""

    NAME = "name"
    DEFINITION = "definition"
    SENTENCE = "sentence"
    PLAIN = "plain"
    ASKED = "asked"
    CONTRAST = "contrast"


KINDS = tuple(TextKind)


class Text(NamedTuple):
    """One text to embed."""

    kind: TextKind
    text: str


def texts(entry: Entry) -> Iterator[Text]:
    """Yield all that is searched: names, the definition in chunks, its sentences, plain words, questions, contrasts."""
    for name in entry.names:
        yield Text(TextKind.NAME, name)
    for chunk in _chunks(entry):
        yield Text(TextKind.DEFINITION, chunk)
    if len(entry.sentences) > 1:
        for sentence in entry.sentences:
            yield Text(TextKind.SENTENCE, sentence)
    for sentence in split_sentences(entry.plain or ""):
        yield Text(TextKind.PLAIN, sentence)
    for question in entry.asked:
        yield Text(TextKind.ASKED, question)
    for contrast in entry.contrasts:
        yield Text(TextKind.CONTRAST, contrast.text)


def text_key(text: str) -> bytes:
    """Return what an index keeps of a text: enough to find its vector again."""
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest()


def _chunks(entry: Entry) -> Iterator[str]:
    """Cut a definition into pieces that fit an embedder's window, each headed by the term; nothing is left out."""
    words = entry.definition.split()
    for start in range(0, len(words), CHUNK_WORDS):
        yield f"{entry.term}: {' '.join(words[start : start + CHUNK_WORDS])}"
