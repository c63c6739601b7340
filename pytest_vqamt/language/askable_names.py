"""Which names a question of existence leaves out: of no thing, or of what is everywhere."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_LISTS = Path(__file__).with_name("askable_names.toml")


def is_of_no_thing(name: str) -> bool:
    """Whether the name is not of a thing that is to be seen: a place in the picture, an amount, a likeness.

    >>> is_of_no_thing("background"), is_of_no_thing("reflection"), is_of_no_thing("dog")
    (True, True, False)
    """
    return name in _lists()["no_thing"]


def is_nearly_everywhere(name: str) -> bool:
    """Whether nearly every picture shows some, so that nobody can say that there is none.

    >>> is_nearly_everywhere("wall"), is_nearly_everywhere("dog")
    (True, False)
    """
    return name in _lists()["everywhere"]


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {kind: frozenset(names) for kind, names in tomllib.loads(_LISTS.read_text(encoding="utf-8")).items()}
