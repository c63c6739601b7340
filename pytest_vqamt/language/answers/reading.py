"""Answers read by the text of their question: the public ``vqamt.read``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from operator import eq, ge, gt, le, lt
from typing import Any, TypeAlias

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    YES_OR_NO,
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    InAll,
    InPicture,
    Located,
    Meaning,
    MovesFirst,
    Neither,
    NotBoth,
    PartCount,
    Property,
    Related,
    Side,
    WhichPicture,
    WhichThere,
    Written,
    is_yes_no,
    what_is_asked,
)
from pytest_vqamt.core.query import Answer
from pytest_vqamt.language.answers import choices, counts, yes_no
from pytest_vqamt.language.answers.answer_text import (
    DENIAL,
    WHOLE_PICTURE,
    Prepared,
    Unreadable,
    UnreadableAnswer,
    mark_numbers,
    plain_question,
    prepare,
)
from pytest_vqamt.language.answers.content import content, without_typing_errors
from pytest_vqamt.language.answers.counts import Quantifier
from pytest_vqamt.language.answers.echoes import ASKS_TO_SAY, as_asked, numbers_of, repeated
from pytest_vqamt.language.answers.foreign import forms as foreign_choices
from pytest_vqamt.language.answers.foreign import numbers as foreign_counts
from pytest_vqamt.language.answers.foreign import polarity as foreign_yes_no
from pytest_vqamt.language.answers.foreign.forms import answer_proper, is_english, language_of
from pytest_vqamt.language.answers.other_languages import (
    count_in_mandarin,
    denies_in_mandarin,
    form_in_another_language,
    there_in_another_language,
)
from pytest_vqamt.language.answers.predicates import (
    clause_with_predicate,
    contradicts_predicate,
    converse_place,
    option_with_predicate,
    with_names,
)
from pytest_vqamt.language.answers.vqa_accuracy import normalise_answer
from pytest_vqamt.language.captions.naming_words import entries_by_form
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.english.phrases import descriptions
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.questions.free import QuestionForm, form_of
from pytest_vqamt.language.questions.lettered import has_letters

AnswerReading: TypeAlias = bool | int | str | Quantifier | UnreadableAnswer

_PLAIN = {
    f"{word}{end}": said
    for said, word in ((True, "yes"), (True, "Yes"), (False, "no"), (False, "No"))
    for end in ("", ".")
}
"""What most models say to most questions, without any work: a run asks thousands, each of another meaning."""
_MAX_CACHED_CHARS = 200
"""Readings of longer answers are not cached: hardly any is given twice."""

_DENYING = frozenset({"no", "not", "none", "nothing", "neither", "nobody", "never", "without"})

_BREAKS_OFF = pattern_of(r"\w \w+ (?:an?|the|of|with|and|or|is|are)$")
"""Ends before what is asked for: "he is riding a"."""
_NOT_BUT = pattern_of(r"\bnot (?!only\b|just\b|merely\b)[^.,;!?\n]{1,60}?,? but (?:rather )?")
"""What is put right at once: "it is not riding a bicycle but a skateboard"."""

_USUALLY = pattern_of(
    r"(?<![^.!?\n])[^.!?\n]{0,200},\s?but\b(?= (?:only|just|this|here|in)\b)"
    r"|(?<![^.,;!?\n])[^.,;!?\n]{0,200}\b(?:usually|normally|typically|generally)\b[^.,;!?\n]{0,200}[.,;!?\n]",
    re.IGNORECASE,
)
"""How many parts such a thing has: "a dog has four legs, but only three are visible"."""

_NO_WRITING = pattern_of(
    r"\bno (?:such )?(?:text|word|words|writing|sentence)\b"
    r"|(?:\b(?:cannot|can not|do not|unable to|could not)|n['\u2019]t) (?:see|find|read|spot|detect) "
    r"(?:it\b|(?:the|that|any|this) (?:text|words?|writing|sentence)\b)"
)
"""Denies all writing, so the one asked about: "there is no text in the picture"."""
_MAY = pattern_of(r"\b(?:may|might|could|perhaps|maybe|possibly)\b")
"""Leaves open what is written: "it may say 'KITE'"."""

_DENIES = pattern_of(r"(?:there is )?(?:(?:none|nothing)\b(?! of [^.]*\b(?:is|are|has|have)\b)|no such\b)")
"""There is nothing that could have the property: "no such thing"."""

_OF_STATEMENTS = frozenset(["yes", "there", "the", "not", "is", "are", "no"])

_NUMBERED = pattern_of(
    r"^\W*(?:is|are|were|was) (?:there )?(?P<bound>at least|at most|no more than|more than|fewer than|less than|exactly"
    r"|only|just) (?P<number>[a-z]+|\d+) (?P<what>[^?]+)",
    re.IGNORECASE,
)
"""Asks whether a number keeps a bound: "are there at least three cups?"."""
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "at least": ge, "more than": gt, "at most": le, "no more than": le, "fewer than": lt, "less than": lt,
    "exactly": eq, "only": eq, "just": eq,
}  # fmt: skip

_EMPTY = pattern_of(
    r"^\W*(?:no\W+)?(?:the|this|that) ([a-z ]{2,40}?) (?:is|are|looks?|appears?|seems?)(?: to be)?"
    r"(?: (?:completely|entirely|totally|quite|all|currently|actually|almost))*"
    r" (?:empty|bare|deserted|vacant|clear)\W*(?:$|[.;!\n])"
)
"""Nothing is there of what could be: "the field is empty"."""

_NOT_SAID_PLAINLY = (Unreadable.NO_YES_OR_NO, Unreadable.UNSURE, Unreadable.REFUSAL)

_ASKS_HOW_MANY_MORE = pattern_of(r"\bhow many (?:more|fewer)\b.*\bthan\b", re.IGNORECASE)
"""Asks for a difference: "how many more people are in the first picture than in the second?"."""
_SO_MANY_MORE = pattern_of(r"<(\d+)> (?:more|fewer)\b")
"""The difference that is asked for: "5 and 3, so there are 2 more people"."""
_ASKS_FOR_THE_VISIBLE = pattern_of(r"\b(?:visible|can (?:be|you) see|seen|shown)\b")
"""Asks for what can be seen alone: "how many wheels are visible?"."""
_VISIBLE_NUMBER = pattern_of(
    r"(?:\b(?:only|just|so) <(\d+)>(?: of (?:them|these|those|which))?|<(\d+)> of (?:them|these|those|which))"
    r"(?: [a-z]+)?,? (?:is|are|can be)(?: clearly| actually)? (?:visible|seen|shown)\b"
)
"""The number of those that are seen, where others may be hidden: "six wheels, only three of them are visible"."""

_OTHERS = pattern_of(r"\b(?:other|more|additional|further)\b")
"""Asks for those besides one that is known: "no other boxes" is none of these, and not a remark."""
_BOUND_ASKED_FOR = pattern_of(r"\b(?:at least|at most|more than|fewer than) (?:an?|\w+)\b")
"""The bound of the question, said again, is no answer: "people who have at least one bag: 4"."""

_ALL_OF_THEM = pattern_of(r"^\W*(?:it is |there is |there are |i (?:can )?see )?both\b(?!.*\b(?:no|not|but)\b)")
"""Names all options and chooses none: "both a cat and a dog are on the bed"."""
_LETTERED = pattern_of(r"\W*[a-h][.):]")
"""A letter that contradicts what follows is not explained away: "A. The girl holds it" for "A. boy"."""
_OF_ABSENT = pattern_of(r"\b(?:which|what|who)\b[^?]{0,200}\b(?:not|isn't|aren't|can't|cannot|missing|absent)\b")
"""Asks which option is missing: "which of these is not there?"."""

_DIRECTIONS = tuple(
    frozenset(words.split())
    for pair in (
        ("bigger larger greater", "smaller littler"), ("taller", "shorter"), ("longer", "shorter"), ("higher", "lower"),
        ("heavier", "lighter"), ("brighter lighter", "darker"), ("older", "younger newer"),
        ("wider broader", "narrower"),
        ("thicker", "thinner"), ("closer nearer", "farther further"), ("faster quicker", "slower"),
        ("more", "fewer less"),
        ("hotter warmer", "colder cooler"), ("fuller", "emptier"), ("younger", "older"), ("newer", "older"),
    )
    for words in pair
)  # fmt: skip
_OPPOSITE_WORDS = {
    frozenset(each) for pair in zip(_DIRECTIONS[::2], _DIRECTIONS[1::2], strict=True) for each in product(*pair)
}
_COMPARATIVE = "|".join(sorted(frozenset().union(*_DIRECTIONS)))
_ASKED_TO_COMPARE = pattern_of(
    rf"\b(?:which|what|who|are there|is there)\b[^?]{{0,200}}?\b({_COMPARATIVE})\b(?! \w+ than)"
)
"""Asks which has more of something: "which is bigger?"."""
_COMPARISON = pattern_of(
    rf"\W*(?:(?:there (?:is|are)|i (?:can )?see) )?(.{{0,120}}?)\b({_COMPARATIVE})\b(.{{0,120}}?)\bthan\b([^,.;\n]*)\W*"
)
"""Compares both options: "the cup is smaller than the jug"."""
_ASKED_IF_MORE = pattern_of(
    rf"(?:is|are) ((?:the|this|that) [a-z ]{{1,60}}?) ({_COMPARATIVE}) than ((?:the|this|that) [a-z ]{{1,60}})"
)
"""Asks whether a comparison holds, which its converse says, too: "the backpack is smaller than the suitcase"."""
_MOST = pattern_of(r"^(?:are|is) there (more|fewer|less)\b")
"""Asks of what there is more, where both numbers are an answer: "six chairs, two tables"."""
_DENIES_A_COMPARISON = pattern_of(r"\b(?:no|not|nor|never)\b")
"""Leaves open which is more: "the dog is not smaller than the cat", "no smaller than"."""

_YES_OR_NO = Annotated(answers=(), options=YES_OR_NO)
_ANY_DENIAL = Absent(group=Group(name="thing"))

_COUNTED_PLAINLY = pattern_of(
    r"(?:how many|what is the (?:total )?number of|count the) (.+?)(?: (?:are there|are visible|(?:can|do) you see))?"
)
"""Counts things and no part of them: "how many chairs are there?", not "how many chairs are empty?"."""

_NEGATED_VERB = pattern_of(r"^(?:(is|are|was|were|do|does|did|has|have|could|would)n|(can))['\u2019]?t\b", re.I)
"""Asks whether something is so, not whether it is not: "Isn't the shop open?"."""
_LEAD = pattern_of(
    rf"^(?:(?:in|on|from|looking at) (?:the|this|that) {WHOLE_PICTURE},? "
    r"|.*[.:\n] (?=(?:is|are|does|do|can|how|what) ))"
)
"""Words before the question: "in the picture, is there a horse?". "In the barn" is a condition."""
_IN_THE_PICTURE = pattern_of(
    rf" (?:visible |shown |present |seen )?(?:anywhere )?(?:in|on) (?:the|this|that) {WHOLE_PICTURE}\b| here$"
)
"""Is no condition: "an animal in the photo". "In the box" is one."""
_NUMBER = pattern_of(
    r"(?:.*\b)?(?:how many|number of|count (?:all |up )?(?:of )?(?:the )?) ?(?:different )?(.+?)"
    r"(?: (?:are|is|do|does|did|can|could|have|has|were|appear|stand|sit|in|on|at|that|which|who|with"
    r"|wearing|visible|shown"
    r"|present|seen|there|of|near|next|behind|under|to)\b.*)?"
)
"""What a question counts: "how many dogs are there?"."""

_ASKS_FOR_A_TEXT = pattern_of(
    r"\b(?i:written|writes?|words?|text|letters|says?|reads?|appears?|inscription)\b[^?\n]{0,60}?['\"\u2018\u201c]"
    r"([^'\"\u2019\u201d\n]{1,60})['\"\u2019\u201d]"
)
"""Asks whether a text is there, which stands in quotes: "is the word 'SALE' written on it?"."""
_PIECES = pattern_of(r"\b(how many |number of )(?:(?:pieces|items) of |individual |separate |total )")
"""Words for single ones: "pieces of luggage" are luggage."""

_THERE = pattern_of(
    r"(?:(?:is|are|was|were) there|there (?:is|are)|(?:can|do) (?:you|we) (?:see|spot|find)|(?:does |do )?"
    rf"(?:the|this) {WHOLE_PICTURE} (?:shows?|contains?|have|has|include|depict|feature)) (.+?)(?: in it)?"
)
"""Asks for presence: "is there a dog?", "does the picture show a dog?"."""
_VISIBLE = pattern_of(
    r"(?:is|are|can) (an?|any|some|no) (.+?)"
    r"(?: (?:visible|present|shown|seen|there|depicted|be (?:seen|found|spotted|made out)))?"
)
"""Asks for presence: "is there a dog?", "does the picture show a dog?"."""
_FREE = pattern_of(
    rf"(?:is|are) (?:(?:the|this) {WHOLE_PICTURE} (?:without|free of)(?: any| an?)? (.+)"
    r"|(.+?) (?:absent|missing)(?: from .+)?)"
)
"""Asks for absence: "is the picture without any bears?"."""

_NEITHER_NOR = pattern_of(r"neither (.{1,60}?) nor (.{1,60})")
"""Asks that neither of two is there: "is there neither a clock nor a shoe?"."""
_LOCATED = pattern_of(
    r"(?:is|are) (?:there )?(?:an?|the) (.+?) (?:located |positioned )?(?:(?:to|on) the (left"
    r"|right)(?: side)? of|(above|below)) (?:an?|the) (.+)"
)
"""Asks for a side: "is the dog to the left of the cat?"."""

_DOING = pattern_of(
    r"(?:is|are) (?:the|this|that) (.{1,80}?) ((?:\w{2,}ing) (?:an?|the|any|his|her|its|their|some) .+|\w{2,}ing \w+)"
)
"""Asks what somebody does: "is the man wearing sunglasses?"."""

_PLACE_WORD = pattern_of(r" ?(?:left|right|top|bottom|front|back|near|far)(?: hand)?(?: side| edge)?")
"""The side of the picture, not a thing: "on the right side"."""

_DETERMINER = pattern_of(r"^(?:not any|an?|the|any|some|no|one|at least one) ")
"""Stands before the name of a group: "a dog"."""
_PLACED = pattern_of(
    r"(.+?) (?:(?:that|which|who) (?:is|are) )?(on|under|near|next to|behind|beside|in front of|in|above|below|with"
    r"|to the (?:left|right) of) "
    r"(?:an?|the|any|some|his|her|its|their) (.+)"
)
"""A group at another thing: "a phone on the table"."""

_LONGEST_NAME = 3
_CLAUSE_WORD = pattern_of(r"\b(?:the|in|on|that|which|who|is|are|to|of|than|at|by|for|from|off|\w{2,}ing|\w{2,}ed)\b")
"""A phrase with a clause is no name: "anything to eat"."""


def read(question: str | Meaning, answer: str | Answer | Prepared, options: Sequence[str] = ()) -> AnswerReading:
    """Reads an answer to a question: yes or no as a truth, a number, one of ``options``, or a text.

    ``question`` is a text in English or a meaning, ``answer`` a text or an ``Answer``. One without a reading gives an
    ``UnreadableAnswer`` with the reason.

    >>> read("Is the door open?", "It's closed."), read("How many dogs are there?", "2 dogs next to 3 people")
    (False, 2)
    >>> read("Which is it, a cat or a dog?", "**(B)**", ["cat", "dog"])
    'dog'
    >>> read("Is there a dog?", "I can't see any image.").reason.value
    'sees nothing'
    """
    if not isinstance(question, str):
        return read_by_meaning(question, answer)
    meaning = meaning_of(question, tuple(options))
    if isinstance(meaning, Choice):
        return read_choice(answer, options, question)
    if is_yes_no(meaning):
        return read_yes_no(answer, question)
    return read_count(answer, question) if isinstance(meaning, Count) else read_by_meaning(meaning, answer)


def as_letter(answer: str, question: str) -> str:
    """The answer with the letter A in capitals if it is an "a", and the question has options with letters.

    >>> as_letter("a", "Which is it? A) cat B) dog"), as_letter("a", "Which is it, a cat or a dog?")
    ('A', 'a')
    """
    return "A" if answer.strip() == "a" and has_letters(f" {question}") else answer


def _prepared(answer: str | Answer | Prepared) -> Prepared:
    return prepare(answer.text if isinstance(answer, Answer) else answer)


def read_by_meaning(meaning: Meaning, answer: str | Answer | Prepared) -> AnswerReading:
    """Reads the answer as the kind of answer that the meaning asks for."""
    text = answer.text if isinstance(answer, Answer) else answer
    if isinstance(text, str) and is_yes_no(meaning) and (plain := _PLAIN.get(text)) is not None:
        return plain
    if isinstance(text, str) and len(text) <= _MAX_CACHED_CHARS:
        return _cached_reading(meaning, text)
    return _reading_of(meaning, prepare(text))


@lru_cache(maxsize=65536)
def _cached_reading(meaning: Meaning, text: str) -> AnswerReading:
    return _reading_of(meaning, prepare(text))


def _reading_of(meaning: Meaning, answer: Prepared) -> AnswerReading:
    """The reading by the kind of the meaning."""
    if isinstance(meaning, WhichPicture):
        return choices.read_ordinal(answer)
    if isinstance(meaning, InPicture | InAll):
        # "In picture 2 there are three dogs": the number of the picture is no count.
        return _reading_of(what_is_asked(meaning), prepare(choices.without_picture_numbers(answer.said)))
    if isinstance(meaning, Count):
        return counts.read_count(answer, meaning.groups)
    if isinstance(meaning, PartCount):
        # "A dog has four legs, but only three are visible": the usual number is not the one counted.
        return counts.read_count(_without_the_usual_number(answer), (Group(name=meaning.part),))
    if isinstance(meaning, Written):
        return _read_written(answer, meaning)
    if is_yes_no(meaning):
        return yes_no.read_yes_no(answer, meaning)
    if isinstance(meaning, Choice):
        # "There is no chair, the only bus is blue" chooses no colour of the chair.
        if " no " in answer.text and _denies_presence(answer, meaning.what):
            return UnreadableAnswer(Unreadable.NO_OPTION)
        return choices.read_choice(answer, meaning.options)
    if isinstance(meaning, Annotated) and meaning.is_count:
        return counts.read_count(answer, ())
    if isinstance(meaning, Annotated) and meaning.question:
        return _read_free(answer, meaning)
    if isinstance(meaning, Annotated) and meaning.options:
        return choices.read_choice(answer, meaning.options)
    if isinstance(meaning, WhichThere):
        names = (*(group.name for group in meaning.groups), *((NONE_OF_THESE,) if meaning.or_none else ()))
        # "There is no dog, kite or car" is "none of these", or no option where that is not offered.
        denies = not meaning.missing and DENIAL.search(answer.text) is not None
        if denies and yes_no.read_yes_no(answer, Either(groups=meaning.groups)) is False:
            return NONE_OF_THESE if meaning.or_none else UnreadableAnswer(Unreadable.NO_OPTION)
        return choices.read_choice(answer, names, of_absent=meaning.missing)
    if isinstance(meaning, MovesFirst):
        return choices.read_first(answer, tuple(group.name for group in meaning.groups))
    if isinstance(meaning, Property):
        return _read_property(answer, meaning)
    if isinstance(meaning, Entails):
        return choices.read_label(answer)
    text = " ".join(answer.said.casefold().split()).rstrip(".")
    return text or UnreadableAnswer(Unreadable.EMPTY)


class FreeAnswer(str):
    """The words of an answer to a question that may be answered by any words.

    Two answers agree if they are the same but for the words of the question, fillers, number and the ends of verbs, or
    if one says all that the other says, and neither denies what the other does not.

    >>> question = "What color is the bus?"
    >>> FreeAnswer.of("The bus is red.", question).agrees_with(FreeAnswer.of("Red", question))
    True
    >>> FreeAnswer.of("not red", question).agrees_with(FreeAnswer.of("red", question))
    False
    """

    __slots__ = ("words",)
    words: frozenset[str]
    """The words that matter, each in one form, without those of the question if any others are left."""

    @classmethod
    def of(cls, answer: str, question: str) -> FreeAnswer:
        """The answer to the question; its text is the answer in lower case without a full stop."""
        made = cls(" ".join(answer.casefold().split()).rstrip("."))
        said = _words_of(made)
        # An answer of nothing but words of the question ("the bus" to "what is the bus?") keeps them.
        made.words = said - _words_of(question) or said
        return made

    def agrees_with(self, other: FreeAnswer) -> bool:
        """True if it says the same."""
        # Of fillers alone ("it is") no word is left to compare.
        if not self.words or not other.words:
            return self == other
        return self.words == other.words or (
            # The longer may add details ("red", "dark red"), but no denial.
            (self.words < other.words or other.words < self.words) and not (self.words ^ other.words) & _DENYING
        )


def _words_of(text: str) -> frozenset[str]:
    return frozenset(content(normalise_answer(text.casefold()).replace("grey", "gray")))


def _read_free(answer: Prepared, meaning: Annotated) -> AnswerReading:
    """The reading by the question's words and options; the words of the answer if it may be any words."""
    asked = meaning_of(meaning.question, meaning.options)
    if isinstance(asked, Choice) or is_yes_no(asked) or isinstance(asked, Count):
        return read(meaning.question, answer, meaning.options)
    if (language := language_of(meaning.question)) and not is_english(language, answer):
        found = answer_proper(language, answer)
        return found if isinstance(found, UnreadableAnswer) else FreeAnswer.of(found, meaning.question)
    # Any words answer, so only here does an answer without its last word look like a whole one.
    if answer.unreadable is None and _BREAKS_OFF.search(answer.text):
        return UnreadableAnswer(Unreadable.CUT_OFF)
    return answer.unreadable or FreeAnswer.of(_NOT_BUT.sub(" ", answer.text), meaning.question)


