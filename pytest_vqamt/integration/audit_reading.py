"""Ticked sheets read back: what they say of the report, told, kept beside it, and shown by its pages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.integration.recorded_data import ReportData
from pytest_vqamt.integration.waivers import add_waivers
from pytest_vqamt.reporting.audit.judgements import (
    Judgement,
    Ticked,
    agreements,
    draw_of,
    figures,
    figures_by_item,
    most,
    read_ticked,
)
from pytest_vqamt.reporting.audit.results import FILE, audit_row, counted, found_in_words, write_audit
from pytest_vqamt.reporting.audit.sample import Key, Sample, draw_sample
from pytest_vqamt.reporting.cases import case_rows
from pytest_vqamt.reporting.files import PAGE, write_pages
from pytest_vqamt.reporting.html.cards import Images

_NO_REASON = "judged invalid, no reason given"


def read_sheets(report: Report, folder: Path, data: ReportData, sheets: Sequence[Path], waivers: Path) -> Iterator[str]:
    """Takes in the sheets of one or more judges and tells line by line what they say of the report in ``folder``.

    Raises:
        VqamtError: the report or a sheet cannot be used, or a file not be written.
    """
    sample = _sample(report, folder, sheets)
    ticked = [read_ticked(sheet, sample, lambda case_id: _is_known(case_id, folder)) for sheet in sheets]
    said = most(ticked)
    if not said:
        raise DataError(
            f"Expected a judgement of one case or more, but got none in {', '.join(map(str, sheets))}: "
            "fill in the column judgement, or give the sheet that the page gives"
        )
    whole, by_item, agreed = figures(sample, said), figures_by_item(sample, said), agreements(ticked)
    # Whoever reads the first lines alone (`| head`) closes the output: what was found is kept before anything is told.
    waived = tuple(_waive(said, ticked, waivers))
    write_audit(folder, audit_row(report, sample, whole, by_item, agreed, sheets))
    yield from found_in_words(sample.draw.of, whole, by_item, agreed)
    yield ""
    yield from waived
    yield f"audit:   {folder / FILE}"
    yield _rebuilt(report, data, folder)


def _sample(report: Report, folder: Path, sheets: Sequence[Path]) -> Sample:
    """The sample that the sheets are of, drawn again.

    Raises:
        DataError: they are of several, or the report is not the one that it was drawn from.
    """
    (draw, population), *others = [draw_of(sheet) for sheet in sheets]
    for sheet, (other, of_other) in zip(sheets[1:], others, strict=True):
        if (other, of_other) != (draw, population):
            raise DataError(
                f"Expected sheets of one sample, but {sheet} is of {other.of.value}, {other.words(of_other)}, and "
                f"{sheets[0]} of {draw.of.value}, {draw.words(population)}: read them one by one"
            )
    sample = draw_sample(report, folder, draw)
    if sample.drawn_from != population:
        raise DataError(
            f"Expected the report that {sheets[0]} was drawn from, with {counted(draw.of, population)} to draw from, "
            f"but {str(folder)!r} has {sample.drawn_from}: it was written anew since; name the one of that time"
        )
    return sample


def _is_known(case_id: str, folder: Path) -> bool:
    return any(row["case_id"] == case_id for row in case_rows(folder))


def _waive(said: Mapping[Key, Judgement], ticked: Sequence[Ticked], file: Path) -> Iterator[str]:
    """Adds what was judged invalid to the waivers.

    A case of which the violation of one model was judged true stays in the rates: the test is sound.
    """
    sound = {case_id for (case_id, *_), word in said.items() if word is Judgement.VALID}
    invalid = sorted(key for key, word in said.items() if word is Judgement.INVALID)
    reasons = {key[0]: _why(key, ticked) for key in invalid if key[0] not in sound}
    new = add_waivers(file, reasons)
    if reasons:
        yield f"waivers: {file} ({len(new)} new, {len(reasons) - len(new)} there before)"
    if disputed := sorted({key[0] for key in invalid} & sound):
        yield f"judged valid for one model and invalid for another, so not waived: {', '.join(disputed)}"


def _why(key: Key, ticked: Sequence[Ticked]) -> str:
    """The note of the first who judged the case invalid and noted something."""
    return next(
        (sheet.notes[key] for sheet in ticked if sheet.said.get(key) is Judgement.INVALID and key in sheet.notes),
        _NO_REASON,
    )


def _rebuilt(report: Report, data: ReportData, folder: Path) -> str:
    """Writes the pages of the report anew, with the audit in them, unless the data for their pictures are not here."""
    try:
        for each in report.data:
            data(each.spec)
    except VqamtError as error:
        return (
            f"{folder / PAGE} is as it was, for its pictures cannot be drawn here ({error}): "
            f"`vqamt report {shlex.quote(str(folder))} --data SPEC` writes it anew"
        )
    write_pages(folder, source_of=data, images=Images.VIOLATIONS)
    return f"report:  {folder / PAGE}"
