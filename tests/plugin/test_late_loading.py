"""A model is loaded at its first item, never for a listing, and let go after its last: two need not fit at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import WORKERS, Run

# Writes down when it is made, what else there is then, and when it goes.
MODELS = """
    import weakref
    from pathlib import Path

    alive = weakref.WeakSet()

    def log(what):
        with Path("log.txt").open("a") as file:
            file.write(f"{what}\\n")

    class First:
        fingerprint = "first"

        def __init__(self):
            alive.add(self)
            log(f"{type(self).__name__} of {len(alive)}")

        def answer(self, batch):
            return ["yes" for _ in batch]

    class Second(First):
        fingerprint = "second"

    def told() -> Second:
        return Second()

    def untold():
        return Second()

    class Broken(First):
        def __init__(self):
            raise ValueError("no weights")

    class Changes(First):
        def __init__(self):
            self.caption = self.answer
"""
TWO = ("--vqamt-relations=metavqa.reversion", "--vqamt-model=python:own:Second")


@pytest.fixture(autouse=True)
def models(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own=MODELS)


def logged() -> list[str]:
    return Path("log.txt").read_text().splitlines() if Path("log.txt").exists() else []


@pytest.mark.parametrize("ours", ["", "def test_it(vqamt_consistency): vqamt_consistency.check()"])
def test_a_plan_of_set_ups_loads_nothing(run: Run, pytester: pytest.Pytester, ours: str) -> None:
    pytester.makepyfile(test_ours=ours)
    plugins = ("-p", "_pytest.setuponly", "-p", "_pytest.setupplan")
    result = run(*plugins, *TWO, "--setup-plan", model="python:own:First")
    assert result.ret == pytest.ExitCode.OK
    assert logged() == []


@pytest.mark.parametrize("model", ["python:own:First", "python:own:told"])
def test_a_listing_loads_nothing(run: Run, model: str) -> None:
    result = run(*TWO, "--collect-only", "-q", model=model)
    assert sum("metavqa.reversion" in line for line in result.outlines) == 4
    assert logged() == []


def test_what_only_a_loaded_model_tells_is_loaded_for_it(run: Run) -> None:
    run("--vqamt-relations=metavqa.reversion", "--collect-only", model="python:own:untold")
    assert logged() == ["Second of 1"]


@pytest.mark.parametrize("workers", WORKERS)
def test_the_second_is_loaded_when_the_first_is_gone(run: Run, workers: tuple[str, ...]) -> None:
    run(*TWO, *workers, model="python:own:First").assert_outcomes(passed=4)
    found = logged()
    assert set(found) == {"First of 1", "Second of 1"}
    assert len(found) == 2 or workers == ("-n", "2")


def test_tests_of_the_users_that_take_models_in_turn_keep_both(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_ours="""
        def test_one(vqamt_consistency): vqamt_consistency.check()
        def test_other(vqamt_consistency): vqamt_consistency.check()
        """
    )
    run(*TWO, model="python:own:First").assert_outcomes(passed=8)
    assert logged() == ["First of 1", "Second of 2"]


def test_a_model_that_a_fixture_has_handed_out_stays(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_ours="""
        def test_all(vqamt_models): assert len(vqamt_models) == 2
        def test_it(vqamt_consistency): vqamt_consistency.check()
        """
    )
    run(*TWO, model="python:own:First").assert_outcomes(passed=5)
    assert logged() == ["First of 1", "Second of 2"]


def test_one_that_cannot_be_loaded_ends_the_session_before_any_test(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_unit="def test_unit(): raise AssertionError('was run')\n")
    result = run("--vqamt-relations=metavqa.reversion", model="python:own:Broken")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().startswith(
        "ERROR: The factory of model='python:own:Broken' raised ValueError: no weights"
    )
    assert "was run" not in result.stdout.str()


def test_a_second_that_cannot_be_loaded_is_an_error_of_its_tests(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion", "--vqamt-model=python:own:Broken", model="python:own:First")
    result.assert_outcomes(passed=2, errors=2)


def test_a_model_that_is_another_than_its_class_says_is_refused(run: Run) -> None:
    result = run("--vqamt-relations=metavqa.reversion", model="python:own:Changes")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "says (vqa), but once loaded it does vqa, captioning" in result.stderr.str()


def test_what_a_loader_prints_is_captured_as_in_a_set_up(run: Run, pytester: pytest.Pytester) -> None:
    """As the progress of transformers, which would stand between the lines of pytest."""
    pytester.makepyfile(
        prints="""
        import sys

        class Model:
            fingerprint = "prints"

            def __init__(self):
                print("Loading weights: 100%")
                print("Loading weights: 50%", file=sys.stderr)

            def answer(self, batch):
                return ["yes" for _ in batch]
        """
    )
    result = run("--vqamt-relations=metavqa.reversion", model="python:prints:Model")
    assert result.ret == pytest.ExitCode.OK
    assert "Loading" not in result.stdout.str() + result.stderr.str()
    shown = run("--vqamt-relations=metavqa.reversion", "-s", model="python:prints:Model")
    assert "Loading weights: 100%" in shown.stdout.str(), "with -s nothing is captured"
