"""Pictures made ready one by one are what the image processor makes of all at once, and no size is misread."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import torch
from PIL import Image
from transformers import AutoImageProcessor

from pytest_vqamt.models.transformers.checkpoint import Checkpoint as Place
from pytest_vqamt.models.transformers.prompted.image_token_model import PicturePixels, PicturePreprocessor
from pytest_vqamt.models.transformers.runtime import Runtime
from tests.models.transformers.prompted.conftest import CPU, batch
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.transformers.prompted.conftest import Checkpoint


RUNTIME = Runtime.of(CPU)

SETTINGS: dict[str, dict[str, Any]] = {
    "llava": {},
    "llava_next": {},
    "idefics3": {"nested": True, "return_row_col_info": True},
    "qwen2_vl": {},
    "gemma3": {"do_pan_and_scan": False},
}


@each_row("kind", SETTINGS)
@each_row("threads", [1, 3])
def test_one_by_one_is_as_all_at_once(checkpoint: Checkpoint, kind: str, threads: int) -> None:
    images = [each.image for each in batch()[:3]]
    runtime = replace(RUNTIME, device=torch.device("cuda:0"), threads=threads)
    pictures = PicturePreprocessor(Place(folder=checkpoint(kind), name=kind), runtime, **SETTINGS[kind])
    settings = {name: value for name, value in SETTINGS[kind].items() if name != "nested"}
    processor = cast(Any, AutoImageProcessor).from_pretrained(checkpoint(kind), backend="pil")
    nested = [[image] for image in images] if kind == "idefics3" else images
    together = processor(nested, return_tensors="pt", **settings)
    found = PicturePixels.together(pictures.each(images))
    for name, tensor in found.tensors.items():
        torch.testing.assert_close(tensor, torch.as_tensor(together[name]), rtol=0, atol=0)
    assert set(found.tensors) | set(found.lists) == set(together)
    assert found.lists.get("rows", []) == together.get("rows", [])


def test_fewer_parts_are_filled_up_with_zeros() -> None:
    few, many = torch.ones(1, 2, 1), torch.full((1, 1, 3), 5.0)
    joined = PicturePixels.together(
        [PicturePixels.of({"pixels": few, "rows": [[1]]}), PicturePixels.of({"pixels": many, "rows": [[2]]})]
    )
    assert joined.tensors["pixels"].tolist() == [[[1, 0, 0], [1, 0, 0]], [[5, 5, 5], [0, 0, 0]]]
    assert joined.lists["rows"] == [[1], [2]]


@each_row("kind", ["llava", "gemma3", "qwen2_vl", "paligemma", "blip2_opt", "git"])
@each_row("size", [(1, 1), (3, 3), (3, 150), (150, 3), (4, 1)])
def test_rows_are_never_taken_for_colours(checkpoint: Checkpoint, kind: str, size: tuple[int, int]) -> None:
    """A picture three pixels high has as many rows as colours: of one colour, each of its channels has one value."""
    pictures = PicturePreprocessor(Place(folder=checkpoint(kind), name=kind), RUNTIME)
    colour = (200, 100, 30)
    settings = cast(Any, pictures._process)
    expected = [
        (value / 255 - mean) / spread
        for value, mean, spread in zip(colour, settings.image_mean, settings.image_std, strict=True)
    ]
    pixels = pictures.each([Image.new("RGB", size, colour)])[0].tensors["pixel_values"]
    if kind == "qwen2_vl":  # rows of patches: for each channel two frames of eight by eight
        pixels = pixels.reshape(len(pixels), 3, -1).movedim(1, 0).reshape(1, 3, -1)
    for channel, value in zip(pixels[0], expected, strict=True):
        torch.testing.assert_close(channel, torch.full_like(channel, value), rtol=0, atol=2e-2)
