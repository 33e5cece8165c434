"""Follow-ups that lead to another topic beside the last one, or that set topics side by side."""

import re
from collections.abc import Iterator, Sequence

from glossbot import phrasing, pronoun
from glossbot.conversation import LONG, NAMING, POINTING, SEVERAL, Followup, same_about
from glossbot.entry import fold
from glossbot.names import tokenize
from glossbot.phrasing import Intent

_COMPARE = re.compile(
    rf"(?:(?:can|could) you )?compare{POINTING}|(?:(?:what(?:'s|’s|s| is) )?the )?dif+\w*(?: between{POINTING})?"
    rf"|how (?:do|are){POINTING} (?:dif+\w+|compare)"
    r"|are (?:they|those|these) the same(?: thing)?",
    re.IGNORECASE,
)
# "Which one is faster": asks to choose among what was spoken of, unless it says among what.
_WHICH = re.compile(
    r"\bwhich (?:one|(?:one )?of (?:them|those|these|both|(?:the|those|these) (?:two|three)))\b(?! of)"
    r"|\bwhich\b(?= (?:is|are|was|does|do|has|should|would|to|can|(?:need|use|matter|win|cost|run|work"
    r"|perform|scale|lose|keep|give|leave|take|make|save|suit|fit|come)s?)\b|$)",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"(?:(?:(?:what(?:'s|’s|s| is) )?the )?dif+\w*(?: to| with)|(?:(?:it|this|that) )?(?:from|than|vs\.?|versus|against"
    r"|compared (?:to|with))) (?:an? |the )?(?:plain |normal |regular |just )?X(?: then)?",
    re.IGNORECASE,
)
_LIKE = re.compile(
    r"is(?:n['’]t)? (?:an? |the )?X (?:then )?"
    r"(?P<how>(?P<same>the same(?: thing)?)|(?:any )?(?:better|worse|more \w+|less \w+|\w+er))(?: then| though)?",
    re.IGNORECASE,
)
# The same with another side that no entry has for a name as it is written.
_OTHER_SIDE = re.compile(
    r"(?:(?:and|or|how) )?(?:(?P<versus>vs\.?|versus|compared (?:to|with)|(?:different|difference|differs?) from)"
    r"|(?:is (?:it|that|this) )?(?P<same>(?:the )?same (?:thing )?as)"
    r"|is(?= .+ (?P<more>better|worse|cheaper|faster|slower|safer)(?: then| though)?$))"
    r" (?P<side>(?!(?:it|that|this|they|those|these|there|he|she)\b)[^,;:?]{2,40}?)"
    r"(?: (?:better|worse|cheaper|faster|slower|safer))?(?: then| though| instead)?",
    re.IGNORECASE,
)
_RELATION = re.compile(
    r"(?:opposite|contrary|counterpart|successor|predecessor|alternative|sibling|cousin|rival|competitor|relative"
    r"|replacement)s?\b|\b(?:what|anything) else\b|\binstead$|\brather than\b|\bthe other one\b"
    r"|\b(?:any|some)thing (?:\w+er|similar)\b"
    r"|\b(?:the|its|an?) (?:other )?(?:(?!of\b|same\b|only\b)[\w-]+ ){1,3}(?:one|kind|version|variant|flavou?r|thing)\b"
    r"|\bthe (?:one|kind|version|variant|flavou?r|thing) (?:with(?:out)?|that|which|for|from|in|where|who)\b"
    r"|\bwhat (?:comes?|follows?|happens) (?:before|after|next)\b|\bwhat(?:'s|’s|s| is) next$"
    r"|\b(?:before|after) (?:it|that)$",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\b(?:the )?(?:version|release|generation|v\.?) ?(?P<number>\d+)\b", re.IGNORECASE)
_CALLED = re.compile(r"\bthe (?:[\w-]+ ){1,3}called\b|\bname of the\b", re.IGNORECASE)  # of what was spoken of
_KIND = re.compile(r"the (?:[\w-]+ ){1,2}(?:one|kind|version|variant)", re.IGNORECASE)
_NEWER = re.compile(r"\bsuccessors?\b|\breplacements?\b", re.IGNORECASE)
_REMEDY = re.compile(
    r"\b(?:fix|avoid|prevent|reduce|solve|mitigate|shorten|hide|counter|help|make|handle|deal)\b", re.IGNORECASE
)
_DRAWBACK = re.compile(
    r"\b(?:downside|drawback|disadvantage|catch|con|problem|issue|limitation|risk)s?\b", re.IGNORECASE
)


def comparison(asked: Followup) -> str | None:
    """Take "compare them" for a comparison of what was spoken of."""
    if not _COMPARE.fullmatch(asked.rest) or len(asked.topics) < 2:
        return None
    if "first two" in asked.rest.casefold():
        pair = asked.topics[:2]
    else:
        pair = asked.last.terms[:SEVERAL] if len(asked.last.terms) > 1 else asked.topics[-2:]
    return f"difference between {' and '.join(pair)}"


def ellipsis(asked: Followup) -> str | None:
    """Take "and X?" for the last question, asked about another name."""
    around = tokenize(re.sub(phrasing.MASK, " ", asked.masked))
    bare = all(token.key in ("a", "an", "the", "then", "too", "instead", "please", "though") for token in around)
    return same_about(asked.found[0].text, asked.last) if asked.goes_on and asked.found and bare else None


def second_side(asked: Followup) -> str | None:
    """Take "vs X?" or "is X the same thing?" for a comparison of which the last topic is the other side."""
    topic = asked.last.terms[0]
    if len(asked.found) == 1:
        name = asked.found[0].text
        around = " ".join(re.sub(phrasing.MASK, "X", asked.masked).split())
        if _AGAINST.fullmatch(around):
            return f"difference between {topic} and {name}"
        if said := _LIKE.fullmatch(around):
            return f"is {name} {said['how']} {'as' if said['same'] else 'than'} {topic}?"
    said = _OTHER_SIDE.fullmatch(asked.rest)
    if not said or asked.names or not 1 <= len(phrasing.content_words(said["side"])) <= SEVERAL:
        return None
    side = next(_variants(asked, phrasing.content_words(said["side"])), said["side"])
    if said["versus"]:
        return f"difference between {topic} and {side}"
    return f"is {topic} the same as {side}?" if said["same"] else f"is {side} {said['more']} than {topic}?"


def variant(asked: Followup) -> str | None:
    """Take "and the online kind?", after batch inference, for a name that shares words with the topic."""
    words = phrasing.content_words(asked.rest)
    said = phrasing.intent_of(asked.rest) is Intent.DEFINE and not NAMING.match(asked.rest)
    goes_on = asked.goes_on or _KIND.fullmatch(asked.rest)
    if asked.names or not goes_on or not said or not 1 <= len(words) <= SEVERAL:
        return None
    return next((same_about(name, asked.last) for name in _variants(asked, words)), None)


def _variants(asked: Followup, words: Sequence[str]) -> Iterator[str]:
    """Yield names that share words with the topic and have others for the rest ("online" + "inference")."""
    for topic in asked.last.terms:
        parts = topic.split()
        made = [" ".join((*parts[:end], *words)) for end in range(1, len(parts) + 1)]
        made += [" ".join((*words, *parts[start:])) for start in range(len(parts))]
        made += [f"{topic} {word}" for word in words if pronoun.POINTS_BACK.search(asked.rest)]
        for name in made:
            mentions = asked.finder.find(name)
            if len(mentions) == 1 and fold(mentions[0].text) == fold(name) and mentions[0].name != topic:
                yield name


def version(asked: Followup) -> str | None:
    """Take "what changed in version 2" for a question about the topic of that number."""
    said = _VERSION.search(asked.rest)
    if not said or asked.names:
        return None
    for topic in asked.last.terms:
        name = f"{topic}-{said['number']}"
        mentions = asked.finder.find(name)
        if len(mentions) == 1 and mentions[0].entries and fold(mentions[0].text) == fold(name):
            return f"{asked.rest[: said.start()]}{name}{asked.rest[said.end() :]}?"
    return None


def choice(asked: Followup) -> str | None:
    """Take "which one is faster" for a question that names what there is to choose among."""
    which = _WHICH.search(asked.rest)
    if not which or len(asked.several) < 2:
        return None
    compared = asked.last.intent is Intent.COMPARE and len(asked.last.terms) > 1
    if asked.names and (which.start() or not compared or asked.names[0].name in asked.several):
        return None  # says among what
    if len(phrasing.content_words(asked.rest[: which.start()])) > 1:  # says among what
        return None
    return f"{asked.rest[: which.start()]}which of {' and '.join(asked.several)}{asked.rest[which.end() :]}?"


def remedy(asked: Followup) -> str | None:
    """Take "how do people fix that", after a drawback, for one about what stands beside the topic and helps."""
    fixes = _REMEDY.search(asked.rest) and pronoun.POINTS_BACK.search(asked.rest)
    if asked.names or not fixes or not _DRAWBACK.search(asked.last.asked):
        return None
    return f"what do you call the counterpart of {asked.topic}, the drawback: {asked.rest}?"


def relation(asked: Followup) -> str | None:
    """Take "and the opposite" for what stands beside the last topic, which retrieval finds by its name."""
    beside = _RELATION.search(asked.rest) or _CALLED.search(asked.rest)
    if asked.names or not beside or pronoun.ordinal(asked.rest, asked.topics):
        return None
    if len(asked.found) > 1 or len(asked.content) > (LONG if asked.goes_on else SEVERAL):
        return None
    kind = "newer alternative" if _NEWER.search(asked.rest) else "counterpart"
    return f"what do you call the {kind} of {asked.last.terms[0]}: {asked.rest}?"
