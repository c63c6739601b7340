"""Families keep apart what is surely not the same thing."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from pytest_vqamt.data.pictures.vocabulary import NAMES
from pytest_vqamt.language.families import family, one_is_a_kind_of_the_other


def test_no_name_is_in_two_families() -> None:
    table: dict[str, list[str]] = tomllib.loads(
        files("pytest_vqamt.language").joinpath("families.toml").read_text(encoding="utf-8")
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


def test_the_picture_world_has_one_pair_of_kinds() -> None:
    pairs = [(a, b) for a in NAMES for b in NAMES if a < b and one_is_a_kind_of_the_other(a, b)]
    assert pairs == [("bird", "duck")]
