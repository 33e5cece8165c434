"""What a check of a glossary finds, and how a finding is written for people, for GitHub and for programs."""

from enum import StrEnum
from typing import NamedTuple

from glossbot.entry import Frozen


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # a reader of the glossary is told nothing, or something wrong
    WARNING = "warning"  # most likely a mistake
    NOTICE = "notice"  # good to know


class Rule(NamedTuple):
    """A kind of finding."""

    severity: Severity
    meaning: str


RULES: dict[str, Rule] = {
    "unreadable": Rule(Severity.ERROR, "A file, or a part of one, that cannot be read."),
    "missing-headword": Rule(Severity.ERROR, "An entry without a name."),
    "missing-definition": Rule(Severity.ERROR, "An entry without a definition, or with an empty one."),
    "duplicate-headword": Rule(
        Severity.ERROR, "Two entries with the same headword, and no category or qualifier that tells them apart."
    ),
    "dangling-reference": Rule(Severity.ERROR, "A related entry, contrast or 'See X' that leads to no entry."),
    "dangling-link": Rule(Severity.WARNING, "A link in a definition to a place on the page where there is no entry."),
    "ambiguous-abbreviation": Rule(Severity.WARNING, "An abbreviation with two meanings."),
    "shared-name": Rule(Severity.WARNING, "Another name that two entries bear."),
    "near-duplicate": Rule(Severity.WARNING, "Two entries with almost the same definition."),
    "conflicting-definitions": Rule(Severity.WARNING, "An entry that two files define in different words."),
    "repeated-headword": Rule(Severity.WARNING, "A definition that says no more than its headword."),
    "long-alias": Rule(Severity.WARNING, "Another name of more than six words."),
    "one-sided-relation": Rule(Severity.WARNING, "An entry that others list as related, and that does not list them."),
    "long-entry": Rule(
        Severity.NOTICE, "A definition longer than the embedder's window: it is embedded in pieces, none left out."
    ),
    "guessed": Rule(Severity.NOTICE, "Something that was guessed or passed over in reading."),
}


class Finding(Frozen):
    """One thing to look at, and where it stands."""

    code: str
    severity: Severity
    file: str | None
    line: int | None
    term: str | None
    message: str

    def __str__(self) -> str:
        """Return it the way compilers do: ``file:line: severity: message [code]``."""
        said = f"{self.severity}: {self.message} [{self.code}]"
        return f"{self.place}: {said}" if self.place else said

    @property
    def place(self) -> str:
        """Its file and line, as far as it has them."""
        return ":".join(str(part) for part in (self.file, self.line) if part is not None)

    @property
    def github(self) -> str:
        """The command that makes GitHub show it beside the line (workflow commands, ``::error``)."""
        properties = {"file": self.file, "line": self.line, "title": self.code}
        given = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value is not None)
        return f"::{self.severity} {given}::{_data(self.message)}"


class Report(Frozen):
    """All that was found in a glossary, in the order of its files and lines."""

    entries: int
    findings: tuple[Finding, ...]

    def count(self, severity: Severity) -> int:
        """Return how many findings are this bad."""
        return sum(finding.severity is severity for finding in self.findings)

    @property
    def summary(self) -> str:
        """The counts in words: ``2 errors and 1 warning in 30 entries``."""
        counts = [_counted(number, severity) for severity in Severity if (number := self.count(severity))]
        found = " and ".join(filter(None, (", ".join(counts[:-1]), *counts[-1:]))) or "nothing to report"
        return f"{found} in {_counted(self.entries, 'entry')}"


def _counted(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")
