"""Ray and Ray Serve under the door: started, or joined at a cluster; the model deployed, and taken down again."""

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
from pytest_vqamt.models.served.protocol import TOKEN_VARIABLE
from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.messages import Chunk, ChunkResult, ReplicaInfo
from pytest_vqamt.serving.replica import Replica

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle


DEPLOYMENT = "model"

_OBJECT_STORE_BYTES = 100 * 2**20
"""Ray demands 75 MiB. What is asked and answered at once is far less."""

_WITHIN = "r"
"""Ray opens the folder that it is given to all users (0777): within our own it is for this user alone nevertheless."""

_AT_THE_ONLY_REPLICA = 16
"""Chunks that are sent to it before it has answered: enough to gather full batches of small ones."""

_AT_ONE_OF_SEVERAL = 4
"""Fewer: Ray Serve may send as many to one replica while another has nothing to do. The others wait at the door."""


class RayBackend:
    """The model in as many replicas as there are to be.

    Attributes:
        replicas: how many that is.
        handle: what the model is asked through.
    """

    def __init__(self, offer: ServeConfig) -> None:
        """Joins or starts Ray, which takes some ten seconds.

        Raises:
            OptionError: there is no such cluster, or it cannot hold the replicas.
        """
        import ray

        self._offer = offer
        self._owns_serve = False
        if offer.cluster:
            _join(offer.cluster)
        else:
            ray.init(
                address="local",
                num_cpus=1,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
                _node_ip_address="127.0.0.1",
                _temp_dir=f"{offer.folder}/{_WITHIN}",
            )
            _end_what_is_not_needed()
        has: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call] # as Ray has it
        devices = 0 if offer.device == "cpu" else int(has.get("GPU", 0))
        if offer.device.startswith("cuda") and not devices:
            raise OptionError(
                f"Expected a CUDA device for --vqamt-device={offer.device}, but Ray sees none: give --vqamt-device=cpu"
            )
        self.replicas = offer.replicas or (max(1, devices) if offer.on_device else 1)
        shares = devices and (offer.on_device or offer.replicas)
        self._share_of_device = min(1.0, devices / self.replicas) if shares else 0.0
        self.handle: DeploymentHandle[Any] | None = None

    def deploy(self) -> ReplicaInfo:
        """Loads the model in every replica, and gives what it says of itself.

        Raises:
            ModelError: it cannot be loaded; in its own words where it has some.
        """
        from ray import serve

        offer = self._offer
        self._owns_serve = bool(offer.cluster) and not _serves_already()
        serve.start(proxy_location="Disabled")
        deployment = serve.deployment(
            name=DEPLOYMENT,
            num_replicas=self.replicas,
            max_ongoing_requests=_AT_THE_ONLY_REPLICA if self.replicas == 1 else _AT_ONE_OF_SEVERAL,
            health_check_period_s=2,
            graceful_shutdown_timeout_s=2,
            graceful_shutdown_wait_loop_s=0.1,
            ray_actor_options={"num_cpus": 1 if offer.cluster else 0, "num_gpus": self._share_of_device},
        )(Replica)
        try:
            # Without a route: whoever can reach an HTTP proxy of the cluster cannot ask the model there.
            handle = serve.run(deployment.bind(offer), name=offer.application, route_prefix=None)
        except RuntimeError as error:
            raise ModelError(
                f"Expected model={offer.model!r} to be loaded, but each try of a replica failed: {self._why(error)}"
            ) from error
        self.handle = handle
        introduction: ReplicaInfo = handle.introduction.remote().result(timeout_s=60)
        if introduction.refused:
            raise ModelError(introduction.refused)
        return introduction

    def _why(self, error: RuntimeError) -> str:
        """Why there is no replica, as far as Ray Serve knows; ``error`` itself does not say."""
        from ray import serve

        said = str(error)
        with suppress(Exception):  # Ray raises whatever its parts do
            said = serve.status().applications[self._offer.application].deployments[DEPLOYMENT].message
        line = _last_line(said)
        if not line.startswith("ActorDiedError"):
            return line
        return "its process ended by itself or was killed, as it is where memory runs out: see that there is enough"

    def alive(self) -> int:
        """How many replicas are running, as Ray Serve has it."""
        from ray import serve

        with suppress(KeyError):
            found = serve.status().applications[self._offer.application].deployments[DEPLOYMENT]
            return sum(count for state, count in found.replica_states.items() if state == "RUNNING")
        return 0

    def take_down(self) -> None:
        """Deletes the application from a cluster, and ends Serve where it was started for it and has no other."""
        import ray
        from ray import serve

        serve.delete(self._offer.application)
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
    except Exception as error:  # Ray raises whatever its parts do
        raise OptionError(
            f"Expected a Ray cluster at RAY_ADDRESS={address!r}, but it cannot be reached "
            f"({type(error).__name__}: {_last_line(str(error))}): start it, or unset RAY_ADDRESS for a Ray of this "
            "server's own"
        ) from error


