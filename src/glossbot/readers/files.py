"""Which files are meant by the paths, folders and globs that somebody gives."""

import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from glossbot.entry import Frozen
from glossbot.errors import GlossaryError
from glossbot.readers.document import Problem
from glossbot.readers.translations import translations

# Files beside a glossary that hold none; one that is named outright is read all the same. ``SECURITY`` tells of a
# project, ``security`` may be a part of the glossary.
_ABOUT = re.compile(r"(?i:readme|licen[cs]e|copying|changelog|contributing|code_of_conduct)|NOTICE|SOURCE|SECURITY")


class Root(Frozen):
    """A file, folder or glob that somebody gave: where it lies, and how it is called in answers."""

    path: Path
    label: str
    pattern: str = ""  # of a glob: what stands behind the folder that `path` is

    @classmethod
    def of(cls, given: Path) -> Self:
        """Return the root that a path or a glob means; one that begins elsewhere keeps its folders to itself."""
        folder, pattern = given, ""
        if not os.path.lexists(given) and glob.has_magic(str(given)):
            magic = next(number for number, part in enumerate(given.parts) if glob.has_magic(part))
            folder, pattern = Path(*given.parts[:magic]), "/".join(given.parts[magic:])
        is_private = folder.is_absolute() or ".." in folder.parts
        return cls(path=folder.absolute(), label=folder.name if is_private else folder.as_posix(), pattern=pattern)

    def __str__(self) -> str:
        return str(self.path / self.pattern)

    def holds(self, path: Path) -> bool:
        """Tell whether a file would have been found by this root."""
        return path.is_relative_to(self.path)


class SourceFile(Frozen):
    """A glossary file: where it lies, and how it is called in answers."""

    path: Path
    label: str
    page: str = ""  # its path below what was given; nothing for the only file, whose page the base URL is
    named: bool  # outright, not found in a folder
    language: str | None = None  # as the path tells it
    untranslated: str | None = None  # the path without the language, which all translations of a file share


class Found(Frozen):
    """The files of some roots, and what of their folders is not read."""

    files: tuple[SourceFile, ...]
    problems: tuple[Problem, ...] = ()
    skipped: tuple[str, ...] = ()


def find(
    roots: Iterable[Root], *, suffixes: frozenset[str], any_in_globs: bool = False, wanted_language: str | None = None
) -> Found:
    """Return the files that paths, folders and globs mean, each once, those of a folder sorted.

    In a folder, hidden files, files about the glossary (``README``, ``LICENSE`` …) and files with other suffixes are
    passed over; links that leave it are not followed. A file named outright is always taken.

    Args:
        roots: files, folders and globs.
        suffixes: of the files to take from folders and globs, lower case, with their dot.
        any_in_globs: whether a glob's files are taken whatever their suffixes.
        wanted_language: the language that is asked for, which paths may name.

    Raises:
        GlossaryError: a root is not there, is no file, or is a folder without a glossary file.
    """
    roots = tuple(roots)
    search = _Search(suffixes=suffixes, any_in_globs=any_in_globs, is_one_file=len(roots) == 1)
    for root in roots:
        if not _is_text(root.path):
            raise GlossaryError(f"{_shown(str(root))}: its name is not UTF-8 text; rename it")
        try:
            search.add(root)
        except OSError as error:
            raise GlossaryError(f"{root}: cannot be read: {error.strerror}") from error
    known = translations((file.path for file in search.files.values()), wanted=wanted_language)
    files = (
        file.model_copy(update=known[file.path]._asdict()) if file.path in known else file
        for file in search.files.values()
    )
    skipped = (label for real, label in search.skipped.items() if real not in search.files)
    return Found(files=tuple(files), problems=tuple(search.problems), skipped=tuple(skipped))


