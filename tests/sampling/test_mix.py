"""What a run asks is mixed as the paper mixes it, and no scene is asked about more than another."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.relations.metavqa.partition import Partition
from pytest_vqamt.sampling.samplers import Sampler

CASES = 4000


@pytest.fixture(scope="module")
def pictures() -> SceneSource:
    return load("pictures")


@pytest.fixture(scope="module", params=Sampler)
def cases(request: pytest.FixtureRequest, pictures: SceneSource) -> tuple[Case, ...]:
    sampling = Sampling(max_cases=CASES, sampler=request.param)
    drawn = tuple(Plan(relation=Partition(), variant="object", source=pictures, sampling=sampling))
    assert len(drawn) == CASES
    return drawn


def test_both_groups_are_there_in_70_percent_of_cases_one_in_20_none_in_10(
    cases: tuple[Case, ...], pictures: SceneSource
) -> None:
    scenes = {scene.id: scene for scene in map(pictures.scene, range(len(pictures)))}
    names = {name: len({thing.name for thing in scene.objects}) for name, scene in scenes.items()}
    # A scene of one name, and every tenth is one, cannot give two groups, and gives the others in proportion.
    able = [case for case in cases if names[case.scene] > 1]
    assert len(able) > 0.8 * CASES
    counts = Counter(case.fact("present_groups") for case in able)
    # Three standard deviations of 3,600 cases are 0.023.
    assert [counts[present] / len(able) for present in (2, 1, 0)] == pytest.approx([0.7, 0.2, 0.1], abs=0.03)


def test_every_scene_is_as_likely_as_another(cases: tuple[Case, ...], pictures: SceneSource) -> None:
    counts = Counter(case.scene for case in cases)
    mean = CASES / len(pictures)
    observed = [counts[pictures.scene(index).id] for index in range(len(pictures))]
    chi_square = sum((count - mean) ** 2 / mean for count in observed)
    # 610 is the 99.95th percentile of chi-square with 499 degrees of freedom.
    assert chi_square < 610
    # The simplest scenes, which Hypothesis's own backend prefers, are the first of the corpus: a tenth, as ever.
    simplest = {pictures.scene(index).id for index in pictures.corpus.simplest_first[: len(pictures) // 10]}
    assert sum(case.scene in simplest for case in cases) / CASES == pytest.approx(0.1, abs=0.02)
