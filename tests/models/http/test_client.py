"""The client of one server."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from pytest_vqamt.models.http.client import HttpClient, HttpResponse
from pytest_vqamt.models.http.retry import StoppedError
from pytest_vqamt.models.http.settings import ApiKey
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
