"""Parses the command line and runs the command."""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from enum import IntEnum
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from typing import Any, TextIO, cast

from pytest_vqamt.commands import completion
from pytest_vqamt.core.errors import OptionError, VqamtError, cut_to_user_code, did_you_mean
from pytest_vqamt.core.spelling import Spelling, spelt
from pytest_vqamt.core.text import number_of, visible, whole_number_of

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Relations": {
        "list": "list relations, presets, models, data and planted faults",
        "describe": "describe a relation: its claim, its source and a few cases",
        "new": "write the files of a relation of your own, with its test",
    },
    "Models": {
        "doctor": "show what is installed, and why a model does not load",
        "probe": "check that a deployment answers about the picture it is sent",
        "serve": "serve a model to any number of sessions and machines",
    },
    "Data": {
        "check-data": "list every record and photo that cannot be used",
        "init-data": "begin scene graphs, or questions, for a folder of photos",
        "annotate": "have models write what is in your photos, to be corrected",
    },
    "Reports": {
        "open": "open the page of a report in the browser",
        "report": "write the page again, cases as a table, or papers' tables",
        "replay": "write the pictures of a case, and run a model on it again",
        "merge": "merge the reports of --vqamt-shard",
        "audit": "sample cases for a person to judge; compute the precision",
        "export": "export the cases as labelled training data",
    },
    "Comparisons and gates": {
        "compare": "compare two reports case by case, with significance tests",
        "trend": "show how the rates of relations moved over several reports",
        "bless": "keep the cases of a report as the baseline of later runs",
        "power": "compute how many cases it takes to detect a drop",
    },
    "Texts that you already have": {
        "check-answers": "show how answers to questions are read",
        "check-captions": "judge pairs of captions by the relations of MetaIC",
        "label-errors": "list captions that lack what others of the picture name",
        "units": "split hypotheses into objects and their properties",
    },
}
"""The groups of commands in ``vqamt --help``, each with its commands and what they do."""

COMMANDS: Mapping[str, str] = {name: purpose for commands in GROUPS.values() for name, purpose in commands.items()}
"""What each command does, by its name, which is also that of its module in this package.

A module has ``add_arguments(parser)`` and ``run(arguments)``, which returns an ``ExitStatus``, and raises VqamtError
for what the user has to change. It is imported when the command runs.
"""

_GATES = frozenset({"compare", "merge"})
"""The commands whose exit status is a gate."""


class ExitStatus(IntEnum):
    """The exit status of a command; a finding is a missed gate, or whatever else the command looks for."""

    OK = 0
    FINDING = 1
    USAGE = 2


