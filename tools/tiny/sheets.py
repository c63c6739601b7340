"""A sheet of questions, hypotheses and captions about one scene, with the right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random
from typing import NamedTuple

from pytest_vqamt.core.meaning import Absent, Count, Exists, Group, Label, Side, truth
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.nouns import number_word, plural
from pytest_vqamt.language.questions import simple
from pytest_vqamt.models.prompts import PLAIN_PROMPTS
from pytest_vqamt.picture_world.looks import (
    CATEGORIES,
    CATEGORY_OF,
    FAMILIES,
    FAMILY_OF,
    SETTING_PHRASES,
    a,
    capital,
    listed,
    noun_phrase,
)
from pytest_vqamt.sampling.chooser import RandomChooser
from tools.tiny.asked import COLOURS, POSTURES, Asked, World, family_words
from tools.tiny.hypotheses import hypothesis

LARGEST_COUNT = 9


class Row(NamedTuple):
    """One text to ask and the right answer."""

    kind: str
    text: str
    answer: str


def sheet(scene: Scene, world: World, seed: str) -> list[Row]:
    """About sixty rows about one scene, the same for the same seed; yes and no are equally frequent in each kind."""
    rng = Random(seed)
    if not scene.objects:
        return []
    asked = Asked(scene, world, rng)
    rows: list[Row] = []
    for write, times in _WRITERS:
        for _ in range(times):
            row = write(asked)
            if row is not None:
                rows.append(row)
    rows.extend(_entailments(asked))
    rows.append(Row("caption", PLAIN_PROMPTS.caption, caption(scene)))
    return rows


def _yes_no(value: object) -> str:
    return "yes" if value else "no"


def _existence(asked: Asked) -> Row | None:
    """Objects, and objects with a property; asked for presence or for absence."""
    rng = asked.rng
    there = rng.random() < 0.5
    group: Group | None
    kind = "exists"
    if rng.random() < 0.55:
        group = Group(name=asked.any_present() if there else asked.absent())
    else:
        kind = "exists property"
        group = asked.with_property(true=there)
        if group is None:
            return None
    if rng.random() < 0.5:
        text = simple.exists(group, rng.randrange(simple.EXISTS_WORDINGS)).text
        return Row(kind, text, _yes_no(truth(Exists(group=group), asked.scene)))
    text = simple.absent(group, rng.randrange(simple.ABSENT_WORDINGS)).text
    return Row(kind + " not", text, _yes_no(truth(Absent(group=group), asked.scene)))


def _family_existence(asked: Asked) -> Row:
    words = family_words()
    name = asked.rng.choice(list(words))
    group = Group(name=name, covers=words[name])
    text = simple.exists(group, asked.rng.randrange(simple.EXISTS_WORDINGS)).text
    return Row("exists family", text, _yes_no(truth(Exists(group=group), asked.scene)))


def _both(asked: Asked) -> Row | None:
    rng = asked.rng
    all_of = rng.random() < 0.5
    names = [asked.any_present() if rng.random() < (0.7 if all_of else 0.3) else asked.absent() for _ in range(2)]
    if names[0] == names[1]:
        return None
    here = [name in asked.by_name for name in names]
    x, y = (a(name) for name in names)
    both = (f"Are there both {x} and {y} in the picture?", f"Is there {x} and {y} in the picture?",
            f"Does the picture show both {x} and {y}?")  # fmt: skip
    either = (f"Is there either {x} or {y} in the picture?", f"Is there {x} or {y} in the picture?",
              f"Does the picture show {x} or {y}?")  # fmt: skip
    if all_of:
        return Row("both", rng.choice(both), _yes_no(all(here)))
    return Row("either", rng.choice(either), _yes_no(any(here)))


def _count(asked: Asked) -> Row | None:
    """One group or two, of names or of properties."""
    rng = asked.rng
    kind = rng.random()
    groups: tuple[Group, ...] | None
    if kind < 0.42:
        name = asked.present() if rng.random() < 0.82 else asked.absent()
        groups = (Group(name=name),)
    elif kind < 0.58:
        group = asked.with_property(true=rng.random() < 0.75)
        groups = (group,) if group else None
    elif kind < 0.84:
        names = [asked.present() if rng.random() < 0.75 else asked.absent() for _ in range(2)]
        groups = tuple(Group(name=name) for name in names) if names[0] != names[1] else None
    else:
        groups = asked.two_properties()
        if groups and rng.random() < 0.5:
            groups = groups[::-1]
    if groups is None:
        return None
    right = truth(Count(groups=groups), asked.scene)
    assert isinstance(right, int)
    keep = (0.65, 0.35, 0.65, 1.0)[min(right, 3)]
    if right > LARGEST_COUNT or rng.random() > keep:
        return None
    text = simple.count(groups, rng.randrange(simple.COUNT_WORDINGS)).text
    label = "count" if len(groups) == 1 else "count two"
    return Row(label if not groups[0].attributes else f"{label} property", text, str(right))


def _colour(asked: Asked) -> Row | None:
    name = asked.any_present()
    colour = asked.colour_of(name)
    if colour is None:
        return None
    one = len(asked.by_name[name]) == 1
    the, be = (f"the {name}", "is") if one else (f"the {plural(name)}", "are")
    wording = asked.rng.choice(
        (f"What colour {be} {the}?", f"What color {be} {the}?", f"Which colour {be} {the}?",
         f"What is the colour of {the}?", f"What is the color of {the}?", f"In the picture, what colour {be} {the}?")
    )  # fmt: skip
    return Row("colour", wording, colour)


def _choice(asked: Asked) -> Row | None:
    """Which of two or three: colours, actions or states of the one thing, or names."""
    rng = asked.rng
    thing = asked.single()
    if thing is None:
        return None
    the = f"the {thing.name}"
    if rng.random() < 0.3:
        same = [name for name in FAMILIES[FAMILY_OF[thing.name]] if name not in asked.by_name]
        family = "thing" if FAMILY_OF[thing.name] not in family_words() else FAMILY_OF[thing.name]
        if sum(FAMILY_OF[name] == FAMILY_OF[thing.name] for name in asked.by_name) > 1 or not same:
            return None
        options = _mixed(rng, thing.name, same)
        words = listed_or([a(option) for option in options])
        wordings = (f"Is the {family} {words}?", f"What is in the picture, {words}?", f"Which is there, {words}?")
        text = rng.choice(wordings)
        return Row("choice name", text, thing.name)
    words_of = [word for word in thing.attributes if CATEGORY_OF[word] not in ("size", "gesture")]
    if not words_of:
        return None
    word = rng.choice(words_of)
    pool = COLOURS if word in COLOURS else POSTURES if word in POSTURES else CATEGORIES[CATEGORY_OF[word]]
    options = _mixed(rng, word, [other for other in pool if other not in thing.attributes])
    words = listed_or(options)
    text = rng.choice((f"Is {the} {words}?", f"What is {the}, {words}?", f"Which is {the}, {words}?"))
    return Row("choice colour" if word in COLOURS else "choice attribute", text, word)


def _mixed(rng: Random, right: str, wrong: list[str]) -> list[str]:
    options = [right, *rng.sample(wrong, min(len(wrong), rng.choice((1, 1, 2))))]
    rng.shuffle(options)
    return options


def listed_or(options: list[str]) -> str:
    """The options with "or" before the last."""
    return f"{', '.join(options[:-1])} or {options[-1]}"


def _attribute(asked: Asked) -> Row | None:
    """Whether the one thing of its name has an attribute; its colour in half of the rows."""
    rng = asked.rng
    thing = asked.single()
    if thing is None:
        return None
    true = rng.random() < 0.5
    colour = asked.colour_of(thing.name)
    if colour and rng.random() < 0.5:
        word: str | None = colour if true else rng.choice([other for other in COLOURS if other != colour])
    else:
        word = asked.other_word(thing.name, true=true)
    if word is None:
        return None
    text = rng.choice((f"Is the {thing.name} {word}?", f"Does the {thing.name} look {word}?",
                       f"Is it true that the {thing.name} is {word}?", f"Is this {thing.name} {word}?"))  # fmt: skip
    return Row("attribute", text, _yes_no(true))


def _doing(asked: Asked) -> Row | None:
    people = [thing for thing in asked.scene.objects if FAMILY_OF[thing.name] == "person"]
    only = [thing for thing in people if len(asked.by_name[thing.name]) == 1]
    if not only:
        return None
    thing = asked.rng.choice(only)
    text = asked.rng.choice((f"What is the {thing.name} doing?", f"In the picture, what is the {thing.name} doing?"))
    return Row("doing", text, thing.attributes[-1])


def _place(asked: Asked) -> Row | None:
    """Which of two things, the only ones of their names and clearly apart, is further left or higher."""
    rng = asked.rng
    level = rng.random() < 0.7
    pairs = [pair for pair in combinations(asked.singles(), 2) if _gap(*pair, level=level) >= CLEAR_PX]
    if not pairs:
        return None
    first, last = sorted(rng.choice(pairs), key=lambda thing: thing.box.centre[0 if level else 1])
    one, other = rng.sample((first, last), 2)
    x, y = one.name, other.name
    before, after = ("to the left of", "to the right of") if level else ("above", "below")
    if level and rng.random() < 0.25:
        before, after = "left of", "right of"
    kind = rng.random()
    if kind < 0.65:
        said = rng.choice((before, after))
        if rng.random() < _OF_THE_CATALOGUE:
            side = (Side.LEFT if level else Side.ABOVE) if said == before else (Side.RIGHT if level else Side.BELOW)
            wording = rng.randrange(simple.LOCATED_WORDINGS)
            text = simple.located(Group(name=x), side, Group(name=y), wording).text
            return Row(
                "left or right" if level else "above or below", text, _yes_no((said == before) == (one is first))
            )
        text = rng.choice(
            (f"Is the {x} {said} the {y}?", f"Is there {a(x)} {said} {a(y)}?",
             f"Is there {a(x)} {said} {a(y)} in the picture?", f"In the picture, is the {x} {said} the {y}?",
             f"In the picture, is there {a(x)} {said} {a(y)}?", f"Does the picture show {a(x)} {said} {a(y)}?",
             f"Do you see {a(x)} {said} {a(y)}?", f"Would you say the {x} is {said} the {y}?",
             f"Is it true that the {x} is {said} the {y}?", f"Is the {x} in the picture {said} the {y}?")
        )  # fmt: skip
        return Row("left or right" if level else "above or below", text, _yes_no((said == before) == (one is first)))
    if kind < 0.85:
        further, right = rng.choice(
            ((("further left", "further to the left"), first), (("further right", "further to the right"), last))
            if level
            else ((("higher", "higher up"), first), (("lower", "lower down"), last))
        )
        how = rng.choice(further)
        which = f"which is {how}, the {x} or the {y}?"
        text = rng.choice((capital(which), f"In the picture, {which}", f"Which is {how}: the {x} or the {y}?"))
        return Row("choice place", text, right.name)
    words = ("left", "right") if level else ("above", "below")
    answer = words[0 if one is first else 1]
    before, after = rng.sample((before, after), 2)
    text = rng.choice((f"Is the {x} {before} or {after} the {y}?", f"Is the {x} {before} the {y} or {after} it?"))
    return Row("choice place", text, answer)


PLACES = ("left or right", "above or below", "choice place", "where")
"""The kinds of rows about where things are."""

_OF_THE_CATALOGUE = 0.6
"""The share of the rows about left and right, above and below that are in the words of the catalogue of relations."""

CLEAR_PX = 8
"""Of two things, one is asked to be left of the other, or above it, where so many pixels are between them."""


def _gap(one: Thing, other: Thing, *, level: bool) -> float:
    if level:
        return max(one.box.x - other.box.x1, other.box.x - one.box.x1)
    return max(one.box.y - other.box.y1, other.box.y - one.box.y1)


def _where(asked: Asked) -> Row | None:
    """On which side of the picture the one thing of its name is."""
    rng, middle = asked.rng, asked.scene.width / 2
    sided = [thing for thing in asked.singles() if abs(thing.box.centre[0] - middle) >= 2 * CLEAR_PX]
    if not sided:
        return None
    thing = rng.choice(sided)
    side = "left" if thing.box.centre[0] < middle else "right"
    if rng.random() < 0.5:
        one, other = rng.sample(("left", "right"), 2)
        return Row("where", f"Is the {thing.name} on the {one} or on the {other} of the picture?", side)
    said = rng.choice(("left", "right"))
    text = rng.choice((f"Is the {thing.name} on the {said} of the picture?",
                       f"Is there {a(thing.name)} on the {said} of the picture?"))  # fmt: skip
    return Row("where", text, _yes_no(said == side))


def _joined(asked: Asked) -> Row | None:
    """Who is on, under, wearing or holding what."""
    rng = asked.rng
    relations = asked.scene.relationships
    joined = [each for each in relations if each.predicate in ("on", "under", "wearing", "holding")]
    if not joined:
        return None
    chosen = rng.choice(joined)
    subject, other = (asked.scene.thing(each).name for each in (chosen.subject, chosen.object))
    right = rng.random() < 0.5
    if not right:
        subject, other = (asked.absent(), other) if rng.random() < 0.5 else (subject, asked.any_present())
        names = {
            (asked.scene.thing(each.subject).name, asked.scene.thing(each.object).name)
            for each in relations
            if each.predicate == chosen.predicate
        }
        if (subject, other) in names or subject == other:
            return None
    return Row("relation", f"Is there {a(subject)} {chosen.predicate} {a(other)}?", _yes_no(right))


def _lettered(asked: Asked) -> Row | None:
    """Options with letters or numbers, answered by the option, or by its letter where the question says so."""
    rng = asked.rng
    thing = asked.single() if rng.random() < 0.4 else None
    colour = asked.colour_of(thing.name) if thing else None
    if thing and colour:
        options = _mixed(rng, colour, [other for other in COLOURS if other != colour])
        right = colour
        question = rng.choice((f"What colour is the {thing.name}?", f"What color is the {thing.name}?"))
    else:
        right = asked.any_present()
        options = _mixed(rng, right, list({asked.absent() for _ in range(4)}))
        question = rng.choice(("What is in the picture?", "Which of these is in the picture?",
                               "Which of these does the picture show?", "What do you see in the picture?"))  # fmt: skip
    labels = rng.choice(("ABCD", "ABCD", "ABCD", "1234"))
    form = rng.choice(("({}) {}", "({}) {}", "{}) {}", "{}. {}"))
    listed_options = " ".join(form.format(*pair) for pair in zip(labels, options, strict=False))
    if labels == "ABCD" and rng.random() < 0.4:
        said = rng.choice(("Answer with the letter.", "Answer with the letter of the right option."))
        return Row("lettered", f"{question} {listed_options} {said}", labels[options.index(right)].lower())
    if labels == "1234" and rng.random() < 0.4:
        return Row("lettered", f"{question} {listed_options} Answer with the number.", labels[options.index(right)])
    return Row("lettered", f"{question} {listed_options}", right)


def _there_or_not(asked: Asked) -> Row | None:
    """Which of two names is in the picture, or is not."""
    there, absent = asked.any_present(), asked.absent()
    x, y = asked.rng.sample((there, absent), 2)
    if asked.rng.random() < 0.5:
        x, y = a(x), a(y)
    if asked.rng.random() < 0.5:
        return Row("choice there", f"Which of these is in the picture, {x} or {y}?", there)
    text = asked.rng.choice((f"Which of these is not in the picture, {x} or {y}?",
                             f"Which of these is absent from the picture, {x} or {y}?"))  # fmt: skip
    return Row("choice there", text, absent)


def _setting(asked: Asked) -> Row | None:
    if not asked.scene.setting:
        return None
    right = asked.rng.random() < 0.5
    others = [name for name in SETTING_PHRASES if name != asked.scene.setting]
    name = asked.scene.setting if right else asked.rng.choice(others)
    return Row("setting", f"Is this picture {SETTING_PHRASES[name]}?", _yes_no(right))


def _entailments(asked: Asked) -> Iterator[Row]:
    choose = RandomChooser(asked.rng)
    for label in (*Label, *Label):
        written = hypothesis(asked.scene, choose, label)
        if written is not None:
            yield Row("entailment", PLAIN_PROMPTS.entailment.format(text=written[0]), label.value)


def caption(scene: Scene) -> str:
    """One sentence from left to right: what there is, how many of it and in which colour, and what people wear."""
    worn: dict[str, list[Thing]] = {}
    for each in scene.relationships:
        if each.predicate == "wearing":
            worn.setdefault(each.subject, []).append(scene.thing(each.object))
    garments = {thing.id for things in worn.values() for thing in things}
    free = sorted((thing for thing in scene.objects if thing.id not in garments), key=lambda thing: thing.box.centre)
    items: list[str] = []
    for name in dict.fromkeys(thing.name for thing in free):
        group = [thing for thing in free if thing.name == name]
        colours = {_colour_word(thing) for thing in group}
        colour = colours.pop() if len(colours) == 1 else ""
        clothes = dict.fromkeys(each.name for thing in group for each in worn.get(thing.id, ()))
        if len(group) == 1:
            wears = [a(noun_phrase(each.name, (_colour_word(each),))) for each in worn.get(group[0].id, ())]
            words = a(f"{colour} {name}".strip()) + (f" in {listed(wears)}" if wears else "")
        else:
            words = " ".join((number_word(len(group)), *([colour] if colour else []), plural(name)))
            words += f" in {listed([plural(each) for each in clothes])}" if clothes else ""
        items.append(words)
    where = f" {SETTING_PHRASES[scene.setting]}" if scene.setting else ""  # two pictures side by side have none
    return capital(" and ".join(filter(None, (", ".join(items[:-1]), items[-1]))) + f"{where}.")


def _colour_word(thing: Thing) -> str:
    return next((word for word in thing.attributes if word in COLOURS), "")


_WRITERS: tuple[tuple[Callable[[Asked], Row | None], int], ...] = (
    (_existence, 12), (_family_existence, 1), (_both, 2), (_count, 26), (_colour, 6), (_choice, 5), (_attribute, 4),
    (_doing, 1), (_place, 9), (_where, 3), (_joined, 2), (_lettered, 3), (_there_or_not, 1), (_setting, 1),
)  # fmt: skip
