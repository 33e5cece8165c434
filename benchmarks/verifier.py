"""How good the verifier is: precision and recall over sentences labelled by hand.

    .venv/bin/python benchmarks/verifier.py [--totals-only] [--failures] [FILE ...]

Each line of a file is a sentence, the headwords of the entries that it would cite in the shipped glossary, and whether
they support it: whether all it claims follows from their definitions, it is well formed, and it does not mislead. "It"
may stand for the one entry cited. A sentence that one could argue about was left out, and so was one whose only fault
is an article. `source` is `model` for what the default model wrote and `hand` for the rest; `why` is the kind of
wording, or what is wrong. No entry is cited in two files.

Precision is the share of supported sentences among those that the verifier lets through, recall the share of the
supported ones that it lets through. For files that nothing may be tuned on, use `--totals-only`.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

from glossbot import paths, readers
from glossbot.entry import Entry, Frozen, Glossary
from glossbot.names import NameFinder
from glossbot.verify import Verdict, Verifier

_FOLDER = Path(__file__).parents[1] / "evaluation"


class Sentence(Frozen):
    """One labelled sentence."""

    id: str
    source: Literal["model", "hand"]
    sentence: str
    cites: tuple[str, ...]
    supported: bool
    why: str


class Outcome(NamedTuple):
    """A labelled sentence and what the verifier says of it."""

    sentence: Sentence
    verdict: Verdict

    @property
    def is_right(self) -> bool:
        """Whether the verifier agrees with the label."""
        return self.verdict.supported == self.sentence.supported


def main() -> None:
    """Run the verifier over files and print what it gets right."""
    parser = argparse.ArgumentParser(description="How good the verifier is.")
    parser.add_argument("files", nargs="*", type=Path, default=[_FOLDER / "tune-verifier.jsonl"], metavar="FILE")
    parser.add_argument("--totals-only", action="store_true", help="leave out the tables by kind")
    parser.add_argument("--failures", action="store_true", help="list the sentences that it gets wrong")
    asked = parser.parse_args()
    glossary = readers.read([paths.shipped_corpus()]).glossary
    verifier = Verifier(NameFinder(glossary))
    for file in asked.files:
        sentences = [Sentence.model_validate_json(line) for line in file.read_text("utf-8").splitlines()]
        outcomes = [_outcome(sentence, verifier, glossary) for sentence in sentences]
        print(f"{file.name}: {len(outcomes)} sentences")
        _print_totals(outcomes)
        if not asked.totals_only:
            _print_kinds(outcomes)
        if asked.failures:
            _print_failures(outcomes)


def _outcome(sentence: Sentence, verifier: Verifier, glossary: Glossary) -> Outcome:
    entries = [_entry(term, glossary, sentence) for term in sentence.cites]
    return Outcome(sentence, verifier.check(sentence.sentence, *entries))


def _entry(term: str, glossary: Glossary, sentence: Sentence) -> Entry:
    found = [entry for entry in glossary.named(term) if entry.term == term]
    if not found:
        sys.exit(f'{sentence.id} cites "{term}", which is no headword of the shipped glossary: label it anew.')
    return found[0]


def _print_totals(outcomes: Sequence[Outcome]) -> None:
    for name, group in [("all", list(outcomes)), *_grouped(outcomes, lambda outcome: outcome.sentence.source)]:
        counts = Counter((outcome.sentence.supported, outcome.verdict.supported) for outcome in group)
        right, missed, wrong = counts[True, True], counts[True, False], counts[False, True]
        print(
            f"  {name:6} precision {_share(right, right + wrong)}, recall {_share(right, right + missed)}: shown "
            f"{right} of {right + missed} supported, {wrong} of {wrong + counts[False, False]} unsupported"
        )


def _print_kinds(outcomes: Sequence[Outcome]) -> None:
    for label, done in ((True, "shown"), (False, "refused")):
        print(f"  {'supported' if label else 'unsupported'}, by kind:")
        labelled = [outcome for outcome in outcomes if outcome.sentence.supported == label]
        for kind, group in _grouped(labelled, lambda outcome: outcome.sentence.why):
            print(f"    {kind:20} {sum(outcome.is_right for outcome in group)} of {len(group)} {done}")


def _print_failures(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if not outcome.is_right:
            sentence, reason = outcome.sentence, outcome.verdict.reason
            print(f"  {sentence.id} [{', '.join(sentence.cites)}] {sentence.why}: {sentence.sentence}")
            print(f"      {'shown' if outcome.verdict.supported else f'refused: {reason}'}")


def _grouped(outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> list[tuple[str, list[Outcome]]]:
    return [(name, list(group)) for name, group in groupby(sorted(outcomes, key=key), key)]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "(none)"


if __name__ == "__main__":
    main()
