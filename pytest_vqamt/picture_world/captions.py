"""Captions: a sentence or two with all things of a scene, their number and colours, garments and held things."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pytest_vqamt.core.scene import Relationship, Thing
from pytest_vqamt.language.english.nouns import number_word, plural
from pytest_vqamt.picture_world.looks import CATEGORIES, FAMILY_OF, SETTING_PHRASES, a, capital, listed, noun_phrase

_COLOURS = frozenset(CATEGORIES["colour"])
_PATTERNS = frozenset(CATEGORIES["pattern"]) - {"plain"}
_EXTRA = frozenset(
    (*CATEGORIES["size"], *CATEGORIES["stature"], *CATEGORIES["opening"], *CATEGORIES["filling"], "dirty")
)
_FEW = 4
"""So many phrases at most go into one sentence."""

_Phrase = tuple[str, int]
"""Words, and how many things they name."""


def captions(
    things: Sequence[Thing], relationships: Sequence[Relationship], setting: str, rng: Random
) -> tuple[str, ...]:
    """Returns two captions of the same scene in different words."""
    writer = _Writer(things, relationships, rng)
    return _sentences(writer.phrases(), SETTING_PHRASES[setting], rng), _sentences(
        writer.phrases(), SETTING_PHRASES[setting], rng
    )


def _sentences(phrases: list[_Phrase], place: str, rng: Random) -> str:
    first, rest = (
        (phrases, []) if len(phrases) <= _FEW else (phrases[: len(phrases) // 2], phrases[len(phrases) // 2 :])
    )
    words = listed([text for text, _ in first])
    opening = rng.randrange(3)
    if opening == 0:
        text = f"{capital(words)} {place}."
    elif opening == 1:
        text = f"There {_be(first)} {words} {place}."
    else:
        text = f"A picture of {words} {place}."
    if rest:
        text += f" There {_be(rest)} also {listed([words for words, _ in rest])}."
    return text


def _be(phrases: list[_Phrase]) -> str:
    return "is" if phrases[0][1] == 1 else "are"


class _Writer:
    """Words the things of one scene: hosts with what they carry, people with what they wear and hold."""

    def __init__(self, things: Sequence[Thing], relationships: Sequence[Relationship], rng: Random) -> None:
        self._rng = rng
        self._things = {thing.id: thing for thing in things}
        self._with: dict[tuple[str, str], list[Thing]] = {}
        brought: set[str] = set()
        for each in relationships:
            if each.predicate in ("wearing", "holding"):
                self._with.setdefault((each.subject, each.predicate), []).append(self._things[each.object])
                brought.add(each.object)
            elif each.predicate in ("on", "under"):
                self._with.setdefault((each.object, each.predicate), []).append(self._things[each.subject])
                brought.add(each.subject)
        self._free = [thing for thing in things if thing.id not in brought]

    def phrases(self) -> list[_Phrase]:
        names = list(dict.fromkeys(thing.name for thing in self._free))
        self._rng.shuffle(names)
        names.sort(key=lambda name: FAMILY_OF[name] not in ("person", "animal"))
        return [phrase for name in names for phrase in self._named(name)]

    def _named(self, name: str) -> list[_Phrase]:
        group = [thing for thing in self._free if thing.name == name]
        bare = [thing for thing in group if not self._carries(thing)]
        if FAMILY_OF[name] == "person" and len(group) > 1:
            each = listed([f"one {self._company(thing)}" for thing in group])
            return [(f"{number_word(len(group))} {plural(name)}, {each}", len(group))]
        single = [(a(self._described(thing)) + self._tail(thing), 1) for thing in group if self._carries(thing)]
        return [*_counted(bare, self), *single]

    def _carries(self, thing: Thing) -> bool:
        return any((thing.id, predicate) in self._with for predicate in ("on", "under", "wearing", "holding"))

    def _described(self, thing: Thing) -> str:
        said = [word for word in thing.attributes if word in _COLOURS or word in _PATTERNS]
        if self._rng.random() < 0.35:
            said.extend(word for word in thing.attributes if word in _EXTRA)
        return noun_phrase(thing.name, said)

    def _tail(self, thing: Thing) -> str:
        if FAMILY_OF[thing.name] == "person":
            return f" {self._company(thing)}"
        above, below = (_counted(self._with.get((thing.id, where), []), self) for where in ("on", "under"))
        parts = [
            f"{listed([words for words, _ in some])} {where} it"
            for some, where in ((above, "on"), (below, "under"))
            if some
        ]
        return f" with {' and '.join(parts)}" if parts else ""

    def _company(self, person: Thing) -> str:
        """Words the garments, the pose and the held thing of a person."""
        worn = listed([a(self._described(thing)) for thing in self._with.get((person.id, "wearing"), [])])
        held = listed([a(self._described(thing)) for thing in self._with.get((person.id, "holding"), [])])
        pose = person.attributes[-1] if self._rng.random() < 0.5 else ""
        holding = f"holding {held}" if held else ""
        if worn and not pose and self._rng.random() < 0.5:
            return " and ".join(part for part in (f"wearing {worn}", holding) if part)
        return " ".join(part for part in (pose, f"in {worn}" if worn else "", holding) if part)


def _counted(things: list[Thing], writer: _Writer) -> list[_Phrase]:
    """Counts things of the same look together; of many different ones, only their number is given."""
    phrases: list[_Phrase] = []
    for name in dict.fromkeys(thing.name for thing in things):
        group = [thing for thing in things if thing.name == name]
        if len(group) == 1:
            phrases.append((a(writer._described(group[0])), 1))
            continue
        colours = [next((word for word in thing.attributes if word in _COLOURS), "") for thing in group]
        kinds = list(dict.fromkeys(colours))
        if len(kinds) > 2:
            phrases.append((f"{number_word(len(group))} {plural(name)}", len(group)))
            continue
        for colour in kinds:
            n = colours.count(colour)
            said = (colour,) if colour else ()
            words = a(noun_phrase(name, said)) if n == 1 else f"{number_word(n)} {noun_phrase(plural(name), said)}"
            phrases.append((words, n))
    return phrases
