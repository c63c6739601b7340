"""The relation ``count.compose``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.expectations import parts_of_sum
from pytest_vqamt.relations.soundness import countable_names
from pytest_vqamt.relations.view.questions import is_readable
from pytest_vqamt.sampling.chooser import Chooser

_TRIES = 12
"""The scenes that are looked at for a second picture."""
_GAP_SHARE = 1 / 16
"""The width of the strip, as a share of the height of both pictures."""
_STRIPS: tuple[Colour, ...] = ((255, 255, 255), (0, 0, 0))
_SEAM_PX = 2
"""A thing that is nearer than this to the seam may be cut off there."""


@dataclass(frozen=True, slots=True)
class Compose(BuiltInRelation):
    """Two pictures side by side show as many dogs as the two by themselves.

    Found elsewhere: counts hang on how a picture falls into patches, and on what the text suggests (Counting to Four is
    still a Chore for VLMs, arXiv 2604.10039).

    The second picture shows the same kind of thing, is scaled to the height of the first, and a white or black strip
    lies between them. **Deviations**, so that the sum is certain: the name is annotated exhaustively in both pictures,
    without a crowd; nothing of it is cut off at the seam; and all of it is large enough beside the other picture
    (``view.questions``).
    """

    info = RelationInfo(
        name="count.compose",
        task=Task.VQA,
        source="a relation of this project, after arXiv 2604.10039",
        breakdown=("total",),
    )
    expect = parts_of_sum

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        names = [name for name in countable_names(scene) if _counts(name, scene, last=True)]
        if not names:
            return NotApplicable(reason="no exhaustively annotated name that can be counted beside another picture")
        name = choose.one(names)
        for second in _others(name, scene, corpus, choose):
            gap = round(_GAP_SHARE * scene.height)
            scale = scene.height / second.height
            frame = Box(0, 0, scene.width + gap + max(1, round(second.width * scale)), scene.height)
            boxes = [thing.box for thing in scene.objects if thing.name == name]
            boxes += [thing.box.scaled(scale, scale) for thing in second.objects if thing.name == name]
            if not all(is_readable(box, frame) for box in boxes):
                continue
            wording = choose.between(0, simple.COUNT_WORDINGS - 1)
            asked = simple.count(Group(name=name), wording)
            both = scene.picture.beside(second, gap=gap, colour=choose.one(_STRIPS), exhaustive=frozenset((name,)))
            return case_of(
                self,
                variant,
                scene,
                ((picture, asked) for picture in (scene.picture, second.picture, both)),
                expected="first + second = third",
                facts=(("wording", wording), ("total", len(boxes))),
            )
        return NotApplicable(reason="no second picture whose things can be counted beside the first")


def _others(name: str, scene: Scene, corpus: Corpus, choose: Chooser) -> Iterator[Scene]:
    """Yields scenes of other pictures with things of the name, in a random order."""
    places = corpus.cooccurring.places(name)
    for place in choose.several(places, min(_TRIES, len(places))):
        second = corpus.scene(place)
        if second.photo.id != scene.photo.id and name in countable_names(second) and _counts(name, second, last=False):
            yield second


def _counts(name: str, scene: Scene, *, last: bool) -> bool:
    """Whether all things of the name are known and none is cut off at the right edge (``last``), or at the left."""
    boxes = [thing.box for thing in scene.objects if thing.name == name]
    clear = (box.x1 <= scene.width - _SEAM_PX if last else box.x >= _SEAM_PX for box in boxes)
    return name in scene.exhaustive and all(is_readable(box, scene.frame) for box in boxes) and all(clear)
