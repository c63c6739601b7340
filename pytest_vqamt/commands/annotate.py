"""``vqamt annotate``: detectors write lines for photos or hypotheses, which a person then corrects."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from pytest_vqamt.annotation import hypothesis_boxes as hypotheses
from pytest_vqamt.annotation import photos
from pytest_vqamt.annotation.detectors.catalogue import MODEL
from pytest_vqamt.annotation.detectors.catalogue import SETTINGS as DETECTOR_SETTINGS
from pytest_vqamt.annotation.line_writer import print_status
from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.data.catalogue import from_home
from pytest_vqamt.integration.options import check_device, parse_settings
from pytest_vqamt.models.protocol import ONE_DEVICE, ModelOptions

SETTINGS: Mapping[str, tuple[str, ...]] = {"photos": DETECTOR_SETTINGS, "snli-ve": hypotheses.SETTINGS}
"""The settings of the detectors by kind of data."""

EXTRA = "photos"
"""The extra whose packages detectors need."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "Each line is written at once and no existing line is changed, so the same command continues where an "
        "interrupted one stopped. The exit status is 1 if a photo could not be annotated."
    )
    parser.add_argument("data", metavar="SPEC", help="photos:DIR or snli-ve:DIR")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a detector or a setting of it, such as boxes=REPO-OR-PATH (docs/how-to/annotate.md); may be given again",
    )
    parser.add_argument(
        "--model",
        metavar="SPEC",
        help="a model, as --vqamt-model of pytest takes it, that is asked what is in photos and where; its lines are "
        "marked presumed",
    )
    parser.add_argument("--device", metavar="DEVICE", default="auto", help=ONE_DEVICE)
    parser.add_argument("--dtype", metavar="DTYPE", help="the precision of the weights")


def run(arguments: argparse.Namespace) -> int:
    """Annotates the data, and prints where the lines are."""
    kind, _, argument = arguments.data.partition(":")
    if kind not in SETTINGS:
        # `vqamt annotate DIR`: photos are the likely kind.
        hint = "" if argument else f"; did you mean 'photos:{kind}'?"
        raise OptionError(f"Expected photos:DIR or snli-ve:DIR to annotate, but got {arguments.data!r}{hint}")
    given = [*arguments.option, *(f"{MODEL}={spec}" for spec in [arguments.model] if spec)]
    known = None if arguments.model and kind == "photos" else SETTINGS[kind]  # a model has settings of its own
    of_relations, settings = parse_settings(given, "--option", known)
    for name in of_relations:
        hint = did_you_mean(name, SETTINGS[kind])
        raise OptionError(f"Expected --option to set a detector, but got {name!r}, which relations take; {hint}")
    options = ModelOptions(device=check_device(arguments.device, "--device"), dtype=arguments.dtype, settings=settings)
    annotate = photos.annotate_photos if kind == "photos" else hypotheses.ground_hypotheses
    outcome = annotate(from_home(argument), options)
    for failure in outcome.failures:
        print_status(f"no line: {failure}")
    print(outcome.summary)
    return ExitStatus.FINDING if outcome.failures else ExitStatus.OK
