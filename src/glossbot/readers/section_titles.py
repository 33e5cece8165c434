"""What a section's title says about it: the glossary itself, a letter, something beside the terms, a side of a term."""

import re

_GLOSSARY = re.compile(
    r"""\b(?:glossar(?:y|ies|ium|io|iet)?|glossaire|glosario|glossário|gloss(?:ar|ář)|terminolog(?:y|ies|ie|ia|ía)
    |vocabulary|vocabulaire|vocabulario|lexi[ck]on|lexique|jargon|nomenclature|begriffe|fachbegriffe|definitionen
    |begrippenlijst|woordenlijst|ordlista|ordliste|słownik|słowniczek|sözlük)\b
    |глоссарий|словарь|термины|词汇|詞彙|术语|術語|用語|용어""",
    re.IGNORECASE | re.VERBOSE,
)
# A plural that names a collection, at the beginning or the end of a title.
_COLLECTION = re.compile(
    r"""(?:\w+[ ]){0,3}(?:terms|definitions|concepts|acronyms|abbreviations|términos|definiciones|termes|definizioni)
    (?:[ ](?:and|&|/|und|et|y)[ ]\w+(?:[ ]\w+)?|[ ](?:for|of|used|in)[ ].*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_MOST_WORDS = 8
_LETTER = re.compile(
    r"(?:[^\W\d_]|\#|0|\d)(?:\s*(?:[-–—…/,&]|to|\.{2,3})\s*(?:[^\W\d_]|\d))*|num(?:bers?|eric|erals)|symbols?|digits|others?|misc(?:ellaneous)?",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"""introduction|intro|about(?:\ .*)?|(?:table\ of\ )?contents?|toc|overview|preface|purpose|how\ to\ .*|scope|index
    |conventions|foreword|inhalt(?:sverzeichnis)?|einleitung|sommaire""",
    re.IGNORECASE | re.VERBOSE,
)
_BEHIND = re.compile(
    r"""(?:bibliographic\ )?references|bibliography|further\ (?:reading|information)|external\ links
    |contribut(?:ing|ors?|e).*|credits
    |licen[cs]es?|licen[cs]ing|copyright|acknowledge?ments?|sources|attributions?|change\ ?log|changes|feedback|lizenz
    |footnotes|revision\ history|version\ history|literatur|références""",
    re.IGNORECASE | re.VERBOSE,
)
# Sections of one entry, not entries.
_ASPECT = re.compile(
    r"""see\ also|siehe\ auch|voir\ aussi|véase\ también|related(?:\ .*)?|(?:simple|basic|code)?\ ?examples?(?:\ .*)?
    |usage(?:\ .*)?|syntax|(?:brief\ )?history|background|specifications?|(?:browser\ )?compatibility|definitions?
    |description|details|summary|notes?|etymology|synonyms|why\ .*|how\ .*|when\ .*|what\ .*|further\ reading|references
    |external\ links|links|resources|learn\ more|more\ information|technical\ reference|general\ knowledge|use\ cases
    |benefits|advantages|disadvantages|limitations|overview|introduction|best\ practices|sources|properties
    |property\ reference|aliases|tags|context""",
    re.IGNORECASE | re.VERBOSE,
)
_LICENCE = re.compile(r"licen[cs]es?|licen[cs]ing|copyright|attributions?|lizenz", re.IGNORECASE)


def is_glossary(title: str) -> bool:
    """Tell whether a title announces a glossary."""
    if len(title.split()) > _MOST_WORDS:
        return False
    return bool(_GLOSSARY.search(title) or _COLLECTION.fullmatch(title.strip(" :")))


def is_letter(title: str) -> bool:
    """Tell whether a title is a part of the alphabet, which no term is meant by."""
    return bool(_LETTER.fullmatch(title.strip(" :.-–—[]()")))


def is_before(title: str) -> bool:
    """Tell whether a title is one of those that stand before the terms."""
    return bool(_BEFORE.fullmatch(title.strip(" :?")))


def is_behind(title: str) -> bool:
    """Tell whether a title is one of those that stand behind the terms."""
    return bool(_BEHIND.fullmatch(title.strip(" :")))


def is_aspect(title: str) -> bool:
    """Tell whether a title names one side of a term, as sections within its definition do."""
    return bool(_ASPECT.fullmatch(title.strip(" :?")))


def is_licence(title: str) -> bool:
    """Tell whether a title announces the licence of the glossary."""
    return bool(_LICENCE.fullmatch(title.strip(" :")))
