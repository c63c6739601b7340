"""Whatever is broken by chance is told in a clear line, or does no harm: what is left of a data set is what it says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.data.catalogue import load
from tests.malformed.chance import break_a_value, break_bytes
from tests.malformed.good import IDS, KINDS, Data, image
from tests.malformed.of_photos import PHOTOS
from tests.malformed.outcomes import Used, unclear, use
from tests.malformed.told import TwiceError, records, seen, told

VALUES, BYTES, PIXELS = 150, 80, 40

EACH = tuple(kind for kind in KINDS if kind != "photos")  # which reads its lines and photos as graphs does
KINDS_TOLD = ("graphs", "coco", "gqa", "vqa-v2")


def opened(data: Data, folder: str) -> tuple[SceneSource, Used] | None:
    """The source and what could be used of it; None where all of it was refused. Every message is clear."""
    lines: list[str] = []
    found = None
    try:
        source = load(data.write(Path(folder)), allow_bad_records=True)
    except VqamtError as error:
        lines.append(str(error))
    else:
        used = use(source)
        found = source, used
        lines += [*source.bad_records, *used.refused]
    for line in lines:
        assert unclear(line) == [], line
    return found


def compare(data: Data, folder: str, how: str) -> None:
    """What could be used says what the files say, and nothing else was left out in silence."""
    found = opened(data, folder)
    if found is None:
        return
    source, used = found
    try:
        said = told(data)
    except TwiceError:
        return  # in large files the last is taken: see gaps.py
    for scene_id, scene in used.scenes.items():
        assert scene_id in said, how
        assert seen(scene) == said[scene_id], how
    assert len(source) + len(source.bad_records) >= records(data), how
    assert used.refused or len(used.scenes) == len(source), how


def test_good_data_says_what_it_says() -> None:
    for kind in KINDS_TOLD:
        data = KINDS[kind]()
        compare(data, kind, kind)
        assert tuple(told(data)) == IDS


@pytest.mark.parametrize("kind", EACH)
def test_values_broken_by_chance(kind: str) -> None:
    for seed in range(VALUES):
        rng = Random(seed)
        data = KINDS[kind]()
        how = ", ".join(break_a_value(data, rng) for _ in range(rng.choice((1, 1, 2))))
        if kind in KINDS_TOLD:
            compare(data, f"{seed}", f"{seed}: {how}")
        else:
            opened(data, f"{seed}")


@pytest.mark.parametrize("kind", EACH)
def test_bytes_broken_by_chance(kind: str) -> None:
    for seed in range(BYTES):
        rng = Random(seed)
        data = KINDS[kind]()
        file = rng.choice(sorted(data.files))
        data.raw[file] = break_bytes(data.bytes_of(file), rng)
        if kind in KINDS_TOLD:
            compare(data, f"{seed}", f"{seed}: {file}")
        else:
            opened(data, f"{seed}")


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("kind", [kind for kind in PHOTOS if kind in EACH])
def test_photos_broken_by_chance(kind: str) -> None:
    expected = np.asarray(image(2))
    for seed in range(PIXELS):
        data = KINDS[kind]()
        name = PHOTOS[kind]
        data.photos[name] = break_bytes(data.photos[name], Random(seed))
        found = opened(data, f"{seed}")
        assert found is not None
        source, used = found
        assert {"1", "3"} <= used.scenes.keys()
        if "2" in used.scenes and name.endswith(".png"):  # a PNG has sums of all that is in it, a JPEG has none
            assert np.array_equal(np.asarray(source.photo(used.scenes["2"].photo)), expected), seed
