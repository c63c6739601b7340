"""A worker whose device is lost ends, and its items are judged by others; alone the session ends in one line."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.costs import without_costs
from tests.plugin.conftest import EIGHT, Run
from tests.reporting.reported import report_in

# Loses its device at the fourth batch in the processes that LOSES names, as torch's error says it.
MODEL = """
    import os
    from pathlib import Path

    class AcceleratorError(RuntimeError): ...

    class Model:
        fingerprint = "loses its device"
        batch_size = 4
        calls = 0

        def answer(self, batch):
            self.calls += 1
            who = os.environ.get("PYTEST_XDIST_WORKER", "alone")
            with Path("calls.txt").open("a") as log:
                log.write(f"{who}\\n")
            if who in os.environ.get("LOSES", "").split() and self.calls > int(os.environ.get("AFTER", 3)):
                raise AcceleratorError("CUDA error: device-side assert triggered\\nSearch for `cudaErrorAssert'")
            return ["yes" for _ in batch]
"""
LOST = "Model 'python:lost:Model' has lost its device: AcceleratorError: CUDA error: device-side assert triggered"
EVERY = " ".join(f"gw{number}" for number in range(50))


@pytest.fixture(autouse=True)
def model(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(lost=MODEL)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test's own worker


def session(run: Run, *arguments: str) -> pytest.RunResult:
    return run(EIGHT, "--vqamt-report=out", *arguments, model="python:lost:Model", max_cases=12)


def calls() -> Counter[str]:
    return Counter(Path("calls.txt").read_text().split())


def report() -> object:
    return without_costs(report_in(Path("out")))


def test_the_items_of_a_worker_without_a_device_are_judged_by_another(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(run, "--vqamt-no-cache")
    healthy = report()
    monkeypatch.setenv("LOSES", "gw0")
    result = session(run, "-n2", "--vqamt-no-cache", "--junitxml=junit.xml")
    result.assert_outcomes(passed=8)
    assert result.ret == pytest.ExitCode.OK
    told = [line for line in result.outlines if "has lost its device" in line]
    assert told == [f"vqamt: {LOST}; worker gw0 ends, and its tests go to other workers"]
    assert calls()["gw0"] == 4, "the batch is not tried in halves"
    assert report() == healthy
    named = re.findall(r"<testcase [^>]*? name=\"(.*?)\"", Path("junit.xml").read_text())
    assert len(named) == len(set(named)) == Path("junit.xml").read_text().count("<testcase ") == 8


@pytest.mark.full
@pytest.mark.parametrize("arguments", [("-n2", "--dist=worksteal"), ("-n2", "--dist=loadscope"), ("-n1",)])
def test_however_items_are_divided(run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.setenv("LOSES", "gw0")
    session(run, *arguments).assert_outcomes(passed=8)


@pytest.mark.full
@pytest.mark.parametrize("after", ["10", "20", "30"])
def test_scopes_that_a_worker_has_finished_keep_no_other_waiting(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    """They are put back with the others, and a worker that is sent one asks for no more: the run would never end.

    Each item is a scope of its own.
    """
    pytester.makepyfile(lost=MODEL.replace("self.calls += 1", "self.calls += 1; __import__('time').sleep(0.03)"))
    monkeypatch.setenv("LOSES", "gw0")
    monkeypatch.setenv("AFTER", after)
    session(run, "-n2", "--dist=loadgroup").assert_outcomes(passed=8)


PARTS = {
    "its fingerprint": """
            @property
            def fingerprint(self):
                lose()
                return "loses its device"
    """,
    "meeting the data": """
            def meet(self, sources):
                lose()
    """,
    "its usage": """
            @property
            def usage(self):
                lose()
                return {"memory": 1.0}
    """,
}


@pytest.mark.full
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_whatever_of_a_model_finds_the_device_lost(run: Run, pytester: pytest.Pytester, part: str) -> None:
    """As an error of the model alone it would be that of nearly all items: the broken worker fails fastest."""
    pytester.makepyfile(
        lost=f"""
        import os

        class AcceleratorError(RuntimeError): ...

        def lose():
            if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
                raise AcceleratorError("CUDA error: device-side assert triggered")

        class Model:
            def answer(self, batch):
                return ["yes" for _ in batch]
        {part}
        """
    )
    result = session(run, "-n2")
    result.assert_outcomes(passed=8)
    assert f"vqamt: {LOST}; worker gw0 ends, and its tests go to other workers" in result.outlines


@pytest.mark.full
def test_a_test_of_the_users_is_run_again_as_well(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its setup has been reported already."""
    pytester.makepyfile(test_ours="def test_it(vqamt_consistency): vqamt_consistency.check()")
    monkeypatch.setenv("LOSES", "gw0")
    session(run, "-n2", "--junitxml=junit.xml").assert_outcomes(passed=8)
    assert Path("junit.xml").read_text().count("<testcase ") == 8


