"""Answers in the forms that models of today give them."""

from __future__ import annotations

from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    NONE_OF_THESE,
    Absent,
    Exists,
    Group,
    Has,
    Meaning,
    PartCount,
    Property,
    WhichThere,
)
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
from pytest_vqamt.language.answers.choices import read_choice
from pytest_vqamt.language.answers.counts import read_count
from pytest_vqamt.language.answers.reading import read, read_by_meaning
from pytest_vqamt.language.answers.yes_no import read_yes_no
from tests.rows import each_row

DOG = Group(name="dog")
IS_THERE, IS_THERE_NO = Exists(group=DOG), Absent(group=DOG)
OPEN, RED = Has(group=Group(name="door"), attribute="open"), Has(group=Group(name="car"), attribute="red")


@each_row(
    ("text", "option"),
    [
        *((text, "dog") for text in (
            "(B)", "B.", "B", "Answer: B", "option b", "**B) dog**", "B: dog", "The correct answer is B.", "2",
            "The second option.", "the latter", r"\boxed{B}", r"$\boxed{\text{dog}}$", '{"answer": "dog"}',
            '```json\n{"reasoning": "no cat", "answer": "B"}\n```', "dog, not cat", "a dog rather than a cat",
            "I can see a dog but no cat", "Between a cat and a dog, it is a dog.", "It's not a cat but a dog.",
            "The cat is not visible; a dog is.", "Answer: dog\nExplanation: cats have other ears.",
            "The answer is (B) dog because it barks unlike a cat",
        )),
        ("a", None), ("A. dog", None), ("cat or dog", None), ("It could be a dog", None), ("Not a cat.", None),
        ("It is neither a cat nor a dog.", None), ("C", None),
    ],
)  # fmt: skip
def test_letters_contrasts_and_markers_name_an_option(text: str, option: str | None) -> None:
    assert _value(read_choice(text, ("cat", "dog"))) == option


@each_row(
    ("text", "option"),
    [*((text, "cat") for text in ("a", " a\n", "a.", "(a)", "a)", "A", "a: cat")), ("b", "dog"), ("a dog", "dog")],
)
def test_a_small_a_is_a_letter_where_the_options_have_letters(text: str, option: str) -> None:
    for question in ("Which is it? (A) cat (B) dog", "Which is it?\nA) cat\nB) dog\nAnswer with the letter."):
        assert read(question, text, ("cat", "dog")) == option


@each_row(
    ("text", "number"),
    [
        ("2 dogs next to 3 people", 2), ("There are 3 people and 2 dogs.", 2), ("There is a dog and 3 people", 1),
        ("a cat and 2 dogs", 2), ("2 dogs and 3 cats, so 5 in total", 2), ("1 dog with 4 legs", 1),
        ("1, 2, 3... 3 dogs", 3), ("Dog 1: brown. Dog 2: white. Dog 3: black. Total: 3", 3), ("3 puppies", 3),
        ("There are 3 people.", None), ("2 dogs and 1 puppy", None), ("2 or 3", None), ("1 dog, 2 cats, 3 birds", 1),
        ("\uff12", 2), ("\u0663", 3), ("B) 3", 3), (r"\boxed{3}", 3), ("#### 3", 3), ('{"dogs": 3, "cats": 2}', 3),
        ("| Object | Count |\n|---|---|\n| dog | 3 |\n| cat | 2 |", 3), ("Dogs: 3\nCats: 2", 3),
        ("I count 2 brown dogs + 1 white dog = 3 dogs", 3), ("about 3", 3),
    ],
)  # fmt: skip
def test_a_number_belongs_to_its_noun(text: str, number: int | None) -> None:
    assert _value(read_count(text, (DOG,))) == number


@each_row(
    ("meaning", "text", "says"),
    [
        (IS_THERE, "There is a puppy.", True), (IS_THERE, "A golden retriever is lying there.", True),
        (IS_THERE, "hot dog", None), (IS_THERE, '{"present": false}', False), (IS_THERE, "A) Yes", True),
        (IS_THERE, "There may be a dog.", None), (IS_THERE, "Maybe yes", None),
        (IS_THERE, "Yes, perhaps a lab.", True),
        (OPEN, "It is closed.", False), (OPEN, "The door appears to be shut.", False),
        (OPEN, "open (not closed)", True),
        (RED, "The car appears to be a bright red.", True), (RED, "The car is blue and the bus is red.", False),
        (RED, "It's not blue.", None), (RED, "It is red and white", True),
    ],
)  # fmt: skip
def test_claims_by_other_words(meaning: Meaning, text: str, says: bool | None) -> None:
    assert _value(read_yes_no(text, meaning)) is says


