"""Patterns over item names."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.identity import matches

ITEM = "metavqa.partition[object]"


@pytest.mark.parametrize(
    "pattern",
    [
        "*",
        "metavqa.*",
        "metavqa.partition",
        "metavqa.partition[object]",
        "metavqa.partition[obj*]",
        "metavqa.partition[*]",
        "*.partition",
        "*[object]",
        "*part*",
        "metavqa.partition*",
        "metavqa.part*n",
    ],
)
def test_a_pattern_that_names_the_item(pattern: str) -> None:
    assert matches(pattern, ITEM)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "metavqa",
        "metavqa.",
        "partition",
        "metavqa.part",
        "metavqa.partition[property]",
        "metavqa.partition[obj]",
        "metavqa.partition[]",
        "carets.*",
        "METAVQA.*",
        "[object]",
    ],
)
def test_a_pattern_that_does_not(pattern: str) -> None:
    assert not matches(pattern, ITEM)


@pytest.mark.parametrize(
    ("pattern", "item"),
    [
        ("metavqa?partition", "metavqa.partition"),
        ("metavqaXpartition", "metavqa.partition"),
        ("carets.visual[blur3]", "carets.visualb"),
        ("carets.visual[!blur3]", "carets.visual[mask]"),
        ("metavqa.partitio[mn]", "metavqa.partition"),
        (".+", "metavqa.partition"),
    ],
)
def test_only_the_star_is_special(pattern: str, item: str) -> None:
    assert not matches(pattern, item)


def test_brackets_are_literal_beside_a_star() -> None:
    assert matches("carets.visual[blur*]", "carets.visual[blur3]")
    assert not matches("carets.visual[blur*]", "carets.visual[mask]")
    assert matches("metaic.object_appearance[0]", "metaic.object_appearance[0]")
    assert not matches("metaic.object_appearance[0]", "metaic.object_appearance[30]")
