"""``vqamt audit`` draws a sample for a person to judge, and reads what was judged."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.cli import main
from pytest_vqamt.commands.audit import read_sheets
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.stats.intervals import wilson
from tests.reporting.html.browser import browser, opened
from tests.reporting.running import run_into

Row = dict[str, str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with violations of two relation variants, and of a control."""
    folder = tmp_path_factory.mktemp("made") / "out"
    run_into(folder, max_cases=20)
    return folder


@pytest.fixture(autouse=True)
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    copytree(made, "out")
    return tmp_path


def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("out/cases.jsonl").read_text().splitlines()]


def violations() -> list[dict[str, Any]]:
    """Those that are drawn from: of no control."""
    return [row for row in cases() if row["verdict"] == "violated" and not row["relation"].startswith("control.")]


def sheet(folder: str = "sheet") -> list[Row]:
    with Path(folder, "audit.csv").open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def tick(words: Iterable[str], *, into: str = "ticked.csv", folder: str = "sheet", notes: str = "") -> str:
    """The sheet with these judgements, in its order, in a file of its own."""
    rows = sheet(folder)
    for row, word in zip(rows, words, strict=False):
        row |= {"judgement": word, "note": notes}
    with Path(into).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return into


def told(capsys: pytest.CaptureFixture[str], *typed: str) -> list[str]:
    capsys.readouterr()
    assert main(["audit", *typed]) == 0
    return capsys.readouterr().out.splitlines()


