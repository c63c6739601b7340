"""A case is not applicable where one text has two truths on one picture, whoever asks first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import Annotated, Entails, Exists, Group, Related, Side, Unit
from pytest_vqamt.core.scene import Photo, PublishedHypothesis, PublishedQuestion, Relationship, Scene
from pytest_vqamt.language.questions import simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.contradictions import TWO_ANSWERS, TWO_MEANINGS, derive_case
from pytest_vqamt.relations.control import Repeat
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.lexical_knowledge import default_knowledge
from pytest_vqamt.relations.soundness import object_names
from tests.making import FirstOption, choosers, scene_of


class Asks(Repeat):
    """Asks one question of the scene's picture, or of an edited one."""

    question: Question
    mirrored = False

    def derive(self, draw: Draw) -> Case | NotApplicable:
        picture = draw.picture.mirror() if self.mirrored else draw.picture
        return draw.case(((picture, self.question),), expected="")


def outcome(question: Question, *scenes: Scene, same: bool = False, mirrored: bool = False) -> Case | NotApplicable:
    """What becomes of the question about the first scene; ``same``: all scenes show one picture."""
    corpus = gather_corpus(scenes, scene=scenes.__getitem__)
    if same:
        others = {each.photo.id: tuple(i for i in range(len(scenes)) if scenes[i] is not each) for each in scenes}
        corpus = replace(corpus, same_picture=others)
    rule = type("Asked", (Asks,), {"question": question, "mirrored": mirrored})()
    return derive_case(rule, scenes[0], corpus, FirstOption(), "")


def exists(name: str, *attributes: str, covers: tuple[str, ...] = (), on: str = "") -> Question:
    related = (Related(predicate="on", to=Group(name=on)),) if on else ()
    return simple.exists(Group(name=name, attributes=attributes, covers=covers, related=related))


def published(text: str, answer: str, name: str = "q") -> PublishedQuestion:
    return PublishedQuestion(id=name, text=text, answers=(answer,))


class TestTwoMeanings:
    @pytest.mark.parametrize(
        ("question", "things"),
        [
            (exists("animal"), ("dog",)),  # of the name alone there is none, of the class there is
            (exists("animal", "black"), ("black dog", "brown animal")),
            (exists("animal", "black", covers=("animal", "dog")), ("black dog", "brown animal")),
            (exists("bear", "black"), ("brown bear", "black_bear")),
            (exists("black bear"), ("black bear",)),
            (exists("dog", "red"), ("brown dog", "red dogs")),
            (simple.count(Group(name="bear", attributes=("black",))), ("black bear", "black_bear", "black_bear")),
            (simple.absent(Group(name="animal")), ("dog",)),
            # The one animal, by its name, is to the left of the car; two things are animals by their class.
            (simple.located(Group(name="animal"), Side.LEFT, Group(name="car")), ("animal", "dog", "car")),
        ],
        ids=str,
    )
    def test_with_different_truths(self, question: Question, things: tuple[str, ...]) -> None:
        assert outcome(question, scene_of(*things)) == TWO_MEANINGS

    @pytest.mark.parametrize(
        ("question", "things"),
        [
            (exists("animal"), ("dog", "animal")),
            (exists("animal"), ("cup",)),
            (exists("animal", covers=("animal", "dog")), ("dog",)),
            (exists("black bear"), ("black_bear",)),
            (exists("bear", "black"), ("black bear", "black_bear")),
            (simple.count(Group(name="animal")), ("animal", "dog")),  # things are counted by their name
            (exists("cup", on="table"), ("cup", "table")),
            (simple.located(Group(name="dog"), Side.LEFT, Group(name="car")), ("dog", "car")),
        ],
        ids=str,
    )
    def test_with_one_truth(self, question: Question, things: tuple[str, ...]) -> None:
        assert isinstance(outcome(question, scene_of(*things)), Case)

    def test_also_of_what_something_is_related_to(self) -> None:
        scene = replace(
            scene_of("cup", "furniture", "table"),
            relationships=(Relationship(subject="0", predicate="on", object="2"),),
        )
        known = default_knowledge()
        to_class = Related(predicate="on", to=known.class_group("furniture", object_names(scene)))
        asked = Question("Is there a cup on the furniture?", Exists(group=Group(name="cup", related=(to_class,))))
        assert outcome(asked, scene) == TWO_MEANINGS


