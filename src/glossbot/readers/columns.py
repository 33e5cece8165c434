"""Columns of tables and keys of records, by what people call them: which one is the term, which the definition."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from glossbot.readers.column_names import (
    FIELDS,
    MEANINGS,
    NAMES,
    WEAK_DEFINITIONS,
    WEAK_TERMS,
    Field,
    bare,
)
from glossbot.readers.document import Draft
from glossbot.readers.translations import is_language

__all__ = ["FIELDS", "Field", "by_language", "draft", "holds", "missing", "names", "recognise", "split_language"]

_ONE_COLUMN: frozenset[Field] = frozenset(("term", "definition", "abbreviation", "expansion", "category", "key"))
_LISTS: frozenset[Field] = frozenset(("aliases", "related"))
_NAMING: frozenset[Field] = frozenset(("term", "definition", "abbreviation", "expansion"))
_ALTERNATIVES = re.compile(r"\s*(?:[/|&,(\[（]|\bor\b|\band\b|\boder\b|\bund\b|\bou\b|\bet\b|\by\b|\bo\b)\s*", re.I)
# "Concept ID", "Serial no" and "what it is" end in no language; in parentheses they do.
_LANGUAGE = re.compile(
    r"(?P<name>.*?\w)\s*(?:[(\[](?P<inside>[\w-]+)[)\]]|[\s._@:-](?!id|no|is)(?P<behind>[a-z]{2}(?:[-_][a-z]{2})?))",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(?:glossary|entry|post|term|skos|schema|dcterms|dct|dc|rdfs)(?=.)")
_DEFINED = re.compile(r"(?:\S+\s+){1,3}(?:definition|description|explanation)", re.I)
_LONGEST_HEADER = 60  # characters; what is longer is no name of a column
_LAST = 1 << 16  # rank behind every known name

_EMPTY = frozenset(("", "-", "--", "---", "–", "—", "n/a", "n.a.", "n.a", "#n/a", "none", "null", "nil", "~", "."))
# What may stand between names, the strongest first; where one stands, the weaker ones are a part of a name.
_SEPARATORS = (
    re.compile(r"[\n•·]|<br\s*/?>", re.IGNORECASE),
    re.compile(r"[;；|]"),
    re.compile(r"[,，、،](?![^()（）]{0,80}[)）])"),
    re.compile(r"\s+/\s+"),
)
_AROUND_NAME = re.compile(r"""^(?:[-*+]\s+|(?:and|or|und|oder|et|ou|y|o)\s+(?=\S))|[.]$""")
_AVOIDED = re.compile(r"avoid|do not|don.t", re.IGNORECASE)
_QUOTES = "\"'“”„‘’«»「」"


class _Candidate(NamedTuple):
    """What a column may hold, and how well its name says so (the lower the better)."""

    field: Field
    rank: int


def recognise(headers: Sequence[str], overrides: Mapping[str, str]) -> dict[int, Field] | None:
    """Return which field each column holds, or None where no column holds a term and one a definition.

    Args:
        headers: the names of the columns, or the keys of a record.
        overrides: the owner's own mapping, from field to column name (``{"term": "Name"}``); where one of its columns
            is missing (`missing`), the table is none of those that it is about.

    Returns:
        The fields by index of their column; a column that is in none of them holds something else.
    """
    fields: dict[int, Field] = {}
    for name, column in overrides.items():
        index = _find(column, headers)
        field = next((field for field in FIELDS if field == name), None)
        if index is None or field is None:
            return None
        fields[index] = field
    _take_clear(headers, fields)
    held = set(fields.values())
    if not held & {"term", "abbreviation"}:
        _take_weak("term", WEAK_TERMS, headers, fields)
    if "definition" not in held:
        _take_weak("definition", WEAK_DEFINITIONS, headers, fields)
    held = set(fields.values())
    if not held & {"definition", "expansion"} and held >= {"term", "abbreviation"}:
        fields = {index: "expansion" if field == "term" else field for index, field in fields.items()}
        held = set(fields.values())
    named = (held & {"term", "abbreviation"} and held & {"definition", "expansion"}) or held >= {
        "expansion",
        "definition",
    }
    return fields if named else None


def holds(header: str) -> Field | None:
    """Return the field that a column of this name holds, whatever stands beside it."""
    candidate = _candidate(header)
    return candidate.field if candidate else None


def by_language(headers: Sequence[str]) -> dict[str | None, list[int]]:
    """Return the columns of each language: those of its own (``Term (EN)``, ``definition_en``), and the shared ones.

    Headers are of several languages only where at least two have a term and a definition of their own.
    """
    languages = [split_language(header)[1] for header in headers]
    own: dict[str, list[int]] = {}
    for index, language in enumerate(languages):
        if language:
            own.setdefault(language, []).append(index)
    whole = [language for language, columns in own.items() if recognise([headers[index] for index in columns], {})]
    if len(whole) < 2:
        return {None: list(range(len(headers)))}
    shared = [index for index, language in enumerate(languages) if language not in whole]
    return {language: sorted((*shared, *own[language])) for language in whole}


def split_language(header: str) -> tuple[str, str | None]:
    """Split ``Term (EN)`` or ``definition_en`` into the name and the language, where there is one."""
    match = _LANGUAGE.fullmatch(header.strip()) if len(header) <= _LONGEST_HEADER else None
    code = match and (match["inside"] or match["behind"])
    if not match or not code or not is_language(code):
        return header, None
    return match["name"], code.lower().replace("_", "-")


def missing(headers: Sequence[str], overrides: Mapping[str, str]) -> str | None:
    """Return what is wrong with the owner's mapping for a table with these headers, or None."""
    for field, column in overrides.items():
        if field not in FIELDS:
            return f"no field {field!r} to map a column to; there are: {', '.join(FIELDS)}"
        if _find(column, headers) is None:
            there = ", ".join(repr(header) for header in headers if header.strip())
            return f"no column {column!r} for the {field}; there are: {there or 'none'}"
    return None


