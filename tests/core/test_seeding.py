"""Seeds and names of content are the same on every machine, in every process."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vqamt.core.identity import global_random_kept, seed_for

ROOT = Path(__file__).parents[2]

NAME_THINGS = """
import json
from pytest_vqamt.core.corpus import gather
from pytest_vqamt.core.identity import seed_for
from tests.making import scene_of

names = ("dog", "cat", "car", "cow", "bench", "cup")
scene = scene_of(*(f"red {name}" for name in names), exhaustive=names)
corpus = gather((scene, scene))
print(json.dumps([
    seed_for("metavqa.partition", "object", 0),
    scene.picture.mirror().digest,
    list(corpus.names),
    {name: pairs for name, pairs in corpus.together.items()},
]))
"""


@pytest.mark.parametrize(
    ("relation", "variant", "user_seed", "part", "seed"),
    [
        # The first 8 bytes of what sha256sum says of the parts joined by \x1f, as a number.
        ("metavqa.partition", "object", 0, 0, 3779735701522951541),
        ("metavqa.partition", "object", 0, 1, 8875753066491593315),
        ("control.repeat", "", 12345, 0, 2808802419517636481),
    ],
)
def test_seeds_never_change(relation: str, variant: str, user_seed: int, part: int, seed: int) -> None:
    assert seed_for(relation, variant, user_seed, part) == seed


def test_every_argument_makes_a_seed_of_its_own() -> None:
    seeds = {
        seed_for(relation, variant, user_seed, part)
        for relation in ("metavqa.partition", "metavqa.reorder")
        for variant in ("object", "property")
        for user_seed in (0, 1, 2)
        for part in (0, 1, 2)
    }
    assert len(seeds) == 2 * 2 * 3 * 3


def test_nothing_depends_on_the_hash_seed_of_the_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-c", NAME_THINGS],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4242")
    }
    assert len(told) == 1
    assert json.loads(told.pop())[0] == 3779735701522951541


def test_what_draws_inside_leaves_no_trace_in_the_global_random_state() -> None:
    before = random.getstate()
    with global_random_kept():
        random.random()
    assert random.getstate() == before
