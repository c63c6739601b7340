"""The reader of questions, on sentences written by hand: the seven types of CARETS and their negations."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Side,
)
from tests.reader.grammar import RULES, beginnings
from tests.reader.questions import MEANINGS, Unreadable, read
from tests.reader.vocabulary import LEXICON
from tests.rows import each_row


def of(name: str, *attributes: str) -> Group:
    """The things of a name that have the attributes."""
    return Group(name=name, attributes=attributes)


def related(group: Group, predicate: str, to: Group) -> Group:
    """The things that also stand in the relationship."""
    return Group(name=group.name, attributes=group.attributes, related=(Related(predicate=predicate, to=to),))


CAT_AND_DOG = Both(groups=(of("cat"), of("dog")))
NOT_CAT_AND_DOG = NotBoth(groups=(of("cat"), of("dog")))
CAT_OR_DOG = Either(groups=(of("cat"), of("dog")))
NO_CAT_NO_DOG = Neither(groups=(of("cat"), of("dog")))
RED_CUP_ON_TABLE = related(of("cup", "red"), "on", of("table"))
RED_OR_BLUE = Choice(what=of("cup"), options=("red", "blue"))

READ: dict[str, Meaning] = {
    # Is there one of each?
    "Is it true that there is both a cat and a dog in the picture?": CAT_AND_DOG,
    "Are a cat and a dog visible in the picture?": CAT_AND_DOG,
    "Is it false that there is either no cat or no dog?": CAT_AND_DOG,
    # Is one or the other, or each, not there?
    "Is there either no cat or no dog in the picture?": NOT_CAT_AND_DOG,
    "Do you see either no cat or no dog anywhere in this photo?": NOT_CAT_AND_DOG,
    "Does the picture have either no cats or no dogs in it?": NOT_CAT_AND_DOG,
    "Does it look like there is either no cat or no dog?": NOT_CAT_AND_DOG,
    "Is it false that there is both a cat and a dog?": NOT_CAT_AND_DOG,
    # Is one or the other there?
    "Is there a cat or a dog?": CAT_OR_DOG,
    "Is there either a cat or a dog anywhere in the picture?": CAT_OR_DOG,
    "Are there any cats or any dogs in the photo?": CAT_OR_DOG,
    "Do you think there is either a cat or a dog in this image?": CAT_OR_DOG,
    "Is either a cat or a dog visible in the picture?": CAT_OR_DOG,
    "Are there either scissors or a cup?": Either(groups=(of("scissors"), of("cup"))),
    "Does the picture show either a man running or a dog?": Either(groups=(of("man", "running"), of("dog"))),
    # Is neither there?
    "Is there no cat and no dog in the picture?": NO_CAT_NO_DOG,
    "Is there neither a cat nor a dog?": NO_CAT_NO_DOG,
    "Is there no cat or dog?": NO_CAT_NO_DOG,
    "Would you say there are no cats and no dogs in the picture?": NO_CAT_NO_DOG,
    "Is it false that there is either a cat or a dog?": NO_CAT_NO_DOG,
    # Is there one that is related to another?
    "Is there a red cup on the table?": Exists(group=RED_CUP_ON_TABLE),
    "Do you see a red cup that is on the table in the picture?": Exists(group=RED_CUP_ON_TABLE),
    "Is there a man who is holding the red key?": Exists(group=related(of("man"), "holding", of("key", "red"))),
    "Are there any dogs to the left of the small car here?": Exists(
        group=related(of("dog"), "to the left of", of("car", "small"))
    ),
    "Is there a lamp that is on and near the bed?": Exists(group=related(of("lamp", "on"), "near", of("bed"))),
    "Is there a switched-on lamp?": Exists(group=of("lamp", "on")),
    "Is there a woman with the dog?": Exists(group=related(of("woman"), "with", of("dog"))),
    "Is there a woman who has the dog?": Exists(group=related(of("woman"), "with", of("dog"))),
    "Is there no red cup on the table in the picture?": Absent(group=RED_CUP_ON_TABLE),
    "Does it look like there is no red cup that is on the table?": Absent(group=RED_CUP_ON_TABLE),
    # Where is it?
    "Is the dog to the left of the red car in the picture?": Located(
        group=of("dog"), side=Side.LEFT, other=of("car", "red")
    ),
    "Looking at the picture, is the dog to the right of the car?": Located(
        group=of("dog"), side=Side.RIGHT, other=of("car")
    ),
    "Are the scissors nearer to the left edge of the picture than the cup?": Located(
        group=of("scissors"), side=Side.LEFT, other=of("cup")
    ),
    "Does the dog appear higher up in the image than the car?": Located(
        group=of("dog"), side=Side.ABOVE, other=of("car")
    ),
    "Is the dog nearer to the bottom of the picture than the car?": Located(
        group=of("dog"), side=Side.BELOW, other=of("car")
    ),
    # What is it like?
    "Is the cup clean?": Has(group=of("cup"), attribute="clean"),
    "Is the red cup on the table clean?": Has(group=RED_CUP_ON_TABLE, attribute="clean"),
    "Are the scissors in the picture open?": Has(group=of("scissors"), attribute="open"),
    "Is the lamp turned on?": Has(group=of("lamp"), attribute="on"),
    "Does the red cup that is on the table seem to be clean?": Has(group=RED_CUP_ON_TABLE, attribute="clean"),
    "Looking at the image, would you say the cup is clean?": Has(group=of("cup"), attribute="clean"),
    "Is the man to the left of the dog sitting?": Has(
        group=related(of("man"), "to the left of", of("dog")), attribute="sitting"
    ),
    # Which of two or three is it?
    "Is the cup red or blue?": RED_OR_BLUE,
    "What color is the cup, red or blue?": RED_OR_BLUE,
    "What color would you say the cup is: red or blue?": RED_OR_BLUE,
    "Is the color of the cup red or blue?": RED_OR_BLUE,
    "Between red and blue, which color is the cup?": RED_OR_BLUE,
    "Is the cup on the table clean or dirty?": Choice(
        what=related(of("cup"), "on", of("table")), options=("clean", "dirty")
    ),
    "What is the man doing, standing, sitting, or waving?": Choice(
        what=of("man"), options=("standing", "sitting", "waving")
    ),
    "What pose is the man who is wearing the hat in: standing or sitting?": Choice(
        what=related(of("man"), "wearing", of("hat")), options=("standing", "sitting")
    ),
    "Is the striped animal a cat or a dog?": Choice(what=of("animal", "striped"), options=("cat", "dog")),
    "What animal is striped, a cat or a dog?": Choice(what=of("animal", "striped"), options=("cat", "dog")),
    "Which animal is on the table, a cat, a dog or an elephant?": Choice(
        what=related(of("animal"), "on", of("table")), options=("cat", "dog", "elephant")
    ),
    "Which of these is the green food: broccoli, a pear or an apple?": Choice(
        what=of("food", "green"), options=("broccoli", "pear", "apple")
    ),
    "What is the piece of furniture near the dog, a chair or a bed?": Choice(
        what=related(of("furniture"), "near", of("dog")), options=("chair", "bed")
    ),
    "Who is the person holding the key, a man or a woman?": Choice(
        what=related(of("person"), "holding", of("key")), options=("man", "woman")
    ),
    "Who is near the dog, a man or a woman?": Choice(
        what=related(of("person"), "near", of("dog")), options=("man", "woman")
    ),
}

REFUSED = {
    "a place of two": "Is the dog to the left of the car and the cup in the picture?",
    "a place beside any": "Is the dog to the left of a car in the picture?",
    "no side": "Is the dog to the of the car in the picture?",
    "two sides": "Is the dog to the left of to the right of the car?",
    "higher without than": "Is the dog higher up in the picture the car?",
    "farther left of": "Is the dog farther to the left of the car in the picture?",
    "a place beside itself": "Is the dog to the left of the dog in the picture?",
    "either with and": "Is there either a cat and a dog?",
    "both with or": "Is there both a cat or a dog?",
    "neither with or": "Is there neither a cat or a dog?",
    "no or no, without either": "Do you see no cat or no dog?",
    "either no and no": "Is there either no cat and no dog?",
    "both no": "Is there both no cat and no dog?",
    "either of one": "Is there either a cat?",
    "either, the first without an article": "Is there either cat or a dog?",
    "neither, the second without an article": "Is there neither a cat nor dog?",
    "either, not said whether of both or of one": "Is the picture without either a cat or a dog?",
    "each or one of two missing": "Is a cat or a dog missing from the picture?",
    "'is' with two": "Is a cat and a dog visible in the picture?",
    "'are' with the first of two singulars": "Are there either a cat or a dog?",
    "'is' with a plural before or": "Is there either dogs or a cat?",
    "one group twice, or": "Is there either a dog or a dog?",
    "an ending for the last of two or for each": "Is there either a dog or a man running?",
    "a pronoun for people of a thing": "Is there a cup who is on the table?",
    "a relative clause in the plural": "Is there a cup that are on the table?",
    "a relative clause in the singular": "Are there any cups that is on the table?",
    "a relative clause without a verb": "Is there a cup that on the table?",
    "a related thing without an article": "Is there a cup on table?",
    "no related thing": "Is there a cup on the?",
    "an unknown relationship": "Is there a cup beneath the table?",
    "half a relationship": "Is there a cup to the left the table?",
    "'who' that is holding": "Is there a man who holding the key?",
    "'has' of many": "Are there any women who has the dog?",
    "'are' with the one": "Are the cup clean?",
    "'is' with the pair": "Is the scissors open?",
    "'do' with the one": "Do the cup look clean?",
    "an article for the one": "Is a cup clean?",
    "nothing asked of it": "Is the cup?",
    "asked what is said": "Is the red cup red?",
    "asked of nothing": "Is the clean?",
    "looking like an action": "Does the man look running?",
    "'is' after look": "Does the cup look is clean?",
    "a question in a statement's order": "Is it true that is the cup clean?",
    "a statement in a question's order": "The cup is clean?",
    "the picture twice, of the one": "In the picture, is the cup in the picture clean?",
    "a choice with the wrong verb": "What color are the cup, red or blue?",
    "a choice without a comma": "What color is the cup red or blue?",
    "a choice with a comma too many": "Is the cup, red or blue?",
    "a choice with and": "Is the cup red and blue?",
    "a choice of one": "What color is the cup, red?",
    "a choice of the same": "Is the cup red or red?",
    "a choice out of two categories": "Is the cup red or clean?",
    "a choice of another category": "What color is the cup, clean or dirty?",
    "a category of actions": "What pose is the man, standing or sitting?",
    "a color that is done": "What color is the man doing, standing or sitting?",
    "three without a comma": "Is the cup red blue or green?",
    "a choice of what is said": "Is the red cup red or blue?",
    "options without articles": "Is the striped animal cat or dog?",
    "an option with the wrong article": "Is the striped animal a cat or a elephant?",
    "an option in the plural with an article": "Is the striped animal a cat or a dogs?",
    "an option that is the class": "Is the striped animal an animal or a dog?",
    "an attribute or a name": "Is the striped animal red or a dog?",
    "a class in the plural": "Which animals is on the table, a cat or a dog?",
    "a class with an article": "Which an animal is on the table, a cat or a dog?",
    "a piece of what is counted": "Is the piece of animal a cat or a dog?",
    "who, of no person": "Who is the animal near the car, a cat or a dog?",
    "who, offering no person": "Who is near the car, a cat or a dog?",
}


@each_row(("text", "meaning"), READ.items())
def test_a_question_is_read(text: str, meaning: Meaning) -> None:
    assert read(text, LEXICON) == meaning


@each_row("text", REFUSED.values())
def test_a_garbled_question_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="text="):
        read(text, LEXICON)


def test_every_symbol_of_a_rule_is_rewritten() -> None:
    for symbol in {part.strip("!?") for ways in RULES.values() for way in ways for part in way}:
        beginnings(symbol)  # raises where there is no rule


def test_every_symbol_is_reached_from_a_kind_of_question() -> None:
    reached: set[str] = set()
    # What a relationship is to is asked for by the lexicon's relationships.
    unseen = {*MEANINGS, "TO"}
    while unseen:
        reached |= unseen
        unseen = {part.strip("!?") for symbol in unseen for way in RULES.get(symbol, ()) for part in way} - reached
    assert set(RULES) - reached == set()
