"""The environment in which Ray runs for a server of our own: private, on the loopback, and quiet."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping

from pytest_vqamt.models.served.protocol import TOKEN_VARIABLE
from pytest_vqamt.serving.config import Offer


def environment(given: Mapping[str, str], offer: Offer) -> dict[str, str]:
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
