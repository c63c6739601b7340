"""The mean of the pass rates of a model, with its interval by scene over all relations together.

One picture gives cases of many relations, so the pass rates of a model are not independent of each other, nor are two
models' that were asked the same. The mean is a smooth function of sums over scenes; its variance is that of what each
scene adds to its error (Woodruff, Journal of the American Statistical Association 66, 1971):

    error_s = (1/k) sum over the k items of (holds in s - pass rate x judged in s) / judged in all
    variance = S / (S - 1) x sum over the S scenes of error_s squared

The difference of two models' means has the errors of one less those of the other, so what is hard for both counts for
neither. As in ``stats.intervals``, half a scene is imagined beside the real ones that holds wholly, and half a one that
is violated: where next to nothing differs, the scenes show too little of how much they can. Every item has them, but
they count for the square root of k items: the intervals were measured to be too narrow if they count for one, and too
wide if for all k (docs/comparing.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from pytest_vqamt.stats.case_arrays import CaseArrays
from pytest_vqamt.stats.student import students_t
from pytest_vqamt.stats.wilson import CONFIDENCE, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_IMAGINED_SCENES = 0.5
"""Of each sort, one that holds and one that is violated."""


class MeanByScene(NamedTuple):
    """What each scene, the same for all models, adds to the error of a mean, and imagined ones to its variance."""

    errors: NDArray[np.float64]
    imagined: float

    @property
    def scenes(self) -> int:
        return self.errors.size

    @property
    def variance(self) -> float:
        """Of the mean; there are two scenes or more."""
        squares = fsum(error * error for error in self.errors.tolist())
        return squares * self.scenes / (self.scenes - 1) + self.imagined


def means_by_scene(items: Mapping[str, Sequence[CaseArrays]]) -> dict[str, MeanByScene]:
    """For each model, from its cases of each item; no item is without any."""
    import numpy as np

    known = np.unique(np.concatenate([each.scenes for of_model in items.values() for each in of_model]))
    return {model: _summed(of_model, known) for model, of_model in items.items()}


def mean_interval(mean: float, by_scene: MeanByScene) -> tuple[float, float]:
    """The 95 % interval of a mean pass rate: Wilson's, of as many independent cases as leave it as uncertain."""
    if by_scene.scenes == 1:
        return 0.0, 1.0
    real = sqrt(_IMAGINED_SCENES / by_scene.imagined)
    middle = (mean * real + _IMAGINED_SCENES) / (real + 2 * _IMAGINED_SCENES)
    for_few = (NormalDist().inv_cdf((1 + CONFIDENCE) / 2) / students_t(by_scene.scenes - 1)) ** 2
    cases = middle * (1 - middle) / by_scene.variance * for_few
    return wilson(mean * cases, cases)


def difference_interval(difference: float, model: MeanByScene, other: MeanByScene) -> tuple[float, float]:
    """The 95 % interval of the mean of ``model`` less that of ``other``: Student's."""
    if model.scenes == 1:
        return -1.0, 1.0
    variance = model._replace(errors=model.errors - other.errors).variance
    half = students_t(model.scenes - 1) * sqrt(variance)
    return max(-1.0, difference - half), min(1.0, difference + half)


def _summed(items: Sequence[CaseArrays], known: NDArray[np.uint64]) -> MeanByScene:
    import numpy as np

    weights = [1 / each.holds.size / len(items) for each in items]
    errors = [weight * (each.holds - each.holds.mean()) for weight, each in zip(weights, items, strict=True)]
    places = np.searchsorted(known, np.concatenate([each.scenes for each in items]))
    return MeanByScene(
        errors=np.asarray(np.bincount(places, weights=np.concatenate(errors), minlength=known.size), dtype=np.float64),
        imagined=_IMAGINED_SCENES
        * fsum((weight * _usual_size(each)) ** 2 for weight, each in zip(weights, items, strict=True))
        / sqrt(len(items)),
    )


def _usual_size(cases: CaseArrays) -> float:
    """How many cases of the item the scene of a case has on average."""
    import numpy as np

    _, sizes = np.unique(cases.scenes, return_counts=True)
    return float((sizes * sizes).sum() / sizes.sum())
