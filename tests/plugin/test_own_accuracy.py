"""The first gate of a team with its own questions and answers: its accuracy is gated, whatever relations ask."""

from __future__ import annotations

import json

import pytest
from PIL import Image

import pytest_vqamt as vqamt
from pytest_vqamt.cli import main
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

PHOTOS = 16
DATA = ("questions:photos/questions.jsonl",)
ASKED = ("--vqamt-relations=question.frame[brief],question.frame[polite]", "--vqamt-baseline=base.gz")
ALLOWED = "--vqamt-max-drop=0.05"
ACCURACY = "vqamt::baseline::accuracy-python:models:{}-questions:photos/questions.jsonl"
MODELS = """
def good(image, text):
    return str(image.getpixel((0, 0))[0] // 10 - 5)

def wrong(image, text):
    '''Is as consistent, and wrong about the first twelve photos.'''
    number = int(good(image, text))
    return str(number + 1 if number < 12 else number)
"""


@pytest.fixture(autouse=True)
def blessed(pytester: pytest.Pytester, run: Run) -> None:
    """A photo of each level of gray with a question about it, and the report of the good model as the baseline."""
    pytester.makepyfile(models=MODELS)
    photos = pytester.mkdir("photos")
    rows = []
    for level in range(PHOTOS):
        Image.new("RGB", (24, 16), (level * 10 + 55,) * 3).save(photos / f"{level}.png")
        rows.append({"image": f"{level}.png", "question": "How many levels are there?", "answer": str(level)})
    (photos / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    run(ASKED[0], "--vqamt-report=blessed", model="python:models:good", data=DATA, max_cases=40)
    assert main(["bless", str(pytester.path / "blessed"), "-o", str(pytester.path / "base.gz")]) == 0


def test_a_model_that_is_consistent_and_wrong_fails(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    result = run(*ASKED, ALLOWED, "--vqamt-report=out", "-rf", *workers, model="python:models:wrong", data=DATA)
    result.assert_outcomes(passed=5, failed=1)
    shown = result.stdout.str()
    assert f"FAILED {ACCURACY.format('wrong')}" in shown
    # Twelve photos of sixteen are lost, and none is won: 0.5^12, of two gates, which have half of the level.
    assert "the accuracy on your answers dropped from 100.0 % to 25.0 % on the same 16 questions (-75.0 points" in shown
    assert "p 0.0010); allowed drop: 5 points" in shown
    (accuracy,) = report_in(pytester.path / "out")["baseline"]["accuracy"]
    assert (accuracy["change"]["lost"], accuracy["change"]["shared"]) == (12, PHOTOS)
    assert accuracy["change"]["p_holm"] == pytest.approx(2 * 2 * 0.5**12)
    assert {tuple(case["figures_before"].values()) for case in cases_in(pytester.path / "out")} == {(1.0, 1.0)}


def test_the_same_model_again_passes_and_is_told_what_it_would_take(run: Run) -> None:
    result = run(*ASKED, ALLOWED, model="python:models:good", data=DATA, summary=None)
    result.assert_outcomes(passed=6)
    told = " ".join(result.stdout.str().split())
    assert "Cannot tell whether the accuracy on your answers dropped: from 100.0 % to 100.0 % on the same 16" in told
    assert "takes about" in told


def test_shards_have_the_accuracy_of_the_whole_run(pytester: pytest.Pytester, run: Run) -> None:
    run(*ASKED, ALLOWED, "--vqamt-report=whole", model="python:models:wrong", data=DATA)
    for shard in "12":
        options = (f"--vqamt-shard={shard}/2", f"--vqamt-report=out-{shard}", *ASKED, ALLOWED)
        run(*options, model="python:models:wrong", data=DATA).assert_outcomes(passed=2)
    folders = [str(pytester.path / f"out-{shard}") for shard in "12"]
    assert main(["merge", *folders, "-o", str(pytester.path / "out")]) == 1
    merged, whole = (report_in(pytester.path / name)["baseline"] for name in ("out", "whole"))
    assert merged["accuracy"] == whole["accuracy"]
    assert merged["totals"] == whole["totals"]
    compared = ("compare", str(pytester.path / "blessed"), str(pytester.path / "out"))
    assert main([*compared, "--models", "python:models:good", "python:models:wrong", "--max-drop", "0.05"]) == 1


def test_from_python_the_report_says_whether_it_fails(pytester: pytest.Pytester) -> None:
    def asked(model: str, undecided: str = "pass") -> vqamt.Report:
        return vqamt.run(
            f"python:models:{model}",
            data=DATA[0],
            relations="question.frame[brief],question.frame[polite]",
            baseline="base.gz",
            max_drop=0.05,
            undecided=undecided,
        )

    assert not asked("good").fails
    assert asked("good", "fail").fails, "sixteen questions cannot rule out a drop of 5 points"
    assert asked("wrong").fails
    with pytest.raises(vqamt.VqamtError, match="Expected one of pass, fail, but got undecided='maybe'"):
        asked("good", "maybe")
