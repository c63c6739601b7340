"""Each worker has a device of its own; too many workers are told of before any of them starts."""

from __future__ import annotations

import pytest

from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

# As if there were two devices, in a process of its own and in each of its workers.
_TWO = """
    import torch

    torch.cuda.is_available = lambda: True
    torch.cuda.device_count = lambda: 2
"""

_TELLS = """
    import os
    import time
    from pytest_vqamt.models.transformers.runtime import device_of
    from pathlib import Path

    def load(argument, options):
        device = device_of(options)

        def answer(image, text):
            if os.environ.get("PYTEST_XDIST_WORKER") == os.environ.get("DIES", "none"):
                os._exit(1)
            with Path("devices.txt").open("a") as log:
                log.write(f"{os.environ.get('PYTEST_XDIST_WORKER', 'alone')} {device}\\n")
            if "DIES" in os.environ:  # until the one that replaces it has been asked, too
                ends = time.monotonic() + 60
                while len(set(Path("devices.txt").read_text().splitlines())) < 2 and time.monotonic() < ends:
                    time.sleep(0.01)
            return "yes"

        return answer
"""


@pytest.fixture
def tells(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kind of model of an installed package that writes down which device it was given."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test's own worker
    pytester.makeconftest(_TWO)
    pytester.makepyfile(tells=_TELLS)
    metadata = pytester.mkdir("tells-1.0.dist-info")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tells\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[pytest_vqamt.models]\ntells = tells:load\n")
    return "tells"


RELATIONS = "--vqamt-relations=metavqa.partition*,metavqa.re*"


def run(pytester: pytest.Pytester, *arguments: str, model: str = "oracle") -> pytest.RunResult:
    few = ("--vqamt-data=pictures:20", "--vqamt-max-cases=2", "--vqamt-sampler=random", "--vqamt-shrink=0")
    return pytester.runpytest_subprocess(f"--vqamt-model={model}", *few, *arguments)


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("-n2",), {"gw0 cuda:0", "gw1 cuda:1"}),
        (("-n3", "--vqamt-device=cuda"), {"gw0 cuda:0", "gw1 cuda:1", "gw2 cuda:0"}),
        (("-n2", "--vqamt-device=cuda:1"), {"gw0 cuda:1", "gw1 cuda:1"}),
        ((), {"alone cuda:0"}),
    ],
)
def test_each_worker_has_its_device(
    pytester: pytest.Pytester, tells: str, arguments: tuple[str, ...], wanted: set[str]
) -> None:
    run(pytester, RELATIONS, *arguments, "--vqamt-no-cache", model=tells)
    assert set((pytester.path / "devices.txt").read_text().splitlines()) == wanted


@pytest.mark.full
def test_a_worker_that_replaces_another_takes_its_device(
    pytester: pytest.Pytester, tells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name, gw2 of 2 would take that of gw0, which lives."""
    monkeypatch.setenv("DIES", "gw1")
    run(pytester, RELATIONS, "-n2", "--vqamt-no-cache", model=tells)
    written = set((pytester.path / "devices.txt").read_text().splitlines())
    assert written == {"gw0 cuda:0", "gw2 cuda:1"}


def test_too_many_workers_are_told_before_any_starts(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(_TWO)
    result = run(pytester, "-n3", RELATIONS, model="hf:org/name")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Expected at most 2 workers for 2 CUDA devices" in result.stderr.str()
    assert "workers [" not in result.stdout.str()


def test_too_few_devices_for_models_on_several_are_told_before_any_starts(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(_TWO)
    result = run(pytester, "-n2", RELATIONS, "--vqamt-device=cuda:0+cuda:1", model="hf:org/name")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Expected 2 CUDA devices for each of 2 workers, 4 in all, but there are 2: give no -n" in result.stderr.str()
    assert "workers [" not in result.stdout.str()


def test_the_small_model_that_comes_along_needs_no_device(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(_TWO.replace("2", "1"))
    result = run(pytester, "-n2", "--vqamt-relations=control.repeat", "--vqamt-report=out", model="tiny")
    result.assert_outcomes(passed=1)
    assert report_in(pytester.path / "out")["complete"]


def test_a_device_that_cannot_be_is_refused(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--vqamt-device=gpu0")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "Expected auto, cpu, cuda, cuda:N, cuda:N+cuda:M or mps, but got --vqamt-device='gpu0'" in result.stderr.str()
    )
