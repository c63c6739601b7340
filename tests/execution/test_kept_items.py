"""An item that an earlier run has finished is not planned and judged anew, unless anything is different."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.execution import kept_items
from pytest_vqamt.execution.answer_cache import AnswerStore
from pytest_vqamt.integration.run_report import Report
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.user import Draft
from pytest_vqamt.sampling.chooser import Chooser
from tests.data.made_coco import write_coco

RELATIONS = "metavqa.partition[object],spatial.mirror[opposite]"


class Model:
    """Counts by the length of the question."""

    fingerprint = "counts letters"

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, batch: list[ModelInput]) -> list[Answer]:
        self.asked += len(batch)
        return [Answer(str(len(each.text) % 3)) for each in batch]


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the relations that derived a case."""
    names: list[str] = []
    from pytest_vqamt.execution import plan

    derive = plan.derive_case  # type: ignore[attr-defined]

    def noted(relation, *rest):  # type: ignore[no-untyped-def]
        names.append(relation.info.name)
        return derive(relation, *rest)

    monkeypatch.setattr(plan, "derive_case", noted)
    return names


def run(folder: Path, **changes: object) -> Report:
    given = {"data": "pictures:30", "relations": RELATIONS, "max_cases": 20, **changes}
    return vqamt.run(given.pop("model", None) or Model(), cache=folder / "cache", **given)  # type: ignore[arg-type]


def figures(report: Report) -> list[object]:
    return [
        (each.item, each.tally, each.interval, each.readings, each.violation, each.grounded)
        for each in report.relations
    ]


def test_the_second_run_derives_nothing_and_finds_the_same(tmp_path: Path, derived: list[str]) -> None:
    first = run(tmp_path, report=tmp_path / "one")
    assert derived
    derived.clear()
    model = Model()
    second = run(tmp_path, model=model, report=tmp_path / "two")
    assert (derived, model.asked) == ([], 0)
    assert figures(first) == figures(second)
    for name in ("cases.jsonl", "simplified.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    # Each distinct query counts once, in the item that needed it first.
    asked = sum(each.model.queries_asked for each in first.relations)
    assert sum(each.model.queries_cached for each in second.relations) == asked
    assert [each.model.queries_needed for each in second.relations] == [
        each.model.queries_needed for each in first.relations
    ]


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"max_cases": 19}, {"fail_under": 0.5}, {"data": "pictures:29"}, {"shrink": 5}, {"contrast": 0.2}],
    ids=lambda changes: next(iter(changes)),
)
def test_with_another_option_it_is_run(tmp_path: Path, derived: list[str], changes: dict[str, object]) -> None:
    run(tmp_path)
    derived.clear()
    run(tmp_path, **changes)
    assert derived