def _denies_presence(answer: Prepared, group: Group) -> bool:
    """True if the answer says that there is no such thing."""
    return any(yes_no.presence_claimed(group, clause) is False for clause in answer.clauses)


def _without_the_usual_number(answer: Prepared) -> Prepared:
    """The answer without how many parts such a thing has: "it has four legs, but only three are visible"."""
    rest = _USUALLY.sub("", answer.text, count=1)
    return answer.with_text(rest) if re.search(r"\w", rest) else answer


def _read_written(answer: Prepared, meaning: Written) -> bool | UnreadableAnswer:
    """Yes or no, or a sentence that says of the text that it is there, or that it is not."""
    read = yes_no.read_yes_no(answer, meaning)
    if isinstance(read, bool):
        return read
    said = " ".join(answer.said.casefold().split())
    text = meaning.text.casefold().rstrip(".!?")
    # The text itself may have a "no" in it: "NO PARKING".
    about = [clause.replace(text, "") for clause in re.split(r"[.!?,;]|\bbut\b", said) if text in clause]
    claims = {DENIAL.search(clause) is None for clause in about if not _MAY.search(clause)}
    if len(claims) == 1:
        return claims.pop()
    return False if not about and _NO_WRITING.search(said) else read


def _read_property(answer: Prepared, meaning: Property) -> str | UnreadableAnswer:
    """One of the values, another of the category, or a denial that there is such a thing."""
    if _DENIES.match(answer.plain.strip(" '")):
        return NO_SUCH_THING
    there = Exists(group=meaning.group)
    said = yes_no.read_yes_no(answer, there)
    if said == UnreadableAnswer(Unreadable.UNSURE):
        # "I cannot tell, since there is none" denies the thing beside its doubt.
        said = yes_no.read_yes_no(answer.without_doubts(), there)
    if said is False:
        return NO_SUCH_THING
    value = choices.read_choice(answer, meaning.values)
    if value != UnreadableAnswer(Unreadable.NO_OPTION):
        return value
    words = set(re.findall(r"[a-z]+", answer.text))
    others = tuple(word for word in ontology().members(meaning.category) if word in words)
    # "Tan" is none of the values, and a colour all the same: the thing is there.
    return choices.read_choice(answer, others) if others else value


