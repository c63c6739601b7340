"""``vqamt power``: how many cases it takes to see a drop, and how small a drop is seen with the cases there are."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.integration.power_of_cases import CasesAsked, lines_of_cases, row_of_cases
from pytest_vqamt.integration.power_of_report import ReportAsked, lines_of_report, row_of_report
from pytest_vqamt.stats.power import MOST_SCENES, Demand, differing_by_chance

_DROPS = "0.02,0.05,0.1,0.2"
_RATE, _ICC, _POWER, _RELATIONS = "0.85", "0.3", "0.8", "30"
_MOST_CASES_A_SCENE = 100
"""With more, all that may become of a scene takes too long to write out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "The gate is that of --vqamt-baseline: a drop of the pass rate, on the same cases, that is larger than "
        "--vqamt-max-drop and significant after Holm's correction for so many relations. All shares are from 0 to 1. "
        "With --report, each relation has the pass rate, the scenes and the spread that it has there. See "
        "docs/statistics.md for what is assumed."
    )
    parser.add_argument(
        "--drop", metavar="D[,D...]", action="append", help=f"drops to be seen (default: {_DROPS}; with --report, 0.05)"
    )
    parser.add_argument("--cases", metavar="N[,N...]", action="append", help="the smallest drop seen with N cases")
    parser.add_argument("--rate", metavar="RATE", help=f"the pass rate before (default: {_RATE})")
    parser.add_argument(
        "--differ",
        metavar="SHARE",
        help="the share of cases that come out otherwise by chance, half of them in either direction (default: RATE x "
        "(1 - RATE), half as many as if the two runs had nothing in common; with --report of a run against a baseline, "
        "as many as there)",
    )
    parser.add_argument("--cases-per-scene", metavar="N", help="cases of one picture (default: 1)")
    parser.add_argument(
        "--icc",
        metavar="SHARE",
        help="how much alike what becomes of the cases of one scene is, as a correlation: from 0, each for itself, to "
        f"1, all the same (default: {_ICC}; with --report, as much as there)",
    )
    parser.add_argument(
        "--relations", metavar="N", help=f"how many are gated together (default: {_RELATIONS}; with --report, its own)"
    )
    parser.add_argument("--power", metavar="SHARE", default=_POWER, help="how surely it is to be seen (default: 0.8)")
    parser.add_argument(
        "--max-drop", metavar="R", default="0", help="the drop that --vqamt-max-drop lets pass (default: 0)"
    )
    parser.add_argument("--report", metavar="DIR", type=Path, help="a report of one's own, for each of its relations")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")


def run(arguments: argparse.Namespace) -> int:
    """Prints the tables.

    Raises:
        VqamtError: an option or the report cannot be used.
    """
    if arguments.report is None:
        of_cases = _cases_asked(arguments)
        row, lines = (row_of_cases(of_cases), ()) if arguments.json else ({}, lines_of_cases(of_cases))
    else:
        of_report = _report_asked(arguments)
        row, lines = (row_of_report(of_report), ()) if arguments.json else ({}, lines_of_report(of_report))
    print(json.dumps(row, ensure_ascii=False, indent=1) if arguments.json else "\n".join(lines))
    return ExitStatus.OK


def _cases_asked(arguments: argparse.Namespace) -> CasesAsked:
    rate = _share("--rate", arguments.rate or _RATE)
    drops = arguments.drop or ([] if arguments.cases else [_DROPS])
    demand = _demand(arguments, _RELATIONS)
    return CasesAsked(
        rate=rate,
        differ=differing_by_chance(rate) if arguments.differ is None else _share("--differ", arguments.differ),
        cases_a_scene=_whole("--cases-per-scene", arguments.cases_per_scene or "1", _MOST_CASES_A_SCENE),
        icc=_share("--icc", arguments.icc or _ICC),
        demand=demand,
        power=_chance(arguments.power),
        drops=_drops(drops, demand),
        cases=tuple(_whole("--cases", each) for each in _listed(arguments.cases or [])),
    )


def _report_asked(arguments: argparse.Namespace) -> ReportAsked:
    for option, given in (
        ("--rate", arguments.rate),
        ("--cases", arguments.cases),
        ("--cases-per-scene", arguments.cases_per_scene),
    ):
        if given is not None:
            raise OptionError(f"Expected {option} or --report, which has its own, but got both: leave one off")
    demand = _demand(arguments, "1")
    return ReportAsked(
        folder=arguments.report,
        relations=None if arguments.relations is None else demand.relations,
        max_drop=demand.max_drop,
        power=_chance(arguments.power),
        differ=None if arguments.differ is None else _share("--differ", arguments.differ),
        icc=None if arguments.icc is None else _share("--icc", arguments.icc),
        drops=_drops(arguments.drop or ["0.05"], demand),
    )


def _demand(arguments: argparse.Namespace, relations: str) -> Demand:
    return Demand(
        relations=_whole("--relations", arguments.relations or relations),
        max_drop=_share("--max-drop", arguments.max_drop),
    )


def _drops(texts: Sequence[str], demand: Demand) -> tuple[float, ...]:
    drops = tuple(_share("--drop", each) for each in _listed(texts))
    for drop in drops:
        if drop <= demand.max_drop:
            raise OptionError(
                f"Expected drops above --max-drop={demand.max_drop:g}, which the gate lets pass however many cases "
                f"there are, but got --drop={drop:g}"
            )
    return drops


def _listed(texts: Sequence[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",")]


def _chance(text: str) -> float:
    chance = _share("--power", text)
    if not 0 < chance < 1:
        raise OptionError(f"Expected a chance between 0 and 1, but got --power={text!r}")
    return chance


def _share(option: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise OptionError(f"Expected a share from 0 to 1, as 0.05 for 5 percent points, but got {option}={text!r}")
    return share


def _whole(option: str, text: str, most: int = MOST_SCENES) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most):
        raise OptionError(f"Expected a whole number from 1 to {most:,}, but got {option}={text!r}")
    return int(text)
