"""A run that is held against a baseline: the blessed cases are asked, and a drop fails a test of its own."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.relations import catalogue
from pytest_vqamt.reporting.merging import merge_folders
from tests.costs import without_costs
from tests.plugin.conftest import WORKERS, Run
from tests.reporting.reported import cases_in, report_in
from tests.reporting.running import run_into

TWO = "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object]"
BASELINE = "--vqamt-baseline=base.gz"
FAULTY = "fault:ignores-negation"
GATE = f"vqamt::baseline::metavqa.reversion[object]-{FAULTY}-pictures:20"
TOTAL = f"vqamt::baseline::all-relations-{FAULTY}-pictures:20"
"""Of the cases of both relations half have dropped."""


def bless(pytester: pytest.Pytester, run: Run, relations: str, *, max_cases: int = 10) -> None:
    """Runs a perfect model and keeps its report as ``base.gz``."""
    run(relations, "--vqamt-report=blessed", max_cases=max_cases)
    assert main(["bless", str(pytester.path / "blessed"), "-o", str(pytester.path / "base.gz")]) == 0


@pytest.fixture(scope="module")
def perfect(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what ``bless`` leaves of the two relations."""
    folder = tmp_path_factory.mktemp("perfect")
    relations = TWO.partition("=")[2].split(",")
    run_into(folder / "blessed", model="oracle", relations=relations, max_cases=10)
    assert main(["bless", str(folder / "blessed"), "-o", str(folder / "base.gz")]) == 0
    return folder


@pytest.fixture
def blessed(pytester: pytest.Pytester, perfect: Path) -> None:
    shutil.copytree(perfect, pytester.path, dirs_exist_ok=True)


