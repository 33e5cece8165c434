"""Readers turn the files that people keep glossaries in into entries: one module for each format.

A format is a function ``read(document) -> Iterable[Draft]`` with the suffixes that it takes and, for files without
one of those, a function that recognises its text. Finding files (`files`), decoding (`encoding`), and all that goes
across files (`assemble`: other names in parentheses, references, senses, languages, repeated concepts) is done for
every format alike, so that a reader only parses.
"""

import pkgutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from glossbot.entry import Frozen, Glossary
from glossbot.errors import GlossaryError
from glossbot.readers.document import Document, Draft, Problem, ReadOptions, Reference
from glossbot.readers.files import Found, Root, SourceFile, find
from glossbot.readers.language import Drafted
from glossbot.readers.source import Source, load

__all__ = [
    "FORMATS",
    "Document",
    "Draft",
    "Problem",
    "ReadOptions",
    "Reading",
    "Reference",
    "Root",
    "Source",
    "read",
    "source_files",
    "survey",
]


class Format(NamedTuple):
    """One kind of glossary file."""

    read: Callable[[Document], Iterable[Draft]]
    suffixes: tuple[str, ...]
    recognises: Callable[[str], bool] | None = None  # by the beginning of its text
    # What a file's suffix becomes on the published site; "/" for a folder of its own, nothing for what is no page.
    page_suffix: str = ""


def _of(function: str) -> Callable[..., Any]:
    """Return a function of a reader's module (``"rst:read"``), which is imported when the function is first called.

    Some formats need heavy libraries, and who only asks a question reads no file.
    """

    def call(argument: object) -> Any:
        return pkgutil.resolve_name(f"glossbot.readers.{function}")(argument)

    return call


# In the order in which a file without a known suffix is tried.
FORMATS: dict[str, Format] = {
    "markdown": Format(_of("markdown:read"), (".md", ".markdown", ".mdx", ".mdown", ".mkd"), page_suffix="/"),
    "rst": Format(_of("rst:read"), (".rst", ".rest"), _of("rst:recognises"), page_suffix=".html"),
    "asciidoc": Format(
        _of("asciidoc:read"), (".adoc", ".asciidoc", ".asc"), _of("asciidoc:recognises"), page_suffix=".html"
    ),
    "html": Format(_of("html:read"), (".html", ".htm", ".xhtml"), _of("html:recognises"), page_suffix=".html"),
    "csv": Format(_of("delimited:read"), (".csv", ".tsv", ".tab", ".psv")),
    "xlsx": Format(_of("spreadsheet:read"), (".xlsx", ".xlsm")),
    "json": Format(_of("json_:read"), (".json", ".jsonld", ".jsonc")),
    "jsonl": Format(_of("json_:read_lines"), (".jsonl", ".ndjson")),
    "yaml": Format(_of("yaml_:read"), (".yaml", ".yml")),
    "toml": Format(_of("toml:read"), (".toml",)),
}
_TEXT_SUFFIXES = frozenset((".txt", ""))  # may hold any format; the text decides
_BEGINNING = 1 << 16  # characters of a text that tell its format


class Reading(Frozen):
    """A glossary as it was read, and what was wrong or remarkable on the way."""

    glossary: Glossary
    files: tuple[SourceFile, ...]
    sources: tuple[Source, ...]  # the same files, as they were when they were read
    problems: tuple[Problem, ...]
    notices: tuple[Problem, ...]
    references: tuple[Reference, ...] = ()


def source_files(sources: Iterable[Path | Root], options: ReadOptions | None = None) -> Found:
    """Return the glossary files that paths, folders and globs mean (`files.find`).

    Raises:
        GlossaryError: a source is not there, or holds no glossary file; or there is no such format.
    """
    options = options or ReadOptions()
    if options.format is not None and options.format not in FORMATS:
        raise GlossaryError(f"{options.format!r}: no such format; there are {', '.join(FORMATS)}")
    formats = FORMATS.values() if options.format is None else [FORMATS[options.format]]
    return find(
        (source if isinstance(source, Root) else Root.of(source) for source in sources),
        suffixes=_TEXT_SUFFIXES.union(*(format_.suffixes for format_ in formats)),
        any_in_globs=options.format is not None,
        wanted_language=options.language,
    )


