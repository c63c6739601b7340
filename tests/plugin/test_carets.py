"""``carets:DIR`` in a session: the published pairs are items, whole, with photos or answered from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.data.made_carets import FILES, NEGATED, choice_row, write_carets
from tests.data.made_coco import write_photos
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

RELATION = "--vqamt-relations=carets.published"
BOTH = "--vqamt-relations=carets.published[ontological_consistency],carets.published[negation_consistency]"
MODEL = "answers:answers.jsonl"


def told(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = report_in(folder / "out")
    return {each["id"].partition("[")[2].rstrip("]"): each for each in report["relations"]}


def data(pytester: pytest.Pytester, files: dict[str, Any] | None = None) -> list[str]:
    write_carets(pytester.path / "carets", files or FILES)
    return ["carets:carets"]


def test_from_the_unanswered_questions_to_the_metrics(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    spec = data(pytester)
    first = run(BOTH, *workers, model=MODEL, data=spec, max_cases=None)
    first.assert_outcomes(errors=2)
    shown = first.stdout.str()
    assert "lacks 2 (the first: 'Is there a dog?' on 7.jpg, 'Is there no dog?' on 7.jpg): they are listed in " in shown
    todo = pytester.path / "answers.jsonl.todo.jsonl"
    rows = [json.loads(line) for line in todo.read_text().splitlines()]
    assert {(row["photo"], row["text"], row["answer"]) for row in rows} == {
        ("7.jpg", "Is there a dog?", None),
        ("7.jpg", "Is there no dog?", None),
        ("8.jpg", "What color is the cup, red or blue?", None),
        ("8.jpg", "What color is the vessel, red or blue?", None),
    }

    said = {"Is there a dog?": "Yes.", "Is there no dog?": "yes"}
    answered = [{**row, "answer": said.get(row["text"], "It is blue.")} for row in rows]
    (pytester.path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answered))
    second = run(BOTH, "--vqamt-report=out", *workers, model=MODEL, data=spec, max_cases=None)
    second.assert_outcomes(passed=2)
    found = told(pytester.path)
    negation, ontological = found["negation_consistency"], found["ontological_consistency"]
    assert (negation["cases"], negation["violated"]) == (1, 1)
    # One of two right, and "Yes." is not word for word "yes", which is all that the authors ask for.
    assert {name: negation["metrics"][name] for name in ("acc", "cons", "c_acc", "cons_authors")} == {
        "acc": 0.5, "cons": 0.0, "c_acc": 0.0, "cons_authors": 1.0,
    }  # fmt: skip
    assert (ontological["cases"], ontological["holds"]) == (1, 1)
    assert {name: ontological["metrics"][name] for name in ("acc", "cons", "c_acc", "c_acc_authors")} == {
        "acc": 0.0, "cons": 1.0, "c_acc": 0.0, "c_acc_authors": 0.0,
    }  # fmt: skip


def test_the_oracle_is_right_about_every_pair(pytester: pytest.Pytester, run: Run) -> None:
    result = run(RELATION, "-rs", "--vqamt-report=out", data=data(pytester), max_cases=None)
    # Nothing is published here of three of the five tests.
    result.assert_outcomes(passed=2, skipped=3)
    assert told(pytester.path)["negation_consistency"]["metrics"]["acc"] == 1
    assert "no pair of this test is about the picture" in result.stdout.str()


def many(pytester: pytest.Pytester, pairs: int = 120) -> list[str]:
    """So many pairs for one test, each about an image of its own, and one pair for the other."""
    rows = [choice_row(f"{n}-0-0{suffix}", f"question {suffix}") for n in range(pairs) for suffix in ("", "-h")]
    return data(pytester, {"choices.json": rows, "negated.json": NEGATED})


@pytest.mark.parametrize(
    ("given", "ini", "cases"),
    [
        ((), "", 120),
        pytest.param(("--vqamt-max-cases=100",), "", 100, marks=pytest.mark.full),
        pytest.param((), "vqamt_max_cases = 7", 7, marks=pytest.mark.full),
        (("--vqamt-max-cases=9",), "vqamt_max_cases = 7", 9),
    ],
)
def test_the_set_runs_whole_unless_a_number_is_given(
    pytester: pytest.Pytester, run: Run, given: tuple[str, ...], ini: str, cases: int
) -> None:
    pytester.makeini(f"[pytest]\n{ini}")
    run(BOTH, "--vqamt-report=out", *given, data=many(pytester), max_cases=None).assert_outcomes(passed=2)
    assert told(pytester.path)["ontological_consistency"]["cases"] == cases


@pytest.mark.full
def test_shards_and_workers_have_the_same_cases(pytester: pytest.Pytester, run: Run) -> None:
    spec = many(pytester)
    found: list[str] = []
    for arguments in (("-n", "2"), ("--vqamt-shard=1/2",), ("--vqamt-shard=2/2",)):
        run(BOTH, "--vqamt-report=out", *arguments, data=spec, max_cases=None)
        found.append((pytester.path / "out" / "cases.jsonl").read_text())
    whole, *shares = ([json.loads(line)["case_id"] for line in text.splitlines()] for text in found)
    assert len(whole) == len(set(whole)) == 121
    assert sorted(whole) == sorted(case for share in shares for case in share)
    assert all(shares)


def test_the_plan_counts_all_of_them(pytester: pytest.Pytester, run: Run) -> None:
    result = run(BOTH, "--vqamt-plan", data=many(pytester), max_cases=None)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["carets.published?ontological_consistency?-oracle-carets:carets * 120 * 240 * 240"])


def test_a_case_is_replayed_on_its_photo(pytester: pytest.Pytester, run: Run) -> None:
    spec = data(pytester)
    write_photos(pytester.path / "carets/images", "7.jpg", "8.jpg", size=(64, 48))
    run(BOTH, "--vqamt-report=out", model="fault:always-yes", data=spec, max_cases=None).assert_outcomes(passed=2)
    rows = [json.loads(line) for line in (pytester.path / "out/cases.jsonl").read_text().splitlines()]
    [case] = [row["case_id"] for row in rows if row["relation"] == "carets.published[negation_consistency]"]
    result = run(f"--vqamt-replay={case}", "--vqamt-no-cache", model="fault:always-yes", data=spec, max_cases=None)
    result.assert_outcomes(passed=1)
    assert "Is there no dog?" in result.stdout.str()


def test_no_item_of_them_is_added_on_other_data(pytester: pytest.Pytester, run: Run) -> None:
    spec = [*data(pytester), "pictures:3"]
    result = run("--vqamt-relations=carets.*,control.repeat", "--collect-only", "-q", data=spec)
    lines = result.stdout.str().splitlines()
    assert len([line for line in lines if "carets.published" in line and line.endswith("-carets:carets")]) == 5
    assert [line for line in lines if "carets.published" in line and line.endswith("-pictures:3")] == []
    assert any("control.repeat" in line and line.endswith("-pictures:3") for line in lines)


def test_nothing_else_is_asked_on_published_pairs_unless_relations_are_named(
    pytester: pytest.Pytester, run: Run
) -> None:
    spec = [*data(pytester), "pictures:3"]
    lines = run("--collect-only", "-q", data=spec).outlines
    published = [line for line in lines if line.endswith("-carets:carets")]
    assert len(published) == 5
    assert all("carets.published[" in line for line in published)
    assert any("control.repeat" in line and line.endswith("-pictures:3") for line in lines)

    planned = run("--vqamt-plan", "--vqamt-max-cases=1", data=spec[:1]).outlines
    assert sum("-carets:carets" in line for line in planned) == 5
    assert sum("carets.published[" in line for line in planned) == 5

    pytester.makeini("[pytest]\nvqamt_relations = control.repeat")
    lines = run("--collect-only", "-q", data=spec[:1]).outlines
    assert [line for line in lines if "-carets:carets" in line] == ["vqamt::control.repeat-oracle-carets:carets"]


def test_an_id_chooses_another_relation_on_published_pairs(pytester: pytest.Pytester, run: Run) -> None:
    result = run("vqamt::control.repeat-oracle-carets:carets", data=data(pytester), max_cases=1)
    result.assert_outcomes(passed=1)


def test_who_excludes_the_published_is_told_to_name_others(pytester: pytest.Pytester, run: Run) -> None:
    result = run("--vqamt-exclude=carets.published", data=data(pytester))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().strip() == (
        "ERROR: Expected a relation of published cases to be left for --vqamt-data='carets:carets', but "
        "--vqamt-exclude='carets.published' excludes them: name others with --vqamt-relations"
    )


def test_who_names_it_on_other_data_is_told_why_there_is_no_case(pytester: pytest.Pytester, run: Run) -> None:
    result = run(RELATION, "-rs", max_cases=None)
    result.assert_outcomes(skipped=5)
    assert "no published pair is about the picture: take --vqamt-data=carets:DIR" in result.stdout.str()


def test_a_pattern_that_takes_it_alone_on_other_data_is_refused(run: Run) -> None:
    result = run("--vqamt-relations=carets.pub*")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().strip() == (
        "ERROR: Expected data with published pairs, such as carets:DIR, for carets.published, "
        "but got --vqamt-data='pictures:20'"
    )


def test_a_file_that_is_not_there_is_told_of_once(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    pytester.makeini("[pytest]\nfilterwarnings = default")
    result = run(BOTH, *workers, data=data(pytester, {"negated.json": NEGATED}), max_cases=None)
    result.assert_outcomes(passed=1, skipped=1, warnings=2 if "2" in workers else 1)
    assert result.stdout.str().count("names choices.json, which is not there: the pairs in it are left out") == 1


def test_bad_records_end_the_session_before_a_model_is_loaded(pytester: pytest.Pytester, run: Run) -> None:
    spec = data(pytester, {**FILES, "negated.json": NEGATED[:1]})
    result = run(BOTH, model="python:nowhere:Model", data=spec, max_cases=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "the first: negated.json: question 7-0-1: Expected its perturbed partner" in result.stderr.str()
    allowed = run(BOTH, "--vqamt-allow-bad-records", "--vqamt-report=out", data=spec, max_cases=None)
    allowed.assert_outcomes(passed=1, skipped=1)
