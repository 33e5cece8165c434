"""The command line: thin commands over the library."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from glossbot import __version__, weights
from glossbot import settings as settings_module
from glossbot.cli_cache import cache, show_pairs
from glossbot.errors import (
    GlossbotError,
    IndexCorruptError,
    IndexMissingError,
    IndexOutdatedError,
    LintError,
    QuestionError,
    UnknownTermError,
)
from glossbot.manifest import Manifest
from glossbot.settings import DEFAULT_NAME, Settings

if TYPE_CHECKING:
    from glossbot.answer import Answer, Event
    from glossbot.readers import ReadOptions, Root

app = typer.Typer(
    help="Ask a glossary questions on your own machine: grounded answers that cite the terms.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
models = typer.Typer(help="List, fetch and check model files.", no_args_is_help=True)
app.add_typer(models, name="models")
app.add_typer(cache, name="cache")
# typer carries its own copy of click, and no public name for the base of the errors that it raises.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _setting(name: str) -> Any:
    """Return the command-line option of a setting, with the help that the one table has."""
    field = Settings.model_fields[name]
    return typer.Option(f"--{name.replace('_', '-')}", help=field.description, show_default=False)


NameOption = Annotated[str | None, _setting("name")]
ModelOption = Annotated[str | None, _setting("model")]
EmbedderOption = Annotated[str | None, _setting("embedder")]
GpuLayersOption = Annotated[str | None, _setting("gpu_layers")]
ThreadsOption = Annotated[int | None, _setting("threads")]
ContextSizeOption = Annotated[int | None, _setting("context_size")]
TemperatureOption = Annotated[float | None, _setting("temperature")]
HostOption = Annotated[str | None, _setting("host")]
PortOption = Annotated[int | None, _setting("port")]
TitleOption = Annotated[str | None, _setting("title")]
MapOption = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="FIELD=NAME,…", help="The files' own name of a field, as term=Name; repeatable."),
]
LangOption = Annotated[
    str | None,
    typer.Option("--lang", metavar="CODE", help="Which language is read, where there are several; `all` for each."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Ask a glossary questions on your own machine."""
    if version:
        typer.echo(f"glossbot {__version__}")
        raise typer.Exit


@app.command(epilog='Example: glossbot ask "difference between GQA and MQA"')
def ask(
    question: Annotated[
        list[str] | None, typer.Argument(help="The question; read from standard input if left out.")
    ] = None,
    as_json: JsonOption = False,
    as_events: Annotated[
        bool, typer.Option("--jsonl", help="Print the events as they come, one JSON object a line.")
    ] = False,
    name: NameOption = None,
    model: ModelOption = None,
    embedder: EmbedderOption = None,
    gpu_layers: GpuLayersOption = None,
    threads: ThreadsOption = None,
    context_size: ContextSizeOption = None,
    temperature: TemperatureOption = None,
    afresh: Annotated[bool, typer.Option("--afresh", help="Answer anew what was answered before.")] = False,
) -> None:
    """Answer one question, with the entries that the answer rests on."""
    from glossbot.recall import recall
    from glossbot.terminal import make_console, show_answer

    text = " ".join(question) if question is not None else ("" if sys.stdin.isatty() else sys.stdin.read())
    settings = Settings.load(
        name=name,
        model=model,
        embedder=embedder,
        gpu_layers=gpu_layers,
        threads=threads,
        context_size=context_size,
        temperature=temperature,
    )
    events = None if afresh else recall(settings, text)
    if events is None:
        from glossbot.bot import Glossbot

        events = Glossbot.load(settings).stream(text, afresh=afresh)
    if as_json:
        typer.echo(_whole(events).model_dump_json(indent=2))
    elif as_events:
        for event in events:
            typer.echo(event.model_dump_json())
    elif failure := show_answer(events, make_console(), make_console(stderr=True)):
        raise failure


def _whole(events: "Iterable[Event]") -> "Answer":
    """Return the answer that ends a stream of events, or raise the error of a model that failed on the way."""
    from glossbot.answer import DoneEvent, ErrorEvent

    for event in events:
        if isinstance(event, ErrorEvent):
            raise event.cause
        if isinstance(event, DoneEvent):
            return event.answer
    raise QuestionError("The question was cancelled.")


