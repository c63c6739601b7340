"""A whole session of pytest with a model that costs nothing. Aim: 3,000 cases a second, on one core."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tools.benchmarks.measuring import Cost, cheapest, child, show

_CASES = 10_000
_RUNS = 3

_MODEL = """
class Free:
    def answer(self, batch):
        return ["2"] * len(batch)
"""
_PARAMETRIZED = f"""
import pytest

@pytest.mark.parametrize("i", range({_CASES}))
def test_it(i):
    assert i + i == 2 * i
"""
_GIVEN = f"""
from hypothesis import given, settings, strategies as st

@settings(max_examples={_CASES}, database=None, deadline=None)
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_it(a, b):
    assert a + b == b + a
"""


def main() -> None:
    with TemporaryDirectory() as folder:
        _compare(Path(folder))


def _compare(folder: Path) -> None:
    for name, text in (("free.py", _MODEL), ("test_parametrized.py", _PARAMETRIZED), ("test_given.py", _GIVEN)):
        (folder / name).write_text(text, encoding="utf-8")
    ours = cheapest(_RUNS, lambda: _vqamt(folder, _CASES))
    reported = cheapest(_RUNS, lambda: _vqamt(folder, _CASES, f"--vqamt-report={folder / 'out'}"))
    parametrized = cheapest(_RUNS, lambda: _pytest(folder, "test_parametrized.py"))
    given = cheapest(_RUNS, lambda: _pytest(folder, "test_given.py"))
    show(
        f"{_CASES:,} cases of metavqa.partition[object] end to end, --vqamt-sampler=random",
        ("", "wall s", "processor s", "cases/s of processor time", "ratio"),
        [
            _row("vqamt", ours, _CASES, ours),
            _row("vqamt with --vqamt-report", reported, _CASES, ours),
            _row("as many of pytest.mark.parametrize", parametrized, _CASES, ours),
            _row("as many of Hypothesis's @given", given, _CASES, ours),
        ],
    )
    many = "--vqamt-data=pictures:2000"  # of fewer scenes a long run draws the same cases again, which costs draws
    start = cheapest(_RUNS, lambda: _vqamt(folder, 1, many))
    first = cheapest(_RUNS, lambda: _vqamt(folder, _CASES, many))
    rows = []
    for cases in (_CASES, 4 * _CASES, 10 * _CASES):
        cost = first if cases == _CASES else _vqamt(folder, cases, many)
        work = (cost.cpu_s - start.cpu_s) / (first.cpu_s - start.cpu_s)
        times = f"{cost.cpu_s / first.cpu_s:.1f}"
        rows.append((f"{cases:,}", f"{cost.cpu_s:.2f}", times, f"{work:.1f}", f"{cost.peak_mb:.0f}"))
    show(
        f"More cases, of 2,000 scenes; a session of one case takes {start.cpu_s:.2f} s and {start.peak_mb:.0f} MB",
        ("cases", "processor s", "times that of 10,000", "beyond the start", "peak MB"),
        rows,
    )


def _row(name: str, cost: Cost, cases: int, ours: Cost) -> tuple[str, ...]:
    rate = f"{cases / cost.cpu_s:,.0f}"
    return name, f"{cost.wall_s:.2f}", f"{cost.cpu_s:.2f}", rate, f"{cost.cpu_s / ours.cpu_s:.2f}"


def _vqamt(folder: Path, cases: int, *more: str) -> Cost:
    options = ("--vqamt-relations=metavqa.partition[object]", "--vqamt-sampler=random", f"--vqamt-max-cases={cases}")
    return _pytest(folder, "--vqamt-model=python:free:Free", *options, *more, "empty")


def _pytest(folder: Path, *arguments: str) -> Cost:
    (folder / "empty").mkdir(exist_ok=True)
    return child("-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}", *arguments, cwd=folder)
