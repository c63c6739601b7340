"""Parses the command line and runs the command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from importlib import import_module
from importlib.metadata import version

from pytest_vqamt.core.errors import VqamtError


class ExitStatus(IntEnum):
    """The exit status of a command; a finding is a missed gate, or whatever else the command looks for."""

    OK = 0
    FINDING = 1
    USAGE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command and its module, which is imported when the command runs."""

    name: str
    module: str
    help: str


COMMANDS: tuple[Command, ...] = (
    Command(
        name="list",
        module="pytest_vqamt.commands.list",
        help="list the relations, models, data and planted faults",
    ),
    Command(
        name="describe",
        module="pytest_vqamt.commands.describe",
        help="describe a relation: its claim, its source, and a few of its cases",
    ),
    Command(
        name="compare",
        module="pytest_vqamt.commands.compare",
        help="compare two reports case by case, with significance tests",
    ),
    Command(
        name="bless",
        module="pytest_vqamt.commands.bless",
        help="keep the cases of a report and their verdicts as the baseline of --vqamt-baseline",
    ),
    Command(
        name="merge",
        module="pytest_vqamt.commands.merge",
        help="merge the reports of --vqamt-shard",
    ),
    Command(
        name="report",
        module="pytest_vqamt.commands.report",
        help="write the pages of a report again, or its cases as CSV or Parquet",
    ),
    Command(
        name="replay",
        module="pytest_vqamt.commands.replay",
        help="write the pictures of a case, or of queries to be answered elsewhere",
    ),
    Command(
        name="export",
        module="pytest_vqamt.commands.export",
        help="export the cases of a report as labelled training data",
    ),
    Command(
        name="audit",
        module="pytest_vqamt.commands.audit",
        help="sample cases for a person to judge, and compute the precision of a report",
    ),
    Command(
        name="power",
        module="pytest_vqamt.commands.power",
        help="compute how many cases it takes to detect a drop of a given size",
    ),
    Command(
        name="serve",
        module="pytest_vqamt.commands.serve",
        help="serve a model on Ray Serve to any number of sessions, workers and machines",
    ),
    Command(
        name="annotate",
        module="pytest_vqamt.commands.annotate",
        help="have detectors write what is in your photos, for a person to correct",
    ),
    Command(
        name="units",
        module="pytest_vqamt.commands.units",
        help="split hypotheses into their objects and the properties of each",
    ),
    Command(
        name="check-captions",
        module="pytest_vqamt.commands.check_captions",
        help="judge pairs of captions, without and with an inserted object, by MetaIC's relations",
    ),
    Command(
        name="label-errors",
        module="pytest_vqamt.commands.label_errors",
        help="list captions that lack what others of the same picture name, most often broken first",
    ),
)


def run_command(argv: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name (those of the process by default) and returns its exit status."""
    typed = tuple(sys.argv[1:] if argv is None else argv)
    try:
        arguments = _parser(typed).parse_args(typed)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except VqamtError as error:
        print(f"vqamt: {error}", file=sys.stderr)
        return ExitStatus.USAGE
    except BrokenPipeError:
        # The reader closed the pipe, as in `vqamt list | head`. The flush at exit must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.OK
    except OSError as error:
        print(f"vqamt: Expected an output that can be written to, but got {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.USAGE
    return status


def _parser(typed: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vqamt", description="Metamorphic relations for vision-language models: the commands of the pytest plugin."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('pytest-vqamt')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        sentence = f"{command.help[0].upper()}{command.help[1:]}."
        own = commands.add_parser(command.name, help=command.help, description=sentence)
        if command.name in typed:
            module = import_module(command.module)
            module.add_arguments(own)
            own.set_defaults(run=module.run)
    return parser