@app.command(epilog="Example: glossbot chat --port 8080")
def chat(
    host: HostOption = None,
    port: PortOption = None,
    title: TitleOption = None,
    name: NameOption = None,
    model: ModelOption = None,
    embedder: EmbedderOption = None,
    gpu_layers: GpuLayersOption = None,
    threads: ThreadsOption = None,
    context_size: ContextSizeOption = None,
    temperature: TemperatureOption = None,
) -> None:
    """Open the chat: a page in the browser, served on this machine."""
    from glossbot.server.app import run

    run(
        Settings.load(
            host=host,
            port=port,
            title=title,
            name=name,
            model=model,
            embedder=embedder,
            gpu_layers=gpu_layers,
            threads=threads,
            context_size=context_size,
            temperature=temperature,
        )
    )


@app.command(epilog="Example: glossbot index docs/glossary.md; glossbot index terms.csv --name terms")
def index(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Glossary files, folders and globs; if left out, those that were indexed last, "
            "else the shipped glossary."
        ),
    ] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Go back to the shipped glossary.")] = False,
    name: NameOption = None,
    file_format: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="The files' format, where they do not tell it.")
    ] = None,
    columns: MapOption = None,
    language: LangOption = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Where the glossary is published.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop where something cannot be read.")] = False,
    embedder: EmbedderOption = None,
) -> None:
    """Build the index of a glossary, or bring it up to date; only what has changed is embedded again."""
    from glossbot.bot import open_embedder
    from glossbot.index import Index
    from glossbot.index_file import read_recipe
    from glossbot.readers import ReadOptions
    from glossbot.terminal import make_console, make_progress, show_problems

    if paths and shipped:
        raise typer.BadParameter("give either paths or --shipped")
    given = _read_options(file_format=file_format, columns=columns, language=language, base_url=base_url)
    settings = Settings.load(name=name, embedder=embedder, glossary=tuple(paths) if paths else None)
    opened = open_embedder(settings)
    console = make_console(stderr=True)
    previous = None
    try:
        previous = Index.open(settings.index_file, check_sources=False)
    except (IndexCorruptError, IndexOutdatedError) as error:
        console.print(f"The old index cannot be used and is built anew: {error}", markup=False)
    except IndexMissingError:
        pass
    before = None if shipped else read_recipe(settings.index_file)
    roots: Sequence[Path | Root] | None = None
    # The setting `glossary` is about the glossary that the setting `name` names, not about another one.
    if not shipped and (paths or settings.name == Settings.load().name):
        roots = settings.glossary
    if roots is None and before:
        roots = before.roots
    if roots is None and not (shipped or before) and settings.name != DEFAULT_NAME:
        raise typer.BadParameter(f"there is no glossary {settings.name!r} yet: name its files, or give --shipped")
    options = (before.options if before and not paths else ReadOptions()).model_copy(update=given)
    if previous and previous.is_current(roots, opened, options=options) and not (strict and previous.header.problems):
        known = previous.header.problems
        aside = (
            f" ({known} problem{'s' if known > 1 else ''} in the files; `glossbot lint` lists them)" if known else ""
        )
        typer.echo(f"{len(previous.glossary)} entries, up to date{aside}: {settings.index_file}")
        return
    with make_progress(console) as bar:
        task = bar.add_task("Reading", total=None)
        built, changes = Index.build(
            roots,
            opened,
            options=options,
            strict=strict,
            previous=previous,
            on_read=lambda reading: show_problems(reading, console),
            progress=lambda done, total: bar.update(task, description="Embedding", completed=done, total=total),
        )
    built.save(settings.index_file)
    typer.echo(
        f"{len(built.glossary)} entries: {changes.added} added, {changes.changed} changed, {changes.removed} removed, "
        f"{changes.unchanged} unchanged: {settings.index_file}"
    )


