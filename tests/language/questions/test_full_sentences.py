"""Answers in whole sentences to the questions that the templates ask, read as a person reads them."""

from __future__ import annotations

from pytest_vqamt.core.meaning import Absent, Both, Either, Exists, Group, Has, Meaning, Neither, NotBoth
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
from pytest_vqamt.language.answers.choices import read_choice
from pytest_vqamt.language.answers.yes_no import read_yes_no
from tests.language.questions.filled import near, of
from tests.rows import each_row

PETS = (of("dog"), of("cat"))
TOYS = (of("robot", "red"), of("kite", "striped"))
MANY = (of("people"), of("jeans", "blue"))
CUP = near(of("cup"), "on", of("table"))
LEFT = near(of("cup"), "to the left of", of("table"))
NEAR = near(of("cup"), "near", of("table"))
HOLDING = near(of("man"), "holding", of("umbrella"))
WEARING = near(of("man"), "wearing", of("hat", "red"))
BEARDED = near(of("man"), "has", of("beard"))

YES: tuple[tuple[Meaning, tuple[str, ...]], ...] = (
    (
        Both(groups=PETS),
        (
            "Yes, there is both a dog and a cat.",
            "Yes, the picture shows both a dog and a cat.",
            "Yes, both are in the picture.",
            "It shows a dog and a cat.",
            "Yes, I see both.",
        ),
    ),
    (Both(groups=MANY), ("Yes, there are people and blue jeans.", "Yes, there are both people and blue jeans.")),
    (Both(groups=TOYS), ("Yes. There is a red robot on the left and a striped kite on the right.", "I can see both.")),
    (
        NotBoth(groups=PETS),
        (
            "Yes, there is either no dog or no cat.",
            "Yes, there is no dog.",
            "Yes, there is a dog but no cat.",
            "There is no cat.",
            "Yes, there is only a dog.",
            "Yes, the cat is missing.",
            "Yes, there is neither a dog nor a cat.",
            "Yes, it does.",
        ),
    ),
    (
        NotBoth(groups=TOYS),
        (
            "Yes, although there is a red robot, there is no striped kite.",
            "Yes, either the red robot or the striped kite is missing.",
            "Yes, there is either no red robot or no striped kite.",
        ),
    ),
    (NotBoth(groups=MANY), ("Yes, there are either no people or no blue jeans.", "Yes, there are no people.")),
    (
        Either(groups=PETS),
        (
            "Yes, there is either a dog or a cat.",
            "There is a cat.",
            "a dog",
            "Yes, there is a dog but no cat.",
            "Yes, at least one of them.",
            "Yes, both.",
        ),
    ),
    (
        Neither(groups=PETS),
        (
            "Yes, there is no dog and no cat.",
            "There is neither a dog nor a cat in the picture.",
            "Yes, there are no dogs or cats.",
            "Yes, I see no dog and no cat.",
            "Yes, it looks like there is no dog and no cat.",
            "Yes, none of them.",
            "Neither.",
        ),
    ),
    (Neither(groups=MANY), ("Yes, there are no people and no blue jeans.", "Yes, there are neither people nor jeans.")),
    (
        Exists(group=CUP),
        (
            "Yes, there is a cup on the table.",
            "There is a cup that is on the table.",
            "Yes, a cup is on the table.",
            "Yes, the cup is on the table.",
        ),
    ),
    (Exists(group=NEAR), ("There is a cup next to the table.", "There is a cup close to the table.")),
    (
        Exists(group=HOLDING),
        ("Yes, there is a man who is holding the umbrella.", "Yes, a man is holding the umbrella."),
    ),
    (Exists(group=WEARING), ("There is a man wearing the red hat.", "Yes, the man is wearing a red hat.")),
    (Exists(group=BEARDED), ("There is a man with a beard.", "There is a man who has a beard.")),
    (
        Absent(group=CUP),
        ("Yes, there is no cup on the table.", "Yes, there is no cup that is on the table.", "There are no cups."),
    ),
    (Absent(group=LEFT), ("Yes, the cup is to the right of the table.",)),
    (
        Has(group=of("plate"), attribute="clean"),
        (
            "Yes, it is clean.",
            "The plate appears to be clean.",
            "Yes, it looks like the plate is clean.",
            "It is a clean plate.",
            "clean",
            "Yes, it does.",
        ),
    ),
    (Has(group=of("lamp"), attribute="on"), ("Yes, it is on.", "The lamp is turned on.")),
    (Has(group=of("table"), attribute="wood"), ("It is made of wood.", "The table is made out of wood.")),
    (Has(group=of("elephant"), attribute="baby"), ("It is a baby.", "Yes, the elephant is a baby elephant.")),
    (Has(group=WEARING, attribute="sitting"), ("The man wearing the red hat is sitting.", "Yes, he is sitting.")),
    (Has(group=of("jeans"), attribute="blue"), ("They are blue.", "Yes, the jeans are light blue.")),
)

