"""What may be asked of a scene: groups that are there, and plausible ones that are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from pytest_vqamt.core.meaning import Group
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.lexical_relations import exclusive_pool
from pytest_vqamt.picture_world.looks import CATEGORIES, CATEGORY_OF, FAMILIES, FAMILY_OF, NAMES

COLOURS = CATEGORIES["colour"]
POSTURES = ("standing", "sitting", "lying", "walking", "running", "jumping")
ALIKE, ELSEWHERE = 0.25, 0.6


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """What occurs together, and which attributes each name comes with: for questions that are worth asking.

    Attributes:
        together: for each name, how often each other name is in a scene with it.
        attributes: for each name, its attributes that were seen.
    """

    together: dict[str, Counter[str]]
    attributes: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, scenes: Iterable[Scene]) -> World:
        """What these scenes show."""
        together: dict[str, Counter[str]] = {name: Counter() for name in NAMES}
        attributes: dict[str, dict[str, None]] = {name: {} for name in NAMES}
        for scene in scenes:
            here = dict.fromkeys(thing.name for thing in scene.objects)
            for name in here:
                together[name].update(other for other in here if other != name)
            for thing in scene.objects:
                attributes[thing.name].update(dict.fromkeys(thing.attributes))
        return cls(together=together, attributes={name: tuple(words) for name, words in attributes.items()})


@dataclass(slots=True, eq=False)
class Asked:
    """One scene, with chances of its own."""

    scene: Scene
    world: World
    rng: Random
    by_name: dict[str, list[Thing]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_name = {}
        for thing in self.scene.objects:
            self.by_name.setdefault(thing.name, []).append(thing)

    def present(self) -> str:
        """A name that is there, the rarer in pictures the likelier several of it are here."""
        names = list(self.by_name)
        return self.rng.choices(names, [(1, 2.5, 6, 14, 30)[min(5, len(self.by_name[name])) - 1] for name in names])[0]

    def any_present(self) -> str:
        """A name that is there, each as likely."""
        return self.rng.choice(list(self.by_name))

    def absent(self) -> str:
        """A name that is not there but could be: of the same family, or often seen with what is there."""
        kind = self.rng.random()
        options: Sequence[str] = [name for name in NAMES if name not in self.by_name]
        if kind < ALIKE:
            families = {FAMILY_OF[name] for name in self.by_name}
            options = [name for name in options if FAMILY_OF[name] in families] or options
        elif kind < ELSEWHERE:
            near = self.world.together[self.any_present()]
            return self.rng.choices(options, [0.1 + near[name] for name in options])[0]
        return self.rng.choice(options)

    def with_property(self, *, true: bool) -> Group | None:
        """A name that is there with a word of its pool that some bearer has, or none has."""
        name = self.present() if self.rng.random() < 0.5 else self.any_present()
        has = {word for thing in self.by_name[name] for word in thing.attributes}
        pool = [word for word in self._pool(name) if (word in has) == true]
        return Group(name=name, attributes=(self.rng.choice(pool),)) if pool else None

    def two_properties(self) -> tuple[Group, Group] | None:
        """One name that is there, with two words of its pool, the first of them true."""
        name = self.present()
        has = [word for thing in self.by_name[name] for word in thing.attributes]
        pool = self._pool(name)
        true = list(dict.fromkeys(word for word in has if word in pool))
        others = [word for word in pool if not true or word != true[0]]
        if not true or not others:
            return None
        first = self.rng.choice(true)
        others = [word for word in pool if word != first]
        known = [word for word in others if word in true]
        second = self.rng.choice(known if known and self.rng.random() < 0.6 else others)
        return Group(name=name, attributes=(first,)), Group(name=name, attributes=(second,))

    def other_word(self, name: str, *, true: bool) -> str | None:
        """A pattern, state or size of a name of which one thing is there: its own, or one of the same category."""
        (thing,) = self.by_name[name]
        words = [word for word in thing.attributes if CATEGORY_OF[word] not in ("colour", "gesture")]
        if not words:
            return None
        word = self.rng.choice(words)
        if true:
            return word
        category = CATEGORY_OF[word]
        options = POSTURES if category == "posture" and FAMILY_OF[name] == "person" else CATEGORIES[category]
        return self.rng.choice([other for other in options if other not in thing.attributes])

    def singles(self) -> list[Thing]:
        """The things that are the only ones of their names."""
        return [things[0] for things in self.by_name.values() if len(things) == 1]

    def single(self) -> Thing | None:
        """One of them."""
        only = self.singles()
        return self.rng.choice(only) if only else None

    def colour_of(self, name: str) -> str | None:
        """The one colour of all things of this name, if they have one."""
        colours = {next((word for word in thing.attributes if word in COLOURS), "") for thing in self.by_name[name]}
        return next(iter(colours)) or None if len(colours) == 1 else None

    def _pool(self, name: str) -> list[str]:
        pool = exclusive_pool(name)
        return [word for word in self.world.attributes[name] if word in pool]


def family_words() -> dict[str, tuple[str, ...]]:
    """Families whose name is a word for each of them."""
    return {word: FAMILIES[word] for word in ("person", "animal", "vehicle", "plant", "toy")}
