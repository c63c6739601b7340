"""Shards put together are the whole run, and what is not all of one run is refused in one line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from pytest_vqamt.core import tallies
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.codec import replace, to_row
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.report_json import baseline_row, change_row
from pytest_vqamt.core.results import BaselineUse, Gate, Report, StratumResult
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, SceneCounter, Tally
from pytest_vqamt.reporting.merging import ItemCounts, StratumCounts, merge_folders, merge_reports
from pytest_vqamt.stats.paired import change_of as change_of
from pytest_vqamt.stats.paired import with_holm_gates
from tests.costs import without_costs
from tests.reporting.reported import report_in
from tests.reporting.running import run_into

Row = dict[str, Any]


def rows(folder: Path) -> Row:
    """The report in the folder without what differs from run to run."""
    row: Row = report_in(folder)
    return without_costs(row)


def edit(folder: Path, change: Callable[[Row], object]) -> None:
    """Changes the report that the folder holds."""
    file = folder / "report.json"
    row = json.loads(file.read_text())
    change(row)
    file.write_text(json.dumps(row))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run_into(folder, fail_under=["0.5"])
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both halves of the run."""
    folder = tmp_path_factory.mktemp("halves")
    for number in (1, 2):
        run_into(folder / str(number), shard=(number, 2), fail_under=["0.5"])
    return folder


@pytest.fixture
def halves(both: Path, tmp_path: Path) -> tuple[Path, Path]:
    copytree(both, tmp_path, dirs_exist_ok=True)
    return tmp_path / "1", tmp_path / "2"


def test_three_shards_merged_are_the_whole_run(whole: Path, tmp_path: Path) -> None:
    for number in (1, 2, 3):
        run_into(tmp_path / str(number), shard=(number, 3), fail_under=["0.5"])
    assert sum(each["scenes_not_applicable"] for each in rows(whole)["relations"]) > 1
    for order in ((1, 2, 3), (3, 1, 2)):
        merge_folders([tmp_path / str(number) for number in order], tmp_path / "out")
        assert rows(tmp_path / "out") == rows(whole)
        assert (tmp_path / "out" / "cases.jsonl").read_bytes() == (whole / "cases.jsonl").read_bytes()


def test_readings_of_a_sample_are_those_of_the_same_cases_after_a_merge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallies, "READINGS_SAMPLE_CASES", 5)
    monkeypatch.setattr(tallies, "MAX_DISTINCT_READINGS", 3)
    relations = ["metaic.deeptest[blur]", "control.repeat"]
    asks: dict[str, Any] = {"model": "oracle", "relations": relations, "max_cases": 12}
    captions, repeated = run_into(tmp_path / "whole", **asks).relations
    shards = [tmp_path / str(number) for number in (1, 2)]
    for number, folder in enumerate(shards, start=1):
        run_into(folder, shard=(number, 2), **asks)
    merged_captions, merged_repeated = merge_folders(shards, tmp_path / "merged").relations
    assert (captions.readings_sample, captions.readings.total()) == (5, 10)
    assert (merged_captions.readings, merged_captions.readings_sample) == (captions.readings, 5)
    assert (merged_repeated.readings, merged_repeated.readings_sample) == (repeated.readings, repeated.readings_sample)


def test_each_shard_has_a_share(whole: Path, halves: tuple[Path, Path]) -> None:
    shares = [[each["cases"] for each in rows(half)["relations"]] for half in halves]
    assert [sum(share) for share in zip(*shares, strict=True)] == [each["cases"] for each in rows(whole)["relations"]]
    assert all(0 < cases < 30 for share in shares for cases in share)


def test_one_whole_run_merged_is_itself(whole: Path, tmp_path: Path) -> None:
    merge_folders([whole], tmp_path)
    assert rows(tmp_path) == rows(whole)


def test_times_and_counts_of_queries_are_those_of_the_shards(halves: tuple[Path, Path], tmp_path: Path) -> None:
    def early(row: Row) -> None:
        row["started"] = "2026-11-20T11:00:00+00:00"
        row["duration_s"] = 7.0
        row["models"][0].update(queries_needed=130, queries_asked=100, queries_cached=10, busy_s=3.5, items_s=7.0)

    def late(row: Row) -> None:
        row["models"][0].update(queries_needed=23, queries_asked=20, queries_cached=3, busy_s=0.5, items_s=1.0)

    edit(halves[1], early)
    edit(halves[0], late)
    report = merge_folders(halves, tmp_path / "out")
    assert (report.started, report.duration_s) == ("2026-11-20T11:00:00+00:00", 7.0)
    (model,) = report.models
    assert (model.queries_needed, model.queries_asked, model.queries_cached, model.queries_saved) == (153, 120, 13, 20)
    assert (model.busy_s, model.items_s) == (4.0, 8.0)


