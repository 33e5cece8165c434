"""Where the records of a glossary lie in a JSON, YAML or TOML file: lists, maps of terms, categories, wrappers.

Such files hold much else (settings, translations of a program's texts), so what could be something else is read only
where the whole file is built like a glossary: records with a name and a description, and plain maps of texts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from glossbot.readers import columns, record, values
from glossbot.readers.column_names import bare
from glossbot.readers.document import Document, Draft
from glossbot.readers.record import Record, language_code
from glossbot.readers.tabular import Row, read_rows
from glossbot.readers.tree import Array, Node, Scalar, Table

_GLOSSARIES = frozenset(
    bare(name)
    for name in """glossary, glossaries, glossary terms, terms, definitions, concepts, vocabulary, dictionary, lexicon,
    acronyms, abbreviations, terminology, has defined term, defined terms, Glossar, Begriffe, Abkürzungen, glossaire,
    termes, glosario, términos, glossário, termos, glossario, termini, begrippen, глоссарий, термины, 术语, 术语表,
    詞彙表, 用語, 用語集, 용어, 용어집""".split(",")
)
_WRAPPERS = _GLOSSARIES | frozenset(
    bare(name)
    for name in """term, entries, entry, items, words, data, records, rows, results, content, list, all, categories,
    sections, groups, topics, letters, children, nodes, @graph, graph, members, payload, response, glossary entries,
    Einträge, entrées, entradas, voci, записи, 词条, 項目""".split(",")
)
_ABOUT = frozenset(
    bare(name)
    for name in """version, title, name, description, desc, lang, language, locale, licence, license, source, url, uri,
    author, authors, date, updated, last updated, created, modified, generated, generated at, schema, $schema, @context,
    @type, @id, id, count, total, copyright, homepage, email, baseurl, theme, layout, repository, status, ok, summary,
    encoding, format, type, meta, metadata""".split(",")
)
# A table with one of these is the settings of some program, whatever else it holds.
_SETTINGS = frozenset(
    """dependencies devDependencies scripts compilerOptions openapi swagger jobs apiVersion lockfileVersion build-system
    properties $defs""".split()
)
_FEW = 2  # records that a name and a description make a glossary from
_MOSTLY = 0.6


class _Place(NamedTuple):
    """What is known of the values at some place of a file, from what they lie in."""

    certain: bool = True  # whether all around it is built like a glossary
    glossary: bool = False  # whether a key above says that it is one
    listed: bool = False  # whether it is an item of a list
    category: str | None = None
    language: str | None = None


def drafts(document: Document, roots: Sequence[Node]) -> Iterator[Draft]:
    """Yield the drafts of all records that the documents of a file hold."""
    finder = _Finder(document)
    root = roots[0] if len(roots) == 1 else Array(1, list(roots))
    found = False
    for draft in finder.find(root, _Place()):
        found = True
        yield draft
    overrides = document.options.columns
    if not found and (table := _first_table(root)) and (wrong := columns.missing(_keys(table), overrides)):
        document.problem(table.line, wrong)


class _Finder:
    """Goes through the values of one file, whose depth is bounded."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._overrides = document.options.columns

    def find(self, node: Node, place: _Place) -> Iterator[Draft]:
        """Yield the drafts that a value holds."""
        if isinstance(node, Array):
            yield from self._in_array(node, place)
        elif isinstance(node, Table):
            yield from self._in_table(node, place)

    def _in_array(self, array: Array, place: _Place) -> Iterator[Draft]:
        tables = [item for item in array.items if isinstance(item, Table)]
        if place.certain and not tables and (rows := _rows(array)):
            yield from read_rows(self._document, rows)
            return
        pairs = [table.pairs[0] for table in tables if len(table.pairs) == 1 and table.is_whole]
        if len(pairs) == len(array.items) and self._are_terms(pairs, place):
            yield from self._terms(pairs, place)
            return
        has_records = False
        inside = place._replace(listed=True)
        for item in array.items:
            records = record.recognise(item, self._overrides) if isinstance(item, Table) else []
            if self._accepts(records, place) and not self._is_heading(item, records):
                has_records = True
                yield from self._drafts(records, place)
                yield from self._below(item, inside)
            elif has_records and isinstance(item, Table) and item.is_whole and not _containers(item):
                self._report(item)
            else:
                yield from self.find(item, inside)

    def _in_table(self, table: Table, place: _Place) -> Iterator[Draft]:
        if any(key in _SETTINGS for key in _keys(table)):
            return
        records = record.recognise(table, self._overrides)
        is_heading = self._is_heading(table, records)
        if records and not is_heading:
            if self._overrides or any(one.is_certain for one in records):
                yield from self._drafts(records, place)
                yield from self._below(table, place)
            return
        containers = _containers(table)
        if self._is_by_language(containers, table):
            for key, value in containers:
                yield from self.find(value, place._replace(language=key.text.lower(), category=place.category))
            return
        texts = [(key, value) for key, value in table.pairs if _is_text(value)]
        about = [bare(key.text) in _ABOUT for key, _ in texts]
        is_cut_record = not table.is_whole and any(columns.holds(key.text) for key, _ in texts)
        has_terms = not is_heading and not is_cut_record and self._are_terms(texts, place)
        if has_terms:
            yield from self._terms(texts, place)
        below = place._replace(certain=place.certain and (has_terms or is_heading or all(about)), listed=False)
        if place.listed and (heading := _heading(table)):
            below = below._replace(category=heading)
        yield from self._in_containers(containers, below)

    def _in_containers(self, containers: Sequence[tuple[Scalar, Node]], place: _Place) -> Iterator[Draft]:
        """Yield what the tables and lists of a table hold: records by their key, categories, wrappers."""
        named = {
            id(value): record.recognise(value, self._overrides, name=key)
            for key, value in containers
            if isinstance(value, Table)
        }
        recognised = [records for records in named.values() if records]
        is_map = place.certain and len(recognised) >= _MOSTLY * len(named)
        is_map = is_map and (len(recognised) >= _FEW or place.glossary) and self._are_prose(recognised)
        has_wrapper = any(bare(key.text) in _WRAPPERS for key, _ in containers)
        for key, value in containers:
            records = named.get(id(value), [])
            if records and (is_map or self._overrides or any(one.is_certain for one in records)):
                yield from self._drafts(records, place)
                yield from self._below(value, place._replace(listed=False))
                continue
            name = bare(key.text)
            if name in _WRAPPERS:
                is_glossary = name in _GLOSSARIES
                certain = place.certain or name.startswith("gloss")
                yield from self.find(value, place._replace(certain=certain, glossary=place.glossary or is_glossary))
            else:
                category = key.text if len(key.text.strip()) > 1 else place.category
                certain = place.certain and not has_wrapper
                yield from self.find(value, place._replace(certain=certain, category=category))

    def _below(self, node: Node, place: _Place) -> Iterator[Draft]:
        """Yield what lies below a record in turn, under a key that is one for records."""
        for key, value in _containers(node) if isinstance(node, Table) else ():
            if bare(key.text) in _WRAPPERS and columns.holds(key.text) in (None, "term"):
                yield from self.find(value, place._replace(listed=False))

    def _accepts(self, records: Sequence[Record], place: _Place) -> bool:
        if not records:
            return False
        if self._overrides or any(one.is_certain for one in records):
            return True
        return place.certain and self._are_prose([records])

    def _are_prose(self, recognised: Sequence[Sequence[Record]]) -> bool:
        """Tell definitions from values: where they are called a text or a value, most must be of several words."""
        weak = [one for records in recognised for one in records if one.is_weak]
        return not weak or _is_mostly_prose([text for one in weak for text in one.definitions()])

    def _is_heading(self, node: Node, records: Sequence[Record]) -> bool:
        """Tell a group that has a name, a description and entries from an entry."""
        if not isinstance(node, Table) or any(one.is_certain for one in records):
            return False
        return any(bare(key.text) in _WRAPPERS and _holds_tables(value) for key, value in _containers(node))

    def _is_by_language(self, containers: Sequence[tuple[Scalar, Node]], table: Table) -> bool:
        codes = [key.text.lower() for key, _ in containers if language_code(key.text)]
        others = [key for key, _ in table.pairs if not language_code(key.text)]
        return (len(codes) > 1 or codes == ["en"]) and all(bare(key.text) in _ABOUT for key in others)

    def _are_terms(self, pairs: Sequence[tuple[Scalar, Node]], place: _Place) -> bool:
        """Tell a map from terms to definitions from any other map of texts."""
        if not pairs or not place.certain or self._overrides:
            return False
        about = sum(bare(key.text) in _ABOUT for key, _ in pairs)
        strings = [value.text for _, value in pairs if isinstance(value, Scalar) and value.is_string]
        others = sum(isinstance(value, Scalar) and not value.is_string and not value.is_empty for _, value in pairs)
        if about * 2 >= len(pairs) or others * 10 > len(pairs):
            return False
        strings += [text for _, value in pairs if isinstance(value, Array) for text in record.strings(value)]
        return any(map(_is_prose, strings)) if place.glossary else _is_mostly_prose(strings)

    def _terms(self, pairs: Iterable[tuple[Scalar, Node]], place: _Place) -> Iterator[Draft]:
        for key, value in pairs:
            definition = "\n\n".join(map(values.definition, record.strings(value)))
            yield Draft(
                term=key.text,
                definition=definition,
                category=place.category,
                language=place.language,
                line=key.line,
                key=key.text,
            )

    def _drafts(self, records: Iterable[Record], place: _Place) -> Iterator[Draft]:
        for one in records:
            if draft := record.draft(one, category=place.category, language=place.language):
                yield draft

    def _report(self, table: Table) -> None:
        """Note a record among others that lacks what they have."""
        held = {columns.holds(key) for key in _keys(table)}
        if wrong := columns.missing(_keys(table), self._overrides) if self._overrides else None:
            self._document.problem(table.line, wrong)
        elif held & {"term", "abbreviation", "definition"}:
            keys = ", ".join(map(repr, _keys(table)))
            lacking = "definition" if held & {"term", "abbreviation"} else "term"
            self._document.problem(table.line, f"a record without a {lacking}; its keys are {keys}")


