"""Completion of the command line by the Tab key, with argcomplete (the extra ``completion``)."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterable, Mapping

VARIABLE = "_ARGCOMPLETE"
"""The environment variable that a shell sets to request completions."""


def typed_so_far() -> tuple[str, ...]:
    """The words on the command line after ``vqamt``."""
    line = os.environ.get("COMP_LINE", "")
    try:
        return tuple(shlex.split(line)[1:])
    except ValueError:  # an open quote
        return tuple(line.split()[1:])


def complete(parser: argparse.ArgumentParser, command: argparse.ArgumentParser | None) -> None:
    """Prints the completions for the shell and ends the process.

    Args:
        parser: of all commands.
        command: of the command that is typed; None without one.
    """
    try:
        import argcomplete
    except ModuleNotFoundError:
        # The extra is not installed: the shell completes file names.
        return
    for action in command._actions if command else ():
        if completer := _COMPLETERS.get(str(action.metavar)):
            _complete_with(action, completer)
        # The metavar SPEC stands for data, too.
        if action.dest in ("model", "against") and action.metavar in ("SPEC", "MODEL"):
            _complete_with(action, _models)
    argcomplete.autocomplete(parser)


def complete_options(parser: object) -> None:
    """Has argcomplete complete the values of the plugin's options on the command line of pytest.

    Args:
        parser: pytest's, with the options added. That of pytest 8 is not completed.
    """
    actions: Iterable[argparse.Action] = getattr(getattr(parser, "optparser", None), "_actions", ())
    for action in actions:
        if completer := _OF_OPTIONS.get(action.dest):
            _complete_with(action, completer)


def _complete_with(action: argparse.Action, completer: Callable[[], Iterable[str]]) -> None:
    """Sets the attribute that argcomplete looks for. Names after a comma are completed, too."""

    def complete_last(prefix: str = "", **_: object) -> list[str]:
        # "metavqa,ca" completes its last name.
        before, comma, _last = prefix.rpartition(",")
        return [f"{before}{comma}{each}" for each in completer()]

    action.completer = complete_last  # type: ignore[attr-defined]


def _relations() -> Iterable[str]:
    from pytest_vqamt.core.identity import families_of
    from pytest_vqamt.relations.catalogue import names

    return [*families_of(names()), *names()]


def _relations_or_all() -> Iterable[str]:
    return ["all", *_relations()]


def _presets() -> Iterable[str]:
    from pytest_vqamt.relations.presets import PRESETS

    return PRESETS


def _models() -> Iterable[str]:
    from pytest_vqamt.models.catalogue import ModelCatalogue
    from pytest_vqamt.models.reference.faults import FAULTS

    for kind in ModelCatalogue().kinds:
        if kind.name == "fault":
            yield from (f"fault:{name}" for name in FAULTS)
            continue
        # "tiny" is whole; "hf:" needs a name after it.
        yield from [kind.name] if not kind.argument or kind.is_optional else []
        yield from [f"{kind.name}:"] if kind.argument else []


def _data() -> Iterable[str]:
    from pytest_vqamt.data.catalogue import names

    return ["pictures", *(f"{name}:" for name in names())]


_COMPLETERS: Mapping[str, Callable[[], Iterable[str]]] = {
    "GLOBS": _relations,
    "RELATION": _relations,
    "SPEC": _data,
}
"""What completes an argument, by its metavar; ``complete`` distinguishes models from data by option names."""

_OF_OPTIONS: Mapping[str, Callable[[], Iterable[str]]] = {
    "vqamt_relations": _relations_or_all,
    "vqamt_exclude": _relations,
    "vqamt_preset": _presets,
    "vqamt_model": _models,
    "vqamt_data": _data,
}
"""What completes the value of an option of pytest, by its name."""
