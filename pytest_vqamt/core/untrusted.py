"""What the files of others (reports, baselines, cases, lists of queries) may name.

Their texts are shown. None of them is a path, a module or a program: an id is digits, a setting has a value from a
list, and data is of a kind that this package itself reads, as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from pytest_vqamt.core.case import RelationSetting
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import split_name
from pytest_vqamt.core.text import quoted

_MAX_SHOWN = 80
_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)


def check_id(value: object) -> str:
    """Returns the id of a case.

    Raises:
        ValueError: it is not 16 hexadecimal digits.
    """
    if isinstance(value, str) and is_id(value):
        return value
    raise ValueError(f"expected 16 hexadecimal digits, but got case_id={quoted(str(value), _MAX_SHOWN)}")


def is_id(value: object) -> bool:
    """True for an id of a case, and for a digest of a picture: they become names of files and parts of commands."""
    return isinstance(value, str) and bool(_ID.fullmatch(value))


class RecordedSettings(NamedTuple):
    """The settings in a report or a baseline: those that are used, and those that are only shown."""

    used: Mapping[str, str] = MappingProxyType({})
    left_out: Mapping[str, str] = MappingProxyType({})

    @property
    def note(self) -> str:
        """What is left out, and what to do; "" for nothing."""
        if not self.left_out:
            return ""
        named = ", ".join(f"{name}={quoted(value, _MAX_SHOWN)}" for name, value in self.left_out.items())
        return (
            f"not taken from the file of that run, since only you may name files and code: {named}; where a picture or "
            "a reading needs it, give it with --option NAME=VALUE (pytest: --vqamt-option)"
        )


def recorded_settings(recorded: Mapping[str, object], known: Iterable[RelationSetting]) -> RecordedSettings:
    """Splits the settings that a file names into those with a value of the lists of ``known``, and all others."""
    # "PATH" in the list of a setting stands for any text, and is no value itself.
    listed = {each.name: [value for value in each.values if not value.endswith("PATH")] for each in known}
    used: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for name, value in recorded.items():
        kept = used if isinstance(value, str) and value in listed.get(name, ()) else left_out
        kept[str(name)] = str(value)
    return RecordedSettings(used, left_out)


def check_data(spec: str, kinds: Iterable[str]) -> str:
    """Returns the spec of data in a file, if it is of one of ``kinds``: the sources that are read as data.

    Raises:
        DataError: it is of another kind, whose code an installed package would run.
    """
    kind = split_name(spec)[1].partition(":")[0]
    if kind in kinds:
        return spec
    raise DataError(
        f"Expected data of a kind that comes with pytest-vqamt ({', '.join(kinds)}), but got "
        f"data={quoted(spec, _MAX_SHOWN)}: if you trust it, name it on the command line"
    )
