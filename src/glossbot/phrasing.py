"""How people phrase questions in English: filler words, comparisons, frames around a subject.

Names are masked first (`mask`): each becomes one private-use character, so that a name with "and" in it is one word
while the words around it are parsed.
"""

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from rapidfuzz.distance import OSA

from glossbot.entry import fold
from glossbot.names import FUNCTION_WORDS, Mention, NameFinder, tokenize


class Intent(StrEnum):
    """What kind of answer is asked for."""

    DEFINE = "define"
    COMPARE = "compare"
    WHY = "why"
    HOW = "how"
    WHEN = "when"
    LIST = "list"
    EXAMPLE = "example"
    RELATE = "relate"
    YES_NO = "yes/no"


# "Different cards" compares nothing; misspellings such as "diffrence" do.
_DIFFER = r"dif+(?!\w*ent\b)(?!icul)\w*|dif+\w*ent(?=\s+(?:from|to|than|betw)|\s*\??$)"
_COMPARING = re.compile(
    rf"\b(?:{_DIFFER}|distinguish\w*|distinction|compar\w+|contrast\w*|versus|vs)\b"
    r"|\bsame (?:thing )?as\b|\bthe same\b.*\?|\bwhich (?:one )?(?:is|are|should)\b.*\bor\b|\bapart\b"
)
_INTENTS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    (Intent.COMPARE, _COMPARING),
    (Intent.WHY, re.compile(r"\bwhy\b|\bhow come\b|\breasons?\b|\bwhat (?:causes?|makes?)\b|\bpurpose\b|\bmatters?\b")),
    (Intent.WHEN, re.compile(r"\bwhen (?:should|do|would|to|is|are|can|does)\b|\bin which (?:case|situation)s?\b")),
    (
        Intent.LIST,
        re.compile(
            r"\b(?:list|name|enumerate)\b(?! of the)(?! for)|\bwhich (?:\w+ )?\w+[^s\W]s\b(?! (?:the|a|an)\b)"
            r"|^what saves\b"
            r"|\bwhat (?:are|were) (?:all|some|the (?:\w+ )?(?:ways|kinds|types|techniques|methods|options|metrics))\b"
            r"|\bways (?:to|of)\b|\boptions (?:for|to)\b|^all\b"
            r"|\b(?:kinds|types|techniques|methods) (?:of|to|for|that)\b"
        ),
    ),
    (Intent.EXAMPLE, re.compile(r"\bexamples?\b|\be\.g\b|\bfor instance\b")),
    (
        Intent.RELATE,
        re.compile(r"\brelat\w+\b|\bconnect\w*\b|\binfluence\w*\b|\baffect\w*\b|\bimpact\w*\b|\bdepends? on\b"),
    ),
    (
        Intent.HOW,
        re.compile(
            r"\bhow (?:do|does|is|are|can|would|to|did)\b|\b(?:what|which) way\b"
            r"|\bhow\b(?! (?:many|much|long|often|far|old|big))"
        ),
    ),
    (
        Intent.YES_NO,
        re.compile(
            r"^(?:so |and |but )?(?:is|are|does|do|can|could|will|would|should|has|have|did|was|were)\b"
            r"(?! (?:ist|sind|macht|bedeutet|you|anyone|anybody|somebody|someone)\b)"  # German "was" is "what"
        ),
    ),
)
# `clean` lets no such character through from outside.
_FIRST_MASK = 0xE000
MASK = "[\ue000-\uf8ff]"
_IS_MASK = re.compile(MASK)
_THAN = r"(?:better|worse|faster|slower|cheaper|safer|larger|smaller|more \w+|less \w+)\s+than"
# What holds the sides of a comparison, and what stands between them.
_COMPARISONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{_DIFFER}|distinction|distinguish|comparison|compare|contrast)\s+(?:betw\w+\s+|of\s+)?(.+)",
        r"\b(?:choose|choosing|choice|pick|decide)\s+(?:betw\w+|among|from)\s+(.+)",
        r"\b(?:choose|choosing|pick)\s+(.+\sor\s.+)",
        r"\bhow (?:do|does|is|are)\s+(.+?\b(?:dif\w+|compares?)\b.+)",
        r"\b(?:is|are|do|does)\s+(.+?\bthe same (?:thing )?as\b.+)",
        r"\b(?:is|are)\s+(.+?\b(?:or|and)\b.+?)\s+(?:the same|different|identical|interchangeable|synonyms?)\b",
        rf"\b(?:is|are|does|do)\s+(.+?\b{_THAN}\b.+)",
        r"(.+\b(?:vs|versus)\b\.?.+)",
        rf"\b(?:which|should|prefer)\b.*?({MASK}\s+or\s+.+)",
        r"\b(?:use|choose|pick|prefer|take)\s+(.+?\b(?:over|instead of|rather than)\b.+)",
        rf"^({MASK}\s+or\s+(?:an? |the )?{MASK})(?=\s|$)",
        r"^(\S+(?:\s+\S+){0,1}\s+or\s+\S+(?:\s+[^\s,]+){0,1})\s*(?:(?:,|[:.?]|\s[–—-])\s.*)?$",
        r"\bhow (?:do|does)\s+(.+?\s+work compared (?:to|with)\s+.+)",
    )
)
_BETWEEN_SIDES = re.compile(
    r"\s*(?:,\s*(?:and\b|or\b)?|\b(?:vs|versus)\b\.?|\b(?:and|or|over|instead of|rather than)\b"
    r"|\b(?:any )?dif\w+\b|\b(?:work )?compared\b|\bcompares?\b|\bthe same (?:thing )?as\b"
    rf"|\b{_THAN}\b)\s*",
    re.IGNORECASE,
)
# What a comparison is about, behind its sides ("A vs B, in terms of memory").
_ASPECT_TAIL = re.compile(
    r",?\s+(?:in terms of|when it comes to|with (?:regard|respect) to|regarding|concerning)\s.*$"
    r"|,\s+(?:as|for|on|purely|only|just|in|what|which|how|who|when|where)\s.*$",
    re.IGNORECASE,
)
_WITH = re.compile(r"\s+(?:with|to|from|against)\s+", re.IGNORECASE)  # parts sides too, where nothing else does
_DESCRIBING_SIDE = re.compile(r"\b(?:thing|stuff|kind|sort|those|one where)\b|^\w+ing\s+(?:\w+\s+)*\w+", re.IGNORECASE)
_COUNTERPART = re.compile(
    r"\b(?:counterparts?|opposites?|alternatives?|rivals?|competitors?|siblings?|cousins?|relatives?|other half|others?"
    r"|instead|contrary|pendant)\b",
    re.IGNORECASE,
)
# Where one clause ends and another begins.
_CLAUSES = re.compile(
    r"[?;:.!]\s+|,\s+|\s+(?:and|but|or)\s+(?=what|which|how|who|why|when|is|are|does|do|the|in\b|their|its|his|that)",
    re.IGNORECASE,
)
# What stands around the subject of a question for a definition.
_FRAME = re.compile(
    r"(?:(?:please|can you|could you|hi|hello|hey|so|ok|okay|and|just)[\s,]+)*"
    r"(?:what(?:'s|’s|s| is| are| was| does| do| the)?\b(?: (?:exactly|actually) )?"
    r"(?!\s+(?:do|does|did|would|should|can|could)\b)"
    r"|how (?:does|do|is|are)\b(?=.*\b(?:work|works|function|done|computed|calculated|implemented)$)"
    r"|who(?:'s|’s|s| is| are| was)\b|define\b|explain\b|describe\b|(?:tell|teach) me (?:about\b|what\b|more about\b)"
    r"|(?:the )?(?:meaning|definition|features|basics) of\b|meaning\b|give me\b"
    r"|(?:any |some )?(?:info|information|notes|details|docs) (?:on|about)\b)?\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[\s,:-]+(?:is|are|do|does|mean|means|meaning|definition|stand for|work|works|function|explained|about|for"
    r"|overview|basics|intro(?:duction)?|summary"
    r"|please|again|pls|thanks|used for|good for|to me|how does (?:it|that) work|term|name"
    r"|what(?:'s|’s| is| are) (?:it|that|they|those|the trick|new in it)"
    r"|(?:in|with) (?:a |one |two |three |few |simple |plain |other |short )*"
    r"(?:lines?|words?|sentences?|terms|english|nutshell)))+$",
    re.IGNORECASE,
)
# "Multi-token prediction like deepseek has it", "mamba in serving": what is asked for stands before.
_ASIDE = re.compile(rf"\s+(?:like|as in|such as)\s+|\s+(?:in|for|with)\s+{MASK}\s*$", re.IGNORECASE)
# Words that make a phrase a description instead of a name.
_CLAUSE = re.compile(
    r"\b(?:that|which|when|where|while|who|whose|for|to|from|with|without|by|between|before|after|than|until|across"
    r"|into|onto|over|how|if|so|because|during|per|called|using|used|only|not|all|many|same)\b|n['’]t\b",
    re.IGNORECASE,
)