def read_yes_no(answer: str | Answer | Prepared, question: str = "") -> bool | UnreadableAnswer:
    """True if an answer says yes; claims about the things of the ``question`` count, too.

    >>> read_yes_no("There is a puppy.", "Is there a dog?")
    True
    """
    answer = _prepared(answer)
    if (plain := yes_no.without_idioms(answer.text)) != answer.text:
        answer = answer.with_text(plain)
    if yes_no.leaves_open(answer.text):
        return UnreadableAnswer(Unreadable.UNSURE)
    # "Isn't the shop open?" asks whether it is open: people who say "no" mean that it is closed.
    question = _NEGATED_VERB.sub(r"\1\2", question)
    meaning = meaning_of(question, ())
    if (language := language_of(question)) and not is_english(language, answer):
        return foreign_yes_no.read_yes_no(language, question, answer)
    if meaning is _YES_OR_NO and denies_in_mandarin(question):
        # A "no" with a sentence behind it may agree with the denial or not; the reader of denials leaves it open.
        return yes_no.read_yes_no(answer, _ANY_DENIAL)
    if (of_number := _of_a_number(question, answer)) is not None:
        return of_number
    if isinstance(meaning, Written):
        return _read_written(answer, meaning)
    said = yes_no.read_yes_no(answer, meaning if is_yes_no(meaning) else _YES_OR_NO)
    if (compares := _ASKED_IF_MORE.fullmatch(plain_question(question).partition("?")[0].strip())) is not None:
        things = [_DETERMINER.sub("", compares[place]) for place in (1, 3)]
        more = _compared(f"Which is {compares[2]}?", answer, things) if things[0] != things[1] else None
        # "The girl is taller than the boy" to "Is the boy taller than the girl?" may have mixed up the two: unread.
        if more is not None and (more == things[0] or compares[2] not in answer.text):
            return more == things[0]
    if question and (stated := as_asked(question, answer)) is not None:
        # "No, there are no horses" to "Are no horses there?" is a yes: people do not answer denials logically.
        agrees = DENIAL.search(question) or yes_no.leading_particle(answer) in (None, stated)
        return stated if agrees else UnreadableAnswer(Unreadable.YES_AND_NO)
    # Matches by words alone are looser than claims, and are tried only where there is none.
    if isinstance(said, UnreadableAnswer) and said.reason in _NOT_SAID_PLAINLY and question:
        for stated in (
            repeated(question, answer),
            _of_an_empty_place(meaning, answer),
            there_in_another_language(question, answer.said),
        ):
            if stated is not None:
                return stated
        words = frozenset(re.findall(r"[a-z]+", question.lower()))
        corrected = without_typing_errors(answer.text, sorted(words | _OF_STATEMENTS))
        return said if corrected == answer.text else read_yes_no(answer.with_text(corrected), question)
    return said


