"""The answer proper: without reasoning and markup, or the refusal instead of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from unicodedata import decimal

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.text import readable
from pytest_vqamt.language.answers.final import SOMETHING, final_part, first_reply, read_json, strip_traces
from pytest_vqamt.language.english.nouns import NUMBER_WORDS

_DESCRIPTION = 100
"""The characters of a text that is no answer in a few words."""
_VERDICT_FIRST = pattern_of(r"\W*(?:yes|no|nope|\d+|[a-h][).:])\b")
"""What is cut off later was said before: "No. The shelf holds a row of books and a"."""
_PICTURES_AND_TEXT = ("imag", "pictur", "photo", "attach", "visual", "file", "text", "screen", "canvas")

_QUESTION = pattern_of(r"(?:^|(?<=[.!?\n]))[^.!?\n]*\?")
"""A question that the model asks itself is no claim: "A bicycle? No"."""

WHOLE_PICTURE = r"(?:picture|image|photo|photograph|scene)"
PICTURE = rf"(?:{WHOLE_PICTURE}|frame|background|foreground|view)"
_CLAUSE = pattern_of(
    r"[.;:!\n]+|,?\s*\b(?:but|however|although|though|whereas|while|because|since|except|yet|instead(?! of))\b|\s-\s"
    rf"|,\s*(?:and\s+)?(?=(?:there|it|they|i|we|you|he|she|this|that|these|the {PICTURE})\b)"
    r"|\band\s+(?=(?:there|it|they|i) (?:is|are|can|do|see)\b)"
)
"""The ends of claims: "there is a dog, but there is no cat"."""

_INSCRIPTION = pattern_of(
    r"\b(says?|saying|reads?|reading|words?|text|letters|lettering|number|labell?ed|named|called|titled"
    r"|inscription),? '[^'\n]{1,60}'"
)
"""What is written on things counts and claims nothing: "a tag that reads '23'"."""
_QUOTED = pattern_of(_INSCRIPTION.pattern.replace("'", '"'))
"""The same in double quotes, before these are removed as markup."""
MAX_CHARS = 2400
"""Characters of the answer proper that are read; a model that repeats itself has no end."""

_BUT = pattern_of(r"\b(?:but|however|nevertheless|still|although|though)\b")
"""Takes a refusal back: "it is hard to tell, but there is a dog"."""
_TAG_OF_MARKUP = pattern_of(r"</?[a-z_|/][^<>]*>")
"""Tags of HTML and marks of chats: "<p>No</p>". "2 < 3" has none."""
_MARKUP = pattern_of(r"[*`#\"\[\]{}$\\]|(?<!\w)_+|_+(?!\w)")
"""Signs of Markdown, LaTeX and quotes: "**Yes**"."""
_RULE = pattern_of(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
"""A line across the page in Markdown."""
_BULLET = pattern_of(r"^[ \t]*[-\u2022][ \t]+(?=\D)", re.MULTILINE)
"""A single bullet is no list: "## Answer", and below it "- **Yes**"."""
_TYPESET = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-",
    "\u2013": "-", "\u2014": " - ", "\u2212": "-", "\u2192": " = ", "\u21d2": " = ",
})  # fmt: skip
_CONTRACTIONS = (
    (pattern_of(r"\b(?:can'?t|cannot)\b"), "can not"),
    (pattern_of(r"\bwon't\b"), "will not"),
    (pattern_of(r"\bain'?t\b"), "is not"),
    (pattern_of(r"(?<=[a-z])n't\b"), " not"),
    (pattern_of(r"\b(is|are|was|were|do|does|did|has|have)nt\b"), r"\1 not"),
    (pattern_of(r"\b(there|it|that|here|what|he|she)'s\b"), r"\1 is"),
    (pattern_of(r"\b(there|they|we|you)'re\b"), r"\1 are"),
    (pattern_of(r"\bi'm\b"), "i am"),
    (pattern_of(r"\bi'd\b"), "i would"),
)
"""Short forms, written out: "it's" is "it is", "isnt" is "is not"."""
_SEE = "see|find|spot|detect|identify|locate|notice"
_PARAPHRASES = (
    ("anything but", pattern_of(r"\banything but\b"), "not"),
    ("far from", pattern_of(r"\bfar from\b"), "not"),
    ("by no means", pattern_of(r"\bby no means\b"), "not"),
    ("able", pattern_of(rf"\b(?:(?:was|were|am|is|are) not able|unable) to ({_SEE})\b"), r"can not \1"),
    ("d not", pattern_of(rf"\b(?:could|did) not ({_SEE})\b"), r"can not \1"),
    ("fail", pattern_of(rf"\bfail(?:ed)? to ({_SEE})\b"), r"can not \1"),
    (
        "not ",
        pattern_of(r"\bnot (?:even )?(?:an? single|one single|even (?:one|an?))(?: one(?= of\b))?\b"),
        "no",
    ),
    (
        " than ",
        pattern_of(r"\bno \w+ ()other than ([^.,;:!?\n]+)"),
        r"only \2 \1",
    ),
    (
        "nothing ",
        pattern_of(r"\bnothing ((?:\w+ ){0,5}?)(?:but|except(?: for)?|other than) ([^.,;:!?\n]+)"),
        r"only \2 \1",
    ),
)
"""Ways to say "no" and "only"."""
_SPACES = pattern_of(r"[^\S\n]+")
"""Several spaces or tabs in a line: "at least  2"."""

_CANNOT = (
    r"(?:can not|could not|not able to|unable to|not possible to|impossible to|hard to|difficult to|no way to"
    r"|not in a position to|do not have (?:the|any) (?:ability|capability|means) to|lack the ability to)"
)
_IMAGE = r"(?:images?|pictures?|photos?|photographs?|attachments?|visuals?|visual (?:input|content|data)|files?)"
_IN_THE_CHAT = r"in (?:your|this|our|the) (?:message|conversation|chat|prompt|request)"
_NOT_THERE = (
    r"(?:provided|attached|given|available|uploaded|included|shared|visible|found|received|detected|supplied|sent"
    r"|present|displayed|shown|accessible|loaded)"
)
_ENDS = (
    rf"(?= ?(?:$|[.,;:!\n)-]|{_NOT_THERE}\b|(?:directly|itself|either|at all|right now|at (?:the|this) (?:moment|time)"
    rf"|here|yet|you|that you|or|and|so|to|from|because|as|{_IN_THE_CHAT})\b))"
)
_SEES_NOTHING = pattern_of(
    rf"\bno (?:\w+ )?{_IMAGE} (?:\w+ ){{0,3}}?(?:{_NOT_THERE}|{_IN_THE_CHAT})\b"
    rf"|^\W*no {_IMAGE}\W*$"
    rf"|\b{_IMAGE} (?:\w+ ){{0,4}}?(?:not|never|failed to|fails to) (?:\w+ ){{0,3}}?(?:load|come through|upload"
    rf"|display|open|render|arrive|{_NOT_THERE})(?:ed)?\b(?! (?:a|an|any|the|with)\b)"
    rf"|\b(?:{_CANNOT}|do not(?: actually| currently)?) (?:\w+ ){{0,3}}?(?:see|view|access|open|load"
    rf"|process|analy[sz]e|perceive|look at|interpret|receive|display|examine|inspect|have access to)"
    rf" (?:(?:the|this|that|an?|any|your|and \w+) )*?(?:\w+ )?{_IMAGE}{_ENDS}"
    rf"|\bdo not (?:\w+ )?(?:have|see) (?:access to )?(?:(?:the|this|that|an?|any|your) )?(?:\w+ )?{_IMAGE}{_ENDS}"
    rf"|\b(?:please|could you|can you|would you|if you)(?: \w+){{0,3}}? (?:upload|attach|provide|share"
    rf"|send|re-?upload|resend|re-?send"
    rf"|re-?attach)(?: it| one| me)*(?:(?: the| an?| your| this| that)?(?: \w+)?(?: of)? {_IMAGE}\b|(?= again))"
    r"|(?<!\bin the )(?<!\bin this )(?<!\bof the )(?<!first )(?<!second )(?<!third )(?<!left )(?<!right )"
    r"\b(?:image|picture|photo|photograph|canvas) "
    r"(?:\w+ ){0,4}?(?:is|was|are|appears|seems|looks)(?: to be)? "
    r"(?:just |only |completely |entirely |totally |all |fully |an? )*(?:blank|empty|missing|corrupt(?:ed)?|broken"
    r"|unavailable|inaccessible|(?:solid |plain |pure )?(?:black|white|gr[ae]y)(?: (?:image|picture|photo"
    r"|square|screen"
    r"|rectangle|frame))?|placeholder)(?= ?(?:$|[.,;!\n]|and\b|so\b|with (?:no|nothing)\b))"
    r"|\bi am an? (?:text[- ]based|text[- ]only|language)\b[^.]*\b(?:see|view|images?|visual|text)\b"
    r"|\b(?:only|just) (?:process|read|handle|understand|work with) text\b"
)
"""The model got no picture, or an empty one: "I cannot see the image". Not "a dog in the image"."""
_DECLINES = pattern_of(
    rf"\b{_CANNOT} (?:be )?(?:\w+ ){{0,2}}?(?:help|assist|answer|comply|discuss|provide|fulfill?|engage|continue with"
    r"|participate|respond|support|(?:process|complete|address) (?:this|that|your|the) (?:request|question|query))\b"
    r"|\bi (?:must|have to|need to|will have to|am going to have to|will) (?:\w+ )?(?:decline"
    r"|refuse)\b|\bi (?:refuse|decline)\b"
    r"|\bi (?:would|will) (?:rather|prefer) not\b|\bi would prefer not\b|\bi prefer not to\b"
    r"|\bi (?:will|do) not (?:\w+ )?(?:answer|help|provide|assist|comply|engage|feel comfortable)\b"
    rf"|\b{_CANNOT} (?:\w+ )?(?:identify|recogni[sz]e|name|disclose) (?:(?:real|specific|the|any|this|these) )?"
    r"(?:people|persons?|individuals?|anyone|who\b|faces?)"
    r"|\b(?:against|violates?|violating|goes against|contrary to) (?:\w+ )?(?:\w+ )?(?:polic(?:y|ies)"
    r"|guidelines|rules|terms)\b"
    r"|\bnot (?:appropriate|comfortable|allowed|permitted|authori[sz]ed)\b|\binappropriate\b|\bno answer\b"
)
"""The model does not want to answer: "I have to decline"."""
_UNSURE = pattern_of(
    rf"\b{_CANNOT} (?:be )?(?:\w+ ){{0,2}}?(?:determined?|tell|told|say|known?|judged?|verif(?:y|ied)|answered|deduce"
    r"|(?:confirm|discern|ascertain|establish|assess)(?:ed)?|infer(?:red)?|conclude|decide|count|distinguish"
    r"|be (?:sure|certain)|make (?:it |that |this )?out|(?:give|provide|offer|make|get) (?:you )?(?:a|an|any) (?:\w+ )?"
    r"(?:definite|definitive|certain|reliable|exact|precise|accurate|specific|confident)"
    r"|see (?:(?:the|it|this|that) (?:\w+ )?)?(?:clearly|well)|see clearly enough)\b"
    r"|\bunanswerable\b|\bnot answerable\b|\bdo not (?:really |actually )?know\b|\bno idea\b|\bindeterminate\b"
    r"|\binconclusive\b|\b(?:not enough|insufficient|no) (?:\w+ )?(?:information|info|context)\b|\bundetermined\b"
    r"|\bdo not have (?:enough|sufficient)\b|\btoo (?:blurry|dark|blurred|small|unclear|far away"
    r"|ambiguous|pixelated)(?= to\b| for\b|$|[.,;])"
)
"""The model cannot answer: "hard to say"."""

NEARLY = pattern_of(r"\b(?:almost|nearly|not quite|half|partly|partially)\b")
"""Says less than what follows: "the bus is almost full"."""
HEDGE = pattern_of(r"\b(?:maybe|perhaps|possibly|might|could be|could have|may be|may have)\b")
"""Leaves open what is said; "probably" and "appears" do not."""
DENIAL = pattern_of(
    r"\b(?:not|no|never|neither|nor|hardly|nowhere|cannot|rather than|instead of|without)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Denies what stands behind it: "not red", "the word is not there"."""
