"""Scenes that were laid out beforehand are the scenes that would be laid out now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import PIL
import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.picture_world import source as module
from pytest_vqamt.picture_world.art.pen import PALETTE
from pytest_vqamt.picture_world.looks import CATEGORY_OF, CLASSES, FAMILY_OF, NAMES
from pytest_vqamt.picture_world.source import COUNT, PART, PictureWorld, laid_out, made_with
from tests.rows import each_row

REMAKE = "run: python -m tools.picture_scenes"


@pytest.fixture
def unread() -> Iterator[None]:
    """The files as nobody has read them, before and after."""
    module._part.cache_clear()
    yield
    module._part.cache_clear()


def hold_to_the_pixel(indices: Iterable[int]) -> None:
    if laid_out(0) is None:
        pytest.skip(f"the files were made by another Pillow than {PIL.__version__}, or for another world; {REMAKE}")
    world = PictureWorld(COUNT)
    for index in indices:
        assert laid_out(index) == world.lay_out(index), f"scene {index} has changed; {REMAKE}"


def test_the_files_hold_the_first_scenes_to_the_pixel() -> None:
    # Where each file begins and ends, and one between.
    hold_to_the_pixel(at for start in range(0, COUNT, PART) for at in (start, start + PART // 3, start + PART - 1))


@pytest.mark.slow
def test_the_files_hold_each_of_the_first_scenes_to_the_pixel() -> None:
    hold_to_the_pixel(range(COUNT))


def test_a_world_gives_them_as_they_stand() -> None:
    world = PictureWorld(COUNT + 2)
    places = (0, PART - 1, PART, COUNT - 1, COUNT, COUNT + 1)
    assert [world.scene(index) for index in places] == [world.lay_out(index) for index in places]
    assert [world.scene(index).id for index in places] == [f"pictures-0-{index}" for index in places]
    assert PictureWorld(1, seed=1).scene(0) != world.scene(0)


def test_there_is_none_before_the_first_and_after_the_last() -> None:
    assert laid_out(-1) is None
    assert laid_out(COUNT) is None


@pytest.mark.usefixtures("unread")
def test_whoever_wants_few_reads_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    file_of = module.file_of

    def noted(part: int) -> Path:
        read.append(part)
        return file_of(part)

    monkeypatch.setattr(module, "file_of", noted)
    world = PictureWorld(COUNT)
    for index in (PART, PART + 1, 2 * PART - 1):
        world.scene(index)
    assert read == [1]


@pytest.mark.usefixtures("unread")
def test_files_of_another_pillow_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "made_with", lambda: [*made_with(), "another"])
    assert laid_out(0) is None
    assert PictureWorld(1).scene(0) == PictureWorld(1).lay_out(0)


MANY = 100

Pixels = npt.NDArray[np.uint8]


@pytest.fixture(scope="module")
def world() -> PictureWorld:
    return PictureWorld(2000, seed=11)


@pytest.fixture(scope="module")
def scenes(world: PictureWorld) -> tuple[Scene, ...]:
    return tuple(world.scene(index) for index in range(MANY))


def worn_by(scene: Scene, thing: Thing) -> list[str]:
    return [r.object for r in scene.relationships if r.predicate == "wearing" and r.subject == thing.id]


def shown(world: PictureWorld, index: int, thing: Thing) -> npt.NDArray[np.bool_]:
    """The pixels of a thing, from the label map; a person's include what is worn."""
    scene = world.scene(index)
    labels = np.asarray(world.label_map(index))
    ids = {thing.id, *worn_by(scene, thing)}
    return np.isin(labels, [i + 1 for i, each in enumerate(scene.objects) if each.id in ids])


def tight(mask: npt.NDArray[np.bool_]) -> Box:
    ys, xs = np.nonzero(mask)
    return Box.from_corners(int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1)


def everything(scenes: tuple[Scene, ...]) -> Iterator[tuple[int, Scene, Thing]]:
    for index, scene in enumerate(scenes):
        for thing in scene.objects:
            yield index, scene, thing


