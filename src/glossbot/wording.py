"""Other wordings of what an entry says, made by rules that keep the meaning.

A small model left to itself binds facts to the wrong term. So it is not asked to write freely, but to choose its way
through wordings that say what the entry says: a cause before or after its effect, a condition first, a definition
without its kind or joined to what follows from it, two definitions side by side, synonyms. The rules know English and
leave alone what they are not sure of: a sentence with a negation, a second connector or a pronoun in the wrong place
is not turned round, and a sentence in another language has no other wording.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, permutations

from rapidfuzz.distance import LCSseq

from glossbot.entry import Entry
from glossbot.names import MatchKind, NameFinder, tokenize
from glossbot.synonyms import EITHER_PERSON, VERBS, VERBS_THIRD, Replacement, replacements

_REMEMBERED = 2048  # sentences
_MOST_WORDS = 45  # in one sentence; a longer one is hard to read
_MOST_VARIANTS = 6  # of one structure
_COPIED = 0.85  # share of words that two sentences have in common, in order, from which one is a copy
_SLOT = 0xE000  # the private use area: a character of it stands for a name while a sentence is taken apart
_NAME = "[\ue000-\uefff]"
_SUBJECT = rf"(?:The |An? )?{_NAME}(?: \([^()]*\))?"
_ADVERB = r"(?:(?:also|usually|often|typically|generally|commonly|mostly|rarely|therefore) )?"
_NEGATION = re.compile(r"\b(?:no|not|never|nor|none|without|cannot|neither|hardly|rarely|seldom|only)\b|n't\b", re.I)
_PRONOUN = re.compile(r"\b(?:it|its|itself|they|their|them|themselves|he|she|his|her)\b", re.I)
_POINTER = re.compile(r"\b(?:this|these|those|such|both|latter|former|same|then|there|ones|others?|also)\b", re.I)
_CONNECTOR = re.compile(
    r"\b(?:because|since|whereas|although|though|but|unless|whether|yet|if)\b|\bso\b(?! that)|[;:—]", re.I
)
_RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|where|when|while|how|why|what|until|before|after)\b", re.I)
_DEGREE = re.compile(r"\b(?:only|mainly|partly|largely|chiefly|mostly|especially|simply|just|precisely|not),?$", re.I)
_OPENER = re.compile(
    r"(?:because|since|when|while|if|with|without|in|on|at|for|by|as|after|before|under|during|unlike|although|once"
    r"|to|from|through|instead|rather|here|where|until|despite|given)\b",
    re.I,
)
_LONGEST_SUBJECT = 12  # words, with the verb
_NO_SUBJECT = frozenset("not and or but nor of to only principally especially mainly different that that's".split())
_MANY = frozenset("they we you people many few most some both all".split())
_KIND_OF = re.compile(r"\b(?:form|kind|type|variant|mode|way) of\b")
_PREPOSITION = re.compile(r"\b(?:of|for|in|on|with|without|from|to|as|by|at|between|across|over|under|about)\b", re.I)
_DEFINITION = re.compile(
    rf"(?P<subject>{_SUBJECT}) (?P<be>is|are) (?P<det>an?|the) (?P<kind>[^,;:]+?) (?P<relative>that|which|in which"
    r"|where|by which|with which|through which) (?P<rest>.+)\."
)
_STATEMENT = re.compile(rf"(?P<subject>(?:The |An? )?(?P<name>{_NAME})(?: \([^()]*\))?) (?P<rest>.+)\.")


class Wordings:
    """Words what the entries of one glossary say in other ways."""

    def __init__(self, names: NameFinder) -> None:
        self._names = names
        self._found = lru_cache(maxsize=_REMEMBERED)(self._find)

    def of(self, sentence: str) -> tuple[str, ...]:
        """Return other wordings of one sentence."""
        return self._found(_structures, (sentence,))

    def joined(self, first: str, second: str) -> tuple[str, ...]:
        """Return wordings that say in one sentence what two sentences say of the same thing."""
        return self._found(_joints, (first, second)) if first != second else ()

    def together(self, left: Entry, right: Entry) -> tuple[str, ...]:
        """Return wordings that set the definitions of two entries side by side, the left one first."""
        return self._found(_side_by_side, (left.sentences[0], right.sentences[0]))

    def forms(self, entry: Entry) -> Iterator[str]:
        """Yield what an entry says in every order of its clauses, synonyms left alone."""
        for sentence in entry.sentences:
            yield from self._forms(_structures, sentence)
        for first, second in permutations(entry.sentences, 2):
            yield from self._forms(_joints, first, second)

    def forms_together(self, left: Entry, right: Entry) -> Iterator[str]:
        """Yield how the definitions of two entries are set side by side, synonyms left alone."""
        yield from self._forms(_side_by_side, left.sentences[0], right.sentences[0])

    def _forms(self, rule: "_Rule", *sentences: str) -> Iterator[str]:
        if not all(map(_is_plain, sentences)):
            return iter(())
        mask = _Mask(self._names)
        hidden = [mask.hide(sentence) for sentence in sentences]
        return map(mask.show, rule(mask, *hidden))

    def _find(self, rule: "_Rule", sentences: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(_is_plain, sentences)):
            return ()
        mask = _Mask(self._names)
        hidden = map(mask.hide, sentences)
        wordings = (mask.show(variant) for structure in rule(mask, *hidden) for variant in _variants(structure))
        fitting = (text for text in wordings if len(text.split()) <= _MOST_WORDS and not is_copied(text, sentences))
        return tuple(dict.fromkeys(fitting))


def _is_plain(sentence: str) -> bool:
    """Tell whether a text is one whole sentence, and no heading, list or table."""
    return sentence.endswith(".") and not re.search(r"^\W*[#|>]|\n|\|", sentence)


def is_copied(text: str, sources: Iterable[str]) -> bool:
    """Tell whether a sentence is a copy, wholly or nearly: in words, its longest common subsequence with a source."""
    words = [token.key for token in tokenize(text)]
    return any(
        LCSseq.similarity(words, source) * 2 >= _COPIED * (len(words) + len(source))
        for source in ([token.key for token in tokenize(source)] for source in sources)
    )


class _Mask:
    """Hides the names in sentences, so that no rule changes one."""

    def __init__(self, names: NameFinder) -> None:
        self._names = names
        self._hidden: list[str] = []
        self._entries: list[tuple[Entry, ...]] = []
        self._small: set[str] = set()  # names that begin a sentence in small letters, as vLLM does

    def hide(self, sentence: str) -> str:
        """Return a sentence with a sign in place of each name."""
        text, position = "", 0
        for mention in self._names.find(sentence):
            if mention.kind not in (MatchKind.EXACT, MatchKind.INFLECTED):
                continue
            sign = chr(_SLOT + len(self._hidden))
            surface = mention.text
            if mention.start == 0 and surface[:1].islower():
                self._small.add(surface)
            elif (
                mention.start == 0
                and mention.name[:1].islower()
                and surface[1:] in (mention.name[1:], f"{mention.name[1:]}s")
            ):
                surface = surface[:1].lower() + surface[1:]
            self._hidden.append(surface)
            self._entries.append(mention.entries)
            text += sentence[position : mention.start] + sign
            position = mention.end
        return text + sentence[position:]

    def show(self, text: str) -> str:
        """Put the names back, and begin with a capital where a sentence does."""
        shown = "".join(self._hidden[ord(char) - _SLOT] if "\ue000" <= char <= "\uefff" else char for char in text)
        if shown[1:2].isupper() or any(shown.startswith(name) for name in self._small):
            return shown
        return shown[:1].upper() + shown[1:]

    def is_same(self, sign: str, other: str) -> bool:
        """Tell whether two signs stand for names of one entry."""
        one, two = self._entries[ord(sign) - _SLOT], self._entries[ord(other) - _SLOT]
        return len(one) == 1 and one == two

    def is_written_alike(self, sign: str, other: str) -> bool:
        """Tell whether two signs stand for the same name in the same form."""
        one, two = self._hidden[ord(sign) - _SLOT], self._hidden[ord(other) - _SLOT]
        return one.casefold() == two.casefold()

    def small(self, clause: str) -> str | None:
        """Return a clause as it stands within a sentence, or None where its first word may be a proper name."""
        if re.match(_NAME, clause):
            return clause
        word, _, rest = clause.partition(" ")
        if rest[:1].isupper() and not re.fullmatch("an?|the", word, re.I):
            return None  # "User Interfaces"
        return clause[0].lower() + clause[1:] if self._names.writes_small(word.casefold()) else None


_Rule = Callable[..., Iterator[str]]


def _variants(structure: str) -> Iterator[str]:
    """Yield a sentence with as many synonyms as it allows, with some, and without."""
    places = replacements(structure)
    selections = [places, places[::2], places[1::2], [], *([place] for place in places)]
    yield from dict.fromkeys(_replaced(structure, some) for some in selections[:_MOST_VARIANTS])


def _replaced(text: str, places: Sequence[Replacement]) -> str:
    for place in reversed(places):
        word = place.others[0]
        before = text[: place.start]
        if article := re.search(r"\b([Aa])n? $", before):
            before = before[: article.start()] + article[1] + ("n " if word[0] in "aeiou" else " ")
        text = before + (word.capitalize() if text[place.start].isupper() else word) + text[place.end :]
    return text


def _structures(mask: _Mask, sentence: str) -> Iterator[str]:
    """Yield the sentence itself, then what it becomes when its clauses change places."""
    yield sentence
    for rule in (_cause, _consequence, _contrast, _concession, _means, _circumstance, _without_kind):
        yield from rule(mask, sentence)


def _cause(mask: _Mask, sentence: str) -> Iterator[str]:
    """Take apart "A because B"."""
    found = re.fullmatch(r"(.+?)(,?) (?:because(?! of\b)|(?<=, )since) (.+)\.", sentence)
    if not found:
        return
    effect, comma, cause = found.groups()
    if not (_is_clause(effect) and _is_clause(cause)):
        return
    if not _is_simple(cause, relative=True) or not _is_simple(effect) or _DEGREE.search(effect):
        return
    if re.search(r", (?:and|or|but|nor) ", effect):
        return  # of which clause it is the cause, the commas do not tell
    if not comma and (_NEGATION.search(effect) or _joins_verbs(effect)):
        return
    begun = mask.small(effect)
    if begun is None or _OPENER.match(effect) or _POINTER.search(cause) or _goes_on(cause):
        return
    if (turned := _swap_pronoun(begun, cause)) is not None:
        first, second = turned
        yield f"Because {first}, {second}."
        yield f"Since {first}, {second}."
        if not _PRONOUN.search(cause) and not _OPENER.match(cause):
            yield f"{_capital(first)}, so {second}."
            if not _RELATIVE.search(cause):
                yield f"{_capital(first)}, which is why {second}."


def _consequence(mask: _Mask, sentence: str) -> Iterator[str]:
    """Take apart "A, so B"."""
    found = re.fullmatch(r"(.+?), so (?!that\b)(.+)\.", sentence)
    if not found:
        return
    cause, effect = found.groups()
    if not (_is_clause(cause) and _is_clause(effect)):
        return
    if not _is_simple(cause, relative=True) or not _is_simple(effect, relative=True):
        return
    begun = mask.small(cause)
    if begun is not None and not _OPENER.match(cause):
        yield f"Because {begun}, {effect}."
        yield f"Since {begun}, {effect}."
    yield f"{cause}, which is why {effect}."
    yield f"{cause}; therefore, {effect}."
    if (
        begun is not None
        and not any(pattern.search(effect) for pattern in (_PRONOUN, _POINTER, _RELATIVE))
        and not _goes_on(effect)
    ):
        yield f"{_capital(effect)}, because {begun}."


def _contrast(mask: _Mask, sentence: str) -> Iterator[str]:
    """Take apart "A, whereas B"."""
    found = re.fullmatch(r"(.+?), (?:whereas|while) (.+)\.", sentence)
    if not found:
        return
    first, second = found.groups()
    if not (_is_clause(first) and _is_clause(second)):
        return
    if not _is_simple(first, relative=True) or not _is_simple(second, relative=True):
        return
    begun = mask.small(first)
    yield f"{first}, while {second}."
    if begun is not None and not _OPENER.match(first):
        yield f"While {begun}, {second}."
        both_name = re.match(_SUBJECT, first) and re.match(_SUBJECT, second) and " that " not in first
        if both_name and not _PRONOUN.search(second) and not _POINTER.search(second):
            yield f"{_capital(second)}, whereas {begun}."


def _means(mask: _Mask, sentence: str) -> Iterator[str]:
    """Put the means first: "A by doing B" becomes "By doing B, A"."""
    found = re.fullmatch(rf"({_SUBJECT} [^,;:]+) by (\w+ing [^;:]+)\.", sentence)
    if not found:
        return
    act, means = found.groups()
    if not _is_simple(act) or not _is_simple(means, relative=True) or re.search(r"\b(?:to|and|or|by|of)\b", act):
        return
    if (begun := mask.small(act)) is not None and ", and " not in means and not _PRONOUN.search(means):
        yield f"By {means}, {begun}."


def _circumstance(mask: _Mask, sentence: str) -> Iterator[str]:
    """Put the condition or the time first: "A when B" becomes "When B, A"."""
    found = re.fullmatch(rf"({_SUBJECT} [^,;:]+) (when|if|until|before|after|once|while|where) ([^;:]+)\.", sentence)
    if not found:
        return
    act, word, circumstance = found.groups()
    if not (_is_clause(act) and _is_clause(circumstance)):
        return
    if not _is_simple(act) or not _is_simple(circumstance) or _NEGATION.search(act) or _joins_verbs(act):
        return
    begun = mask.small(act)
    if begun is None or _OPENER.match(act) or _PRONOUN.search(circumstance) or _POINTER.search(circumstance):
        return
    if " and " not in act and not re.search(r"\b(?:to|of)\b", act) and not _goes_on(circumstance):
        yield f"{word.capitalize()} {circumstance}, {begun}."


def _concession(mask: _Mask, sentence: str) -> Iterator[str]:
    """Turn "A, but B" round."""
    found = re.fullmatch(r"([^;:]+?), but ([^;:]+)\.", sentence)
    if not found:
        return
    first, second = found.groups()
    begun = mask.small(first)
    if begun is None or _OPENER.match(first) or not _is_simple(first, relative=True) or _goes_on(first):
        return
    if _PRONOUN.search(second) or _POINTER.search(second) or _OPENER.match(second):
        return
    if not (_is_clause(first) and _is_clause(second)):
        return
    if _is_simple(second, relative=True):
        yield f"{_capital(second)}, although {begun}."
        yield f"Although {begun}, {second}."


def _without_kind(mask: _Mask, sentence: str) -> Iterator[str]:
    """Say what a thing does without, or before, saying of what kind it is."""
    found = _defines(sentence)
    if not found:
        return
    subject, rest = found["subject"], found["rest"]
    inner = mask.small(subject)
    if inner is None:
        return
    if found["relative"] in ("that", "which"):
        if found["det"] != "the":
            yield f"As {found['det']} {found['kind']}, {inner} {rest}."
        yield f"{subject} {rest}."
    else:
        preposition = "In" if found["relative"] in ("in which", "where") else "With"
        yield f"{preposition} {inner}, {rest}."


def _joints(mask: _Mask, first: str, second: str) -> Iterator[str]:
    """Yield "X, a kind that does A, does B", or "X does A, and it does B", of two sentences on X."""
    what, does = _STATEMENT.fullmatch(first), _STATEMENT.fullmatch(second)
    number = _number(what["rest"]) if what else None
    if not what or number is None:
        return
    within = re.fullmatch(rf"(With|Under) (?P<name>{_NAME}),? (.+)\.", second)
    if within and mask.is_same(what["name"], within["name"]) and _ends_plainly(what["rest"]):
        it = "it" if number == "one" else "them"
        yield f"{what['subject']} {what['rest']}, and {within[1].lower()} {it} {within[3]}."
    if not does or not mask.is_same(what["name"], does["name"]) or _number(does["rest"]) not in (number, "either"):
        return
    if "either" in (number, _number(does["rest"])) and not mask.is_written_alike(what["name"], does["name"]):
        return  # "a member", "members"
    if re.match(r"(?:is|are) (?:an?|the) ", does["rest"]):
        return  # what it is comes first
    kind = re.fullmatch(r"(?:is|are) ((?:an?|the) [^,;:]+)", what["rest"])
    if kind and not re.match(r"(?:is|are) ", does["rest"]):
        yield f"{what['subject']}, {kind[1]}, {does['rest']}."
        if (found := re.fullmatch(r"([^,;:]+?),? because (.+)", does["rest"])) and _is_simple(found[2], relative=True):
            yield f"{what['subject']}, {kind[1]}, {found[1]}, since {found[2]}."
    elif _ends_plainly(what["rest"]):
        # Whoever is spoken of with an article may be a person, and no "it".
        again = (
            "they" if number == "many" else mask.small(does["subject"]) if what["subject"][:2] in ("A ", "An") else "it"
        )
        yield f"{what['subject']} {what['rest']}, and {again} {does['rest'].removeprefix('also ')}."


def _ends_plainly(rest: str) -> bool:
    """Tell whether what follows a predicate can only belong to its subject."""
    return not (_CONNECTOR.search(rest) or _RELATIVE.search(rest) or re.search(r", (?:and|or|but) ", rest))


def _side_by_side(mask: _Mask, left: str, right: str) -> Iterator[str]:
    """Yield both definitions in one sentence, the kinds left out where they need not be said."""
    firsts, seconds = list(_short_forms(mask, left)), list(_short_forms(mask, right))
    for first, second in zip(firsts, seconds, strict=False):
        yield f"{_capital(first)}, while {second}."
        yield f"While {first}, {second}."
        yield f"{_capital(first)}; {second}."


def _short_forms(mask: _Mask, definition: str) -> Iterator[str]:
    """Yield a definition as a clause: without its kind where it has one, then as it is."""
    whole = mask.small(definition.removesuffix("."))
    if not re.match(_SUBJECT, definition) or whole is None or not definition.endswith("."):
        return
    found = _defines(definition)
    if not found:
        yield whole
    elif found["relative"] in ("that", "which"):
        yield f"{mask.small(found['subject'])} {found['rest']}"
    else:
        preposition = "in" if found["relative"] in ("in which", "where") else "with"
        yield f"{preposition} {mask.small(found['subject'])}, {found['rest']}"
    yield whole


def _defines(sentence: str) -> re.Match[str] | None:
    """Return the parts of "X is a kind that does A" where the relative clause speaks of X, else nothing."""
    found = _DEFINITION.fullmatch(sentence)
    if not found or _RELATIVE.search(found["kind"]) or _PREPOSITION.search(_KIND_OF.sub("", found["kind"])):
        return None  # "the use of memory for data that is rarely read" says of the data that it is rarely read
    # "a set of instances that are loaded": there the verb shows by its number that another word is spoken of.
    if found["relative"] in ("that", "which") and _number(found["rest"]) not in (_number(found["be"]), "either"):
        return None
    return found


def _number(rest: str) -> str | None:
    """Return the number that a predicate's verb shows: "one", "many" or "either"; None where it begins with no verb."""
    found = re.match(rf"{_ADVERB}(\w+)\b", rest)
    word = found[1] if found else ""
    if word in EITHER_PERSON:
        return "either"
    return "one" if word in VERBS_THIRD else "many" if word in VERBS else None


