"""English words and phrases that say the same wherever they stand, and the verbs that a rewording may rely on.

Only what keeps meaning and grammar in any sentence is in here: a word that is a noun in one place and a verb in another
("cuts", "limits"), or that has two senses ("at once"), is left out. What is not in here is never reworded.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

# Before ">" what may be replaced, after it by what; within a line all mean the same. A line that begins with "*" holds
# only where an object follows: "shrinks the cache", not "the cache shrinks".
_SAME = """
instead of, rather than > rather than, instead of
every, each > each, every
because > since
several > multiple
usually, typically > typically, usually, generally
often, frequently > frequently, often
chiefly, mainly, mostly > mainly, primarily, mostly
rarely, seldom > seldom, rarely
therefore, thus, hence > therefore, thus, hence
drastically, dramatically > dramatically, drastically
significantly, considerably, substantially > considerably, significantly, substantially
* reduces, lowers, shrinks, decreases > reduces, lowers, decreases
* reduce, shrink, decrease > reduce, decrease
* reducing, lowering, shrinking > reducing, lowering
* raises, increases > raises, increases
* raise, increase > raise, increase
* raising, increasing > raising, increasing
grows, rises > rises, grows
* improves, enhances > improves, enhances
* improving, enhancing > improving, enhancing
* requires, needs > requires, needs
* require, need > require, need
begins, starts > begins, starts
* produces, generates > produces, generates
* producing, generating > producing, generating
* computes, calculates > calculates, computes
* computing, calculating > calculating, computing
* divides, splits > divides, splits
* dividing, splitting > dividing, splitting
* chooses, selects, picks > selects, chooses, picks
* choosing, selecting > selecting, choosing
* gives, provides > provides
* giving, providing > providing
occurs, happens > occurs, happens
* eliminates, removes > eliminates, removes
* eliminating, removing > eliminating, removing
* shows, indicates > indicates, shows
amount > quantity
kind > type
kinds > types
portion > part
huge, enormous > enormous, huge
whole, entire > entire, whole
"""
# Verbs whose third person can hardly be anything else after "that", "which" or a name.
_VERBS = """
accept access act adapt add adjust admit affect aggregate allocate allow alter amortize analyse analyze answer append
apply arise arrange ask assess assign assume attach attend automate avoid balance base batch become begin behave
belong bind block break bring build bypass calculate call capture carry cause change check choose cite climb collect
combine come communicate compare compete compile complete compress compute condense configure connect consider consist
consume contain continue control convert coordinate copy correct cost count cover create cut deal decide declare
decode decouple decrease define delay deliver demand depend deploy derive describe detect determine devote differ
direct discard display distribute divide do dominate double download draft draw drop ease eliminate embed emit enable
enclose encode enforce enhance ensure enter estimate evaluate examine exceed exclude execute exist expand expect
explain explore expose express extend extract face fail favour feed fetch fill find finish fit fix focus follow force
form free fulfil gather generate get give go govern grant grow guarantee guide halve handle happen have help hide hold
host identify ignore implement imply improve include increase indicate influence inform inherit insert install
interleave introduce invoke involve isolate join judge keep know lack launch lay lead leave let lie limit link list
live load log look lose lower maintain make manage map mark mask match matter maximize mean measure meet merge
minimize mirror miss model modify monitor move multiply name need normalize notify obtain occupy occur offer omit open
operate optimize orchestrate organize overlap override own pack parallelize parse pass pause pay perform permit
persist pick place point predict prefer prepare present preserve prevent print process produce propagate propose
protect prove provide publish pull push put quantify raise range rate reach react read rebuild receive recognize
recompute record recur reduce refer refine reflect refuse register reject release rely remain remember remove render
repeat replace report represent reproduce require reserve resolve respond rest restart restore restrict retain
retrieve return reuse rewrite round route run save scale scan schedule score search see select send separate serve set
shape share shift shorten show shrink signal skip slow solve span spare specify speed spend split spread stand start
state stay stop store stream stretch study suffer suggest suit sum supply support switch take target teach tell tend
terminate test tie tolerate trace track trade train transfer transform translate transmit travel treat trigger try
tune turn unify update use validate vary verify wait wake want warn waste watch weigh work wrap write yield
"""


def _third_person(verb: str) -> str:
    if verb in ("be", "have", "do", "go"):
        return {"be": "is", "have": "has", "do": "does", "go": "goes"}[verb]
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


VERBS = frozenset(_VERBS.split()) | {"are", "were"}
VERBS_THIRD = frozenset(map(_third_person, _VERBS.split())) | {"is", "was", "has"}
EITHER_PERSON = frozenset("can could must should may might will would".split())


class Replacement(NamedTuple):
    """A stretch of a text, ``text[start:end]``, and what may stand there instead."""

    start: int
    end: int
    others: tuple[str, ...]


class _Group:
    """Phrases that mean the same: what may be replaced, and by what."""

    def __init__(self, line: str) -> None:
        self.needs_object = line.startswith("*")
        sources, _, targets = line.lstrip("* ").partition(">")
        self.sources = tuple(map(str.strip, sources.split(",")))
        self.targets = tuple(map(str.strip, targets.split(",")))


_GROUPS = tuple(map(_Group, _SAME.strip().splitlines()))
_BY_SOURCE = {source: group for group in _GROUPS for source in group.sources}
_CANONICAL = {phrase: group.sources[0] for group in reversed(_GROUPS) for phrase in (*group.targets, *group.sources)}


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, phrases), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(longest_first)})(?![\w-])", re.IGNORECASE)


_SOURCE = _any_of(_BY_SOURCE)
_ANY = _any_of(_CANONICAL)
# What no object begins with.
_NO_OBJECT = re.compile(
    r"\s*(?:[.,;:!?)]|$|(?:because|since|as|when|while|with|and|or|but|by|to|in|at|from|under|until|if|than|through|"
    r"between|not|over|up|down|out|on|of|for|per|only|further|most|less|more|so|too|quickly|slowly|together|apart)\b)",
    re.IGNORECASE,
)
# "each" stands alone where "every" cannot, and "every ten steps" is not "each ten steps".
_NO_NOUN = re.compile(
    r"\s*(?:[\d.,;:!?)]|$|(?:of|other|one|has|is|are|was|can|with|gets?|in|on|at|two|three|four|five|six|ten|few|"
    r"second|third|and|or|to|from|a|an|the|time|takes?)\b)",
    re.IGNORECASE,
)
_BEFORE_WHOLE = re.compile(r"\b(?:the|its|their|this|one|a|an)\s+$", re.IGNORECASE)


def canonical(text: str) -> str:
    """Return a text with every phrase that has synonyms replaced by the one that stands for them, in small letters."""
    return _ANY.sub(lambda match: _CANONICAL[match[0].casefold()], text)


def replacements(text: str) -> list[Replacement]:
    """Return where a text may say the same in other words, in order."""
    found = []
    for match in _SOURCE.finditer(text):
        if match.start() and match[0][0].isupper():
            continue  # part of a proper name
        phrase = match[0].casefold()
        group = _BY_SOURCE[phrase]
        rest = text[match.end() :]
        if group.needs_object and _NO_OBJECT.match(rest):
            continue
        if phrase in ("each", "every") and _NO_NOUN.match(rest):
            continue
        if phrase in ("whole", "entire") and not _BEFORE_WHOLE.search(text[: match.start()]):
            continue
        others = tuple(target for target in group.targets if target != phrase)
        if others:
            found.append(Replacement(match.start(), match.end(), others))
    return found
