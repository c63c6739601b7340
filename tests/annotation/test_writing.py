"""Lines are only added, whole, and by one process at a time; failures on photos are counted."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.annotation import line_writer as writing
from pytest_vqamt.annotation.line_writer import annotate_each, append, model_errors, only_writer
from pytest_vqamt.annotation.photos import row_of, usable
from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.data.graphs import load
from tests.annotation.test_rows import DOG, SIZE


def test_lines_are_added_and_none_is_touched(tmp_path: Path) -> None:
    file = tmp_path / "graphs.jsonl"
    for name in ("a.png", "b.png", "c.png"):
        Image.new("RGB", SIZE).save(tmp_path / name)
    append(file, [row_of((), scene_id="a", file="a.png", size=SIZE)])
    file.write_bytes(file.read_bytes().replace(b", ", b" ,").rstrip())  # a person's editor has gone over it
    before = file.read_bytes()
    append(
        file,
        [
            row_of(usable([DOG], SIZE), scene_id="b", file="b.png", size=SIZE),
            row_of((), scene_id="c", file="c.png", size=SIZE),
        ],
    )
    assert file.read_bytes().startswith(before + b"\n")
    source = load(str(file))
    assert [source.scene(index).id for index in range(len(source))] == ["a", "b", "c"]
    assert source.bad_records == ()


def test_no_half_line_stays_where_the_disk_is_full(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no file that is always full")
    with pytest.raises(DataError, match=r"cannot be written \(.+\): make its folder writable"):
        append(full, [{"id": "a"}])


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "graphs.jsonl"
    file.mkdir()
    with pytest.raises(DataError, match=r"Expected to write '.*graphs\.jsonl', the file of detections, but"):
        append(file, [{"id": "a"}])


WAITS = """
import sys
from pathlib import Path
from pytest_vqamt.annotation.line_writer import only_writer
print("ready", flush=True)
with only_writer(Path(sys.argv[1])):
    print("in", flush=True)
"""


def test_the_second_waits_for_the_first(tmp_path: Path) -> None:
    file = tmp_path / "graphs.detected.jsonl"
    with only_writer(file):
        other = subprocess.Popen(
            [sys.executable, "-c", WAITS, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stderr is not None
        assert other.stdout.readline() == "ready\n"
        assert other.stderr.readline() == f"vqamt: waiting for another process that adds to '{file}'\n"
        time.sleep(0.3)
        assert other.poll() is None
    assert other.stdout.readline() == "in\n"
    assert other.wait() == 0
    other.stdout.close()
    other.stderr.close()


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match="Expected to write "), only_writer(tmp_path / "file" / "notes.jsonl"):
        pass


def test_a_file_system_without_locks_lets_all_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    inside = False
    with only_writer(tmp_path / "notes.jsonl"):
        inside = True
    assert inside


def look(photo: str) -> str:
    if photo.startswith("torn"):
        raise DataError(f"{photo} is torn")
    if photo.startswith("odd"):
        with model_errors("model", photo, "take another"):
            raise RuntimeError("device-side\nassert")
    return photo


def test_failures_on_photos_are_returned_and_cost_only_these() -> None:
    written: list[str] = []

    def write(photo: str, found: str) -> list[int]:
        written.append(found)
        return [len(photo)]

    photos = ["a", "torn", *["odd"] * 4, "bc", *["odd"] * 4, "torn"]
    counts, failures = annotate_each(photos, look, write)
    assert (written, counts, len(failures)) == (["a", "bc"], [1, 2], 10)
    assert failures[:2] == (
        "torn is torn",
        "Expected a model to look at odd, but it raised RuntimeError (device-side assert): take another",
    )


def test_a_model_that_fails_on_each_photo_is_stopped() -> None:
    looks: list[str] = []

    def counted(photo: str) -> str:
        looks.append(photo)
        return look(photo)

    with pytest.raises(
        ModelError, match=r"raised RuntimeError \(device-side assert\): take another. So it did on the last 5 photos"
    ):
        annotate_each(["odd"] * 20, counted, lambda _photo, _found: [0])
    assert len(looks) == 5


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (MemoryError(), "raised MemoryError .*give --device=cpu, or make the photo smaller"),
        (ModuleNotFoundError("No module named 'skimage'"), r'skimage.*run: pip install "pytest-vqamt\[photos\]"'),
    ],
)
def test_what_would_fail_on_each_photo_stops_at_once(error: Exception, advice: str) -> None:
    def fails(photo: str) -> str:
        with model_errors("model", photo, "take another"):
            raise error

    with pytest.raises(ModelError, match=advice):
        annotate_each(["a", "b"], fails, lambda _photo, _found: [0])


def test_a_bar_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr(writing, "SHOW_AFTER_S", 0.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    annotate_each(["a", "b", "c"], look, lambda _photo, _found: [0])
    assert "looking at photos" in Terminal.text
    assert "/3" in Terminal.text
