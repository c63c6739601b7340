"""All files of a report: of one run, made of each other, and the same whoever makes them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from uuid import UUID

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.core import atomic_write
from pytest_vqamt.core.codec import Json, replace
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.report_json import report_row
from pytest_vqamt.core.results import BaselineUse, Report
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.reporting.case_writer import CasePartWriter, start_parts
from pytest_vqamt.reporting.files import read_report, write_files, write_pages
from pytest_vqamt.reporting.html.case_selection import Images
from pytest_vqamt.stats.conclude import differences, rankings
from pytest_vqamt.stats.paired import change_of, with_holm_gates
from tests.reporting.erratic import SPEC
from tests.reporting.reported import report_in, write_report
from tests.reporting.running import run_into, world
from tests.stats.judging import cases_of, result

ALL = {"cases.jsonl", "report.json", "report.html", "summary.md", "badge.json"}


def at_hand(spec: str) -> SceneSource:
    return world(spec)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    """A report of two items, and the folder with its first two files."""
    folder = tmp_path_factory.mktemp("run")
    report = run_into(folder, model=SPEC, relations=["metavqa.partition[object]", "control.repeat"], max_cases=5)
    return report, folder


def parts(run: tuple[Report, Path], folder: Path) -> None:
    """Leaves in ``folder`` what a run has there before it writes its report."""
    start_parts(folder)
    lines = (run[1] / "cases.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for position, each in enumerate(run[0].relations):
        with CasePartWriter(folder, position):
            pass
        own = [line for line in lines if json.loads(line)["relation"] == each.item]
        (folder / ".cases" / f"{position:06}.jsonl").write_text("".join(own), encoding="utf-8")


def write(run: tuple[Report, Path], folder: Path) -> None:
    write_files(run[0], folder, source_of=at_hand, images=Images.VIOLATIONS)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_run_writes_all_files(run: tuple[Report, Path], tmp_path: Path) -> None:
    parts(run, tmp_path)
    write(run, tmp_path)
    written = contents(tmp_path)
    assert set(written) == ALL
    for name in ("cases.jsonl", "report.json"):
        assert written[name] == (run[1] / name).read_bytes()
    assert written["report.html"].endswith(b"</html>")
    assert b"data:image/webp;base64," in written["report.html"]
    assert b"`control.repeat`" in written["summary.md"]


def test_the_pages_are_made_of_the_other_files_alone(run: tuple[Report, Path], tmp_path: Path) -> None:
    for name in ("session", "later"):
        parts(run, tmp_path / name)
    write(run, tmp_path / "session")
    for name in ("cases.jsonl", "report.json"):
        shutil.copy(tmp_path / "session" / name, tmp_path / "later" / name)
    write_pages(tmp_path / "later", source_of=at_hand, images=Images.VIOLATIONS)
    shutil.rmtree(tmp_path / "later" / ".cases")
    assert contents(tmp_path / "later") == contents(tmp_path / "session")
    write_pages(tmp_path / "later", source_of=at_hand, images=Images.VIOLATIONS, out=tmp_path / "elsewhere")
    assert set(contents(tmp_path / "elsewhere")) == {"report.html", "summary.md", "badge.json"}


def test_a_card_that_cannot_be_drawn_says_why_and_costs_no_other(run: tuple[Report, Path], tmp_path: Path) -> None:
    shutil.copytree(run[1], tmp_path, dirs_exist_ok=True)
    rows = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    broken = next(row for row in rows if row["verdict"] == "violated")
    broken["queries"][0]["trial"] = "first"
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    told = write_pages(tmp_path, source_of=at_hand, images=Images.VIOLATIONS)
    assert told.startswith(f"1 card of report.html could not be drawn; the first: case_id='{broken['case_id']}' of ")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "This card could not be drawn (ValueError: invalid literal for int() with base 10: 'first')" in page
    assert all(row["case_id"] in page for row in rows)
    assert main(["report", str(tmp_path)]) == 1
    assert "report.html" in contents(tmp_path)


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        ({"is": "Mirror", "glitter": 5}, "Expected a recipe that this version reads"),
        ({"is": "Mirror"}, "Expected the photo that the picture was made of"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_told_of_as_its_card_is(
    run: tuple[Report, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], edit: Json, reason: str
) -> None:
    shutil.copytree(run[1], tmp_path, dirs_exist_ok=True)
    rows = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["relation"] != "control.repeat":
            row["queries"][0]["picture"]["edits"] = [edit]
            row["queries"][0]["picture"]["digest"] += "0"
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")

    assert main(["report", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("vqamt: 5 cards of report.html could not be drawn; the first: case_id='")
    assert f"of metavqa.partition[object]: {reason}" in told
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert all(row["case_id"] in page for row in rows)
    assert "data:image/webp;base64," in page


def test_a_run_whose_pictures_cannot_be_drawn_for_the_page_fails(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        from pytest_vqamt.reporting.html import case_cards as cards

        def fails(requests, *_):
            return ["OSError: the disk is gone" for _ in requests]

        cards.thumbnails = fails
    """)
    arguments = ["--vqamt-model=oracle", "--vqamt-data=pictures:4", "--vqamt-relations=carets.negation"]
    done = pytester.runpytest_subprocess(*arguments, "--vqamt-max-cases=2", "--vqamt-report=out")
    done.assert_outcomes(passed=1)
    assert done.ret == 1
    done.stdout.fnmatch_lines(
        ["*ERROR: 2 cards of report.html could not be drawn; the first: case_id=*the disk is gone*"]
    )
    assert (pytester.path / "out" / "report.html").is_file()


