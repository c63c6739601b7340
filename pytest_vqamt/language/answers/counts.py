"""Numbers in answers to "how many"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.language.answers.answer_text import (
    MARK,
    MOST_DIGITS,
    NOT_WHOLE,
    PICTURE,
    Prepared,
    Unreadable,
    UnreadableAnswer,
    mark_numbers,
    prepare,
    unreadable_answer,
    without_inscriptions,
)
from pytest_vqamt.language.answers.content import exclude, without_typing_errors
from pytest_vqamt.language.answers.other_languages import number_in_another_language
from pytest_vqamt.language.answers.yes_no import noun_pattern
from pytest_vqamt.language.captions.caption_reader import class_of, hyponyms
from pytest_vqamt.language.captions.naming_words import spans_of
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, plural, singular
from pytest_vqamt.language.english.phrases import descriptions
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.wordnet import wordnet

_COUPLE_OF_OTHERS = pattern_of(r"\ba (?:couple|pair) of ((?!them\b|these\b|those\b|which\b)[a-z]+s)\b")
"""Two of what is named: "a couple of adults and one child"."""
_AND_ANOTHER = pattern_of(
    r"(?:there is|i (?:can )?see) an? (?P<name>[a-z]+(?: [a-z]+)?),? and (?:~|another)(?: one)?"
    r"(?=\W*$| (?:behind|on|in|at|near|next|beside|under|to)\b)"
)
"""One more than the thing with an article: "there is a dog and another one behind it"."""
_AND_THE_OTHER = pattern_of(
    r"\W*<1>(?P<name>(?: [a-z]+){0,2}) (?:is|was) [^<.;]{1,60},? (?:and|while) the other(?: one)? (?:is|was)\b[^<]*$"
)
"""Two things by what each does: "one dog is eating and the other is sleeping"."""
_DECLARED = pattern_of(
    r"\b(?:number of (?:[a-z-]+ ){1,5}is|number of (?:[a-z-]+ ){0,4}[a-z-]+:|i\.e\.|(?:that|which) (?:is|makes|leaves)"
    r"|so|thus|therefore|hence|leaving|(?:that|which) means(?: that)?),? (?:(?:there are|it is|that is) )?"
    r"<(\d+)>( (?!of\b)[a-z]+)?[.\s]*$"
)
"""The verdict at the end, whatever was counted before: "therefore the number of red circles is 2"."""
_EMPTY_OF = pattern_of(r"\b(?:empty|devoid|clear) of (?=[a-z])")
"""Says that there are none: "the street is empty of cars". "Three cars are empty" counts them."""
_NOT_ANOTHER = pattern_of(r"(<\d+>[^<.;\n]{0,60}),? (?:and )?not <\d+>(?=\W*$|[.;])")
"""The number after "not", where another stands before it: "it has seven steps, not eight"."""
_ONLY_NUMBERS = pattern_of(r"[\s<>\d]+")
"""Nothing but numbers, which may not differ from line to line: "4" above "5"."""

_THERE_ARE = pattern_of(r"\bthere (?:is|are) (?:only |exactly )?<(\d+)>")
"""A number stated before the verdict: "there are three dogs. The number of dogs is two"."""

_ANOTHER_ONE = pattern_of(
    r"^([^<]*)<([1-9])>((?: [a-z'-]+){1,4}?(?: [^<.;]{0,60})?,?) (?:and|plus) (?:~|another)(?: one)?"
    r"(?=\W*$|[.,;!]| (?:is|are|was|in|on|at|by|near|behind|beside|under|next|to|with|that|lying|\w+ing)\b)([^<~]*)$"
)
"""One more of what was counted: "there is one dog and another one behind it"."""
_SPELLED = tuple(word for word in NUMBER_WORDS[1:21] if len(word) > 2)
_LISTED_LINE = pattern_of(r"^\s*(\d+)[.)]\s+(?=\D).*$", re.MULTILINE)
"""A line of a numbered list, whose numbers are places: "1. a black dog"."""
_OUT_OF = pattern_of(
    r"(?:\bout of|(?<=>) of) (?:(?:the|all|these|those) ){1,2}<\d+>(?= [a-z])|(?<=>) out of <\d+>"
    r"|(?<=>) of <\d+>(?= [a-z])"
    r"|\b(?:out )?of (?:the|an?) (?:original|total|entire|initial)(?: of)? <\d+>|^of (?:the|these|those"
    r"|all) <\d+>(?= [a-z])"
    r"|\b(?:except|besides|apart from|other than|excluding|not counting)(?: for)? <\d+>"
)
"""The number of the whole of which a part is counted: "two of the 5 cats"."""
_ON_EACH = pattern_of(
    r"<\d+>(?= (?:on|in|per|at|for|to) (?:each|every|either)\b)|(?<=\beach )<\d+>"
    r"|(?<=\beach \w{7} )<\d+>"
)
"""The number on each side or thing is a part: "6 wheels, 3 on each side"."""
_NOT_BUT = pattern_of(r"\bnot (?:just |only )?<\d+>(?=(?: [a-z]+)?,? (?:but|there (?:is|are)) )")
"""A number that is taken back at once: "not two, but three"."""
_HYPOTHESIS = pattern_of(r"(?:^|(?<=[.!\n;(,])) ?(?:if|unless) (?:you|we|one|i|it|they|the)\b[^.;\n)]*")
"""What the number would be: "if you include the reflection, there are four"."""
_IN_PAIRS = ("scissors", "glasses", "sunglasses", "pants", "jeans", "shorts", "trousers", "binoculars", "pliers")
_PAIRS = pattern_of(r"(?<=\w )pairs? of (?=\w)")
"""Things with two parts are counted by pairs: "one pair of glasses" is one, of shoes it is two."""
_BARE_FIRST = pattern_of(
    r"\W*(?:(?:there (?:is|are)|i (?:can )?(?:see|count)|it is|only|just|about) )*<(\d+)>[.\n](?!.*\b(?:wait"
    r"|actually|correction"
    r"|total|altogether|in all|sum|and another|also|additional|more|plus)\b)(?=\s*[a-z~<])",
    re.DOTALL,
)
"""A number that is a sentence by itself before an explanation."""
_EACH_ONE = pattern_of(
    r"<(?!1>)\d+>(?: (?!(?:on|in|at|near|by|under|behind|to|and|is|are"
    r"|with)\b)[a-z'-]+){0,3}\s*[,:;-]((?:[^<]*<1> (?:is|on|in|at|with|to|under|behind|near|of|has)\b[^<]*)+)$"
)
"""Single ones of those that were counted: "two bags, one on each shoulder"."""
_WITHIN_BRACKETS = pattern_of(r"\([^()]*<[^()]*\)")
"""A remark on what was counted: "3 dogs (1 is hidden)"."""
_APPOSITION = pattern_of(r"(?<=[a-z]), an? (?:(?!and\b|or\b)[a-z-]+ ?){1,4}[.!]?$")
"""What a single thing is, at the end: "only one dog, a small terrier"."""
_WORD = r"(?!(?:and|or|with|in|on|of|that|is|are)\b)[a-z'-]+"
_ITEM = rf"(?:<\d+>|an?|another|one) {_WORD}(?: {_WORD}){{0,3}} ?"
_LIST = pattern_of(
    rf"(?:[^<:(]*\b(?:is|are|see|shows?|contains?|spot|has|includes?|features?|depicts?|count"
    rf"|identify)\b[a-z ]*?:? ?)?(?<![a-z])({_ITEM}(?:, ?{_ITEM})*(?:,? ?(?:and|plus|as well as|&"
    rf"|\+) (?:also )?{_ITEM})?)"
    rf"(?:(?: ?(?:in|on|at|is|are|near|by|inside|sitting|standing|lying)\b[^<]*)?[.!]?\s*)$"
)
"""A list of what is counted, with nothing behind it but a place: "two front legs and two back legs"."""
_JOINED = pattern_of(r",|\band\b|\bplus\b|\bas well as\b|[&+]")
"""Joins the things of a list; "two or three" is none."""
_ITEMS = pattern_of(
    r"(<(\d+)>|an?|another|one) ((?!(?:and|plus|as)\b)[a-z'-]+(?: (?!(?:and|plus|as)\b)[a-z'-]+){0,6}?)"
    r"(?= ?,| and\b| plus\b| as well as\b|$|[&+.])"
)
"""The things of a list, each with its number: "two front legs", "a cat"."""

_IN_A_PLACE = (
    r"<(\d+)>(?: (?:is|are))?(?: (?:sitting|standing|lying|seen|visible|located|parked|hanging))?"
    r" (?:(?:on|in|at|near|under|behind|beside|next to|by|to) ([^<,.;]{2,60}?)|(?:(?<=is )|(?<=are ))([a-z]+))"
)
_IN_PLACES = pattern_of(rf"(?:[^<.;]{{0,40}}?[:,.] |yes,? )?{_IN_A_PLACE}(?:,? and |[,;.] ){_IN_A_PLACE}[.\s]*")
"""Two numbers without nouns, each of another place or look: "two are on the sofa and one is on the floor"."""

_MEMBER = pattern_of(
    r"(?:<(?P<number>\d+)>|\b(?P<one>an?|another|his|her|their|its)\b)(?P<phrase>(?: (?!(?:and|or|of|in|on|at"
    r"|with|is|are"
    r"|that|which|who|another|an?|his|her|their)\b)[a-z'-]+){1,4})"
)
"""Each of those listed by their kinds: "a woman and her daughter" are two people."""
_GOES_BEYOND = pattern_of(r"\b(?:or|of|each|every|including|total|altogether|them|others?|same|if|not)\b|[(:=+~-]")
"""Words with which kinds are not simply added: "a man or a woman" is one person."""

_OF_THE_WHOLE = pattern_of(
    r"\s*(?:out )?of (?:the |these |those |all (?:the )?)?([a-z-]+|\d+) ([a-z]+)[, ]", re.IGNORECASE
)
"""The number of all before that of a part: "of the 8 chairs, 3 are empty"."""

_NEITHER = pattern_of(r"<0> ([^<.;\n]* (?:or|nor) [^<.;\n]*)")
"""Several things that are none: "no couches or bottles"."""

_TABLE_ROW = pattern_of(r"^\s*\|(.+)\|\s*$", re.MULTILINE)
"""A row of a table in Markdown: "| dog | 3 |"."""

_ALL_ARE = pattern_of(r"\b(?:all|both)(?: of (?:them|which))?(?: are)? ([a-z]+)\b")
"""What all are, so that none is otherwise: "five turtles, all green"."""

_FEWEST_ALOUD = 3
_NO_LETTERS = pattern_of(r"[^a-z ]+")
"""What stands between numbers that are counted aloud: "1 dog, 2 dogs, 3 dogs - 3"."""

_PHRASE = pattern_of(
    r"(?: (?!(?:and|or|on|in|at|with|next|near|by|of|is|are|behind|beside|under|plus|to|from|who"
    r"|that|above|below|it|them|him|her)\b)[a-z'-]+){1,4}"
)
"""The noun phrase behind a number: "1 dog with 4 legs" counts one dog."""
_LABEL = pattern_of(r"([a-z][a-z '-]{0,40}?)\s*[:=]\s*$")
"""The noun before a number: "Dogs: 3"."""
_OTHER_ARTICLE = pattern_of(r"\ban? ((?:[a-z'-]+ ){0,2}?[a-z'-]+)\b")
"""A single thing of another class is not counted: "a cat and 2 dogs"."""

_OTHER_PLURAL = pattern_of(r"(?:\w+ )*(?!(?:others|ones|instances|total|objects|items)$)\w{2,}(?<!s)s")
"""Other things beside those counted, known or not: "1 dog with 4 legs". "Others" are of the same."""

_AND = r"(?:\band\b|\bplus\b|&|\+|,)"
_NEXT_NUMBER = rf"{_AND}\s*(?:and |also |another |there (?:is|are) )*<"

# "a dog", "there is only a dog", "I can see a dog and a cat".
_ARTICLE = (
    r"(?:^|^(?:yes|well|sure)\W+|\bthere is |\bi (?:can )?see )(?:also |only |just )?"
    r"an? (?!total|number)"
)
_INDEFINITE = (
    r"(?<!\bof )(?<!\bon )(?<!\bin )(?<!\bat )(?<!\bby )(?<!\bwith )(?<!\bis )"
    r"\ban? (?!total|number|group|picture|photo|image|scene)\w+"
)

_BOUND = pattern_of(
    r"\ball (?:but|except) <\d+>|"
    r"\b(?:(?:no )?(?:more|fewer|less) than|at least|at most|up to|as many as)(?: \w+)? <\d+>"
    r"|(?:^|\b(?:are|see|has|have|shows?|contains?|just|well) )(?:over|under) <\d+>"
    r"|<\d+>\s?\+(?!\s*<)|<\d+>[^<.;,\n]*,? (?:or|maybe|perhaps|possibly|if not) (?:even )?(?:more|fewer|less)\b"
)
"""Gives no number but a bound: "at least 2", "all but 2", "3 or more"."""
_QUANTIFIER = pattern_of(
    r"(?<!how )\b(?:many|several|lots|a lot|alot|plenty|some|a few|few|multiple|numerous|countless|dozens|hundreds"
    r"|thousands|^lot$|tons|loads|various|bunch|group|crowd|herd|flock|handful|a number of|a variety)\b"
    r"(?! of (?:them|these|those|which|whom)\b)"
)
"""An amount that is no number: "many". Not "how many" and "some of them"."""
_QUANTIFIER_ADDED = pattern_of(
    rf"<\d+> [^<.;\n]*{_AND}\s*(?:{_QUANTIFIER.pattern})"
    rf"|(?:{_QUANTIFIER.pattern})[^<.;\n]{{0,200}}{_AND}[^<.;\n]{{0,200}}<"
)
"""Counts one part and not the other: "two men and several women"."""
_SOMETHING_ADDED = r"(?:and |also |then |just |only |there is |i (?:can )?see )*(?:an?|another) (?!\w+ one\b)"
_NUMBER_ADDED = pattern_of(
    rf"<[1-9]\d*> [a-z][^<.;:\n]*?{_NEXT_NUMBER}"
    rf"|<\d+> [a-z][^<.;:\n]*?{_AND}\s*{_SOMETHING_ADDED}"
    r"|<[1-9]\d*> [^<]*\bthere is (?:also )?(?:an?|another) "
    rf"|{_ARTICLE}(?:[^<.;:\n]*?{_NEXT_NUMBER}|[^<]*\bthere are <)"
    rf"|{_INDEFINITE} [^<.;:,\n]*?(?:\band\b|\bplus\b|&|\+)\s*<"
)
"""Numbers of several things without a total, equal ones too: "1 dog and 1 cat"."""
_DENIED = pattern_of(r"\bnot (?:exactly |just |only )?<[1-9]")
"""Only says what the number is not: "there are not 3 dogs"."""

_ANOTHER_ARTICLE = pattern_of(rf"{_AND}\s*(?:and )?an? ")
"""A second thing beside one with an article: "a dog and a cat"."""

_SHOWN_ARTICLE = pattern_of(
    rf"\b(?:{PICTURE}|it) (?:clearly )?(?:shows?|contains?|depicts?|features?|has|displays?) (?:only "
    rf"|just )?an? ([^.,;!]+)"
)
"""An article that is the number: "the picture shows a dog"."""

_PARTICLE = pattern_of(r"(?:no|nope|nah)\s*[,.;:!]")
"""A "no" that answers something else than how many: "no, there are 3 dogs"."""
_NONE_FIRST = pattern_of(r"<0>\s*(?:[.;!\n]|,(?!\s*<))")
"""None, whatever else is counted behind it: "none, there are 3 cats"."""
_PARTITIVE = pattern_of(r"<\d+>(?= of (?:them|these|those|which|whom|the)\b)")
"""The number of a subset: "3 boats, 2 of which are sailing"."""

_ALL_OF_THEM = pattern_of(r"(?:^|[.!\n] ?)there (?:is|are) <(\d+)> [a-z]+[.!](?=\s*(?:the|in) total\b)")
"""A sentence that gives the number of all by itself, before another that gives the total."""

_TOTAL = r"(?:total(?:s|ing)?|sum|altogether|all together|in all|combined|overall)"
_TOTAL_FIRST = pattern_of(
    rf"(?:=|\b(?:{_TOTAL}|making|makes|adds? up to|answer is)\b)(?:(?!\band\b)[^<.;\n]){{0,40}}<(\d+)>"
    r"|\b(?:real|actual|true|correct|exact|right|final) (?:number|count|total|amount"
    r"|figure)(?: [a-z]+){0,4}?(?: is|:) <(\d+)>"
    rf"|\b{_TOTAL}\b[^<.;\n]{{0,80}}(?:\bis|\bare|\bequals|=|:)\s*(?:about |exactly )?<(\d+)>"
)
"""The number that is called the sum: "3 on the left + 4 on the right = 7"."""
_TOTAL_LAST = pattern_of(rf"<(\d+)>((?: [a-z]+){{0,4}}?),? (?:in )?{_TOTAL}\b(?!\s*[:=])")
"""A number with the word for a sum behind it: "three altogether"."""
_FOLLOWED_BY_ANOTHER = pattern_of(rf"[^<.;:(\n]*?{_NEXT_NUMBER}")
"""A number to which another is added is no sum: "in total there are 2 dogs and 3 cats"."""
_AFTER_AND = pattern_of(r"(?:\band|\bplus|&|\+|\bwith)\s*$")
"""A number that is added itself is no sum: "2 dogs and 3 cats in total"."""
_SO = pattern_of(r"(?:\b(?:so|thus|therefore|hence|making|for|which is|that is|i\.e)|->|\u2192)\W*$|^[^:(]*[:(]\s*$")
"""Leads to a sum of the numbers before it: "seven zebras, plus two, so nine"."""
_PARTS_FOLLOW = pattern_of(
    r"(?<=^<\d>)\s*[,.!\n](?!\s*<\d+>\s*(?:[,.<]|and\b|$))"
    r"|[^<]*(?::|\(|\bincluding\b|\bconsisting of\b|\bwith\b|\s-\s)[^<]*<"
)
"""Leads to parts that make up the number before it: "four: three white and one black"."""

_LOOK = rf"(?:{'|'.join(sorted(descriptions(), key=len, reverse=True))}|\w+ing)"
_PLACE = r"(?:on|in|at|near|to|is|are|of|with|that|who|which|by|under|behind|next|beside)"
_THE_OTHER = pattern_of(rf"(?:\b(?:the other|another)\b|~)(?= (?:{_LOOK}|{_PLACE})\b)")
"""One more without a number: "one is brown and the other is black"."""
_PART = pattern_of(rf" (?:{_LOOK}(?:\s*(?:$|[,.;!)\n])| (?:and|{_PLACE})\b)|{_PLACE}\b)")
"""Follows the number of a part, which has no noun: "two cars, one red and one on the left"."""
_BEFORE_PARTS = pattern_of(
    rf"(?:(?! (?:{_LOOK}|{_PLACE})\b) \w+){{0,3}}(?: (?:visible|shown|present|here))?"
    rf"(?: in (?:the|this) {PICTURE})?\s*[,.;!\n]"
)
"""Follows the number of the whole, unless places come first: "3 on the left, 2 on the right and 1 behind"."""


@dataclass(frozen=True, slots=True)
class Quantifier:
    """An amount that is no number ("many", "more than 10")."""

    word: str
    """In the words of the answer, lower case: "many", "at least 2"."""


def read_count(answer: str | Prepared, groups: tuple[Group, ...] = ()) -> int | Quantifier | UnreadableAnswer:
    """Returns the number that an answer gives; of several numbers the one of ``groups``, the things that are counted.

    Digits and number words; "none", "no" and "nothing" are 0, "a dog" and "a single one" 1, "a pair" 2. Of several
    different numbers the total counts; without one there is no reading, as of "one dog and one cat". Years, times,
    ordinals, percentages and measures are no counts. A bound ("at least 3") is a quantifier.

    >>> read_count("There are twenty-one birds."), read_count("2 dogs and 3 cats, so 5 in total")
    (21, 5)
    >>> read_count("2 dogs next to 3 people", (Group(name="dog"),))
    2
    >>> read_count("many"), read_count("2 or 3")
    (Quantifier(word='many'), UnreadableAnswer(reason=<Unreadable.SEVERAL_NUMBERS: 'several numbers'>))
    """
    prepared = prepare(answer)
    if len(groups) == 1 and "{" in prepared.said:
        # In {"dogs": 2} the field of the answer is the noun that is counted.
        prepared = prepare(prepared.said, tuple(name for each in groups for name in (plural(each.name), each.name)))
    return _read(prepared.text, groups) if prepared.unreadable is None else prepared.unreadable


def _read(prepared: str, groups: tuple[Group, ...]) -> int | Quantifier | UnreadableAnswer:
    """The number of an answer, step by step without the numbers that do not count."""
    # Each step below takes away numbers that do not count, so that the last ones can go by what is left.
    if (in_row := _in_table(prepared, groups)) is not None:
        return in_row
    if any(group.name in _IN_PAIRS for group in groups):
        prepared = _PAIRS.sub("", prepared)
    # "1. a black dog, 2. a white dog" counts by its lines, unless a number stands outside of them.
    listed = _LISTED_LINE.findall(prepared)
    if len(listed) > 1 and list(map(int, listed)) == list(range(1, len(listed) + 1)):
        outside = _LISTED_LINE.sub("", prepared)
        if not MARK.search(mark_numbers(outside)):
            return len(listed)
        prepared = outside
    prepared = _COUPLE_OF_OTHERS.sub(r"2 \1", prepared)
    words = _without_particle(without_inscriptions(prepared))
    # "One dog and another one behind it": one more than was counted.
    words = _ANOTHER_ONE.sub(lambda found: f"{found[1]}<{int(found[2]) + 1}>{found[3]}{found[4]}", words)
    if (two := _AND_ANOTHER.match(words) or _AND_THE_OTHER.match(words)) and (
        not two["name"] or any(noun_pattern(group).search(two["name"]) for group in groups)
    ):
        return 2
    if len(groups) == 1 and (of_those := _of_those(words, groups[0])) is not None:
        return of_those
    words = _HYPOTHESIS.sub(" ", words) if "if " in words or "unless " in words else words
    if (declared := _declared(words, groups)) is not None:
        return declared
    words = _EMPTY_OF.sub("<0> ", _NOT_ANOTHER.sub(r"\1", words))
    if words.count("<") > 1:
        if _ONLY_NUMBERS.fullmatch(words) and len(set(MARK.findall(words))) > 1 and "\n" in words:
            return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
        if bare := _BARE_FIRST.match(words):
            return int(bare[1])
        outside = _WITHIN_BRACKETS.sub(" ", words)
        # Without the remark in brackets one number must be left: "dogs (2) and cats (3)" has none outside.
        words = outside if len(MARK.findall(outside)) == 1 else words
        if (counted := _counted_aloud(words)) is not None:
            return counted
        words = _ON_EACH.sub("~", words)
    if len(groups) == 1 and (of_kinds := _sum_of_kinds(words, groups[0])) is not None:
        return of_kinds
    words = _NOT_BUT.sub("~", _OUT_OF.sub(" of ~", _APPOSITION.sub("", words)))
    # "Two bags, one on each shoulder": the ones are among the two; beside "the other" they are what adds up.
    if words.count("<") > 1 and not _THE_OTHER.search(words):
        words = _EACH_ONE.sub(lambda found: found[0][: -len(found[1])] + found[1].replace("<1>", "~"), words)
    if (in_places := _sum_of_places(words)) is not None:
        return in_places
    # What the answer adds up itself must agree with the sum of its list.
    together = _sum(words, groups)
    if len(groups) > 1 and (overall := _total(words)) is not None:
        return overall if together in (None, overall) else UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    if together is not None:
        return together
    # "Two turtles" where turtles and shirts are counted leaves the number of shirts open.
    if len(groups) > 1 and _names_one(words, groups):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    return _one_number(_of_what_is_counted(words, groups), prepared, groups)


def _one_number(words: str, prepared: str, groups: tuple[Group, ...]) -> int | Quantifier | UnreadableAnswer:
    """The number of ``words``, marked and without numbers of other things; ``prepared`` is the whole answer."""
    if NOT_WHOLE in words:
        return UnreadableAnswer(Unreadable.NOT_WHOLE)
    total = _total(words)
    # "There are 2 dogs. The total is 4." contradicts itself.
    if total is not None and any(int(number) != total for number in _ALL_OF_THEM.findall(words)):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    if _NONE_FIRST.match(words):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if total else 0
    if total is not None:
        return total
    bound = _BOUND.search(words)
    if bound:
        return Quantifier(MARK.sub(r"\1", bound[0]).strip())
    # From here on the whole counts: "3 dogs, one of them is red".
    words = _without_parts(words)
    numbers = [int(number) for number in MARK.findall(words)]
    quantifier = _QUANTIFIER.search(words)
    # Beside a number an amount counts only if it is added: "two men and several women".
    if quantifier and (not numbers or _QUANTIFIER_ADDED.search(words)):
        return Quantifier(quantifier[0])
    if not numbers:
        # "A dog" is one only where no number stands anywhere.
        if (single := _by_article(words, groups)) is not None:
            return single
        if (foreign := number_in_another_language(prepared)) is not None:
            return foreign
        corrected = without_typing_errors(prepared, _SPELLED)
        return unreadable_answer(prepared, Unreadable.NO_NUMBER) if corrected == prepared else _read(corrected, groups)
    if len(set(numbers)) > 1 or _NUMBER_ADDED.search(words):
        return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS)
    if _DENIED.search(words):
        return UnreadableAnswer(Unreadable.NO_NUMBER)
    return numbers[0]


def _declared(words: str, groups: tuple[Group, ...]) -> int | None:
    """The verdict at the end; None if it is of another thing, or if "there are" another number before it."""
    found = _DECLARED.search(words) if len(groups) < 2 else None
    if not found:
        return None
    # A verdict that names a thing must name all that is counted: "so there are three persons" says nothing of dogs.
    names = "number of" in found[0] or found[2] is not None
    if names and not all(noun_pattern(group).search(found[0]) for group in groups):
        return None
    return int(found[1]) if {*_THERE_ARE.findall(words, 0, found.start())} <= {found[1]} else None


def _sum(words: str, groups: tuple[Group, ...]) -> int | None:
    """The sum of a list of things that are all counted: "a cat and two rabbits" are three animals.

    Of several groups each must be in the list, and may be there only once.
    """
    if len(groups) > 1:
        marks = [(_phrase_of(words, mark), int(mark[1])) for mark in MARK.finditer(words)]
        of_each = [[number for phrase, number in marks if noun_pattern(group).search(phrase)] for group in groups]
        if all(len(numbers) == 1 for numbers in of_each):
            return sum(number for numbers in of_each for number in numbers)
    found = _LIST.match(words.strip()) if groups and _JOINED.search(words) else None
    items = _ITEMS.findall(found[1].strip()) if found else []
    if len(items) < 2:
        return None
    if len(groups) == 1 and len({phrase.strip() for _, _, phrase in items}) == 1:
        return None  # "two zebras, three zebras" counts the same ones again
    counted = [_group_of_noun(phrase.strip(), groups) for _, _, phrase in items]
    # Either every item bears the name of the group or none does.
    own = [plural(group.name) in phrase or group.name in phrase for group in groups for _, _, phrase in items]
    if len(groups) == 1 and len(set(own)) > 1:
        return None  # "two dogs and a puppy": the puppy may be one of the dogs
    if None in counted or len(set(counted)) != len(groups) or (len(groups) > 1 and len(counted) != len(groups)):
        return None
    return sum(int(number) if number else 1 for _, number, _ in items)


def _sum_of_places(words: str) -> int | None:
    """The sum of numbers without nouns: "two are on the sofa, one on the floor", "two are black and one is white"."""
    found = _IN_PLACES.fullmatch(words.strip())
    if found is None or (found[2] and found[2] == found[5]) or re.search(r"\b(?:of|each|them|these|those)\b", words):
        return None
    # "Two are black and one is white" adds up; of "two are sitting, three are wet" some may be both.
    if (found[3] or found[6]) and not (found[3] and found[6] and exclude(found[3], found[6])):
        return None
    return int(found[1]) + int(found[4])


def _sum_of_kinds(words: str, group: Group) -> int | None:
    """The sum of different kinds of what is counted: "three men playing cards and one woman" are four people.

    None where a number may be of a part: the kinds must be different ones, none of them a kind of another.
    """
    if group.attributes or group.related or _GOES_BEYOND.search(words):
        return None
    members = list(_MEMBER.finditer(words))
    heads = [_kind_of_member(found["phrase"], group) for found in members]
    kinds = [head for head in heads if head is not None]
    counted = sum(found["number"] is not None for found, head in zip(members, heads, strict=True) if head)
    # A number that is of no kind may count a part of the others.
    if len(kinds) < 2 or len(set(kinds)) < len(kinds) or counted != len(MARK.findall(words)):
        return None
    # "Two people and a man": the man may be one of them.
    if any(wordnet().is_kind_of(one, other) for one in kinds for other in kinds if one != other):
        return None
    return sum(int(found["number"] or 1) for found, head in zip(members, heads, strict=True) if head)


@lru_cache(maxsize=4096)
def _kind_of_member(phrase: str, group: Group) -> str | None:
    """The first noun of the phrase that names a kind of the group, in the singular."""
    for word in phrase.split():
        noun = singular(word)
        if noun != group.name and (noun in hyponyms(group.name) or wordnet().is_kind_of(noun, group.name)):
            return noun
    return None


def whole_of(answer: str, group: Group) -> str:
    """The number of all that is counted for a question that asks for no part: "of the six people, four stand"."""
    found = _OF_THE_WHOLE.match(answer)
    return f"{found[1]} {found[2]}" if found and noun_pattern(group).fullmatch(found[2].lower()) else answer


def _names_one(words: str, groups: tuple[Group, ...]) -> bool:
    """True if only some of the groups get a number: "two turtles", where shirts are counted as well."""
    named = [
        any(noun_pattern(group).search(_phrase_of(words, mark)) for mark in MARK.finditer(words))
        or any(noun_pattern(group).search(listed) for listed in _NEITHER.findall(words))
        for group in groups
    ]
    return any(named) and not all(named) and not re.search(rf"\b{_TOTAL}\b|=", words)


def _group_of_noun(phrase: str, groups: tuple[Group, ...]) -> Group | None:
    """The group that the noun at the end of a phrase belongs to."""
    words = [word for word in phrase.split() if not word.endswith("ly")]
    # The noun stands before what describes it here: "two dogs sleeping".
    while len(words) > 1 and (words[-1] in descriptions() or words[-1].endswith("ing")):
        words.pop()
    noun = singular(words[-1]) if words else ""
    compound = singular(" ".join(words[-2:]))
    text = " ".join(words)
    for group in groups:
        is_named = any(found.end() == len(text) for found in noun_pattern(group).finditer(text))
        is_kind = not {noun, compound}.isdisjoint(hyponyms(group.name)) or any(
            wordnet().is_kind_of(name, group.name) for name in (compound, noun)
        )
        if set(group.attributes) <= set(phrase.split()) and (is_named or is_kind):
            return group
    return None


def _in_table(prepared: str, groups: tuple[Group, ...]) -> int | None:
    """The number in a table in Markdown, from the row that names the group."""
    rows = [[cell.strip() for cell in found[1].split("|")] for found in _TABLE_ROW.finditer(prepared)]
    if len(groups) > 1:
        return _total_of_table(rows, groups)
    cells = {cell for row in rows for cell in row[1:] if groups and noun_pattern(groups[0]).search(row[0])}
    # Python refuses to read a number of thousands of digits.
    numbers = [int(cell) for cell in cells if cell.isdecimal() and len(cell) <= MOST_DIGITS]
    return numbers[0] if len(numbers) == 1 else None


def _total_of_table(rows: Sequence[Sequence[str]], groups: tuple[Group, ...]) -> int | None:
    """The row of the total, or the sum of the rows of all groups."""
    numbers = {
        row[0]: int(row[-1]) for row in rows if len(row) > 1 and row[-1].isdecimal() and len(row[-1]) <= MOST_DIGITS
    }
    total = [number for name, number in numbers.items() if re.search(rf"\b{_TOTAL}\b", name)]
    of_each = [[number for name, number in numbers.items() if noun_pattern(each).search(name)] for each in groups]
    if len(total) == 1:
        return total[0]
    return sum(map(sum, of_each)) if all(len(each) == 1 for each in of_each) else None


def _of_those(words: str, group: Group) -> int | None:
    """The number that is counted among others: by attribute, place or kind, as in "four, two of which are brown"."""
    # With two conditions a clause with one of them counts too many.
    if len(group.attributes) + len(group.related) > 1 or words.count("<") < (1 if group.attributes else 2):
        return None
    if _BOUND.search(words):
        return None
    link = r"(?: of (?:them|these|those|which|whom))?,?(?: (?:is|are))?"
    if group.attributes:
        # "3 brown and black" may be three of two colours.
        what = rf"(?:an? )?{re.escape(group.attributes[0])}\b(?! (?:and|or)\b(?! <))"
    elif group.related:
        condition = group.related[0]
        what = rf"{re.escape(condition.predicate)} (?:the|an?) {noun_pattern(condition.to).pattern}"
    else:
        what = rf"(?:an? )?{noun_pattern(group).pattern}"
        link = r"(?: of (?:them|these|those|which|whom),?(?: (?:is|are))?| (?:is|are))"
    found = {int(number) for number in re.findall(rf"<(\d+)>{link} {what}", words)}
    # "Five turtles, all green": none of them is brown.
    if not found and group.attributes and (every := _ALL_ARE.search(words)) and exclude(every[1], group.attributes[0]):
        return 0
    return found.pop() if len(found) == 1 else None


def _counted_aloud(words: str) -> int | None:
    """The last number of "1, 2, 3 ... 3 dogs"; None if the answer does not count one by one."""
    marks = list(MARK.finditer(words))
    numbers = [int(mark[1]) for mark in marks]
    # The run 1, 2, 3 ... from the first number on; what follows may only repeat its end.
    length = next((place for place, number in enumerate(numbers) if number != place + 1), len(numbers))
    if length < _FEWEST_ALOUD or any(number != length for number in numbers[length:]):
        return None
    between = {
        singular(_NO_LETTERS.sub(" ", words[one.end() : other.start()]).strip())
        for one, other in pairwise(marks[:length])
    }
    return length if len(between) == 1 and len(between.pop().split()) <= 1 else None


def _of_what_is_counted(words: str, groups: tuple[Group, ...]) -> str:
    """The marked words without the numbers of other things: "2 dogs next to 3 people".

    A number belongs to the noun that follows it, or to the one before a colon. It is another thing's if that noun is of
    another class, or, beside a number of what is counted, any other listed noun.
    """
    if not groups or any(group.covers for group in groups):
        return words
    phrases = [_phrase_of(words, mark) for mark in MARK.finditer(words)]
    if not any(phrases):  # a bare number, for which no table need be read
        return words
    classes = {class_of(group.name) for group in groups}
    patterns = [noun_pattern(group) for group in groups]
    is_own = [any(map(_names_group, groups, patterns, [phrase] * len(groups))) for phrase in phrases]
    foreign = [
        not own
        and (
            _is_of_another(phrase, classes, beside_own=any(is_own))
            or any(pattern.search(phrase) for pattern in patterns)
        )
        for own, phrase in zip(is_own, phrases, strict=True)
    ]
    if (None in classes or not any(foreign)) and not any(is_own):
        return words
    # Numbers of unknown nouns stay, but where the answer counts both what is asked and something else.
    has_both = any(is_own) and any(foreign)
    kept = [own or not (other or has_both) for own, other in zip(is_own, foreign, strict=True)]
    keeps = iter(kept)
    words = MARK.sub(lambda mark: mark[0] if next(keeps) else "~", words)
    return _OTHER_ARTICLE.sub(lambda found: _with_the(found, patterns), words)


def _names_group(group: Group, pattern: re.Pattern[str], phrase: str) -> bool:
    known = ontology()
    return pattern.search(phrase) is not None and not any(
        known.excludes(word, attribute) for attribute in group.attributes for word in phrase.split()
    )


def _phrase_of(words: str, mark: re.Match[str]) -> str:
    """The words of the noun phrase that a number is of."""
    after = _PHRASE.match(words, mark.end())
    if after:
        return after[0].strip()
    before = _LABEL.search(words, max(0, mark.start() - 50), mark.start())
    return before[1].strip() if before else ""


def _is_of_another(phrase: str, classes: set[str | None], *, beside_own: bool) -> bool:
    name = _class_in(phrase)
    if name is None or None in classes:
        return beside_own and _OTHER_PLURAL.fullmatch(phrase) is not None
    # Beside "2 boys" for the question on boys, "3 people" is another number although the class is the same.
    return name not in classes or (beside_own and name == "person")


@lru_cache(maxsize=4096)
def _class_in(phrase: str) -> str | None:
    """The class that the noun phrase names; None if it names none for certain."""
    found = [span for span in spans_of(tuple(phrase.split())) if span.word.classes]
    return found[-1].word.classes[0] if found else None


def _with_the(found: re.Match[str], patterns: Sequence[re.Pattern[str]]) -> str:
    """Writes "the" before another thing: "a cat" is no number of dogs."""
    if _class_in(found[1]) is None or any(pattern.search(found[1]) for pattern in patterns):
        return found[0]
    return f"the {found[1]}"


def _by_article(words: str, groups: tuple[Group, ...]) -> int | UnreadableAnswer | None:
    """Returns 1 for a single thing with an article; several numbers for more than one."""
    patterns = [noun_pattern(group) for group in groups]
    # "There is a cat" is no number of dogs.
    if patterns and ("there is " in words or "see " in words):
        words = _OTHER_ARTICLE.sub(
            lambda found: found[0] if _group_of_noun(found[1], groups) else _with_the(found, patterns), words
        )
    found = re.search(_ARTICLE, words)
    if not found and len(groups) == 1:
        shown = _SHOWN_ARTICLE.search(words)
        found = shown if shown and noun_pattern(groups[0]).search(shown[1]) else None
    if not found:
        return None
    return UnreadableAnswer(Unreadable.SEVERAL_NUMBERS) if _ANOTHER_ARTICLE.search(words, found.end()) else 1


def _without_particle(prepared: str) -> str:
    """Returns the marked words without a "no" before a number: "no, there are 3"."""
    particle = _PARTICLE.match(prepared)
    rest = mark_numbers(prepared[particle.end() :]) if particle else ""
    # A "no" alone is the number 0.
    return rest if MARK.search(rest) or _QUANTIFIER.search(rest) else mark_numbers(prepared)


def _without_parts(words: str) -> str:
    """Returns the words without parts of what was counted: "3 dogs, one of them is red"."""
    first = MARK.search(words)
    return words[: first.end()] + _PARTITIVE.sub("~", words[first.end() :]) if first else words


def _total(words: str) -> int | None:
    """Returns the number that is called the total, or whose parts follow ("three dogs: one black and two white")."""
    found = {
        int(each[1] or each[2] or each[3])
        for each in _TOTAL_FIRST.finditer(words)
        if not _FOLLOWED_BY_ANOTHER.match(words, each.end())  # "in total there are 2 dogs and 3 cats"
    }
    found |= {int(each[1]) for each in _TOTAL_LAST.finditer(words) if _is_closing_total(words, each)}
    if len(found) == 1:
        return found.pop()
    words = _THE_OTHER.sub("<1>", words)
    marks = list(MARK.finditer(words))
    numbers = [int(mark[1]) for mark in marks]
    # Two numbers that are equal add up to nothing: the first would be the sum of the second.
    if not found and len(numbers) > 2:
        if numbers[0] == sum(numbers[1:]) and _are_parts_of(words, marks[0], marks[1:]):
            return numbers[0]
        if numbers[-1] == sum(numbers[:-1]) and _SO.search(words[: marks[-1].start()]):
            return numbers[-1]
    return None


def _are_parts_of(words: str, whole: re.Match[str], parts: Sequence[re.Match[str]]) -> bool:
    """True if later numbers make up the first; "3 dogs, 2 cats and 1 bird" are six by chance."""
    if _PARTS_FOLLOW.match(words, whole.end()):
        return True
    return _BEFORE_PARTS.match(words, whole.end()) is not None and all(_PART.match(words, part.end()) for part in parts)


def _is_closing_total(words: str, found: re.Match[str]) -> bool:
    """True if it is "2 dogs and 3 cats, 5 in total", and not "2 dogs and 3 cats in total"."""
    before = words[: found.start()].rstrip()
    if _AFTER_AND.search(before) or _FOLLOWED_BY_ANOTHER.match(words, found.end()):
        return False
    # "2 dogs, 3 cats in total" gives a total only if it is the sum of the numbers before it.
    if not found[2] or not before.endswith(","):
        return True
    return int(found[1]) == sum(int(number) for number in MARK.findall(before))