def _of_a_number(question: str, answer: Prepared) -> bool | UnreadableAnswer | None:
    """Compares the number that an answer gives with that of the question: "four cups" are "at least three cups"."""
    asked = _NUMBERED.match(question)
    bound = counts.read_count(asked["number"]) if asked else None
    if asked is None or not isinstance(bound, int):
        return None
    number = read_count(answer, f"How many {asked['what']}?")
    # A bare "no" reads as 0, and counts nothing.
    if not isinstance(number, int) or number == 0:
        return None
    holds = _BOUNDS[asked["bound"].lower()](number, bound)
    if yes_no.leading_particle(answer) in (None, holds):
        return holds
    return UnreadableAnswer(Unreadable.YES_AND_NO)


def _of_an_empty_place(meaning: Meaning, answer: Prepared) -> bool | None:
    """Reads "the field is empty" where something in the field is asked for."""
    said = _EMPTY.match(answer.statements)
    if said is None or not isinstance(meaning, Exists | Absent) or "almost" in said[0]:
        return None
    places = {each.to.name for each in meaning.group.related if each.predicate in ("in", "on", "at", "inside")}
    return isinstance(meaning, Absent) if singular(said[1]) in places else None


def read_count(answer: str | Answer | Prepared, question: str = "") -> int | Quantifier | UnreadableAnswer:
    """The number that an answer gives; of several numbers the one of the things that the ``question`` counts."""
    answer = _prepared(answer)
    if (language := language_of(question)) and not is_english(language, answer):
        counted = foreign_counts.read_count(language, question, answer)
        return Quantifier(counted.word) if isinstance(counted, foreign_counts.Amount) else counted
    meaning = meaning_of(question, ())
    # Without groups the only number counts, whatever it is of.
    groups = meaning.groups if isinstance(meaning, Count) else ()
    if not language and form_in_another_language(question) is QuestionForm.COUNT and not answer.said.isascii():
        mandarin = count_in_mandarin(question, answer.said)
        return UnreadableAnswer(Unreadable.NO_NUMBER) if mandarin is None else mandarin
    # "Four children; three of them wear helmets": only that clause answers "how many wear helmets?".
    narrowed = clause_with_predicate(question, answer, groups[0].attributes) if len(groups) == 1 else None
    if isinstance(narrowed, UnreadableAnswer):
        return narrowed
    if _ASKS_HOW_MANY_MORE.search(question) and (more := {*_SO_MANY_MORE.findall(answer.marked)}):
        return int(more.pop()) if len(more) == 1 else UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    text = answer.text if narrowed is None else narrowed
    for bound in _BOUND_ASKED_FOR.findall(question.lower()):
        text = text.replace(bound, "")
    # "Of the six people, four stand" is six where no part is asked for.
    if len(groups) == 1 and plain_meaning(question) is not None:
        text = counts.whole_of(text, groups[0])
    if others := _OTHERS.search(question):
        text = re.sub(rf"\b{others[0]} (?=\w)", "", text)
    # Before the general reader, which would take the number of all: "six wheels, only three are visible".
    if _ASKS_FOR_THE_VISIBLE.search(question) and (seen := _VISIBLE_NUMBER.findall(mark_numbers(text))):
        return int("".join(seen[0])) if len(seen) == 1 else UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    return counts.read_count(answer if text == answer.text else answer.with_text(text), groups)


