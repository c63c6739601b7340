"""``report.json`` and ``cases.jsonl``: written whole, and of use without the run."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.report_json import case_from_row
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.judging import verdict_of
from pytest_vqamt.relations import catalogue
from tests.plugin.conftest import EIGHT, Run, every_item
from tests.reporting.reported import cases_in, report_in

REVERSION = "--vqamt-relations=metavqa.reversion[object]"


def hidden(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if each.name.startswith(".")]


@pytest.mark.parametrize(
    "relations",
    [
        f"{EIGHT},veglue.mr2_linked_erase,metaic.object_appearance[0]",
        pytest.param("--vqamt-relations=*", marks=pytest.mark.full),
    ],
)
def test_every_case_is_judged_again_as_it_was(pytester: pytest.Pytester, run: Run, relations: str) -> None:
    models = ("--vqamt-model=fault:quantifies", "--vqamt-model=fault:refuses")
    run(relations, "--vqamt-report=out", "--vqamt-report-images=none", *models, max_cases=4)
    source = load("pictures:20")
    scenes = {source.scene(index).photo.id: source.scene(index) for index in range(len(source))}
    written = cases_in(pytester.path / "out")
    assert len(written) == 3 * 4 * len({row["relation"] for row in written}) >= 3 * 4 * 10
    assert {row["verdict"] for row in written} == {"holds", "violated", "declined"}
    for row in written:
        case = case_from_row(row, scenes.__getitem__)
        assert case.id == row["case_id"]
        relation = catalogue.get(case.relation)
        assert relation.info.item(case.variant) == row["relation"]
        verdict = verdict_of(relation, case, [Answer(text) for text in row["answers"]])
        told = (verdict.outcome.value, verdict.reason, verdict.vacuous, list(verdict.readings))
        assert told == (row["verdict"], row["reason"], row["vacuous"], row["readings"])


def test_the_report_counts_what_the_cases_say(pytester: pytest.Pytester, run: Run) -> None:
    run(EIGHT, "--vqamt-report=deep/out", model="fault:sees-absent", max_cases=8, shrink=30).assert_outcomes(passed=8)
    folder = pytester.path / "deep" / "out"
    report: dict[str, Any] = report_in(folder)
    assert report["schema"] == 1
    assert (report["seed"], report["sampler"], report["max_cases"], report["shard"]) == (0, "random", 8, "1/1")
    assert report["data"] == [
        {
            "spec": "pictures:20",
            "scenes": 20,
            "digest": load("pictures:20").digest,
            "bad_records": [],
            "given": "pictures:20",
        }
    ]
    (model,) = report["models"]
    assert (model["name"], model["tasks"]) == ("fault:sees-absent", ["vqa", "entailment", "captioning"])
    written = cases_in(folder)
    assert list(dict.fromkeys(row["relation"] for row in written)) == [each["id"] for each in report["relations"]]
    for told in report["relations"]:
        verdicts = [row["verdict"] for row in written if row["relation"] == told["id"]]
        assert len(verdicts) == told["cases"] == 8
        counts = [verdicts.count(each) for each in ("holds", "violated", "unparsed", "error")]
        assert counts == [told["holds"], told["violated"], told["unparsed"], told["errors"]]
        assert told["pass_rate"] == told["holds"] / 8
    assert model["queries_asked"] <= len({query["id"] for row in written for query in row["queries"]}) + 8 * 30
    assert hidden(folder) == []


def test_a_later_report_takes_the_place_of_the_earlier(pytester: pytest.Pytester, run: Run) -> None:
    run("--vqamt-report=out", REVERSION)
    run("--vqamt-report=out", "--vqamt-relations=control.repeat")
    report = report_in(pytester.path / "out")
    assert [each["id"] for each in report["relations"]] == ["control.repeat"]
    assert {row["relation"] for row in cases_in(pytester.path / "out")} == {"control.repeat"}


def test_what_a_run_that_died_left_behind_is_no_part_of_the_next(pytester: pytest.Pytester, run: Run) -> None:
    left = pytester.path / "out" / ".cases"
    left.mkdir(parents=True)
    (left / "000007.jsonl").write_text('{"case_id":"0","relation":"metavqa.par')
    run("--vqamt-report=out", REVERSION).assert_outcomes(passed=1)
    assert {row["relation"] for row in cases_in(pytester.path / "out")} == {"metavqa.reversion[object]"}
    assert hidden(pytester.path / "out") == []


def test_a_report_folder_of_the_ini_file_is_found_from_the_root(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nvqamt_report = out\n")
    (pytester.mkdir("below") / "test_own.py").write_text("def test_own(): pass")
    monkeypatch.chdir(pytester.path / "below")
    run(REVERSION).assert_outcomes(passed=2)
    assert (pytester.path / "out" / "report.json").is_file()
    run(REVERSION, "--vqamt-report=typed").assert_outcomes(passed=2)
    assert (pytester.path / "below" / "typed" / "report.json").is_file()


@pytest.mark.parametrize(
    ("images", "cards", "has_pictures"),
    [
        pytest.param("violations", 6, True, marks=pytest.mark.full),
        ("all", 8, True),
        # Four violations, and two cases that hold.
        ("none", 6, False),
    ],
)
def test_the_page_shows_the_violations_however_they_were_run(
    pytester: pytest.Pytester, run: Run, images: str, cards: int, has_pictures: bool
) -> None:
    relations = "--vqamt-relations=metavqa.reversion[object],control.repeat"
    pages = []
    ways = (("alone", ()), ("shared", ("-n", "2"))) if images == "violations" else (("alone", ()),)
    for name, workers in ways:
        shown = ("--vqamt-report-images", images, f"--vqamt-report={name}")
        run(relations, *shown, *workers, model="fault:always-yes").assert_outcomes(passed=2)
        page = (pytester.path / name / "report.html").read_text(encoding="utf-8")
        embedded = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        assert embedded
        pages.append(json.loads(embedded[1]))
    assert pages[1:] == pages[: len(ways) - 1]
    assert len(pages[0]["cards"]) == cards
    assert bool(pages[0]["pictures"]) == has_pictures


def test_a_folder_that_cannot_be_made_stops_the_run_at_once(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    (pytester.path / "out").write_text("a file")
    result = run("--vqamt-report=out/report", model=counted)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = result.stderr.str().strip()
    assert line.startswith("ERROR: Expected a folder that can be written to, but got --vqamt-report='")
    assert "\n" not in line
    assert not (pytester.path / "asked.txt").exists()


@pytest.mark.parametrize("in_the_way", ["report.json", "cases.jsonl"])
def test_a_report_that_cannot_be_written_is_told_in_a_line(
    pytester: pytest.Pytester, run: Run, in_the_way: str
) -> None:
    pytester.makepyfile(
        test_own=f"""
        from pathlib import Path

        def test_own(vqamt_consistency):
            vqamt_consistency.check()
            Path("out/{in_the_way}").mkdir(parents=True)
        """
    )
    result = run("--vqamt-report=out", REVERSION)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (line,) = [line for line in result.outlines if line.startswith("ERROR")]
    assert line.startswith(
        "ERROR: no report was written. Expected a folder that can be written to, but got --vqamt-report='"
    )
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in result.stdout.str()


def test_the_report_of_an_earlier_run_is_not_taken_for_that_of_one_that_fails(
    pytester: pytest.Pytester, run: Run
) -> None:
    run("--vqamt-report=out", REVERSION).assert_outcomes(passed=1)
    pytester.makepyfile(own="def load(): raise ValueError('no weights')")
    assert run("--vqamt-report=out", REVERSION, model="python:own:load").ret == pytest.ExitCode.USAGE_ERROR
    assert list((pytester.path / "out").iterdir()) == []


def test_a_session_that_asks_nothing_leaves_the_report_alone(pytester: pytest.Pytester, run: Run) -> None:
    run("--vqamt-report=out", REVERSION).assert_outcomes(passed=1)
    before = {file.name: file.read_bytes() for file in (pytester.path / "out").iterdir()}
    run("--vqamt-report=out", REVERSION, "--collect-only")
    run("--vqamt-report=out", REVERSION, "--vqamt-plan")
    pytester.makeini("[pytest]\nvqamt_model = oracle\nvqamt_report = out\n")
    pytester.makepyfile(test_unit="def test_unit(): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert {file.name: file.read_bytes() for file in (pytester.path / "out").iterdir()} == before
    assert set(before) == {"report.json", "cases.jsonl", "report.html", "summary.md", "badge.json"}


def test_no_report_is_written_where_nothing_was_run(pytester: pytest.Pytester, run: Run) -> None:
    run("--vqamt-report=out", REVERSION, "--collect-only")
    assert not (pytester.path / "out").exists()


DIES = """
    import os

    class Model:
        fails = {how}

        def answer(self, batch):
            if any(type(each.query.meaning).__name__ == "Absent" for each in batch):
                self.fails()
            return ["2" for each in batch]