def test_it_is_a_scene_source() -> None:
    source: SceneSource = PictureWorld()
    assert (source.spec, len(source)) == ("pictures:500", 500)
    assert source.description.startswith("500 drawn scenes of 224 x 224 px: 66 names in 10 families")


def test_scene_and_photo_depend_on_seed_and_index_alone() -> None:
    forwards, backwards = PictureWorld(7, seed=3), PictureWorld(900, seed=3)
    seen = [forwards.scene(index) for index in range(7)]
    photos = [forwards.photo(scene.photo).tobytes() for scene in seen]
    again = [backwards.scene(index) for index in reversed(range(7))][::-1]
    assert again == seen
    for index in (4, 0, 6, 2):
        assert backwards.photo(again[index].photo).tobytes() == photos[index]


def test_another_seed_gives_other_scenes_photos_and_digests() -> None:
    one, other = PictureWorld(5, seed=0), PictureWorld(5, seed=1)
    assert one.digest != other.digest
    assert PictureWorld(6, seed=0).digest != one.digest
    for index in range(5):
        assert one.scene(index).objects != other.scene(index).objects
        assert one.scene(index).photo.digest != other.scene(index).photo.digest


@each_row("layouts", [24, 2])
def test_photos_are_the_same_under_threads_and_with_small_caches(monkeypatch: pytest.MonkeyPatch, layouts: int) -> None:
    calm = PictureWorld(24, seed=8)
    wanted = [calm.photo(calm.scene(index).photo).tobytes() for index in range(24)]
    monkeypatch.setattr("pytest_vqamt.picture_world.source._MAX_GRAPHS", 3)
    monkeypatch.setattr("pytest_vqamt.picture_world.source._MAX_LAYOUTS", layouts)
    monkeypatch.setattr("pytest_vqamt.data.scene_source.MAX_BYTES", 6000)
    monkeypatch.setattr("pytest_vqamt.picture_world.source._MAX_PHOTOS", 3)
    busy = PictureWorld(24, seed=8)
    order = [index for start in range(4) for index in range(start, 24, 4)] * 2
    with ThreadPoolExecutor(6) as pool:
        photos = list(pool.map(lambda index: busy.photo(busy.scene(index).photo).tobytes(), order))
    assert photos == [wanted[index] for index in order]
    again = [busy.scene(index) for index in range(24)]
    assert again == [calm.scene(index) for index in range(24)]
    assert [busy.mask(scene.photo, "0").tobytes() for scene in again] == [
        calm.mask(scene.photo, "0").tobytes() for scene in again
    ]


def test_a_photo_is_a_fresh_copy_in_rgb(world: PictureWorld) -> None:
    photo = world.scene(0).photo
    first = world.photo(photo)
    assert (first.mode, first.size) == ("RGB", (224, 224))
    before = first.tobytes()
    first.paste((1, 2, 3), (0, 0, 224, 224))
    assert world.photo(photo).tobytes() == before


def test_boxes_are_tight_around_the_visible_pixels(world: PictureWorld, scenes: tuple[Scene, ...]) -> None:
    for index, scene, thing in everything(scenes):
        assert thing.box == tight(shown(world, index, thing)), (scene.id, thing)


def test_masks_are_what_the_label_map_says(world: PictureWorld, scenes: tuple[Scene, ...]) -> None:
    for index, scene, thing in everything(scenes[:40]):
        mask = np.asarray(world.mask(scene.photo, thing.id))
        assert thing.has_mask
        assert mask.shape == (224, 224)
        assert np.array_equal(mask == 255, shown(world, index, thing))
        assert set(np.unique(mask)) == {0, 255}


