"""A model does not contradict itself where it is asked for one fact in two forms."""

from __future__ import annotations

from functools import cache

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable, Outcome, Verdict
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Count, Describe, Exists, Group, WhichThere, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.models.reference.oracle import answer_text
from pytest_vqamt.relations.agree import Form
from tests.making import answers_of, choosers, scene_of, thing_of
from tests.relations.deriving import derive
from tests.rows import each_row
from tests.soundness.samples import COCO, FEW_PICTURES

FORM = Form()
NAMES = ("dog", "cat", "car", "tree", "teddy bear", "bear")
LISTED = frozenset(NAMES)


def _scene(*names: str, id: str = "1", size: float = 40, exhaustive: frozenset[str] = LISTED) -> Scene:  # noqa: A002 - the scene's id
    things = (thing_of(name, id=str(n), box=Box(n * 45 + 1, 1, size, size)) for n, name in enumerate(names))
    return scene_of(*things, id=id, exhaustive=exhaustive)


YARD = _scene("dog", "dog", "car")
OTHER = _scene("dog", "car", "cat", "tree", id="2")


@cache
def cases(variant: str, scene: Scene = YARD) -> tuple[Case, ...]:
    corpus = gather_corpus((scene, OTHER))
    found = (derive(FORM, scene, choose, variant, corpus) for choose in choosers(80))
    return tuple(each for each in found if isinstance(each, Case))


def about(variant: str, name: str) -> Case:
    def is_so(case: Case) -> bool:
        meaning = case.queries[1].meaning
        return meaning in (Exists(group=Group(name=name)), Count(groups=(Group(name=name),)))

    return next(filter(is_so, cases(variant)))


def verdict(variant: str, name: str, first: str, second: str) -> Verdict:
    return FORM.judge(about(variant, name), answers_of(first, second))


def names_asked(variant: str, scene: Scene = YARD) -> set[tuple[str, bool]]:
    found = set()
    for case in cases(variant, scene):
        meaning = case.queries[1].meaning
        group = meaning.groups[0] if isinstance(meaning, Count) else meaning.group  # type: ignore[union-attr]
        found.add((group.name, bool(case.fact("present"))))
    return found


def test_each_form_is_asked_with_the_task_that_it_needs() -> None:
    kinds = {
        variant: {tuple((type(query.meaning), query.task) for query in case.queries) for case in cases(variant)}
        for variant in FORM.info.variants
    }
    assert kinds == {
        "count_exists": {((Count, Task.VQA), (Exists, Task.VQA))},
        "choice_exists": {((WhichThere, Task.VQA), (Exists, Task.VQA))},
        "caption_exists": {((Describe, Task.CAPTIONING), (Exists, Task.VQA))},
        "caption_count": {((Describe, Task.CAPTIONING), (Count, Task.VQA))},
    }
    for variant in FORM.info.variants:
        assert {query.task for case in cases(variant) for query in case.queries} == set(FORM.info.tasks(variant))


def test_the_same_group_is_counted_and_asked_for() -> None:
    for case in cases("count_exists"):
        counted, asked = (query.meaning for query in case.queries)
        assert isinstance(counted, Count)
        assert isinstance(asked, Exists)
        assert counted.groups == (asked.group,)


def test_a_choice_is_between_what_is_there_and_what_is_not() -> None:
    for case in cases("choice_exists"):
        choice, asked = (query.meaning for query in case.queries)
        assert isinstance(choice, WhichThere)
        assert isinstance(asked, Exists)
        assert asked.group in choice.groups
        assert sum(bool(YARD.count(group.name)) for group in choice.groups) == 1
    assert names_asked("choice_exists") == {("dog", True), ("car", True), ("cat", False), ("tree", False)}


@pytest.mark.parametrize("variant", ["caption_exists", "caption_count"])
def test_captions_are_asked_about_with_what_is_there_or_not(variant: str) -> None:
    assert names_asked(variant) == {("dog", True), ("car", True), ("cat", False), ("tree", False)}