def _rows(array: Array) -> list[Row]:
    """Return the rows of a list of lists, or nothing for any other list."""
    rows = []
    for item in array.items:
        if not isinstance(item, Array) or len(item.items) < 2 or not item.is_whole:
            return []
        cells = [cell.text for cell in item.items if isinstance(cell, Scalar)]
        if len(cells) != len(item.items):
            return []
        rows.append(Row(cells, item.line))
    return rows


def _keys(table: Table) -> list[str]:
    return [key.text for key, _ in table.pairs]


def _containers(table: Table) -> list[tuple[Scalar, Node]]:
    return [(key, value) for key, value in table.pairs if not _is_text(value)]


def _is_text(value: Node) -> bool:
    """Tell a text, or a list of nothing but texts, from tables and lists of them."""
    return isinstance(value, Scalar) or (
        isinstance(value, Array) and value.is_whole and all(isinstance(item, Scalar) for item in value.items)
    )


def _holds_tables(value: Node) -> bool:
    return isinstance(value, Table) or (
        isinstance(value, Array) and any(isinstance(item, (Table, Array)) for item in value.items)
    )


def _heading(table: Table) -> str | None:
    """Return what a table that holds entries is called; a letter is no category."""
    for key, value in table.pairs:
        if isinstance(value, Scalar) and columns.holds(key.text) in ("term", "category") and len(value.text) > 1:
            return value.text
    return None


def _first_table(node: Node) -> Table | None:
    """Return the first table that is an item of a list, or else the outermost."""
    if isinstance(node, Array):
        return next((table for item in node.items if (table := _first_table(item))), None)
    if isinstance(node, Table):
        inner = (_first_table(value) for _, value in node.pairs if isinstance(value, Array))
        return next(filter(None, inner), node)
    return None


def _is_mostly_prose(texts: Sequence[str]) -> bool:
    filled = [text for text in texts if text.strip()]
    return bool(filled) and sum(map(_is_prose, filled)) >= _MOSTLY * len(filled)


def _is_prose(text: str) -> bool:
    """Tell words from values; scripts without spaces by their length."""
    text = text.strip()
    return " " in text or "\n" in text or (len(text) > 4 and not text.isascii())