# "What do you call …": the answer is not among the names that the question holds.
_SEEKS_NAME = re.compile(
    r"\bwhat (?:do|does|did|would|should) (?:you|we|they|people|one|i) call\b|\bcalled(?: again)?\s*\??$"
    r"|\b(?:is there|there(?:['’]?s| is)|do they have|does it have|has|got) (?:a|an|any|some)(?: \w+)? "
    r"(?:word|name|term|expression)\b"
    r"|\bis there (?:a|an|any) (?:number|metric|measure|technique|trick|pattern|way)\b"
    r"|\b(?:name|word|term|expression) (?:for|of) (?:that|this|the|when|it|a|an)\b"
    r"|\bwhich (?:expression|word|term|trick|technique|metric|number|pattern|parameter|setting|method)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:do|does|is|are|can|will)(?: not|n[’']?t)\b|\bcannot\b", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:what|who|which|how|why|when|did|does|is|the)\b", re.IGNORECASE)
_COMPOUND = re.compile(rf"{MASK}(?:\s+|-)[a-z]{{3,}}(?:ing|ion|ment|ness|ity|ism|izer|iser|ator)\b")
_LONGEST_NAME = 5  # words


def intent_of(masked: str) -> Intent:
    """Return what kind of answer a masked question asks for."""
    lowered = masked.casefold().replace("’", "'")
    return next((intent for intent, pattern in _INTENTS if pattern.search(lowered)), Intent.DEFINE)


