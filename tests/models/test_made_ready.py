"""Pictures are made ready in their order, several at a time for a GPU alone."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
import torch
from PIL import Image

from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.transformers import inputs as module
from pytest_vqamt.models.transformers.inputs import preprocess_images, preprocessing_threads
from pytest_vqamt.models.transformers.runtime import Runtime

CPU = Runtime.of(ModelOptions(device="cpu"))
CUDA = replace(CPU, device=torch.device("cuda:0"))
IMAGES = [Image.new("RGB", (width, 1)) for width in range(1, 21)]


def test_a_gpu_is_not_kept_waiting_for_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "available_cores", lambda: 16)
    assert preprocessing_threads(CPU) == 1
    assert preprocessing_threads(CUDA) == 8
    assert preprocessing_threads(replace(CUDA, threads=4)) == 4


@pytest.mark.parametrize(("runtime", "at_once"), [(CPU, 1), (replace(CUDA, threads=3), 3)])
def test_each_comes_out_in_its_place(runtime: Runtime, at_once: int) -> None:
    """Three wait for each other, which they could not one by one."""
    together = threading.Barrier(at_once)

    def width(image: Image.Image) -> int:
        if image.width <= at_once:
            together.wait(timeout=10)
        return image.width

    assert preprocess_images(IMAGES, width, runtime) == list(range(1, 21))
    assert preprocess_images([], width, runtime) == []


def test_what_goes_wrong_with_one_is_told() -> None:
    def fails(image: Image.Image) -> int:
        return 1 // (image.width - 5)

    for runtime in (CPU, replace(CUDA, threads=3)):
        with pytest.raises(ZeroDivisionError):
            preprocess_images(IMAGES, fails, runtime)
