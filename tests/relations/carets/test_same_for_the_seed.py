"""The same case for the same seed, whatever was drawn before, on whatever worker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.relations import askable_scene, catalogue
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import scene_of
from tests.relations.carets.draws import KNOWN, corpus_of
from tests.relations.deriving import derive

ITEMS = [
    (name, variant)
    for name in catalogue.TABLE
    if name.startswith("carets.") and name != "carets.published"
    for variant in catalogue.get(name).info.variants
]
SEEDS = range(4)

IN_ANOTHER_PROCESS = """
import json
from tests.relations.carets.test_same_for_the_seed import ITEMS, SEEDS, drawn
from pytest_vqamt.data.catalogue import load
print(json.dumps(drawn(load("pictures:80"), [(item, seed) for item in ITEMS for seed in SEEDS])))
"""


def drawn(source: SceneSource, wanted: Iterable[tuple[tuple[str, str], int]]) -> dict[str, str]:
    """The case's id and all its texts, or why there is none, of each item with each seed, drawn in this order."""
    found = {}
    for (name, variant), seed in wanted:
        choose = RandomChooser(Random(seed))
        scene = source.scene(choose.between(0, len(source) - 1))
        case = derive(catalogue.get(name), scene, choose, variant, source.corpus)
        texts = [case.id, *(query.text for query in case.queries)] if isinstance(case, Case) else [case.reason]
        found[f"{name}[{variant}] {seed}"] = " | ".join(texts)
    return found


@pytest.fixture(scope="module")
def pictures() -> SceneSource:
    return load("pictures:80")


@pytest.fixture(scope="module")
def here(pictures: SceneSource) -> dict[str, str]:
    return drawn(pictures, [(item, seed) for item in ITEMS for seed in SEEDS])


def test_most_are_cases(here: dict[str, str]) -> None:
    assert sum("?" in each or "." in each for each in here.values()) > len(here) / 2
    assert len(set(here.values())) > len(here) / 2


def test_in_another_order_the_same(pictures: SceneSource, here: dict[str, str]) -> None:
    backwards = [(item, seed) for seed in reversed(SEEDS) for item in reversed(ITEMS)]
    assert drawn(pictures, backwards) == here


def test_of_a_source_that_is_loaded_anew_the_same(here: dict[str, str]) -> None:
    assert drawn(load("pictures:80"), [(item, seed) for seed in SEEDS for item in ITEMS]) == here


def test_where_few_views_are_kept_the_same(
    pictures: SceneSource, here: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(askable_scene, "_CACHE_SIZE", 2)
    monkeypatch.setattr(askable_scene, "_cache", {})
    assert drawn(pictures, [(item, seed) for seed in SEEDS for item in ITEMS]) == here


@pytest.mark.full
def test_in_another_process_with_other_hashes_the_same(here: dict[str, str]) -> None:
    other = "0" if os.environ.get("PYTHONHASHSEED") == "4711" else "4711"
    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS],
        env={**os.environ, "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(run.stdout) == here


class TestKeptViews:
    def test_are_those_of_the_same_scene_and_corpus(self) -> None:
        scene = scene_of("dog")
        corpus = corpus_of(scene)
        first = askable_scene.askable_scene_of(scene, corpus, KNOWN)
        assert askable_scene.askable_scene_of(scene, corpus, KNOWN) is first
        assert askable_scene.askable_scene_of(scene, corpus_of(scene), KNOWN) is not first
        assert askable_scene.askable_scene_of(scene_of("dog"), corpus, KNOWN) is not first
        assert askable_scene.askable_scene_of(scene, corpus, KNOWN, gradable=False) is not first

    def test_are_never_those_of_another_scene_in_the_same_place_of_memory(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(askable_scene, "_CACHE_SIZE", 3)
        corpus = corpus_of(scene_of("dog"))
        for number in range(300):
            name = ("dog", "car", "bed", "cup")[number % 4]
            assert askable_scene.askable_scene_of(scene_of(name, id=str(number)), corpus, KNOWN).names == (name,)

    def test_are_no_more_than_they_may_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(askable_scene, "_CACHE_SIZE", 5)
        monkeypatch.setattr(askable_scene, "_cache", {})
        corpus = corpus_of(scene_of("dog"))
        scenes = [scene_of("dog", id=str(number)) for number in range(20)]
        for scene in scenes:
            askable_scene.askable_scene_of(scene, corpus, KNOWN)
        assert len(askable_scene._cache) == 5
