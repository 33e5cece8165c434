"""Follow-ups that ask on about the last topic: more of it, an aspect of it, less than a question."""

import re

from glossbot.conversation import ASKING, NAME_WORDS, NAMING, POINTING, SEVERAL, Followup, same_about

_END = r"(?:[\s,]+(?:please|pls|then|though|again|exactly|now))*"
_REQUESTS = tuple(
    (re.compile(rf"(?:(?:can|could|would) you )?(?:please )?(?:{asked}){_END}", re.IGNORECASE), frame)
    for asked, frame in (
        (
            r"(?:tell me|say|explain|give me|show me)?(?: an?)?(?: bit| little)? ?more(?: details?| info\w*)?"
            rf"(?: (?:about|on|of){POINTING})?|go on|go deeper|continue|elaborate(?: on{POINTING})?"
            r"|(?:more )?details?",
            "explain {}",
        ),
        (
            rf"(?:explain|say|put|describe)?{POINTING} ?(?:again )?(?:but )?"
            r"(?:(?:in|with|using) )?(?:an? )?(?:much |more )?"
            r"(?:simpl\w+|plain\w*|easier|fewer|other|lay\w*|short\w*|one|eli5|tl;?dr)"
            r"(?: (?:words?|terms|english|language|sentences?|lines?|way))?"
            r"|(?:explain|say|put)?(?: (?:it|that|this))? ?like i['’]?m .+"
            r"|i (?:don['’]?t|do not) (?:get|understand)(?: it| that)?|explain(?: it| that| this)?|huh|come again",
            "explain {}",
        ),
        (
            r"(?:give|show|have|got|any|is there)?(?: me)? ?(?:an?|some|any)?(?: \w+)? ?(?:examples?|instance)",
            "example of {}",
        ),
        (
            r"(?:but )?why(?: is (?:that|it)(?: so)?| so| that)?|how come|what(?:'s|’s|s| is) the reason|what for",
            "why {}",
        ),
        (
            r"(?:what|which) (?:other )?(?:kinds|types|sorts|variants|options|flavou?rs)(?: of (?:it|that|them))?"
            r"(?: (?:are there|exist|do (?:i|we) have))?",
            "name the kinds of {}",
        ),
        (r"how(?: so| does (?:it|that|this) work)?", "how does {} work"),
    )
)
_ASPECT = re.compile(
    r"(?:what(?:'s|’s|s| is| are|re)? |(?:is|are) there )?(?:its |the |an? |any |some )?(?P<aspect>(?:\w+ )?"
    r"(?:downsides?|upsides?|drawbacks?|disadvantages?|advantages?|benefits?|catch|pros|cons|pros and cons|costs?"
    r"|price|risks?|limits?|limitations?"
    r"|requirements?|use ?cases?|trade-?offs?|problems?|issues?|default|formula|unit|gain|overhead|idea"
    r"|purpose|point|trick))(?: (?:of|with|to|about|for) (?:it|that|this))?",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"^(?:how to|when (?:not )?to|how (?:much|many|long|often|big)|by how much|why|what if|what happens"
    r"|who|where|any\w*|good|bad|useful|only|on|in|for|with|without|at|during)\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r"^(?:on|in|for|with|without|at|during|from)\b", re.IGNORECASE)


def request(asked: Followup) -> str | None:
    """Take "tell me more", "in simpler words" or "why?" for a wish about the last answer."""
    return next((frame.format(asked.topic) for said, frame in _REQUESTS if said.fullmatch(asked.rest)), None)


def aspect(asked: Followup) -> str | None:
    """Take "what's the downside" for an aspect of the last topic."""
    said = _ASPECT.fullmatch(asked.rest)
    return f"what is the {said['aspect']} of {asked.topic}?" if said else None


def fragment(asked: Followup) -> str | None:
    """Take "and on the server side?" or "how to detect?", less than a question, for one about the last topic."""
    if asked.found or not any(map(str.isalnum, asked.text)) or len(asked.content) > SEVERAL or NAMING.match(asked.rest):
        return None
    if asked.goes_on and _PREPOSITION.match(asked.rest):
        return f"{asked.topic} {asked.rest}?"
    known = all(asked.finder.knows_word(word) for word in asked.content)
    if not known:
        unknown_name = asked.goes_on and len(asked.rest.split()) <= NAME_WORDS and not _FRAGMENT.match(asked.rest)
        return same_about(asked.rest, asked.last) if unknown_name else None
    if not asked.content:
        return f"{asked.rest} {asked.topic}?"
    if not (asked.goes_on or (_FRAGMENT.match(asked.rest) and len(asked.content) < SEVERAL)):
        return None
    whole = ASKING.match(asked.rest) or _FRAGMENT.match(asked.rest)
    return f"{asked.topic}: {asked.rest}?" if whole else f"{asked.rest} of {asked.topic}?"
