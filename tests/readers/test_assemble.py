"""Drafts of several files become one glossary: concepts joined, 'see' entries, references, published pages."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.entry import Contrast, Entry, Glossary, Place
from glossbot.names import NameFinder
from glossbot.readers.assemble import assemble
from glossbot.readers.document import Document, Draft, ReadOptions
from glossbot.readers.files import SourceFile
from glossbot.readers.language import Drafted

SCRIPTS = ["ذاكرة التخزين المؤقت", "缓存", "कैशे मेमोरी", "ማህደረ ትውስታ", "캐시 메모리", "קאש", "é̱̃ï", "พื้นที่แคช", "кэш"]


def draft(term: str, definition: str = "", line: int = 1, **more: Any) -> Draft:
    return Draft(term=term, definition=definition or f"Says what {term} is.", line=line, **more)


def file(name: str, *drafts: Draft, suffix: str = ".html", named: bool = False) -> list[Drafted]:
    """Return the drafts of one file; those without a line of their own stand one below the other."""
    path = Path("/glossary") / name
    document = Document(path=path, label=name, data=b"")
    found = SourceFile(path=path, label=name, page="" if named else name, named=named)
    placed = (replace(one, line=number) if one.line == 1 else one for number, one in enumerate(drafts, 1))
    return [Drafted(one, document, found, suffix) for one in placed]


def joined(*files: list[Drafted], **options: Any) -> Glossary:
    return assemble([one for drafts in files for one in drafts], ReadOptions(**options))


def only(*files: list[Drafted], **options: Any) -> Entry:
    (entry,) = joined(*files, **options).entries
    return entry


def terms(glossary: Glossary) -> list[str]:
    return [entry.term for entry in glossary.entries]


def notices(drafts: list[Drafted]) -> list[str]:
    return [str(notice) for notice in drafts[0].document.notices]


# ---------------------------------------------------------------- the same concept in several files


def test_two_files_make_one_entry_with_both_definitions_and_places() -> None:
    one = file("a.md", draft("KV cache", "Keeps keys.", aliases=["cache"]))
    two = file("b.md", draft("other"), draft("kv-cache", "Holds values.", aliases=["key store"], category="Memory"))
    entry, other = joined(one, two).entries
    assert (entry.term, other.term) == ("KV cache", "other")
    assert entry.definition == "Keeps keys.\n\nHolds values."
    assert (entry.file, entry.line, entry.others) == ("a.md", 1, (Place(file="b.md", line=2),))
    assert entry.aliases == ("cache", "kv-cache", "key store")
    assert entry.category == "Memory"
    assert notices(two) == ["b.md:2: 'kv-cache' is defined in a.md:1 too, in other words; both are kept in one entry"]


def test_the_same_words_in_two_files_are_no_conflict() -> None:
    one, two = file("a.md", draft("cache", "Keeps keys.")), file("b.md", draft("cache", "Keeps keys."))
    entry = only(one, two)
    assert entry.definition == "Keeps keys."
    assert entry.others == (Place(file="b.md", line=1),)
    assert notices(two) == []


def test_a_file_that_names_its_language_and_one_that_does_not_are_joined() -> None:
    one, two = file("a.html", draft("cache", language="en")), file("b.json", draft("cache", "Otherwise."))
    assert len(joined(one, two)) == 1
    german = file("c.html", draft("cache", "Ein Speicher.", language="de"))
    entries = joined(one, two, german, language="all").entries
    assert [(entry.language, len(entry.others)) for entry in entries] == [("en", 1), ("de", 0)]


def test_senses_in_one_file_stay_apart() -> None:
    senses = file("a.md", draft("IR", "A representation."), draft("IR", "A retrieval."), draft("IR", "A retrieval."))
    first, second = joined(senses).entries
    assert (first.id, second.id) == ("ir", "ir-2")
    assert [first.definition, second.definition] == ["A representation.", "A retrieval."]
    assert second.others == (Place(file="a.md", line=3),)


def test_the_senses_of_two_files_are_joined_in_their_order() -> None:
    glossary = joined(
        file("a.md", draft("IR", "One."), draft("IR", "Two.")),
        file("b.md", draft("IR", "Two."), draft("IR", "Uno."), draft("IR", "Due."), draft("IR", "Tre.")),
    )
    assert [entry.definition for entry in glossary.entries] == ["One.\n\nUno.", "Two.\n\nDue.", "Tre."]


def test_files_of_the_same_name_in_two_folders_are_two_files() -> None:
    one, two = file("x/a.md", draft("IR", "One.")), file("y/a.md", draft("IR", "Two."))
    for drafts in (one, two):
        drafts[0].document.label = "a.md"
    assert only(one, two).others == (Place(file="a.md", line=1),)


def test_all_that_two_files_tell_is_kept() -> None:
    one = draft("a", attribution="CC BY 4.0", plain="Easy.", contrasts=[Contrast(other="b", text="A is no b.", line=2)])
    two = draft(
        "a",
        "Otherwise.",
        attribution="The Guild",
        plain="Simple.",
        related=["c"],
        contrasts=[Contrast(other="b", text="A is no b.", line=9), Contrast(other="c", text="A is no c.", line=8)],
    )
    entry = only(file("a.md", one), file("b.md", two))
    assert entry.attribution == "CC BY 4.0; The Guild"
    assert entry.plain == "Easy. Simple."
    assert entry.related == ("c",)
    assert [contrast.text for contrast in entry.contrasts] == ["A is no b.", "A is no c."]


def test_thousands_of_senses_are_told_apart_quickly() -> None:
    many = [draft("a", f"Number {number}.") for number in range(20_000)]
    glossary = joined(file("a.md", *many), file("b.md", *reversed(many)))
    assert len(glossary) == 20_000
    assert glossary.entries[-1].id == "a-20000"


# ---------------------------------------------------------------- 'see' entries


def test_a_see_entry_is_another_name() -> None:
    glossary = joined(file("a.md", draft("GQA", "See grouped-query attention."), draft("grouped-query attention")))
    (entry,) = glossary.entries
    assert entry.aliases == ("GQA",)


@pytest.mark.parametrize(
    "definition", ["See [the cache](#kv).", "See “KV cache”.", "see *KV cache*", "See: kv cache", "Siehe KV cache."]
)
def test_see_entries_may_be_written_in_many_ways(definition: str) -> None:
    entry = only(file("a.md", draft("store", definition), draft("KV cache", anchor="kv")))
    assert entry.aliases == ("store",)


def test_see_entries_may_lead_to_another_file_and_to_further_ones() -> None:
    one = file("a.md", draft("one", "See two."), draft("two", "See three."), draft("four", "See one."))
    entry = only(one, file("b.md", draft("three")))
    assert (entry.term, entry.aliases) == ("three", ("one", "two", "four"))


def test_see_entries_in_a_circle_stay_entries() -> None:
    circle = file("a.md", draft("one", "See two."), draft("two", "See three."), draft("three", "See two."))
    glossary = joined(circle)
    assert terms(glossary) == ["one", "two", "three"]
    assert notices(circle) == [
        "a.md:1: 'one' only points to 'two', which leads back to it",
        "a.md:2: 'two' only points to 'three', which leads back to it",
        "a.md:3: 'three' only points to 'two', which leads back to it",
    ]


def test_a_see_entry_that_leads_to_itself_or_nowhere_stays_an_entry() -> None:
    odd = file("a.md", draft("self", "See self."), draft("lost", "See nothing."))
    assert terms(joined(odd)) == ["self", "lost"]
    assert [notice.split(": ", 1)[1] for notice in notices(odd)] == [
        "'self' only points to 'self', which no entry is called",
        "'lost' only points to 'nothing', which no entry is called",
    ]


@pytest.mark.parametrize(
    "definition", ["See KV cache and prefix cache.", "See [a](#kv), [b](#prefix).", "See kv, prefix"]
)
def test_a_see_entry_with_several_targets_is_a_name_of_each(definition: str) -> None:
    targets = draft("KV cache", anchor="kv"), draft("prefix cache", anchor="prefix")
    entries = joined(file("a.md", draft("caching", definition), *targets)).entries
    assert [(entry.term, entry.aliases) for entry in entries] == [
        ("KV cache", ("caching",)),
        ("prefix cache", ("caching",)),
    ]


def test_a_name_that_holds_an_and_is_one_target() -> None:
    glossary = joined(file("a.md", draft("R&D", "See research and development."), draft("research and development")))
    assert terms(glossary) == ["research and development"]


# ---------------------------------------------------------------- references


def test_links_between_entries_become_related_and_their_text_stays() -> None:
    a = draft("a", "Uses [the cache](#kv), [that](#big%20b), [this](#term-c) and [none](#nothing).")
    glossary = joined(file("a.md", a, draft("KV cache", anchor="kv"), draft("big B"), draft("c", key="term-c")))
    assert glossary.entries[0].related == ("KV cache", "big B", "c")
    assert glossary.entries[0].definition == "Uses the cache, that, this and none."


def test_related_names_are_resolved_or_kept() -> None:
    glossary = joined(
        file("a.md", draft("a", related=["k1", "KVC", "`b`", "unknown", "a"]), draft("b", aliases=["KVC"]))
    )
    assert glossary.entries[0].related == ("k1", "b", "unknown")


def test_an_anchor_of_the_own_file_comes_before_a_name_elsewhere() -> None:
    one = file("a.md", draft("a", "Uses [this](#cache) always."), draft("KV cache", anchor="cache"))
    two = file("b.md", draft("cache"), draft("b", "Uses [that](#cache) always."))
    a, _, _, b = joined(one, two).entries
    assert (a.related, b.related) == (("KV cache",), ("cache",))


def test_a_merged_entry_is_found_by_the_anchors_of_all_its_files() -> None:
    one = file("a.md", draft("cache", anchor="x"), draft("a", "Uses [it](#y)."))
    two = file("b.md", draft("cache", "Otherwise.", anchor="y"), draft("b", "Uses [it](#x)."))
    by_term = {entry.term: entry for entry in joined(one, two).entries}
    assert by_term["a"].related == by_term["b"].related == ("cache",)


# ---------------------------------------------------------------- published pages


@pytest.mark.parametrize(
    ("base", "name", "suffix", "named", "expected"),
    [
        ("https://x.org/glossary", "a.md", ".html", True, "https://x.org/glossary#t"),
        ("https://x.org/docs/", "a.md", ".html", True, "https://x.org/docs/a.html#t"),
        ("https://x.org/docs", "b/a.md", ".html", False, "https://x.org/docs/b/a.html#t"),
        ("https://x.org/docs", "b/a.md", "/", False, "https://x.org/docs/b/a/#t"),
        ("https://x.org/docs", "b/index.md", "/", False, "https://x.org/docs/b/#t"),
        ("https://x.org", "_index.md", "/", False, "https://x.org/#t"),
        ("https://x.org/docs/", "b/a.csv", "", False, "https://x.org/docs/#t"),
        ("https://x.org", "myindex.md", "/", False, "https://x.org/myindex/#t"),
        ("https://x.org/d", "ق ?#.md", ".html", False, "https://x.org/d/%D9%82%20%3F%23.html#t"),
    ],
)
def test_an_entry_has_the_address_of_its_page(base: str, name: str, suffix: str, named: bool, expected: str) -> None:
    entry = only(file(name, draft("t", anchor="t"), suffix=suffix, named=named), base_url=base)
    assert entry.url == expected


def test_without_a_base_there_are_no_addresses() -> None:
    assert only(file("a.md", draft("t", anchor="t"))).url is None


def test_every_place_of_a_merged_entry_has_its_address() -> None:
    one, two = file("a.md", draft("t")), file("b.md", draft("t", "Otherwise."))
    entry = only(one, two, base_url="https://x.org")
    assert (entry.url, entry.others[0].url) == ("https://x.org/a.html", "https://x.org/b.html")


# ---------------------------------------------------------------- what is wrong, and other scripts


def test_a_draft_without_a_term_or_a_definition_is_a_problem() -> None:
    drafts = file(
        "a.md", draft("good"), Draft(term="bad", definition=" ", line=7), draft("!?", line=8), draft("", line=9)
    )
    assert terms(joined(drafts)) == ["good"]
    assert [str(problem) for problem in drafts[0].document.problems] == [
        "a.md:7: 'bad' has no definition",
        "a.md:8: '!?' is no headword",
        "a.md:9: no headword",
    ]


def test_a_sign_may_be_a_headword() -> None:
    drafts = file("a.md", draft("`>>>`", "The prompt."), draft("...", "More."), draft("term", "A word."))
    glossary = joined(drafts)
    assert [(entry.term, entry.id) for entry in glossary.entries] == [
        (">>>", "term"),
        ("...", "term-2"),
        ("term", "term-3"),
    ]
    assert glossary.named("term") == (glossary.entries[2],)
    assert glossary.named("...") == ()
    assert NameFinder(glossary).find("what is ... or >>> or term?")[0].entries == (glossary.entries[2],)


@pytest.mark.parametrize("term", SCRIPTS)
def test_every_script_keeps_its_letters_and_marks(term: str) -> None:
    definition = f"{term}: {term} \u200f({term})\u200e."
    see = file("a.md", draft(term, definition, aliases=["x"]), draft("y", f"See {term}."))
    other = file("b.md", draft(term, "Otherwise."), draft("z", f"Uses [that](#{term.replace(' ', '%20')})."))
    entry, z = joined(see, other).entries
    assert entry.term == term
    assert entry.definition.startswith(f"{term}: {term} ")
    assert entry.definition.endswith("\n\nOtherwise.")
    assert entry.aliases == ("x", "y")
    assert z.related == (term,)


WORDS = st.sampled_from(
    ["a", "b", "A b", "c", "See a.", "See b and c.", "See [x](#k).", "[a](#b)", "é", "缓存", "", "-"]
)


@given(st.lists(st.tuples(st.sampled_from(["one", "two"]), WORDS, WORDS, WORDS), max_size=12))
def test_any_drafts_make_a_glossary(rows: list[tuple[str, str, str, str]]) -> None:
    files: dict[str, list[Draft]] = {"one": [], "two": []}
    for name, term, definition, other in rows:
        files[name].append(Draft(term=term, definition=definition, line=1, aliases=[other], key=other))
    read = [file(name, *drafts) for name, drafts in files.items() if drafts]
    glossary = joined(*read)
    assert len({entry.id for entry in glossary.entries}) == len(glossary)
    problems = sum(len(drafts[0].document.problems) for drafts in read)
    places = sum(1 + len(entry.others) for entry in glossary.entries)
    assert places + problems <= len(rows)
    for entry in glossary.entries:
        assert entry.definition.strip()
        assert entry.term not in entry.aliases
