"""With an antonym for one of its words, an entailed hypothesis is contradicted."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import Label, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import LinkedUnit, Scene, Thing
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.text_edits import AntonymSwap
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import scene_of
from tests.relations.veglue.rooms import photo, said, unit
from tests.relations.veglue.tables import derived
from tests.rows import each_row

pytestmark = pytest.mark.usefixtures("small_things_are_salient")

SWAP = AntonymSwap()
NAMES = ("man", "woman", "door", "boy", "girl", "cup")


def swaps(scene: Scene) -> set[tuple[object, object]]:
    """The words that are swapped for which."""
    return {(case.fact("word"), case.fact("instead")) for case in derived(SWAP, scene)}


def texts(scene: Scene) -> set[tuple[str, str]]:
    return {(case.queries[0].text, case.queries[1].text) for case in derived(SWAP, scene)}


def assert_it_is_contradicted(case: Case) -> None:
    first, second = case.queries
    assert first.picture == second.picture
    assert (first.task, second.task) == (Task.ENTAILMENT, Task.ENTAILMENT)
    labels = [truth(query.meaning, query.picture.scene) for query in case.queries]
    assert labels == [Label.ENTAILMENT, Label.CONTRADICTION], [query.text for query in case.queries]


def test_names_and_attributes_have_antonyms() -> None:
    scene = scene_of("standing man", "open door", exhaustive=NAMES)
    assert swaps(scene) == {("man", "woman"), ("open", "closed")}
    for case in derived(SWAP, scene):
        assert_it_is_contradicted(case)
        assert (case.expected, case.is_presumed) == ("second is contradiction", False)
    found = texts(scene)
    assert any(first.replace(" man", " woman") == second for first, second in found)
    assert ("A door is open.", "A door is closed.") in found
    kinds = [case.fact("kind") for case in derived(SWAP, scene)]
    assert min(kinds.count("name"), kinds.count("attribute")) > 30


def test_the_antonym_of_a_name_is_of_nothing_that_is_there() -> None:
    assert swaps(scene_of("man", "woman", exhaustive=NAMES)) == set()
    assert swaps(scene_of("man", "man", exhaustive=NAMES)) == {("man", "woman")}
    # A person may be a woman.
    assert swaps(scene_of("man", "person", exhaustive=("man", "woman"))) == set()


def test_the_antonym_of_an_attribute_is_borne_by_none_of_the_name() -> None:
    assert swaps(scene_of("open door", "closed door", exhaustive=NAMES)) == set()
    # Whether the other one is closed, nobody says.
    assert swaps(scene_of("open door", "door", exhaustive=NAMES)) == set()
    assert swaps(scene_of("open door", "open door", exhaustive=NAMES)) == {("open", "closed")}


def test_it_is_presumed_where_there_may_be_more() -> None:
    assert all(case.is_presumed for case in derived(SWAP, scene_of("man", "open door", exhaustive=("cup",))))


# ---- hypotheses of the data set


def of(text: str, *units: LinkedUnit, others: tuple[Thing, ...] = ()) -> Scene:
    things = {
        each.thing: Thing(
            id=each.thing, name=each.object.rpartition(" ")[2], box=Box(0, 0, 20, 20), attributes=(each.property,)
        )
        for each in units
        if each.thing
    }
    return photo(*things.values(), *others, hypotheses=(said(text, *units),))


@each_row(
    ("scene", "after"),
    [
        (of("a man is outside.", unit("man", "is outside", "m")), {"a woman is outside.", "a man is inside."}),
        (
            of("an actor is on his bike.", unit("man", "is on his bike", "m"), unit("bike", "", "b")),
            set(),  # the text has no "man"
        ),
        (of("a man is on his bike.", unit("man", "is on his bike", "m")), {"a woman is on her bike."}),
        # "Her" may be his or him.
        (of("a woman is on her bike.", unit("woman", "is on her bike", "m")), set()),
        (of("a woman hurts herself.", unit("woman", "hurts herself", "m")), {"a man hurts himself."}),
        # Whose bike?
        (of("a boy and a man on his bike.", unit("boy", "", "m"), unit("man", "on his bike", "b")), set()),
        (of("three girls play.", unit("girls", "play"), unit("ball", "", "b")), {"three boys play."}),
        (of("a young woman sits.", unit("young woman", "sits", "m")), {"a young man sits.", "an old woman sits."}),
        (of("the boy is happy", unit("boy", "is happy", "m")), {"the girl is happy", "the boy is sad"}),
        # Of people no size.
        (of("a small child plays.", unit("small child", "plays", "m")), set()),
        (of("a small dog plays.", unit("small dog", "plays", "m")), {"a large dog plays."}),
        # The text has the word twice.
        (of("a small dog has a small ball.", unit("small dog", "has a small ball", "m")), set()),
        (of("a man and a woman.", unit("man", "", "m"), unit("woman", "", "w")), set()),
        (of("a man near people.", unit("man", "near people", "m")), set()),
    ],
)
def test_words_of_published_hypotheses(scene: Scene, after: set[str]) -> None:
    assert {text for _, text in texts(scene)} == after
    for case in derived(SWAP, scene):
        assert_it_is_contradicted(case)
        assert (case.is_presumed, case.fact("shape")) == (True, "published")


def test_of_two_of_a_name_neither_is_told_by_what_it_is_like() -> None:
    another = Thing(id="2", name="dog", box=Box(50, 0, 20, 20))
    assert swaps(of("a small dog plays.", unit("small dog", "plays", "d"), others=(another,))) == set()


def test_in_the_picture_world_the_label_turns(world: PictureWorld) -> None:
    sampling = Sampling(max_cases=80, sampler=Sampler.RANDOM)
    kinds = set()
    for case in Plan(relation=SWAP, variant="", source=world, sampling=sampling):
        assert_it_is_contradicted(case)
        assert not case.is_presumed
        kinds.add(case.fact("kind"))
    assert kinds == {"name", "attribute"}
