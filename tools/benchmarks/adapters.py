"""What an adapter answers a second inside a pytest run, against a bare loop on the same inputs. Aim: within 10 %.

The bare loop is a fresh copy of the adapter that is asked the very batches of the run one after the other, with every
picture drawn before: no scenes, no plan, no drawing, no cache, no judging, no report. On a GPU the checkpoints have the
published sizes and bfloat16. On the CPU they are small, so that the ratio is the worst there is: what the plugin adds
to each query is set against a model that costs next to nothing. ``--full`` takes the published sizes there too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch

import pytest_vqamt as vqamt
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.protocol import ModelOptions
from tools.benchmarks.checkpoints import Adapter, full, small
from tools.benchmarks.measuring import Took, show
from tools.benchmarks.recorded import Recorded, hand_over

_RELATIONS = "metavqa.partition*,metavqa.reorder*,metavqa.reversion*,carets.rephrase,carets.negation"
_DATA = "pictures:100"
_RUNS = 3


@dataclass(slots=True)
class _Calls:
    """How long the items of a session ran; models are loaded before them."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    outcomes: list[str] = field(default_factory=list)

    def pytest_runtest_logstart(self) -> None:
        self.cpu_s -= time.process_time()

    def pytest_runtest_logfinish(self) -> None:
        self.cpu_s += time.process_time()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.wall_s += report.duration
        self.outcomes.append(report.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rates:
    queries: int
    inside_s: float
    bare_s: float

    @property
    def ratio(self) -> float:
        """The throughput inside the run over that of the bare loop."""
        return self.bare_s / self.inside_s


def main() -> None:
    """Measures each adapter and prints a table."""
    on_gpu = torch.cuda.is_available()
    whole = on_gpu or "--full" in sys.argv
    adapters = full(_DATA) if whole else small(_DATA)
    cases = 400 if on_gpu else 6 if whole else 100
    options = {"device": "auto", "dtype": "bfloat16" if on_gpu else "float32"}
    # What a process does once, such as opening WordNet, is no part of what an adapter costs.
    vqamt.run(model="oracle", data=_DATA, relations=_RELATIONS, max_cases=2)
    rows = []
    for adapter in adapters:
        with TemporaryDirectory() as folder:
            torch.manual_seed(0)
            settings = adapter.write(Path(folder))
            rates = _measured(adapter, Path(folder), settings, options, cases)
        rows.append(
            (
                adapter.kind,
                f"{rates.queries}",
                f"{rates.queries / rates.inside_s:.1f}",
                f"{rates.queries / rates.bare_s:.1f}",
                f"{rates.ratio:.2f}",
                f"{1000 * (rates.inside_s - rates.bare_s) / rates.queries:.2f}",
            )
        )
    where = torch.cuda.get_device_name() if on_gpu else "the CPU"
    show(
        f"{'published sizes' if whole else 'small checkpoints'}, {options['dtype']}, on {where}",
        ("", "distinct queries", "a second in pytest", "a second bare", "ratio", "ms added to a query"),
        rows,
    )


def _measured(
    adapter: Adapter, folder: Path, settings: Mapping[str, str], options: Mapping[str, str], cases: int
) -> _Rates:
    """The least disturbed of several runs of each; of one, where it takes minutes."""
    spec = f"{adapter.kind}:{folder}"
    made = ModelOptions(device=options["device"], dtype=options["dtype"], settings=settings)
    inside, bare, queries = [], [], 0
    for _ in range(_RUNS if cases > 50 else 1):
        recorded = Recorded(spec, made)
        inside.append(took_inside(recorded, folder, cases, data=_DATA, relations=_RELATIONS).wall_s)
        queries = sum(len(batch) for _, batch in recorded.batches)
        bare.append(_again(recorded, Recorded(spec, made)))
    return _Rates(queries=queries, inside_s=min(inside), bare_s=min(bare))


def took_inside(model: Recorded, folder: Path, cases: int, *, data: str, relations: str) -> Took:
    """What the items of a session take that asks ``model``; the report is in the folder ``out``.

    Raises:
        RuntimeError: an item did not pass.
    """
    hand_over(model)
    calls = _Calls()
    told = StringIO()
    with redirect_stdout(told):
        status = pytest.main(
            [
                "-p", "no:cacheprovider", "-q", f"--rootdir={folder}", str(folder),
                "--vqamt-model=python:tools.benchmarks.recorded:load", f"--vqamt-data={data}",
                f"--vqamt-relations={relations}", f"--vqamt-max-cases={cases}", "--vqamt-sampler=random",
                "--vqamt-shrink=0", "--vqamt-no-cache", f"--vqamt-report={folder / 'out'}",
            ],
            plugins=[calls],
        )  # fmt: skip
    if status != pytest.ExitCode.OK or set(calls.outcomes) != {"passed"}:
        raise RuntimeError(f"Expected every item to pass, but:\n{told.getvalue()}")
    return Took(wall_s=calls.wall_s, cpu_s=calls.cpu_s)


def _again(recorded: Recorded, fresh: Recorded) -> float:
    """Seconds in which a fresh copy answers the same batches, with every picture drawn before."""
    batches = recorded.drawn(load(_DATA))
    _settle()
    start = time.perf_counter()
    for task, batch in batches:
        fresh.model.ask(task, batch)
    _settle()
    return time.perf_counter() - start


def _settle() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