def draft(
    cells: Sequence[str],
    fields: Mapping[int, Field],
    *,
    headers: Sequence[str],
    line: int,
    category: str | None = None,
    language: str | None = None,
) -> Draft | None:
    """Return the draft of one row, or None for a row without any text.

    Args:
        cells: the row's cells as Markdown; there may be fewer or more than headers.
        fields: what the columns hold, as `recognise` found it; all others are appended to the definition.
        headers: the names of the columns.
        line: of the row in its file.
        category: of the table, for a row that names none itself.
        language: of the table, for a row that names none itself.
    """
    if not any(cell.strip() for cell in cells):
        return None
    texts: dict[Field, list[str]] = {}
    others: list[str] = []
    for index, cell in enumerate(cells):
        field = fields.get(index)
        text = cell.strip()
        if _is_empty(text) and not (field == "term" and text):
            continue
        header = headers[index].strip().rstrip(":") if index < len(headers) else ""
        if field:
            texts.setdefault(field, []).append(cell if field in _LISTS else text)  # a list may end in its separator
        if not field or (
            field == "aliases" and _AVOIDED.search(header)
        ):  # found by such a name, but told not to use it
            between = "\n\n" if text.startswith("- ") else " "
            others.append(f"{header}:{between}{text}" if header else text)
    term, definition, aliases = _named(texts)
    categories = texts.get("category", [category] if category else [])
    return Draft(
        term=term,
        definition="\n\n".join((*definition, *others)) if definition else "",
        aliases=aliases,
        category=", ".join(categories) or None,
        plain=" ".join(texts.get("plain", ())) or None,
        related=_listed(texts.get("related", ())),
        language=_first(texts, "language") or language,
        attribution="; ".join(texts.get("attribution", ())) or None,
        anchor=_first(texts, "anchor"),
        key=_first(texts, "key"),
        line=line,
    )


def names(text: str) -> list[str]:
    """Split a list of names at the strongest separator that it has; commas in parentheses are none."""
    separator = next((one for one in _SEPARATORS if one.search(text)), None)
    parts = separator.split(text) if separator else [text]
    cleaned = (_AROUND_NAME.sub("", part.strip()).strip().strip(_QUOTES).strip() for part in parts)
    return list(dict.fromkeys(name for name in cleaned if not _is_empty(name)))


