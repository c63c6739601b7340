"""What the command says of a server."""

from __future__ import annotations

import socket

import pytest

from pytest_vqamt.serving.messages import Progress, Ready
from pytest_vqamt.serving.supervisor import how_to_ask, progress


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


def test_it_tells_that_a_token_is_wanted() -> None:
    ready = Ready(url="http://127.0.0.1:8000", replicas=1, data=())
    told = how_to_ask(ready, wants_token=True)
    assert told == "vqamt: ask it with: VQAMT_SERVE_TOKEN=... pytest --vqamt-model=served:http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("lately", "rate"), [(25_000, "2,500/s"), (104, "10/s"), (96, "9.6/s"), (3, "0.3/s"), (0, "0/s")]
)
def test_a_slow_model_has_a_rate_too(lately: int, rate: str) -> None:
    told = progress(Progress(received=1_234, asked=1_000, lately=lately, since_s=10.0))
    assert told == f"vqamt: 1,234 queries received, 1,000 asked of the model ({rate} in the last 10 s)"
