"""Each planted fault is wrong where it says so, and right elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_vqamt.core.errors import OptionError
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
    Located,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Side,
    Unit,
)
from pytest_vqamt.core.query import Task
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.conversation_faults import CONVERSATION_FAULTS
from pytest_vqamt.models.reference.faults import FAULTS, load
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.test_blind_faults import BLIND
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


DOG, CAT, CAR, COW = (Group(name=name) for name in ("dog", "cat", "car", "cow"))
BROWN_DOG, BLACK_DOG, RED_DOG = (Group(name="dog", attributes=(colour,)) for colour in ("brown", "black", "red"))

DOGS, COWS, DOGS_AND_CATS = Count(groups=(DOG,)), Count(groups=(COW,)), Count(groups=(DOG, CAT))
CATS_AND_DOGS = Count(groups=(CAT, DOG))
COWS_AND_SHEEP = Count(groups=(COW, Group(name="sheep")))

CAT_LEFT_OF_CAR, CAT_RIGHT_OF_CAR = (Located(group=CAT, side=side, other=CAR) for side in (Side.LEFT, Side.RIGHT))
CAR_LEFT_OF_CAT = Located(group=CAR, side=Side.LEFT, other=CAT)

# What the oracle says: 3 dogs, 1 cat, 1 car, no cow, no sheep.
RIGHT: dict[Meaning, str] = {
    DOGS: "3",
    COWS: "0",
    Count(groups=(CAT,)): "1",
    DOGS_AND_CATS: "4",
    CATS_AND_DOGS: "4",
    COWS_AND_SHEEP: "0",
    Count(groups=(BROWN_DOG,)): "2",
    Count(groups=(BLACK_DOG, BROWN_DOG)): "3",
    Exists(group=DOG): "yes",
    Exists(group=COW): "no",
    Absent(group=DOG): "no",
    Absent(group=COW): "yes",
    Both(groups=(DOG, COW)): "no",
    NotBoth(groups=(DOG, COW)): "yes",
    Either(groups=(COW, DOG)): "yes",
    Neither(groups=(COW, DOG)): "no",
    Has(group=CAT, attribute="black"): "yes",
    Has(group=CAT, attribute="red"): "no",
    Choice(what=CAR, options=("blue", "red")): "red",
    CAT_LEFT_OF_CAR: "yes",
    CAT_RIGHT_OF_CAR: "no",
    CAR_LEFT_OF_CAT: "no",
}

_OTHER = {"yes": "no", "no": "yes", "red": "blue"}
FLIPPED = {meaning: _OTHER.get(text) or str(int(text) + 1) for meaning, text in RIGHT.items()}

# Where each fault says something else than the oracle, and what.
WRONG: dict[str, dict[Meaning, str]] = {
    "always-yes": {meaning: "yes" for meaning, right in RIGHT.items() if right != "yes"},
    "always-no": {meaning: "no" for meaning, right in RIGHT.items() if right != "no"},
    "always-zero": {meaning: "0" for meaning, right in RIGHT.items() if right != "0"},
    "refuses": dict.fromkeys(RIGHT, "I cannot help with that."),
    "ignores-negation": {
        Absent(group=DOG): "yes",
        Absent(group=COW): "no",
        NotBoth(groups=(DOG, COW)): "no",
        Neither(groups=(COW, DOG)): "yes",
    },
    "ignores-not-both": {NotBoth(groups=(DOG, COW)): "no"},
    # Of words for classes, of antonyms and of how a question is put: see test_word_faults.
    "hypernym-blind": {},
    # Of places see test_place_faults, too.
    "left-right-blind": {CAT_RIGHT_OF_CAR: "yes", CAR_LEFT_OF_CAT: "yes"},
    "ignores-side": {CAT_RIGHT_OF_CAR: "yes"},
    "mirror-blind": {},
    "near-sighted": {},
    "antonym-blind": {},
    "first-choice": {Choice(what=CAR, options=("blue", "red")): "blue"},
    "template-sensitive": {},
    "ignores-attributes": {Count(groups=(BROWN_DOG,)): "3", Has(group=CAT, attribute="red"): "yes"},
    "first-group-only": {DOGS_AND_CATS: "3", CATS_AND_DOGS: "1", Count(groups=(BLACK_DOG, BROWN_DOG)): "1"},
    "overcounts-described": {Count(groups=(BROWN_DOG,)): "3", Count(groups=(BLACK_DOG, BROWN_DOG)): "4"},
    "order-sensitive": {
        DOGS_AND_CATS: "5",
        Both(groups=(DOG, COW)): "yes",
        NotBoth(groups=(DOG, COW)): "no",
        CAT_LEFT_OF_CAR: "no",
        CAT_RIGHT_OF_CAR: "yes",
    },
    "adds-wrong": {
        DOGS_AND_CATS: "5",
        CATS_AND_DOGS: "5",
        COWS_AND_SHEEP: "1",
        Count(groups=(BLACK_DOG, BROWN_DOG)): "4",
    },
    "off-by-one": {
        DOGS: "4",
        COWS: "1",
        Count(groups=(CAT,)): "2",
        DOGS_AND_CATS: "5",
        CATS_AND_DOGS: "5",
        COWS_AND_SHEEP: "1",
        Count(groups=(BROWN_DOG,)): "3",
        Count(groups=(BLACK_DOG, BROWN_DOG)): "4",
    },
    "saturates": {
        DOGS: "1",
        DOGS_AND_CATS: "1",
        CATS_AND_DOGS: "1",
        Count(groups=(BROWN_DOG,)): "1",
        Count(groups=(BLACK_DOG, BROWN_DOG)): "1",
    },
    "sees-absent": {COWS: "1", Exists(group=COW): "yes"},
    "quantifies": {DOGS: "many", Count(groups=(BROWN_DOG,)): "many"},
    "counts-but-denies": {
        Exists(group=DOG): "no",
        Absent(group=DOG): "yes",
        Either(groups=(COW, DOG)): "no",
        Neither(groups=(COW, DOG)): "yes",
    },
    # Of a picture that nothing was done to they know all; see test_edit_faults.
    "counts-pieces-wrong": {},
    "omits-inserted": {},
    "sees-erased": {},
    "background-dependent": {},
    "inconsistent": {},
    "flips": FLIPPED,
    "spacing-sensitive": {},
    "encoding-sensitive": {},
    # See test_place_faults.
    "shift-sensitive": {},
    "padding-sensitive": {},
    "scale-sensitive": {},
    "jpeg-sensitive": {},
    "rotation-blind": {},
    "quarter-turn-blind": {},
    "first-panel-only": {},
    "remembers-color": {},
    "color-bound": {},
    # Of single questions they know all; see test_word_faults, test_label_faults and test_caption_faults.
    "reads-last": {},
    "entails-everything": {},
    "contradicts-everything": {},
    "label-swap": {},
    "wrong-class": {},
    "always-plural": {},
    "caption-hallucinates": {},
    "omits-beside-erased": {},
    "thinks-itself-wrong": {},
    # See tests/relations/count/test_prior.py.
    "counts-by-prior": {},
    # Of statements, premises, lists and written words see test_today_faults.
    "follows-the-asker": {},
    "accepts-premises": {},
    "ignores-not": {},
    "letter-biased": {},
    "never-none": {},
    "reads-words-as-things": {},
    "cannot-read": {},
    "ignores-drawn-questions": {},
    "english-only": {},
    "counts-in-english-only": {},
    # See test_file_faults.
    "jpeg-swapped": {},
    "ignores-orientation": {},
    # Of several pictures and turns see test_conversation_faults.
    **{fault: {} for fault in CONVERSATION_FAULTS},
}


def said(fault: str, ask: Ask, meaning: Meaning, text: str = "how many?", trial: int = 0) -> str:
    model = wrap_model(f"fault:{fault}", load(fault, ModelOptions()), ModelOptions())
    [answer] = model.ask(Task.VQA, [ask(meaning, text, trial=trial)])
    return answer.text


def test_every_fault_is_tested() -> None:
    assert {*WRONG, *BLIND} == set(FAULTS)


def test_who_thinks_itself_wrong_is_right_without_reasoning(ask: Ask) -> None:
    model = wrap_model("m", load("thinks-itself-wrong", ModelOptions()), ModelOptions())
    batch = [ask(DOGS, reasoning=reasoning) for reasoning in (None, False, True)]
    assert [answer.text for answer in model.ask(Task.VQA, batch)] == ["3", "3", "4"]


def test_a_share_of_flips_is_of_the_trials_and_of_other_faults_of_the_queries(ask: Ask) -> None:
    def wrong(fault: str) -> list[bool]:
        return [said(fault, ask, DOGS, trial=trial) != "3" for trial in range(60)]

    assert 10 < sum(wrong("flips@0.3")) < 26
    assert set(wrong("off-by-one@0.3")) == {wrong("off-by-one@0.3")[0]}


@each_row("fault", WRONG)
def test_a_fault_is_wrong_where_it_says_so_and_right_elsewhere(ask: Ask, fault: str) -> None:
    assert {meaning: said(fault, ask, meaning) for meaning in RIGHT} == RIGHT | WRONG[fault]


def test_order_sensitive_goes_by_the_whole_phrase(ask: Ask) -> None:
    assert said("order-sensitive", ask, Count(groups=(BLACK_DOG, BROWN_DOG))) == "3"
    assert said("order-sensitive", ask, Count(groups=(BROWN_DOG, BLACK_DOG))) == "4"


def test_ignores_attributes_of_what_things_are_related_to(ask: Ask) -> None:
    red_bench = Group(name="bench", attributes=("red",))
    cat_on_red_bench = Group(name="cat", related=(Related(predicate="on", to=red_bench),))
    assert said("ignores-attributes", ask, Exists(group=cat_on_red_bench)) == "yes"
    assert said("always-zero", ask, Exists(group=cat_on_red_bench)) == "0"
    assert said("saturates", ask, Exists(group=cat_on_red_bench)) == "no"


@each_row(
    "meaning, misread",
    [
        (Exists(group=RED_DOG), "yes"),
        (Absent(group=RED_DOG), "no"),
        (Both(groups=(RED_DOG, CAT)), "yes"),
        (NotBoth(groups=(RED_DOG, CAT)), "no"),
        (Either(groups=(RED_DOG, COW)), "yes"),
        (Neither(groups=(RED_DOG, COW)), "no"),
        (Entails(units=(Unit(group=RED_DOG),)), "entailment"),
        (Describe(), "three dogs, a cat, a bench and a car"),
    ],
)
def test_ignores_attributes_in_every_meaning(ask: Ask, meaning: Meaning, misread: str) -> None:
    assert said("ignores-attributes", ask, meaning) == misread


@each_row(
    "meaning, right, wrong",
    [
        (DOGS, "3", "4"),
        (Exists(group=DOG), "yes", "no"),
        (Choice(what=CAR, options=("blue", "red")), "red", "something else"),
        (Choice(what=CAR, options=("blue", "green")), "unknown", "anything"),
        (Entails(units=(Unit(group=DOG),)), "entailment", "contradiction"),
        (Entails(units=(Unit(group=COW),)), "contradiction", "entailment"),
        (Describe(), "three dogs, a cat, a bench and a car", "three dogs, a cat, a bench, a car and a ghost"),
    ],
)
def test_another_answer_to_the_same_thing(ask: Ask, meaning: Meaning, right: str, wrong: str) -> None:
    assert said("inconsistent", ask, meaning) == right
    assert said("inconsistent", ask, meaning, trial=1) == wrong
    assert said("spacing-sensitive", ask, meaning, "how many dogs?") == right
    assert said("spacing-sensitive", ask, meaning, "how  many  dogs?") == wrong


def test_a_fault_does_every_task_and_its_answers_are_not_kept() -> None:
    model = wrap_model("fault:saturates", load("saturates", ModelOptions()), ModelOptions())
    assert model.tasks == tuple(Task)
    assert not model.persistent


def test_every_fault_says_in_one_line_what_is_wrong() -> None:
    lines = [fault.description for fault in FAULTS.values()]
    assert all(line and "\n" not in line and len(line) < 100 for line in lines)
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("always-yess", "did you mean 'fault:always-yes'?"),
        ("zzzzzzzzzzzz", f"known: {', '.join(f'fault:{name}' for name in [*FAULTS][:20])}"),
    ],
)
def test_an_unknown_fault_is_refused(name: str, hint: str) -> None:
    with pytest.raises(OptionError) as told:
        load(name, ModelOptions())
    assert str(told.value).startswith(f"Expected a planted fault, but got model='fault:{name}'; {hint}")
