"""Basic questions: pools of them, and their rankings by how near they are to a main question.

Huang, Dao, Alfadly and Ghanem, "A Novel Framework for Robustness Analysis of Visual QA Models", AAAI 2019.
"""

from __future__ import annotations

from pytest_vqamt.language.question_ranking.embeddings import fingerprint_of
from pytest_vqamt.language.question_ranking.pool import (
    EMBEDDING,
    POOL,
    RANKING,
    Pool,
    Ranking,
    missing_packages,
    normalise_question,
    open_pool,
    pool_of,
)
from pytest_vqamt.language.question_ranking.ranking import MOST_WORDS, TOP, append_questions, rank_questions

__all__ = [
    "EMBEDDING",
    "MOST_WORDS",
    "POOL",
    "RANKING",
    "TOP",
    "Pool",
    "Ranking",
    "append_questions",
    "fingerprint_of",
    "missing_packages",
    "normalise_question",
    "open_pool",
    "pool_of",
    "rank_questions",
]