def read_choice(answer: str | Answer | Prepared, options: Sequence[str], question: str = "") -> str | UnreadableAnswer:
    """The one of the options that an answer names, by its words, its letter or its place.

    >>> read_choice("There is no kite.", ["dog", "kite"], "Which of these is not in the picture, a dog or a kite?")
    'kite'
    """
    answer = _prepared(answer)
    # Elsewhere an "a" is the article of an answer cut off.
    if as_letter(answer.said, question) != answer.said:
        answer = replace(answer, said="A")
    if (language := language_of(question)) and not is_english(language, answer):
        chosen = foreign_choices.read_choice(language, answer, tuple(options))
        if chosen is not None:
            return chosen
    # "The shelf is below the lamp" to "is the lamp above or below the shelf?" must not be read as "below".
    if (converse := converse_place(question, answer, tuple(options))) is not None:
        return converse
    if (
        _DENIES_A_COMPARISON.search(answer.text)
        and _COMPARISON.fullmatch(answer.text)
        and _ASKED_TO_COMPARE.search(question.lower())
    ):
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    read = choices.read_choice(answer, tuple(options), of_absent=_OF_ABSENT.search(question.lower()) is not None)
    if (
        read == UnreadableAnswer(Unreadable.NO_OPTION)
        and (named := with_names(answer.text, tuple(options))) != answer.text
    ):
        return read_choice(answer.with_text(named), options, question)
    if _ALL_OF_THEM.search(answer.text) and len(set(choices.find_options(answer.text, tuple(options)))) > 1:
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    # "The woman is shorter" to "who is taller?" names the woman, and denies her the predicate.
    if isinstance(read, str) and contradicts_predicate(question, answer, tuple(options), read):
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    if read == UnreadableAnswer(Unreadable.SEVERAL_OPTIONS) and not (
        _LETTERED.match(answer.text) or choices.is_one_of_a_mixture(answer.text, tuple(options))
    ):
        return _compared(question, answer, options) or option_with_predicate(question, answer, tuple(options)) or read
    return read


