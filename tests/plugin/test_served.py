"""A run against ``served:URL`` is the run of the model in process, however many workers share it."""

from __future__ import annotations

import json
import shlex
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.data import catalogue
from pytest_vqamt.models.http import retry
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference import oracle
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.transformers import tiny
from tests.costs import without_costs
from tests.models.openai.stub import Script, Stub
from tests.models.served.desk import Desk
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

MODEL = """
    from zlib import crc32

    class Model:
        fingerprint = "answers by the pixels and the question"
        batch_size = 8

        def __init__(self):
            self.asked = []

        def answer(self, batch):
            self.asked += [each.query.id for each in batch]
            return [("yes", "no", "2", "1")[crc32(each.image.tobytes() + each.text.encode()) % 4] for each in batch]

    class Undeclared(Model):
        fingerprint = None
"""
NAME = "python:kept:Model"
RELATIONS = "--vqamt-relations=metavqa.insertion[count],metavqa.reorder[object],control.repeat,control.reencode[spaces]"
"""Of the tasks of the model these are four items; two of them ask the same source questions."""
FOUR = [
    f"vqamt::{item}-{NAME}-pictures:20"
    for item in ("metavqa.reorder[object]", "metavqa.insertion[count]", "control.repeat", "control.reencode[spaces]")
]

Serve = Callable[[Script], Stub]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.setattr(retry, "_FIRST_ANSWER_BUDGET_S", 0.2)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(Stub(script))


@pytest.fixture
def model(pytester: pytest.Pytester) -> Any:
    """The model; sessions in process find it as ``python:kept:Model``."""
    pytester.makepyfile(kept=MODEL)
    pytester.syspathinsert()
    return import_module("kept").Model()


@pytest.fixture
def desk(model: Any) -> Desk:
    """A server of the model, with the data of these sessions."""
    return Desk(model, catalogue.load("pictures:20"), spec=NAME)


def assert_same(folder: Path, expected: Path) -> None:
    """Both hold the same report, but for times and counts of queries, and the same cases."""
    assert told(folder) == told(expected)
    assert (folder / "cases.jsonl").read_bytes() == (expected / "cases.jsonl").read_bytes()


def told(folder: Path) -> dict[str, Any]:
    return without_costs(report_in(folder))


@pytest.mark.full
def test_the_report_is_that_of_the_model_in_process_and_each_query_is_asked_once(
    pytester: pytest.Pytester, run: Run, serve: Serve, desk: Desk, model: Any
) -> None:
    demands = (RELATIONS, "--vqamt-fail-under=0.9", "--vqamt-fail-under=metavqa.*=0.99")
    run(*demands, "--vqamt-report=here", model=NAME, max_cases=12)
    url = serve(desk).url
    run(*demands, "--vqamt-report=served", "-n", "2", "--vqamt-no-cache", model=f"served:{url}", max_cases=12)
    run(*demands, "--vqamt-report=alone", "--vqamt-cache=other", model=f"served:{url}", max_cases=12)
    here = pytester.path / "here"
    assert_same(pytester.path / "served", here)
    assert_same(pytester.path / "alone", here)
    distinct = report_in(here)["models"][0]["queries_asked"]
    asked = Counter(model.asked)
    assert len(asked) == distinct > 40
    assert set(asked.values()) == {2}, "once by each of the two runs, that of two workers among them"


def test_answers_of_the_model_in_process_and_served_are_the_same_in_the_cache(
    run: Run, serve: Serve, desk: Desk, model: Any
) -> None:
    run(RELATIONS, model=NAME).assert_outcomes(passed=4)
    run(RELATIONS, model=f"served:{serve(desk).url}").assert_outcomes(passed=4)
    assert model.asked == []


