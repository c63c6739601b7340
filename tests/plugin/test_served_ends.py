"""However ``vqamt serve`` ends, and whenever: no process, port or file is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("ray") is None:  # to import it takes seconds, and a server of its own does
    pytest.skip("needs the extra ray", allow_module_level=True)
psutil = pytest.importorskip("psutil")
pytest.importorskip("httpx2")

from tests.plugin import vqamt_servers as servers  # noqa: E402 - it needs what may not be installed

pytestmark = pytest.mark.full

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
        (folder,) = servers.traces(server)
        assert Path(folder).name.startswith("vqamt-serve-")
    with servers.serving(tmp_path, COUNTING, wait=False) as following:
        _pass(following, 3.0)
        assert not Path(folder).exists()
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


CLUSTER = """
import time, ray
from ray import serve
ray.init(include_dashboard=False, num_cpus=4, log_to_driver=False, _temp_dir=TEMP, object_store_memory=10**8)
@serve.deployment
class Other:
    def __call__(self): return "theirs"
serve.start(proxy_location="Disabled")
serve.run(Other.bind(), name="theirs", route_prefix=None)
print(ray.get_runtime_context().gcs_address, flush=True)
while input() == "apps":
    print(",".join(sorted(serve.status().applications)), flush=True)
"""


@pytest.mark.slow
def test_at_a_cluster_only_what_is_its_own_comes_and_goes(tmp_path: Path) -> None:
    environment = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": "of-the-cluster-0123456789",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    temp = Path("/tmp") / f"vqc-{tmp_path.name[-8:]}"
    head = subprocess.Popen(
        [sys.executable, "-c", CLUSTER.replace("TEMP", repr(str(temp)))],
        env={**servers.inherited(), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
    )
    assert head.stdin is not None
    assert head.stdout is not None

    def applications() -> list[str]:
        assert head.stdin is not None
        assert head.stdout is not None
        head.stdin.write("apps\n")
        return head.stdout.readline().strip().split(",")

    try:
        address = head.stdout.readline().strip()
        given = {**environment, "RAY_ADDRESS": address}
        with servers.serving(tmp_path, ["--vqamt-model=oracle", "--vqamt-data=pictures:20"], given) as server:
            ours = [name for name in applications() if name != "theirs"]
            assert len(ours) == 1
            assert servers.card(server.url).model == "oracle"
            server.process.send_signal(signal.SIGINT)
            assert server.ended(90) == 0
        assert applications() == ["theirs"]
    finally:
        head.stdin.close()
        head.terminate()
        head.wait(30)
        head.stdout.close()
        subprocess.run(["rm", "-rf", str(temp)], check=True)