# Comparisons of two options: "the cup is smaller than the bottle"


def _compared(question: str, answer: str | Prepared, options: Sequence[str]) -> str | None:
    """The option that a comparison chooses for a question that compares; None if it is another comparison.

    >>> _compared("Which is bigger, the cup or the bottle?", "The cup is smaller than the bottle.", ["cup", "bottle"])
    'bottle'
    >>> _compared("Which is bigger, the cup or the bottle?", "The cup is older than the bottle.", ["cup", "bottle"])
    """
    answer = prepare(answer)
    # "Six chairs, two tables" compares by its numbers.
    if (found := _MOST.search(question.lower())) and len(options) == 2:
        numbers = numbers_of([_DETERMINER.sub("", option.lower()) for option in options], answer)
        if numbers and numbers[0] != numbers[1]:
            return options[(numbers[0] > numbers[1]) == (found[1] != "more")]
    asked = _ASKED_TO_COMPARE.search(question.lower())
    said = _COMPARISON.fullmatch(answer.text) if asked else None
    if asked is None or said is None or " not " in question or _DENIES_A_COMPARISON.search(said[0]):
        return None
    first, second = (choices.read_choice(part, tuple(options)) for part in (f"{said[1]} {said[3]}", said[4]))
    if not isinstance(first, str) or not isinstance(second, str) or first == second:
        return None
    if asked[1] == said[2] or any({asked[1], said[2]} <= words for words in _DIRECTIONS):
        return first
    return second if {asked[1], said[2]} in _OPPOSITE_WORDS else None


