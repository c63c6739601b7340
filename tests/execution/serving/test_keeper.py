"""What the command says of a server."""

from __future__ import annotations

import socket

import pytest

from pytest_vqamt.execution.serving.keeper import how_to_ask
from pytest_vqamt.execution.serving.told import Ready


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://0.0.0.0:8000", f"http://{socket.gethostname()}:8000"),
        ("http://[::]:8000", f"http://{socket.gethostname()}:8000"),
    ],
)
def test_it_tells_how_to_ask(url: str, named: str) -> None:
    ready = Ready(url=url, replicas=1, data=("pictures:20", "gqa:my data"))
    assert how_to_ask(ready) == (
        f"vqamt: ask it with: pytest --vqamt-model=served:{named} --vqamt-data=pictures:20 '--vqamt-data=gqa:my data'"
    )