def spread(*, holds: int, violated: int) -> SceneCounter:
    """Judged cases, each of a scene of its own."""
    gathered = SceneCounter()
    for number in range(holds + violated):
        gathered.add(f"scene {number}", Outcome.HOLDS if number < holds else Outcome.VIOLATED)
    return gathered


def of_cases(*, ordinary: SceneCounter, presumed: SceneCounter | None = None) -> ItemCounts:
    apart = presumed or SceneCounter()
    return ItemCounts(
        StratumCounts(ordinary.clusters, ordinary.paired, Counter(), None),
        StratumCounts(apart.clusters, apart.paired, Counter(no=1, yes=1), 1),
        judged=None,
    )


def shares_of(report: Report, *tallies: Tally, gate: Gate | None = None) -> dict[str, Report]:
    """Shards of a run of one relation, of which each share came out as a tally says."""
    return {
        f"shard {number}": replace(
            report,
            shard=f"{number}/{len(tallies)}",
            relations=(replace(report.relations[0], tally=tally, gate=gate, tags=()),),
        )
        for number, tally in enumerate(tallies, start=1)
    }


@pytest.mark.parametrize(
    ("on", "threshold", "met"),
    [("point", 0.75, True), ("point", 0.76, False), ("lower-bound", 0.53, True), ("lower-bound", 0.54, False)],
)
def test_rate_interval_and_gate_are_of_all_cases(tmp_path: Path, on: str, threshold: float, met: bool) -> None:
    made = run_into(tmp_path, max_cases=1, relations=["control.repeat"])
    shares = shares_of(
        made,
        Tally(cases=12, holds=10, errors=1, waived=1, vacuous=2),
        Tally(cases=10, holds=5, violated=4, unparsed=1),
        gate=Gate(kind="fail-under", threshold=threshold, on=on, met=True),
    )
    [result] = merge_reports(shares, [of_cases(ordinary=spread(holds=15, violated=5))]).relations
    assert result.tally == Tally(cases=22, holds=15, violated=4, unparsed=1, errors=1, waived=1, vacuous=2)
    assert result.pass_rate == 0.75
    # 15 of 20 by Wilson's formula, worked out by hand with z = 1.95996.
    assert result.interval == pytest.approx((0.5313, 0.8881), abs=1e-4)
    assert result.gate == Gate(kind="fail-under", threshold=threshold, on=on, met=met)


def test_presumed_cases_are_added_up_apart(tmp_path: Path) -> None:
    made = run_into(tmp_path, max_cases=1, relations=["control.repeat"])
    shares = shares_of(made, Tally(cases=4, holds=4), Tally(), Tally())
    held = Gate(kind="fail-under", threshold=0.6, on="point", met=True)
    for name, tally in (("shard 1", Tally(cases=3, holds=3)), ("shard 3", Tally(cases=2, violated=2))):
        (relation,) = shares[name].relations
        apart = StratumResult(
            tally=tally, breakdown={"shape": {"a": tally}}, readings=Counter(yes=2), interval=(0.0, 1.0), gate=held
        )
        named = replace(relation, item="ours.rule", presumed=apart)
        shares[name] = replace(shares[name], relations=(named,))
    shares["shard 2"] = replace(
        shares["shard 2"], relations=(replace(shares["shard 2"].relations[0], item="ours.rule"),)
    )
    cases = of_cases(ordinary=spread(holds=4, violated=0), presumed=spread(holds=3, violated=2))
    [result] = merge_reports(shares, [cases]).relations
    assert result.tally == Tally(cases=4, holds=4)
    assert result.presumed is not None
    assert result.presumed.tally == Tally(cases=5, holds=3, violated=2)
    assert result.presumed.breakdown == {"shape": {"a": Tally(cases=5, holds=3, violated=2)}}
    # As the cases have them, which can be of another sample than those of the shares.
    assert (result.readings, result.presumed.readings) == (Counter(), Counter(no=1, yes=1))
    assert (result.readings_sample, result.presumed.readings_sample) == (None, 1)
    # 3 of 5 by Wilson's formula, worked out by hand with z = 1.95996.
    assert result.presumed.interval == pytest.approx((0.2307, 0.8824), abs=1e-4)
    assert result.presumed.gate == replace(held, met=True)


