"""How messages spell the options of a run: as the user gave them, on the command line, in an ini file or in Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """The spelling of options in messages.

    >>> Spelling().option("dtype", "float32"), Spelling().setting("in-flight", "1")
    ('--vqamt-dtype=float32', '--vqamt-option in-flight=1')
    >>> of_run = Spelling(names={"dtype": "dtype", "option": "settings"}, is_python=True)
    >>> of_run.option("dtype", "float32"), of_run.setting("in-flight", "1")
    ("dtype='float32'", "settings={'in-flight': '1'}")
    """

    names: Mapping[str, str] = field(default_factory=dict)
    """The spelling of options by their names without "--vqamt-", where it is not that of the command line."""

    is_python: bool = False
    """True for the arguments of ``vqamt.run``."""

    def option(self, name: str, value: object = "") -> str:
        """An option, with its value where one is given."""
        spelt = self.names.get(name, f"--vqamt-{name}")
        if value == "":
            return spelt
        return f"{spelt}={value!r}" if self.is_python and name in self.names else f"{spelt}={value}"

    def setting(self, name: str, value: object = "") -> str:
        """A setting of a model, a relation or an edit, with its value where one is given."""
        if self.is_python:
            return f"the setting {name!r}" if value == "" else self.settings({name: value})
        return f"{self.option('option')} {name if value == '' else shlex.quote(f'{name}={value}')}"

    def settings(self, values: Mapping[str, object]) -> str:
        """Several settings with their values."""
        if self.is_python:
            return f"settings={ ({name: str(value) for name, value in values.items()})!r}"
        return " ".join(self.setting(name, value) for name, value in values.items())


_CURRENT: ContextVar[Spelling] = ContextVar("spelling", default=Spelling())  # noqa: B039 - it is frozen
"""Errors are raised by models, readers and edits that know nothing of who called them.

A variable of the context belongs to one call of ``vqamt.run``, where a global one would change what a session prints
around it. ``core/daemon_executor.py`` hands it to threads.
"""


@contextmanager
def spelt(spelling: Spelling) -> Iterator[None]:
    """Spells options so in the messages that are made within the block."""
    token = _CURRENT.set(spelling)  # the spelling around it returns, as runs may be nested
    try:
        yield
    finally:
        _CURRENT.reset(token)


def spelling() -> Spelling:
    """The spelling of messages that are made here."""
    return _CURRENT.get()


def option(name: str, value: object = "") -> str:
    """An option of pytest, by its name without "--vqamt-", as the user would give it: "--vqamt-seed=3", "seed=3"."""
    return spelling().option(name, value)


def setting(name: str, value: object = "") -> str:
    """A setting as the user would give it: "--vqamt-option in-flight=1"."""
    return spelling().setting(name, value)


def settings(values: Mapping[str, object]) -> str:
    """Several settings as the user would give them."""
    return spelling().settings(values)
