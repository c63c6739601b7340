"""Names, attributes and wordings of the picture world, known without a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Parts, Relationship, Thing
from pytest_vqamt.language.english.nouns import number_word, plural, with_article
from pytest_vqamt.language.tables import DRAWN_NAMES, toml_table

SIZE_PX = 224
VERSION = 1
"""Raised whenever a scene or a picture changes."""

MULTI_COLOURED = frozenset(("pizza", "sandwich"))
"""Names that no one colour describes."""

_ORDER = ("size", "stature", "filling", "opening", "cleanness", "colour", "pattern")
"""The categories whose words stand before a noun, in this order; the words of the others follow it."""

PREDICATE_CATEGORIES = frozenset(("posture", "gesture", "power"))
"""Their words follow "is" and stand before no noun: "the dog is sitting"."""

FAMILIES: dict[str, tuple[str, ...]] = {family: tuple(names) for family, names in toml_table(DRAWN_NAMES).items()}
"""Top families; no name is in two, and no name of one family is a kind or a part of a name of another."""

NAMES: tuple[str, ...] = tuple(name for names in FAMILIES.values() for name in names)

FAMILY_OF: dict[str, str] = {name: family for family, names in FAMILIES.items() for name in names}

CLASSES: tuple[str, ...] = (
    "person", "animal", "bird", "insect", "fruit", "vegetable", "dessert", "food", "aircraft", "vehicle", "furniture",
    "container", "electronic device", "toy", "musical instrument", "clothing", "headwear", "footwear",
)  # fmt: skip
"""Words for names of several kinds, of which nothing but the things is drawn (and what people wear, whom all that is
asked about clothing keeps away from). No plant: a meadow is of grass."""

EXHAUSTIVE: frozenset[str] = frozenset((*NAMES, *CLASSES))
"""Every thing of these names is annotated in every scene, so what is not annotated is not there."""

SYNSETS: dict[str, str] = {
    "man": "man.n.01", "woman": "woman.n.01", "boy": "male_child.n.01", "girl": "female_child.n.01",
    "dog": "dog.n.01", "cat": "cat.n.01", "horse": "horse.n.01", "cow": "cow.n.01", "sheep": "sheep.n.01",
    "pig": "hog.n.03", "bird": "bird.n.01", "rabbit": "rabbit.n.01", "elephant": "elephant.n.01", "duck": "duck.n.01",
    "giraffe": "giraffe.n.01", "turtle": "turtle.n.02", "butterfly": "butterfly.n.01",
    "apple": "apple.n.01", "banana": "banana.n.02", "pear": "pear.n.01", "carrot": "carrot.n.03", "cake": "cake.n.03",
    "pizza": "pizza.n.01", "sandwich": "sandwich.n.01", "strawberry": "strawberry.n.01",
    "car": "car.n.01", "bus": "bus.n.01", "truck": "truck.n.01", "bicycle": "bicycle.n.01", "boat": "boat.n.01",
    "airplane": "airplane.n.01", "train": "train.n.01",
    "chair": "chair.n.01", "table": "table.n.02", "bed": "bed.n.01", "couch": "sofa.n.01", "shelf": "shelf.n.01",
    "lamp": "lamp.n.02",
    "cup": "cup.n.01", "bottle": "bottle.n.01", "bowl": "bowl.n.03", "box": "box.n.01", "vase": "vase.n.01",
    "bucket": "bucket.n.01",
    "book": "book.n.02", "clock": "clock.n.01", "laptop": "laptop.n.01", "television": "television_receiver.n.01",
    "key": "key.n.01", "candle": "candle.n.01",
    "ball": "ball.n.01", "balloon": "balloon.n.02", "kite": "kite.n.03", "teddy bear": "teddy.n.01",
    "robot": "automaton.n.02", "drum": "drum.n.01",
    "tree": "tree.n.01", "flower": "flower.n.01", "cactus": "cactus.n.01", "bush": "shrub.n.01",
    "shirt": "shirt.n.01", "dress": "dress.n.01", "hat": "hat.n.01", "bag": "bag.n.04", "shoe": "shoe.n.01",
    "umbrella": "umbrella.n.01",
}  # fmt: skip

CATEGORIES: dict[str, tuple[str, ...]] = {
    "colour": ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "gray", "white"),
    "pattern": ("plain", "striped", "dotted", "checked"),
    "size": ("large", "small"),
    "opening": ("open", "closed"),
    "filling": ("full", "empty"),
    "power": ("on", "off"),
    "cleanness": ("clean", "dirty"),
    "stature": ("tall", "short"),
    "posture": ("standing", "sitting", "lying", "walking", "running", "jumping", "flying"),
    "gesture": ("waving",),
}
"""What can be said of a thing. Words of one category exclude each other, and a thing has at most one of each."""

CATEGORY_OF: dict[str, str] = {word: category for category, words in CATEGORIES.items() for word in words}

SETTING_PHRASES: dict[str, str] = {
    "meadow": "in a meadow",
    "beach": "on a beach",
    "street": "on a street",
    "snow": "in the snow",
    "kitchen": "in a kitchen",
    "living room": "in a living room",
    "night": "at night",
    "desert": "in a desert",
}

_HIDES_LEGS = frozenset(("sitting", "lying"))
"""Postures in which legs cannot be counted."""

_COLOURS = frozenset(CATEGORIES["colour"])
_PATTERNS = frozenset(CATEGORIES["pattern"]) - {"plain"}
"""Those that a caption mentions."""
_EXTRA = frozenset(
    (*CATEGORIES["size"], *CATEGORIES["stature"], *CATEGORIES["opening"], *CATEGORIES["filling"], "dirty")
)
_FEW = 4
"""So many phrases at most go into one sentence."""

_Phrase = tuple[str, int]
"""Words, and how many things they name."""


def noun_phrase(noun: str, attributes: Sequence[str] = ()) -> str:
    """The noun after those attributes that can precede it: "small red cup"."""
    before = sorted(
        (word for word in attributes if CATEGORY_OF[word] in _ORDER), key=lambda word: _ORDER.index(CATEGORY_OF[word])
    )
    return " ".join((*before, noun))


def a(phrase: str) -> str:
    """The phrase with its article."""
    return f"{_article(phrase.split(' ', 1)[0])} {phrase}"


@cache
def _article(word: str) -> str:
    return with_article(word).split(" ", 1)[0]


def listed(items: Sequence[str]) -> str:
    """Joins the items: "x, y and z", with one more comma if an item is such a list itself."""
    if len(items) < 2:
        return "".join(items)
    # "a man with a hat and a bag, and a dog": without the comma the man would have the dog.
    nested = any(" and " in item or " with " in item or " holding " in item for item in items[:-1])
    return f"{', '.join(items[:-1])}{',' if nested else ''} and {items[-1]}"


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartKind:
    """Parts that a thing can be drawn with."""

    name: str
    """A singular noun."""
    usual: int
    """The number that everybody knows, as seen from where the thing is drawn from."""
    drawable: tuple[int, ...]
    """All numbers that can be drawn."""
    below: float = 0.0
    """The height below which the parts are, as a fraction of the box from its top."""
    when_small: bool = False
    """True if they can be counted on a small thing, too."""


_FOUR_LEGS = PartKind(name="leg", usual=4, drawable=(3, 4, 5))
_TWO_WHEELS = PartKind(name="wheel", usual=2, drawable=(1, 2, 3), when_small=True)

PARTS: dict[str, PartKind] = {
    **dict.fromkeys(("dog", "cat", "sheep", "pig", "elephant", "giraffe", "turtle"), _FOUR_LEGS),
    **dict.fromkeys(("horse", "cow"), replace(_FOUR_LEGS, when_small=True)),
    **dict.fromkeys(("chair", "table"), replace(_FOUR_LEGS, when_small=True, below=0.6)),
    "duck": PartKind(name="leg", usual=2, drawable=(1, 2, 3)),
    "robot": PartKind(name="leg", usual=2, drawable=(1, 2, 3), when_small=True),
    "rabbit": PartKind(name="ear", usual=2, drawable=(1, 2, 3)),
    "car": _TWO_WHEELS,
    "bus": _TWO_WHEELS,
    "bicycle": replace(_TWO_WHEELS, drawable=(2, 3)),
    "television": PartKind(name="antenna", usual=2, drawable=(1, 2, 3), when_small=True),
    "drum": PartKind(name="drumstick", usual=2, drawable=(1, 2, 3), when_small=True),
    "clock": PartKind(name="hand", usual=2, drawable=(1, 2, 3)),
}


def parts_of(things: Sequence[Thing]) -> Iterator[Parts]:
    """Yields the parts that can be counted: of things that are large enough, with nothing else where the parts are."""
    for thing in things:
        kind = PARTS.get(thing.name)
        if kind is None or not _HIDES_LEGS.isdisjoint(thing.attributes):
            continue
        if "small" in thing.attributes and not kind.when_small:
            continue  # the legs of a small sheep are a few pixels apart
        box = thing.box
        place = Box.from_corners(box.x, box.y + kind.below * box.h, box.x1, box.y1)
        if all(other is thing or other.box.intersection(place) is None for other in things):
            yield Parts(thing=thing.id, name=kind.name, number=kind.usual, usual=kind.usual, drawable=kind.drawable)


def movable_of(things: Sequence[Thing], relationships: Sequence[Relationship]) -> Iterator[str]:
    """Yields the ids of things that no other thing wears, holds or bears, and that stand under none."""
    # "Wearing" and "holding" have the person as their subject, "on" and "under" the furniture as their object.
    borne = {each.object for each in relationships if each.predicate in ("wearing", "holding")}
    borne |= {each.subject for each in relationships if each.predicate in ("on", "under")}
    return (thing.id for thing in things if thing.id not in borne)


def drawn_thing(place: int, name: str, box: Box, attributes: tuple[str, ...]) -> Thing:
    """The thing at ``place`` of a scene."""
    return Thing(
        id=str(place),
        name=name,
        box=box,
        attributes=attributes,
        synset=SYNSETS[name],
        has_mask=True,
        multi_coloured=name in MULTI_COLOURED,
    )


def captions(
    things: Sequence[Thing], relationships: Sequence[Relationship], setting: str, rng: Random
) -> tuple[str, ...]:
    """Two captions of the same scene, mostly in different words."""
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
        # What is worn, held or stood on is named with its host, and not by itself.
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
        names.sort(key=lambda name: FAMILY_OF[name] not in ("person", "animal"))  # people and animals first
        return [phrase for name in names for phrase in self._named(name)]

    def _named(self, name: str) -> list[_Phrase]:
        group = [thing for thing in self._free if thing.name == name]
        bare = [thing for thing in group if not self._carries(thing)]
        if FAMILY_OF[name] == "person" and len(group) > 1:  # "two boys, one running and one in a red shirt"
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
        if len(kinds) > 2:  # "four cups", as nobody lists three colours of cups
            phrases.append((f"{number_word(len(group))} {plural(name)}", len(group)))
            continue
        for colour in kinds:
            n = colours.count(colour)
            said = (colour,) if colour else ()
            words = a(noun_phrase(name, said)) if n == 1 else f"{number_word(n)} {noun_phrase(plural(name), said)}"
            phrases.append((words, n))
    return phrases
