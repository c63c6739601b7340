"""The form that the text alone tells is the form of what is meant, and of what people answered."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import (
    Both,
    Choice,
    Count,
    Either,
    Exists,
    Group,
    Has,
    Meaning,
    PartCount,
    Related,
    Side,
    groups_of,
    is_yes_no,
    what_is_asked,
)
from pytest_vqamt.core.query import Task
from pytest_vqamt.language.english.nouns import is_mass
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.free import QuestionForm, form_of
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import CHOICE_TYPES, TEMPLATES, Asking, QuestionType, count, question
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get, names
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.language.photo_fillings import photo_askings
from tests.language.template_fillings import askings
from tests.relations.deriving import derive
from tests.rows import each_row

REAL = Path(__file__).parents[3] / "../shared/data"
YES_NO, COUNT, CHOICE, OTHER = QuestionForm

real_data = pytest.mark.skipif(not REAL.is_dir(), reason="the data of ../shared/data is not here")

TOLD = {
    YES_NO: (
        "Is there a dog or a cat?", "Does the picture show a dog or a cat?", "Is there either no dog or no cat?",
        "Is there no dog and no cat in the picture?", "Is the cup either red or blue?", "Is the cup black and white?",
        "Do you see a man or a woman holding a cup?", "Are a dog and a cat visible?", "Is the light on or not?",
        "Is a dog or a cat visible in the image?", "Is there a dog? Yes or no?", "Yes or no: is there a dog?",
        "Is it true that there is a dog or a cat?", "Isn\u2019t there a dog?", "There is a dog, isn't there?",
        "Is there a dog? How many are there? Is it black or white?",
        "Can you see a dog?", "Are there two or more dogs?", "Is the number of dogs even?", "is  there a DOG",
    ),
    COUNT: (
        "How many dogs are there?", "How many dogs and cats are there in all?", "How many dogs or cats are there?",
        "What is the total number of dogs and cats in the picture?", "What number of people are standing?",
        "Count the dogs.", "Tell me the number of dogs.",
    ),
    CHOICE: (
        "Is the car red or blue?", "Is it a dog or a cat?", "Is the animal, a dog, an elephant, or a bird?",
        "Is the man wearing the hat sitting or standing?", "Does the cup appear to be made of wood or metal?",
        "Would you say that the cup on the table is red or blue?", "Does it look like a dog, or a cat?",
        "What color is the cup, red, white or blue?", "Which of these is the cup: red or blue?",
        "What is the man doing: surfing or skiing?", "Who is on the couch, a man or a woman?",
        "On which side is the cup, the left or the right?", "What color is the cup, red or blue", "Red or blue?",
    ),
    OTHER: (
        "Where is the dog?", "What color is the cup?", "What is the number of the bus?", "What number is on the bus?",
        "How much water is there?", "How old is the man?", "Is the dog or the cat black?", "Is the man or woman old?",
        "Does the person have long or short hair?", "Do you know what it is?", "Can you tell the time?",
        "What is the man wearing, and is it red or blue?", "Say what it is.",
        "Would you say the dog or the cat is black?", "Does it look like the dog or the cat is black?",
        "Does the dog or the cat appear to be black?", "Any dogs or cats?", "A dog.", "", "?", "or",
    ),
}  # fmt: skip


@each_row(("form", "text"), [(form, text) for form, texts in TOLD.items() for text in texts])
def test_the_text_tells_the_form(form: QuestionForm, text: str) -> None:
    assert form_of(text) is form


LEADS = (
    "", "In the picture, ", "In this photo ", "Looking at the image, ", "In the photo, on the left, ", "So: ",
    "Look at the picture. ", "Judging by the image, ", "A dog, a cat or a bird: ",
)  # fmt: skip


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("form", [YES_NO, COUNT, CHOICE])
def test_what_leads_up_to_a_question_is_set_aside(lead: str, form: QuestionForm) -> None:
    said = {
        YES_NO: "is there a dog or a cat?",
        COUNT: "how many dogs are there?",
        CHOICE: "which animal is on the couch, a dog or a cat?",
    }[form]
    assert form_of(lead + said) is form


WORDS = ("is", "a", "dog", "or", ",", ":", ".", "?", "the", "there", "what", "how", "many", "either", "red")


@given(text=st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_every_text_has_a_form_whatever_its_spaces_and_capitals(text: str) -> None:
    form = form_of(text)
    assert form in QuestionForm
    assert form_of(f"  {text.replace(' ', '   ')} ") is form
    assert not text.isascii() or form_of(text.upper()) is form


def _form_meant(meaning: Meaning) -> QuestionForm:
    meaning = what_is_asked(meaning)
    if is_yes_no(meaning):
        return YES_NO
    return COUNT if isinstance(meaning, Count | PartCount) else CHOICE


def _wrong(asked: Iterator[Question], at_least: int) -> list[str]:
    """Those of which the text tells another form than the meaning, each text looked at once."""
    meant = {each.text: each.meaning for each in asked}
    assert len(meant) >= at_least
    return [text for text, meaning in meant.items() if form_of(text) is not _form_meant(meaning)]


def _every_wording(asking: Asking) -> Iterator[Question]:
    for template in range(count(asking.type, related=bool(groups_of(asking.meaning)[0].related))):
        yield question(asking, template)
        if asking.type not in (*CHOICE_TYPES, QuestionType.ATTRIBUTE):
            yield question(asking, template, negated=True)


def _own_questions(first: Group, second: Group) -> Iterator[Question]:
    for wording in range(simple.EXISTS_WORDINGS):
        yield simple.exists(first, wording)
    for wording in range(simple.ABSENT_WORDINGS):
        yield simple.absent(first, wording)
    for wording in range(simple.BOTH_WORDINGS):
        yield simple.both((first, second), wording)
    for wording in range(simple.LOCATED_WORDINGS):
        yield from (simple.located(first, side, second, wording) for side in Side)
    if not is_mass(first.name) and not is_mass(second.name):
        for wording in range(simple.COUNT_WORDINGS):
            yield simple.count(first, wording)
            yield simple.count((first, second), wording)


@pytest.mark.parametrize(("share", "at_least"), [(3, 5_000), pytest.param(1, 15_000, marks=pytest.mark.full)])
def test_the_text_of_every_wording_tells_what_is_meant(share: int, at_least: int) -> None:
    assert sum(len(each.plain) + len(each.related) for each in TEMPLATES.values()) == 219
    drawn = chain(photo_askings(700 // share), (asking for asking, _ in askings(280 // share)))
    assert _wrong((each for asking in drawn for each in _every_wording(asking)), at_least) == []


def test_so_does_that_of_every_plain_question() -> None:
    pairs = (asking.meaning.groups for asking in photo_askings(700) if isinstance(asking.meaning, Both))
    assert _wrong((each for first, second in pairs for each in _own_questions(first, second)), 2_000) == []


@real_data
def test_so_it_does_with_the_names_of_visual_genome_and_coco() -> None:
    nouns, attributes, predicates = map(_vocabulary, ("objects", "attributes", "relations"))
    coco = json.loads((REAL / "coco/instances.json").read_text(encoding="utf-8"))
    nouns += [each["name"] for each in coco["categories"]]
    random = Random(2017)

    def group(*, alone: bool = False) -> Group:
        to = Group(name=random.choice(nouns), attributes=tuple(random.sample(attributes, random.choice((0, 1)))))
        related = (
            () if alone or random.choice((True, False)) else (Related(predicate=random.choice(predicates), to=to),)
        )
        described = tuple(random.sample(attributes, random.choice((0, 1, 2))))
        return Group(name=random.choice(nouns), attributes=described, related=related)

    def asking(type_: QuestionType) -> Asking:
        match type_:
            case QuestionType.OBJECT:
                return Asking(type=type_, meaning=Exists(group=group()))
            case QuestionType.CONJUNCTION:
                return Asking(type=type_, meaning=Both(groups=(group(), group())))
            case QuestionType.DISJUNCTION:
                return Asking(type=type_, meaning=Either(groups=(group(), group())))
            case QuestionType.ATTRIBUTE:
                return Asking(type=type_, meaning=Has(group=group(), attribute=random.choice(attributes)))
            case QuestionType.OBJECT_CHOICE:
                options = tuple(random.sample(nouns, random.choice((2, 3))))
                return Asking(type=type_, meaning=Choice(what=group(), options=options))
            case QuestionType.ATTRIBUTE_CHOICE | QuestionType.ACTION_CHOICE:
                options = tuple(random.sample(attributes, random.choice((2, 3))))
                category = random.choice(("color", "material", "pose", "sport", "weather", ""))
                return Asking(type=type_, meaning=Choice(what=group(), options=options), category=category)

    drawn = (each for _ in range(60) for type_ in QuestionType for each in _every_wording(asking(type_)))
    own = (each for _ in range(60) for each in _own_questions(group(alone=True), group(alone=True)))
    assert _wrong(chain(drawn, own), 12_000) == []


SCENES = [2, pytest.param(20, marks=pytest.mark.full)]
ITEMS = [(name, variant) for name in names() for variant in get(name).info.variants or ("",)]


_OF_TWO_FORMS = ("agree.form", "overlay.text")
_FORM_IS_NO_TEXTS = ("overlay.question", "absent.premise", "lang.")
"""A question that is written in the picture, one whose options it does not name, and questions in other languages."""


@pytest.mark.parametrize("scenes", SCENES)
def test_the_questions_of_a_case_have_one_form(scenes: int) -> None:
    source = PictureWorld(scenes)
    seen: Counter[str] = Counter()
    for (name, variant), number in product(ITEMS, range(scenes)):
        case = derive(get(name), source.scene(number), RandomChooser(Random(number)), variant, source.corpus)
        asked = [query for query in case.queries if query.task is Task.VQA] if isinstance(case, Case) else []
        if asked and get(name).info.task is Task.VQA and not name.startswith(_FORM_IS_NO_TEXTS):
            for query in asked:
                assert form_of(query.text) == _form_meant(query.meaning), (name, query)
            if name not in _OF_TWO_FORMS:
                assert len({form_of(query.text) for query in asked}) == 1, (name, asked)
            seen[name] += 1
    assert len(seen) > 10


@each_row(
    ("first", "repeated"),
    product(
        ("is ", "what, ", "does ", "", "in the picture "),
        ("or ", "a or b, ", "is there ", ", a", ": ", "look like ", "how many ", " "),
    ),
)
def test_texts_without_end_have_a_form(first: str, repeated: str) -> None:
    assert form_of(first + repeated * 1000) == form_of(first + repeated * 100)


def _vocabulary(name: str) -> list[str]:
    text = (REAL / f"vocab/vg_{name}_vocab.txt").read_text(encoding="utf-8")
    return [word for line in text.splitlines() for word in line.split(",")]


@real_data
def test_the_published_pairs_of_carets_have_the_form_of_their_answers() -> None:
    asked = [each for file in sorted((REAL / "carets").glob("*.json")) for each in json.loads(file.read_text())]
    assert len(asked) == 312
    wrong = [
        each["sent"]
        for each in asked
        if form_of(each["sent"]) is not (YES_NO if {"yes", "no"}.issuperset(each["label"]) else CHOICE)
    ]
    assert wrong == []


@real_data
def test_people_answer_the_questions_of_vqa_v2_in_their_form() -> None:
    texts, answered = (
        json.loads(gzip.decompress((REAL / f"vqa_v2/{name}.json.gz").read_bytes()))[name]
        for name in ("questions", "annotations")
    )
    kind_of = {each["question_id"]: each["answer_type"] for each in answered}
    kinds: dict[QuestionForm, Counter[str]] = defaultdict(Counter)
    for each in texts:
        kinds[form_of(each["question"])][kind_of[each["question_id"]]] += 1
    assert len(texts) == 4000
    assert kinds[YES_NO]["yes/no"] / kinds[YES_NO].total() > 0.97
    assert kinds[COUNT]["number"] / kinds[COUNT].total() > 0.97
    assert kinds[CHOICE]["yes/no"] / kinds[CHOICE].total() < 0.03
    assert kinds[YES_NO]["yes/no"] > 0.97 * sum(each["answer_type"] == "yes/no" for each in answered)
    assert kinds[COUNT]["number"] > 0.8 * sum(each["answer_type"] == "number" for each in answered)