def test_nothing_outside_the_masks_is_drawn(world: PictureWorld, scenes: tuple[Scene, ...]) -> None:
    """Two scenes of one background differ only where one of them has a thing, or within 2 px of it."""
    by_place: dict[tuple[str, int], list[int]] = {}
    for index, scene in enumerate(scenes):
        by_place.setdefault((scene.setting, world.graph(index).layout.variant), []).append(index)
    pairs = [(indices[0], indices[1]) for indices in by_place.values() if len(indices) > 1]
    assert len(pairs) >= 10
    for one, other in pairs:
        photos = [np.asarray(world.photo(scenes[i].photo)).astype(int) for i in (one, other)]
        covered = sum(np.asarray(world.label_map(i)).astype(int) for i in (one, other)) > 0
        for _ in range(2):
            covered = covered | np.roll(covered, 1, 0) | np.roll(covered, -1, 0)
            covered = covered | np.roll(covered, 1, 1) | np.roll(covered, -1, 1)
        assert not (np.abs(photos[0] - photos[1]).max(axis=2) > 0)[~covered].any()


def test_colours_are_the_colours_of_the_pixels(world: PictureWorld, scenes: tuple[Scene, ...]) -> None:
    """The median pixel of a plain thing is nearest to the colour it is said to have, for nine things in ten."""
    names = list(PALETTE)
    palette = np.array([PALETTE[name] for name in names], float)
    right = []
    for index, scene, thing in everything(scenes):
        said = [word for word in thing.attributes if CATEGORY_OF[word] == "colour"]
        if not said or {"striped", "dotted", "checked", "dirty"} & set(thing.attributes):
            continue
        pixels = np.asarray(world.photo(scene.photo))
        own = np.asarray(world.label_map(index)) == scene.objects.index(thing) + 1
        nearest = names[int(np.argmin(((palette - np.median(pixels[own], axis=0)) ** 2).sum(axis=1)))]
        right.append(nearest == said[0])
    assert len(right) > 200
    assert np.mean(right) >= 0.9


def test_things_are_visible_inside_the_picture_and_not_tiny(world: PictureWorld, scenes: tuple[Scene, ...]) -> None:
    for index, scene in enumerate(scenes):
        garments = {r.object for r in scene.relationships if r.predicate == "wearing"}
        parts = [part for placed in world.graph(index).layout.placed for part in placed.block.parts]
        free = [thing for thing in scene.objects if thing.id not in garments]
        assert len(parts) == len(free) >= 2
        for thing, part in zip(free, parts, strict=True):
            whole = int(part.styled.piece.mask.sum())
            assert shown(world, index, thing).sum() >= 0.6 * whole
            assert max(thing.box.w, thing.box.h) >= 24
            assert thing.box.share_inside(scene.frame) == 1
        for thing in scene.objects:
            if thing.id in garments:
                assert shown(world, index, thing).sum() >= 60


@pytest.mark.parametrize("seed", [0, pytest.param(12, marks=pytest.mark.full)])
def test_every_name_and_count_is_frequent_enough(seed: int) -> None:
    """Of the stored scenes by default, and of others that take seconds to lay out."""
    world = PictureWorld(2000, seed=seed)
    frequency: Counter[str] = Counter()
    several: Counter[int] = Counter()
    for index in range(2000):
        names = Counter(thing.name for thing in world.scene(index).objects)
        frequency.update(names.keys())
        several[max(names.values())] += 1
    assert set(frequency) == set(NAMES)
    assert min(frequency.values()) >= 40, frequency.most_common()[-3:]
    assert 800 <= 2000 - several[1] <= 1200
    assert several[5] > 10


def test_attributes_are_known_words_of_which_one_thing_has_one_of_a_kind(scenes: tuple[Scene, ...]) -> None:
    for _, _, thing in everything(scenes):
        kinds = [CATEGORY_OF[word] for word in thing.attributes]
        assert len(kinds) == len(set(kinds)), thing
        assert thing.multi_coloured or FAMILY_OF[thing.name] == "person" or "colour" in kinds


