"""``vqamt serve`` as users have it: started, asked, hurt, and ended. One server for all tests of this file."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Blur, Cutout, Edit, Erase, FileForm, Fill, Insert
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served.wire_format import MAX_WORK, PixelsNeeded
from pytest_vqamt.picture_world.source import PictureWorld
from tests.plugin import vqamt_servers as servers

pytestmark = pytest.mark.full

if find_spec("ray") is None:  # to import it takes seconds, and a server of its own does
    pytest.skip("needs the extra ray", allow_module_level=True)
httpx2 = pytest.importorskip("httpx2")
psutil = pytest.importorskip("psutil")


WORLD = PictureWorld(20)
PHOTO = WORLD.scene(3).picture
COSTLY = PHOTO.store(FileForm.PALETTE, plain=True)
while COSTLY.work <= MAX_WORK:
    COSTLY = COSTLY.store(FileForm.PALETTE, plain=True)
"""Takes long by the server's count, and seconds in truth."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Server]:
    folder = tmp_path_factory.mktemp("served")
    arguments = ["--vqamt-model=python:our_models:Counting", "--vqamt-data=pictures:20", "--max-request-mb=1"]
    with servers.serving(folder, arguments) as started:
        yield started


def _edited_by_a_stranger(edit: Edit) -> Picture:
    """The photo with an edit that cannot be made here."""
    return Picture(photo=PHOTO.photo, edits=(*PHOTO.edits, edit), scene=PHOTO.scene)


def query(text: str, picture: Picture = PHOTO) -> Query:
    return Query(picture=picture, text=text, meaning=Describe())


def asked(server: servers.Server) -> list[str]:
    """The ids of the queries that the model has counted."""
    file = server.folder / "asked.txt"
    return file.read_text().split() if file.exists() else []


def test_it_says_what_it_serves_and_where(server: servers.Server) -> None:
    assert server.lines[:3] == [
        "vqamt: loading python:our_models:Counting with a Ray of its own, which may take a while",
        f"vqamt: serving python:our_models:Counting at {server.url} (1 replica, pictures:20); stop with Ctrl-C",
        f"vqamt: use it with: pytest --vqamt-model=served:{server.url} --vqamt-data=pictures:20",
    ]
    card = servers.card(server.url)
    assert (card.model, card.fingerprint, card.persistent) == ("python:our_models:Counting", "counting-1", True)
    assert (card.batch_size, card.max_bytes, card.replicas) == (8, 2**20, 1)
    assert [(each.spec, each.digest) for each in card.data] == [("pictures:20", WORLD.digest)]


def test_nothing_listens_but_on_the_loopback(server: servers.Server) -> None:
    listening = [
        (each.name(), connection.laddr.ip)
        for each in server.known
        for connection in each.net_connections(kind="all")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 8
    assert {address.removeprefix("::ffff:") for _, address in listening} == {"127.0.0.1"}


def test_its_files_are_for_this_user_alone(server: servers.Server) -> None:
    folder = Path(server.of_name("serving.server").environ()["TMPDIR"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.glob("*/session_*"))  # of Ray, which opens its own folder to all


def test_ray_itself_wants_a_token(server: servers.Server) -> None:
    grpc = pytest.importorskip("grpc")
    refused = set()
    for port in {
        connection.laddr.port
        for each in server.known[2:]
        for connection in each.net_connections(kind="tcp")
        if connection.status == psutil.CONN_LISTEN
    }:
        for method in (
            "ray.rpc.JobInfoGcsService/GetAllJobInfo",
            "ray.rpc.NodeManagerService/GetNodeStats",
            "ray.rpc.ObjectManagerService/Push",
            "ray.rpc.CoreWorkerService/GetCoreWorkerStats",
            "ray.serve.ASGIService/HandleRequest",
        ):
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                with pytest.raises(grpc.RpcError) as caught:
                    channel.unary_unary(f"/{method}")(b"", timeout=5)
                if caught.value.code() is grpc.StatusCode.UNAUTHENTICATED:
                    refused.add(method.partition("/")[0].rpartition(".")[2])
    # Each service is on a port of its own, and the others do not know it.
    assert refused >= {"JobInfoGcsService", "NodeManagerService", "CoreWorkerService", "ASGIService"}


def test_each_distinct_query_is_asked_once_by_many_at_once(server: servers.Server) -> None:
    before = len(asked(server))
    wanted = [query(f"q{number}", WORLD.scene(number % 7).picture) for number in range(100)]
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: servers.ask(server.url, wanted), range(4)))
    assert told == [tuple(Answer(f"{each.text} 224") for each in wanted)] * 4
    ours = asked(server)[before:]
    assert sorted(ours) == sorted(each.id for each in wanted)
    status = servers.status(server.url)
    assert status.queries_received >= 400
    assert status.replicas_alive == 1


