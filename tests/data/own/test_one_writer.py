"""Two processes never add to one folder's scene graphs at the same time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.own.writing import only_writer

pytest.importorskip("fcntl", reason="this system has no locks of this kind")

WAITS = """
import sys
from pathlib import Path
from pytest_vqamt.data.own.writing import only_writer
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
        assert other.stderr.readline() == f"vqamt: waiting for another run that adds to '{file}'\n"
        time.sleep(0.3)
        assert other.poll() is None
    assert other.stdout.readline() == "in\n"
    assert other.wait() == 0
    other.stdout.close()
    other.stderr.close()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Expected to write "), only_writer(tmp_path / "absent" / "file"):
        pass
