"""Weights are read once for all processes and runs, and a change of them is never missed."""

from __future__ import annotations

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import cache_home
from pytest_vqamt.models.transformers import file_digests
from pytest_vqamt.models.transformers.checkpoint import files_digest
from pytest_vqamt.models.transformers.file_digests import FILE, sha256_of

WEIGHTS = b"weights" * 10


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "kept"))
    monkeypatch.setattr(file_digests, "_WORTH_KEEPING_BYTES", 20)
    monkeypatch.setattr(file_digests, "_known", {})


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read."""
    found: list[Path] = []
    read = file_digests._read

    def counted(path: Path) -> str:
        found.append(path)
        return read(path)

    monkeypatch.setattr(file_digests, "_read", counted)
    return found


def another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_digests, "_known", {})


def test_a_second_process_reads_nothing(tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(WEIGHTS)
    assert sha256_of(file) == sha256(WEIGHTS).hexdigest()
    another_process(monkeypatch)
    assert sha256_of(file) == sha256(WEIGHTS).hexdigest()
    assert reads == [file]


def test_other_weights_of_the_same_size_and_date_are_read(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other = tmp_path / "model.safetensors", tmp_path / "other"
    file.write_bytes(WEIGHTS)
    sha256_of(file)
    before = file.stat()
    other.write_bytes(WEIGHTS.upper())
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(file)
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    another_process(monkeypatch)
    assert sha256_of(file) == sha256(WEIGHTS.upper()).hexdigest()
    assert len(reads) == 2


def test_small_files_are_read_and_not_kept(tmp_path: Path, reads: list[Path]) -> None:
    (tmp_path / "config.json").write_bytes(b"{}")
    assert sha256_of(tmp_path / "config.json") == sha256(b"{}").hexdigest()
    assert not (cache_home() / FILE).exists()


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_may_be_of_any_bytes(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"mod\xe9le.bin")
    file.write_bytes(WEIGHTS)
    assert sha256_of(file) == sha256(WEIGHTS).hexdigest()


def hub_snapshot(folder: Path, blob: str, content: bytes) -> Path:
    """A file of a snapshot in the hub's cache, which links to a blob of this name."""
    blobs, snapshot = folder / "models--org--name" / "blobs", folder / "models--org--name" / "snapshots" / "main"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    (blobs / blob).write_bytes(content)
    (snapshot / "model.safetensors").symlink_to(blobs / blob)
    return snapshot / "model.safetensors"


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_the_hub_has_named_its_large_files_by_their_digest(tmp_path: Path, reads: list[Path]) -> None:
    digest = sha256(WEIGHTS).hexdigest()
    file = hub_snapshot(tmp_path / "hub", digest, WEIGHTS)
    assert sha256_of(file) == digest
    assert reads == []
    # The fingerprint is that of the same files in a plain folder.
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / file.name).write_bytes(WEIGHTS)
    assert files_digest(file.parent) == files_digest(plain)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
@pytest.mark.parametrize("blob", ["a" * 40, "A" * 64, "a" * 63 + "g", "a" * 64 + ".incomplete"])
def test_other_names_of_blobs_say_nothing(tmp_path: Path, reads: list[Path], blob: str) -> None:
    assert sha256_of(hub_snapshot(tmp_path, blob, WEIGHTS)) == sha256(WEIGHTS).hexdigest()
    assert len(reads) == 1


def test_a_user_may_name_a_file_by_anything(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    file = tmp_path / "blobs" / ("a" * 64)
    file.write_bytes(WEIGHTS)
    assert sha256_of(file) == sha256(WEIGHTS).hexdigest()


def test_one_reads_and_the_others_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(WEIGHTS)
    read, started, go_on, reads = file_digests._read, threading.Event(), threading.Event(), []

    def slow(path: Path) -> str:
        reads.append(path)
        started.set()
        assert go_on.wait(60)
        return read(path)

    monkeypatch.setattr(file_digests, "_read", slow)
    key = file_digests._key(file)
    with ThreadPoolExecutor(2) as pool:
        # Not sha256_of, whose memory threads share and processes do not.
        first = pool.submit(file_digests._kept, file, key)
        assert started.wait(60)
        second = pool.submit(file_digests._kept, file, key)
        go_on.set()
        assert first.result() == second.result() == sha256(WEIGHTS).hexdigest()
    assert len(reads) == 1


@pytest.mark.parametrize("kept", ["", "5", "a" * 65])
def test_a_damaged_digest_is_replaced(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    file = tmp_path / "model.safetensors"
    file.write_bytes(WEIGHTS)
    sha256_of(file)
    with closing(sqlite3.connect(cache_home() / FILE, isolation_level=None)) as db:
        db.execute("update digests set sha256 = ?", (kept,))
    for _ in range(2):
        another_process(monkeypatch)
        assert sha256_of(file) == sha256(WEIGHTS).hexdigest()
    assert len(reads) == 2


@pytest.mark.skipif(os.name == "nt", reason="a file where a folder should be gives another error there")
def test_without_a_folder_nothing_is_kept_or_told(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_text("")
    file = tmp_path / "model.safetensors"
    file.write_bytes(WEIGHTS)
    for _ in range(2):
        another_process(monkeypatch)
        assert sha256_of(file) == sha256(WEIGHTS).hexdigest()
    assert len(reads) == 2
