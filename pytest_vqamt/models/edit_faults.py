"""Planted faults in seeing pictures that were edited."""

from __future__ import annotations

from pytest_vqamt.core.edits import Blur, Crop, Cut, Erase, Insert, Mask, with_objects
from pytest_vqamt.core.meaning import Count, truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.models.reference.oracle import known, say
from pytest_vqamt.models.wrong_answers import another, off_by

INSERTED = "inserted-"
"""The ids of what was inserted begin with it."""


def counts_pieces_wrong(query: Query) -> str:
    """Counts one too many in a picture whose last edit cut it out of another."""
    edits = query.picture.edits
    return off_by(query, int(isinstance(query.meaning, Count) and bool(edits) and isinstance(edits[-1], Cut)))


def omits_inserted(query: Query) -> str:
    """Answers about what would be there had nothing been inserted."""
    scene = query.picture.scene
    if not any(isinstance(edit, Insert) for edit in query.picture.edits):
        return say(known(query))
    seen = (thing for thing in scene.objects if not thing.id.startswith(INSERTED))
    return say(truth(query.meaning, with_objects(scene, seen, scene.regions)))


def background_dependent(query: Query) -> str:
    """Gives another answer than the right one where something of the picture was obscured or cropped away."""
    value = known(query)
    obscured = any(isinstance(edit, Blur | Mask | Crop) for edit in query.picture.edits)
    return say(another(value) if obscured else value)


class SeesErased:
    """Goes by what it was shown of each photo before anything was edited; right about a photo that it never saw so."""

    def __init__(self) -> None:
        self._before: dict[Photo, Scene] = {}

    def __call__(self, query: Query) -> str:
        picture = query.picture
        if not picture.edits:
            self._before[picture.photo] = picture.scene
        if picture.photo not in self._before or not any(isinstance(edit, Erase) for edit in picture.edits):
            return say(known(query))
        scene = self._before[picture.photo]
        for edit in picture.edits:
            if not isinstance(edit, Erase):
                scene = edit.after(scene)
        return say(truth(query.meaning, scene))
