"""Cases are kept in few bytes, and come back as they were."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.results import RECORD_BYTES, JudgedCases


def test_a_record_is_of_the_case_its_scene_and_two_bits() -> None:
    judged = JudgedCases()
    judged.add("c1", "scene", Outcome.HOLDS, presumed=False)
    judged.add("c2", "scene", Outcome.UNPARSED, presumed=True)
    judged.add("c3", "scene", Outcome.HOLDS, presumed=True)
    scene = bytes.fromhex(digest("scene"))
    assert bytes(judged.records) == b"".join(
        bytes.fromhex(digest(case)) + scene + bits for case, bits in (("c1", b"\1"), ("c2", b"\2"), ("c3", b"\3"))
    )
    assert len(judged.records) == 3 * RECORD_BYTES


def test_an_error_is_not_kept() -> None:
    judged = JudgedCases()
    judged.add("c1", "scene", Outcome.ERROR, presumed=False)
    assert judged == JudgedCases()


def test_they_come_back_from_text() -> None:
    judged = JudgedCases()
    for number in range(5):
        judged.add(f"c{number}", "scene", Outcome.VIOLATED, presumed=False)
    assert JudgedCases.of_text(judged.text) == judged


@pytest.mark.parametrize("text", ["AAAA", "no base 64 at all", "AAA"])
def test_a_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected records of 17 bytes|[Bb]ase64|padding|Non-base64"):
        JudgedCases.of_text(text)