def _serves_already() -> bool:
    """Whether Ray Serve runs on the cluster."""
    import ray

    try:
        ray.get_actor("SERVE_CONTROLLER_ACTOR", namespace="serve")
    except ValueError:
        return False
    return True


def _end_what_is_not_needed() -> None:
    """Ends the processes of Ray that scale clusters, show dashboards and collect logs: 280 MB that nobody asks for."""
    from ray._private import worker

    node = getattr(worker, "_global_node", None)
    for name in ("kill_monitor", "kill_log_monitor", "kill_dashboard"):
        if (end := getattr(node, name, None)) is not None:
            with suppress(Exception):  # it is of another version, and they stay
                end(check_alive=False)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines() if line.strip()]
    return lines[-1][:300] if lines else "no reason given"


_PAUSE_S = 0.5

_DEATHS = 3
"""A query at which so many replicas have died, the last of them asked nothing else, has an error."""


class Failover:
    """Asks through a handle of Ray Serve, which waits as long as no replica is there."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._handle = handle

    async def ask(self, chunk: Chunk, deaths: int = 0) -> ChunkResult:
        """What became of the chunk.

        A replica that dies takes with it whatever it was asked, and any of that may be what it died of. So a chunk is
        asked whole once more, and then in halves: what is harmless is answered, and what is not is found.
        """
        from ray.exceptions import RayActorError

        try:
            outcome: ChunkResult = await self._handle.ask.remote(chunk)
        except RayActorError:
            await asyncio.sleep(_PAUSE_S)
        else:
            return outcome
        deaths += 1
        if len(chunk.queries) == 1 and deaths >= _DEATHS:
            reason = f"Expected an answer, but the replica ended {deaths} times while it was asked this"
            return ChunkResult(told=(Failure(reason=reason),))
        if len(chunk.queries) == 1 or deaths < _DEATHS - 1:
            return await self.ask(chunk, deaths)
        middle = len(chunk.queries) // 2
        first = await self.ask(replace(chunk, queries=chunk.queries[:middle]), deaths - 1)
        second = await self.ask(replace(chunk, queries=chunk.queries[middle:]), deaths - 1)
        return ChunkResult(
            told=first.told + second.told,
            given_up=first.given_up or second.given_up,
            busy_s=first.busy_s + second.busy_s,
            batch_size=second.batch_size,
        )


def process_environment(given: Mapping[str, str], offer: ServeConfig) -> dict[str, str]:
    """The variables for the processes of a server, made from those ``given``.

    The token of our own door stays out of it: code of models runs there. At a cluster nothing else is changed. A Ray of
    our own has its temporary files in the server's folder, and:

    ``RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0``
        The address of the node is 127.0.0.1 whatever else the machine has, as on Windows and macOS, and Ray's processes
        listen on that alone (ray/_private/services.py, get_node_ip_address).
    ``RAY_AUTH_MODE=token``, ``RAY_AUTH_TOKEN``
        Each of Ray's ports wants a token, made for this server. In the environment: else Ray keeps one in the home
        folder.
    ``RAY_worker_niceness=0``
        Ray's workers, and the model in one of them, are as important as other processes, and do not give way to all.
    ``RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO=0``
        Models of the user's own, of which nobody knows whether they need one, see the CUDA devices.
    ``CUDA_VISIBLE_DEVICES``
        Is the one device that ``--vqamt-device=cuda:N`` names; Ray counts what it sees.
    ``RAY_USAGE_STATS_ENABLED=0``
        Nothing is told to anybody.
    """
    made = {name: value for name, value in given.items() if name != TOKEN_VARIABLE}
    made["RAY_USAGE_STATS_ENABLED"] = "0"
    if offer.cluster:
        return made
    made["TMPDIR"] = offer.folder
    for name in ("RAY_ADDRESS", "RAY_NAMESPACE", "RAY_JOB_ID", "RAY_REDIS_ADDRESS", "RAY_AUTH_TOKEN_PATH"):
        made.pop(name, None)
    made["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    made["RAY_AUTH_MODE"] = "token"
    made["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    made["RAY_SERVE_LOG_TO_STDERR"] = "0"
    made.setdefault("RAY_worker_niceness", "0")
    # Ray gives a worker one thread unless this is set, and a model on the CPU is to use what there is.
    made.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // (offer.replicas or 1))))
    made.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    _, colon, number = offer.device.partition(":")
    if colon:
        visible = given.get("CUDA_VISIBLE_DEVICES", "").split(",")
        made["CUDA_VISIBLE_DEVICES"] = visible[int(number)] if int(number) < len(visible) and visible[0] else number
    return made
