"""The properties of an item: its figures, what was demanded of them, and nothing but plain values."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.results import BaselineChange, Gate, Noise, RelationResult, StratumResult
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, RepeatedCases, Tally, TrialTally
from pytest_vqamt.reporting.junit import properties
from tests.reporting.grounded import grounded
from tests.reporting.running import run_into

GATE = Gate(kind="fail-under", threshold=0.5, on="lower-bound", met=False)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> RelationResult:
    made = run_into(tmp_path_factory.mktemp("run"), relations=["metavqa.partition[object]"], max_cases=4)
    tally = Tally(cases=10, holds=6, violated=1, unparsed=1, errors=1, waived=1, vacuous=2)
    return replace(made.relations[0], tally=tally, interval=(0.4, 0.9), presumed=None)


def test_figures_and_what_they_are_of(result: RelationResult) -> None:
    told = properties(replace(result, tags=("a", "b")))
    assert len(dict(told)) == len(told)
    assert dict(told) == {
        "vqamt_relation": "metavqa.partition[object]",
        "vqamt_version": result.version,
        "vqamt_model": "fault:order-sensitive",
        "vqamt_fingerprint": result.model.fingerprint,
        "vqamt_data": "pictures:20",
        "vqamt_data_digest": result.data.digest,
        "vqamt_tags": "a b",
        "vqamt_cases": 10,
        "vqamt_holds": 6,
        "vqamt_violated": 1,
        "vqamt_unparsed": 1,
        "vqamt_errors": 1,
        "vqamt_declined": 0,
        "vqamt_flaky": 0,
        "vqamt_waived": 1,
        "vqamt_vacuous": 2,
        "vqamt_unread_cases": 0,
        "vqamt_unread_rate": 0.0,
        "vqamt_readable_pass_rate": 0.75,
        "vqamt_pass_rate": 0.75,
        "vqamt_interval_low": 0.4,
        "vqamt_interval_high": 0.9,
    }
    assert json.loads(json.dumps(told)) == [list(each) for each in told], "xdist sends plain values alone"


def test_gates_and_the_change_since_the_baseline(result: RelationResult) -> None:
    # Of 8 shared cases 7 held before and 5 do now: -0.25.
    paired = PairedClusters((PairedSceneTally(both=5, first_only=2, second_only=0, neither=1, scenes=1),))
    drop = Gate(kind="max-drop", threshold=0.1, on="holm", met=True)
    change = BaselineChange(paired=paired, interval=(-0.5, 0.0), p=0.1, p_two_sided=0.2, p_holm=0.3, gate=drop)
    told = dict(properties(replace(result, gate=GATE, change=change)))
    assert {name: value for name, value in told.items() if "gate" in name or "baseline" in name} == {
        "vqamt_gate": "fail-under",
        "vqamt_gate_threshold": 0.5,
        "vqamt_gate_on": "lower-bound",
        "vqamt_gate_met": "false",
        "vqamt_baseline_cases": 8,
        "vqamt_baseline_difference": -0.25,
        "vqamt_baseline_difference_low": -0.5,
        "vqamt_baseline_difference_high": 0.0,
        "vqamt_baseline_p": 0.3,
        "vqamt_baseline_gate": "max-drop",
        "vqamt_baseline_gate_threshold": 0.1,
        "vqamt_baseline_gate_on": "holm",
        "vqamt_baseline_gate_met": "true",
        "vqamt_baseline_gate_uncertain": "false",
    }


def test_the_documentation_names_every_property(result: RelationResult) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    paired = PairedClusters((PairedSceneTally(both=1, first_only=0, second_only=0, neither=0, scenes=1),))
    change = BaselineChange(paired=paired, interval=(0.0, 0.0), p=1.0, p_two_sided=1.0, gate=GATE)
    repeated = RepeatedCases((TrialTally(5, 5, 1),))
    noise = Noise(expected=0.0, explains=False)
    full = replace(result, gate=GATE, change=change, grounded=grounded(1, 1, gate=GATE), repeated=repeated, noise=noise)
    told = dict(properties(full))
    documented = set(re.findall(r"`(vqamt_\w+\*?)`", page)) - {"vqamt_presumed_*"}
    assert {name for name in told if not any(fnmatch(name, each) for each in documented)} == set()
    assert {each for each in documented if not any(fnmatch(name, each) for name in told)} == set()


def test_presumed_cases_stand_apart(result: RelationResult) -> None:
    presumed = StratumResult(
        tally=Tally(cases=2, holds=1, violated=1),
        breakdown={},
        readings=result.readings,
        interval=(0.1, 0.9),
        gate=GATE,
    )
    told = dict(properties(replace(result, presumed=presumed)))
    assert (told["vqamt_cases"], told["vqamt_presumed_cases"], told["vqamt_presumed_pass_rate"]) == (10, 2, 0.5)
    assert told["vqamt_presumed_gate_met"] == "false"
    assert "vqamt_gate" not in told


def test_where_nothing_was_judged_there_is_no_rate(result: RelationResult) -> None:
    told = dict(properties(replace(result, tally=Tally(cases=2, errors=2))))
    assert "vqamt_pass_rate" not in told
    assert "vqamt_interval_low" not in told
    assert told["vqamt_errors"] == 2
