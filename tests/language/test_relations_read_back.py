"""The questions of relations in words, read: what they ask, what is right, and how two answers relate."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Count, truth
from pytest_vqamt.core.query import Task
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.language.template_readings import plain
from tests.reader.questions import read
from tests.reader.truths import answer
from tests.reader.vocabulary import LEXICON
from tests.relations.deriving import derive

SCENES, FEW, MANY = 300, 40, 2_000
OPPOSITE = ("carets.negation[]", "carets.antonym[]", "spatial.mirror[opposite]", "spatial.antisymmetric[]")
RELATIONS = (
    "carets.negation", "carets.antonym", "carets.rephrase", "carets.order", "carets.ontological", "carets.visual",
    "spatial.mirror", "spatial.inverse", "spatial.antisymmetric", "spatial.transitive",
    "spatial.rotate",
)  # fmt: skip
ITEMS = [(name, variant) for name in RELATIONS for variant in get(name).info.variants or ("",)]


@cache
def source() -> PictureWorld:
    return PictureWorld(SCENES)


def cases(name: str, variant: str, n: int) -> Iterator[Case]:
    corpus: Corpus = source().corpus
    for number in range(n):
        case = derive(get(name), source().scene(number % SCENES), RandomChooser(Random(number)), variant, corpus)
        if isinstance(case, Case):
            yield case


@pytest.mark.parametrize(("name", "variant"), ITEMS, ids=[f"{name}[{variant}]" for name, variant in ITEMS])
@pytest.mark.parametrize("n", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)])
def test_what_is_read_is_what_is_asked_and_its_answers_relate(name: str, variant: str, n: int) -> None:
    checked = 0
    for case in cases(name, variant, n):
        answers = []
        for query in case.queries:
            meaning = read(query.text, LEXICON)
            assert plain(meaning) == plain(query.meaning), query.text
            answers.append(answer(meaning, query.picture.scene))
            assert answers[-1] == truth(query.meaning, query.picture.scene), query.text
        first, *others = answers
        assert first is not None, case.queries[0].text
        right = (not first) if f"{name}[{variant}]" in OPPOSITE else first
        assert set(others) == {right}, [query.text for query in case.queries]
        checked += 1
    assert checked > n // 20  # what is rare, as an action, is kept the rarer the more often its answer is right


@pytest.mark.parametrize("n", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", ["count_exists", "caption_exists", "caption_count"])
def test_questions_about_one_fact_are_about_the_same_things(variant: str, n: int) -> None:
    for case in cases("agree.form", variant, n):
        questions = [query for query in case.queries if query.task is Task.VQA]
        meanings = [read(query.text, LEXICON) for query in questions]
        for meaning, query in zip(meanings, questions, strict=True):
            assert meaning == query.meaning or plain(meaning) == plain(query.meaning), query.text
        names = {each.groups[0].name if isinstance(each, Count) else each.group.name for each in meanings}  # type: ignore[union-attr]  # Exists
        assert [bool(case.queries[0].picture.scene.count(name)) for name in names] == [case.fact("present")]
