"""``--vqamt-plan`` says how much a run would ask, and asks nothing."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run, asked

TWICE = """
    import pytest_vqamt as vqamt

    def ask(scene, corpus, choose):
        question = vqamt.ask.exists(scene.objects[0])
        return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))

    vqamt.relation("ours.first", expect=vqamt.same_answer)(ask)
    vqamt.relation("ours.second", expect=vqamt.same_answer)(ask)
"""


def test_the_plan_counts_shared_queries_where_they_come_first(
    pytester: pytest.Pytester, run: Run, counted: str
) -> None:
    pytester.makeconftest(TWICE)
    result = run("--vqamt-relations=ours.*", "--vqamt-plan", model=counted, data=("pictures:5",), max_cases=9)
    assert result.ret == pytest.ExitCode.OK
    # Five scenes, one case each, of two queries; the second relation asks the same.
    result.stdout.fnmatch_lines(
        [
            "*= vqamt: plan =*",
            "item *cases  queries  new queries",
            "-*",
            "ours.first-python:counted:Model-pictures:5 * 5 * 10 * 10",
            "ours.second-python:counted:Model-pictures:5 * 5 * 10 * 0",
            "",
            "10 cases, 10 distinct queries before any cache",
        ],
        consecutive=True,
    )
    assert asked(pytester) == []


def test_the_run_asks_what_was_planned(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    relations = "--vqamt-relations=metavqa.reversion,metavqa.removal_plus,control.repeat"
    planned = run(relations, "--vqamt-plan", model=counted).outlines
    (total,) = [line for line in planned if line.endswith("distinct queries before any cache")]
    run(relations, model=counted)
    assert total == f"16 cases, {len(asked(pytester))} distinct queries before any cache"


def test_the_plan_of_a_session_with_tests_runs_none_of_them(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): assert False\ndef test_other(): assert False")
    result = run("--vqamt-relations=control.repeat", "--vqamt-plan")
    assert result.ret == pytest.ExitCode.OK
    assert "\n4 cases, 8 distinct queries before any cache\n" in result.stdout.str()


def test_each_model_is_asked_its_own_queries(run: Run) -> None:
    result = run("--vqamt-relations=control.repeat", "--vqamt-model=fault:always-no", "--vqamt-plan")
    assert "\n8 cases, 16 distinct queries before any cache\n" in result.stdout.str()


def test_a_run_of_as_many_queries_as_allowed_is_made(run: Run) -> None:
    run("--vqamt-relations=control.repeat", "--vqamt-max-queries=8").assert_outcomes(passed=1)


def test_a_run_of_more_queries_asks_none(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    result = run("--vqamt-relations=control.repeat", "--vqamt-max-queries=7", model=counted)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert asked(pytester) == []
