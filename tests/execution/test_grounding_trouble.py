"""What a grounding model cannot look at is told of, costs only itself, and is not looked at again in vain."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.annotation import progress
from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.hypotheses import ground_hypotheses, warn
from pytest_vqamt.core.detections import DetectedObject
from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.data.catalogue import load
from tests.data.made_snli_ve import official_row, write_official
from tests.execution.park import here, options, put, rows, write_park


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_park(tmp_path / "park")


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A folder to name as a checkpoint, whatever is in it."""
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def fails_on_two(image: Image.Image, phrase: str) -> list[DetectedObject]:
    if image.size == (100, 200):
        raise RuntimeError("no kernel image\nis available")
    return [here(phrase)]


def test_a_photo_that_the_model_fails_on_costs_only_itself(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, fails_on_two)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert [row["photo"] for row in rows(folder)] == ["1.jpg", "1.jpg", "3.jpg"]
    why = (
        f"Expected a grounding model to look at '{folder / 'images' / '2.jpg'}', but it raised RuntimeError (no kernel "
        "image is available): write the lines of its hypotheses yourself, or take another model. Delete "
        "units.grounded.jsonl to have it looked at again"
    )
    with pytest.warns(UserWarning, match="hypotheses about 1 photo have no boxes") as told:
        warn(f"snli-ve:{folder}", options(named))
    assert [str(each.message) for each in told] == [
        f"hypotheses about 1 photo have no boxes, since nothing could be grounded there; the first: {why}"
    ]
    assert load(f"snli-ve:{folder}").bad_records == ()


def test_it_is_looked_at_again_when_it_has_changed_or_something_else_is_asked_for(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, fails_on_two)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "grounder_of", lambda _named, _options: pytest.fail("a model was loaded"))
        ground_hypotheses(f"snli-ve:{folder}", options(named))
    others = options(named, **{"min-score": "0.1"})
    again = put(monkeypatch, fails_on_two)
    ground_hypotheses(f"snli-ve:{folder}", others)
    assert (again.looks, len(rows(folder))) == (1, 3)
    Image.new("RGB", (20, 10)).save(folder / "images" / "2.jpg")
    ground_hypotheses(f"snli-ve:{folder}", others)
    assert len(rows(folder)) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (folder / "units.grounded.jsonl").unlink()
        warn(f"snli-ve:{folder}", others)


def test_a_photo_that_is_torn(folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photo = folder / "images" / "2.jpg"
    photo.write_bytes(photo.read_bytes()[:-40])
    put(monkeypatch)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert len(rows(folder)) == 3
    with pytest.warns(UserWarning, match="2.jpg' is truncated: fetch it again"):
        warn(f"snli-ve:{folder}", options(named))


def test_a_photo_that_is_missing_is_left_to_whoever_opens_the_data(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "images" / "2.jpg").unlink()
    put(monkeypatch)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert len(rows(folder)) == 3
    with pytest.raises(DataError, match=r"there is no 2\.jpg: add it"):
        load(f"snli-ve:{folder}")


def test_a_model_that_fails_on_every_photo_is_stopped(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        Image.new("RGB", (20, 10)).save(folder / "images" / f"{number:02}.jpg")
    write_official(folder, *(official_row(f"{number:02}.jpg#0r1e") for number in range(20)))

    def fails(_image: Image.Image, _phrase: str) -> list[DetectedObject]:
        raise RuntimeError("device-side assert")

    grounds = put(monkeypatch, fails)
    with pytest.raises(ModelError, match=r"RuntimeError \(device-side assert\).* So it did on the last 5 photos"):
        ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert grounds.looks == 5
    put(monkeypatch)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert len(rows(folder)) == 20


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (MemoryError(), "raised MemoryError .*give --vqamt-device=cpu, or make the photo smaller"),
        (ModuleNotFoundError("No module named 'x'"), r'run: pip install "pytest-vqamt\[photos\]"'),
    ],
)
def test_what_is_no_fault_of_the_photo_stops_it_at_once(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, advice: str
) -> None:
    def fails(_image: Image.Image, _phrase: str) -> list[DetectedObject]:
        raise error

    put(monkeypatch, fails)
    with pytest.raises(ModelError, match=advice):
        ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert not (folder / "units.jsonl").exists()


def test_lines_that_other_settings_wrote_are_told_of(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn(f"snli-ve:{folder}", options(named))
    _, *rest = (folder / "units.jsonl").read_text().splitlines()
    (folder / "units.jsonl").write_text("\n".join(rest))
    others = options(named, **{"min-score": "0.1"})
    with pytest.warns(
        UserWarning, match=rf"other settings \(grounder={named}\) wrote 3 lines in '.*units\.jsonl', and"
    ):
        warn(f"snli-ve:{folder}", others)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(DataError, match="Expected every hypothesis to be grounded by"):
            warn(f"snli-ve:{folder}", others)


def test_what_is_done_and_what_came_of_it_are_told(
    folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(monkeypatch, fails_on_two)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert capsys.readouterr().err.splitlines() == [
        f"vqamt: looking for the units of 4 hypotheses about 3 photos in '{folder}' without boxes",
        "vqamt: 3 of them have a line in units.jsonl now: 4 boxes, none in 1",
    ]
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert capsys.readouterr().err == ""


def test_a_bar_at_a_terminal(folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        encoding = "utf-8"
        text = ""

        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> None:
            Terminal.text += text

        def flush(self) -> None:
            pass

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(progress, "SHOW_AFTER_S", 0.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    put(monkeypatch)
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert "looking at photos" in Terminal.text
    assert "/3" in Terminal.text


def test_notes_that_are_broken_are_passed_over(folder: Path, named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch)
    (folder / "units.grounded.jsonl").write_text('{\n[]\n{"photo": 7}\n{"photo": "1.jpg", "trouble": 3}\n')
    ground_hypotheses(f"snli-ve:{folder}", options(named))
    assert len(rows(folder)) == 4
    lines = (folder / "units.grounded.jsonl").read_text().splitlines()[4:]
    assert [json.loads(line)["photo"] for line in lines] == ["1.jpg", "2.jpg", "3.jpg"]
