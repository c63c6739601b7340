"""Likely causes: named where the cases that fail are those that they predict, and nowhere else."""

from __future__ import annotations

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.reporting.view.causes import likely_causes
from tests.rows import each_row


def causes_of(model: str, relations: str = "multi.*,turn.*,form.*", cases: int = 30) -> list[str]:
    report = vqamt.run(model=model, data="pictures:60", relations=relations, max_cases=cases, contrast=0, shrink=0)
    return [each.removeprefix("Likely cause: ").partition(":")[0] for each in likely_causes(report)]


@each_row(
    "fault, cause",
    [
        ("merges-equal-sizes", "pictures of one size are merged into one"),
        ("first-picture-only", "only the first of several pictures is seen"),
        ("first-picture-only@0.5", "only the first of several pictures is seen"),
        ("last-picture-only", "only the last of several pictures is seen"),
        ("mixes-up-pictures", "several pictures are seen in the opposite order"),
        ("order-by-content", "several pictures are seen in another order than they were sent in"),
        ("latest-turn-pictures", "a later picture replaces those of earlier turns"),
        ("moves-markers", "pictures of earlier turns are moved to another turn"),
        ("forgets-earlier-turns", "pictures of earlier turns are lost"),
        ("loses-text-before-pictures", "a text before a picture is lost"),
        # Its answers are yes and no, which do not tell what it lacks.
        ("loses-late-pictures", "one of two"),
        ("jpeg-swapped", "JPEG is decoded with other colors, as if red and blue were exchanged"),
        ("ignores-orientation", "the orientation in EXIF is ignored"),
    ],
)
def test_a_fault_is_named(fault: str, cause: str) -> None:
    assert causes_of(f"fault:{fault}") == [cause]


@pytest.mark.parametrize("model", ["oracle", "fault:flips", "fault:always-yes", "fault:refuses", "fault:off-by-one"])
def test_nothing_is_named_where_no_server_is_at_fault(model: str) -> None:
    assert causes_of(model) == []


def test_few_cases_name_nothing() -> None:
    assert causes_of("fault:first-picture-only", cases=4) == []
