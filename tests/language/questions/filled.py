"""Things to ask about, with the number that verbs take of each, and what each type asks of them: written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Related
from pytest_vqamt.language.questions.templates import Asking, QuestionType


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A group, the words for any one of it, and whether verbs that agree with it are in the plural."""

    group: Group
    one: str
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What is asked, and whether the verb that agrees with its first group is in the plural."""

    asking: Asking
    many: bool


def of(name: str, *attributes: str) -> Group:
    return Group(name=name, attributes=attributes)


def near(group: Group, predicate: str, to: Group) -> Group:
    return Group(name=group.name, attributes=group.attributes, related=(Related(predicate=predicate, to=to),))


NAMED = (
    Named(group=of("dog"), one="a dog"),
    Named(group=of("apple"), one="an apple"),
    Named(group=of("umbrella", "red"), one="a red umbrella"),
    Named(group=of("cup", "old"), one="an old cup"),
    Named(group=of("uniform"), one="a uniform"),
    Named(group=of("hour hand"), one="an hour hand"),
    Named(group=of("suv"), one="an suv"),
    Named(group=of("unicorn", "orange"), one="an orange unicorn"),
    Named(group=of("utensil"), one="a utensil"),
    Named(group=of("x-ray"), one="an x-ray"),
    Named(group=of("hot dog"), one="a hot dog"),
    Named(group=of("bus"), one="a bus"),
    Named(group=of("wine glass", "empty"), one="an empty wine glass"),
    Named(group=of("sheep", "white", "small"), one="a small white sheep"),
    Named(group=of("lamp", "on"), one="a switched-on lamp"),
    Named(group=of("bird", "in the air"), one="a bird in the air"),
    Named(group=of("man", "playing tennis"), one="a man playing tennis"),
    Named(group=of("glass of water"), one="a glass of water"),
    Named(group=of("ground"), one="ground"),
    Named(group=of("sky", "blue"), one="a blue sky"),
    Named(group=of("grass", "green"), one="green grass"),
    Named(group=of("water"), one="water"),
    Named(group=of("furniture"), one="furniture"),
    Named(group=of("broccoli"), one="broccoli"),
    Named(group=of("scissors"), one="scissors", many=True),
    Named(group=of("jeans", "blue"), one="blue jeans", many=True),
    Named(group=of("glasses"), one="glasses", many=True),
    Named(group=of("elephants", "gray"), one="gray elephants", many=True),
    Named(group=of("people"), one="people", many=True),
    Named(group=of("shelves"), one="shelves", many=True),
    Named(group=of("children", "young"), one="young children", many=True),
)

JOINED = (
    ("on", of("table", "wooden")),
    ("in", of("water")),
    ("under", of("umbrella")),
    ("wearing", of("gloves")),
    ("holding", of("elephants")),
    ("near", of("apple", "red")),
    ("to the left of", of("hour hand")),
    ("to the right of", of("people")),
    ("in front of", of("shelves", "brown")),
    ("lying on top of", of("grass")),
    ("covered by", of("snow")),
    ("has", of("beard")),
    ("is wearing a", of("hat")),
    ("sits on", of("bench")),
    ("of", of("house")),
)

ATTRIBUTES = ("clean", "on", "off", "wood", "wooden", "baby", "polka dot", "standing", "open", "red", "dark brown")

CLASSES = (
    ("animal", ("dog", "elephant"), False),
    ("furniture", ("table", "chair", "couch"), False),
    ("clothing", ("jeans", "hat"), False),
    ("clothes", ("dress", "shorts"), True),
    ("fruit", ("orange", "apple", "banana"), False),
    ("tool", ("scissors", "axe"), False),
    ("food", ("broccoli", "egg"), False),
    ("person", ("man", "woman"), False),
)

CHOICES = (
    ("color", ("red", "blue")),
    ("color", ("orange", "light blue", "dark brown")),
    ("material", ("wood", "metal")),
    ("material", ("wooden", "plastic", "leather")),
    ("size", ("small", "large")),
    ("shape", ("round", "square")),
    ("pattern", ("striped", "plain")),
    ("length", ("long", "short")),
    ("height", ("tall", "short")),
    ("age", ("old", "young")),
    ("weather", ("sunny", "cloudy")),
    ("", ("open", "closed")),
    ("", ("clean", "dirty")),
)

ACTIONS = (
    ("pose", ("standing", "sitting")),
    ("pose", ("lying", "kneeling", "crouching")),
    ("sport", ("surfing", "playing tennis")),
    ("activity", ("eating", "drinking")),
    ("gesture", ("waving", "saluting")),
    ("", ("flying", "perched")),
)


def subjects() -> Iterator[tuple[Group, bool]]:
    """Each thing by itself, then with another."""
    yield from ((named.group, named.many) for named in NAMED)
    for number, named in enumerate(NAMED):
        for step in range(3):
            yield near(named.group, *JOINED[(number + 5 * step) % len(JOINED)]), named.many


def fillings() -> Iterator[Filled]:
    """Every type with every kind of thing."""
    for first, second in pairwise((*NAMED, NAMED[0])):
        groups = (first.group, second.group)
        yield Filled(asking=Asking(type=QuestionType.CONJUNCTION, meaning=Both(groups=groups)), many=first.many)
        yield Filled(asking=Asking(type=QuestionType.DISJUNCTION, meaning=Either(groups=groups)), many=first.many)
    for number, (group, many) in enumerate(subjects()):
        yield Filled(asking=Asking(type=QuestionType.OBJECT, meaning=Exists(group=group)), many=many)
        attribute = ATTRIBUTES[number % len(ATTRIBUTES)]
        yield Filled(
            asking=Asking(type=QuestionType.ATTRIBUTE, meaning=Has(group=group, attribute=attribute)), many=many
        )
        for asked, (category, options) in (
            (QuestionType.ATTRIBUTE_CHOICE, CHOICES[number % len(CHOICES)]),
            (QuestionType.ACTION_CHOICE, ACTIONS[number % len(ACTIONS)]),
        ):
            choice = Choice(what=group, options=options)
            yield Filled(asking=Asking(type=asked, meaning=choice, category=category), many=many)
    for name, options, many in CLASSES:
        for group in (
            of(name, "red"),
            *(near(of(name), *joined) for joined in JOINED),
            near(of(name, "old"), *JOINED[0]),
        ):
            choice = Choice(what=group, options=options)
            yield Filled(asking=Asking(type=QuestionType.OBJECT_CHOICE, meaning=choice), many=many)
