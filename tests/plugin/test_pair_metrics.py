"""What a session tells of pairs: at the end on the terminal, and in the report, however it was shared out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_vqamt.core.report_json import report_row
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.reporting.merging import merge_folders
from tests.costs import without_costs
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in
from tests.reporting.test_report_schema import closed

# The negation of existence with the pairs that it feeds. A third of the cases are presumed.
RELATION = """
    import pytest_vqamt as vqamt
    from pytest_vqamt.core.case import PairKind
    from pytest_vqamt.core.codec import replace
    from pytest_vqamt.relations import catalogue

    class Negated:
        def __init__(self):
            inner = catalogue.get("metavqa.reversion")
            self._inner = inner
            self.info = replace(
                inner.info, name="ours.negated", breakdown=("present_groups",), pairs=PairKind.OPPOSITE
            )

        def derive(self, draw):
            case = self._inner.derive(draw)
            if isinstance(case, vqamt.NotApplicable):
                return case
            presumed = len(case.queries[0].text) % 3 == 0
            return replace(case, relation="ours.negated", tags=("presumed",) if presumed else ())

        def judge(self, case, answers):
            return self._inner.judge(case, answers)

    catalogue.register(Negated())
"""
OURS = ("--vqamt-relations=ours.negated,control.repeat", "--vqamt-model=fault:ignores-negation")


def report_of(pytester: pytest.Pytester, folder: str) -> dict[str, Any]:
    told: dict[str, Any] = report_in(pytester.path / folder)
    return without_costs(told)


def rows_below(lines: Sequence[str], head: str) -> list[list[str]]:
    """The cells of each table whose head begins with these words."""
    starts = [number + 2 for number, line in enumerate(lines) if line.startswith(head)]
    return [re.split(r" {2,}", lines[row].strip()) for start in starts for row in range(start, lines.index("", start))]


@pytest.mark.full
def test_the_report_has_the_metrics_whichever_way_it_was_shared_out(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(RELATION)
    run(*OURS, "--vqamt-report=alone", max_cases=30)
    run(*OURS, "--vqamt-report=two", "-n", "2", max_cases=30)
    for number in (1, 2):
        run(*OURS, f"--vqamt-report=shard{number}", f"--vqamt-shard={number}/2", max_cases=30)
    shards = [pytester.path / f"shard{number}" for number in (1, 2)]
    merge_folders(shards, pytester.path / "merged")
    alone = report_of(pytester, "alone")
    assert report_of(pytester, "two") == alone
    assert report_of(pytester, "merged") == alone

    written = report_in(pytester.path / "alone")
    schema = json.loads(files("pytest_vqamt.reporting").joinpath("report.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(closed(schema)).validate(written)
    assert json.dumps(report_row(read_report(pytester.path / "alone"))) == json.dumps(written)

    entries = {(each["id"], each["model"]): each for each in alone["relations"]}
    for (item, model), entry in entries.items():
        if item == "control.repeat":
            assert entry["metrics"] == {}
            continue
        for part in (entry, entry["presumed"]):
            metrics = part["metrics"]
            assert metrics["pairs"] == part["cases"] > 0
            perfect = model == "oracle"
            assert (metrics["acc"], metrics["cons"], metrics["c_acc"]) == ((1, 1, 1) if perfect else (0.5, 0, 0))
            assert metrics["answers"]["other"] == 0
            assert sum(each["pairs"] for each in metrics["by"]["present_groups"].values()) == metrics["pairs"]
            assert int(metrics["right"], 16).bit_count() == (metrics["pairs"] if perfect else 0)
    both = [(each["test"], each["presumed"], each["models"], each["shares"]) for each in alone["coverage"]]
    # Of what the fault has right nobody can have a share, and of what the oracle has right the fault has nothing.
    shares = [[1.0, None], [0.0, None]]
    assert both == [
        ("ours.negated", presumed, ["oracle", "fault:ignores-negation"], shares) for presumed in (False, True)
    ]


def test_the_summary_is_compact_and_all_is_there_with_v(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(RELATION)
    compact = run(*OURS, max_cases=30).outlines
    rows = rows_below(compact, "CARETS test              pairs  ")
    assert [(row[0].removesuffix(" (presumed)"), *row[-4:]) for row in rows] == [
        ("ours.negated", "100.0 %", "100.0 %", "100.0 %", "-"),
        ("ours.negated", "100.0 %", "100.0 %", "100.0 %", "-"),
        ("ours.negated", "50.0 %", "0.0 %", "0.0 %", "-"),
        ("ours.negated", "50.0 %", "0.0 %", "0.0 %", "-"),
    ]
    assert [row[0].endswith(" (presumed)") for row in rows] == [False, True, False, True]
    assert not any("authors' CONS" in line or "[object]" in line.split() for line in compact)
    assert any(line.startswith("on pictures:20, of the pairs that the column's model has right") for line in compact)

    full = run(*OURS, "-v", max_cases=30).outlines
    variants = [row for row in rows_below(full, "CARETS test") if row[0] in ("[object]", "[property]")]
    assert len(variants) == 2 * 2 * 2 * 2, "two variants, sure and presumed, of two models, in two tables"
    authors = [number for number, line in enumerate(full) if "authors' CONS" in line]
    of_facts = [number for number, line in enumerate(full) if line.startswith("  present groups: 1 ")]
    assert (len(authors), len(of_facts)) == (2, 2 * 2), "of each model; of facts in the first of its tables alone"
    assert of_facts[1] < authors[0] < of_facts[2] < of_facts[3] < authors[1]
