"""``vqamt check-data``: lists every record of a data set that cannot be used."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.progress_bar import SHOW_AFTER_S, progress_bar
from pytest_vqamt.core.text import count_noun, shown
from pytest_vqamt.data import catalogue
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.sanity import PhotoChecks
from pytest_vqamt.data.scene_source import SceneSource


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "Every record is read, and every photo decoded. Printed are a line for each that cannot be used, what is odd, "
        "and a summary. The exit status is 1 if something cannot be used."
    )
    parser.add_argument("data", metavar="SPEC", help="as --vqamt-data takes it: questions:FILE, photos:DIR, coco:DIR")


def run(arguments: argparse.Namespace) -> int:
    """Prints what is wrong, and a summary."""
    # Sources warn of what is odd but usable: here it is part of the output.
    with warnings.catch_warnings(record=True) as odd:
        warnings.simplefilter("always")
        try:
            # No sample of photos: all of them are decoded below.
            source = catalogue.load(arguments.data, allow_bad_records=True, samples_photos=False)
            checks = PhotoChecks(spec=arguments.data)
            bad = [*source.bad_records, *_unreadable(source, checks)]
            for line in checks.lines():
                warnings.warn(line, stacklevel=1)
            summary = f"{source.description}: "
        except DataError as error:
            bad = [*(error.bad_records or (str(error),))]
            summary = "nothing can be used: " if error.bad_records else ""
    for line in bad:
        print(f"bad: {shown(line)}")
    for warning in odd:
        print(f"odd: {shown(str(warning.message))}")
    count = count_noun(len(bad), "bad record") if bad else "no bad record"
    if summary:
        print(f"{summary}{count}")
    return ExitStatus.FINDING if bad else ExitStatus.OK


def _unreadable(source: SceneSource, checks: PhotoChecks) -> Iterator[str]:
    """Yields the errors of scenes that cannot be made, and of photos that cannot be decoded; looks at the others."""
    known = set(source.bad_records)
    count = source.photo_count if isinstance(source, AnnotatedPhotos) else len(source)
    with progress_bar("reading", count, "scene", delay_s=SHOW_AFTER_S) as advance:
        for index in range(count):
            try:
                source.scene(index)
                if _has_photos(source):
                    checks.add(source, index)
            except DataError as error:
                # A broken photo fails each scene on it, and is listed once.
                if str(error) not in known:
                    known.add(str(error))
                    yield str(error)
            advance()
    if isinstance(source, AnnotatedPhotos) and source.photos:
        for name in source.shown_beside:
            try:
                checks.add_beside(source.photos, name)
            except DataError as error:
                yield str(error)


def _has_photos(source: SceneSource) -> bool:
    """True if the source has photos; some are questions or graphs alone."""
    return getattr(source, "photos", source) is not None
