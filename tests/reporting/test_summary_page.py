"""``summary.md``: what must be acted on first, nothing of data or a model as markup, and never too large for GitHub."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_vqamt.core.codec import Json, replace
from pytest_vqamt.core.results import BaselineChange, BaselineUse, Gate, RelationResult, Report
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, Tally
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.markdown import BYTES_AT_MOST, badge, comment_page, summary_page
from pytest_vqamt.reporting.merging import merge_folders
from tests.reporting.html.made import OTHER, result
from tests.reporting.html.made import report as made_report
from tests.reporting.running import run_into
from tests.reporting.sentences import contrasts

HOSTILE = "evil|`<img src=x onerror=alert(1)>`\n| a | b |"

JUDGED: dict[str, Json] = {
    "judged": 10,
    "valid": 9,
    "invalid": 1,
    "unsure": 0,
    "precision": 0.9,
    "precision_interval": [0.6, 0.98],
    "vtr": 0.9,
    "vtr_interval": [0.6, 0.98],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A finished run, of which tests change what they are about."""
    return run_into(tmp_path_factory.mktemp("run"), relations=["metavqa.partition[object]"], max_cases=20)


def of(report: Report, *results: RelationResult, **fields: object) -> Report:
    models = tuple({each.model.name: each.model for each in results}.values())
    data = tuple({each.data.spec: each.data for each in results}.values())
    fields = {"summaries": (), **fields}
    return replace(report, relations=results, models=models, data=data, **fields)


def rows(page: str) -> list[list[str]]:
    lines = [line for line in page.splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in line.removeprefix("| ").removesuffix(" |").split(" | ")] for line in lines]


def result_of(report: Report, item: str, holds: int, violated: int, gate: Gate | None = None) -> RelationResult:
    tally = Tally(cases=holds + violated, holds=holds, violated=violated)
    return replace(report.relations[0], item=item, tally=tally, interval=(0.25, 0.75), gate=gate)


def missed(kind: str = "fail-under", on: str = "point", *, met: bool = False) -> Gate:
    return Gate(kind=kind, threshold=0.8, on=on, met=met)


def test_without_a_gate_it_says_so(report: Report) -> None:
    page = summary_page(of(report, result_of(report, "ours.one", 15, 5)))
    assert page.startswith("## vqamt: ")
    assert "**0 of 1 relation variant gated: no rate here can fail a run.**" in page
    head, _, row = rows(page)
    assert dict(zip(head, row, strict=True)) == {
        "relation": "`ours.one`",
        "pass rate": "75 % (25 to 75 %)",
        "cases": "20",
        "violated": "5",
    }


def test_gates_that_were_missed_come_first(report: Report) -> None:
    page = summary_page(
        of(
            report,
            result_of(report, "ours.met", 20, 0, missed(met=True)),
            result_of(report, "ours.missed", 10, 10, missed()),
        )
    )
    assert page.splitlines()[2].startswith("**2 of 2 relation variants gated: 1 missed, 1 met.** ")
    first, found, table = page.partition("| relation ")
    (line,) = [line for line in first.splitlines() if line.startswith("- **")]
    assert line.startswith("- **`ours.missed`**: pass rate 50 % (25 to 75 %), required: pass rate >= 80 %")
    assert "ours.met" not in first
    assert [row[:2] for row in rows(found + table)[2:]] == [
        ["`ours.missed`", "**missed**: ≥ 80 %"],
        ["`ours.met`", "met"],
    ]


def test_a_drop_since_the_baseline_says_from_what_to_what(report: Report) -> None:
    # Of 20 cases 18 held before and 12 do now: six regressions, no fix, -0.3.
    paired = PairedClusters((PairedSceneTally(both=12, first_only=6, second_only=0, neither=2, scenes=1),))
    change = BaselineChange(
        paired=paired,
        interval=(-0.5, -0.1),
        p=0.01,
        p_two_sided=0.02,
        p_holm=0.03,
        gate=Gate(kind="max-drop", threshold=0.1, on="holm", met=False),
    )
    dropped = replace(result_of(report, "ours.dropped", 12, 8), change=change)
    baseline = BaselineUse(file="base.json", digest="d", models=(), missing=("ours.gone",), new=("ours.new",))
    page = summary_page(of(report, dropped, baseline=baseline))
    assert page.splitlines()[2].startswith("**1 of 1 relation variant gated: 1 missed, 0 met.** ")
    (line,) = [line for line in page.splitlines() if line.startswith("- **`ours.dropped`**")]
    fell = "pass rate 90.0 % in the baseline, now 60.0 %: -30.0 points (-50.0 to -10.0, p = 0.03 after Holm)"
    assert line == f"- **`ours.dropped`**: {fell}, 6 regressions, 0 fixes"
    assert "ours.gone" in page
    assert "ours.new" in page
    (head, _, row) = rows(page)
    told_of = dict(zip(head, row, strict=True))
    assert (told_of["gate"], told_of["change"]) == ("**missed**: drop ≤ 10 points", "**-30.0**")


