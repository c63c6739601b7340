"""The scenes that soundness is proved on: the picture world, and samples of real data where they are at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from pytest_vqamt.data import catalogue
from pytest_vqamt.data.scene_source import SceneSource

REAL_DATA = Path(__file__).parents[2] / "../shared/data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Some scenes of one source.

    Attributes:
        name: what tests call it.
        title: what people call it.
        source, argument: what ``--vqamt-data`` takes before and after the colon; of real data the argument is a folder.
        scenes: how many, from the first one on.
        draws: so many cases are drawn of each scene.
        one_is_enough: no more are drawn of a scene that has given one.
    """

    name: str
    title: str
    source: str
    argument: str
    scenes: int
    draws: int
    one_is_enough: bool = False

    @property
    def shown(self) -> str:
        """What ``--vqamt-data`` takes, wherever the data lies."""
        return f"{self.source}:{self.argument if self.source == 'pictures' else 'DIR'}"

    @property
    def is_here(self) -> bool:
        return self.source in catalogue.names() and (self.source == "pictures" or Path(self.argument).is_dir())

    def load(self) -> SceneSource:
        return _loaded(f"{self.source}:{self.argument}")


def _real(name: str, title: str, source: str, folder: str, *, scenes: int, draws: int) -> Sample:
    argument = str(REAL_DATA / folder)
    return Sample(name=name, title=title, source=source, argument=argument, scenes=scenes, draws=draws)


PICTURES = Sample(
    name="pictures",
    title="500 drawn scenes",
    source="pictures",
    argument="500",
    scenes=500,
    draws=5,
    one_is_enough=True,
)
FEW_PICTURES = replace(PICTURES, name="few-pictures", title="100 drawn scenes", scenes=100)
COCO = _real("coco", "40 COCO photos", "coco", "coco", scenes=40, draws=5)
REAL: tuple[Sample, ...] = (
    COCO,
    _real("gqa", "8 GQA graphs, no photos", "gqa", "gqa", scenes=8, draws=20),
    _real("visual-genome", "1 Visual Genome photo", "visual-genome", "visual_genome", scenes=1, draws=60),
    _real("vqa-v2-on-coco", "8 COCO photos with VQA v2 questions", "vqa-v2", "coco", scenes=8, draws=10),
    _real("vqa-v2", "100 VQA v2 photos, questions only", "vqa-v2", "vqa_v2", scenes=100, draws=2),
)


@cache
def _loaded(spec: str) -> SceneSource:
    return catalogue.load(spec)


def each_of(*samples: Sample, full: Sequence[Sample] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Marks a test that runs for each sample that is here, and in the full tier for those of ``full``, too."""
    default = [pytest.param(each, id=each.name, marks=_only_if_here(each)) for each in samples]
    more = [pytest.param(each, id=each.name, marks=(_only_if_here(each), pytest.mark.full)) for each in full]
    return pytest.mark.parametrize("sample", [*default, *more])


def _only_if_here(sample: Sample) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not sample.is_here, reason=f"the sample {sample.name!r} of ../shared/data is not here")
