"""``--vqamt-cases=cases.jsonl.gz``: the same cases compressed, byte for byte the same however the run is shared out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from tests.plugin.conftest import Run

ASKS = ("--vqamt-relations=metavqa.partition,control.repeat", "--vqamt-max-cases=12", "--vqamt-no-cache")
PACKED = "--vqamt-cases=cases.jsonl.gz"


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


@pytest.mark.full
def test_the_same_bytes_however_the_run_is_shared_out(pytester: pytest.Pytester, run: Run) -> None:
    def ran(folder: str, *more: str) -> bytes:
        run(*ASKS, f"--vqamt-report={folder}", *more, model="fault:order-sensitive").assert_outcomes(passed=3)
        (file,) = (pytester.path / folder).glob("cases*")
        return file.read_bytes()

    plain = ran("plain")
    packed = ran("one", PACKED)
    assert names(pytester.path / "one") == {"cases.jsonl.gz", "report.json", "report.html", "summary.md"}
    assert gzip.decompress(packed) == plain
    assert ran("two", PACKED, "-n", "2") == packed
    for number in (1, 2):
        ran(f"shard{number}", PACKED, f"--vqamt-shard={number}/2")
    assert main(["merge", "shard1", "shard2", "-o", "merged", "--images", "none"]) == 0
    assert (pytester.path / "merged" / "cases.jsonl.gz").read_bytes() == packed


def test_a_folder_never_holds_both(pytester: pytest.Pytester, run: Run) -> None:
    asks = (ASKS[0], "--vqamt-report=out", "--vqamt-report-images=none")
    run(*asks, max_cases=2)
    run(*asks, PACKED, max_cases=2)
    assert names(pytester.path / "out") == {"cases.jsonl.gz", "report.json", "report.html", "summary.md"}
    run(*asks, max_cases=2)
    assert names(pytester.path / "out") == {"cases.jsonl", "report.json", "report.html", "summary.md"}


def test_it_is_an_ini_option_and_a_case_is_replayed_from_it(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_cases = cases.jsonl.gz\nvqamt_report = out")
    run(*ASKS, model="fault:order-sensitive")
    lines = gzip.decompress((pytester.path / "out" / "cases.jsonl.gz").read_bytes()).decode().splitlines()
    case_id = lines[0].split('"')[3]
    result = run(f"--vqamt-replay={case_id}", "--vqamt-no-cache", model="fault:order-sensitive")
    result.stdout.fnmatch_lines([f"case {case_id}: *"])


@pytest.mark.parametrize("name", ["cases.json", "cases.jsonl.zst", "here/cases.jsonl.gz"])
def test_no_other_name_is_taken(run: Run, name: str) -> None:
    result = run(f"--vqamt-cases={name}", "--vqamt-report=out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: Expected --vqamt-cases to be one of cases.jsonl, cases.jsonl.gz, but got '{name}'*"]
    )
