"""Scene sources of several kinds, for what must hold of whatever is drawn from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.sampling.over_random import RandomChooser

_DATA = Path(__file__).parents[3] / "../shared/data"

PICTURES = "pictures"
REAL = {
    "coco": ("coco/instances.json",),
    "gqa": ("gqa/",),
    "visual_genome": ("visual_genome/",),
}

ITEMS: tuple[tuple[str, str], ...] = tuple(
    (name, variant)
    for name in catalogue.TABLE
    if name.startswith("carets.") and name != "carets.published"
    for variant in catalogue.get(name).info.variants
)
"""Each of CARETS' relations in words, with each of its variants."""


def cases_of(source: SceneSource, relation: Relation, variant: str, draws: int, seed: int = 0) -> Iterator[Case]:
    """What so many draws give, of scenes that are drawn evenly."""
    choose = RandomChooser(Random(seed))
    corpus = source.corpus
    for _ in range(draws):
        drawn = relation.derive(source.scene(choose.between(0, len(source) - 1)), corpus, choose, variant)
        if isinstance(drawn, Case):
            yield drawn
