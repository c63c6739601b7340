"""From what was typed to the command that does it."""

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
    """What a command ends with; a finding is a gate that was missed, or whatever else a command looks for."""

    OK = 0
    FINDING = 1
    USAGE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command and where it is; its module is imported when it is called for."""

    name: str
    module: str
    help: str


COMMANDS: tuple[Command, ...] = (
    Command(
        name="list",
        module="pytest_vqamt.commands.list",
        help="the relations, models, data and planted faults there are",
    ),
    Command(
        name="describe",
        module="pytest_vqamt.commands.describe",
        help="what a relation claims, where it comes from, and a few of its cases",
    ),
    Command(
        name="compare",
        module="pytest_vqamt.commands.compare",
        help="two reports case by case: what got better, what got worse, and whether it was chance",
    ),
    Command(
        name="bless",
        module="pytest_vqamt.commands.bless",
        help="keep the cases of a report and their verdicts as the baseline of --vqamt-baseline",
    ),
    Command(
        name="merge",
        module="pytest_vqamt.commands.merge",
        help="put the reports of --vqamt-shard together",
    ),
    Command(
        name="report",
        module="pytest_vqamt.commands.report",
        help="write the pages of a report anew, or its cases as CSV or Parquet",
    ),
    Command(
        name="replay",
        module="pytest_vqamt.commands.replay",
        help="write out the pictures of a case, side by side too, or of queries to be answered elsewhere",
    ),
    Command(
        name="export",
        module="pytest_vqamt.commands.export",
        help="make labelled training data of the cases of a report",
    ),
    Command(
        name="audit",
        module="pytest_vqamt.commands.audit",
        help="a sample of cases for a person to judge, and what the judgements say of the report",
    ),
    Command(
        name="power",
        module="pytest_vqamt.commands.power",
        help="how many cases it takes to see a drop of a given size",
    ),
    Command(
        name="serve",
        module="pytest_vqamt.commands.serve",
        help="hold a model on Ray Serve, to be asked by any number of sessions, workers and machines",
    ),
    Command(
        name="units",
        module="pytest_vqamt.commands.units",
        help="take hypotheses apart into their objects and what they say of each",
    ),
    Command(
        name="check-captions",
        module="pytest_vqamt.commands.check_captions",
        help="judge pairs of captions, without and with an inserted thing, as MetaIC's relations do",
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
        # Whoever reads has seen enough, as in `vqamt list | head`. Nothing is left to be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.OK
    except OSError as error:
        print(f"vqamt: Expected an output that can be written to, but got {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.USAGE
    return status


def _parser(typed: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="vqamt", description="Metamorphic relations for vision-language models: what goes with the pytest plugin."
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