class _Parser(argparse.ArgumentParser):
    """Takes numbers in the digits 0 to 9 alone."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.register("type", int, whole_number_of)
        self.register("type", float, number_of)


class _WhileItIsRead:
    """An output whose reader may close it, as in ``vqamt compare ... | head``: the command goes on to its exit status.

    A gate that is missed would count as met if the status were lost with the reader.
    """

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, text: str) -> int:
        try:
            return self._output.write(text)
        except BrokenPipeError:
            self._close()
            return len(text)

    def flush(self) -> None:
        try:
            self._output.flush()
        except BrokenPipeError:
            self._close()

    def _close(self) -> None:
        """Sends what is still to come to nowhere, also what is flushed at exit."""
        # The descriptor and not the object: the interpreter flushes sys.stdout once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._output.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)


def run_command(argv: Sequence[str] | None = None) -> int:
    """Runs the command that the arguments name (those of the process by default) and returns its exit status."""
    typed = _without_prefix(sys.argv[1:] if argv is None else argv)
    try:
        # The shell asks for completions of what is typed so far; this ends the process.
        if completion.VARIABLE in os.environ:
            words = completion.typed_so_far()
            completion.complete(*_parser(words if set(words[:1]) & set(COMMANDS) else ()))
        _check_none_is_empty(typed)
        parser, of_command = _parser(typed)
        arguments = parser.parse_args(typed)
        # Only gates: any other command may end with its reader.
        output = _WhileItIsRead(sys.stdout) if set(typed[:1]) & _GATES else sys.stdout
        with spelt(_spelling(of_command)), redirect_stdout(cast("TextIO", output)):
            status: int = arguments.run(arguments)
            # Here, where a closed pipe or a full disk can still be reported.
            sys.stdout.flush()
    except VqamtError as error:
        print_error(error)
        return ExitStatus.USAGE
    except BrokenPipeError:
        # The reader closed the pipe, as in `vqamt units - | head`. The flush at exit must not fail either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.OK
    except OSError as error:
        # A path that the command was given; without one it is the output, as with a full disk.
        if error.filename is not None:
            print(f"vqamt: Expected a path that can be read or written, but got {error}", file=sys.stderr)
            return ExitStatus.USAGE
        print(f"vqamt: Expected an output that can be written to, but got {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.USAGE
    return status


def _check_none_is_empty(typed: Sequence[str]) -> None:
    """Checks that no value is empty: as a path it would be the current folder, and as most others as good as absent."""
    # `--data=$UNSET` and `--data "$UNSET"`, as scripts have them.
    for before, text in pairwise(("", *typed)):
        name = text.removesuffix("=") if re.fullmatch(r"--[\w-]+=", text) else before if before.startswith("-") else ""
        if text == "" or text == f"{name}=":
            raise OptionError(
                f"Expected a value, but got {name}='': give one, or leave {name} off"
                if name
                else f"Expected a value for each argument, but got '' after {before!r}: give one"
            )


def _spelling(parser: argparse.ArgumentParser | None) -> Spelling:
    """The options of pytest as the command has them: ``--device`` for ``--vqamt-device``."""
    taken = parser._option_string_actions if parser else ()  # argparse has no other list of them
    names = {name.removeprefix("--"): name for name in taken if name.startswith("--")}
    return Spelling(names={"report": "", **names})  # a command writes into folders of other options and arguments


def print_error(error: VqamtError) -> None:
    """Prints the message of an error, after the traceback of the user's code if it is about that."""
    if (raised := error.user_error) is not None:
        lines = traceback.format_exception(type(raised), raised, cut_to_user_code(raised.__traceback__))
        print(visible("".join(lines), keep="\n"), end="", file=sys.stderr)
    print(f"vqamt: {error}", file=sys.stderr)


def _without_prefix(typed: Sequence[str]) -> tuple[str, ...]:
    """The arguments with ``--vqamt-NAME`` as ``--NAME``: an option that pytest has, too, is taken by both names."""
    # What follows "--" are no options, also where it looks like one.
    end = typed.index("--") if "--" in typed else len(typed)
    return (*(re.sub("^--vqamt-", "--", text) for text in typed[:end]), *typed[end:])


def _parser(typed: Sequence[str]) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser | None]:
    """The parser of all commands, and that of the command that is typed, which alone has its arguments."""
    parser = _Parser(
        prog="vqamt",
        usage="vqamt [-h] [--version] COMMAND ...",
        description="Metamorphic relations for vision-language models: the plugin's commands.",
        epilog=_groups_in_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('pytest-vqamt')}")
    commands = parser.add_subparsers(metavar="COMMAND", prog="vqamt", required=True, help=argparse.SUPPRESS)
    command = typed[0] if typed else ""
    # argparse would list all commands instead of the nearest.
    if command and not command.startswith("-") and command not in COMMANDS:
        raise OptionError(f"Expected a command, but got {command!r}; {did_you_mean(command, COMMANDS)} (vqamt --help)")
    found = None
    # Only the module of the typed command is imported; the others are names in the help.
    for name, purpose in COMMANDS.items():
        own = commands.add_parser(name, description=_sentence(purpose))
        if name == command:
            _add_arguments(name, own)
            found = own
    return parser, found


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of one command, by which the documents list its arguments."""
    parser = _Parser(prog=f"vqamt {name}", description=_sentence(COMMANDS[name]))
    _add_arguments(name, parser)
    return parser


def _add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    module = import_module(f"pytest_vqamt.commands.{name.replace('-', '_')}")
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def _sentence(purpose: str) -> str:
    return f"{purpose[0].upper()}{purpose[1:]}."


def _groups_in_help() -> str:
    width = max(map(len, COMMANDS))
    lines = ["`vqamt COMMAND --help` shows the options of a command."]
    for group, commands in GROUPS.items():
        lines += [f"{group}:", *(f"  {name:{width}}  {purpose}" for name, purpose in commands.items())]
    return "\n".join(lines)
