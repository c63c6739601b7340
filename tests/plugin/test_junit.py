"""What a session writes with ``--junitxml``: the figures of each item as properties of its test case."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_vqamt.commands.main import run_command
from pytest_vqamt.reporting.files import read_report
from tests.plugin.conftest import WORKERS, Run

TWO = "--vqamt-relations=metavqa.partition"


def properties(file: Path) -> dict[str, dict[str, str]]:
    """The properties of each test case that has any, by its name."""
    cases = ET.parse(file).getroot().iter("testcase")
    return {
        case.attrib["name"]: {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
        for case in cases
        if case.find("properties") is not None
    }


@pytest.mark.parametrize("workers", WORKERS)
def test_each_item_has_its_figures(pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]) -> None:
    gate = ("--vqamt-fail-under=0.6", "--vqamt-gate=lower-bound")
    run(TWO, *gate, "--junitxml=junit.xml", "--vqamt-report=out", *workers, model="fault:order-sensitive", max_cases=8)
    told = properties(pytester.path / "junit.xml")
    report = read_report(pytester.path / "out")
    assert len(told) == 2
    for result in report.relations:
        (figures,) = [each for name, each in told.items() if result.item in name]
        assert result.gate is not None
        assert {name: figures[f"vqamt_{name}"] for name in WANTED} == {
            "relation": result.item,
            "version": str(result.version),
            "model": "fault:order-sensitive",
            "fingerprint": result.model.fingerprint,
            "data": "pictures:20",
            "data_digest": result.data.digest,
            "cases": "8",
            "violated": str(result.tally.violated),
            "unparsed": "0",
            "errors": "0",
            "pass_rate": str(result.pass_rate),
            "interval_low": str(result.interval[0]),
            "interval_high": str(result.interval[1]),
            "gate": "fail-under",
            "gate_threshold": "0.6",
            "gate_on": "lower-bound",
            "gate_met": str(result.gate.met).lower(),
        }


WANTED = (
    "relation", "version", "model", "fingerprint", "data", "data_digest", "cases", "violated", "unparsed", "errors",
    "pass_rate", "interval_low", "interval_high", "gate", "gate_threshold", "gate_on", "gate_met",
)  # fmt: skip


def test_a_test_with_the_fixture_has_them_too_and_another_has_none(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own="""
        def test_consistency(vqamt_consistency):
            vqamt_consistency.check()

        def test_unit():
            pass
        """
    )
    run("--vqamt-relations=control.repeat", "--junitxml=junit.xml").assert_outcomes(passed=2)
    told = properties(pytester.path / "junit.xml")
    assert [name.startswith("test_consistency[") for name in told] == [True]
    (figures,) = told.values()
    assert (figures["vqamt_relation"], figures["vqamt_pass_rate"]) == ("control.repeat", "1.0")
    assert "vqamt_gate" not in figures


def test_names_of_data_and_models_are_escaped(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        own="""
        class Model:
            fingerprint = '<a>&"\\x00\\x1b'

            def answer(self, batch):
                return ["yes" for each in batch]
        """
    )
    run("--vqamt-relations=control.repeat", "--junitxml=junit.xml", model="python:own:Model").assert_outcomes(passed=1)
    ((figures),) = properties(pytester.path / "junit.xml").values()
    assert figures["vqamt_fingerprint"].startswith('<a>&"')


def outcomes(file: Path) -> list[tuple[str, str, str, str]]:
    """The class, name, outcome and heading of each test case, sorted."""
    root = ET.parse(file).getroot()
    (suite,) = root.iter("testsuite")
    cases = list(suite.iter("testcase"))
    found = []
    for case in cases:
        told = next((each for each in case if each.tag in ("failure", "skipped", "error")), None)
        heading = "" if told is None else told.attrib["message"]
        found.append((case.attrib["classname"], case.attrib["name"], "" if told is None else told.tag, heading))
    for kind, attribute in (("failure", "failures"), ("skipped", "skipped"), ("error", "errors")):
        assert suite.attrib[attribute] == str(sum(outcome == kind for _, _, outcome, _ in found))
    assert suite.attrib["tests"] == str(len(cases))
    return sorted(found)


SHARED = (
    "--vqamt-relations=metavqa.partition,metavqa.reorder,veglue.mr1_joint_erase,metavqa.removal_plus",
    "--vqamt-fail-under=0.6",
)


def test_a_merged_report_has_the_tests_of_one_session(pytester: pytest.Pytester, run: Run) -> None:
    # Both models have one name, so that the second is compared with the first.
    good = {"model": "m=oracle", "data": ("pictures",), "max_cases": 8}
    run(*SHARED, "--vqamt-report=good", **good)  # type: ignore[arg-type]
    assert run_command(["bless", "good", "-o", "blessed.gz"]) == 0
    bad = {**good, "model": "m=fault:order-sensitive"}
    options = (*SHARED, "--vqamt-baseline=blessed.gz", "--vqamt-max-drop=0.1")
    run(*options, "--vqamt-report=whole", "--junitxml=session.xml", **bad)  # type: ignore[arg-type]
    for number in ("1", "2"):
        run(*options, f"--vqamt-shard={number}/2", f"--vqamt-report=out{number}", **bad)  # type: ignore[arg-type]
    merged = ["merge", "out1", "out2", "-o", "merged", "--junitxml", "merged/junit.xml"]
    assert run_command(merged) == 1, "gates are missed"
    wanted = outcomes(pytester.path / "session.xml")
    assert {outcome for _, _, outcome, _ in wanted} == {"", "failure", "skipped"}
    assert ("vqamt", "metavqa.reorder[object]-m-pictures") in [each[:2] for each in wanted], "data as it was given"
    assert outcomes(pytester.path / "merged" / "junit.xml") == wanted
    assert run_command(["report", "whole", "--junitxml", "again.xml"]) == 0
    assert outcomes(pytester.path / "again.xml") == wanted
    in_session, again = properties(pytester.path / "session.xml"), properties(pytester.path / "again.xml")
    rates = ("vqamt_pass_rate", "vqamt_baseline_difference")  # those of all relations together have no pass rate
    for rate in rates:
        found = {name: told[rate] for name, told in again.items() if rate in told}
        assert found == {name: told[rate] for name, told in in_session.items() if rate in told} != {}


def test_a_shard_misses_no_gate_and_an_unfinished_run_is_an_error(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        own="""
        class Model:
            def answer(self, batch):
                if any("altogether" in each.text for each in batch):
                    raise SystemExit("no\\x1bmore")
                return ["7" for each in batch]
        """
    )
    shard = ("--vqamt-shard=1/2", "--vqamt-fail-under=1", "--vqamt-report=out")
    run("--vqamt-relations=metavqa.reorder[object],metavqa.removal", *shard, model="python:own:Model")
    assert run_command(["report", "out", "--junitxml", "junit.xml"]) == 0
    kinds = {name: outcome for _, name, outcome, _ in outcomes(pytester.path / "junit.xml")}
    assert kinds["unfinished items"] == "error"
    assert set(kinds.values()) == {"", "error"}


@pytest.mark.full
def test_a_worker_that_crashes_leaves_the_name_as_it_is(pytester: pytest.Pytester, run: Run) -> None:
    """Pytest 9.2 reads the name back from the id, and adds a bracket at its end."""
    pytester.makepyfile(own="import os\n\nclass Model:\n    def answer(self, batch):\n        os._exit(3)\n")
    run("--vqamt-relations=metavqa.reorder[object]", "--junitxml=junit.xml", "-n", "2", model="python:own:Model")
    assert [each[1] for each in outcomes(pytester.path / "junit.xml")] == [
        "metavqa.reorder[object]-python:own:Model-pictures:20"
    ]
