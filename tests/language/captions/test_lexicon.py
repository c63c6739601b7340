"""The tables of words: whole, without doubt between classes, and borne out by WordNet."""

from __future__ import annotations

from itertools import chain

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.captions.caption_reader import class_of
from pytest_vqamt.language.captions.naming_words import class_rows, entries_by_form, people
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.picture_world.looks import FAMILIES, NAMES
from tests.rows import each_row

_SUPER_CATEGORIES = {
    "person": 1, "vehicle": 8, "outdoor": 5, "animal": 10, "accessory": 5, "sports": 10, "kitchen": 7, "food": 10,
    "furniture": 6, "electronic": 6, "appliance": 5, "indoor": 7,
}  # fmt: skip
"""Of COCO, with the number of classes in each (Lin et al., ECCV 2014, appendix)."""


def test_the_classes_are_those_of_coco_and_of_the_picture_world() -> None:
    of_coco = {name for name, row in class_rows().items() if row.kind}
    assert of_coco == COCO_CLASSES
    assert set(class_rows()) - of_coco == {
        name for name in NAMES if name not in FAMILIES["clothing"] and not class_rows()[class_of(name) or name].kind
    }


def test_every_class_is_in_its_super_category() -> None:
    kinds = [class_rows()[name].kind for name in COCO_CLASSES]
    assert {kind: kinds.count(kind) for kind in kinds} == _SUPER_CATEGORIES
    assert [class_rows()[name].kind for name in ("bench", "tie", "bowl", "tv", "sink", "book")] == [
        "outdoor", "accessory", "kitchen", "electronic", "appliance", "indoor",
    ]  # fmt: skip


def test_no_word_is_listed_twice_and_none_is_ragged() -> None:
    for name, row in class_rows().items():
        for words in (row.names, row.formless, row.perhaps, row.parts, row.others):
            assert sorted(set(words)) == sorted(words), name
        for word in chain(row.names, row.many, row.formless, row.perhaps, row.parts, row.others):
            assert word, name
            assert word == word.strip().lower(), name
    listed = list(
        chain.from_iterable(people()[section] for section in ("man", "woman", "boy", "girl", "child", "anyone"))
    )
    assert sorted(set(listed)) == sorted(listed)


def test_who_does_something_is_a_person() -> None:
    """Words such as "surfer" may name the thing that is used, and name somebody for certain."""
    for form, word in entries_by_form().items():
        doer = form.rpartition(" ")[2].endswith(("rider", "player", "surfer", "boarder", "skier", "skater", "cyclist"))
        if doer and word.perhaps and "record" not in form:
            assert word.classes == ("person",), form


_SYNSETS = {
    "bicycle": "bicycle.n.01", "car": "car.n.01", "motorcycle": "motorcycle.n.01", "airplane": "airplane.n.01",
    "bus": "bus.n.01", "train": "train.n.01", "truck": "truck.n.01", "boat": "vessel.n.02", "bird": "bird.n.01",
    "cat": "cat.n.01", "dog": "canine.n.02", "horse": "horse.n.01", "sheep": "sheep.n.01", "cow": "bovine.n.01",
    "elephant": "elephant.n.01", "bear": "bear.n.01", "bottle": "bottle.n.01", "knife": "knife.n.01",
    "sandwich": "sandwich.n.01", "cake": "cake.n.03", "chair": "chair.n.01", "couch": "sofa.n.01", "bed": "bed.n.01",
    "clock": "clock.n.01", "tie": "necktie.n.01", "person": "person.n.01",
}  # fmt: skip
_NOT_IN_WORDNET = {
    "train": {"locomotive", "tram", "streetcar"},  # COCO's trains are with their engines, and trams are among them
    "motorcycle": {"scooter"},  # a wheeled vehicle of its own there
    "airplane": {"aircraft", "warplane"},  # helicopters are aircraft there; captions call them by their name
    "cat": {"kitten", "feline"},  # the young are young mammals there
    "dog": {"pup"},
    "horse": {"foal"},
    "sheep": {"lamb"},
    "cow": {"calf"},
    "bear": {"panda"},  # a procyonid there; COCO marks it as a bear
    "cake": {"shortcake"},  # a biscuit there
    "clock": {"timepiece"},
    "person": {"human", "commuter", "climber", "queen"},  # here too, by senses that the bundled one has not
}
"""Words of a class that our WordNet has elsewhere, and people use of the class in captions."""


@each_row("name", _SYNSETS)
def test_wordnet_has_the_words_in_their_class(name: str) -> None:
    words = (
        chain.from_iterable(
            people()[section] for section in ("man", "woman", "boy", "girl", "child", "adult", "anyone")
        )
        if name == "person"
        else class_rows()[name].names
    )
    net = wordnet()
    synset = _SYNSETS[name]
    elsewhere = {
        word
        for word in words
        if " " not in word and net.senses(word) and not any(synset in net.at_or_above(one) for one in net.senses(word))
    }
    assert elsewhere == _NOT_IN_WORDNET.get(name, set())
