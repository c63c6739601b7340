"""``vqamt export``: exports the cases of a report as labelled training data."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.progress_bar import progress_bar
from pytest_vqamt.core.text import count_noun, some_of
from pytest_vqamt.export.cases import Only, Wanted
from pytest_vqamt.export.export import Exported, Terms, describe_reasons, export_report
from pytest_vqamt.export.export_files import Layout
from pytest_vqamt.integration.options import add_option_argument, parse_settings
from pytest_vqamt.relations.catalogue import globs_of
from pytest_vqamt.reporting.view.format import format_rate

_SHOWN_LABELS = 6
"""The most labels of a task that the summary names."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "Every query of a case becomes a row: its picture as a PNG file, its text, the right answer by the scene, and "
        "where it comes from. Run the report on scenes that you may train on: rows of scenes that are evaluation data "
        "are refused. vqamt-evaluation.txt, in the folder of the report, beside it or here, is read as --evaluation is."
    )
    parser.add_argument("report", metavar="REPORT", type=Path, help="a report: the folder that --vqamt-report named")
    parser.add_argument("-o", "--out", metavar="DIR", required=True, type=Path, help="a new folder to export into")
    parser.add_argument(
        "--layout",
        choices=[each.value for each in Layout],
        default=Layout.IMAGEFOLDER.value,
        help="imagefolder: what Hugging Face datasets load; jsonl: JSON Lines and a folder of pictures "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--of",
        choices=[each.value for each in Only],
        default=Only.VIOLATIONS.value,
        help="the cases that violate their relation, as VEglue and MetaIC train on, or all, as CARETS does "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--relations", metavar="GLOBS", default="", help="the cases of these relations, as in --vqamt-relations"
    )
    parser.add_argument(
        "--split", metavar="SHARE", type=float, default=0.8, help="of the photos to train on (default: %(default)s)"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the split (default: %(default)s)")
    parser.add_argument(
        "--presumed",
        action="store_true",
        help="also rows whose label rests on an absence that the annotations do not guarantee; they say so",
    )
    parser.add_argument(
        "--evaluation",
        metavar="SPEC|FILE|IDS",
        action="append",
        default=[],
        help="scenes that you evaluate on: a scene source, a file of scene ids, one a line, or ids; may be given again",
    )
    parser.add_argument(
        "--skip-evaluation", action="store_true", help="leave out the rows of evaluation data instead of refusing"
    )
    parser.add_argument(
        "--allow-evaluation-data",
        action="store_true",
        help="also take rows of what is evaluation data by its name alone: carets:DIR, val and test splits",
    )
    parser.add_argument("--data", metavar="SPEC", help="the data of that run (default: what the report says)")
    add_option_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Exports the cases, and prints their numbers."""
    # For its effect: from here on this process knows the inpainter by the digest that recipes carry.
    parse_settings(arguments.option, "--option")
    globs = globs_of(arguments.relations, "--relations")
    if not 0 < arguments.split <= 1:
        raise OptionError(f"Expected --split=SHARE above 0 and up to 1, but got --split={arguments.split:g}")
    terms = Terms(
        layout=Layout(arguments.layout),
        wanted=Wanted(only=Only(arguments.of), relations=globs, presumed=arguments.presumed),
        split=arguments.split,
        seed=arguments.seed,
        evaluation=tuple(arguments.evaluation),
        skip_evaluation=arguments.skip_evaluation,
        published=not arguments.allow_evaluation_data,
    )
    with ExitStack() as bars:
        exported = export_report(
            arguments.report,
            arguments.out,
            terms,
            data=arguments.data,
            progress=lambda what, steps: bars.enter_context(progress_bar(what, steps, "row", delay_s=2.0)),
        )
    for line in _summary(exported, arguments.out):
        print(line)
    return ExitStatus.OK


def _summary(exported: Exported, out: Path) -> Iterator[str]:
    for name, side in exported.sides.items():
        if side.rows:
            yield (
                f"{name}: {count_noun(side.rows, 'row')} on {count_noun(side.pictures, 'picture')} of "
                f"{count_noun(len(side.scenes), 'scene')}"
            )
    for task, labels in exported.labels.items():
        # Captions are all different: there are no shares of labels.
        if task != "captioning":
            yield f"{task} labels: {_shares(labels)}"
    for what, reasons in (("cases", exported.cases_left_out), ("rows", exported.rows_left_out)):
        if reasons:
            yield f"left out: {what} {describe_reasons(reasons)}"
    yield f"written to {out}"


def _shares(labels: Counter[str]) -> str:
    total = labels.total()
    return some_of([f"{label} {format_rate(count / total)}" for label, count in labels.most_common()], _SHOWN_LABELS)
