"""A pool has each question once, however it is written."""

from __future__ import annotations

from pytest_vqamt.language.question_ranking import normalised, open_pool, pool_of
from pytest_vqamt.language.question_ranking.pool import places


def test_the_first_of_those_written_alike_stays_and_order_is_kept() -> None:
    pool = pool_of("p", ["Is it red?", "what is it", "IS  it red ?", "What is it?", "Is it red, or blue?", "  ", "?!"])
    assert pool.questions == ("Is it red?", "what is it", "Is it red, or blue?")
    assert len(pool) == 3
    assert places(pool) == {"is it red": 0, "what is it": 1, "is it red, or blue": 2}


def test_the_packages_own_has_no_question_twice() -> None:
    pool = open_pool("pictures")
    assert len({normalised(question) for question in pool.questions}) == len(pool)


def test_the_digest_names_the_questions_in_their_order() -> None:
    pool = pool_of("p", ["a b?", "c?"])
    assert pool.digest == pool_of("another name", ["a b?", "A B", "c?"]).digest
    assert len({pool.digest, pool_of("p", ["c?", "a b?"]).digest, pool_of("p", ["a b?"]).digest}) == 3


def test_only_case_spaces_and_the_final_question_mark_are_put_aside() -> None:
    assert normalised(" Is it\tRED ??") == "is it red"
    assert normalised("Is it red? Or blue?") == "is it red? or blue"
    assert normalised("Is it red") != normalised("Is it, red")
