"""How near the adaptive pace of ``openai:`` comes to the best fixed number in flight, where a server limits requests.

A server in a process of its own refuses what exceeds a quota (429, with Retry-After: 1 and without). Aim: 90 % of the
best fixed setting's throughput, with at most 1 % of the requests refused.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from subprocess import PIPE, Popen
from threading import Event

from pytest_vqamt.models.http.retry import run_concurrently
from pytest_vqamt.models.openai.openai_settings import ModelAddress, openai_settings
from pytest_vqamt.models.openai.requests import ChatEndpoint
from pytest_vqamt.models.protocol import ModelOptions
from tools.benchmarks.measuring import show

_SECONDS = 25.0
_ANSWER_S = 0.05

_SERVER = """
import asyncio, sys, time
rate, wait = float(sys.argv[1]), sys.argv[2]
left, before = rate, time.monotonic()
body = b'{"choices": [{"finish_reason": "stop", "message": {"content": "yes"}}]}'

def reply(status, body, extra=""):
    head = f"HTTP/1.1 {status}\\r\\nContent-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n{extra}\\r\\n"
    return head.encode() + body

async def serve(reader, writer):
    global left, before
    try:
        while head := await reader.readuntil(b"\\r\\n\\r\\n"):
            lines = head.lower().split(b"\\r\\n")
            lengths = [line.split(b":")[1] for line in lines if line.startswith(b"content-length")]
            await reader.readexactly(int(lengths[0]))
            now = time.monotonic()
            left, before = min(rate, left + rate * (now - before)), now
            if left >= 1:
                left -= 1
                await asyncio.sleep(0.05)
                writer.write(reply("200 OK", body))
            else:
                writer.write(reply("429 Too Many Requests", b"{}", f"Retry-After: {wait}\\r\\n" if wait != "0" else ""))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


class _Unpaced:
    """Starts each request at once."""

    def start(self, _stop: Event) -> float:
        return time.monotonic()

    def answered(self, _started: float) -> None:
        """Changes nothing."""

    def refused(self, _started: float, _wait_s: float) -> None:
        """Changes nothing."""

    def failed(self) -> None:
        """Changes nothing."""


def _run(rate: float, retry_after: str, in_flight: int, seconds: float, *, is_fixed: bool) -> tuple[float, float]:
    """Answers a second and the share of requests refused, for as many requests as the quota allows in ``seconds``."""
    with Popen([sys.executable, "-c", _SERVER, str(rate), retry_after], stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = ModelAddress.parse(f"m@http://127.0.0.1:{int(server.stdout.readline())}")
            options = ModelOptions(settings={"in-flight": str(in_flight), "retries-s": "600"})
            endpoint = ChatEndpoint(address, openai_settings(options, address))
            if is_fixed:
                endpoint._pace = _Unpaced()  # type: ignore[assignment]  # the setting before there was a pace
            ask: Callable[[int, Event], object] = lambda place, stop: endpoint.complete(  # noqa: E731
                str(place), [{"role": "user", "content": "?"}], 4, stop
            )
            began = time.monotonic()
            count = sum(
                not isinstance(each, Exception) for _, each in run_concurrently(int(rate * seconds), in_flight, ask)
            )
            took_s = time.monotonic() - began
            requests = endpoint.usage.sums()["requests"]
            endpoint.close()
            return count / took_s, 1 - count / requests
        finally:
            server.kill()


def main() -> None:
    rows = []
    for rate in (20, 100, 500):
        for retry_after in ("1", "0"):
            # What the quota allows at once, half of it, twice and three times as much: the best is among them.
            just = max(1, round(rate * _ANSWER_S))
            several = sorted({max(1, just // 2), just, 2 * just, min(64, 3 * just)})
            fixed = {k: _run(rate, retry_after, k, _SECONDS, is_fixed=True) for k in several}
            best = max(fixed, key=lambda k: fixed[k][0])
            best_rate, best_refused = fixed[best]
            found, refused = _run(rate, retry_after, 64, _SECONDS, is_fixed=False)
            print(f"   {rate} a second, Retry-After {retry_after}: {found / best_rate:.2f}", flush=True)
            rows.append(
                (
                    f"{rate} a second, Retry-After {retry_after}",
                    f"{best}",
                    f"{best_rate:.1f}",
                    f"{best_refused:.1%}",
                    f"{found:.1f}",
                    f"{refused:.2%}",
                    f"{found / best_rate:.2f}",
                )
            )
    heads = ("quota", "best in flight", "answers/s", "refused", "adaptive answers/s", "refused", "ratio")
    show("Adaptive pace and the best fixed number in flight", heads, rows)