def test_items_bear_the_name_of_the_model(run: Run, serve: Serve, desk: Desk) -> None:
    url = serve(desk).url
    result = run(RELATIONS, "--collect-only", "-q", model=f"served:{url}")
    assert [line for line in result.outlines if line.startswith("vqamt::")] == FOUR
    run(FOUR[0], model=f"served:{url}").assert_outcomes(passed=1)
    result = run(RELATIONS, "-v", "--vqamt-fail-under=1", model=f"served:{url}")
    assert f"vqamt: served:{url} on pictures:20" in result.stdout.str()


def test_the_replay_command_names_the_server(
    pytester: pytest.Pytester, run: Run, serve: Serve, desk: Desk, model: Any
) -> None:
    spec = f"served:{serve(desk).url}"
    result = run("--vqamt-relations=metavqa.reorder[object]", "--vqamt-fail-under=1", model=spec, max_cases=20)
    result.assert_outcomes(failed=1)
    command = next(line.partition("replay:")[2].strip() for line in result.outlines if "replay:" in line)
    assert command.count("--vqamt-model=") == 1
    assert f"--vqamt-model={spec} " in command
    before = len(model.asked)
    replayed = pytester.runpytest_inprocess(*shlex.split(command)[1:])
    replayed.assert_outcomes(passed=1)
    assert f"{NAME}" in replayed.stdout.str()
    assert len(model.asked) > before


def test_a_plan_asks_the_server_for_no_answers(run: Run, serve: Serve, desk: Desk) -> None:
    server = serve(desk)
    result = run(RELATIONS, "--vqamt-plan", model=f"served:{server.url}")
    assert result.ret == 0
    assert f"metavqa.reorder[object]-{NAME}-pictures:20" in result.stdout.str()
    assert [request.path for request in server.requests] == ["/v1/model"]


def test_it_is_held_against_what_was_blessed_of_the_model_in_process(
    pytester: pytest.Pytester, run: Run, serve: Serve, desk: Desk
) -> None:
    run(RELATIONS, "--vqamt-report=here", model=NAME)
    assert main(["bless", str(pytester.path / "here"), "-o", str(pytester.path / "base.gz")]) == 0
    held = (RELATIONS, "--vqamt-baseline=base.gz", "--vqamt-max-drop=0", "--vqamt-max-unread=1", "--vqamt-report=out")
    result = run(*held, model=f"served:{serve(desk).url}")
    assert result.ret == 0, result.stdout.str()
    changes = [each["change"] for each in told(pytester.path / "out")["relations"]]
    assert [(each["shared"], each["lost"], each["won"]) for each in changes] == [(4, 0, 0)] * 4


