"""Each malformed input gives one clear error that names the record; no traceback, and nothing left out in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import chdir
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from tests.malformed.chance import break_a_value, break_bytes
from tests.malformed.corpus import CORPUS
from tests.malformed.entries import At, Malformed
from tests.malformed.good import IDS, KINDS, Data, image
from tests.malformed.of_photos import PHOTOS
from tests.malformed.outcomes import MOST_OF_A_REFUSAL, Used, lacks_advice, unclear, use
from tests.malformed.told import TwiceError, records, seen, told


@cache
def good_scenes(kind: str) -> dict[str, Scene]:
    """The scenes of a good data set, by their ids."""
    with TemporaryDirectory() as folder:
        used = use(load(KINDS[kind]().write(Path(folder))))
    assert used.refused == ()
    return used.scenes


def refusal(spec: str, *, allow_bad_records: bool = False) -> str:
    """The error of a source that cannot be loaded, or ""."""
    try:
        load(spec, allow_bad_records=allow_bad_records)
    except VqamtError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_broken_was_good(kind: str) -> None:
    assert tuple(good_scenes(kind)) == IDS


def check(entry: Malformed) -> None:
    """Raises AssertionError if an entry is not reported in one clear line, or costs other records."""
    data = KINDS[entry.data]()
    entry.damage(data)
    spec = data.write(Path("data"))
    if entry.at is At.SOURCE:
        told = refusal(spec)
        assert unclear(told, entry.says) == [], told
        assert not lacks_advice(told), told
        assert refusal(spec, allow_bad_records=True) == told
        return
    source = load(spec, allow_bad_records=True)
    used = use(source)
    rest = {scene_id: scene for scene_id, scene in good_scenes(entry.data).items() if scene_id not in entry.lost}
    assert used.scenes == rest
    lines = (*source.bad_records, *used.refused)
    assert any(unclear(line, entry.says) == [] for line in lines), lines
    for line in lines:
        assert unclear(line) == [], line
    if entry.at is At.RECORD:
        assert len(source.bad_records) == entry.bad
        assert used.refused == ()
        assert len(source) + len(entry.lost) == len(IDS)
    for line in used.refused:
        assert not lacks_advice(line), line
    if source.bad_records:
        told = refusal(spec)
        how_many = f"{len(source.bad_records)} {'is' if len(source.bad_records) == 1 else 'are'} bad"
        says = (how_many, f"{len(source)} good scene", source.bad_records[0], "--vqamt-allow-bad-records")
        assert unclear(told, says, most=MOST_OF_A_REFUSAL) == [], told


def failures(entries: Iterable[Malformed]) -> list[str]:
    """The entries that ``check`` fails for."""
    found = []
    for number, entry in enumerate(entries):
        folder = Path(str(number))
        folder.mkdir()
        with chdir(folder):
            try:
                check(entry)
            except Exception as error:
                found.append(f"{entry.name}: {type(error).__name__}: {error}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_malformed_input_is_told_in_one_clear_line(kind: str) -> None:
    assert failures(entry for entry in CORPUS if entry.data == kind and not entry.is_of_full) == []


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_each_wrong_value_of_each_field_is_told_in_one_clear_line(kind: str) -> None:
    assert failures(entry for entry in CORPUS if entry.data == kind and entry.is_of_full) == []


def test_each_kind_has_entries_and_no_two_are_alike() -> None:
    names = Counter(entry.name for entry in CORPUS)
    assert [name for name, times in names.items() if times > 1] == []
    assert {entry.data for entry in CORPUS if not entry.is_of_full} == KINDS.keys()


# Whatever is broken by chance is told in a clear line, or does no harm: what is left of a data set is what it says.


def seeds(all_of_them: int) -> list[ParameterSet]:
    """Some seeds for the default tier, and the others for the tier ``full``."""
    return [pytest.param(range(30)), pytest.param(range(30, all_of_them), marks=pytest.mark.full)]


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
        return  # it is refused, as a record of its own or as a whole
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


@pytest.mark.parametrize("chosen", seeds(150))
@pytest.mark.parametrize("kind", EACH)
def test_values_broken_by_chance(kind: str, chosen: range) -> None:
    for seed in chosen:
        rng = Random(seed)
        data = KINDS[kind]()
        how = ", ".join(break_a_value(data, rng) for _ in range(rng.choice((1, 1, 2))))
        if kind in KINDS_TOLD:
            compare(data, f"{seed}", f"{seed}: {how}")
        else:
            opened(data, f"{seed}")


@pytest.mark.parametrize("chosen", seeds(80))
@pytest.mark.parametrize("kind", EACH)
def test_bytes_broken_by_chance(kind: str, chosen: range) -> None:
    for seed in chosen:
        rng = Random(seed)
        data = KINDS[kind]()
        file = rng.choice(sorted(data.files))
        data.raw[file] = break_bytes(data.bytes_of(file), rng)
        if kind in KINDS_TOLD:
            compare(data, f"{seed}", f"{seed}: {file}")
        else:
            opened(data, f"{seed}")


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("chosen", seeds(40))
@pytest.mark.parametrize("kind", ["graphs", "coco"])
def test_photos_broken_by_chance(kind: str, chosen: range) -> None:
    """A PNG of ``graphs`` and a JPEG of ``coco``."""
    expected = np.asarray(image(2))
    for seed in chosen:
        data = KINDS[kind]()
        name = PHOTOS[kind]
        data.photos[name] = break_bytes(data.photos[name], Random(seed))
        found = opened(data, f"{seed}")
        assert found is not None
        source, used = found
        assert {"1", "3"} <= used.scenes.keys()
        if "2" in used.scenes and name.endswith(".png"):  # a PNG has sums of all that is in it, a JPEG has none
            assert np.array_equal(np.asarray(source.photo(used.scenes["2"].photo)), expected), seed
