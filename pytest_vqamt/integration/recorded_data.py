"""The data that the cases of a report were made of, as they are to be had here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

from pytest_vqamt.core.errors import DataError, OptionError, VqamtError
from pytest_vqamt.core.results import Report
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.imaging.inpainting import method_of
from pytest_vqamt.relations.edits import INPAINT


def loaded(spec: str) -> SceneSource:
    """The source without its bad records: no case of a report is of one.

    Raises:
        VqamtError: it cannot be opened.
    """
    return sources.load(spec, allow_bad_records=True)


def as_recorded(spec: str, where: str) -> SceneSource:
    """The source that a report names; ``where`` is the place that it does.

    Raises:
        DataError: it is not to be had here under this name.
    """
    try:
        return loaded(spec)
    except VqamtError as error:
        raise DataError(
            f"{where}: {error}; a relative path is followed from the current folder: name the data of that run with "
            "--data"
        ) from error


class ReportData:
    """The data of a whole report: each source as the report names it, or as the user does who knows where it is now."""

    def __init__(self, report: Report, named: Sequence[str], where: str) -> None:
        self._where = where
        self._load = cache(as_recorded)
        self._moved: dict[str, SceneSource] = {}
        for spec in named:
            source = loaded(spec)
            self._moved[_recorded(source, report, spec)] = source

    @property
    def named(self) -> tuple[str, ...]:
        """What the report calls the data that the user has named."""
        return tuple(self._moved)

    def __call__(self, recorded: str) -> SceneSource:
        """The source that the report calls ``recorded``.

        Raises:
            DataError: it is not to be had here under this name.
        """
        return self._moved[recorded] if recorded in self._moved else self._load(recorded, self._where)


def _recorded(source: SceneSource, report: Report, spec: str) -> str:
    """What the report calls ``source``: by its spec, by its content, or because there is no other."""
    for data in report.data:
        if data.spec in (spec, source.spec):
            return data.spec
    same = [data.spec for data in report.data if data.digest == source.digest]
    if len(same) == 1 or len(report.data) == 1:
        return same[0] if same else report.data[0].spec
    told = ", ".join(f"{data.spec} (digest {data.digest})" for data in report.data)
    raise OptionError(
        f"Expected --data to name data of the report ({told}), but got {spec!r} with digest {source.digest}: "
        "name the same data"
    )


def find_inpainter(settings: Mapping[str, str]) -> None:
    """Finds the checkpoint of the inpainter where a report says that it was; if it is elsewhere now, a user says so."""
    if INPAINT.name in settings:
        with suppress(OptionError):
            method_of(settings[INPAINT.name])
