"""The files of an audit: the sheet, the page to tick it in, and the pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.reporting.atomic_write import Beside
from pytest_vqamt.reporting.audit.judgements import is_ticked
from pytest_vqamt.reporting.audit.page import PAGE as AUDIT_PAGE
from pytest_vqamt.reporting.audit.page import page_html
from pytest_vqamt.reporting.audit.sample import Sample
from pytest_vqamt.reporting.audit.sheet import SHEET, cells, csv_text, shown


def write_sheet(
    sample: Sample, claims: Mapping[str, str], source_of: Callable[[str], SceneSource], folder: Path
) -> None:
    """Writes ``audit.csv``, ``audit.html`` and the pictures of the sample's cases into ``folder``.

    ``claims`` are those of the relation variants of the report.

    Raises:
        VqamtError: a picture cannot be drawn, or the folder not be written to, or it has a sheet that was ticked.
    """
    _check_unticked(folder / SHEET)
    cases = tuple(
        shown(drawn, sample.draw.of, claims.get(str(drawn.row["relation"]), ""), source_of(drawn.data))
        for drawn in sample.cases
    )
    rows = tuple(cells(each, sample) for each in cases)
    pictures = {picture.file: picture.image for case in cases for picture in case.pictures}
    try:
        (folder / "pictures").mkdir(parents=True, exist_ok=True)
        for name, image in pictures.items():
            (folder / name).write_bytes(image)
        _replace(folder / SHEET, csv_text(rows))
        _replace(folder / AUDIT_PAGE, page_html(sample, cases, rows))
    except OSError as error:
        raise OptionError(
            f"Expected a folder that can be written, but got -o {str(folder)!r} ({error.strerror or error}): "
            "name another"
        ) from error


def _check_unticked(file: Path) -> None:
    """Whether nobody's work would be lost."""
    try:
        ticked = file.exists() and is_ticked(file)
    except DataError:
        ticked = True  # whatever it is, it is not ours to write over
    if ticked:
        raise OptionError(
            f"Expected a folder without a sheet that somebody has ticked, but got {str(file)!r}: name another with -o"
        )


def _replace(file: Path, text: str) -> None:
    with Beside(file) as written:
        written.path.write_text(text, encoding="utf-8", newline="")
        written.put()
