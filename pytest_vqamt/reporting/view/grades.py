"""How sure models were: margins of violated cases, and the calibration of the answers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add

from pytest_vqamt.core.case import CONFIDENT, MILLION
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.tallies import CALIBRATION_BINS, CalibrationBin, GradedCases
from pytest_vqamt.reporting.view.format import format_rate
from pytest_vqamt.reporting.view.rows import results_by_model_and_data
from pytest_vqamt.reporting.view.tables import ViewTable, text_table


def grade_tables(report: Report) -> Iterator[ViewTable]:
    """The calibration curve of each model and data source whose answers have scores, with the margins as notes.

    Only sure cases are in it, since the truth of presumed ones is not.
    """
    for (model, data), results in results_by_model_and_data(report):
        counted = [result.graded for result in results if result.graded]
        if not counted:
            continue
        total: GradedCases = reduce(add, counted)
        error = total.calibration_error
        yield text_table(
            [
                ("probability", "answers", "mean probability", "share right"),
                *(_row(place, each) for place, each in enumerate(total.calibration) if each.answers),
            ],
            caption=(
                f"calibration of {model} on {data}"
                f"{'' if error is None else f', expected calibration error {error:.3f}'}"
            ),
            notes=_notes(total),
        )


def _row(place: int, counted: CalibrationBin) -> tuple[str, ...]:
    low, high = (each / CALIBRATION_BINS for each in (place, place + 1))
    return (
        f"{low:.1f} to {high:.1f}",
        f"{counted.answers:,}",
        format_rate(counted.millionths / MILLION / counted.answers),
        format_rate(counted.right / counted.answers),
    )


def _notes(total: GradedCases) -> list[str]:
    margins = [
        f"{figure.mean:.3f} over {figure.cases:,} {which}"
        for figure, which in ((total.violated, "violated cases"), (total.held, "that hold"))
        if figure.mean is not None
    ]
    notes = [f"mean margin of the least sure answer of a case: {', '.join(margins)}"] if margins else []
    if total.violated.cases:
        notes.append(
            f"confident violations, with a margin of {CONFIDENT:g} or more: {total.confident:,} of "
            f"{total.violated.cases:,}; they are shown first"
        )
    return notes
