"""The relation ``spatial.rotate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Side
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.spatial.places import ALL_SIDES, NO_PAIR, Place, PlaceQuestion, places, two_questions
from pytest_vqamt.sampling.chooser import Chooser

_CLOCKWISE = (Side.ABOVE, Side.RIGHT, Side.BELOW, Side.LEFT)
"""Each side is followed by what it becomes in a picture that is turned by 90 degrees."""

_HANGS_ON_ITS_POSE = frozenset(
    {"ceiling", "floor", "ground", "hill", "ramp", "rug", "carpet", "mat", "slope", "stairs", "tapestry", "wall"}
)
"""Names, or last words of names, of what is another thing when it is turned."""


@dataclass(frozen=True, slots=True)
class Rotate(LexicalRelation):
    """In a picture that is turned by a quarter, left becomes top, and so on all around.

    Asked is whether the dog is to the left of the car in the picture; and of the picture turned clockwise by 90, 180 or
    270 degrees, whether it is higher up, to the right, or lower down: both answers are the same. Asked the other way
    round, too, from higher and lower to left and right.

    Found elsewhere: no model tells 90 from 270 degrees (RotBench, arXiv 2508.13968, which asks for the angle).

    The whole picture is turned, with its frame. Each of the two things is the only one of its name, kinds included,
    and 3 % of the picture lies between their boxes; ``places`` has the other conditions. **Deviation:** nothing is
    asked about whose name hangs on its pose ("ceiling"). It holds whichever dog and car are meant, so no case is
    presumed.
    """

    info = RelationInfo(
        name="spatial.rotate",
        task=Task.VQA,
        source="a relation of this project, after RotBench (arXiv 2508.13968)",
        variants=("90", "180", "270"),
        breakdown=("side",),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_answer

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        view = askable_scene_of(scene, corpus, self.known)
        found = view.cached("turned places", lambda: _places(view))
        if not found:
            return NO_PAIR
        place = choose.one(found)
        side = place.side.opposite if choose.chance(0.5) else place.side
        asked = PlaceQuestion(place=place, side=side, wording=choose.between(0, simple.LOCATED_WORDINGS - 1))
        degrees = cast("Literal[90, 180, 270]", int(variant))
        turned = _CLOCKWISE[(_CLOCKWISE.index(side) + degrees // 90) % len(_CLOCKWISE)]
        again = place.ask(asked.wording, side=turned)
        return two_questions(self, variant, view, asked, (scene.picture.rotate(degrees), again), "first = second")


def _places(view: AskableScene) -> tuple[Place, ...]:
    def keeps_its_name(name: str) -> bool:
        return _HANGS_ON_ITS_POSE.isdisjoint(name.split(" ")[-1:])

    return tuple(
        each for each in places(view, ALL_SIDES) if keeps_its_name(each.thing.name) and keeps_its_name(each.other.name)
    )
