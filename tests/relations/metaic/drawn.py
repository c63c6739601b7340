"""Many insertions, drawn scene by scene from a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.captions.caption_reader import CaptionReading
from pytest_vqamt.relations.metaic import PlacedCutout, sample_placed_cutout
from pytest_vqamt.sampling.chooser import RandomChooser


@dataclass(frozen=True, slots=True)
class Drawn:
    """Insertions with the scenes that they were drawn for, how many of the scenes gave one, and why others did not."""

    of: list[tuple[Scene, PlacedCutout]] = field(default_factory=list)
    fruitful: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)


def draw_many(source: SceneSource, indices: Iterable[int], wanted: int, first: int = 5, seed: int = 0) -> Drawn:
    """``wanted`` insertions: ``first`` draws of each scene, then as many as it takes of those that gave one."""
    found = Drawn()
    scenes = [source.scene(index) for index in indices]
    choose = RandomChooser(Random(seed))
    for scene in scenes:
        outcomes = [sample_placed_cutout(scene, source.corpus, choose, CaptionReading.REFINED) for _ in range(first)]
        made = [(scene, each) for each in outcomes if isinstance(each, PlacedCutout)]
        found.of.extend(made)
        found.fruitful.update({scene.id: len(made)} if made else {})
        if not made:
            found.reasons.update({outcome.reason for outcome in outcomes[:1] if isinstance(outcome, NotApplicable)})
    again = [scene for scene in scenes if scene.id in found.fruitful]
    while again and len(found.of) < wanted:
        for scene in again:
            each = sample_placed_cutout(scene, source.corpus, choose, CaptionReading.REFINED)
            if isinstance(each, PlacedCutout):
                found.of.append((scene, each))
    return found