def test_edited_places_that_cannot_be_found_cost_no_picture(
    run: tuple[Report, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Json:
        raise ValueError("beside-0")

    shutil.copytree(run[1], tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr("pytest_vqamt.reporting.html.case_cards.edit_regions", fails)
    assert write_pages(tmp_path, source_of=at_hand, images=Images.VIOLATIONS) == ""
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.search(r"The edited places of \d+ pictures are not marked; the first: ValueError: beside-0", page)
    assert "data:image/webp;base64," in page


def test_nothing_of_an_earlier_report_stays_beside_the_new_one(run: tuple[Report, Path], tmp_path: Path) -> None:
    for name in (*ALL, "audit.json", "notes.txt"):
        (tmp_path / name).write_text("earlier")
    parts(run, tmp_path)
    write(run, tmp_path)
    assert set(contents(tmp_path)) == {*ALL, "notes.txt"}
    assert b"earlier" not in b"".join(content for name, content in contents(tmp_path).items() if name in ALL)


def test_lines_that_another_session_has_written_are_told_and_the_report_there_stays(
    run: tuple[Report, Path], tmp_path: Path
) -> None:
    (tmp_path / "report.json").write_text("earlier")
    parts(run, tmp_path)
    with (tmp_path / ".cases" / "000001.jsonl").open("a") as another:
        another.write('{"case_id":"0"}\n')
    with pytest.raises(VqamtError, match=r"Expected 10 lines in cases\.jsonl, but got 11: has another session written"):
        write(run, tmp_path)
    assert (tmp_path / "report.json").read_text() == "earlier"
    assert {each.name for each in tmp_path.iterdir()} == {"report.json", ".cases"}


def test_where_pages_cannot_be_written_counts_and_cases_are(run: tuple[Report, Path], tmp_path: Path) -> None:
    parts(run, tmp_path)

    def gone(spec: str) -> SceneSource:
        raise DataError("Expected data, but got none")

    with pytest.raises(VqamtError) as told:
        write_files(run[0], tmp_path, source_of=gone, images=Images.VIOLATIONS)
    assert str(told.value) == (
        "report.json and cases.jsonl are written, but not all pages made of them. Expected data, but got none"
    )
    assert read_report(tmp_path).relations
    assert not (tmp_path / "report.html").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize(
    ("full", "left"),
    [
        ("cases.jsonl", {"report.json", "report.html"}),
        ("report.json", {"report.json", "report.html"}),
        ("summary.md", {"cases.jsonl", "report.json"}),
        ("report.html", {"cases.jsonl", "report.json", "summary.md", "badge.json"}),
    ],
)
def test_a_disk_that_is_full_at_any_file(
    run: tuple[Report, Path], tmp_path: Path, full: str, left: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("report.json", "report.html"):
        (tmp_path / name).write_text("earlier")
    parts(run, tmp_path)
    monkeypatch.setattr(atomic_write, "uuid4", lambda: UUID(int=17))
    (tmp_path / f".{full}.{UUID(int=17).hex}.part").symlink_to("/dev/full")
    with pytest.raises(VqamtError) as told:
        write(run, tmp_path)
    assert str(told.value).endswith(
        f"Expected a folder that can be written to, but got --vqamt-report={str(tmp_path)!r}: "
        "[Errno 28] No space left on device; free some space and run again: no answer that was kept is asked for again"
    )
    # An earlier report stays until there is a new one to take its place, and nothing is in the way of the next run.
    assert set(contents(tmp_path)) == left
    assert ((tmp_path / "report.json").read_text() == "earlier") == ("report.html" in left)
    parts(run, tmp_path)
    write(run, tmp_path)
    assert set(contents(tmp_path)) == ALL


@pytest.mark.parametrize("text", ["", "[]", "{"], ids=["empty", "a list", "cut off"])
def test_an_audit_that_cannot_be_read_is_told(run: tuple[Report, Path], tmp_path: Path, text: str) -> None:
    shutil.copytree(run[1], tmp_path, dirs_exist_ok=True)
    (tmp_path / "audit.json").write_text(text)
    with pytest.raises(DataError, match="Expected ") as told:
        write_pages(tmp_path, source_of=at_hand, images=Images.NONE)
    assert "audit.json" in str(told.value)


def test_a_report_read_back_writes_the_same_file(tmp_path: Path) -> None:
    run_into(tmp_path, fail_under=["metavqa.*=0.9"])
    assert json.dumps(report_row(read_report(tmp_path))) == json.dumps(report_in(tmp_path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "not json",
            r"Expected a report, but got '.*report\.json': it is no JSON; copy it anew, or run the tests again",
        ),
        ("", r"report\.json': it is empty; copy it anew"),
        (
            '{"schema": 1,\n "mod',
            r"report\.json': it is no whole JSON: it breaks off at line 2, column 2; copy it anew",
        ),
        ("[]", r"Expected a report, but got '.*report\.json', which --vqamt-report did not write: it has no schema"),
        ('{"a": 1}', r"report\.json', which --vqamt-report did not write: it has no schema; name the folder of"),
        (
            '{"schema": 2}',
            "Expected a report of schema 1, but got schema=2 in .*report.json': read it with the version",
        ),
        (
            '{"schema": 1}',
            r"Expected a whole report, but got '.*report\.json': it has no vqamt_version; read it with the",
        ),
        (
            '{"schema": 1, "vqamt_version": "1", "seed": "seven"}',
            "expected a whole number as seed, but got a text; read it with the version",
        ),
        ('{"schema": 1, "models": 3}', "Expected a whole report"),
    ],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(DataError, match=told):
        read_report(tmp_path)


def test_a_result_that_is_not_whole_is_named_with_its_file(tmp_path: Path) -> None:
    run_into(tmp_path)
    row = report_in(tmp_path)
    del row["relations"][0]["version"]
    (tmp_path / "report.json").write_text(json.dumps(row))
    with pytest.raises(
        DataError, match=r"got '.*report\.json': relations\[0\] has no version; read it with the version"
    ):
        read_report(tmp_path)


def test_what_only_some_reports_have_comes_back_too(tmp_path: Path) -> None:
    made = run_into(tmp_path, max_cases=3)
    [held] = with_holm_gates([change_of(PairedClusters((PairedSceneTally(1, 2, 0, 1, 9),)))], [0.05])
    several = [
        result("ours.rule", model, cases_of(verdicts), presumed=cases_of("+-", start=10))
        for model, verdicts in (("one", "+++++"), ("two", "+----"))
    ]
    whole = replace(
        made,
        relations=(replace(made.relations[0], change=held), *made.relations[1:]),
        ranking=rankings(several),
        differences=differences(several),
        baseline=BaselineUse(file="base.gz", digest="b", models=(("one", "f"),), missing=(), new=("ours.new-one-x",)),
        waived=(("0" * 16, "two dogs"),),
    )
    write_report(whole, tmp_path)
    again = read_report(tmp_path)
    assert (again.ranking, again.differences) == (whole.ranking, whole.differences)
    assert (again.baseline, again.waived) == (whole.baseline, whole.waived)
    assert again.relations[0].change == held
    assert json.dumps(report_row(again)) == json.dumps(report_in(tmp_path))
