"""Contrasts of a real run in all that is made of its cases: cards, tables, comparisons, replays and sheets."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.cli import main
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.tallies import GroundedCells
from pytest_vqamt.reporting.blessing import bless
from pytest_vqamt.reporting.compare.comparison import Comparison, Conclusion, compare
from pytest_vqamt.reporting.compare.comparison_text import comparison_lines
from pytest_vqamt.reporting.compare.runs import open_report_run
from pytest_vqamt.reporting.html.case_cards import select_cards
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.reporting.merging import merge_folders
from pytest_vqamt.reporting.table_export import write_csv
from tests.reporting.reported import Row, cases_in
from tests.reporting.running import run_into, world

RELATIONS = ("metavqa.insertion[exists]", "metavqa.insertion[count]")
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Report]]:
    """The reports of a model that looks and of one that answers "yes" to everything."""
    made = {}
    for model in ("oracle", "fault:always-yes"):
        folder = tmp_path_factory.mktemp("run")
        made[model] = folder, run_into(folder, model=model, relations=RELATIONS, max_cases=12, contrast=1.0)
    return made


def blind_rows(runs: dict[str, tuple[Path, Report]]) -> list[Row]:
    return cases_in(runs["fault:always-yes"][0])


def misses(row: Row) -> bool:
    return row.get("contrast", {}).get("verdict") in ("violated", "unparsed")


def cards_of(folder: Path, report: Report) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(select_cards(report, folder, world, Images.VIOLATIONS).json)
    return shown


def test_a_case_that_holds_without_its_contrast_has_a_card_with_both_pictures(
    runs: dict[str, tuple[Path, Report]],
) -> None:
    shown = cards_of(*runs["fault:always-yes"])
    cards = {card["id"]: card for card in shown["cards"]}
    rows = [row for row in blind_rows(runs) if row["verdict"] == "holds"]
    assert rows
    assert all(misses(row) for row in rows if "contrast" in row)
    assert {row["case_id"] for row in rows if misses(row)} <= cards.keys()
    for row in filter(misses, blind_rows(runs)):
        contrast, card = row["contrast"], cards[row["case_id"]]["contrast"]
        assert card["of"] == contrast["of"]
        assert card["query"]["text"] == row["queries"][contrast["of"]]["text"]
        assert card["query"]["answer"] == contrast["answer"] == "yes"
        assert card["query"]["picture"] != row["queries"][contrast["of"]]["picture"]["digest"]
        assert {card["query"]["picture"], row["queries"][0]["picture"]["digest"]} <= shown["pictures"].keys()
        assert card["query"]["edits"], "another scene is named"
        assert card["reason"]
    assert {(card["verdict"], "contrast" in card) for card in cards_of(*runs["oracle"])["cards"]} == {("holds", False)}


def test_violations_leave_room_for_contrasts(runs: dict[str, tuple[Path, Report]], tmp_path: Path) -> None:
    from pytest_vqamt.reporting.html.case_selection import CaseSelector

    chosen = CaseSelector(runs["fault:always-yes"][0], 10, holding=False).chosen(10)
    verdicts = [str(row["verdict"]) for row in chosen.rows]
    assert sorted(verdicts) == ["holds"] * 5 + ["unparsed"] * 5
    violations = sum(row["verdict"] != "holds" for row in blind_rows(runs))
    assert chosen.left_out == violations - 5, "a case that holds is no violation"


def test_the_table_of_cases_has_the_contrast(runs: dict[str, tuple[Path, Report]], tmp_path: Path) -> None:
    folder, _ = runs["fault:always-yes"]
    write_csv(folder, tmp_path / "cases.csv")
    with (tmp_path / "cases.csv").open(newline="", encoding="utf-8") as lines:
        table = {row["case_id"]: row for row in csv.DictReader(lines)}
    for row in blind_rows(runs):
        found, contrast = table[row["case_id"]], row.get("contrast")
        if contrast is None:
            assert (found["contrast"], found["contrast_of"], found["contrast_scene"]) == ("", "", "")
        else:
            assert (found["contrast"], found["contrast_answer"]) == (contrast["verdict"], contrast["answer"])
            assert found["contrast_of"] == str(contrast["of"] + 1)
            assert found["contrast_scene"] == contrast["scene"]
            assert found["contrast_picture"] == contrast["query"]["picture"]["digest"]
            assert "must" in found["contrast_expected"]


def test_a_comparison_has_a_row_of_the_grounded_rate(runs: dict[str, tuple[Path, Report]]) -> None:
    found = compare(*(open_report_run(runs[each][0]) for each in ("oracle", "fault:always-yes")), max_drop={"*": 0.05})
    held = {(each.item, each.grounded): each for each in found.items}
    blind = runs["fault:always-yes"][1].relations[0].grounded
    assert blind is not None
    grounded, plain = held["metavqa.insertion[exists]", True], held["metavqa.insertion[exists]", False]
    assert grounded.change.paired.shared == blind.cells.cases
    assert (grounded.change.paired.first_rate, grounded.change.paired.second_rate) == (1.0, 0.0)
    assert (grounded.standing, plain.standing) == (Conclusion.WORSE, Conclusion.UNCHANGED)
    assert grounded in found.missed
    assert plain not in found.missed
    text = "\n".join(comparison_lines(found))
    assert "metavqa.insertion[exists] (grounded)" in text
    assert "MISSED: 3 of 4 rates (2 pass rates, 2 grounded rates) have" in text
    shown = next(case for case in found.shown if case.item == "metavqa.insertion[exists]")
    assert (shown.queries[-1].before, shown.queries[-1].after) == ("no", "yes")
    assert "the last text, a contrast" in shown.expected
    assert shown.reason
    counts = [held["metavqa.insertion[count]", each].change.paired.first_only for each in (False, True)]
    assert f"{counts[0]} regressions (held before, not now)" in text, "those of grounded rates are no more cases"


def test_the_gate_of_a_comparison_is_that_of_a_run_against_a_baseline(
    runs: dict[str, tuple[Path, Report]], tmp_path: Path
) -> None:
    bless(runs["oracle"][0], tmp_path / "base.gz")
    gated = vqamt.run(
        model="fault:always-yes", data="pictures:20", relations=RELATIONS, sampler="random", max_cases=12,
        contrast=1.0, baseline=tmp_path / "base.gz", max_drop=0.05,
    )  # fmt: skip
    compared: Comparison = compare(
        *(open_report_run(runs[each][0]) for each in ("oracle", "fault:always-yes")), max_drop={"*": 0.05}
    )
    expected = {
        (result.item, is_grounded): (change.paired, change.p_holm, change.gate)
        for result in gated.relations
        for is_grounded, change in ((False, result.change), (True, result.grounded and result.grounded.change))
        if change
    }
    assert expected == {
        (each.item, each.grounded): (each.change.paired, each.change.p_holm, each.change.gate)
        for each in compared.items
    }
    versions = {(change.version_before, result.version) for result in gated.relations for change in result.changes}
    assert {before - now for before, now in versions} == {0}, "grounded rates have the version of their relation, too"


def test_a_replay_asks_the_contrast_too(
    runs: dict[str, tuple[Path, Report]], tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = next(row for row in blind_rows(runs) if row["verdict"] == "holds" and misses(row))
    asked = ("replay", row["case_id"], "--report", str(runs["fault:always-yes"][0]), "--out", "out")
    assert main([*asked]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(row["queries"][0]["text"] in line for line in lines) >= 2
    at = next(number for number, line in enumerate(lines) if line.startswith("  contrast, scene "))
    assert row["queries"][0]["text"] in lines[at]
    assert "  ->  'yes'" in lines[at]
    assert lines[at + 1] == ("  violated: the answer must be another than about the case's picture, but got yes")
    pictures = {query["picture"]["digest"] for query in (*row["queries"], row["contrast"]["query"])}
    assert len(list(Path("out").glob("[0-9]*.png"))) == len(pictures)
    assert main([*asked, "--model", "fault:always-yes"]) == 1, "it holds, but the contrast is violated"
    assert "picture, but got yes  (was violated)" in capsys.readouterr().out
    assert main([*asked, "--model", "oracle"]) == 0
    text = capsys.readouterr().out
    assert "  holds: the answer must be another than about the case's picture\n" in text


def test_a_description_has_an_example_with_its_contrast(capsys: Captured, tmp_path: Path) -> None:
    sheet = str(tmp_path / "sheet.png")
    assert (
        main(["describe", "metavqa.insertion[exists]", "--data", "pictures:20", "--max-cases", "1", "--sheet", sheet])
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("    contrast, scene "))
    other, _, expected = lines[at].rpartition("  ->  ")[2].partition(": ")
    assert expected == "the answer must be another than about the case's picture"
    own = lines[at - 3].rpartition("  ->  ")[2]
    assert {own, other} == {"yes", "no"}


def test_the_sheet_of_an_audit_has_the_contrast(
    runs: dict[str, tuple[Path, Report]], tmp_path: Path, capsys: Captured
) -> None:
    folder = str(runs["fault:always-yes"][0])
    assert main(["audit", folder, "-o", str(tmp_path / "sheet"), "--of", "all", "--sample", "6"]) == 0
    with (tmp_path / "sheet" / "audit.csv").open(newline="", encoding="utf-8-sig") as lines:
        table = {row["case_id"]: row for row in csv.DictReader(lines)}
    rows = [row for row in blind_rows(runs) if row["case_id"] in table]
    assert sum("contrast" in row for row in rows) > 2
    for row in rows:
        drawn = table[row["case_id"]]
        assert ("contrast: " in drawn["questions"]) == ("contrast" in row)
        assert ("; contrast: the " in drawn["expected"]) == ("contrast" in row)
        if "contrast" in row:
            assert row["contrast"]["query"]["picture"]["digest"] in drawn["pictures"]
    assert "<dt>contrast</dt>" in next((tmp_path / "sheet").glob("*.html")).read_text(encoding="utf-8")


def test_shards_with_other_grounded_gates_are_refused(tmp_path: Path) -> None:
    for number, rate in ((1, "0.5"), (2, "0.6")):
        run_into(tmp_path / str(number), relations=RELATIONS, shard=(number, 2), contrast=1.0, grounded_under=[rate])
    with pytest.raises(DataError, match=r"the grounded gate of .* is grounded-under 0.5 .* and grounded-under 0.6"):
        merge_folders([tmp_path / "1", tmp_path / "2"], tmp_path / "out")


def test_merged_shards_have_the_cells_of_one_run(runs: dict[str, tuple[Path, Report]], tmp_path: Path) -> None:
    for number in (1, 2):
        run_into(
            tmp_path / str(number),
            model="fault:always-yes",
            relations=RELATIONS,
            max_cases=12,
            shard=(number, 2),
            contrast=1.0,
        )
    merged = merge_folders([tmp_path / "1", tmp_path / "2"], tmp_path / "out")
    cells: list[GroundedCells | None] = [each.grounded.cells if each.grounded else None for each in merged.relations]
    whole = runs["fault:always-yes"][1]
    assert cells == [each.grounded.cells if each.grounded else None for each in whole.relations]
