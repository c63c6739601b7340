"""Each inpainter fills the hole from what is around it, and no inpainter can change anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.edits import Erase, Fill
from pytest_vqamt.core.errors import RenderError
from pytest_vqamt.imaging import inpainters
from pytest_vqamt.imaging.inpainting import inpaint, method_of
from pytest_vqamt.imaging.pixel_edits import erase
from tests.imaging.random_images import Values, boxes, images, touched, values
from tests.rows import each_row

cv2 = pytest.importorskip("cv2")
pytest.importorskip("skimage")

methods = pytest.mark.parametrize("method", ["telea", "biharmonic"])


@methods
@given(image=images(least=2), box=boxes())
def test_nothing_outside_the_hole_changes(method: str, image: Image.Image, box: Box) -> None:
    hole = touched((box,), image)
    assume(not hole.all())
    before = values(image).copy()
    after = values(inpaint(image, box, method))
    assert after.dtype == np.uint8
    assert (after[~hole] == before[~hole]).all()
    assert (values(image) == before).all()
    assert (values(inpaint(image, box, method)) == after).all()


# OpenCV rounds each pixel from pixels that it has rounded, which adds up on the way inwards.
@each_row("method, off_by", [("telea", 5), ("biharmonic", 1)])
@given(colour=st.tuples(*[st.integers(0, 255)] * 3), box=boxes())
def test_one_colour_goes_on(method: str, off_by: int, colour: tuple[int, int, int], box: Box) -> None:
    image = Image.new("RGB", (20, 15), colour)
    assume(not touched((box,), image).all())
    assert np.abs(values(inpaint(image, box, method)).astype(int) - colour).max() <= off_by


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 80), st.integers(0, 60), st.integers(1, 40), st.integers(1, 30)
)  # fmt: skip
def test_telea_on_a_piece_is_telea_on_the_whole_picture(seed: int, x: int, y: int, width: int, height: int) -> None:
    noise = np.random.default_rng(seed).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    hole = np.zeros((60, 80), np.uint8)
    hole[y : y + height, x : x + width] = 1
    expected = cv2.inpaint(noise, hole, inpainters.TELEA_RADIUS_PX, cv2.INPAINT_TELEA) if hole.any() else noise
    after = values(inpaint(Image.fromarray(noise), Box(x, y, width, height), "telea"))
    assert (after[hole == 1] == expected[hole == 1]).all()


def test_biharmonic_continues_a_slope() -> None:
    ys, xs = np.mgrid[:60, :80]
    slope = np.stack([2 * xs + ys, 3 * ys, 250 - xs - 2 * ys], axis=-1).astype(np.uint8)
    after = values(inpaint(Image.fromarray(slope), Box(30, 20, 25, 18), "biharmonic"))
    assert np.abs(after.astype(int) - slope).max() <= 1


def test_what_an_inpainter_gives_outside_the_hole_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainters, "telea", lambda image, _hole: 255 - image)
    image = Image.effect_noise((40, 30), 60).convert("RGB")
    after = values(inpaint(image, Box(5.5, 6, 10, 7.2), "telea"))
    hole = np.zeros((30, 40), np.bool_)
    hole[6:14, 5:16] = True
    assert (after[hole] == 255 - values(image)[hole]).all()
    assert (after[~hole] == values(image)[~hole]).all()


def _smaller(image: Values, _hole: Values) -> Values:
    return image[1:]


def _as_floats(image: Values, _hole: Values) -> object:
    return image / 255


@each_row("broken", [_smaller, _as_floats])
def test_an_inpainter_that_gives_no_picture_is_refused(broken: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainters, "telea", broken)
    with pytest.raises(
        RenderError, match=r"Expected the inpainter to give uint8 values of shape=\(14, 14, 3\), but got"
    ):
        inpaint(Image.new("RGB", (40, 30)), Box(0, 0, 7, 7), "telea")


# LaMa with a small network of the same layout.

torch = pytest.importorskip("torch")

# Fills the hole with the mean of what is around it, and changes everything else too. It refuses what big-lama.pt would.
NETWORK = """
def forward(self, image, mask):
    assert image.dim() == 4 and mask.dim() == 4
    assert image.size(0) == 1 and image.size(1) == 3 and mask.size(1) == 1
    assert image.size(2) % 8 == 0 and image.size(3) % 8 == 0 and image.size(2) == mask.size(2)
    assert float(image.max()) <= 1.0 and float(((mask != 0.0) & (mask != 1.0)).sum()) == 0.0
    known = 1.0 - mask
    mean = (image * known).sum(dim=[2, 3], keepdim=True) / known.sum(dim=[2, 3], keepdim=True)
    return mean * mask + (1.0 - image) * known
"""
NO_NETWORK = """
def forward(self, image):
    return image
"""


def saved(code: str, file: Path) -> str:
    """The setting that names the network of this code, once it is in the file."""
    # Each of its own class: the methods of a class are defined once.
    network: Any = type(file.stem.title(), (torch.jit.ScriptModule,), {})()
    network.define(code)
    network.save(str(file))
    return f"lama:{file}"


@pytest.fixture(scope="module")
def method(tmp_path_factory: pytest.TempPathFactory) -> str:
    return method_of(saved(NETWORK, tmp_path_factory.mktemp("lama") / "small.pt"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(image=images(least=2), box=boxes())
def test_the_network_sees_the_picture_and_fills_the_hole_alone(method: str, image: Image.Image, box: Box) -> None:
    hole = touched((box,), image)
    assume(hole.any() and not hole.all())
    before = values(image)
    after = values(inpaint(image, box, method))
    assert (after[~hole] == before[~hole]).all()
    # Mirrored up to a multiple of 8, at the right and lower edge.
    height, width = hole.shape
    more = ((0, -height % 8), (0, -width % 8))
    padded, missing = np.pad(before, (*more, (0, 0)), mode="symmetric"), np.pad(hole, more, mode="symmetric")
    assert np.abs(after[hole] - padded[~missing].mean(axis=0)).max() <= 1


def test_an_erase_carries_the_method(method: str) -> None:
    edit = Erase(box=Box(4, 4, 8, 8), fill=Fill.INPAINT, method=method)
    erased = values(erase(Image.new("RGB", (30, 20), (10, 200, 90)), edit))
    assert (erased == (10, 200, 90)).all()


def test_a_checkpoint_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = method_of(saved(NETWORK, tmp_path / "once.pt"))
    loads: list[Path] = []
    load = torch.jit.load

    def counted(file: Path, map_location: str) -> object:
        loads.append(file)
        return load(file, map_location=map_location)

    monkeypatch.setattr(torch.jit, "load", counted)
    for _ in range(3):
        inpaint(Image.new("RGB", (30, 20)), Box(4, 4, 8, 8), own)
    assert loads == [tmp_path / "once.pt"]


def test_a_file_that_is_no_torchscript_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.pt"
    file.write_bytes(b"not a network")
    with pytest.raises(
        RenderError, match=r"Expected a TorchScript checkpoint \(big-lama.pt\).*which torch cannot load"
    ):
        inpaint(Image.new("RGB", (30, 20)), Box(4, 4, 8, 8), method_of(f"lama:{file}"))


def test_a_network_of_another_layout_is_refused(tmp_path: Path) -> None:
    other = method_of(saved(NO_NETWORK, tmp_path / "other.pt"))
    with pytest.raises(RenderError, match=r"Expected a network that takes an image and a hole.*other\.pt"):
        inpaint(Image.new("RGB", (30, 20)), Box(4, 4, 8, 8), other)
