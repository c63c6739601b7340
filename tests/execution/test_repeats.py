"""Runs that ask each query several times: noise makes no violation, and a fault still does."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt import run
from pytest_vqamt.core.case import Case, Change, Contrast, Outcome
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.tallies import RepeatedCases, TrialTally
from pytest_vqamt.execution.judging import JudgedCase, judge_trials
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.faults import load
from pytest_vqamt.models.reference.oracle import ScriptedModel
from pytest_vqamt.models.reference.other_scenes import hashed
from pytest_vqamt.relations import catalogue
from pytest_vqamt.reporting.blessing import bless
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.junit import properties
from pytest_vqamt.reporting.markdown import summary_page
from pytest_vqamt.reporting.merging import merge_folders
from pytest_vqamt.reporting.table_export import write_csv
from pytest_vqamt.reporting.terminal import summary
from tests.reporting.reported import cases_in, report_in
from tests.reporting.running import run_into

Row = dict[str, Any]
ITEM = "metavqa.reversion[object]"
FLIPS = "fault:flips@0.03"


def noisy(fault: str, share: float) -> ScriptedModel:
    """``fault`` with a share of wrong yes/no answers in each trial by itself."""
    faulty = load(fault, ModelOptions())

    def reply(query: Query) -> str:
        text = faulty.reply(query)
        return {"yes": "no", "no": "yes"}.get(text, f"{text}1") if hashed(query.id) < share * 2**64 else text

    return ScriptedModel(reply)


def _case() -> Case:
    scene = Scene(id="1", photo=Photo(id="1", digest="0"), width=9, height=9)
    there = Query(picture=scene.picture, text="Is there a dog?", meaning=Exists(group=Group(name="dog")))
    again = Query(picture=scene.picture, text="Is a dog there?", meaning=there.meaning)
    other = Query(picture=scene.picture, text="Any dog?", meaning=there.meaning)
    contrast = Contrast(of=0, query=other, scene="2", change=Change.OTHER)
    return Case(
        relation="r", variant="", scene="1", queries=(there, again), expected="first = second", contrast=contrast
    )


def _answers(letters: str) -> tuple[Answer | Failure, ...]:
    texts = {"y": "Yes.", "n": "No.", "?": "red", "r": "I'm sorry, but I can't help with that."}
    return tuple(Failure(reason="timed out") if each == "-" else Answer(texts[each]) for each in letters)


def _judged(*letters: str) -> JudgedCase:
    return judge_trials(catalogue.get("metavqa.reorder", {}), _case(), [_answers(each) for each in letters])


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("yyyyy", "yyyyy", Outcome.HOLDS),
        ("yyyyn", "ynyyy", Outcome.HOLDS),  # two trials of five are violated, but no answer is in doubt
        ("yyynn", "yyyyy", Outcome.FLAKY),
        ("nynny", "yyynn", Outcome.FLAKY),
        ("nnnnn", "yyyyy", Outcome.VIOLATED),
        ("nnnny", "yyyny", Outcome.VIOLATED),
        ("ynynn", "?????", Outcome.UNPARSED),  # whichever answer is taken
        ("yn", "yy", Outcome.FLAKY),
        ("yyn", "yyy", Outcome.FLAKY),
        ("rrrrr", "rrrrr", Outcome.DECLINED),
        ("rrrrr", "rrryy", Outcome.FLAKY),
        ("y--yy", "yyyyy", Outcome.HOLDS),
        ("y---y", "yyyyy", Outcome.ERROR),
    ],
)
def test_a_case_is_judged_by_settled_readings(first: str, second: str, outcome: Outcome) -> None:
    found = _judged(first, second)

    assert found.verdict.outcome is outcome
    assert found.verdict.trials is not None
    assert len(found.verdict.trials.outcomes) == len(first)


@pytest.mark.parametrize(
    ("contrast", "outcome", "grounded"),
    [
        ("nnnny", Outcome.HOLDS, Outcome.HOLDS),
        ("yyyyy", Outcome.VIOLATED, Outcome.VIOLATED),
        ("yyynn", Outcome.FLAKY, Outcome.FLAKY),
        ("-----", Outcome.ERROR, Outcome.ERROR),
    ],
)
def test_a_contrast_is_judged_in_the_same_way(contrast: str, outcome: Outcome, grounded: Outcome) -> None:
    verdict = _judged("yyyyy", "yyyyn", contrast).verdict

    assert verdict.outcome is Outcome.HOLDS
    assert verdict.contrast is not None
    assert (verdict.contrast.outcome, verdict.grounded) == (outcome, grounded)


def test_the_most_frequent_answer_is_shown() -> None:
    found = _judged("nyyyn", "nnnnn")

    assert [answer.text for answer in found.answers if isinstance(answer, Answer)] == ["Yes.", "No."]
    assert found.verdict.reason == "answers to the same query differ: holds in 2 of 5 trials"


def test_variances_are_those_of_an_analysis_of_variance() -> None:
    rows = (TrialTally(1, 3, 1), TrialTally(5, 5, 2), TrialTally(2, 5, 1))
    # By hand: 13 of 18... of the trials 1, 5, 5, 2 hold of 3, 5, 5, 5; squares within 2/3 + 6/5, of 14 degrees.
    assert RepeatedCases(rows).within == pytest.approx((2 / 3 + 6 / 5) / 14)
    mean = 13 / 18
    between = 3 * (1 / 3 - mean) ** 2 + 10 * (1 - mean) ** 2 + 5 * (2 / 5 - mean) ** 2
    size = (18 - (9 + 25 + 25 + 25) / 18) / 3
    assert RepeatedCases(rows).between == pytest.approx((between / 3 - (2 / 3 + 6 / 5) / 14) / size)


def _of(report: Report, item: str = ITEM) -> RelationResult:
    return next(result for result in report.relations if result.item == item)


@cache
def _run(model: object, repeats: int) -> Report:
    relations = (ITEM, "control.repeat")
    return run(model=model, data="pictures:30", relations=relations, sampler="random", repeats=repeats, shrink=0)


def test_five_repeats_leave_no_violation_of_noise_and_the_fault() -> None:
    once, repeated = (_run(FLIPS, repeats) for repeats in (1, 5))
    faulty = _run(noisy("ignores-negation@0.05", 0.03), 5)

    assert _of(once).tally.violated >= 3
    assert _of(repeated).tally.violated == 0
    assert 0 < _of(repeated).tally.flaky <= 6
    assert _of(faulty).tally.violated >= 2
    noise = _of(faulty).noise
    assert noise is not None
    assert not noise.explains


def test_the_summary_says_what_noise_explains() -> None:
    once, repeated = (_run(FLIPS, repeats) for repeats in (1, 5))

    assert any(line.startswith(f"noise explains all violations: {ITEM} (") for line in summary(once))
    assert "noise explains all violations" in summary_page(once).lower()
    lines = "\n".join(summary(repeated))
    assert "fault:flips@0.03 on pictures:30, each query asked 5 times" in lines
    assert "noise explains" not in lines
    assert "flaky" in summary_page(repeated)


def test_control_repeat_keeps_its_rate() -> None:
    once, repeated = (_of(_run(FLIPS, repeats), "control.repeat") for repeats in (1, 5))

    assert once.tally == repeated.tally
    assert once.tally.violated > 0
    assert repeated.repeated is None


def test_each_distinct_query_is_asked_so_many_times() -> None:
    once, repeated = (
        run(model="oracle", data="pictures:20", relations=ITEM, max_cases=10, sampler="random", repeats=repeats)
        for repeats in (1, 3)
    )

    assert repeated.models[0].queries_asked == 3 * once.models[0].queries_asked
    assert (repeated.repeats, _of(repeated).tally) == (3, _of(once).tally)


def test_less_than_once_is_refused() -> None:
    with pytest.raises(OptionError, match="Expected a whole number from 1 up, but got repeats=0"):
        run(model="oracle", repeats=0)


def _into(folder: Path, shard: tuple[int, int] = (1, 1), model: str = FLIPS) -> Row:
    run_into(folder, model=model, relations=[ITEM], max_cases=60, shard=shard, repeats=2, contrast=0.5)
    row: Row = report_in(folder)["relations"][0]
    return row


def test_reports_shards_and_tables_have_flaky_cases(tmp_path: Path) -> None:
    whole = _into(tmp_path / "whole")
    for number in (1, 2):
        _into(tmp_path / str(number), shard=(number, 2))
    merge_folders([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")
    merged = report_in(tmp_path / "merged")["relations"][0]

    names = ("cases", "holds", "flaky", "repeated", "grounded")
    assert {name: merged[name] for name in names} == {name: whole[name] for name in names}
    assert merged["noise"]["expected"] == pytest.approx(whole["repeated"]["noise"] / 60 * (60 - whole["flaky"]))
    assert whole["flaky"] > 0
    assert whole["cases"] == whole["holds"] + whole["violated"] + whole["flaky"]
    assert whole["repeated"]["cases"] == 60
    assert read_report(tmp_path / "whole").repeats == 2
    [flaky, *_] = [row for row in cases_in(tmp_path / "whole") if row["verdict"] == "flaky"]
    assert set(flaky["trials"]["outcomes"]) == {"holds", "violated"}
    assert [len(answers) for answers in flaky["trials"]["texts"][:2]] == [2, 2]
    write_csv(tmp_path / "whole", tmp_path / "cases.csv")
    rows = list(csv.DictReader((tmp_path / "cases.csv").read_text().splitlines()))
    assert sum(row["verdict"] == "flaky" for row in rows) == whole["flaky"]
    figures = dict(properties(read_report(tmp_path / "whole").relations[0]))
    assert (figures["vqamt_flaky"], figures["vqamt_pass_all_rate"]) == (
        whole["flaky"],
        whole["repeated"]["pass_all_rate"],
    )


def test_a_baseline_keeps_the_trials_and_compares_no_flaky_case(tmp_path: Path) -> None:
    row = _into(tmp_path / "before")
    blessed = tmp_path / "blessed.jsonl.gz"
    bless(tmp_path / "before", blessed)

    report = run(model="oracle", data="pictures:20", relations=ITEM, baseline=blessed, repeats=2, shrink=0)

    change = report.relations[0].change
    assert change is not None
    assert change.other_judgement == 0
    assert change.paired.shared == row["cases"] - row["flaky"]


def test_a_flaky_case_is_replayed_with_all_of_its_trials(pytester: pytest.Pytester) -> None:
    options = ("--vqamt-model", FLIPS, "--vqamt-data=pictures:20", "--vqamt-repeats=2", "--vqamt-sampler=random")
    named = (f"--vqamt-relations={ITEM}", "--vqamt-max-cases=30", "--vqamt-report=out")
    pytester.runpytest_inprocess(*options, *named)
    flaky = next(row for row in cases_in(pytester.path / "out") if row["verdict"] == "flaky")

    result = pytester.runpytest_inprocess(*options, "--vqamt-report=out", f"--vqamt-replay={flaky['case_id']}")

    result.stdout.fnmatch_lines(["*flaky: answers to the same query differ: holds in 1 of 2 trials*"])


@pytest.mark.full
def test_at_full_size_under_three_in_a_thousand_are_violated_by_noise(capsys: pytest.CaptureFixture[str]) -> None:
    def measured(model: object, repeats: int) -> tuple[int, int, int]:
        report = run(
            model=model, data="pictures:200", relations=("metavqa.*", "carets.*"), exclude="carets.ontological[action*",
            sampler="random", max_cases=200, repeats=repeats, shrink=0,
        )  # fmt: skip
        total = sum((result.tally for result in report.relations[1:]), report.relations[0].tally)
        return total.cases, total.violated + total.unparsed, total.flaky

    cases, once, _ = measured(FLIPS, 1)
    _, violated, flaky = measured(FLIPS, 5)
    _, alone, _ = measured("fault:template-sensitive@0.05", 1)
    _, found, found_flaky = measured(noisy("template-sensitive@0.05", 0.03), 5)
    with capsys.disabled():
        print(f"\n{cases} cases; flips: {once} once, {violated} (and {flaky} flaky) of 5 trials;")
        print(f"template-sensitive@0.05: {alone} without noise, {found} (and {found_flaky} flaky) with 3 % of noise")
    assert once > 0.04 * cases
    assert violated < 0.003 * cases
    assert found > 0.9 * alone
