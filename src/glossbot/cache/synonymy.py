"""Words that ask the same in any question: the tables by which `asking` brings questions into one form.

What is not in here counts as a difference between two questions, so a word that has another sense in some question
("train", "update", "store") is left out: a miss costs seconds, a false hit is a wrong answer.
"""

import re

# The first of a line stands for all of them; each may be several words.
_SAME = """
reduce, cut, lower, decrease, shrink, lessen, diminish, minimise, minimize, bring down, cut down on, cut down
increase, raise, boost, go up, grow, rise
improve, enhance
harm, hurt, degrade, worsen, impair, damage
affect, influence, impact, have an effect on, have an impact on
accelerate, speed up, make faster, make quicker
slow down, make slower
faster, quicker
fastest, quickest
fast, quick, rapid
big, large
bigger, larger, greater
biggest, largest
small, little, tiny
begin, start
buy, purchase
choose, chosen, pick, select
need, require
use, used, using, utilise, utilize, utilising, utilizing, make use of
get, obtain, receive
keep, kept, retain
happen, occur, take place
allow, let, permit
prevent, avoid
important, crucial, essential, vital
benefit, advantage, upside, pro, plus point, gain, strength
drawback, disadvantage, downside, con, shortcoming, limitation, weakness, penalty
problem, issue, trouble
method, technique, approach, strategy
kind, type, sort
picture, photo, image
child, kid
children, kids
holiday, vacation
flat, apartment
film, movie
delete, erase
quote, quotation
change, alter, modify
yearly, annual
annually, per year, a year, each year, every year
monthly, per month, a month, each month, every month
common, usual, typical, normal
often, frequently
rarely, seldom
usually, typically, generally, normally
roughly, approximately
maximum, max
minimum, min
info, information, details
many, multiple, several
each, every
entire, whole
simultaneously, at the same time, concurrently
answer, response, reply
split, divide, partition
combine, merge, join
fix, repair
solve, resolve, tackle
check, verify, validate
detect, spot
calculate, compute, work out
handle, deal with, cope with, manage
generate, produce
configure, set up
enable, turn on, switch on, activate
disable, turn off, switch off, deactivate
expensive, costly, pricey
cheap, inexpensive, affordable
difficult, hard, tough
easy, straightforward
main, chief, primary, principal
identical, same
end, finish, complete
trigger, cause, lead to, result in
fail, break
waste, squander
fraction, share, portion, proportion
wait, stall
client, customer, user
long, lengthy
depend on, be affected by
cost, expense
suggest, recommend
run, execute
restrict, constrain
protect, protect against, protect from, guard against
skip, omit, leave out
explain, clarify
describe, outline
suitable, appropriate, suited
help, useful, helpful, handy
guarantee, ensure, make sure
remain, stay
huge, enormous
make, made
build, built
hold, held, store
send, sent, forward, route, dispatch
give, given
take, taken
lose, lost
write, written
know, known
see, seen
show, shown, demonstrate, display
rebuild, recreate
instead, rather
llm, large language model, language model
gpu, graphics card
cpu, processor
ml, machine learning
ai, artificial intelligence
contact, get in touch with, reach out to
can, could, able to, possible to, allowed to
should, ought to, supposed to
will, would, going to
must, have to, has to
limit, cap
limited, restricted
"""
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
# Words that ask nothing by themselves, wherever they stand.
_EMPTY = frozenset(
    """
    a an the of that which there it its do does done is are am be been being please exactly actually really basically
    again between among in at for about regarding concerning as well whether if so ok okay then and
    """.split()
)
NEGATIONS = frozenset("not no never without neither nor none non nobody nothing unlike".split())


def lemma(word: str) -> str:
    """Return what the inflected forms of an English word share: without -s, -ed, -ing, a last -e and doubled ends.

    No word of its own: "caches" and "caching" have "cach". Unlike a stem it keeps apart what derives from one root,
    "employer" and "employed", "important" and "import".
    """
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    if len(word) > 5:  # British and American spelling
        word = re.sub(r"tre(?=s?$)", "ter", re.sub(r"our", "or", re.sub(r"iz(?=e|i|a)", "is", word)))
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif re.search(r"(?:ss|x|ch|sh|z)es$", word):
        word = word[:-2]
    elif re.search(r"[^sui]s$", word):
        word = word[:-1]
    for ending, shortest in (("ing", 6), ("ed", 5)):
        if word.endswith(ending) and len(word) >= shortest and re.search(r"[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            break
    else:
        if word.endswith("e") and len(word) >= 5:
            word = word[:-1]
    word = f"{word[:-1]}y" if word.endswith("i") and len(word) > 3 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _phrases() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _SAME.strip().splitlines():
        first, *others = (part.strip() for part in line.split(","))
        for other in others:
            found[" ".join(map(lemma, other.split()))] = lemma(first)
    return found | {word: str(number) for number, word in enumerate(_NUMBERS)}


_CANONICAL = _phrases()
_LONGEST = max(len(phrase.split()) for phrase in _CANONICAL)


def canonical(words: list[str]) -> list[str]:
    """Return words as lemmas, each phrase by the one that stands for it, without those that ask nothing."""
    lemmas = [lemma(word) for word in words]
    told: list[str] = []
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            phrase = " ".join(lemmas[place : place + length])
            if phrase in _CANONICAL:
                told.append(_CANONICAL[phrase])
                place += length
                break
        else:
            if words[place] not in _EMPTY:
                told.append(lemmas[place])
            place += 1
    return told
