"""Families keep apart what is surely not the same thing."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from pytest_vqamt.language.english.families import family, is_known, one_is_a_kind_of_the_other
from pytest_vqamt.picture_world.looks import NAMES


def test_no_name_is_in_two_families() -> None:
    table: dict[str, list[str]] = tomllib.loads(
        files("pytest_vqamt.language.english").joinpath("families.toml").read_text(encoding="utf-8")
    )
    names = [name for listed in table.values() for name in listed]
    assert sorted(names) == sorted(set(names))
    assert all(name == name.strip().lower() and name for name in names)


@pytest.mark.parametrize(
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
    assert one_is_a_kind_of_the_other(a, b) is expected


def test_pairs_of_the_picture_world_that_people_may_not_keep_apart() -> None:
    pairs = {(a, b) for a in NAMES for b in NAMES if a < b and one_is_a_kind_of_the_other(a, b)}
    assert {("bird", "duck"), ("car", "truck"), ("bus", "truck"), ("bowl", "cup"), ("bottle", "vase")} <= pairs
    assert not {("cat", "dog"), ("man", "woman"), ("apple", "banana"), ("bus", "car")} & pairs
    assert len(pairs) < 15


@pytest.mark.parametrize(
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
    assert one_is_a_kind_of_the_other(a, b)
    assert one_is_a_kind_of_the_other(b, a)


def test_names_of_no_family_are_known_only_where_a_class_list_means_one_thing_by_them() -> None:
    assert [is_known(name) for name in ("dog", "mouse", "skis", "robin", "")] == [True, True, True, False, False]
