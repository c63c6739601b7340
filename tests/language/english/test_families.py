"""Families of names that are not listed: by WordNet, and only where there is no doubt."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import pytest

from pytest_vqamt.data.coco import COCO_CLASSES
from pytest_vqamt.language.english.families import belong_together, derived_family, family, is_kind_either_way, is_known
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.picture_world.looks import NAMES
from tests.rows import each_row

SHARED = Path(__file__).parents[3] / "../shared/data"
WORDS = wordnet()


def table(name: str) -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = tomllib.loads(
        files("pytest_vqamt.language.english").joinpath(name).read_text("utf-8")
    )
    return loaded


CURATED = {name: kind for kind, names in table("families.toml").items() for name in names}
KINDS: dict[str, dict[str, list[str]]] = tomllib.loads(
    files("pytest_vqamt.language.english").joinpath("families_of_kinds.toml").read_text(encoding="utf-8")
)["family"]
OF_NONE = table("families_of_kinds.toml")["of_none"]


def test_what_is_listed_stays_what_it_is() -> None:
    assert {name: family(name) for name in CURATED} == CURATED
    assert {name for name in COCO_CLASSES | set(NAMES) if family(name) is None} == {
        "mouse", "orange", "skis", "scissors", "baseball glove",
    }  # fmt: skip


def test_no_synset_of_one_family_is_below_one_of_another() -> None:
    for one, other in combinations(KINDS, 2):
        for a in KINDS[one]["synsets"]:
            for b in KINDS[other]["synsets"]:
                assert a not in WORDS.at_or_above(b), (one, a, other, b)
                assert b not in WORDS.at_or_above(a), (one, a, other, b)


def test_no_name_is_in_two_families() -> None:
    names = [name for kind in KINDS.values() for name in kind["names"]]
    assert [name for name in names if names.count(name) > 1] == []
    assert {name for kind, of in KINDS.items() for name in of["names"] if CURATED.get(name, kind) != kind} == set()
    assert set(names) & set(OF_NONE) == set()


@each_row(
    ("name", "expected"),
    [
        ("robin", "animal"),
        ("dogs", "animal"),
        ("grandmother", "person"),
        ("office chair", "furniture"),
        ("black office chair", "furniture"),
        ("sweatshirt", "clothing"),
        ("tangerine", "food"),  # WordNet knows the plant as well
        ("radish", None),  # WordNet has four more senses of it
        ("hot air balloon", "vehicle"),
        ("seat belt", None),
        ("oranges", None),
        ("saucepan", "kitchenware"),
        ("limousine", "vehicle"),
        ("steering wheel", "part"),
        ("leg", "part"),
        ("leaf", "plant"),
        ("river", "scenery"),
        ("toy truck", None),
        ("wooden horse", None),
        ("xyzzy", None),
        ("", None),
    ],
)
def test_families_of_names_that_are_not_listed(name: str, expected: str | None) -> None:
    assert family(name) == expected


# As the heading of families.toml has them.
AMBIGUOUS = (
    "bat", "mouse", "glass", "pitcher", "chicken", "fish", "toy", "statue", "stand", "board", "sign", "hood", "trunk",
    "park", "crane", "fan",
)  # fmt: skip


@each_row("name", [*AMBIGUOUS, "light", "seal", "pole", "net", "watch", "people's", "black", "crowd"])
def test_a_name_that_may_stand_for_things_of_two_families_is_of_none(name: str) -> None:
    assert family(name) is None
    assert derived_family(name) is None


def test_everything_that_a_name_may_mean_decides() -> None:
    # A fluke is a part of a whale and of an anchor, and a flatworm.
    assert {derived_family(name) for name in ("fluke", "organ", "jaguar's", "mint")} == {None}


def test_what_is_derived_is_not_known_well_enough_for_a_class_list() -> None:
    assert not is_known("robin")


def test_parts_and_scenery_belong_together_with_everything() -> None:
    assert all(
        belong_together(name, other) for name in ("wheel", "river") for other in ("dog", "car", "tree", "person")
    )
    assert not belong_together("robin", "limousine")


@pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared/data")
def test_most_things_of_real_scene_graphs_have_a_family() -> None:
    graphs = json.loads((SHARED / "gqa" / "sceneGraphs.json").read_text(encoding="utf-8"))
    names = [each["name"] for graph in graphs.values() for each in graph["objects"].values()]
    assert sum(name in CURATED for name in names) < 0.4 * len(names)
    assert sum(family(name) is not None for name in names) > 0.8 * len(names)


def test_no_name_is_in_two_families_of_families() -> None:
    table: dict[str, list[str]] = tomllib.loads(
        files("pytest_vqamt.language.english").joinpath("families.toml").read_text(encoding="utf-8")
    )
    names = [name for listed in table.values() for name in listed]
    assert sorted(names) == sorted(set(names))
    assert all(name == name.strip().lower() and name for name in names)


@each_row(
    ("name", "expected"),
    [
        ("dog", "animal"),
        ("hot dog", "food"),
        ("teddy bear", "plaything"),
        ("dining table", "furniture"),
        ("fire hydrant", "street"),
        ("mouse", None),
        ("bat", None),
        ("glass", None),
    ],
)
def test_families_of_names(name: str, expected: str | None) -> None:
    assert family(name) == expected


def test_every_name_of_the_picture_world_has_a_family() -> None:
    assert [name for name in NAMES if family(name) is None] == []


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("bird", "duck", True),
        ("duck", "bird", True),
        ("person", "woman", True),
        ("dog", "cat", False),
        ("duck", "duck", False),
    ],
)
def test_kinds(a: str, b: str, expected: bool) -> None:
    assert is_kind_either_way(a, b) is expected


def test_pairs_of_the_picture_world_that_people_may_not_keep_apart() -> None:
    pairs = {(a, b) for a in NAMES for b in NAMES if a < b and is_kind_either_way(a, b)}
    assert {("bird", "duck"), ("car", "truck"), ("bus", "truck"), ("bowl", "cup"), ("bottle", "vase")} <= pairs
    assert not {("cat", "dog"), ("man", "woman"), ("apple", "banana"), ("bus", "car")} & pairs
    assert len(pairs) < 15


@each_row(
    ("a", "b"),
    [
        ("person", "surfer"),
        ("skier", "man"),
        ("animal", "dog"),
        ("vehicle", "car"),
        ("car", "truck"),
        ("tie", "clothing"),
    ],
)
def test_kinds_of_one_family(a: str, b: str) -> None:
    assert is_kind_either_way(a, b)
    assert is_kind_either_way(b, a)


def test_names_of_no_family_are_known_only_where_a_class_list_means_one_thing_by_them() -> None:
    assert [is_known(name) for name in ("dog", "mouse", "skis", "robin", "")] == [True, True, True, False, False]
