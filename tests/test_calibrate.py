"""The line between what is covered and what is not, drawn from a glossary's own entries."""

from pathlib import Path

import pytest

from glossbot.calibrate import calibrate
from glossbot.embed import Embedder
from glossbot.errors import GlossaryError
from glossbot.index import Index

GROWN = ("green", "white", "black", "dark", "smoky", "old")
MADE = ("rolled", "steamed", "roasted", "withered", "pressed")


@pytest.fixture(scope="module")
def teas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("glossary") / "teas.md"
    path.write_text(
        "\n\n".join(
            f"## {grown} {made} tea\n\n- Asked as: leaves that are {made} on {grown} hills by hand\n\n"
            f"{grown.capitalize()} {made} tea is a drink. It is {made} when the hills are {grown}."
            for grown in GROWN
            for made in MADE
        )
    )
    return path


@pytest.fixture(scope="module")
def index(teas: Path, embedder: Embedder) -> Index:
    return Index.build([teas], embedder)[0]


def test_the_line_refuses_few_questions_that_have_an_answer(index: Index, embedder: Embedder) -> None:
    done: list[tuple[int, int]] = []
    found = calibrate(index, embedder, progress=lambda *counts: done.append(counts))
    assert found.questions == len(GROWN) * len(MADE)
    assert found.refused <= 0.05
    assert 0.0 <= found.answered <= 1.0
    assert found.before == index.header.covered_from
    assert done[-1] == (found.questions, found.questions)


def test_the_same_glossary_has_the_same_line(index: Index, embedder: Embedder) -> None:
    assert calibrate(index, embedder) == calibrate(index, embedder)


def test_a_line_that_was_found_stays_when_the_glossary_is_indexed_again(
    index: Index, teas: Path, embedder: Embedder, tmp_path: Path
) -> None:
    index.calibrated(0.123).save(tmp_path / "teas.index")
    again = Index.open(tmp_path / "teas.index", embedder=embedder)
    assert again.header.covered_from == 0.123
    built, _ = Index.build([teas], embedder, previous=again)
    assert (built.header.covered_from, built.header.calibrated) == (0.123, True)
    assert not Index.build([teas], embedder)[0].header.calibrated


def test_a_glossary_that_says_too_little_is_told_so(embedder: Embedder, tmp_path: Path) -> None:
    (tmp_path / "few.md").write_text("## oolong\n\nOolong is a tea.\n")
    with pytest.raises(GlossaryError, match="only 0 entries say enough"):
        calibrate(Index.build([tmp_path], embedder)[0], embedder)
