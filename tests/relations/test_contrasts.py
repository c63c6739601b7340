"""Which cases get a contrast, what it must answer, and what a guess reaches."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Change, Contrast, Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Erase
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Exists,
    Has,
    Meaning,
    Property,
    WhichThere,
)
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.relations.chance import ChanceOfCases
from pytest_vqamt.relations.contrasts import judge_contrast, with_contrast
from pytest_vqamt.relations.published import question_of
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Sampler
from tests.making import answers_of, group_of, scene_of, thing_of

ALL = ("dog", "cat", "car", "cup", "tree", "umbrella", "animal", "vehicle")
NEGATION = get("metavqa.reversion")


def scenes_of(*made: Scene) -> Corpus:
    return gather_corpus(made, scene=made.__getitem__)


def scene(name: str, *things: str, exhaustive: Sequence[str] = ALL, apart: bool = False) -> Scene:
    """Large things whose boxes overlap, unless they stand apart, so that none can be covered alone."""
    step = 50 if apart else 35
    made = (thing_of(each, id=str(at), box=Box(step * at + 1, 10, 40, 40)) for at, each in enumerate(things))
    return scene_of(*made, id=name, exhaustive=exhaustive)


def asked(of: Scene, *meanings: Meaning, task: Task = Task.VQA) -> Case:
    return Case(
        relation="ours.test",
        variant="",
        scene=of.id,
        queries=tuple(Query(picture=of.picture, text=repr(each), meaning=each, task=task) for each in meanings),
        expected="",
    )


def contrast_of(meaning: Meaning, here: Scene, *others: Scene) -> Contrast | None:
    corpus = scenes_of(here, *others)
    return with_contrast(NEGATION, asked(here, meaning), corpus, 1.0).contrast


DOG, CAT = Exists(group=group_of("dog")), Exists(group=group_of("cat"))


@pytest.mark.parametrize(
    ("meaning", "here", "there", "change"),
    [
        (DOG, ("dog", "car"), ("car",), Change.OTHER),
        (DOG, ("car",), ("dog", "car"), Change.OTHER),
        (Absent(group=group_of("dog")), ("car",), ("dog",), Change.OTHER),
        (Both(groups=(group_of("dog"), group_of("car"))), ("dog", "car"), ("car",), Change.OTHER),
        (Count(groups=(group_of("dog"),)), ("dog", "car"), ("dog", "dog", "car"), Change.MORE),
        (Count(groups=(group_of("dog"),)), ("dog", "dog", "car"), ("dog", "car"), Change.LESS),
        (Count(groups=(group_of("dog"), group_of("car"))), ("dog", "car"), ("tree",), Change.LESS),
        (Exists(group=group_of("red car")), ("red car",), ("blue car",), Change.OTHER),
        (Has(group=group_of("car"), attribute="red"), ("red car",), ("blue car",), Change.OTHER),
        (Choice(what=group_of("car"), options=("red", "blue")), ("red car",), ("blue car",), Change.OTHER),
    ],
)
def test_another_picture_has_another_right_answer(
    meaning: Meaning, here: tuple[str, ...], there: tuple[str, ...], change: Change
) -> None:
    found = contrast_of(meaning, scene("here", *here), scene("there", *there))
    assert found is not None
    assert found.change is change
    assert not found.presumed
    assert found.query.picture.digest != scene("here", *here).picture.digest


@pytest.mark.parametrize(
    ("meaning", "here", "there"),
    [
        (DOG, ("car",), ("tree",)),  # there is none anywhere
        (Has(group=group_of("car"), attribute="red"), ("red car",), ("blue car", "green car")),  # which of them?
        (Choice(what=group_of("car"), options=("red", "blue")), ("red car",), ("green car",)),  # neither
        (Exists(group=group_of("red car")), ("blue car",), ("clean car",)),  # it may be red
    ],
)
def test_there_is_none_where_no_other_answer_is_certain(
    meaning: Meaning, here: tuple[str, ...], there: tuple[str, ...]
) -> None:
    assert contrast_of(meaning, scene("here", *here), scene("there", *there)) is None


def test_what_rests_on_what_is_not_annotated_is_presumed() -> None:
    here, there = (scene(named[0], *named, exhaustive=()) for named in (("dog", "car"), ("car", "cup")))
    found = contrast_of(DOG, here, there)
    assert found is not None
    assert found.presumed


def test_a_class_covers_the_names_of_the_other_scene() -> None:
    here, there = scene("here", "car", "cup"), scene("there", "dog", "cat", "cup")
    animal = get("carets.rephrase").known.class_group("animal", object_names(here))  # type: ignore[attr-defined]  # a LexicalRelation
    found = contrast_of(Exists(group=animal), here, there)
    assert found is not None
    assert isinstance(found.query.meaning, Exists)
    assert set(found.query.meaning.group.covers) == {"animal", "dog", "cat"}


def test_the_same_published_question_with_another_answer() -> None:
    def made(name: str, *answers: str) -> Scene:
        question = PublishedQuestion(id=name, text="What is it?", answers=answers)
        return replace(scene_of("dog", id=name), questions=(question,))

    def published(of: Scene, *answers: tuple[str, float]) -> Case:
        return asked(of, Annotated(answers=answers))

    here, same, unsure, other = made("1", "a cat"), made("2", "cat"), made("3", "dog", "cat"), made("4", "dog")
    corpus = scenes_of(here, same, unsure, other)
    case = published(here, ("cat", 1.0))
    case = replace(case, queries=(replace(case.queries[0], text="What is it?"),))
    found = with_contrast(NEGATION, case, corpus, 1.0).contrast
    assert found is not None
    assert found.scene == "4"
    divided = replace(case.queries[0], meaning=Annotated(answers=(("cat", 0.6), ("dog", 0.4))))
    assert with_contrast(NEGATION, replace(case, queries=(divided,)), corpus, 1.0).contrast is None


def test_captions_name_what_only_the_other_picture_shows() -> None:
    here, there = scene("here", "dog", "car"), scene("there", "cat", "car")
    found = with_contrast(NEGATION, asked(here, Describe(), task=Task.CAPTIONING), scenes_of(here, there), 1.0).contrast
    assert found is not None
    assert (found.change, found.names) == (Change.NAMES, ("cat",))


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (("gray",), ("silver",), False),  # both may be right of one car
        (("black",), ("black and white",), False),
        (("couch",), ("sofa",), False),
        (("couch",), ("dog",), True),
        (("red",), ("blue",), True),
        (("2",), ("3",), True),
        (("dog",) * 9 + ("brown animal",), ("brown animal",), False),  # an annotator of the one gave the other
    ],
)
def test_published_answers_in_other_words_may_both_be_right(
    one: tuple[str, ...], other: tuple[str, ...], differ: bool
) -> None:
    def made(name: str, answers: tuple[str, ...]) -> Scene:
        question = PublishedQuestion(id=name, text="What is it?", answers=answers)
        return replace(scene_of("dog", id=name), questions=(question,))

    here, there = made("1", one), made("2", other)
    for first, second in ((here, there), (there, here)):
        question = question_of(first.questions[0])
        case = asked(first, question.meaning)
        case = replace(case, queries=(replace(case.queries[0], text=question.text),))
        contrast = with_contrast(NEGATION, case, scenes_of(first, second), 1.0).contrast
        assert (contrast is not None and contrast.change is Change.OTHER) is differ


@pytest.mark.parametrize(
    ("here", "there", "names"),
    [
        ((), (), ("cat", "cup")),  # where nobody has said anything, all that is there
        ((), ("a cat",) * 4 + ("a pet",), ("cat",)),
        ((), ("a cat",) * 3 + ("a room",) * 2, ()),
        (("a dog that looks at a cat",), ("a cat",), ()),
    ],
)
def test_a_caption_must_name_only_what_people_name(
    here: tuple[str, ...], there: tuple[str, ...], names: tuple[str, ...]
) -> None:
    first = replace(scene("here", "dog", "car"), captions=here)
    second = replace(scene("there", "cat", "cup"), captions=there)
    case = asked(first, Describe(), task=Task.CAPTIONING)
    found = with_contrast(NEGATION, case, scenes_of(first, second), 1.0).contrast
    assert (found.names if found else ()) == names


def test_equal_counts_give_no_contrast() -> None:
    two, number = scene("two", "dog", "dog", "car"), Count(groups=(group_of("dog"),))
    assert contrast_of(number, two, scene("also two", "dog", "dog", "cat")) is None
    # One more or less than two does.
    for dogs, change in ((3, Change.MORE), (1, Change.LESS)):
        found = contrast_of(number, two, scene("other", *["dog"] * dogs, "cat"))
        assert found is not None
        assert found.change is change


@pytest.mark.parametrize("meaning", [DOG, Count(groups=(group_of("dog"),))])
def test_the_same_picture_with_what_is_asked_about_covered_comes_first(meaning: Meaning) -> None:
    found = contrast_of(meaning, scene("here", "dog", "car", apart=True), scene("there", "car"))
    assert found is not None
    assert found.scene == "here"
    (edit,) = found.query.picture.edits
    assert isinstance(edit, Erase)
    assert [thing.name for thing in found.query.picture.scene.objects] == ["car"]


def test_nothing_is_covered_by_what_may_be_taken_for_it() -> None:
    meaning = Exists(group=group_of("white dog"))
    found = contrast_of(meaning, scene("here", "white dog", apart=True), scene("there", "car"))
    assert found is not None
    assert found.scene == "there"


# Which cases


def drawn(contrast: float = 0.5, item: str = "control.repeat", shard: tuple[int, int] = (1, 1)) -> dict[str, Case]:
    sampling = Sampling(max_cases=200, sampler=Sampler.RANDOM, contrast=contrast, shard=shard)
    return {case.id: case for case in Plan(get(item), "", PictureWorld(200), sampling)}


def test_the_share_of_cases_is_chosen_by_their_ids() -> None:
    none, half, all_ = (drawn(share) for share in (0.0, 0.5, 1.0))
    assert none.keys() == half.keys() == all_.keys(), "a contrast is no part of the identity"
    assert not any(case.contrast for case in none.values())
    with_half = [case for case in half.values() if case.contrast]
    assert 70 < len(with_half) < 130
    assert all(case.contrast == all_[case.id].contrast for case in with_half)


def test_shards_have_the_contrasts_of_the_whole() -> None:
    whole = drawn()
    shards = [drawn(shard=(number, 3)) for number in (1, 2, 3)]
    assert {name: case for shard in shards for name, case in shard.items()} == whole
    assert [case.contrast for shard in shards for case in shard.values()] == [
        whole[name].contrast for shard in shards for name in shard
    ]


class Fixed:
    """A relation of two yes/no questions that must be answered alike."""

    def __init__(self, **changes: object) -> None:
        self.info = replace(NEGATION.info, pairs=None, **changes)

    def derive(self, *_: object) -> Case:
        raise NotImplementedError

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return Verdict(outcome=Outcome.HOLDS if len({each.text for each in answers}) == 1 else Outcome.VIOLATED)


@pytest.mark.parametrize("relation", [Fixed(directional=("",)), Fixed(contrast=False)], ids=["directional", "off"])
def test_no_case_of_such_a_relation_has_one(relation: Relation) -> None:
    here, there = scene("here", "dog"), scene("there", "car")
    corpus = scenes_of(here, there)
    assert with_contrast(Fixed(), asked(here, DOG), corpus, 1.0).contrast
    assert not with_contrast(relation, asked(here, DOG), corpus, 1.0).contrast


def test_a_relation_may_say_of_which_question() -> None:
    here, there = scene("here", "dog"), scene("there", "cat")
    corpus = scenes_of(here, there)

    def of(contrast: bool | int) -> int | None:
        relation = vqamt.relation("ours.test", expect=vqamt.same_answer, contrast=contrast)(lambda *_: NotImplemented)
        found = with_contrast(relation, asked(here, DOG, CAT), corpus, 1.0).contrast
        return found.of if found else None

    assert [of(True), of(0), of(1), of(2), of(False)] == [0, 0, 1, None, None]


# Verdicts


def contrasted(meaning: Meaning, change: Change, names: tuple[str, ...] = (), task: Task = Task.VQA) -> Case:
    case = asked(scene("here", "dog"), meaning, task=task)
    there = replace(case.queries[0], picture=scene("there", "car").picture)
    return replace(case, contrast=Contrast(of=0, query=there, scene="there", change=change, names=names))


NUMBER = Count(groups=(group_of("dog"),))


@pytest.mark.parametrize(
    ("meaning", "change", "answers", "outcome"),
    [
        (DOG, Change.OTHER, ("yes", "no"), Outcome.HOLDS),
        (DOG, Change.OTHER, ("no", "yes, one"), Outcome.HOLDS),  # wrong both times, but another answer
        (DOG, Change.OTHER, ("yes", "Yes."), Outcome.VIOLATED),
        (DOG, Change.OTHER, ("yes", "a bird"), Outcome.UNPARSED),
        (DOG, Change.OTHER, ("", "no"), Outcome.UNPARSED),
        (NUMBER, Change.MORE, ("1", "two"), Outcome.HOLDS),
        (NUMBER, Change.MORE, ("2", "1"), Outcome.VIOLATED),
        (NUMBER, Change.LESS, ("2", "1"), Outcome.HOLDS),
        (NUMBER, Change.LESS, ("1", "1"), Outcome.VIOLATED),
        (NUMBER, Change.MORE, ("2", "many"), Outcome.HOLDS),  # arithmetic cannot order them
        (NUMBER, Change.MORE, ("many", "many"), Outcome.VIOLATED),
        (Choice(what=group_of("car"), options=("red", "blue")), Change.OTHER, ("red", "blue"), Outcome.HOLDS),
        (Choice(what=group_of("car"), options=("red", "blue")), Change.OTHER, ("red", "it is red"), Outcome.VIOLATED),
    ],
)
def test_the_answer_must_differ_as_the_right_ones_do(
    meaning: Meaning, change: Change, answers: tuple[str, str], outcome: Outcome
) -> None:
    own, other = answers_of(*answers)
    found = judge_contrast(contrasted(meaning, change), [own], other)
    assert found.outcome is outcome
    assert bool(found.reason) is (outcome is not Outcome.HOLDS)


@pytest.mark.parametrize(
    ("captions", "outcome"),
    [
        (("a dog", "a cat in a car"), Outcome.HOLDS),
        (("a dog", "a car"), Outcome.VIOLATED),  # the cat is the only thing that this picture does not show
        (("a dog and a cat", "a cat"), Outcome.VIOLATED),  # said of both
        (("a dog", ""), Outcome.UNPARSED),
    ],
)
def test_a_caption_must_name_what_is_new(captions: tuple[str, str], outcome: Outcome) -> None:
    case = contrasted(Describe(), Change.NAMES, ("cat",), Task.CAPTIONING)
    own, other = answers_of(*captions)
    assert judge_contrast(case, [own], other).outcome is outcome


def test_without_an_answer_it_is_an_error() -> None:
    case = contrasted(DOG, Change.OTHER)
    failure = Failure(reason="no power")
    assert judge_contrast(case, [Answer("yes")], failure).outcome is Outcome.ERROR
    assert judge_contrast(case, [failure], Answer("yes")).reason == "no power"


def test_a_case_without_one_cannot_be_judged() -> None:
    with pytest.raises(VqamtError, match="with a contrast"):
        judge_contrast(asked(scene("here", "dog"), DOG), [Answer("yes")], Answer("no"))


# Chance


@pytest.mark.parametrize(
    ("item", "meanings", "change", "chance"),
    [
        ("control.repeat", (DOG, CAT), Change.OTHER, 1 / 2 * 1 / 2),
        ("control.repeat", (DOG,), Change.OTHER, 1 / 2),  # one query holds always
        ("metavqa.reversion", (DOG, CAT), Change.OTHER, 1 / 2 * 1 / 2),
        ("control.repeat", (NUMBER, Count(groups=(group_of("cat"),))), Change.MORE, 1 / 6 * 15 / 36),
        ("control.repeat", (Choice(what=group_of("car"), options=("red", "blue", "green")),), Change.OTHER, 2 / 3),
        ("control.repeat", (Describe(),), Change.NAMES, 0.0),
    ],
)
def test_what_guessing_reaches(item: str, meanings: tuple[Meaning, ...], change: Change, chance: float) -> None:
    case = asked(scene("here", "dog"), *meanings)
    there = replace(case.queries[0], picture=scene("there", "car").picture)
    case = replace(case, contrast=Contrast(of=0, query=there, scene="there", change=change))
    chances = ChanceOfCases(get(item))
    assert [chances.of(case), chances.of(case)] == pytest.approx([chance] * 2)


def test_what_guessing_reaches_without_a_contrast() -> None:
    assert ChanceOfCases(get("metavqa.reversion")).of(asked(scene("here", "dog"), DOG, CAT)) == 1 / 2


def test_what_guessing_reaches_among_options_and_properties() -> None:
    here, dog, cat = scene("here", "dog"), group_of("dog"), group_of("cat")
    two = WhichThere(groups=(dog, cat))
    assert ChanceOfCases(get("negation.scope")).of(asked(here, two, replace(two, missing=True))) == 1 / 2
    offered = WhichThere(groups=(dog, cat), or_none=True), WhichThere(groups=(cat,), or_none=True)
    assert ChanceOfCases(get("choice.none")).of(asked(here, *offered)) == 2 / 3 * 1 / 2
    of = Property(group=dog, category="color", values=("red", "blue"))
    assert ChanceOfCases(get("absent.premise")).of(asked(here, of, replace(of, group=cat))) == pytest.approx(
        2 / 3 * 1 / 3
    )


def test_a_contrast_of_a_property_needs_values_that_exclude_each_other() -> None:
    of = Property(group=group_of("car"), category="color", values=("red", "blue", "pink"))
    for other, found in (("blue car", True), ("pink car", False)):
        here = scene("here", "red car", "cup")
        corpus = scenes_of(here, scene("there", other, "tree"))
        contrast = with_contrast(get("absent.premise"), asked(here, of), corpus, 1.0).contrast
        assert (contrast is not None) is found, other


def test_combinations_that_are_too_many_are_drawn() -> None:
    numbers = tuple(Count(groups=(group_of(name),)) for name in ALL[:5])
    chance = ChanceOfCases(get("control.repeat")).of(asked(scene("here", "dog"), *numbers))
    assert 0 <= chance < 0.01  # 1 / 6 ** 4 of 7,776


def test_an_expectation_that_takes_some_answers_only_is_not_satisfied_by_the_others() -> None:
    class Picky(Fixed):
        def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
            if answers[0].text == "no":
                raise ValueError("no model says so")
            return Verdict(outcome=Outcome.HOLDS)

    assert ChanceOfCases(Picky()).of(asked(scene("here", "dog"), DOG)) == 1 / 2


def test_a_broken_record_behind_a_contrast_is_named_and_ends_the_run_only_where_it_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> Case:
        raise DataError("scene 7 is broken")

    monkeypatch.setattr("pytest_vqamt.execution.plan.with_contrast", broken)
    for allowed in (True, False):
        sampling = Sampling(max_cases=3, sampler=Sampler.RANDOM, contrast=1.0, allow_bad_records=allowed)
        plan = Plan(get("control.repeat"), "", PictureWorld(20), sampling)
        if allowed:
            assert [case.contrast for case in plan] == [None] * 3
            assert list(plan.bad_records) == ["scene 7 is broken"]
        else:
            with pytest.raises(DataError, match="scene 7 is broken"):
                list(plan)
