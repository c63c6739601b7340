"""Arguments are drawn as often as their weights say.

The rarer in the data, the likelier is what is there; the more frequent, the likelier is what is false. Each test
compares many draws from a made corpus with weights that are worked out by hand (chi-square), and would fail, with
p < 1e-6, were all as likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

from pytest_vqamt.core.meaning import Choice, Exists, groups_of
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations import carets_arguments as weights
from pytest_vqamt.relations.carets import sample_hypernym, sample_hyponym
from pytest_vqamt.relations.carets_arguments import Argument
from pytest_vqamt.relations.carets_verifying import antonym_arguments
from tests.making import scene_of
from tests.relations.carets.draws import KNOWN, arguments, corpus_of, many, one_is, short, view_of

stats = pytest.importorskip("scipy.stats")

DRAWS = 3000


def of(counted: Mapping[str, int]) -> tuple[Scene, ...]:
    """Other scenes, of one thing each: "dog": 3 gives three with a dog alone."""
    return tuple(scene_of(words, id=f"{words} {n}") for words, times in counted.items() for n in range(times))


def beside(companion: str, counted: Mapping[str, int]) -> tuple[Scene, ...]:
    """Other scenes, of the companion and one thing each."""
    return tuple(
        scene_of(companion, words, id=f"{companion} {words} {n}")
        for words, times in counted.items()
        for n in range(times)
    )


def p_of(drawn: Counter[str], weighted: Mapping[str, float]) -> float:
    """How likely such counts, or less fitting ones, are if the weights are right."""
    total = sum(weighted.values())
    expected = [drawn.total() * weighted[word] / total for word in weighted]
    return float(stats.chisquare([drawn[word] for word in weighted], expected).pvalue)


def assert_drawn_by(found: Iterable[str], weighted: Mapping[str, float], at_least: int = 700) -> None:
    drawn = Counter(found)
    assert set(drawn) == set(weighted)
    assert drawn.total() >= at_least
    assert p_of(drawn, weighted) > 0.001, drawn
    assert p_of(drawn, dict.fromkeys(weighted, 1)) < 1e-6, "the test could not tell"


def test_it_can_tell_weights_from_others() -> None:
    drawn = Counter({"a": 630, "b": 370})
    assert p_of(drawn, {"a": 2, "b": 1}) < p_of(drawn, {"a": 1.7, "b": 1}) == pytest.approx(0.98, abs=0.03)


class TestVerifying:
    HERE = scene_of("dog", "car", "bed")
    # With the scene itself, dogs are in 1 scene, cars in 2 and beds in 5. A cow and a pizza are plausible.
    OTHERS = (*of({"car": 1, "bed": 4}), scene_of("cow", "pizza", id="farm"))

    def names(self, type_: QuestionType) -> list[Argument]:
        return [each for each in arguments(type_, view_of(self.HERE, *self.OTHERS), DRAWS) if each.truth == "yes"]

    def test_names_that_are_there_by_how_rare_they_are(self) -> None:
        found = (each.subject for each in self.names(QuestionType.OBJECT))
        assert_drawn_by(found, {"dog": 1, "car": 1 / 2, "bed": 1 / 5})

    def test_pairs_by_how_rare_both_are(self) -> None:
        found = (short(each.asking.meaning) for each in self.names(QuestionType.CONJUNCTION))
        assert_drawn_by(found, {"car and dog": 1 / 2, "bed and dog": 1 / 5, "bed and car": 1 / 10})

    def test_the_one_of_two_that_is_there_by_how_rare_it_is(self) -> None:
        groups = (groups_of(each.asking.meaning) for each in self.names(QuestionType.DISJUNCTION))
        found = (group.name for pair in groups for group in pair if group.name in ("dog", "car", "bed"))
        assert_drawn_by(found, {"dog": 1, "car": 1 / 2, "bed": 1 / 5})

    def test_what_stands_in_a_relation_by_how_rare_it_is(self) -> None:
        here = scene_of("dog", "car", "bed", "cup", relationships=[one_is("near", str(n), "3") for n in range(3)])
        drawn = arguments(QuestionType.OBJECT, view_of(here, *self.OTHERS), 2 * DRAWS)
        found = (each.subject for each in drawn if each.is_related and each.truth == "yes")
        assert_drawn_by(found, {"dog": 1, "car": 1 / 2, "bed": 1 / 5})

    def test_absent_names_by_how_often_they_occur_with_what_is_there(self) -> None:
        others = beside("dog", {"car": 1, "bed": 3, "pizza": 6})
        drawn = arguments(QuestionType.OBJECT, view_of(scene_of("dog"), *others), DRAWS)
        assert_drawn_by((each.subject for each in drawn if each.truth == "no"), {"car": 1, "bed": 3, "pizza": 6})

    def test_absent_names_by_any_thing_that_is_there(self) -> None:
        # Beside the dog a car, a bed as 1 to 3; beside the lamp, as 9 to 1: of both, 0.25 + 0.9 to 0.75 + 0.1.
        others = (*beside("dog", {"car": 1, "bed": 3}), *beside("pizza", {"car": 9, "bed": 1}))
        drawn = arguments(QuestionType.OBJECT, view_of(scene_of("dog", "pizza"), *others), 2 * DRAWS)
        assert_drawn_by((each.subject for each in drawn if each.truth == "no"), {"car": 1.15, "bed": 0.85})

    def test_attributes_of_its_own_by_how_rare_they_are(self) -> None:
        # Red is this car alone, open four doors beside it, and clean nine cups.
        here = scene_of("red open clean car")
        others = of({"open door": 4, "clean cup": 9, "blue boat": 1, "closed car": 1, "dirty plate": 1})
        drawn = arguments(QuestionType.ATTRIBUTE, view_of(here, *others), DRAWS)
        assert_drawn_by(
            (each.subject for each in drawn if each.truth == "yes"), {"red": 1, "open": 1 / 5, "clean": 1 / 10}
        )

    def test_false_attributes_by_how_frequent_they_are(self) -> None:
        others = of({"blue boat": 2, "white cup": 5, "white plate": 5, "black cat": 1})
        drawn = arguments(QuestionType.ATTRIBUTE, view_of(scene_of("red car"), *others), DRAWS)
        found = (each.subject for each in drawn if each.truth == "no")
        assert_drawn_by(found, {"blue": 2, "white": 10, "black": 1})

    def test_antonyms_by_how_rare_the_annotated_one_is(self) -> None:
        view = view_of(scene_of("open clean car"), *of({"open door": 3, "clean cup": 11, "closed car": 1}))
        pairs = many(lambda choose: antonym_arguments(view, choose), DRAWS)
        words = (each.subject for pair in pairs for each in pair if each.truth == "yes")
        assert_drawn_by(words, {"open": 1 / 4, "clean": 1 / 12})


class TestChoosing:
    HERE = scene_of("black dog", "black guitar", "red car")
    # Dogs 1, cats 5: animals in 6 scenes; guitars 1, drums 2: instruments in 3; cars 2, boats 8: vehicles in 10.
    OTHERS = of({"cat": 5, "drum": 2, "car": 1, "boat": 8})

    def test_classes_and_names_by_how_rare_both_are(self) -> None:
        drawn = arguments(QuestionType.OBJECT_CHOICE, view_of(self.HERE, *self.OTHERS), DRAWS)
        assert_drawn_by((each.truth for each in drawn), {"dog": 1 / 1 / 6, "guitar": 1 / 1 / 3, "car": 1 / 2 / 10})

    def test_false_names_by_how_frequent_they_are(self) -> None:
        view = view_of(scene_of("black dog"), *of({"cat": 6, "horse": 2, "sheep": 1}))
        drawn = arguments(QuestionType.OBJECT_CHOICE, view, DRAWS)
        assert_drawn_by(_false_of_two(drawn), {"cat": 6, "horse": 2, "sheep": 1})

    def test_a_second_false_name_by_how_frequent_it_is_among_the_rest(self) -> None:
        view = view_of(scene_of("black dog"), *of({"cat": 6, "horse": 2, "sheep": 1}))
        drawn = arguments(QuestionType.OBJECT_CHOICE, view, DRAWS)
        # Cat and horse: 6/9 * 2/3 + 2/9 * 6/7; cat and sheep: 6/9 * 1/3 + 1/9 * 6/8; horse and sheep: the rest.
        cat_horse, cat_sheep = 6 / 9 * 2 / 3 + 2 / 9 * 6 / 7, 6 / 9 * 1 / 3 + 1 / 9 * 6 / 8
        pairs = (" ".join(sorted(set(options) - {"dog"})) for options in _options(drawn) if len(options) == 3)
        by = {"cat horse": cat_horse, "cat sheep": cat_sheep, "horse sheep": 1 - cat_horse - cat_sheep}
        assert_drawn_by(pairs, by)

    def test_attributes_by_how_rare_they_and_their_category_are(self) -> None:
        # Red is borne by 2, a color by 2 + 3 (blue) + 5 (white) = 10; square by 1, a shape by 1 + 4 (round) = 5.
        # Neither is borne by more than the middle one (blue by 3, square by 1), so nothing that they answer is dropped.
        here = scene_of("red square box")
        others = of({"red cup": 1, "blue cup": 3, "white cup": 5, "round ball": 4})
        drawn = arguments(QuestionType.ATTRIBUTE_CHOICE, view_of(here, *others), DRAWS)
        assert_drawn_by((each.subject for each in drawn), {"red": 1 / 2 / 10, "square": 1 / 1 / 5})

    def test_false_attributes_by_how_often_things_of_the_name_have_them(self) -> None:
        view = view_of(scene_of("red car"), *of({"blue car": 1, "white car": 7, "green boat": 50}))
        drawn = arguments(QuestionType.ATTRIBUTE_CHOICE, view, DRAWS)
        assert_drawn_by(_false_of_two(drawn), {"blue": 1, "white": 7})

    def test_actions_by_how_rare_they_and_their_category_are(self) -> None:
        # Sitting is borne by 4, a pose by 4 + 3 (standing) = 7; walking by 1, an activity by 1 + 2 (sleeping) = 3.
        # In the middle of the poses is standing, with 3: of 4 where sitting is right so many are kept.
        here = scene_of("sitting man", "walking dog")
        others = of({"sitting cat": 3, "standing cat": 3, "sleeping dog": 2})
        by = {"sitting": 1 / 4 / 7 * 3 / 4, "walking": 1 / 1 / 3}
        drawn = arguments(QuestionType.ACTION_CHOICE, view_of(here, *others), DRAWS)
        assert_drawn_by((each.subject for each in drawn), by)


class TestKinds:
    def test_classes_of_what_is_there_by_how_rare_both_are(self) -> None:
        view = view_of(scene_of("dog", "car"), *of({"cat": 3, "car": 1, "bus": 6}))
        pairs = many(lambda choose: sample_hypernym(view, choose), DRAWS)
        # A dog in 1 scene, an animal in 4; a car in 2, a vehicle in 8.
        assert_drawn_by((_name(pair[0]) for pair in pairs), {"dog": 1 / 1 / 4, "car": 1 / 2 / 8})

    def test_kinds_of_what_is_not_there_by_how_rare_both_are(self) -> None:
        view = view_of(scene_of("bed"), *beside("bed", {"dog": 1, "cat": 4, "car": 2}))
        pairs = many(lambda choose: sample_hyponym(view, choose), DRAWS)
        # Animals in 5 scenes, vehicles in 2.
        by = {"dog": 1 / 1 / 5, "cat": 1 / 4 / 5, "car": 1 / 2 / 2}
        assert_drawn_by((_name(pair[1]) for pair in pairs), by)


class TestWeights:
    """By hand, without a draw."""

    CORPUS = corpus_of(
        scene_of("red dog", "red dog", "blue car"), scene_of("dog", id="b"), scene_of("wood cat", "green car", id="c")
    )

    def test_of_a_name_is_one_over_the_scenes_with_it(self) -> None:
        assert [weights.name_weight(name, self.CORPUS) for name in ("dog", "car", "cat", "cow")] == [1 / 2, 1 / 2, 1, 1]

    def test_of_an_attribute_is_one_over_the_things_that_bear_it(self) -> None:
        assert [weights.attribute_weight(word, self.CORPUS) for word in ("red", "blue", "wood", "old")] == [
            1 / 2,
            1,
            1,
            1,
        ]

    def test_of_a_class_is_also_one_over_the_scenes_with_its_names(self) -> None:
        # Animals: dogs in 2 scenes and cats in 1. Vehicles: cars in 2.
        assert weights.class_and_name_weight("animal", "dog", self.CORPUS, KNOWN) == pytest.approx(1 / 2 / 3)
        assert weights.class_and_name_weight("animal", "cat", self.CORPUS, KNOWN) == pytest.approx(1 / 1 / 3)
        assert weights.class_and_name_weight("vehicle", "car", self.CORPUS, KNOWN) == pytest.approx(1 / 2 / 2)
        assert weights.class_and_name_weight("food", "pizza", self.CORPUS, KNOWN) == 1

    def test_of_a_category_is_also_one_over_the_things_that_bear_any_of_it(self) -> None:
        # Four colors are borne: red twice, blue, green.
        assert weights.category_and_attribute_weight("red", self.CORPUS, KNOWN) == pytest.approx(1 / 2 / 4)
        assert weights.category_and_attribute_weight("green", self.CORPUS, KNOWN) == pytest.approx(1 / 1 / 4)
        assert weights.category_and_attribute_weight("wood", self.CORPUS, KNOWN) == 1

    def test_kept_is_all_that_is_borne_no_more_often_than_the_one_in_the_middle_of_its_category(self) -> None:
        # In the middle of 1, 2, 2 + 1 and 4, from below, is 2. Wood is the only material.
        counted = {"blue car": 1, "green car": 2, "white cat": 2, "white car": 1, "red cup": 4, "wood box": 9}
        corpus = corpus_of(*of(counted))
        kept = {
            word: weights.keep_probability(word, corpus, KNOWN) for word in ("blue", "green", "white", "red", "wood")
        }
        assert kept == {"blue": 1, "green": 1, "white": 2 / 3, "red": 2 / 4, "wood": 1}

    def test_kept_is_at_least_one_in_four(self) -> None:
        corpus = corpus_of(*of({"standing man": 3, "standing dog": 20, "lying cat": 1, "running man": 9}))
        kept = [weights.keep_probability(word, corpus, KNOWN) for word in ("standing", "lying", "running")]
        assert kept == [1 / 4, 1, 1]  # 1 / 23 is less; running is no pose


def _options(drawn: Iterable[Argument]) -> list[tuple[str, ...]]:
    return [each.asking.meaning.options for each in drawn if isinstance(each.asking.meaning, Choice)]


def _false_of_two(drawn: Iterable[Argument]) -> list[str]:
    """The false option, where there are two."""
    found = list(drawn)
    pairs = zip(found, _options(found), strict=True)
    return [option for each, options in pairs if len(options) == 2 for option in options if option != each.truth]


def _name(argument: Argument) -> str:
    assert isinstance(argument.asking.meaning, Exists)
    return argument.asking.meaning.group.name
