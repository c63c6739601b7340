"""A checkpoint is a folder or a name on the hub; what cannot be found is told in one line, at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from logging import ERROR, INFO
from pathlib import Path
from threading import Barrier, Thread

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError
from transformers.utils import logging

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers import checkpoint
from pytest_vqamt.models.transformers.checkpoint import locate_checkpoint
from pytest_vqamt.models.transformers.runtime import quiet
from tests.rows import each_row

_OFFLINE = """
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.transformers.checkpoint import locate_checkpoint
try:
    locate_checkpoint("no-such/model", default="", kind="vilt")
except ModelError as error:
    print(error)
"""


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    found = locate_checkpoint(str(tmp_path), default="org/name", kind="vilt")
    assert (found.folder, found.name) == (tmp_path, str(tmp_path))


def test_a_folder_may_look_like_a_hub_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs" / "last").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert locate_checkpoint("runs/last", default="org/name", kind="vilt").folder == Path("runs/last")


def test_home_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert locate_checkpoint("~/model", default="", kind="vilt").folder == tmp_path / "model"


@each_row("argument", ["./nothing", "/no/such/folder", "~/nothing-there", "~nobody/x", "nothing", "a/b/c", "a" * 700])
def test_what_is_no_folder_and_no_name_is_refused(argument: str) -> None:
    with pytest.raises(ModelError, match=rf"Expected vilt:PATH .* got 'vilt:{argument}': that is no such folder"):
        locate_checkpoint(argument, default="", kind="vilt")


def test_a_setting_is_told_as_it_is_typed() -> None:
    typed = "--vqamt-option boxes="
    with pytest.raises(ModelError, match=f"Expected {typed}PATH .*, or {typed}ORG/NAME .* got '{typed}nothing': that"):
        locate_checkpoint("nothing", default="", kind="boxes", typed=typed)


def test_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    file.touch()
    with pytest.raises(ModelError, match="that is a file"):
        locate_checkpoint(str(file), default="", kind="vilt")


def test_without_a_network_it_is_told_at_once(tmp_path: Path) -> None:
    """In a process of its own: the hub client reads its settings when it is imported."""
    env = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PATH": ""}
    run = subprocess.run([sys.executable, "-c", _OFFLINE], env=env, capture_output=True, text=True, check=True)
    assert "Expected model 'no-such/model' in the hub's cache, since HF_HUB_OFFLINE is set" in run.stdout
    assert "hf download no-such/model" in run.stdout
    assert run.stdout.count("\n") == 1


class Hub:
    """A hub that has some files, and of which some are in the cache."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, files: list[str]) -> None:
        self.folder = folder
        self.fetched: list[tuple[str, str | None, tuple[str, ...]]] = []
        self.error: Exception | None = None
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        monkeypatch.setattr(huggingface_hub, "list_repo_files", lambda _repo, **_revision: files)
        monkeypatch.setattr(huggingface_hub, "snapshot_download", self.snapshot)

    def snapshot(
        self,
        repo: str,
        *,
        revision: str | None = None,
        local_files_only: bool = False,
        allow_patterns: list[str] | None = None,
    ) -> str:
        if local_files_only:
            if not self.folder.exists():
                raise LocalEntryNotFoundError("not in the cache")
            return str(self.folder)
        if self.error:
            raise self.error
        self.fetched.append((repo, revision, tuple(allow_patterns or ())))
        return str(self.folder)


def test_a_model_of_the_hub_is_fetched_without_its_weights_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(monkeypatch, tmp_path / "gone", ["config.json", "model.safetensors", "pytorch_model.bin"])
    assert locate_checkpoint("", default="org/name@v1.2", kind="vilt").folder == hub.folder
    ((repo, revision, patterns),) = hub.fetched
    assert (repo, revision) == ("org/name", "v1.2")
    assert "*.safetensors" in patterns
    assert not any("bin" in pattern for pattern in patterns)


def test_older_weights_are_fetched_where_there_are_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, tmp_path / "gone", ["config.json", "pytorch_model.bin"])
    locate_checkpoint("org/name", default="", kind="vilt")
    assert "pytorch_model*.bin" in hub.fetched[0][2]


def test_what_is_in_the_cache_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, tmp_path, [])
    for name in ("config.json", "model.safetensors", "preprocessor_config.json"):
        (tmp_path / name).touch()
    assert locate_checkpoint("org/name", default="", kind="vilt").folder == tmp_path
    assert hub.fetched == []


SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


def cached(folder: Path, *names: str) -> None:
    """Weights in two files, of which the names are there, with all that goes with them."""
    index = json.dumps({"weight_map": {"a": SHARDS[0], "b": SHARDS[1], "c": SHARDS[0]}})
    (folder / "model.safetensors.index.json").write_text(index)
    for name in ("config.json", "preprocessor_config.json", *names):
        (folder / name).touch()


