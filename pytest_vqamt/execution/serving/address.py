"""Where a server listens, and whether that is this machine alone."""

from __future__ import annotations

import socket
from ipaddress import ip_address

from pytest_vqamt.core.errors import OptionError

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


def bound(host: str, port: int) -> socket.socket:
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


def may_come_back(door: socket.socket) -> None:
    """Lets the next server have the port of this one, though connections of this one may not be forgotten yet."""
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def cluster_at(address: str) -> str:
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