def refusal(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    capsys.readouterr()
    assert main(["audit", *typed]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    return printed.err.removeprefix("vqamt: ").rstrip()


def audit() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(Path("out/audit.json").read_text())
    return read


def test_a_sheet_has_its_rows_its_pictures_and_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    total = len(violations())
    assert told(capsys, "out", "-o", "a sheet", "--sample", "4") == [
        f"4 of {total} violations drawn, of 2 relation variants",
        "to tick in a browser:       a sheet/audit.html",
        "to tick in a spreadsheet:   a sheet/audit.csv",
        "then, with what was ticked: vqamt audit out --read 'a sheet/audit.csv'",
    ]
    rows = sheet("a sheet")
    by_id = {row["case_id"]: row for row in violations()}
    assert len({row["case_id"] for row in rows} & by_id.keys()) == 4
    for row in rows:
        assert row["reason"] == by_id[row["case_id"]]["reason"]
        for name in row["pictures"].split(" | "):
            with Image.open(Path("a sheet", name)) as image:
                assert max(image.size) <= 480
    page = Path("a sheet/audit.html").read_text(encoding="utf-8")
    assert page.count("<article") == 4
    assert all(row["case_id"] in page for row in rows)


def test_a_sheet_of_tests_shows_no_answers(capsys: pytest.CaptureFixture[str]) -> None:
    total = len([row for row in cases() if not row["relation"].startswith("control.")])
    (first, *_) = told(capsys, "out", "-o", "sheet", "--of", "all", "--sample", "6")
    assert first == f"6 of {total} cases drawn, of 2 relation variants"
    assert {(row["answers"], row["verdict"], row["reason"], row["model"]) for row in sheet()} == {("", "", "", "")}
    page = Path("sheet/audit.html").read_text(encoding="utf-8")
    assert 'class="answer"' not in page
    assert "violated" not in page


def test_the_same_sheet_is_drawn_again_unless_somebody_has_ticked_it(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--seed", "7")
    files = ["audit.csv", "audit.html"]
    before = [Path("sheet", name).read_bytes() for name in files]
    told(capsys, "out", "-o", "sheet", "--seed", "7")
    assert [Path("sheet", name).read_bytes() for name in files] == before
    tick(["valid"], into="sheet/audit.csv")
    ticked = Path("sheet/audit.csv").read_bytes()
    assert refusal(capsys, "out", "-o", "sheet") == (
        "Expected a folder without a sheet that somebody has ticked, but got 'sheet/audit.csv': name another with -o"
    )
    assert Path("sheet/audit.csv").read_bytes() == ticked


def test_what_was_judged_is_told_written_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "10")
    file = tick(["valid"] * 6 + ["invalid"] * 2 + ["unsure"], notes="two of them")
    lines = told(capsys, "out", "--read", file)
    low, high = (f"{end:.3f}" for end in wilson(6, 8))
    assert lines[0] == f"10 of {len(violations())} violations drawn, 9 judged: 6 valid, 2 invalid, 1 unsure"
    assert lines[1].startswith("precision: 66.7 % (95 % interval ")
    assert lines[2].startswith("without the unsure ones: 75.0 % (95 % interval ")
    assert float(low) < 0.75 < float(high)
    assert lines[-3:] == [
        "waivers: out/waivers.txt (2 new, 0 there before)",
        "audit:   out/audit.json",
        "report:  out/report.html",
    ]
    read = audit()
    assert (read["of"], read["sheet"], read["drawn"], read["judged"]) == ("violations", "ticked.csv", 10, 9)
    assert (read["valid"], read["invalid"], read["unsure"]) == (6, 2, 1)
    assert (read["precision"], read["vtr"], read["vtr_interval"]) == (6 / 9, None, None)
    assert read["precision_interval"][0] < 6 / 9 < read["precision_interval"][1]
    assert sum(each["judged"] for each in read["by_item"].values()) == 9
    assert read["run_started"] == json.loads(Path("out/report.json").read_text())["started"]
    assert "66.7 %" in Path("out/summary.md").read_text()
    invalid = [row["case_id"] for row in sheet()[6:8]]
    assert Path("out/waivers.txt").read_text().splitlines()[1:] == [f"{each} two of them" for each in sorted(invalid)]


def test_a_page_with_cards_that_cannot_be_drawn_fails(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet")
    ticked = tick(["valid"] * 4)
    file = Path("out/cases.jsonl")
    file.write_text(file.read_text(encoding="utf-8").replace('"digest":"', '"digest":"0'), encoding="utf-8")
    assert main(["audit", "out", "--read", ticked]) == 1
    done = capsys.readouterr()
    assert "report:  out/report.html" in done.out
    assert re.match(r"vqamt: \d+ cards of report\.html could not be drawn; the first: case_id=", done.err)


def test_waivers_go_where_they_are_wanted_and_are_not_added_twice(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "5")
    file = tick(["invalid"] * 2)
    assert "waivers: mine.txt (2 new, 0 there before)" in told(capsys, "out", "--read", file, "--waivers", "mine.txt")
    file = tick(["invalid"] * 3)
    assert "waivers: mine.txt (1 new, 2 there before)" in told(capsys, "out", "--read", file, "--waivers", "mine.txt")
    assert not Path("out/waivers.txt").exists()
    assert len([line for line in Path("mine.txt").read_text().splitlines() if not line.startswith("#")]) == 3
    assert "judged invalid, no reason given" in Path("mine.txt").read_text()


def test_both_kinds_of_audit_stand_beside_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "4")
    told(capsys, "out", "--read", tick(["valid"] * 3 + ["unsure"]))
    told(capsys, "out", "-o", "tests", "--of", "all", "--sample", "4")
    lines = told(capsys, "out", "--read", tick(["valid"] * 4, folder="tests"))
    assert lines[1].startswith("valid tests rate (VTR): 100.0 % (95 % interval ")
    read = audit()
    assert (read["of"], read["vtr"], read["precision"]) == ("all", 1.0, 0.75)
    assert read["audits"]["violations"]["precision"] == 0.75
    assert read["audits"]["all"]["vtr"] == 1.0
    assert read["audits"]["all"]["precision"] is None


def test_what_was_found_is_kept_before_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "4")
    folder, sheet_file = Path("out"), Path(tick(["valid", "invalid"]))
    report = read_report(folder)
    first = next(read_sheets(report, folder, [sheet_file], folder / "waivers.txt"))
    assert first.endswith("2 judged: 1 valid, 1 invalid, 0 unsure")
    assert (audit()["valid"], audit()["invalid"]) == (1, 1)
    assert len(Path("out/waivers.txt").read_text().splitlines()) == 2


def test_judgements_of_an_earlier_run_are_not_shown_as_if_they_were_of_this_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "4")
    told(capsys, "out", "--read", tick(["valid"] * 4))
    row = audit()
    row["audits"]["violations"]["run_started"] = "2020-01-01T00:00:00+00:00"
    Path("out/audit.json").write_text(json.dumps(row))
    assert main(["report", "out"]) == 0
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "Judgements of an earlier run in this folder are not shown." in page
    assert "Judged by people" not in page + Path("out/summary.md").read_text(encoding="utf-8")
    told(capsys, "out", "-o", "tests", "--of", "all", "--sample", "4")
    told(capsys, "out", "--read", tick(["valid"] * 4, folder="tests"))
    assert (list(audit()["audits"]), audit()["precision"], audit()["vtr"]) == (["all"], None, 1.0)
    assert "earlier run in this folder" not in Path("out/report.html").read_text(encoding="utf-8")