def test_a_query_that_fails_costs_itself_alone(server: servers.Server) -> None:
    told = servers.ask(server.url, [query("a"), query("raise"), query("b")])
    assert told == (Answer("a 224"), Failure(reason="ValueError: this one cannot be answered"), Answer("b 224"))


def test_what_is_not_served_is_unknown_and_what_cannot_be_has_an_error(server: servers.Server) -> None:
    scene = WORLD.scene(5)
    cutout = Cutout(photo=scene.photo, thing=next(thing for thing in scene.objects if thing.has_mask))
    stranger = replace(cutout, photo=Photo(id="../../../etc/passwd", digest=cutout.photo.digest))
    lama = Erase(box=Box(1, 1, 5, 5), fill=Fill.INPAINT, method="lama:/etc/passwd")
    told = servers.ask(
        server.url,
        [
            query("x", _forged("../../../etc/passwd")),
            query("x", PHOTO.insert(stranger, at=(0, 0), size=(9, 9))),
            query("x", PHOTO.edit(lama)),
            query("x", _edited_by_a_stranger(Insert(cutout=cutout, box=Box(0, 0, 31_623, 31_623)))),
            query("x", _edited_by_a_stranger(Blur(keep=(), sigma_px=1e9))),
            query("x", PHOTO.insert(cutout, at=(0, 0), size=(20, 20))),
            query("x", COSTLY),
        ],
    )
    assert [type(each) for each in told] == [PixelsNeeded, *[Failure] * 4, Answer, PixelsNeeded]
    assert all("\n" not in each.reason for each in told if not isinstance(each, Answer))
    assert "digest='/etc/passwd', which is that of no file" in getattr(told[2], "reason", "")


def test_what_would_block_it_is_drawn_by_the_client(server: servers.Server) -> None:
    model = ModelCatalogue().load(f"served:{server.url}", ModelOptions())
    wanted = [ModelInput(each, partial(render, photos=WORLD)) for each in (query("a"), query("b", COSTLY))]
    assert model.ask(Task.VQA, wanted) == (Answer("a 224"), Answer("b 224"))


def test_malformed_requests_are_refused_over_the_network_too(server: servers.Server) -> None:
    url = f"{server.url}/v1/answers"
    assert httpx2.post(url, content=b"{", headers=servers.JSON).status_code == 400
    assert httpx2.post(url, content=b"[" * 100_000, headers=servers.JSON).status_code == 400
    assert httpx2.get(f"{server.url}/-/healthz").status_code == 404
    assert _refused(lambda: httpx2.post(url, content=iter([b"x" * 2**16] * 256), headers=servers.JSON), 413)


def test_headers_without_end_are_cut_off(server: servers.Server) -> None:
    assert _refused(lambda: httpx2.get(f"{server.url}/v1/model", headers={"x": "y" * 2**20}), 400)


def test_a_replica_that_is_killed_half_way_costs_no_answer(server: servers.Server) -> None:
    before = len(asked(server))
    wanted = [query(f"slow {number}", WORLD.scene(number % 7).picture) for number in range(40)]
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(servers.ask, server.url, wanted)
        _wait(lambda: len(asked(server)) > before)
        server.of_name("ServeReplica").kill()
        assert running.result(120) == tuple(Answer(f"{each.text} 224") for each in wanted)
    again = servers.ask(server.url, wanted)
    assert again == tuple(Answer(f"{each.text} 224") for each in wanted)
    ours = asked(server)[before:]
    assert set(ours) == {each.id for each in wanted}
    assert len(ours) <= 40 + 16  # what was at the model, or prepared for it, when it died


