"""Regions that were kept come back exactly, or not at all; nobody reads half of a file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.region_models.region_source import DiskRegionCache, as_stored
from pytest_vqamt.models.region_models.regions import Regions
from tests.models.small.features import made

BYTES_OF_ONE = 36 * (2048 + 4) * 4


def regions(seed: int, count: int = 36) -> Regions:
    found = made(seed, width=200, height=100, count=count)
    return Regions.of(found.boxes_px, found.features, width=200, height=100)


def the_only_file(folder: Path) -> Path:
    (file,) = (path for path in folder.rglob("*") if path.is_file())
    return file


@pytest.mark.parametrize("count", [36, 5, 0])
def test_the_disk_gives_back_what_it_got(tmp_path: Path, count: int) -> None:
    given = regions(1, count)
    DiskRegionCache(tmp_path / "regions", "float32").put("abcd", given)
    found = DiskRegionCache(tmp_path / "regions", "float32").get("abcd")
    assert found is not None
    assert found.count == count
    assert np.array_equal(found.features, given.features)
    assert np.array_equal(found.boxes, given.boxes)
    assert found.features.dtype == found.boxes.dtype == np.float32


def test_half_precision_takes_half_the_room_and_answers_alike_in_both_runs(tmp_path: Path) -> None:
    kept = DiskRegionCache(tmp_path, "float16")
    used_now = as_stored(regions(1), "float16")
    kept.put("abcd", used_now)
    used_later = kept.get("abcd")
    assert used_later is not None
    assert np.array_equal(used_now.features, used_later.features)
    assert not np.array_equal(used_now.features, regions(1).features)
    np.testing.assert_allclose(used_now.features, regions(1).features, rtol=2**-11, atol=2**-24)
    # 36 x 2048 x 2 bytes and 36 x 4 x 4 bytes of boxes, and what the archive adds.
    assert the_only_file(tmp_path).stat().st_size == pytest.approx(148_032, abs=1_000)


def test_single_precision_is_left_as_it_is(tmp_path: Path) -> None:
    given = regions(1)
    assert as_stored(given, "float32") is given
    DiskRegionCache(tmp_path, "float32").put("abcd", given)
    assert the_only_file(tmp_path).stat().st_size == pytest.approx(295_488, abs=1_000)


@pytest.mark.parametrize(
    "damage", [lambda _: b"", lambda data: data[:1000], lambda data: data[:9000] + b"!" + data[9001:]]
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, damage: object) -> None:
    kept = DiskRegionCache(tmp_path, "float32")
    kept.put("abcd", regions(1))
    file = the_only_file(tmp_path)
    assert callable(damage)
    file.write_bytes(damage(file.read_bytes()))
    assert kept.get("abcd") is None
    kept.put("abcd", regions(1))
    assert kept.get("abcd") is not None


def test_a_file_of_other_arrays_is_as_good_as_none(tmp_path: Path) -> None:
    kept = DiskRegionCache(tmp_path, "float32")
    kept.put("abcd", regions(1))
    np.savez(the_only_file(tmp_path), features=np.zeros((36, 7)), boxes=np.zeros((36, 4)))
    assert kept.get("abcd") is None


def test_a_folder_that_cannot_be_made_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match=r"Expected to keep region features in .*; make room there, or give another"):
        DiskRegionCache(tmp_path / "file" / "regions", "float32")


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = DiskRegionCache(tmp_path, "float32")

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ModelError, match="No space left on device"):
        kept.put("abcd", regions(1))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_one_process_at_a_time_works_on_a_picture(tmp_path: Path) -> None:
    """A second process gets no claim while this one has it, and gets one once it is given up."""
    code = (
        "import sys; from pathlib import Path\n"
        "from pytest_vqamt.models.region_models.region_source import DiskRegionCache\n"
        "with DiskRegionCache(Path(sys.argv[1]), 'float32').claim(sys.argv[2], wait=False) as is_ours: print(is_ours)"
    )

    def other(key: str) -> str:
        run = [sys.executable, "-c", code, str(tmp_path), key]
        return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()

    kept = DiskRegionCache(tmp_path, "float32")
    with kept.claim("abcd", wait=False) as is_ours:
        assert is_ours
        assert other("abcd") == "False"
        kept.put("abcd", regions(1))
    assert other("abcd") == "True"
    assert the_only_file(tmp_path).suffix == ".npz"
