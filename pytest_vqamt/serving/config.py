"""The configuration of a server, and the addresses that it uses."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.protocol import ModelOptions

_CONNECT_S = 10
"""Seconds for a connection to the head of a cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """The configuration of one server, which all its processes share."""

    model: str
    """The spec of the model."""
    data: tuple[str, ...]
    """The specs of the scene sources whose photos recipes may name."""
    settings: dict[str, str] = field(default_factory=dict)
    """From ``--option NAME=VALUE``, as in ``ModelOptions``."""
    inpaint: str = ""
    """The user's inpainter ("lama:PATH"), beside those that need no file; "" for none."""
    batch_size: int | None = None
    """None leaves it to the model."""
    device: str = "auto"
    """"auto", "cpu", "cuda" or "cuda:N"."""
    dtype: str | None = None
    """The precision of the weights; None leaves it to the model."""
    cache: str | None = None
    """A folder for what the model computes, such as features; a text, since the configuration travels as JSON."""
    on_device: bool = False
    """True if the kind of the model uses a CUDA device, where there is one."""
    reads_meaning: bool = True
    """True if the kind of the model may read the meaning of a query."""
    needs_scenes: bool = False
    """True if the kind of the model reads scenes, so that pixels are not enough."""
    replicas: int | None = None
    """The number of replicas; None for one per device."""
    wait_ms: float = 10
    """How long a batch that is not full waits for more queries."""
    max_bytes: int = 32 * 2**20
    """The largest body of a request."""
    host: str = "127.0.0.1"
    """The name or address to listen at."""
    port: int = 8000
    """0 for a free port, which the command replaces by its number before it starts the server process."""
    session: str = ""
    """Identifies this server; part of the identity of a model without a fingerprint."""
    folder: str = ""
    """The folder of all files of the server."""
    cluster: str = ""
    """The address of the Ray cluster; "" for a private Ray."""

    @property
    def model_options(self) -> ModelOptions:
        """The options that the model is loaded with: a replica sees only its own device."""
        return ModelOptions(
            batch_size=self.batch_size,
            # "cuda:1" is "cuda" to a replica: Ray shows it one device, as number 0.
            device=self.device.partition(":")[0],
            dtype=self.dtype,
            settings=self.settings,
            cache=None if self.cache is None else Path(self.cache),
        )

    @property
    def url(self) -> str:
        """The URL of the server, as ``served:`` takes it."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def application(self) -> str:
        """The name of the application in Ray Serve, which other applications may share."""
        return f"vqamt-{self.session}"

    def as_line(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> ServeConfig:
        row = json.loads(line)
        # JSON has lists alone.
        return cls(**{**row, "data": tuple(row["data"])})


def is_loopback(host: str) -> bool:
    """True if only this machine can connect to ``host``.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        # All addresses of a name: one that others reach is enough for them.
        return all(ip_address(address).is_loopback for address in _addresses(host))
    except OptionError:
        return False


def bind_socket(host: str, port: int) -> socket.socket:
    """Binds a socket that does not listen yet, on an address that no other process can take; port 0 is a free port.

    Call ``allow_port_reuse`` before it listens, or the port cannot be bound again for a minute afterwards.

    Raises:
        OptionError: this machine does not have the address, or another process has the port.
    """
    address = _addresses(host)[0]
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        # To bind a port whose connections of a former server are in TIME_WAIT.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        # Linux lets several processes bind a port until one of them listens, if all of them have set SO_REUSEADDR.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    except (OSError, OverflowError) as error:
        made.close()
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise OptionError(
            f"Expected an address that this process can listen at, but got host={host!r}, port={port!r} ({reason}): "
            "give --port=0 for a free port, or stop the process that has it"
        ) from error
    return made


def allow_port_reuse(listener: socket.socket) -> None:
    """Lets the next server bind the port while connections of this one are in TIME_WAIT."""
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def reachable_cluster(address: str) -> str:
    """The Ray cluster at the RAY_ADDRESS ``address``, as HOST:PORT; "" for none.

    Raises:
        OptionError: the address has another form, or cannot be reached. Ray itself would try for two minutes.
    """
    # "local" is Ray's word for one of its own.
    if address in ("", "local"):
        return ""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in host or not (port.isascii() and port.isdecimal()) or not host:
        raise OptionError(
            f"Expected RAY_ADDRESS to be HOST:PORT of a cluster's head, such as 10.0.0.1:6379, but got {address!r}: "
            "give it in this form, or unset it for a private Ray"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise OptionError(
            f"Expected a Ray cluster at RAY_ADDRESS={address!r}, but it cannot be reached ({error}): start it, or "
            "unset RAY_ADDRESS for a private Ray"
        ) from error
    return address


def _addresses(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise OptionError(
            f"Expected the name or the address of this machine, but got host={host!r} ({error}): give "
            "--host=127.0.0.1, or 0.0.0.0 for all its addresses"
        ) from error
    # Without the zone of a link-local address: "fe80::1%eth0".
    addresses = [str(each[4][0]).partition("%")[0] for each in found]
    # IPv4 first: "localhost" is both, and clients try 127.0.0.1.
    return sorted(set(addresses), key=lambda each: (":" in each, each))
