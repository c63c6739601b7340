"""``vqamt annotate``: a real small detector writes the lines; a killed command continues; a run then uses them."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from errno import EACCES
from pathlib import Path

import pytest
from PIL import Image

import pytest_vqamt as vqamt
from pytest_vqamt.annotation import hypothesis_boxes as hypotheses
from pytest_vqamt.annotation.line_writer import AnnotationOutcome
from pytest_vqamt.cli import main
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.annotation.park import write_park
from tests.annotation.shop import rows, write_shop


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DETR that sees a dog in every photo."""
    return small_detectors.detr(tmp_path_factory.mktemp("detr"), plant=(0.3, 0.7, 0.2, 0.4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_shop(tmp_path / "shop")


def test_photos_are_annotated_and_a_run_uses_the_lines(
    folder: Path, detector: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["annotate", f"photos:{folder}", f"--vqamt-option=boxes={detector}", "--vqamt-device=cpu"]
    assert main(typed) == 0
    assert capsys.readouterr().out.startswith(f"added 3 lines to '{folder / 'graphs.jsonl'}': 3 objects, none in 0 ")
    assert main(typed) == 0
    assert capsys.readouterr().out == f"no photo in '{folder}' lacks a line in graphs.jsonl\n"
    shutil.rmtree(detector)
    report = vqamt.run(model="oracle", data=f"photos:{folder}", relations="metavqa.reversion[object]")
    (reversion,) = report.relations
    assert reversion.tally.holds > 0
    assert reversion.tally.violated == 0


def test_a_broken_photo_sets_the_exit_status(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "text.png").write_text("no picture")
    checkpoint = small_detectors.detr(tmp_path / "detr")
    assert main(["annotate", f"photos:{folder}", f"--vqamt-option=boxes={checkpoint}", "--vqamt-device=cpu"]) == 1
    printed = capsys.readouterr()
    assert printed.err.splitlines()[-1].startswith("vqamt: no line: Expected ")
    assert "text.png' is no image, or a broken one" in printed.err
    assert printed.out.startswith("added 3 lines to ")


def test_hypotheses_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    park = write_park(tmp_path / "park")
    owl = small_detectors.owlv2(tmp_path / "owl", plant=(0.3, 0.2, 0.2, 0.2))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["annotate", "snli-ve:~/park", f"--vqamt-option=grounder={owl}", "--vqamt-device=cpu"]) == 0
    assert capsys.readouterr().out.startswith(f"added 4 lines to '{park / 'units.jsonl'}': 5 boxes, none in 1 ")


def test_a_folder_that_cannot_be_read_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_argument: str, _options: ModelOptions) -> AnnotationOutcome:
        raise PermissionError(EACCES, "Permission denied", "/park/images")

    # The tests may run as a user who can read everything.
    monkeypatch.setattr(hypotheses, "ground_hypotheses", refuse)
    assert main(["annotate", "snli-ve:/park", "--vqamt-option=grounder=any", "--vqamt-device=cpu"]) == 2
    assert capsys.readouterr().err == (
        "vqamt: Expected a path that can be read or written, but got [Errno 13] Permission denied: '/park/images'\n"
    )


@pytest.mark.full
def test_a_killed_command_continues(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(40):
        Image.new("RGB", (640, 480), (number, 0, 0)).save(folder / f"{number:02}.png")
    checkpoint = small_detectors.detr(tmp_path / "detr", plant=(0.3, 0.7, 0.2, 0.4))
    typed = ["annotate", f"photos:{folder}", f"--vqamt-option=boxes={checkpoint}", "--vqamt-device=cpu"]
    command = [sys.executable, "-c", "import sys; from pytest_vqamt.cli import main; sys.exit(main(sys.argv[1:]))"]
    file = folder / "graphs.jsonl"
    with subprocess.Popen([*command, *typed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 120
        while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = file.read_bytes()
    assert before.endswith(b"\n")
    assert main(typed) == 0
    assert file.read_bytes().startswith(before)
    assert [row["photo"] for row in rows(folder)] == [f"{number:02}.png" for number in range(40)]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["coco:x"], "Expected photos:DIR or snli-ve:DIR to annotate, but got 'coco:x'"),
        (["photos:"], "Expected --option NAME=REPO-OR-PATH to name a detector (masks, boxes, open-vocabulary, "),
        (["photos:"], "but got none: give --option boxes=PekingU/rtdetr_r50vd, or --model SPEC to ask a model"),
        (["own"], "; did you mean 'photos:own'?"),
        (["snli-ve:x"], "Expected --option grounder=REPO-OR-PATH, but got grounder=''"),
        (["photos:x", "--vqamt-option=boxs=y"], "'boxs=y'; did you mean 'boxes'?"),
        (["photos:x", "--vqamt-option=erase=white"], "Expected --option to set a detector, but got 'erase'"),
        (["photos:x", "--vqamt-option=boxes=y"], "there is no such folder"),
        (
            ["photos:x", "--vqamt-device=gpu"],
            "Expected auto, cpu, cuda, cuda:N, cuda:N+cuda:M or mps, but got --device='gpu'",
        ),
    ],
)
def test_arguments_that_cannot_be_used(typed: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", *typed]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
