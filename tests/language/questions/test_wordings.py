"""How many templates there are, what the questions mean, and what some of them say."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Either,
    Exists,
    Group,
    Has,
    Neither,
    NotBoth,
    Related,
    groups_of,
)
from pytest_vqamt.language.questions.templates import TEMPLATES, Askable, Asking, QuestionType, count, question
from tests.language.questions.filled import near, of
from tests.rows import each_row

CUP = of("cup")
CUP_ON_TABLE = near(CUP, "on", of("table"))
MAN_HOLDING = near(of("man"), "holding", of("umbrella", "red"))


@each_row(
    ("type_", "plain", "related"),
    # Jimenez et al., ACL 2022, Table 6.
    [
        (QuestionType.OBJECT, 18, 36),
        (QuestionType.CONJUNCTION, 18, 0),
        (QuestionType.DISJUNCTION, 18, 0),
        (QuestionType.ATTRIBUTE, 15, 10),
        (QuestionType.OBJECT_CHOICE, 11, 14),
        (QuestionType.ATTRIBUTE_CHOICE, 20, 19),
        (QuestionType.ACTION_CHOICE, 14, 14),
    ],
)
def test_there_are_as_many_as_in_the_paper_or_more(type_: QuestionType, plain: int, related: int) -> None:
    templates = TEMPLATES[type_]
    assert len({" ".join(each.split()) for each in templates.plain}) == len(templates.plain) >= plain
    assert len({" ".join(each.split()) for each in templates.related}) == len(templates.related) >= related
    assert count(type_, related=False) == len(templates.plain)
    assert count(type_, related=True) == len(templates.related or templates.plain)


PETS = (of("dog"), of("cat"))


@pytest.mark.parametrize(
    ("type_", "meaning", "negation"),
    [
        (QuestionType.OBJECT, Exists(group=CUP), Absent(group=CUP)),
        (QuestionType.OBJECT, Exists(group=CUP_ON_TABLE), Absent(group=CUP_ON_TABLE)),
        (QuestionType.CONJUNCTION, Both(groups=PETS), NotBoth(groups=PETS)),
        (QuestionType.DISJUNCTION, Either(groups=PETS), Neither(groups=PETS)),
    ],
)
def test_a_question_means_what_was_asked_and_its_partner_the_opposite(
    type_: QuestionType, meaning: Askable, negation: Absent | NotBoth | Neither
) -> None:
    asking = Asking(type=type_, meaning=meaning)
    for template in range(count(type_, related=bool(groups_of(meaning)[0].related))):
        assert question(asking, template).meaning == meaning
        assert question(asking, template, negated=True).meaning == negation


def said(type_: QuestionType, meaning: Askable, category: str = "", *, negated: bool = False) -> set[str]:
    """The question in every template."""
    asking = Asking(type=type_, meaning=meaning, category=category)
    related = bool(groups_of(meaning)[0].related)
    return {question(asking, template, negated=negated).text for template in range(count(type_, related))}


@each_row(
    ("meaning", "positive", "negative"),
    [
        (Exists(group=CUP), "Do you see a cup in the picture?", "Do you see no cup in the picture?"),
        (
            Exists(group=of("people")),
            "Are there any people anywhere in this image?",
            "Are there no people anywhere in this image?",
        ),
        (
            Exists(group=of("grass", "tall")),
            "Is it true that there is tall grass in the picture?",
            "Is it true that there is no tall grass in the picture?",
        ),
        (Exists(group=of("apple")), "Does this photo show any apples?", "Does this photo show no apples?"),
        (Exists(group=CUP_ON_TABLE), "Is there a cup that is on the table?", "Is there no cup that is on the table?"),
        (
            Exists(group=MAN_HOLDING),
            "Does the picture show a man who is holding the red umbrella?",
            "Does the picture show no man who is holding the red umbrella?",
        ),
        (
            Exists(group=near(of("lamp", "off"), "to the left of", of("lamp", "on"))),
            "Is there a switched-off lamp to the left of the switched-on lamp?",
            "Is there no switched-off lamp to the left of the switched-on lamp?",
        ),
        (
            Exists(group=near(of("boys"), "playing", of("tennis"))),
            "Do you see any boys who are playing tennis?",
            "Do you see no boys who are playing tennis?",
        ),
        (
            Exists(group=near(of("house"), "made of", of("brick"))),
            "Is there a house made of brick?",
            "Is there no house made of brick?",
        ),
    ],
)
def test_is_there_one(meaning: Exists, positive: str, negative: str) -> None:
    assert positive in said(QuestionType.OBJECT, meaning)
    assert negative in said(QuestionType.OBJECT, meaning, negated=True)


@pytest.mark.parametrize(
    ("groups", "positive", "negative"),
    [
        (PETS, "Do you see both a dog and a cat?", "Do you see either no dog or no cat?"),
        (
            (of("scissors"), of("apple")),
            "Are there both scissors and an apple in the picture?",
            "Are there either no scissors or no apple in the picture?",
        ),
        (
            (of("water"), of("boats")),
            "Is there both water and boats in the picture?",
            "Is there either no water or no boats in the picture?",
        ),
        (
            (of("dog"), of("cat"), of("horse")),
            "Is there a dog, a cat and a horse in the picture?",
            "Is there either no dog, no cat or no horse in the picture?",
        ),
    ],
)
def test_is_there_one_of_each(groups: tuple[Group, ...], positive: str, negative: str) -> None:
    assert positive in said(QuestionType.CONJUNCTION, Both(groups=groups))
    assert negative in said(QuestionType.CONJUNCTION, Both(groups=groups), negated=True)


@pytest.mark.parametrize(
    ("groups", "positive", "negative"),
    [
        (PETS, "Is there either a dog or a cat?", "Is there no dog and no cat?"),
        (
            (of("people"), of("umbrella")),
            "Does it look like there are either people or an umbrella in the picture?",
            "Does it look like there are no people and no umbrella in the picture?",
        ),
    ],
)
def test_is_there_one_of_either(groups: tuple[Group, ...], positive: str, negative: str) -> None:
    assert positive in said(QuestionType.DISJUNCTION, Either(groups=groups))
    assert negative in said(QuestionType.DISJUNCTION, Either(groups=groups), negated=True)


@each_row(
    ("group", "attribute", "text"),
    [
        (CUP, "clean", "Is the cup in the picture clean?"),
        (of("scissors"), "red", "Do the scissors appear to be red?"),
        (CUP_ON_TABLE, "clean", "Would you say that the cup on the table is clean?"),
        (near(of("lamp"), "on", of("table")), "on", "Is the lamp on the table turned on?"),
        (of("table"), "wood", "Is the table made of wood?"),
        (of("table"), "wooden", "Is the table wooden?"),
        (of("elephants"), "baby", "Are the elephants babies?"),
        (MAN_HOLDING, "tall", "Does it look like the man who is holding the red umbrella is tall?"),
    ],
)
def test_does_it_have_the_attribute(group: Group, attribute: str, text: str) -> None:
    assert text in said(QuestionType.ATTRIBUTE, Has(group=group, attribute=attribute))


@each_row(
    ("what", "options", "text"),
    [
        (of("animal", "black"), ("dog", "elephant"), "Is the black animal a dog or an elephant?"),
        (of("furniture", "brown"), ("table", "chair"), "What is the brown piece of furniture, a table or a chair?"),
        (of("tool", "red"), ("scissors", "axe"), "Do you think the red tool is scissors or an axe?"),
        (near(of("animal"), "on", of("couch")), ("dog", "cat"), "Which animal is on the couch, a dog or a cat?"),
        (near(of("clothes"), "on", of("bed")), ("shorts", "hat"), "Which clothes are on the bed, shorts or a hat?"),
        (
            near(of("furniture"), "near", of("bed")),
            ("table", "chair", "shelf"),
            "What kind of furniture is near the bed, a table, a chair or a shelf?",
        ),
        (near(of("person"), "on", of("bed")), ("boy", "girl"), "Who is on the bed, a boy or a girl?"),
        (
            near(of("animal"), "has", of("ball")),
            ("dog", "cat"),
            "Do you think that the animal that has the ball is a dog or a cat?",
        ),
    ],
)
def test_which_object_is_it(what: Group, options: tuple[str, ...], text: str) -> None:
    assert text in said(QuestionType.OBJECT_CHOICE, Choice(what=what, options=options))


@each_row(
    ("what", "category", "options", "text"),
    [
        (CUP, "color", ("red", "blue"), "What color is the cup, red or blue?"),
        (of("jeans"), "color", ("red", "blue"), "Which color are the jeans in this photo, red or blue?"),
        (CUP, "color", ("red", "blue"), "Would you say the cup is red or blue?"),
        (of("table"), "shape", ("round", "square"), "What is the shape of the table, round or square?"),
        (of("tree"), "height", ("tall", "short"), "What height is the tree, tall or short?"),
        (of("table"), "material", ("wood", "metal"), "What material is the table made of, wood or metal?"),
        (of("table"), "material", ("wood", "metal"), "Is the table made of wood or metal?"),
        (of("table"), "material", ("wooden", "metal"), "Is the table wooden or metal?"),
        (of("door"), "", ("open", "closed"), "How does the door look, open or closed?"),
        (near(of("lamp"), "on", of("table")), "", ("off", "on"), "Is the lamp on the table turned off or on?"),
        (of("sky"), "weather", ("sunny", "cloudy"), "Which is the sky, sunny or cloudy?"),
        (CUP_ON_TABLE, "size", ("small", "large"), "What size is the cup that is on the table, small or large?"),
    ],
)
def test_which_attribute_is_it(what: Group, category: str, options: tuple[str, ...], text: str) -> None:
    assert text in said(QuestionType.ATTRIBUTE_CHOICE, Choice(what=what, options=options), category)


@pytest.mark.parametrize(
    ("what", "category", "options", "text"),
    [
        (of("man"), "pose", ("standing", "sitting"), "What pose is the man in: standing or sitting?"),
        (of("people"), "sport", ("surfing", "skiing"), "What sport are the people doing: surfing or skiing?"),
        (of("bird"), "", ("flying", "perched"), "Is the bird flying or perched?"),
        (
            MAN_HOLDING,
            "activity",
            ("eating", "drinking", "talking"),
            "What is the man who is holding the red umbrella doing: eating, drinking or talking?",
        ),
    ],
)
def test_which_action_is_it(what: Group, category: str, options: tuple[str, ...], text: str) -> None:
    assert text in said(QuestionType.ACTION_CHOICE, Choice(what=what, options=options), category)


def test_two_related_things_are_joined_in_one_clause() -> None:
    in_bowl, on_table = Related(predicate="in", to=of("bowl")), Related(predicate="on", to=of("table"))
    apple = Group(name="apple", related=(in_bowl, on_table))
    texts = said(QuestionType.OBJECT, Exists(group=apple))
    assert {
        "Is there an apple in the bowl on the table?",
        "Is there an apple that is in the bowl and is on the table?",
    } < texts


@pytest.mark.parametrize("template", [-1, 20])
def test_a_template_that_is_not_there_is_refused(template: int) -> None:
    with pytest.raises(VqamtError, match=rf"Expected a template from 0 to 19 of object, but got template={template}"):
        question(Asking(type=QuestionType.OBJECT, meaning=Exists(group=CUP)), template)


def test_only_the_first_three_types_have_negated_partners() -> None:
    asking = Asking(type=QuestionType.ATTRIBUTE, meaning=Has(group=CUP, attribute="clean"))
    with pytest.raises(
        VqamtError, match=r"Expected a question with a negated partner \(Q1 to Q3\), but got meaning=Has"
    ):
        question(asking, 0, negated=True)


def test_a_meaning_of_another_type_is_refused() -> None:
    with pytest.raises(VqamtError, match=r"Expected a meaning that conjunction asks, Both, but got Asking\("):
        question(Asking(type=QuestionType.CONJUNCTION, meaning=Exists(group=CUP)), 0)
