"""What a session writes with ``--junitxml``: the figures of each item as properties of its test case."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

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