@pytest.mark.slow
def test_a_door_that_is_killed_comes_back_with_its_memory(server: servers.Server) -> None:
    wanted = [query(f"kept {number}") for number in range(20)]
    servers.ask(server.url, wanted)
    count = len(asked(server))
    server.of_name("serving.server").kill()
    told = servers.ask(server.url, [*wanted, query("new")])
    assert told == (*(Answer(f"{each.text} 224") for each in wanted), Answer("new 224"))
    assert len(asked(server)) == count + 1
    assert "vqamt: the server process ended, and the server is restarted; requests wait for it" in server.lines


@pytest.mark.slow
@pytest.mark.parametrize("name", ["raylet", "gcs_server"])
def test_a_process_of_ray_that_is_killed_costs_no_answer(server: servers.Server, name: str) -> None:
    wanted = [query(f"with {name} {number}") for number in range(20)]
    servers.ask(server.url, wanted[:10])
    (killed,) = [each for each in server.known if each.name() == name]
    killed.kill()
    _wait(lambda: f"vqamt: {name} (Ray) ended, and the server is restarted; requests wait for it" in server.lines)
    assert servers.ask(server.url, wanted) == tuple(Answer(f"{each.text} 224") for each in wanted)
    ours = [each for each in asked(server) if each in {query.id for query in wanted}]
    assert sorted(ours) == sorted(query.id for query in wanted), "each once"


def test_ctrl_c_leaves_nothing(server: servers.Server) -> None:
    """The last test of this file: it ends the server."""
    known = server.known
    url = server.url
    memory = sum(each.memory_info().rss for each in known) / 2**20
    os.kill(server.process.pid, signal.SIGINT)
    assert server.ended() == 0
    _wait(lambda: not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in known))
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{url}/v1/model")
    assert servers.traces(server) == []
    assert server.lines[-1].startswith("vqamt: stopped serving python:our_models:Counting; ")
    assert memory < 2000


def _refused(send: Callable[[], object], status: int) -> bool:
    """Whether this is refused, or the connection closed while it is still being sent."""
    try:
        return getattr(send(), "status_code", 0) == status
    except httpx2.TransportError:
        return True


def _forged(photo: str) -> Picture:
    """A photo under another name."""
    return replace(PHOTO, photo=replace(PHOTO.photo, id=photo))


def _wait(until: Callable[[], bool], at_most_s: float = 60) -> None:
    deadline = time.monotonic() + at_most_s
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# However ``vqamt serve`` ends, and whenever: no process, port or file is left.

if find_spec("ray") is None:  # to import it takes seconds, and a server of its own does
    pytest.skip("needs the extra ray", allow_module_level=True)
pytest.importorskip("httpx2")


COUNTING = ["--vqamt-model=python:our_models:Counting", "--vqamt-data=pictures:20"]


@pytest.mark.parametrize(
    ("after_s", "numbers"),
    [
        (3.0, [signal.SIGTERM]),
        pytest.param(0.7, [signal.SIGINT], marks=pytest.mark.slow),
        pytest.param(1.5, [signal.SIGINT, signal.SIGINT], marks=pytest.mark.slow),
        pytest.param(5.0, [signal.SIGHUP], marks=pytest.mark.slow),
        pytest.param(8.0, [signal.SIGINT, signal.SIGTERM, signal.SIGINT], marks=pytest.mark.slow),
        pytest.param(12.0, [signal.SIGINT], marks=pytest.mark.slow),
        pytest.param(None, [signal.SIGTERM], marks=pytest.mark.slow),
        pytest.param(None, [signal.SIGHUP, signal.SIGHUP], marks=pytest.mark.slow),
    ],
)
def test_a_signal_at_any_moment_leaves_nothing(
    tmp_path: Path, after_s: float | None, numbers: Sequence[signal.Signals]
) -> None:
    with servers.serving(tmp_path, COUNTING, wait=after_s is None) as server:
        _pass(server, after_s)
        known = server.known
        for number in numbers:
            server.process.send_signal(number)
            time.sleep(0.02)
        status = server.ended()
    assert status in (0, 130) or -status in numbers  # where the command has not begun yet, Python itself ends it
    assert _alive(known, within_s=5) == []
    assert servers.traces(server) == []


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [4.0, None])
def test_if_it_is_killed_the_rest_ends_itself(tmp_path: Path, after_s: float | None) -> None:
    with servers.serving(tmp_path, COUNTING, wait=after_s is None) as server:
        _pass(server, after_s)
        known = server.known
        server.process.kill()
        server.ended()
        assert _alive(known, within_s=10) == []
        assert _traces(server, within_s=10) == []