@lru_cache(maxsize=4096)
def meaning_of(question: str, options: tuple[str, ...]) -> Meaning:
    """The meaning of a question as far as reading its answers needs it.

    Only plain questions for presence, attributes and numbers have groups; others have just the form of the answer.
    """
    if options and tuple(option.casefold() for option in options) != YES_OR_NO:
        return Choice(what=Group(name="thing"), options=options)
    # The only options that come here are yes and no.
    form = QuestionForm.YES_NO if options else form_of(question)
    if form is QuestionForm.OTHER:
        form = form_in_another_language(question) or form
    asked = " ".join(question.casefold().replace("\u2019", "'").partition("?")[0].split())
    # The patterns below match a whole question, so all that adds nothing to it goes first.
    asked = ASKS_TO_SAY.sub("", _NEGATED_VERB.sub(r"\1\2", asked))
    asked = _PIECES.sub(r"\1", _IN_THE_PICTURE.sub("", _LEAD.sub("", asked)).strip(" ,.:"))
    if form is QuestionForm.COUNT:
        return _count_meaning(asked)
    if form is QuestionForm.YES_NO and (quoted := _ASKS_FOR_A_TEXT.search(question)):
        return Written(text=quoted[1])
    if form is QuestionForm.YES_NO:
        return _place_meaning(asked) or _presence_meaning(asked) or _attribute_meaning(asked) or _YES_OR_NO
    return Annotated(answers=())