_DOUBT = pattern_of(
    r"\b(?:not|un)\s?(?:sure|clear|certain|known|determinable|decided)\b|\bn/a\b|\bnot applicable\b"
    r"|\bdo not understand\b"
    r"|\b(?:maybe|perhaps|possibly|might|could be|may be|ambiguous|can not be said|depends|uncertainty)\b|^\W*\?+\W*$"
)
"""Doubt that counts only where nothing else is read: "maybe", "n/a"."""
_APOLOGY = pattern_of(
    r"\bsorry\b|\bapologi[sz]e\b|\bas an (?:ai|artificial)\b|\bas a (?:large )?language model\b"
    r"|\b(?:can not|unable to) \w+"
)
"""Refuses where nothing else is read: "as an AI, I see pixels"."""

_PLAIN_CHARACTERS = pattern_of(r"[a-z0-9 .,;:!?'()/%&\n]*+")
"""Text without markup, bullets and emoji."""

_THINKS_ALOUD = pattern_of(
    r"\s*+(?:(?:thought|thinking|reasoning|analysis|scratchpad)\s*[:\n]"
    r"|(?:okay|ok|so|alright|hmm|got it)?[,. ]*+(?:let's see[,. ]*+)?the (?:user|question) "
    r"(?:asks|is asking|wants|asked|would like))",
    re.IGNORECASE,
)
"""How thoughts begin whose mark an adapter lost. What they say on the way is no answer."""
_CONCLUDES = pattern_of(
    r"\b(?:final answer|answer(?: to (?:the|your|this) question)?(?: is|\s*[:=])|in conclusion|conclusion\s*:"
    r"|verdict\s*:|therefore,|so,? the answer)|\\boxed|<answer>",
    re.IGNORECASE,
)
"""Thoughts that come to an end: "Final answer: yes", "therefore, yes"."""

