"""Runs that kept scores are compared by them: each shared query once, and what has moved most."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_vqamt import Answer, ModelInput
from pytest_vqamt.core.case_store import CaseLine
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.reporting.compare.compared_scores import ScoredPairs
from pytest_vqamt.reporting.compare.comparison import Comparison, compare
from pytest_vqamt.reporting.compare.comparison_text import comparison_json, comparison_lines, comparison_markdown
from pytest_vqamt.reporting.compare.runs import open_report_run
from tests.reporting.running import run_into


class Sure:
    """Answers by the picture, surer or less sure."""

    def __init__(self, sure: float) -> None:
        self.sure = sure

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [self._of(item) for item in batch]

    def _of(self, item: ModelInput) -> Answer:
        says, other = ("yes", "no") if sum(item.pixels.resize((1, 1)).tobytes()) % 2 else ("no", "yes")
        return Answer(says, ((says, math.log(self.sure)), (other, math.log(1 - self.sure))))


def compared(tmp_path: Path, first: object, second: object) -> Comparison:
    for name, model in (("old", first), ("new", second)):
        run_into(tmp_path / name, model=model, max_cases=20)
    return compare(open_report_run(tmp_path / "old"), open_report_run(tmp_path / "new"))


def test_less_sure_answers_have_moved_though_no_verdict_has(tmp_path: Path) -> None:
    found = compared(tmp_path, Sure(0.9), Sure(0.6))

    [scores] = found.scores
    rows = [json.loads(line) for line in (tmp_path / "new" / "cases.jsonl").read_text().splitlines()]
    asked = {query["id"] for row in rows for query in row["queries"]}
    moved = 0.9 * math.log(0.9 / 0.6) + 0.1 * math.log(0.1 / 0.4)
    assert all(each.regressions == each.fixes == () for each in found.items)
    assert scores.queries == len(asked)
    assert (scores.flips, scores.other_texts) == (0, 0)
    assert scores.divergence == pytest.approx(moved)
    assert [each.divergence for each in scores.moved] == pytest.approx([moved] * 3)
    assert f"scores of {len(asked)} queries in both runs" in "\n".join(comparison_lines(found)).replace("\n  ", " ")
    assert "nats" in "\n".join(comparison_markdown(found))
    assert json.loads(comparison_json(found))["scores"][0]["flips"] == 0


def test_runs_without_scores_say_nothing_of_them(tmp_path: Path) -> None:
    found = compared(tmp_path, "oracle", "fault:order-sensitive")

    assert found.scores == ()
    assert "scores of" not in "\n".join(comparison_lines(found))


def line(case: str, *each: tuple[str, str, list[tuple[str, float]] | None]) -> CaseLine:
    """A case whose queries have these ids, answers and scores."""
    row: Row = {
        "case_id": case,
        "relation": "ours.rule",
        "model": "m",
        "data": "d",
        "scene": "s",
        "verdict": "holds",
        "reason": "",
        "expected": "",
        "vacuous": False,
        "readings": [],
        "facts": {},
        "queries": [{"id": query, "text": f"question {query}"} for query, _, _ in each],
        "answers": [answer for _, answer, _ in each],
        "scores": [None if scores is None else [[*pair] for pair in scores] for _, _, scores in each],
    }
    return CaseLine(case, json.dumps(row).encode(), row)


def test_a_query_counts_once_and_only_where_both_runs_have_its_scores() -> None:
    yes, no = [("yes", -0.1), ("no", -2.4)], [("no", -0.1), ("yes", -2.4)]
    pairs = ScoredPairs()

    pairs.add(line("1" * 16, ("a", "yes", yes), ("b", "no", None)), line("1" * 16, ("a", "no", no), ("b", "no", no)))
    pairs.add(line("2" * 16, ("a", "yes", yes), ("c", "no", no)), line("2" * 16, ("a", "no", no), ("d", "no", no)))

    found = pairs.compared((("m", "m"), ("d", "d")))
    assert (found.queries, found.flips, found.other_texts) == (1, 1, 1)
    assert [(each.case_id, each.before, each.after) for each in found.moved] == [("1" * 16, "yes", "no")]
