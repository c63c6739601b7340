"""With one more thing in the picture, the caption names what it named before, and that thing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import Insert
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.language.captions.caption_reader import class_of
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.metaic import ObjectAppearance, SingularPlural
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import answers_of
from tests.relations.inserted import corpus_of, insert_of
from tests.relations.metaic.backyard import CLASSES, DOG, backyard, cases, dogs
from tests.relations.metaic.drawn import draw_many
from tests.soundness.outlines import OfCoco, OfPictureWorld
from tests.soundness.perceiver import GONE_SHARE, SEEN_SHARE
from tests.soundness.pixels import Outlines, view
from tests.soundness.samples import COCO, PICTURES, Sample, each_of

RELATION = ObjectAppearance()


def a_case(variant: str = "30", scene: Scene | None = None) -> Case:
    return cases(RELATION, variant, scene or backyard(), dogs())[0]


def test_a_case_asks_for_captions_of_the_picture_and_of_the_same_with_a_dog_in_it() -> None:
    case = a_case()
    before, after = case.queries
    assert (before.task, before.text, before.meaning) == (Task.CAPTIONING, "", Describe())
    assert (after.task, after.text, after.meaning) == (Task.CAPTIONING, "", Describe())
    assert before.picture == backyard().picture
    (edit,) = after.picture.edits
    assert isinstance(edit, Insert)
    assert edit.cutout.photo.id == "kennel.png"
    assert after.picture.scene.count("dog") == 1
    assert (case.relation, case.variant) == ("metaic.object_appearance", "30")
    assert case.expected == "second names the same kinds of things as first, and dog"


@pytest.mark.parametrize(
    ("level", "low", "high"), [("0", -1, 0), ("15", 0, 0.15), ("30", 0.15, 0.30), ("45", 0.30, 0.45)]
)
def test_the_facts_say_what_was_inserted_and_how_it_lies(level: str, low: float, high: float) -> None:
    facts = dict(a_case(level).facts)
    covered = facts.pop("covered")
    assert isinstance(covered, float)
    assert low < covered <= high
    assert facts == {"inserted": "dog", "overlap": level, "was_there": False, "objects": "1"}


def test_they_say_whether_the_class_was_there(small_things_are_salient: None) -> None:
    facts = dict(a_case(scene=backyard(DOG)).facts)
    assert (facts["was_there"], facts["objects"]) == (True, "2 to 4")


def test_where_more_of_its_kind_may_be_there_the_case_is_presumed() -> None:
    assert a_case().tags == ()
    known = tuple(name for name in CLASSES if name != "dog")
    assert a_case(scene=replace(backyard(), exhaustive=frozenset(known))).tags == ("presumed",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a bus", "a dog and a bus"),
        ("A red bus on a street.", "A red bus with a dog in front of it."),
        ("a bus and a dog", "a bus and two dogs"),
        # What it should have named it did not name before, either.
        ("a street", "a dog on a street"),
        # The number is not this relation's affair.
        ("a bus", "some dogs and two buses"),
    ],
)
def test_it_holds_where_the_inserted_class_is_added(before: str, after: str) -> None:
    verdict = RELATION.judge(a_case(), answers_of(before, after))
    assert (verdict.outcome, verdict.reason, verdict.vacuous) == (Outcome.HOLDS, "", False)
    assert verdict.figures == (("suspicious", 0.0), ("omission", 0.0), ("misclassification", 0.0))


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("a bus", "a bus", "omission"),
        ("a bus", "a dog", "omission"),
        # Yu et al., Figure 1: the inserted bird was captioned into a person.
        ("a bus", "a bus and a person", "misclassification"),
        ("a bus", "a bus, a dog and a cat", "misclassification"),
        ("a bus", "a train and a dog", "misclassification"),
    ],
)
def test_it_is_violated_where_a_class_is_missing_or_another_one_named(before: str, after: str, kind: str) -> None:
    verdict = RELATION.judge(a_case(), answers_of(before, after))
    assert verdict.outcome is Outcome.VIOLATED
    assert verdict.reason.startswith(f"{kind}: ")
    figures = dict(verdict.figures)
    assert figures == {"suspicious": 1.0, "omission": 0.0, "misclassification": 0.0} | {kind: 1.0}


def test_kinds_count_as_their_class_unless_it_is_read_as_published() -> None:
    # Yu et al., section 4.2.3: the false positives of the published reading.
    case = a_case()
    answers = answers_of("a person and a bus", "a woman, a dog and a bus")
    assert RELATION.judge(case, answers).outcome is Outcome.HOLDS
    assert ObjectAppearance(metaic="strict").judge(case, answers).outcome is Outcome.VIOLATED


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (("a bus", ""), "empty answer"),
        (("<think>a bus", "a bus and a dog"), "cut off"),
        (("I'm sorry, I cannot help with that.", "a bus and a dog"), "refusal"),
    ],
)
def test_an_empty_caption_or_a_refusal_cannot_be_read(answers: tuple[str, str], reason: str) -> None:
    verdict = RELATION.judge(a_case(), answers_of(*answers))
    assert (verdict.outcome, verdict.reason, verdict.figures) == (Outcome.UNPARSED, reason, ())
    assert "unparsed" in verdict.readings


def test_the_readings_are_the_classes_of_each_caption() -> None:
    verdict = RELATION.judge(a_case(), answers_of("two dogs near a bus", "<think>so?</think> a quiet street"))
    assert verdict.readings == ("2+ dogs, bus", "no class")


def test_nor_where_a_crowd_of_the_only_class_is_there() -> None:
    assert cases(RELATION, "0", backyard(crowds=("dog",)), dogs()) == []
    assert cases(RELATION, "0", backyard(), corpus_of([backyard()])) == []


# All eight items make the same pairs, however they are drawn: four pictures of each background and cut-out.

LEVELS = ObjectAppearance.info.variants


@pytest.mark.parametrize("sampler", [Sampler.RANDOM, pytest.param(Sampler.HYPOTHESIS, marks=pytest.mark.full)])
def test_the_cases_of_all_items_pair_up(world: PictureWorld, sampler: Sampler) -> None:
    sampling = Sampling(max_cases=25, sampler=sampler)
    drawn: list[list[Case]] = [
        list(Plan(relation=relation, variant=level, source=world, sampling=sampling))
        for relation in (ObjectAppearance(), SingularPlural())
        for level in LEVELS
    ]
    assert {len(cases) for cases in drawn} == {25}
    for pair in zip(*drawn, strict=True):
        of_appearance, of_forms = pair[: len(LEVELS)], pair[len(LEVELS) :]
        assert [case.queries for case in of_appearance] == [case.queries for case in of_forms]
        assert len({case.queries[0].id for case in pair}) == 1
        assert len({case.queries[1].id for case in pair}) == len(LEVELS)
        edits = [insert_of(case.queries[1].picture) for case in of_appearance]
        assert len({(edit.cutout.photo, edit.cutout.thing.id, edit.box.w, edit.box.h) for edit in edits}) == 1
        covered = [float(case.fact("covered") or 0) for case in of_appearance]
        assert covered == sorted(covered)
        assert covered[0] == 0 < covered[1] < covered[2] < covered[3]


# How much of what was there is left to be seen, pixel by pixel, where a thing is inserted.

WANTED = 60


def outlines_of(sample: Sample) -> Outlines:
    source = sample.load()
    if isinstance(source, PictureWorld):
        return OfPictureWorld(source)
    return OfCoco(source, Path(sample.argument) / "instances.json")


@each_of(PICTURES, full=(COCO,))
@pytest.mark.parametrize(
    ("level", "least"),
    [
        # Nothing is covered.
        ("0", 1.0),
        # All is surely seen.
        ("15", SEEN_SHARE),
        # Rule R1 has so much of the largest thing covered, and nothing is gone.
        ("30", GONE_SHARE),
        ("45", GONE_SHARE),
    ],
)
def test_nothing_that_a_caption_names_is_hidden(sample: Sample, level: str, least: float) -> None:
    outlines = outlines_of(sample)
    found = draw_many(sample.load(), range(40), WANTED)
    for scene, each in found.of[:WANTED]:
        for shown in view(each.picture(scene, level), outlines).shown:
            if shown.origin[0] == scene.photo and class_of(shown.thing.name):
                left = np.count_nonzero(shown.pixels) / shown.had
                assert left >= least, (scene.id, shown.thing.name, left)
