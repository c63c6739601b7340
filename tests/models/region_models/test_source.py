"""A picture goes through the detector once, whoever asks about it, and however often."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest
from PIL import Image

from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput, Query
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.feature_files import FeatureFile
from pytest_vqamt.models.region_models.region_source import DetectedRegions, DiskRegionCache, FileRegions, region_source
from pytest_vqamt.models.region_models.regions import Regions
from tests.models.region_models.small_detector import write_small_detector
from tests.models.small.features import Looking, Made, made, write_npz
from tests.models.small.inputs import SIZES, asked, render

ALL = [asked(name, "What is that?") for name in SIZES]


def mirrored(name: str) -> ModelInput:
    before = asked(name, "What is that?").query
    return ModelInput(Query(picture=before.picture.mirror(), text=before.text, meaning=before.meaning), render)


@pytest.fixture
def looking() -> Looking:
    return Looking()


@pytest.fixture
def features(tmp_path: Path) -> Path:
    """Features of two of the photos."""
    photos = {name: (made(5, width=SIZES[name][0], height=SIZES[name][1]), SIZES[name]) for name in ("wide", "tall")}
    return write_npz(tmp_path / "features.npz", photos)


def test_a_picture_is_looked_at_once_in_a_run(looking: Looking) -> None:
    source = DetectedRegions(looking, folder=None)
    first = source.regions(ALL)
    again = source.regions(ALL[::-1])
    assert len(looking.seen) == len(SIZES)
    assert source.usage == {"pictures through the detector": len(SIZES), "features from disk": 0}
    for one, other in zip(first, again[::-1], strict=True):
        assert one is other


def test_the_next_run_reads_what_this_one_has_found(looking: Looking, tmp_path: Path) -> None:
    first = DetectedRegions(looking, tmp_path).regions(ALL)
    later = Looking()
    source = DetectedRegions(later, tmp_path)
    for one, other in zip(first, source.regions(ALL), strict=True):
        assert np.array_equal(one.features, other.features)
        assert np.array_equal(one.boxes, other.boxes)
        assert one.count == other.count
    source.regions(ALL)
    assert later.seen == []
    assert source.usage == {"pictures through the detector": 0, "features from disk": len(SIZES)}


def test_threads_that_make_the_same_picture_ready_read_it_once(looking: Looking, tmp_path: Path) -> None:
    DetectedRegions(looking, tmp_path).regions(ALL)
    source = DetectedRegions(Looking(), tmp_path)
    together = Barrier(8)

    def ready() -> None:
        together.wait()
        source.prefetch(ALL)

    threads = [Thread(target=ready) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert source.usage == {"pictures through the detector": 0, "features from disk": len(SIZES)}


def test_a_small_picture_has_fewer_regions(looking: Looking) -> None:
    """``Looking`` finds one region a pixel."""
    (tiny,) = DetectedRegions(looking, folder=None).regions([asked("tiny", "")])
    assert tiny.count == 1
    assert tiny.features[0].any()
    assert not tiny.features[1:].any()
    assert 0 <= tiny.boxes.min() <= tiny.boxes.max() <= 1


def test_an_edited_picture_is_another_picture(looking: Looking, tmp_path: Path) -> None:
    source = DetectedRegions(looking, tmp_path)
    source.regions([asked("wide", ""), mirrored("wide")])
    assert len(looking.seen) == 2


def test_other_weights_and_another_precision_look_anew(looking: Looking, tmp_path: Path) -> None:
    DetectedRegions(looking, tmp_path).regions(ALL[:1])
    for other, precision in ((Looking("looking-2"), "float32"), (Looking(), "float16")):
        source = DetectedRegions(other, tmp_path, precision)  # type: ignore[arg-type]  # a literal, in a loop a str
        source.regions(ALL[:1])
        assert len(other.seen) == 1
        assert source.fingerprint != DetectedRegions(looking, tmp_path).fingerprint


def test_in_half_precision_this_run_sees_what_the_next_one_reads(looking: Looking, tmp_path: Path) -> None:
    (now,) = DetectedRegions(looking, tmp_path, "float16").regions(ALL[:1])
    (later,) = DetectedRegions(Looking(), tmp_path, "float16").regions(ALL[:1])
    assert np.array_equal(now.features, later.features)
    (unkept,) = DetectedRegions(Looking(), None, "float16").regions(ALL[:1])
    assert np.array_equal(now.features, unkept.features)


def test_a_damaged_file_is_made_again(looking: Looking, tmp_path: Path) -> None:
    DetectedRegions(looking, tmp_path).regions(ALL[:1])
    (file,) = tmp_path.rglob("*.npz")
    file.write_bytes(file.read_bytes()[:1000])
    for expected in (1, 0):
        again = Looking()
        DetectedRegions(again, tmp_path).regions(ALL[:1])
        assert len(again.seen) == expected


def test_a_picture_that_cannot_be_drawn_leaves_the_others_found(looking: Looking, tmp_path: Path) -> None:
    def broken(_: object) -> None:
        raise OSError("no such photo")

    bad = ModelInput(asked("tall", "").query, broken)  # type: ignore[arg-type]  # it raises before it returns
    source = DetectedRegions(looking, tmp_path)
    with pytest.raises(OSError, match="no such photo"):
        source.regions([asked("wide", ""), bad, asked("square", "")])
    source.regions([asked("wide", "")])
    assert looking.seen == [SIZES["wide"]]
    source.regions([asked("tall", "")])
    assert len(looking.seen) == 2


def test_what_another_process_is_looking_at_is_left_for_last(looking: Looking, tmp_path: Path) -> None:
    """The other process holds "wide", the first of the batch, until this one has looked at "square"."""
    source = DetectedRegions(looking, tmp_path)
    batch = [asked("wide", ""), asked("square", "")]
    with ExitStack() as other:
        key = digest(source.fingerprint, batch[0].query.picture.digest)
        assert other.enter_context(DiskRegionCache(tmp_path, "float32").claim(key, wait=False))
        looking.after = other.close
        found = source.regions(batch)
    assert looking.seen == [SIZES["square"], SIZES["wide"]]
    assert np.array_equal(found[0].features, source.regions(batch[:1])[0].features)


def test_a_detector_of_other_features_is_refused() -> None:
    class Narrow(Looking):
        def find(self, image: object) -> Made:
            return Made(boxes_px=np.zeros((3, 4), np.float32), features=np.zeros((3, 128), np.float32))

    with pytest.raises(ModelError, match=r"2048 features a region.* but got 128"):
        DetectedRegions(Narrow(), folder=None).regions(ALL[:1])


def test_a_file_of_features_needs_no_picture(features: Path) -> None:
    def never(_: object) -> None:
        raise AssertionError("the picture was drawn")

    source = FileRegions(FeatureFile(features), None)
    one = ModelInput(asked("wide", "").query, never)  # type: ignore[arg-type]  # it is not to be called
    (regions,) = source.regions([one])
    assert regions.count == 36
    assert source.usage == {"features from the file": 1}


def test_without_a_detector_other_pictures_are_errors_of_theirs(features: Path) -> None:
    source = FileRegions(FeatureFile(features), None)
    for other in (mirrored("wide"), asked("square", "")):
        with pytest.raises(DataError, match=r"--vqamt-option detector=PATH") as raised:
            source.regions([asked("wide", ""), other])
        assert not isinstance(raised.value, ModelError)
    assert len(source.regions([asked("wide", "")])) == 1


def test_with_a_detector_other_pictures_go_through_it(features: Path, looking: Looking) -> None:
    source = FileRegions(FeatureFile(features), DetectedRegions(looking, None))
    batch = [mirrored("wide"), asked("wide", ""), asked("square", ""), asked("tall", "")]
    found = source.regions(batch)
    assert np.array_equal(found[1].features, made(5, width=60, height=40).features)
    assert np.array_equal(found[3].features, made(5, width=30, height=70).features)
    assert np.array_equal(found[2].features, looking.find(batch[2].image).features)
    assert source.usage == {
        "features from the file": 2, "pictures through the detector": 2, "features from disk": 0,
    }  # fmt: skip


@pytest.fixture(scope="module")
def detector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "detector"
    write_small_detector(folder)
    return folder


@pytest.fixture(autouse=True)
def _nothing_else_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VQAMT_DETECTOR", raising=False)
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))


def options(cache: Path | None = None, **settings: str) -> ModelOptions:
    named = {name.replace("_", "-"): value for name, value in settings.items()}
    return ModelOptions(device="cpu", cache=cache, settings=named)


def test_the_detector_beside_the_model_is_taken_and_its_findings_kept(detector: Path, tmp_path: Path) -> None:
    source = region_source(options(tmp_path / "cache"), detector.parent)
    (regions,) = source.regions([asked("wide", "")])
    assert regions.count > 0
    assert regions.features.any()
    assert source.usage["pictures through the detector"] == 1
    (kept,) = (tmp_path / "cache" / "regions").rglob("*.npz")
    assert kept.stat().st_size > 1000
    again = region_source(options(tmp_path / "cache"), detector.parent)
    assert again.fingerprint == source.fingerprint
    again.regions([asked("wide", "")])
    assert again.usage == {"pictures through the detector": 0, "features from disk": 1}
    other = region_source(options(features_dtype="float16", region_min_size="64"), detector.parent)
    assert other.fingerprint != source.fingerprint


def test_another_precision_is_an_error_of_the_setting(detector: Path) -> None:
    with pytest.raises(OptionError, match=r"features-dtype='float61'; did you mean 'float16'\?"):
        region_source(options(features_dtype="float61"), detector.parent)


def test_without_detector_and_features_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="detector=PATH"):
        region_source(options(), tmp_path)


def test_features_alone_will_do(features: Path, tmp_path: Path) -> None:
    source = region_source(options(features=str(features)), tmp_path)
    assert source.regions([asked("tall", "")])[0].count == 36


def test_features_with_a_detector_beside_the_model_take_both(features: Path, detector: Path) -> None:
    source = region_source(options(features=str(features)), detector.parent)
    source.regions([asked("tall", ""), mirrored("tall")])
    assert source.usage["pictures through the detector"] == 1
    alone = region_source(options(features=str(features)), None)
    assert source.fingerprint != alone.fingerprint


def test_a_detector_that_is_named_and_not_there_is_an_error_beside_features_too(features: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        region_source(options(features=str(features), detector=str(tmp_path / "nowhere")), tmp_path)


def test_what_is_there_already_is_ready_and_the_rest_is_drawn_for_the_detector(
    looking: Looking, tmp_path: Path
) -> None:
    drawn: list[str] = []

    def draw(picture: Picture) -> Image.Image:
        drawn.append(picture.photo.id)
        return render(picture)

    wide, tall = (ModelInput(asked(name, "").query, draw) for name in ("wide", "tall"))
    source = DetectedRegions(looking, tmp_path)
    (before,) = source.regions([wide])
    assert source.prefetch([wide, tall]) == (before, None)
    assert (drawn, len(looking.seen)) == (["wide", "tall"], 1)
    later = DetectedRegions(Looking(), tmp_path)
    (read, lacking) = later.prefetch([wide, tall])
    assert read is not None
    assert np.array_equal(read.features, before.features)
    assert lacking is None
    assert later.usage == {"pictures through the detector": 0, "features from disk": 1}
    assert later.prefetch([wide])[0] is read


def test_features_of_a_file_are_ready_and_counted_when_they_are_read(features: Path, looking: Looking) -> None:
    source = FileRegions(FeatureFile(features), DetectedRegions(looking, folder=None))
    wide, square = source.prefetch([asked("wide", ""), asked("square", "")])
    assert wide is not None
    assert square is None
    assert source.usage["features from the file"] == 1
    assert not looking.seen
    alone = FileRegions(FeatureFile(features), None)
    with pytest.raises(DataError, match="no row for photo 'square'"):
        alone.prefetch([asked("square", "")])


def test_boxes_become_shares_of_the_picture() -> None:
    boxes = np.array([[0, 0, 200, 100], [50, 25, 100, 75]], np.float32)
    regions = Regions.of(boxes, np.ones((2, 2048), np.float32), width=200, height=100)
    assert regions.count == 2
    assert regions.boxes[:2].tolist() == [[0, 0, 1, 1], [0.25, 0.25, 0.5, 0.75]]
    assert regions.boxes.shape == (36, 4)
    assert regions.features.shape == (36, 2048)
    assert regions.boxes.dtype == regions.features.dtype == np.float32


def test_the_rows_that_are_missing_are_zero() -> None:
    regions = Regions.of(np.ones((2, 4), np.float32), np.ones((2, 2048), np.float32), width=9, height=9)
    assert regions.features[:2].all()
    assert not regions.features[2:].any()
    assert not regions.boxes[2:].any()
    none = Regions.of(np.zeros((0, 4), np.float32), np.zeros((0, 2048), np.float32), width=9, height=9)
    assert none.count == 0
    assert not none.features.any()


def test_rounding_leads_no_box_out_of_the_picture() -> None:
    boxes = np.array([[-1e-4, 0, 3.0000002, 3]], np.float32)
    regions = Regions.of(boxes, np.zeros((1, 2048), np.float32), width=3, height=3)
    assert regions.boxes[0].tolist() == [0, 0, 1, 1]
