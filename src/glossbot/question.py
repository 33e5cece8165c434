"""What a question asks: its intent, the entries that it names, and the names in it that the glossary lacks.

Everything here is decided from the words alone, without a model, so that the same question is always understood the
same way. English question forms are recognised; names are found in any language.
"""

from collections.abc import Sequence

from pydantic import Field

from glossbot import followup, phrasing
from glossbot.entry import Entry, Frozen, fold
from glossbot.errors import QuestionError
from glossbot.facts import asked_fact
from glossbot.followup import Turn
from glossbot.names import MatchKind, Mention, NameFinder, tokenize
from glossbot.phrasing import Intent

_COMMON_ABBREVIATIONS = frozenset(
    "pm ceo cto cfo hr faq tldr eli5 fyi btw imo imho afaik iirc asap phd msc bsc uk us usa eu ai ml pc mac".split()
)
_TOO_LONG = 20  # times the characters that are taken; white space and invisible characters may go from less
_SHORT = 5  # telling words; a question with more is a description


class Question(Frozen):
    """A question as understood."""

    text: str
    rewritten: str | None = Field(default=None, description="The same without leaning on earlier turns, where it did.")
    intent: Intent
    mentions: tuple[Mention, ...] = ()
    sides: tuple[str, ...] = Field(default=(), description="What a comparison sets side by side, as written.")
    unknown: tuple[str, ...] = Field(default=(), description="What is used as a name and names no entry.")
    fact: str | None = Field(default=None, description="A fact asked for that definitions seldom hold.")
    strangers: tuple[str, ...] = Field(default=(), description="Proper names and years that the glossary never uses.")
    negated: bool = Field(default=False, description="Whether it asks for what is not so.")
    seeks_name: bool = Field(default=False, description="Whether it asks what the described thing is called.")
    describes: bool = Field(default=False, description="Whether it describes what it asks for, instead of naming it.")
    content: tuple[str, ...] = Field(default=(), description="Telling words outside the mentions, folded.")
    foreign: tuple[str, ...] = Field(default=(), description="Those of them that the glossary never uses.")

    @property
    def asked(self) -> str:
        """The question that is answered: the rewritten one where it leant on earlier turns."""
        return self.rewritten or self.text

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries named, in order of mention; of a name with several senses all."""
        return tuple(dict.fromkeys(entry for mention in self.mentions for entry in mention.entries))


def understand(text: str, finder: NameFinder, *, history: Sequence[Turn] = (), max_chars: int = 1000) -> Question:
    """Understand a question.

    Args:
        text: what the reader typed.
        finder: the names of the glossary.
        history: earlier turns that were about entries, oldest first.
        max_chars: the longest question that is taken.

    Raises:
        QuestionError: nothing is asked, or the text is too long.
    """
    if len(text) > _TOO_LONG * max_chars:  # not even worth looking through
        raise QuestionError(f"The question has {len(text)} characters, {max_chars} are taken; ask it in fewer words")
    cleaned = phrasing.clean(text)
    if not any(char.isalnum() for char in cleaned):
        raise QuestionError("The question is empty; type one, such as: what is …, or: difference between … and …")
    if len(cleaned) > max_chars:
        raise QuestionError(f"The question has {len(cleaned)} characters, {max_chars} are taken; ask it in fewer words")
    rewritten = followup.rewrite(cleaned, finder, history) if history else None
    return _parse(cleaned, rewritten, finder)


def _parse(text: str, rewritten: str | None, finder: NameFinder) -> Question:
    asked = rewritten or text
    found = finder.find(asked)
    mentions = [mention for mention in found if mention.entries]
    other_versions = [mention.text for mention in found if not mention.entries]
    masked = phrasing.mask(asked, mentions)
    if extra := _completed(masked, asked, mentions, finder):
        mentions = sorted((*mentions, *extra), key=lambda mention: mention.start)
        masked = phrasing.mask(asked, mentions)
    sides = phrasing.sides(masked)
    content = phrasing.content_words(masked)
    unknown = _unknown(masked, mentions, sides, finder, shouted=asked.isupper())
    return Question(
        text=text,
        rewritten=rewritten,
        intent=Intent.COMPARE if len(sides) > 1 else phrasing.intent_of(masked),
        mentions=tuple(mentions),
        sides=tuple(phrasing.unmask(side, mentions) for side in sides),
        unknown=_without_parts([*unknown, *other_versions]),
        fact=asked_fact(masked.casefold()),
        strangers=phrasing.strangers(masked, finder),
        negated=phrasing.is_negated(masked),
        seeks_name=phrasing.seeks_name(masked),
        describes=phrasing.is_description(masked),
        content=content,
        foreign=tuple(word for word in content if not finder.knows_word(word)),
    )


def _completed(masked: str, asked: str, mentions: Sequence[Mention], finder: NameFinder) -> list[Mention]:
    """Return mentions for sides, or a whole subject, that are the beginning of just one entry's name ("canary")."""
    sides = phrasing.sides(masked) or [phrasing.subject(masked)]
    # "static, dynamic and continuous batching": what the last name ends in belongs to all.
    last_words = [mention.text.split()[-1] for mention in mentions if " " in mention.text] if len(sides) > 1 else []
    found = []
    for side in sides:
        if side and not phrasing.has_name(side) and (start := asked.find(side)) >= 0:
            whole = (finder.named(asked, start, start + len(side), also=f"{side} {word}") for word in last_words)
            found += next(filter(None, whole), []) or finder.complete(asked, start, start + len(side))
    return found


def _unknown(
    masked: str,
    mentions: Sequence[Mention],
    sides: Sequence[str],
    finder: NameFinder,
    *,
    shouted: bool,
) -> list[str]:
    """Return the stretches that are used as names and name no entry."""
    found = [side for side in sides if not phrasing.has_name(side)]
    # In a long question that names no entry, a strange abbreviation is one word among many.
    if not shouted and (mentions or sides or len(phrasing.content_words(masked)) <= _SHORT):
        found += [
            phrasing.compound(masked, token.start, token.end)
            for token in tokenize(masked)
            if phrasing.looks_like_name(masked[token.start : token.end])
            and token.key not in _COMMON_ABBREVIATIONS
            and not finder.knows_word(token.key)
        ]
    if not shouted:
        found += [part for part in phrasing.compounds(masked) if not finder.knows_word(fold(part.split()[-1]))]
    naming = phrasing.intent_of(masked) in (Intent.DEFINE, Intent.HOW, Intent.EXAMPLE)
    if naming and not sides and (subject := phrasing.subject(masked)):
        words = phrasing.content_words(subject)
        strange = [word for word in words if not (finder.knows_word(word) or finder.misspells(word))]
        if phrasing.has_name(subject):
            # "quadratic tensor parallelism" is not tensor parallelism.
            beside = phrasing.word_beside_name(subject)
            careless = any(mention.kind is MatchKind.MISSPELT for mention in mentions)  # a slip beside a slip
            if strange and beside and not careless and not phrasing.is_misspelt_filler(beside):
                found.append(subject)
        elif words and not phrasing.is_description(subject) and len(words) <= (_SHORT if strange else 3):
            # Asked for like a name, "what is a vector database": words that the glossary uses make it no entry.
            found.append(subject)
    return [phrasing.unmask(name, mentions) for name in found]


def _without_parts(names: Sequence[str]) -> tuple[str, ...]:
    """Drop repeated names, and those that stand within another one."""
    keys = [fold(name) for name in names]
    kept = [
        name for name, key in zip(names, keys, strict=True) if not any(key != other and key in other for other in keys)
    ]
    return tuple({fold(name): name for name in kept}.values())
