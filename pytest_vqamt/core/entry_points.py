"""The entry points of installed packages."""

from __future__ import annotations

import importlib.metadata
import sys
from functools import lru_cache


def entry_points(*, group: str, name: str | None = None) -> tuple[importlib.metadata.EntryPoint, ...]:
    """The entry points of a group, or those of this name.

    ``importlib.metadata.entry_points`` reads the metadata of every installed package at each call. Here that happens
    once for a ``sys.path``.
    """
    return tuple(each for each in _every(tuple(sys.path)) if each.group == group and name in (None, each.name))


@lru_cache(maxsize=4)
def _every(_path: tuple[str, ...]) -> tuple[importlib.metadata.EntryPoint, ...]:
    found = importlib.metadata.entry_points()
    return tuple(each for group in found.groups for each in found.select(group=group))
