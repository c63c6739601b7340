"""Ray and Ray Serve under the door: started, or joined at a cluster; the model deployed, and taken down again."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.serving.config import Offer
from pytest_vqamt.serving.messages import Introduction
from pytest_vqamt.serving.replica import Model

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


class Engine:
    """The model in as many replicas as there are to be.

    Attributes:
        replicas: how many that is.
        handle: what the model is asked through.
    """

    def __init__(self, offer: Offer) -> None:
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

    def deploy(self) -> Introduction:
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
        )(Model)
        try:
            # Without a route: whoever can reach an HTTP proxy of the cluster cannot ask the model there.
            handle = serve.run(deployment.bind(offer), name=offer.application, route_prefix=None)
        except RuntimeError as error:
            raise ModelError(
                f"Expected model={offer.model!r} to be loaded, but each try of a replica failed: {self._why(error)}"
            ) from error
        self.handle = handle
        introduction: Introduction = handle.introduction.remote().result(timeout_s=60)
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
