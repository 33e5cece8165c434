"""False premises: does an entry deny, or at least not bear out, what a question takes for granted?

"Why is FlashAttention an approximation?" has no answer where the entry says that it is none. What a question claims
of an entry is the predicate behind its name ("why does **static batching** *refill a slot*"). The entry denies it
where one of its clauses negates the same words, or says the opposite of one; it bears the claim out where one of its
sentences has most of the claim's words. Between the two the question is unsettled: the answer says so and quotes the
entry, since words alone cannot tell a paraphrase from an error.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from glossbot.entry import Entry, Frozen, fold, split_sentences
from glossbot.names import stem, stems, tokenize
from glossbot.phrasing import MASK, Intent, content_words, mask, masked_by
from glossbot.question import Question
from glossbot.synonyms import canonical
from glossbot.verify import LIGHT

_REACH = 8  # words behind a negation that it is taken to deny
_BORNE_OUT = 0.7  # share of a claim's telling words that one sentence has to have
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|nobody|nothing|instead of|rather than|unlike)\b|n['’]t\b",
    re.IGNORECASE,
)
_DISAPPROVAL = re.compile(r"\b(?:bad|wrong|avoid|fails?|problem|mistake|useless|pointless)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;:]\s+(?:whereas|while|but|so|because|since|and)\b|\bwhereas\b|;", re.IGNORECASE)
# Words that say opposite things; where the question has one and a sentence of the entry the other, they may disagree.
_OPPOSITES = tuple(
    (frozenset(map(stem, one.split())), frozenset(map(stem, other.split())))
    for one, other in (
        (
            "increase increases raise raises grow grows larger bigger higher",
            "reduce reduces lower lowers shrink shrinks cut cuts smaller decrease decreases",
        ),
        ("faster quicker fast", "slower slow"),
        ("longer", "shorter"),
        ("cheaper", "costs expensive costlier"),
        ("exact", "approximation approximate approximates meaning similarity"),
        ("lossless", "lossy"),
        ("internal", "external contract customers"),
        ("fewer less", "more same many"),
        ("all every", "small share few part half"),
        ("separate several multiple", "single one"),
        ("changing dynamic dynamically", "fixed static"),
        ("remember remembers keeps", "forgets nothing"),
        ("worse", "better"),
        ("before", "after"),
        ("manual manually", "automatic automatically"),
        ("required mandatory", "optional"),
        ("synchronous", "asynchronous"),
        ("stateful", "stateless"),
        ("mutable", "immutable"),
        ("sequential sequentially", "parallel simultaneously"),
        ("sparse", "dense"),
        ("public", "private"),
        ("temporary", "permanent"),
        ("local", "remote"),
    )
)
_COMPARATIVES = frozenset(
    word for pair in _OPPOSITES for side in pair for word in side if word.endswith(("er", "less"))
)
_DETERMINER = (
    r"(?:(?:the\s+)?\w+\s+(?:of|in|behind|under)\s+)?"  # "the servers of a …"
    r"(?:(?:an?|the|one|any|every|each|most)\s+)?"
    r"(?:(?!(?:my|our|your|his|her|their|this|that)\b)\w+\s+)?"  # "unstructured pruning"
)
_AUXILIARY = r"(?:(?:does|do|did|is|are|was|were|can|could|will|would|should|must|has|have|might|may)(?:n['’]?t)?\s+)?"
# Where a claim begins: behind the name of an entry that the question says something of.
_CLAIM = re.compile(
    rf"(?:\b(?:why|how come|how|where|since|because|given(?: that)?|considering(?: that)?|now that|as|if|what makes"
    rf"|reasons?(?: (?:that|why))?"
    rf"|(?:in )?(?:what|which) way|is it (?:true|right|correct)(?: that)?)\s+{_AUXILIARY}{_DETERMINER}"
    rf"|^(?:so |and |but )?{_AUXILIARY}{_DETERMINER})"
    rf"(?P<subject>{MASK})(?P<predicate>.*)",
    re.IGNORECASE,
)
_CLAIM_END = re.compile(
    r"[,;?.!]\s|[,;?.!]$|\b(?:so|then)\s+(?:why|how|what|which|where|when|should|do)\b|\s-\s|\bbut\b", re.IGNORECASE
)
_ASKS_WHETHER = re.compile(
    r"(?:\b(?:right|correct|true|no|yes|huh)|\b(?:is|are|do|does|did|was|were)n['’]?t (?:it|they|that))\s*\?*$",
    re.IGNORECASE,
)
_PRESUMES = (Intent.WHY, Intent.HOW, Intent.WHEN)
_GIVEN = re.compile(r"^(?:since|because|given|considering|as|now that)\b", re.IGNORECASE)
_WHY = re.compile(r"\b(?:why|how come|where (?:do|does|did))\b", re.IGNORECASE)
_SO_WHY = re.compile(r"\bso (?:why|how|what|which|when|where)\b", re.IGNORECASE)


class Denial(Frozen):
    """A sentence of an entry that denies what a question takes for granted."""

    entry: Entry
    sentence: str


class _Claim(NamedTuple):
    """What a question says of an entry: the telling words, as stems, and the other entries that it brings in."""

    entry: Entry
    words: frozenset[str]
    others: tuple[Entry, ...]
    negated: bool


def denied(question: Question, entry: Entry) -> Denial | None:
    """Return what an entry says against what a question takes for granted, or None.

    Args:
        question: what is asked; only a question that presumes something (why, how, since …) can be denied.
        entry: an entry that the question names.
    """
    if not _presumes(question) or _NEGATION.search(question.asked) or _DISAPPROVAL.search(question.asked):
        return None
    asked = {stem(word) for word in question.content}
    other_names = tuple(fold(mention.text) for mention in question.mentions if entry not in mention.entries)
    said = stems(question.asked)
    known = {word for sentence in _statements(entry) for word in stems(sentence)}
    for sentence in _statements(entry):
        words = stems(sentence)
        if _disagree(said, words, known) and asked & words:
            return Denial(entry=entry, sentence=sentence)
        for before, behind in _negations(sentence):
            reached = _reached(behind)
            last = [stem(token.key) for token in tokenize(before)[-1:]]
            telling = [word for word in reached if word not in LIGHT]
            # Two words in common, or the very thing that is negated: "is not an approximation".
            if len(asked & {*reached, *last}) >= 2 or (telling and telling[0] in asked):
                return Denial(entry=entry, sentence=sentence)
            folded = fold(behind)
            is_near = any(name in folded[: len(name) + _REACH * 3] for name in other_names)
            if is_near and _GIVEN.match(question.asked):
                return Denial(entry=entry, sentence=sentence)
    return None


def unsettled(question: Question, entries: Sequence[Entry]) -> bool:
    """Tell whether a question claims something of an entry that none of the entry's sentences bears out."""
    claims = list(_claims(question))
    if claims:
        return any(not _is_borne_out(claim) for claim in claims)
    if question.intent is not Intent.YES_NO and not _ASKS_WHETHER.search(question.asked):
        return False
    words = _stems(" ".join(question.content))
    return len(words) > 1 and not any(_is_borne_out(_Claim(entry, words, (), question.negated)) for entry in entries)


