"""Front matter: the fields in YAML or TOML that sites put before a Markdown text."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from glossbot.readers.document import Document

_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_KEY = re.compile(r"""["']?([A-Za-z][\w -]*?)["']?\s*[:=](?:\s+(.*)|\s*)""")
_NOTHING = frozenset(("", "~", "null", "none"))
_TOML_LINE = re.compile(r"at line (\d+)")


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """The fields of one file, and where they stand."""

    fields: Mapping[str, object] = field(default_factory=dict)  # keys in lower case, their words joined by hyphens
    lines: Mapping[str, int] = field(default_factory=dict)  # of each key at the top level
    length: int = 0  # lines that it takes, with its fences

    def text(self, *keys: str) -> str | None:
        """Return the first of some fields that holds a text."""
        return next((names[0] for key in keys if len(names := self.names(key)) == 1), None)

    def names(self, *keys: str) -> tuple[str, ...]:
        """Return the texts of all of some fields, each of which may be a list."""
        found: list[str] = []
        for key in keys:
            value = self.fields.get(key)
            values = value if isinstance(value, list) else [value]
            found += (text for item in values if isinstance(item, str | int | float) and (text := str(item).strip()))
        return tuple(text for text in found if text.lower() not in _NOTHING)

    def line(self, *keys: str) -> int:
        """Return the line of the first of some fields that is there."""
        return next((self.lines[key] for key in keys if key in self.lines), 1)


def read(document: Document) -> FrontMatter:
    """Read a file's front matter; what is wrong with it becomes a problem, and its simple fields are read all the same.

    Nothing of the text that follows is looked at.
    """
    lines = document.lines
    closing = _FENCES.get(lines[0].rstrip())
    stop = next((at for at in range(1, len(lines)) if lines[at].rstrip() in closing), None) if closing else None
    if stop is None:
        return FrontMatter()
    inside = lines[1:stop]
    first = next((line for line in inside if line.strip() and not line.startswith("#")), None)
    if first is None or not (_KEY.match(first) or first.startswith(("[", "{"))):
        return FrontMatter()  # two thematic breaks
    values = _toml(inside, document) if lines[0].startswith("+") else _yaml(inside, document)
    return FrontMatter(
        fields={_normal(str(key)): value for key, value in values.items()},
        lines={_normal(match[1]): at for at, line in enumerate(inside, 2) if (match := _KEY.match(line))},
        length=stop + 1,
    )


def _yaml(lines: Sequence[str], document: Document) -> Mapping[str, object]:
    try:
        # Nothing but texts: "NO", "1.10" and dates stay as they were written.
        loaded = yaml.load("\n".join(lines), Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        document.problem(line, f"the front matter is no YAML: {error.problem}; put the value in quotes")
    except (yaml.YAMLError, ValueError) as error:
        document.problem(1, f"the front matter is no YAML: {' '.join(str(error).split())}")
    except RecursionError:
        document.problem(1, "the front matter is nested too deeply")
    else:
        return loaded if isinstance(loaded, dict) else {}
    return _simple(lines)


def _toml(lines: Sequence[str], document: Document) -> Mapping[str, object]:
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        match = _TOML_LINE.search(str(error))
        document.problem(int(match[1]) + 1 if match else len(lines) + 1, f"the front matter is no TOML: {error}")
    except (ValueError, RecursionError):
        document.problem(1, "the front matter is no TOML, or nested too deeply")
    return _simple(lines)


def _simple(lines: Sequence[str]) -> dict[str, str]:
    """Return the fields that stand on one line each, of front matter that is damaged elsewhere."""
    matches = (_KEY.fullmatch(line) for line in lines)
    return {match[1]: match[2].strip().strip("\"'") for match in matches if match and match[2]}


def _normal(key: str) -> str:
    return re.sub(r"[\s_]+", "-", key.strip().lower())