def test_after_a_change_of_the_code_it_is_run(
    tmp_path: Path, derived: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    derived.clear()
    monkeypatch.setattr(kept_items, "_of_code", lambda: "another")
    run(tmp_path)
    assert derived


def test_after_a_package_was_installed_it_is_run(
    tmp_path: Path, derived: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relation that lacks one says how to install it, and then has cases."""
    run(tmp_path)
    derived.clear()
    monkeypatch.setattr(kept_items, "_of_code", kept_items._of_code.__wrapped__)  # as in another process
    run(tmp_path)
    assert not derived
    (tmp_path / "site" / "opencv_python_headless-4.12.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path / "site")
    run(tmp_path)
    assert derived


def test_an_answer_that_was_deleted_is_asked_for(tmp_path: Path, derived: list[str]) -> None:
    first = run(tmp_path)
    derived.clear()
    with closing(sqlite3.connect(tmp_path / "cache" / "answers.sqlite", isolation_level=None)) as db:
        db.execute("delete from answers where key = (select min(key) from answers)")
    model = Model()
    assert figures(run(tmp_path, model=model)) == figures(first)
    assert model.asked == 1
    assert derived


@pytest.mark.parametrize("item", ["x'00ff'", "'a text'", "5"])
def test_what_is_damaged_is_found_anew(tmp_path: Path, derived: list[str], item: str) -> None:
    first = run(tmp_path)
    derived.clear()
    with closing(sqlite3.connect(tmp_path / "cache" / "answers.sqlite", isolation_level=None)) as db:
        db.execute(f"update items set item = {item}")
    assert figures(run(tmp_path)) == figures(first)
    assert derived


@pytest.mark.parametrize(
    "cases", ["x'00ff'", "substr(cases, 1, length(cases) / 2)", "5"], ids=["no lines", "half of them", "a number"]
)
def test_damaged_lines_are_written_anew(tmp_path: Path, derived: list[str], cases: str) -> None:
    run(tmp_path, report=tmp_path / "one")
    derived.clear()
    with closing(sqlite3.connect(tmp_path / "cache" / "answers.sqlite", isolation_level=None)) as db:
        db.execute(f"update items set cases = {cases}")
    run(tmp_path, report=tmp_path / "two")
    assert (tmp_path / "one" / "cases.jsonl").read_bytes() == (tmp_path / "two" / "cases.jsonl").read_bytes()
    assert derived


def test_an_item_that_cannot_be_kept_is_reported_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(store: AnswerStore, *_: object) -> None:
        with store._writing():
            raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(AnswerStore, "keep_item", fill)
    assert [each.tally.cases for each in run(tmp_path).relations] == [20, 20]


def test_a_report_has_all_cases_though_the_first_run_wrote_none(tmp_path: Path) -> None:
    # The cases of a run without a report are written too, into a folder that goes with it.
    run(tmp_path)
    with closing(sqlite3.connect(tmp_path / "cache" / "answers.sqlite", isolation_level=None)) as db:
        db.execute("update items set cases = null")
    run(tmp_path, report=tmp_path / "out")
    assert (tmp_path / "out" / "cases.jsonl").read_text(encoding="utf-8").count("\n") == 40


def test_a_listener_hears_of_every_case(tmp_path: Path) -> None:
    for _ in range(2):
        heard: list[Event] = []
        run(tmp_path, listen=heard.append)
        assert sum(isinstance(each, Judged) for each in heard) == 40


def test_a_photo_that_was_written_anew_is_looked_at_anew(tmp_path: Path, derived: list[str]) -> None:
    spec = f"coco:{write_coco(tmp_path / 'coco')}"
    changes: dict[str, object] = {"data": spec, "relations": "carets.negation"}
    run(tmp_path, **changes)
    derived.clear()
    run(tmp_path, **changes)
    assert not derived
    photo = next((tmp_path / "coco").rglob("*.jpg"))
    before = photo.stat().st_mtime_ns
    photo.write_bytes(photo.read_bytes())
    os.utime(photo, ns=(before, before))  # as `cp -p` of another photo of that time
    run(tmp_path, **changes)
    assert derived


def test_code_of_users_is_run_each_time(tmp_path: Path, derived: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_registered", {})

    @vqamt.relation("ours.once", expect=vqamt.same_answer)
    def _once(scene: Scene, corpus: Corpus, choose: Chooser) -> Draft:
        return vqamt.case(scene.picture, "Is it day?", follow_up="Is it day?")

    for _ in range(2):
        derived.clear()
        run(tmp_path, relations="ours.once")
        assert derived


def test_a_case_that_another_model_has_had_since_is_replayed_with_the_first_models_verdict(tmp_path: Path) -> None:
    class Other(Model):
        fingerprint = "always nine"

        def answer(self, batch: list[ModelInput]) -> list[Answer]:
            return [Answer("nine") for _ in batch]

    def lines() -> dict[str, str]:
        with closing(sqlite3.connect(tmp_path / "cache" / "answers.sqlite")) as db:
            return dict(db.execute("select id, row from cases"))

    run(tmp_path, shrink=0)
    first = lines()
    assert first
    run(tmp_path, model=Other(), shrink=0)
    run(tmp_path, shrink=0)
    assert {name: lines()[name] for name in first} == first


def test_the_oldest_items_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, derived: list[str]) -> None:
    monkeypatch.setattr("pytest_vqamt.execution.answer_cache._MOST_ITEMS", 2)
    run(tmp_path)
    run(tmp_path, seed=1)
    with closing(sqlite3.connect(tmp_path / "cache" / "answers.sqlite")) as db:
        assert db.execute("select count(*) from items").fetchone() == (2,)
    derived.clear()
    run(tmp_path, seed=1)
    assert not derived
    run(tmp_path)
    assert derived
