"""Patterns over item names."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vqamt.core.identity import canonical_json, digest, matches, preserve_random_state, seed_for

ITEM = "metavqa.partition[object]"


@pytest.mark.parametrize(
    "pattern",
    [
        "*",
        "metavqa",
        "metavqa.*",
        "metavqa.partition",
        "metavqa.partition[object]",
        "metavqa.partition[obj*]",
        "metavqa.partition[*]",
        "*.partition",
        "*[object]",
        "*part*",
        "metavqa.partition*",
        "metavqa.part*n",
    ],
)
def test_a_pattern_that_names_the_item(pattern: str) -> None:
    assert matches(pattern, ITEM)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "meta",
        "partition[object]",
        "metavqa[object]",
        "metavqa.",
        "partition",
        "metavqa.part",
        "metavqa.partition[property]",
        "metavqa.partition[obj]",
        "metavqa.partition[]",
        "carets.*",
        "METAVQA.*",
        "[object]",
    ],
)
def test_a_pattern_that_does_not(pattern: str) -> None:
    assert not matches(pattern, ITEM)


@pytest.mark.parametrize(
    ("pattern", "item"),
    [
        ("metavqa?partition", "metavqa.partition"),
        ("metavqaXpartition", "metavqa.partition"),
        ("carets.visual[blur3]", "carets.visualb"),
        ("carets.visual[!blur3]", "carets.visual[mask]"),
        ("metavqa.partitio[mn]", "metavqa.partition"),
        (".+", "metavqa.partition"),
    ],
)
def test_only_the_star_is_special(pattern: str, item: str) -> None:
    assert not matches(pattern, item)


def test_brackets_are_literal_beside_a_star() -> None:
    assert matches("carets.visual[blur*]", "carets.visual[blur3]")
    assert not matches("carets.visual[blur*]", "carets.visual[mask]")
    assert matches("metaic.object_appearance[0]", "metaic.object_appearance[0]")
    assert not matches("metaic.object_appearance[0]", "metaic.object_appearance[30]")


def test_a_digest_is_the_beginning_of_a_sha_256() -> None:
    # printf 'a\x1fb' | sha256sum
    assert digest("a", "b") == "f04cdced9736a69d"


@pytest.mark.parametrize("other", [("ab",), ("a", "b", ""), ("", "a", "b"), ("b", "a"), ("a b",)])
def test_parts_are_kept_apart_and_in_order(other: tuple[str, ...]) -> None:
    assert digest(*other) != digest("a", "b")


def test_canonical_json_is_equal_for_equal_values() -> None:
    assert canonical_json({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'
    assert canonical_json({"x": 1, "y": 2}) == canonical_json({"y": 2, "x": 1})


ROOT = Path(__file__).parents[2]

NAME_THINGS = """
import json
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.identity import seed_for
from tests.making import scene_of

names = ("dog", "cat", "car", "cow", "bench", "cup")
scene = scene_of(*(f"red {name}" for name in names), exhaustive=names)
corpus = gather_corpus((scene, scene))
print(json.dumps([
    seed_for("metavqa.partition", "object", 0),
    scene.picture.mirror().digest,
    list(corpus.names),
    {name: pairs for name, pairs in corpus.cooccurring.items()},
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
    with preserve_random_state():
        random.random()
    assert random.getstate() == before
