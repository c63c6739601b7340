"""Basic questions are left off from the end until the text fits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE, OptionError
from pytest_vqamt.language.question_ranking import lasso, pool
from pytest_vqamt.language.question_ranking.pool import (
    EMBEDDING,
    RANKING,
    RankingMethod,
    missing_packages,
    open_pool,
    pool_of,
)
from pytest_vqamt.language.question_ranking.ranking import TOP, append_questions, rank_questions
from tests.language.question_ranking.conftest import forget
from tests.language.question_ranking.real_pool import VQA_V2, real_data
from tests.rows import each_row

MAIN = "Is the big dog near the red car black?"  # 9 words
THREE = ("Is there a dog near the car?", "What color is the big dog?", "How many black dogs are there?")  # 7, 6, 6


@each_row(("most", "stayed"), [(28, 3), (27, 2), (22, 2), (21, 1), (16, 1), (15, 0), (9, 0), (3, 0)])
def test_as_many_stay_as_fit(most: int, stayed: int) -> None:
    assert append_questions(MAIN, THREE, most_words=most) == (" ".join((MAIN, *THREE[:stayed])), stayed)


def test_26_words_are_the_limit() -> None:
    assert append_questions("a " * 24 + "b?", ["c?"]) == ("a " * 24 + "b? c?", 1)
    assert append_questions("a " * 25 + "b?", ["c?"]) == ("a " * 25 + "b?", 0)


def test_no_basic_question_is_no_noise() -> None:
    assert append_questions(MAIN, ()) == (MAIN, 0)


SENTENCES = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12).map(" ".join)


@given(SENTENCES, st.lists(SENTENCES, max_size=5), st.integers(0, 40))
def test_the_main_question_comes_first_and_one_more_would_not_fit(main: str, basic: list[str], most: int) -> None:
    text, stayed = append_questions(main, basic, most_words=most)
    assert text == " ".join([main, *basic[:stayed]])
    assert stayed == 0 or len(text.split()) <= most
    assert stayed == len(basic) or len(" ".join([main, *basic[: stayed + 1]]).split()) > most


ROOT = Path(__file__).parents[3]
MAIN_OF_RANKING = (
    "Is there a small dog in the picture?",
    "How many cats and dogs are there?",
    "What color is the umbrella?",
)

ELSEWHERE = """
import json, sys
from pytest_vqamt.language.question_ranking.pool import open_pool
from pytest_vqamt.language.question_ranking.ranking import rank_questions
pool = open_pool(sys.argv[1])
rankings = sys.argv[2].split(",")
ranked = [rank_questions(pool, main, ranking=each, embedding="lsa") for each in rankings for main in sys.argv[3:]]
print(json.dumps(ranked))
"""


@each_row("ranking", RankingMethod)
def test_the_main_question_and_what_is_excluded_are_left_out(ranking: RankingMethod) -> None:
    main = "Is there a dog?"
    assert main in open_pool("pictures").questions
    pool = pool_of("some", [main, *open_pool("pictures").questions[::20]])
    first = rank_questions(pool, main, ranking=ranking, embedding="lsa")
    assert len(first) == len(set(first)) == TOP == 21
    assert set(first) <= set(pool.questions) - {main}
    without = rank_questions(
        pool, "is there  a DOG ", ranking=ranking, embedding="lsa", exclude=frozenset({first[0].upper(), "No such?"})
    )
    assert main not in without
    assert first[0] not in without
    assert len(without) == 21


@each_row("ranking", RankingMethod)
def test_a_small_pool_is_given_whole(ranking: RankingMethod) -> None:
    pool = pool_of("p", ["Is there a dog?", "Why?", "Is the dog big?", "Dog?", "What?"])
    found = rank_questions(pool, "Is the dog small?", ranking=ranking, embedding="lsa", exclude=frozenset({"why"}))
    assert sorted(found) == sorted({*pool.questions} - {"Why?"})
    assert found[0] == "Is the dog big?"
    assert rank_questions(pool, "Zyx?", ranking=ranking, embedding="lsa", top=2) == ("Is there a dog?", "Why?")
    everything = frozenset(pool.questions)
    assert rank_questions(pool, "Is the dog small?", ranking=ranking, embedding="lsa", exclude=everything) == ()


def test_positive_shares_come_first_and_cosines_after_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The second and the fourth column make up the main question; of the others one has a negative share.
    monkeypatch.setattr(lasso, "_shares", lambda *_: np.array([0, 0.2, -1.0, 0.7, 0.0]))
    pool = pool_of("p", ["a b c d?", "a b c?", "a b?", "a?", "z?"])
    assert rank_questions(pool, "a b c d e f?", ranking="lasso", embedding="lsa")[:2] == ("a?", "a b c?")
    assert rank_questions(pool, "a b c d e f?", ranking="lasso", embedding="lsa", top=1) == ("a?",)


def test_where_lasso_uses_one_question_the_rest_is_by_cosine() -> None:
    # The same words in the same pairs: the main question's vector is that of the first question.
    pool = pool_of("p", ["Is it a dog!", "Is it a cat?", "Who is it?", "Why not?"])
    found = rank_questions(pool, "Is it a dog, a dog?", ranking="lasso", embedding="lsa")
    assert found[0] == "Is it a dog!"
    assert found[-1] == "Why not?"


@pytest.mark.full
@pytest.mark.parametrize("rankings", [("lasso",), pytest.param(tuple(RankingMethod), marks=pytest.mark.full)])
def test_a_fresh_process_ranks_alike_on_any_number_of_threads(tmp_path: Path, rankings: tuple[str, ...]) -> None:
    threads = "1" if os.environ["OMP_NUM_THREADS"] != "1" else "2"
    file = tmp_path / "questions.txt"
    file.write_text("\n".join(open_pool("pictures").questions[::10]))
    pool = open_pool(str(file))
    here = [rank_questions(pool, main, ranking=each, embedding="lsa") for each in rankings for main in MAIN_OF_RANKING]
    environment = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, CACHE_HOME_VARIABLE: str(tmp_path)}
    there = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(file), ",".join(rankings), *MAIN_OF_RANKING],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [tuple(each) for each in json.loads(there.stdout)] == here


def test_a_ranking_is_made_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = pool_of("some", open_pool("pictures").questions[::10])
    made = [
        rank_questions(pool, MAIN_OF_RANKING[0], ranking=each, embedding="lsa")
        for each in ("lasso", "bleu-1", "meteor")
    ]
    assert len({*made}) == 3
    assert len(list((home / "basic-questions" / "rankings").rglob("*.json"))) == 3
    forget()
    monkeypatch.setattr("pytest_vqamt.language.question_ranking.ranking._best", None)
    assert [
        rank_questions(pool, MAIN_OF_RANKING[0], ranking=each, embedding="lsa")
        for each in ("lasso", "bleu-1", "meteor")
    ] == made


@pytest.mark.parametrize("content", ["", "[1]", '["Is there a unicorn that nobody asked about?"]', '["Who?"]'])
def test_a_broken_file_of_rankings_is_made_again(home: Path, content: str) -> None:
    pool = open_pool("pictures")
    made = rank_questions(pool, MAIN_OF_RANKING[0], ranking="rouge-l", embedding="lsa")
    (file,) = (home / "basic-questions" / "rankings").rglob("*.json")
    whole = file.read_bytes()
    file.write_text(content)
    forget()
    assert rank_questions(pool, MAIN_OF_RANKING[0], ranking="rouge-l", embedding="lsa") == made
    assert file.read_bytes() == whole


def test_what_the_result_depends_on_is_in_the_key(home: Path) -> None:
    pool, other = (pool_of("p", open_pool("pictures").questions[:count]) for count in (100, 101))
    by_pairs = partial(rank_questions, ranking="bleu-2", embedding="lsa")
    by_pairs(pool, MAIN_OF_RANKING[0])
    by_pairs(other, MAIN_OF_RANKING[0])
    by_pairs(pool, MAIN_OF_RANKING[1])
    by_pairs(pool, MAIN_OF_RANKING[0], top=3)
    by_pairs(pool, MAIN_OF_RANKING[0], exclude=frozenset({"Who?"}))
    by_pairs(pool, MAIN_OF_RANKING[0], ranking="bleu-3")
    assert len(list(home.rglob("*.json"))) == 6
    by_pairs(pool, MAIN_OF_RANKING[0], exclude=frozenset({"who"}))
    by_pairs(pool_of("another name", pool.questions), MAIN_OF_RANKING[0])
    assert len(list(home.rglob("*.json"))) == 6


@real_data
@pytest.mark.parametrize(
    "ranking",
    [pytest.param(each, marks=() if each is RankingMethod.BLEU_1 else pytest.mark.full) for each in RankingMethod],
)
def test_real_questions(ranking: RankingMethod) -> None:
    pool = open_pool(f"vqa-v2:{VQA_V2}")
    main = "How many people are in the boat?"
    found = rank_questions(pool, main, ranking=ranking, embedding="lsa", exclude=frozenset({main}))
    assert len(found) == 21
    assert {"people", "boat", "boats"} & set(" ".join(found[:3]).casefold().strip("?").replace("?", "").split())


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_is_installed", lambda _: False)
    assert missing_packages("bleu-4", "lsa") == missing_packages("meteor", "lsa") == ""
    assert (
        missing_packages("cider", "lsa") == "ranking=cider needs pycocoevalcap; run: pip install 'pytest-vqamt[cider]'"
    )
    assert missing_packages("rouge-l", "sentence-transformers:x").startswith(
        "ranking=rouge-l needs rouge-score; run: pip"
    )
    assert missing_packages("lasso", "lsa").startswith("ranking=lasso needs scikit-learn; run: pip install")
    both = missing_packages("lasso", "sentence-transformers:x")
    assert both.startswith("ranking=lasso needs scikit-learn and sentence-transformers; run: pip")
    assert both.endswith("'pytest-vqamt[noise,embeddings]'")
    with pytest.raises(OptionError, match="Expected to rank basic questions, but ranking=cider needs pycocoevalcap"):
        rank_questions(open_pool("pictures"), MAIN_OF_RANKING[0], ranking="cider", embedding="lsa")


def test_nothing_is_lacking_here() -> None:
    assert [missing_packages(each, "lsa") for each in RankingMethod] == [""] * 8


@each_row(
    ("ranking", "embedding", "said"),
    [
        ("lassso", "lsa", "but got ranking='lassso'; did you mean 'lasso'?"),
        ("lasso", "lsaa", "but got embedding='lsaa'; did you mean 'lsa'?"),
        ("bleu-1", "sentence-transformers", "but got embedding='sentence-transformers'; did you mean"),
        ("lasso", "sentence-transformers:no/such-model", "fetch it once with `hf download no/such-model`"),
        ("lasso", "sentence-transformers:none", "fetch it once with `hf download sentence-transformers/none`"),
        ("lasso", f"sentence-transformers:{ROOT}", "its folder has no modules.json"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(ranking: str, embedding: str, said: str) -> None:
    with pytest.raises(OptionError) as told:
        rank_questions(open_pool("pictures"), MAIN_OF_RANKING[0], ranking=ranking, embedding=embedding)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_the_settings_name_all_rankings() -> None:
    assert RANKING.values == tuple(RankingMethod)
    assert len(RANKING.values) == 8
    assert RANKING.default == "lasso"
    assert EMBEDDING.default == "lsa"
    assert EMBEDDING.takes("sentence-transformers:all-MiniLM-L6-v2")


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'sklearn', 'nltk', 'torch', 'rouge_score', 'sentence_transformers'}"
    code = f"import sys, pytest_vqamt.language.question_ranking; sys.exit(str({heavy} & set(sys.modules) or ''))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
