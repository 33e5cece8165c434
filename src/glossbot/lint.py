"""What is wrong in a glossary, or will not work well: checked without a model, for editors and for CI."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from rapidfuzz import fuzz, process

from glossbot import readers
from glossbot.entry import Entry, Glossary, fold
from glossbot.finding import RULES, Finding, Report
from glossbot.names import stem, tokenize
from glossbot.readers import Problem, Reading, ReadOptions, Root
from glossbot.resemblance import alike
from glossbot.texts import CHUNK_WORDS

LONGEST_NAME = 6  # words; nobody types more of a name
_SAYS_LITTLE = 200  # characters; a longer definition says more than its headword
_LISTED = 5  # entries that one message names
_SIMILAR = 85  # of 100: how like a name must be to be proposed for one that is not there
_PROPOSED = 500  # how many such names are looked up, each among all that are there
_ADVICE = "correct the name, or add the entry"
_ABBREVIATION = re.compile(r"(?=(?:[^A-Z\d]*[A-Z\d]){2})[A-Z\d][\w&./+-]{1,7}")
# Words that say nothing about what something is; names.FUNCTION_WORDS has more, which do ("point", "run").
_EMPTY_WORDS = frozenset(
    "a an and any are as at by for from in into is it its of on or some term that the this to used which with".split()
)
_Placed = TypeVar("_Placed", Entry, Problem)
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]$")


def lint(
    sources: Iterable[Path | Root], options: ReadOptions | None = None, *, ignore: Collection[str] = frozenset()
) -> Report:
    """Read a glossary and check it.

    Args:
        sources: files, folders and globs.
        options: how they are read, where that is not to be seen from them.
        ignore: codes of findings to leave out (`RULES`).

    Raises:
        GlossaryError: a source is not there, or no entry is in the language that was asked for.
    """
    reading = _from_here(readers.survey(sources, options))
    order = {file.label: number for number, file in enumerate(reading.files)}
    found = sorted(
        (one for check in _CHECKS for one in check(reading) if one.code not in ignore),
        key=lambda one: (order.get(one.file or "", len(order)), one.line or 0),
    )
    return Report(entries=len(reading.glossary), findings=tuple(found))


def _from_here(reading: Reading) -> Reading:
    """Call files by the paths that open them from here; their labels, which answers show, leave folders out."""
    here = Path.cwd()
    times = Counter(file.label for file in reading.files)
    paths = {}
    for file in reading.files:
        if times[file.label] == 1:  # else nobody knows which one is meant
            path = Path(os.path.normpath(file.path))
            paths[file.label] = (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()

    def renamed(holder: _Placed) -> _Placed:
        return holder.model_copy(update={"file": paths.get(holder.file, holder.file)})

    return reading.model_copy(
        update={
            "glossary": Glossary(entries=tuple(map(renamed, reading.glossary.entries))),
            "files": tuple(
                file.model_copy(update={"label": paths.get(file.label, file.label)}) for file in reading.files
            ),
            "problems": tuple(map(renamed, reading.problems)),
            "notices": tuple(map(renamed, reading.notices)),
        }
    )


def _finding(code: str, entry: Entry, message: str, *, line: int | None = None) -> Finding:
    return Finding(
        code=code,
        severity=RULES[code].severity,
        file=entry.file,
        line=line or entry.line,
        term=entry.term,
        message=message,
    )


def _read(reading: Reading) -> Iterator[Finding]:
    """What the readers said."""
    labels = {file.label for file in reading.files}
    for problems, code in ((reading.problems, "unreadable"), (reading.notices, "guessed")):
        for problem in problems:
            yield _said(problem, code=problem.code if problem.code in RULES else code, is_file=problem.file in labels)


def _said(problem: Problem, *, code: str, is_file: bool) -> Finding:
    return Finding(
        code=code,
        severity=RULES[code].severity,
        file=problem.file if is_file else None,
        line=problem.line,
        term=problem.term,
        message=problem.message if is_file else str(problem),
    )


def _shared_names(reading: Reading) -> Iterator[Finding]:
    """Names that several entries of one language bear, one finding for each two of them."""
    shared: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, bearers in reading.glossary.by_name.items():
        first: dict[str | None, Entry] = {}
        for entry in bearers:
            if _is_qualified(entry, key):
                continue
            if (earlier := first.setdefault(entry.language, entry)) is not entry:
                shared[earlier.id, entry.id].append(next(name for name in entry.names if fold(name) == key))
    for (left, right), names in shared.items():
        earlier, entry = reading.glossary.by_id[left], reading.glossary.by_id[right]
        is_headword = fold(entry.term) in map(fold, names)
        if is_headword or fold(entry.term) != fold(earlier.term):  # else found with the first entry of that headword
            yield _shared(earlier, entry, names)


def _is_qualified(entry: Entry, key: str) -> bool:
    """Tell whether the headword is the name with a qualifier: ``node (networking)`` for "node"."""
    return fold(entry.term) != key and fold(_QUALIFIER.sub("", entry.term)) == key


def _shared(first: Entry, entry: Entry, names: Sequence[str]) -> Finding:
    where = f"{first.file}:{first.line}"
    if _spelling(entry.term) == _spelling(first.term) and fold(entry.category or "") == fold(first.category or ""):
        return _finding(
            "duplicate-headword",
            entry,
            f"{entry.term!r} is the headword of {where} too; join the two, "
            f"or tell them apart in parentheses: '{entry.term} (…)'",
        )
    both = f"{entry.term!r} and {first.term!r} ({where})"
    advice = "who asks for it is asked which one is meant; if it is always the same one, take the name from the other"
    if abbreviation := next(filter(_ABBREVIATION.fullmatch, names), None):
        return _finding("ambiguous-abbreviation", entry, f"{abbreviation!r} means {both}; {advice}")
    verb = "names" if len(names) == 1 else "name"
    return _finding("shared-name", entry, f"{_quoted(names)} {verb} {both}; {advice}")


def _spelling(term: str) -> str:
    """Return a headword as it is told from others: HEAD and head are two things, Node and node are not."""
    return term[:1].casefold() + term[1:]


def _references(reading: Reading) -> Iterator[Finding]:
    """References that lead nowhere."""
    glossary = reading.glossary
    names = {fold(name): name for entry in glossary.entries for name in entry.names}
    left = iter(range(_PROPOSED))

    @cache
    def advice(name: str) -> str:
        if next(left, None) is None:
            return _ADVICE
        near = process.extractOne(fold(name), names.keys(), scorer=fuzz.ratio, score_cutoff=_SIMILAR)
        return f"did you mean {names[near[0]]!r}?" if near else _ADVICE

    for reference in reading.references:
        if reference.target is not None:
            continue
        entry, name = glossary.by_id[reference.entry], reference.name
        if reference.stated:
            message = f"is related to {name!r}, which no entry is called; {advice(name)}"
            yield _finding("dangling-reference", entry, f"{entry.term!r} {message}")
        else:
            message = f"has a link to '#{name}', where no entry is; {advice(name)}"
            yield _finding("dangling-link", entry, f"{entry.term!r} {message}")
    for entry in glossary.entries:
        for contrast in entry.contrasts:
            if not glossary.named(contrast.other):
                yield _finding(
                    "dangling-reference",
                    entry,
                    f"{entry.term!r} is told apart from {contrast.other!r}, which no entry is called; "
                    f"{advice(contrast.other)}",
                    line=None if entry.others else contrast.line,  # it may stand in another file
                )


def _one_sided_relations(reading: Reading) -> Iterator[Finding]:
    """Entries that others list as related, where they neither refer back nor are contrasted."""
    glossary = reading.glossary
    linked = {(entry.id, other.id) for entry in glossary.entries for other in glossary.related(entry)}
    for entry in glossary.entries:
        for contrast in entry.contrasts:
            for other in glossary.named(contrast.other):
                linked |= {(entry.id, other.id), (other.id, entry.id)}
    pointing: dict[str, list[str]] = defaultdict(list)
    for reference in reading.references:
        if reference.stated and reference.target:
            entry = glossary.by_id[reference.entry]
            others = glossary.named(reference.target)
            if entry not in others and not any((other.id, entry.id) in linked for other in others):
                pointing[others[0].id].append(entry.term)
    for id_, terms in pointing.items():
        entry = glossary.by_id[id_]
        yield _finding(
            "one-sided-relation",
            entry,
            f"{_quoted(terms)} {'lists' if len(terms) == 1 else 'list'} {entry.term!r} as related, but not the other "
            "way round; add what its readers would look at next",
        )


def _wording(reading: Reading) -> Iterator[Finding]:
    """What is to be seen from one entry alone."""
    for entry in reading.glossary.entries:
        if len(entry.definition) <= _SAYS_LITTLE and _repeats(entry.definition, entry.term):
            yield _finding(
                "repeated-headword",
                entry,
                f"the definition of {entry.term!r} says no more than the headword; say what it is",
            )
        for name in entry.aliases:
            if (length := len(name.split())) > LONGEST_NAME:
                yield _finding(
                    "long-alias",
                    entry,
                    f"{name!r} is {length} words long; a name that people ask for has at most {LONGEST_NAME}: "
                    "shorten it, or move it into the definition",
                )
        if (length := len(entry.definition.split())) > CHUNK_WORDS:
            yield _finding(
                "long-entry",
                entry,
                f"{entry.term!r} is defined in {length} words, and {CHUNK_WORDS} fit the embedder's window; "
                f"it is embedded in {-(-length // CHUNK_WORDS)} pieces, and nothing is cut off",
            )


def _repeats(text: str, term: str) -> bool:
    said = _content(text)
    return bool(said) and said <= _content(term)


def _content(text: str) -> set[str]:
    """Return the stems of the words that carry meaning."""
    return {stem(token.key) for token in tokenize(text) if token.key not in _EMPTY_WORDS}


def _near_duplicates(reading: Reading) -> Iterator[Finding]:
    """Definitions that are almost the same; those of one headword are found as duplicates already."""
    by_language: dict[str | None, list[Entry]] = defaultdict(list)
    for entry in reading.glossary.entries:
        by_language[entry.language].append(entry)
    for entries in by_language.values():
        for found in alike([entry.definition for entry in entries]):
            entry, earlier = entries[found.text], entries[found.earlier]
            if fold(entry.term) != fold(earlier.term):
                same = (
                    f"{found.share:.0%} of its definition in common with"
                    if found.share < 1
                    else "the same definition as"
                )
                yield _finding(
                    "near-duplicate",
                    entry,
                    f"{entry.term!r} has {same} {earlier.term!r} ({earlier.file}:{earlier.line}); "
                    "make one a further name of the other, or say what tells them apart",
                )


_CHECKS: tuple[Callable[[Reading], Iterator[Finding]], ...] = (
    _read,
    _shared_names,
    _references,
    _near_duplicates,
    _wording,
    _one_sided_relations,
)


def _quoted(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(repr, names[:_LISTED])) + rest
