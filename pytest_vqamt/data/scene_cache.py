"""The cache of a source's scenes."""

from __future__ import annotations

from pytest_vqamt.core.lru import LruCache
from pytest_vqamt.core.scene import Scene

MAX_BYTES = 192 << 20
"""About 48,000 scenes of the picture world: a run returns to each scene at random, so many should fit."""


def scene_cache() -> LruCache[int, Scene]:
    """An empty cache of scenes by index."""
    return LruCache(MAX_BYTES, _bytes_of)


def _bytes_of(scene: Scene) -> int:
    """The approximate memory that a scene takes."""
    texts = len(scene.questions) + len(scene.hypotheses) + len(scene.captions)
    return 800 + 400 * (len(scene.objects) + len(scene.regions) + texts) + 80 * len(scene.relationships)
