"""Faults of models that do not look: what they answer about, whatever else was asked, and in whatever order."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.core.meaning import Annotated, Choice, Count, Exists, Group, Located, Meaning, Side, truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.faults import FAULTS, load
from pytest_vqamt.models.reference.oracle import ScriptedModel, answer_text
from pytest_vqamt.models.reference.other_scenes import scene_by_text
from pytest_vqamt.picture_world.source import PictureWorld
from tests.making import scene_of, thing_of
from tests.rows import each_row

BLIND = ("fixed-scene", "text-keyed-cache", "image-hash-8", "prior-only", "half-blind", "speck-blind")
DOGS = Count(groups=(Group(name="dog"),))
ANIMAL = ("animal", "dog")


@cache
def world() -> PictureWorld:
    return PictureWorld(40)


def model(spec: str, *sources: object) -> ScriptedModel:
    made = load(spec, ModelOptions())
    made.meet(sources or (world(),))  # type: ignore[arg-type]  # made ones have what is used of a source
    return made


def asked(meaning: Meaning, scene: Scene, text: str = "") -> Query:
    return Query(picture=scene.picture, text=text or f"{meaning}", meaning=meaning)


@cache
def queries() -> tuple[Query, ...]:
    return tuple(
        asked(kind, world().scene(index))
        for index in range(len(world()))
        for name in world().corpus.names[:20]
        for kind in (Exists(group=Group(name=name)), Count(groups=(Group(name=name),)))
    )


class Made:
    """A source of made scenes; one without a name has a broken record."""

    spec = digest = "made"

    def __init__(self, *scenes: Scene | None) -> None:
        self._scenes = scenes

    def __len__(self) -> int:
        return len(self._scenes)

    def place(self, photo_id: str) -> int:
        for place, scene in enumerate(self._scenes):
            if scene is not None and scene.photo.id == photo_id:
                return place
        raise DataError(f"no scene has photo={photo_id!r}")

    def scene(self, index: int) -> Scene:
        scene = self._scenes[index]
        if scene is None:
            raise DataError("its record is broken")
        return scene


@each_row("fault", BLIND)
def test_an_answer_depends_on_nothing_that_was_asked_before(fault: str) -> None:
    some = queries()[::7]
    together = model(fault)
    said = [together.reply(query) for query in reversed(some)][::-1]
    assert said == [model(fault).reply(query) for query in some]


_ANSWERS = """
from tests.models.test_blind_faults import BLIND, model, queries
print([model(f"{fault}@0.5").reply(query) for fault in BLIND for query in queries()[::11]])
"""


@pytest.mark.full
def test_answers_are_the_same_in_every_process() -> None:
    def said(seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", _ANSWERS],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    assert said("1") == said("2")


def test_fixed_scene_answers_about_the_first_scene() -> None:
    fixed = model("fixed-scene")
    for query in queries():
        assert fixed.reply(query) == answer_text(truth(query.meaning, world().scene(0)))


def test_the_text_decides_which_picture_the_cache_answers_about() -> None:
    cached = model("text-keyed-cache")
    said: dict[str, set[str]] = {}
    for query in queries():
        said.setdefault(query.text, set()).add(cached.reply(query))
    assert all(len(answers) == 1 for answers in said.values())
    # It answers about pictures, and not about one for all texts.
    assert {"yes"} in said.values()
    assert len({_scene_of(query.text) for query in queries()}) > 1


def _scene_of(text: str) -> str:
    return scene_by_text(asked(DOGS, world().scene(0), text), world()).id


def test_eight_pictures_are_all_that_the_hashed_cache_tells_apart() -> None:
    hashed = model("image-hash-8")
    seen: dict[str, list[str]] = {}
    for query in queries():
        seen.setdefault(query.picture.digest, []).append(hashed.reply(query))
    assert 4 <= len({tuple(answers) for answers in seen.values()}) <= 8


def test_specks_are_not_seen() -> None:
    """A dog of 10 px and one at the edge, half of which may be cut off, are overlooked; of 200 x 100 px 24 are seen."""
    dogs = [
        thing_of("dog", id=str(at), box=box)
        for at, box in enumerate((Box(20, 20, 10, 10), Box(0, 20, 30, 30), Box(60, 20, 30, 30), Box(120, 20, 24, 24)))
    ]
    garden = scene_of(*dogs)
    assert model("speck-blind", Made(garden)).reply(asked(DOGS, garden)) == "2"


def test_half_of_the_pictures_are_not_seen() -> None:
    blind = model("half-blind")
    wrong: Counter[str] = Counter()
    for query in queries():
        wrong[query.picture.digest] += blind.reply(query) != answer_text(truth(query.meaning, query.picture.scene))
    assert 10 <= sum(count > 0 for count in wrong.values()) <= 30  # of 40


def test_the_prior_is_the_most_frequent_answer() -> None:
    dog, two, cat = scene_of("dog", id="1"), scene_of("dog", "dog", id="2"), scene_of("cat", id="3")
    prior = model("prior-only", Made(dog, None, two, cat))
    assert prior.reply(asked(Exists(group=Group(name="dog")), cat)) == "yes"
    assert prior.reply(asked(Exists(group=Group(name="cat")), cat)) == "no"
    assert prior.reply(asked(Count(groups=(Group(name="cat"),)), cat)) == "0"


def test_a_class_covers_what_is_of_it_in_the_other_scene() -> None:
    cats, dogs = scene_of("cat", "cat", id="cats"), scene_of("dog", "car", id="dogs")
    fixed = model("fixed-scene", Made(cats, dogs))
    animals = Group(name="animal", covers=ANIMAL)
    assert fixed.reply(asked(Count(groups=(animals,)), dogs)) == "2"
    assert fixed.reply(asked(Exists(group=Group(name="car")), dogs)) == "no"
    assert fixed.reply(asked(Exists(group=Group(name="vehicle", covers=("vehicle", "car"))), dogs)) == "no"


DOG, CAR = Group(name="dog"), Group(name="car")


@each_row(
    ("meaning", "said"),
    [
        (Choice(what=CAR, options=("red", "blue")), "blue"),
        (Located(group=DOG, side=Side.LEFT, other=CAR), "no"),
        (Annotated(answers=(("red", 1.0),)), "nothing"),
        (Annotated(answers=(("yes", 1.0),), options=("yes", "no")), "no"),
    ],
)
def test_what_the_other_scene_leaves_open_is_guessed(meaning: Meaning, said: str) -> None:
    shown = scene_of("red car", "dog", id="shown")
    assert model("fixed-scene", Made(scene_of(id="empty"), shown)).reply(asked(meaning, shown)) == said


def test_the_data_sets_own_question_is_answered_about_the_other_scene() -> None:
    question = PublishedQuestion(id="q", text="What is it?", answers=("a cat", "cat", "cat"))
    other, shown = scene_of("cat", id="other"), scene_of("dog", id="shown")
    fixed = model("fixed-scene", Made(replace(other, questions=(question,)), shown))
    assert fixed.reply(asked(Annotated(answers=(("dog", 1.0),)), shown, "What is it?")) == "cat"


@each_row("share", ["0.05", "0.5", "1"])
def test_a_graded_fault_is_wrong_in_its_share_of_the_queries(share: str) -> None:
    graded = model(f"refuses@{share}")
    said = [(graded.reply(query), answer_text(truth(query.meaning, query.picture.scene))) for query in queries()]
    refused = [answer for answer, right in said if answer != right]
    assert set(refused) == {"I cannot help with that."}
    assert abs(len(refused) / len(said) - float(share)) < 0.05


def test_a_larger_share_is_wrong_where_a_smaller_one_is() -> None:
    few, many = model("refuses@0.2"), model("refuses@0.6")
    refused = [{query.id for query in queries() if each.reply(query).startswith("I cannot")} for each in (few, many)]
    assert refused[0] < refused[1]


@each_row("share", ["2", "x", "", "0", "-1", "nan", "inf", "0.5@0.5"])
def test_a_share_out_of_range_is_one_line_with_the_range(share: str) -> None:
    with pytest.raises(OptionError) as refused:
        vqamt.run(model=f"fault:always-yes@{share}", data="pictures:5")
    assert str(refused.value) == (
        "Expected a share of the queries above 0 and at most 1 after the @, such as fault:always-yes@0.05, but got "
        f"model='fault:always-yes@{share}'"
    )


def test_a_graded_fault_that_is_not_there_is_named() -> None:
    with pytest.raises(OptionError, match=r"but got model='fault:always-maybe@0\.5'; did you mean"):
        vqamt.run(model="fault:always-maybe@0.5", data="pictures:5")


def test_every_fault_can_be_graded() -> None:
    query = queries()[0]
    assert {fault: model(f"{fault}@1").reply(query) for fault in FAULTS} == {
        fault: model(fault).reply(query) for fault in FAULTS
    }


def test_a_model_that_was_not_given_the_data_says_so() -> None:
    with pytest.raises(ModelError, match=r"Expected the data that photo='other\.png' is from"):
        model("fixed-scene").reply(asked(Exists(group=Group(name="dog")), scene_of("dog", id="other")))


def test_of_two_sources_that_of_the_picture_is_answered_about() -> None:
    cats, dogs = Made(scene_of("cat", id="1"), scene_of("cat", "cow", id="2")), Made(scene_of("dog", id="3"))
    fixed = model("fixed-scene", cats, dogs)
    assert fixed.reply(asked(Exists(group=Group(name="dog")), dogs.scene(0))) == "yes"
    assert fixed.reply(asked(Exists(group=Group(name="dog")), cats.scene(1))) == "no"


def test_a_run_gives_its_data_to_the_model() -> None:
    report = vqamt.run(
        model="fault:fixed-scene", data="pictures:30", relations="metavqa.reversion[object]", max_cases=20
    )
    assert [result.pass_rate for result in report.relations] == [1.0]
    own = vqamt.run(
        model="fault:text-keyed-cache", data=world(), relations="spatial.mirror[opposite]", max_cases=20, shrink=0
    )
    assert [result.pass_rate for result in own.relations] == [0.0]
