"""Entries and glossaries, folding, slugs, and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.entry import Contrast, Entry, Glossary, fold, slug, split_sentences, unique_ids


def entry(term: str, *aliases: str, definition: str = "A thing.", **more: object) -> Entry:
    return Entry.model_validate(
        {
            "id": slug(term),
            "term": term,
            "aliases": aliases,
            "definition": definition,
            "file": "a.md",
            "line": 1,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Flash Attention", "flash-attention"),
        ("FlashAttention", "flash_attention"),
        ("KV cache", "KV-Cache"),
        ("pre\u00adfill", "prefill"),
        ("to\u200bken", "token"),
        ("\u202eGQA\u202c", "gqa"),
        ("ＫＶ　ｃａｃｈｅ", "KV cache"),
        ("naïve", "nai\u0308ve"),
        ("STRASSE", "straße"),
        ("πραΰνω", "πραΰνω".upper()),
    ],
)
def test_spellings_of_one_name_fold_alike(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("C", "C++"),
        ("C", "C#"),
        ("INT8", "INT4"),
        ("FlashAttention", "FlashAttention-2"),
        ("缓存", "批处理"),
        ("كاش", "كتب"),
    ],
)
def test_different_names_fold_apart(left: str, right: str) -> None:
    assert fold(left) != fold(right)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text())
def test_folding_is_the_same_for_every_case(text: str) -> None:
    assert fold(text.casefold()) == fold(text)


@given(st.text(), st.sampled_from([" ", "-", "_", ".", "\u200b", "\u202e", "\n"]), st.integers(0, 50))
def test_what_folding_ignores_can_stand_anywhere(text: str, ignored: str, place: int) -> None:
    assert fold("a" + ignored + text) == fold("a" + text)
    assert fold(text + ignored) == fold(text)


@given(st.lists(st.text(max_size=8)))
def test_ids_are_unique_and_never_empty(terms: list[str]) -> None:
    ids = unique_ids(terms)
    assert len(ids) == len(terms) == len(set(ids))
    assert all(ids)


def test_repeated_slugs_are_numbered() -> None:
    assert unique_ids(["KV cache", "KV Cache", "kv-cache-2", "KV cache"]) == [
        "kv-cache",
        "kv-cache-2",
        "kv-cache-2-2",
        "kv-cache-3",
    ]


@given(st.text())
def test_cutting_into_sentences_loses_no_word(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@given(st.text(alphabet="Ab. ?!e.g\n(“”)1。"))
def test_cutting_into_sentences_loses_no_word_of_punctuated_text(text: str) -> None:
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence.strip() == sentence != "" for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One thing. Another thing.", 2),
        ("Engines (e.g. vLLM) batch. Others, i.e. Ollama, queue.", 2),
        ("A rate of 0.5 is half. FP8 vs. INT8 differs.", 2),
        ("It ends!) Then it goes on.", 2),
        ("He said “stop.” Then it stopped.", 2),
        ("Keys, values etc. are kept.", 1),
        ("J. Smith wrote it.", 1),
        ("torch.compile fuses kernels. vLLM 0.6.1 runs it.", 2),
        ("连续批处理提高吞吐量。它很快。", 2),
        ("One line\nof text.\n\nA new paragraph without an end", 2),
        ("", 0),
        (" \n\n \t", 0),
    ],
)
def test_sentences_end_where_they_end(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count


def test_entries_are_found_by_every_name_in_any_spelling() -> None:
    gqa = entry("grouped-query attention", "GQA")
    glossary = Glossary(entries=(gqa, entry("KV cache")))
    for name in ("GQA", "gqa", "Grouped Query Attention", "grouped-query-attention", "G.Q.A."):
        assert glossary.named(name) == (gqa,)
    assert glossary.named("XQA") == ()
    assert glossary.by_id["grouped-query-attention"] is gqa
    assert len(glossary) == 2


def test_a_name_can_have_several_senses() -> None:
    senses = (entry("intermediate representation", "IR"), entry("information retrieval", "IR"))
    assert Glossary(entries=senses).named("ir") == senses


def test_contrasts_are_found_from_either_side() -> None:
    told = Contrast(other="MQA", text="One has groups, the other has one.", line=3)
    gqa = entry("GQA", contrasts=[told])
    mqa = entry("multi-query attention", "MQA", related=["GQA", "no such entry"])
    glossary = Glossary(entries=(gqa, mqa))
    assert list(glossary.contrasts(gqa, mqa)) == [(gqa, told)]
    assert list(glossary.contrasts(mqa, gqa)) == [(gqa, told)]
    assert glossary.related(mqa) == (gqa,)


def test_fingerprint_follows_what_is_said_not_where_it_stands() -> None:
    one = entry("KV cache")
    assert one.model_copy(update={"file": "b.md", "line": 9}).fingerprint == one.fingerprint
    told = Contrast(other="x", text="They differ.", line=1)
    fingerprints = {
        one.fingerprint,
        entry("KV cache", definition="Another thing.").fingerprint,
        entry("KV cache", "kv").fingerprint,
        entry("KV cache", related=["x"]).fingerprint,
        entry("KV cache", plain="Notes.").fingerprint,
        entry("KV cache", contrasts=[told]).fingerprint,
        entry("KV cache", url="https://example.org/kv").fingerprint,
    }
    assert len(fingerprints) == 7
    moved = entry("KV cache", contrasts=[told.model_copy(update={"line": 7})])
    assert moved.fingerprint == entry("KV cache", contrasts=[told]).fingerprint
