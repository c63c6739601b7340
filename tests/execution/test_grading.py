"""Scores of candidate answers: margins, calibration, and confident violations first."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from pathlib import Path

import pytest

from pytest_vqamt import ModelInput, run
from pytest_vqamt.core.case import Grade
from pytest_vqamt.core.meaning import Absent, Count, Describe, Exists, Group, Meaning
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.execution.judging import grade
from pytest_vqamt.models.reference.oracle import answer_text, true_answer, wrong_answer
from pytest_vqamt.models.reference.other_scenes import hashed
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.html.case_selection import CaseSelector
from pytest_vqamt.reporting.merging import merge_folders
from pytest_vqamt.reporting.terminal import summary
from tests.reporting.reported import cases_in, report_in
from tests.reporting.running import run_into

ITEM = "metavqa.reversion[object]"
PHOTO = Scene(id="1", photo=Photo(id="1", digest="0"), width=9, height=9)
EXISTS, COUNT = Exists(group=Group(name="dog")), Count(groups=(Group(name="dog"),))


def _grade(meaning: Meaning, text: str, *scores: tuple[str, float], task: Task = Task.VQA) -> Grade | None:
    return grade(Query(picture=PHOTO.picture, text="?", meaning=meaning, task=task), Answer(text, scores))


def test_candidates_of_one_reading_add_up() -> None:
    # There is no dog: "no" is right.
    found = _grade(EXISTS, "No, there is none.", ("no", 0.5), ("No", 0.25), ("yes", 0.125), ("maybe", 0.0625))

    assert found == Grade(0.75, 0.625, True)


def test_log_probabilities_are_probabilities() -> None:
    found = _grade(COUNT, "2", ("2", log(0.5)), ("3", log(0.25)), ("two", log(0.125)))

    assert found is not None
    assert found == pytest.approx((0.625, 0.375, 0.0))


@pytest.mark.parametrize(
    ("meaning", "text", "scores", "task"),
    [
        (EXISTS, "There is a dog.", (("There", 0.9), ("No", 0.1)), Task.VQA),
        (COUNT, "red", (("red", 0.9),), Task.VQA),
        (EXISTS, "yes", (), Task.VQA),
        (Describe(), "a dog", (("a dog", 0.9),), Task.CAPTIONING),
    ],
)
def test_no_grade_where_scores_do_not_tell(
    meaning: Meaning, text: str, scores: tuple[tuple[str, float], ...], task: Task
) -> None:
    assert _grade(meaning, text, *scores, task=task) is None


class Graded:
    """Is right in 80 of 100 answers whatever it says, with a probability of 0.95, or 0.65 where ``is_unsure``."""

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [self._answer(each.query) for each in batch]

    def _answer(self, query: Query) -> Answer:
        right, wrong = (answer_text(each) for each in (true_answer(query), wrong_answer(true_answer(query))))
        said, other = (wrong, right) if hashed("wrong", query.id) < 0.2 * 2**64 else (right, wrong)
        sure = 0.65 if isinstance(query.meaning, Absent) and hashed("unsure", query.id) % 2 else 0.95
        return Answer(said, ((said, sure), (other, 1 - sure)))


model = Graded()
HERE = "python:tests.execution.test_grading:model"


def _report(folder: Path, shard: tuple[int, int] = (1, 1)) -> Report:
    return run_into(folder, model=HERE, relations=[ITEM], max_cases=100, shard=shard)


def test_reports_have_margins_calibration_and_confident_violations(tmp_path: Path) -> None:
    result = _report(tmp_path).relations[0]

    graded = result.graded
    assert graded is not None
    assert (graded.violated.cases, graded.held.cases) == (result.tally.violated, result.tally.holds)
    rows = cases_in(tmp_path)
    assert {round(row["margin"], 9) for row in rows} == {0.3, 0.9}
    confident = [row["case_id"] for row in rows if row["verdict"] == "violated" and row["margin"] > 0.8]
    assert 0 < graded.confident == len(confident) < graded.violated.cases
    unsure, sure = (graded.calibration[place] for place in (6, 9))
    assert unsure.answers + sure.answers == 2 * result.tally.cases
    assert unsure.right + sure.right == sum(each["right"] for row in rows for each in row["grades"])
    error = abs(sure.right - 0.95 * sure.answers) + abs(unsure.right - 0.65 * unsure.answers)
    assert graded.calibration_error == pytest.approx(error / (2 * result.tally.cases))
    shown = CaseSelector(tmp_path, 1_000, holding=False).chosen(1_000).rows
    assert [row["case_id"] for row in shown[: len(confident)]] == confident
    one = CaseSelector(tmp_path, 1_000, holding=False).chosen(1).rows
    assert one[0]["case_id"] == confident[0]


def test_shards_merge_and_the_terminal_shows_a_confident_violation(tmp_path: Path) -> None:
    whole = _report(tmp_path / "whole")
    for number in (1, 2):
        _report(tmp_path / str(number), shard=(number, 2))
    merge_folders([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")

    merged = report_in(tmp_path / "merged")["relations"][0]["graded"]
    assert merged == report_in(tmp_path / "whole")["relations"][0]["graded"]
    assert read_report(tmp_path / "whole").relations[0].graded == whole.relations[0].graded
    lines = "\n".join(summary(whole))
    assert f"calibration of {HERE} on pictures:20, expected calibration error 0." in lines
    violation = whole.relations[0].violation
    assert violation is not None
    margins = {row["case_id"]: row["margin"] for row in cases_in(tmp_path / "whole")}
    assert margins[violation.id] == pytest.approx(0.9)


def test_a_model_without_scores_has_no_grades() -> None:
    report = run(model="oracle", data="pictures:20", relations=ITEM, sampler="random", max_cases=4, shrink=0)

    assert report.relations[0].graded is None
