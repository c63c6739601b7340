"""The one port of Ray that knows nothing of the loopback: that between deployments."""

from __future__ import annotations

from importlib import import_module

_REPLICA = "ray.serve._private.replica"
_ADD_PORT = "add_port_to_grpc_server"
_EVERYWHERE = "[::]:"


def listen_on_loopback_only() -> None:
    """Has the replica that this process becomes listen on the loopback for other deployments.

    Ray's own processes and workers keep to the address of their node, which is 127.0.0.1 here. A replica of Ray Serve
    binds its gRPC port to all addresses, whatever that is (2.60, ``Replica._on_initialized``), and there is no setting;
    it does so after the constructor of the deployment. Without this the port is open to others, and wants Ray's token.
    """
    module = import_module(_REPLICA)
    add_port = getattr(module, _ADD_PORT, None)
    if add_port is None:  # other versions of Ray Serve have no such port, or another way
        return

    def added(server: object, address: str) -> object:
        return add_port(server, address.replace(_EVERYWHERE, "127.0.0.1:"))

    setattr(module, _ADD_PORT, added)
