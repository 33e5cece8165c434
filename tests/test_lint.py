"""What `glossbot lint` finds, how it writes that, and how it ends."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossbot import paths
from glossbot.cli import main
from glossbot.errors import GlossaryError
from glossbot.finding import RULES, Finding, Severity
from glossbot.lint import lint
from glossbot.readers import ReadOptions

DOCS = Path(__file__).resolve().parents[1] / "docs"


def found(text: str, tmp_path: Path, *, name: str = "terms.md") -> list[Finding]:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return list(lint([file]).findings)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert isinstance(ended.value.code, int)
    return ended.value.code


def codes(findings: list[Finding]) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in findings]


def test_a_sound_glossary_has_no_findings(small_glossary: Path) -> None:
    report = lint([small_glossary], ignore={"one-sided-relation", "ambiguous-abbreviation"})
    assert report.findings == ()
    assert report.entries == 6
    assert report.summary == "nothing to report in 6 entries"


def test_the_shipped_glossary_has_no_errors_and_no_warnings_but_one_sided_relations() -> None:
    report = lint([paths.shipped_corpus()])
    assert {finding.code for finding in report.findings} <= {"one-sided-relation", "long-entry"}
    assert report.count(Severity.ERROR) == 0


def test_a_missing_definition_is_an_error_with_its_line(tmp_path: Path) -> None:
    (finding,) = found("## one\n\nThe first number.\n\n## two\n\n## three\n\nThe third number.\n", tmp_path)
    assert (finding.code, finding.severity, finding.line, finding.term) == ("missing-definition", "error", 5, "two")


def test_a_file_that_cannot_be_read_is_an_error_and_the_others_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"## a\n\nText \xff and \xc3\xa4\xc3\xa4.\n")
    (tmp_path / "b.md").write_text("## b\n\nA letter.\n", encoding="utf-8")
    report = lint([tmp_path])
    assert [(one.code, one.line) for one in report.findings] == [("unreadable", 3)]
    assert report.entries == 1


def test_a_glossary_without_an_entry_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("No headings.", encoding="utf-8")
    for source in (tmp_path, tmp_path / "a.md"):
        report = lint([source])
        assert report.entries == 0
        assert "no entry found" in next(one.message for one in report.findings if one.severity is Severity.ERROR)
    with pytest.raises(GlossaryError, match="no such file"):
        lint([tmp_path / "b.md"])


def test_two_entries_with_one_headword(tmp_path: Path) -> None:
    text = "## node\n\nA machine of a cluster.\n\n## edge\n\nA line of a graph.\n\n## Node\n\nA point of a graph.\n"
    (finding,) = found(text, tmp_path)
    assert (finding.code, finding.severity, finding.line, finding.term) == ("duplicate-headword", "error", 9, "Node")
    assert "terms.md:1" in finding.message


def test_headwords_that_differ_in_case_only_share_a_name(tmp_path: Path) -> None:
    text = "## head\n\nThe tip of a branch.\n\n## HEAD\n\nThe branch that is checked out.\n"
    (finding,) = found(text, tmp_path)
    assert (finding.code, finding.line) == ("ambiguous-abbreviation", 5)
    assert "'HEAD' means 'HEAD' and 'head'" in finding.message


def test_a_qualifier_tells_entries_apart(tmp_path: Path) -> None:
    text = "## node (clusters)\n\nA machine of a cluster.\n\n## node (graphs)\n\nA point of a graph.\n"
    assert found(text, tmp_path) == []
    text += "\n## node\n\nAnything that is linked.\n"
    assert found(text, tmp_path) == []


def test_a_category_tells_entries_apart(tmp_path: Path) -> None:
    text = "# Clusters\n\n## node\n\nA machine of a cluster.\n\n# Graphs\n\n## node\n\nA point of a graph.\n"
    (finding,) = found(text, tmp_path)
    assert (finding.code, finding.severity) == ("shared-name", "warning")


def test_an_abbreviation_with_two_meanings(tmp_path: Path) -> None:
    text = (
        "## intermediate representation (IR)\n\nWhat a compiler works on.\n\n"
        "## information retrieval (IR)\n\nThe search for documents.\n"
    )
    (finding,) = found(text, tmp_path)
    assert (finding.code, finding.severity, finding.line) == ("ambiguous-abbreviation", "warning", 5)
    assert "'IR' means 'information retrieval' and 'intermediate representation'" in finding.message


def test_a_name_that_two_entries_bear_is_found_once_for_the_two(tmp_path: Path) -> None:
    text = (
        "## worker\n\n- Also called: serving process, back end\n\nIt computes.\n\n"
        "## replica\n\n- Also called: back-end, serving process\n\nOne of several copies.\n"
    )
    (finding,) = found(text, tmp_path)
    assert (finding.code, finding.line) == ("shared-name", 7)
    assert "'serving process'" in finding.message
    assert "'back-end'" in finding.message


def test_references_that_lead_nowhere(tmp_path: Path) -> None:
    text = (
        "## oolong\n\n- Related: blck tea, white tea\n\nA tea, as [pots](#teapot) show, see [black](#black-tea).\n\n"
        "- vs green tea: Oolong is oxidized.\n\n## black tea\n\n- Related: oolong\n\nAn oxidized tea.\n"
    )
    findings = found(text, tmp_path)
    assert codes(findings) == [
        ("dangling-reference", 1),
        ("dangling-reference", 1),
        ("dangling-link", 1),
        ("dangling-reference", 7),
    ]
    assert "did you mean 'black tea'?" in findings[0].message
    assert "'white tea'" in findings[1].message
    assert "'#teapot'" in findings[2].message
    assert "'green tea'" in findings[3].message


def test_links_to_other_pages_are_no_references(tmp_path: Path) -> None:
    text = (
        "## oolong\n\nA tea; see [the shop](shop.html), [more](shop.html#oolong) and [tea](https://example.org/#x).\n"
    )
    assert found(text, tmp_path) == []


def test_an_entry_that_only_points_to_one_that_is_not_there(tmp_path: Path) -> None:
    findings = found("## role\n\nSee user role.\n\n## user\n\nA person.\n", tmp_path)
    assert ("dangling-reference", 1) in codes(findings)


@pytest.mark.parametrize(
    ("term", "definition", "says_nothing"),
    [
        ("cache eviction", "The eviction of a cache.", True),
        ("cache eviction", "Cache eviction.", True),
        ("cache eviction", "The removal of what was not used for long.", False),
        ("to be", "To be or not to be.", False),
        ("节点", "节点。", True),
        ("节点", "一台机器。", False),
    ],
)
def test_a_definition_that_repeats_its_headword(term: str, definition: str, says_nothing: bool, tmp_path: Path) -> None:
    findings = found(f"## {term}\n\n{definition}\n", tmp_path)
    assert [finding.code for finding in findings] == ["repeated-headword"] * says_nothing


def test_an_alias_of_more_than_six_words(tmp_path: Path) -> None:
    findings = found(
        "## TTL\n\n- Also called: time to live of a packet, the number of hops that a packet may take\n\nA limit.\n",
        tmp_path,
    )
    assert [finding.code for finding in findings] == ["long-alias"]
    assert "'the number of hops that a packet may take' is 9 words long" in findings[0].message


def test_definitions_that_are_almost_the_same(tmp_path: Path) -> None:
    words = (
        "process that answers many requests at once by putting them into one batch that changes with every step, "
        "so that none of them waits for the others to end"
    )
    findings = found(f"## batcher\n\nA {words}.\n\n## scheduler\n\nThe {words}.\n", tmp_path)
    assert [(finding.code, finding.term) for finding in findings] == [("near-duplicate", "scheduler")]
    assert "'batcher'" in findings[0].message
    assert "terms.md:1" in findings[0].message


def test_a_relation_that_goes_one_way(tmp_path: Path) -> None:
    text = (
        "## black tea\n\nIt is oxidized fully.\n\n## green tea\n\n- Related: black tea\n\nIt is not oxidized.\n\n"
        "## oolong\n\n- Related: black tea, green tea\n\nIt is oxidized in part.\n\n- vs green tea: It is oxidized.\n"
    )
    (finding,) = found(text, tmp_path)
    assert (finding.code, finding.line, finding.term) == ("one-sided-relation", 1, "black tea")
    assert finding.message.startswith("'green tea', 'oolong' list 'black tea' as related")


def test_links_in_definitions_need_not_go_both_ways(tmp_path: Path) -> None:
    assert found("## a\n\nThe letter before [b](#b).\n\n## b\n\nThe second letter.\n", tmp_path) == []


def test_a_long_definition_is_a_notice_with_its_number_of_words(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(250))
    (finding,) = found(f"## long\n\n{text}\n", tmp_path)
    assert (finding.code, finding.severity) == ("long-entry", "notice")
    assert "in 250 words" in finding.message
    assert "3 pieces" in finding.message


def test_definitions_of_two_files_that_differ(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("## tea\n\nLeaves in hot water.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("## cup\n\nA vessel.\n\n## Tea\n\nA drink of the afternoon.\n", encoding="utf-8")
    (finding,) = lint([tmp_path]).findings
    assert (finding.code, finding.line) == ("conflicting-definitions", 5)
    assert finding.file == (tmp_path / "b.md").as_posix()


def test_files_are_named_so_that_they_can_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    file = tmp_path / "docs" / "tea.md"
    file.write_text("## tea\n\nTea.\n\n## cup\n\nCup.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert {finding.file for finding in lint([file]).findings} == {"docs/tea.md"}
    monkeypatch.chdir(tmp_path / "docs")
    assert {finding.file for finding in lint([Path("../docs")]).findings} == {"tea.md"}


def test_findings_come_in_the_order_of_files_and_lines(tmp_path: Path) -> None:
    for name in ("b.md", "a.md"):
        (tmp_path / name).write_text(f"## x{name}\n\n## tea {name}\n\nTea {name}.\n\n## y{name}\n", encoding="utf-8")
    findings = lint([tmp_path]).findings
    assert [(Path(one.file or "").name, one.line) for one in findings] == [
        *(("a.md", line) for line in (1, 3, 7)),
        *(("b.md", line) for line in (1, 3, 7)),
    ]


def test_a_finding_is_written_for_people_and_for_github() -> None:
    finding = Finding(
        code="shared-name", severity=Severity.WARNING, file="a,b:c.md", line=3, term="x", message="50 %\nof it: a, b"
    )
    assert str(finding) == "a,b:c.md:3: warning: 50 %\nof it: a, b [shared-name]"
    assert finding.github == "::warning file=a%2Cb%3Ac.md,line=3,title=shared-name::50 %25%0Aof it: a, b"
    nowhere = finding.model_copy(update={"file": None, "line": None})
    assert nowhere.github == "::warning title=shared-name::50 %25%0Aof it: a, b"
    assert str(nowhere) == "warning: 50 %\nof it: a, b [shared-name]"


@given(st.text(), st.text(), st.integers(min_value=1))
def test_a_command_for_github_is_one_line_that_says_it_all(file: str, message: str, line: int) -> None:
    finding = Finding(code="guessed", severity=Severity.NOTICE, file=file, line=line, term=None, message=message)
    start, properties, said = finding.github.split("::", 2)[0], *finding.github.split("::", 2)[1:]
    assert start == ""
    assert not set("\r\n") & set(finding.github)
    assert said.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%") == message
    written = properties.removeprefix("notice ").split(",")
    assert [part.partition("=")[0] for part in written] == ["file", "line", "title"]


def test_the_exit_code_tells_whether_there_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tea.md"
    file.write_text("## tea\n\nTea.\n", encoding="utf-8")
    assert run("lint", str(file)) == 0
    assert capsys.readouterr().err == "1 warning in 1 entry\n"
    assert run("lint", "--strict", str(file)) == 7
    assert run("lint", "--strict", "--ignore", "repeated-headword", str(file)) == 0
    file.write_text("## tea\n\n- Related: coffee\n\nTea.\n", encoding="utf-8")
    capsys.readouterr()
    assert run("lint", str(file)) == 7
    printed = capsys.readouterr()
    assert printed.err == "glossbot: 1 error and 1 warning in 1 entry\n"
    assert printed.out.splitlines() == [str(finding) for finding in lint([file]).findings]
    assert run("lint", str(tmp_path / "nothing.md")) == 5


def test_findings_are_printed_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tea.md"
    file.write_text("## tea\n\n- Related: coffee\n\nTea.\n", encoding="utf-8")
    assert run("lint", "--json", str(file)) == 7
    listed = json.loads(capsys.readouterr().out)
    assert [Finding.model_validate(one) for one in listed] == list(lint([file]).findings)
    assert run("lint", "--format", "github", str(file)) == 7
    assert capsys.readouterr().out.splitlines() == [finding.github for finding in lint([file]).findings]


def test_what_is_not_known_is_a_wrong_command_line(small_glossary: Path) -> None:
    assert run("lint", "--ignore", "nonsense", str(small_glossary)) == 2
    assert run("lint", "--file-format", "nonsense", str(small_glossary)) == 2
    assert run("lint", "--map", "nonsense", str(small_glossary)) == 2
    assert run("lint", "--format", "nonsense", str(small_glossary)) == 2


def test_without_paths_the_indexed_glossary_is_checked_else_the_shipped_one(
    tmp_path: Path, small_glossary: Path, tiny_embedder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("lint") == 0
    assert "in 191 entries" in capsys.readouterr().err
    file = tmp_path / "tea.md"
    file.write_text("## tea\n\nTea.\n", encoding="utf-8")
    assert run("index", "--embedder", str(tiny_embedder), str(file)) == 0
    assert run("index", "--embedder", str(tiny_embedder), "--name", "small", str(small_glossary)) == 0
    capsys.readouterr()
    assert run("lint") == 0
    printed = capsys.readouterr()
    assert "tea.md:1: warning:" in printed.out
    assert printed.err == "1 warning in 1 entry\n"
    assert run("lint", "--name", "small") == 0
    assert "in 6 entries" in capsys.readouterr().err


def test_nothing_steers_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "evil.md"
    file.write_text(
        "## \x1b[31mred\x07\n\n- Related: \x9b2J, [bold]no markup[/bold]\n\n\x1b[31mRed.\n", encoding="utf-8"
    )
    for layout in ("text", "github"):
        assert run("lint", "--format", layout, str(file)) == 7
        printed = capsys.readouterr()
        assert not set("\x1b\x07\x9b") & set(printed.out + printed.err)
        assert "[bold]no markup[/bold]" in printed.out


def test_every_kind_of_finding_is_documented() -> None:
    text = (DOCS / "lint.md").read_text(encoding="utf-8")
    for code, rule in RULES.items():
        assert f"| `{code}` | {rule.severity} | {rule.meaning} |" in text


@given(st.text(alphabet="#-:,()[]vs ab\n", max_size=120))
def test_any_text_is_checked(text: str) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "any.md"
        file.write_text(text, encoding="utf-8")
        report = lint([file], ReadOptions(format="markdown"))
    lines = len(text.split("\n"))
    assert report.entries or report.count(Severity.ERROR)
    for finding in report.findings:
        assert finding.line is None or 1 <= finding.line <= lines
        assert finding.severity is RULES[finding.code].severity