def set_gate(row: Row) -> None:
    row["relations"][0]["gate"] = None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda row: row.update(seed=7), "seed is 0 in .*1 and 7 in .*2: run the shards with the same"),
        (lambda row: row.update(vqamt_version="1.2.4"), "vqamt_version is 1.2.3 in .* and 1.2.4"),
        (lambda row: row.update(sampler="hypothesis"), "sampler is random in .* and hypothesis"),
        (lambda row: row.update(max_cases=31), "max_cases is 30 in .* and 31"),
        (lambda row: row.update(settings={"erase": "mean"}), "the setting erase is absent in .* and mean"),
        (
            lambda row: row["models"][0].update(fingerprint="new"),
            "fingerprint of model 'fault:order-sensitive' is .*new",
        ),
        (lambda row: row["data"][0].update(digest="new"), "digest of data 'pictures:20' is .* and new"),
        (
            lambda row: row["relations"][0].update(version=9),
            r"version of metavqa.partition\[object\] .* is \d in .* and 9",
        ),
        (
            lambda row: row["relations"][0].update(resources={"wordnet": "WordNet 3.1"}),
            r"the wordnet of metavqa.partition\[object\] .* is WordNet 3\.0 .* in .* and WordNet 3\.1",
        ),
        (set_gate, r"gate of metavqa.partition\[object\] .* is fail-under 0.5 by point in .* and none"),
        (lambda row: row["relations"].pop(), "version of control.repeat .* is \\d in .* and absent in"),
        (lambda row: row["relations"].reverse(), r"place of metavqa.partition\[object\] .* is 1 in .* and 3"),
        (
            lambda row: row.update(shard="1/2"),
            r"each of 2 shards once, but got shards 1/2 in .*, 1/2 in .*missing: 2/2",
        ),
        (lambda row: row.update(shard="3/3"), "shards of one run, but got shards 1/2 in .*, 3/3 in"),
    ],
)
def test_shards_of_another_run_are_refused(
    halves: tuple[Path, Path], tmp_path: Path, change: Callable[[Row], object], told: str
) -> None:
    edit(halves[1], change)
    with pytest.raises(DataError, match=told) as refused:
        merge_folders(halves, tmp_path / "out")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_missing_shard_is_named(halves: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="missing: 1/2"):
        merge_folders([halves[1]], tmp_path / "out")


def test_a_folder_given_twice_is_refused(halves: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="each folder once"):
        merge_folders([halves[0], halves[0]], tmp_path / "out")