def clean(text: str) -> str:
    """Return a text in one line, without control, format (bidi, zero-width) and surrogate characters."""
    kept = (" " if char.isspace() else char for char in text)
    return " ".join(
        "".join(char for char in kept if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn")).split()
    )


def mask(text: str, mentions: Sequence[Mention]) -> str:
    """Replace each mention by a character of its own, so that a name with "and" in it is one word."""
    parts, position = [], 0
    for number, mention in enumerate(mentions):
        parts += [text[position : mention.start], f" {chr(_FIRST_MASK + number)} "]
        position = mention.end
    return "".join((*parts, text[position:]))


def unmask(text: str, mentions: Sequence[Mention]) -> str:
    """Put the names back."""
    named = _IS_MASK.sub(lambda match: masked_by(match[0], mentions)[0].text, text)
    return re.sub(r"\s*-\s*", "-", " ".join(named.split()))


def masked_by(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions whose masks stand in a text, in order."""
    return [mentions[ord(mask) - _FIRST_MASK] for mask in _IS_MASK.findall(text)]


def has_name(masked: str) -> bool:
    """Tell whether a masked text holds a known name."""
    return bool(_IS_MASK.search(masked))


def compounds(masked: str) -> list[str]:
    """Return known names with a noun right behind them, which may make another name of them ("KV cache braiding")."""
    return [match[0] for match in _COMPOUND.finditer(masked) if content_words(match[0])]


def word_beside_name(masked: str) -> str | None:
    """Return the one word that makes a text together with a known name beside it, or None."""
    match = re.fullmatch(rf"(\S+?)(?:\s+|\s*-\s*){MASK}|{MASK}(?:\s+|\s*-\s*)(\S+)", masked)
    return (match[1] or match[2]) if match else None


def is_description(phrase: str) -> bool:
    """Tell whether a phrase describes something, instead of naming it: it has clauses, or is too long for a name."""
    return bool(_CLAUSE.search(phrase)) or len(phrase.split()) > _LONGEST_NAME


def strangers(masked: str, finder: NameFinder) -> tuple[str, ...]:
    """Return the proper names and years in an English question that the glossary never uses ("France", "1977")."""
    if not _ENGLISH.search(masked):
        return ()
    words = re.findall(r"(?<=[\w,;] )[A-Z][a-z]{3,}\b|\b(?:19|20)\d\d\b", masked)
    return tuple(dict.fromkeys(word for word in words if not finder.knows_word(word.casefold())))


def is_negated(masked: str) -> bool:
    """Tell whether a text says that something is not so."""
    return bool(_NEGATION.search(masked))


def clauses(text: str) -> list[str]:
    """Return the parts of a text that asks or says several things, without those of one telling word; else nothing."""
    parts = [part for part in _CLAUSES.split(text) if len(content_words(part)) > 1]
    return parts if len(parts) > 1 else []


def describes_side(side: str) -> bool:
    """Tell whether a side of a comparison describes something ("that contract thing") instead of naming it."""
    return is_description(side) or bool(_DESCRIBING_SIDE.search(side))


def asks_for_counterpart(text: str) -> bool:
    """Tell whether a question asks for what stands beside or against the thing that it names."""
    return bool(_COUNTERPART.search(text))


def seeks_name(masked: str) -> bool:
    """Tell whether a question describes something and asks what it is called."""
    return bool(_SEEKS_NAME.search(masked))


def sides(masked: str) -> list[str]:
    """Return what a comparison sets side by side, masked; nothing where the question compares nothing."""
    text = _ASPECT_TAIL.sub("", re.sub(r"[?!.\s]+$", "", masked.strip()))
    for pattern in _COMPARISONS:
        if match := pattern.search(text):
            parts = [part for part in _BETWEEN_SIDES.split(match[1]) if _trim(part)]
            if len(parts) < 2 or any(len(_IS_MASK.findall(part)) > 1 for part in parts):
                parts = [piece for part in parts for piece in _WITH.split(part)]
            found = [side for part in parts if (side := _trim(part))]
            if len(found) > 1:
                return found
    return []


def _trim(side: str) -> str:
    """Strip the words around a side that name nothing ("what's", "please", an article)."""
    words = side.split()
    while words and _is_filler(words[0]):
        words.pop(0)
    while words and _is_filler(words[-1]):
        words.pop()
    masks = [word for word in words if _IS_MASK.fullmatch(word)]
    # "GQA in practice": a side with one known name is that name, unless much more is said.
    if len(masks) == 1 and len(words) <= 4:
        position = words.index(masks[0])
        if position == 0 or not looks_like_name(words[position - 1]):  # "XQA attention" is another name
            return masks[0]
    return " ".join(words)


def _is_filler(word: str) -> bool:
    bare = word.strip("?!.,;:'\"()").casefold()
    return not bare or bare in FUNCTION_WORDS


def is_misspelt_filler(word: str) -> bool:
    """Tell whether a word is a slip for one that carries no subject matter ("explian")."""
    key = fold(word)
    return any(len(filler) > 3 and OSA.distance(key, filler, score_cutoff=1) <= 1 for filler in FUNCTION_WORDS)


def content_words(masked: str) -> tuple[str, ...]:
    """Return the words outside known names that carry subject matter, folded, each once."""
    words = (token.key for token in tokenize(_IS_MASK.sub(" ", masked.replace("'", ""))))
    return tuple(dict.fromkeys(word for word in words if word not in FUNCTION_WORDS and len(word) > 1))


def subject(masked: str) -> str:
    """Return what a "what is …" or "how does … work" question is about, or the whole of a bare phrase; else nothing."""
    text = re.sub(r"[?!.\s]+$", "", masked.strip())
    match = _FRAME.match(text)
    rest = _ASIDE.split(_TAIL.sub("", text[match.end() :] if match else text))[0]
    if re.match(
        r"(?:how|why|when|where|which|who|whose|is|are|was|does|do|did|can|could|should|would|will|has|have|i|we|my|our)\b",
        rest,
        re.IGNORECASE,
    ):
        return ""
    words = rest.split()
    while words and _is_filler(words[0]):
        words.pop(0)
    if len(words) < len(rest.split()) and is_description(rest):  # "run the same thing every night": no name
        return ""
    return " ".join(words)


_SIZE = re.compile(r"~?\d+(?:[.,]\d+)?(?:[KMGTB]|[KMGT]i?B|B?[+])", re.IGNORECASE)  # an 8B model, 40GB, 128K


def looks_like_name(written: str) -> bool:
    """Tell whether a word is written like an abbreviation or a product: XQA, H100, DeepSpeed."""
    if _SIZE.fullmatch(written):
        return False
    capitals = sum(char.isupper() for char in written)
    has_digit = any(char.isdigit() for char in written)
    return len(written) > 1 and (
        capitals >= 2 or (capitals >= 1 and has_digit) or bool(re.search(r"[a-z][A-Z]", written))
    )


def compound(text: str, start: int, end: int) -> str:
    """Widen a stretch to the white space around it, so that "FlashAttention-4" stays whole."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip("?!.,;:'\"()")
