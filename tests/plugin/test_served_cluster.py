"""``vqamt serve`` at a cluster of Ray: one machine, and two nodes of which one ends in the middle of a session."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.plugin import vqamt_servers as servers

pytestmark = [pytest.mark.full, pytest.mark.slow]

if find_spec("ray") is None:  # to import it takes seconds, and a cluster of its own does
    pytest.skip("needs the extra ray", allow_module_level=True)
pytest.importorskip("httpx2")

HEAD = """
import sys, time
import ray
from ray import serve
from ray.cluster_utils import Cluster

small = {"num_cpus": 1, "object_store_memory": 10**8, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=small)
other = cluster.add_node(num_cpus=1, object_store_memory=10**8) if sys.argv[1] == "2" else None
ray.init(address=cluster.address, log_to_driver=False)

@serve.deployment(ray_actor_options={"num_cpus": 0})
class Theirs:
    def __call__(self): return "theirs"

serve.start(proxy_location="Disabled")
serve.run(Theirs.bind(), name="theirs", route_prefix=None)
print("reply:", cluster.address, flush=True)
while command := sys.stdin.readline().strip():
    if command == "applications":
        print("reply:", ",".join(sorted(serve.status().applications)), flush=True)
    elif command == "end a node":
        cluster.remove_node(other, allow_graceful=False)
        while sum(each["Alive"] for each in ray.nodes()) > 1:
            time.sleep(0.1)
        print("reply: 1", flush=True)
ray.shutdown()
cluster.shutdown()
"""
"""Starts so many nodes with an application of somebody else, and does what it reads."""

MODEL = """
import sys, time, zlib
from pathlib import Path

class Slow:
    batch_size = 4
    fingerprint = "slow-1"

    def answer(self, batch):
        if "ray" in sys.modules:
            import ray
            node = ray.get_runtime_context().get_node_id()
            with open(Path(FOLDER) / f"{node}.txt", "a") as file:
                file.writelines(f"{each.query.id}\\n" for each in batch)
            time.sleep(0.3)
        return [("yes", "no", "2")[zlib.crc32(each.text.encode() + each.image.tobytes()) % 3] for each in batch]
"""
"""Looks at words and pixels; on a cluster it writes down which node was asked what, and takes its time."""


class Cluster:
    """A cluster of one or two nodes on this machine, and its own process."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.environment = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": "of-the-cluster-0123456789",
            "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        }
        self.temp = Path(mkdtemp(prefix="vqc-", dir="/tmp"))  # Ray's sockets allow no long path
        self._process = subprocess.Popen(
            [sys.executable, "-c", HEAD, str(nodes)],
            env={**servers.inherited(), **self.environment, "RAY_TMPDIR": str(self.temp)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.environment["RAY_ADDRESS"] = self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        lines = iter(self._process.stdout.readline, "")  # Ray prints there, too
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("reply:"))

    def ask(self, command: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        return self._read()

    def end(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(30)
        self._process.stdout.close()
        subprocess.run(["rm", "-rf", str(self.temp)], check=True)


@pytest.fixture
def cluster(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    (tmp_path / "nodes").mkdir()
    started = Cluster(tmp_path, request.param)
    yield started
    started.end()


@pytest.mark.parametrize("cluster", [1], indirect=True)
def test_only_what_is_its_own_comes_and_goes(tmp_path: Path, cluster: Cluster) -> None:
    arguments = ["--vqamt-model=oracle", "--vqamt-data=pictures:20"]
    with servers.serving(tmp_path, arguments, cluster.environment) as server:
        (ours,) = [name for name in cluster.ask("applications").split(",") if name != "theirs"]
        assert ours.startswith("vqamt-")
        assert servers.card(server.url).model == "oracle"
        server.process.send_signal(signal.SIGINT)
        assert server.ended(90) == 0
    assert cluster.ask("applications") == "theirs"


@pytest.mark.parametrize("cluster", [1], indirect=True)
def test_a_server_that_dies_finds_its_replicas_again_on_a_full_cluster(tmp_path: Path, cluster: Cluster) -> None:
    arguments = ["--vqamt-model=oracle", "--vqamt-data=pictures:20"]
    with servers.serving(tmp_path, arguments, cluster.environment) as server:
        server.of_name("serving.server").kill()
        until = time.monotonic() + 90
        while sum("serving oracle at" in line for line in server.lines) < 2:
            assert time.monotonic() < until, server.lines
            assert server.process.poll() is None, server.lines
            time.sleep(0.2)
        assert servers.card(server.url).model == "oracle"
        server.process.send_signal(signal.SIGINT)
        assert server.ended(90) == 0
    assert cluster.ask("applications") == "theirs"


@pytest.mark.parametrize("cluster", [2], indirect=True)
def test_a_node_that_ends_in_the_middle_changes_no_report(tmp_path: Path, cluster: Cluster) -> None:
    nodes = tmp_path / "nodes"
    (tmp_path / "on_nodes.py").write_text(f"FOLDER = {str(nodes)!r}\n{MODEL}")
    here = _session(tmp_path, "python:on_nodes:Slow", "here")
    expected = here.wait(120)
    assert expected in (0, 1)
    arguments = ["--vqamt-model=python:on_nodes:Slow", "--vqamt-data=pictures:20", "--replicas=2"]
    with servers.serving(tmp_path, arguments, cluster.environment) as server:
        assert servers.card(server.url).replicas == 2
        session = _session(tmp_path, f"served:{server.url}", "away")
        until = time.monotonic() + 120
        while len(asked := _asked_by_node(nodes)) < 2 or min(map(len, asked.values())) < 12:
            assert session.poll() is None, "the session ended before both nodes were asked"
            assert time.monotonic() < until
            time.sleep(0.1)
        assert cluster.ask("end a node") == "1"
        assert session.wait(300) == expected
        server.process.send_signal(signal.SIGINT)
        assert server.ended(90) == 0
    assert (tmp_path / "away" / "cases.jsonl").read_bytes() == (tmp_path / "here" / "cases.jsonl").read_bytes()
    assert json.loads((tmp_path / "away" / "report.json").read_text())["complete"]
    ids = [each for some in _asked_by_node(nodes).values() for each in some]
    assert len(set(ids)) > 100
    assert len(ids) - len(set(ids)) <= 2 * 4 * 4, "asked again: more than what the node had in its hands"


def _asked_by_node(folder: Path) -> dict[str, list[str]]:
    return {each.name: each.read_text().split() for each in folder.glob("*.txt")}


def _session(folder: Path, model: str, report: str) -> subprocess.Popen[bytes]:
    arguments = [f"--vqamt-model={model}", "--vqamt-data=pictures:20", "--vqamt-relations=metavqa.*,carets.*"]
    arguments += ["--vqamt-max-cases=12", "--vqamt-no-cache", f"--vqamt-report={report}", "-p", "no:cacheprovider"]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=folder,
        env={**servers.inherited(), "HOME": str(folder), "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        stdout=subprocess.DEVNULL,
    )
