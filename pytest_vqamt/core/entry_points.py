"""The entry points of installed packages."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable
from functools import lru_cache


def entry_points(*, group: str, name: str | None = None) -> tuple[importlib.metadata.EntryPoint, ...]:
    """The entry points of a group, or those of this name.

    ``importlib.metadata.entry_points`` reads the metadata of every installed package at each call. Here that happens
    once for a ``sys.path``.
    """
    return tuple(each for each in _selecting(tuple(sys.path))(group=group) if name in (None, each.name))


@lru_cache(maxsize=4)
def _selecting(_path: tuple[str, ...]) -> Callable[..., importlib.metadata.EntryPoints]:
    return importlib.metadata.entry_points().select
