"""The classes that a picture surely shows, and those that it surely does not.

A caption mentions small things, crowds, and what nobody annotated, as it pleases: these are in neither set, and no
verdict rests on them.
"""

from __future__ import annotations

from functools import lru_cache

from pytest_vqamt.core.lru import cached_by_identity
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions.claims import least_claimed
from pytest_vqamt.language.captions.reading import class_of, classes_in
from pytest_vqamt.language.english.nouns import indefinite
from pytest_vqamt.relations.soundness import annotated_names, salient_names


@lru_cache(maxsize=4096)
def class_claimed(name: str) -> str | None:
    """Returns the class that a caption of one such thing surely claims; None where the name leaves it open."""
    named = class_of(name)
    return named if named is not None and least_claimed(indefinite(name), named) == 1 else None


def shown_classes(scene: Scene) -> frozenset[str]:
    """Returns the classes of salient things that a caption can surely claim."""
    return frozenset(filter(None, map(class_claimed, salient_names(scene))))


@cached_by_identity
def absent_classes(scene: Scene) -> frozenset[str]:
    """Returns the classes that are annotated exhaustively, without any here: no thing, no crowd, in no caption."""
    listed = {class_of(name) for name in scene.exhaustive}
    here = {class_of(name) for name in annotated_names(scene)}
    here.update(name for caption in scene.captions for name in classes_in(caption))
    return frozenset(filter(None, listed - here))
