"""A process that is killed while it writes a report leaves whole files of one run, and the next run writes its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_vqamt.core.case_store import FILE_NAMES
from tests.reporting import killing
from tests.reporting.killing import NEW, OLD

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be forked and killed")

States = dict[str, list[set[str]]]

DATA = {"cases.jsonl", "report.json"}
ALL = {*DATA, "report.html", "summary.md", "badge.json"}


usually = pytest.mark.parametrize("cases", ["cases.jsonl"], indirect=True)
"""What has nothing to do with how the cases are written."""


@pytest.fixture(scope="module", params=["cases.jsonl", pytest.param("cases.jsonl.gz", marks=pytest.mark.full)])
def cases(request: pytest.FixtureRequest) -> str:
    """What the new run calls its cases; the old one has them uncompressed."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory, cases: str) -> States:
    """In which state a folder was left, by what was killed there; that files are whole was looked at on the way."""
    ended = subprocess.run(
        [sys.executable, "-m", killing.__name__, str(tmp_path_factory.mktemp("killed")), cases],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout.splitlines()[-1])
    return {name: [set(state) for state in found] for name, found in told.items()}


def test_what_is_left_is_of_one_run_and_no_page_is_left_alone(states: States) -> None:
    for what, found in states.items():
        for state in found:
            assert not {OLD, NEW} <= state, what
            assert len(state & set(FILE_NAMES)) <= 1, what
            assert not state & {"report.html", "summary.md"} or ("report.json" in state and state & set(FILE_NAMES)), (
                what
            )


def test_a_report_passes_from_the_old_one_to_the_new_one(states: States, cases: str) -> None:
    ways = states["report"]
    assert ways[0] == {*ALL, OLD}
    assert ways[-1] == {cases, "report.json", "summary.md", "badge.json", "report.html", NEW}
    # It was killed in each state on the way: what takes long, the pictures, is drawn when counts and cases are there.
    new = [{cases}, {cases, "report.json", NEW}, {cases, "report.json", "summary.md", NEW}]
    assert [state for state in new if state in ways] == new
    assert max(place for place, state in enumerate(ways) if OLD in state) < min(
        place for place, state in enumerate(ways) if NEW in state
    )


@usually
def test_pages_are_written_anew_without_a_moment_without_them(states: States) -> None:
    assert len(states["pages"]) > 4
    assert all(state == {*ALL, OLD} for state in states["pages"])


@usually
def test_a_report_is_removed_pages_first(states: States) -> None:
    assert states["removal"][-1] == set()
    assert {*DATA, OLD} in states["removal"]


def test_it_was_killed_at_different_times(states: States) -> None:
    assert len({frozenset(state) for state in states["any time"]}) > 1
