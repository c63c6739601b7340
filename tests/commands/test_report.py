"""``vqamt report`` makes the pages of a report anew, and tables of its cases, and says where they are."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from tests.reporting.erratic import SPEC
from tests.reporting.reported import cases_in, report_in
from tests.reporting.running import run_into


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first two files of a report."""
    folder = tmp_path_factory.mktemp("made")
    run_into(folder, model=SPEC, relations=["metavqa.insertion[count]", "control.repeat"], max_cases=12)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "out")
    return tmp_path / "out"


def cases(page: Path) -> dict[str, Any]:
    """What the page embeds."""
    found = re.search(
        r'<script type="application/json"[^>]*>(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found
    embedded: dict[str, Any] = json.loads(found[1])
    return embedded


def test_it_makes_the_pages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"report: {folder / 'report.html'}\nsummary: {folder / 'summary.md'}\n"
    embedded = cases(folder / "report.html")
    assert {card["verdict"] for card in embedded["cards"]} <= {"holds", "violated", "unparsed"}
    assert len(embedded["pictures"]) > 2
    assert (folder / "summary.md").read_text(encoding="utf-8").startswith("<!-- pytest-vqamt -->\n## vqamt: ")


def test_pictures_of_all_cases_or_none_and_into_another_folder(folder: Path, tmp_path: Path) -> None:
    before = {file.name for file in folder.iterdir()}
    shown = {}
    for images in ("all", "violations", "none"):
        assert main(["report", str(folder), "--report-images", images, "--out", str(tmp_path / images)]) == 0
        shown[images] = cases(tmp_path / images / "report.html")
    assert len(shown["all"]["cards"]) == 24
    assert set(shown["all"]["pictures"]) > set(shown["violations"]["pictures"]) > set()
    assert len(shown["violations"]["cards"]) < 24
    assert [card["id"] for card in shown["violations"]["cards"]] == [card["id"] for card in shown["none"]["cards"]]
    assert shown["none"]["pictures"] == {}
    assert {file.name for file in folder.iterdir()} == before


def test_the_cases_as_tables(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tables = {"csv": tmp_path / "cases.csv", "parquet": tmp_path / "cases.parquet"}
    options = [f"--{kind}={file}" for kind, file in tables.items()]
    assert main(["report", str(folder), "--report-images=none", *options]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == [f"24 cases: {tables['csv']}", f"24 cases: {tables['parquet']}"]
    written = cases_in(folder)
    with tables["csv"].open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = parquet.read_table(tables["parquet"]).to_pylist()
    for case, row, column in zip(written, rows, columns, strict=True):
        assert case["case_id"] == row["case_id"] == column["case_id"]
        assert case["answers"] == [row["answer_1"], row["answer_2"]] == column["answer"]
        assert [query["text"] for query in case["queries"]] == [row["text_1"], row["text_2"]] == column["text"]
        assert json.loads(row["facts"]) == json.loads(column["facts"]) == case["facts"]


def test_the_tables_of_the_papers(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tex, tables = tmp_path / "tex", tmp_path / "csv"
    assert main(["report", str(folder), "--report-images=none", f"--latex={tex}", f"--csv-tables={tables}"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [f"4 LaTeX tables: {tex}", f"2 CSV tables: {tables}"]
    name = "metavqa-error-rate-on-pictures-20"
    assert "\\begin{tabular}{lr}" in (tex / f"{name}.tex").read_text(encoding="utf-8")
    assert (
        (tables / f"{name}.csv").read_text(encoding="utf-8").startswith("model,insertion (%),insertion cases (count)\n")
    )
    whole = (folder / "report.html").read_text(encoding="utf-8")
    assert "MetaVQA: error rate on pictures:20" in whole
    short = (folder / "summary.md").read_text(encoding="utf-8")
    assert "<details><summary>Figures of the papers</summary>\n\nMetaVQA: error rate on `pictures:20`:\n" in short
    assert "| `Pythia (published)` " in short.partition("</details>")[0]


def recorded_as(folder: Path, spec: str, digest: str | None = None) -> None:
    """Changes what the report says of its data."""
    for name in ("report.json", "cases.jsonl"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace('"pictures:20"', json.dumps(spec)), encoding="utf-8")
    if digest:
        report = report_in(folder)
        report["data"][0]["digest"] = digest
        (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")


def test_data_that_is_gone_is_told_and_can_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded_as(folder, "coco:gone")
    assert main(["report", str(folder)]) == 0
    told = capsys.readouterr().err
    assert told.startswith(f"vqamt: the page shows no pictures of coco:gone: {folder / 'report.json'}: Expected ")
    assert told.endswith("name the data of that run with --data\n")
    assert told.count("\n") == 1
    assert cases(folder / "report.html")["pictures"] == {}
    assert "The pictures of coco:gone are not shown" in (folder / "report.html").read_text(encoding="utf-8")
    assert main(["report", str(folder), "--data=pictures:20"]) == 0
    assert capsys.readouterr().err == ""
    assert cases(folder / "report.html")["pictures"]


def test_data_that_has_changed_shows_what_is_still_the_same(folder: Path) -> None:
    recorded_as(folder, "coco:gone", digest="another")
    assert main(["report", str(folder), "--data=pictures:12"]) == 1
    embedded = cases(folder / "report.html")
    scenes = {int(card["scene"].rpartition("-")[2]) for card in embedded["cards"]}
    assert min(scenes) < 12 < max(scenes)
    for card in embedded["cards"]:
        first = card["queries"][0]["picture"] in embedded["pictures"]
        assert first == (int(card["scene"].rpartition("-")[2]) < 12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "Expected a folder that --vqamt-report wrote, but got 'nowhere'"),
        (["{folder}", "--data=coco:nowhere"], "Expected "),
        (["{folder}", "--option=inpaint"], "Expected "),
        (["{folder}", "--csv={folder}"], "Expected a file that can be written, but got --csv="),
        (["{folder}", "--latex={folder}/report.json"], "Expected a folder that can be written to, but got --latex="),
    ],
    ids=["no report", "no data", "no setting", "no file", "no folder"],
)
def test_a_mistake_is_one_line_and_status_2(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["report", *(each.format(folder=folder) for each in arguments)]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"vqamt: {said}")
    assert told.err.count("\n") == 1
    assert "report:" not in told.out


def test_images_are_one_of_three(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", str(folder), "--report-images=some"])
    assert ended.value.code == 2
    assert "invalid" in capsys.readouterr().err


# ``vqamt merge`` prints the summary of all shards, and its status says whether their gates are met.


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
    [partition] = [line for line in printed.splitlines() if line.startswith("metavqa.partition[object] ")]
    assert " violations in 30 cases of 1 relation" in printed
    assert ("missed: " in partition) == (status == 1)
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
    for more, heads in (((), 0), (("-v",), 2)):
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
    assert printed.err.startswith(f"vqamt: the page shows no pictures of coco:/nowhere: {tmp_path / 'out'}: Expected")
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "out" / "summary.md").is_file()
