"""The summary of results made by hand: cases that are presumed have a row of their own."""

from __future__ import annotations

import re
from collections import Counter

from pytest_vqamt.core.counts import Tally
from pytest_vqamt.core.results import DataUse, Gate, ModelUse, Presumed, RelationResult, Report
from pytest_vqamt.reporting.terminal import summary

TINY = ModelUse(name="tiny", fingerprint="", tasks=("vqa",))
GQA = DataUse(spec="gqa:DIR", scenes=8, digest="0" * 16)


def presumed(*, readings: tuple[str, ...] = (), gate: Gate | None = None) -> Presumed:
    """Four cases: one holds, two do not, one answer is of the wrong kind."""
    tally = Tally(cases=4, holds=1, violated=2, unparsed=1, vacuous=1)
    return Presumed(tally=tally, breakdown={}, readings=Counter(readings), interval=(0.046, 0.699), gate=gate)


def result(
    tally: Tally, apart: Presumed | None, *, tags: tuple[str, ...] = (), gate: Gate | None = None
) -> RelationResult:
    return RelationResult(
        position=0,
        item="ours.rule",
        version=1,
        claim="All is one.",
        model=TINY,
        data=GQA,
        tags=tags,
        tally=tally,
        scenes_not_applicable=0,
        not_applicable={},
        breakdown={},
        readings=Counter({"yes": 10, "no": 10}),
        interval=(0.490, 0.943),
        gate=gate,
        presumed=apart,
    )


def rows(*results: RelationResult) -> list[list[str]]:
    """The table's rows, cell by cell."""
    lines = shown(*results)
    rule = next(number for number, line in enumerate(lines) if line.startswith("---"))
    return [re.split(r" {2,}", line) for line in lines[rule + 1 : lines.index("", rule)]]


def shown(*results: RelationResult) -> list[str]:
    return list(
        summary(
            Report(
                vqamt_version="0",
                seed=0,
                sampler="random",
                max_cases=14,
                shard="1/1",
                started="",
                duration_s=0.0,
                models=(TINY,),
                data=(GQA,),
                relations=results,
            )
        )
    )


SURE = Tally(cases=10, holds=8, violated=2)


def test_presumed_cases_have_a_row_and_a_gate_of_their_own() -> None:
    met = Gate(kind="fail-under", threshold=0.7, on="point", met=True)
    missed = Gate(kind="fail-under", threshold=0.7, on="point", met=False)
    assert rows(result(SURE, presumed(gate=missed), gate=met)) == [
        ["ours.rule", "10", "0.800", "0.490 to 0.943", "0%", "0", "0", "met: >= 0.7"],
        ["ours.rule (presumed)", "4", "0.250", "0.046 to 0.699", "25%", "1", "0", "MISSED: >= 0.7"],
    ]
    assert [row[0] for row in rows(result(SURE, None))] == ["ours.rule"]


def test_where_all_cases_are_presumed_theirs_is_the_only_row() -> None:
    (row,) = rows(result(Tally(), presumed(), tags=("baseline",)))
    assert row == ["ours.rule (baseline, presumed)", "4", "0.250", "0.046 to 0.699", "25%", "1", "0", "-"]


def test_the_answers_to_presumed_cases_count_among_all_answers() -> None:
    # 10 of 20 answers are yes, and with thirty more 40 of 50: the share from which an answer is pointed out.
    assert "ours.rule: 80% of all answers are 'yes'" in shown(result(SURE, presumed(readings=("yes",) * 30)))
    assert not any("of all answers are" in line for line in shown(result(SURE, presumed(readings=("yes",) * 29))))