_UNFINISHED = pattern_of(
    r"\b(?:there (?:is|are)(?: an?)?|the|an|and|or|with|of|(?:with|of|on|in|by|and|has|shows|see) a)$"
)
"""The end of a list, or of several paragraphs, that was cut off."""
_TICK = pattern_of("(?<=[\\w)])[\\s:]*(?:([\u2705\u2713\u2714])|[\u274c\u2717\u2718])(?![\ufe0f\\s]*\\w)")
"""Yes or no behind a name: "dog \u2713", "cat: \u274c"."""
_EMOJI = pattern_of("[\u2190-\u27bf\U0001f000-\U0001faff\ufe0f]+")
"""Emoji and arrows around an answer."""
_OPEN_JSON = pattern_of(r"\s*(?:```\w*\s*)?\{\s*[\"']")
"""JSON begins; without an end it was cut off."""
_CLOSED_JSON = pattern_of(r"\}\s*(?:```)?\s*$|\}\s*\n|```\s*$")
"""JSON ends."""
_CORRECTION = pattern_of(
    r"\b(?:wait\b|hold on\b|scratch that\b|correction\b|on (?:closer (?:inspection|look)|second thoughts?)\b"
    r"|looking (?:again|closer|(?:more |again )?(?:closely|carefully))\b"
    r"|(?:hmm|hm|oh|no)[,.! ]+actually\b|let me correct (?:myself|that)\b"
    rf"|(?:(?<=[.,;!?-] )(?:no|sorry|rather|or rather|i mean)\b,? )(?=(?:(?:it is|that is|make (?:that|it)"
    rf"|i mean|rather),? )?"
    rf"(?:\d+(?! of\b)\b|(?:{'|'.join(NUMBER_WORDS[1:20])})\b(?! of\b))))[\s,.:;!-]*(?:no\b,\s*)?"
)
"""Takes back what stands before it: "2... wait, 3". Not "2 cats wait"."""
_IMPRESSIONS = ("thought", "initially", "at first", "might", "may", "could", "would")
_FIRST_IMPRESSION = pattern_of(
    r"(?:^|(?<=[.!\n]))[^.!\n]{0,200}?\b(?:i (?:first |initially |had )?thought|initially,?|(?:you|one|someone"
    r"|it) (?:might|may|could"
    r"|would) (?:\w+ )?(?:think|count|assume|seem|look)"
    r"|at first (?:glance|sight)?,?(?: (?:i|it|you|one|this) \w+)?)\b[^.!\n]{0,200}?(?:\bbut\b|[.!\n])"
)
"""What only seemed so: "I initially thought there were two, but there are three"."""

