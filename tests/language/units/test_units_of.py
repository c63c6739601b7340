"""What becomes an object and what a property, kind by kind of sentence."""

from __future__ import annotations

from pytest_vqamt.language.units import DescriptionUnit, units_of
from tests.rows import each_row

KINDS = {
    # VEglue section 3.4.1
    "The man is aiming his rifle at something.": "man: is aiming his rifle at something | rifle:",
    # VEglue section 3.2, its example of overlapping units
    "There is a man and a boy flying a kite": "man: flying a kite | boy: flying a kite | kite:",
    "Two puppies are sleeping.": "puppies: are sleeping",
    "Girls rock climbing.": "Girls: rock climbing",
    "A boy waves.": "boy: waves",
    "The race car races.": "race car: races",
    "A nurse helps a child walk.": "nurse: helps a child walk | child: walk",
    "A clown juggles while two kids watch.": "clown: juggles | kids: watch",
    "A clown juggles while he sings.": "clown: juggles while he sings",
    "A clown juggles as he sings.": "clown: juggles as he sings",
    "A man dressed as a clown is singing.": "man: dressed as a clown is singing",
    "A group of nuns is singing.": "group of nuns: is singing",
    "A couple of nuns are singing.": "nuns: are singing",
    "One of the nuns is singing.": "One of the nuns: is singing",
    "A woman drinks a cup of coffee.": "woman: drinks a cup of coffee | cup of coffee:",
    "A man feeds a goat and the goat bleats.": "man: feeds a goat | goat: | goat: bleats",
    "A man feeds a goat near the goat.": "man: feeds a goat near the goat | goat:",
    "The man's parrot talks.": "man's parrot: talks",
    "There's a parrot in a cage.": "parrot: in a cage | cage:",
    "They're running.": "They: 're running",
    "People in orange vests wave.": "People: in orange vests wave",
    "A boy in red kicks a ball.": "boy: in red kicks a ball | ball:",
    "A girl whose hat is red holds a doll.": "girl: whose hat is red holds a doll | doll:",
    "Men playing cards.": "Men: playing cards",
    "Two nuns sit at a table playing cards.": "nuns: sit at a table playing cards | table:",
    "A nun is at a face painting booth.": "nun: is at a face painting booth | face painting booth:",
    "A nun stands by a wood burning stove.": "nun: stands by a wood burning stove | wood burning stove:",
    "A nun sits on a stage playing guitar.": "nun: sits on a stage playing guitar | stage:",
    "A group of nuns in orange vests wave.": "group of nuns: in orange vests wave",
    "nun at desk reading.": "nun: at desk reading | desk:",
    "A nun on couch watching a dog.": "nun: on couch watching a dog | couch: | dog:",
    "A nun holds the door open.": "nun: holds the door open | door:",
    "A nun gets the table ready.": "nun: gets the table ready | table:",
    "A nun paints a fence white.": "nun: paints a fence white | fence:",
    "A pack of dogs in red sweaters bark.": "pack of dogs: in red sweaters bark",
    "A nun is helping her niece fly a kite.": "nun: is helping her niece fly a kite | niece: fly a kite | kite:",
    "Three of the nuns are singing.": "nuns: are singing",
    "Most of the nuns are singing.": "nuns: are singing",
    "More than one nun is singing.": "nun: is singing",
    "Some smiling girls sing.": "smiling girls: sing",
    "Two nuns, both wearing caps, sing.": "nuns: both wearing caps, sing",
    "A nun and a monk, both wearing caps, sing.": "nun: both wearing caps, sing | monk: both wearing caps, sing",
    "In this picture there is a nun with a cello.": "nun: with a cello | cello:",
    "Theres a nun in a taxi": "nun: in a taxi | taxi:",
    "A nun uses a hose to water her roses.": "nun: uses a hose to water her roses | hose: | roses:",
    # nothing that could be erased
    "A lady in a gown wears a necklace.": "lady: in a gown wears a necklace",
    "A man plays chess.": "man: plays chess",
    "A man goes for a bicycle ride.": "man: goes for a bicycle ride",
    "A girl is on a pony ride.": "girl: is on a pony ride",
    "A girl is on a carnival ride.": "girl: is on a carnival ride | carnival ride:",
    "A man plays the cello.": "man: plays the cello | cello:",
    "A man takes a picture of a fox.": "man: takes a picture of a fox | fox:",
    "There is no dog.": "",
    "Nobody holds a ball.": "",
    "No one is on a boat.": "",
    "Neither of the nuns holds a ball.": "",
    "A dog never bites the cat.": "dog: never bites the cat",
    "A bike lacks a wheel.": "bike: lacks a wheel",
    "A nun or a monk is singing.": "",
    "A man without a helmet rides a moped.": "man: without a helmet rides a moped | moped:",
    "A girl is not holding a doll.": "girl: is not holding a doll",
    "": "",
    "...": "",
    "and the of": "",
}


@each_row(("sentence", "units"), KINDS.items())
def test_kinds_of_sentences(sentence: str, units: str) -> None:
    assert " | ".join(f"{unit.object}: {unit.property}".strip() for unit in units_of(sentence)) == units


@each_row(
    ("sentence", "plural"),
    [
        ("A dog barks.", [False]),
        ("Dogs bark.", [True]),
        ("Two sheep bleat.", [True]),
        ("One of the dogs barks.", [False]),
        ("A group of dogs barks.", [True]),
        ("A man holds scissors.", [False, True]),
    ],
)
def test_plurals_are_told(sentence: str, plural: list[bool]) -> None:
    assert [unit.is_plural for unit in units_of(sentence)] == plural


def test_capitals_and_blanks_change_nothing_but_themselves() -> None:
    plain, odd = units_of("two dogs are running in a park."), units_of("Two  Dogs are\trunning in a Park .")
    assert [unit.object.lower() for unit in odd] == [unit.object for unit in plain]
    assert odd[0] == DescriptionUnit(object="Dogs", property="are running in a Park", is_plural=True)
