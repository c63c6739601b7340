"""Which patches ViLT sees, and pictures that are too narrow for its processor."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from transformers import ViltConfig, ViltImageProcessorPil
from transformers.models.vilt.modeling_vilt import ViltEmbeddings

from pytest_vqamt.models.transformers.vilt import embed_pictures, pad_patches, vilt_pixels, visible_patches
from tests.rows import each_row

PROCESSOR = ViltImageProcessorPil(
    size={"shortest_edge": 384},
    size_divisor=32,  # type: ignore[call-arg]  # its own setting, where only its base's are declared
)
"""As published."""


@pytest.fixture(scope="module")
def embeddings() -> ViltEmbeddings:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = ViltConfig(vocab_size=8, hidden_size=4, num_attention_heads=1, image_size=64, patch_size=32)
        made = ViltEmbeddings(config)  # type: ignore[no-untyped-call]  # transformers does not annotate it
        torch.nn.init.normal_(made.position_embeddings)
        torch.nn.init.normal_(made.cls_token)
    return made.double().eval()


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 300))
def test_as_many_patches_are_seen_as_may_be_none_twice_and_in_order(rows: int, columns: int, most: int) -> None:
    found = visible_patches(rows, columns, most)
    assert len(found) == min(rows * columns, most)
    assert found == sorted(set(found))
    assert set(found) <= set(range(rows * columns))
    assert found == visible_patches(rows, columns, most)


def test_all_are_seen_where_there_is_no_limit() -> None:
    assert visible_patches(12, 20, -1) == list(range(240))


def test_those_left_out_are_not_all_in_one_place() -> None:
    """200 of 240 as in the authors' training: each of 12 rows of 20 keeps 10 at least; evenly, it would be 16.7."""
    rows = Counter(place // 20 for place in visible_patches(12, 20, 200))
    assert len(rows) == 12
    assert min(rows.values()) >= 10
    columns = Counter(place % 20 for place in visible_patches(12, 20, 200))
    assert len(columns) == 20
    assert min(columns.values()) >= 6


def test_each_patch_is_what_transformers_makes_of_it(embeddings: ViltEmbeddings) -> None:
    """The same rows in another order, which transformers shuffles; those that fill up are not counted in either."""
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(1)
        pictures = [
            torch.randn(3, height, width, dtype=torch.float64) for height, width in ((64, 96), (32, 64), (64, 32))
        ]
        ours = pad_patches(embed_pictures(pictures, embeddings))
        pixels, mask = torch.zeros(3, 3, 64, 96, dtype=torch.float64), torch.zeros(3, 64, 96)
        for place, picture in enumerate(pictures):
            pixels[place, :, : picture.shape[1], : picture.shape[2]] = picture
            mask[place, : picture.shape[1], : picture.shape[2]] = 1
        theirs, counted, _ = embeddings.visual_embed(pixels, mask, max_image_length=-1)  # type: ignore[no-untyped-call]  # as above
    assert ours.counted.sum(dim=1).tolist() == counted.sum(dim=1).tolist() == [7, 3, 3]
    for place in range(3):
        mine = ours.embedded[place][ours.counted[place] == 1]
        other = theirs[place][counted[place] == 1]
        torch.testing.assert_close(mine[0], other[0])
        assert_same_rows(mine[1:], other[1:])
        assert not ours.embedded[place][ours.counted[place] == 0].any()


def assert_same_rows(one: torch.Tensor, other: torch.Tensor) -> None:
    distances = torch.cdist(one, other)
    assert distances.min(dim=1).values.max() < 1e-9
    assert sorted(distances.argmin(dim=1).tolist()) == list(range(len(other)))


def test_pictures_of_one_size_are_embedded_as_each_alone(embeddings: ViltEmbeddings) -> None:
    with torch.inference_mode():
        pictures = [torch.full((3, 32, 64), float(value), dtype=torch.float64) for value in range(3)]
        pictures.insert(1, torch.ones((3, 64, 32), dtype=torch.float64))
        together = embed_pictures(pictures, embeddings)
        for picture, found in zip(pictures, together, strict=True):
            torch.testing.assert_close(found, embed_pictures([picture], embeddings)[0])


@each_row(
    "size, height, width",
    [
        ((640, 480), 384, 512),  # scaled by 0.8
        ((384, 384), 384, 384),
        ((1, 1), 384, 384),
        ((1000, 100), 64, 608),  # 639 is the longest allowed: scaled to 639 x 63.9, rounded, then to whole patches
        ((1000, 10), 32, 608),  # narrower than a patch when scaled: widened first
        ((3, 2000), 608, 32),
        ((2000, 1), 32, 608),
    ],
)
def test_a_picture_is_resized_to_whole_patches_and_one_at_least(size: tuple[int, int], height: int, width: int) -> None:
    pixels = vilt_pixels(Image.new("RGB", size, "red"), PROCESSOR)
    assert pixels.shape == (3, height, width)
    assert pixels.dtype == torch.float32
    # (255 / 255 - 0.5) / 0.5 where there is red, (0 - 0.5) / 0.5 in the other channels.
    assert set(pixels[0].flatten().tolist()) == {1.0}
    assert set(pixels[1:].flatten().tolist()) == {-1.0}


def test_a_picture_that_is_wide_enough_is_left_to_the_processor() -> None:
    image = Image.radial_gradient("L").convert("RGB").resize((200, 100))
    pixels = vilt_pixels(image, PROCESSOR)
    expected = PROCESSOR(image, return_tensors="pt")["pixel_values"][0]
    assert torch.equal(pixels, expected)


def test_no_picture_is_changed() -> None:
    image = Image.new("RGB", (300, 2), "blue")
    vilt_pixels(image, PROCESSOR)
    assert image.size == (300, 2)


def test_the_old_form_of_the_processors_file_is_read(tmp_path: Path) -> None:
    """As written in 2022: a feature extractor, and one number for the shorter edge."""
    from pytest_vqamt.models.transformers.checkpoint import Checkpoint
    from pytest_vqamt.models.transformers.inputs import load_image_processor

    (tmp_path / "config.json").write_text('{"model_type": "vilt"}')
    (tmp_path / "preprocessor_config.json").write_text(
        '{"do_normalize": true, "do_resize": true, "feature_extractor_type": "ViltFeatureExtractor", '
        '"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5], "resample": 3, "size": 384, "size_divisor": 32}'
    )
    old = load_image_processor(Checkpoint(folder=tmp_path, name="old"))
    image = Image.radial_gradient("L").convert("RGB").resize((200, 90))
    assert torch.equal(vilt_pixels(image, old), vilt_pixels(image, PROCESSOR))


@each_row("mode", ["L", "RGBA", "P", "CMYK", "1"])
def test_a_picture_of_another_mode_is_seen_in_colours(mode: str) -> None:
    image = Image.new("RGB", (64, 48), "white").convert(mode)
    assert torch.equal(vilt_pixels(image, PROCESSOR), vilt_pixels(image.convert("RGB"), PROCESSOR))
