"""The relation ``metavqa.removal_plus``."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.salience import is_salient
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.base import BuiltInRelation, case_of
from pytest_vqamt.relations.edits import ERASE, INPAINT, make_eraser, wholly_removable
from pytest_vqamt.relations.expectations import one_less
from pytest_vqamt.relations.metavqa.groups import QuestionKind, sample_question
from pytest_vqamt.relations.soundness import certain_properties, countable_names, unrelated
from pytest_vqamt.sampling.chooser import Chooser


@dataclass(frozen=True, slots=True)
class RemovalPlus(BuiltInRelation):
    """Erasing a thing makes a count that includes it one less.

    Yuan et al., CVPR 2021, section 4.2.2 and Table 3, Removal+: it exposes models that answer "0" to every count. The
    thing is counted alone, with another name, or by the one property that it surely has. ``erase`` as in ``removal``.

    **Deviation:** only salient things (``soundness.is_salient``) of which nothing stays (``edits.whole_patch``): in
    photos with masks they are recognisable, have none of their family near, and the patch has a margin. Only names
    that can be counted in this picture, of which it has no crowd; the other name is one that ``removal`` could ask
    about, and the patch bears neither a name nor a colour that is asked about. "presumed" as there.
    """

    erase: str = ERASE.default
    inpaint: str = INPAINT.default

    info = RelationInfo(
        name="metavqa.removal_plus",
        task=Task.VQA,
        source="Yuan et al., CVPR 2021, section 4.2.2",
        breakdown=("present_groups", "shape"),
        settings=(ERASE, INPAINT),
        version=3,
        directional=("",),
    )
    expect = one_less

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        with_ = make_eraser(self.erase, self.inpaint, corpus)
        if isinstance(with_, NotApplicable):
            return with_
        counted = set(countable_names(scene)) - with_.excluded_names
        removable = wholly_removable(scene, corpus)
        things = [(thing, patch) for thing, patch in removable if thing.name in counted and is_salient(thing, scene)]
        if not things:
            return NotApplicable(reason="every countable thing overlaps another or is too small")
        thing, patch = choose.one(things)
        asked = sample_question(
            scene,
            choose,
            QuestionKind.COUNT,
            lambda name: unrelated(name, thing.name, scene) and name not in with_.excluded_names,
            first=Group(name=thing.name),
            bearing=certain_properties(thing),
            excluded_words=with_.excluded_words,
        )
        if isinstance(asked, NotApplicable):
            return asked
        return case_of(
            self,
            variant,
            scene,
            ((picture, asked.question) for picture in (scene.picture, with_.erase(scene.picture, patch))),
            expected="second = first - 1",
            facts=(*asked.facts, ("removed", thing.name)),
            presumed=asked.presumed,
        )
