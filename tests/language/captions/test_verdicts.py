"""The two relations on pairs of captions, with the paper's own examples and the false reports that it names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.captions.caption_reader import CaptionReading, class_of
from pytest_vqamt.language.captions.verdicts import (
    CaptionVerdict,
    caption_change,
    check_appearance,
    check_captions,
    check_forms,
    incomplete_captions,
    super_categories,
    super_category_names,
)
from pytest_vqamt.language.english.phrases import describe
from pytest_vqamt.picture_world.looks import FAMILIES, NAMES
from tests.rows import each_row

HOLDS = CaptionVerdict()


@each_row(
    ("before", "after", "inserted"),
    [
        # kinds and synonyms (section 4.2.3)
        ("a man on a bench", "a man on a bench with a parrot", "bird"),
        ("a person standing in a field", "a woman standing in a field with a cow", "cow"),
        ("a large airplane on a runway", "a dog next to a plane", "dog"),
        ("a couch in a room", "a sofa and a kitten in a room", "cat"),
        ("a boat in the water", "a boat with a large burger on it", "sandwich"),
        ("a surfer riding a wave", "a man on a surfboard with a dog", "dog"),
        ("a man surfing on a wave", "a man with a surfboard and a sheep", "sheep"),
        ("a man skiing down a hill", "a man on skis next to a bus", "bus"),
        ("a man riding a bike", "a man on a motorcycle with a dog", "dog"),
        ("a bag on a floor", "a suitcase and a dog on a floor", "dog"),
        ("a laptop on a table", "a laptop and a clock on a desk", "clock"),
        ("a dog", "a dog and a bag", "handbag"),
        # words for many classes at once
        ("several animals in a field", "several cows in a field and a truck", "truck"),
        ("a dog in a field", "an animal in a field next to a bench", "bench"),
        ("vehicles on a road", "cars and a bear on a road", "bear"),
        ("a living room with furniture", "a couch in a living room and a dog", "dog"),
        ("a plate of food", "a plate of food, a sandwich and a dog", "dog"),
        ("a bowl of fruit", "a bowl of apples and a dog", "dog"),
        ("vegetables on a board", "carrots on a board and a cat", "cat"),
        ("a table", "a table with fruit", "banana"),
        ("a herd in a field", "cows and a bus in a field", "bus"),
        # what is done with a thing that is not named
        ("a man riding a big wave", "a man on a surfboard riding a wave and a cat", "cat"),
        ("a boy brushing his teeth", "a boy with a toothbrush and a cat", "cat"),
        ("a player swinging at a ball", "a player swinging a bat at a ball and a cow", "cow"),
        ("people playing a video game", "people with remotes and a cat", "cat"),
        ("a drink on a table", "a cup on a table and a cat", "cat"),
        # words without a singular
        ("a desk", "a desk with a pair of scissors", "scissors"),
        ("a pair of scissors on a book", "scissors and a cup on a book", "cup"),
        ("a man on skis", "a man on a pair of skis with a dog", "dog"),
        # compounds
        ("a man with a hot dog", "a man with a hot dog and a dog", "dog"),
        ("a teddy bear on a bed", "a teddy bear and a bear on a bed", "bear"),
        ("a train at a station", "a train at a train station with a cow", "cow"),
        ("a street with a bus stop", "a street with a dog", "dog"),
        # number words and groups
        ("two dogs on a road", "a couple of dogs and a truck on a road", "truck"),
        ("a herd of elephants", "several elephants and a zebra", "zebra"),
        ("a sheep on a hill", "two sheep on a hill", "sheep"),
        ("a giraffe", "a couple of giraffe", "giraffe"),
        ("a man and a woman", "two people and a kite", "kite"),
        ("people on a beach", "a man and a woman on a beach with an airplane", "airplane"),
        # the same thing again
        ("a dog by a door", "a dog and the dog's bowl by a door", "bowl"),
        ("a man on a horse", "a man on a horse, and a cat looks at the man", "cat"),
        # modifiers are not heads, and may be named as what they bring to mind
        ("a clock on a building", "a clock tower and a dog", "dog"),
        ("a clock tower", "a clock on a building and a dog", "dog"),
        ("a stuffed elephant on a bed", "a teddy bear and a dog on a bed", "dog"),
        ("an elephant on a bed", "a stuffed elephant and a dog on a bed", "dog"),
        ("a bed", "a bed with an end table and a dog", "dog"),
        ("a man playing tennis", "a man hitting a tennis ball and a dog", "dog"),
        ("a parachute over a beach", "a kite over a beach and a dog", "dog"),
        ("a banana on a table", "a fruit on a table and a dog", "dog"),
        ("bananas and an orange", "fruit and a dog", "dog"),
        ("a road", "a bike on a road", "motorcycle"),
        ("a bathroom with a toilet", "a bathroom with a toilet bathtub and sink", "sink"),
        # scenery comes and goes
        ("a parrot on a tree", "a parrot and a clock", "clock"),
        ("a vase", "a vase with flowers and a fork", "fork"),
        # of the picture world
        ("a man, two balloons and a table", "a man, a robot, two balloons and a table", "robot"),
        ("a shirt and a cactus", "a hat, a shirt, a bag and two cacti", "cactus"),
        ("a dog", "a dog and a tree", "tree"),
    ],
)
def test_right_captions_are_not_reported(before: str, after: str, inserted: str) -> None:
    assert check_captions(before, after, inserted) == HOLDS


@each_row(
    ("before", "after", "inserted", "kind"),
    [
        # figures 1 and 8 and section 4.3 of the paper
        ("a dog on a road", "a dog and a person on a road", "bird", "misclassification"),
        ("a sheep in a field", "a couple of zebra in a field", "zebra", "omission"),
        ("two horses in a field", "two horses in a field", "dog", "omission"),
        ("a group of zebras", "a group of zebras", "sheep", "omission"),
        ("a table", "bananas on a table", "banana", "quantity"),
        ("a dog", "a dog and two elephants", "elephant", "quantity"),
        ("a man with a dog", "a cat", "cat", "omission"),
        ("a dog", "a dog with a skateboard", "airplane", "misclassification"),
        # forms of what was there
        ("a man on a bench", "two men on a bench with a dog", "dog", "quantity"),
        ("two cows", "a cow and a truck", "truck", "quantity"),
        ("a dog", "a dog", "dog", "quantity"),
        # a word that may name it was there before, so it names nothing new
        ("a man with a bag", "a man with a bag", "handbag", "omission"),
        ("a surfer", "a surfer", "surfboard", "omission"),
        ("a bike", "a bike", "motorcycle", "omission"),
        ("a car at a bus stop", "a car at a bus stop", "bus", "omission"),
        ("a dog", "a dog and an orange ball", "orange", "misclassification"),
        ("a dog", "a dog at a train station", "train", "omission"),
        ("a dog and a tree", "a dog", "tree", "omission"),
        # a word for many classes is of these only, and names nothing new where it was there before
        ("a plate of food", "a plate of food", "pizza", "omission"),
        ("a field", "a field with an animal", "cow", "omission"),
        ("a bowl of fruit", "a bowl of fruit, a pizza and a dog", "dog", "misclassification"),
        ("food on a table", "food on a table and a cow", "dog", "misclassification"),
        ("a herd of sheep", "a herd of cows and a dog", "dog", "misclassification"),
        ("a cow in a field", "a cow drinks water", "cup", "omission"),
        ("a wave on a beach", "a wave on a beach", "surfboard", "omission"),
        ("a beach", "a wave on a beach", "surfboard", "omission"),
        # a modifier names nothing that was inserted
        ("a large building", "a large clock tower", "clock", "omission"),
        ("a large clock on a tower", "a large clock tower", "clock", "omission"),
        ("a suitcase on a bench", "a zebra colored suitcase on a bench", "zebra", "omission"),
        ("a bench", "a zebra suitcase on a bench", "zebra", "misclassification"),
        ("a bed", "a stuffed elephant on a bed", "elephant", "misclassification"),
        ("a room", "a cat sweater in a room", "cat", "omission"),
        ("a street", "a horse blanket on a street", "horse", "omission"),
        ("a shop", "an elephant umbrella in a shop", "elephant", "misclassification"),
        ("a table", "an apple flavored candy on a table", "apple", "omission"),
        ("a table", "a train themed cake on a table", "train", "misclassification"),
        # what is left out is not excused by what only brings it to mind, or is one thing
        ("a man with a tennis ball", "a man on a tennis court and a dog", "dog", "omission"),
        ("a boy kicking a soccer ball", "a boy playing soccer and a dog", "dog", "omission"),
        ("a golf ball on grass", "a golf course and a dog", "dog", "omission"),
        ("a ball and a bat on a field", "a bat on a field at a baseball game and a dog", "dog", "omission"),
        ("kites in the sky", "a parachute in the sky and a dog", "dog", "omission"),
        ("a kite over a beach", "a man parasailing over a beach and a dog", "dog", "misclassification"),
        ("a kite on a pole", "a windsock on a pole and a dog", "dog", "omission"),
        ("bananas and an orange", "a fruit and a dog", "dog", "omission"),
        ("a banana and an orange", "a fruit and a dog", "dog", "omission"),
        ("broccoli and carrots", "a vegetable and a dog", "dog", "omission"),
        ("a bus and a truck", "a vehicle on a road and a dog", "dog", "omission"),
        ("two cows", "an animal in a field and a truck", "truck", "omission"),
    ],
)
def test_wrong_captions_are_reported_by_kind(before: str, after: str, inserted: str, kind: str) -> None:
    verdict = check_captions(before, after, inserted)
    assert verdict.violated
    assert verdict.kind == kind
    assert verdict.relation == ("singular_plural" if verdict.kind == "quantity" else "object_appearance")


@each_row(
    ("before", "after", "missing", "appeared"),
    [
        ("a dog and a cat", "a cat and a puppy", (), ()),
        ("a dog and a cat", "a cat", ("dog",), ()),
        ("a cat", "a cat on a bench", (), ("bench",)),
        ("two dogs", "a cat", ("dog",), ("cat",)),
        # a word that may name it, and what is denied, guessed or a likeness
        ("a dog", "an animal", (), ()),
        ("a bike", "a motorcycle", (), ()),
        ("a dog", "a dog without any cat", (), ()),
        ("a dog", "a dog, and perhaps a cat", (), ()),
        ("a dog and a painting of a cat", "a dog", (), ()),
        # scenery
        ("a dog", "a dog under a tree", (), ()),
    ],
)
def test_a_change_is_what_one_caption_surely_says(
    before: str, after: str, missing: tuple[str, ...], appeared: tuple[str, ...]
) -> None:
    assert caption_change(before, after) == (missing, appeared)


def test_the_reason_names_the_classes() -> None:
    assert check_captions("a man on a bench", "a cat on a bench", "dog").reason == (
        "person is not named; dog is not named; cat is named, which was neither there nor inserted"
    )
    assert check_captions("two men", "a man and a dog", "dog").reason == "person is singular, and must be plural"


def test_forms_are_judged_where_the_classes_are_right() -> None:
    assert check_appearance("a man", "two men and a dog", "dog") == HOLDS
    assert check_forms("a man", "two men", "dog") is None
    forms = check_forms("a man", "two men and a dog", "dog")
    assert forms is not None
    assert (forms.violated, forms.kind) == (True, "quantity")
    assert check_forms("a man", "a man and a puppy", "dog") == HOLDS


@each_row("name", sorted(name for name in COCO_CLASSES if " " in name))
def test_names_with_underscores_are_classes(name: str) -> None:
    """As the authors name their files: "potted_plant", and "hot_dog" is no dog."""
    joined = name.replace(" ", "_")
    assert class_of(joined) == name
    for reading in CaptionReading:
        is_named = reading is not CaptionReading.PUBLISHED
        assert check_captions("a room", f"a {name} in a room", joined, reading).violated != is_named


def test_a_thing_of_no_class_cannot_be_inserted() -> None:
    with pytest.raises(DataError, match="got inserted='hat', which is of no class"):
        check_captions("a man", "a man with a hat", "hat")


THINGS = sorted({*COCO_CLASSES, *NAMES} - {name for name in FAMILIES["clothing"] if class_of(name) is None})


@given(
    st.lists(st.tuples(st.sampled_from(THINGS), st.integers(1, 5)), max_size=6, unique_by=lambda each: each[0]),
    st.sampled_from(THINGS),
)
def test_the_oracle_holds(inventory: list[tuple[str, int]], inserted: str) -> None:
    """One thing more, wherever it stands in the list: nothing to report, and without it an omission or a quantity."""
    numbers = dict(inventory)
    numbers[inserted] = numbers.get(inserted, 0) + 1
    assert check_captions(describe(inventory), describe(numbers.items()), inserted) == HOLDS
    if class_of(inserted) not in {class_of(name) for name, _ in inventory}:
        assert check_captions(describe(inventory), describe(inventory), inserted).kind == "omission"


def _lacking(*captions: str) -> list[tuple[int, tuple[str, ...], int]]:
    found = incomplete_captions([super_categories(caption) for caption in captions])
    return [(each.place, super_category_names(each.missing), each.times) for each in found]


def test_what_two_share_must_be_in_the_third() -> None:
    assert _lacking("a dog and a man", "a puppy with a woman", "a cat") == [(2, ("person",), 1)]
    # animals are one super-category, so that the cat is no mistake; two captions of three lack nothing of one
    assert _lacking("a dog", "a cat", "a man") == [(2, ("animal",), 1)]
    assert _lacking("a dog", "a cat") == []
    assert _lacking() == []


def test_each_pair_that_it_breaks_counts() -> None:
    """Four of five name an animal: for the fifth, six pairs; three of five a person: for each of the others, three."""
    captions = ("a man and a dog", "a man and a dog", "a man and a dog", "a dog", "at")
    assert _lacking(*captions) == [(3, ("person",), 3), (4, ("person", "animal"), 6)]


def test_a_word_that_may_name_it_is_enough_for_the_third_only() -> None:
    assert _lacking("a backpack", "a suitcase", "a bag on a floor") == []
    assert _lacking("a bag", "a bag", "a floor") == []
    assert _lacking("a bus and a car", "two buses", "traffic on a road") == []
    assert _lacking("a bus and a car", "two buses", "a traffic light on a road") == [(2, ("vehicle",), 1)]


def test_the_bits_have_names_in_the_order_of_coco() -> None:
    named, perhaps = super_categories("a spoon, a fork and a bed")
    assert (super_category_names(named), super_category_names(perhaps)) == (("kitchen", "furniture"), ())
