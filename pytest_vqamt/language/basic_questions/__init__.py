"""Basic questions: pools of them, and their rankings by how near they are to a main question.

Huang, Dao, Alfadly and Ghanem, "A Novel Framework for Robustness Analysis of Visual QA Models", AAAI 2019.
"""

from __future__ import annotations

from pytest_vqamt.language.basic_questions.embedding import fingerprint_of
from pytest_vqamt.language.basic_questions.noisy import MOST_WORDS, noisy
from pytest_vqamt.language.basic_questions.opening import open_pool
from pytest_vqamt.language.basic_questions.pool import Pool, normalised, pool_of
from pytest_vqamt.language.basic_questions.ranking import TOP, ranked
from pytest_vqamt.language.basic_questions.settings import EMBEDDING, POOL, RANKING, Ranking, lacking

__all__ = [
    "EMBEDDING",
    "MOST_WORDS",
    "POOL",
    "RANKING",
    "TOP",
    "Pool",
    "Ranking",
    "fingerprint_of",
    "lacking",
    "noisy",
    "normalised",
    "open_pool",
    "pool_of",
    "ranked",
]
