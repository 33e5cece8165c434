"""Questions that readers will ask, so that the cache can be warmed with their answers."""

from collections.abc import Iterator
from pathlib import Path

from glossbot.entry import Glossary
from glossbot.errors import GlossaryError


def questions(glossary: Glossary) -> Iterator[str]:
    """Yield a question for every definition, then one for every written contrast."""
    for entry in glossary.entries:
        yield f"what is {entry.term}"
    told: set[frozenset[str]] = set()
    for entry in glossary.entries:
        for contrast in entry.contrasts:
            for other in glossary.named(contrast.other)[:1]:
                pair = frozenset((entry.id, other.id))
                if pair not in told:
                    told.add(pair)
                    yield f"difference between {entry.term} and {other.term}"


def read_questions(file: Path) -> list[str]:
    """Read questions from a text file, one a line.

    Raises:
        GlossaryError: it cannot be read.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise GlossaryError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise GlossaryError(f"{file}: is not UTF-8 text; write one question a line") from error
    return [line.strip() for line in lines if line.strip()]
