"""The arguments that relations in words draw obey the rules of what may be asked, by scene and meaning alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Rotate
from pytest_vqamt.core.meaning import (
    Absent,
    Both,
    Choice,
    Either,
    Exists,
    Group,
    Has,
    Located,
    Meaning,
    Neither,
    NotBoth,
    Related,
    Side,
    groups_of,
)
from pytest_vqamt.core.scene import Relationship, Scene
from tests.making import group_of, scene_of, thing_of
from tests.rows import each_row
from tests.soundness.argument_rules import Arguments
from tests.soundness.asking import Item, items, tier_of
from tests.soundness.kinds_of_things import Kinds, meant
from tests.soundness.knowing import Doubtful, Knowing
from tests.soundness.samples import COCO, FEW_PICTURES, PICTURES, REAL, Sample, each_of
from tests.soundness.survey import survey
from tests.soundness.words_of_samples import ANTONYMS, GRADABLE, GRAPHS, MASSES, PICTURE_WORLD, Words
from tests.soundness.words_of_samples import COCO as COCO_WORDS

# "lead." has the arguments of "carets."
_IN_WORDS = ("carets.", "spatial.", "view.", "absent.", "negation.", "choice.")
IN_WORDS = tuple(item for item in items() if item.relation.info.name.startswith(_IN_WORDS))
WORDS: Mapping[str, Words] = {
    PICTURES.name: PICTURE_WORLD,
    FEW_PICTURES.name: PICTURE_WORLD,
    COCO.name: COCO_WORDS,
    "gqa": GRAPHS,
    "visual-genome": GRAPHS,
}
SAMPLES = tuple(sample for sample in (PICTURES, *REAL) if sample.name in WORDS)


@cache
def scenes(sample: Sample) -> Mapping[str, Scene]:
    return {scene.id: scene for scene in map(sample.load().scene, range(sample.scenes))}


def wrong(case: Case, scene: Scene, words: Words) -> Iterator[str]:
    """What is wrong with a case: with its questions one by one, and with the two of them."""
    rules = Arguments(scene=scene, words=words)
    first, second, *_ = [query.meaning for query in case.queries]
    for query in case.queries:
        turned = any(isinstance(edit, Rotate) for edit in query.picture.edits)
        seen = Arguments(scene=query.picture.scene, words=words) if turned else rules
        yield from seen.broken(query.meaning)
    if case.relation in _CHECKS:
        yield from _CHECKS[case.relation](case, first, second, words.kinds)
    told = knows(scene, words).answer(first)
    fact = case.fact("truth")
    if told is None or (fact is not None and fact != ("yes" if told else "no")):
        yield f"the truth is {told}, and {fact} is told of"
    rests_on_it = case.relation in ("carets.ontological", "carets.antonym", "carets.visual") or (
        case.relation.startswith(("absent.", "negation.", "choice."))
    )
    if rests_on_it or (case.relation, case.variant) == ("spatial.mirror", "opposite"):
        rests = any(rules.rests_on_an_absence(meaning) for meaning in (first, second))
        if rests and not case.is_presumed:
            yield "4: it rests on an absence that is not annotated, and is not presumed"


def knows(scene: Scene, words: Words) -> Knowing:
    """One who sees everything of a scene, and crowds for what they are."""
    crowds = (Doubtful(thing=thing_of(each.name, id=f"some {each.name}"), badly=False) for each in scene.regions)
    return Knowing(
        things=scene.objects,
        doubtful=tuple(crowds),
        relationships=scene.relationships,
        kinds=words.kinds,
        compares=True,
        alike=lambda one, other: one == other,
    )


def _rephrase(case: Case, first: Meaning, second: Meaning, _kinds: Kinds) -> Iterator[str]:
    if first != second or case.queries[0].text == case.queries[1].text:
        yield "two questions, or one wording"


def _order(_case: Case, first: Meaning, second: Meaning, _kinds: Kinds) -> Iterator[str]:
    match first, second:
        case (Both(groups=a), Both(groups=b)) | (Either(groups=a), Either(groups=b)):
            if a != b[::-1] or a == b:
                yield "not the two in the other order"
        case Choice(what=one, options=a_options), Choice(what=other, options=b_options):
            if one != other or a_options[0] == b_options[0] or sorted(a_options) != sorted(b_options):
                yield "not the choices with another one first"
        case _:
            yield "no two of a kind"


def _negation(_case: Case, first: Meaning, second: Meaning, _kinds: Kinds) -> Iterator[str]:
    negated = {Exists: Absent, Both: NotBoth, Either: Neither}
    if negated.get(type(first)) is not type(second) or groups_of(first) != groups_of(second):
        yield f"{second} does not negate {first}"


def _antonym(_case: Case, first: Meaning, second: Meaning, _kinds: Kinds) -> Iterator[str]:
    assert isinstance(first, Has)
    assert isinstance(second, Has)
    if first.group != second.group or not any({first.attribute, second.attribute} == row for row in ANTONYMS):
        yield f"8: {first.attribute!r} and {second.attribute!r} are no opposites of one thing"


def _ontological(case: Case, first: Meaning, second: Meaning, kinds: Kinds) -> Iterator[str]:
    (one,), (other,) = groups_of(first), groups_of(second)
    match case.variant:
        case "hypernym":
            kind, word = one, other
        case "hyponym":
            kind, word = other, one
        case _:
            (kind, word) = (group.related[0].to for group in (one, other))
            if word.name in MASSES:
                yield f"{word.name!r} is no one thing"
    # A class of which nothing is there covers no names, but for itself.
    if kind.name == word.name or kind.name not in meant(Group(name=word.name, covers=("",)), kinds).surely:
        yield f"{kind.name!r} is not of the class {word.name!r}"
    if case.variant in ("hypernym", "hyponym"):
        if GRADABLE & {*kind.attributes, *word.attributes}:
            yield f"7: {kind.attributes} depend on the class"
        if kind.attributes != word.attributes or case.fact("truth") != ("yes" if case.variant == "hypernym" else "no"):
            yield "the one does not imply the other"


def _visual(case: Case, first: Meaning, second: Meaning, _kinds: Kinds) -> Iterator[str]:
    if first != second:
        yield "two questions"
    if case.variant in ("mask", "crop"):
        asked = {first.attribute} if isinstance(first, Has) else set(first.options) if isinstance(first, Choice) else ()
        said = {word for group in groups_of(first) for word in group.attributes}
        if GRADABLE & said.union(asked):
            yield "7: there is nothing left to compare it with"


_CHECKS: Mapping[str, Callable[[Case, Meaning, Meaning, Kinds], Iterator[str]]] = {
    "carets.rephrase": _rephrase,
    "carets.ontological": _ontological,
    "carets.order": _order,
    "carets.visual": _visual,
    "carets.negation": _negation,
    "carets.antonym": _antonym,
}


@each_of(FEW_PICTURES, full=SAMPLES)
@pytest.mark.parametrize("item", [pytest.param(each, id=each.name, marks=tier_of(each)) for each in IN_WORDS])
def test_drawn_arguments_obey_the_rules(item: Item, sample: Sample) -> None:
    here = scenes(sample)
    found = (
        (what, case)
        for case in survey(item, sample).cases
        for what in wrong(case, here[case.scene], WORDS[sample.name])
    )
    if first := next(found, None):
        what, case = first
        shown = ", ".join(" ".join((*thing.attributes, thing.name)) for thing in here[case.scene].objects)
        asked = "\n".join(f"  {query.text}\n    {query.meaning}" for query in case.queries)
        pytest.fail(f"{item.name}: {what}\n{asked}\n  there: {shown}\n  {case.scene}", pytrace=False)


# Arguments that break a rule are told of, with the rule's number: what holds them against the rules can fail.

ON = Relationship(subject="0", predicate="on", object="1")
SCENE = scene_of("black collar", "green chair", "person", "small pizza", "gray elephant", "cat", relationships=[ON])


def told(meaning: Meaning, scene: Scene = SCENE) -> list[str]:
    """The rules that are broken."""
    return [each.partition(":")[0] for each in Arguments(scene=scene, words=GRAPHS).broken(meaning)]


def exists(words: str) -> Exists:
    return Exists(group=group_of(words))


def has(words: str, attribute: str) -> Has:
    return Has(group=group_of(words), attribute=attribute)


def choice(words: str, *options: str) -> Choice:
    return Choice(what=group_of(words), options=options)


def on(name: str, target: str) -> Exists:
    return Exists(group=Group(name=name, related=(Related(predicate="on", to=group_of(target)),)))


@each_row(
    "meaning",
    [
        exists("black collar"),
        exists("white collar"),
        exists("bike"),
        on("collar", "chair"),
        on("bike", "chair"),
        has("collar", "black"),
        has("collar", "white"),
        choice("collar", "black", "white", "red"),
        choice("green furniture", "chair", "table"),
        Both(groups=(group_of("cat"), group_of("chair"))),
        Both(groups=(group_of("cat"), group_of("bike"))),
        Either(groups=(group_of("cat"), group_of("bike"))),
        Either(groups=(group_of("umbrella"), group_of("bike"))),
    ],
)
def test_what_may_be_asked_breaks_no_rule(meaning: Meaning) -> None:
    assert told(meaning) == []


@each_row(
    ("meaning", "rule"),
    [
        # A part, a garment, another word and a kind of what is there.
        (exists("paw"), "4"),
        (exists("shirt"), "4"),
        (exists("food"), "4"),
        (exists("woman"), "4"),
        (choice("green furniture", "chair", "dog"), "4"),
        # What is not annotated may be so all the same.
        (exists("large chair"), "5"),
        (has("cat", "large"), "5"),
        (on("pizza", "chair"), "5"),
        (has("animal", "black"), "6"),
        (has("dog", "black"), "6"),
        (on("cat", "table"), "6"),
        (choice("elephant", "gray", "silver"), "2"),
        (choice("elephant", "red", "blue"), "2"),
        (Both(groups=(group_of("bike"), group_of("umbrella"))), "9"),
        (Either(groups=(group_of("cat"), group_of("chair"))), "9"),
        (Either(groups=(group_of("bikes"), group_of("bike"))), "9"),
    ],
)
def test_a_broken_rule_is_told_of(meaning: Meaning, rule: str) -> None:
    assert rule in told(meaning)


@each_row(
    "meaning",
    [
        exists("duck"),  # It is of wood.
        on("tag", "duck"),
        exists("black cat"),
        has("cat", "black"),
        choice("cat", "black", "white"),
        choice("shirt", "red", "blue"),
        has("man", "small"),
        has("small man", "sitting"),
    ],
)
def test_what_cannot_be_said_of_a_thing_is_told_of(meaning: Meaning) -> None:
    tag_on_duck = Relationship(subject="1", predicate="on", object="0")
    shirt = thing_of("red shirt", id="9", multi_coloured=True)
    scene = scene_of("wooden duck", "tag", "black cat", "small man", shirt, relationships=[tag_on_duck])
    assert "1" in told(meaning, scene)


def beside(scene: Scene, gap: float) -> list[str]:
    """What is told of a question about a cat, and of what is so many pixels to its right."""
    cat, other = (replace(thing, box=Box(x, 0, 20, 20)) for thing, x in zip(scene.objects, (0, 20 + gap), strict=False))
    meaning = Located(group=group_of("cat"), side=Side.LEFT, other=group_of(other.name))
    return told(meaning, replace(scene, objects=(cat, other, *scene.objects[2:])))


def test_places_are_3_percent_apart_and_those_of_the_only_two() -> None:
    assert beside(scene_of("cat", "chair"), 6) == []  # of 200
    assert beside(scene_of("cat", "chair"), 5) == ["places"]
    assert "6" in beside(scene_of("cat", "chair", "chair"), 6)
    assert "6" in beside(scene_of("cat", "person", "woman"), 6)


def test_of_two_of_a_name_the_one_is_told_by_what_the_other_surely_is_not() -> None:
    another = replace(SCENE, objects=(*SCENE.objects, thing_of("white collar", id="9")))
    assert "6" in told(has("collar", "black"), another)
    assert told(has("black collar", "black"), another) == []
    unlike = replace(SCENE, objects=(*SCENE.objects, thing_of("small collar", id="9")))
    assert "6" in told(has("black collar", "black"), unlike)


def test_one_of_a_crowd_is_never_the_only_one() -> None:
    crowd = scene_of("black collar", crowds=["collar"])
    assert told(has("collar", "black"), crowd) == ["6"]
    assert told(exists("white elephant"), scene_of("chair", crowds=["elephant"])) == ["4"]


def test_an_absence_rests_on_what_is_annotated() -> None:
    sure = replace(SCENE, exhaustive=frozenset(("cat", "bike")))
    assert not Arguments(scene=sure, words=GRAPHS).rests_on_an_absence(exists("bike"))
    assert not Arguments(scene=SCENE, words=GRAPHS).rests_on_an_absence(exists("cat"))
    assert not Arguments(scene=sure, words=GRAPHS).rests_on_an_absence(has("cat", "black"))
    assert Arguments(scene=SCENE, words=GRAPHS).rests_on_an_absence(exists("bike"))
    assert Arguments(scene=SCENE, words=GRAPHS).rests_on_an_absence(has("cat", "black"))
