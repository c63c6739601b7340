"""Plurals and articles, expected by hand."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.language.english.nouns import (
    head,
    indefinite,
    is_countable,
    is_mass,
    is_plural,
    lacks_singular,
    number_word,
    plural,
    singular,
    with_article,
)
from tests.rows import each_row

COCO = """
person people, bicycle bicycles, car cars, motorcycle motorcycles, airplane airplanes, bus buses, train trains,
truck trucks, boat boats, traffic light:traffic lights, fire hydrant:fire hydrants, stop sign:stop signs,
parking meter:parking meters, bench benches, bird birds, cat cats, dog dogs, horse horses, sheep sheep, cow cows,
elephant elephants, bear bears, zebra zebras, giraffe giraffes, backpack backpacks, umbrella umbrellas,
handbag handbags, tie ties, suitcase suitcases, frisbee frisbees, skis skis, snowboard snowboards,
sports ball:sports balls, kite kites, baseball bat:baseball bats, baseball glove:baseball gloves,
skateboard skateboards, surfboard surfboards, tennis racket:tennis rackets, bottle bottles, wine glass:wine glasses,
cup cups, fork forks, knife knives, spoon spoons, bowl bowls, banana bananas, apple apples, sandwich sandwiches,
orange oranges, broccoli broccoli, carrot carrots, hot dog:hot dogs, pizza pizzas, donut donuts, cake cakes,
chair chairs, couch couches, potted plant:potted plants, bed beds, dining table:dining tables, toilet toilets, tv tvs,
laptop laptops, mouse mice, remote remotes, keyboard keyboards, cell phone:cell phones, microwave microwaves,
oven ovens, toaster toasters, sink sinks, refrigerator refrigerators, book books, clock clocks, vase vases,
scissors scissors, teddy bear:teddy bears, hair drier:hair driers, toothbrush toothbrushes
"""
"""COCO's 80 classes with their plurals; a colon where the name has a space."""

PAIRS = [
    tuple(entry.strip().split(":" if ":" in entry else " ", 1))
    for entry in COCO.replace("\n", " ").split(",")
    if entry.strip()
]

OTHERS = [
    ("man", "men"), ("policeman", "policemen"), ("snowman", "snowmen"), ("woman", "women"), ("human", "humans"),
    ("ottoman", "ottomans"), ("german", "germans"), ("child", "children"), ("mother-in-law", "mothers-in-law"),
    ("passerby", "passersby"), ("goose", "geese"), ("ox", "oxen"), ("foot", "feet"), ("tooth", "teeth"),
    ("calf", "calves"),
    ("leaf", "leaves"), ("loaf", "loaves"), ("shelf", "shelves"), ("scarf", "scarves"), ("hoof", "hooves"),
    ("roof", "roofs"),
    ("wolf", "wolves"), ("thief", "thieves"), ("giraffe", "giraffes"), ("cliff", "cliffs"), ("chef", "chefs"),
    ("deer", "deer"), ("fish", "fish"), ("moose", "moose"), ("bison", "bison"), ("aircraft", "aircraft"),
    ("potato", "potatoes"), ("tomato", "tomatoes"), ("photo", "photos"), ("piano", "pianos"), ("flamingo", "flamingos"),
    ("avocado", "avocados"), ("burrito", "burritos"), ("zoo", "zoos"), ("lady", "ladies"), ("toy", "toys"),
    ("butterfly", "butterflies"), ("box", "boxes"), ("watch", "watches"), ("dress", "dresses"),
    ("cactus", "cactuses"), ("octopus", "octopuses"), ("lens", "lenses"), ("canvas", "canvases"),
    ("computer mouse", "computer mice"), ("tall wine glass", "tall wine glasses"),
    ("slice of pizza", "slices of pizza"), ("glass of water", "glasses of water"), ("man in suit", "men in suit"),
    ("pitcher's mound", "pitcher's mounds"), ("tank top", "tank tops"), ("table cloth", "table cloths"),
]  # fmt: skip

MASS = [
    "water",
    "grass",
    "sand",
    "snow",
    "bread",
    "rice",
    "furniture",
    "luggage",
    "hair",
    "food",
    "ocean water",
    "toilet paper",
    "facial hair",
    "broccoli",
    "orange juice",
    "wood",
    "graffiti",
    "clothing",
    "silverware",
    "tennis",
    "ice cream",
]

PLURAL_ONLY = [
    "scissors",
    "pants",
    "skis",
    "glasses",
    "jeans",
    "shorts",
    "sunglasses",
    "ski pants",
    "goggles",
    "headphones",
    "stairs",
    "pajamas",
    "overalls",
    "clothes",
    "police",
    "cattle",
    "blinds",
]

