"""The package's own pool is in the words of the picture world and of the relations."""

from __future__ import annotations

from collections import Counter

from pytest_vqamt.core.identity import digest
from pytest_vqamt.language.english.nouns import plural
from pytest_vqamt.language.question_ranking import open_pool, pool
from pytest_vqamt.language.question_ranking.pool import words_of
from pytest_vqamt.language.questions.form import QuestionForm, form_of
from pytest_vqamt.picture_world import looks


def test_the_words_are_those_of_the_picture_world() -> None:
    assert pool.NAMES == looks.FAMILIES
    assert looks.CATEGORIES["colour"] == pool.COLOURS
    assert looks.CATEGORIES["pattern"] == pool.PATTERNS
    assert looks.CATEGORIES["stature"] == pool.STATURES
    actions = {action for actions in pool.ACTIONS.values() for action in actions}
    assert actions == {*looks.CATEGORIES["posture"], *looks.CATEGORIES["gesture"]}


def test_it_has_thousands_of_questions_of_every_form() -> None:
    pool = open_pool("pictures")
    forms = Counter(map(form_of, pool.questions))
    assert 2_000 <= len(pool) <= 4_000
    assert forms[QuestionForm.YES_NO] > len(pool) / 2
    assert forms[QuestionForm.COUNT] > 500
    assert forms[QuestionForm.CHOICE] > 100
    assert all(question[0].isupper() and question.endswith("?") for question in pool.questions)
    assert max(len(question.split()) for question in pool.questions) <= 10


def test_every_name_is_asked_about_and_in_many_ways() -> None:
    questions = [" ".join(words_of(question)) for question in open_pool("pictures").questions]
    for name in looks.NAMES:
        about = [text for text in questions if f" {name} " in f" {text} " or f" {plural(name)} " in f" {text} "]
        assert len(about) >= 25, name


def test_its_yes_no_questions() -> None:
    yes_no = open_pool("pictures:yes-no").questions
    assert yes_no == tuple(each for each in open_pool("pictures").questions if form_of(each) is QuestionForm.YES_NO)


def test_it_is_mixed_and_the_same_everywhere() -> None:
    questions = open_pool("pictures").questions
    assert questions == tuple(sorted(questions, key=digest))
