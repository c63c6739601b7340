"""The detector is fetched whole or not at all, from a server that really answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn import loading
from pytest_vqamt.models.region_models.frcnn.loading import find_detector, load_detector

CONTENT = {"config.yaml": b"input:\n  min_size_test: 600\n", "pytorch_model.bin": bytes(range(256)) * 9000}


@dataclass(slots=True)
class Server:
    """Serves files; what it was asked for, and what it does wrong with the weights."""

    address: str
    files: dict[str, bytes]
    asked: list[str] = field(default_factory=list)
    status: int = 200
    cut_at: int | None = None


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rpartition("/")[2]
            said.asked.append(self.path)
            content = said.files.get(name, b"")
            status = 404 if not content else said.status
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if name == "config.yaml" else content[: said.cut_at])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so it is called
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        said = Server(f"http://127.0.0.1:{httpd.server_port}/unc-nlp/frcnn", dict(CONTENT))
        thread = threading.Thread(target=httpd.serve_forever, args=(0.05,))
        thread.start()
        yield said
        httpd.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, to which the server's files go."""
    monkeypatch.setattr(loading, "ADDRESS", server.address)
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path))
    return tmp_path / "detector"


def fetched() -> Path:
    return find_detector(None, ModelOptions(settings={"detector": "download"})).weights


def visible(folder: Path) -> list[str]:
    """The names of what is in a folder, the lock left out."""
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_both_files_are_fetched_once(server: Server, folder: Path) -> None:
    assert fetched() == folder / "pytorch_model.bin"
    assert {name: (folder / name).read_bytes() for name in visible(folder)} == CONTENT
    fetched()
    assert server.asked == ["/unc-nlp/frcnn/config.yaml", "/unc-nlp/frcnn/pytorch_model.bin"]


def test_what_is_interrupted_leaves_no_half_file_and_is_begun_anew(server: Server, folder: Path) -> None:
    server.cut_at = 1_100_000
    with pytest.raises(ModelError, match=r"1100000 of the 2304000 bytes of pytorch_model\.bin.*detector=FOLDER"):
        fetched()
    assert visible(folder) == ["config.yaml"]
    server.cut_at = None
    assert fetched().read_bytes() == CONTENT["pytorch_model.bin"]


@pytest.mark.parametrize("status", [403, 500])
def test_a_server_that_refuses_is_told(server: Server, folder: Path, status: int) -> None:
    server.status = status
    with pytest.raises(ModelError, match=rf"{server.address} into .* got: HTTP Error {status}"):
        fetched()
    assert visible(folder) == []


def test_no_server_at_all_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "ADDRESS", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match=r"Expected to fetch .* by other means") as error:
        fetched()
    assert "\n" not in str(error.value)


def test_several_at_once_fetch_it_once(server: Server, folder: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: fetched().read_bytes(), range(4)))
    assert found == [CONTENT["pytorch_model.bin"]] * 4
    assert len(server.asked) == 2


def test_what_is_fetched_is_loaded(server: Server, folder: Path, narrow: Path) -> None:
    server.files = {name: (narrow / name).read_bytes() for name in CONTENT}
    detector = load_detector(ModelOptions(device="cpu", settings={"detector": "download"}))
    assert len(detector.find(Image.new("RGB", (60, 40), "red")).features) > 0
