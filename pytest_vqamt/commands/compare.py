"""``vqamt compare``: compares two runs case by case."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.atomic_write import write_file
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.results import MAX_UNREAD, Undecided
from pytest_vqamt.core.text import number_of
from pytest_vqamt.reporting.compare.comparison import Comparison, compare
from pytest_vqamt.reporting.compare.comparison_text import (
    comparison_json,
    comparison_lines,
    comparison_markdown,
    gate_verdict,
    total_verdicts,
)
from pytest_vqamt.reporting.compare.runs import open_report_run, open_run
from pytest_vqamt.stats.thresholds import Drops, GateKind, Threshold, drops_of

_FORMATS = ("table", "markdown", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.usage = (
        f"{parser.prog} OLD NEW [--max-drop RATE [--max-unread SHARE] [--undecided pass|fail]]\n"
        f"       {' ' * len(parser.prog)} [--format table|markdown|json] [--show N] [-v] [-o FILE]\n"
        f"       {parser.prog} REPORT --models OLD NEW [...]"
    )
    parser.epilog = (
        "Cases are paired by their ids, so both runs should be of the same seed and data. The exit status is 1 where "
        "--max-drop is missed, by the same test as that of --vqamt-max-drop, and 0 without it. Two models of different "
        "names are compared by two-sided tests unless there is --max-drop."
    )
    parser.add_argument(
        "before", metavar="OLD", type=Path, help="a folder that --vqamt-report named, or the file of `vqamt bless`"
    )
    parser.add_argument(
        "after", metavar="NEW", type=Path, nargs="?", help="a folder that --vqamt-report named (default: OLD)"
    )
    parser.add_argument(
        "--models",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="a model of each run (default: the only one, or those of the same name)",
    )
    parser.add_argument(
        "--max-drop",
        metavar="RATE",
        action="append",
        help="RATE or GLOB=RATE: fail if a pass or grounded rate has dropped further than this, significantly after "
        "Holm's correction; may be given again",
    )
    parser.add_argument(
        "--max-unread",
        metavar="SHARE",
        help=f"the share of a relation's cases that may be unread in NEW if --max-drop is to be met "
        f"(default: {MAX_UNREAD})",
    )
    parser.add_argument(
        "--undecided",
        choices=[each.value for each in Undecided],
        help="what a gate that cannot tell, with too few cases, does to the exit status (default: pass)",
    )
    parser.add_argument("--format", choices=_FORMATS, default=_FORMATS[0], help="how to write it (default: table)")
    parser.add_argument(
        "--show", metavar="N", default="3", help="regressed and fixed cases to show (default: 3 of each)"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="list the ids of regressed and fixed cases in all relations, not only in those that got worse",
    )
    parser.add_argument("-o", "--out", metavar="FILE", type=Path, help="write it into this file")


def run(arguments: argparse.Namespace) -> int:
    """Compares two runs, and prints or writes the comparison."""
    # One report is enough to compare two models in it.
    if arguments.after is None and arguments.models is None:
        raise OptionError("Expected two runs, OLD and NEW, or one with --models OLD NEW, but got only one: name both")
    after = arguments.after or arguments.before
    max_drop, show = _drops(arguments.max_drop), _number(arguments.show)
    max_unread = _rate("--max-unread", arguments.max_unread)
    # A script that relies on it would never fail.
    if arguments.undecided and max_drop is None:
        raise OptionError(
            f"Expected --max-drop=RATE with --undecided, but got --undecided={arguments.undecided} alone: without a "
            "gate there is nothing undecided"
        )
    comparison = compare(
        open_run(arguments.before),
        open_report_run(after),
        models=tuple(arguments.models) if arguments.models else None,
        max_drop=max_drop,
        max_unread=MAX_UNREAD if max_unread is None else max_unread,
        undecided=Undecided(arguments.undecided or Undecided.PASS),
        show=show,
    )
    lines = _lines(comparison, arguments.format, in_full=arguments.verbose)
    if arguments.out is None:
        for line in lines:
            print(line)
    else:
        write_file(arguments.out, "".join(f"{line}\n" for line in lines), "--out")
        # The verdicts are printed all the same: CI logs have them without the file.
        print("\n".join((gate_verdict(comparison), *total_verdicts(comparison))))
        print(f"comparison: {arguments.out}")
    # Without --max-drop there is no gate: a comparison is no failure.
    return ExitStatus.FINDING if comparison.fails and max_drop is not None else ExitStatus.OK


def _lines(comparison: Comparison, form: str, *, in_full: bool) -> Iterable[str]:
    if form == "json":
        return (comparison_json(comparison),)
    return comparison_markdown(comparison) if form == "markdown" else comparison_lines(comparison, in_full=in_full)


def _rate(option: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        rate = number_of(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise OptionError(f"Expected {option} to be a rate from 0 to 1, but got {text!r}")
    return rate


def _drops(texts: Sequence[str] | None) -> Drops | None:
    if texts is None:
        return None
    return drops_of([Threshold.parse(each, GateKind.DROP, "--max-drop") for each in texts])


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise OptionError(f"Expected --show to be a whole number from 0 up, but got {text!r}")
    return int(text)
