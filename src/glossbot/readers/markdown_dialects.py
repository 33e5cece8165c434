"""What dialects add to Markdown, translated into plain Markdown line by line, so that line numbers stay.

Comments, macros of site generators, wikilinks, admonitions, attributes, the imports and components of MDX, roles and
glossary directives of MyST. Fenced and inline code is left as it is.
"""

import re
from collections.abc import Iterator, Sequence

from glossbot.readers import macros
from glossbot.readers.macros import link

_FENCE = re.compile(
    r"(?P<indent>[\s>]*(?:[-*+]\s+|\d{1,9}[.)]\s+|[:~]\s+)?)(?P<ticks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)"
)
_GLOSSARY_DIRECTIVE = re.compile(r"\s*\{glossary\}.*")
_HEADING_ID = re.compile(r"(#{1,6}\s.*?)\s*\{:?[^{}]*?#(?P<id>[^\s{}]+)[^{}]*\}\s*#*\s*")
_ATTRIBUTES_AT_END = re.compile(r"(#{1,6}\s.*?)\s*\{:?\s*[.\w][^{}]*[=.][^{}]*\}\s*")
# ``*[API]: application programming interface``, shown where the abbreviation is pointed at.
ABBREVIATION = re.compile(r"\*\[(?P<short>[^\[\]]{1,60})\]:\s*(?P<full>\S.*)")
# Lines that show nothing: attributes of a block, tables of contents, imports and exports of MDX, fences of divisions.
_SILENT = re.compile(
    r"""\s*(?:\{:[^{}]*\}|\{[.\#][^{}]*\}|\{::[^{}]*/?\}|\[\[?_?toc_?\]\]?|\[toc\]
    |import\s+(?:.{1,200}\sfrom\s+)?["'][^"']*["'];?|export\s+(?:const|let|default|function|\{).*|:{3,}\s*)\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_DIVISION = re.compile(r"(?P<indent>\s*):{3,}\s*\{?[\w.-]+\}?(?:\[(?P<bracket>[^\]]*)\]|\s+(?P<title>[^{}]*))?.*")
_ADMONITION = re.compile(r"""(?P<indent>[ ]*)(?:!!!|\?\?\?\+?|===\+?)\s+[\w\s-]*(?:"(?P<title>[^"]*)")?\s*""")
_ALERT = re.compile(r"(?P<quote>\s*(?:>\s*)+)\[![\w-]+\][+-]?[ ]?(?P<title>.*)")
_COMMENT_OR_CODE = re.compile(r"<!--|\{%-?\s*comment\s*-?%\}|^[ \t]*(?P<fence>`{3,}|~{3,})[^`\n]*$|`|\n", re.MULTILINE)
_TEXT_OF_ROLE = re.compile(r"(?P<text>.*?)\s*<(?P<target>[^<>]*)>", re.DOTALL)
_TEX_BEFORE = 80  # characters that tell braces of TeX from a macro
_ATTRIBUTE = re.compile(r"""(?P<name>[\w-]+)\s*=\s*\{?["'](?P<value>[^"']*)["']\}?""")
_TARGET_ATTRIBUTES = ("id", "term", "termkey", "termid", "termId", "slug", "to", "name", "pathname")
_INLINE = re.compile(
    rf"""
    (?P<escape>\\[\\`\[{{<])
    | \{{(?P<role>[a-z][\w:+-]*)\}}`(?P<of_role>[^`\n]+)`
    | (?P<code>(?<!`)(?P<ticks>`{{1,3}})(?!`).+?(?<!`)(?P=ticks)(?!`))
    | (?P<macro>{macros.PATTERN})
    | !?\[\[(?P<wiki>[^\[\]\n]+)\]\]
    | <(?P<address>(?:https?://|mailto:)[^\s<>]+|[\w.+-]{{1,64}}@[\w-][\w.-]*\.[a-z]{{2,}})>
    | \[(?P<span>[^\[\]\n]*)\]\{{[.\#:][^{{}}\n]*\}}
    | (?<=[)\]])\{{[.\#][\w-][^{{}}\n]*\}} | (?<=[)\]*_`])\{{:[^{{}}\n]*\}}
    | \{{/\*(?P<remark>[^*]*(?:\*(?!/)[^*]*)*)\*/\}}
    | \{{(?P<quote>['"])(?P<space>\s*)(?P=quote)\}}
    | <(?P<component>(?:[A-Z]\w*)?(?:Term|Tooltip|Glossary\w*))\b(?P<attributes>[^<>]*?)
      (?:/>|>(?P<inside>[^<>]*)</(?P=component)>)
    """,
    re.VERBOSE | re.DOTALL,
)


