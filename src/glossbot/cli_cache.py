"""`glossbot cache`: look after the answers that were given before."""

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glossbot.cache.record import Kept
from glossbot.cache.store import Store
from glossbot.errors import CacheError
from glossbot.settings import Settings

if TYPE_CHECKING:
    from glossbot.bot import Glossbot
    from glossbot.memory import Memory

cache = typer.Typer(help="Look after the answers that were given before.", no_args_is_help=True)
NameOption = Annotated[
    str | None, typer.Option("--name", help=Settings.model_fields["name"].description, show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
NumberArgument = Annotated[int, typer.Argument(help="Its number, as `glossbot cache list` shows it.")]


@cache.command(epilog="Example: glossbot cache warm; glossbot cache warm questions.txt; glossbot cache warm --recorded")
def warm(
    file: Annotated[Path | None, typer.Argument(help="Questions to answer, one a line.")] = None,
    recorded: Annotated[bool, typer.Option("--recorded", help="Answer the questions that readers asked.")] = False,
    name: NameOption = None,
) -> None:
    """Answer ahead what readers will ask: every definition and every written contrast, or the given questions.

    It may be stopped at any time, and goes on where it was.
    """
    from glossbot.answer import Status
    from glossbot.cache.ahead import questions, read_questions
    from glossbot.terminal import make_console, make_progress

    bot, memory = _opened(name)
    asked = read_questions(file) if file else []
    if recorded:
        asked += memory.answers.store.recorded_questions()
    if not (file or recorded):
        asked = list(questions(bot.glossary))
    answered = refused = before = 0
    with make_progress(make_console(stderr=True)) as bar:
        for question in bar.track(list(dict.fromkeys(asked)), description="Answering"):
            if memory.has(question):
                before += 1
                continue
            answer = bot.ask(question)
            if answer.cache:
                before += 1
            elif answer.status is Status.ANSWERED:
                answered += 1
            else:
                memory.forget(answer)
                refused += 1
    typer.echo(f"{answered} answered, {before} answered before, {refused} that the glossary does not answer whole")


@cache.command()
def stats(name: NameOption = None, as_json: JsonOption = False) -> None:
    """Show how many answers are kept, how much room they take, and how often they were given again."""
    found = _store(name).stats()
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
        return
    oldest = f", the oldest of {_day(found.oldest)}" if found.oldest else ""
    typer.echo(
        f"{_counted(found.answers)}{oldest}: {found.mb:.1f} of {found.limit_mb} MiB, given again {found.hits} times"
    )
    typer.echo(f"{found.recorded_questions} recorded questions")
    typer.echo(found.file)


@cache.command("list", epilog="Example: glossbot cache list GQA")
def list_answers(
    search: Annotated[str, typer.Argument(help="List only answers to questions that hold this text.")] = "",
    name: NameOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the answers that are kept, the last used first: number, how often given again, question."""
    from glossbot.terminal import printable

    found = _store(name).answers(search=search)
    if as_json:
        typer.echo(json.dumps([_listed(kept) for kept in found], ensure_ascii=False, indent=2))
        return
    for kept in found:
        typer.echo(printable(f"{kept.id:>7} {kept.hits:>5}  {kept.record.question}"))


@cache.command()
def show(number: NumberArgument, name: NameOption = None, as_json: JsonOption = False) -> None:
    """Show one answer as readers see it."""
    from glossbot.answer import Timings
    from glossbot.recall import Hit
    from glossbot.terminal import make_console, show_answer

    kept = _store(name).answer(number)
    hit = Hit.of(kept, "exact") if kept else None
    if kept is None or hit is None:
        raise CacheError(f"There is no answer {number}; `glossbot cache list` shows those that there are.")
    if as_json:
        typer.echo(hit.given.answer.model_dump_json(indent=2))
        return
    typer.echo(f"{kept.record.question}\n")
    show_answer(hit.told(kept.record.question, timings=Timings()), make_console(), make_console(stderr=True))


@cache.command()
def drop(number: NumberArgument, name: NameOption = None) -> None:
    """Remove one answer; it is made anew when somebody asks."""
    if not _store(name).drop(number):
        raise CacheError(f"There is no answer {number}; `glossbot cache list` shows those that there are.")


@cache.command()
def clear(name: NameOption = None) -> None:
    """Remove every answer and every recorded question."""
    typer.echo(f"{_counted(_store(name).clear())} removed")


@cache.command()
def export(
    file: Annotated[Path, typer.Argument(help="Where to write the answers that hold now.")], name: NameOption = None
) -> None:
    """Write the answers to a file, for another machine with the same glossary, models and settings."""
    from glossbot.cache import exchange

    _, memory = _opened(name)
    answers = memory.answers
    count = exchange.export(answers.store, file, versions=answers.versions.maker, corpus=answers.versions.corpus)
    typer.echo(f"{_counted(count)}: {file}")


@cache.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="What `glossbot cache export` wrote.")], name: NameOption = None
) -> None:
    """Take answers over from a file; one made with another glossary, model or settings is refused."""
    from glossbot.cache import exchange

    _, memory = _opened(name)
    answers = memory.answers
    versions = answers.versions
    count = exchange.import_answers(answers.store, file, versions=versions.maker, corpus=versions.corpus)
    typer.echo(f"{_counted(count)} taken over")


def show_pairs(file: Path, *, name: str | None, as_json: bool, totals_only: bool) -> None:
    """Evaluate the cache on pairs of questions, and print the rates and the pairs that it got wrong."""
    from rich.table import Table

    from glossbot.bot import Glossbot
    from glossbot.cache import trial
    from glossbot.terminal import make_console

    bot = Glossbot.load(Settings.load(name=name, cache=False))
    result = trial.summarise(list(trial.run(trial.read_pairs(file), bot.retrieve, bot.embed, lexicon=bot.lexicon)))
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("method", "hits on same", "false hits"):
        table.add_column(heading)
    for rates in result.summary:
        hits, wrong = f"{rates.same_hits} of {rates.same}", f"{rates.false_hits} of {rates.different}"
        table.add_row(rates.method, hits, wrong)
    console = make_console()
    console.print(table)
    for line in result.lines if not totals_only else ():
        if line.is_wrong or (line.same and not line.hit):
            verdict = "false hit" if line.is_wrong else "miss"
            console.print(f"{line.id}: {verdict} ({line.similarity:.2f})\n    {line.a}\n    {line.b}", markup=False)


def _store(name: str | None) -> Store:
    settings = Settings.load(name=name)
    return Store(settings.cache_file, limit_mb=settings.cache_mb, days=settings.cache_days)


def _opened(name: str | None) -> "tuple[Glossbot, Memory]":
    """Return the bot and its memory, which does not take what is asked here for readers' questions."""
    from glossbot.bot import Glossbot

    bot = Glossbot.load(Settings.load(name=name, cache=True, record_questions=False))
    if bot.memory is None:
        raise CacheError("The cache is off.")
    return bot, bot.memory


def _listed(kept: Kept) -> dict[str, Any]:
    return {
        "id": kept.id,
        "question": kept.record.question,
        "hits": kept.hits,
        "created": datetime.datetime.fromtimestamp(kept.created, datetime.UTC).isoformat(timespec="seconds"),
        "entries": list(kept.record.cited),
    }


def _counted(answers: int) -> str:
    return "1 answer" if answers == 1 else f"{answers} answers"


def _day(moment: float) -> str:
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).date().isoformat()
