"""Answers and glossaries on a terminal: coloured there, plain text when piped."""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from glossbot.answer import (
    Answer,
    Citation,
    DoneEvent,
    ErrorEvent,
    Event,
    EvidenceEvent,
    Origin,
    ProgressEvent,
    QuestionEvent,
    SentenceEvent,
    Status,
)
from glossbot.entry import Entry, Place
from glossbot.errors import GlossbotError
from glossbot.finding import Finding, Severity

if TYPE_CHECKING:
    from glossbot.readers import Reading

_STYLES = {Origin.MODEL: "", Origin.QUOTED: "", Origin.CONTRAST: "bold", Origin.NOTICE: "yellow"}
_SHOWN_PROBLEMS = 20
_SEVERITIES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTICE: "dim"}


def make_console(*, stderr: bool = False) -> Console:
    """Return a console that wraps to the terminal's width, and leaves lines whole when piped."""
    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, soft_wrap=True, no_color=True)


def make_progress(console: Console) -> Progress:
    """Return a progress bar with counts and the time still to go."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def show_answer(events: Iterable[Event], console: Console, errors: Console) -> GlossbotError | None:
    """Print an answer as its events come, then the entries that it rests on.

    Returns:
        The error of a model that failed on the way, if one did; the entries' own words were shown all the same.
    """
    failure: GlossbotError | None = None
    with errors.status("") as status:
        for event in events:
            match event:
                case ProgressEvent(message=message):
                    status.update(message)
                case QuestionEvent(rewritten=str(rewritten)):
                    console.print(_text(f"({rewritten})", "dim"))
                case EvidenceEvent():
                    status.update("Writing …")
                case SentenceEvent(sentence=sentence):
                    line = _text(sentence.text, _STYLES[sentence.origin])
                    line.append("".join(f" [{number}]" for number in sentence.citations), "cyan")
                    console.print(line)
                case ErrorEvent(cause=cause):
                    failure = cause
                case DoneEvent(answer=answer):
                    _show_sources(answer, console)
    return failure


def show_entries(entries: Iterable[Entry], console: Console) -> None:
    """Print a list of entries: term, other names, category."""
    table = Table(box=None, pad_edge=False, show_header=console.is_terminal)
    for heading in ("term", "also called", "category"):
        table.add_column(heading, overflow="fold")
    for entry in entries:
        table.add_row(_text(entry.term, "bold"), _text(", ".join(entry.aliases)), _text(entry.category or "", "dim"))
    console.print(table)


def show_entry(entry: Entry, console: Console) -> None:
    """Print one entry whole."""
    console.print(_text(entry.term, "bold"))
    if entry.aliases:
        console.print(_text(f"also called {', '.join(entry.aliases)}", "dim"))
    console.print()
    console.print(_text(entry.definition))
    if entry.contrasts:
        console.print()
    for contrast in entry.contrasts:
        console.print(_text(f"vs {contrast.other}: ", "bold").append_text(_text(contrast.text)))
    if entry.related:
        console.print()
        console.print(_text(f"related: {', '.join(entry.related)}", "dim"))
    for place in (Place(file=entry.file, line=entry.line, url=entry.url), *entry.others):
        console.print(_text("  ".join(filter(None, (f"{place.file}:{place.line}", place.url))), "dim"))
    if entry.attribution:
        console.print(_text(entry.attribution, "dim"))


def show_findings(findings: Iterable[Finding], console: Console) -> None:
    """Print the findings of a check, one a line."""
    for finding in findings:
        line = _text(f"{finding.place}: " if finding.place else "")
        line.append(f"{finding.severity}: ", _SEVERITIES[finding.severity])
        line.append(printable(finding.message)).append(f" [{finding.code}]", "dim")
        console.print(line)


def show_problems(reading: "Reading", console: Console) -> None:
    """Print what could not be read, then what was guessed or passed over: the first of each, one a line."""
    for problems, style in ((reading.problems, "yellow"), (reading.notices, "dim")):
        for problem in problems[:_SHOWN_PROBLEMS]:
            console.print(_text(" ".join(str(problem).split()), style))
        if len(problems) > _SHOWN_PROBLEMS:
            console.print(_text(f"… and {len(problems) - _SHOWN_PROBLEMS} more; `glossbot lint` lists all", style))


def printable(text: str) -> str:
    """Return a text without the control characters that would steer a terminal; line ends stay."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs"))


def _show_sources(answer: Answer, console: Console) -> None:
    cited = {number for sentence in answer.sentences for number in sentence.citations}
    sources = [citation for citation in answer.citations if citation.n in cited]
    for source in sources:
        console.print()
        console.print(_heading(source))
        for paragraph in _paragraphs(source.definition):
            console.print(
                Padding(_text(paragraph, "dim"), (0, 0, 0, 4)) if console.is_terminal else f"    {paragraph}",
                markup=False,
            )
    if answer.cache:
        console.print()
        console.print(_text(f"Answered before, to: {answer.cache.question} (--afresh answers anew)", "dim"))
    if answer.suggestions:
        console.print()
        heading = "Nearest terms" if answer.status is Status.NOT_COVERED else "See also"
        console.print(_text(f"{heading}: {', '.join(answer.suggestions)}", "dim"))


def _heading(source: Citation) -> Text:
    heading = _text(f"[{source.n}] ", "cyan").append(printable(source.term), "bold")
    also = "".join(f", {place.file}:{place.line}" for place in source.others)
    details = (f"{source.file}:{source.line}{also}", source.url, source.attribution)
    return heading.append("".join(printable(f"  {detail}") for detail in details if detail), "dim")


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield printable(" ".join(paragraph.split()))


def _text(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)
