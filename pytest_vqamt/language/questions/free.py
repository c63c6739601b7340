"""Questions of users and data sets, of which only the words are known: which changes surely keep their answer.

The words decide. A question with a word that may make the answer depend on the change gets no case of it, and so does a
text that is not one plain question in English: a word too many on a list costs a case, one too few a false violation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.language.questions.form import QuestionForm, begins_as_question, form_of

MOST_WORDS = 40


class Kept(StrEnum):
    """A change of a picture, or of the text around a question, that may keep the answer."""

    WORDING = "wording"
    STATEMENT = "statement"
    SHIFT = "shift"
    MARGIN = "margin"
    SMALLER = "smaller"
    LARGER = "larger"
    JPEG = "jpeg"
    TILT = "tilt"
    MIRROR = "mirror"
    BLANK = "blank"
    """Not kept: an answer that claims something is surely another about a blank picture."""


def keeps_answer(question: str, change: Kept) -> bool:
    """Whether the change surely keeps the answer to the question, whatever the picture shows.

    >>> keeps_answer("Is there a dog?", Kept.MIRROR), keeps_answer("Is the dog on the left?", Kept.MIRROR)
    (True, False)
    >>> keeps_answer("How many dogs are there?", Kept.SMALLER), keeps_answer("Is it a dog?", Kept.SMALLER)
    (False, True)
    """
    if change in _NOT_OF_NAMES and has_name(question):
        return False
    return is_plain(question) and not any(each.search(_words(question)) for each in _HINDER[change])


def has_name(question: str) -> bool:
    """Whether a word after the first begins with a capital: a brand is read, and a country may show on which side.

    >>> has_name("Is this a Dell?"), has_name("What am I looking at?")
    (True, False)
    """
    return _CAPITAL.search(question) is not None


_CAPITAL = re.compile(r"\s\W{0,9}+(?!I\b)[^\W\d_a-z]")


@lru_cache(maxsize=16384)
def is_plain(question: str) -> bool:
    """Whether the text is one question in English of at most ``MOST_WORDS`` words.

    >>> is_plain("What is he doing?"), is_plain("Was macht er?"), is_plain("Is it a cat? Or a dog?")
    (True, False, False)
    """
    return (
        question.isprintable()
        and question.count("?") <= 1
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


_EXCHANGED = {"left": "right", "right": "left"}
_LEFT_OR_RIGHT = re.compile(r"\b(?:left|right)\b", re.IGNORECASE)
_IN_THE_PICTURE = re.compile(
    r"\b(?:(?:shown|seen|visible|present|depicted) )?(?:in|on) (?:the|this|that) "
    r"(?:picture|image|photo|photograph|scene)\b"
)


@lru_cache(maxsize=16384)
def _words(question: str) -> str:
    """The question in lower case, without "in the picture"."""
    return _IN_THE_PICTURE.sub("", " ".join(question.casefold().replace("\u2019", "'").split()))


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words.split())})\b")


_ENGLISH = re.compile(
    _any_of(
        "what which who whose where when how the is are this that these those there it he she they you of on to his"
        " their any with at for and or does did has have can"
    ).pattern,
    re.IGNORECASE,
)
"""Words without which no question is surely English; "was", "in" and "will" are words of German, too."""
_COUNT = re.compile(r"\bhow (?:many|much)\b|\b(?:number|amount|count) of\b|\bcount\b")
_SIDE = _any_of(
    r"left\w* right\w* sides? east\w* west\w* north\w* south\w* clockwise counter\w* hands? handed directions? way"
    r" where \w*wards? fac(?:es?|ing) point(?:s|ing|ed)? turn\w* head(?:ed|ing) lean\w* look(?:s|ing)? port starboard"
    r" lanes? driv\w*"
    r" first second third fourth fifth last order mirror\w* reflect\w* flags? maps? route wink\w* profile"
)
_WRITING = _any_of(
    r"texts? writ\w* wrote words? letters? numbers? numerals? digits? says? said saying read\w* spel\w* signs? logos?"
    r" labels? brands? names? named called titles? print\w* licen[cs]e plates? compan\w+ teams? streets? stores? shops?"
    r" restaurants? websites? url language captions? watermark\w* clocks? watch\w* times? hours? o'clock dates? years?"
    r" months? days? jerseys? scores?\w* pric\w+ costs? bus(?:es)? airlines? cit(?:y|ies) countr(?:y|ies) states?"
    r" locations? places? symbols? characters? initials? quotes? messages? models? makes? types? screens? pages? books?"
    r" newspapers? keyboards? tattoos? temperatures? speeds? abbreviation\w* advert\w* company"
    r" beers? wines? brew\w* stands?"
)
_QUALITY = _any_of(
    r"blur\w* focus\w* sharp\w* resolutions? quality pixel\w* grain\w* nois\w+ clear\w* crisp\w* edit\w+ photoshop\w*"
    r" filter\w* jpe?g compress\w* cameras? zoom\w* close-?ups? grayscale greyscale sepia vintage professional\w*"
    r" lens\w* exposure\w* photographers? artifacts? fake\w* real\w* render\w* drawn paint\w* photograph\w*"
)
_PICTURE = _any_of(
    r"pictures? images? photos? photographs? frames? framed borders? edges? corners? backgrounds? foregrounds? crop\w*"
    r" cut collage\w* shapes? squares? rectang\w+ formats? margins? bars? blank empty backdrops? panels? screenshots?"
    r" scenes? halves half quarters? percent\w* fraction\w* most mostly size sizes wide width tall height bottoms?"
    r" tops? upper lower cent(?:er|re)d? middle above below over under beneath"
)
_ANGLE = _any_of(
    r"straight\w* tilt\w* level\w* upright lean\w* slant\w* angl\w+ horizontal\w* vertical\w* diagonal\w* parallel\w*"
    r" flat\w* slop\w+ steep\w* hills? hilly crooked\w* upside rotat\w+ sideways inclin\w+ balanc\w+ symmetr\w+ high\w*"
    r" low\w* above below up down uphill downhill clocks? times? even skew\w*"
)
_SMALL = _any_of(
    r"small\w* tin(?:y|iest) little far farthest furthest distan\w+ details? visible see seen backgrounds? far-?away"
    r" every each all any anything anyone anybody something someone how least barely hidden behind eyes? expressions?"
    r" smil\w+ buttons? rings? earrings? stripes? dots? patterns? strings? wires? ropes? insects? bees? flies bugs?"
)
_NO_FACT = _any_of(
    r"why think\w* feel\w* opinions? like\w* pretty beautiful nice\w* good bad ugly attractive best worst"
    r" safe\w* dangerous interest\w* fun funny happy sad tast\w+ delicious might may could would should"
    r" probabl\w* likely possib\w*"
    r" believe\w* guess\w* expect\w* suppose\w* look\w* seem\w* appear\w* about going next before after if"
)
_SPELLING = _any_of(r"us spel\w* capital\w* uppercase lowercase")
_OF_NOTHING = _any_of(
    r"no not none nothing never without lack\w* miss\w+ empty absent free alone only bare plain quiet calm still safe"
    r" fog\w* cloud\w* overcast mist\w* smok\w* season\w* weather indoors? inside outdoors? outside day daytime"
    r" \w*n't same different"
)
_BRIGHTNESS = _any_of(r"dark\w* bright\w* light\w* black white gr[ae]y night\w* snow\w* monochrome colou?rs?")

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
