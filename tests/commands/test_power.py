"""``vqamt power`` says how many cases it takes, of cases as described and of a report, and names what cannot be."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.results import DataUse, ModelUse, RelationResult, Report
from pytest_vqamt.core.tallies import Clusters, PairedClusters, PairedSceneTally, SceneTally, Tally
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.power import EffectAssumptions, RegressionGate, power, scenes_needed, smallest_drop
from tests.reporting.grounded import grounded
from tests.reporting.reported import write_report

Row = dict[str, Json]

MODEL = ModelUse(name="tiny", fingerprint="f", tasks=("vqa",))
DATA = DataUse(spec="pictures:50", scenes=50, digest="0")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Row:
    assert main(["power", "--json", *arguments]) == 0
    return cast("Row", json.loads(capsys.readouterr().out))


def rows(part: Json) -> list[Row]:
    return cast("list[Row]", part)


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


def test_the_numbers_are_those_of_the_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "--drop", "0.1,0.2", "--drop=0.3", "--differ", "0.1", "--comparisons", "10", "--power", "0.9")
    demand = RegressionGate(relations=10, families=2)
    for row, drop in zip(rows(found["needed"]), (0.1, 0.2, 0.3), strict=True):
        prospect = EffectAssumptions(drop=drop, differ=0.1)
        scenes = scenes_needed(prospect, demand, 0.9)
        assert scenes is not None
        assert row == {"drop": drop, "cases": scenes, "scenes": scenes, "power": power(scenes, prospect, demand)}
    assert found["seen"] == []
    assert (found["rate"], found["differ"], found["icc"], found["power"]) == (0.85, 0.1, None, 0.9)


def test_cases_come_by_the_scene(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--cases-per-scene=4", "--icc=0.5", "--differ=0.1", "--comparisons=1", "--max-drop=0.02")
    found = told(capsys, "--drop=0.2", "--cases=103", *asked)
    prospect, demand = (
        EffectAssumptions(drop=0.2, differ=0.1, sizes=((4, 1.0),), icc=0.5),
        RegressionGate(max_drop=0.02),
    )
    [needed], [seen] = rows(found["needed"]), rows(found["seen"])
    scenes = scenes_needed(prospect, demand, 0.8)
    assert scenes is not None
    assert (needed["scenes"], needed["cases"]) == (scenes, 4 * scenes)
    assert seen == {"cases": 103, "scenes": 25, "drop": smallest_drop(25, prospect, demand, 0.8, 0.8)}


def test_by_default_a_few_drops_are_asked_about_and_chance_is_guessed_from_the_rate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = told(capsys, "--rate=0.9")
    assert [row["drop"] for row in rows(found["needed"])] == [0.02, 0.05, 0.1, 0.2]
    assert found["differ"] == pytest.approx(0.9 * 0.1)
    assert (found["relations"], found["max_drop"], found["cases_per_scene"]) == (30, 0.0, 1)


def test_the_tables_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "--drop=0.1,0.02", "--cases=5,2000")
    assert "85.0 % of the cases held before, 12.8 % come out otherwise by chance; they are one a scene" in found[1]
    assert [line.split() for line in found[3:5]] == [["drop", "cases", "scenes"], ["---------", "-----", "------"]]
    assert len({len(line) for line in found[3:7]}) == 1
    assert found[6].split() == ["2", "points", "5,931", "5,931"]
    assert found[8].split() == ["cases", "scenes", "smallest", "drop"]
    assert found[10].split() == ["5", "5", "none"]


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
    found = told(capsys, "--report", folder, "--drop=0.1,0.85")
    assert (found["relations"], found["report"]) == (3, folder)
    first, second, alike = rows(found["items"])
    assert [each["id"] for each in (first, second, alike)] == ["ours.first", "ours.second", "ours.alike"]
    demand, prospect = RegressionGate(relations=3, families=2), EffectAssumptions(drop=0.1, differ=0.9 * (1 - 0.9))
    assert first["differ"] == pytest.approx(0.09)
    assert rows(first["needed"]) == [
        {"drop": 0.1, "cases": scenes_needed(prospect, demand, 0.8)},
        {"drop": 0.85, "cases": scenes_needed(EffectAssumptions(drop=0.85, differ=0.09), demand, 0.8)},
    ]
    assert first["smallest_drop"] == smallest_drop(200, prospect, demand, 0.8, 0.9 - 0.045)
    # Three were won and seven lost: three of either sort are taken for chance.
    assert second["differ"] == pytest.approx(6 / 100)
    assert (first["icc"], second["icc"], alike["icc"]) == (None, None, 1.0)
    assert (alike["cases"], alike["scenes"], alike["pass_rate"]) == (100, 50, 0.8)
    # From 0.8, of which 0.08 is lost by chance, 0.85 cannot be lost.
    assert [row["cases"] is None for row in rows(alike["needed"])] == [False, True]


def test_the_table_of_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = report(
        tmp_path / "out", item("ours.first", (0, 1, 20), (1, 1, 180)), item("ours.alike", (0, 2, 1), (2, 2, 4))
    )
    found = lines(capsys, "--report", folder, "--comparisons=40")
    assert "among 40 relations" in found[0]
    assert found[2].split("  ")[0] == "relation"
    assert found[2].endswith("smallest drop  cases for 5 points")
    assert re.split(r" {2,}", found[4])[:6] == ["ours.first", "200", "200", "90.0 %", "9.0 %", "-"]
    # Five scenes show nothing among 40 relations: 2^-5 x 40 is above 1.
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
    assert told(capsys, "--report", folder)["relations"] == 4
    found = told(capsys, "--report", folder, "--grounded")
    assert (found["relations"], found["grounded"]) == (4, True)
    (only,) = rows(found["items"])
    assert (only["id"], only["cases"], only["scenes"], only["grounded_rate"]) == ("ours.first", 100, 100, 0.6)
    demand, prospect = RegressionGate(relations=4, families=2), EffectAssumptions(drop=0.0, differ=0.6 * 0.4)
    assert only["smallest_drop"] == pytest.approx(smallest_drop(100, prospect, demand, 0.8, 0.6 - 0.12))
    head = lines(capsys, "--report", folder, "--grounded")
    assert "among 4 pass rates and grounded rates" in head[0]
    assert "grounded" in head[2].split()
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
        (["--power", "1"], "Expected a chance between 0 and 1, but got --power='1'"),
        (["--cases", "0"], "Expected a whole number from 1 to 1,000,000, but got --cases='0'"),
        (["--cases", "9" * 5000], "Expected a whole number from 1 to 1,000,000, but got --cases='999"),
        (["--comparisons", "9" * 400], "Expected a whole number from 1 to 1,000,000, but got --comparisons='999"),
        (["--cases-per-scene", "101"], "Expected a whole number from 1 to 100, but got --cases-per-scene='101'"),
        (["--cases", "1e3"], "but got --cases='1e3'"),
        (["--comparisons", "-3"], "but got --comparisons='-3'"),
        (["--max-drop", "0.05", "--drop", "0.05"], "Expected drops above --max-drop=0.05"),
        (["--drop", "0.9"], "Expected a drop of at most 0.78625"),
        (["--rate", "0.9", "--differ", "0.3"], "Expected a share of at most 0.2 that differs by chance"),
        (["--report", "nowhere"], "Expected a folder that --vqamt-report wrote, but got 'nowhere'"),
        (["--report", "nowhere", "--rate", "0.8"], "Expected --rate or --report"),
        (["--report", "nowhere", "--cases", "100"], "Expected --cases or --report"),
        (["--report", "nowhere", "--cases-per-scene", "2"], "Expected --cases-per-scene or --report"),
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