@app.command(epilog="Example: glossbot calibrate --dry-run")
def calibrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be set, and set nothing.")] = False,
    as_json: JsonOption = False,
    name: NameOption = None,
    embedder: EmbedderOption = None,
) -> None:
    """Find from the glossary's own entries how sure a match must be before a described question is answered."""
    from glossbot.bot import open_embedder
    from glossbot.calibrate import calibrate as find
    from glossbot.index import Index
    from glossbot.terminal import make_console, make_progress

    settings = Settings.load(name=name, embedder=embedder)
    opened = open_embedder(settings)
    index = Index.open(settings.index_file, embedder=opened)
    with make_progress(make_console(stderr=True)) as bar:
        task = bar.add_task("Asking", total=None)
        found = find(index, opened, progress=lambda done, total: bar.update(task, completed=done, total=total))
    if not dry_run:
        index.calibrated(found.covered_from).save(settings.index_file)
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
        return
    typer.echo(
        f"Covered from {found.covered_from:.3f}, before {found.before:.3f}{' (not set)' if dry_run else ''}. "
        f"Of {found.questions} questions made from the entries, {found.refused:.0%} are refused with their entry in "
        f"the glossary, and {found.answered:.0%} are answered from another one where it is left out."
    )


@app.command()
def glossaries(as_json: JsonOption = False) -> None:
    """List the glossaries that are indexed, which `--name` chooses from."""
    from glossbot.index_file import in_folder
    from glossbot.terminal import printable

    settings = Settings.load()
    found = in_folder(settings.index_dir)
    if as_json:
        typer.echo(json.dumps([one.model_dump() for one in found], ensure_ascii=False, indent=2))
        return
    for one in found:
        used = ", in use" if one.name == settings.name else ""
        typer.echo(printable(f"{one.name:<24}{one.error or f'{one.entries} entries'}{used}"))
        for source in one.sources:
            typer.echo(printable(f"    {source}"))
    if not found:
        typer.echo("no glossary is indexed yet; run `glossbot index`", err=True)


def _read_options(
    *,
    file_format: str | None,
    columns: list[str] | None,
    language: str | None,
    base_url: str | None = None,
    format_option: str = "--format",
) -> dict[str, Any]:
    """Return the fields of `ReadOptions` that were given, checked."""
    from glossbot.readers import FORMATS
    from glossbot.readers.column_names import FIELDS

    if file_format is not None and file_format not in FORMATS:
        raise typer.BadParameter(f"{file_format!r} is none of {', '.join(FORMATS)}", param_hint=format_option)
    fields: dict[str, str] = {}
    for pair in (pair for given in columns or () for pair in re.split(r",(?=\s*\w+\s*=)", given)):
        field, equals, column = map(str.strip, pair.partition("="))
        if not (equals and column):
            raise typer.BadParameter(f"{pair!r} is not FIELD=NAME, as in term=Name", param_hint="--map")
        if field not in FIELDS:
            raise typer.BadParameter(f"there is no field {field!r}; there are {', '.join(FIELDS)}", param_hint="--map")
        fields[field] = column
    if base_url is not None and not re.fullmatch(r"https?://[^\s/?#]+\S*", base_url):
        raise typer.BadParameter(f"{base_url!r} is no http or https address", param_hint="--base-url")
    given_values = {"format": file_format, "columns": fields or None, "language": language, "base_url": base_url}
    return {name: value for name, value in given_values.items() if value is not None}


class Layout(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    GITHUB = "github"


@app.command(epilog="Example: glossbot lint docs/glossary.md --ignore one-sided-relation")
def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Glossary files and folders; if left out, those of the index, else the shipped glossary."),
    ] = None,
    layout: Annotated[
        Layout, typer.Option("--format", help="How to print: text, or as annotations of a GitHub workflow.")
    ] = Layout.TEXT,
    as_json: JsonOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="Leave findings of this kind out; repeatable.")
    ] = None,
    file_format: Annotated[
        str | None, typer.Option("--file-format", metavar="NAME", help="The files' format, where they do not tell it.")
    ] = None,
    columns: MapOption = None,
    language: LangOption = None,
    name: NameOption = None,
) -> None:
    """Check a glossary for what is missing, ambiguous or broken; ends with 7 where there are errors."""
    from glossbot.finding import RULES, Severity
    from glossbot.lint import lint as check
    from glossbot.terminal import make_console, printable, show_findings

    if unknown := sorted(set(ignore or ()) - set(RULES)):
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(RULES)}")
    given = _read_options(file_format=file_format, columns=columns, language=language, format_option="--file-format")
    sources, options = _sources(paths, given, name=name)
    report = check(sources, options, ignore=frozenset(ignore or ()))
    if as_json:
        findings = [finding.model_dump(mode="json") for finding in report.findings]
        typer.echo(json.dumps(findings, ensure_ascii=False, indent=2))
    elif layout is Layout.GITHUB:
        for finding in report.findings:
            typer.echo(printable(finding.github))
    else:
        show_findings(report.findings, make_console())
    if report.count(Severity.ERROR) or (strict and report.count(Severity.WARNING)):
        raise LintError(report.summary)
    typer.echo(report.summary, err=True)