NO: tuple[tuple[Meaning, tuple[str, ...]], ...] = (
    (
        Both(groups=PETS),
        (
            "No, there is only a dog.",
            "There is a dog but no cat in the picture.",
            "No, there is neither a dog nor a cat.",
            "No, either the dog or the cat is missing.",
            "No, there is either no dog or no cat.",
            "No, not both.",
        ),
    ),
    (
        Both(groups=TOYS),
        (
            "No, the robot is blue.",
            "No. The image contains a red robot, but it does not contain a striped kite.",
            "No, I only see a red robot.",
        ),
    ),
    (Both(groups=MANY), ("No, there are no people.", "No, there are people but no blue jeans.", "No, nobody.")),
    (
        NotBoth(groups=PETS),
        (
            "No, there is both a dog and a cat.",
            "No, the picture shows a dog and a cat.",
            "No, both a dog and a cat can be seen.",
            "There is both a dog and a cat.",
            "No, I see both.",
            "No, it doesn't.",
        ),
    ),
    (NotBoth(groups=TOYS), ("No, it is not the case; both are present.", "No, neither is missing.")),
    (
        Either(groups=PETS),
        (
            "No, there is no dog and no cat.",
            "No, there is neither a dog nor a cat.",
            "No, there isn't a dog or a cat in the picture.",
            "No, I do not see either.",
            "No, none of them.",
        ),
    ),
    (
        Neither(groups=PETS),
        (
            "No, there is a dog.",
            "No, there is a dog, but no cat.",
            "No, there is no dog, but there is a cat.",
            "There is a cat.",
            "No, both.",
            "No, it is not true.",
        ),
    ),
    (
        Exists(group=CUP),
        ("No, there is no cup that is on the table.", "No, the cup is not on the table.", "There is no cup."),
    ),
    (
        Exists(group=LEFT),
        ("No, the cup is to the right of the table.", "No, there is a cup to the right of the table."),
    ),
    (
        Exists(group=HOLDING),
        ("No, there is no man who is holding the umbrella.", "No, nobody is holding the umbrella."),
    ),
    (Exists(group=WEARING), ("No, the man is wearing a blue hat.", "No, there is a woman wearing the red hat.")),
    (Absent(group=CUP), ("No, there is a cup that is on the table.", "There is a cup on the table.")),
    (Absent(group=HOLDING), ("No, a man is holding the umbrella.", "No, there is a man who is holding the umbrella.")),
    (
        Has(group=of("plate"), attribute="clean"),
        (
            "No, it is dirty.",
            "The plate is not clean.",
            "No, it does not look like the plate is clean.",
            "No, I wouldn't say the plate is clean.",
            "No, it is a dirty plate.",
        ),
    ),
    (Has(group=of("lamp"), attribute="on"), ("No, it is on the table but it is off.", "The lamp is not turned on.")),
    (Has(group=of("table"), attribute="wood"), ("No, it is made of metal.", "The table is not made of wood.")),
    (Has(group=of("elephant"), attribute="baby"), ("No, it is an adult.", "The elephant is not a baby.")),
    (Has(group=WEARING, attribute="sitting"), ("No, he appears to be standing.", "The man is not sitting.")),
    (Has(group=of("jeans"), attribute="blue"), ("No, the jeans are light blue.", "They aren't blue.")),
)

CHOSEN = (
    (("red", "blue"), "I would say the cup is red.", "red"),
    (("red", "blue"), "The color of the cup on the table is blue.", "blue"),
    (("red", "light blue"), "It appears to be light blue.", "light blue"),
    (("wood", "metal"), "wooden", "wood"),
    (("wood", "metal"), "The table is made of metal.", "metal"),
    (("wooden", "wood"), "wood", "wood"),
    (("dog", "elephant"), "The animal on the couch is an elephant.", "elephant"),
    (("table", "chair"), "The brown piece of furniture is a chair.", "chair"),
    (("scissors", "glasses"), "A pair of glasses.", "glasses"),
    (("jeans", "hat"), "They are jeans.", "jeans"),
    (("standing", "sitting"), "The man holding the umbrella is standing.", "standing"),
    (("lying", "sitting"), "laying", "lying"),
    (("playing tennis", "surfing"), "He is playing tennis.", "playing tennis"),
    (("playing tennis", "surfing"), "Tennis", "playing tennis"),
    (("playing tennis", "playing"), "playing", "playing"),
    (("open", "closed"), "The door looks closed.", "closed"),
)


@each_row(("meaning", "answer"), [(meaning, answer) for meaning, answers in YES for answer in answers])
def test_says_yes(meaning: Meaning, answer: str) -> None:
    assert read_yes_no(answer, meaning) is True


@each_row(("meaning", "answer"), [(meaning, answer) for meaning, answers in NO for answer in answers])
def test_says_no(meaning: Meaning, answer: str) -> None:
    assert read_yes_no(answer, meaning) is False


def test_a_lamp_that_is_off_is_not_on() -> None:
    assert read_yes_no("The lamp is off.", Has(group=of("lamp"), attribute="on")) is False


@each_row(
    ("meaning", "answer"),
    [
        (Neither(groups=PETS), "There is no dog."),
        (Both(groups=PETS), "There is a dog."),
        (Exists(group=LEFT), "There is a cup to the right of the table."),
        (Exists(group=WEARING), "There is a man wearing a blue hat."),
    ],
)
def test_leaves_it_open(meaning: Meaning, answer: str) -> None:
    assert isinstance(read_yes_no(answer, meaning), UnreadableAnswer)


def test_a_shade_is_of_its_color_unless_a_no_stands_before_it() -> None:
    red = Has(group=of("car"), attribute="red")

    assert read_yes_no("It is dark red.", red) is True
    assert read_yes_no("No, it is dark red.", red) is False


@each_row(("options", "answer", "option"), CHOSEN)
def test_names_an_option(options: tuple[str, ...], answer: str, option: str) -> None:
    assert read_choice(answer, options) == option


@each_row("group", [*PETS, *TOYS, *MANY, CUP, LEFT, HOLDING, WEARING])
def test_plain_words_are_logical(group: Group) -> None:
    assert read_yes_no("Yes", Absent(group=group)) is True
    assert read_yes_no("no", Absent(group=group)) is False
    assert read_yes_no("No.", NotBoth(groups=(group, of("bird")))) is False
    assert read_yes_no("yes", Neither(groups=(group, of("bird")))) is True
