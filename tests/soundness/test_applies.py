"""docs/applies.md tells what the relations make of each scene."""

from __future__ import annotations

from tests.soundness.applies_page import PAGE, cell, column, section
from tests.soundness.asking import items
from tests.soundness.samples import PICTURES, REAL, Sample, each_of
from tests.soundness.survey import survey

RENEW = "run: python -m tests.soundness.applies_page"


@each_of(PICTURES, *REAL)
def test_the_page_is_up_to_date(sample: Sample) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert column(text, sample) == {item.name: cell(item, sample) for item in items()}, RENEW
    assert section(sample) in text, RENEW


def test_every_relation_applies_to_the_picture_world_and_presumes_nothing_there() -> None:
    found = {item.name: survey(item, PICTURES) for item in items()}
    assert [name for name, each in found.items() if each.applies < PICTURES.scenes / 2] == []
    assert [name for name, each in found.items() if each.presumed] == []
