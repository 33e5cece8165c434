"""Headwords: what stands in parentheses, what 'also known as' says, and which definitions only point elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot.entry import fold
from glossbot.readers import headword


@pytest.mark.parametrize(
    ("text", "term", "aliases"),
    [
        ("grouped-query  attention (GQA)", "grouped-query attention", ["GQA"]),
        ("GQA (grouped-query attention)", "GQA", ["grouped-query attention"]),
        ("large language models (LLMs)", "large language models", ["LLMs"]),
        ("Extensible Markup Language (XML)", "Extensible Markup Language", ["XML"]),
        ("DTLS (Datagram Transport Layer Security)", "DTLS", ["Datagram Transport Layer Security"]),
        ("cgroup (control group)", "cgroup", ["control group"]),
        ("internationalization (i18n)", "internationalization", ["i18n"]),
        ("Kubernetes [k8s]", "Kubernetes", ["k8s"]),
        ("CI/CD (continuous integration/continuous delivery)", "CI/CD", ["continuous integration/continuous delivery"]),
        ("JSON Web Token (AKA JWT)", "JSON Web Token", ["JWT"]),
        ("pod (plural: pods)", "pod", ["pods"]),
        ("node, also known as worker", "node", ["worker"]),
        ("role-based access control (RBAC, role access control)", "role-based access control",
         ["RBAC", "role access control"]),
        ("künstliche Intelligenz (AI)", "künstliche Intelligenz", ["AI"]),
        ("人工智能（AI）", "人工智能", ["AI"]),
        ("节点 (Node)", "节点", ["Node"]),
        ("node", "node", []),
    ],
)  # fmt: skip
def test_other_names_in_parentheses_are_aliases(text: str, term: str, aliases: list[str]) -> None:
    assert headword.split(text) == (term, tuple(aliases))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("node (networking)", "node"),
        ("Block (CSS)", "Block"),
        ("Boolean attribute (HTML)", "Boolean attribute"),
        ("API (catalog plugin)", "API"),
        ("Permission (permission plugin)", "Permission"),
        ("Python (programming language)", "Python"),
        ("merge (a repository)", "merge"),
        ("C (language)", "C"),
    ],
)
def test_qualifiers_stay_a_part_of_the_headword(text: str, bare: str) -> None:
    assert headword.split(text) == (text, (bare,))
    assert headword.names(text) == (bare,)


def test_an_alias_may_hold_several_names() -> None:
    assert headword.names("grouped-query attention (GQA)") == ("grouped-query attention", "GQA")
    assert headword.names("GQA") == ("GQA",)


@pytest.mark.parametrize(
    ("definition", "names"),
    [
        ('A **caret** (sometimes called a "text cursor") is an indicator.', ["text cursor"]),
        ("Carets, also known as cursors, show where text goes.", ["cursors"]),
        ("Carets (also known as text cursors or insertion points) are shown.", ["text cursors", "insertion points"]),
        ("The *caret*—commonly referred to as **TC**, **T1**, or **the cursor**—is.", ["TC", "T1", "the cursor"]),
        ("Shows where text goes. It is also called IP marking, or something else.", ["IP marking"]),
        ("Shows where text goes. Often abbreviated `CT`.", ["CT"]),
        ("Also known as a CRT (Caret Thing). Shows where text goes.", ["CRT"]),
        ("Caret was also often called Blink2Type before the project had another name for it.", ["Blink2Type"]),
        ("A caret (a.k.a. CRT) is an indicator.", ["CRT"]),
    ],
)
def test_what_a_definition_also_calls_its_headword_is_an_alias(definition: str, names: list[str]) -> None:
    assert headword.also_known_as(definition, ("caret",)) == tuple(names)


@pytest.mark.parametrize(
    "definition",
    [
        "A mark in types of text, also called _rich text_, which editors show.",
        "Shows where text goes. This is also known as the **block direction**.",
        "Big-endian is also often called *network byte order*.",
        "Some editors allow moving several carets at once, sometimes called **multiple selection**.",
        "A caret is so called because it is missing.",
        "A caret, also known as [this] thing.",
    ],
)
def test_what_a_definition_calls_something_else_is_none(definition: str) -> None:
    assert headword.also_known_as(definition, ("caret",)) == ()


@pytest.mark.parametrize(
    ("definition", "target"),
    [
        ("See [node](#node).", "[node](#node)"),
        ("*See also: node*", "node"),
        ("Siehe Knoten", "Knoten"),
        ("参见 节点。", "节点"),
        ("See node. It is another thing.", None),
        ("A node sees all.", None),
        ("See", None),
    ],
)
def test_definitions_that_only_point_elsewhere_are_told(definition: str, target: str | None) -> None:
    assert headword.redirect(definition) == target


TEXTS = st.lists(st.sampled_from([*'aAB1(（)）[], .;/-*"_`', "aka ", "also known as ", "or ", "It is ", "see "])).map(
    "".join
)


@given(TEXTS)
def test_any_headword_is_split_without_losing_it(text: str) -> None:
    term, aliases = headword.split(text)
    assert fold(term) or not fold(text)
    assert all(alias.strip() for alias in aliases)


@given(TEXTS, TEXTS)
def test_any_definition_is_searched(before: str, behind: str) -> None:
    for name in headword.also_known_as(f"{before}also called {behind}", ("a", "AB")):
        assert fold(name)
        assert len(name) < len(f"{before}also called {behind}")
    headword.redirect(behind)


def test_a_hostile_text_is_searched_in_time() -> None:
    for piece in ("also called ", "(", "*a", "a, ", "aka a ", "see "):
        text = piece * 20_000
        assert len(headword.also_known_as(text, ("a",))) < 9
        assert headword.split(text).term
        assert headword.redirect(text) is None
