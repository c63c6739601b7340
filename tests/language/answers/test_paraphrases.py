"""Answers by other words than those expected: slips, paraphrases, comparisons, conclusions, other languages."""

from __future__ import annotations

import pytest

from pytest_vqamt import read_choice, read_count, read_yes_no
from pytest_vqamt.language.answers.answer_text import UnreadableAnswer
from pytest_vqamt.language.answers.choices import read_label
from tests.rows import each_row


def _value(reading: object) -> object:
    return None if isinstance(reading, UnreadableAnswer) else reading


@each_row(
    ("question", "text", "says"),
    [
        # slips of a finger
        ("Is there a dog?", "Yess", True), ("Is there a dog?", "Noo", False), ("Is there a dog?", "a dgo", True),
        ("Is there a dog?", "There is a doge.", None), ("Is there a cat?", "That is an act.", None),
        # "not a single", "nothing but", super-categories, amounts
        ("Is there a dog?", "not a single dog", False), ("Is there a dog?", "There is not a single cat.", None),
        ("Is there a dog?", "There is nothing on the bed but a dog.", True), ("Is there a dog?", "Only fog.", None),
        ("Is there an animal?", "A dog is lying there.", True), ("Is there an animal?", "There is no dog.", None),
        ("Is there a vehicle?", "There is a truck.", True), ("Is there a kitchen?", "There is a fork.", None),
        ("Is there a dog?", "Several, actually.", True), ("Is there a dog?", "Several cats.", None),
        ("Is it raining?", "It looks like it.", True), ("Is it raining?", "It doesn't look like it.", False),
        ("Is there a dog?", "Yes. There is no dog.", None), ("Is there a dog?", "No. There is a dog.", None),
        ("Is there a dog?", "Yes. There is a dog.", True),
        # the words of the question
        ("Is the woman wearing glasses?", "She is not wearing any glasses.", False),
        ("Does the man with the hat hold a leash?", "The man holding a leash has a hat.", None),
        ("Is the man sitting on the bench?", "The man sits on the bench.", True),
        ("Is the man sitting on the bench?", "A man is sitting on the grass.", None),
        ("Is anyone sitting on the bench?", "Nobody is sitting on the bench.", False),
        ("Is anyone sitting on the bench?", "Nobody is sitting there.", False),
        ("Is anyone sitting on the bench?", "Somebody is sitting there.", None),
        ("Are the lights on?", "The lights are off.", False), ("Are the lights on?", "The radio is off.", None),
        ("Is the cup in front of the laptop?", "The cup is behind the laptop.", False),
        ("Is the cup in front of the laptop?", "The cup is behind the plate.", None),
        ("Is the man on the bike?", "The man is on the bike rack.", None),
        ("Is the boy riding the bike?", "Is the boy riding the bike?", None),
        ("Is the boy riding the bike?", "Maybe the boy is riding the bike.", None),
        ("Are more than two dogs asleep?", "More than two dogs are asleep.", True),
        # other languages
        ("\u00bfHay un perro?", "No veo ning\u00fan perro.", False), ("\u00bfHay un perro?", "Hay dos perros.", True),
        ("\u00bfHay un perro?", "Hay un gato.", None), ("\u00bfHay un perro?", "No hay gatos.", None),
        ("\u00bfHay un perro en la mesa?", "Hay un gato en la mesa.", None),
        ("Y a-t-il un chien ?", "Il n'y a aucun chien.", False), ("Y a-t-il un chien ?", "Il y a un chat.", None),
        ("Gibt es einen Hund?", "Es gibt keinen Hund.", False), ("Gibt es einen Hund?", "Es ist eine Katze.", None),
        ("\u56fe\u7247\u4e2d\u6709\u72d7\u5417\uff1f", "\u56fe\u7247\u4e2d\u6ca1\u6709\u72d7\u3002", False),
        ("\u56fe\u7247\u4e2d\u6709\u72d7\u5417\uff1f", "\u6709\u4e00\u53ea\u72d7\u3002", True),
        ("\u56fe\u7247\u4e2d\u6709\u72d7\u5417\uff1f", "\u6709\u4e00\u53ea\u732b\u3002", None),
        ("Is there a dog?", "Hay un gato.", None), ("Is there a dog?", "No hay gatos.", None),
    ],
)  # fmt: skip
def test_yes_and_no_by_other_words(question: str, text: str, says: bool | None) -> None:
    assert _value(read_yes_no(text, question)) is says


