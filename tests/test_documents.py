"""What is generated into the documents is what the code says."""

from collections.abc import Iterator
from pathlib import Path

from glossbot import settings
from glossbot.errors import GlossbotError

DOCS = Path(__file__).resolve().parents[1] / "docs"


def tree(kind: type[GlossbotError]) -> Iterator[type[GlossbotError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from tree(child)


def test_every_setting_is_documented() -> None:
    assert settings.table() in (DOCS / "settings.md").read_text(encoding="utf-8")


def test_every_error_is_documented_with_its_codes() -> None:
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    kinds = [kind for kind in tree(GlossbotError) if kind.__module__.startswith("glossbot.")]
    assert len(kinds) > 10
    for kind in kinds:
        row = f"| `{kind.__name__}` | {kind.exit_code} | {kind.http_status} | {(kind.__doc__ or '').splitlines()[0]} |"
        assert row in text
