"""Accuracy under the noise of basic questions: Table 2 of Huang et al., AAAI 2019, and the R_score."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.results import Cell, RelationResult, Summary
from pytest_vqamt.stats.robustness import monotonicity, r_score

_RELATION = "basic_questions.noise"
_FIRST = f"{_RELATION}[1]"
_PARTITIONS = 7
_ANSWER_TYPES = ("other", "number", "yes/no")


def noise(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """A row for each partition, the least noise first; accuracy in percent, its drop in percent points.

    Totals: the R_score is that of the first partition; the monotonicity is that of the accuracy under noise over all
    seven (see ``stats.robustness``), or of the share of same answers where the accuracy of one is not known.
    """
    partitions = {each.item: each for each in results if each.item.startswith(f"{_RELATION}[") and each.tally.cases}
    if not partitions:
        return None
    ordered = [partitions[item] for item in sorted(partitions)]
    return Summary(
        kind="noise",
        model=model,
        data=data,
        rows=tuple(_noise_row(each) for each in ordered),
        totals={
            "R_score": _r_score(partitions[_FIRST]) if _FIRST in partitions else None,
            "monotonicity": _monotonicity(ordered),
        },
    )


def _noise_row(result: RelationResult) -> dict[str, Cell]:
    clean, noisy = _percent(result, "clean"), _percent(result, "noisy")
    return {
        "relation": result.item,
        "pairs": result.tally.judged,
        "same answer": result.pass_rate,
        "clean": clean,
        "noisy": noisy,
        "drop": None if clean is None or noisy is None else clean - noisy,
        "R_score": _r_score(result),
        **{type_: _percent(result, f"noisy {type_}") for type_ in _ANSWER_TYPES},
    }


def _percent(result: RelationResult, figure: str) -> float | None:
    found = result.figures.get(figure)
    return None if found is None or found.mean is None else 100 * found.mean


def _r_score(result: RelationResult) -> float | None:
    clean, noisy = _percent(result, "clean"), _percent(result, "noisy")
    return None if clean is None or noisy is None else r_score(clean - noisy)


def _monotonicity(ordered: Sequence[RelationResult]) -> float | None:
    """None unless all partitions are there."""
    if len(ordered) < _PARTITIONS:
        return None
    for values in ([_percent(each, "noisy") for each in ordered], [each.pass_rate for each in ordered]):
        known = [value for value in values if value is not None]
        if len(known) == _PARTITIONS:
            return monotonicity(known)
    return None
