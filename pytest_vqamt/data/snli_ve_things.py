"""What entailed hypotheses say is in a photo, made one with what its scene graph says is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import LinkedUnit, PublishedHypothesis, Thing
from pytest_vqamt.data.scene_graphs.cleaning import LEAST_IOU as LEAST_IOU_OF_ONE
from pytest_vqamt.data.snli_ve.rows import HypothesisRow
from pytest_vqamt.data.snli_ve_units import may_be_called_alike, thing_name
from pytest_vqamt.data.words import is_multi_coloured

LEAST_IOU_OF_UNITS = 0.9
"""From which overlap on two units are about one thing."""
LEAST_IOU_WITH_GRAPH = 0.5
"""From which overlap on a unit is about a thing of the scene graph: another model, or a person, has drawn that box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """The things of a photo, and which of them units are about: by the id of the hypothesis and the unit's place."""

    objects: tuple[Thing, ...]
    things: Mapping[tuple[str, int], str]

    def hypothesis(self, row: HypothesisRow) -> PublishedHypothesis:
        """The hypothesis of a row with its units; those that no row gives are read off the sentence."""
        if row.units is None:
            from pytest_vqamt.language.units import units_of

            units = tuple(LinkedUnit(object=unit.object, property=unit.property) for unit in units_of(row.text))
        else:
            units = tuple(
                LinkedUnit(object=unit.object, property=unit.property, thing=self.things.get((row.id, place), ""))
                for place, unit in enumerate(row.units)
            )
        return PublishedHypothesis(id=row.id, text=row.text, label=row.label, units=units)


def linking(rows: Iterable[HypothesisRow], graph: Sequence[Thing] = ()) -> Linking:
    """The things of a photo: those of its scene graph, then those that units alone tell of.

    A unit gives a thing where its hypothesis is entailed, it has a box, and it is about one thing. Two units are about
    one thing where it may go by both names and their boxes overlap by ``LEAST_IOU_OF_UNITS``; by ``LEAST_IOU_OF_ONE``
    where both are about one thing of the scene graph. It is called as the first unit calls it.
    """
    taken = {thing.id for thing in graph}
    found: list[_Linked] = []
    of_unit: dict[tuple[str, int], _Linked] = {}
    for row in rows:
        for place, unit in enumerate(row.units or () if row.label == "entailment" else ()):
            name = thing_name(unit.object) if unit.box else ""
            if unit.box is None or not name:
                continue
            linked = _nearest(name, unit.box, found)
            if linked is None:
                linked = _Linked(id=_free(f"{row.id} {place + 1}", taken), name=name, box=unit.box)
                found.append(linked)
            linked.boxes.append(unit.box)
            linked.properties |= {unit.property: None} if unit.property else {}
            of_unit[row.id, place] = linked
    of_graph = _with_graph(found, graph)
    return Linking(
        objects=(
            *(of_graph[thing.id].made() if thing.id in of_graph else thing for thing in graph),
            *(each.made() for each in found if each.thing is None and each.joined is None),
        ),
        things={unit: (linked.joined or linked).thing_id for unit, linked in of_unit.items()},
    )


@dataclass(slots=True, kw_only=True)
class _Linked:
    """A thing that units are about, as it comes together.

    Attributes:
        name, box: by the first unit.
        boxes: of all of them.
        properties: what they say of it, each once.
        thing: what it is in the scene graph.
        joined: the other one that it is the same as.
    """

    id: str
    name: str
    box: Box
    boxes: list[Box] = field(default_factory=list)
    properties: dict[str, None] = field(default_factory=dict)
    thing: Thing | None = None
    joined: _Linked | None = None

    @property
    def thing_id(self) -> str:
        return self.thing.id if self.thing else self.id

    def made(self) -> Thing:
        """The thing: as large as all boxes together, but where its mask shows how large it is."""
        known = self.thing or Thing(id=self.id, name=self.name, box=Box.around(self.boxes))
        attributes = tuple(dict.fromkeys((*known.attributes, *self.properties)))
        return replace(
            known,
            name=self.name,
            box=known.box if known.has_mask else Box.around((known.box, *self.boxes)),
            attributes=attributes,
            synset=known.synset if known.name == self.name else None,
            multi_coloured=known.multi_coloured or is_multi_coloured(attributes, self.name),
        )


def _nearest(name: str, box: Box, found: Iterable[_Linked]) -> _Linked | None:
    """The one that a unit is about as well: that of the largest IoU, then the first."""
    same = [each for each in found if each.box.iou(box) >= LEAST_IOU_OF_UNITS and may_be_called_alike(each.name, name)]
    return max(same, key=lambda each: each.box.iou(box), default=None)


def _with_graph(found: Iterable[_Linked], graph: Sequence[Thing]) -> dict[str, _Linked]:
    """Tells each which thing of the scene graph it is, or which other one is it already; gives them by thing."""
    of_graph: dict[str, _Linked] = {}
    for each in found:
        same = [
            thing
            for thing in graph
            if thing.box.iou(each.box) >= LEAST_IOU_WITH_GRAPH and may_be_called_alike(thing.name, each.name)
        ]
        thing = max(same, key=lambda thing: thing.box.iou(each.box), default=None)
        if thing is None:
            continue
        first = of_graph.setdefault(thing.id, each)
        if first is each:
            each.thing = thing
        elif first.box.iou(each.box) >= LEAST_IOU_OF_ONE and may_be_called_alike(first.name, each.name):
            first.boxes += each.boxes
            first.properties |= each.properties
            each.joined = first
    return of_graph


def _free(thing_id: str, taken: set[str]) -> str:
    """An id that nothing of the photo has yet."""
    while thing_id in taken:
        thing_id += "'"
    taken.add(thing_id)
    return thing_id
