"""Which things are cut out, by class."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions import CaptionReading
from pytest_vqamt.relations.metaic import insertion
from pytest_vqamt.relations.metaic.insertion import class_read, classes_that_fit, cut_outs, names_by_class
from tests.making import scene_of, thing_of
from tests.relations.inserted import corpus_of, kennel, masked

REFINED, STRICT = CaptionReading.REFINED, CaptionReading.STRICT


def widths(corpus: Corpus, name: str = "dog") -> list[float]:
    return [entry.w for entry in cut_outs(corpus, name)]


def big(scene: Scene) -> Scene:
    """The scene, so large that nothing in it is cut off."""
    return replace(scene, width=900, height=900)


def test_it_is_one_of_the_largest_fifth() -> None:
    # Ten, in scenes of their own: the largest fifth is two.
    corpus = corpus_of([kennel((side, side), name=f"kennel {side}") for side in range(100, 110)])
    assert widths(corpus) == [109, 108]


def test_one_that_something_of_a_class_was_before_or_behind_is_left_out() -> None:
    corpus = corpus_of([kennel((100, 100)), kennel((120, 100), name="walk", beside="cat")])
    assert widths(corpus) == [100]


def test_what_a_person_wears_comes_along() -> None:
    corpus = corpus_of([kennel((100, 100), words="man", beside="shirt")])
    assert widths(corpus, "man") == [100]


def test_nor_is_it_one_that_its_photo_cuts_off_or_hardly_shows() -> None:
    # In 900 pixels nobody overlooks a thing of 75 or more.
    scenes = [kennel((100, 90), name="cut off", at=(0, 50)), kennel((70, 70), name="small"), kennel((80, 80))]
    assert widths(corpus_of(scenes)) == [80]


def test_a_large_class_is_drawn_from_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of 100 the largest fifth is 20, of which every second one is 10.
    monkeypatch.setattr(insertion, "_AT_MOST", 10)
    corpus = corpus_of([kennel((width, 80), name=str(width)) for width in range(100, 200)])
    assert widths(corpus) == list(range(199, 179, -2))


def test_the_names_of_a_class_stand_together() -> None:
    people = (kennel((100, 100), words=name, name=name) for name in ("man", "girl", "dog"))
    assert names_by_class(corpus_of([*people]), REFINED) == {"dog": ("dog",), "person": ("girl", "man")}


def test_what_is_of_no_class_is_not_inserted() -> None:
    assert names_by_class(corpus_of([kennel((100, 100), words="shirt")]), REFINED) == {}


@pytest.mark.parametrize(("name", "refined"), [("dog", "dog"), ("woman", "person"), ("shirt", None)])
def test_the_class_is_that_which_a_caption_of_the_one_thing_names(name: str, refined: str | None) -> None:
    assert class_read(name, REFINED) == refined


def fitting(scene: Scene) -> set[str]:
    return set(classes_that_fit(big(scene), ("dog", "cat", "person", "scissors")))


def test_every_class_fits_a_scene_of_large_things() -> None:
    yard = scene_of(masked("dog", "0", Box(10, 10, 100, 100)), masked("man", "1", Box(200, 10, 100, 100)))
    assert fitting(yard) == {"dog", "cat", "person", "scissors"}


def test_but_none_that_a_small_thing_or_a_fragment_is_of() -> None:
    # A caption may name them or not: whether there is one dog or two afterwards is not known.
    assert fitting(scene_of(masked("dog", "0", Box(10, 10, 40, 40)))) == {"cat", "person", "scissors"}
    sliver = replace(thing_of("woman", box=Box(10, 10, 100, 100)), fragmented=True)
    assert fitting(scene_of(sliver)) == {"dog", "cat", "scissors"}


def test_nor_one_of_a_crowd() -> None:
    assert fitting(scene_of(crowds=("person",))) == {"dog", "cat", "scissors"}


def test_nor_one_whose_name_tells_no_number() -> None:
    assert fitting(scene_of(masked("scissors", "0", Box(10, 10, 100, 100)))) == {"dog", "cat", "person"}