def test_several_models_and_sources_have_columns_and_a_shard_says_what_it_is(report: Report) -> None:
    one = result_of(report, "ours.one", 15, 5)
    other = replace(one, model=replace(one.model, name="another"), data=replace(one.data, spec="coco:d"))
    page = summary_page(of(report, one, other, shard="1/2"))
    head, *_ = rows(page)
    assert head[:3] == ["relation", "model", "data"]
    assert "`another`" in page
    assert "`coco:d`" in page
    assert "shard 1/2" in page


def test_what_came_from_data_or_a_model_is_text(report: Report) -> None:
    evil = result_of(report, HOSTILE, 10, 10, missed())
    evil = replace(
        evil, model=replace(evil.model, name=HOSTILE), data=replace(evil.data, spec=HOSTILE, bad_records=(HOSTILE,))
    )
    audit: Mapping[str, Json] = {**JUDGED, "of": "all", "sheet": HOSTILE, "by_item": {HOSTILE: JUDGED}}
    page = summary_page(
        of(report, evil, result_of(report, "ours.one", 1, 0), result_of(report, HOSTILE, 0, 0)), audit=audit
    )
    assert "<" not in page
    assert "onerror" in page
    tables = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)]
    assert len(tables) == 2
    for head, rule, *lines in tables:
        assert {line.count("|") for line in (head, rule, *lines)} == {head.count("|")}


def test_what_was_judged_by_people_is_told(report: Report) -> None:
    audit: Mapping[str, Json] = {**JUDGED, "of": "violations", "sheet": "sheet.csv", "by_item": {}}
    page = summary_page(of(report, result_of(report, "ours.one", 15, 5)), audit=audit)
    (row,) = [row for row in rows(page) if row[0] == "`all together`"]
    assert {"90.0 %", "60.0 to 98.0 %"} <= set(row)


@pytest.mark.parametrize("room", [2_000, 9_000])
def test_it_is_cut_where_there_is_no_room(report: Report, room: int) -> None:
    whole = of(report, *(result_of(report, f"ours.number_{number}", 15, 5) for number in range(200)))
    assert BYTES_AT_MOST == 2**20
    page = summary_page(whole, room=room)
    assert len(page.encode()) <= room < len(summary_page(whole).encode())
    assert page.endswith(f"\n\n(cut here, at {room:,} bytes: the rest is in report.html and report.json)\n")
    assert all(len(row) == 4 for row in rows(page)[2:]), "no line is cut"
    assert summary_page(whole, room=20) == ""


def test_items_without_a_case_are_one_sentence(report: Report) -> None:
    empty = [replace(result_of(report, f"ours.{name}", 0, 0), scenes_not_applicable=3) for name in "abc"]
    page = summary_page(of(report, result_of(report, "ours.one", 1, 0), *empty))
    assert "3 of 4 relation variants do not apply here: ours.a, ours.b, ours.c" in page
    assert len(rows(page)) == 3


def test_merged_shards_have_the_summary_of_one_run_but_for_its_last_line(tmp_path: Path) -> None:
    def run(name: str, shard: tuple[int, int] = (1, 1)) -> Path:
        run_into(tmp_path / name, shard=shard, fail_under=["0.5"], max_cases=10)
        return tmp_path / name

    whole = read_report(run("whole"))
    merged = merge_folders([run("1", (1, 2)), run("2", (2, 2))], tmp_path / "out")
    first, second = (summary_page(each).splitlines() for each in (whole, merged))
    assert first[:-2] == second[:-2]
    assert "started" in first[-2]


def test_a_comment_is_found_again_and_never_too_long(report: Report) -> None:
    whole = of(report, *(result_of(report, f"ours.number_{number}", 15, 5) for number in range(2_000)))
    page = comment_page(whole)
    assert page.startswith("<!-- pytest-vqamt -->\n## vqamt: ")
    assert len(page.encode()) <= 65_536
    assert max(map(len, comment_page(report).splitlines())) <= 190, "it reads well as it is"


@pytest.mark.parametrize(
    ("gates", "message", "color"),
    [
        ((None, None), "60 %", "blue"),
        ((missed(met=True), None), "60 %", "brightgreen"),
        ((missed(), missed(met=True)), "60 %, 1 gate missed", "red"),
        ((missed(), missed()), "60 %, 2 gates missed", "red"),
    ],
)
def test_a_badge_has_the_share_that_holds_and_the_color_of_the_gates(
    report: Report, gates: tuple[Gate | None, Gate | None], message: str, color: str
) -> None:
    results = [
        replace(result_of(report, f"ours.{name}", *counts, gate), grounded=None)
        for name, counts, gate in zip("ab", ((8, 2), (4, 6)), gates, strict=True)
    ]
    assert badge(of(report, *results)) == {
        "schemaVersion": 1, "label": "consistency", "message": message, "color": color,
    }  # fmt: skip
    assert badge(of(report, result_of(report, "ours.never", 0, 0)))["message"] == "nothing tested"


def test_a_badge_of_several_models_names_none_of_them() -> None:
    looks, prior = result(holds=7, violated=3, grounded=contrasts(6, 4)), result(model=OTHER, grounded=contrasts(1, 9))
    assert badge(made_report(looks, prior))["message"] == "2 models, 70 to 80 %, grounded 10 to 60 %"
