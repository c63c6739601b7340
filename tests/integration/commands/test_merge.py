"""``vqamt merge`` prints the summary of all shards, and its status says whether their gates are met."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from tests.reporting.running import run_into


@pytest.fixture(params=[("0", 0), ("1", 1)], ids=["gate-met", "gate-missed"])
def shards(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[str], int]:
    """Two folders, and the status that their merge must end with: the model gets some cases right and some wrong."""
    threshold, status = request.param
    for number in (1, 2):
        run_into(
            tmp_path / str(number),
            shard=(number, 2),
            fail_under=[threshold],
            relations=["metavqa.partition[object]", "control.repeat"],
        )
    return [str(tmp_path / "1"), str(tmp_path / "2")], status


def test_the_summary_is_of_the_whole(
    shards: tuple[list[str], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders, status = shards
    assert main(["merge", *folders, "-o", str(tmp_path / "out")]) == status
    printed = capsys.readouterr().out
    [partition] = [line for line in printed.splitlines() if line.startswith("metavqa.partition[object]")]
    assert partition.split()[1] == "30"
    assert ("MISSED" in partition) == (status == 1)
    assert printed.endswith(f"report: {tmp_path / 'out' / 'report.json'}\n")
    assert (tmp_path / "out" / "cases.jsonl").read_text().count("\n") == 60


def test_what_cannot_be_merged_is_one_line_and_status_2(
    shards: tuple[list[str], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders, _ = shards
    assert main(["merge", folders[0], "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"vqamt: Expected each of 2 shards once, but got shards 1/2 in {folders[0]}; missing: 2/2\n"