def plain_meaning(question: str) -> Exists | Absent | Count | None:
    """The meaning of a question that asks for the presence or the number of named things and for no more, else None.

    >>> plain_meaning("Is there a dog?")
    Exists(group=Group(name='dog', covers=(), attributes=(), related=()))
    >>> plain_meaning("Is there a dog on the sofa?"), plain_meaning("How many dogs are lying down?")
    (None, None)
    """
    meaning = meaning_of(question, ())
    if isinstance(meaning, Exists | Absent):
        return None if meaning.group.related else meaning
    if not isinstance(meaning, Count) or not meaning.groups or any(group.related for group in meaning.groups):
        return None
    asked = _IN_THE_PICTURE.sub("", _LEAD.sub("", question.casefold().strip(" ?"))).strip(" ,.:")
    found = _COUNTED_PLAINLY.fullmatch(asked)
    # The rest of the question must be empty: "how many dogs are lying down?" counts a part of them.
    named = [_group(each) for each in re.split(r" (?:and|or) ", found[1])] if found else []
    return meaning if tuple(named) == meaning.groups else None


def _count_meaning(asked: str) -> Count:
    found = _NUMBER.fullmatch(asked)
    names = re.split(r" (?:and|or) ", found[1]) if found else []
    groups = tuple(group for name in names if (group := _group(name)) is not None)
    # One name that is not understood would leave its number out of the total.
    return Count(groups=groups if len(groups) == len(names) else ())


def _presence_meaning(asked: str) -> Meaning | None:
    """The meaning of a question for presence; None for others, and where it has conditions that are not understood."""
    if found := _VISIBLE.fullmatch(asked):
        group = _group(f"{found[1]} {found[2]}")
        return None if group is None else Absent(group=group) if found[1] == "no" else Exists(group=group)
    if found := _FREE.fullmatch(asked):
        group = _group(found[1] or found[2])
        return Absent(group=group) if group else None
    found = _THERE.fullmatch(asked)
    if not found:
        return None
    if neither := _NEITHER_NOR.fullmatch(found[1]):
        pair = tuple(group for each in neither.groups() if (group := _group(each)))
        return Neither(groups=pair) if len(pair) > 1 else None
    phrases = found[1].removeprefix("either ").removeprefix("both ")
    is_denied = phrases.startswith(("no ", "not any "))
    for word, kinds in ((" and ", (Both, Neither)), (" or ", (Either, Neither))):
        if word in phrases:
            groups = tuple(_group(each) for each in phrases.split(word))
            known = tuple(group for group in groups if group)
            # A part that is not understood ("anything to eat") leaves all of it to the particles.
            if len(known) < len(groups):
                return None
            # "Either no dog or no cat" asks whether one is missing; "no dog or cat" whether both are.
            if word == " or " and is_denied and phrases.partition(word)[2].startswith("no "):
                return NotBoth(groups=known)
            return kinds[is_denied](groups=known)
    group = _group(phrases)
    if group is None:
        return None
    return Absent(group=group) if is_denied else Exists(group=group)


def _place_meaning(asked: str) -> Located | None:
    found = _LOCATED.fullmatch(asked)
    if not found:
        return None
    group, other = _group(found[1]), _group(found[4])
    if group is None or other is None:
        return None
    return Located(group=group, side=Side(found[2] or found[3]), other=other)


def _attribute_meaning(asked: str) -> Has | None:
    """The meaning of a question for one attribute of the one thing: "is the traffic light green"."""
    if (doing := _DOING.fullmatch(asked)) and (doer := _group(doing[1])):
        return Has(group=doer, attribute=doing[2].replace(" any ", " "))
    words = asked.split()
    # Two words first: "lying down", "light green".
    for length in (2, 1):
        attribute = " ".join(words[-length:])
        if length > 1 and " ".join(words[-3:-1]) in entries_by_form():
            continue  # a traffic light that is green
        if ontology().category_of(attribute) is None and attribute not in descriptions():
            continue
        found = re.fullmatch(
            r"(?:(?:is|are|does|do) )?(?:the|this|that) (.+?)(?: (?:is|are|looks?|appears?|seems?)(?: to be)?)?",
            " ".join(words[:-length]),
        )
        group = _group(found[1]) if found else None
        if group is not None and not any(
            _PLACE_WORD.fullmatch(f"{' '.join(each.to.attributes)} {each.to.name}") for each in group.related
        ):
            return Has(group=group, attribute=attribute)
    return None


def _group(phrase: str) -> Group | None:
    """The group of a plain noun phrase; None for one with a clause."""
    phrase = _DETERMINER.sub("", phrase.strip())
    related: tuple[Related, ...] = ()
    if found := _PLACED.fullmatch(phrase):
        to = _group(found[3])
        if to is None:
            return None
        related = (Related(predicate=found[2], to=to),)
        phrase = found[1]
    words = phrase.split()
    attributes = []
    # The last word stays as the name, even if it can describe: "an orange".
    while len(words) > 1 and (words[0] in descriptions() or ontology().category_of(words[0]) is not None):
        attributes.append(words.pop(0))
    name = " ".join(words)
    if not words or (name not in entries_by_form() and (len(words) > _LONGEST_NAME or _CLAUSE_WORD.search(name))):
        return None
    return Group(name=singular(name), attributes=tuple(attributes), related=related)
