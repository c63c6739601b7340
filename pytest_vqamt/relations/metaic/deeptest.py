"""The relation ``metaic.deeptest``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Fact, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions.reading import CaptionReading
from pytest_vqamt.relations.base import BuiltInRelation
from pytest_vqamt.relations.metaic.insertion import caption_query, caption_readings, caption_texts, unparsed_verdict
from pytest_vqamt.relations.metaic.placement import annotated_boxes
from pytest_vqamt.sampling.chooser import Chooser

_STEPS = 10
_SIGMAS_PX = (0.8, 1.1, 1.4, 1.7)
"""The spreads of DeepTest's Gaussian and averaging filters: of 3, 4 and 5, or 7, and 6 pixels."""


@dataclass(frozen=True, slots=True)
class Deeptest(BuiltInRelation):
    """A blurred, brighter, sheared picture, or one of more contrast, has the same caption.

    The baseline of Yu et al., ISSTA 2022, section 4.2: transformations of DeepTest (Tian et al., ICSE 2018), in the ten
    strengths of its authors' code, drawn evenly. "The same": but for case, spaces and a full stop.

    Tagged baseline: of what it reports, 12.9 to 41.2 % are errors (Table 1). All that was there is still there, so a
    perfect perceiver who always says the same of the same never violates it.

    **Deviation:** all blurs are Gaussian, as spread as DeepTest's Gaussian and averaging ones; its median and bilateral
    filters are left out. A picture is sheared about its middle row, not its first, and only so far that nothing
    leaves it.
    """

    info = RelationInfo(
        name="metaic.deeptest",
        task=Task.CAPTIONING,
        source="Yu et al., ISSTA 2022, section 4.2; Tian et al., ICSE 2018",
        version=2,
        variants=("blur", "brightness", "contrast", "shear"),
        tags=("baseline",),
        breakdown=("strength",),
        draws_as="metaic.deeptest",
    )

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        step = choose.between(1, _STEPS)
        changed = _changed(scene, variant, step)
        if changed is None:
            return NotApplicable(reason="a thing would leave the picture")
        picture, strength = changed
        return Case(
            relation=self.info.name,
            variant=variant,
            scene=scene.id,
            queries=(caption_query(scene.picture), caption_query(picture)),
            expected="first = second",
            facts=(("strength", strength),),
        )

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        reading = CaptionReading.REFINED
        if unread := unparsed_verdict(answers, reading):
            return unread
        before, after = caption_texts(answers)
        differs = _normalised(before) != _normalised(after)
        return Verdict(
            outcome=Outcome.VIOLATED if differs else Outcome.HOLDS,
            reason=f"the captions must be the same, but got {before!r} and {after!r}" if differs else "",
            readings=caption_readings(answers, reading),
            figures=(("suspicious", float(differs)),),
        )


def _changed(scene: Scene, how: str, step: int) -> tuple[Picture, Fact] | None:
    """Returns the picture changed with a strength from 1 to 10; None if something would leave it."""
    match how:
        case "blur":
            sigma_px = _SIGMAS_PX[(step - 1) * len(_SIGMAS_PX) // _STEPS]
            return scene.picture.blur(sigma=sigma_px), sigma_px
        case "brightness":
            return scene.picture.brightness(10 * step), 10 * step
        case "contrast":
            return scene.picture.contrast(1 + step / 5), 1 + step / 5
    factors = [-each / 10 for each in range(1, _STEPS + 1) if _all_stay(each / 10, scene)]
    if not factors:
        return None
    factor = factors[(step - 1) * len(factors) // _STEPS]
    return scene.picture.shear(factor), factor


def _all_stay(factor: float, scene: Scene) -> bool:
    """Whether nothing leaves the frame if rows move right by ``factor`` times their height above the middle."""
    middle = scene.height / 2
    return all(
        box.x + factor * (middle - box.y1) >= 0 and box.x1 + factor * (middle - box.y) <= scene.width
        for box in annotated_boxes(scene)
    )


def _normalised(caption: str) -> str:
    return " ".join(caption.casefold().split()).rstrip(" .")
