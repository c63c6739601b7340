"""What is to be served, and how: all that the processes of a server must know."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.base import ModelOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """One server.

    Attributes:
        model: the spec of the model.
        data: the specs of the scene sources whose photos recipes may name.
        settings: what ``--vqamt-option`` gave the model.
        inpaint: the inpainter as the user named it ("lama:PATH"), beside those that need no file; "" for none.
        batch_size, device, dtype, cache: as ``ModelOptions`` has them.
        on_device, reads_meaning, needs_scenes: as the kind of the model has them.
        replicas: how many there are to be; None for one a device.
        wait_ms: how long a batch that is not full waits for more.
        max_bytes: the most that the body of a request may have.
        host, port: where the door is.
        session: names this server among all; a model that does not say what it is is known by it.
        folder: where all files of the server are.
        cluster: the address of the Ray cluster; "" for a Ray of our own.
    """

    model: str
    data: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)
    inpaint: str = ""
    batch_size: int | None = None
    device: str = "auto"
    dtype: str | None = None
    cache: str | None = None
    on_device: bool = False
    reads_meaning: bool = True
    needs_scenes: bool = False
    replicas: int | None = None
    wait_ms: float = 10
    max_bytes: int = 32 * 2**20
    host: str = "127.0.0.1"
    port: int = 8000
    session: str = ""
    folder: str = ""
    cluster: str = ""

    @property
    def model_options(self) -> ModelOptions:
        """What the model is loaded with: a replica sees the one device that is its own."""
        return ModelOptions(
            batch_size=self.batch_size,
            device=self.device.partition(":")[0],
            dtype=self.dtype,
            settings=self.settings,
            cache=None if self.cache is None else Path(self.cache),
        )

    @property
    def url(self) -> str:
        """Where the door is, as ``served:`` takes it."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def application(self) -> str:
        """What the application is called in Ray Serve, where those of others may be."""
        return f"vqamt-{self.session}"

    def as_line(self) -> str:
        """The offer as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> ServeConfig:
        """The offer that ``as_line`` wrote."""
        row = json.loads(line)
        return cls(**{**row, "data": tuple(row["data"])})


_CONNECT_S = 10


def is_loopback(host: str) -> bool:
    """Whether nobody outside of this machine can connect to ``host``.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return all(ip_address(address).is_loopback for address in _addresses(host))
    except OptionError:
        return False


def bind_socket(host: str, port: int) -> socket.socket:
    """A socket at this address that nobody can connect to yet, nor take it from us; port 0 is a free one.

    Before it listens, ``may_come_back`` is to be called: else its port cannot be had again for a minute afterwards.

    Raises:
        OptionError: there is no such address on this machine, or another process has the port.
    """
    address = _addresses(host)[0]
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        # Linux lets several have a port until one of them listens, where all of them say that this is all right.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    except (OSError, OverflowError) as error:
        made.close()
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise OptionError(
            f"Expected an address that this process can listen at, but got host={host!r}, port={port!r} ({reason}): "
            "give --port=0 for a free port, or stop what has it"
        ) from error
    return made


def allow_port_reuse(door: socket.socket) -> None:
    """Lets the next server have the port of this one, though connections of this one may not be forgotten yet."""
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def reachable_cluster(address: str) -> str:
    """The Ray cluster that RAY_ADDRESS names, as HOST:PORT; "" for none. Something answers there.

    Raises:
        OptionError: it has another form, or nothing does. Ray itself would try for two minutes.
    """
    if address in ("", "local"):
        return ""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in host or not port.isdecimal() or not host:
        raise OptionError(
            f"Expected RAY_ADDRESS to be HOST:PORT of a cluster's head, such as 10.0.0.1:6379, but got {address!r}: "
            "name it so, or unset it for a Ray of this server's own"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise OptionError(
            f"Expected a Ray cluster at RAY_ADDRESS={address!r}, but it cannot be reached ({error}): start it, or "
            "unset RAY_ADDRESS for a Ray of this server's own"
        ) from error
    return address


def _addresses(host: str) -> list[str]:
    """What ``host`` stands for; the first is listened at."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise OptionError(
            f"Expected the name or the address of this machine, but got host={host!r} ({error}): give "
            "--host=127.0.0.1, or 0.0.0.0 for all its addresses"
        ) from error
    addresses = [str(each[4][0]).partition("%")[0] for each in found]
    return sorted(set(addresses), key=lambda each: (":" in each, each))