_LATEX = pattern_of(r"\\(?:text\w*|math\w*|quad|left|right|[,;!()\[\]])")
"""Commands of LaTeX outside a box."""

MARK = pattern_of(r"<(\d+)>")
"""A number, as ``mark_numbers`` writes it."""
NOT_WHOLE = "<?>"
"""Marks a number that counts no things: 2.5, -1, one half."""

_VALUES = {word: value for value, word in enumerate(NUMBER_WORDS)}
_BELOW_20 = "|".join(sorted(NUMBER_WORDS[1:20], key=len, reverse=True))
_TENS = "|".join(NUMBER_WORDS[20::10])
_WORDS = rf"(?:(?:{_TENS})(?:[- ](?:{'|'.join(NUMBER_WORDS[1:10])})\b)?|(?:{_BELOW_20}))"
_TIMES = {"dozen": 12, "hundred": 100, "thousand": 1000}
_UNIT = "years?|months?|inch(?:es)?|cm|mm|km|kg|ft|met(?:er|re)s?|mph|dollars?|minutes?|hours?|am|pm|degrees?|percent"

_NUMBERED = (
    "route|line|bus|tram|platform|gate|lane|room|page|track|highway|flight|step|level|section|episode|chapter"
    "|jersey|shirt"
    "|number[ ]plate|table[ ]for|seats?|room[ ]for|space[ ]for|set[ ]for|laid[ ]for|made[ ]for"
)
"""What a number names, or is meant for."""

