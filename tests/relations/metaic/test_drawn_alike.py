"""All eight items make the same pairs, however they are drawn: four pictures of each background and cut-out."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.metaic.object_appearance import ObjectAppearance
from pytest_vqamt.relations.metaic.singular_plural import SingularPlural
from pytest_vqamt.sampling.samplers import Sampler
from tests.relations.inserted import insert_of

LEVELS = ObjectAppearance.info.variants


@pytest.mark.parametrize("sampler", list(Sampler))
def test_the_cases_of_all_items_pair_up(world: PictureWorld, sampler: Sampler) -> None:
    sampling = Sampling(max_cases=25, sampler=sampler)
    drawn: list[list[Case]] = [
        list(Plan(relation=relation, variant=level, source=world, sampling=sampling))
        for relation in (ObjectAppearance(), SingularPlural())
        for level in LEVELS
    ]
    assert {len(cases) for cases in drawn} == {25}
    for cases in zip(*drawn, strict=True):
        of_appearance, of_forms = cases[: len(LEVELS)], cases[len(LEVELS) :]
        assert [case.queries for case in of_appearance] == [case.queries for case in of_forms]
        assert len({case.queries[0].id for case in cases}) == 1
        assert len({case.queries[1].id for case in cases}) == len(LEVELS)
        edits = [insert_of(case.queries[1].picture) for case in of_appearance]
        assert len({(edit.cutout.photo, edit.cutout.thing.id, edit.box.w, edit.box.h) for edit in edits}) == 1
        covered = [float(case.fact("covered") or 0) for case in of_appearance]
        assert covered == sorted(covered)
        assert covered[0] == 0 < covered[1] < covered[2] < covered[3]
