"""Facts that questions ask for and definitions seldom hold: who, when, how much.

A definition that holds no such fact must not stand for an answer to the question; so each kind says how it is asked
for, and what a sentence that tells it looks like.
"""

import re
from collections.abc import Sequence

from glossbot.names import stem, stems

_NUMBER = r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|double|twice|single|several)\b"
# What the fact is called, how it is asked for, and what a sentence that tells it looks like.
_FACTS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    (
        "who made it",
        re.compile(
            r"\bwho(?:se)?\b (?!is asking).{0,40}\b(?:invent|creat|coin|develop|made|makes?|buil[td]|wrote|came up"
            r"|found|own|author|propos|introduc|design|maintain|discover|publish|releas|stands? behind"
            r"|(?:is|are|was|were) behind)\w*"
            r"|\bdid \w+ (?:invent|create|develop|make|build|design|propose|introduce)\b"
            r"|\b(?:ceo|cto|founders?|owners?|owns)\b"
            r"|\bwhere (?:was|were|is|did|does)\b.*\b(?:invent|creat|develop|made|built|from|based|come)\w*"
            r"|\b(?:inventor|author|creator|founder|maintainer)s?\b"
            r"|\b(?:which|what) (?:company|companies|vendor|lab|team|person|researchers?|university|firm"
            r"|organi[sz]ation)\b"
        ),
        # From whom: "Hugging Face's", "introduced by vLLM", "from NVIDIA".
        re.compile(
            r"\b(?:[A-Z][a-z]+\w*|[A-Z]{5,})['’]s?\b"
            r"|\b(?:by|from)\s+(?:the\s+)?(?:[A-Z][a-z]+\w*|[A-Z]{5,}|[a-z]+[A-Z]\w*)\b"
        ),
    ),
    (
        "when it appeared",
        re.compile(
            r"\b(?:what|which|in which) (?:year|month|date|decade)\b|\bwhen (?:was|were|did)\b|\bhow old\b"
            r"|\bsince when\b"
            r"|\b(?:release|publication|launch) date\b"
        ),
        re.compile(r"\b(?:19|20)\d\d\b"),
    ),
    (
        "where it is",
        re.compile(
            r"\b(?:which|what) (?:city|country|state|continent|town|region|continent)\b"
            r"|\bwhere (?:is|are|was|were) .*\b(?:based|located|headquartered|situated)\b|\bheadquarters?\b"
        ),
        re.compile(r"\b(?:based|located|headquartered|situated) in [A-Z]"),
    ),
    (
        "what it costs",
        re.compile(
            r"\bwhat (?:does|do|would|will)\b.*\bcosts?\b(?! (?:of|in))"
            r"|\bhow much (?:does|do|is|are|would|will)\b.*\b(?:cost|costs|pay|charge)\b"
            r"|\bhow much (?:more )?(?:money|expensive)\b"
            r"|\bpric(?:e|es|ing)\b|\bhow (?:expensive|cheap)\b|\bdollars?\b|\beuros?\b|\bcosts? (?:per|of)\b"
        ),
        re.compile(
            r"[$€£]\s?\d|\b(?:dollars?|euros?|cents?)\b|\btimes (?:as|more)\b|\border of magnitude\b", re.IGNORECASE
        ),
    ),
    (
        "which share, in per cent",
        re.compile(
            r"\b(?:what|which|how (?:many|much)|give|typical|average)\b.*\bper ?cent(?:age)?s?\b"
            r"|\bper ?cent(?:age)?s?\b.*\?"
        ),
        re.compile(r"\d\s?%|\bper ?cent\b", re.IGNORECASE),
    ),
    (
        "which version",
        re.compile(r"\b(?:latest|current|newest|which|what) (?:\S+ +){0,3}(?:version|release)\b|\bversion number\b"),
        re.compile(r"\b[vV]?\d+\.\d+\b"),
    ),
    (
        "under which licence",
        re.compile(r"\blicen[sc]e[ds]?\b"),
        re.compile(r"\blicen[sc]e\b|\b(?:MIT|Apache|BSD|GPL)\b"),
    ),
    (
        "in which language it is written",
        re.compile(r"\b(?:what|which) (?:programming )?language\b"),
        re.compile(r"\b(?:Python|Rust|Go|Java|JavaScript|TypeScript|C\+\+|C/C\+\+)(?=\W|$)"),
    ),
    (
        "how much",
        re.compile(
            r"\bhow (?:many|long|big|large|often|fast|high|low|tall|heavy|wide)\b"
            r"(?! (?:does it take for|until|till|before))|\bhow much\b"
            r"|\bwhat (?:number|fraction|share|ratio)\b|\bnumber of\b"
            r"|\bin (?:minutes|seconds|hours|days|met(?:er|re)s|[kmgt]i?b|bytes)\b"
            r"|\b[kmgt]i?b(?:/s|ps| per second)\b"
            r"|\b(?:default|recommended?)\b|\bwhich port\b|\bttl\b"
        ),
        re.compile(_NUMBER, re.IGNORECASE),
    ),
)


def asked_fact(question: str) -> str | None:
    """Return what the fact is called that a question asks for, or None; the question is folded to small letters."""
    return next((name for name, asked, _ in _FACTS if asked.search(question)), None)


def states_fact(fact: str, sentence: str, content: Sequence[str], *, names: Sequence[str] = ()) -> bool:
    """Tell whether a sentence can hold an asked fact.

    Args:
        fact: what `asked_fact` returned.
        sentence: a sentence of an entry.
        content: telling words of the question, folded; a number has to stand with half of them.
        names: the entry's names, in which figures and capitals tell nothing (FlashAttention-2).
    """
    value = next(value for name, _, value in _FACTS if name == fact)
    for name in sorted(names, key=len, reverse=True):
        sentence = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", sentence, flags=re.IGNORECASE)
    if not value.search(sentence):
        return False
    if fact != "how much":
        return True
    asked = {stem(word) for word in content}
    return len(asked & stems(sentence)) * 2 >= max(2, len(asked))
