"""Ray and Ray Serve: starts or joins Ray, deploys the model, retries failed chunks, and takes the model down."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.query import Failure
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.replica import Chunk, ChunkResult, Replica, ReplicaInfo

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle


_DEPLOYMENT = "model"
"""The name of the deployment in the application."""

_OBJECT_STORE_BYTES = 100 * 2**20
"""Ray demands 75 MiB; queries and answers need far less."""

_CHUNKS_AT_ONLY_REPLICA = 16
"""Chunks sent to it at once: enough for full batches of small chunks."""

_CHUNKS_AT_EACH_REPLICA = 4
"""Fewer, since Ray Serve may send them all to one replica while another is idle. Others wait in the application."""

_PAUSE_S = 0.5
"""Before a chunk goes to another replica: Ray needs a moment to notice the death."""

_MAX_DEATHS = 3
"""After so many replicas have died while they ran it, the last one on it alone, a query fails."""

_ROOM_TIMEOUT_S = 10.0
"""Ray finds room in a few hundredths of a second where there is some."""


class RayBackend:
    """The replicas of the model on Ray Serve; ``handle`` runs the model, and is None before ``deploy``."""

    def __init__(self, config: ServeConfig) -> None:
        """Joins or starts Ray, which takes some ten seconds.

        Raises:
            OptionError: the cluster cannot be reached, or lacks the device.
        """
        import ray

        self._config = config
        self._owns_serve = False
        if config.cluster:
            _join(config.cluster)
        else:
            ray.init(
                # A Ray of the user on this machine is left alone, unless RAY_ADDRESS names it.
                address="local",
                num_cpus=1,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                # Nothing of Ray's and of the models' output belongs on the user's terminal.
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
                _node_ip_address="127.0.0.1",
                # Ray opens its folder to all users: within ours it is for this user alone nevertheless.
                _temp_dir=f"{config.folder}/r",
            )
            _end_unneeded_processes()
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call] # as Ray has it
        devices = 0 if config.device == "cpu" else int(resources.get("GPU", 0))
        if config.device.startswith("cuda") and not devices:
            raise OptionError(
                f"Expected a CUDA device for --vqamt-device={config.device}, but Ray sees none: give --vqamt-device=cpu"
            )
        # One per device, for models that use one.
        self.replicas = config.replicas or (max(1, devices) if config.on_device else 1)
        shares = devices and (config.on_device or config.replicas)
        self._share_of_device = share_of_device(self.replicas, devices) if shares else 0.0
        self.handle: DeploymentHandle[Any] | None = None

    def deploy(self) -> ReplicaInfo:
        """Loads the model in every replica, and returns its description.

        Raises:
            OptionError: the cluster has no room for the replicas.
            ModelError: the model cannot be loaded.
        """
        import ray
        from ray import serve

        config = self._config
        try:
            # A Serve that was there before belongs to others, and is not shut down with this server.
            ray.get_actor("SERVE_CONTROLLER_ACTOR", namespace="serve")
        except ValueError:
            self._owns_serve = bool(config.cluster)
        # The application of our own is the only way in: it checks the token.
        serve.start(proxy_location="Disabled")
        needed = {"num_cpus": 1 if config.cluster else 0, "num_gpus": self._share_of_device}
        # A server that is restarted finds the replicas of the one before, which have the room.
        if config.cluster and config.application not in serve.status().applications:
            check_room(self.replicas, needed)
        deployment = serve.deployment(
            name=_DEPLOYMENT,
            num_replicas=self.replicas,
            max_ongoing_requests=_CHUNKS_AT_ONLY_REPLICA if self.replicas == 1 else _CHUNKS_AT_EACH_REPLICA,
            # Ray's default of 10 s is how long requests would wait for a replica that has lost its model.
            health_check_period_s=2,
            graceful_shutdown_timeout_s=2,
            graceful_shutdown_wait_loop_s=0.1,
            ray_actor_options=needed,
        )(Replica)
        try:
            # Without a route, the model cannot be reached through an HTTP proxy of the cluster.
            handle = serve.run(deployment.bind(config), name=config.application, route_prefix=None)
        except RuntimeError as error:
            raise ModelError(
                f"Expected model={config.model!r} to be loaded, but each try of a replica failed: {self._reason(error)}"
            ) from error
        self.handle = handle
        info: ReplicaInfo = handle.info.remote().result(timeout_s=60)
        # As a value: Ray retries a constructor that raises, and reports it over pages.
        if info.error:
            raise ModelError(info.error)
        return info

    def _reason(self, error: RuntimeError) -> str:
        """Ray Serve's reason why no replica started, which ``error`` itself does not give."""
        from ray import serve

        reason = str(error)
        with suppress(Exception):  # Ray may raise anything
            reason = serve.status().applications[self._config.application].deployments[_DEPLOYMENT].message
        line = _last_line(reason)
        # ActorDiedError says that the process is gone, and not why.
        if not line.startswith("ActorDiedError"):
            return line
        return "its process ended by itself or was killed, as for lack of memory: make sure that there is enough"

    def replicas_alive(self) -> int:
        """How many replicas are running, according to Ray Serve."""
        from ray import serve

        # There is no such application while it is being started again.
        with suppress(KeyError):
            found = serve.status().applications[self._config.application].deployments[_DEPLOYMENT]
            return sum(count for state, count in found.replica_states.items() if state == "RUNNING")
        return 0

    def take_down(self) -> None:
        """Deletes the application, and shuts Serve down if this server started it and no other application uses it."""
        import ray
        from ray import serve

        serve.delete(self._config.application)
        if self._owns_serve and not serve.status().applications:
            serve.shutdown()  # type: ignore[no-untyped-call] # as Ray has it
        ray.shutdown()