"""
WAYS = {
    "an error of its own": ("lambda self: self.nothing", ()),
    "SystemExit": ("lambda self: exit(3)", ()),
    "a worker that dies": ("lambda self: os._exit(3)", ("-n", "2")),
}


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=pytest.mark.full) if way == "a worker that dies" else way for way in WAYS]
)
def test_a_report_says_where_an_item_could_not_be_run(pytester: pytest.Pytester, run: Run, way: str) -> None:
    how, workers = WAYS[way]
    pytester.makepyfile(dies=DIES.format(how=how))
    relations = "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object]"
    alone = "--vqamt-batch-size=1"  # or the first item's last batch has a query of the second, and ends with it
    result = run("--vqamt-report=out", relations, alone, *workers, model="python:dies:Model")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = report_in(pytester.path / "out")
    if way == "an error of its own":
        assert [each["errors"] for each in report["relations"]] == [0, 4], "queries that fail are counted"
        assert report["complete"]
    else:
        assert [each["id"] for each in report["relations"]] == ["metavqa.reorder[object]"]
        assert not report["complete"]
        assert "this report is not complete: an item could not be run" in result.stdout.str()
    assert {row["relation"] for row in cases_in(pytester.path / "out")} == {each["id"] for each in report["relations"]}


def test_a_report_says_where_a_test_never_came_to_its_item(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own="""
        import pytest

        @pytest.fixture
        def database():
            raise ConnectionError("refused")

        def test_own(vqamt_consistency, database):
            vqamt_consistency.check()

        def test_other(vqamt_consistency):
            vqamt_consistency.check()
        """
    )
    run("--vqamt-report=out", REVERSION).assert_outcomes(passed=1, errors=1)
    assert not report_in(pytester.path / "out")["complete"]


@pytest.mark.full
def test_the_cases_of_an_item_whose_result_was_never_told_are_left_out(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own="""
        import os

        def test_own(vqamt_consistency):
            vqamt_consistency.run()
            if vqamt_consistency.relation == "metavqa.reversion[object]":
                os._exit(3)
        """
    )
    relations = "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object]"
    result = run("--vqamt-report=out", relations, "-n", "2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "no report was written" not in result.stdout.str()
    report = report_in(pytester.path / "out")
    assert not report["complete"]
    assert [(each["id"], each["cases"]) for each in report["relations"]] == [("metavqa.reorder[object]", 4)]
    assert [row["relation"] for row in cases_in(pytester.path / "out")] == ["metavqa.reorder[object]"] * 4


def test_a_missed_gate_makes_a_report_no_less_complete(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_own(): assert False")
    result = run("--vqamt-report=out", REVERSION, "--vqamt-fail-under=1", model="fault:always-yes")
    result.assert_outcomes(failed=2)
    assert report_in(pytester.path / "out")["complete"]
    assert "not complete" not in result.stdout.str()


def test_a_session_that_is_stopped_reports_what_it_has(pytester: pytest.Pytester, run: Run) -> None:
    result = run("--vqamt-report=out", "--vqamt-fail-under=1", "--exitfirst", model="fault:order-sensitive")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = report_in(pytester.path / "out")
    assert not report["complete"]
    assert 0 < len(report["relations"]) < len(every_item())
    assert sum(each["cases"] for each in report["relations"]) == len(cases_in(pytester.path / "out"))


# ``--vqamt-cases=cases.jsonl.gz``: the same cases compressed, byte for byte the same however the run is shared out.

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
    assert names(pytester.path / "one") == {"cases.jsonl.gz", "report.json", "report.html", "summary.md", "badge.json"}
    assert gzip.decompress(packed) == plain
    assert ran("two", PACKED, "-n", "2") == packed
    for number in (1, 2):
        ran(f"shard{number}", PACKED, f"--vqamt-shard={number}/2")
    assert main(["merge", "shard1", "shard2", "-o", "merged", "--report-images", "none"]) == 0
    assert (pytester.path / "merged" / "cases.jsonl.gz").read_bytes() == packed


def test_a_folder_never_holds_both(pytester: pytest.Pytester, run: Run) -> None:
    asks = (ASKS[0], "--vqamt-report=out", "--vqamt-report-images=none")
    run(*asks, max_cases=2)
    run(*asks, PACKED, max_cases=2)
    assert names(pytester.path / "out") == {"cases.jsonl.gz", "report.json", "report.html", "summary.md", "badge.json"}
    run(*asks, max_cases=2)
    assert names(pytester.path / "out") == {"cases.jsonl", "report.json", "report.html", "summary.md", "badge.json"}


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
        [f"ERROR: Expected one of cases.jsonl, cases.jsonl.gz, but got --vqamt-cases='{name}'*"]
    )
