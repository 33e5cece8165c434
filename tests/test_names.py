"""Names: what a text mentions, in whatever spelling, and what it does not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot import readers
from glossbot.entry import Entry, Glossary, fold
from glossbot.names import MatchKind, NameFinder, tokenize

OTHER_SCRIPTS = Glossary(
    entries=tuple(
        Entry(id=str(line), term=term, aliases=aliases, definition="A definition.", file="a.md", line=line)
        for line, (term, *aliases) in enumerate(
            [["键值缓存", "キーバリューキャッシュ"], ["ذاكرة التخزين المؤقت"], ["C++"], ["C"], ["Größe"]], 1
        )
    )
)


def terms(finder: NameFinder, text: str) -> list[str]:
    return [entry.term for mention in finder.find(text) for entry in mention.entries]


def test_every_name_of_the_shipped_glossary_is_found(shipped: Glossary, shipped_names: NameFinder) -> None:
    missed = [
        (entry.term, written)
        for entry in shipped.entries
        for name in entry.names
        for written in (name, name.upper(), f"what is {name}?", f"({name})", f"“{name}”,")
        if entry.term not in terms(shipped_names, written)
    ]
    assert missed == []


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("GQA", "grouped-query attention"),
        ("gqa", "grouped-query attention"),
        ("grouped query attention", "grouped-query attention"),
        ("Grouped-Query Attention", "grouped-query attention"),
        ("groupedquery attention", "grouped-query attention"),
        ("grouped\u2011query\u00a0attention", "grouped-query attention"),
        ("gro\u200buped-qu\u00adery attention", "grouped-query attention"),
        ("\u202egrouped-query attention\u202c", "grouped-query attention"),
        ("flash attention", "FlashAttention"),
        ("flash-attention", "FlashAttention"),
        ("flashattention 2", "FlashAttention-2"),
        ("Flash Attention-3", "FlashAttention-3"),
        ("KV caches", "KV cache"),
        ("kvcache", "KV cache"),
        ("draft models", "draft model"),
        ("speculative decoding", "speculative decoding"),
        ("speculativ decoding", "speculative decoding"),
        ("specualtive decoding", "speculative decoding"),
        ("quantisation", "quantization"),
        ("quantizaton", "quantization"),
        ("pagedattenton", "PagedAttention"),
        ("GAQ", "grouped-query attention"),
    ],
)
def test_a_name_is_found_in_other_spellings(text: str, term: str, shipped_names: NameFinder) -> None:
    assert terms(shipped_names, text) == [term]
    assert terms(shipped_names, f"Please explain {text} to me.") == [term]


@pytest.mark.parametrize(
    "text",
    [
        "XQA",
        "FlashAttention-4",
        "flash attention 4",
        "INT3",
        "FP64",
        "BF8",
        "PagedAttention v9",
        "p51",
        "GQB",
        "MQX",
        "vLLN",
    ],
)
def test_another_name_is_not_taken_for_a_known_one(text: str, shipped_names: NameFinder) -> None:
    assert terms(shipped_names, f"what is {text}") == []


def test_digits_tell_names_apart(shipped: Glossary, shipped_names: NameFinder) -> None:
    int8, int4 = terms(shipped_names, "INT8"), terms(shipped_names, "INT4")
    assert int8 == [shipped.named("INT8")[0].term]
    assert int4 != int8
    assert terms(shipped_names, "p50 and P99") == ["p50", "P99"]


def test_the_longest_name_wins(shipped_names: NameFinder) -> None:
    assert terms(shipped_names, "KV cache quantization") == ["KV cache quantization"]
    assert terms(shipped_names, "the KV cache and quantization") == ["KV cache", "quantization"]


def test_common_words_are_no_names(shipped_names: NameFinder) -> None:
    for text in ("to p", "it goes to the top", "who won the 2018 world cup", "a is the b", "!!!", ""):
        assert terms(shipped_names, text) == []


def test_a_shared_name_has_all_its_senses(small_glossary: Path) -> None:
    finder = NameFinder(readers.read([small_glossary]).glossary)
    (mention,) = finder.find("what is IR")
    assert [entry.term for entry in mention.entries] == ["intermediate representation", "information retrieval"]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("键值缓存是什么？", "键值缓存"),
        ("什么是键值缓存", "键值缓存"),
        ("キーバリューキャッシュとは", "键值缓存"),
        ("ما هي ذاكرة التخزين المؤقت؟", "ذاكرة التخزين المؤقت"),
        ("what is C++?", "C++"),
        ("what is C?", "C"),
        ("was ist GRÖSSE?", "Größe"),
        ("was ist Gro\u0308ße?", "Größe"),
    ],
)
def test_names_of_every_script_are_found(text: str, term: str) -> None:
    assert terms(NameFinder(OTHER_SCRIPTS), text) == [term]


def test_mentions_say_where_they_stand(shipped_names: NameFinder) -> None:
    text = "Compare GQA with multi-query attentions, and FlashAttention-4."
    mentions = shipped_names.find(text)
    assert [text[mention.start : mention.end] for mention in mentions] == [mention.text for mention in mentions]
    assert [(mention.text, mention.kind) for mention in mentions] == [
        ("GQA", MatchKind.EXACT),
        ("multi-query attentions", MatchKind.INFLECTED),
        ("FlashAttention-4", MatchKind.OTHER_VERSION),
    ]


@given(st.text())
def test_words_are_cut_where_they_stand(text: str) -> None:
    position = 0
    for token in tokenize(text):
        assert position <= token.start < token.end <= len(text)
        assert token.key == fold(text[token.start : token.end]) != ""
        position = token.end


@given(st.text(alphabet=st.sampled_from("aB1 -_.+#é\u0301ß漢カเـ\u200b\u202eكت!")))
def test_words_together_are_the_folded_text(text: str) -> None:
    assert fold("".join(token.key for token in tokenize(text))) == fold(text)


@given(st.text(alphabet=st.sampled_from("GQAMQAKVcache flash-attention 2 int8\u200b?"), max_size=40))
def test_any_text_has_mentions_in_order(text: str) -> None:
    position = 0
    for mention in NameFinder(OTHER_SCRIPTS).find(text):
        assert position <= mention.start < mention.end <= len(text)
        assert mention.text == text[mention.start : mention.end]
        position = mention.end
