"""Other wordings of a sentence say what it says: nothing comes in, nothing that carries the claim goes."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.entry import Entry, Glossary
from glossbot.names import NameFinder, stem, tokenize
from glossbot.synonyms import canonical
from glossbot.wording import Wordings, is_copied

# Words that join clauses, which another wording may need or not.
JOINS = set(
    "because since so which is why therefore as while whereas although but and it they them with under a an the in "
    "when if until before after once where that are thus hence consequently also".split()
)
NEGATIONS = ("no", "not", "never", "nor", "without", "cannot", "neither", "only")


@pytest.fixture(scope="module")
def wordings(shipped_names: NameFinder) -> Wordings:
    return Wordings(shipped_names)


def content(text: str) -> set[str]:
    return {stem(token.key) for token in tokenize(canonical(text)) if token.key not in JOINS}


def everything(entry: Entry, wordings: Wordings) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every wording that an entry's sentences give, with the sentences it stands for."""
    for sentence in entry.sentences:
        for text in wordings.of(sentence):
            yield text, (sentence,)
        for other in entry.sentences:
            for text in wordings.joined(sentence, other):
                yield text, (sentence, other)


def test_no_wording_says_more_or_denies_otherwise(shipped: Glossary, wordings: Wordings) -> None:
    checked = 0
    for entry in shipped.entries:
        for text, sources in everything(entry, wordings):
            checked += 1
            said = " ".join(sources)
            assert content(text) <= content(said), text
            assert set(re.findall(r"\d+", text)) <= set(re.findall(r"\d+", said))
            for word in NEGATIONS:
                whole = re.compile(rf"(?<![\w-]){word}(?![\w-])", re.IGNORECASE)  # "weight-only" denies nothing
                assert len(whole.findall(text)) == len(whole.findall(said)), text
            assert text.count("(") == text.count(")")
            assert text.endswith(".")
            assert not re.search("[\ue000-\uefff]", text)
            assert not is_copied(text, sources)
    assert checked > 1000


def test_a_single_sentence_keeps_all_that_it_says_but_the_kind(shipped: Glossary, wordings: Wordings) -> None:
    for entry in shipped.entries:
        for sentence in entry.sentences[1:]:
            if not re.search(r"\b(?:is|are) (?:an?|the)\b", sentence):
                for text in wordings.of(sentence):
                    assert content(text) == content(sentence), text


def test_two_definitions_side_by_side_keep_both_names(
    shipped: Glossary, shipped_names: NameFinder, wordings: Wordings
) -> None:
    made = 0
    for left, right in zip(shipped.entries, shipped.entries[1:], strict=False):
        for text in wordings.together(left, right):
            made += 1
            assert content(text) <= content(f"{left.sentences[0]} {right.sentences[0]}"), text
            named = {entry for mention in shipped_names.find(text) for entry in mention.entries}
            assert {left, right} <= named, text
    assert made > 50


def teas(*sentences: str) -> Wordings:
    """Return wordings over a small glossary, where `oolong` and `green tea` are names."""
    text = " ".join(sentences)
    entries = (
        Entry(id="oolong", term="oolong", definition=f"{text} an operators leaves water steeping", file="t.md", line=1),
        Entry(id="green-tea", term="green tea", definition="Green tea is unoxidized.", file="t.md", line=5),
    )
    return Wordings(NameFinder(Glossary(entries=entries)))


@pytest.mark.parametrize(
    ("sentence", "wording"),
    [
        (
            "Oolong tolerates hot water, because large leaves open slowly.",
            "Because large leaves open slowly, oolong tolerates hot water.",
        ),
        (
            "Oolong loses its scent because it meets too much air.",
            "Because oolong meets too much air, it loses its scent.",
        ),
        (
            "Green tea turns bitter when water comes in hot.",
            "When water comes in hot, green tea turns bitter.",
        ),
        (
            "Oolong reduces bitterness by steeping several times.",
            "By steeping several times, oolong reduces bitterness.",
        ),
        (
            "Oolong costs more, but large leaves can be steeped again.",
            "Large leaves can be steeped again, although oolong costs more.",
        ),
        (
            "Leaves are rolled by hand, so oolong costs more.",
            "Oolong costs more, because leaves are rolled by hand.",
        ),
        (
            "Oolong keeps large leaves, whereas green tea uses small leaves.",
            "Green tea uses small leaves, whereas oolong keeps large leaves.",
        ),
    ],
)
def test_clauses_change_places(sentence: str, wording: str) -> None:
    assert wording in teas(sentence).of(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Oolong is not rolled because it is cheap.",  # it may be rolled for another reason
        "Oolong tolerates hot water only because large leaves open slowly.",
        "Oolong is a tea that tolerates hot water because large leaves open slowly.",
        "Oolong costs more and needs care because leaves break.",  # the cause may be of the care alone
        "Oolong costs more because leaves break, so growers charge for them.",
        "Oolong is sold as pu-erh because of its price.",
        "Oolong has been sold here since trade began.",
        "The place where oolong grows.",
        "Oolong suits cold water, but not milk.",
        "Oolong wird dunkler, weil die Blätter länger liegen.",
    ],
)
def test_what_a_turn_might_change_is_not_turned(sentence: str) -> None:
    for text in teas(sentence).of(sentence):
        assert not re.match(r"(?:Because|Since|So)\b", text), text
        assert ", so " not in text or ", so " in sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Oolong is the use of leaves for water that runs off.",  # the water runs, not the oolong
        "Oolong is a set of leaves that are rolled.",
        "Oolong is a tea that growers roll.",
    ],
)
def test_a_relative_clause_of_another_word_is_not_said_of_the_entry(sentence: str) -> None:
    assert not any(re.match(r"Oolong (?!is)|As ", text) for text in teas(sentence).of(sentence))


def test_sentences_on_two_things_are_not_joined() -> None:
    first, second = "Oolong is a tea.", "Green tea needs cool water."
    assert teas(first, second).joined(first, second) == ()


def test_a_definition_is_joined_to_what_follows_from_it() -> None:
    first, second = "Oolong is a tea of large leaves.", "Oolong tolerates hot water."
    assert "Oolong, a tea of large leaves, tolerates hot water." in teas(first, second).joined(first, second)


@given(st.text(alphabet=st.sampled_from("oolong is a tea that because, so when it keeps each. ()")))
def test_any_text_has_wordings_or_none(text: str) -> None:
    for wording in teas().of(text):
        assert wording
