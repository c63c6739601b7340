"""A hypothesis taken apart by rules: its clauses say what is said of what, its other noun phrases name the rest."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.language.units.clauses import Clause, clauses
from pytest_vqamt.language.units.lexicon import VERBS, Tag, words_of
from pytest_vqamt.language.units.parsing import read
from pytest_vqamt.language.units.sentence import NounPhrase, Sentence
from pytest_vqamt.language.units.things import is_living, is_named
from pytest_vqamt.language.units.unit import DescriptionUnit
from pytest_vqamt.language.units.verbs import verb_forms

_NONE = frozenset({"neither", "no", "nobody", "none", "nothing"})


def by_rules(hypothesis: str) -> tuple[DescriptionUnit, ...]:
    """The units of a hypothesis, in the order of their objects."""
    sentence = read(hypothesis)
    found: list[tuple[NounPhrase, str]] = []
    for clause in clauses(sentence):
        subjects = {it.phrase: it.property for it in clause.subjects}
        for phrase in sentence.phrases:
            if _is_absent(sentence, clause, phrase):
                continue
            if phrase in subjects:
                found.append((phrase, subjects[phrase]))
            elif _is_again(sentence, phrase, [it for it, _ in found]):
                continue
            elif clause.start <= phrase.start and phrase.end <= clause.end and _is_named(sentence, clause, phrase):
                found.append((phrase, _aside(sentence, clause, phrase)))
    return tuple(
        DescriptionUnit(
            object=sentence.words(phrase.name, phrase.end), property=said, is_plural=sentence.is_plural(phrase)
        )
        for phrase, said in found
    )


def _is_absent(sentence: Sentence, clause: Clause, phrase: NounPhrase) -> bool:
    """Whether the sentence says that there is none, or leaves it open: "no dog", "nobody has a ball", "not a ball"."""
    if _is_none(sentence, phrase):
        return True
    if any(it.phrase == phrase for it in clause.subjects) and _is_one_of_two(sentence, clause):
        return True
    before = range(clause.start, phrase.start)
    is_of_nobody = any(_is_none(sentence, it.phrase) for it in clause.subjects)
    return is_of_nobody or any(sentence.tag(place) is Tag.NOT or sentence.word(place) == "never" for place in before)


def _is_none(sentence: Sentence, phrase: NounPhrase) -> bool:
    """Whether the phrase says that there is none: "no dog", "nobody"."""
    return sentence.word(phrase.start) in _NONE


def _is_one_of_two(sentence: Sentence, clause: Clause) -> bool:
    """Whether the clause leaves open which of its subjects it is about: "a man or a woman is singing"."""
    first, *_, last = clause.subjects[0].phrase, clause.subjects[-1].phrase
    return any(sentence.word(place) in ("nor", "or") for place in range(first.end, last.start))


def _is_again(sentence: Sentence, phrase: NounPhrase, found: Sequence[NounPhrase]) -> bool:
    """Whether "the woman" speaks of a woman that has been named."""
    if sentence.word(phrase.start) not in ("the", "that", "this") or phrase.name == phrase.start:
        return False
    return sentence.words(phrase.name, phrase.end).lower() in {sentence.words(it.name, it.end).lower() for it in found}


def _is_named(sentence: Sentence, clause: Clause, phrase: NounPhrase) -> bool:
    """Whether a phrase that the clause is not about names an object all the same."""
    name = sentence.words(phrase.name, phrase.head + 1).lower()
    has_determiner = phrase.name > phrase.start
    if sentence.tag(phrase.end) is Tag.ING and not has_determiner and not is_living(sentence.word(phrase.head)):
        return False  # "ice fishing"
    before = _governor(sentence, phrase)
    if before is None:
        return is_named(name, has_determiner=has_determiner)
    word, tag = sentence.word(before), sentence.tag(before)
    if tag is Tag.BE:
        return sentence.tag(clause.start) is Tag.THERE and is_named(name, has_determiner=has_determiner)
    if tag is Tag.PREPOSITION:
        return is_named(name, has_determiner=has_determiner, preposition=word)
    return is_named(name, has_determiner=has_determiner, verb=verb_forms(word)[0])


def _aside(sentence: Sentence, clause: Clause, phrase: NounPhrase) -> str:
    """What is said of such an object: "who is asleep", and what somebody does that another watches or helps."""
    after = sentence.tag(phrase.end)
    said = sentence.words(phrase.end, clause.end)
    if after is Tag.RELATIVE:
        return said
    before = _governor(sentence, phrase)
    if before is None or not is_living(sentence.word(phrase.head)):
        return ""
    is_beside = sentence.word(before) in ("beside", "behind", "by", "near", "to", "with")
    lets = verb_forms(sentence.word(before))[0] in words_of("lets")
    if after is Tag.ING and (is_beside or lets):
        return said
    return said if lets and after in (Tag.FINITE, Tag.BASE) else ""


def _governor(sentence: Sentence, phrase: NounPhrase) -> int | None:
    """The place of the verb or preposition that the phrase hangs on, through "and", adverbs and other phrases."""
    for place in range(phrase.start - 1, -1, -1):
        if sentence.tag(place) in VERBS | {Tag.PREPOSITION}:
            return place
    return None