def test_a_shard_is_never_written_over(halves: tuple[Path, Path]) -> None:
    before = (halves[0] / "report.json").read_bytes()
    with pytest.raises(VqamtError, match="none of the shards'"):
        merge_folders(halves, halves[0] / ".." / "1")
    assert (halves[0] / "report.json").read_bytes() == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: lines[:-1], r"Expected \d+ cases of control.repeat, as the report counts, but got \d+"),
        (lambda lines: [*lines, lines[-1]], "no more cases than the report counts"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "in the order of their ids"),
        (lambda lines: [lines[0], *lines[:-1]], "in the order of their ids"),
        (lambda lines: ["{}\n", *lines[1:]], "Expected a whole line of a report, but got .*case_id"),
        (lambda lines: ["\udcff\n", *lines[1:]], "Expected a whole line of a report, but got "),
        (lambda lines: ["[1]\n", *lines[1:]], "Expected a whole line of a report, but got "),
        (lambda lines: [*lines[-1:], *lines[1:]], "as the report counts, but got 0"),
    ],
)
def test_cases_that_the_report_does_not_count_are_refused(
    halves: tuple[Path, Path], tmp_path: Path, change: Callable[[list[str]], list[str]], told: str
) -> None:
    file = halves[1] / "cases.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(change(lines)), errors="surrogateescape")
    with pytest.raises(DataError, match=told) as refused:
        merge_folders(halves, tmp_path / "out")
    assert "\n" not in str(refused.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_case_that_two_shards_hold_is_refused(halves: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = ((half / "cases.jsonl").read_text().splitlines(keepends=True) for half in halves)
    ours = [line for line in first if '"relation":"control.repeat"' in line]
    theirs = [line for line in second if '"relation":"control.repeat"' in line]
    # The shard keeps its number of cases, so that only the double can be what is noticed.
    stolen = sorted([*theirs[1:], ours[0]])
    (halves[1] / "cases.jsonl").write_text("".join([*second[: -len(theirs)], *stolen]))
    with pytest.raises(DataError, match="each case in one shard"):
        merge_folders(halves, tmp_path / "out")


def test_a_folder_without_a_report_is_refused(halves: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a folder that --vqamt-report wrote, but got .*nowhere"):
        merge_folders([halves[0], tmp_path / "nowhere"], tmp_path / "out")
    (halves[1] / "cases.jsonl").unlink()
    with pytest.raises(DataError, match=r"it has no cases\.jsonl"):
        merge_folders(halves, tmp_path / "out")


def blessed_rows(folder: Path, verdicts: str) -> None:
    """Has the first item of the report in the folder held against a baseline: "=" as before, "-" it held."""
    lines = (folder / "cases.jsonl").read_text().splitlines()
    item = json.loads(lines[0])["relation"]
    count = sum(json.loads(line)["relation"] == item for line in lines)
    told = []
    for place, line in enumerate(lines):
        row = json.loads(line)
        if place < count:
            broke = place < verdicts.count("-")
            row["before"] = "holds" if broke else row["verdict"]
            row["verdict"] = "violated" if broke else row["verdict"]
        told.append(json.dumps(row, separators=(",", ":")))
    (folder / "cases.jsonl").write_text("".join(f"{line}\n" for line in told))


def with_change(max_drop: float, *, otherwise: int = 0) -> Callable[[Row], object]:
    """Gives the first item a change of its own cases, as a shard has it."""
    paired = PairedClusters((PairedSceneTally(1, 0, 0, 0, 3),))
    [held] = with_holm_gates([change_of(paired, version_before=2, other_judgement=otherwise)], [max_drop])

    def edit_row(row: Row) -> None:
        row["relations"][0]["change"] = change_row(held)
        row["baseline"] = to_row(
            baseline_row(BaselineUse(file="base.gz", digest="b", models=(("tiny", "f"),), max_drop={"*": max_drop}))
        )

    return edit_row


def test_the_gate_of_the_baseline_is_held_against_all_cases(halves: tuple[Path, Path], tmp_path: Path) -> None:
    for half in halves:
        blessed_rows(half, "-" * 4)
        edit(half, with_change(0.05, otherwise=1))
    report = merge_folders(halves, tmp_path / "out")
    change = report.relations[0].change
    assert change is not None
    assert (change.paired.shared, change.paired.first_only, change.paired.second_only) == (30, 8, 0)
    assert (change.version_before, change.other_judgement) == (2, 2)
    # Neither half could have shown it: of four cases that broke the p-value is 2^-4 at best.
    assert change.p < 0.05
    assert change.gate == Gate(kind="max-drop", threshold=0.05, on="holm", met=False, dropped=True)
    assert report.baseline is not None
    assert report.baseline.new == tuple(f"{each.item}-{each.model.name}-pictures:20" for each in report.relations[1:])


def test_shards_of_another_baseline_or_another_drop_are_refused(halves: tuple[Path, Path], tmp_path: Path) -> None:
    edit(halves[0], with_change(0.05))
    with pytest.raises(DataError, match=r"digest of the baseline is b in .*1 and absent in"):
        merge_folders(halves, tmp_path / "out")
    edit(halves[1], with_change(0.1))
    with pytest.raises(DataError, match=r"the drop that is allowed is 0\.05 in .*1 and 0\.1 in .*2: run the shards"):
        merge_folders(halves, tmp_path / "out")


def test_shards_with_other_waivers_are_refused(halves: tuple[Path, Path], tmp_path: Path) -> None:
    edit(halves[0], lambda row: row.update(waived=[{"case_id": "c1", "reason": "two dogs"}]))
    with pytest.raises(DataError, match=r"the waiver of case c1 is two dogs in .*1 and absent in"):
        merge_folders(halves, tmp_path / "out")