def _presumes(question: Question) -> bool:
    return question.intent in _PRESUMES or any(
        form.search(question.asked) for form in (_WHY, _GIVEN, _SO_WHY, _ASKS_WHETHER)
    )


def _claims(question: Question) -> Iterator[_Claim]:
    """Yield what a question says of the entries that it names."""
    if not _presumes(question) and question.intent is not Intent.YES_NO:
        return
    masked = " ".join(mask(question.asked, question.mentions).split())
    for found in _CLAIM.finditer(masked):
        predicate = _CLAIM_END.split(found["predicate"])[0]
        others = tuple(mention.entries[0] for mention in masked_by(predicate, question.mentions))
        words = _stems(" ".join(content_words(predicate)))
        (subject,) = masked_by(found["subject"], question.mentions)
        # "How is PSI calculated" claims nothing; "how does it round the activations" does.
        if len(words) + len(others) > (1 if question.intent is Intent.HOW else 0):
            for entry in subject.entries[:1]:
                yield _Claim(entry, words, others, bool(_NEGATION.search(predicate)))


def _is_borne_out(claim: _Claim) -> bool:
    """Tell whether one sentence has most of a claim's words, affirmed or denied as the claim has them.

    A comparison has to be there by its own word: "fewer exponent bits" is not "exponent bits".
    """
    total = len(claim.words) + len(claim.others)
    needed = 1 if total == 2 else _BORNE_OUT * total  # one word of two may be another one for the same
    compared = claim.words & _COMPARATIVES
    for sentence in _statements(claim.entry):
        words = _denied_words(sentence)
        if not claim.negated:
            words = set(_stems(sentence)) - words
        folded = fold(sentence)
        named = sum(any(fold(name) in folded for name in other.names) for other in claim.others)
        told = claim.words & words
        if len(told) + named >= needed and compared <= words and (told or not claim.words):
            return True
    return False


def _stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, one for all synonyms."""
    return frozenset(stems(canonical(text)))


def _denied_words(sentence: str) -> set[str]:
    """Return the stems of the words that a sentence denies: those right behind a negation, in its clause."""
    return {word for _, behind in _negations(sentence) for word in _reached(behind)}


def _negations(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind each negation, in its clause."""
    for clause in _CLAUSE_END.split(sentence):
        for negation in _NEGATION.finditer(clause):
            yield clause[: negation.start()], clause[negation.end() :]


def _reached(behind: str) -> list[str]:
    """Return the stems of the words behind a negation that it is taken to deny, one for all synonyms."""
    return [stem(token.key) for token in tokenize(canonical(behind))[:_REACH]]


def _disagree(said: set[str], words: set[str], known: set[str]) -> bool:
    """Tell whether a question uses a word that the entry never does, and a sentence its opposite."""
    if any(f"{prefix}{word}" in words for word in said - known for prefix in ("un", "in", "non", "dis")):
        return True
    return any(
        (said & one and not known & one and words & other) or (said & other and not known & other and words & one)
        for one, other in _OPPOSITES
    )


def _statements(entry: Entry) -> Iterator[str]:
    """Yield what the entry says of itself: its sentences, and of a contrast the clause that begins with its term."""
    yield from entry.sentences
    for contrast in entry.contrasts:
        if contrast.text.casefold().startswith(entry.term.casefold()):
            yield _CLAUSE_END.split(contrast.text)[0]
    yield from split_sentences(entry.plain or "")