class TestTheDataSetsOwn:
    ASKED = exists("dog")

    def test_a_question_with_another_answer(self) -> None:
        scene = replace(scene_of("dog"), questions=(published(self.ASKED.text, "no"),))
        assert outcome(self.ASKED, scene) == TWO_ANSWERS
        assert isinstance(outcome(exists("cup"), scene), Case)

    @pytest.mark.parametrize("answer", ["yes", "Yes."])
    def test_a_question_with_the_same_answer(self, answer: str) -> None:
        scene = replace(scene_of("dog"), questions=(published(self.ASKED.text, answer),))
        assert isinstance(outcome(self.ASKED, scene), Case)

    def test_a_number_in_words(self) -> None:
        asked = simple.count(Group(name="dog"))
        scene = replace(scene_of("dog", "dog"), questions=(published(asked.text, "two"),))
        assert isinstance(outcome(asked, scene), Case)

    def test_a_question_without_an_answer_says_nothing(self) -> None:
        unanswered = replace(published(self.ASKED.text, ""), answers=())
        assert isinstance(outcome(self.ASKED, replace(scene_of("dog"), questions=(unanswered,))), Case)

    def test_a_question_without_a_truth_has_that_of_the_data_set_unless_it_has_two(self) -> None:
        asked = Question("Is it wet?", Annotated(answers=()))
        wet, dry = published("Is it wet?", "yes", "a"), published("Is it wet?", "no", "b")
        assert isinstance(outcome(asked, replace(scene_of("dog"), questions=(wet,))), Case)
        assert outcome(asked, replace(scene_of("dog"), questions=(wet, dry))) == TWO_ANSWERS

    def test_two_questions_with_two_answers_are_not_asked_and_the_others_are(self) -> None:
        own = (
            published("Is it wet?", "yes", "a"),
            published("Is it wet?", "no", "b"),
            published("Is it red?", "no", "c"),
        )
        scene = replace(scene_of("dog"), questions=own)
        drawn = [derive_case(Repeat(), scene, gather_corpus((scene,)), choose, "") for choose in choosers(30)]
        assert {each.queries[0].text if isinstance(each, Case) else each.reason for each in drawn} == {
            "Is it red?",
            TWO_ANSWERS.reason,
        }

    def test_a_hypothesis_with_two_labels(self) -> None:
        own = PublishedHypothesis(id="h", text="A dog.", label="entailment")
        asked = Question("A dog.", Entails(units=(Unit(group=Group(name="dog")),)))
        same, other = replace(own, id="i"), replace(own, id="i", label="neutral")
        assert isinstance(outcome(asked, replace(scene_of("dog"), hypotheses=(own, same))), Case)
        assert outcome(asked, replace(scene_of("dog"), hypotheses=(own, other))) == TWO_ANSWERS


class TestScenesOfOnePicture:
    A, B = scene_of("red dog", id="a"), scene_of("cup", id="b")

    @pytest.mark.parametrize("mirrored", [False, True])
    def test_that_say_different_things(self, mirrored: bool) -> None:
        for one, other in ((self.A, self.B), (self.B, self.A)):
            assert outcome(exists("dog"), one, other, same=True, mirrored=mirrored) == TWO_ANSWERS
            assert isinstance(outcome(exists("dog"), one, other, mirrored=mirrored), Case)

    def test_that_say_the_same(self) -> None:
        assert isinstance(outcome(exists("bird"), self.A, self.B, same=True), Case)

    def test_of_which_one_has_another_answer_to_a_question(self) -> None:
        own = [replace(self.A, questions=(published("Is it wet?", answer),)) for answer in ("yes", "no")]
        scenes = [replace(scene, photo=Photo(id=name, digest="")) for scene, name in zip(own, "ab", strict=True)]
        asked = Question("Is it wet?", Annotated(answers=(("yes", 1.0),)))
        assert outcome(asked, *scenes, same=True) == TWO_ANSWERS
        assert isinstance(outcome(asked, *scenes), Case)
