"""The fixtures: one relation variant at a time in a test of the user's own, the models, the scenes."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import Run

REORDER = "--vqamt-relations=metavqa.reorder"
CHECK = """
    def test_consistency(vqamt_consistency):
        vqamt_consistency.check()
"""


def test_a_call_for_each_relation_model_and_source(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own=CHECK)
    result = run(REORDER, "--vqamt-model=fault:always-no", "--collect-only", "-q", data=("pictures:20", "pictures:30"))
    assert [line for line in result.outlines if "::" in line] == [
        f"test_own.py::test_consistency[metavqa.reorder[{variant}]-{model}-pictures:{scenes}]"
        for model in ("oracle", "fault:always-no")
        for scenes in (20, 30)
        for variant in ("object", "property")
    ]


def test_one_is_chosen_by_its_id(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own=CHECK)
    run("test_own.py::test_consistency[metavqa.reorder[object]-oracle-pictures:20]").assert_outcomes(passed=1)


def test_the_model_may_stand_in_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini(
        """
        [pytest]
        vqamt_model =
            oracle
            fault:ignores-negation
        vqamt_relations = metavqa.reversion[object]
        vqamt_fail_under =
            0.2
            metavqa.*=0.9
        """
    )
    pytester.makepyfile(test_own=CHECK)
    result = run(model=None)
    result.assert_outcomes(passed=1, failed=1)
    assert "required: pass rate >= 0.9" in result.stdout.str()


def test_check_asserts_the_gate_and_the_result_reaches_the_report(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_own=CHECK)
    result = run(
        "--vqamt-relations=metavqa.re*[object]",
        "--vqamt-fail-under=0.9",
        "--vqamt-report=out",
        *workers,
        model="fault:ignores-negation",
    )
    result.assert_outcomes(passed=1, failed=1)
    shown = result.stdout.str()
    assert "metavqa.reversion[object] on fault:ignores-negation: pass rate 0.000" in shown
    assert "consistency.py" not in shown, "no traceback"
    told = json.loads((pytester.path / "out" / "report.json").read_text())["relations"]
    assert [(each["id"], each["holds"], each["gate"]["met"]) for each in told] == [
        ("metavqa.reorder[object]", 4, True),
        ("metavqa.reversion[object]", 0, False),
    ]


def test_run_gives_the_counts_once_and_asserts_nothing(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    pytester.makepyfile(
        test_own="""
        def test_consistency(vqamt_consistency):
            result = vqamt_consistency.run()
            assert vqamt_consistency.run() is result
            assert (vqamt_consistency.relation, vqamt_consistency.data) == ("metavqa.reversion[object]", "pictures:20")
            assert vqamt_consistency.model == "python:counted:Model"
            assert result.tally.cases == result.tally.violated == 4
            assert result.pass_rate == 0
            assert "metavqa.reversion" in repr(vqamt_consistency)
        """
    )
    result = run("--vqamt-relations=metavqa.reversion[object]", "--vqamt-fail-under=1", model=counted)
    result.assert_outcomes(passed=1)


def test_without_a_model_it_is_skipped(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own=CHECK
        + """
    def test_models(vqamt_models): pass
    def test_scenes(vqamt_scenes): pass
    """
    )
    result = run("-rs", model=None)
    result.assert_outcomes(skipped=3)
    assert "no model is named: give --vqamt-model=SPEC, or vqamt_model in the ini file" in result.stdout.str()
    assert "vqamt: consistency" not in result.stdout.str()


def test_the_models_and_scenes_that_the_options_name(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_own="""
        def test_models(vqamt_models):
            assert list(vqamt_models) == ["oracle", "fault:always-no"]
            assert vqamt_models["oracle"].name == "oracle"
            assert "vqa" in vqamt_models["oracle"].tasks

        def test_scenes(vqamt_scenes):
            lengths = {spec: len(source) for spec, source in vqamt_scenes.items()}
            assert lengths == {"pictures:20": 20, "pictures:30": 30}

        def test_again(vqamt_models, vqamt_scenes, request):
            assert request.getfixturevalue("vqamt_models") is vqamt_models
        """
    )
    result = run("-k", "test_own", REORDER, "--vqamt-model=fault:always-no", data=("pictures:20", "pictures:30"))
    # Two variants on two models and two sources.
    result.assert_outcomes(passed=3, deselected=8)


def test_a_model_that_cannot_be_loaded_is_told_in_a_line(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_model = python:broken:load\n")
    pytester.makepyfile(
        broken="def load(): raise ValueError('no weights')", test_own="def test_models(vqamt_models): pass"
    )
    result = run(model=None)
    result.assert_outcomes(errors=1)
    assert "\nThe factory of model='python:broken:load' raised ValueError: no weights\n" in result.stdout.str()
    assert "plugin.py" not in result.stdout.str()