@pytest.mark.slow
def test_if_all_that_could_clean_up_is_killed_the_next_server_does(tmp_path: Path) -> None:
    with servers.serving(tmp_path, COUNTING) as server:
        known = server.known
        door = server.of_name("serving.server")
        server.process.send_signal(signal.SIGSTOP)
        door.send_signal(signal.SIGSTOP)
        server.process.kill()
        door.kill()
        # Ray's agents want to tell of what has happened to them, and nobody is there.
        assert _alive(known, within_s=150) == []
        left = servers.traces(server)  # mostly one folder, none where its removal had begun
        assert all(Path(folder).name.startswith("vqamt-serve-") for folder in left)
    with servers.serving(tmp_path, COUNTING, wait=False) as following:
        _pass(following, 3.0)
        assert not any(Path(folder).exists() for folder in left)
    assert servers.traces(server) == []


def test_a_model_that_cannot_be_loaded_ends_it_in_the_models_own_words(tmp_path: Path) -> None:
    arguments = ["--vqamt-model=python:our_models:broken", "--vqamt-data=pictures:20"]
    with servers.serving(tmp_path, arguments, wait=False) as server:
        assert server.ended(servers.READY_S) == 2
    assert server.lines[1:] == ["vqamt: Expected weights, but there are none: get some"]
    assert servers.traces(server) == []


@pytest.mark.slow
def test_a_replica_that_dies_while_it_loads_the_model_is_told(tmp_path: Path) -> None:
    arguments = ["--vqamt-model=python:our_models:killed", "--vqamt-data=pictures:20"]
    with servers.serving(tmp_path, arguments, wait=False) as server:
        assert server.ended(servers.READY_S) == 2
    assert server.lines[1:] == [
        "vqamt: Expected model='python:our_models:killed' to be loaded, but each try of a replica failed: its process "
        "ended by itself or was killed, as for lack of memory: make sure that there is enough"
    ]
    assert servers.traces(server) == []


def test_a_cluster_that_cannot_be_reached_is_told_in_one_line(tmp_path: Path) -> None:
    with servers.serving(tmp_path, COUNTING, {"RAY_ADDRESS": "127.0.0.1:1"}, wait=False) as server:
        assert server.ended(servers.READY_S) == 2
    (line,) = server.lines
    assert line.startswith("vqamt: Expected a Ray cluster at RAY_ADDRESS='127.0.0.1:1', but it cannot be reached")
    assert servers.traces(server) == []


def _pass(server: servers.Server, after_s: float | None) -> None:
    """Waits so long, if at all; by then it may be ready on a fast machine, and on a slow one hardly begun."""
    if after_s is not None:
        time.sleep(after_s)
    assert server.process.poll() is None, server.lines


def _traces(server: servers.Server, within_s: float) -> list[str]:
    """What is left after so long: a shell takes away the folder once the last process has ended."""
    until = time.monotonic() + within_s
    while (left := servers.traces(server)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def _alive(known: Sequence[Any], within_s: float) -> list[str]:
    """Those of the processes that have not ended after so long."""
    until = time.monotonic() + within_s
    while left := [each for each in known if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]:
        if time.monotonic() > until:
            return [f"{each.pid} {' '.join(each.cmdline())[:100]}" for each in left]
        time.sleep(0.05)
    return []