MOST_DIGITS = 9
"""Longer numbers count nothing in a picture, and Python refuses to read one of thousands of digits."""

_NO_SPACE = pattern_of(
    r"(?<![\w.,])(\d+)(?=(?!years|months|inch|minutes|hours|degrees|meters|metres|miles|dollars|pixels)[a-z]{4,}s\b)"
)
"""A number that sticks to its noun: "2zebras". "2years" is a measure."""
_ARROW = pattern_of(r"[-=]+>")
"""The result of a sum: "2 + 3 -> 5"."""
_GREATER = pattern_of(r">\s*(?=\d)")
"""A bound by a sign: ">10" is "more than 10"."""
_BRACKETS = pattern_of(r"[<>]")
"""Keeps marks of numbers apart from signs of the answer."""
_LIST_ITEM = pattern_of(r"^\s*\d+[.)]\s+(?=\D)", re.MULTILINE)
"""The places of a list count nothing: "1." and "2."."""

# Alternatives are tried in this order, and what one of them takes is out of the reach of the later ones.
_NUMBER = pattern_of(
    rf"""
    (?=[\d-]|\b[a-z])(?:  # nothing begins within a word: most characters are passed at once
    (?P<none_at_all>
        \b(?:no[ ]one|none|nothing|nobody|no)[ ](?:else|more|others?|longer|doubt|problem|less|fewer)\b(?![ ]than\b)
    )
  | (?P<one> \b(?:just|only)[ ]the[ ]one\b(?!'s))
  | (?P<pronoun>
        \b(?:the|this|that|which|each|every|any|another|other|last|first|second|third)(?:[ ][a-z]+)?[ ]one\b
      | \ban?[ ](?!single|lone|sole)[a-z]+[ ]one\b | \bone[ ](?:another|by[ ]one)\b
      | \bone[ ](?:can|could|may|might|would)[ ](?:argue|assume|count|find|guess|notice|say|see)\b
    )
  | (?P<no_count>
        \b{_WORDS}-(?!(?:and|{"|".join(NUMBER_WORDS[1:10])})\b)[a-z]+
      | \d+(?:\.\d+)?\s?% | \d{{1,2}}:\d\d\b | \d+(?:st|nd|rd|th)\b | \d+/\d+ | \b[a-z]+\d\w* | \d+[a-z]\w*
      | (?<=\bin[ ])(?:1[5-9]|20)\d\d\b | (?<=\bfrom[ ])(?:1[5-9]|20)\d\d\b | (?<=\bsince[ ])(?:1[5-9]|20)\d\d\b
      | (?:\b{_WORDS}|\d+(?:\.\d+)?)[ -]?(?:{_UNIT})\b
      | \b(?:number|no\.|nr\.?|size|age|aged)[ ]\d+\b(?![ ](?!is\b|was\b|has\b|and\b)[a-z]+s\b)
      | \ban?[ ](?!total|further|additional|good|full|mere|whopping|maximum|minimum)[a-z]+[ ]\d{{2,}}\b(?![ ][a-z]+s\b)
      | \b(?:{_NUMBERED})[ ](?:no\.?[ ])?(?:\d+|{_WORDS})\b(?![ ](?!is\b|was\b|has\b)[a-z]+s\b)
    )
  | (?P<not_whole>
        (?<![\w)])-\d+(?:\.\d+)? | \d+\.(?!0+\b)\d+ | (?:\b{_WORDS}|\d+)[ ](?:and[ ]a[ ]half|pairs|couples)\b
    )
  | (?P<half_dozen> \bhalf[ ](?:a[ ])?dozen\b )
  | (?P<pair> \b(?:an?[ ]|one[ ])?(?:pair|couple)\b )
  | (?P<times> \b(?:a|{_WORDS})|\d+ )[ ](?P<unit>dozen|hundred|thousand)\b(?:[ ](?:and[ ])?(?P<rest>{_WORDS})\b)?
  | (?P<bare_unit> \b(?:dozen|hundred|thousand)\b )
  | (?P<zero>
        \bno[ -]one\b | \b(?:none|nothing|nobody|neither|zero|nil|nope|no(?![ ](?:less|more|fewer)[ ]than))\b
      | \bwithout[ ](?:any|an?)\b
      | \b(?:not|never)[ ](?!sure|certain|clear|only|just|able|possible)(?:\w+[ ]){{0,3}}?
        (?:any(?:body|one)?|an?[ ]single(?:[ ]one)?|an?|even[ ]one|one[ ]single)\b(?![ ](?:lot|few|bit))
    )
  | (?P<digits> \d{{1,3}}(?:,\d{{3}})+(?!\d) | \d{{1,3}}(?:[ ]000)+(?!\w) | \d+ )(?:\.0+\b)?
  | (?P<words> \b{_WORDS}\b )
  | (?P<single> \b(?:an?[ ])?(?:single|lone|sole)\b )
    )
    """,
    re.VERBOSE,
)
"""Numbers, and what looks like one: "two dozen", "no", "10:30", "the third one"."""


