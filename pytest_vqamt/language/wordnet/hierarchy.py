"""What lies above, below and around a synset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_vqamt.language.wordnet.reader import Synsets

UP = ("@", "@i")
DOWN = ("~", "~i")
WHOLES = ("#p", "#s", "#m")
PARTS = ("%p", "%s", "%m")
"""Pointers as wninput(5WN) has them: hypernyms, hyponyms, holonyms, meronyms."""

TOO_GENERAL = frozenset(
    {
        "entity.n.01", "physical_entity.n.01", "object.n.01", "whole.n.02", "matter.n.03", "thing.n.12", "thing.n.08",
        "artifact.n.01", "instrumentality.n.03", "causal_agent.n.01", "living_thing.n.01", "organism.n.01",
        "natural_object.n.01", "substance.n.01", "substance.n.07", "location.n.01", "part.n.02", "part.n.03",
        "device.n.01", "abstraction.n.06", "group.n.01", "unit.n.03", "relation.n.01", "body_part.n.01",
        "structure.n.01", "article.n.02", "commodity.n.01", "region.n.01", "region.n.03", "food.n.01", "food.n.02",
    }
)  # fmt: skip
"""What has parts of its own and yet says nothing of the kinds below it: an artifact has no wheel."""


class Above(dict[str, frozenset[str]]):
    """Of each synset, every synset above it, worked out when first asked for."""

    def __init__(self, synsets: Synsets) -> None:
        self._synsets = synsets

    def __missing__(self, synset: str) -> frozenset[str]:
        up = self._synsets.related(synset, UP)
        found = self[synset] = frozenset(up).union(*(self[each] for each in up))
        return found


def levels(synsets: Synsets, start: str, pointers: tuple[str, ...]) -> Iterator[str]:
    """What the pointers lead to, and so on: nearest first, each once, ``start`` left out."""
    seen, level = {start}, [start]
    while level:
        level = list(dict.fromkeys(far for near in level for far in synsets.related(near, pointers) if far not in seen))
        seen.update(level)
        yield from level


def wholes(synsets: Synsets, part: str) -> frozenset[str]:
    """What the synset is a part, member or substance of, through its hypernyms and through those of each whole."""
    seen: set[str] = set()
    todo = [part]
    found: set[str] = set()
    while todo:
        for each in (near := todo.pop(), *levels(synsets, near, UP)):
            if each in seen or each in TOO_GENERAL:
                continue
            seen.add(each)
            new = [whole for whole in synsets.related(each, WHOLES) if whole not in found]
            found.update(new)
            todo.extend(new)
    return frozenset(found)
