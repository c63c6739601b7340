"""Answers last where the model says what it is and the user keeps a cache; else for the run."""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.core.query import Answer
from pytest_vqamt.execution.answer_cache import Stores
from tests.execution.worlds import Model, loaded

DECLARED = loaded(Model(fingerprint="weights of Friday"))
UNDECLARED = loaded(Model())


def test_a_declared_model_has_the_store_that_lasts(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    stores.of(DECLARED).put("x", {"a": Answer("yes")})
    stores.close()
    assert (tmp_path / "answers.sqlite").is_file()
    later = Stores(tmp_path)
    assert later.of(DECLARED).get("x", ("a",)) == {"a": Answer("yes")}
    later.close()


def test_an_undeclared_model_has_one_for_the_run(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    stores.of(UNDECLARED).put("x", {"a": Answer("yes")})
    assert stores.of(UNDECLARED).get("x", ("a",)) == {"a": Answer("yes")}, "for all items of it"
    stores.close()
    assert list(tmp_path.iterdir()) == []


def test_shown_cases_last_whatever_the_model(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    stores.of_shown_cases.keep_case("0123", "{}")
    stores.close()
    later = Stores(tmp_path)
    assert later.of_shown_cases.case("0123") == "{}"
    later.close()


def test_without_a_cache_all_is_for_the_run() -> None:
    stores = Stores(None)
    assert stores.of(DECLARED) is stores.of(UNDECLARED) is stores.of_shown_cases
    stores.close()


def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    Stores(tmp_path / "never").close()
    assert list(tmp_path.iterdir()) == []