class Unreadable(StrEnum):
    """The reason that an answer has no reading."""

    EMPTY = "empty answer"
    REFUSAL = "refusal"
    SEES_NOTHING = "sees nothing"
    UNSURE = "unsure"
    CUT_OFF = "cut off"
    DECLINED = "declined"
    QUESTION = "only a question"
    NO_NUMBER = "no number"
    SEVERAL_NUMBERS = "several numbers"
    NOT_WHOLE = "not a whole number of things"
    NO_YES_OR_NO = "neither yes nor no"
    YES_AND_NO = "both yes and no"
    NO_OPTION = "no option named"
    SEVERAL_OPTIONS = "several options named"
    NO_LABEL = "no label named"
    SEVERAL_LABELS = "several labels named"


_NO_ANSWER: dict[Unreadable, re.Pattern[str]] = {
    Unreadable.SEES_NOTHING: _SEES_NOTHING,
    Unreadable.REFUSAL: _DECLINES,
    Unreadable.UNSURE: _UNSURE,
}
"""Why an answer is none, by what it says; the first that fits counts."""


@dataclass(frozen=True, slots=True)
class UnreadableAnswer:
    """An answer without a reading."""

    reason: Unreadable
    """Counted and shown in reports by its value, such as "several numbers"."""


@dataclass(frozen=True)
class Prepared:
    """An answer made ready for the readers, once: what was said, and of it the answer proper."""

    said: str
    """What was said to the question: without reasoning, invented turns and the question said back."""

    ran_on: str = ""
    """The turns that the model invented behind its answer; empty if there are none."""

    plain: str = ""
    """The final answer in lower case, without markup, contractions written out; that of a refusal, too.

    It is what follows "answer:", or stands in an answer tag, in LaTeX's box or in a field of JSON. Line breaks stay.
    """

    text: str = ""
    """The answer proper: ``plain`` behind a correction of itself; empty if there is no answer to read."""

    unreadable: UnreadableAnswer | None = None
    """Why there is no answer to read: it is empty, cut off, or a refusal that no "but" takes back."""

    @cached_property
    def statements(self) -> str:
        """The answer proper without its questions; all of it if it has nothing else."""
        return without_questions(self.text)

    @cached_property
    def clauses(self) -> tuple[str, ...]:
        """The parts of the statements that each make a claim."""
        return claim_clauses(self.statements)

    @cached_property
    def marked(self) -> str:
        """The answer proper with its numbers marked."""
        return mark_numbers(self.text)

    def with_text(self, text: str) -> Prepared:
        """The same answer with another text to be read."""
        return replace(self, text=text, unreadable=None)

    def without_doubts(self) -> Prepared:
        """The answer without its clauses of doubt: "there is no dog, so I cannot tell its color"."""
        clauses = re.split(r"[.,;:!\n]|\b(?:because|as|since|so|therefore|thus|but)\b", self.plain)
        sure = (each.strip() for each in clauses if not (_UNSURE.search(each) or _DOUBT.search(each)))
        return self.with_text(". ".join(sure))


def prepare(answer: str | Prepared, names: tuple[str, ...] = ()) -> Prepared:
    r"""Prepares an answer to be read; what is prepared already is returned.

    ``names`` are further fields of JSON that hold the answer.

    >>> made = prepare("<think>No.</think>It's **a dog**.\nQuestion: Is it old?\nAnswer: yes")
    >>> made.said, made.text, made.ran_on
    ("It's **a dog**.", 'it is a dog.', 'Question: Is it old?\nAnswer: yes')
    >>> prepare("I can't see any image.").unreadable.reason.value, prepare("<think>Let me see").said
    ('sees nothing', '')

    Raises:
        VqamtError: the answer is no text.
    """
    if isinstance(answer, Prepared):
        return answer
    if not isinstance(answer, str):
        raise VqamtError(f"Expected an answer as a text, but got {answer!r}")
    return _prepared(readable(answer), names)


