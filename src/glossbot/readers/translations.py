"""Which files are the same in several languages, as their paths tell: ``de/terms.md``, ``terms.de.md``."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

# Two-letter codes of ISO 639-1.
_LANGUAGES = frozenset(
    """aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka
    kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl
    nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw
    ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu""".split()
)
_CODE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_END = re.compile(rf"(.+?)([._-])({_CODE.pattern})", re.IGNORECASE)
_BEGINNING = re.compile(rf"({_CODE.pattern})[._-](.+)", re.IGNORECASE)
_SURE = "end ."  # nobody calls the glossary of human resources ``terms.hr.md``
_OF_TRANSLATIONS = frozenset(("i18n", "l10n", "lang", "langs", "languages", "locale", "locales", "translations"))
ANY = "*"  # the name of a file that is called by its language alone, without that
_FILE = "file"  # ``i18n/de.json``, even where it is the only one there


class Translation(NamedTuple):
    """The language that a path names, and the path with the language left out, which all translations share."""

    language: str | None
    untranslated: str


class _Reading(NamedTuple):
    """One way to find a language in a path: where it stands, what it is, and the path without it."""

    place: tuple[str, str]
    language: str
    without: Path


def translations(paths: Iterable[Path], *, wanted: str | None = None) -> dict[Path, Translation]:
    """Return the paths that name a language.

    Many words look like a language (``it``, ``hr``, ``no``, ``ml``), so a part of a path counts as one only where at
    least two files differ in nothing but that, and English, or the language that is asked for, is one of theirs. A
    file whose path names none may stand beside its translations (``terms.md``, ``terms.de.md``).

    Args:
        paths: of all files.
        wanted: the language that is asked for.
    """
    all_paths = tuple(paths)
    known = frozenset(all_paths)
    trusted = {"en", (wanted or "en").lower()[:2]}
    versions: defaultdict[tuple[tuple[str, str], Path], set[str]] = defaultdict(set)
    for path in all_paths:
        for reading in _readings(path):
            versions[reading.place, reading.without].add(reading.language)
    places = {
        place
        for (place, without), languages in versions.items()
        if place[0] == _FILE
        or (
            len(languages) + (without in known) > 1
            and (place[0] == _SURE or trusted & {language[:2] for language in languages})
        )
    }
    found: dict[Path, Translation] = {}
    for path in all_paths:
        for reading in _readings(path):
            if reading.place in places:
                found.setdefault(path, Translation(reading.language, str(reading.without)))
                if reading.without in known:
                    found.setdefault(reading.without, Translation(None, str(reading.without)))
    return found


def _readings(path: Path) -> Iterator[_Reading]:
    parts = path.parts
    for depth, part in enumerate(parts[:-1]):
        if is_language(part):
            without = Path(*parts[:depth], *parts[depth + 1 :])
            yield _Reading(("folder", "/".join(parts[:depth])), part.lower(), without)
    if is_language(path.stem) and path.parent.name.lower() in _OF_TRANSLATIONS:
        yield _Reading((_FILE, str(path.parent)), path.stem.lower(), path.with_name(ANY + path.suffix))
    if (end := _END.fullmatch(path.stem)) and is_language(end[3]):
        yield _Reading((f"end {end[2]}", str(path.parent)), end[3].lower(), path.with_name(end[1] + path.suffix))
    if (beginning := _BEGINNING.fullmatch(path.stem)) and is_language(beginning[1]):
        without = path.with_name(beginning[2] + path.suffix)
        yield _Reading(("beginning", str(path.parent)), beginning[1].lower(), without)


def is_language(text: str) -> bool:
    """Tell whether a text is a language code (``de``, ``pt-BR``)."""
    return bool(_CODE.fullmatch(text)) and text[:2].lower() in _LANGUAGES
