"""Which items there are, what they are called, and how to choose among them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from pytest_vqamt.relations.presets import preset
from pytest_vqamt.reporting.blessing import bless
from tests.plugin.conftest import Run, every_item
from tests.reporting.reported import report_in

REORDER = "--vqamt-relations=metavqa.reorder"
THREE = "--vqamt-relations=metavqa.reorder,control.repeat"


def ids_listed(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("vqamt::")]


def test_an_item_for_each_relation_variant(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--vqamt-model=oracle", "--collect-only", "-q")
    listed = ids_listed(result)
    assert listed == [f"vqamt::{item}-oracle-pictures" for item in every_item()]
    assert listed[:2] == [
        "vqamt::metavqa.partition[object]-oracle-pictures",
        "vqamt::metavqa.partition[property]-oracle-pictures",
    ]
    assert listed[-1] == "vqamt::control.reencode[spaces]-oracle-pictures"


def test_where_no_relations_are_named_the_preset_quick_runs_with_relations_of_your_own(
    pytester: pytest.Pytester, run: Run, counted: str
) -> None:
    pytester.makeconftest(
        """
        import pytest_vqamt as vqamt

        @vqamt.relation("ours.same", expect=vqamt.same_answer)
        def same(scene, corpus, choose):
            question = vqamt.ask.exists(choose.one(scene.objects))
            return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))
        """
    )
    list_only = ("--collect-only", "-q")
    # The model answers questions alone.
    quick = [each for each in preset("quick").relations if not each.startswith("metaic.")]
    listed = ids_listed(run(*list_only, model=counted))
    assert sorted(listed) == sorted(f"vqamt::{item}-{counted}-pictures:20" for item in (*quick, "ours.same"))
    assert len(ids_listed(run(*list_only, "--vqamt-relations=all", model=counted))) > 50
    assert ids_listed(run(*list_only, "--vqamt-exclude=all", model=counted)) == []


def test_what_is_blessed_runs_beside_the_preset(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    run(REORDER, "--vqamt-report=out", model=counted)
    bless(pytester.path / "out", pytester.path / "base.gz")
    listed = ids_listed(run("--collect-only", "-q", "--vqamt-baseline=base.gz", model=counted))
    assert f"vqamt::metavqa.reorder[object]-{counted}-pictures:20" in listed
    assert f"vqamt::carets.negation-{counted}-pictures:20" in listed


def test_the_preset_quick_is_grounded_and_a_perfect_model_keeps_it(run: Run, pytester: pytest.Pytester) -> None:
    result = run("--vqamt-preset=quick", "--vqamt-report=out", data=("pictures:60",), max_cases=6, contrast=1)
    names = preset("quick").relations
    result.assert_outcomes(passed=len(names))
    for row in report_in(pytester.path / "out")["relations"]:
        assert row["holds"] == row["cases"] == 6
        assert row["grounded"]["cases"] > 0
        assert row["grounded"]["rate"] == 1


def test_several_models_and_sources_give_an_item_each(run: Run) -> None:
    result = run(
        "--vqamt-model=fault:always-no",
        "--vqamt-relations=metavqa.r*",
        "--vqamt-exclude=*[property],metavqa.removal*",
        "--collect-only",
        "-q",
        data=("pictures:50", "pictures:60"),
    )
    assert ids_listed(result) == [
        "vqamt::metavqa.reorder[object]-oracle-pictures:50",
        "vqamt::metavqa.reversion[object]-oracle-pictures:50",
        "vqamt::metavqa.reorder[object]-oracle-pictures:60",
        "vqamt::metavqa.reversion[object]-oracle-pictures:60",
        "vqamt::metavqa.reorder[object]-fault:always-no-pictures:50",
        "vqamt::metavqa.reversion[object]-fault:always-no-pictures:50",
        "vqamt::metavqa.reorder[object]-fault:always-no-pictures:60",
        "vqamt::metavqa.reversion[object]-fault:always-no-pictures:60",
    ]


def test_k_chooses_among_them(run: Run) -> None:
    result = run("-k", "reversion and property", "-v")
    result.assert_outcomes(passed=1, deselected=len(every_item()) - 1)
    result.stdout.fnmatch_lines(["vqamt::metavqa.reversion?property?-oracle-pictures:20 PASSED*"])


def test_deselect_takes_one_away(run: Run) -> None:
    result = run(REORDER, "--deselect", "vqamt::metavqa.reorder[object]-oracle-pictures:20")
    result.assert_outcomes(passed=1, deselected=1)


def test_an_item_is_chosen_by_the_id_that_pytest_shows(run: Run, workers: tuple[str, ...]) -> None:
    shown = run(THREE, "-v", "-rA", *workers)
    shown.assert_outcomes(passed=3)
    # While they run, and in the summary.
    ids = {word for line in shown.outlines for word in line.split() if word.startswith("vqamt::")}
    assert len(set(ids)) == 3
    for name in ids:
        chosen = run(name, "-v")
        chosen.assert_outcomes(passed=1)
        chosen.stdout.fnmatch_lines([f"{name.replace('[', '?').replace(']', '?')} PASSED*"])


def test_several_are_chosen_beside_ordinary_tests(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_own="def test_own(): pass\ndef test_other(): assert False")
    ids = ("vqamt::control.repeat-oracle-pictures:20", "vqamt::metavqa.reorder[object]-oracle-pictures:20")
    result = run("test_own.py", *ids, "-rA", *workers)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines_random(
        [
            "PASSED vqamt::control.repeat-*",
            "PASSED vqamt::metavqa.reorder?object?-*",
            "PASSED test_own.py::test_own",
            "FAILED test_own.py::test_other*",
        ]
    )


PARTITIONS = ("--vqamt-relations=metavqa.partition,metavqa.reorder", "--vqamt-fail-under=1", "-rf")


def failed_ids(result: pytest.RunResult) -> list[str]:
    return sorted(line.split()[1] for line in result.outlines if line.startswith("FAILED "))


@pytest.mark.parametrize("option", ["--lf", "--ff"])
def test_all_that_have_failed_run_again(
    option: str, run: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    """Pytest 9.2 reads ids back from their texts, and took all from the first bracket on for parameters."""
    first = run(*PARTITIONS, "--junitxml=junit.xml", *workers, model="fault:off-by-one")
    failed = failed_ids(first)
    assert len(failed) > 1
    assert any("[" in each for each in failed)
    cases = ET.parse(pytester.path / "junit.xml").getroot().iter("testcase")
    listed = ids_listed(run("--collect-only", "-q", PARTITIONS[0], model="fault:off-by-one"))
    assert sorted(f"{case.get('classname')}::{case.get('name')}" for case in cases) == sorted(listed)
    assert set(failed) <= set(listed)
    again = run(*PARTITIONS, option, *workers, model="fault:off-by-one")
    assert failed_ids(again) == failed
    assert ("passed" in again.parseoutcomes()) == (option == "--ff" and len(failed) < len(listed))


def test_an_id_is_the_same_object_each_time_it_is_looked_at(pytester: pytest.Pytester) -> None:
    """Plugins look items up by ``id(item.nodeid)``, allure among them."""
    pytester.makeconftest(
        """
        def pytest_collection_modifyitems(items):
            assert all(item.nodeid is item.nodeid for item in items)

        def pytest_runtest_call(item):
            assert item.nodeid is item.nodeid
        """
    )
    result = pytester.runpytest_inprocess(
        "--vqamt-model=oracle", "--vqamt-data=pictures:20", "--vqamt-relations=metavqa.reorder", "--vqamt-max-cases=2"
    )
    assert result.parseoutcomes()["passed"] > 1


def test_a_process_for_each_test_is_refused(pytester: pytest.Pytester) -> None:
    """pytest-forked hands reports back in a form that has no room for results."""
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--forked', action='store_true')")
    result = pytester.runpytest_inprocess("--forked", "--vqamt-model=oracle", "--vqamt-data=pictures:20")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: Expected vqamt without --forked, which gives each test a process *"])


def test_an_id_that_names_no_item(run: Run) -> None:
    result = run("vqamt::metavqa.reorder[objects]-oracle-pictures:20")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "ERROR: Expected the id of an item, but got 'vqamt::metavqa.reorder[[]objects[]]-oracle-pictures:20'; "
            "did you mean 'metavqa.reorder[[]object[]]-oracle-pictures:20'?"
        ]
    )


def test_a_model_of_the_ini_file_adds_no_items(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nvqamt_model = oracle\n")
    pytester.makepyfile(test_own="def test_own(): pass")
    result = pytester.runpytest_inprocess("-v")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*vqamt::*")
    result.stdout.no_fnmatch_line("*vqamt: consistency*")


def test_an_id_adds_its_item_where_the_model_is_of_the_ini_file(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nvqamt_model = oracle\n")
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): vqamt_consistency.check()")
    run("vqamt::control.repeat-oracle-pictures:20", model=None).assert_outcomes(passed=1)


def test_none_are_added_where_a_test_takes_the_fixture(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): vqamt_consistency.check()")
    result = run(REORDER, "-v")
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*vqamt::*")


def test_without_the_cache_of_pytest(run: Run) -> None:
    result = run(REORDER, "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["vqamt: oracle on pictures:20, *; no answers are kept"])


def test_the_header_says_what_is_run(run: Run, pytester: pytest.Pytester) -> None:
    result = run(REORDER, "--vqamt-model=fault:always-no", "--vqamt-seed=7")
    result.stdout.fnmatch_lines(
        [
            "vqamt: oracle, fault:always-no on pictures:20, at most 4 cases a test, seed 7; answers are kept in "
            ".pytest_cache/d/vqamt",
            "vqamt: 4 tests with at most 16 cases in all; --vqamt-plan counts them and their queries",
        ]
    )
    result.stdout.no_fnmatch_line("*no relations are named*")


def test_with_q_the_extent_is_left_out(run: Run) -> None:
    assert "--vqamt-plan" not in run(REORDER, "-q").stdout.str()


def test_the_extent_is_that_of_the_tests_that_are_left(run: Run) -> None:
    result = run(REORDER, "-k", "object", max_cases=1200)
    result.stdout.fnmatch_lines(["vqamt: 1 test with at most 1,200 cases in all; *"])


def test_a_report_for_other_tools_names_the_items(pytester: pytest.Pytester, run: Run) -> None:
    run(REORDER, "--junitxml=junit.xml").assert_outcomes(passed=2)
    told = (pytester.path / "junit.xml").read_text()
    # pytest 9.2 would add a bracket to the name.
    assert 'classname="vqamt" name="metavqa.reorder[object]-oracle-pictures:20"' in told


# The fixtures: one relation variant at a time in a test of the user's own, the models, the scenes.

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
    assert "pass rate 0 % is below 90 % (" in result.stdout.str()


def test_with_the_model_in_the_ini_file_any_option_runs_the_relations(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini(
        """
        [pytest]
        vqamt_model = oracle
        vqamt_data = pictures:20
        vqamt_relations = metavqa.reversion[object]
        """
    )
    pytester.makepyfile(test_unit="def test_unit(): pass")
    pytester.runpytest_inprocess("test_unit.py").assert_outcomes(passed=1)
    pytester.runpytest_inprocess("--vqamt-max-cases=4", "--vqamt-report=out").assert_outcomes(passed=2)
    assert report_in(pytester.path / "out")["relations"][0]["cases"] == 4
    (pytester.path / "test_unit.py").unlink()
    nothing = pytester.runpytest_inprocess()
    assert nothing.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    nothing.stdout.fnmatch_lines(["vqamt: the ini file names a model, but no relation runs: give an option *"])
    missing = pytester.runpytest_inprocess("--vqamt-baseline=absent.gz")
    assert missing.ret == pytest.ExitCode.USAGE_ERROR


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
    assert "metavqa.reversion[object] on fault:ignores-negation: pass rate 0 % is below 90 % (" in shown
    assert "consistency.py" not in shown, "no traceback"
    told = report_in(pytester.path / "out")["relations"]
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


def test_a_model_that_cannot_be_loaded_is_told_with_its_traceback(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nvqamt_model = python:broken:load\n")
    pytester.makepyfile(
        broken="def load(): raise ValueError('no weights')", test_own="def test_models(vqamt_models): pass"
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["E   ValueError: no weights", "E   in the factory of model='python:broken:load'"])
    assert "plugin.py" not in result.stdout.str()


def test_pytest_counts_our_items_as_its_own(run: Run) -> None:
    result = run(THREE, "--collect-only")
    result.stdout.fnmatch_lines(["collected 3 items"])
    assert "3 tests collected" in result.stdout.str()
