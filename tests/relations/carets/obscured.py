"""Cases of ``carets.visual`` on made scenes: what they ask, and what they keep of the picture."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Blur, Crop, Edit, Mask
from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Has
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.carets_visual import Visual
from tests.making import scene_of
from tests.relations.carets import draws
from tests.relations.carets.draws import short

VISUAL = Visual()
VARIANTS = VISUAL.info.variants
BARN = scene_of("cow", "blue car", "white bench", "sitting cat", "standing dog", "lamp", id="barn")


def cases(scene: Scene, variant: str, *others: Scene, n: int = 200) -> list[Case]:
    return draws.cases(VISUAL, scene, *others, variant=variant, draws=n)


def asked(found: list[Case]) -> set[str]:
    """In short, what is asked."""
    return {words_of(case) for case in found}


def about(scene: Scene, words: str, variant: str, *others: Scene) -> list[Case]:
    """The cases that ask just this."""
    return [case for case in cases(scene, variant, *others, n=700) if words_of(case) == words]


def words_of(case: Case) -> str:
    meaning = case.queries[0].meaning
    assert isinstance(meaning, Exists | Both | Either | Has | Choice)
    return short(meaning)


def edit_of(case: Case) -> Edit:
    (edit,) = case.queries[1].picture.edits
    return edit


def kept(case: Case) -> tuple[Box, ...]:
    """The boxes of what stays as it was."""
    match edit_of(case):
        case Blur(keep=keep) | Mask(keep=keep):
            return keep
        case Crop(box=box):
            return (box,)
    raise AssertionError(case)