def _is_simple(clause: str, *, relative: bool = False) -> bool:
    """Tell whether a clause holds no connector that would reach further after a turn, and (unless allowed) no other."""
    if _CONNECTOR.search(clause) or clause.count("(") != clause.count(")"):
        return False
    return relative or not _RELATIVE.search(clause)


def _is_clause(text: str) -> bool:
    """Tell whether a text has a subject and a finite verb soon after it, as far as the known verbs tell."""
    words = re.findall(rf"{_NAME}|[\w'’-]+", text)[:_LONGEST_SUBJECT]
    if not words or words[0].casefold() in _NO_SUBJECT or _number(text) is not None:
        return False
    for before, word in pairwise(words):
        if word in VERBS_THIRD or word in EITHER_PERSON or word in ("are", "were", "have", "do"):
            return True
        if word in VERBS and (before.endswith("s") or re.match(_NAME, before) or before.casefold() in _MANY):
            return True
    return False


def _joins_verbs(clause: str) -> bool:
    """Tell whether a clause says two things of its subject; what follows may then belong to the second one alone."""
    return any(word in VERBS_THIRD | VERBS for word in re.findall(r"\b(?:and|or|but) (?:also |then )?(\w+)", clause))


def _goes_on(clause: str) -> bool:
    """Tell whether a clause may end before its last "and": "P, and Q", but not "A, B, and C"."""
    return bool(re.fullmatch(r"[^,]+, (?:and|or|nor) .+", clause))


def _swap_pronoun(effect: str, cause: str) -> tuple[str, str] | None:
    """Return cause and effect in this order, the name in the first of them and a pronoun in the second."""
    pronoun = re.match(r"(it|they)\b", cause)
    subject = re.match(_SUBJECT, effect)
    if pronoun and subject:
        return f"{subject[0]}{cause[pronoun.end() :]}", f"{pronoun[0]}{effect[subject.end() :]}"
    if _PRONOUN.search(cause) and not subject:
        return None
    return cause, effect


def _capital(clause: str) -> str:
    return clause[0].upper() + clause[1:]
