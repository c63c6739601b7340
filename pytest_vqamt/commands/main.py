"""Parses the command line and runs the command."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from enum import IntEnum
from importlib import import_module
from importlib.metadata import version

from pytest_vqamt.core.errors import VqamtError, cut_to_user_code
from pytest_vqamt.core.plain_text import visible


class ExitStatus(IntEnum):
    """The exit status of a command; a finding is a missed gate, or whatever else the command looks for."""

    OK = 0
    FINDING = 1
    USAGE = 2


COMMANDS: Mapping[str, str] = {
    "list": "list the relations, presets, models, data and planted faults",
    "describe": "describe a relation: its claim, its source, and a few of its cases",
    "new": "write the files of a relation of your own: the relation and its test",
    "compare": "compare two reports case by case, with significance tests",
    "trend": "show how the rates of relations moved over several reports",
    "bless": "keep the cases of a report and their verdicts as the baseline of --vqamt-baseline",
    "merge": "merge the reports of --vqamt-shard",
    "report": "write the pages of a report again, or its cases as CSV or Parquet",
    "replay": "write the pictures of a case, or of queries to be answered elsewhere",
    "export": "export the cases of a report as labelled training data",
    "audit": "sample cases for a person to judge, and compute the precision of a report",
    "power": "compute how many cases it takes to detect a drop of a given size",
    "probe": "check that a deployment of a model answers about the picture that it is sent",
    "serve": "serve a model on Ray Serve to any number of sessions, workers and machines",
    "check-data": "list every record and photo of a data set that cannot be used",
    "init-data": "begin a file of scene graphs, or of questions, for a folder of photos",
    "annotate": "have detectors write what is in your photos, for a person to correct",
    "units": "split hypotheses into their objects and the properties of each",
    "check-answers": "show how answers to questions are read, and where that is not as expected",
    "check-captions": "judge pairs of captions, without and with an inserted object, by MetaIC's relations",
    "label-errors": "list captions that lack what others of the same picture name, most often broken first",
}
"""What each command does, by its name, which is also that of its module in this package.

A module has ``add_arguments(parser)`` and ``run(arguments)``, which returns an ``ExitStatus``, and raises VqamtError
for what the user has to change. It is imported when the command runs.
"""


def run_command(argv: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name (those of the process by default) and returns its exit status."""
    typed = tuple(sys.argv[1:] if argv is None else argv)
    try:
        arguments = _parser(typed).parse_args(typed)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except VqamtError as error:
        if (raised := error.user_error) is not None:
            lines = traceback.format_exception(type(raised), raised, cut_to_user_code(raised.__traceback__))
            print(visible("".join(lines), keep="\n"), end="", file=sys.stderr)
        print(f"vqamt: {error}", file=sys.stderr)
        return ExitStatus.USAGE
    except BrokenPipeError:
        # The reader closed the pipe, as in `vqamt list | head`. The flush at exit must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.OK
    except OSError as error:
        if error.filename is not None:
            print(f"vqamt: Expected a path that can be read or written, but got {error}", file=sys.stderr)
            return ExitStatus.USAGE
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
    for name, purpose in COMMANDS.items():
        sentence = f"{purpose[0].upper()}{purpose[1:]}."
        own = commands.add_parser(name, help=purpose, description=sentence)
        if name in typed:
            module = import_module(f"pytest_vqamt.commands.{name.replace('-', '_')}")
            module.add_arguments(own)
            own.set_defaults(run=module.run)
    return parser
