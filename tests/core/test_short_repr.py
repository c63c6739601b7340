"""A failing example prints its texts, edits, scene and id, and not every field of its scene."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.vendor.pretty import pretty

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.meaning import Exists
from pytest_vqamt.core.query import Query
from tests.making import group_of, scene_of

YARD = scene_of("dog", "dog", "brown cat", id="yard")


def asked(mirrored: bool = False) -> Query:
    picture = YARD.picture.mirror() if mirrored else YARD.picture
    return Query(picture=picture, text="Is there a dog?", meaning=Exists(group=group_of("dog")))


CASE = Case(relation="ours.mirror", variant="left", scene="yard", queries=(asked(), asked(True)), expected="the same")


def test_a_case_has_its_texts_and_edits() -> None:
    assert repr(CASE) == (
        f'<Case {CASE.id} of ours.mirror[left], scene \'yard\': "Is there a dog?" | "Is there a dog?" (mirrored)>'
    )
    assert "(presumed)" in repr(replace(CASE, tags=("presumed",)))


def test_the_others() -> None:
    assert repr(asked(True)) == f"<Query {asked(True).id} (vqa) of 'yard.png': \"Is there a dog?\" (mirrored)>"
    assert repr(YARD.picture.erase(Box(0, 0, 5, 5)).mirror()).startswith("<Picture 'yard.png', ")
    assert repr(YARD) == "<Scene 'yard', 200 x 100 px: 2 dog, cat>"
    assert repr(scene_of()) == "<Scene 'made', 200 x 100 px: nothing>"
    assert repr(scene_of(*"abcdefghij")).endswith("a, b, c, d, e, f, g, h, 2 names more>")


def test_hypothesis_prints_the_same() -> None:
    """Its printer writes out the fields of dataclasses, whatever their ``__repr__``."""
    for value in (CASE, asked(), YARD.picture, YARD):
        assert pretty(value) == repr(value)

    @settings(database=None, max_examples=1)
    @given(st.just(CASE))
    def fails(case: Case) -> None:
        raise ValueError(case.expected)

    try:
        fails()
    except (ValueError, HypothesisException) as error:
        notes = "\n".join(error.__notes__)
        assert CASE.id in notes
        assert len(notes.splitlines()) < 8
    else:
        raise AssertionError("it does not fail")