@pytest.mark.usefixtures("blessed")
def test_a_drop_fails_a_test_of_its_own(pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]) -> None:
    result = run(
        TWO, BASELINE, "--vqamt-report=out", "--junitxml=junit.xml", "-rf", "--vqamt-seed=7", *workers, model=FAULTY
    )
    result.assert_outcomes(passed=3, failed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = result.stdout.str()
    assert f"\nFAILED {GATE}" in shown
    assert f"\nFAILED {TOTAL}" in shown
    assert f"{FAULTY} on pictures:20: all relations together dropped from 100.0 % to 50.0 % on the same 20 " in shown
    assert "[100%]" in shown
    assert not re.search(r"1[1-9]\d%|[2-9]\d\d%", shown)
    scenes = report_in(pytester.path / "out")["relations"][1]["scenes"]
    # Each scene has cases that broke and none that was mended. There are two items, and the total has half the level.
    p = 2 * 2 * 0.5**scenes
    assert (
        f"\nmetavqa.reversion[object] on {FAULTY}: "
        "the pass rate has dropped from 100.0 % to 0.0 % on the same 10 cases "
    ) in shown
    assert f"p {p:.4f} after Holm); allowed drop: 0 points\n" in shown or p < 0.0001
    assert "\n  10 regressions, 0 fixes\n" in shown
    assert re.search(r"\n    \w.*\?  +->  'no' before, 'yes' now\n", shown)

    junit = ET.parse(pytester.path / "junit.xml").getroot()
    told = {f"{case.get('classname')}::{case.get('name')}": case for case in junit.iter("testcase")}
    assert len(told) == 5
    failed = [name for name, case in told.items() if case.find("failure") is not None]
    assert failed == [name.replace("vqamt::baseline", "vqamt.baseline") for name in (GATE, TOTAL)]
    properties = {each.get("name"): each.get("value") for each in told[failed[1]].iter("property")}
    assert (properties["vqamt_relation"], properties["vqamt_baseline_gate_met"]) == ("all-relations", "false")

    report = report_in(pytester.path / "out")
    assert report["complete"]
    assert report["baseline"]["file"] == "base.gz"
    assert report["baseline"]["models"] == [{"name": "oracle", "fingerprint": "undeclared:oracle"}]
    assert (report["baseline"]["missing"], report["baseline"]["new"]) == ([], [])
    changes = [each["change"] for each in report["relations"]]
    assert [(each["shared"], each["lost"], each["won"]) for each in changes] == [(10, 0, 0), (10, 10, 0)]
    assert [each["gate"]["met"] for each in changes] == [True, False]
    assert changes[1]["p_holm"] == pytest.approx(p)
    (total,) = report["baseline"]["totals"]
    assert (total["change"]["shared"], total["change"]["lost"], total["change"]["gate"]["met"]) == (20, 10, False)
    assert total["change"]["p_holm"] == pytest.approx(2 * 0.5**scenes)
    assert (report["baseline"]["accuracy"], report["undecided"]) == ([], "pass")
    assert {case["before"] for case in cases_in(pytester.path / "out")} == {"holds"}


@pytest.mark.usefixtures("blessed")
def test_the_broken_case_is_asked_again_by_the_command_that_is_shown(pytester: pytest.Pytester, run: Run) -> None:
    result = run(TWO, BASELINE, model=FAULTY)
    first = next(line for line in result.outlines if "  replay:   " in line)
    again = pytester.runpytest_inprocess(*shlex.split(first.partition("pytest ")[2]))
    again.assert_outcomes(passed=1)
    assert "violated: one answer must be yes and the other no, but got yes, yes" in again.stdout.str()


@pytest.mark.usefixtures("blessed")
def test_without_a_drop_all_is_well(pytester: pytest.Pytester, run: Run) -> None:
    result = run(TWO, BASELINE, "-v", "--vqamt-max-cases=1", "--vqamt-report=out", max_cases=None)
    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.OK
    gates = [line for line in result.outlines if line.startswith("vqamt::baseline::")]
    assert [line.split()[-2:] for line in gates] == [["PASSED", "[100%]"]] * 3
    ids = [[case["case_id"] for case in cases_in(pytester.path / folder)] for folder in ("blessed", "out")]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 20


@pytest.mark.usefixtures("blessed")
def test_a_drop_may_be_tolerated(run: Run) -> None:
    run(TWO, BASELINE, "--vqamt-max-drop=0.99", model=FAULTY).assert_outcomes(passed=4, failed=1)
    # No rate can fall by more than 100 points, so that none is gated.
    result = run(TWO, BASELINE, "--vqamt-max-drop=1", model=FAULTY, summary=None)
    result.assert_outcomes(passed=2)
    assert "2 rates cannot fall by more than the 100 points that --vqamt-max-drop allows" in result.stdout.str()


@pytest.mark.usefixtures("blessed")
def test_relations_and_all_of_them_together_may_be_allowed_drops_of_their_own(
    pytester: pytest.Pytester, run: Run
) -> None:
    # Ten cases, some of one picture, of which nothing changes rule a drop of 40 points out, and all 20 one of 30.
    allowed = ("--vqamt-max-drop=0.4", "--vqamt-max-drop=all-relations=0.3", "--vqamt-undecided=fail")
    run(TWO, BASELINE, *allowed).assert_outcomes(passed=5)
    run(TWO, BASELINE, *allowed, "--vqamt-max-drop=all-relations=0.1").assert_outcomes(passed=4, failed=1)
    pytester.makeini("[pytest]\nvqamt_max_drop =\n    0.4\n    all-relations=0.3\n")
    result = run(TWO, BASELINE, "--vqamt-report=out", model=FAULTY, summary=None)
    result.assert_outcomes(passed=3, failed=2)
    shown = result.stdout.str()
    assert ("allowed drop: 40 points" in shown, "allowed drop: 30 points" in shown) == (True, True)
    assert report_in(pytester.path / "out")["baseline"]["max_drop"] == {"*": 0.4, "all-relations": 0.3}
    refused = run(TWO, BASELINE, "--vqamt-max-drop=metavqua=0.1")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "Expected --vqamt-max-drop to name a relation or a glob of relations" in refused.stderr.str()


@pytest.mark.usefixtures("blessed")
def test_what_cannot_be_told_passes_or_fails_as_is_asked(pytester: pytest.Pytester, run: Run) -> None:
    # Nothing differs in 10 cases of each relation: too few to rule a drop of 5 points out.
    allowed = (TWO, BASELINE, "--vqamt-max-drop=0.05")
    run(*allowed).assert_outcomes(passed=5)
    result = run(*allowed, "--vqamt-undecided=fail", "--vqamt-report=out")
    result.assert_outcomes(passed=2, failed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = result.stdout.str()
    assert "cannot tell whether the pass rate has dropped by more than 5 points: 100.0 % in the baseline, now " in shown
    assert "cannot tell whether all relations together dropped: from 100.0 % to 100.0 % on the same 20 " in shown
    assert report_in(pytester.path / "out")["undecided"] == "fail"
    assert "A gate that cannot tell fails the run" in (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    pytester.makeini("[pytest]\nvqamt_undecided = fail\n")
    run(*allowed).assert_outcomes(passed=2, failed=3)
    refused = run(TWO, BASELINE)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert "Expected --vqamt-max-drop above 0 with vqamt_undecided=fail, but it is 0" in refused.stderr.str()


@pytest.mark.usefixtures("blessed")
def test_one_failure_names_the_missed_threshold_and_the_drop(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")  # the short summary is not cut
    demands = ("--vqamt-fail-under=0.5", "--junitxml=junit.xml", "-rfs")
    result = run(TWO, BASELINE, *demands, *workers, model=FAULTY)
    result.assert_outcomes(passed=2, failed=2, skipped=1)
    drop = "the pass rate has dropped from 100.0 % to 0.0 % on the same 10 cases "
    result.stdout.fnmatch_lines(
        [
            f"metavqa.reversion[[]object] on {FAULTY}: pass rate 0 % is below 50 % (*",
            "*since the baseline*",
            f"{drop}*",
            "  10 regressions, 0 fixes",
            f"FAILED vqamt::metavqa.reversion[[]object]* - pass rate 0 % is below 50 % (*; {drop}*",
            f"SKIPPED*reversion[[]object]*{drop}*; its own test has failed, and names this drop, too",
        ]
    )
    junit = ET.parse(pytester.path / "junit.xml").getroot()
    assert [each.tag for case in junit.iter("testcase") for each in case if each.tag in ("failure", "skipped")] == [
        "failure",
        "skipped",
        "failure",
    ]


@pytest.mark.parametrize("style", ["line", "short", "long", "native"])
@pytest.mark.usefixtures("blessed")
def test_a_failure_of_the_users_own_test_names_the_drop(pytester: pytest.Pytester, run: Run, style: str) -> None:
    pytester.makepyfile(test_own="def test_own(vqamt_consistency):\n    assert vqamt_consistency.run().pass_rate > 0.5")
    result = run(TWO, BASELINE, f"--tb={style}", model=FAULTY)
    result.assert_outcomes(passed=2, failed=2, skipped=1)
    assert result.stdout.str().count("the pass rate has dropped from 100.0 % to 0.0 % on the same 10 cases ") >= 1


@pytest.mark.usefixtures("blessed")
def test_stopping_at_the_first_failure_makes_the_report_no_less_complete(pytester: pytest.Pytester, run: Run) -> None:
    result = run(TWO, BASELINE, "-x", "--vqamt-report=out", model=FAULTY)
    result.assert_outcomes(passed=3, failed=2)
    assert report_in(pytester.path / "out")["complete"]


@pytest.mark.usefixtures("blessed")
def test_the_id_of_the_failed_test_can_be_typed(run: Run) -> None:
    run(BASELINE, GATE, model=FAULTY).assert_outcomes(passed=1, failed=1)
    run(TWO, BASELINE, TOTAL, model=FAULTY).assert_outcomes(passed=3, failed=2)


def test_controls_are_compared_and_not_gated(pytester: pytest.Pytester, run: Run) -> None:
    bless(pytester, run, "--vqamt-relations=control.repeat")
    pytester.makepyfile(moody="answers = iter(map(str, range(99)))\ndef model(image, text): return next(answers)")
    result = run(
        "--vqamt-relations=control.repeat", BASELINE, "--vqamt-report=out", "--vqamt-batch-size=1",
        model="python:moody:model",
    )  # fmt: skip
    result.assert_outcomes(passed=1)
    (relation,) = report_in(pytester.path / "out")["relations"]
    assert (relation["change"]["lost"], relation["change"]["gate"]) == (10, None)


GONE = """
    import pytest_vqamt as vqamt

    @vqamt.relation("ours.gone", expect=vqamt.same_answer)
    def gone(scene, corpus, choose):
        question = vqamt.ask.exists(choose.one(scene.objects))
        return vqamt.case(scene.picture, question, follow_up=(scene.picture, question))
"""


def test_new_and_missing_items_are_named(pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makeconftest(GONE)
    bless(pytester, run, "--vqamt-relations=ours.gone,metavqa.reorder[object]", max_cases=2)
    pytester.makeconftest("")
    monkeypatch.setattr(catalogue, "_registered", {})
    result = run("--vqamt-exclude=carets.*,veglue.*,metaic.*,text.*,corruption,basic*", BASELINE, "--vqamt-report=out")
    assert result.ret == pytest.ExitCode.OK
    use = report_in(pytester.path / "out")["baseline"]
    assert use["missing"] == ["ours.gone-oracle-pictures:20"]
    assert "metavqa.reversion[object]-oracle-pictures:20" in use["new"]
    assert not any("reorder[object]" in name for name in use["new"])
    told = {each["id"]: each for each in report_in(pytester.path / "out")["relations"]}
    assert told["metavqa.reversion[object]"]["change"] is None
    assert told["metavqa.reversion[object]"]["cases"] == 4, "drawn as always"
    assert told["metavqa.reorder[object]"]["cases"] == 2, "as blessed"
    assert "ours.gone-oracle-pictures:20" in result.stdout.str()
    assert result.parseoutcomes()["skipped"] == 1, "what nobody knows of is no pass"


@pytest.mark.usefixtures("blessed")
def test_a_model_beside_that_of_the_baseline_is_no_new_version_of_it(pytester: pytest.Pytester, run: Run) -> None:
    result = run(TWO, BASELINE, "--vqamt-report=out", f"--vqamt-model={FAULTY}")
    result.assert_outcomes(passed=7)
    assert report_in(pytester.path / "out")["baseline"]["new"] == [
        f"metavqa.reorder[object]-{FAULTY}-pictures:20",
        f"metavqa.reversion[object]-{FAULTY}-pictures:20",
    ]


@pytest.mark.usefixtures("blessed")
def test_a_run_of_other_tests_alone_misses_nothing(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_unit="def test_unit(vqamt_consistency): vqamt_consistency.check()\ndef test_other(): pass")
    run(TWO, BASELINE, "-k", "other").assert_outcomes(passed=1, deselected=2)


@pytest.mark.usefixtures("blessed")
def test_a_blessed_item_that_is_deselected_is_skipped_and_not_passed(run: Run) -> None:
    result = run(TWO, BASELINE, "-k", "reorder", "-rs")
    result.assert_outcomes(passed=2, deselected=1, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*reversion[[]object]-oracle-pictures:20: in the baseline, but not in this*"])


@pytest.mark.usefixtures("blessed")
@pytest.mark.parametrize(
    "left_out",
    [
        ("--vqamt-relations=metavqa.reorder[object]",),
        (TWO, "--vqamt-exclude=metavqa.reversion"),
        ("vqamt::metavqa.reorder[object]-oracle-pictures:20",),
    ],
    ids=["relations", "exclude", "an id"],
)
def test_what_the_user_leaves_out_is_not_missed(pytester: pytest.Pytester, run: Run, left_out: tuple[str, ...]) -> None:
    run(*left_out, BASELINE, "--vqamt-report=out").assert_outcomes(passed=2)
    assert report_in(pytester.path / "out")["baseline"]["missing"] == []


@pytest.mark.usefixtures("blessed")
def test_an_item_that_cannot_be_run_is_failed_and_not_missing(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(few="class Few:\n    def answer(self, batch): return ['2'] * (len(batch) - 1)")
    result = run(TWO, BASELINE, "--vqamt-report=out", model="python:few:Few")
    result.assert_outcomes(errors=2)
    report = report_in(pytester.path / "out")
    assert (report["complete"], report["baseline"]["missing"]) == (False, [])


@pytest.mark.parametrize("workers", WORKERS)
def test_a_baseline_that_is_missing_is_one_line(pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(loads=LOADS)
    result = run(TWO, BASELINE, *workers, model="python:loads:load")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert line == (
        "ERROR: Expected --vqamt-baseline to name a file that `vqamt bless` wrote, but there is no "
        f"{str(pytester.path / 'base.gz')!r}: get it (is it committed?), or run once with "
        "--vqamt-allow-missing-baseline, and `vqamt bless` that report"
    )


def test_a_missing_baseline_does_not_matter_to_other_tests_or_a_replay(pytester: pytest.Pytester, run: Run) -> None:
    run(TWO, "--vqamt-report=out")
    case = cases_in(pytester.path / "out")[0]["case_id"]
    run(f"--vqamt-replay={case}", BASELINE).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nvqamt_model = oracle\nvqamt_baseline = base.gz\n")
    pytester.makepyfile(test_unit="def test_unit(): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_first_run_may_have_no_baseline(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_allow_missing_baseline = true\n")
    result = run(TWO, "--vqamt-baseline=kept/base.gz", "--vqamt-report=out", model=FAULTY)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.OK
    wanted = "there is no baseline kept/base.gz yet, so no relation can fail by it: make it with `vqamt {}`"
    title = next(place for place, line in enumerate(result.outlines) if "vqamt: consistency" in line)
    assert result.outlines[title + 1] == wanted.format("bless out -o kept/base.gz")
    assert report_in(pytester.path / "out")["baseline"] is None
    for options in ((), ("-q",)):
        short = run(TWO, "--vqamt-baseline=kept/base.gz", *options, model=FAULTY, summary=None).stdout.str()
        assert "there is no baseline kept/base.gz yet" in short
        assert "no relation has a gate" not in short, "the baseline will be one"
        assert "no relation has a gate" in run(TWO, *options, model=FAULTY, summary=None).stdout.str()
    without = run(TWO, "--vqamt-baseline=kept/base.gz").stdout.str()
    assert "make it with --vqamt-report=DIR and `vqamt bless DIR -o kept/base.gz`" in without


LOADS = "def load():\n    raise SystemExit('the model was loaded')"


@pytest.mark.parametrize("workers", WORKERS)
def test_a_broken_file_is_told_before_any_model_is_loaded(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(loads=LOADS)
    (pytester.path / "base.gz").write_bytes(b"no gzip")
    result = run(TWO, BASELINE, *workers, model="python:loads:load")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = result.stderr.str().strip().splitlines()
    assert line.startswith(f"ERROR: {pytester.path / 'base.gz'}, line 1: Expected a file that `vqamt bless` wrote")


def test_a_session_of_other_tests_does_not_mind_a_broken_file(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nvqamt_model = oracle\nvqamt_baseline = base.gz\n")
    pytester.makepyfile(test_unit="def test_unit(): pass")
    (pytester.path / "base.gz").write_bytes(b"no gzip")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_broken_file_is_told_where_a_test_of_the_users_own_wants_it(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_model = oracle\nvqamt_baseline = base.gz\n")
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): vqamt_consistency.check()")
    (pytester.path / "base.gz").write_bytes(b"no gzip")
    result = run(TWO, model=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "line 1: Expected a file that `vqamt bless` wrote" in result.stderr.str()


@pytest.mark.usefixtures("blessed")
def test_tests_of_the_users_own_are_held_against_it_too(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): vqamt_consistency.check()")
    result = run(TWO, BASELINE, model=FAULTY)
    result.assert_outcomes(passed=3, failed=2)
    assert GATE in result.stdout.str()


@pytest.mark.full
@pytest.mark.usefixtures("blessed")
def test_shards_miss_no_gate_and_merged_they_are_the_whole(pytester: pytest.Pytester, run: Run) -> None:
    def told(folder: str) -> dict[str, Any]:
        row = report_in(pytester.path / folder)
        return without_costs(row)

    run(TWO, BASELINE, "--vqamt-report=whole", model=FAULTY)
    for number in (1, 2):
        result = run(TWO, BASELINE, f"--vqamt-shard={number}/2", f"--vqamt-report={number}", model=FAULTY)
        result.assert_outcomes(passed=2)
        assert result.ret == pytest.ExitCode.OK
    merge_folders([pytester.path / "1", pytester.path / "2"], pytester.path / "merged")
    assert told("merged") == told("whole")
    assert (pytester.path / "merged" / "cases.jsonl").read_bytes() == (
        pytester.path / "whole" / "cases.jsonl"
    ).read_bytes()


def test_a_drop_that_is_demanded_of_nothing_is_refused(run: Run) -> None:
    result = run(TWO, "--vqamt-max-drop=0.1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Expected --vqamt-baseline=FILE with --vqamt-max-drop, but got --vqamt-max-drop alone" in (
        result.stderr.str()
    )


@pytest.mark.parametrize(
    ("ini", "told"),
    [
        (
            "vqamt_max_drop = 0.05",
            "vqamt_max_drop has no baseline to compare with yet: make one with `vqamt bless out`",
        ),
        (
            "vqamt_max_drop = 0.05\nvqamt_undecided = fail",
            "vqamt_max_drop and vqamt_undecided have no baseline to compare with yet: make one with `vqamt bless out`",
        ),
        ("vqamt_allow_missing_baseline = true", "vqamt_allow_missing_baseline has no baseline to compare with yet: "),
        ("vqamt_seed = 0", ""),
    ],
)
def test_an_ini_file_may_demand_a_drop_before_there_is_a_baseline(
    pytester: pytest.Pytester, run: Run, ini: str, told: str
) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    result = run(TWO, "--vqamt-max-cases=2", "--vqamt-report=out")
    assert result.ret == pytest.ExitCode.OK
    assert [line.startswith(told) for line in result.outlines if "no baseline to compare with" in line] == (
        [True] if told else []
    )
