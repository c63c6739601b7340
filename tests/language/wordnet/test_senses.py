"""Which synset a name means."""

from __future__ import annotations

import pytest

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.picture_world.looks import NAMES, SYNSETS
from tests.rows import each_row

WORDS = wordnet()

# Worked out from WordNet's glosses and what is seen in photos.
MEANT = {
    "dog": "dog.n.01",  # not the frump, the cad or the frankfurter
    "bat": "bat.n.05",  # a club for hitting a ball
    "mouse": "mouse.n.04",  # hand-operated electronic device
    "crane": "crane.n.04",  # lifts and moves heavy objects; the first three are poets and a constellation
    "glass": "glass.n.02",  # for drinking, not the brittle solid
    "glasses": "spectacles.n.01",
    "jeans": "jean.n.01",
    "pants": "trouser.n.01",  # the first sense is underpants
    "monitor": "monitor.n.04",  # the first is one who supervises an examination
    "counter": "counter.n.01",
    "plane": "airplane.n.01",
    "pot": "pot.n.01",
    "chicken": "chicken.n.01",
    "trunk": "trunk.n.01",
    "boot": "boot.n.01",
    "tie": "necktie.n.01",
    "pitcher": "pitcher.n.01",
    "batter": "batter.n.01",
    "goal": "goal.n.03",  # in a game
    "plate": "plate.n.04",  # from which food is eaten; the first physical one is home plate
    "base": "base.n.03",
    "remote": "remote_control.n.01",
    "controller": "control.n.09",  # the first is an accountant
    "mug": "mug.n.04",  # the first physical one is a gullible person
    "toilet": "toilet.n.02",  # the first is the room
    "net": "net.n.05",  # the first physical one is the internet
    "jersey": "jersey.n.03",  # not the state, not the island
    "turtle": "turtle.n.02",  # not the sweater
    "ostrich": "ostrich.n.02",  # not one who refuses to face reality
    "hot dog": "hotdog.n.02",  # not the exhibitionist
    "turkey": "turkey.n.01",  # not the country
    "window": "window.n.01",
    "skis": "ski.n.01",
    "scissors": "scissors.n.01",
    "sheep": "sheep.n.01",
    "shelves": "shelf.n.01",
    "women": "woman.n.01",
    "wine glasses": "wineglass.n.01",
    "clocks": "clock.n.01",  # the first sense of the plural is a plant,
    "arms": "arm.n.01",  # of this one weapons,
    "drawers": "drawer.n.01",  # underpants,
    "tails": "tail.n.01",  # and a dress suit
}


@each_row(("name", "synset"), MEANT.items())
def test_the_sense_that_a_photo_shows(name: str, synset: str) -> None:
    assert WORDS.sense(name) == synset


def test_the_picture_world_means_what_it_says() -> None:
    # Its bag is a handbag, of which WordNet has a synset of its own; annotators of photos call any bag so.
    assert {name for name in NAMES if WORDS.sense(name) != SYNSETS[name]} == {"bag"}
    assert SYNSETS["bag"] in WORDS.senses("bag")


def test_every_class_of_coco_and_name_of_the_picture_world_has_a_sense() -> None:
    assert [name for name in sorted(COCO_CLASSES | set(NAMES)) if WORDS.sense(name) is None] == []


def test_a_given_synset_goes_first_where_there_is_such_a_noun() -> None:
    assert WORDS.sense("bat", "bat.n.01") == "bat.n.01"
    assert WORDS.sense("taxi", "cab.n.03") == "cab.n.03"
    assert WORDS.sense("automobile", "automobile.n.01") == "car.n.01"  # as WordNet itself names it
    for useless in ("bat.n.99", "bat", "", "red.a.01", "along.r.01", "bat.n.x", "..", "ba t.n.01"):
        assert WORDS.sense("bat", useless) == "bat.n.05"


def test_what_wordnet_lacks_has_none() -> None:
    assert [WORDS.sense(name) for name in ("xyzzy", "", " ", "she", "blue", "toy bear", "stuffed dog")] == [None] * 7


@pytest.mark.parametrize(
    ("name", "synset"),
    [
        ("wii controller", "control.n.09"),
        ("black office chair", "chair.n.01"),
        ("slice of pizza", "piece.n.08"),
        ("glass door", "door.n.01"),
        ("wooden tables", "table.n.02"),
    ],
)
def test_a_compound_is_a_kind_of_its_head_noun(name: str, synset: str) -> None:
    assert WORDS.sense(name) == synset
    assert WORDS.synonyms(name) == ()


def test_a_glass_horse_is_no_horse_and_a_glass_door_is_a_door() -> None:
    assert WORDS.sense("glass horse") is None
    assert WORDS.is_kind_of("glass door", "door")


def test_people_are_not_meant_by_the_names_of_things() -> None:
    assert "frump.n.01" not in WORDS.senses("dog")
    assert [each for each in WORDS.senses("dog") if "person.n.01" in WORDS.at_or_above(each)] == []
    assert "person.n.01" in WORDS.senses("driver")


def test_people_of_the_curated_families_are_people_in_wordnet_too() -> None:
    people = [name for name in ("man", "guy", "driver", "batter", "catcher", "skier", "cyclist") if family(name)]
    assert all(WORDS.is_under(name, ("person.n.01",)) for name in people)
