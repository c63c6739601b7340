"""Likely causes: named where the cases that fail are those that they predict, and nowhere else."""

from __future__ import annotations

import re

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.reporting.view.causes import likely_causes
from tests.rows import each_row


def causes_of(model: str, relations: str = "multi.*,turn.*,form.*,film.*,lead.pushback", cases: int = 30) -> list[str]:
    report = vqamt.run(model=model, data="pictures:60", relations=relations, max_cases=cases, contrast=0, shrink=0)
    # Behind the cause come the numbers of cases.
    return [re.split(r": (?=\d)", each.removeprefix("Likely cause: "))[0] for each in likely_causes(report)]


@each_row(
    "fault, cause",
    [
        ("merges-equal-sizes", "pictures of one size are merged into one"),
        ("first-picture-only", "only the first of several pictures is seen"),
        ("first-picture-only@0.5", "only the first of several pictures is seen"),
        ("last-picture-only", "only the last of several pictures is seen"),
        ("mixes-up-pictures", "several pictures are seen in the opposite order"),
        (
            "order-by-content",
            "one of two: several pictures are seen in another order than sent, or their numbers are not understood",
        ),
        ("latest-turn-pictures", "a later picture replaces those of earlier turns"),
        ("moves-markers", "pictures of earlier turns are moved to another turn"),
        ("forgets-earlier-turns", "pictures of earlier turns are lost"),
        ("loses-text-before-pictures", "a text before a picture is lost"),
        ("caves-in", "the answer is taken back where the user doubts it, whatever the picture shows"),
        (
            "tires",
            "the answer changes once the talk goes on: the fourth message is answered otherwise than the first three",
        ),
        (
            "plays-backwards",
            "one of two: the frames of films are seen in the opposite order, or an event is not told from its reverse",
        ),
        ("one-frame", "one of two: a single frame of a film is seen, or the order of the frames is not"),
        ("four-pictures", "one of two: only the first few of many pictures are seen, or films are not followed"),
        # Its answers are yes and no, which do not tell what it lacks.
        ("loses-late-pictures", "one of two: a text before a picture is lost, or pictures behind a text are lost"),
        ("jpeg-swapped", "JPEG is decoded with other colors, as if red and blue were exchanged"),
        ("ignores-orientation", "the orientation in EXIF is ignored"),
    ],
)
def test_a_fault_is_named(fault: str, cause: str) -> None:
    assert causes_of(f"fault:{fault}") == [cause]


BLAMELESS = (
    "oracle fault:flips fault:always-yes fault:always-no fault:refuses fault:off-by-one "
    # Other words for a question.
    "fault:template-sensitive "
    # Models that look at nothing, or at half of the pictures.
    "fault:prior-only fault:half-blind"
)


@pytest.mark.parametrize("model", BLAMELESS.split())
def test_nothing_is_named_where_no_server_is_at_fault(model: str) -> None:
    assert causes_of(model) == []


def test_few_cases_name_nothing() -> None:
    assert causes_of("fault:first-picture-only", cases=4) == []
