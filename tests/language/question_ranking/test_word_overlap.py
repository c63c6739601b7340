"""The whole pool is scored, and what scores alike stands in the order of the pool."""

from __future__ import annotations

from pytest_vqamt.language.question_ranking.pool import RankingMethod, pool_of
from pytest_vqamt.language.question_ranking.word_overlap import by_words
from tests.rows import each_row

BY_WORDS = tuple(each for each in RankingMethod if each is not RankingMethod.LASSO)


@each_row("ranking", BY_WORDS)
def test_the_more_words_in_order_are_shared_the_better(ranking: RankingMethod) -> None:
    pool = pool_of("p", ["Zyx?", "Where is Bob?", "Is there a cat?", "Is there a dog now?", "Who sat?"])
    assert by_words(pool, ranking, "Is there a dog?", [], 9) == [3, 2, 1, 0, 4]
    assert by_words(pool, ranking, "Is there a dog?", [3], 2) == [2, 1]


@each_row("ranking", BY_WORDS)
def test_what_shares_no_word_follows_in_the_order_of_the_pool(ranking: RankingMethod) -> None:
    pool = pool_of("p", ["Why?", "Who sat?", "A dog ran?", "Where?", "When?"])
    assert by_words(pool, ranking, "Which dog ran?", [], 9) == [2, 0, 1, 3, 4]
    assert by_words(pool, ranking, "Which dog ran?", [1], 3) == [2, 0, 3]
    assert by_words(pool, ranking, "...", [0], 2) == [1, 2]
