"""The ways in which English frames a question: politeness around it, its form, and what is said in two ways.

All patterns meet a question in small letters, its names masked (`phrasing.mask`).
"""

import re
from enum import StrEnum

from glossbot import phrasing


class Kind(StrEnum):
    """What form of question it is, finer than an intent."""

    DEFINE = "define"
    COMPARE = "compare"
    COMMON = "common"
    RELATE = "relate"
    SAME = "same"
    CHOOSE = "choose"
    PURPOSE = "purpose"
    EXPANSION = "expansion"
    EXAMPLE = "example"
    WHY = "why"
    HOW = "how"
    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    COST = "cost"
    HOW_MUCH = "how much"
    HOW_LONG = "how long"
    HOW_OFTEN = "how often"
    WHICH = "which"
    WHETHER = "whether"
    OTHER = "other"


_N = phrasing.MASK
CONTRACTIONS = tuple(
    (re.compile(pattern), full)
    for pattern, full in (
        (r"[’‘`´]", "'"),
        (r"\bwon't\b", "will not"),
        (r"\b(?:can't|cant|cannot)\b", "can not"),
        (r"\bain't\b", "is not"),
        (r"\b(is|are|do|does|did|was|were|has|have|had|should|could|would|must|need)n'?t\b", r"\1 not"),
        (r"\b(what|who|where|how|when|why|there|that|it|here)'s\b", r"\1 is"),
        (r"\b(?:whats|wats|what s)\b", "what is"),
        (r"\b(hows|wheres|whos)\b", lambda match: f"{match[0][:-1]} is"),
        (r"\blet's\b", "let us"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'d\b", " would"),
        (r"'m\b", " am"),
        (r"'s?(?=\s|[?.,!]|$)", ""),
    )
)
PRELUDE = re.compile(
    r"^(?:(?:(?:hi|hiya|hello|hey|ok|okay|so|well|er|erm|um|uh|hmm|eli5|please|pls|sorry|thanks"
    r"|thank you|just|but|and|also|oh|ah"
    r"|actually|basically|briefly|simply|in (?:simple|plain|layman) (?:terms|words)|in short"
    r"|remind me|excuse me|i forgot|i forget)\b"
    r"|(?:yes|yeah|right|now|then|there|all|everyone|guys|folks|team|question|(?:good )?(?:morning|afternoon|evening)"
    r"|sorry to (?:bother|ask)(?: you)?(?: again)?|(?:just )?(?:curious|wondering)|newbie here|refresh my memory"
    r"|(?:a )?(?:very )?(?:quick|silly|stupid|dumb|basic|noob|newbie) (?:one|question))(?=\s*[,.:;!–—-]))"
    r"[\s,.:;!–—-]*)+"
)
REQUEST = re.compile(
    r"^(?:(?:can|could|would|will) (?:you|someone|anyone|somebody|anybody)(?: please| kindly| just| quickly| briefly)* "
    r"(?:tell|explain|show|remind|describe|clarify|define|say|let me know|help me understand|outline|summari[sz]e|"
    r"give)\b(?: to)?(?: me| us)?(?: again)?"
    r"|i(?: would| am| was)? (?:just |also |really )*"
    r"(?:(?:like|want|wanted|need|have|trying) to (?:know|understand|learn|ask|figure out|find out"
    r"|see)|wonder|wondering|"
    r"confused (?:about|by)|struggling (?:with|to understand)|new to|unsure about|not sure about"
    r"|heard (?:of|about)|read about|"
    r"curious|asking|keep hearing|do not (?:understand|get|know|see)|am not sure)(?: about)?"
    r"|(?:would|do) you (?:mind|happen to|know|have any idea)(?: know| explaining| telling)?(?: me| us)?"
    r"|(?:can|could|would|will) (?:you|someone|anyone)(?: please)?(?= (?:compare|contrast|list"
    r"|name|give|distinguish)\b)"
    r"|how (?:would|do|can|should) (?:you|one|we|i) (?=(?:define|describe|explain)\b)|walk me "
    r"through(?= how\b)|walk me through"
    r"|do you know|any(?:one|body) know(?:s)?|does any(?:one|body) know|any idea|tell me(?: (?:a "
    r"bit|a little|something|more|everything|all))?(?: about)?|let me know|help me understand|"
    r"explain(?: to me)?(?= (?:what|why|how|when|where|the difference|whether|which|in what)\b)|describe(?= how\b)"
    r"|(?:clarify|say|state)(?= (?:what|why|how|when|where|whether|which)\b)"
    r"|wondering|(?:is there a way|i need) to (?:know|find out)|what i want to know is|my question is)\b[\s,:]*"
)
TAIL = re.compile(
    r"[\s,.;:!?–—-]+(?:please|pls|plz|(?:many )?thanks(?: in advance)?|thank you|thx|ta|cheers"
    r"|again|exactly|actually|anyway"
    r"|by any chance|though|then|in general|generally speaking|do you know|(?:can|could) you explain|please explain"
    r"|explain please|all about|if you know|if you do not mind|simply|briefly|in (?:short|brief"
    r"|detail|a nutshell|plain english)"
    r"|in (?:simple|plain|layman|easy) (?:terms|words|english|language)|in (?:a few|few|one or two) words|to (?:me|us)"
    r"|in (?:a|one) (?:single )?sentence|for (?:a )?(?:beginners?|dummies|newbies?)|like i am (?:five|5)|eli5)\s*$"
)
TRUTH = re.compile(
    r"^(?:is it|it is) (?:true|right|correct|the case|a fact)(?: that)?\b|^(?:is|are) there (?:any )?truth"
)
ASIDES = re.compile(
    r"\b(?:uh|um|erm|er|exactly|actually|precisely|basically|essentially|really|by the way|btw|in "
    r"practice|kind of|sort of(?= like))\b"
)
# "The technique called …", "… technique": what kind of thing a name is says nothing new of it.
_THING = (
    r"(?:concept|term|notion|idea|technique|method|approach"
    r"|principle|word|expression|phrase|abbreviation|acronym|topic)"
)
APPOSITION = (
    re.compile(rf"\b(?:the |a |an )?{_THING}s? (?:of |called |named |known as |behind )?(?:an? |the )?(?={_N})"),
    re.compile(rf"(?<={_N}) (?:as an? |an? )?{_THING}s?\b(?! (?:for|to|that|in|of)\b)"),
)
_WORK = r"(?:works?|functions?|operates?|is done|is implemented|happens?|is achieved)"
# Each frame is looked for in order; what stands between its words is what is asked about.
FRAMES: tuple[tuple[Kind, re.Pattern[str], str], ...] = tuple(
    (kind, re.compile(pattern), left)
    for kind, pattern, left in (
        (Kind.EXPANSION, r"^what (?:does|do|did) (.+?) (?:stand|stands) for$", r"\1"),
        (Kind.EXPANSION, r"^what is (.+?) (?:short|an abbreviation|an acronym) (?:for|of)$", r"\1"),
        (Kind.EXPANSION, r"^(?:expand|spell out|what is the (?:full form|long form|expansion) of) (.+)$", r"\1"),
        (
            Kind.COMPARE,
            r"\b(?:what is|what are|is there|are there|explain|describe|give me|show me|define|outline|state)?\s*"
            r"(?:the |any |a |an |some )?(?:main |key |big |actual |real |exact )?"
            r"(?:differences?|diffs?|distinctions?|comparisons?|contrast) (?:between|of|in) (.+)$",
            r" \1",
        ),
        (Kind.COMPARE, r"^(.+?)[,:–—-]? (?:what is|what are)? ?the (?:main |key )?differences?$", r"\1"),
        (Kind.COMPARE, rf"^((?:{_N}|[\s,]|and|vs|versus)+) (?:differences?|comparison|compared)$", r"\1"),
        (Kind.COMPARE, rf"^(?:the )?differences?,? ((?:{_N}|[\s,]|and|or|vs|versus)+)$", r"\1"),
        (
            Kind.COMPARE,
            r"^how (?:do|does|did|is|are|can) (.+?) (?:differ|differs|compare|compares|stack up)(?!\w)(.*)$",
            r"\1 \2",
        ),
        (Kind.COMPARE, r"^(?:in what way|how) (?:do|does|is|are) (.+?) different(?!\w)(.*)$", r"\1 \2"),
        (Kind.COMPARE, r"^(?:in )?what ways? (?:do|does|is|are) (.+?) (?:differ|different)(?!\w)(.*)$", r"\1 \2"),
        (Kind.COMPARE, r"^what (?:is|are) different (?:about|between|in) (.+)$", r"\1"),
        (Kind.COMPARE, r"^what makes (.+?) different(?!\w)(.*)$", r"\1 \2"),
        (Kind.COMPARE, r"^what (?:distinguishes|separates|differentiates|sets) (.+)$", r"\1"),
        (
            Kind.COMPARE,
            r"^how (?:do|can|would|should|to) ?(?:i|you|we|one)? ?(?:distinguish|differentiate|tell) (.+)$",
            r"\1",
        ),
        (Kind.COMPARE, r"^(?:please )?(?:compare|contrast|distinguish|differentiate)(?: between)? (.+)$", r"\1"),
        (Kind.COMPARE, rf"^((?:an? |the )?{_N}) (?:vs\.?|versus|compared (?:to|with)) ((?:an? |the )?{_N})$", r"\1 \2"),
        (Kind.COMPARE, r"^(\S+(?: \S+){0,2}?) (?:vs\.?|versus) (\S+(?: \S+){0,2})$", r"\1 \2"),
        (Kind.COMMON, r"^what (?:do|does) (.+?) have in common(.*)$", r"\1 \2"),
        (
            Kind.COMMON,
            r"^(?:what (?:is|are) the )?(?:similarit(?:y|ies)|commonalit(?:y|ies)) (?:between|of) (.+)$",
            r"\1",
        ),
        (Kind.COMMON, r"^how (?:is|are) (.+?) (?:similar|alike)(?!\w)(.*)$", r"\1 \2"),
        (Kind.RELATE, r"^how (?:is|are|do|does) (.+?) (?:related|relate|relates|connected)(?!\w)(.*)$", r"\1 \2"),
        (
            Kind.RELATE,
            r"^(?:what (?:is|are) the |explain the |the )?(?:relation|relationship|connection|link)s? (?:between|of) "
            r"(.+)$",
            r"\1",
        ),
        (
            Kind.SAME,
            r"^(?:is|are) (.+?) (?:and|or) (.+?) (?:the same|identical|synonyms?|synonymous|one and the same|"
            r"interchangeable)(?: things?| concepts?| terms?)?$",
            r"\1 \2",
        ),
        (
            Kind.SAME,
            r"^(?:is|are|does|do) (.+?) (?:mean )?(?:just |really )?(?:(?:the )?same (?:thing )?as"
            r"|another (?:name|word|term) "
            r"for|identical to|a synonym (?:for|of)|equivalent to) (.+)$",
            r"\1 \2",
        ),
        (Kind.SAME, r"^(?:do|does) (.+?) (?:and|or) (.+?) mean the same(?: thing)?$", r"\1 \2"),
        (Kind.EXAMPLE, r"^(?:what is |give |show )?(?:me )?(?:an? |some )?examples? (?:of|for) (.+)$", r"\1"),
        (
            Kind.PURPOSE,
            r"^(?:what is|what are|explain|describe) the (?:purpose|point|uses?|role|function|job"
            r"|aim|goal|idea behind) (?:of )?"
            r"(?:using |having )?(.+)$",
            r"\1",
        ),
        (Kind.PURPOSE, r"^what (?:is|are) (.+?) (?:used for|good for|needed for|meant for|meant to do|for)$", r"\1"),
        (
            Kind.PURPOSE,
            r"^what (?:do|would|can|could|does) (?:i|you|we|people|one) (?:use|need|want) (.+?) for$",
            r"\1",
        ),
        (Kind.PURPOSE, rf"^what (?:do|does) ((?:an? |the )?{_N}) (?:actually )?do$", r"\1"),
        (Kind.PURPOSE, rf"^((?:an? |the )?{_N}),? (?:what is it for|purpose|role|use|what does it do)$", r"\1"),
        (
            Kind.PURPOSE,
            r"^what (?:role|purpose|function) (?:do|does) (.+?) (?:play|serve|have|fulfil|accomplish|achieve)(.*)$",
            r"\1 \2",
        ),
        (Kind.COST, r"^(?:how much|what) (?:do|does|will|would|is|are) (.+?) cost(.*)$", r"\1 \2"),
        (Kind.COST, r"^how much (?:is|are|will|would) (?:it (?:be )?(?:to |for )?)?(.+)$", r"\1"),
        (Kind.COST, r"^what (?:is|are) the (?:price|cost|charge|fee)s? (?:of|for|to) (.+)$", r"\1"),
        (Kind.HOW, r"^what (?:can|could|should|must|do|would) (?:i|you|we|one) do (?:to|about|for) (.+)$", r"\1"),
        (Kind.HOW_LONG, r"^what (?:is|are) the duration of (.+)$", r"\1"),
        (Kind.HOW_LONG, r"^how long (?:do|does|will|would) (.+?) take(.*)$", r"\1 \2"),
        (Kind.HOW_LONG, r"^how (?:long|much time)(?!\w)(.*)$", r"\1"),
        (Kind.HOW_OFTEN, r"^how (?:often|frequently)(?!\w)(.*)$", r"\1"),
        (Kind.HOW_MUCH, r"^how (?:many|much)(?!\w)(.*)$", r"\1"),
        (Kind.HOW_MUCH, r"^what (?:is the )?(?:number|amount|quantity) of(?!\w)(.*)$", r"\1"),
        (Kind.WHY, r"^(?:why|how come|for what reasons?)(?!\w)(.*)$", r"\1"),
        (Kind.WHY, r"^what (?:is|are|was) the (?:main )?reasons?(?: (?:that|why|for|behind|of|to))?(?!\w)(.*)$", r"\1"),
        (Kind.WHY, r"^(?:the )?reasons? (?:that|why|for|behind)(?!\w)(.*)$", r"\1"),
        (Kind.WHY, r"^what (?:makes?|causes?|triggers?|leads? to|brings? about)(?!\w)(.*)$", r"\1"),
        (
            Kind.WHEN,
            r"^(?:when|(?:in|under|at) (?:which|what) (?:cases?|situations?|circumstances?|conditions?|points?|times?|"
            r"scenarios?))(?!\w)(.*)$",
            r"\1",
        ),
        (
            Kind.HOW,
            r"^(?:how|(?:in|by|through) (?:which|what) (?:ways?|means|manner|mechanism)|what (?:is|are) the (?:best |"
            r"easiest )?(?:way|process|procedure|steps) (?:to|for|of|in which|by which)|by what "
            r"means|explain the way)(?!\w)(.*)$",
            r"\1",
        ),
        (
            Kind.HOW,
            r"^(?:explain |describe )(?:the )?(?:workings?|mechanics|mechanism|inner workings) (?:of|behind) (.+)$",
            r"\1 work",
        ),
        (Kind.WHERE, r"^(?:where|in (?:which|what) places?)(?!\w)(.*)$", r"\1"),
        (Kind.WHO, r"^(?:who|whom|whose)(?!\w)(.*)$", r"\1"),
        (
            Kind.DEFINE,
            r"^what (?:is|are|was|were) (?:meant|understood) by (?:the )?(.+)$",
            r"\1",
        ),
        (
            Kind.DEFINE,
            r"^what (?:do|does|would|should|did) (?:people|you|we|one|they|i|engineers|folks) "
            r"(?:mean|understand)(?: by| when they say| when they speak of| with) (.+)$",
            r"\1",
        ),
        (Kind.DEFINE, r"^what (?:do|does|did) (.+?) (?:mean|refer to|denote|signify|describe)$", r"\1"),
        (Kind.DEFINE, r"^what (.+?) (?:means|refers to)$", r"\1"),
        (Kind.DEFINE, r"^what (.+?) (?:is|are|was)$", r"\1"),
        (
            Kind.DEFINE,
            r"^(?:what is |what are |give me |give )?(?:the |a |an )?(?:short |brief |quick "
            r")?(?:meaning|definition|overview|summary|introduction|primer|rundown|"
            r"explanation|description|summary|overview) (?:of|for) (.+)$",
            r"\1",
        ),
        (
            Kind.DEFINE,
            r"^(.+?),? (?:meaning|definition|explained|defined|explanation|what is (?:it|that|this)|what are they|"
            r"what does (?:it|that) mean)$",
            r"\1",
        ),
        (
            Kind.DEFINE,
            r"^(?:define|explain|describe|about|(?:what|who)(?: is| are| was| were)?(?: all)?(?: about)?)(?!\w)(.*)$",
            r"\1",
        ),
        (
            Kind.WHETHER,
            r"^((?:is|are|does|do|can|could|will|would|should|has|have|did|was|were|must|may|might|am)\b.*)$",
            r"\1",
        ),
        (Kind.WHETHER, r"^(?:if|whether)(?!\w)(.*)$", r"\1"),
        (Kind.WHICH, r"^(?:what|which)(?!\w)(?: one(?!\w))?(.*)$", r"\1"),
    )
)
# What is said in two ways is said in one, before a frame is looked for.
REWRITES = tuple(
    (re.compile(pattern), full)
    for pattern, full in (
        (r"^(?:is it|it is) possible to ", "can i "),
        (r"^(?:is|are) there (?:a|any|some) ways? (?:to|of) ", "how to "),
        (r"[\s,;:–—-]+(?:right|correct|true|is it not|is not it|does it not|are they not|yes|no)$", " is it so"),
        (r"^(?!(?:how|what|where|when|why|who|which|is|are|does|do|can)\b)(.+) is it so$", r"is \1"),
        (r" is it so$", ""),
        (r",? and what (?:does it do|is it (?:used |good )?for|do they do|are they (?:used |good )?for)$", ""),
        (r"^what (?:is|are) wrong with ", "what are the problems of "),
        (r"^what (?:is|are) (?:so )?(?:good|great|nice) about ", "what are the benefits of "),
        (r"^what (?:is|are) (?:so )?bad about ", "what are the drawbacks of "),
        (
            r"^what (?:do|does|would|can|could) (?:i|we|you|one) gain (?:from|by|with) (?:using )?",
            "what are the benefits of ",
        ),
        (r"^what (?:is|are) the (?:rationale|motivation|explanation|causes?) (?:for|of|behind) ", "why "),
        (r"^what explains ", "why "),
        (
            r"^(?:what is |explain |describe )?(?:the )?(?:mechanism|mechanics|inner workings"
            r"|workings) (?:of|behind) (.+)$",
            r"how does \1 work",
        ),
        (r"^(?:explain |describe )?the way (?:in which )?(.+) works$", r"how does \1 work"),
        (
            r"\b(?:uses?|needs?|requires?|takes?|consumes?) (?:up )?less (?=memory|time|space|compute|bandwidth)",
            "reduce ",
        ),
        (r"\bmemory (?:usage|consumption|footprint|use|requirements?|needs?|demand)\b", "memory"),
        (r"\b(when) (?:do|does) (.+?) (?:pay off|make sense|shine|help)$", r"\1 use \2"),
        # What was moved to the front goes back: "for my order, where is the receipt?"
        (
            r"^((?:to|in|on|at|for|near|with|without|from|during|after|before|when|if|under|by"
            r"|inside|within)\b[^,?]+), "
            r"((?:how|what|where|when|why|who|which|can|could|do|does|is|are|should|will|would|did|was|has|have)\b.+)$",
            r"\2 \1",
        ),
        (
            r"^(?:in|under|at) (?:which|what) (?:cases?|situations?|circumstances?|conditions?"
            r"|points?|times?|scenarios?)(?!\w)",
            "when",
        ),
        (
            rf"^((?:an? |the )?{_N})[\s,:–—-]+(what|why|how|when|where) (is|are|does|do|can|would"
            r"|should) (?:it|they|that|those)"
            r"(?!\w)(.*)$",
            r"\2 \3 \1\4",
        ),
        (
            rf"^((?:an? |the )?{_N} (?:or|and|vs) (?:an? |the )?{_N})[\s,:–—-]+which(?: one)?(?!\w)(.*)$",
            r"which or \2 \1",
        ),
        (r"^(?:list|name|enumerate|give me|show me)(?: me)?(?: some| the| a few)? (?=\w+s(?!\w))", "what are the "),
        (r"\b(methods|techniques|ways|approaches|strategies|options) (?:to|that|which|for|of) ", r"\1 "),
        (
            r"^(?:what|which) (?:kind of |sort of )?(?:impact|effect|influence)s? (?:does|do|has"
            r"|have|will|would) (.+?) have (?:up)?on (.+)$",
            r"how does \1 affect \2",
        ),
        (
            r"^(?:what|how) (?:is|are) the (?:impact|effect|influence)s? of (.+?) (?:up)?on (.+)$",
            r"how does \1 affect \2",
        ),
        (
            r"^(?:what|which) (\w+) (?:does|do) (.+?) (?:have|offer|bring|provide|give|come with)$",
            r"what are the \1 of \2",
        ),
        (
            r"^(what|which|how many|how much) (.+?) (?:is|are|gets?) (\w+ed|made|built|held|kept"
            r"|given|sent|written) by (.+)$",
            r"\1 \2 \4 \3",
        ),
        (r"(?:^|\b)(?:is|are|gets?) (.+?) (\w+ed|made|built|held|kept|given|sent|written) by (.+)$", r"does \3 \2 \1"),
        (
            r"^(?:is|are) (.+?) (?:required|needed|necessary|a prerequisite|essential"
            r"|mandatory)(?: for| by| in| to use) (.+)$",
            r"does \2 need \1",
        ),
        (
            rf"^can (?:i|you|we|one|people) (run|deploy|load|use) ((?:the )?{_N}) (on|in|with) (?!(?:the )?{_N})",
            r"does \2 \1 \3 ",
        ),
        (
            rf"^can (?:i|you|we|one) (?:use|run|load|serve) (.+?) (?:with|in|on|through) ((?:the )?{_N})$",
            r"does \2 support \1",
        ),
        (rf"^(?:can|could|will|would|may|might|do|does) (?=(?:an? |the )?{_N})", "does "),
        (r"\b(?:know|tell|see|find out|determine|recogni[sz]e|figure out) (?:if|whether|that|when)(?!\w)", "know"),
        (r"\bif\b", "when"),
        (r"^have (i|you|we|they) got(?!\w)", r"do \1 have"),
        (r"\b(tell|gives?|tells|shows?|helps?|lets?|allows?) (?:me|us|you|one)(?!\w)", r"\1"),
        (r"\bto (?:me|us)$", ""),
        (r"\bhelp(s?) with(?!\w)", r"help\1"),
        (r"[.,:;!?]+ what (?:is|are) (?:it|that|they|this)$", ""),
        (rf"^((?:{_N}|[\s,]|and|or)+?)[\s,:–—-]+how do they (?=differ|compare|relate)", r"how do \1 "),
        (r"^is it (\w+) to use (.+)$", r"is \2 \1"),
        (
            r"^(?:is|are) there (?:an? |any |some )?(?:real |big |main )?(downside|drawback"
            r"|disadvantage|benefit|advantage|upside|limit)s?"
            r" (?:to|of|in|with|for|from)(?: using)? (.+)$",
            r"what are the \1s of \2",
        ),
        (
            r"^what (?:kind|sort|type) of (?:a )?(?:thing|technique|method|concept|metric|format|tool) (?:is|are) ",
            "what is ",
        ),
        (r"^(?:what|which) (?:factors?|things?|parameters?) (?=\w+s?\b)", "what "),
        (
            r"\bha(?:s|ve) (?:the )?(most|biggest|greatest|largest) (?:impact|influence|effect) on (.+)$",
            r"affects \2 most",
        ),
        (r"\bthe most$", "most"),
        (r"^what (?:is|are) the formulas? (?:for|of) (.+)$", r"how is \1 calculated"),
        (
            r"^how (?:do|does|can|would) (?:i|you|we|one) (calculate|compute|measure|detect"
            r"|monitor|determine|estimate) (.+)$",
            r"how is \2 \1",
        ),
        (r"\bmade (?=(?:smaller|bigger|larger|faster|slower)\b)", "make "),
        (
            r"^(?:what|which) (?:are )?(?:(?:some|the) )?(?:best )?(?:ways|methods|techniques"
            r"|options) (?:to )?(?=reduce|lower|shrink|cut|increase|improve|"
            r"speed|avoid|prevent|detect|measure|save)",
            "how to ",
        ),
        (r"^how can (.+?) be (make smaller|\w+ed)$", r"how to \2 \1"),
        (r"\bmake (.+?) smaller$", r"reduce \1"),
        (r"\bmake smaller\b", "reduce"),
        (
            r"^(what|which) (\w+) (?:does|do) (.+?) (?:have|offer|bring) (over|compared to) ",
            r"what are the \2 of \3 \4 ",
        ),
        (r"\b(?:gets?|becomes?|turns?) (?:bigger|larger|higher|longer)(?!\w)", "grow"),
        (r"\b(?:gets?|becomes?|turns?) (?:smaller|lower|shorter)(?!\w)", "reduce"),
        (r"\bless (?:expensive|costly)(?!\w)|\blower in cost(?!\w)", "cheaper"),
        (r"\bmakes? (.+?) (?:faster|quicker)$", r"accelerate \1"),
        (r"\bmakes? (.+?) slower$", r"slow down \1"),
        (
            r"\b(when) (?:is|are) (.+?) (?:an? |the )?(?:(?:right|good|best|better|suitable"
            r"|appropriate|sensible) (?:choice|option|fit|idea|"
            r"call)|useful|appropriate|suitable|recommended|preferable|worth it|used)$",
            r"\1 use \2",
        ),
        (
            r"^when (?:(?:do|does|should|would|can|could|might|must) (?:i|you|we|one|people"
            r"|someone)|to|should) (?:use|choose|pick|prefer|"
            r"employ|go for|reach for|consider)(?!\w)",
            "when use",
        ),
        (r"^((?:is|are) .+?) an? (\w+) (?:method|technique|approach|algorithm|process)$", r"\1 \2"),
        (r"^why (?:does|do) (.+?) matter(?!\w)", r"why is \1 important"),
        (r"\b(?:my|our)\b", "the"),
    )
)
FRAME_WORDS = (
    "what when where which explain define difference differences between different meaning describe compare".split()
)
ABOUT = re.compile(r"^about (?=\S)")
# Who does it: "how do I", "how can one", "how to" ask one thing.
AGENT = re.compile(
    r"^\s*(?:(?:do|does|can|could|would|should|might|to) (?:i|you|we|one|people|someone|somebody"
    r"|anyone|anybody|users|teams|folks|engineers)\b|to\b|(?:can|could|do|does|"
    r"would)\b)(?: (?:go about|best))?"
)