@lru_cache(maxsize=256)
def _prepared(text: str, names: tuple[str, ...]) -> Prepared:
    stripped = strip_traces(text)
    if stripped.is_cut_off:
        return Prepared("", unreadable=UnreadableAnswer(Unreadable.CUT_OFF))
    reply = first_reply(stripped.text)
    plain = _plain(reply.text, names)
    found: str | Unreadable
    # JSON cut off may lack the very field that answers: {"reasoning": "a dog ...
    if _OPEN_JSON.match(stripped.text) and not _CLOSED_JSON.search(stripped.text):
        found = Unreadable.CUT_OFF
    elif reply.is_question:
        found = Unreadable.QUESTION
    # Thoughts without a conclusion are no answer, even where they say yes on the way.
    elif _THINKS_ALOUD.match(reply.text) and not _CONCLUDES.search(reply.text):
        found = Unreadable.CUT_OFF
    else:
        found = _answer_proper(_corrected(plain))
    if isinstance(found, Unreadable):
        return Prepared(reply.text, reply.ran_on, plain, unreadable=UnreadableAnswer(found))
    return Prepared(reply.text, reply.ran_on, plain, found)


def _answer_proper(bare: str) -> str | Unreadable:
    """The answer to read, or the reason that there is none; ``bare`` has neither markup nor a correction of itself."""
    if not SOMETHING.search(bare):
        return Unreadable.EMPTY
    if _UNFINISHED.search(bare) and ("\n" in bare or (len(bare) > _DESCRIPTION and not _VERDICT_FIRST.match(bare))):
        return Unreadable.CUT_OFF
    for cause, pattern in _NO_ANSWER.items():
        if cause is Unreadable.SEES_NOTHING and not any(map(bare.__contains__, _PICTURES_AND_TEXT)):
            continue  # the slowest pattern, of which each part has one of these words
        if found := pattern.search(bare):
            # "It is hard to tell, but there is a dog" answers behind the "but".
            taken_back = _BUT.split(bare[found.end() :], maxsplit=1)
            rest = taken_back[1].strip() if len(taken_back) > 1 else ""
            # Who saw no picture can only guess: "... but there might be a dog".
            if cause is Unreadable.SEES_NOTHING and HEDGE.search(rest):
                return cause
            if not SOMETHING.search(rest) or any(each.search(rest) for each in _NO_ANSWER.values()):
                return cause
            return rest
    return bare


@lru_cache(maxsize=4096)
def plain_question(question: str) -> str:
    """Returns a question as ``Prepared.plain`` has an answer, to be compared with one."""
    return _plain(question)


def without_questions(text: str) -> str:
    """Returns the text without its questions; all of it if it has nothing else."""
    if "?" not in text:
        return text
    statements = _QUESTION.sub(" ", text).strip()
    return statements if SOMETHING.search(statements) else text


def claim_clauses(statement: str) -> tuple[str, ...]:
    """Returns the parts of a statement that each make a claim.

    >>> claim_clauses("there is a dog, but there is no cat. it is old")
    ('there is a dog', 'there is no cat', 'it is old')
    """
    return tuple(part for part in (clause.strip(" ,") for clause in _CLAUSE.split(statement)) if part)


def without_inscriptions(prepared: str) -> str:
    """Returns the answer without what a sign or a shirt says: "a sign that reads 'NO PARKING'"."""
    return _INSCRIPTION.sub(r"\1 ~", prepared) if "'" in prepared else prepared


def unreadable_answer(prepared: str, reason: Unreadable) -> UnreadableAnswer:
    """Returns the reason, or a refusal or a doubt if the answer is one."""
    if _DOUBT.search(prepared):
        return UnreadableAnswer(Unreadable.UNSURE)
    return UnreadableAnswer(Unreadable.REFUSAL if _APOLOGY.search(prepared) else reason)


