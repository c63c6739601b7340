"""Where the disk of the report is full, a run says so in a line, ends with status 1, and loses no answer."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import asked

pytestmark = pytest.mark.full

ASKS = (
    "--vqamt-model=python:counted:Model",
    "--vqamt-data=pictures:20",
    "--vqamt-relations=metavqa.partition,metavqa.insertion",
    "--vqamt-max-cases=20",
    "--vqamt-sampler=random",
    "--vqamt-shrink=0",
    "--vqamt-report=disk/out",
    "-p",
    "no:faulthandler",
)
"""Runs five items of 20 cases."""

ALL = {"cases.jsonl", "report.json", "report.html", "summary.md"}
SMALL_DISK = 'mount -t tmpfs -o size="$1" tmpfs disk && shift && "$@"; status=$?; cp -r disk/. left; exit $status'
"""Runs a command with a small disk, which is gone afterwards; what is on it is copied."""


def unshared(size_kb: int, *command: str) -> list[str]:
    """The command with a small disk of its own, which needs no rights but those that Linux gives its users."""
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh", f"{size_kb}k", *command]


def can_unshare() -> bool:
    if not shutil.which("unshare"):
        return False
    script = "mount -t tmpfs -o size=4k tmpfs /tmp"
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True)
    return tried.returncode == 0


def session(pytester: pytest.Pytester) -> list[str]:
    (pytester.path / "disk").mkdir(exist_ok=True)
    shutil.rmtree(pytester.path / "left", ignore_errors=True)
    (pytester.path / "left").mkdir()
    return [sys.executable, "-m", "pytest", *ASKS]


def ran(pytester: pytest.Pytester, command: list[str]) -> tuple[int, str]:
    """Its status, and what it said; never a traceback."""
    ended = subprocess.run(command, cwd=pytester.path, capture_output=True, text=True, check=False)
    said = ended.stdout + ended.stderr
    assert "Traceback" not in said, said
    assert "INTERNALERROR" not in said, said
    return ended.returncode, said


def check_left(folder: Path) -> set[str]:
    """The names of the files of a report; each is whole."""
    names = {file.name for file in folder.iterdir() if not file.name.startswith(".")}
    assert names <= ALL
    if "report.json" in names:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        lines = (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        assert len([json.loads(line) for line in lines]) == sum(each["cases"] for each in report["relations"])
    if "report.html" in names:
        assert (folder / "report.html").read_text(encoding="utf-8").endswith("</html>")
    return names


def told_once(said: str, error: str) -> None:
    """One line says that there is no report, what the system said, and what to do."""
    (line,) = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    assert re.search(
        rf"Expected a folder that can be written to, but got --vqamt-report='.*disk/out': \[Errno \d+\] {error}.*; "
        r"free some space and run again: no answer that was kept is asked for again$",
        line,
    ), line


@pytest.mark.skipif(not can_unshare(), reason="needs a small disk, which Linux lets users mount in places")
def test_a_full_disk(pytester: pytest.Pytester, counted: str) -> None:
    # The cases take some 120 kB, twice while they are put together, and the page with its pictures 300.
    states = []
    for size_kb in (40, 340):
        status, said = ran(pytester, unshared(size_kb, *session(pytester)))
        assert status == pytest.ExitCode.TESTS_FAILED, said
        states.append(check_left(pytester.path / "left" / "out"))
        told_once(said, "No space left on device")
        items_failed = "ERROR at setup of" in said
        assert items_failed == (size_kb == 40), "there was no room for the cases while they were asked"
    assert states == [set(), {"cases.jsonl", "report.json", "summary.md"}]
    queries = asked(pytester)
    assert len(queries) == len(set(queries)) > 100, "nothing was asked twice"
    status, said = ran(pytester, unshared(4000, *session(pytester)))
    assert status == pytest.ExitCode.OK, said
    assert check_left(pytester.path / "left" / "out") == ALL
    assert asked(pytester) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit to the sizes of files")
def test_a_page_that_may_not_be_as_large(pytester: pytest.Pytester, counted: str) -> None:
    limit = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); "
    run = "os.execv(sys.argv[1], sys.argv[1:])"
    status, said = ran(pytester, [sys.executable, "-c", limit + run, *session(pytester), "--vqamt-no-cache"])
    assert status == pytest.ExitCode.TESTS_FAILED, said
    told_once(said, os.strerror(27))
    assert check_left(pytester.path / "disk" / "out") == {"cases.jsonl", "report.json", "summary.md"}
