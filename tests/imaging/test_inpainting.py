"""Inpainters by their names: what a setting means, what is lacking, what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import OptionError, RenderError
from pytest_vqamt.imaging import inpainting
from pytest_vqamt.imaging.inpainting import checkpoint_of, inpaint, lacking, method_of
from tests.rows import each_row

IMAGE = Image.effect_noise((30, 20), 60).convert("RGB")


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(_name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(inpainting, "_is_installed", lambda module: find_nothing(module) is not None)


@each_row("setting", ["telea", "biharmonic"])
def test_a_method_without_a_checkpoint_is_its_own_name(setting: str) -> None:
    assert method_of(setting) == setting


def test_a_checkpoint_is_named_by_its_content_not_its_path(tmp_path: Path) -> None:
    one, other = tmp_path / "one.pt", tmp_path / "b: another.pt"
    one.write_bytes(b"weights" * 300_000)
    other.write_bytes(b"weights" * 300_000)
    named = "lama:" + hashlib.sha256(b"weights" * 300_000).hexdigest()[:16]
    assert method_of(f"lama:{one}") == named
    assert checkpoint_of(named.removeprefix("lama:")) == one
    assert method_of(f"lama:{other}") == named


def test_a_checkpoint_that_changed_has_another_name(tmp_path: Path) -> None:
    file = tmp_path / "weights.pt"
    file.write_bytes(b"old")
    old = method_of(f"lama:{file}")
    file.write_bytes(b"newer")
    assert method_of(f"lama:{file}") != old


def test_a_checkpoint_is_read_once_and_found_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("once.pt")
    file.write_bytes(b"read once")
    method = method_of("lama:once.pt")
    reads: list[Path] = []
    monkeypatch.setattr(Path, "open", lambda path, *_: reads.append(path))
    assert method_of("lama:once.pt") == method
    assert reads == []
    assert checkpoint_of(method.partition(":")[2]) == tmp_path / "once.pt"


def test_a_checkpoint_at_home_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "weights.pt").write_bytes(b"weights")
    assert method_of("lama:~/weights.pt") == method_of(f"lama:{tmp_path / 'weights.pt'}")


@each_row(
    "setting, reason",
    [
        ("telia", r"got inpaint='telia'; did you mean 'telea'\?"),
        ("telea:5", r"got inpaint='telea:5'$"),
        ("telea:", r"got inpaint='telea:'$"),
        ("lama", r"got inpaint='lama'$"),
        ("lama:", r"got inpaint='lama:'$"),
        ("", r"got inpaint=''"),
    ],
)
def test_a_setting_that_is_no_inpainter_is_refused(setting: str, reason: str) -> None:
    with pytest.raises(OptionError, match="Expected inpaint=telea, biharmonic or lama:PATH, but " + reason):
        method_of(setting)


def test_a_checkpoint_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match=r"TorchScript checkpoint.*no\.pt' \(No such file or directory\): give a file"
    ):
        method_of(f"lama:{tmp_path / 'no.pt'}")
    with pytest.raises(OptionError, match=r"Expected inpaint=lama:PATH .*: give a file that can be read"):
        method_of(f"lama:{tmp_path}")


@each_row("method, sentence", [
        ("telea", "inpainting by telea needs OpenCV; run: pip install 'pytest-vqamt[inpaint]'"),
        ("biharmonic", "inpainting by biharmonic needs scikit-image; run: pip install 'pytest-vqamt[inpaint]'"),
        ("lama:0123456789abcdef", "inpainting by lama:0123456789abcdef needs PyTorch; run: "
         "pip install 'pytest-vqamt[transformers]'"),
    ])  # fmt: skip
@pytest.mark.usefixtures("nothing_installed")
def test_what_is_lacking_is_said_with_the_command(method: str, sentence: str) -> None:
    assert lacking(method) == sentence
    with pytest.raises(RenderError) as raised:
        inpaint(IMAGE, Box(3, 3, 4, 4), method)
    assert str(raised.value) == f"Expected what erasing by inpainting needs, but {sentence}"


def test_nothing_is_lacking_of_what_is_installed() -> None:
    # A module of the standard library stands for an installed one.
    assert inpainting._is_installed("json")
    assert not inpainting._is_installed("no_such_module_anywhere")


@each_row("method", ["", "magic"])
def test_an_unknown_method_is_refused(method: str) -> None:
    with pytest.raises(
        RenderError, match=rf"Expected an inpainter \(telea, biharmonic, lama\), but got method='{method}'"
    ):
        inpaint(IMAGE, Box(3, 3, 4, 4), method)


def test_a_checkpoint_that_nobody_gave_is_asked_for() -> None:
    with pytest.raises(RenderError, match=r"got digest='00000000deadbeef'.*give --vqamt-option inpaint=lama:PATH"):
        checkpoint_of("00000000deadbeef")


def test_a_hole_as_large_as_the_picture_is_refused() -> None:
    pytest.importorskip("cv2")
    with pytest.raises(RenderError, match="Expected a hole that leaves some of the picture"):
        inpaint(IMAGE, Box(-1, -1, 99, 99), "telea")


def test_a_hole_outside_the_picture_changes_nothing() -> None:
    pytest.importorskip("cv2")
    after = inpaint(IMAGE, Box(40, 40, 5, 5), "telea")
    assert after is not IMAGE
    assert after.tobytes() == IMAGE.tobytes()


def test_importing_it_brings_nothing_that_draws() -> None:
    code = "import json, sys, pytest_vqamt.imaging.inpainting; print(json.dumps(list(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    loaded = {name.partition(".")[0] for name in json.loads(ran.stdout)}
    assert loaded & {"cv2", "skimage", "torch", "numpy", "PIL"} == set()
