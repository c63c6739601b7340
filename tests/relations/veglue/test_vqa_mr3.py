"""A thing that the question does not speak of can be erased without another answer."""

from __future__ import annotations

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import Both, Exists, groups_of, truth
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.veglue import VqaMr3
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of
from tests.relations.veglue.tables import FRUIT, WITH_DISH, derived

MR3 = VqaMr3()


def asked(case: Case) -> tuple[str, ...]:
    return tuple(group.name for group in groups_of(case.queries[0].meaning))


def test_a_case_asks_the_same_of_the_picture_without_something_else() -> None:
    scene = scene_of("apple", "banana", "dog", exhaustive=("apple", "banana", "dog"))
    found = derived(MR3, scene)
    for case in found:
        first, second = case.queries
        assert (first.text, first.meaning) == (second.text, second.meaning)
        assert first.picture == scene.picture
        assert len(second.picture.scene.objects) == 2
        assert case.fact("erased") not in asked(case)
        assert case.expected == "first = second"
    assert {(case.fact("erased"), frozenset(asked(case))) for case in found} == {
        (erased, frozenset(names))
        for erased, others in (("apple", "banana dog"), ("banana", "apple dog"), ("dog", "apple banana"))
        for names in (others.split(), others.split()[:1], others.split()[1:])
    }
    assert {type(case.queries[0].meaning) for case in found} == {Both, Exists}


def test_the_papers_example_is_asked_in_the_plural_where_there_are_some_of_each() -> None:
    # Chang et al., section 6.4: "Are there apples and bananas in the image?"
    names = ("apple", "apple", "banana", "banana", "dog")
    several = scene_of(*names, exhaustive=names)
    texts = {case.queries[0].text for case in derived(MR3, several, draws=500) if case.fact("erased") == "dog"}
    assert "Are there apples and bananas in the picture?" in texts
    assert any("an apple and a banana" in text for text in texts)
    # Of one banana it would be wrong to say "bananas"; so it is where one of two apples was erased, and bananas asked.
    one = scene_of("apple", "apple", "banana", "dog", exhaustive=names)
    assert not [case.queries[0].text for case in derived(MR3, one) if "bananas" in case.queries[0].text]


def test_one_of_several_of_a_name_can_be_erased_where_the_name_is_not_asked_about() -> None:
    scene = scene_of("apple", "apple", "dog", exhaustive=("apple", "dog"))
    assert {(case.fact("erased"), asked(case)) for case in derived(MR3, scene)} == {
        ("apple", ("dog",)),
        ("dog", ("apple",)),
    }


def test_what_is_erased_is_unrelated_to_what_is_asked_about() -> None:
    # A man may be in the shirt, and a puppy is a dog.
    scene = scene_of("man", "shirt", "dog", "puppy")
    assert derived(MR3, scene) == []
    tree = scene_of("man", "shirt", "tree")
    assert {(case.fact("erased"), asked(case)) for case in derived(MR3, tree)} == {
        ("man", ("tree",)),
        ("tree", ("man",)),
    }


def test_nothing_goes_that_stands_on_what_is_erased() -> None:
    assert {case.fact("erased") for case in derived(MR3, WITH_DISH)} == {"apple", "banana"}


def test_what_is_not_countable_can_be_erased_and_is_not_asked_about() -> None:
    scene = scene_of("scissors", "dog", exhaustive=("scissors", "dog"))
    assert {(case.fact("erased"), asked(case)) for case in derived(MR3, scene)} == {("scissors", ("dog",))}


def test_what_stays_is_there_whatever_is_annotated_so_nothing_is_presumed() -> None:
    scene = scene_of("tree", "dog", exhaustive=("dog",))
    assert not any(case.is_presumed for case in (*derived(MR3, scene), *derived(MR3, FRUIT)))


def test_in_the_picture_world_what_is_asked_about_is_there_before_and_after(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    for case in Plan(relation=MR3, variant="", source=world, sampling=sampling):
        before, after = (query.picture.scene for query in case.queries)
        assert all(truth(query.meaning, query.picture.scene) is True for query in case.queries)
        for name in asked(case):
            assert after.count(name) == before.count(name)
        assert [thing.name for thing in before.objects if thing not in after.objects] == [case.fact("erased")]