def test_so_many_of_each_relation_are_weighted(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--per-relation", "3")
    items = [row["relation"] for row in sheet()]
    sizes = {item: len([row for row in violations() if row["relation"] == item]) for item in items}
    assert {item: items.count(item) for item in items} == {item: min(3, size) for item, size in sizes.items()}
    first, *others = sizes
    told(capsys, "out", "--read", tick("valid" if item == first else "invalid" for item in items))
    assert audit()["precision"] == pytest.approx(sizes[first] / (sizes[first] + sum(sizes[each] for each in others)))


def test_several_judges(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "4")
    first = tick(["valid", "valid", "invalid", "invalid"], into="anna.csv", notes="hm")
    second = tick(["valid", "valid", "invalid", "valid"], into="ben.csv")
    lines = told(capsys, "out", "--read", first, "--read", second)
    assert lines[0].endswith("4 judged: 2 valid, 1 invalid, 1 unsure")
    # p_o = 3/4, p_e = 2/4 * 3/4 + 2/4 * 1/4 = 1/2.
    assert "anna.csv and ben.csv agree on 3 of 4 cases: Cohen's kappa 0.500" in lines
    assert audit()["agreement"] == [{"sheets": ["anna.csv", "ben.csv"], "shared": 4, "same": 3, "kappa": 0.5}]
    assert audit()["sheet"] == "anna.csv, ben.csv"
    assert Path("out/waivers.txt").read_text().splitlines()[1:] == [f"{sheet()[2]['case_id']} hm"]


def test_sheets_of_two_samples_are_not_put_together(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "4")
    told(capsys, "out", "-o", "other", "--sample", "5")
    files = tick(["valid"], into="a.csv"), tick(["valid"], into="b.csv", folder="other")
    problem = refusal(capsys, "out", "--read", files[0], "--read", files[1])
    assert problem.startswith("Expected sheets of one sample, but b.csv is of violations, population=")


def test_a_case_of_which_one_violation_is_true_is_not_waived(capsys: pytest.CaptureFixture[str]) -> None:
    rows = cases()
    again = [row | {"model": "another"} for row in rows]
    report = json.loads(Path("out/report.json").read_text())
    for part, name in (("models", "name"), ("relations", "model")):
        report[part] += [each | {name: "another"} for each in report[part]]
    Path("out/report.json").write_text(json.dumps(report))
    Path("out/cases.jsonl").write_text(
        "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [*rows, *again]), encoding="utf-8"
    )
    told(capsys, "out", "-o", "sheet", "--sample", "1000")
    one = sheet()[0]["case_id"]
    file = tick("" if row["case_id"] != one else "valid" if row["model"] == "another" else "invalid" for row in sheet())
    lines = told(capsys, "out", "--read", file)
    assert lines[0].endswith("2 judged: 1 valid, 1 invalid, 0 unsure")
    assert f"judged valid for one model and invalid for another, so not waived: {one}" in lines
    assert not Path("out/waivers.txt").exists()


def test_a_report_that_was_written_anew_is_not_the_one_of_the_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "3")
    file, total = tick(["valid"]), len(violations())
    kept = [row for row in cases() if row["case_id"] != sheet()[0]["case_id"]]
    Path("out/cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    assert refusal(capsys, "out", "--read", file) == (
        f"Expected the report that ticked.csv was drawn from, with {total} violations to draw from, but 'out' has "
        f"{total - 1}: it was written anew since; name the one of that time"
    )


def as_it_is(row: Row) -> None:
    """Changes nothing."""


def of_a_control(row: Row) -> None:
    row["case_id"] = next(each["case_id"] for each in cases() if each["relation"].startswith("control."))


def unknown(row: Row) -> None:
    row["case_id"] = "0" * 16