def _join(address: str) -> None:
    import ray

    try:
        ray.init(
            address=address,
            namespace="vqamt",
            log_to_driver=False,
            configure_logging=False,
            logging_level=logging.ERROR,
        )
    except Exception as error:  # Ray may raise anything
        raise OptionError(
            f"Expected a Ray cluster at RAY_ADDRESS={address!r}, but it cannot be reached "
            f"({type(error).__name__}: {_last_line(str(error))}): start it, or unset RAY_ADDRESS for a private Ray"
        ) from error


def _end_unneeded_processes() -> None:
    """Ends the processes of Ray that scale clusters, show dashboards and collect logs, which take 280 MB."""
    from ray._private import worker

    node = getattr(worker, "_global_node", None)
    for name in ("kill_monitor", "kill_log_monitor", "kill_dashboard"):
        if (end := getattr(node, name, None)) is not None:
            with suppress(Exception):  # in another version of Ray they may stay
                end(check_alive=False)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no reason given"


def share_of_device(replicas: int, devices: int) -> float:
    """The share of a device for each replica: as few replicas as possible on one device, and none on two.

    >>> share_of_device(2, 2), share_of_device(3, 2), share_of_device(6, 1)
    (1.0, 0.5, 0.1666)
    """
    at_one = max(1, -(-replicas // devices))
    return (10_000 // at_one) / 10_000  # Ray counts in ten-thousandths


def check_room(replicas: int, needed: Mapping[str, float]) -> None:
    """Raises OptionError if Ray finds no nodes for the replicas: it would wait for ever.

    Args:
        replicas: how many there are to be.
        needed: ``num_cpus`` and ``num_gpus`` of each.
    """
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group

    names = {"num_cpus": "CPU", "num_gpus": "GPU"}
    taken = {names[option]: amount for option, amount in needed.items() if amount}
    # A sum over the nodes would not do: each replica needs all of it on one node.
    group = placement_group([taken] * replicas)
    has_room = group.wait(_ROOM_TIMEOUT_S)
    remove_placement_group(group)
    if has_room:
        return
    total: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call] # as Ray has it
    free: dict[str, float] = ray.available_resources()  # type: ignore[no-untyped-call] # as Ray has it
    each = " and ".join(f"{name} {amount:g}" for name, amount in taken.items())
    found = " and ".join(f"{name} {free.get(name, 0):g} of {total.get(name, 0):g}" for name in taken)
    raise OptionError(
        f"Expected room for {count_noun(replicas, 'replica')}, each on one node with {each}, but the cluster has "
        f"{found} free in all: give fewer (--replicas), add machines, or wait until others have ended"
    )


class Failover:
    """Runs chunks on the replicas, and retries a chunk whose replica died."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._handle = handle

    async def run(self, chunk: Chunk, deaths: int = 0) -> ChunkResult:
        """Runs a chunk.

        Any query of a replica may be the one that it died of. So its chunk is retried whole, and then in halves, until
        the harmless queries are answered and the harmful one is found.
        """
        from ray.exceptions import RayActorError

        try:
            result: ChunkResult = await self._handle.run.remote(chunk)
        # The replica died, or was killed by Ray; the handle finds another one.
        except RayActorError:
            await asyncio.sleep(_PAUSE_S)
        else:
            return result
        deaths += 1
        if len(chunk.queries) == 1 and deaths >= _MAX_DEATHS:
            reason = f"Expected an answer, but the replica ended {deaths} times on this query"
            return ChunkResult(answers=(Failure(reason=reason),))
        # The first death may be chance (memory, a node that left), so the chunk goes on whole.
        if len(chunk.queries) == 1 or deaths < _MAX_DEATHS - 1:
            return await self.run(chunk, deaths)
        # One death less for the halves: each may die once more before it is halved again.
        middle = len(chunk.queries) // 2
        first = await self.run(replace(chunk, queries=chunk.queries[:middle]), deaths - 1)
        second = await self.run(replace(chunk, queries=chunk.queries[middle:]), deaths - 1)
        return ChunkResult(
            answers=first.answers + second.answers,
            disabled=first.disabled or second.disabled,
            busy_s=first.busy_s + second.busy_s,
            batch_size=second.batch_size,
        )


def process_environment(given: Mapping[str, str], config: ServeConfig) -> dict[str, str]:
    """The environment of a server's processes, from the ``given`` one."""
    made = {name: value for name, value in given.items() if name != TOKEN_VARIABLE}  # code of models runs there
    # Ray reports its use to its makers by default.
    made["RAY_USAGE_STATS_ENABLED"] = "0"
    if config.cluster:
        return made
    # Of a cluster that this Ray does not belong to.
    for name in ("RAY_ADDRESS", "RAY_NAMESPACE", "RAY_JOB_ID", "RAY_REDIS_ADDRESS", "RAY_AUTH_TOKEN_PATH"):
        made.pop(name, None)
    made["TMPDIR"] = config.folder
    # The address of the node is 127.0.0.1, as on Windows and macOS, and Ray's processes listen on that alone
    # (ray/_private/services.py, get_node_ip_address).
    made["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    # Each of Ray's ports requires a token, made for this server. Without the variable Ray keeps one in the home folder.
    made["RAY_AUTH_MODE"] = "token"
    made["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    made["RAY_SERVE_LOG_TO_STDERR"] = "0"
    made.setdefault("RAY_worker_niceness", "0")  # the model has the priority of other processes
    # Ray gives a worker one thread unless this is set, and a model on the CPU should use all cores.
    made.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // (config.replicas or 1))))
    # The user's own models, which may or may not need a CUDA device, see all of them.
    made.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    _, colon, number = config.device.partition(":")
    if colon:  # Ray counts the devices that it sees
        # The N-th of the devices that the user sees, by whatever name: "cuda:1" of "4,7" is 7.
        visible = given.get("CUDA_VISIBLE_DEVICES", "").split(",")
        made["CUDA_VISIBLE_DEVICES"] = visible[int(number)] if int(number) < len(visible) and visible[0] else number
    return made
