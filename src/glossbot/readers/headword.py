"""What a headword and the words around it say about an entry's names."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from glossbot.entry import fold
from glossbot.readers import markup

_PARENTHESIS = re.compile(r"(.*\S)\s*(?:[(（]([^()（）]{1,80})[)）]|\[([^\[\]]{1,80})\])")
_AKA = re.compile(r"(.{1,200}?\S),?\s+(?:a\.?k\.?a\.?|also\s+(?:known\s+as|called))\s+(\S.{0,200})", re.IGNORECASE)
_INTRODUCES_NAME = re.compile(
    r"(?:a\.?k\.?a\.?|also\s+(?:known\s+as|called)|formerly|previously|abbreviated(?:\s+as)?|abbr\.?|abbreviation|acronym"
    r"|short(?:\s+for)?|plural|pl\.|or|oder|ou|syn\.?|synonyms?)\s*:?\s+",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"\s*(?:[,;/、，；]|\bor\b)\s*")
_SMALL_WORDS = frozenset(
    "a an and as at by for from in of on or the to with de la le les des du der die das und y e".split()
)
_CAPITAL_OR_DIGIT = re.compile(r"[A-Z\d]")
_LONGEST_ABBREVIATION = 12  # letters
_NUMERONYM = re.compile(r"([a-z])(\d{1,2})([a-z])s?", re.IGNORECASE)  # i18n, k8s

_CALLED = re.compile(
    r"""\b(?: (?:(?:also|sometimes|often|commonly|usually|frequently|formerly|previously)\s+){1,3}
        (?:known\s+as|called|termed|referred\s+to\s+as|(?:written|spelled|abbreviated)(?:\s+(?:as|to))?)
    | abbreviated\s+(?:as|to) | a\.?k\.?a\.? )\s+""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_START = re.compile(r"[.!?。]\s+|\n")
_VERB_AT_END = re.compile(r"\s+(?:is|are|was|were|(?:may|can)\s+be)\s*$")
_MARKS = "*_`\"'“”‘’"
_SET_OFF = re.compile(
    r"""(?:(?:an?|the)\s+)?[*_`"'“‘\[]+(?P<name>[^\n\[\]]{1,60}?)(?:[*_`"'”’]+|\]\([^()\s]*\))(?=[\s.,;:)—–]|$)
    (?P<more>,?\s*(?:\b(?:and/or|or|and)\s+)?(?=(?:(?:an?|the)\s+)?[*_`"'“‘\[]))?""",
    re.VERBOSE,
)
_CAPITALISED = re.compile(r"[A-Z][\w-]*(?:\s[A-Z][\w-]*)*\b(?!-)")
_PHRASE_END = re.compile(r"[,.;:()\n—–]|\s-\s|\s(?:is|are|was|which|that|and)\s|$")
_ARTICLE = re.compile(r"(?:an?|the)\s+", re.IGNORECASE)
_ARTICLE_LETTERS = 4  # of an article and a plural's end around the headword
_BEGINNING = 2000  # characters of a definition that are searched for other names
_MOST_WORDS = 5  # of a name that is not set off

_SEE = re.compile(
    r"""(?:see|siehe|voir|véase|ver|vedi|zie|se|см\.?|參見|参见|见|참조)(?:\s+(?:also|auch|aussi|también))?
    \s*:?\s+(.{1,120}?)[.。]?""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


class Headword(NamedTuple):
    """A headword without what was put in parentheses behind it, and the names that this gave."""

    term: str
    aliases: tuple[str, ...]


def split(text: str) -> Headword:
    """Split ``grouped-query attention (GQA)`` into the term and its abbreviation.

    Parentheses that hold no other name but a qualifier (``node (networking)``) stay a part of the headword, since
    they tell it from the same word in another sense; the word alone becomes another name.
    """
    text = " ".join(text.split())
    if match := _AKA.fullmatch(text):
        return Headword(match[1].rstrip(" ("), _names(match[2].rstrip(" )")))
    match = _PARENTHESIS.fullmatch(text)
    if not match:
        return Headword(text, ())
    term, inside = match[1], (match[2] or match[3]).strip()
    if introduction := _INTRODUCES_NAME.match(inside):
        return Headword(term, _names(inside[introduction.end() :]))
    parts = (inside,) if _abbreviates(term, inside) else _names(inside)
    if parts and all(_is_other_name(term, part) for part in parts):
        return Headword(term, parts)
    return Headword(text, (term,)) if fold(term) else Headword(text, ())


def names(alias: str) -> tuple[str, ...]:
    """Return the names in another name: ``notification (as a domain term)`` is called ``notification``."""
    term, others = split(alias)
    return others if term == " ".join(alias.split()) and others else (term, *others)


def also_known_as(definition: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a definition gives its own headword by 'also known as'.

    Args:
        definition: the whole of it; other names stand near its beginning.
        known: the names that are known already, by which the words are told to be about the headword.
    """
    text = definition[:_BEGINNING]
    keys = [key for name in known if (key := fold(name))]
    found: list[str] = []
    for match in _CALLED.finditer(text):
        start = max((end.end() for end in _SENTENCE_START.finditer(text, 0, match.start())), default=0)
        if _is_about(text[start : match.start()], keys, is_first=start == 0):
            found += filter(fold, _called(text, match.end()))
    return tuple(dict.fromkeys(found))


def redirect(definition: str) -> str | None:
    """Return where a definition that only says 'See X' points to, or None for any other."""
    match = _SEE.fullmatch(definition.strip().strip("*_ "))
    return match[1].strip() if match and not re.search(r"[.;]\s|\n\s*\n", match[1]) else None


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in (part.strip(" .\"'“”") for part in _SEPARATORS.split(text)) if part))