@pytest.mark.parametrize(
    ("change", "word", "expected"),
    [
        (as_it_is, "", "Expected a judgement of one case or more, but got none in ticked.csv: "),
        (
            as_it_is,
            "maybe",
            "ticked.csv, row 2: Expected a judgement, or nothing where the case is not judged, but got ",
        ),
        (unknown, "valid", "ticked.csv, row 2: Expected a case of the report, but got case_id='0000000000000000'"),
        (of_a_control, "valid", "ticked.csv, row 2: Expected a case of the sample, but got case_id="),
    ],
)
def test_a_sheet_that_cannot_be_used_is_told_in_one_line(
    change: Callable[[Row], None], word: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "3")
    rows = sheet()
    change(rows[0])
    rows[0]["judgement"] = word
    with Path("ticked.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert refusal(capsys, "out", "--read", "ticked.csv").startswith(expected)
    assert not Path("out/audit.json").exists()
    assert not Path("out/waivers.txt").exists()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("out",), "Expected -o SHEET_DIR to draw a sheet, or --read FILE.csv of a ticked one, but got neither"),
        (("out", "-o", "x", "--read", "y"), "Expected --read FILE.csv alone, but got -o, too: leave it off"),
        (("out", "--read", "y", "--seed", "3"), "Expected --read FILE.csv alone, but got --seed, too"),
        (("out", "-o", "x", "--waivers", "y"), "Expected --waivers with --read FILE.csv, but got it with -o"),
        (("out", "--read", "y.csv"), "Expected a ticked sheet, but got --read 'y.csv' (No such file or directory)"),
        (("no", "-o", "x"), "Expected a folder that --vqamt-report wrote, but got 'no'"),
        (("out", "-o", "x", "--sample", "0"), "Expected --sample to be a whole number from 1 up, but got 0"),
        (
            ("out", "-o", "x", "--relations", "metavqa.partitoin"),
            "Expected --relations to name relations of the report",
        ),
        (("out", "-o", "x", "--data", "pictures:1"), "out/cases.jsonl:"),
        (("out", "-o", "x", "--data", "coco:none"), "Expected a folder, but got folder='none'"),
        (("out", "-o", "x", "--option", "inpaint=lama:none.pt"), "Expected inpaint=lama:PATH with a TorchScript"),
        (("out", "-o", "taken"), "Expected a folder that can be written, but got -o 'taken'"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    typed: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("taken").touch()
    assert refusal(capsys, *typed).startswith(expected)


def renamed(spec: str) -> None:
    """Makes the report one of data that lie elsewhere."""
    for name in ("cases.jsonl", "report.json"):
        file = Path("out", name)
        file.write_text(file.read_text(encoding="utf-8").replace("pictures:20", spec), encoding="utf-8")


def test_the_data_may_have_moved(capsys: pytest.CaptureFixture[str]) -> None:
    renamed("coco:/home/anna/coco")
    assert refusal(capsys, "out", "-o", "sheet").startswith("out: Expected a folder, but got folder='/home/anna/coco'")
    told(capsys, "out", "-o", "sheet", "--data", "pictures:20", "--sample", "3")
    assert {row["data"] for row in sheet()} == {"coco:/home/anna/coco"}
    lines = told(capsys, "out", "--read", tick(["valid"] * 3))
    assert lines[-1].startswith("out/report.html is as it was, for its pictures cannot be drawn here (out: Expected a ")
    assert lines[-1].endswith("`vqamt report out --data SPEC` writes it anew")
    assert told(capsys, "out", "--read", "ticked.csv", "--data", "pictures:20")[-1] == "report:  out/report.html"


@pytest.mark.full
def test_three_cases_are_ticked_in_a_browser_and_read_back(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    told(capsys, "out", "-o", "sheet", "--sample", "5")
    with browser() as chromium, opened(chromium, here / "sheet" / "audit.html") as shown:
        for key in "vjijn":
            shown.page.keyboard.press(key)
        shown.page.keyboard.type("which one?")
        shown.page.keyboard.press("Escape")
        shown.page.keyboard.press("u")
        with shown.page.expect_download() as started:
            shown.page.get_by_role("button", name="Download the sheet").click()
        started.value.save_as(here / "down.csv")
        assert shown.complaints == []
        assert {url for url in shown.requests if not url.startswith(("data:", "blob:"))} == {
            (here / "sheet" / "audit.html").as_uri()
        }
        picture = shown.page.locator("article:visible svg").first.bounding_box()
        assert picture is not None
        assert picture["width"] > 200
    lines = told(capsys, "out", "--read", "down.csv")
    assert lines[0].endswith(" drawn, 3 judged: 1 valid, 1 invalid, 1 unsure")
    assert Path("out/waivers.txt").read_text().splitlines()[1:] == [
        f"{sheet()[1]['case_id']} judged invalid, no reason given"
    ]
