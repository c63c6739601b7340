"""Forms of verbs, expected by hand."""

from __future__ import annotations

from pytest_vqamt.language.units.lexicon import VerbForm, plural_form, third_person, verb_forms
from tests.rows import each_row

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
