"""What templates are filled with, drawn from the things of drawn scenes and by none of the relations' code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import TypeAlias

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Related
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.picture_world.source import PictureWorld
from tests.reader.truths import KINDS_OF
from tests.reader.vocabulary import COLOURS, PATTERNS, PICTURE_WORLD, POSES

SCENES = 300
CATEGORIES: tuple[tuple[str, ...], ...] = (
    COLOURS, PATTERNS, ("open", "closed"), ("full", "empty"), ("clean", "dirty"), ("on", "off"), ("tall", "short"),
    ("large", "small"), (*POSES, "waving"),
)  # fmt: skip
"""Words of which a thing has at most one."""

NOUNS = {"red": "color", "plain": "pattern", "tall": "height", "large": "size"}
"""How a question calls a category, by its first word; the others have no name."""

CLASSES = tuple(KINDS_OF)
SOME, HALF = 0.7, 0.5

Drawing: TypeAlias = Callable[[Random, Scene], Asking]


@cache
def scene_of(number: int) -> Scene:
    """One of the drawn scenes, each in turn."""
    return PictureWorld(SCENES).scene(number % SCENES)


def askings(n: int) -> Iterator[tuple[Asking, Scene]]:
    """``n`` things to ask, all seven types in turn, and the scene that each is of; the same in every run."""
    random = Random(2022)
    for number in range(n):
        scene = scene_of(number // len(DRAW))
        yield list(DRAW.values())[number % len(DRAW)](random, scene), scene


def _category(word: str) -> tuple[str, ...]:
    return next(words for words in CATEGORIES if word in words)


def _named(name: str, random: Random) -> Group:
    """By the name or, now and then, by a word for its class."""
    words = [word for word in CLASSES if name in KINDS_OF[word]]
    word = random.choice(words) if words and random.random() > SOME else name
    return Group(name=word, covers=(word, *sorted(KINDS_OF[word])) if word in KINDS_OF else ())


def _attributes(random: Random, thing: Thing, most: int) -> tuple[str, ...]:
    """Some of its own, now and then one that it does not have."""
    drawn = random.sample(thing.attributes, random.randint(0, min(len(thing.attributes), most)))
    said = (word if random.random() < SOME else random.choice(_category(word)) for word in drawn)
    return tuple(dict.fromkeys(said))


def _related(random: Random, scene: Scene) -> tuple[Thing, tuple[Related, ...]]:
    """One of the scene's things and what it stands in a relationship to; where there is none, one of another scene."""
    while not scene.relationships:
        scene = scene_of(random.randrange(SCENES))
    predicate = random.choice(sorted({one.predicate for one in scene.relationships}))
    one = random.choice([one for one in scene.relationships if one.predicate == predicate])
    by_id = {thing.id: thing for thing in scene.objects}
    plain = _named(by_id[one.object].name, random)
    to = Group(name=plain.name, covers=plain.covers, attributes=_attributes(random, by_id[one.object], 1))
    return by_id[one.subject], (Related(predicate=predicate, to=to),)


def _drawn(random: Random, scene: Scene, most: int = 2, *, alone: bool = False) -> tuple[Thing, Group]:
    """A thing, and a group that it is or might be of: of this scene, or of another one."""
    there = scene if random.random() < SOME else scene_of(random.randrange(SCENES))
    related: tuple[Related, ...] = ()
    if alone or random.random() < HALF:
        thing = random.choice(there.objects)
    else:
        thing, related = _related(random, there)
    plain = _named(thing.name, random)
    attributes = _attributes(random, thing, most)
    return thing, Group(name=plain.name, covers=plain.covers, attributes=attributes, related=related)


def _two(random: Random, scene: Scene) -> tuple[Group, Group]:
    _, first = _drawn(random, scene, 1, alone=True)
    while True:
        _, second = _drawn(random, scene, 1, alone=True)
        if second != first:
            return first, second


def _without(group: Group, words: Sequence[str]) -> Group:
    return replace(group, attributes=tuple(attribute for attribute in group.attributes if attribute not in words))


def _object(random: Random, scene: Scene) -> Asking:
    return Asking(type=QuestionType.OBJECT, meaning=Exists(group=_drawn(random, scene)[1]))


def _conjunction(random: Random, scene: Scene) -> Asking:
    return Asking(type=QuestionType.CONJUNCTION, meaning=Both(groups=_two(random, scene)))


def _disjunction(random: Random, scene: Scene) -> Asking:
    return Asking(type=QuestionType.DISJUNCTION, meaning=Either(groups=_two(random, scene)))


def _with_a_category(
    random: Random, scene: Scene, categories: Sequence[tuple[str, ...]]
) -> tuple[Group, tuple[str, ...]]:
    """A group that says nothing of a category, of which there is something to say."""
    while True:
        thing, group = _drawn(random, scene)
        fitting = [words for words in categories if set(words) & set(thing.attributes)]
        if fitting:
            words = random.choice(fitting)
            return _without(group, words), words
        scene = scene_of(random.randrange(SCENES))


def _attribute(random: Random, scene: Scene) -> Asking:
    group, words = _with_a_category(random, scene, CATEGORIES)
    return Asking(type=QuestionType.ATTRIBUTE, meaning=Has(group=group, attribute=random.choice(words)))


def _object_choice(random: Random, scene: Scene) -> Asking:
    """A class with an attribute, or with a related thing."""
    while True:
        _, group = _drawn(random, scene)
        names = sorted(KINDS_OF.get(group.name, ()))
        if len(names) > 1 and (group.related or group.attributes):
            options = tuple(random.sample(names, min(len(names), random.choice((2, 3)))))
            return Asking(type=QuestionType.OBJECT_CHOICE, meaning=Choice(what=group, options=options))
        scene = scene_of(random.randrange(SCENES))


def _attribute_choice(random: Random, scene: Scene) -> Asking:
    what, words = _with_a_category(random, scene, CATEGORIES[:-1])
    options = tuple(random.sample(words, min(len(words), random.choice((2, 3)))))
    noun = NOUNS.get(words[0], "")
    return Asking(type=QuestionType.ATTRIBUTE_CHOICE, meaning=Choice(what=what, options=options), category=noun)


def _action_choice(random: Random, scene: Scene) -> Asking:
    what, words = _with_a_category(random, scene, CATEGORIES[-1:])
    options = tuple(random.sample(words, random.choice((2, 3))))
    noun = "activity" if "waving" in options else random.choice(("pose", "activity"))
    return Asking(type=QuestionType.ACTION_CHOICE, meaning=Choice(what=what, options=options), category=noun)


DRAW: dict[QuestionType, Drawing] = {
    QuestionType.OBJECT: _object,
    QuestionType.CONJUNCTION: _conjunction,
    QuestionType.DISJUNCTION: _disjunction,
    QuestionType.ATTRIBUTE: _attribute,
    QuestionType.OBJECT_CHOICE: _object_choice,
    QuestionType.ATTRIBUTE_CHOICE: _attribute_choice,
    QuestionType.ACTION_CHOICE: _action_choice,
}

NAMES = PICTURE_WORLD
