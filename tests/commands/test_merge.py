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
    assert printed.endswith(f"report: {tmp_path / 'out' / 'report.html'}\n")
    assert (tmp_path / "out" / "cases.jsonl").read_text().count("\n") == 60


def test_what_cannot_be_merged_is_one_line_and_status_2(
    shards: tuple[list[str], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders, _ = shards
    assert main(["merge", folders[0], "--out", str(tmp_path / "out")]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"vqamt: Expected each of 2 shards once, but got shards 1/2 in {folders[0]}; missing: 2/2\n"


def test_all_metrics_are_shown_where_all_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(tmp_path / str(number)) for number in (1, 2)]
    for number, folder in enumerate(folders, start=1):
        run_into(Path(folder), shard=(number, 2), max_cases=4, relations=["carets.negation"])
    for more, heads in (((), 1), (("-v",), 2)):
        assert main(["merge", *folders, "-o", str(tmp_path / "out"), *more]) == 0
        assert capsys.readouterr().out.count("\nCARETS test") == heads


def test_data_that_is_not_to_be_had_here_is_told_of_and_the_page_is_written_without_pictures(
    shards: tuple[list[str], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders, status = shards
    for folder in folders:
        for file in (Path(folder) / name for name in ("report.json", "cases.jsonl")):
            file.write_text(file.read_text().replace("pictures:20", "coco:/nowhere"))
    assert main(["merge", *folders, "-o", str(tmp_path / "out")]) == status
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("vqamt: the page shows no pictures of coco:/nowhere: Expected")
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "out" / "summary.md").is_file()
