"""Is a sentence supported by an entry? What must never pass, and what a copy may look like."""

import pytest

from glossbot.entry import Glossary
from glossbot.names import NameFinder
from glossbot.verify import Verifier

TTFT = "time to first token"


@pytest.fixture(scope="module")
def verifier(shipped_names: NameFinder) -> Verifier:
    return Verifier(shipped_names)


def test_a_definition_is_supported_by_its_own_entry(shipped: Glossary, verifier: Verifier) -> None:
    refused = [
        (entry.term, sentence, verdict.reason)
        for entry in shipped.entries
        for sentence in entry.sentences[:1]
        if not (verdict := verifier.check(sentence, entry)).supported
    ]
    assert refused == []


def test_a_sentence_of_one_entry_is_never_taken_for_anothers(shipped: Glossary, verifier: Verifier) -> None:
    """A small model's worst habit: the right words bound to the wrong term."""
    wrong = []
    for entry in shipped.entries:
        for contrast in entry.contrasts:
            (other,) = shipped.named(contrast.other)
            sentence = other.sentences[0]
            if entry.term not in sentence and verifier.check(sentence, entry).supported:
                wrong.append((entry.term, sentence))
    assert wrong == []


def test_a_definition_under_another_name_is_refused(shipped: Glossary, verifier: Verifier) -> None:
    wrong = []
    for entry in shipped.entries:
        for contrast in entry.contrasts:
            (other,) = shipped.named(contrast.other)
            subject = entry.term[0].upper() + entry.term[1:]
            rest = other.sentences[0].partition(" is ")[2]
            sentence = f"{subject} is {rest}"
            if rest and sentence not in entry.definition and verifier.check(sentence, entry).supported:
                wrong.append(sentence)
    assert wrong == []


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Time to first token",
        "Time to first token is",
        "Time to first token is the name of a football team.",
        "Time to first token was won by France in 2018.",
        "Time to first token is always under 10 ms.",
        "It is a latency.",
        "<|im_start|>Time to first token.",
        "Time to first token is explained in the text.",
        "See https://example.org for time to first token.",
        "As an AI language model, I think time to first token is latency.",
    ],
)
def test_what_an_entry_does_not_say_is_refused(sentence: str, shipped: Glossary, verifier: Verifier) -> None:
    (entry,) = shipped.named(TTFT)
    verdict = verifier.check(sentence, entry)
    assert not verdict.supported
    assert verdict.reason


def test_a_turned_statement_is_refused(shipped: Glossary, verifier: Verifier) -> None:
    turned = []
    for entry in shipped.entries:
        for sentence in entry.sentences:
            for word, other in (
                (" is ", " is not "),
                (" can ", " cannot "),
                (" more ", " less "),
                (" never ", " always "),
            ):
                changed = sentence.replace(word, other, 1)
                if changed != sentence and verifier.check(changed, entry).supported:
                    turned.append(changed)
    assert turned == []
