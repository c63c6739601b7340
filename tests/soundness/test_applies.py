"""docs/applies.md tells what the relations make of each scene."""

from __future__ import annotations

import pytest

from tests.soundness.applies_page import PAGE, cell, column, section
from tests.soundness.asking import Item, each_item, items
from tests.soundness.samples import PICTURES, REAL, Sample, each_of
from tests.soundness.survey import survey

RENEW = "run: python -m tests.soundness.applies_page"

LEAST_SHARE = {
    "carets.ontological[object_choice]": 0.25,
    # Most of those who act stand, of which one in four is kept: of five draws one or more in three of four scenes.
    "carets.ontological[action_choice]": 0.25 * (1 - 0.75**5),
}
"""Of scenes that give a case, where it takes the only thing of a class, and beside it one that can be asked about."""


@pytest.mark.full
@each_of(PICTURES, *REAL)
def test_the_page_is_up_to_date(sample: Sample) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert column(text, sample) == {item.name: cell(item, sample) for item in items()}, RENEW
    assert section(sample) in text, RENEW


@each_item
def test_a_relation_applies_to_the_picture_world_and_presumes_nothing_there(item: Item) -> None:
    found = survey(item, PICTURES)
    assert found.applies / PICTURES.scenes >= LEAST_SHARE.get(item.name, 0.5)
    assert not found.presumed
