"""Questions with several pictures and turns, from the file to the page."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

DATA = ("questions:photos/questions.jsonl",)
ASKED = "--vqamt-relations=question.frame[brief],view.jpeg,control.repeat"
TOLD = ("--vqamt-report=out", "-Wdefault::UserWarning")
MODELS = """
class Chat:
    takes = ("pictures", "turns")

    def answer(self, batch):
        return ["yes" if len(each.images) + len(each.turns) > 2 else "no" for each in batch]

class OfOne(Chat):
    # As a server that only tells when it is asked.
    def answer(self, batch):
        from pytest_vqamt.core.conversation import Ability
        from pytest_vqamt.core.query import Answer, cannot_take

        refused = cannot_take([Ability.PICTURES]).answer
        return [refused if len(each.images) > 1 else Answer("yes") for each in batch]

class Paints(Chat):
    # Says if an image is drawn on already.

    def answer(self, batch):
        found = ["yes" if any(image.getpixel((0, 0)) == (1, 2, 3) for image in each.images) else "no" for each in batch]
        for each in batch:
            for turn in each.turns:
                for part in turn.parts:
                    if not isinstance(part, str):
                        part.paste((1, 2, 3), (0, 0, *part.size))
            assert all(image.getpixel((0, 0)) == (1, 2, 3) for image in each.images)
        return found

def one(image, text):
    return "yes"
"""


@pytest.fixture(autouse=True)
def files(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(models=MODELS)
    photos = pytester.mkdir("photos")
    for number in range(3):
        Image.new("RGB", (24, 16), (number * 50, 90, 90)).save(photos / f"{number}.png")
    said = [("human", "<image>\nWhat is this?"), ("gpt", "A flag."), ("human", "Is it red?"), ("gpt", "yes")]
    rows = [
        {"images": ["0.png", "1.png"], "question": "Are they the same?", "answer": "no"},
        {"image": "2.png", "conversations": [{"from": one, "value": text} for one, text in said]},
    ]
    (photos / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_a_run_shows_all_pictures_and_can_be_replayed(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    result = run(ASKED, "--vqamt-report=out", *workers, model="python:models:Chat", data=DATA, max_cases=10)
    result.assert_outcomes(passed=3)
    shown = {
        tuple(part["picture"]["photo"] for turn in query["turns"] for part in turn["parts"] if "picture" in part)
        for case in cases_in(pytester.path / "out")
        for query in case["queries"]
    }
    assert shown == {("0.png", "1.png"), ("2.png",)}
    case = next(each for each in cases_in(pytester.path / "out") if each["scene"] == "0.png")
    seen = pytester.path / "seen"
    assert main(["replay", case["case_id"], "--report", str(pytester.path / "out"), "-o", str(seen)]) == 0
    assert list(seen.rglob("sheet.png"))
    # A picture of each query: the second photo has no scene of its own.
    assert len(list(seen.rglob("*.png"))) > 2


def test_a_model_of_one_picture_is_told_once_and_nothing_is_tested(pytester: pytest.Pytester, run: Run) -> None:
    result = run(ASKED, *TOLD, model="python:models:one", data=DATA, max_cases=10)
    result.assert_outcomes(skipped=3, warnings=1)
    result.stdout.fnmatch_lines(
        ["*none of the 2 questions of *questions.jsonl' is asked of python:models:one: the model does not take*"]
    )
    result.stdout.fnmatch_lines(["NOTHING WAS TESTED*"])
    assert {each["scenes_not_applicable"] for each in report_in(pytester.path / "out")["relations"]} == {2}


def test_the_other_questions_of_a_file_are_asked(pytester: pytest.Pytester, run: Run) -> None:
    file = pytester.path / "photos/questions.jsonl"
    file.write_text(file.read_text() + '\n{"image": "0.png", "question": "Is it red?"}', encoding="utf-8")
    result = run(ASKED, *TOLD, model="python:models:one", data=DATA, max_cases=10)
    result.assert_outcomes(passed=3, warnings=1)
    result.stdout.fnmatch_lines(["*2 of the 3 questions of *questions.jsonl' are not asked of python:models:one: *"])
    assert {len(case["queries"][0].get("turns", ())) for case in cases_in(pytester.path / "out")} == {0}


def test_a_model_that_paints_its_images_paints_no_others(pytester: pytest.Pytester, run: Run) -> None:
    result = run(
        ASKED, "--vqamt-report=out", "--vqamt-batch-size=1", model="python:models:Paints", data=DATA, max_cases=10
    )
    result.assert_outcomes(passed=3)
    assert {answer for case in cases_in(pytester.path / "out") for answer in case["answers"]} == {"no"}


def test_what_a_server_does_not_take_is_said(pytester: pytest.Pytester, run: Run) -> None:
    result = run(ASKED, "--vqamt-report=out", model="m=python:models:OfOne", data=DATA, max_cases=10)
    # Three relations, of each the cases about the two pictures.
    told = "9 cases of m were declined: the model does not take several pictures."
    assert result.stdout.str().count(told) == 1
    assert (pytester.path / "out" / "summary.md").read_text("utf-8").count(told) == 1
