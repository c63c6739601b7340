"""Faults about words, captions and labels are wrong where they should be, and right elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Cutout
from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Unit,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.language.captions.caption_reader import classes_in
from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.faults import FAULTS, load
from pytest_vqamt.models.reference.oracle import answer_text, true_answer
from pytest_vqamt.models.wrapped import wrap_model
from tests.making import scene_of
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


(
    antonym_blind,
    first_choice,
    hypernym_blind,
    ignores_negation,
    ignores_not_both,
    order_sensitive,
    reads_last,
    template_sensitive,
) = (
    FAULTS[name].replies()
    for name in (
        "antonym-blind",
        "first-choice",
        "hypernym-blind",
        "ignores-negation",
        "ignores-not-both",
        "order-sensitive",
        "reads-last",
        "template-sensitive",
    )
)


# The yard: three dogs, a black cat on a green bench, a red car; no cow.
DOG, CAT, CAR, COW, DOOR = (Group(name=name) for name in ("dog", "cat", "car", "cow", "door"))
RED_CAR = Group(name="car", attributes=("red",))
ANIMAL = Group(name="animal", covers=("animal", "cat", "dog"))
BLACK_ANIMAL = replace(ANIMAL, attributes=("black",))
FURNITURE = Group(name="furniture", covers=("furniture", "bench"))
CAT_ON_BENCH = Group(name="cat", related=(Related(predicate="on", to=Group(name="bench")),))
CAT_ON_FURNITURE = Group(name="cat", related=(Related(predicate="on", to=FURNITURE),))
ANIMAL_ON_BENCH = replace(ANIMAL, related=CAT_ON_BENCH.related)
ANIMAL_ON_FURNITURE = replace(ANIMAL, related=CAT_ON_FURNITURE.related)


def query(ask: Ask, meaning: Meaning, text: str = "is it so?") -> Query:
    return ask(meaning, text).query


def right(ask: Ask, meaning: Meaning) -> str:
    return answer_text(true_answer(query(ask, meaning)))


@each_row(
    "meaning, said, is_right",
    [
        (Absent(group=DOG), "yes", False),
        (Absent(group=COW), "no", False),
        (Neither(groups=(DOG, COW)), "yes", False),
        (Neither(groups=(COW, Group(name="sheep"))), "no", False),
        (NotBoth(groups=(DOG, COW)), "no", False),
        (NotBoth(groups=(DOG, CAT)), "yes", False),
        (Exists(group=DOG), "yes", True),
        (Both(groups=(DOG, COW)), "no", True),
        (Either(groups=(DOG, COW)), "yes", True),
        (Has(group=CAT, attribute="black"), "yes", True),
        (Choice(what=CAR, options=("red", "blue")), "red", True),
        (Count(groups=(DOG,)), "3", True),
    ],
)
def test_ignores_negation(ask: Ask, meaning: Meaning, said: str, is_right: bool) -> None:
    assert ignores_negation(query(ask, meaning)) == said
    assert (right(ask, meaning) == said) is is_right


@each_row(
    "meaning, said",
    [
        (NotBoth(groups=(DOG, COW)), "no"),
        (NotBoth(groups=(DOG, CAT)), "yes"),
        # Of simpler negations it is right.
        (Absent(group=DOG), "no"),
        (Absent(group=COW), "yes"),
        (Neither(groups=(DOG, COW)), "no"),
        (Both(groups=(DOG, COW)), "no"),
    ],
)
def test_ignores_not_both(ask: Ask, meaning: Meaning, said: str) -> None:
    assert ignores_not_both(query(ask, meaning)) == said


@each_row(
    "meaning, said, is_right",
    [
        (Exists(group=ANIMAL), "no", False),
        (Exists(group=BLACK_ANIMAL), "no", False),
        (Absent(group=ANIMAL), "yes", False),
        (Both(groups=(ANIMAL, CAR)), "no", False),
        (NotBoth(groups=(ANIMAL, CAR)), "yes", False),
        (Either(groups=(ANIMAL, COW)), "no", False),
        (Neither(groups=(ANIMAL, COW)), "yes", False),
        (Exists(group=CAT_ON_FURNITURE), "no", False),
        (Has(group=CAT_ON_FURNITURE, attribute="black"), "no", False),
        (Choice(what=CAT_ON_FURNITURE, options=("black", "white")), "unknown", False),
        (Choice(what=ANIMAL_ON_FURNITURE, options=("cat", "dog")), "unknown", False),
        # Where a question itself says what is of the class, or no class is named, it is right.
        (Choice(what=ANIMAL_ON_BENCH, options=("cat", "dog")), "cat", True),
        (Choice(what=CAT_ON_BENCH, options=("black", "white")), "black", True),
        (Exists(group=CAT_ON_BENCH), "yes", True),
        (Exists(group=DOG), "yes", True),
        (Exists(group=COW), "no", True),
        (Either(groups=(DOG, COW)), "yes", True),
        (Count(groups=(ANIMAL,)), "4", True),
    ],
)
def test_hypernym_blind(ask: Ask, meaning: Meaning, said: str, is_right: bool) -> None:
    assert hypernym_blind(query(ask, meaning)) == said
    assert (right(ask, meaning) == said) is is_right


@each_row(
    "meaning, said, is_right",
    [
        (Has(group=DOOR, attribute="closed"), "yes", False),  # it is open
        (Has(group=DOOR, attribute="open"), "yes", True),
        (Has(group=DOOR, attribute="clean"), "no", True),
        (Has(group=DOOR, attribute="dirty"), "no", True),
        (Exists(group=Group(name="door", attributes=("closed",))), "no", True),
        (Choice(what=DOOR, options=("open", "closed")), "open", True),
    ],
)
def test_antonym_blind(ask: Ask, meaning: Meaning, said: str, is_right: bool) -> None:
    about = ask(meaning, "is it so?", picture=scene_of("open door").picture).query
    assert antonym_blind(about) == said
    assert (answer_text(true_answer(about)) == said) is is_right


@each_row(
    "meaning, said",
    [
        (Choice(what=CAR, options=("red", "blue")), "red"),
        (Choice(what=CAR, options=("blue", "red")), "blue"),
        (Choice(what=CAR, options=("green", "blue", "red")), "green"),
        (Exists(group=COW), "no"),
        (Both(groups=(DOG, CAT)), "yes"),
    ],
)
def test_first_choice(ask: Ask, meaning: Meaning, said: str) -> None:
    assert first_choice(query(ask, meaning)) == said


@each_row(
    "meaning, said, is_right",
    [
        (Both(groups=(CAT, DOG)), "yes", True),
        (Both(groups=(DOG, CAT)), "no", False),
        (NotBoth(groups=(DOG, CAT)), "yes", False),
        (Either(groups=(COW, DOG)), "yes", True),
        (Either(groups=(DOG, COW)), "no", False),
        (Neither(groups=(DOG, COW)), "yes", False),
        (Choice(what=CAR, options=("blue", "red")), "red", True),
        (Choice(what=CAR, options=("red", "blue")), "blue", False),
        (Choice(what=CAR, options=("blue", "green", "red")), "red", True),
        (Choice(what=CAR, options=("red", "green", "blue")), "green", False),
        (Count(groups=(DOG, CAT)), "5", False),
        (Count(groups=(CAT, DOG)), "4", True),
        (Both(groups=(RED_CAR, DOG)), "no", False),  # "red car" comes after "dog", though "car" does not
        (Exists(group=DOG), "yes", True),
        (Has(group=CAT, attribute="black"), "yes", True),
    ],
)
def test_order_sensitive(ask: Ask, meaning: Meaning, said: str, is_right: bool) -> None:
    assert order_sensitive(query(ask, meaning)) == said
    assert (right(ask, meaning) == said) is is_right


YES_NO = (
    Exists(group=DOG), Absent(group=DOG), Both(groups=(DOG, CAT)), NotBoth(groups=(DOG, CAT)),
    Either(groups=(DOG, COW)), Neither(groups=(DOG, COW)), Has(group=CAT, attribute="black"),
)  # fmt: skip


@each_row("meaning", YES_NO)
def test_template_sensitive_is_wrong_about_an_odd_number_of_words(ask: Ask, meaning: Meaning) -> None:
    truth = right(ask, meaning)
    assert template_sensitive(query(ask, meaning, "is it really so?")) == truth
    wrong = template_sensitive(query(ask, meaning, "is it so?"))
    assert {truth, wrong} == {"yes", "no"}


def test_template_sensitive_takes_another_choice(ask: Ask) -> None:
    choice = Choice(what=CAR, options=("red", "blue", "green"))
    assert template_sensitive(query(ask, choice, "what color has it?")) == "red"
    assert template_sensitive(query(ask, choice, "what color?")) == "red"
    assert template_sensitive(query(ask, choice, "what color now?")) == "blue"


@each_row("meaning, said", [(Count(groups=(DOG,)), "3"), (Describe(), None)])
@each_row("text", ["one two", "one two three"])
def test_template_sensitive_counts_and_describes_as_it_sees(
    ask: Ask, meaning: Meaning, said: str | None, text: str
) -> None:
    assert template_sensitive(query(ask, meaning, text)) == (said or right(ask, meaning))


@each_row(
    "meaning, text, said",
    [
        (Exists(group=DOG), "Is there a dog? Is there a cow? Is it day?", "no"),
        (Count(groups=(DOG,)), "How many dogs? How many cats?", "4"),
        (Choice(what=CAR, options=("red", "blue")), "Is the car red or blue? Is it new?", "blue"),
        (Exists(group=DOG), "Is there a dog?", "yes"),
    ],
)
def test_reads_last_is_wrong_where_there_are_several_questions(
    ask: Ask, meaning: Meaning, text: str, said: str
) -> None:
    assert reads_last(query(ask, meaning, text)) == said


always_plural, wrong_class, hallucinates, omits_beside_erased = (
    FAULTS[name].replies() for name in ("always-plural", "wrong-class", "caption-hallucinates", "omits-beside-erased")
)


CUTOUT = Cutout(
    photo=Photo(id="drive.png", digest="00000000000000c3"), thing=Thing(id="7", name="car", box=Box(0, 0, 40, 20))
)


def described(picture: Picture) -> Query:
    return Query(picture=picture, meaning=Describe(), task=Task.CAPTIONING)


def with_a_car(scene: Scene) -> Picture:
    return scene.picture.insert(CUTOUT, (100, 0), (40, 20))


def test_what_was_inserted_is_called_something_else() -> None:
    scene = scene_of("dog", "car", "dog")
    assert wrong_class(described(scene.picture)) == "two dogs and a car"
    assert wrong_class(described(with_a_car(scene))) == "two dogs, a car and a zebra"


def test_the_wrong_name_is_that_of_nothing_there() -> None:
    assert wrong_class(described(with_a_car(scene_of("zebra", "kite")))) == "a zebra, a kite and a toaster"


def test_everything_is_in_the_plural() -> None:
    assert always_plural(described(scene_of("dog", "cat", "cat", "cat").picture)) == "two dogs and three cats"


def test_what_is_made_up_is_made_up_in_both_pictures() -> None:
    scene = scene_of("dog", "dog", "zebra")
    before, after = (classes_in(hallucinates(described(each))) for each in (scene.picture, with_a_car(scene)))
    assert {name: before[name] for name in ("dog", "zebra", "cat", "car")} == {
        "dog": NounForm.PLURAL,
        "zebra": NounForm.SINGULAR,
        "cat": NounForm.SINGULAR,
        "car": NounForm.SINGULAR,
    }
    assert dict(after) == {**before, "car": NounForm.PLURAL}


def test_beside_what_was_erased_only_the_largest_is_described() -> None:
    scene = scene_of("dog", "cat", Thing(id="car", name="car", box=Box(100, 10, 40, 20)))
    assert omits_beside_erased(described(scene.picture)) == "a dog, a cat and a car"
    assert omits_beside_erased(described(scene.picture.erase(scene.objects[0].box))) == "a car"
    assert omits_beside_erased(described(scene_of("dog").picture.erase(scene.objects[0].box))) == (
        omits_beside_erased(described(scene_of().picture))
    )


def test_questions_are_answered_right_by_faults_of_captions(ask: Ask, yard: Scene) -> None:
    cars = Count(groups=(Group(name="car"),))
    assert hallucinates(ask(cars).query) == "1"
    assert always_plural(ask(cars).query) == "1"
    assert wrong_class(ask(cars, picture=with_a_car(yard)).query) == "2"


TRUE = Entails(units=(Unit(group=DOG),))
UNSEEN = Entails(units=(Unit(group=DOG, unseen="is called Rex"),))
FALSE = Entails(units=(Unit(group=DOG), Unit(group=COW)))


def said(fault: str, ask: Ask, meaning: Meaning, task: Task = Task.ENTAILMENT) -> str:
    model = wrap_model(f"fault:{fault}", load(fault, ModelOptions()), ModelOptions())
    [answer] = model.ask(task, [ask(meaning, task=task)])
    return answer.text


@each_row(
    "fault, labels",
    [
        ("entails-everything", ("entailment", "entailment", "entailment")),
        ("contradicts-everything", ("contradiction", "contradiction", "contradiction")),
        ("label-swap", ("contradiction", "neutral", "entailment")),
    ],
)
def test_the_labels_of_a_true_an_unseen_and_a_false_hypothesis(
    ask: Ask, fault: str, labels: tuple[str, str, str]
) -> None:
    assert tuple(said(fault, ask, meaning) for meaning in (TRUE, UNSEEN, FALSE)) == labels


@each_row("fault", ["entails-everything", "contradicts-everything", "label-swap"])
def test_questions_are_answered_right(ask: Ask, fault: str) -> None:
    assert said(fault, ask, Exists(group=DOG), Task.VQA) == "yes"
    assert said(fault, ask, Count(groups=(DOG,)), Task.VQA) == "3"


def test_who_ignores_attributes_takes_a_white_cat_for_the_black_one(ask: Ask) -> None:
    white = Entails(units=(Unit(group=Group(name="cat", attributes=("white",))),))
    assert said("ignores-attributes", ask, white) == "entailment"
