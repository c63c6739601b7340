"""The relations ``serving.*`` over HTTP: each catches the bugs it is made for; a correct server violates none."""

from __future__ import annotations

from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.results import Report
from tools.faulty_server import FaultyServer, write_scenes

pytest.importorskip("httpx2")

CASES = 6

MADE_FOR = {
    "text-keyed-prefix-cache": "serving.another_picture",
    "first-image-sticks": "serving.another_picture",
    "image-dropped-above-a-size": "serving.size[enlarged]",
    "resize-mismatch": "serving.size[padded-wide]",
    "context-cut": "serving.long_text[1500-words]",
    "left-padded-batch": "serving.long_text[300-words]",
    "colour-channels-swapped": "serving.colours",
    "non-determinism": "control.repeat",
}
"""As the table of docs/how-to/probe.md has it."""


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cards")
    write_scenes(folder, 30)
    return folder


def run(server: FaultyServer, scenes: Path, relation: str, cases: int) -> Report:
    server.in_flight.seconds = 0.3  # one batch has requests that are sent one after the other, on a busy machine, too
    return vqamt.run(
        model=f"openai:cards@{server.url}",
        data=f"photos:{scenes}",
        relations=relation,
        max_cases=cases,
        sampler="random",
        shrink=0,
    )


@pytest.mark.parametrize(("bug", "relation"), MADE_FOR.items(), ids=MADE_FOR)
def test_a_bug_is_caught_by_the_relation_made_for_it(bug: str, relation: str, scenes: Path) -> None:
    with FaultyServer(bug) as server:
        (found,) = run(server, scenes, relation, CASES).relations

    assert found.tally.cases == CASES
    assert found.tally.errors == 0
    assert found.tally.violated + found.tally.unparsed >= 1


def test_a_correct_server_violates_none(scenes: Path) -> None:
    with FaultyServer(None) as server:
        report = run(server, scenes, "serving.*", 2)

    assert {each.item: (each.tally.holds, each.tally.vacuous) for each in report.relations} == {
        each.item: (2, 0) for each in report.relations
    }
    assert len(report.relations) == 13