def test_relationships_agree_with_the_boxes(scenes: tuple[Scene, ...]) -> None:
    found: Counter[str] = Counter()
    for scene in scenes:
        for each in scene.relationships:
            found[each.predicate] += 1
            a, b = scene.thing(each.subject), scene.thing(each.object)
            if each.predicate == "to the left of":
                assert a.box.x1 < b.box.x
            elif each.predicate == "to the right of":
                assert b.box.x1 < a.box.x
            elif each.predicate == "on":
                assert a.box.y < b.box.y1
                assert b.box.x <= a.box.centre[0] <= b.box.x1
                assert b.box.y <= a.box.y1 < b.box.y1
            elif each.predicate == "under":
                assert a.box.y > b.box.y
                assert a.box.share_inside(b.box) > 0.9
            elif each.predicate == "wearing":
                assert FAMILY_OF[a.name] == "person"
                assert b.name in ("shirt", "dress", "hat")
                assert b.box.share_inside(a.box) == 1
            elif each.predicate == "holding":
                assert FAMILY_OF[a.name] == "person"
                assert a.box.moved(-3, -3).overlaps(b.box) or a.box.moved(3, 3).overlaps(b.box)
            else:
                assert each.predicate == "near"
                assert max(a.box.x, b.box.x) - min(a.box.x1, b.box.x1) <= 14
    assert set(found) == {"to the left of", "to the right of", "on", "under", "wearing", "holding", "near"}


def test_the_left_of_is_the_right_of_the_other_way_round(scenes: tuple[Scene, ...]) -> None:
    for scene in scenes:
        left = {(r.subject, r.object) for r in scene.relationships if r.predicate == "to the left of"}
        right = {(r.object, r.subject) for r in scene.relationships if r.predicate == "to the right of"}
        clear = {
            (a.id, b.id)
            for pair in combinations(scene.objects, 2)
            for a, b in (pair, pair[::-1])
            if b.box.x - a.box.x1 >= 6
        }
        assert left == right == clear


def test_everyone_wears_a_shirt_or_a_dress(scenes: tuple[Scene, ...]) -> None:
    for _, scene, thing in everything(scenes):
        worn = [scene.thing(each).name for each in worn_by(scene, thing)]
        assert worn.count("shirt") + worn.count("dress") == (FAMILY_OF[thing.name] == "person")


def test_large_and_small_are_far_apart(scenes: tuple[Scene, ...]) -> None:
    """A large thing of one name, drawn whole, is at least 1.5 times as high as a small one."""
    large: dict[str, list[float]] = {}
    small: dict[str, list[float]] = {}
    for _, _, thing in everything(scenes):
        if set(thing.attributes) & {"open", "closed", "sitting", "lying"}:
            continue
        for word, sizes in (("large", large), ("small", small)):
            if word in thing.attributes:
                sizes.setdefault(thing.name, []).append(thing.box.h)
    both = set(large) & set(small)
    assert len(both) > 8
    for name in both - {"balloon", "table", "chair", "bed", "couch", "shelf"}:
        assert min(large[name]) > 1.5 * max(small[name]), name


def test_the_corpus_knows_every_name_as_countable_and_exhaustive() -> None:
    corpus = PictureWorld(300).corpus
    assert corpus.scenes == 300
    assert corpus.exhaustive == {*NAMES, *CLASSES}
    again = PictureWorld(300).corpus
    for fact in ("names", "frequency", "cooccurring", "plural", "attributes", "multi_coloured", "cutouts"):
        assert getattr(corpus, fact) == getattr(again, fact), fact
    assert set(corpus.multi_coloured) <= {"pizza", "sandwich"}


@each_row("photo_id", ["pictures-0-20", "pictures-1-3", "pictures-0-x", "elsewhere.png"])
def test_a_photo_of_another_source_is_refused(photo_id: str) -> None:
    with pytest.raises(DataError, match=rf"pictures:20, but got photo='{photo_id}'"):
        PictureWorld(20).photo(Photo(id=photo_id, digest="0"))


def test_a_mask_of_no_thing_is_refused(world: PictureWorld) -> None:
    with pytest.raises(DataError, match="thing_id='99'"):
        world.mask(world.scene(0).photo, "99")


def test_a_source_of_no_scene_is_refused() -> None:
    with pytest.raises(OptionError, match="count=0"):
        PictureWorld(0)


@each_row("index", [-1, 20])
def test_a_scene_outside_is_an_index_error(index: int) -> None:
    with pytest.raises(IndexError, match=f"index={index}"):
        PictureWorld(20).scene(index)