def _sources(
    paths: list[Path] | None, given: dict[str, Any], *, name: str | None
) -> "tuple[Sequence[Path | Root], ReadOptions]":
    """Return which files are meant where none may be given, and how they are read."""
    from glossbot.index_file import read_recipe
    from glossbot.paths import shipped_corpus
    from glossbot.readers import ReadOptions

    settings = Settings.load(name=name)
    before = None if paths else read_recipe(settings.index_file)
    roots = paths or settings.glossary or (before and before.roots) or (shipped_corpus(),)
    return roots, (before.options if before else ReadOptions()).model_copy(update=given)


@app.command(epilog="Example: glossbot terms attention; glossbot terms --show GQA")
def terms(
    search: Annotated[str, typer.Argument(help="List only entries whose names hold this text.")] = "",
    show: Annotated[str | None, typer.Option("--show", help="Show one entry whole, by any of its names.")] = None,
    name: NameOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the glossary's entries, search their names, or show one."""
    from glossbot.entry import fold
    from glossbot.index import Index
    from glossbot.terminal import make_console, printable, show_entries, show_entry

    opened = Index.open(Settings.load(name=name).index_file)
    if show is not None:
        found = list(dict.fromkeys(entry for mention in opened.names.find(show) for entry in mention.entries))
        if not found:
            raise UnknownTermError(f"{show!r}: no entry has this name; `glossbot terms` lists them all")
    else:
        key = fold(search)
        found = [entry for entry in opened.glossary.entries if any(key in fold(own) for own in entry.names)]
        if not found:
            typer.echo(printable(f"no entry is called {search!r}; `glossbot terms` lists them all"), err=True)
    if as_json:
        fields = "id term names category definition file line url language others attribution aliases".split()
        dumped = ({"names": entry.names, **entry.model_dump(mode="json")} for entry in found)
        listed = [{field: entry[field] for field in fields} for entry in dumped]
        typer.echo(json.dumps(listed, ensure_ascii=False, indent=2))
    elif show is not None:
        for entry in found:
            show_entry(entry, make_console())
    else:
        show_entries(found, make_console())


@models.command("list")
def models_list(as_json: JsonOption = False) -> None:
    """List the known models, and which of them are here."""
    settings = Settings.load()
    standings = weights.status(models_dir=settings.models_dir)
    if as_json:
        typer.echo(json.dumps([standing.model_dump(mode="json") for standing in standings], indent=2))
        return
    for standing in standings:
        known = standing.model
        used = ", in use" if known.id in (settings.model, settings.embedder) else ""
        typer.echo(
            f"{known.id:<24}{known.kind:<10}{weights.megabytes(known.size):>8}  {known.licence}  {standing.state}{used}"
        )
        typer.echo(f"    {known.title}")


@models.command("pull", epilog="Example: glossbot models pull qwen2.5-0.5b-instruct")
def models_pull(
    ids: Annotated[
        list[str] | None, typer.Argument(help="Which models; if left out, those that the settings name.")
    ] = None,
) -> None:
    """Fetch models, each file checked against its SHA-256; one that is here already is left alone."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from glossbot import downloads
    from glossbot.terminal import make_console

    settings = Settings.load()
    known = Manifest.load()
    wanted = ids or [name for name in (settings.model, settings.embedder) if known.get(name)]
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    for id_ in wanted:
        with Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
            task = bar.add_task(id_, total=None)

            def show(what: str, done: int, total: int, *, bar: Progress = bar, task: Any = task) -> None:
                bar.update(task, description=what, completed=done, total=total or None)

            path = downloads.pull(id_, models_dir=settings.models_dir, progress=show)
        typer.echo(f"{id_}: {path}")


@models.command("verify")
def models_verify(
    id_: Annotated[
        str | None, typer.Argument(metavar="ID", help="Which model; if left out, all that are here.")
    ] = None,
) -> None:
    """Hash model files again and compare them with what is known of them."""
    from glossbot.errors import ModelCorruptError

    standings = weights.verify(id_, models_dir=Settings.load().models_dir)
    for standing in standings:
        typer.echo(f"{standing.model.id}: {standing.detail or standing.state}")
    if damaged := [standing for standing in standings if standing.state is not weights.State.INSTALLED]:
        raise ModelCorruptError(
            f"{', '.join(standing.model.id for standing in damaged)}: fetch again with `glossbot models pull`"
        )


@models.command("path")
def models_path(
    id_: Annotated[
        str | None, typer.Argument(metavar="ID", help="Which model; if left out, the folder of all.")
    ] = None,
) -> None:
    """Print where a model lies, or would lie."""
    folder = Settings.load().models_dir
    typer.echo(Manifest.load().find(id_).path(folder) if id_ else folder)


@app.command()
def doctor(
    as_json: JsonOption = False,
    model: ModelOption = None,
    embedder: EmbedderOption = None,
    gpu_layers: GpuLayersOption = None,
) -> None:
    """Say what this machine and this build of llama.cpp can do, and what is wrong."""
    from glossbot.doctor import diagnose
    from glossbot.terminal import make_console

    settings = Settings.load(model=model, embedder=embedder, gpu_layers=gpu_layers)
    errors = make_console(stderr=True)
    with errors.status("Looking …") as status:
        report = diagnose(settings, progress=lambda what: status.update(what))
    if as_json:
        typer.echo(report.model_dump_json(indent=2))
    else:
        marks = {"ok": "[green]ok  [/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}
        console = make_console()
        for finding in report.findings:
            console.print(marks[finding.status], end=" ")
            console.print(f"{finding.name}: {finding.detail}", markup=False)
            if finding.advice:
                console.print(f"     → {finding.advice}", markup=False)
    raise typer.Exit(0 if report.ok else 1)


@app.command("settings")
def show_settings(as_json: JsonOption = False) -> None:
    """Show every setting: its value, its environment variable and what it is."""
    settings = Settings.load()
    if as_json:
        typer.echo(settings.model_dump_json(indent=2))
        return
    for name, field in Settings.model_fields.items():
        typer.echo(f"{name} = {getattr(settings, name)}\n    {settings_module.variable(name)}: {field.description}")
    for variable, description in settings_module.PLACES.items():
        typer.echo(f"{variable}\n    {description}")


@app.command("eval", epilog="Example: glossbot eval retrieval evaluation/tune-retrieval.jsonl")
def evaluate(
    kind: Annotated[str, typer.Argument(help="retrieval, abstain, followups or cache.")],
    file: Annotated[Path, typer.Argument(help="Questions, one JSON object a line.")],
    as_json: JsonOption = False,
    totals_only: Annotated[bool, typer.Option("--totals-only", help="Leave the failures out.")] = False,
    name: NameOption = None,
) -> None:
    """Run questions with known answers, and count what was found."""
    from rich.table import Table

    from glossbot import evaluate as evaluation
    from glossbot.bot import Glossbot
    from glossbot.terminal import make_console

    if kind == "cache":
        show_pairs(file, name=name, as_json=as_json, totals_only=totals_only)
        return
    if kind not in get_args(evaluation.Kind):
        raise typer.BadParameter(f"{kind!r} is none of {', '.join((*get_args(evaluation.Kind), 'cache'))}")
    bot = Glossbot.load(Settings.load(name=name))
    result = evaluation.summarise(list(evaluation.evaluate(bot, kind, evaluation.read_lines(file))))  # type: ignore[arg-type]
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("kind", "lines", "passed", "first", "within 5", "refused"):
        table.add_column(heading)
    for total in result.summary:
        counts = (total.lines, total.passed, total.first, total.found, total.refused)
        table.add_row(total.kind, *("" if count is None else str(count) for count in counts))
    console = make_console()
    console.print(table)
    if not totals_only:
        for line in result.lines:
            if not line.passed:
                found = ", ".join(names[0] for names in line.evidence) or "nothing"
                console.print(f"{line.id}: {line.question}\n    {line.status}: {found}", markup=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every error is one message on standard error and an exit code of its own."""
    try:
        code = app(args=list(arguments) if arguments is not None else None, standalone_mode=False)
    except GlossbotError as error:
        from glossbot.terminal import printable

        typer.echo(f"glossbot: {printable(str(error))}", err=True)
        sys.exit(error.exit_code)
    except _UsageError as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(0)
    sys.exit(code if isinstance(code, int) else 0)
