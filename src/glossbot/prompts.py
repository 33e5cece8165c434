"""Every text that is put before a model, and every sentence that glossbot says in its own words."""

from collections.abc import Sequence

from glossbot.llm import Prompt

VERSION = "5"

# First in every prompt and never changed within a version, so that llama.cpp keeps its keys and values.
SYSTEM = "You explain terms from a glossary. Use only the text you are given. Write one short, plain sentence."

NOT_COVERED = "The glossary does not cover this."
DENIED = "The glossary does not bear out what the question takes for granted:"
UNSETTLED = "Whether that is so, the glossary does not say in these words; here is what it says."
AMBIGUOUS = "This name has more than one meaning in the glossary:"


def part(question: str, sources: Sequence[str], *, choices: Sequence[str]) -> Prompt:
    """Return the prompt for one sentence; the same for all parts of an answer where the wording is chosen.

    Args:
        question: what was asked.
        sources: sentences of the glossary, all that the model sees where it writes freely.
        choices: how it may be said; the model's part is to say it in the way that answers the question.
    """
    return Prompt(
        system=SYSTEM, text=f"Text: {' '.join(sources)}", user=f"Question: {question}", choices=tuple(choices)
    )


def not_covered(missing: Sequence[str]) -> str:
    """Return the refusal, with what is missing."""
    return f"{NOT_COVERED[:-1]}: {_listed(missing)}." if missing else NOT_COVERED


def lacks(missing: Sequence[str]) -> str:
    """Return the sentence which says that a part of the question finds no answer."""
    return f"The glossary does not say: {_listed(missing)}."


def same_entry(names: Sequence[str], term: str) -> str:
    """Return the sentence which says that the compared names are one entry's."""
    return f"{_listed(names)} are names of one entry: {term}."


def no_contrast(terms: Sequence[str]) -> str:
    """Return the sentence which says that the glossary has no written comparison."""
    return f"The glossary does not set {_listed(terms)} side by side; here is what it says of each."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
