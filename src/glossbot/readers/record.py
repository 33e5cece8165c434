"""One record of a glossary, as JSON, YAML and TOML hold them, to its drafts: one for each language that it has."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from glossbot.readers import columns, values
from glossbot.readers.column_names import PLAIN_DEFINITIONS, PLAIN_TERMS, WEAK_DEFINITIONS, bare
from glossbot.readers.columns import Field
from glossbot.readers.document import Draft
from glossbot.readers.translations import is_language
from glossbot.readers.tree import Array, Node, Scalar, Table

Pairs: TypeAlias = Sequence[tuple[Scalar, Node]]

_MOST_KEYS = 200  # of a record; a table with more is a map of terms
_TRANSLATIONS = frozenset(map(bare, ("translations", "i18n", "locales", "localizations", "languages")))
_BELOW = frozenset(map(bare, ("terms", "concepts", "words", "names", "categories", "topics", "groups", "sections")))
_NAMING: frozenset[Field] = frozenset(("term", "abbreviation", "expansion"))
_AS_WRITTEN: frozenset[Field] = frozenset((*_NAMING, "key"))  # may be called "null"
_LISTS: frozenset[Field] = frozenset(("aliases", "related"))
_TEXTS: frozenset[Field] = frozenset(("definition", "plain"))
_INNER = ("@value", "definition", "text", "html", "value", "content", "body", "term", "name", "label", "title", "id")
_ID = "@id"
_WORDS = re.compile(r"\S+\s+\S+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")


class Record(NamedTuple):
    """The keys of one record in one language, and what they hold."""

    pairs: Pairs
    fields: Mapping[int, Field]
    line: int
    name: Scalar | None = None  # the key that the record stands under, where it is the term
    key: str | None = None  # the same, where it is not
    language: str | None = None

    @property
    def is_certain(self) -> bool:
        """Whether its keys are those of a glossary, and of nothing else that has a name and a description."""
        keys = {(field, bare(self.pairs[index][0].text)) for index, field in self.fields.items()}
        if self.name:
            return any(field == "definition" and key in PLAIN_DEFINITIONS for field, key in keys)
        return any(field in _NAMING and (field != "term" or key in PLAIN_TERMS) for field, key in keys)

    def definitions(self) -> list[str]:
        """What it says, without its names."""
        return [
            text
            for index, field in self.fields.items()
            if field == "definition"
            for text in strings(self.pairs[index][1])
        ]

    @property
    def is_weak(self) -> bool:
        """Whether its definition is one only because nothing else is."""
        return all(
            bare(self.pairs[index][0].text) in WEAK_DEFINITIONS
            for index, field in self.fields.items()
            if field == "definition"
        )


def recognise(table: Table, overrides: Mapping[str, str], *, name: Scalar | None = None) -> list[Record]:
    """Return the record that a table is, once for each language that it has; nothing for a table that is none.

    Args:
        table: the keys and values.
        overrides: the owner's own mapping, from field to key.
        name: the key that the table stands under, which is the term if no other is.
    """
    if not table.is_whole or len(table.pairs) > _MOST_KEYS:
        return []
    found = []
    for language, pairs in _languages(_last_of_each(table.pairs)).items():
        if record := _recognised(pairs, overrides, name=name, line=table.line):
            found.append(record._replace(language=language))
    return found


def draft(record: Record, *, category: str | None, language: str | None) -> Draft | None:
    """Return the draft of one record.

    Args:
        record: as it was recognised.
        category: of the records around it, for one that names none itself.
        language: of the records around it.
    """
    headers: list[str] = []
    cells: list[str] = []
    fields: dict[int, Field] = {}

    def add(header: str, text: str, field: Field | None) -> None:
        if field:
            fields[len(cells)] = field
        headers.append(header)
        cells.append(text)

    own_key = ""
    line = record.line
    if record.name:
        add("", record.name.text, "term")
        line = record.name.line
    for index, (key, value) in enumerate(record.pairs):
        field = record.fields.get(index)
        texts = list(strings(value))
        if field in _AS_WRITTEN and isinstance(value, Scalar):
            texts = [value.text]
        if field is None:
            if any(map(_WORDS.search, texts)) and not key.text.startswith(("@", "$", "_")):
                add(_header(key.text), values.definition(_listed(texts)), None)
        elif field in _NAMING:
            add(key.text, texts[0] if texts else "", field)
            if texts[1:]:
                add(key.text, "\n".join(texts[1:]) + "\n", "aliases")
            if field == "term" and not record.name:
                line = value.line
        elif field == "key":
            own_key = _local("".join(texts[:1])) if key.text == _ID else "".join(texts[:1])
        elif field in _LISTS:
            add(key.text, "\n".join(texts) + "\n" if isinstance(value, Array) else " ".join(texts), field)
        elif field in _TEXTS:
            add(key.text, "\n\n".join(map(values.definition, texts)), field)
        else:
            add(key.text, ", ".join(texts), field)
    found = columns.draft(cells, fields, headers=headers, line=line, category=category, language=language)
    if found is None:
        return None
    return replace(found, key=own_key or record.key, language=record.language or found.language)


def language_code(text: str) -> bool:
    """Tell whether a key is the code of a language (``de``, ``pt-BR``) and no word of two capitals (``IT``, ``HR``)."""
    return is_language(text) and text[:2].islower()


def _last_of_each(pairs: Pairs) -> list[tuple[Scalar, Node]]:
    return list({key.text: (key, value) for key, value in pairs}.values())


def _recognised(pairs: Pairs, overrides: Mapping[str, str], *, name: Scalar | None, line: int) -> Record | None:
    held = [
        (key, value) for key, value in pairs if not key.text.startswith(("@t", "@c", "$")) and _is_field(key, value)
    ]
    keys = [key.text for key, _ in held]
    fields = columns.recognise(keys, overrides)
    if name is None:
        return Record(held, fields, line) if fields else None
    if fields and (overrides or any(columns.holds(keys[index]) in _NAMING for index in fields)):
        return Record(held, fields, line, key=name.text)
    named = columns.recognise([*keys, "term"], overrides) if not overrides else None
    if not named or named.get(len(keys)) != "term":
        return None
    fields = {index: field for index, field in named.items() if index < len(keys)}
    return Record(held, fields, line, name=name, key=name.text) if "definition" in fields.values() else None


def _languages(pairs: Pairs) -> dict[str | None, Pairs]:
    """Take a record apart into its languages, each with what they share."""
    shared: list[tuple[Scalar, Node]] = []
    own: dict[str, list[tuple[Scalar, Node]]] = {}
    for key, value in pairs:
        for language, text in _versions(key, value):
            if language:
                own.setdefault(language, []).extend(text)
            else:
                shared.extend(text)
    if not own:
        return {
            language: [pairs[index] for index in indexes]
            for language, indexes in columns.by_language([key.text for key, _ in pairs]).items()
        }
    versions: dict[str | None, Pairs] = {None: shared} if _names_and_defines(shared) else {}
    for language, theirs in own.items():
        stated = {columns.holds(key.text) or key.text for key, _ in theirs}
        if not stated & {*_NAMING, "definition"}:
            continue
        rest = [(key, value) for key, value in shared if (columns.holds(key.text) or key.text) not in stated]
        versions[language] = [*theirs, *rest]
    return versions


def _names_and_defines(pairs: Pairs) -> bool:
    keys = [key.text for key, value in pairs if _is_text(value)]
    return columns.recognise(keys, {}) is not None and any(columns.holds(key) in _NAMING for key in keys)


def _versions(key: Scalar, value: Node) -> Iterator[tuple[str | None, Pairs]]:
    """Yield what a key holds in each language: ``de: {term: …}``, ``term: {de: …}``, ``translations: {de: …}``."""
    if isinstance(value, Table) and language_code(key.text):
        yield key.text.lower(), value.pairs
    elif isinstance(value, Table) and value.pairs and all(language_code(inner.text) for inner, _ in value.pairs):
        for code, text in value.pairs:
            is_record = bare(key.text) in _TRANSLATIONS and isinstance(text, Table)
            yield code.text.lower(), text.pairs if is_record and isinstance(text, Table) else [(key, text)]
    elif isinstance(value, Table) and isinstance(stated := value.get("@language"), Scalar):
        yield stated.text.lower(), [(key, value)]
    elif isinstance(value, Array) and any(isinstance(item, Table) and item.get("@language") for item in value.items):
        for item in value.items:
            yield from _versions(key, item)
    else:
        yield None, [(key, value)]


def _is_field(key: Scalar, value: Node) -> bool:
    """Tell a field from what lies below a record; ``terms: [{…}]`` is no name."""
    lists_tables = isinstance(value, Array) and any(isinstance(item, Table) for item in value.items)
    return _is_text(value) and not (lists_tables and bare(key.text) in _BELOW)


def _is_text(value: Node) -> bool:
    """Tell whether a value can be a field: no table of further records."""
    if isinstance(value, Array):
        return all(not isinstance(item, Array) and _is_text(item) for item in value.items)
    return isinstance(value, Scalar) or next(strings(value), None) is not None


def strings(value: Node) -> Iterator[str]:
    """Yield the texts of a value: one, those of a list, and what the tables in it state first of all."""
    if isinstance(value, Scalar):
        if not value.is_empty:
            yield value.text
    elif isinstance(value, Array):
        for item in value.items:
            if not isinstance(item, Array):
                yield from strings(item)
    else:
        inner = next((found for name in _INNER if isinstance(found := value.get(name), Scalar)), None)
        if inner:
            yield inner.text
        elif isinstance(address := value.get(_ID), Scalar):
            yield _local(address.text)


def _local(address: str) -> str:
    """Return what an address calls a thing within its vocabulary."""
    return re.split("[/#:]", address)[-1]


def _listed(strings: Sequence[str]) -> str:
    return strings[0] if len(strings) == 1 else "\n\n" + "\n".join(f"- {string}" for string in strings)


def _header(key: str) -> str:
    words = _CAMEL.sub(" ", key.rpartition(":")[2]).strip()
    return words[:1].upper() + words[1:]