@pytest.mark.full
def test_a_device_that_fails_from_the_start_is_given_up_and_the_run_goes_on(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers are tried on the first place; gw1 judges all, and if it is done, one more on its place."""
    monkeypatch.setenv("LOSES", "gw0 gw2")
    monkeypatch.setenv("AFTER", "0")
    result = session(run, "-n2")
    result.assert_outcomes(passed=8)
    assert sum("its device is used no more" in line for line in result.outlines) <= 1


@pytest.mark.full
def test_where_all_lose_theirs_the_run_ends_in_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSES", EVERY)
    result = session(run, "-n2", "--vqamt-no-cache")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = result.stdout.str()
    assert re.search(
        rf"! \d+ tests? did not run, since [12] devices? (was|were) lost and no worker is left; .*{LOST}", told
    )
    assert "INTERNALERROR" not in told
    assert len(Path("calls.txt").read_text().split()) <= 4 * 8
    assert not report_in(Path("out"))["complete"] if Path("out/report.json").exists() else True


@pytest.mark.full
def test_a_test_under_which_two_devices_are_lost_is_at_fault(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(
        lost=MODEL.replace('who in os.environ.get("LOSES", "").split()', 'any("free of" in x.text for x in batch)')
    )
    monkeypatch.setenv("AFTER", "0")
    result = session(run, "-n2", "--max-worker-restart=20")
    told = result.stdout.str()
    assert "It was the second device that was lost while this test ran" in told
    assert result.parseoutcomes().get("passed", 0) >= 4


def test_alone_the_session_ends_in_one_line_and_goes_on_in_the_next(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSES", "alone")
    monkeypatch.setenv("AFTER", "5")
    result = session(run)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    told = [line for line in result.outlines if "has lost its device" in line]
    assert [line.partition(";")[0] for line in told] == [f"! LostDevice: {LOST}"]
    assert not {"failed", "errors"} & result.parseoutcomes().keys()
    before = calls()["alone"]
    assert before == 6
    monkeypatch.setenv("LOSES", "")
    session(run).assert_outcomes(passed=8)
    again = calls()["alone"] - before
    Path("calls.txt").unlink()
    session(run, "--vqamt-no-cache")
    assert again == calls()["alone"] - 5, "what was answered is not asked again"


@pytest.mark.full
def test_a_model_that_cannot_be_loaded_onto_its_device(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        lost="""
        import os

        class AcceleratorError(RuntimeError): ...

        class Model:
            def __init__(self):
                if os.environ.get("PYTEST_XDIST_WORKER") in ("gw0", "gw2"):
                    raise AcceleratorError("CUDA error: uncorrectable ECC error encountered")

            def answer(self, batch):
                return ["yes" for _ in batch]
        """
    )
    result = session(run, "-n2")
    result.assert_outcomes(passed=8)
    assert "uncorrectable ECC error encountered; worker gw0 ends" in result.stdout.str()