def _plain(text: str, names: tuple[str, ...] = ()) -> str:
    """The answer proper in lower case, without markup, with contractions and paraphrases written out."""
    # Most answers are a few plain words: what a pattern is for is looked for before it is tried.
    # JSON and markers are looked for in the text as written; markup is removed once the answer proper is found.
    text = normalised_characters(text)
    field = read_json(text, names) if "{" in text or "[" in text else None
    text = (final_part(text) if field is None else field).lower().strip()
    if not text.isascii():
        text = text.translate(_TYPESET)
    # A cut within a word would leave a word that was not said: "no" of "nothing".
    if len(text) > MAX_CHARS:
        text = text[:MAX_CHARS].rsplit(maxsplit=1)[0]
    if '"' in text:
        # Inscriptions keep quotes, so that readers can leave them out: double ones are markup below.
        text = _QUOTED.sub(lambda found: found[0].replace('"', "'"), text)
    if "\\" in text or "<" in text:
        text = _TAG_OF_MARKUP.sub(" ", _LATEX.sub(" ", text))
    if not _PLAIN_CHARACTERS.fullmatch(text):
        text = _MARKUP.sub("", text)
        if "-" in text or "\u2022" in text:
            text = _RULE.sub("", text)
            if len(_BULLET.findall(text)) == 1:
                text = _BULLET.sub("", text)
        if not text.isascii():
            text = _EMOJI.sub(" ", _TICK.sub(lambda found: ": yes" if found[1] else ": no", text))
    if "'" in text or "nt" in text or "cannot" in text:
        for pattern, written_out in _CONTRACTIONS:
            text = pattern.sub(written_out, text)
    for hint, pattern, written_out in _PARAPHRASES:
        if hint in text:
            text = pattern.sub(written_out, text)
    return _SPACES.sub(" ", text).strip() if "  " in text or "\t" in text or not text.isascii() else text.strip()


def _corrected(bare: str) -> str:
    """The answer behind a correction of itself ("2... wait, 3") and a first impression ("at first I thought")."""
    corrections = [found for found in _CORRECTION.finditer(bare) if SOMETHING.search(bare, found.end())]
    # At the very beginning "Wait" or "Actually" takes nothing back.
    rest = bare[corrections[-1].end() :] if corrections and corrections[-1].start() else bare
    later = _FIRST_IMPRESSION.sub(" ", rest).strip() if any(map(rest.__contains__, _IMPRESSIONS)) else rest
    return later if SOMETHING.search(later) else rest


def normalised_characters(text: str) -> str:
    """Returns the text with full-width letters and the digits of all scripts as ASCII.

    >>> normalised_characters("\uff13\u3001 \u0663")
    '3\u3001 3'
    """
    if text.isascii():
        return text
    return "".join(map(_ascii, text))


def _ascii(character: str) -> str:
    if character.isdecimal():
        return str(decimal(character))
    if "\uff01" <= character <= "\uff5e":
        # Full-width forms stand in the order of ASCII, 0xFEE0 above it.
        return chr(ord(character) - 0xFEE0)
    return " " if character == "\u3000" else character


@lru_cache(maxsize=64)
def mark_numbers(text: str) -> str:
    """Returns the text, in lower case and without contractions, with its numbers marked.

    "None" and "not any" are 0, "a pair" is 2; a plain "a" stays. Numbers that count nothing (times, years, ordinals,
    percentages, measures, numbers of a list) are removed.

    >>> mark_numbers("two dozen eggs, half a dozen cups and no plate"), mark_numbers("3 buses at 10:30")
    ('<24> eggs, <6> cups and <0> plate', '<3> buses at ~')
    """
    text = _NO_SPACE.sub(r"\1 ", text)
    text = _BRACKETS.sub(" ", _GREATER.sub("more than ", _ARROW.sub(" = ", text)))
    # One such line may be the answer itself: "2. Both are brown".
    if len(_LIST_ITEM.findall(text)) > 1:
        text = _LIST_ITEM.sub("", text)
    return _NUMBER.sub(_mark, text)


def _mark(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind in ("none_at_all", "pronoun", "no_count") or sum(map(str.isdecimal, found[0])) > MOST_DIGITS:
        return "~"
    return NOT_WHOLE if kind == "not_whole" else f"<{_value(found)}>"


def _value(found: re.Match[str]) -> int:
    """The number of a match of ``_NUMBER``, by the kind of its words."""
    if found["unit"]:
        return _word(found["times"]) * _TIMES[found["unit"]] + (_word(found["rest"]) if found["rest"] else 0)
    if found["digits"]:
        return int(found["digits"].replace(",", "").replace(" ", ""))
    if found["words"]:
        return _word(found["words"])
    if found["bare_unit"]:
        return _TIMES[found["bare_unit"]]
    return {"half_dozen": 6, "pair": 2, "zero": 0, "one": 1, "single": 1}[found.lastgroup or ""]


def _word(word: str) -> int:
    # "A dozen", "twenty one".
    return int(word) if word.isdecimal() else 1 if word == "a" else _VALUES[word.replace(" ", "-")]
