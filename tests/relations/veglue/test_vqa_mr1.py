"""Erased from the picture and from the question alike, a thing leaves the answer as it was."""

from __future__ import annotations

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.edits import Erase, Fill
from pytest_vqamt.core.meaning import Both, Exists, Group
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue import VqaMr1
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import choosers, scene_of, thing_of
from tests.relations.deriving import derive
from tests.relations.veglue.tables import FRUIT, WITH_DISH, derived

MR1 = VqaMr1()


def test_a_case_asks_about_two_things_and_then_without_one_about_the_other() -> None:
    found = derived(MR1, FRUIT)
    assert {case.queries[0].meaning for case in found} == {
        Both(groups=(Group(name="apple"), Group(name="banana"))),
        Both(groups=(Group(name="banana"), Group(name="apple"))),
    }
    for case in found:
        first, second = case.queries
        erased = case.fact("erased")
        (left,) = {"apple", "banana"} - {erased}
        assert second.meaning == Exists(group=Group(name=left))
        assert first.picture == FRUIT.picture
        assert [thing.name for thing in second.picture.scene.objects] == [left]
        assert case.expected == "first = second"
    assert {case.fact("erased") for case in found} == {"apple", "banana"}


def test_the_papers_example_is_asked_in_the_singular() -> None:
    # Chang et al., section 6.4: "Are there apples and bananas in the image?" There is one of each here.
    asked = {tuple(query.text for query in case.queries) for case in derived(MR1, FRUIT)}
    assert ("Is there an apple and a banana in the picture?", "Is there an apple in the picture?") in asked
    assert ("Does the image contain both a banana and an apple?", "Does the image contain an apple?") in asked


def test_only_a_thing_that_is_the_one_of_its_name_is_erased() -> None:
    # Of two apples, the other would be left when the unit is dropped; the question about them may well stay.
    scene = scene_of("apple", "apple", "banana", exhaustive=("apple", "banana"))
    assert {case.fact("erased") for case in derived(MR1, scene)} == {"banana"}


def test_nothing_goes_that_stands_on_what_is_erased() -> None:
    # The dish under the banana cannot be erased without it; the banana can.
    assert {case.fact("erased") for case in derived(MR1, WITH_DISH)} == {"apple", "banana"}


def test_it_inpaints_unless_it_is_set_otherwise() -> None:
    def edits(relation: VqaMr1) -> set[tuple[Fill, str]]:
        made = [edit for case in derived(relation, FRUIT) for edit in case.queries[1].picture.edits]
        return {(edit.fill, edit.method) for edit in made if isinstance(edit, Erase)}

    assert edits(MR1) == {(Fill.INPAINT, "telea")}
    assert edits(VqaMr1(inpaint="biharmonic")) == {(Fill.INPAINT, "biharmonic")}
    assert edits(VqaMr1(erase="white")) == {(Fill.WHITE, "")}
    without_photos = derive(VqaMr1(erase="mean"), FRUIT, next(iter(choosers(1))))
    assert isinstance(without_photos, NotApplicable)


def test_what_stays_is_there_whatever_is_annotated_so_nothing_is_presumed() -> None:
    apple, dog = (thing_of(name, id=name, box=Box(x, 10, 30, 30)) for name, x in (("apple", 10), ("dog", 60)))
    found = derived(MR1, scene_of(apple, dog, exhaustive=("apple",)))
    assert found
    assert not any(case.is_presumed for case in found)


def test_where_one_of_two_is_a_speck_it_is_presumed_that_it_is_seen() -> None:
    apple, dog = thing_of("apple", id="0", box=Box(10, 10, 30, 30)), thing_of("dog", id="1", box=Box(60, 10, 15, 15))
    found = derived(MR1, scene_of(apple, dog, exhaustive=("apple", "dog")))
    assert found
    assert all(case.is_presumed for case in found)


def test_specks_are_not_asked_about_where_there_are_other_things() -> None:
    sizes = {"apple": 30, "dog": 30, "car": 12}
    things = (thing_of(n, id=n, box=Box(10 + 50 * at, 10, px, px)) for at, (n, px) in enumerate(sizes.items()))
    found = derived(MR1, scene_of(*things, exhaustive=tuple(sizes)))
    assert {case.fact("erased") for case in found} == {"apple", "dog"}
    assert not any("car" in query.text for case in found for query in case.queries)


def test_in_the_picture_world_one_thing_is_gone_and_all_others_are_as_they_were(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    for case in Plan(relation=MR1, variant="", source=world, sampling=sampling):
        _assert_one_gone(case)


def _assert_one_gone(case: Case) -> None:
    before, after = (query.picture.scene for query in case.queries)
    gone = [thing for thing in before.objects if thing not in after.objects]
    assert [thing.name for thing in gone] == [case.fact("erased")]
    assert len(after.objects) == len(before.objects) - 1