def test_a_download_that_was_interrupted_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, tmp_path, ["config.json", *SHARDS])
    cached(tmp_path, SHARDS[0])
    locate_checkpoint("org/name", default="", kind="hf")
    assert len(hub.fetched) == 1
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"in the hub's cache, .* but it is not there, or not whole"):
        locate_checkpoint("org/name", default="", kind="hf")
    cached(tmp_path, *SHARDS)
    locate_checkpoint("org/name", default="", kind="hf")
    monkeypatch.delenv("HF_HUB_OFFLINE")
    locate_checkpoint("org/name", default="", kind="hf")
    assert len(hub.fetched) == 1


@each_row("index", ["", "{", "[]", "{}", '{"weight_map": []}', '{"weight_map": {}}'])
def test_an_index_that_is_cut_short_is_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: str
) -> None:
    hub = Hub(monkeypatch, tmp_path, ["config.json", *SHARDS])
    cached(tmp_path, *SHARDS)
    (tmp_path / "model.safetensors.index.json").write_text(index)
    locate_checkpoint("org/name", default="", kind="hf")
    assert len(hub.fetched) == 1


def test_an_index_of_older_weights_wants_none_of_them_beside_newer_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(monkeypatch, tmp_path, [])
    cached(tmp_path, "model.safetensors")
    (tmp_path / "model.safetensors.index.json").rename(tmp_path / "pytorch_model.bin.index.json")
    assert locate_checkpoint("org/name", default="", kind="hf").folder == tmp_path
    assert hub.fetched == []


def test_weights_alone_are_another_programs_unless_they_are_published_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(monkeypatch, tmp_path, ["config.json", "model.safetensors"])
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).touch()
    locate_checkpoint("org/name", default="", kind="lxmert", required=())
    assert hub.fetched == []
    locate_checkpoint("org/name", default="", kind="hf")
    assert len(hub.fetched) == 1


def test_a_cache_with_the_configuration_alone_is_filled_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, tmp_path, ["config.json", "model.safetensors"])
    (tmp_path / "config.json").touch()
    locate_checkpoint("org/name", default="", kind="vilt")
    assert len(hub.fetched) == 1


def test_a_download_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(monkeypatch, tmp_path / "gone", ["model.safetensors"])
    hub.error = OSError("cannot reach\nthe hub")
    with pytest.raises(ModelError) as told:
        locate_checkpoint("org/name", default="", kind="vilt")
    assert "Expected to fetch model 'org/name' from the hub, but: cannot reach the hub." in str(told.value)
    assert "HF_HUB_OFFLINE=1" in str(told.value)
    assert "\n" not in str(told.value)


def test_the_words_that_switch_the_network_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for word, off in (("1", True), ("true", True), ("ON", True), ("0", False), ("", False)):
        monkeypatch.setenv("HF_HUB_OFFLINE", word)
        assert checkpoint._offline_by() == ("HF_HUB_OFFLINE" if off else "")
    # As in huggingface_hub, the older name counts where the other has no value.
    monkeypatch.setenv("TRANSFORMERS_OFFLINE", "1")
    assert checkpoint._offline_by() == "TRANSFORMERS_OFFLINE"
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    assert checkpoint._offline_by() == ""


@pytest.fixture(autouse=True)
def _loud() -> Iterator[None]:
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_info()  # type: ignore[no-untyped-call]  # transformers does not annotate it
    logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    yield
    logging.set_verbosity(level)
    if not bars:
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above


def settings() -> tuple[int, bool]:
    return logging.get_verbosity(), logging.is_progress_bar_enabled()


LOUD, QUIET = (INFO, True), (ERROR, False)


def test_it_is_quiet_within_and_as_before_afterwards() -> None:
    with quiet():
        assert settings() == QUIET
        with quiet():
            assert settings() == QUIET
        assert settings() == QUIET
    assert settings() == LOUD


def test_the_first_to_come_may_be_the_first_to_leave() -> None:
    """The second would put back the silence that it found, for good, if each put back what it had found."""
    entered, left = Barrier(2, timeout=10), Barrier(2, timeout=10)
    found: list[tuple[int, bool]] = []

    def second() -> None:
        with quiet():
            entered.wait()
            left.wait()
            found.append(settings())

    other = Thread(target=second)
    with quiet():
        other.start()
        entered.wait()
    left.wait()
    other.join()
    assert found == [QUIET]
    assert settings() == LOUD


def test_an_exception_ends_it_too() -> None:
    with pytest.raises(ValueError, match="too loud"), quiet():
        raise ValueError("too loud")
    assert settings() == LOUD