@dataclass(kw_only=True)
class _Search:
    """What has been found so far, by the path that links lead to."""

    suffixes: frozenset[str]
    any_in_globs: bool
    is_one_file: bool
    files: dict[str, SourceFile] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, root: Root) -> None:
        """Take what a root means."""
        path = root.path
        if root.pattern:
            matches = self._matches(root)
            if not sum(self._consider(root, match) for match in matches):
                why = "no file of a known format matches; name it with --format" if matches else "no file matches"
                raise GlossaryError(f"{root}: {why}")
        elif path.is_dir():
            candidates = sorted(self._walk(root), key=lambda candidate: candidate.parts)
            if not sum(self._consider(root, candidate) for candidate in candidates):
                why = f" ({self.problems[-1]})" if self.problems else ""
                known = ", ".join(sorted(filter(None, self.suffixes)))
                raise GlossaryError(f"{root}: no glossary file in this folder{why}; known formats: {known}")
        elif path.is_file():
            self._take(root, path)
        elif path.is_symlink():
            raise GlossaryError(f"{root}: a link that leads nowhere")
        elif not path.exists():
            raise GlossaryError(f"{root}: no such file or folder")
        else:
            raise GlossaryError(f"{root}: neither a file nor a folder")

    def _walk(self, root: Root) -> Iterator[Path]:
        """Yield the files and links below a folder."""
        waiting = [root.path]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = [entry for entry in listing if not entry.name.startswith(".")]
            except OSError as error:
                self._problem(root, folder, f"cannot be read: {error.strerror}")
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(folder / entry.name)
                else:
                    yield folder / entry.name

    def _matches(self, root: Root) -> list[Path]:
        """Return the files that a glob matches, hidden ones left out; ``**`` goes through no links."""
        # At the end of a pattern some versions of Python let ** match folders alone.
        pattern = f"{root.pattern}/*" if root.pattern.endswith("**") else root.pattern
        try:
            found = sorted(root.path.glob(pattern))
        except (ValueError, NotImplementedError, RecursionError) as error:
            raise GlossaryError(f"{root}: not a pattern that can be searched for: {error}") from error
        visible = (path for path in found if not re.search(r"(^|/)\.", path.relative_to(root.path).as_posix()))
        return [path for path in visible if path.is_symlink() or not path.is_dir()]

    def _consider(self, root: Root, path: Path) -> bool:
        """Take a file of a folder or glob if it is one to read; else say why not."""
        real = os.path.realpath(path)
        leaves = not Path(real).is_relative_to(os.path.realpath(root.path))
        if not _is_text(path):
            self._problem(root, path, "its name is not UTF-8 text; rename it")
        elif Path(real).is_dir():
            if leaves:
                self._problem(root, path, "a link that leaves the folder; not read")
            else:
                self.skipped[real] = f"{_label(root, path)} (a link to a folder)"
        elif not self._is_glossary(path, in_glob=bool(root.pattern)):
            self.skipped[real] = _label(root, path)
        elif leaves:
            self._problem(root, path, "a link that leaves the folder; not read")
        elif path.is_symlink() and not path.exists():
            self._problem(root, path, "a link that leads nowhere")
        elif path.exists() and not path.is_file():
            self.skipped[real] = f"{_label(root, path)} (no regular file)"
        else:
            self._take(root, path)
            return True
        return False

    def _is_glossary(self, path: Path, *, in_glob: bool) -> bool:
        has_suffix = path.suffix.lower() in self.suffixes or (in_glob and self.any_in_globs)
        return has_suffix and not _ABOUT.fullmatch(path.stem)

    def _take(self, root: Root, path: Path) -> None:
        real = os.path.realpath(path)
        is_named = path == root.path
        below = path.name if is_named else path.relative_to(root.path).as_posix()
        file = SourceFile(
            path=path,
            label=_label(root, path),
            page="" if is_named and self.is_one_file else below,
            named=is_named,
        )
        before = self.files.setdefault(real, file)
        if is_named and not before.named:
            self.files[real] = before.model_copy(update={"named": True})

    def _problem(self, root: Root, path: Path, message: str) -> None:
        self.problems.append(Problem(file=_label(root, path), line=None, message=message))


def _label(root: Root, path: Path) -> str:
    below = path.relative_to(root.path)
    return _shown((Path(root.label) / below).as_posix())


def _is_text(path: Path) -> bool:
    return _shown(str(path)) == str(path)


def _shown(name: str) -> str:
    """Return a name with a replacement for each byte that is no UTF-8."""
    return os.fsencode(name).decode(errors="replace")