@each_row(
    ("variant", "name", "first", "second", "outcome", "vacuous"),
    [
        ("count_exists", "dog", "2", "yes", Outcome.HOLDS, False),
        ("count_exists", "dog", "0", "no", Outcome.HOLDS, False),
        ("count_exists", "dog", "2", "no", Outcome.VIOLATED, False),
        ("count_exists", "dog", "none", "yes", Outcome.VIOLATED, False),
        ("count_exists", "dog", "many", "yes", Outcome.HOLDS, False),
        ("count_exists", "dog", "several", "no", Outcome.VIOLATED, False),
        ("count_exists", "dog", "at most 3", "no", Outcome.HOLDS, True),
        ("count_exists", "dog", "brown", "yes", Outcome.UNPARSED, False),
        ("choice_exists", "dog", "a dog", "yes", Outcome.HOLDS, False),
        ("choice_exists", "dog", "a dog", "no", Outcome.VIOLATED, False),
        ("choice_exists", "cat", "the cat", "no", Outcome.VIOLATED, False),
        ("choice_exists", "cat", "the cat", "yes", Outcome.HOLDS, False),
        ("choice_exists", "dog", "purple", "yes", Outcome.UNPARSED, False),
        ("caption_exists", "dog", "A dog in a yard.", "yes", Outcome.HOLDS, False),
        ("caption_exists", "dog", "A puppy in a yard.", "no", Outcome.VIOLATED, False),
        ("caption_exists", "cat", "A cat in a yard.", "no", Outcome.VIOLATED, False),
        ("caption_exists", "dog", "A car in a yard.", "yes", Outcome.HOLDS, True),
        ("caption_exists", "dog", "A yard with no dogs.", "yes", Outcome.HOLDS, True),
        ("caption_exists", "dog", "", "yes", Outcome.UNPARSED, False),
        ("caption_count", "dog", "Two dogs in a yard.", "2", Outcome.HOLDS, False),
        ("caption_count", "dog", "Two dogs in a yard.", "3", Outcome.HOLDS, False),
        ("caption_count", "dog", "Two dogs in a yard.", "1", Outcome.VIOLATED, False),
        ("caption_count", "dog", "A dog in a yard.", "0", Outcome.VIOLATED, False),
        ("caption_count", "dog", "Three dogs in a yard.", "several", Outcome.HOLDS, False),
        ("caption_count", "dog", "A car in a yard.", "2", Outcome.HOLDS, True),
    ],
)
def test_the_verdict(variant: str, name: str, first: str, second: str, outcome: Outcome, vacuous: bool) -> None:
    if variant == "choice_exists":
        first = first if first == "purple" else first.split()[-1]
    found = verdict(variant, name, first, second)
    assert (found.outcome, found.vacuous) == (outcome, vacuous)


def test_what_is_chosen_is_there_and_the_other_is_not() -> None:
    for case in cases("choice_exists"):
        choice, asked = (query.meaning for query in case.queries)
        assert isinstance(choice, WhichThere)
        assert isinstance(asked, Exists)
        for chosen in choice.groups:
            held = "yes" if chosen == asked.group else "no"
            for answer in ("yes", "no"):
                obeys = FORM.judge(case, answers_of(chosen.name, answer)).obeys
                assert obeys == (answer == held), (chosen, asked, answer)


def test_reasoning_of_a_caption_is_no_claim() -> None:
    found = verdict("caption_exists", "dog", "<think>A dog?</think>A yard.", "no")
    assert (found.outcome, found.readings) == (Outcome.HOLDS, ("no claim", "no"))


def test_the_reason_names_both_claims() -> None:
    found = verdict("caption_count", "dog", "Two dogs.", "1")
    assert found.reason == "the answers must not contradict each other about dogs, but got at least 2, 1"


@pytest.mark.parametrize("variant", ["choice_exists", "caption_exists", "caption_count"])
def test_absence_that_is_not_guaranteed_is_presumed(variant: str) -> None:
    open_yard = _scene("dog", "dog", "car", exhaustive=frozenset())
    for case in cases(variant, open_yard):
        rests_on_absence = variant == "choice_exists" or not case.fact("present")
        assert case.is_presumed == rests_on_absence
    assert not any(case.is_presumed for case in cases("count_exists", open_yard))


@pytest.mark.parametrize("variant", ["choice_exists", "caption_exists", "caption_count"])
def test_nothing_small_or_ambiguous_is_there_for_certain(variant: str) -> None:
    assert cases(variant, _scene("dog", size=5)) == ()
    bears = {name for name, _ in names_asked(variant, _scene("bear", "teddy_bear", "dog"))}
    assert bears.isdisjoint({"bear", "teddy bear"})


def test_captions_are_read_for_names_of_a_class_only(bare: Scene) -> None:
    for scene in (bare, _scene("sock")):
        found = derive(FORM, scene, variant="caption_exists")
        assert isinstance(found, NotApplicable)


def test_captions_that_others_wrote_contradict_no_right_answer() -> None:
    """The picture world's own writer, and people: of 40 photos one caption names people that are none."""
    found = {}
    for sample in (FEW_PICTURES, COCO):
        if not sample.is_here:
            continue
        source = sample.load()
        wrong, sure = set(), 0
        for variant in ("caption_exists", "caption_count"):
            for number, choose in enumerate(choosers(80)):
                scene = source.scene(number % len(source))
                case = derive(FORM, scene, choose, variant, source.corpus)
                for caption in scene.captions if isinstance(case, Case) else ():
                    assert isinstance(case, Case)
                    right = answer_text(truth(case.queries[1].meaning, scene))
                    judged = FORM.judge(case, answers_of(caption, right))
                    wrong |= {caption} if judged.violates else set()
                    sure += not judged.vacuous
        assert sure > 60
        found[sample.name] = wrong
    assert found.get("coco", set()) <= {"Surrealistic table with food and small people lounging on mushrooms."}
    assert found["few-pictures"] == set()
