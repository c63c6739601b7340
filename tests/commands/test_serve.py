"""``vqamt serve`` refuses what cannot be before it starts anything."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.commands import serve
from pytest_vqamt.serving.config import ServeConfig
from pytest_vqamt.serving.supervisor import Supervisor
from tests.rows import each_row


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[ServeConfig]:
    """What was to be served; nothing is."""
    configs: list[ServeConfig] = []

    def run(self: Supervisor, _door: object, _given: object) -> None:
        configs.append(self._config)

    monkeypatch.setattr(Supervisor, "run", run)
    monkeypatch.delenv("VQAMT_SERVE_TOKEN", raising=False)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    return configs


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["--vqamt-model=tinny"], "did you mean 'tiny'?"),
        (["--vqamt-model=fault"], "Expected --model=fault:NAME"),
        (["--vqamt-model=served:http://127.0.0.1:8000"], "which is served already: name the model itself"),
        (["--vqamt-model=tiny", "--vqamt-data=coca:x"], "did you mean 'coco'?"),
        (["--vqamt-model=tiny", "--vqamt-option=x=y"], "Expected --option to name a setting"),
        (["--vqamt-model=tiny", "--vqamt-option=severity=2"], "'severity', which is for relations"),
        (["--vqamt-model=tiny", "--vqamt-option=inpaint=lama:/no/such"], "inpaint='lama:/no/such' (No such file"),
        (["--vqamt-model=tiny", "--vqamt-device=tpu"], "but got --device='tpu'"),
        (
            ["--vqamt-model=tiny", "--vqamt-device=cuda:0+cuda:1"],
            "one --device, since a replica has one, but got 'cuda:0+",
        ),
        (["--vqamt-model=tiny", "--vqamt-batch-size=0"], "Expected --batch-size to be a whole number from 1"),
        (["--vqamt-model=tiny", "--port=\u0663"], "Expected --port to be a whole number from 0 to 65535"),
        (["--vqamt-model=tiny", "--replicas=0"], "Expected --replicas to be a whole number from 1"),
        (["--vqamt-model=tiny", "--replicas=many"], "but got 'many'"),
        (["--vqamt-model=tiny", "--port=70000"], "Expected --port to be a whole number from 0 to 65535"),
        (["--vqamt-model=tiny", "--port=-1"], "but got '-1'"),
        (["--vqamt-model=tiny", "--wait-ms=x"], "Expected --wait-ms to be a whole number"),
        (["--vqamt-model=tiny", "--max-request-mb=0"], "Expected --max-request-mb to be a whole number from 1"),
        (["--vqamt-model=tiny", "--host=192.0.2.77"], "other machines can reach, but got none: make one"),
        (["--vqamt-model=tiny", "--host=0.0.0.0"], "Expected a token in the environment variable VQAMT_SERVE_TOKEN"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_one_line(
    typed: list[str], told: str, capsys: pytest.CaptureFixture[str], started: list[ServeConfig]
) -> None:
    assert main(["serve", *typed]) == 2
    line = capsys.readouterr().err
    assert told in line
    assert line.startswith("vqamt: Expected ")
    assert line.count("\n") == 1
    assert started == []


@pytest.mark.parametrize(
    ("token", "told"),
    [("short", "of 16 characters or more"), ("with blanks in it, and long", "without blanks"), ("ä" * 20, "ASCII")],
)
def test_a_token_that_is_none_is_not_shown(
    token: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VQAMT_SERVE_TOKEN", token)
    assert main(["serve", "--vqamt-model=tiny"]) == 2
    line = capsys.readouterr().err
    assert told in line
    assert token not in line


def test_with_a_token_others_may_come(monkeypatch: pytest.MonkeyPatch, started: list[ServeConfig]) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("VQAMT_SERVE_TOKEN", "x" * 16)
    assert main(["serve", "--vqamt-model=oracle", "--host=0.0.0.0", "--port=0"]) == 0
    assert started[0].host == "0.0.0.0"
    assert "x" * 16 not in started[0].as_line()


def test_a_port_in_use_is_told_before_anything_is_started(
    capsys: pytest.CaptureFixture[str], started: list[ServeConfig]
) -> None:
    pytest.importorskip("ray")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert main(["serve", "--vqamt-model=oracle", f"--port={other.getsockname()[1]}"]) == 2
    assert "Address already in use" in capsys.readouterr().err
    assert started == []


def test_without_ray_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, started: list[ServeConfig]
) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda _name: None)
    assert main(["serve", "--vqamt-model=oracle", "--port=0"]) == 2
    assert capsys.readouterr().err == (
        'vqamt: Expected Ray Serve to be installed, but there is no ray; run: pip install "pytest-vqamt[ray]"\n'
    )
    assert started == []


@pytest.fixture
def _lama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "big-lama.pt").write_bytes(b"weights")
    monkeypatch.chdir(tmp_path)


@each_row(
    "given, sent",
    [((), "png"), (("--vqamt-option=image-format=auto",), "png"), (("--vqamt-option=image-format=jpeg",), "jpeg")],
)
def test_an_endpoint_is_sent_the_pixels_that_clients_send(
    given: tuple[str, ...], sent: str, started: list[ServeConfig]
) -> None:
    pytest.importorskip("ray")
    assert main(["serve", "--vqamt-model=openai:m@http://127.0.0.1:9", *given]) == 0
    assert started[-1].settings == {"image-format": sent}


@pytest.mark.usefixtures("_lama")
def test_all_arguments_are_in_the_configuration(started: list[ServeConfig], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    typed = "--vqamt-data=pictures:7 --vqamt-data=photos:DIR --vqamt-option=inpaint=lama:big-lama.pt --replicas=3"
    more = "--vqamt-batch-size=5 --vqamt-dtype=bfloat16 --vqamt-cache=kept --wait-ms=3 --max-request-mb=2 --port=0"
    assert main(["serve", "--vqamt-model=oracle", *typed.split(), *more.split()]) == 0
    (config,) = started
    assert (config.model, config.data) == ("oracle", ("pictures:7", "photos:DIR"))
    assert config.inpaint == f"lama:{tmp_path}/big-lama.pt"
    assert (config.replicas, config.batch_size, config.dtype) == (3, 5, "bfloat16")
    assert config.cache == f"{tmp_path}/kept"
    assert (config.wait_ms, config.max_bytes) == (3, 2 * 2**20)
    assert config.port > 0
    assert (config.reads_meaning, config.needs_scenes, config.on_device) == (True, True, False)
    assert not Path(config.folder).exists()