def read(sources: Iterable[Path | Root], options: ReadOptions | None = None, *, strict: bool = False) -> Reading:
    """Read files, folders and globs into one glossary.

    What cannot be read is a problem of the result, and all else is read.

    Args:
        sources: where the glossary lies.
        options: what the files do not tell themselves.
        strict: whether the first problem ends it.

    Raises:
        GlossaryError: a source is not there, no entry was found at all, or there is a problem and `strict`.
    """
    reading = survey(sources, options)
    if reading.problems and (strict or not reading.glossary.entries):
        raise GlossaryError(str(reading.problems[0]))
    return reading


def survey(sources: Iterable[Path | Root], options: ReadOptions | None = None) -> Reading:
    """Read what can be read, as `read` does; where nothing can be, the glossary is empty and the problems say why.

    Raises:
        GlossaryError: a source is not there, or no entry is in the language that was asked for.
    """
    from glossbot.readers.assemble import assemble  # with the parsers of markup: see `_of`

    options = options or ReadOptions()
    found = source_files(sources, options)
    skipped = list(found.skipped)
    drafted: list[Drafted] = []
    documents: list[Document] = []
    states: list[Source] = []
    siblings = frozenset(file.path for file in found.files)
    for file in found.files:
        document = Document(
            path=file.path, label=file.label, data=b"", options=options, language=file.language, siblings=siblings
        )
        documents.append(document)
        states.append(_load(document))
        try:
            if states[-1].sha256 and not _read_into(drafted, document, file):
                skipped.append(file.label)
        except GlossaryError as error:
            document.problems.append(Problem.parse(str(error), file=file.label))
        document.release()
    certain = [one for one in drafted if one.file.named or not one.document.is_guessed]
    glossary = assemble(certain or drafted, options)
    notices = [notice for document in documents for notice in document.notices]
    if skipped:
        files = "1 file" if len(skipped) == 1 else f"{len(skipped)} files"
        notices.append(Problem(file=files, line=None, message=f"passed over: {_listed(skipped)}"))
    problems = (*found.problems, *(problem for document in documents for problem in document.problems))
    if not glossary.entries and not problems:
        where = _listed([file.label for file in found.files]) or "no source given"
        problems = (Problem(file=where, line=None, message="no entry found"),)
    return Reading(
        glossary=glossary,
        files=found.files,
        sources=tuple(states),
        problems=problems,
        notices=tuple(notices),
        references=tuple(reference for document in documents for reference in document.references),
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def _load(document: Document) -> Source:
    """Read a document's bytes; that they cannot be read is a problem."""
    try:
        document.data, source = load(document.path)
    except OSError as error:
        document.problem(None, f"cannot be read: {error.strerror}")
        return Source.unread(document.path)
    return source


def _read_into(drafted: list[Drafted], document: Document, file: SourceFile) -> bool:
    """Add a document's drafts, as far as it can be read; return whether it is a glossary at all.

    Raises:
        GlossaryError: nothing of it, or nothing further, can be read.
    """
    format_ = _format(document, file)
    if format_ is None:
        return False
    before = len(drafted)
    drafted.extend(Drafted(draft, document, file, format_.page_suffix) for draft in format_.read(document))
    if len(drafted) == before and not document.problems:
        (document.problem if file.named else document.notice)(None, "no entry found")
    return True


def _format(document: Document, file: SourceFile) -> Format | None:
    """Return a document's format: by its suffix, by its text where that leaves a choice; None for no glossary."""
    if name := document.options.format:
        return FORMATS[name]
    suffix = file.path.suffix.lower()
    by_suffix = [format_ for format_ in FORMATS.values() if suffix in format_.suffixes]
    if len(by_suffix) == 1:
        return by_suffix[0]
    for format_ in by_suffix or FORMATS.values():
        if format_.recognises and format_.recognises(document.text[:_BEGINNING]):
            return format_
    if by_suffix:
        return by_suffix[0]
    if file.named:
        known = ", ".join(FORMATS)
        raise document.error(None, f"unknown format {suffix or '(no suffix)'}; name it with --format: {known}")
    return None
