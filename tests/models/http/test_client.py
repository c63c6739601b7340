"""The client of one server."""

from __future__ import annotations

import socket
import time
from threading import Event, Thread

import pytest

from pytest_vqamt.models.http.client import HttpClient, HttpResponse
from pytest_vqamt.models.http.http_settings import ApiKey
from pytest_vqamt.models.http.retry import StoppedError, TransientError
from tests.models.openai.stub import Reply, Request, Stub, said

pytest.importorskip("httpx2")


def test_a_request_in_flight_is_answered_before_its_client_closes_the_connections() -> None:
    arrived, closed = Event(), Event()

    def script(_request: Request) -> Reply:
        arrived.set()
        assert closed.wait(10)
        return said("yes")

    responses: list[HttpResponse] = []
    with Stub(script) as server:
        client = HttpClient(server.url, ApiKey(""), timeout_s=10, connections=2)
        asking = Thread(target=lambda: responses.append(client.post(b"{}")))
        asking.start()
        assert arrived.wait(10)
        client.close()
        closed.set()
        asking.join(10)
        assert [response.status for response in responses] == [200]
        with pytest.raises(StoppedError):
            client.post(b"{}")
        assert len(server.requests) == 1
        assert client._http.is_closed, "or a connection would stay open"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"a"),
    ],
    ids=["headers", "100 Continue", "body"],
)
def test_a_reply_that_drips_is_ended_in_time(first: bytes, again: bytes) -> None:
    ended = Event()

    def drip(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(first)
            while not ended.wait(0.05):
                try:
                    connection.sendall(again)
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=drip, args=[server], daemon=True).start()
        client = HttpClient(f"http://127.0.0.1:{server.getsockname()[1]}", ApiKey(""), timeout_s=0.5, connections=1)
        began = time.monotonic()
        with pytest.raises(TransientError, match=r"no whole reply within timeout-s=0\.5"):
            client.post(b"{}")
        assert time.monotonic() - began < 10, "it would go on for ever"
        ended.set()
        client.close()