PLURALS = [
    "people",
    "leaves",
    "men",
    "women",
    "feet",
    "dishes",
    "buses",
    "tomatoes",
    "teddy bears",
    "wine glasses",
    "skies",
    "knives",
]

SINGULARS = [
    "bus",
    "glass",
    "grass",
    "dress",
    "gas",
    "lens",
    "cactus",
    "octopus",
    "tennis",
    "canvas",
    "mattress",
    "compass",
    "sheep",
    "fish",
    "deer",
    "chassis",
    "walrus",
    "iris",
    "princess",
    "school bus",
    "wine glass",
]


def test_coco_has_80_classes() -> None:
    assert len(PAIRS) == 80


@pytest.mark.parametrize(("one", "many"), [*PAIRS, *OTHERS])
def test_plural(one: str, many: str) -> None:
    assert plural(one) == many
    assert plural(many) == many
    assert singular(many) == one
    assert singular(one) == one


@each_row("noun", MASS)
def test_a_mass_is_neither_counted_nor_given_an_article(noun: str) -> None:
    assert is_mass(noun)
    assert not is_plural(noun)
    assert not is_countable(noun)
    assert plural(noun) == indefinite(noun) == noun


@each_row("noun", PLURAL_ONLY)
def test_what_has_no_singular_is_a_plural_and_not_counted(noun: str) -> None:
    assert lacks_singular(noun)
    assert is_plural(noun)
    assert not is_countable(noun)
    assert plural(noun) == singular(noun) == indefinite(noun) == noun


def test_glasses_are_spectacles_unless_they_are_of_something() -> None:
    assert plural("glass") == "glasses"
    assert singular("glasses") == "glasses"
    assert not lacks_singular("glasses of water")


@each_row("noun", PLURALS)
def test_a_plural_is_known_as_one(noun: str) -> None:
    assert is_plural(noun)
    assert not lacks_singular(noun)
    assert not is_countable(noun)


@each_row("noun", SINGULARS)
def test_a_final_s_does_not_make_a_plural(noun: str) -> None:
    assert not is_plural(noun)


@each_row("noun", ["dog", "teddy bear", "sheep", "bus", "water bottle", "snow suit", "tank top", "lamp shade"])
def test_what_is_counted(noun: str) -> None:
    assert is_countable(noun)


@each_row("noun", ["sky", "ground", "ocean", "pant", "scissor", "background"])
def test_what_has_no_edge_or_is_half_a_pair_is_not_counted(noun: str) -> None:
    assert not is_countable(noun)


@each_row(
    "phrase",
    [
        "an apple", "a uniform", "an hour", "an hour hand", "a teddy bear", "an umbrella", "a unicorn", "a utensil",
        "an urn", "a european car", "a one-way sign", "an orange cat", "a unicycle", "an honest man", "a horse",
        "an heir", "an x-ray", "an suv", "a tv", "a t-shirt", "an ipod", "an unlit candle", "a used car",
        "an open door", "a yellow umbrella", "an igloo",
    ],
)  # fmt: skip
def test_the_article_goes_by_sound(phrase: str) -> None:
    assert with_article(phrase.split(" ", 1)[1]) == phrase


@pytest.mark.parametrize(
    ("noun", "word"),
    [
        ("teddy bear", "bear"),
        ("glass of water", "glass"),
        ("dog", "dog"),
        ("man in suit", "man"),
        ("tennis racket", "racket"),
    ],
)
def test_head(noun: str, word: str) -> None:
    assert head(noun) == word


@each_row(
    ("n", "word"),
    [
        (0, "zero"), (1, "one"), (12, "twelve"), (19, "nineteen"), (20, "twenty"), (21, "twenty-one"), (40, "forty"),
        (99, "ninety-nine"), (100, "100"), (-1, "-1"),
    ],
)  # fmt: skip
def test_number_word(n: int, word: str) -> None:
    assert number_word(n) == word


@given(word=st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=10), pair=st.sampled_from(PAIRS))
def test_what_stands_before_a_noun_does_not_change_its_plural(word: str, pair: tuple[str, str]) -> None:
    assert plural(f"{word} {pair[0]}") == f"{word} {pair[1]}"
    assert singular(f"{word} {pair[1]}") == f"{word} {pair[0]}"


def test_inflect_is_loaded_when_a_noun_is_asked_about_and_not_before() -> None:
    code = "import sys, pytest_vqamt.language.english.nouns as n; assert 'inflect' not in sys.modules; n.plural('dog')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
