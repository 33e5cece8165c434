"""Which language of a multilingual glossary is read."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple

from glossbot.errors import GlossaryError
from glossbot.readers.document import Document, Draft
from glossbot.readers.files import SourceFile
from glossbot.readers.translations import ANY

ALL_LANGUAGES = "all"
_NEARLY_ALL = 0.8  # of the concepts: a language that has this share may be the main one


class Drafted(NamedTuple):
    """A draft, the file that it came from, and the suffix that published pages of its format have."""

    draft: Draft
    document: Document
    file: SourceFile
    page_suffix: str

    @property
    def language(self) -> str | None:
        """The language of the draft, else that of its file."""
        return self.draft.language or self.document.language


def in_language(drafted: Sequence[Drafted], wanted: str | None) -> Sequence[Drafted]:
    """Choose one language of each concept that has several: the one asked for, else the glossary's main one.

    What names no language is read in any case, unless it is there in the chosen language too.

    Args:
        drafted: all drafts.
        wanted: a language code, `ALL_LANGUAGES`, or None for the main language, with a notice of what is left out.

    Raises:
        GlossaryError: the language that was asked for is not among them.
    """
    languages = {one.language for one in drafted}
    if wanted == ALL_LANGUAGES or not languages - {None} or (wanted is None and len(languages) < 2):
        return drafted
    concepts: dict[Hashable, list[Drafted]] = {}
    beside = frozenset(one.draft.key for one in drafted if one.draft.key and _is_beside(one))
    for one in drafted:
        concepts.setdefault(one.draft.key if one.draft.key in beside else _identity(one), []).append(one)
    if wanted is None:
        return _in_main_language(drafted, list(concepts.values()))
    spoken = frozenset(language for language in languages if language and _normal(language) == _normal(wanted)) or (
        frozenset(language for language in languages if language and _speaks(language, wanted))
    )
    if not spoken:
        known = ", ".join(sorted(filter(None, languages)))
        raise GlossaryError(f"no entry in the language {wanted!r}; there are: {known}")
    kept: set[int] = set()
    for several in concepts.values():
        kept |= set(map(id, _speaking(several, spoken) or _speaking(several, frozenset((None,)))))
    return [one for one in drafted if id(one) in kept]


def _in_main_language(drafted: Sequence[Drafted], concepts: Sequence[Sequence[Drafted]]) -> Sequence[Drafted]:
    """Keep each concept in the main language, or in its own first one where it is not there in that."""
    counts = Counter(
        language for several in concepts if len(spoken := {one.language for one in several}) > 1 for language in spoken
    )
    most = max(counts.values(), default=0)
    main = min(
        (language for language, count in counts.items() if count >= _NEARLY_ALL * most),
        key=lambda language: (language is not None, not _speaks(language, "en"), -counts[language], language),
        default=None,
    )
    left_out: list[Drafted] = []
    for several in concepts:
        chosen = _speaking(several, frozenset((main,))) or _speaking(several, frozenset((several[0].language,)))
        if len(chosen) < len(several):
            kept = set(map(id, chosen))
            left_out += (one for one in several if id(one) not in kept)
    if not left_out:
        return drafted
    numbers = Counter(one.language or "unnamed" for one in left_out)
    listed = ", ".join(f"{language} {count}" for language, count in sorted(numbers.items()))
    left_out[0].document.notice(
        None,
        f"several languages: each entry is read in {main or 'its main language'} where it has that; "
        f"left out: {listed}. --lang CODE reads another, --lang all every one",
    )
    gone = set(map(id, left_out))
    return [one for one in drafted if id(one) not in gone]


def _identity(one: Drafted) -> Hashable:
    """Return what the drafts of one concept in several languages have in common, and other drafts have not."""
    file = one.file.untranslated
    if one.draft.key:
        return file or str(one.file.path), one.draft.key
    return file or id(one)  # a file that has a translation is translated as a whole


def _is_beside(one: Drafted) -> bool:
    """Tell a file that translates the entries of all other files, by their keys (``i18n/de.json``)."""
    return one.file.untranslated is not None and PurePath(one.file.untranslated).stem == ANY


def _speaking(several: Iterable[Drafted], languages: frozenset[str | None]) -> list[Drafted]:
    return [one for one in several if one.language in languages]


def _normal(language: str) -> str:
    return language.lower().replace("_", "-")


def _speaks(language: str | None, wanted: str) -> bool:
    return language is not None and _normal(language).split("-")[0] == _normal(wanted).split("-")[0]