def _named(texts: Mapping[Field, Sequence[str]]) -> tuple[str, Sequence[str], tuple[str, ...]]:
    """Return the headword, the parts of the definition and the other names of a row.

    The full name is the headword and its abbreviation another name; where nothing else is said about an
    abbreviation, what it stands for is its definition.
    """
    definition = texts.get("definition", ())
    full, short = _first(texts, "term"), _first(texts, "abbreviation")
    expansion = _first(texts, "expansion")
    if not definition and expansion:
        definition, expansion = [expansion], None
    elif not full:
        full, expansion = expansion, None
    short_forms = _listed([short] if short else ())
    if not full:
        full, *short_forms = short_forms or [""]
    aliases = (*short_forms, *([expansion] if expansion else ()), *_listed(texts.get("aliases", ())))
    return full, definition, aliases


def _first(texts: Mapping[Field, Sequence[str]], field: Field) -> str | None:
    return next(iter(texts.get(field, ())), None)


def _listed(texts: Iterable[str]) -> list[str]:
    return [name for text in texts for name in names(text)]


def _is_empty(text: str) -> bool:
    return len(text) <= 4 and text.casefold() in _EMPTY


def _find(column: str, headers: Sequence[str]) -> int | None:
    """Return the index of a column that the owner names, as it is written or else without case and spaces."""
    if column in headers:
        return headers.index(column)
    return next((index for index, header in enumerate(headers) if _same(header, column)), None)


def _same(header: str, column: str) -> bool:
    return header.strip().casefold() == column.strip().casefold() or (
        bool(bare(column)) and bare(header) == bare(column)
    )


def _take_clear(headers: Sequence[str], fields: dict[int, Field]) -> None:
    """Take every column whose name is known; of several for one field that holds one, the one named best."""
    best: dict[Field, tuple[int, int]] = {field: (-1, index) for index, field in fields.items()}
    candidates = {index: found for index, header in enumerate(headers) if (found := _candidate(header))}
    taken = {candidate.field for candidate in candidates.values()} | set(fields.values())
    definitions = sum(candidate.field == "definition" for candidate in candidates.values())
    # "Acronym, Meaning, Description": the meaning is what the acronym stands for.
    has_expansion = definitions > 1 and "abbreviation" in taken and not taken & {"term", "expansion"}
    for index, (field, rank) in candidates.items():
        if index in fields:
            continue
        if has_expansion and bare(headers[index]) in MEANINGS:
            field = "expansion"
        if field not in _ONE_COLUMN:
            fields[index] = field
        elif field not in best or rank < best[field][0]:
            best[field] = (rank, index)
    for field, (_, index) in best.items():
        fields[index] = field


def _take_weak(field: Field, weak: Mapping[str, int], headers: Sequence[str], fields: dict[int, Field]) -> None:
    """Take the best of the columns that hold a field only where nothing else does."""
    ranks = {
        index: weak[name]
        for index, header in enumerate(headers)
        if (name := _PREFIX.sub("", bare(header))) in weak and fields.get(index) not in _NAMING
    }
    if ranks:
        fields[min(ranks, key=lambda index: ranks[index])] = field


@lru_cache(maxsize=1 << 12)
def _candidate(header: str) -> _Candidate | None:
    """Return what a column of this name holds, whatever stands beside it."""
    if len(header) > _LONGEST_HEADER:
        return None
    if header.strip() == "#":
        return _Candidate("number", 0)
    name = header.rpartition("#")[2].rpartition("/")[2] if header.startswith("http") else header
    name = split_language(name)[0]
    shorter = (name, _PREFIX.sub("", bare(name)), *_ALTERNATIVES.split(name.strip(" *_:")))
    for spelling in filter(None, map(bare, shorter)):
        for field in FIELDS:
            if (rank := NAMES[field].get(spelling)) is not None:
                return _Candidate(field, rank)
    return _Candidate("definition", _LAST) if _DEFINED.fullmatch(name.strip()) else None