def _is_other_name(term: str, inside: str) -> bool:
    """Tell an abbreviation, a full form or the name in another script from a qualifier."""
    if not fold(inside):
        return False
    if _abbreviates(inside, term) or _abbreviates(term, inside):
        return True
    if not re.search(r"[A-Za-z]", term):
        return inside.isascii()  # 节点 (Node)
    own, other = set(_words(term)) - _SMALL_WORDS, set(_words(inside)) - _SMALL_WORDS
    if len(inside.split()) == 1 and inside.isupper() and len(fold(inside)) == len(_words(term)):
        return True  # künstliche Intelligenz (AI)
    return len(own) > 1 and len(other) > 1 and len(own & other) > 0  # another wording of the same name


def _abbreviates(short: str, full: str) -> bool:
    """Tell whether a short form is made of the first letters of another name's words, or of some of its letters."""
    letters = fold(short)
    if " " in short or not 2 <= len(letters) <= _LONGEST_ABBREVIATION or len(letters) >= len(fold(full)):
        return False
    words = _words(full)
    if letters in words:
        return False
    heads = ("".join(word[0] for word in words), "".join(word[0] for word in words if word not in _SMALL_WORDS))
    if any(form in heads for form in (letters, letters.removesuffix("s"))):
        return True
    if match := _NUMERONYM.fullmatch(short):
        return fold(full).startswith(match[1].lower()) and len(fold(full).removesuffix("s")) >= int(match[2])
    is_set_off = len(_CAPITAL_OR_DIGIT.findall(short)) > 1 or len(words) > 1
    begins = letters[0] in heads[0] if len(words) > 1 else heads[0].startswith(letters[0])
    return is_set_off and (begins or letters[0] == "x") and _is_within(letters.removesuffix("s"), fold(full))


def _is_within(letters: str, text: str) -> bool:
    """Tell whether letters occur in a text in their order."""
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[^\W_]+", text)]


def _is_about(before: str, known: Sequence[str], *, is_first: bool) -> bool:
    """Tell whether the words before 'also known as' end in the headword, or leave it out."""
    subject = fold(_VERB_AT_END.sub("", markup.plain(before).rstrip(" (,—–-" + _MARKS)))
    if subject in ("it", "they", ""):
        return not is_first or subject == ""
    endings = [name for name in known if subject.removesuffix("s").endswith(name.removesuffix("s"))]
    return any(len(subject) <= len(name) + _ARTICLE_LETTERS for name in endings)


def _called(text: str, at: int) -> Iterator[str]:
    """Yield the names that stand behind 'also known as': all that are set off, or else what the phrase holds."""
    is_set_off = False
    while match := _SET_OFF.match(text, at):
        yield match["name"].strip(" ,.")
        if not match["more"]:
            return
        is_set_off, at = True, match.end()
    end = _PHRASE_END.search(text, at)
    if is_set_off or end is None:
        return
    for part in re.split(r"\s+or\s+", text[at : end.start()]):
        part = part.strip()
        name = part[article.end() :] if (article := _ARTICLE.match(part)) else part
        if len(name.split()) > _MOST_WORDS:
            capitalised = _CAPITALISED.match(name)
            name = capitalised[0] if capitalised else ""
        if not any(mark in name for mark in "[]*`") and not _CALLED.search(f"{name} "):
            yield name
