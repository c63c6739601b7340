"""What templates are filled with, out of words that annotators of photos use; what is asked need not make sense."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Related
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from tests.reader.photo_words import LEXICON, PREDICATES

NAMES = sorted({*LEXICON.names, *LEXICON.mass, *LEXICON.pairs} - {"person"})
STUFF = sorted(LEXICON.mass)
ATTRIBUTES = sorted(LEXICON.attributes)
ACTING = ("pose", "activity", "sport")
CLASSES = {
    "food": ("apple", "egg", "broccoli", "rice", "hot dog", "french fries", "slice of pizza"),
    "fruit": ("apple", "orange", "berry"),
    "furniture": ("bench", "chair", "table", "shelf"),
    "clothing": ("jacket", "scarf", "pants", "jeans", "uniform", "t-shirt"),
    "person": ("man", "woman", "boy", "girl"),
    "toy": ("teddy bear", "wii controller", "skis", "aircraft"),
}


def photo_askings(n: int) -> Iterator[Asking]:
    """``n`` things to ask, all seven types in turn, the same in every run."""
    random = Random(1959)
    for number in range(n):
        yield _asking(random, list(QuestionType)[number % len(QuestionType)])


def _asking(random: Random, type_: QuestionType) -> Asking:
    match type_:
        case QuestionType.OBJECT:
            return Asking(type=type_, meaning=Exists(group=_group(random)))
        case QuestionType.CONJUNCTION:
            return Asking(type=type_, meaning=Both(groups=_two(random)))
        case QuestionType.DISJUNCTION:
            return Asking(type=type_, meaning=Either(groups=_two(random)))
        case QuestionType.ATTRIBUTE:
            word = random.choice(ATTRIBUTES)
            return Asking(type=type_, meaning=Has(group=_group(random, without=(word,)), attribute=word))
        case QuestionType.OBJECT_CHOICE:
            word = random.choice(list(CLASSES))
            options = _several(random, CLASSES[word])
            return Asking(type=type_, meaning=Choice(what=_of_class(random, word), options=options))
        case QuestionType.ATTRIBUTE_CHOICE:
            nouns = {noun: words for noun, words in LEXICON.kinds.items() if noun not in ACTING}
            noun, words = random.choice([*nouns.items(), *(("", words) for words in LEXICON.categories)])
            return _choice(random, type_, noun, sorted(words))
        case QuestionType.ACTION_CHOICE:
            noun = random.choice(ACTING)
            return _choice(random, type_, noun, sorted(LEXICON.kinds[noun]))


def _choice(random: Random, type_: QuestionType, noun: str, words: list[str]) -> Asking:
    options = _several(random, words)
    return Asking(type=type_, meaning=Choice(what=_group(random, without=options), options=options), category=noun)


def _group(random: Random, *, without: tuple[str, ...] = (), alone: bool = False) -> Group:
    attributes = tuple(word for word in random.sample(ATTRIBUTES, random.choice((0, 1, 1))) if word not in without)
    related = () if alone or random.choice((True, False)) else (_related(random),)
    return Group(name=random.choice(NAMES), attributes=attributes, related=related)


def _related(random: Random) -> Related:
    predicate = random.choice(list(PREDICATES))
    names = STUFF if PREDICATES[predicate] in LEXICON.of_stuff else NAMES
    return Related(predicate=predicate, to=Group(name=random.choice(names)))


def _two(random: Random) -> tuple[Group, Group]:
    first, second = _group(random, alone=True), _group(random, alone=True, without=tuple(LEXICON.after))
    return (first, second) if first != second else _two(random)


def _of_class(random: Random, word: str) -> Group:
    if random.choice((True, False)):
        return Group(name=word, related=(_related(random),))
    return Group(name=word, attributes=(random.choice(ATTRIBUTES),))


def _several(random: Random, words: Sequence[str]) -> tuple[str, ...]:
    return tuple(random.sample(words, min(len(words), random.choice((2, 3)))))