@each_row(
    ("text", "number"),
    [
        ("thre dogs", 3), ("fuor", 4), ("a tree", 1), ("height", None), ("through", None),
        ("I count 5. No, 6.", 6), ("5 dogs, sorry, 6", 6), ("There are 3 dogs, no cats", 3),
        ("Just the one.", 1), ("the one on the left", None), ("I do not see anybody", 0),
        ("You might count 8. The real number is 7.", 7), ("A table for 6, but 4 dogs.", 4), ("route 38 and 2 dogs", 2),
        ("### Result\n**5 dogs**", 5), ("There are 2 dogs. The total number of dogs is 4.", None),
        ("Hay tres perros.", 3), ("Il y a deux chiens.", 2), ("Drei Hunde", 3), ("\u6709\u4e24\u53ea\u72d7", 2),
        ("Hay tres perros y dos gatos.", None), ("\u7b2c\u4e09\u53ea", None), ("lima beans on a dish", None),
        ("um...", None), ("null", None),
        ("\u099b\u09df\u099f\u09bf", None), ("\u099b\u09df", 6),
    ],
)  # fmt: skip
def test_numbers_by_other_words(text: str, number: int | None) -> None:
    assert _value(read_count(text, "How many dogs are there?")) == number


@each_row(
    ("question", "text", "options", "option"),
    [
        ("Which?", "the hosre", ("horse", "cow"), "horse"), ("Which?", "a hose", ("horse", "cow"), None),
        ("Which?", "yelow", ("yellow", "blue"), "yellow"), ("Which?", "a beard", ("bread", "bear"), None),
        ("Where?", "beach", ("at the beach", "in the sea"), "at the beach"),
        ("Where?", "bed", ("on the bed", "under the bed"), None),
        ("Which one is missing?", "Cat, dog: there. So the missing one is the cow.", ("cat", "dog", "cow"), "cow"),
        ("Which one is missing?", "The cow is gone, so the dog is there.", ("cat", "dog", "cow"), None),
        ("Which?", "Not A but B.", ("cat", "dog"), "dog"), ("Which?", "Not A.", ("cat", "dog", "cow"), None),
        ("Which?", "The second option is correct.", ("cat", "dog"), "dog"),
        ("Which?", "B, not A", ("cat", "dog"), "dog"),
        ("Which?", "A is wrong, C is out as well. That leaves B.", ("cat", "dog", "cow"), "dog"),
        ("Which?", "The cat is right of the dog, so the left one is the dog.", ("cat", "dog"), "dog"),
        ("Which?", "There is a cat, so the dog is hiding.", ("cat", "dog"), None),
        ("Which?", "Dog. The cat is outside.", ("cat", "dog"), "dog"), ("Which?", "Dog. Cat.", ("cat", "dog"), None),
        ("Which?", "The cup is full. The cup is empty.", ("full", "empty"), None),
        ("Which is bigger?", "The cup is smaller than the jug.", ("cup", "jug"), "jug"),
        ("Which is bigger?", "The cup is larger than the jug.", ("cup", "jug"), "cup"),
        ("Which is bigger?", "The cup is older than the jug.", ("cup", "jug"), None),
        ("Which are there more of?", "There are more cats than dogs.", ("cats", "dogs"), "cats"),
        ("What colour?", "more blue than red, or red", ("red", "blue"), None),
    ],
)  # fmt: skip
def test_options_by_other_words(question: str, text: str, options: tuple[str, ...], option: str | None) -> None:
    assert _value(read_choice(text, options, question)) == option


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("entailement", "entailment"), ("Contradiction. (I ruled out entailment, as it is wet.)", "contradiction"),
        ("Entailment. Also contradiction.", None), ("attainment", None),
    ],
)  # fmt: skip
def test_labels_by_other_words(text: str, label: str | None) -> None:
    assert _value(read_label(text)) == label
