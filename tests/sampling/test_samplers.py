"""Drawing without end: the same seeds give the same draws, everywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import Verbosity, settings

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.relations.metavqa import Partition
from pytest_vqamt.sampling.chooser import Chooser, Interesting, Sampler, draws, explore

ROOT = Path(__file__).parents[2]

SEVERAL_PARTS = 250

PRINT_DRAWS = f"""
from tests.sampling.test_samplers import take
from pytest_vqamt.sampling.chooser import Sampler
for sampler in Sampler:
    print(take(sampler, {SEVERAL_PARTS}))
"""

DRAW_WITHOUT_HYPOTHESIS = """
import sys
from pytest_vqamt.sampling.chooser import Sampler, draws
next(draws(Sampler.HYPOTHESIS, lambda choose: choose.one("abc"), lambda part: part))
print("hypothesis" in sys.modules)
"""

BOTH = pytest.mark.parametrize("sampler", Sampler)

Draw = tuple[int, str, tuple[str, ...], bool, str]


def choices(choose: Chooser) -> Draw:
    return (
        choose.between(-500_000, 1_000_000),
        choose.one("abc"),
        choose.several("abcdef", 3),
        choose.chance(0.3),
        choose.weighted("xyz", (1, 2, 3)),
    )


def take(sampler: Sampler, n: int, seed: int = 7) -> list[Draw]:
    return list(islice(draws(sampler, choices, lambda part: seed + 1000 * part), n))


@BOTH
def test_the_same_seeds_give_the_same_draws(sampler: Sampler) -> None:
    first, again = take(sampler, SEVERAL_PARTS), take(sampler, SEVERAL_PARTS)
    assert len(first) == SEVERAL_PARTS
    assert first == again


@BOTH
def test_more_draws_begin_with_the_same(sampler: Sampler) -> None:
    assert take(sampler, SEVERAL_PARTS)[:30] == take(sampler, 30)


@BOTH
def test_another_seed_gives_other_draws(sampler: Sampler) -> None:
    assert take(sampler, 30) != take(sampler, 30, seed=8)


@BOTH
def test_a_long_run_goes_on_with_new_draws(sampler: Sampler) -> None:
    made = take(sampler, SEVERAL_PARTS)
    assert len({each[0] for each in made}) > SEVERAL_PARTS / 2


def test_other_processes_draw_the_same() -> None:
    other = "0" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    told = subprocess.run(
        [sys.executable, "-c", PRINT_DRAWS],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert told == "".join(f"{take(sampler, SEVERAL_PARTS)}\n" for sampler in Sampler)


@BOTH
def test_an_exception_comes_out_unchanged(sampler: Sampler) -> None:
    error = VqamtError("Expected a thing, but got thing=None")

    def make(choose: Chooser) -> int:
        raise error

    with pytest.raises(VqamtError) as raised:
        next(draws(sampler, make, lambda part: part))
    assert raised.value is error


@BOTH
def test_an_exception_late_in_a_run_is_the_first_one_raised(sampler: Sampler) -> None:
    calls = 0

    def make(choose: Chooser) -> int:
        nonlocal calls
        calls += 1
        if calls > 20:
            raise ZeroDivisionError(calls)
        return choose.between(0, 1_000_000)

    with pytest.raises(ZeroDivisionError, match=r"^21$"):
        list(islice(draws(sampler, make, lambda part: part), 200))


@BOTH
def test_what_is_made_may_be_falsy(sampler: Sampler) -> None:
    made = list(islice(draws(sampler, lambda choose: choose.between(0, 3), lambda part: part), 60))
    assert len(made) == 60
    assert set(made) == {0, 1, 2, 3}


def test_hypothesis_takes_a_seed_for_each_part_and_the_generator_one_in_all() -> None:
    parts: dict[Sampler, list[int]] = {sampler: [] for sampler in Sampler}
    for sampler, seen in parts.items():

        def seed(part: int, seen: list[int] = seen) -> int:
            seen.append(part)
            return part

        list(islice(draws(sampler, choices, seed), SEVERAL_PARTS))
    assert parts == {Sampler.HYPOTHESIS: [0, 1, 2], Sampler.RANDOM: [0]}


def test_hypothesis_keeps_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    take(Sampler.HYPOTHESIS, 20)
    assert list(tmp_path.iterdir()) == []


def explored(seed: int) -> list[int]:
    """The numbers from 300 on that were shown, each asked for a simpler one."""
    found: list[int] = []

    def look(value: int) -> None:
        if value >= 300:
            found.append(value)
            raise Interesting

    explore(lambda choose: choose.between(0, 1000), look, seed)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_hypothesis_draws_in_a_part_what_the_run_drew(seed: int) -> None:
    """Else a violation would be looked for where it is not: this fails where another version draws otherwise."""
    seen: list[Draw] = []
    explore(choices, seen.append, seed)
    assert seen == list(islice(draws(Sampler.HYPOTHESIS, choices, lambda part: seed + part), len(seen)))
    assert len(seen) == 100


def test_a_run_without_a_violation_does_without_hypothesis() -> None:
    told = subprocess.run(
        [sys.executable, "-c", DRAW_WITHOUT_HYPOTHESIS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert told == "False\n"


def test_what_is_interesting_is_made_as_simple_as_it_gets() -> None:
    assert min(explored(3)) == 300
    assert explored(3) == explored(3)


def test_a_fault_of_whoever_looks_comes_out() -> None:
    def look(value: int) -> None:
        raise VqamtError("Expected a model that answers, but got none")

    with pytest.raises(VqamtError, match="Expected a model that answers"):
        explore(lambda choose: choose.between(0, 1000), look, 0)


def test_the_profile_of_a_users_own_tests_makes_no_difference() -> None:
    before = take(Sampler.HYPOTHESIS, 30)
    settings.register_profile("a user's", max_examples=3, derandomize=True, verbosity=Verbosity.verbose)
    profile = settings.get_current_profile_name()
    settings.load_profile("a user's")
    try:
        assert take(Sampler.HYPOTHESIS, 30) == before
    finally:
        settings.load_profile(profile)


# What a run asks is mixed as the paper mixes it, and no scene is asked about more than another.

FEW, MANY = 1000, 4000


@pytest.fixture(scope="module")
def pictures() -> SceneSource:
    return load("pictures")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((sampler, n), id=f"{sampler}-{n}", marks=pytest.mark.full if n == MANY else ())
        for sampler in Sampler
        for n in (FEW, MANY)
    ],
)
def cases(request: pytest.FixtureRequest, pictures: SceneSource) -> tuple[Case, ...]:
    sampler, n = request.param
    sampling = Sampling(max_cases=n, sampler=sampler)
    drawn = tuple(Plan(relation=Partition(), variant="object", source=pictures, sampling=sampling))
    assert len(drawn) == n
    return drawn


def test_both_groups_are_there_in_70_percent_of_cases_one_in_20_none_in_10(
    cases: tuple[Case, ...], pictures: SceneSource
) -> None:
    scenes = {scene.id: scene for scene in map(pictures.scene, range(len(pictures)))}
    names = {name: len({thing.name for thing in scene.objects}) for name, scene in scenes.items()}
    # A scene of one name, and every tenth is one, cannot give two groups, and gives the others in proportion.
    able = [case for case in cases if names[case.scene] > 1]
    assert len(able) > 0.8 * len(cases)
    counts = Counter(case.fact("present_groups") for case in able)
    # Three standard deviations of 900 cases are 0.046, of 3,600 half of that.
    most = 0.05 if len(cases) == FEW else 0.03
    assert [counts[present] / len(able) for present in (2, 1, 0)] == pytest.approx([0.7, 0.2, 0.1], abs=most)


def test_every_scene_is_as_likely_as_another(cases: tuple[Case, ...], pictures: SceneSource) -> None:
    counts = Counter(case.scene for case in cases)
    mean = len(cases) / len(pictures)
    observed = [counts[pictures.scene(index).id] for index in range(len(pictures))]
    chi_square = sum((count - mean) ** 2 / mean for count in observed)
    # 610 is the 99.95th percentile of chi-square with 499 degrees of freedom.
    assert chi_square < 610
    # The simplest scenes, which Hypothesis's own backend prefers, are the first of the corpus: a tenth, as ever.
    simplest = {pictures.scene(index).id for index in pictures.corpus.simplest_first[: len(pictures) // 10]}
    most = 0.03 if len(cases) == FEW else 0.02
    assert sum(case.scene in simplest for case in cases) / len(cases) == pytest.approx(0.1, abs=most)


class Ended(BaseException):
    """As what pytest-timeout raises: no Exception, and raised once."""


@pytest.mark.parametrize("kind", [OSError, Ended, pytest.fail.Exception, SystemExit, GeneratorExit, KeyboardInterrupt])
@pytest.mark.parametrize("place", ["make", "look"])
def test_an_error_leaves_hypothesis_as_it_is(kind: type[BaseException], place: str) -> None:
    """It is raised once, in the seventh draw: nothing is drawn again, and nothing is called flaky."""
    calls = {"make": 0, "look": 0}

    def count(where: str) -> None:
        calls[where] += 1
        if where == place and calls[where] == 7:
            raise kind("no room")

    def make(choose: Chooser) -> int:
        count("make")
        return choose.between(0, 1000)

    with pytest.raises(kind, match="no room") as raised:
        explore(make, lambda _value: count("look"), 1)
    assert raised.value.__context__ is None or "hypothesis" not in type(raised.value.__context__).__module__
    assert calls[place] == 7
