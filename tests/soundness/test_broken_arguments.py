"""Arguments that break a rule are told of, with the rule's number: what holds them against the rules can fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Meaning, Related
from pytest_vqamt.core.scene import Relationship, Scene
from tests.making import group_of, scene_of, thing_of
from tests.soundness.argument_rules import Arguments
from tests.soundness.words_of_samples import GRAPHS

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


@pytest.mark.parametrize(
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
    ids=str,
)
def test_what_may_be_asked_breaks_no_rule(meaning: Meaning) -> None:
    assert told(meaning) == []


@pytest.mark.parametrize(
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
    ids=str,
)
def test_a_broken_rule_is_told_of(meaning: Meaning, rule: str) -> None:
    assert rule in told(meaning)


@pytest.mark.parametrize(
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
    ids=str,
)
def test_what_cannot_be_said_of_a_thing_is_told_of(meaning: Meaning) -> None:
    tag_on_duck = Relationship(subject="1", predicate="on", object="0")
    shirt = thing_of("red shirt", id="9", multi_coloured=True)
    scene = scene_of("wooden duck", "tag", "black cat", "small man", shirt, relationships=[tag_on_duck])
    assert "1" in told(meaning, scene)


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
