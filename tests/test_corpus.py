"""The shipped glossary: its structure, and that it covers what it has to."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from glossbot import paths
from glossbot.entry import Entry, Glossary, fold, split_sentences
from glossbot.names import NameFinder

ROOT = Path(__file__).resolve().parents[1]
SEEDS = ROOT.parent / "shared" / "seeds"
DANGLING = re.compile(r"(?:It|Its|This|That|These|Those|They|Their|Such|Here|There)\b")


def named_by(finder: NameFinder, text: str) -> set[str]:
    return {entry.id for mention in finder.find(text) for entry in mention.entries}


def test_it_has_about_as_many_entries_as_the_pages_have_concepts(shipped: Glossary) -> None:
    assert 180 <= len(shipped) <= 200


def test_each_file_is_one_category(shipped: Glossary) -> None:
    categories = defaultdict(set)
    for entry in shipped.entries:
        categories[entry.file].add(entry.category)
    assert all(len(found) == 1 and None not in found for found in categories.values())
    assert len({category for found in categories.values() for category in found}) == len(categories)
    assert {Path(file).name for file in categories} == {path.name for path in paths.shipped_corpus().glob("*.md")} - {
        "README.md"
    }


def test_a_definition_is_one_sentence_that_begins_with_the_headword(shipped: Glossary) -> None:
    def begins(entry: Entry) -> bool:
        first = entry.definition.split("\n\n")[0]
        bare = re.sub(r"^(?:A|An|The)\s+", "", first)
        return len(split_sentences(first)) == 1 and fold(bare).startswith(fold(entry.term))

    assert [entry.term for entry in shipped.entries if not begins(entry)] == []


def test_one_to_three_sentences_follow_a_definition(shipped: Glossary) -> None:
    assert [entry.term for entry in shipped.entries if not 2 <= len(entry.sentences) <= 4] == []


def test_every_sentence_stands_by_itself(shipped: Glossary, shipped_names: NameFinder) -> None:
    sentences = [(entry, sentence) for entry in shipped.entries for sentence in entry.sentences]
    assert [sentence for _, sentence in sentences if DANGLING.match(sentence)] == []
    assert [sentence for entry, sentence in sentences if entry.id not in named_by(shipped_names, sentence)] == []
    assert [sentence for _, sentence in sentences if not sentence.endswith(".")] == []


def test_every_entry_is_told_in_plain_words(shipped: Glossary) -> None:
    assert [entry.term for entry in shipped.entries if not (entry.plain and entry.plain.endswith("."))] == []


def test_related_names_are_other_entries(shipped: Glossary) -> None:
    wrong = [
        (entry.term, name)
        for entry in shipped.entries
        for name in entry.related
        if len(found := shipped.named(name)) != 1 or found[0] == entry
    ]
    assert wrong == []
    assert [entry.term for entry in shipped.entries if not entry.related] == []
    assert all(len(shipped.related(entry)) == len(entry.related) for entry in shipped.entries), "none is listed twice"


def pairs(shipped: Glossary) -> list[frozenset[str]]:
    return [
        frozenset((entry.id, *(other.id for other in shipped.named(contrast.other))))
        for entry in shipped.entries
        for contrast in entry.contrasts
    ]


def test_contrasts_are_between_two_entries_and_written_once(shipped: Glossary) -> None:
    found = pairs(shipped)
    assert [sorted(pair) for pair in found if len(pair) != 2] == []
    assert [sorted(pair) for pair, count in Counter(found).items() if count > 1] == []
    assert len(found) >= 60


def test_a_contrast_is_one_sentence_that_names_both_sides(shipped: Glossary, shipped_names: NameFinder) -> None:
    for entry in shipped.entries:
        for contrast in entry.contrasts:
            (other,) = shipped.named(contrast.other)
            assert split_sentences(contrast.text) == [contrast.text]
            assert {entry.id, other.id} <= named_by(shipped_names, contrast.text), contrast.text


def test_names_are_short_and_belong_to_one_entry(shipped: Glossary) -> None:
    assert [name for entry in shipped.entries for name in entry.names if len(name.split()) > 6] == []
    shared = {name: [entry.term for entry in entries] for name, entries in shipped.by_name.items() if len(entries) > 1}
    assert shared == {}
    assert all(len(set(entry.names)) == len(entry.names) for entry in shipped.entries)


def test_files_are_plain_text(shipped: Glossary) -> None:
    for path in paths.shipped_corpus().glob("*.md"):
        text = path.read_bytes().decode("utf-8")
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert all(line == line.rstrip() for line in text.splitlines()), path
        assert all(char.isprintable() or char == "\n" for char in text), path
    assert shipped.entries


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("GQA", "grouped-query attention"),
        ("MQA", "multi-query attention"),
        ("MLA", "multi-head latent attention"),
        ("TTFT", "time to first token"),
        ("TPOT", "time per output token"),
        ("ITL", "inter-token latency"),
        ("PTQ", "post-training quantization"),
        ("QAT", "quantization-aware training"),
        ("TGI", "Text Generation Inference"),
        ("SSE", "server-sent events"),
        ("SLO", "service level objective"),
        ("PSI", "population stability index"),
        ("OTel", "OpenTelemetry"),
        ("PagedAttention", "paged attention"),
        ("in-flight batching", "continuous batching"),
        ("prompt caching", "prefix caching"),
        ("prefill-decode disaggregation", "disaggregated serving"),
        ("context length", "context window"),
    ],
)
def test_both_names_of_a_concept_name_one_entry(short: str, long: str, shipped: Glossary) -> None:
    assert len(shipped.named(short)) == 1
    assert shipped.named(short) == shipped.named(long)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("GQA", "MQA"),
        ("inference", "inference engine"),
        ("data drift", "concept drift"),
        ("PTQ", "QAT"),
        ("batch inference", "dynamic batching"),
        ("online inference", "serverless inference"),
        ("SLO", "SLA"),
        ("continuous batching", "static batching"),
        ("weight-only quantization", "weight-activation quantization"),
        ("FP8 quantization", "INT8"),
        ("p50", "P99"),
        ("tensor parallelism", "pipeline parallelism"),
    ],
)
def test_what_the_pages_set_side_by_side_is_contrasted(left: str, right: str, shipped: Glossary) -> None:
    (one,), (other,) = shipped.named(left), shipped.named(right)
    assert list(shipped.contrasts(one, other))


def headwords() -> Iterator[tuple[str, list[str]]]:
    """Yield each line of the pages that begins with a headword, and what the headword may be."""
    first, second, third = (path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("*.txt")))
    lines = [line for line in first.partition("definitions.")[2].splitlines() if line.strip()]
    for line in lines[::2]:
        bare = re.sub(r"\s*\([^)]*\)", "", line)
        yield line, [bare]
        if abbreviation := re.search(r"\((?!LLM)([A-Z]{2,})\)", line):
            yield line, [abbreviation[1]]
    for line in second.splitlines():
        if line.startswith("- ") and not re.search(r"\b(?:versus|vs)\b", line[:40]):
            # Headword and definition have no space between them: "KV cacheThe KV cache stores …"
            yield line, [line[2:end] for end in range(3, len(line)) if line[end].isupper() or line[end:] == "torch."]
    for line in third.splitlines():
        if len(line) > 100 and not line.startswith("This glossary") and " vs. " not in line[:50]:
            words = re.sub(r"\s*\([^)]*\)|^\w+ / ", "", line).split()
            yield line, [" ".join(words[:count]) for count in range(1, 6)]
            if abbreviation := re.match(r"([A-Z]\w*) \(([^)/]+)\)", line):
                yield line, [abbreviation[2]]


if SEEDS.is_dir():

    def test_every_headword_of_the_pages_is_a_name(shipped: Glossary) -> None:
        lines = list(headwords())
        assert len(lines) > 250
        assert [line for line, candidates in lines if not any(map(shipped.named, candidates))] == []
