"""Web pages in a browser on this machine, which reach the loopback, too: told from programs."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_vqamt.models.http.settings import is_on_this_machine


def strange_in(headers: Mapping[bytes, bytes]) -> str:
    """What about a request no program on this machine would send, in words; "" where there is nothing.

    A page of another site says where it comes from. One whose name was made to lead to this machine after it had been
    loaded (DNS rebinding) asks its own site, as the browser sees it, and names that as the host.

    >>> strange_in({b"host": b"127.0.0.1:8000"}), strange_in({b"origin": b"https://a.example"})
    ('', 'one of a web page')
    """
    if b"origin" in headers or headers.get(b"sec-fetch-site", b"none") != b"none":
        return "one of a web page"
    host = headers.get(b"host", b"localhost").decode("latin-1")
    try:
        is_here = is_on_this_machine(f"http://{host}")
    except ValueError:
        is_here = False
    return "" if is_here else f"one for host={host[:80]!r}"
