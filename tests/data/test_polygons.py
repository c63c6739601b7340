"""A mask of polygons has the pixels whose centres they hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as coco_masks  # type: ignore[import-untyped]  # it has no types

from pytest_vqamt.data.masks import polygon_mask

COCO = Path(__file__).parents[2] / "../shared/data/coco/instances.json"


def rows(*polygons: Sequence[float], width: int = 6, height: int = 4) -> list[str]:
    image = polygon_mask(polygons, width, height)
    assert (image.mode, image.size) == ("L", (width, height))
    assert set(image.tobytes()) <= {0, 255}
    return ["".join("#" if value else "." for value in row) for row in np.asarray(image)]


def test_a_rectangle_has_its_pixels_and_no_more() -> None:
    assert rows([1, 1, 4, 1, 4, 3, 1, 3]) == ["......", ".###..", ".###..", "......"]
    assert rows([4, 3, 4, 1, 1, 1, 1, 3]) == ["......", ".###..", ".###..", "......"]


def test_a_pixel_belongs_where_its_centre_lies() -> None:
    assert rows([1.4, 0.4, 3.6, 0.4, 3.6, 1.6, 1.4, 1.6]) == [".###..", ".###..", "......", "......"]
    assert rows([1.6, 0.6, 3.4, 0.6, 3.4, 1.6, 1.6, 1.6]) == ["......", "..#...", "......", "......"]


def test_a_triangle() -> None:
    # In the row of centres at y the triangle reaches from x = 0 to 6 - 1.5 y.
    assert rows([0, 0, 6, 0, 0, 4]) == ["#####.", "####..", "##....", "#....."]


def test_polygons_together() -> None:
    assert rows([0, 0, 2, 0, 2, 2, 0, 2], [1, 1, 3, 1, 3, 3, 1, 3]) == ["##....", "###...", ".##...", "......"]


def test_a_polygon_round_a_hole() -> None:
    ring = [0, 0, 6, 0, 6, 4, 0, 4, 0, 0, 1, 1, 5, 1, 5, 3, 1, 3, 1, 1]
    assert rows(ring) == ["######", "#....#", "#....#", "######"]


def test_what_lies_outside_is_left_out() -> None:
    assert rows([-9, 1, 99, 1, 99, 2, -9, 2]) == ["......", "######", "......", "......"]
    assert rows([-9, -9, -1, -9, -1, 9], [7, 0, 9, 0, 9, 4], [0, -5, 6, -5, 6, -1]) == ["......"] * 4


NUMBERS = st.floats(-20, 20).map(lambda number: round(number, 2))


@given(corners=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=8))
def test_as_by_casting_a_ray_from_every_centre(corners: list[tuple[float, float]]) -> None:
    seen = np.asarray(polygon_mask([[number for corner in corners for number in corner]], 12, 9)) > 0
    for y in range(9):
        for x in range(12):
            odd = False
            for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
                if (y0 > y + 0.5) != (y1 > y + 0.5):
                    crossing = x0 + (y + 0.5 - y0) * (x1 - x0) / (y1 - y0)
                    if abs(crossing - x - 0.5) < 1e-9:
                        break  # on the very edge either is right
                    odd ^= crossing < x + 0.5
            else:
                assert seen[y, x] == odd


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of pycocotools
@pytest.mark.skipif(not COCO.is_file(), reason="../shared/data/coco is not there")
def test_nearly_as_coco_draws_its_own() -> None:
    coco = json.loads(COCO.read_text(encoding="utf-8"))
    sizes = {image["id"]: (image["width"], image["height"]) for image in coco["images"]}
    things = [each for each in coco["annotations"] if not each["iscrowd"]][::4]
    assert len(things) > 100
    alike = []
    for thing in things:
        width, height = sizes[thing["image_id"]]
        ours: npt.NDArray[np.bool_] = np.asarray(polygon_mask(thing["segmentation"], width, height)) > 0
        theirs = coco_masks.decode(coco_masks.merge(coco_masks.frPyObjects(thing["segmentation"], height, width))) > 0
        alike.append((ours & theirs).sum() / (ours | theirs).sum())
    # They round corners to a fifth of a pixel.
    assert np.mean(alike) > 0.985