@pytest.mark.parametrize("more", [(), ("-n", "2"), ("--collect-only",), ("--vqamt-plan",)])
def test_a_server_that_is_away_is_told_in_one_line_before_anything_runs(run: Run, more: tuple[str, ...]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = run(RELATIONS, *more, model=f"served:{url}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.strip()]
    assert line.startswith(f"ERROR: Expected an answer from {url}, but got no connection")
    assert line.endswith("check the URL, and that the server is running and can be reached from here")
    assert "passed" not in result.stdout.str()


def test_a_session_of_other_tests_asks_no_server(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nvqamt_model = served:http://127.0.0.1:9\n")
    pytester.makepyfile("def test_of_theirs(): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_two_models_of_one_name_are_refused(run: Run, serve: Serve, desk: Desk) -> None:
    url = serve(desk).url
    result = run(RELATIONS, f"--vqamt-model=served:{url}", model=NAME)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == (
        f"ERROR: Expected models of different names, but got --vqamt-model={NAME} and --vqamt-model=served:{url}, "
        f"which are both {NAME!r}: leave one of them off"
    )


def test_it_runs_beside_a_model_in_process(pytester: pytest.Pytester, run: Run, serve: Serve, desk: Desk) -> None:
    result = run(RELATIONS, f"--vqamt-model=served:{serve(desk).url}", "--vqamt-report=out", model="oracle")
    assert result.ret == 0
    assert [each["name"] for each in told(pytester.path / "out")["models"]] == ["oracle", NAME]


def test_a_model_that_looks_at_scenes_sees_those_of_the_server(
    pytester: pytest.Pytester, run: Run, serve: Serve
) -> None:
    source = catalogue.load("pictures:20")
    served = Desk(oracle.load("", ModelOptions()), source, spec="oracle", reads_meaning=True, needs_scenes=True)
    run(RELATIONS, "--vqamt-report=here", model="oracle")
    run(RELATIONS, "--vqamt-report=served", model=f"served:{serve(served).url}").assert_outcomes(passed=4)
    assert_same(pytester.path / "served", pytester.path / "here")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "send"), [("oracle", "recipe"), ("tiny", "recipe"), ("tiny", "png")])
def test_every_relation_of_the_catalogue_has_the_same_cases_served(
    pytester: pytest.Pytester, run: Run, serve: Serve, name: str, send: str
) -> None:
    looks = name == "oracle"
    model = (oracle if looks else tiny).load("", ModelOptions())
    served = Desk(model, catalogue.load("pictures:20"), spec=name, reads_meaning=looks, needs_scenes=looks)
    every = ("--vqamt-relations=all", "--vqamt-no-cache")
    here = run(*every, "--vqamt-report=here", model=name, max_cases=4)
    away = run(
        *every, f"--vqamt-option=send={send}", "--vqamt-report=served", model=f"served:{serve(served).url}", max_cases=4
    )
    assert here.parseoutcomes() == away.parseoutcomes()
    cases = (pytester.path / "here" / "cases.jsonl").read_bytes().splitlines()
    assert len({json.loads(each)["relation"] for each in cases}) > 60
    assert_same(pytester.path / "served", pytester.path / "here")


def test_a_server_that_changes_its_model_half_way_ends_the_run(
    pytester: pytest.Pytester, run: Run, serve: Serve, model: Any
) -> None:
    source = catalogue.load("pictures:20")
    first, second = (Desk(model, source, spec=NAME) for _ in range(2))
    undeclared = import_module("kept").Undeclared()
    second = Desk(undeclared, source, spec=NAME)
    server = serve(lambda request: (first if request.number < 3 else second)(request))
    result = run(RELATIONS, "--vqamt-report=out", model=f"served:{server.url}", max_cases=20)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "but it serves another one now" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    assert undeclared.asked == []
    assert not told(pytester.path / "out")["complete"]


def test_what_describes_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "served"]) == 0
    assert "--vqamt-model=served:URL" in (told := capsys.readouterr().out)
    assert "send, timeout-s, retries-s" in told
    assert main(["list"]) == 0
    assert "served:URL" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "relations"),
    [
        ("python:our_models:Counting", "metavqa.*,control.*"),
        ("tiny", "metavqa.reorder,metavqa.insertion,control.*,metaic.*"),
    ],
)
def test_four_workers_and_one_server_give_the_report_of_one_process_with_the_model_in_it(
    pytester: pytest.Pytester, run: Run, name: str, relations: str
) -> None:
    pytest.importorskip("ray.serve")
    from tests.plugin import vqamt_servers as servers

    wanted = (f"--vqamt-relations={relations}", "--vqamt-no-cache")
    with servers.serving(pytester.path, [f"--vqamt-model={name}", "--vqamt-data=pictures:20"]) as server:
        spec = f"served:{server.url}"
        result = run(*wanted, "--vqamt-report=served", "-n", "4", model=spec, max_cases=10)
        assert result.ret == 0, result.stdout.str()
        status = servers.status(server.url)
    counted = pytester.path / "asked.txt"
    asked = Counter(counted.read_text().split()) if counted.exists() else Counter[str]()
    run(*wanted, "--vqamt-report=here", "-n", "0", model=name, max_cases=10)
    assert_same(pytester.path / "served", pytester.path / "here")
    (model,) = report_in(pytester.path / "here")["models"]
    distinct = model["queries_asked"]
    assert distinct > 100
    assert status.queries_asked == distinct
    if name != "tiny":
        assert (len(asked), set(asked.values())) == (distinct, {1}), "the model itself counts each query once"
