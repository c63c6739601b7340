"""No relation claims that a thing is absent which another name shows, and no text has two truths on one picture."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from pytest_vqamt.core.case import Case, NotApplicable, Outcome
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import InPicture, groups_of
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.nouns import is_countable, plural
from pytest_vqamt.models.reference.oracle import answer_text, true_answer
from pytest_vqamt.relations import contradictions
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.sampling.chooser import Chooser, RandomChooser
from tests.relations.deriving import derive
from tests.soundness.asking import Item, items
from tests.soundness.word_scenes import WordScenes, word_scenes

SCENES = 4
"""Scenes of one example."""


def cases(source: WordScenes, number: int, draws: int) -> Iterator[tuple[Item, int, Case]]:
    """The distinct cases of ``draws`` draws from each scene for every item, in an order of their own."""
    order = [(item, index) for item in ITEMS for index in range(len(source.scenes))]
    random = Random(number)
    random.shuffle(order)
    for item, index in order:
        chooser = RandomChooser(random)
        for _ in range(draws):
            found = contradictions.derive_case(
                item.relation, source.scenes[index], source.corpus, chooser, item.variant
            )
            if isinstance(found, Case):
                yield item, index, found


ITEMS = items()


def absent_names(query: Query) -> Iterator[tuple[Scene, str]]:
    """The names that the query's meaning takes for those of nothing in a scene that it is about."""
    meaning = query.meaning
    about = query.pictures[meaning.which :][:1] if isinstance(meaning, InPicture) else query.pictures
    for scene in (picture.scene for picture in about if not picture.edits):
        here = {thing.name for thing in scene.objects}
        for group in groups_of(meaning):
            if here.isdisjoint(group.covers or (group.name,)):
                yield scene, group.name


def look(source: WordScenes, number: int, draws: int = 1) -> int:
    """Asks the oracle as a run does, where one text on one picture has one answer; returns how many cases there were.

    Raises AssertionError where a case is violated, where a second answer would be another, or where what is said to be
    absent is shown by what goes by another name.
    """
    told: dict[str, str] = {}
    count = 0
    for item, index, case in cases(source, number, draws):
        count += 1
        answers = []
        for query in case.queries:
            truth = answer_text(true_answer(query))
            first = told.setdefault(query.id, truth)
            assert first == truth, f"two truths of {query.text!r}: {first} and {truth} ({item.name})"
            answers.append(Answer(first))
            for scene, name in absent_names(query):
                # Of several that are equal the case's own.
                place = index if scene == source.scenes[index] else source.scenes.index(scene)
                assert not source.is_shown(place, name), f"{name!r} is there: {query.text!r} ({item.name})"
        verdict = item.relation.judge(case, answers)
        assert verdict.outcome is Outcome.HOLDS, (
            f"{item.name}: {verdict.reason}: {answers} {[query.meaning for query in case.queries]}"
        )
    return count


def examined(examples: int, draws: int) -> int:
    """How many cases ``examples`` sources of four scenes gave."""
    counts: list[int] = []

    @seed(0)
    @settings(
        max_examples=examples, database=None, deadline=None, phases=(Phase.generate,),
        suppress_health_check=tuple(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip
    @given(word_scenes(), st.integers(0, 1000))
    def run(source: WordScenes, number: int) -> None:
        counts.append(look(source, number, draws))

    run()
    return sum(counts)


def test_500_cases_hold_and_claim_nothing_that_is_shown() -> None:
    assert examined(6, 1) >= 500


@pytest.mark.full
def test_all_cases_of_300_scenes_do() -> None:
    assert examined(300 // SCENES, 20) >= 20_000


def test_absence_by_exact_names_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_exact_names(view: AskableScene) -> tuple[str, ...]:
        here = view.annotated_names
        return tuple(
            name for name in view.corpus.names if name not in here and is_countable(name) and plural(name) not in here
        )

    monkeypatch.setattr(AskableScene, "countable_absent", property(by_exact_names))
    with pytest.raises(AssertionError, match="is there: "):
        examined(10, 1)


def test_two_meanings_of_one_text_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def unchecked(rule: Relation, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        return derive(rule, scene, choose, variant, corpus)

    monkeypatch.setattr(contradictions, "derive_case", unchecked)
    with pytest.raises(AssertionError, match="two truths of "):
        examined(10, 1)
