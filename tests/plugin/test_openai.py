"""A model behind an HTTP endpoint, from the command line to the report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image

from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.presets import preset
from tests.models.openai.stub import Reply, Request, Script, Stub, always, failed, said
from tests.plugin.conftest import Run
from tests.reporting.reported import cases_in, report_in

pytestmark = pytest.mark.full

SIX = "--vqamt-relations=metavqa.partition,metavqa.reorder,metavqa.reversion"
"""Relations of six items. No two of their queries ask the same words of the same pixels."""

KEY = "sk-proj-0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"
REVERSION = "--vqamt-relations=metavqa.reversion"
USAGE = {"prompt_tokens": 50, "completion_tokens": 2, "cost": 0.5}

Serve = Callable[[Script], Stub]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VQAMT_OPENAI_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(Stub(script))


def spec(server: Stub) -> str:
    return f"openai:org/stub:1@{server.url}/v1"


def report(pytester: pytest.Pytester) -> dict[str, Any]:
    read: dict[str, Any] = report_in(pytester.path / "out")
    return read


def asked(server: Stub) -> Counter[tuple[str, str]]:
    """How often each question was asked of each picture."""
    return Counter((request.prompt, request.picture) for request in server.requests)


def check_cost(pytester: pytest.Pytester, server: Stub) -> None:
    (model,) = report(pytester)["models"]
    count = len(server.requests)
    assert count >= 30
    assert model["name"] == spec(server)
    assert model["queries_asked"] == count
    assert model["usage"] == {"requests": count, "tokens in": 50 * count, "tokens out": 2 * count, "cost": 0.5 * count}


def test_a_run_reports_what_it_cost(pytester: pytest.Pytester, run: Run, serve: Serve) -> None:
    server = serve(always(said("yes", usage=USAGE)))
    result = run(SIX, "--vqamt-report=out", model=spec(server))
    result.assert_outcomes(passed=6)
    check_cost(pytester, server)
    count = len(server.requests)
    assert f"usage: requests {count}, tokens in {50 * count:,}, tokens out" in result.stdout.str()
    server.requests.clear()
    run(SIX, "--vqamt-report=out", model=spec(server)).assert_outcomes(passed=6)
    assert server.requests == []


def test_the_preset_today_is_run_where_no_relations_are_named(run: Run, serve: Serve) -> None:
    model = spec(serve(always(said("yes"))))
    result = run("--collect-only", "-q", model=model, data=("pictures:20",))
    collected = [line for line in result.outlines if line.startswith("vqamt::")]
    chosen = catalogue.select(preset("today").relations)
    assert collected == [f"vqamt::{relation.info.item(variant)}-{model}-pictures:20" for relation, variant in chosen]
    result.stdout.fnmatch_lines(["vqamt: no relations are named, so these presets run (*: today)*"])
    for named in ("--vqamt-relations=*", f"vqamt::view.jpeg-{model}-pictures:20"):
        result = run("--collect-only", "-q", named, model=model, data=("pictures:20",))
        collected = [line for line in result.outlines if line.startswith("vqamt::")]
        assert (len(collected) > 50) == named.startswith("--") or collected == [named]
        assert "no relations are named" not in result.stdout.str()


def test_nothing_else_is_run_where_the_whole_preset_is_excluded(run: Run, serve: Serve) -> None:
    excluded = ",".join(preset("today").relations)
    result = run(f"--vqamt-exclude={excluded}", model=spec(serve(always(said("yes")))))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*Expected a relation of the preset today to be left, but --vqamt-exclude=* excludes*"]
    )


def test_all_tasks_are_asked(pytester: pytest.Pytester, run: Run, serve: Serve) -> None:
    server = serve(always(said("A dog.")))
    run("--vqamt-relations=control.repeat*", "--vqamt-report=out", model=spec(server))
    (model,) = report(pytester)["models"]
    assert model["tasks"] == ["vqa", "entailment", "captioning"]


def test_a_query_that_the_server_refuses_costs_only_itself(pytester: pytest.Pytester, run: Run, serve: Serve) -> None:
    # Of the questions that begin so, some are asked: see the assertion on their number.
    refused = "Is there"
    server = serve(lambda request: failed(400, "not this") if request.prompt.startswith(refused) else said("yes"))
    run(REVERSION, "--vqamt-report=out", "--vqamt-max-error-rate=1", model=spec(server), max_cases=10)
    prompts = Counter(request.prompt.startswith(refused) for request in server.requests)
    assert prompts[True] > 2
    assert prompts[False] > 2
    assert max(asked(server).values()) == 1
    rows = cases_in(pytester.path / "out")
    assert len(rows) == 20
    for row in rows:
        hit = any(query["text"].startswith(refused) for query in row["queries"])
        assert (row["verdict"] == "error") == hit
        assert not hit or "400 Bad Request (not this)" in row["reason"]


def test_a_model_that_is_not_there_is_told_in_a_line(run: Run, serve: Serve) -> None:
    server = serve(always(failed(404, "no model called org/stub:1")))
    result = run(REVERSION, model=spec(server))
    result.assert_outcomes(errors=2)
    assert len(server.requests) <= 32, "what was under way at once; the second item asks no more"
    text = result.stdout.str()
    assert "404 Not Found (no model called org/stub:1): check the name of the model" in text
    assert "Traceback" not in text


def test_a_model_that_answers_nothing_readable_is_soon_paid_for_no_more(
    pytester: pytest.Pytester, run: Run, serve: Serve
) -> None:
    # As models that think first do, with the few tokens of an answer.
    server = serve(always(said(None, usage=USAGE, reason="length")))
    result = run(SIX, "--vqamt-report=out", model=spec(server), max_cases=20)
    result.assert_outcomes(errors=6)
    count = len(server.requests)
    assert count < 64, "one batch where it might have answered, and what shows that it does not"
    (model,) = report(pytester)["models"]
    assert model["usage"] == {"requests": count, "tokens in": 50 * count, "tokens out": 2 * count, "cost": 0.5 * count}


@pytest.mark.parametrize(
    "url",
    ["https://me:PASSWORD@127.0.0.1:9/v1", "http://127.0.0.1:9/v1?key=PASSWORD", "http://127.0.0.1:9/v1#PASSWORD"],
)
def test_a_url_with_a_secret_is_refused_and_not_shown(run: Run, url: str) -> None:
    result = run(REVERSION, model=f"openai:stub@{url}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "VQAMT_OPENAI_KEY" in result.stderr.str()
    assert "PASSWORD" not in result.stdout.str() + result.stderr.str()


def echo(status: int) -> Script:
    """Says what it was sent, in the answer, the error and a header."""

    def script(request: Request) -> Reply:
        sent = request.headers["authorization"]
        reply = said(f"yes, {sent}", usage=USAGE) if status == 200 else failed(status, f"wrong: {sent}")
        return Reply(status=status, body=reply.body, headers={"X-You-Sent": sent})

    return script


@pytest.mark.parametrize(
    ("status", "shared"),
    [
        (200, ()),
        (401, ()),
        *(pytest.param(*each, marks=pytest.mark.full) for each in ((400, ()), (500, ()), (200, ("-n", "2")))),
    ],
    ids=["200", "401", "400", "500", "200, -n 2"],
)
def test_the_key_is_in_nothing_that_a_run_leaves(
    pytester: pytest.Pytester,
    run: Run,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    shared: tuple[str, ...],
) -> None:
    monkeypatch.setenv("VQAMT_OPENAI_KEY", KEY)
    server = serve(echo(status))
    logs = ("--log-level=DEBUG", "--log-file=log.txt", "--log-file-level=DEBUG", "--junitxml=junit.xml")
    settings = ("--vqamt-option=retries-s=0", "--vqamt-report=out", "--vqamt-cache=answers")
    result = run(SIX, "-vv", "-l", "--tb=long", "-rA", *logs, *settings, *shared, model=spec(server))
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    files = [file for file in pytester.path.rglob("*") if file.is_file()]
    names = {file.name for file in files}
    assert {"junit.xml", "answers.sqlite"} <= names
    assert shared or "[key]" in (pytester.path / "log.txt").read_text(), "the log was there to be searched"
    texts = [result.stdout.str(), result.stderr.str(), *(file.read_bytes().decode("latin-1") for file in files)]
    for piece in (KEY, KEY[:14], KEY[-14:]):
        assert not any(piece in text for text in texts)
    if status == 200:
        assert "yes, Bearer [key]" in (pytester.path / "out" / "cases.jsonl").read_text()
        check_cost(pytester, server)  # shared out or not


def started(pytester: pytest.Pytester, server: Stub, *arguments: str) -> subprocess.Popen[bytes]:
    """A session in a process of its own."""
    command = [sys.executable, "-m", "pytest", SIX, f"--vqamt-model={spec(server)}", "--vqamt-data=pictures:20"]
    drawn = ["--vqamt-sampler=random", "--vqamt-shrink=0", "--vqamt-max-cases=8", "--vqamt-option=in-flight=4"]
    with (pytester.path / "session.txt").open("w") as output:
        session: subprocess.Popen[bytes] = pytester.popen(
            [*command, *drawn, *arguments], stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    return session


def until(server: Stub, count: int, session: subprocess.Popen[bytes], told: Path) -> None:
    deadline = time.monotonic() + 60
    while len(server.requests) < count:
        assert session.poll() is None, told.read_text()
        assert time.monotonic() < deadline, told.read_text()
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("end", "shared"), [(signal.SIGKILL, ()), (signal.SIGINT, ("-n", "1"))], ids=["killed", "Ctrl-C, -n 1"]
)
def test_a_run_that_was_ended_is_asked_on_where_it_stopped(
    pytester: pytest.Pytester, run: Run, serve: Serve, end: signal.Signals, shared: tuple[str, ...]
) -> None:
    # At its 30th request the server falls silent, so what was answered by then is known.
    server = serve(lambda request: said("yes", delay_s=60 if 30 <= request.number < 34 else 0))
    session = started(pytester, server, "--vqamt-option=retries-s=600", *shared)
    until(server, 34, session, pytester.path / "session.txt")
    time.sleep(0.3)
    os.killpg(session.pid, end)
    session.wait(timeout=25)
    if end is signal.SIGINT:
        assert session.returncode == pytest.ExitCode.INTERRUPTED
    unanswered = {(request.prompt, request.picture) for request in server.requests[30:]}
    before = len(server.requests)
    assert before == 34

    run(SIX, model=spec(server), max_cases=8).assert_outcomes(passed=6)
    counts = asked(server)
    assert len(server.requests) > before
    assert {query for query, times in counts.items() if times > 1} == unanswered
    assert max(counts.values()) == 2


def test_photos_go_as_files_and_exact_ones_without_loss(pytester: pytest.Pytester, run: Run, serve: Serve) -> None:
    photos = pytester.mkdir("photos")
    grains = Random(0).randbytes(96 * 64 * 3)
    Image.frombytes("RGB", (96, 64), grains).resize((640, 480)).save(photos / "a.jpg", quality=80)
    (photos / "questions.jsonl").write_text('{"image": "a.jpg", "question": "Is it red?", "answer": "no"}')
    server = serve(always(said("no")))
    relations, data = "--vqamt-relations=control.repeat,control.reencode,question.mirror", ("questions:photos",)

    def sent() -> Counter[str]:
        return Counter(request.picture.partition(";")[0] for request in server.requests)

    result = run(relations, "--vqamt-report=out", model=spec(server), data=data)
    own = f"data:image/jpeg;base64,{b64encode((photos / 'a.jpg').read_bytes()).decode()}"
    assert Counter(request.picture == own for request in server.requests)[True] == 2  # of control.repeat
    # With the mirrored one; without loss both pictures of control.reencode, one with doubled spaces, too.
    assert sent() == {"data:image/jpeg": 3, "data:image/png": 3}
    # The largest is that of a PNG; nobody knows before the run which edited picture is the largest.
    result.stdout.fnmatch_lines(
        f"vqamt: {spec(server)}: photos are sent as their own files, edited JPEG photos as JPEG 95, others as PNG; "
        "a request with a picture of 640 x 480 px has about 0.8? MB"
    )
    (model,) = report(pytester)["models"]
    assert model["fingerprint"].endswith(" images=auto")
    # Another format: nothing but what is exact was asked before.
    server.requests.clear()
    run(relations, "--vqamt-option=image-format=jpeg:50", model=spec(server), data=data)
    assert sent() == {"data:image/jpeg": 3}
    server.requests.clear()
    run(relations, "--vqamt-option=image-format=png", model=spec(server), data=data)
    assert sent() == {"data:image/png": 2}, "the first question was asked by control.reencode"


def test_the_largest_request_has_all_pictures_of_a_question(run: Run, serve: Serve) -> None:
    server = serve(always(said("yes")))
    result = run("--vqamt-relations=multi.same,control.repeat", model=spec(server), data=("pictures:6",))
    result.stdout.fnmatch_lines("*; a request with a picture of * px and 2 others has about *")
    result = run("--vqamt-relations=control.repeat", model=spec(server), data=("pictures:6",))
    result.stdout.no_fnmatch_line("*; a request with a picture of * px and *")
