"""Words of hypotheses: tags of those that can be several things, forms of verbs, the names of things."""

from __future__ import annotations

import pytest

from pytest_vqamt.language.units import DescriptionUnit, head_noun, unit_of
from pytest_vqamt.language.units.lexicon import VerbForm, plural_form, third_person, verb_forms
from pytest_vqamt.language.units.tagger import tag_words
from tests.rows import each_row

SHORT = {
    "determiner": "d", "possessive": "s", "number": "#", "adjective": "a", "noun": "n", "pronoun": "p", "be": "b",
    "finite": "F", "base": "B", "ing": "G", "participle": "P", "to": "t", "not": "x", "preposition": "i", "adverb": "r",
    "and": "&", "subordinator": "w", "relative": "R", "there": "T", "mark": ".",
}  # fmt: skip

SENTENCES = {
    "a boy waves": "dnF",
    "the waves break": "dnF",
    "two dogs race": "#nF",
    "the race car races": "dnnF",
    "a man waves flags": "dnFn",
    "a rock band plays": "dnnF",
    "a boy and girl race": "dn&nF",
    "people rock climbing": "nnG",
    "they watch": "pF",
    "a smiling boy sits": "danF",
    "a boy smiling": "dnG",
    "an elderly man": "dan",
    "the elderly sit": "dnF",
    "a human sleeps": "dnF",
    "a human standing": "dnG",
    "a black and white dog": "da&an",
    "a swimming pool": "dan",
    "people outside the pool": "nidn",
    "people sit outside": "nFr",
    "she loves her": "pFp",
    "she loves her dog": "pFsn",
    "a man that sings": "dnRF",
    "that man sings": "dnF",
    "a girl wants to dance": "dnFtB",
    "a girl walks to school": "dnFin",
    "a man like him": "dnip",
    "dogs like bones": "nFn",
    "a trash can": "dnn",
    "a dog can swim": "dnFB",
    "there is a dog": "Tbdn",
    "a dog is there": "dnbr",
    "a man dressed in black": "dnPin",
    "a man walked home": "dnFr",
    "a snow covered road": "dnan",
    "boy in trunks jumps": "ninF",
    "a child with toy cars": "dninn",
    "a man sits and reads": "dnF&F",
    "dogs and cats": "n&n",
    "a man is eating and drinking": "dnbG&G",
}


@each_row(("sentence", "tags"), SENTENCES.items())
def test_tags(sentence: str, tags: str) -> None:
    assert "".join(SHORT[tag] for tag in tag_words(sentence.split())) == tags


# Forms of verbs, expected by hand.

FORMS = {
    VerbForm.ING: {
        "running": "run", "hopping": "hop", "hoping": "hope", "dancing": "dance", "lying": "lie", "seeing": "see",
        "swinging": "swing", "rolling": "roll", "kissing": "kiss", "using": "use", "picnicking": "picnic",
        "skiing": "ski", "carrying": "carry", "skateboarding": "skateboard", "changing": "change",
        "rollerblading": "rollerblade", "parkouring": "parkour", "preparing": "prepare",
    },
    VerbForm.THIRD: {
        "runs": "run", "kisses": "kiss", "watches": "watch", "carries": "carry", "plays": "play", "has": "have",
        "does": "do", "goes": "go", "dances": "dance", "lies": "lie", "uses": "use",
    },
    VerbForm.PAST: {"ran": "run", "walked": "walk", "stopped": "stop", "carried": "carry", "ate": "eat", "put": "put"},
    VerbForm.PARTICIPLE: {"eaten": "eat", "worn": "wear", "walked": "walk", "cut": "cut", "dressed": "dress"},
    VerbForm.BASE: {"run": "run", "put": "put", "lay": "lay", "skateboard": "skateboard"},
}  # fmt: skip


@each_row(("form", "word", "verb"), [(form, word, verb) for form, of in FORMS.items() for word, verb in of.items()])
def test_forms_are_read(form: VerbForm, word: str, verb: str) -> None:
    lemma, forms = verb_forms(word)
    assert lemma == verb
    assert form in forms


@each_row("word", ["giraffe", "the", "quickly", "red", "kings", "spring roll"])
def test_what_is_no_verb_has_no_forms(word: str) -> None:
    assert verb_forms(word) == ("", frozenset())


@each_row(
    ("many", "one"),
    [
        ("walk", "walks"), ("kiss", "kisses"), ("carry", "carries"), ("play", "plays"), ("go", "goes"),
        ("fix", "fixes"), ("have", "has"), ("are", "is"), ("were", "was"), ("do", "does"), ("teach", "teaches"),
    ],
)  # fmt: skip
def test_number_of_the_present(many: str, one: str) -> None:
    assert third_person(many) == one
    assert plural_form(one) == many
    assert third_person(one) == one
    assert plural_form(many) == many


@each_row("verb", ["can", "will", "ran", "sat", "walked", "went"])
def test_what_knows_no_number_stays(verb: str) -> None:
    assert third_person(verb) == plural_form(verb) == verb


# The name that a thing goes by, of objects as hypotheses word them.

HEADS = {
    "girl": "girl", "young girl": "girl", "Girls": "girl", "men": "man", "school bus": "bus", "camera straps": "strap",
    "group of men": "man", "pair of old shoes": "shoe", "slice of pizza": "pizza", "cup of coffee": "cup",
    "plates of food": "plate", "one of the men": "man", "man's hat": "hat", "people": "person", "scissors": "scissors",
    "herd of sheep": "sheep", "picture of a dog": "picture", "someone": "someone",
    "martial arts instructor": "instructor",
}  # fmt: skip


@each_row(("name", "noun"), HEADS.items())
def test_head_nouns(name: str, noun: str) -> None:
    assert head_noun(name) == noun


@each_row("name", ["one of " * 2000, "group of " * 2000, "of", " of ", "one of ", ""])
def test_odd_names_have_some(name: str) -> None:
    assert isinstance(head_noun(name), str)


@pytest.mark.parametrize(
    ("words", "name", "is_plural"),
    [
        ("The two dogs", "dogs", True),
        ("his old hat", "old hat", False),
        ("a group of men", "group of men", True),
        ("the", "the", False),
    ],
)
def test_units_lose_their_articles(words: str, name: str, is_plural: bool) -> None:
    assert unit_of(words, " sleeps. ") == DescriptionUnit(object=name, property="sleeps", is_plural=is_plural)
