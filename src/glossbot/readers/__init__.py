"""Readers turn the files that people keep glossaries in into entries: one module for each format.

A reader is a function ``read(text, file) -> list[Entry]``; `READERS` says which one takes which suffix. Ids are made
unique and files are found here, so that a reader only parses.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from glossbot.entry import Entry, Frozen, Glossary, unique_ids
from glossbot.errors import GlossaryError
from glossbot.readers import markdown

Reader = Callable[[str, str], list[Entry]]

_LARGEST = 256 << 20  # bytes of one file
READERS: dict[str, Reader] = {".md": markdown.read, ".markdown": markdown.read}


class SourceFile(Frozen):
    """A glossary file: where it lies, and how it is called in answers (no private folder names)."""

    path: Path
    label: str


def source_files(sources: Iterable[Path]) -> list[SourceFile]:
    """Return the glossary files that are meant by files and folders, folders searched through and sorted.

    ``README.md`` and hidden files in a folder are passed over; a file named outright never is.

    Raises:
        GlossaryError: a source is not there, has no known format, or is a folder without a glossary file.
    """
    files: dict[Path, SourceFile] = {}
    for source in sources:
        label = Path(source.name) if source.is_absolute() or ".." in source.parts else source
        if source.is_dir():
            found = [path for path in sorted(source.rglob("*")) if _is_glossary_file(path, source)]
            if not found:
                raise GlossaryError(f"{source}: no glossary file in this folder; {_formats()}")
        elif not source.exists():
            raise GlossaryError(f"{source}: no such file or folder")
        elif not source.is_file():
            raise GlossaryError(f"{source}: neither a file nor a folder")
        elif source.suffix.lower() not in READERS:
            raise GlossaryError(f"{source}: unknown format {source.suffix or '(no suffix)'}; {_formats()}")
        else:
            found = [source]
        for path in found:
            file = SourceFile(path=path.absolute(), label=(label / path.relative_to(source)).as_posix())
            files.setdefault(file.path, file)
    return list(files.values())


def read(sources: Iterable[Path]) -> Glossary:
    """Read files and folders into one glossary.

    Raises:
        GlossaryError: a source cannot be read, or holds no entry; the message names file and line.
    """
    entries: list[Entry] = []
    files = source_files(sources)
    for file in files:
        entries += READERS[file.path.suffix.lower()](_text(file.path), file.label)
    if not entries:
        where = ", ".join(str(file.path) for file in files) or "no source given"
        raise GlossaryError(f"{where}: no entry found; an entry is a `## headword` with text below it")
    ids = unique_ids([entry.term for entry in entries])
    return Glossary(
        entries=tuple(entry.model_copy(update={"id": id_}) for entry, id_ in zip(entries, ids, strict=True))
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise GlossaryError(f"{path}: larger than {_LARGEST >> 20} MB; split the glossary")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise GlossaryError(f"{path}:{line}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from error
    except OSError as error:
        raise GlossaryError(f"{path}: cannot be read: {error.strerror}") from error


def _is_glossary_file(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.suffix.lower() in READERS and path.stem.lower() != "readme" and not hidden and path.is_file()


def _formats() -> str:
    return "known formats: " + ", ".join(sorted(READERS))
