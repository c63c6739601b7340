"""What a person reads at the end."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.merging import merge_folders
from tests.plugin.conftest import WORKERS, Run
from tests.reporting.reported import report_in

HEAD = ("relation", "cases", "pass rate", "95 % interval", "vacuous", "violated", "unread", "errors", "gate")
MIXED = """
    class Model:
        def answer(self, batch):
            return [self.one(each.query.meaning) for each in batch]

        def one(self, meaning):
            if type(meaning).__name__ == "Absent":
                raise RuntimeError("cannot negate")
            return "0"
"""


def table(result: pytest.RunResult) -> dict[str, dict[str, str]]:
    """The table of the summary, by relation and column."""
    lines = result.outlines
    rule = next(number for number, line in enumerate(lines) if re.fullmatch(r"-+(  -+)+", line))
    ends = [found.end() for found in re.finditer("-+", lines[rule])]
    starts = [0, *ends[:-1]]
    columns = tuple(lines[rule - 1][start:end].strip() for start, end in zip(starts, ends, strict=True))
    assert columns in (HEAD, (*HEAD[:-1], "declined", HEAD[-1]))
    rows = {}
    for line in lines[rule + 1 :]:
        if not line:
            break
        cells = [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        rows[cells[0]] = dict(zip(columns, cells, strict=True))
    return rows


def test_the_table_has_a_row_for_each_relation(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(mixed=MIXED)
    pytester.makeconftest(
        """
        import pytest_vqamt as vqamt

        @vqamt.relation("ours.never", expect=vqamt.same_answer, tags=("baseline",))
        def never(scene, corpus, choose):
            return vqamt.NotApplicable(reason="no mirror")
        """
    )
    result = run(
        "--vqamt-relations=metavqa.reorder[object],metavqa.reversion[object],control.repeat,ours.never",
        "--vqamt-max-error-rate=1",
        "--vqamt-fail-under=metavqa.reorder=0.5",
        model="python:mixed:Model",
    )
    rows = table(result)
    assert list(rows) == [
        "metavqa.reorder[object]",
        "metavqa.reversion[object]",
        "control.repeat (control)",
        "ours.never (baseline)",
    ]
    # Twice 0 is equal and shows nothing: every case vacuous. Four of four: from 4 / (4 + z^2) = 0.510 on.
    reorder = ("metavqa.reorder[object]", "4", "100.0 %", "51.0 to 100.0 %", "100 %", "0", "0", "0", "met: >= 50 %")
    assert tuple(rows["metavqa.reorder[object]"].values()) == reorder
    reversion = ("metavqa.reversion[object]", "4", "-", "-", "-", "0", "0", "4", "-")
    assert tuple(rows["metavqa.reversion[object]"].values()) == reversion
    never = ("ours.never (baseline)", "0", "-", "-", "-", "-", "-", "-", "not applicable")
    assert tuple(rows["ours.never (baseline)"].values()) == never
    shown = result.stdout.str()
    assert "metavqa.reorder[object]: 100 % of all answers are '0'\n" in shown
    assert "metavqa.reversion[object]: 4 of 4 cases had no answer; the first: RuntimeError: cannot negate\n" in shown
    assert "no gate was set" not in shown


def test_an_answer_that_dominates_is_pointed_out(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion[object]", model="fault:always-yes")
    assert "metavqa.reversion[object]: 100 % of all answers are 'yes'\n" in result.stdout.str()
    fair = run("--vqamt-relations=metavqa.reversion[object]")
    assert "of all answers are" not in fair.stdout.str(), "half yes, half no"


def test_answers_of_the_wrong_kind_are_counted_apart(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(purple="class Model:\n    def answer(self, batch):\n        return ['purple' for _ in batch]\n")
    rows = table(run("--vqamt-relations=metavqa.reversion[object]", model="python:purple:Model"))
    row = rows["metavqa.reversion[object]"]
    assert (row["cases"], row["pass rate"], row["violated"], row["unread"], row["errors"]) == (
        "4", "0.0 %", "0", "4", "0",
    )  # fmt: skip


def test_refusals_are_counted_apart(run: Run) -> None:
    rows = table(run("--vqamt-relations=metavqa.reversion[object]", model="fault:refuses"))
    row = rows["metavqa.reversion[object]"]
    assert (row["cases"], row["pass rate"], row["violated"], row["unread"], row["declined"]) == (
        "4", "-", "0", "4", "4",
    )  # fmt: skip


def test_the_simplest_violation_of_each_relation(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion,control.repeat", "--vqamt-model=fault:inconsistent")
    result.stdout.fnmatch_lines(["control.repeat: The same question *", "simplest violation found: scene *"])
    result = run("--vqamt-relations=metavqa.reversion", model="fault:always-no", shrink=30)
    result.stdout.fnmatch_lines(
        [
            "metavqa.reversion?object?: Asked whether there is any and whether there is none, *",
            "simplest violation found: scene pictures-0-*, case *",
            "    *[?]*->  'no'",
            "    *[?]*->  'no'",
            "  expected: one yes, one no",
            "  one answer must be yes and the other no, but got no, no",
            "  replay:   pytest * --vqamt-model=fault:always-no --vqamt-data=pictures:20 --vqamt-replay=*",
            "",
            "metavqa.reversion?property?: *",
        ],
        consecutive=True,
    )


@pytest.mark.parametrize("ci", ["", "true"], ids=["at a desk", "on CI"])
def test_a_violation_stands_there_once(run: Run, monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    monkeypatch.setenv("CI", ci)  # on CI, pytest's short summary repeats whole failure messages
    result = run("--vqamt-relations=metavqa.reversion[object]", "--vqamt-fail-under=0.9", model="fault:always-no")
    assert result.stdout.str().count("simplest violation found") == 1
    assert "MISSED: >= 90 %" in result.stdout.str()


def test_each_model_on_each_source_has_a_table(run: Run) -> None:
    result = run(
        "--vqamt-relations=control.repeat", "--vqamt-model=fault:always-no", data=("pictures:20", "pictures:30")
    )
    blocks = [line for line in result.outlines if line.endswith(" scenes)")]
    assert blocks == [
        "oracle on pictures:20 (20 scenes)",
        "oracle on pictures:30 (30 scenes)",
        "fault:always-no on pictures:20 (20 scenes)",
        "fault:always-no on pictures:30 (30 scenes)",
    ]
    assert all(not result.outlines[result.outlines.index(block) - 1] for block in blocks[1:]), "a line apart"


def test_without_a_model_nothing_is_said(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    result = run(model=None)
    result.assert_outcomes(passed=1)
    assert "vqamt:" not in result.stdout.str()


# The papers' figures of several items: below the relations on the terminal, and in the report, however it was made.

TASKS = "veglue.mr2_linked_erase,metaic.object_appearance[0],metaic.singular_plural[0],basic_questions.noise"
NOISE = ("--vqamt-option=ranking=bleu-1", f"--vqamt-option=pool={Path(__file__).parents[1] / 'basic_questions.txt'}")
OURS = (f"--vqamt-relations={TASKS}", *NOISE, "--vqamt-max-cases=12", "--vqamt-report=out")


def told(pytester: pytest.Pytester, folder: str = "out") -> dict[str, dict[str, Any]]:
    report = report_in(pytester.path / folder)
    return {each["kind"]: each for each in report["summaries"]}


def cases(pytester: pytest.Pytester, relation: str) -> list[dict[str, Any]]:
    lines = (pytester.path / "out" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["relation"] == relation]


def test_each_task_has_its_table(pytester: pytest.Pytester, run: Run) -> None:
    result = run(*OURS, model="fault:omits-inserted")
    summaries = told(pytester)
    assert list(summaries) == ["entailment", "captioning", "noise", "issues", "accuracy"]
    for kind in ("entailment", "captioning", "noise"):
        head, *_ = summaries[kind]["rows"]
        result.stdout.fnmatch_lines(
            [f"relation *{list(head)[-1]}", "---*", f"{head['relation'].replace('[', '[[]')} *"]
        )
    result.stdout.fnmatch_lines(["*(captioning)*  ->  *", "*(captioning) [[]inserted *[]]  ->  *"])


def test_the_figures_are_those_of_the_cases(pytester: pytest.Pytester, run: Run) -> None:
    run(*OURS, model="fault:omits-inserted")
    summaries = told(pytester)
    rows = {row["relation"]: row for summary in summaries.values() if summary["model"] for row in summary["rows"]}
    kinds = Counter(row["reason"].partition(":")[0] for row in cases(pytester, "metaic.object_appearance[0]"))
    assert rows["metaic.object_appearance[0]"]["omission"] == kinds["omission"] > 0
    (mr2,) = (rows[name] for name in rows if name == "veglue.mr2_linked_erase")
    assert (mr2["GNUM"], mr2["INUM"], mr2["IFR"]) == (12, 0, 0.0)
    noisy = [rows[f"basic_questions.noise[{number}]"] for number in range(1, 8)]
    assert {(row["clean"], row["noisy"], row["R_score"]) for row in noisy} == {(100.0, 100.0, 1.0)}
    assert summaries["noise"]["totals"]["R_score"] == 1.0


def test_the_main_questions_of_all_partitions_are_asked_once(pytester: pytest.Pytester, run: Run) -> None:
    run(*OURS, model="oracle")
    asked = [
        {row["queries"][0]["id"] for row in cases(pytester, f"basic_questions.noise[{number}]")}
        for number in range(1, 8)
    ]
    assert all(each == asked[0] for each in asked)


@pytest.mark.full
def test_workers_and_shards_make_the_same(pytester: pytest.Pytester, run: Run) -> None:
    run(*OURS, model="fault:always-plural")
    whole = told(pytester)
    run(*OURS, "--vqamt-report=both", "-n", "2", model="fault:always-plural")
    assert told(pytester, "both") == whole
    for number in (1, 2):
        run(*OURS, f"--vqamt-report=s{number}", f"--vqamt-shard={number}/2", model="fault:always-plural")
    merge_folders([pytester.path / "s1", pytester.path / "s2"], pytester.path / "merged")
    assert told(pytester, "merged") == whole
    assert {each.kind for each in read_report(pytester.path / "merged").summaries} == set(whole)


# The summary of a session: beside its report, and in that of the CI job that runs it.

ONE = "--vqamt-relations=control.repeat"


@pytest.fixture
def summaries(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summaries.md"))
    return pytester.path / "summaries.md"


@pytest.mark.parametrize("workers", WORKERS)
def test_it_is_written_once_whoever_runs_the_items(
    pytester: pytest.Pytester, run: Run, summaries: Path, workers: tuple[str, ...]
) -> None:
    run(ONE, "--vqamt-report=out", *workers).assert_outcomes(passed=1)
    beside = (pytester.path / "out" / "summary.md").read_text(encoding="utf-8")
    assert beside.startswith("<!-- pytest-vqamt -->\n## vqamt: oracle is consistent in 100 % of its cases\n")
    assert "`control.repeat`" in beside
    in_job = summaries.read_text(encoding="utf-8")
    assert in_job.count("## vqamt: ") == 1
    assert "`report.html` in the folder `out` of `--vqamt-report`" in in_job
    differ = [pair for pair in zip(beside.splitlines()[1:], in_job.splitlines(), strict=True) if pair[0] != pair[1]]
    assert len(differ) == 1, "they differ in where the whole report is"


def test_it_is_written_without_a_report(pytester: pytest.Pytester, run: Run, summaries: Path) -> None:
    run("--vqamt-relations=metavqa.reversion[object]", "--vqamt-fail-under=1").assert_outcomes(passed=1)
    text = summaries.read_text(encoding="utf-8")
    assert text.startswith("## vqamt: oracle is consistent in 100 % of its cases\n")
    assert "No report was written: with `--vqamt-report=DIR` there is one" in text
    run(ONE)
    assert summaries.read_text(encoding="utf-8").count("## vqamt: ") == 2


def test_where_it_cannot_be_written_the_run_is_not_worse(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "no" / "such" / "folder"))
    result = run(ONE)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*the summary was not added to GITHUB_STEP_SUMMARY=*"])


def test_a_session_that_tests_no_model_writes_none(pytester: pytest.Pytester, run: Run, summaries: Path) -> None:
    pytester.makepyfile("def test_unit(): pass")
    run(model=None).assert_outcomes(passed=1)
    run(ONE, "--vqamt-plan")
    run(ONE, "--collect-only")
    assert not summaries.exists()


# The short summary, which is the default.

MODELS = """
    def refusing(image, text):
        return "I'm sorry, but I can't help with that."

    def chatty(image, text):
        return "What a lovely picture!"
