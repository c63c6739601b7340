"""What one process tells the other is understood, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.ray_backend import process_environment
from pytest_vqamt.serving.supervisor import Progress, Ready, StartupFailed, StatusMessage, read_status_message
from tests.rows import each_row

OURS = ServeConfig(model="tiny", data=(), folder="/f")


@each_row(
    "told",
    [
        Ready(url="http://127.0.0.1:8000", replicas=2, data=("pictures:500", "coco:/x")),
        StartupFailed(reason="Expected 'weights'\\n"),
        Progress(received=10, asked=5, recent=2, since_s=10.5),
    ],
)
def test_it_comes_as_it_went(told: StatusMessage) -> None:
    line = msgspec.json.encode(told)
    assert b"\n" not in line
    assert read_status_message(line) == told


@each_row("line", [b"", b"{", b'{"type":"Ready"', b'{"type":"Ready"}', b"[]", b"7", b"\xff", b"Traceback"])
def test_half_a_line_is_nothing(line: bytes) -> None:
    assert read_status_message(line) is None


def test_an_offer_comes_as_it_went() -> None:
    offer = ServeConfig(
        model="tiny", data=("pictures", "coco:DIR"), settings={"a": "b"}, batch_size=3, host="::1", port=5
    )
    assert ServeConfig.from_line(offer.as_line()) == offer
    assert offer.url == "http://[::1]:5"


def test_a_ray_of_our_own_is_private_and_knows_no_token_of_ours() -> None:
    given = {
        "PATH": "/bin",
        "VQAMT_SERVE_TOKEN": "secret",
        "VQAMT_OPENAI_KEY": "of the model",
        "RAY_ADDRESS": "elsewhere:1",
        "RAY_AUTH_TOKEN": "of elsewhere",
    }
    made = process_environment(given, OURS)
    assert "VQAMT_SERVE_TOKEN" not in made
    assert "RAY_ADDRESS" not in made
    assert made["VQAMT_OPENAI_KEY"] == "of the model"
    assert made["RAY_AUTH_MODE"] == "token"
    assert len(made["RAY_AUTH_TOKEN"]) == 64
    assert made["RAY_AUTH_TOKEN"] != process_environment(given, OURS)["RAY_AUTH_TOKEN"]
    assert made["TMPDIR"] == "/f"
    assert made["RAY_USAGE_STATS_ENABLED"] == "0"


def test_at_a_cluster_its_own_token_holds() -> None:
    given = {"RAY_ADDRESS": "head:6379", "RAY_AUTH_TOKEN": "of the cluster", "VQAMT_SERVE_TOKEN": "secret"}
    made = process_environment(given, replace(OURS, cluster="head:6379", replicas=4))
    assert made["RAY_AUTH_TOKEN"] == "of the cluster"
    assert "VQAMT_SERVE_TOKEN" not in made
    assert "TMPDIR" not in made


def test_a_users_own_number_of_threads_holds() -> None:
    assert process_environment({"OMP_NUM_THREADS": "3"}, OURS)["OMP_NUM_THREADS"] == "3"
    assert process_environment({}, replace(OURS, replicas=10_000))["OMP_NUM_THREADS"] == "1"


@each_row(
    "device, visible, made",
    [
        ("auto", None, None),
        ("cuda", "4,5", "4,5"),
        ("cuda:1", None, "1"),
        ("cuda:1", "4,5", "5"),
        ("cuda:1", "", "1"),
        ("cuda:3", "4,5", "3"),
    ],
)
def test_one_device_of_several_is_the_one_that_is_seen(device: str, visible: str | None, made: str | None) -> None:
    given = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    offer = replace(OURS, device=device)
    assert process_environment(given, offer).get("CUDA_VISIBLE_DEVICES") == made
    assert offer.model_options.device == device.partition(":")[0]
