"""Word lists of this package: TOML files beside the modules that use them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent

DRAWN_NAMES = "english/drawn_names.toml"
"""The names that the picture world draws, by family."""


@cache
def toml_table(file: str) -> Mapping[str, Any]:
    """Reads a file, such as "english/nouns.toml", once per process."""
    return tomllib.loads(_FOLDER.joinpath(file).read_text(encoding="utf-8"))


@cache
def word_set(file: str, *keys: str) -> frozenset[str]:
    """Returns the words of these lists of a file."""
    return frozenset().union(*(toml_table(file)[key] for key in keys))
