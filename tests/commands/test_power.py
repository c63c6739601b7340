"""``vqamt power`` says how many cases it takes, of cases as described and of a report, and names what cannot be."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import DataUse, ModelUse, RelationResult, Report
from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally, Tally
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.power import EffectAssumptions, RegressionGate, scenes_needed, smallest_drop
from tests.reporting.grounded import grounded
from tests.reporting.reported import write_report

MODEL = ModelUse(name="tiny", fingerprint="f", tasks=("vqa",))
DATA = DataUse(spec="pictures:50", scenes=50, digest="0")


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["power", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def item(
    name: str, *kinds: tuple[int, int, int], tags: tuple[str, ...] = (), since: PairedClusters | None = None
) -> RelationResult:
    """An item whose scenes are of the kinds: holds, judged, how many."""
    clusters = Clusters(tuple(SceneTally(*kind) for kind in kinds))
    return RelationResult(
        position=0,
        item=name,
        version=1,
        claim="All is one.",
        model=MODEL,
        data=DATA,
        tags=tags,
        tally=Tally(cases=clusters.judged, holds=clusters.holds, violated=clusters.judged - clusters.holds),
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter(),
        interval=pass_rate_interval(clusters),
        gate=None,
        clusters=clusters,
        change=None if since is None else change_of(since),
    )


def report(folder: Path, *items: RelationResult) -> str:
    write_report(
        Report(
            vqamt_version="1.2.3",
            seed=0,
            sampler="random",
            max_cases=100,
            shard="1/1",
            started="2026-11-20T12:00:00+00:00",
            duration_s=1.5,
            models=(MODEL,),
            data=(DATA,),
            relations=items,
        ),
        folder,
    )
    return str(folder)


def cells(table: list[str]) -> list[list[str]]:
    """The cells of the rows below the head."""
    return [re.split(r" {2,}", line) for line in table[2:]]


def test_the_numbers_are_those_of_the_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "--rate=0.9", "--drop", "0.1,0.2", "--drop=0.3", "--max-drop=0.02", "--cases=5,2000")
    gate, differ = RegressionGate(relations=30, families=2, max_drop=0.02), 0.9 * 0.1
    assert "a drop above 2 points that is significant among 30 relations" in found[0]
    assert found[1].startswith("90.0 % of the cases held before, 9.0 % come out otherwise by chance")
    drops, cases = cells(found[3:8]), cells(found[9:])
    needed = [scenes_needed(EffectAssumptions(drop=drop, differ=differ), gate, 0.8) for drop in (0.1, 0.2, 0.3)]
    assert drops == [[f"{10 * n} points", f"{count:>5}".strip()] for n, count in enumerate(needed, 1)]
    smallest = smallest_drop(2000, EffectAssumptions(drop=0, differ=differ), gate, 0.8, 0.9 - differ / 2)
    assert smallest is not None
    assert cases == [["5", "none"], ["2,000", f"{100 * smallest:.1f} points"]]


def test_by_default_a_few_drops_are_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys)
    assert "85.0 % of the cases held before, 12.8 % come out otherwise by chance; they are one a scene" in found[1]
    assert [line.split()[0] for line in found[5:]] == ["2", "5", "10", "20"]
    assert found[5].split() == ["2", "points", "5,931"]


def test_of_a_report_each_relation_has_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    since = PairedClusters(
        (PairedSceneTally(0, 0, 1, 0, 3), PairedSceneTally(0, 1, 0, 0, 7), PairedSceneTally(1, 0, 0, 0, 90))
    )
    folder = report(
        tmp_path / "out",
        item("ours.first", (0, 1, 20), (1, 1, 180)),
        item("ours.second", (0, 1, 10), (1, 1, 90), since=since),
        item("ours.alike", (0, 2, 10), (2, 2, 40)),
        item("control.repeat", (1, 1, 50), tags=("control",)),
        item("ours.without", tags=()),
    )
    found = lines(capsys, "--report", folder, "--drop=0.1,0.85")
    assert "among 3 relations" in found[0]
    first, second, alike = cells(found[2:])
    assert [each[0] for each in (first, second, alike)] == ["ours.first", "ours.second", "ours.alike"]
    gate, prospect = RegressionGate(relations=3, families=2), EffectAssumptions(drop=0.1, differ=0.9 * (1 - 0.9))
    needed = [scenes_needed(replace(prospect, drop=drop), gate, 0.8) for drop in (0.1, 0.85)]
    smallest = smallest_drop(200, prospect, gate, 0.8, 0.9 - 0.045)
    assert smallest is not None
    assert first[1:] == ["200", "200", "90.0 %", "9.0 %", "-", f"{100 * smallest:.1f} points", *map(str, needed)]
    # Three were won and seven lost: three of either sort are taken for chance.
    assert (second[4], second[5]) == ("6.0 %", "-")
    # From 0.8, of which 0.08 is lost by chance, 0.85 cannot be lost.
    assert (*alike[1:6], alike[8]) == ("100", "50", "80.0 %", "16.0 %", "1.00", "-")


def test_the_table_of_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = report(
        tmp_path / "out", item("ours.first", (0, 1, 20), (1, 1, 180)), item("ours.alike", (0, 2, 1), (2, 2, 4))
    )
    found = lines(capsys, "--report", folder)
    assert "among 2 relations" in found[0]
    assert found[2].split("  ")[0] == "relation"
    assert found[2].endswith("smallest drop  cases for 5 points")
    assert re.split(r" {2,}", found[4])[:6] == ["ours.first", "200", "200", "90.0 %", "9.0 %", "-"]
    # Five scenes show nothing among 2 relations: 2^-5 x 2 is above 0.05 / 2.
    assert re.split(r" {2,}", found[5])[:7] == ["ours.alike", "10", "5", "80.0 %", "16.0 %", "1.00", "none"]


def test_the_power_of_grounded_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = item("ours.first", (0, 1, 20), (1, 1, 180))
    folder = report(
        tmp_path / "out",
        replace(plain, grounded=grounded(60, 30, 10)),
        replace(item("ours.second", (0, 1, 20), (1, 1, 180)), grounded=grounded(50, 0), directional=True),
        item("ours.third", (0, 1, 20), (1, 1, 180)),
    )
    # Three pass rates and one grounded rate are gated together; a directional one is its pass rate.
    found = lines(capsys, "--report", folder, "--grounded")
    assert "among 4 pass rates and grounded rates" in found[0]
    assert "grounded" in found[2].split()
    (only,) = cells(found[2:])
    gate, prospect = RegressionGate(relations=4, families=2), EffectAssumptions(drop=0.0, differ=0.6 * 0.4)
    smallest = smallest_drop(100, prospect, gate, 0.8, 0.6 - 0.12)
    assert smallest is not None
    assert (*only[:4], only[6]) == ("ours.first", "100", "100", "60.0 %", f"{100 * smallest:.1f} points")
    without = report(tmp_path / "without", item("ours.first", (0, 1, 20), (1, 1, 180)))
    assert main(["power", "--report", without, "--grounded"]) == 2
    assert "Expected a report with cases with a contrast by scene" in capsys.readouterr().err
    assert main(["power", "--grounded"]) == 2
    assert "Expected --grounded with --report DIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--drop", "five"], "Expected a share from 0 to 1, as 0.05 for 5 percent points, but got --drop='five'"),
        (["--drop", "0.1,,0.2"], "but got --drop=''"),
        (["--drop", "nan"], "but got --drop='nan'"),
        (["--rate", "85"], "but got --rate='85'"),
        (["--cases", "0"], "Expected a whole number from 1 to 1,000,000, but got --cases='0'"),
        (["--cases", "9" * 5000], "Expected a whole number from 1 to 1,000,000, but got --cases='999"),
        (["--cases", "1e3"], "but got --cases='1e3'"),
        (["--max-drop", "0.05", "--drop", "0.05"], "Expected drops above --max-drop=0.05"),
        (["--drop", "0.9"], "Expected a drop of at most 0.78625"),
        (["--report", "nowhere"], "Expected a folder that --vqamt-report wrote, but got 'nowhere'"),
        (["--report", "nowhere", "--rate", "0.8"], "Expected --rate or --report"),
        (["--report", "nowhere", "--cases", "100"], "Expected --cases or --report"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["power", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert expected in captured.err
    assert captured.err.startswith("vqamt: ")
    assert captured.err.count("\n") == 1


def test_a_report_with_nothing_judged_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = report(tmp_path / "out", item("control.repeat", (1, 1, 50), tags=("control",)), item("ours.without"))
    assert main(["power", "--report", folder]) == 2
    assert "Expected a report with judged cases by scene, but got none" in capsys.readouterr().err