def translate(lines: Sequence[str]) -> list[str]:
    """Return the lines of a text in plain Markdown, one for each line that was given."""
    prose: list[str] = []
    done: list[str] = []
    for is_code, part in _parts(_without_admonitions(_without_comments(list(lines)))):
        if is_code:
            done += _inlined(prose)
            prose = []
            done += _code(part)
        else:
            prose += part
    return done + _inlined(prose)


def _parts(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield runs of fenced code with their fences, and the runs of lines between them."""
    start = 0
    fence: re.Match[str] | None = None
    for at, line in enumerate(lines):
        match = _FENCE.match(line)
        if not match:
            continue
        if fence is None:
            if at > start:
                yield False, list(lines[start:at])
            fence, start = match, at
        elif _closes(match, fence):
            yield True, list(lines[start : at + 1])
            fence, start = None, at + 1
    if start < len(lines):
        yield fence is not None, list(lines[start:])


def _closes(match: re.Match[str], fence: re.Match[str]) -> bool:
    return match["ticks"].startswith(fence["ticks"]) and not match["info"].strip()


def _code(lines: list[str]) -> list[str]:
    """Return fenced code with nothing but the language behind its fence; code that the page hides is left out."""
    fence = _FENCE.match(lines[0])
    assert fence
    info = fence["info"]
    if _GLOSSARY_DIRECTIVE.fullmatch(info):
        return _glossary_directive(lines)
    words = info.replace("{", " ").replace("}", " ").replace(",", " ").split()
    if "hidden" in words[1:]:
        return [""] * len(lines)
    language = words[0] if words and re.fullmatch(r"[\w.+#-]+", words[0]) else ""
    return [f"{fence['indent']}{fence['ticks']}{language}", *lines[1:]]


def _glossary_directive(lines: list[str]) -> list[str]:
    """Make terms with indented definitions a definition list."""
    done = [""]
    is_term = False
    for line in lines[1:-1]:
        if line.lstrip().startswith(":") and not is_term:
            done.append("")  # an option
        elif line[:1].isspace() and line.strip() and is_term:
            done.append(f": {line.strip()}")
            is_term = False
        else:
            is_term = is_term or (bool(line.strip()) and not line[:1].isspace())
            done.append(line)
    return [*done, *([""] if len(lines) > 1 else [])]


def _without_comments(lines: list[str]) -> list[str]:
    """Empty HTML and Liquid comments; one that is never closed is no comment."""
    text = "\n".join(lines)
    if "<!--" not in text and "comment" not in text:
        return lines
    kept: list[str] = []
    last = 0
    for start, stop in _comments(text):
        kept += [text[last:start], "\n" * text.count("\n", start, stop)]
        last = stop
    return "".join((*kept, text[last:])).split("\n")


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each comment begins and ends, except in code."""
    at = 0
    closing = {"<": "-->", "{": "endcomment"}
    in_code = False
    while closing and (match := _COMMENT_OR_CODE.search(text, at)):
        at = match.end()
        if match["fence"]:
            end = re.compile(rf"^[ \t]*{match['fence']}[`~]*[ \t]*$", re.MULTILINE).search(text, at)
            at = end.end() if end else len(text)
        elif match[0] == "\n":
            in_code = False
        elif match[0] == "`":
            in_code = not in_code
        elif not in_code and (mark := closing.get(match[0][0])):
            end = re.compile(rf"{{%-?\s*{mark}\s*-?%}}" if mark[0] == "e" else mark).search(text, at)
            if end is None:
                del closing[match[0][0]]  # no other one is closed either
                continue
            yield match.start(), end.end()
            at = end.end()


def _without_admonitions(lines: list[str]) -> list[str]:
    """Make the indented text of ``!!! note "Title"`` a text like any other, below its title."""
    done: list[str] = []
    margins: list[int] = []  # how far the texts that are open stand to the right
    for line in lines:
        indent = len(line) - len(line.lstrip())
        while line.strip() and margins and indent < margins[-1] + 4:
            margins.pop()
        text = line[4 * len(margins) :] if line.strip() else line
        if (match := _ADMONITION.fullmatch(text)) and not text.strip().strip("="):
            match = None
        if match:
            margins.append(indent)
            text = f"{match['indent']}**{match['title']}**" if match["title"] else ""
        done.append(text)
    return done


def _inlined(lines: list[str]) -> list[str]:
    """Translate lines without fenced code, paragraph by paragraph."""
    lines = [_line(line) for line in lines]
    done: list[str] = []
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
            continue
        if paragraph:
            done += _inline("\n".join(paragraph)).split("\n")
            paragraph = []
        done.append(line)
    return done[:-1]


def _line(line: str) -> str:
    if _SILENT.fullmatch(line) or ABBREVIATION.fullmatch(line):
        return ""
    if match := _HEADING_ID.fullmatch(line):
        return f'{match[1]} <a id="{match["id"]}"></a>'
    if match := _ATTRIBUTES_AT_END.fullmatch(line):
        return match[1]
    if match := _ALERT.fullmatch(line):
        return match["quote"] + (f"**{match['title'].strip()}**" if match["title"].strip() else "")
    if match := _DIVISION.fullmatch(line):
        title = (match["bracket"] or match["title"] or "").strip()
        return f"{match['indent']}**{title}**" if title else ""
    return line


def _inline(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        new = _replacement(match, text)
        return new + "\n" * (match[0].count("\n") - new.count("\n"))

    return _INLINE.sub(replaced, text)


def _replacement(match: re.Match[str], text: str) -> str:
    if match["escape"] or match["code"]:
        return match[0]
    if match["role"]:
        return _role(match["role"], match["of_role"])
    if match["macro"]:
        return macros.render(match["macro"], before=text[max(0, match.start() - _TEX_BEFORE) : match.start()])
    if match["wiki"]:
        return "" if match[0].startswith("!") else _wikilink(match["wiki"])
    if match["address"]:
        scheme = "" if ":" in match["address"] else "mailto:"
        return f"[{match['address']}]({scheme}{match['address']})"
    if match["span"] is not None:
        return match["span"]
    if match["component"]:
        attributes = {one["name"]: one["value"] for one in _ATTRIBUTE.finditer(match["attributes"])}
        target = next((attributes[name] for name in _TARGET_ATTRIBUTES if attributes.get(name)), "")
        inside = (match["inside"] or attributes.get("text") or attributes.get("title") or target).strip()
        return link(inside, target.rpartition("/")[2])
    return match["space"] or ""


def _wikilink(inside: str) -> str:
    target, _, text = inside.replace("\\|", "|").partition("|")
    page, _, place = target.partition("#")
    page = page.rpartition("/")[2].removesuffix(".md")
    return link(text.strip() or page.strip() or place.strip(), page or place)


def _role(name: str, inside: str) -> str:
    match = _TEXT_OF_ROLE.fullmatch(inside)
    text, target = (match["text"], match["target"]) if match else (inside, inside)
    if name in ("term", "ref", "doc", "numref"):
        return link(text or target, target.rpartition("/")[2])
    return macros.code(text) if name in ("code", "command", "file", "func", "class", "kbd", "envvar") else inside
