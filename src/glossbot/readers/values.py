"""Cells of a table and strings of a record as Markdown, which most of them are."""

import re

from glossbot.readers import markdown_dialects, markup

_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_BLOCK = re.compile(
    r"</?(?:p|div|ul|ol|li|dl|dt|dd|table|tr|td|th|pre|blockquote|h[1-6]|main|section|article|figure|hr)\b[^<>]*>", re.I
)
_DIALECT = re.compile(r"\{\{|\{%|(?<![\w\])])\[\[(?=[^\W\d])")


def definition(text: str) -> str:
    """Return a text as Markdown: HTML is converted, macros and wikilinks of site generators are translated."""
    if "<" in text and _BLOCK.search(_CODE.sub("", text)):
        return markup.from_html(text)
    if _DIALECT.search(text):
        return "\n".join(markdown_dialects.translate(text.split("\n")))
    return text
