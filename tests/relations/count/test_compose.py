"""Two pictures side by side: which are put together, and what is counted."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.edits import Beside
from pytest_vqamt.core.meaning import truth
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.relations.count import Compose
from tests.making import answers_of, scene_of, thing_of
from tests.relations.deriving import cases_of
from tests.rows import each_row

COMPOSE = Compose()


def yard(name: str, *at: float, exhaustive: bool = True, crowd: bool = False, size: int = 40) -> Scene:
    """A picture of 200 x 100 pixels with a dog at each place from the left."""
    dogs = (thing_of("dog", id=str(place), box=Box(x, 10, size, size)) for place, x in enumerate(at))
    scene = scene_of(*dogs, exhaustive=("dog",) if exhaustive else (), crowds=("dog",) if crowd else ())
    return replace(scene, id=name, photo=Photo(id=name, digest=name))


def cases(first: Scene, second: Scene) -> list[Case]:
    some = (first, second)
    corpus = gather_corpus(some, scene=some.__getitem__)
    return cases_of(COMPOSE, first, draws=10, corpus=corpus)


def test_the_third_picture_is_both_with_a_strip_between() -> None:
    for case in cases(yard("one", 20, 80), yard("two", 60)):
        one, two, both = case.queries
        assert {query.text for query in case.queries} == {one.text}
        assert (one.picture.photo.id, two.picture.photo.id) == ("one", "two")
        assert isinstance(both.picture.edits[0], Beside)
        assert both.picture.scene.width == 200 + 6 + 200
        assert [truth(query.meaning, query.picture.scene) for query in case.queries] == [2, 1, 3]
        assert both.picture.scene.exhaustive == {"dog"}


@each_row(
    ("first", "second"),
    [
        (yard("one", 20), yard("one", 20)),
        (yard("one", 20, exhaustive=False), yard("two", 20)),
        (yard("one", 20), yard("two", 20, exhaustive=False)),
        (yard("one", 20), yard("two", 20, crowd=True)),
        # What is cut off at the seam, there and here.
        (yard("one", 160), yard("two", 20)),
        (yard("one", 20), yard("two", 0)),
        # 25 of 406 pixels are 21 of 336.
        (yard("one", 20, size=25), yard("two", 20)),
        (yard("one", 20), yard("two", 20, size=25)),
    ],
)
def test_what_is_not_certain_is_not_asked(first: Scene, second: Scene) -> None:
    assert cases(first, second) == []


def test_what_touches_the_outer_edge_is_counted() -> None:
    assert cases(yard("one", 0), yard("two", 160))


@each_row(
    ("texts", "outcome", "vacuous"),
    [
        (("2", "1", "3"), Outcome.HOLDS, False),
        (("2", "1", "2"), Outcome.VIOLATED, False),
        (("0", "0", "0"), Outcome.HOLDS, True),
        (("2", "yes", "3"), Outcome.UNPARSED, False),
        (("2", "3", "many"), Outcome.HOLDS, True),
    ],
)
def test_the_last_is_the_sum(texts: tuple[str, ...], outcome: Outcome, vacuous: bool) -> None:
    verdict = COMPOSE.judge(cases(yard("one", 20, 80), yard("two", 60))[0], answers_of(*texts))
    assert (verdict.outcome, verdict.vacuous) == (outcome, vacuous)
