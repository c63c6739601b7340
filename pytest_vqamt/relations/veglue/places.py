"""Names of places: where something is, of which a part is still to be seen where a patch of it is gone."""

from __future__ import annotations

from functools import lru_cache

from pytest_vqamt.language.english.families import is_nearly_everywhere
from pytest_vqamt.language.wordnet import WordNet

_PLACES = frozenset(
    {
        "location.n.01", "geological_formation.n.01", "body_of_water.n.01", "land.n.04", "road.n.01", "path.n.02",
        "thoroughfare.n.01", "crossing.n.05", "area.n.05", "establishment.n.04", "building.n.01", "facility.n.01",
    }
)  # fmt: skip
"""Parks and courts, beaches and mountains, lakes, forests, streets, rooms, shops, houses, stations."""


@lru_cache(maxsize=4096)
def is_place(name: str, words: WordNet) -> bool:
    """Whether the name is that of a place, or of what is nearly everywhere."""
    return is_nearly_everywhere(name) or words.is_under(name, _PLACES)
