"""Questions of users and data sets, of which only the words are known: the changes that surely keep their answer.

The words decide. A question with a word that may make the answer depend on the change gets no case of it, and so does a
text that is not one plain question in English: a word too many on a list costs a case, one too few a false violation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.text import readable
from pytest_vqamt.language.translations.translated import ANSWER_IN_ENGLISH

VERSION = 2
"""Raised whenever the rules change: it is part of cache keys of prompts."""

_HOW_MANY = pattern_of(
    r"\b(?:wie viele|combien|cu[a\u00e1]nt[oa]s|quant[oa]s)\b|[\u51e0\u4f55]|\u591a\u5c11|\u3044\u304f\u3064",
    re.IGNORECASE,
)
_OR_ABROAD = pattern_of(r" (?:oder|ou|o) |\u8fd8\u662f|\u3069\u3061\u3089|\u3067\u3059\u304b\u3001")

_SHOWN = r"(?:the|this|that) (?:picture|image|photo|photograph|scene)"
_VERB_WORD = (
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|could|would|should|must|might)(?:n't)?|can|cannot|can't|will|won't"
    r"|may|shall|am|ain't)"
)
_VERB = pattern_of(rf"{_VERB_WORD} ")
_QUESTION_WORD = pattern_of(
    r"(?:(?:in|on|at|from|to|of|with|for|under|by) )?(?:what|which|whose|whom)\b"
    r"|(?:what|who|where|when|why|how)(?:'s)?\b"
)
_ASKS_COUNT = pattern_of(
    r"how many\b|(?:what is|what's|what are|what|which|count|give|tell me|name|state) (?:the )?"
    r"(?:(?:total|combined|overall|exact|whole) )?(?:number|count) of (?!(?:the|this|that|a|an|his|her|its|their)\b)"
    r"|count (?:all |up )?(?:of )?(?:the )?(?!of\b)\w"
)
"""Not "the number of the bus" or "of this player", which is written there."""

_OPENING = pattern_of(rf"(?:{_VERB.pattern}|{_QUESTION_WORD.pattern}|{_ASKS_COUNT.pattern})")
_LEAD = pattern_of(rf"(?:^(?:in|on|from|looking at|judging by|considering) {_SHOWN} |[,.:;-] (?:and )?)")
_NO_OFFER = pattern_of(
    r"[,.:;?(]* ?\b(?:or not|yes or no)\b|\b(?:one|two|three|four|five|\d+) or (?:more|fewer|less)\b"
)
"""Where "or" stands and nothing is to be chosen."""

_ASKS_FOR_MORE = pattern_of(
    r"\b(?:what|how|why|whose)\b|^(?:can|could|would|will) you (?:please )?(?:tell|name|guess|describe|explain"
    r"|count|list|identify)\b"
)
"""Questions within questions ("do you know what it is"), and requests."""

_OR = pattern_of(r"\bor\b")
_IS_AFFIRMED = pattern_of(
    r"\beither\b|^\S+ there\b|\bthere (?:is|are|was|were)\b|\b(?:true|correct) that\b|^\S+ (?:any|no) "
    r"|^\S+ (?:you|we|one|anyone) (?:see|spot|notice)\b"
    rf"|^(?:does|do|did) {_SHOWN} (?:show|contain|have|include|depict|feature|display)\b"
    rf"|^is {_SHOWN} (?:without|free of)\b"
    rf"|^\S+ an? .*\b(?:visible|present|shown|seen|found|there)(?: (?:anywhere )?in {_SHOWN})?$"
)
_IS = pattern_of(r"(?:is|are|was|were)(?:n't)? ")
_COMPLEMENT = pattern_of(
    r"(?:(?:would|do|did) (?:you|we) (?:say|think|believe|call)|(?:do|does|did) .*\b(?:appear|seem|look|looks))\b"
)
"""After it comes what is said of something: "does the cup appear to be ...", "would you say the cup is ..."."""

_VERB_AFTER_OR = pattern_of(r"\bor\b.* (?:is|are|was|were)\b")
_OR_OF_THE_SUBJECT = pattern_of(
    r"\S+ (?:the|an?|my|his|her|its|their|your|some) \S+ or "
    r"|\S+ (?!(?:it|he|she|they|this|that|these|those) )\S+ or "
    r"|.* or (?:the|his|her|its|their) \S+ \S+$"
)
"""In "is the dog or the cat black?" either may be what is asked: which of them it is, or whether it is so."""

_PAUSE = pattern_of(r"[,:] ")
_LIST = pattern_of(r"[^,:]+(?:, [^,:]+)*,? or [^,:]+")
_CLAUSE = pattern_of(r"\b(?:is|are|was|were|does|do|did)\b")
_BARE_CHOICE = pattern_of(r"(?!any |some |no )[\w'-]+(?: [\w'-]+){0,2},? or [\w'-]+(?: [\w'-]+){0,2}")

MOST_WORDS = 40
"""A longer text is no plain question."""

_CAPITAL = pattern_of(r"\s\W{0,9}+(?!I\b)[^\W\d_a-z]")

_EXCHANGED = {"left": "right", "right": "left"}
_LEFT_OR_RIGHT = pattern_of(r"\b(?:left|right)\b", re.IGNORECASE)
_IN_THE_PICTURE = pattern_of(
    r"\b(?:(?:shown|seen|visible|present|depicted) )?(?:in|on) (?:the|this|that) "
    r"(?:picture|image|photo|photograph|scene)\b"
)

_COUNT = pattern_of(r"\bhow (?:many|much)\b|\b(?:number|amount|count) of\b|\bcount\b")


class QuestionForm(StrEnum):
    """The kind of answer that a question wants."""

    YES_NO = "yes or no"
    COUNT = "a number"
    CHOICE = "one of what it offers"
    OTHER = "anything else"


def form_of(text: str) -> QuestionForm:
    """Returns the form of a question.

    A phrase that leads up to the question ("In the picture, ...") is ignored. A question that begins with a verb is
    answered by yes or no, unless it offers a choice with "or"; "or" between things that may be there offers none:
    "either ... or" and "is there a dog or a cat?" can be affirmed. Of several questions the first decides.

    >>> form_of("In the picture, is there a dog or a cat?").name, form_of("Is the cat black or white?").name
    ('YES_NO', 'CHOICE')
    >>> form_of("What is the number of dogs in the picture?").name, form_of("Is the dog or the cat black?").name
    ('COUNT', 'OTHER')
    """
    # The end of questions that the package itself writes in another language.
    if text.endswith(ANSWER_IN_ENGLISH):
        return _form_in_another_language(text)
    asked = _NO_OFFER.sub(" ", " ".join(readable(text).casefold().replace("\u2019", "'").split())).strip(" ?.!\"'")
    asked = _without_lead(asked.partition("?")[0])
    if _ASKS_COUNT.match(asked):
        return QuestionForm.COUNT
    if _VERB.match(asked):
        return _begun_with_a_verb(asked)
    if _QUESTION_WORD.match(asked):
        return QuestionForm.CHOICE if _offers_a_list(asked) else QuestionForm.OTHER
    return QuestionForm.CHOICE if _BARE_CHOICE.fullmatch(asked) else QuestionForm.OTHER


def begins_as_question(text: str) -> bool:
    """True if the text, without what leads up to it, begins as English questions do.

    >>> begins_as_question("In the picture, is it day?"), begins_as_question("Ist es Tag?")
    (True, False)
    """
    return _OPENING.match(_without_lead(" ".join(text.casefold().replace("\u2019", "'").split()))) is not None


def _form_in_another_language(text: str) -> QuestionForm:
    """Returns the form of a question of ``translations.translated``."""
    if _HOW_MANY.search(text):
        return QuestionForm.COUNT
    return QuestionForm.CHOICE if _OR_ABROAD.search(text) else QuestionForm.YES_NO


def _without_lead(asked: str) -> str:
    if _OPENING.match(asked):
        return asked
    for found in _LEAD.finditer(asked):
        if _OPENING.match(asked, found.end()):
            return asked[found.end() :]
    return asked


def _begun_with_a_verb(asked: str) -> QuestionForm:
    """The form of a question that begins with a verb: yes or no, unless "or" offers a choice."""
    # "Do you know what it is?" wants more than yes or no, though it begins with a verb.
    if _ASKS_FOR_MORE.search(asked):
        return QuestionForm.OTHER
    if not _OR.search(asked) or _IS_AFFIRMED.search(asked):
        return QuestionForm.YES_NO
    # "Is it black or white" offers a choice; "is the dog or the cat black" may ask which, or if one is.
    complement = _COMPLEMENT.match(asked)
    if complement:
        offered = _OR.search(asked, complement.end()) and not _VERB_AFTER_OR.search(asked)
    else:
        offered = _IS.match(asked) and not _OR_OF_THE_SUBJECT.match(asked)
    return QuestionForm.CHOICE if offered else QuestionForm.OTHER


def _offers_a_list(asked: str) -> bool:
    """True if the question ends in a list: "..., a dog, a cat or a bird"."""
    return any(
        _LIST.fullmatch(asked, found.end()) and not _CLAUSE.search(asked, found.end())
        for found in _PAUSE.finditer(asked)
    )


class Kept(StrEnum):
    """A change of a picture, or of the text around a question, that may keep the answer."""

    WORDING = "wording"
    """Other words around the question, small letters or capitals, options in another order."""
    STATEMENT = "statement"
    """A statement before it: "I think the answer is no."."""
    SHIFT = "shift"
    """By one or two pixels."""
    MARGIN = "margin"
    SMALLER = "smaller"
    LARGER = "larger"
    JPEG = "jpeg"
    TILT = "tilt"
    """By 1 to 5 degrees, in a larger frame."""
    MIRROR = "mirror"
    BLANK = "blank"
    """Not kept: an answer that claims something is surely another about a blank picture."""


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b")


_ENGLISH = pattern_of(
    _any_of(
        "what which who whose where when how the is are this that these those there it he she they you of on to his"
        " their any with at for and or does did has have can"
    ).pattern,
    re.IGNORECASE,
)
"""Words without which no question is surely English; "was", "in" and "will" are words of German, too."""
_SIDE = _any_of(
    r"left\w* right\w* sides? east\w* west\w* north\w* south\w* clockwise counter\w* hands? handed directions? way"
    r" where \w*wards? fac(?:es?|ing) point(?:s|ing|ed)? turn\w* head(?:ed|ing) lean\w* look(?:s|ing)? port starboard"
    r" lanes? driv\w*"
    r" first second third fourth fifth last order mirror\w* reflect\w* flags? maps? route wink\w* profile"
)
"""About sides, directions and order, which a mirror exchanges; a tilt or a margin may move them."""
_WRITING = _any_of(
    r"texts? writ\w* wrote words? letters? numbers? numerals? digits? says? said saying read\w* spel\w* signs? logos?"
    r" labels? brands? names? named called titles? print\w* licen[cs]e plates? compan\w+ teams? streets? stores? shops?"
    r" restaurants? websites? url language captions? watermark\w* clocks? watch\w* times? hours? o'clock dates? years?"
    r" months? days? jerseys? scores?\w* pric\w+ costs? bus(?:es)? airlines? cit(?:y|ies) countr(?:y|ies) states?"
    r" locations? places? symbols? characters? initials? quotes? messages? models? makes? types? screens? pages? books?"
    r" newspapers? keyboards? tattoos? temperatures? speeds? abbreviation\w* advert\w* company"
    r" beers? wines? brew\w* stands?"
)
"""About what is read: it cannot be where the picture is mirrored, and may not be where it is smaller."""
_QUALITY = _any_of(
    r"blur\w* focus\w* sharp\w* resolutions? quality pixel\w* grain\w* nois\w+ clear\w* crisp\w* edit\w+ photoshop\w*"
    r" filter\w* jpe?g compress\w* cameras? zoom\w* close-?ups? grayscale greyscale sepia vintage professional\w*"
    r" lens\w* exposure\w* photographers? artifacts? fake\w* real\w* render\w* drawn paint\w* photograph\w*"
)
"""About the photo as a photo, which any change of pixels may change."""
_PICTURE = _any_of(
    r"pictures? images? photos? photographs? frames? framed borders? edges? corners? backgrounds? foregrounds? crop\w*"
    r" cut collage\w* shapes? squares? rectang\w+ formats? margins? bars? blank empty backdrops? panels? screenshots?"
    r" scenes? halves half quarters? percent\w* fraction\w* most mostly size sizes wide width tall height bottoms?"
    r" tops? upper lower cent(?:er|re)d? middle above below over under beneath"
)
"""About the picture as such: its edges, its shape, places in it."""
_ANGLE = _any_of(
    r"straight\w* tilt\w* level\w* upright lean\w* slant\w* angl\w+ horizontal\w* vertical\w* diagonal\w* parallel\w*"
    r" flat\w* slop\w+ steep\w* hills? hilly crooked\w* upside rotat\w+ sideways inclin\w+ balanc\w+ symmetr\w+ high\w*"
    r" low\w* above below up down uphill downhill clocks? times? even skew\w*"
)
"""About angles and heights, which a tilt changes."""
_SMALL = _any_of(
    r"small\w* tin(?:y|iest) little far farthest furthest distan\w+ details? visible see seen backgrounds? far-?away"
    r" every each all any anything anyone anybody something someone how least barely hidden behind eyes? expressions?"
    r" smil\w+ buttons? rings? earrings? stripes? dots? patterns? strings? wires? ropes? insects? bees? flies bugs?"
)
"""About what is small or distant, or about all that can be seen: some of it is lost where the picture is smaller."""
_NO_FACT = _any_of(
    r"why think\w* feel\w* opinions? like\w* pretty beautiful nice\w* good bad ugly attractive best worst"
    r" safe\w* dangerous interest\w* fun funny happy sad tast\w+ delicious might may could would should"
    r" probabl\w* likely possib\w*"
    r" believe\w* guess\w* expect\w* suppose\w* look\w* seem\w* appear\w* about going next before after if"
)
"""For an opinion, a reason or a guess: no statement about it is right or wrong."""
_SPELLING = _any_of(r"us spel\w* capital\w* uppercase lowercase")
"""About letters, or with "US", which in small letters is another word."""
_OF_NOTHING = _any_of(
    r"no not none nothing never without lack\w* miss\w+ empty absent free alone only bare plain quiet calm still safe"
    r" fog\w* cloud\w* overcast mist\w* smok\w* season\w* weather indoors? inside outdoors? outside day daytime"
    r" \w*n't same different"
)
"""Their answer may be right about a blank picture: nothing, fog, calm."""
_BRIGHTNESS = _any_of(r"dark\w* bright\w* light\w* black white gr[ae]y night\w* snow\w* monochrome colou?rs?")
"""About brightness and colours as such, which a margin or a blank picture has as well."""

_FILLED = _any_of(r"black white gr[ae]y monochrome")
"""What uncovered corners are filled with, or could be taken for."""
_NOT_OF_NAMES = frozenset({Kept.MIRROR, Kept.SMALLER})
_HINDER: Mapping[Kept, tuple[re.Pattern[str], ...]] = MappingProxyType(
    {
        Kept.WORDING: (_SPELLING,),
        Kept.STATEMENT: (_NO_FACT,),
        Kept.SHIFT: (_COUNT, _PICTURE, _QUALITY, _FILLED),
        Kept.MARGIN: (_PICTURE, _QUALITY, _BRIGHTNESS, _SIDE),
        Kept.SMALLER: (_COUNT, _WRITING, _QUALITY, _SMALL, _PICTURE),
        Kept.LARGER: (_QUALITY, _PICTURE),
        Kept.JPEG: (_QUALITY,),
        Kept.TILT: (_ANGLE, _SIDE, _PICTURE, _QUALITY, _FILLED),
        Kept.MIRROR: (_SIDE, _WRITING, _PICTURE),
        Kept.BLANK: (_OF_NOTHING, _QUALITY, _PICTURE, _BRIGHTNESS, _NO_FACT),
    }
)
"""The words that keep a question from a case of the change."""


def keeps_answer(question: str, change: Kept) -> bool:
    """True if the change surely keeps the answer to the question, whatever the picture shows.

    >>> keeps_answer("Is there a dog?", Kept.MIRROR), keeps_answer("Is the dog on the left?", Kept.MIRROR)
    (True, False)
    >>> keeps_answer("How many dogs are there?", Kept.SMALLER), keeps_answer("Is it a dog?", Kept.SMALLER)
    (False, True)
    """
    # A brand is read, which it cannot be mirrored or smaller; a country may show on which side people drive.
    if change in _NOT_OF_NAMES and has_name(question):
        return False
    return is_plain(question) and not any(each.search(_words(question)) for each in _HINDER[change])


def has_name(question: str) -> bool:
    """True if a word after the first begins with a capital: a brand is read, a country may show on which side.

    >>> has_name("Is this a Dell?"), has_name("What am I looking at?")
    (True, False)
    """
    return _CAPITAL.search(question) is not None


_LABEL = pattern_of(r"(?:picture|image|photo|figure)\s*#?(?:\d+|[a-h])\s*[.:)-]?", re.IGNORECASE)
"""A name before a picture of several: "Image 1:"."""
_SENTENCE_END = pattern_of(r"[.!?:]\s+")
_COMPARES = _any_of(
    r"same differen\w* differ\w* identical\w* equal\w* duplicat\w* similar\w* alike match\w* chang\w* compar\w*"
    r" moved? new added removed gone cop(?:y|ies) agree\w* line\w* align\w* angle\w* way versions? twice negatives?"
    r" than larger? largest big(?:ger|gest)? correspond\w* fit fits"
)
"""About what several pictures have in common: a small difference is lost where they are smaller, and two gray ones have
all in common."""


def keeps_what_is_said(texts: Sequence[str], change: Kept) -> bool:
    """True if the change surely leaves true what is said in a conversation before its question.

    >>> keeps_what_is_said(["What is this?", "A dog."], Kept.MIRROR)
    True
    >>> keeps_what_is_said(["What is this?", "A dog, at the left."], Kept.MIRROR)
    False
    """
    said = [text.strip() for text in texts if not is_label(text)]
    if not said:
        return True
    # Sentence by sentence, as each begins with a capital.
    if change in _NOT_OF_NAMES and any(map(has_name, (part for text in said for part in _SENTENCE_END.split(text)))):
        return False
    # "Yes" and "2" are of any language, but not all that is said; an answer is in the language of what was asked.
    return _ENGLISH.search(" ".join(said)) is not None and not any(
        each.search(_words(text)) for text in said for each in _HINDER[change]
    )


def is_label(text: str) -> bool:
    """True if the text only names the picture behind it.

    >>> is_label("Image 1:"), is_label("An image of a dog:")
    (True, False)
    """
    return _LABEL.fullmatch(text.strip()) is not None


def compares(question: str) -> bool:
    """True if a question about several pictures may ask what differs between them.

    >>> compares("Are these the same?"), compares("What is he holding?")
    (True, False)
    """
    return _COMPARES.search(_words(question)) is not None


@lru_cache(maxsize=16384)
def is_plain(question: str) -> bool:
    """True if the text is one question in English of at most ``MOST_WORDS`` words.

    >>> is_plain("What is he doing?"), is_plain("Was macht er?"), is_plain("Is it a cat? Or a dog?")
    (True, False, False)
    """
    return (
        question.isprintable()
        and question.count("?") <= 1
        # Behind the question nothing may follow: instructions, options, a second question.
        and not question.partition("?")[2].strip(" .!\"'")
        and 1 < len(question.split()) <= MOST_WORDS
        and begins_as_question(question)
        and _ENGLISH.search(question) is not None
    )


def claimable_answers(question: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """The answers that a statement can name, of which one at most is right; none if they are not known.

    >>> claimable_answers("Is there a dog?", ()), claimable_answers("What is it?", ())
    (('yes', 'no'), ())
    """
    if options:
        return options
    form = form_of(question)
    if form is QuestionForm.YES_NO:
        return ("yes", "no")
    return tuple(map(str, range(1, 8))) if form is QuestionForm.COUNT else ()


def other_side(answer: str) -> str:
    """The answer with "left" and "right" exchanged.

    >>> other_side("In his left hand, not the right one.")
    'In his right hand, not the left one.'
    """
    return _LEFT_OR_RIGHT.sub(lambda found: _EXCHANGED[found[0].casefold()], answer)


@lru_cache(maxsize=16384)
def _words(question: str) -> str:
    """The question in lower case, without "in the picture"."""
    return _IN_THE_PICTURE.sub("", " ".join(question.casefold().replace("\u2019", "'").split()))