@each_row(
    ("meaning", "text", "says"),
    [
        *((IS_THERE, text, True) for text in (
            "The label on the back says that the picture shows no dog, but I can see one.",
            "Although you think there is no dog, there is one in the picture.",
            "I understand that your impression is that the picture shows no dog, but there is a dog.",
            "Contrary to the expert's confirmation that there is no dog, I can see a dog in the picture.",
            "Based on the image, I can see a dog, so the claim that the picture shows no dog is false.",
            "You mentioned that the picture shows no dog. However, I see a dog.",
            "You can see a dog, but it is small.", "While you can see a dog on the left, there is no cat.",
            "I disagree. There is a dog in the picture.",
        )),
        *((IS_THERE, text, False) for text in (
            "While you believe that the picture shows a dog, I do not see one.",
            "The record of the data set says that the picture shows a dog; however, there is no dog in it.",
            "Yes, you are correct, the picture shows no dog.", "You're right, there is no dog.",
            "It is true that the picture shows no dog.",
        )),
        (IS_THERE, "Yes, you are correct.", None), (IS_THERE, "The expert's claim is correct.", None),
        (RED, "The label on the back says that the car is not red, but it is red.", True),
        (RED, "It has been verified by specialists that the car is red, but it looks blue.", False),
    ],
)  # fmt: skip
def test_what_the_asker_said_is_no_claim_of_an_answer_that_contradicts_it(
    meaning: Meaning, text: str, says: bool | None
) -> None:
    assert _value(read_yes_no(text, meaning)) is says


@each_row(
    ("text", "color"),
    [
        *((text, NO_SUCH_THING) for text in (
            "The picture contains no car, so I cannot tell its color.", "Not applicable, as there is no car in it.",
            "I cannot determine the color of the car because there isn't one in the picture.",
            "The question assumes there is a car, but there isn't one.", "There is no car; the bus is red.",
        )),
        ("The car in the picture is black.", "black"), ("The color of the car in the image is white.", "white"),
        ("I cannot tell what color the car is.", None), ("The picture is black.", None),
        ("It is tan.", "tan"), ("Beige", "beige"), ("perhaps", None), ("a plane", None), ("It is not silver.", None),
    ],
)  # fmt: skip
def test_the_color_of_a_thing_or_that_there_is_none(text: str, color: str | None) -> None:
    asked = Property(group=Group(name="car"), category="color", values=("black", "red", "white"))
    assert _value(read_by_meaning(asked, text)) == color


@each_row(
    ("text", "number"),
    [
        ("Dogs usually have four legs, but this one has five.", 5), ("It has 4 legs, but only 3 are visible.", 3),
        ("Normally a dog has 4 legs; in this picture 5 can be seen.", 5), ("It usually has four legs", 4),
        ("The dog has two front legs and two back legs.", 4),
    ],
)  # fmt: skip
def test_the_usual_number_of_parts_is_not_that_which_is_seen(text: str, number: int) -> None:
    assert _value(read_by_meaning(PartCount(group=DOG, part="leg"), text)) == number


@each_row("text", ["There is no dog or cat in the picture.", "Neither a dog nor a cat is visible.", "None.", "C"])
def test_that_none_of_the_options_is_there(text: str) -> None:
    asked = WhichThere(groups=(DOG, Group(name="cat")), or_none=True)
    assert read_by_meaning(asked, text) == NONE_OF_THESE


@each_row(
    ("text", "says"),
    [
        ("S\u00ed, hay un perro.", True), ("Oui", True), ("Non.", False), ("Nein, da ist kein Hund.", False),
        ("\u0414\u0430", True), ("\u041d\u0435\u0442.", False), ("\u662f\u7684\u3002", True), ("\u6ca1\u6709", False),
        ("\u0928\u0939\u0940\u0902", False), ("\u0646\u0639\u0645", True), ("\u0644\u0627", False), ("n\u00e3o", False),
        ("Sim, h\u00e1 um cachorro.", True), ("Tidak ada.", False), ("\u09b9\u09cd\u09af\u09be\u0981\u0964", True),
        ("\u062c\u06cc \u06c1\u0627\u06ba", True), ("\u6709\u4e00\u53ea\u72d7", None),
    ],
)  # fmt: skip
def test_yes_and_no_in_other_languages(text: str, says: bool | None) -> None:
    assert _value(read_yes_no(text, IS_THERE)) is says


def test_a_foreign_sentence_after_a_denial_may_mean_either() -> None:
    assert _value(read_yes_no("Nein, da ist kein Hund.", IS_THERE_NO)) is None
    assert read_yes_no("Nein.", IS_THERE_NO) is False


def _value(reading: object) -> object:
    return None if isinstance(reading, UnreadableAnswer) else reading
