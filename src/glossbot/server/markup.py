"""What the chat shows, as HTML that cannot do anything: all text of readers, glossaries and models goes through here.

Text is escaped. Definitions and sentences are Markdown: rendered without raw HTML and images, then cut down to a short
list of tags. Each piece of foreign text stands in an element of its own that isolates its direction, so that control
characters in it turn nothing around it.
"""

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt

from glossbot.answer import Answer, EvidenceCard, EvidenceEvent, Origin, Sentence, Status
from glossbot.entry import Entry, Glossary

OPEN_CARDS = 2  # so many cards show their whole definition at once; more of them show its beginning

_INLINE_TAGS = {"code", "del", "em", "s", "strong", "sub", "sup"}
_BLOCK_TAGS = _INLINE_TAGS | {
    "a", "blockquote", "br", "hr", "li", "ol", "p", "pre", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_LABELS = {
    Origin.CONTRAST: "The difference, in the glossary’s words",
    Origin.QUOTED: "In the glossary’s words",
    Origin.MODEL: "Put into words by the model, checked against the entry",
    Origin.NOTICE: "",
}
_STATUS = {
    Status.ANSWERED: "Covered by the glossary",
    Status.PARTIAL: "Covered in part",
    Status.AMBIGUOUS: "More than one meaning",
    Status.NOT_COVERED: "Not covered by the glossary",
}


class Example(NamedTuple):
    """A question to begin with."""

    kind: str
    question: str


def text(value: str) -> str:
    """Return text as inline HTML that shows it as it is."""
    return f"<bdi>{html.escape(_visible(value))}</bdi>"


def definition(markdown: str) -> str:
    """Return a definition, which is Markdown, as HTML blocks."""
    return nh3.clean(
        _markdown().render(_visible(markdown)),
        tags=_BLOCK_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def inline(markdown: str) -> str:
    """Return one sentence of Markdown as inline HTML; a link in it is only text."""
    return nh3.clean(_markdown().renderInline(_visible(markdown)), tags=_INLINE_TAGS, attributes={})


def card_id(turn: str, number: int) -> str:
    """Return the element id of an answer's card; the answers of one page must not share any."""
    return f"gb-{turn}-{number}"


def cards(event: EvidenceEvent, *, turn: str) -> str:
    """Return the entries that an answer rests on."""
    if not event.cards:
        return ""
    unfolded = len(event.cards) <= OPEN_CARDS
    shown = "".join(card(found, turn=turn, unfolded=unfolded) for found in event.cards)
    count = "one" if len(event.cards) == 1 else "two" if len(event.cards) == 2 else "many"
    return f'<h3 class="gb-label">From the glossary</h3><div class="gb-grid gb-{count}">{shown}</div>'


def card(found: EvidenceCard, *, turn: str, unfolded: bool) -> str:
    """Return one entry: number, term, other names, the definition as written, and where it stands."""
    aliases = ", ".join(text(name) for name in found.names[1:])
    places = " ".join(_place(file, line) for file, line in _places(found))
    link = ""
    if url := _web_address(found.url):
        link = (
            f'<a class="gb-link" href="{html.escape(url)}" target="_blank" rel="noopener noreferrer">'
            f'Open the entry<span class="gb-sr"> {text(found.term)} (opens a new tab)</span></a>'
        )
    attribution = f'<p class="gb-attribution">{text(found.attribution)}</p>' if found.attribution else ""
    language = f' lang="{html.escape(_visible(found.language))}"' if found.language else ""
    return (
        f'<details class="gb-card" id="{card_id(turn, found.n)}" data-card="{found.n}"{" open" if unfolded else ""}>'
        f'<summary><span class="gb-number" aria-hidden="true">{found.n}</span>'
        f'<span class="gb-names"><span class="gb-sr">Source {found.n}: </span>'
        f'<strong class="gb-term"{language}>{text(found.term)}</strong>'
        + (f'<span class="gb-aliases"><span class="gb-sr">, also called </span>{aliases}</span>' if aliases else "")
        + f'<span class="gb-gist" aria-hidden="true">{text(_plain(found.definition))}</span></span></summary>'
        f'<div class="gb-definition" dir="auto"{language}>{definition(found.definition)}</div>'
        f'<p class="gb-place"><span>{places}</span>{link}</p>{attribution}'
        f"</details>"
    )


def _places(found: EvidenceCard) -> list[tuple[str, int]]:
    return [(found.file, found.line), *((place.file, place.line) for place in found.others)]


def _place(file: str, line: int) -> str:
    return f'<span title="{html.escape(_visible(file))}">{text(f"{Path(file).name}:{line}")}</span>'


def _web_address(url: str | None) -> str | None:
    return url if url and url.startswith(("https://", "http://")) else None


def status(event: EvidenceEvent) -> str:
    """Return the verdict in words, with what is missing."""
    words = _STATUS[event.status]
    missing = ""
    if event.status is Status.PARTIAL and event.missing:
        names = ", ".join(text(name) for name in event.missing)
        missing = f' <span class="gb-missing">Missing: {names}</span>'
    return f'<span class="gb-verdict gb-{event.status.value}">{words}</span>{missing}'


def sentence(shown: Sentence, *, turn: str, terms: Sequence[str], after: Sentence | None) -> str:
    """Return one sentence with its markers, under the name of who wrote it where that changes.

    Args:
        shown: the sentence.
        turn: the answer that it belongs to.
        terms: the terms of the answer's cards, in order.
        after: the sentence before it.
    """
    label = ""
    if _LABELS[shown.origin] and (after is None or after.origin is not shown.origin):
        label = f'<span class="gb-origin">{_LABELS[shown.origin]}</span>'
    # A notice repeats the reader's own words: those are no Markdown.
    words = text(shown.text) if shown.origin is Origin.NOTICE else f"<bdi>{inline(shown.text)}</bdi>"
    markers = "".join(marker(number, turn=turn, terms=terms) for number in shown.citations)
    return f'<p class="gb-sentence gb-{shown.origin.value}" dir="auto">{label}{words}{markers}</p>'


def marker(number: int, *, turn: str, terms: Sequence[str]) -> str:
    """Return the marker that leads to a card."""
    term = html.escape(_visible(terms[number - 1])) if 0 < number <= len(terms) else ""
    return (
        f'&nbsp;<a class="gb-marker" href="#{card_id(turn, number)}" '
        f'aria-label="Source {number}: {term}" title="{term}">[{number}]</a>'
    )


def rewritten(question: str) -> str:
    """Return the note which says how a follow-up was understood."""
    return f"Understood as: {text(question)}"


def suggestions(terms: Iterable[str], *, covered: bool) -> str:
    """Return buttons that ask about further terms."""
    buttons = "".join(ask_button(f"What is {term}?", shown=term) for term in terms)
    if not buttons:
        return ""
    heading = "Related terms" if covered else "Ask about a nearby term"
    return f'<div class="gb-more"><h3 class="gb-label">{heading}</h3><div class="gb-asks">{buttons}</div></div>'


def ask_button(question: str, *, shown: str) -> str:
    """Return a button that asks a question."""
    return f'<button type="button" class="gb-ask" data-ask="{html.escape(_visible(question))}">{text(shown)}</button>'


def error(message: str) -> str:
    """Return a failure, said in the conversation."""
    return f'<p class="gb-error" role="alert">{text(message)}</p>'


def note(message: str) -> str:
    """Return a remark of the program about an answer."""
    return f'<p class="gb-remark">{text(message)}</p>'


def summary(answer: Answer) -> str:
    """Return what ends an answer: that it was given before, and where to go on."""
    before = note(f"Answered before, to: {answer.cache.question}") if answer.cache else ""
    return before + suggestions(answer.suggestions, covered=answer.status is not Status.NOT_COVERED)


def heading(title: str, *, entries: int) -> str:
    """Return the top of the page."""
    noun = "entry" if entries == 1 else "entries"
    return (
        f'<header class="gb-head"><h1>{text(title)}</h1>'
        f"<p>Ask a glossary of {entries:,} {noun}. Every answer shows the entries that it rests on, "
        f"and says so when the glossary has none.</p></header>"
    )


def welcome(glossary: Glossary) -> str:
    """Return the questions to begin with."""
    buttons = "".join(
        f'<button type="button" class="gb-example" data-ask="{html.escape(_visible(example.question))}">'
        f'<span class="gb-kind">{example.kind}</span>{text(example.question)}</button>'
        for example in examples(glossary)
    )
    if not buttons:
        return ""
    return f'<h2 class="gb-label">Try one of these</h2><div class="gb-examples">{buttons}</div>'


def examples(glossary: Glossary) -> list[Example]:
    """Return two comparisons and two definitions to ask for, where a glossary has as many.

    They are about the entries that most others point to, each of them once.
    """
    pointed = Counter(other for entry in glossary.entries for other in glossary.related(entry))
    pairs = [
        (entry, other)
        for entry in glossary.entries
        for contrast in entry.contrasts
        for other in glossary.named(contrast.other)[:1]
        if other != entry
    ]
    pairs.sort(key=lambda pair: -min(pointed[pair[0]], pointed[pair[1]]))
    used: set[Entry] = set()
    compared: list[Example] = []
    for left, right in pairs:
        if len(compared) < 2 and not used & {left, right}:
            used |= {left, right}
            names = f"{_short(left, glossary)} and {_short(right, glossary)}"
            compared.append(Example("Compare", f"What is the difference between {names}?"))
    rest = sorted(
        (entry for entry in glossary.entries if entry not in used and len(glossary.named(entry.term)) == 1),
        key=lambda entry: -pointed[entry],
    )
    return [*compared, *(Example("Define", f"What is {entry.term}?") for entry in rest[:2])]


def _short(entry: Entry, glossary: Glossary) -> str:
    """Return an entry's abbreviation, if it has one that means nothing else, or its term."""
    own = (name for name in entry.aliases if glossary.named(name) == (entry,))
    return next((name for name in own if 3 <= len(name) <= 6 and name.isupper()), entry.term)


def _plain(markdown: str) -> str:
    """Return what a definition says, without its markup."""
    return " ".join(html.unescape(nh3.clean(_markdown().render(_visible(markdown)), tags=set())).split())


def _visible(value: str) -> str:
    """Drop the control characters that HTML cannot hold."""
    return "".join(char for char in value if char >= " " or char in "\n\t")


@cache
def _markdown() -> MarkdownIt:
    # Headings would stand among the page's own; an image would be fetched.
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    return reader.disable(["image", "heading", "lheading", "reference", "html_block", "html_inline"])
