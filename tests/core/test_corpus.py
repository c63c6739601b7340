"""What is gathered of a scene source, worked out by hand for three scenes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.scene import Scene
from tests.making import scene_of, thing_of


def masked(scene: Scene) -> Scene:
    return replace(scene, objects=tuple(replace(thing, has_mask=True) for thing in scene.objects))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    large, small = Box(0, 0, 30, 30), Box(0, 0, 10, 10)
    return gather_corpus(
        (
            scene_of("brown dog", "black dog", "cat", id="first", exhaustive=("dog", "cat", "cow")),
            masked(
                scene_of(
                    thing_of("brown dog", box=small),
                    thing_of("red car", id="1"),
                    id="second",
                    exhaustive=("dog", "cow"),
                )
            ),
            masked(scene_of(thing_of("dog", box=large, multi_coloured=True), id="third", exhaustive=("cow", "dog"))),
        )
    )


def test_names_are_ranked_by_the_scenes_that_have_them_then_by_the_alphabet(corpus: Corpus) -> None:
    assert corpus.scenes == 3
    assert corpus.names == ("dog", "car", "cat")
    assert list(corpus.frequency.items()) == [("dog", 3), ("car", 1), ("cat", 1)]


def test_names_occur_together_in_scenes_not_in_things(corpus: Corpus) -> None:
    assert dict(corpus.cooccurring) == {
        "car": (("dog", 1),),
        "cat": (("dog", 1),),
        "dog": (("car", 1), ("cat", 1)),
    }


def test_exhaustive_is_what_every_scene_annotates_exhaustively(corpus: Corpus) -> None:
    assert corpus.exhaustive == {"dog", "cow"}


def test_plural_are_names_that_a_scene_has_twice(corpus: Corpus) -> None:
    assert corpus.plural == {"dog"}


def test_attributes_are_counted_by_thing(corpus: Corpus) -> None:
    assert corpus.attributes["dog"] == (("brown", 2), ("black", 1))
    assert corpus.attributes["cat"] == ()


def test_one_multi_coloured_thing_marks_the_name(corpus: Corpus) -> None:
    assert corpus.multi_coloured == {"dog"}


def test_cutouts_have_a_mask_and_the_largest_comes_first(corpus: Corpus) -> None:
    assert set(corpus.cutouts) == {"dog", "car"}
    assert [entry.index for entry in corpus.cutouts["dog"]] == [2, 1]


def test_scenes_with_fewer_objects_come_first(corpus: Corpus) -> None:
    assert corpus.simplest_first == (2, 1, 0)


def test_a_corpus_cannot_be_changed(corpus: Corpus) -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        corpus.frequency["dog"] = 0  # type: ignore[index]  # what must not be possible


def test_no_scenes_make_an_empty_corpus() -> None:
    empty = gather_corpus(())
    assert (empty.scenes, empty.names, empty.exhaustive, empty.simplest_first) == (0, (), frozenset(), ())


def test_scenes_are_read_once() -> None:
    assert gather_corpus(iter([scene_of("dog"), scene_of("dog")])).frequency == {"dog": 2}
