"""What is asked, and presumed, where the background of a picture is obscured."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.box import Box
from tests.making import scene_of, thing_of
from tests.relations.carets.obscured import about, asked, cases

pytestmark = pytest.mark.usefixtures("small_things_are_salient")


class TestWhatIsNotThere:
    def test_is_no_part_or_garment_of_what_is_annotated(self) -> None:
        # Shirts are worn: where they are annotated, somebody may be in them.
        clothes, people = scene_of("shirt", "dog"), scene_of("man", "shirt", "dog", "car", id="people")
        found = asked(cases(clothes, "crop", people))
        assert found
        assert not any("man" in each for each in found)

    def test_is_no_property_where_one_thing_has_none_that_is_known(self) -> None:
        lot = scene_of("blue car", "lamp", id="lot")
        assert "blue car" not in asked(cases(scene_of("red car", "car", "dog"), "crop", lot))
        assert "blue car" in asked(cases(scene_of("red car", "dog"), "crop", lot))

    def test_is_no_plain_rectangle_where_the_background_is_painted_over(self) -> None:
        scene = scene_of("red dog", "car", exhaustive=("dog", "car", "book", "cow", "lamp"))
        other = scene_of("book", "dog", "car", "cow", "lamp", id="other")
        assert not any("book" in each for each in asked(cases(scene, "mask", other)))
        assert any("book" in each for each in asked(cases(scene, "crop", other)))


class TestWhatIsTheOnlyOne:
    BLUE = scene_of("blue car", "white cat", "white dog", "lamp", id="blue")

    def test_is_of_another_family_than_what_is_blurred(self) -> None:
        # Blurred, the cat could be a dog, and the dog a cat: neither is then the only one in sight.
        apart = (
            thing_of("brown dog", id="0", box=Box(0, 0, 40, 40)),
            thing_of("black cat", id="1", box=Box(60, 0, 40, 40)),
            thing_of("red car", id="2", box=Box(150, 50, 40, 40)),
        )
        scene = scene_of(*apart, exhaustive=("dog", "cat", "car", "lamp", "white"))
        one = {each.partition(":")[0] for each in asked(cases(scene, "blur3", self.BLUE)) if ":" in each}
        assert {each for each in one if "dog" in each or "cat" in each} == set()
        assert "car" in one
        # What is painted over is not seen at all.
        one = {each.partition(":")[0] for each in asked(cases(scene, "mask", self.BLUE)) if ":" in each}
        assert {"dog", "cat", "car"} <= one

    def test_can_be_told_by_a_colour_where_the_other_one_is_hidden(self) -> None:
        red, blue = (
            thing_of("red open car", id="0", box=Box(0, 0, 40, 40)),
            thing_of("blue car", id="1", box=Box(150, 0, 40, 40)),
        )
        scene = scene_of(red, blue, exhaustive=("car",))
        other = scene_of("closed car", "lamp", id="other")
        assert {"red car: open", "red car: closed"} <= asked(cases(scene, "crop", other))
        assert not any(each.startswith("red car:") for each in asked(cases(scene, "blur3", other)))

    def test_is_not_small_where_nothing_is_left_around_it(self) -> None:
        """Rule 7."""
        scene, other = scene_of("small red dog", "car"), scene_of("large white dog", "lamp", id="other")
        for variant in ("crop", "mask"):
            found = asked(cases(scene, variant, other))
            assert found
            assert not any(word in each for each in found for word in ("small", "large"))
        assert any("small" in each for each in asked(cases(scene, "blur3", other)))


class TestWhatIsPresumed:
    """What rests on an absence that is not annotated exhaustively."""

    @staticmethod
    def presumed(words: str, *exhaustive: str) -> set[bool]:
        scene = scene_of("red dog", "car", exhaustive=exhaustive)
        other = scene_of("white dog", "pizza", "car", "cow", id="other")
        return {case.is_presumed for case in about(scene, words, "crop", other)}

    def test_is_of_what_is_not_there(self) -> None:
        assert self.presumed("pizza") == {True}
        assert self.presumed("pizza", "pizza") == {False}
        assert self.presumed("car and pizza") == {True}

    def test_is_of_the_only_one(self) -> None:
        assert self.presumed("dog: red") == {True}
        assert self.presumed("dog: red", "dog") == {False}
        assert self.presumed("dog: red, white") == {True}

    def test_is_not_of_what_is_there_and_kept(self) -> None:
        assert self.presumed("dog") == {False}
        assert self.presumed("car and dog") == {False}
