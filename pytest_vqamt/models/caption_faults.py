"""Planted faults in describing pictures; questions and hypotheses are answered right."""

from __future__ import annotations

from pytest_vqamt.core.meaning import Describe, Inventory, truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.models.edit_faults import INSERTED
from pytest_vqamt.models.reference.oracle import known, say

_OTHERS = ("zebra", "toaster", "kite", "surfboard")
"""Names of which the first that nothing in the picture bears is said for another."""


def wrong_class(query: Query) -> str:
    """Calls what was inserted into a picture by the name of something else."""
    scene = query.picture.scene
    inserted = [thing.name for thing in scene.objects if thing.id.startswith(INSERTED)]
    if not (inserted and isinstance(query.meaning, Describe)):
        return say(known(query))
    wrong = next(name for name in _OTHERS if not scene.count(name))
    left = ((name, n - inserted.count(name)) for name, n in _inventory(query))
    return say((*((name, n) for name, n in left if n), (wrong, len(inserted))))


def always_plural(query: Query) -> str:
    """Names everything in the plural."""
    if not isinstance(query.meaning, Describe):
        return say(known(query))
    return say(tuple((name, max(2, n)) for name, n in _inventory(query)))


def _inventory(query: Query) -> Inventory:
    value = truth(query.meaning, query.picture.scene)
    assert isinstance(value, tuple)
    return value