"""
TWO = "--vqamt-relations=metavqa.reversion[object],control.repeat"


def of_summary(result: pytest.RunResult) -> list[str]:
    """The lines between the title of the summary and what pytest prints next."""
    begin = next(place for place, line in enumerate(result.outlines) if "vqamt: consistency" in line)
    ends = (place for place, line in enumerate(result.outlines) if place > begin and line.startswith("==="))
    return result.outlines[begin + 1 : next(ends)]


@pytest.mark.parametrize(
    ("options", "most", "least"),
    [((), 30, 4), (("-q",), 3, 2), (("-v",), 999, 12), (("-q", "--vqamt-summary=full"), 999, 12)],
)
def test_its_length_is_that_of_pytest(run: Run, options: tuple[str, ...], most: int, least: int) -> None:
    result = run(TWO, *options, model="fault:always-yes", summary=None)
    result.assert_outcomes(passed=2) if "-q" not in options else None
    assert least <= len([line for line in result.outlines if line]) <= most + 12
    is_full = any(line.startswith("relation ") for line in result.outlines)
    assert is_full is (most == 999)


def test_none_says_nothing(run: Run, pytester: pytest.Pytester) -> None:
    assert "vqamt: consistency" not in run(TWO, summary="none").stdout.str()
    pytester.makeini("[pytest]\nvqamt_summary = none\n")
    assert "vqamt: consistency" not in run(TWO, summary=None).stdout.str()


def test_another_length_is_refused(run: Run) -> None:
    result = run(TWO, summary="long")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*Expected one of short, full, none, but got --vqamt-summary='long'*"])


def test_its_replay_command_replays(pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = of_summary(run(TWO, model="fault:always-yes", summary=None))
    (command,) = re.findall(r"vqamt replay [0-9a-f]{8}", "\n".join(lines))
    monkeypatch.chdir(pytester.path)
    assert main(command.split()[1:]) == 0
    assert (pytester.path / "vqamt-replay").is_dir()


def test_a_model_that_refuses_is_not_green(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(models=MODELS)
    result = run(TWO, model="python:models:refusing", summary=None)
    result.assert_outcomes(skipped=2)
    assert "UNREAD: 100 % of 4 cases could not be read (8 answers: refusal 8)" in of_summary(result)
    assert "weakest relations" not in result.stdout.str(), "none has a rate"
    gated = run(TWO, "--vqamt-fail-under=0", model="python:models:refusing", summary=None)
    gated.assert_outcomes(failed=1, skipped=1)
    gated.stdout.fnmatch_lines(["*: 100 % of the cases are unread, more than --vqamt-max-unread*"])


def test_a_gate_is_not_met_by_the_few_answers_that_can_be_read(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(models=MODELS)
    few = ("--vqamt-relations=metavqa.reversion[object]", "--vqamt-fail-under=0")
    run(*few, model="python:models:chatty").assert_outcomes(failed=1)
    run(*few, "--vqamt-max-unread=1", model="python:models:chatty").assert_outcomes(passed=1)


def test_colours_are_those_of_pytest(run: Run) -> None:
    coloured = run(TWO, "--color=yes", "--vqamt-fail-under=0.1", model="oracle", summary=None)
    assert "\x1b[32mgates: 1 met, 0 missed; every relation has one" in coloured.stdout.str()


def test_a_paper_s_preset_is_answered_by_its_table(run: Run) -> None:
    """Table 4 of MetaVQA: a row for each model of the run, and the published ones below."""
    options = ("--vqamt-model=fault:always-zero", "--vqamt-relations=metavqa.partition,metavqa.removal_plus")
    lines = run(*options, "--vqamt-preset=metavqa", summary=None).outlines
    start = lines.index("MetaVQA: error rate on pictures:20")
    table = [re.split(r" {2,}", line) for line in lines[start + 2 : start + 7]]
    assert table[0] == ["model", "partition", "removal_plus"]
    assert table[2] == ["oracle", "0.0 %", "0.0 %"]
    assert table[3] == ["fault:always-zero", "0.0 %", "100.0 %"]
    assert table[4] == ["GridFeat+MoVie+ (published)", "95.0 %", "88.1 %"]
    start = lines.index("MetaVQA: cases of error rate on pictures:20")
    table = [re.split(r" {2,}", line) for line in lines[start + 2 : start + 7]]
    assert [row[0] for row in table[2:]] == ["oracle", "fault:always-zero", "each of the published"]
    assert table[4][1:] == ["142,213", "105,847"]
    assert "MetaVQA: error rate on pictures:20" not in run(*options, summary=None).outlines
