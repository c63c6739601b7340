"""The detector is found where it was put, in a fixed order, and every broken folder gets a clear line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.frcnn import loading
from pytest_vqamt.models.region_models.frcnn.loading import (
    DETECTOR_VARIABLE,
    DetectorFiles,
    find_detector,
    load_detector,
    read_vocabulary,
)
from tests.models.region_models.conftest import options_for
from tests.rows import each_row


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, empty; no variable is set."""
    monkeypatch.delenv(DETECTOR_VARIABLE, raising=False)
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(loading, "download_detector", refuse)
    return tmp_path / "cache"


def refuse(folder: Path, address: str) -> None:
    raise AssertionError("nothing is fetched unless the user asks")


def folder_with(path: Path, *names: str) -> Path:
    """A folder with empty files."""
    path.mkdir(parents=True, exist_ok=True)
    for name in names:
        (path / name).touch()
    return path


def found(beside: Path | None = None, **settings: str) -> DetectorFiles:
    return find_detector(beside, ModelOptions(settings=settings))


def test_the_setting_goes_before_the_variable_before_the_model_before_the_cache(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ("config.yaml", "pytorch_model.bin")
    model = tmp_path / "model"
    kept = folder_with(cache / "detector", *files)
    assert found(model).weights == kept / "pytorch_model.bin"
    beside = folder_with(model / "detector", *files)
    assert found(model).weights == beside / "pytorch_model.bin"
    assert found(None).weights == kept / "pytorch_model.bin"
    meant = folder_with(tmp_path / "meant", *files)
    monkeypatch.setenv(DETECTOR_VARIABLE, str(meant))
    assert found(model).weights == meant / "pytorch_model.bin"
    given = folder_with(tmp_path / "given", *files)
    assert found(model, detector=str(given)).weights == given / "pytorch_model.bin"


def test_a_folder_may_lack_the_configuration_and_the_names(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "given", "pytorch_model.bin")
    weights = folder / "pytorch_model.bin"
    assert found(detector=str(folder)) == DetectorFiles(weights=weights)
    folder_with(folder, "config.yaml", "objects_vocab.txt")
    whole = DetectorFiles(weights=weights, config=folder / "config.yaml", vocabulary=folder)
    assert found(detector=str(folder)) == whole


@each_row("name", ["pytorch_model.bin", "other.pkl", "model.safetensors", "checkpoint.pth"])
def test_a_file_of_weights_may_be_named(tmp_path: Path, name: str) -> None:
    folder = folder_with(tmp_path / "given", "config.yaml", name)
    files = found(detector=str(folder / name))
    assert (files.weights, files.config) == (folder / name, folder / "config.yaml")


def test_names_may_lie_elsewhere(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "given", "pytorch_model.bin", "objects_vocab.txt")
    assert found(detector=str(folder), vocabulary=str(tmp_path / "names")).vocabulary == tmp_path / "names"


def test_the_weights_of_the_model_itself_are_not_taken_for_the_detector(tmp_path: Path) -> None:
    model = folder_with(tmp_path / "model", "config.json", "pytorch_model.bin")
    with pytest.raises(ModelError, match="found none in"):
        found(model)
    folder_with(model, "config.yaml")
    with pytest.raises(ModelError, match="found none in"):
        found(model)
    folder_with(model, "model.safetensors")
    assert found(model).weights == model / "pytorch_model.bin"


def test_the_file_of_caffe_may_lie_among_the_files_of_the_model(tmp_path: Path) -> None:
    model = folder_with(tmp_path / "model", "config.json", "model.safetensors", "faster_rcnn_from_caffe_attr.pkl")
    assert found(model).weights == model / "faster_rcnn_from_caffe_attr.pkl"


def test_without_a_detector_the_message_says_what_to_do(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(ModelError) as error:
        found(tmp_path / "model")
    told = str(error.value)
    for part in (
        str(tmp_path / "model" / "detector"),
        str(cache / "detector"),
        "--vqamt-option detector=PATH",
        DETECTOR_VARIABLE,
        "detector=download",
        loading.ADDRESS,
        "no longer at cdn.huggingface.co or nlp.cs.unc.edu",
    ):
        assert part in told
    assert "\n" not in told


@pytest.mark.parametrize(
    "address",
    [
        "https://cdn.huggingface.co/unc-nlp/frcnn-vg-finetuned/pytorch_model.bin",
        "http://nlp.cs.unc.edu/models/faster_rcnn_from_caffe_attr.pkl",
    ],
)
def test_dead_addresses_are_known(address: str) -> None:
    with pytest.raises(ModelError, match=r"no longer has it.*detector=download.*s3\.amazonaws\.com"):
        found(detector=address)


def test_other_addresses_are_not_fetched_either() -> None:
    with pytest.raises(ModelError, match=r"Expected a path .* got 'https://example.org/model'; nothing is fetched"):
        found(detector="https://example.org/model")


def test_what_is_named_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"--vqamt-option detector.*nowhere'.*there is no such path"):
        found(detector=str(tmp_path / "nowhere"))
    empty = folder_with(tmp_path / "empty", "config.yaml")
    with pytest.raises(ModelError, match="no weights are there"):
        found(detector=str(empty))
    monkeypatch.setenv(DETECTOR_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match=f"Expected {DETECTOR_VARIABLE} to be"):
        found()


def test_what_was_fetched_once_is_not_fetched_again(cache: Path) -> None:
    folder_with(cache / "detector", "config.yaml", "pytorch_model.bin")
    assert found(detector="download").weights == cache / "detector" / "pytorch_model.bin"


@each_row("size", ["0", "31", "4097", "-800", "8e2", "large", "", "٨٠٠"])
def test_a_size_that_is_none_is_refused(narrow: Path, size: str) -> None:
    with pytest.raises(OptionError, match=rf"region-min-size=PIXELS .* got region-min-size={size!r}"):
        load_detector(options_for(narrow, **{"region-min-size": size}))


def test_names_are_asked_for_where_they_are_needed(narrow: Path, tmp_path: Path) -> None:
    nameless = tmp_path / "nameless"
    shutil.copytree(narrow, nameless, ignore=shutil.ignore_patterns("*.txt"))
    load_detector(options_for(nameless))
    with pytest.raises(ModelError, match=r"objects_vocab\.txt.*vocabulary=FOLDER"):
        load_detector(options_for(nameless), with_names=True)
    load_detector(options_for(nameless, vocabulary=str(narrow)), with_names=True)


def test_names_of_another_detector_are_refused(narrow: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(narrow, tmp_path / "copy"))
    (folder / "objects_vocab.txt").write_text("dog\ncat\n")
    with pytest.raises(ModelError, match="Expected 20 lines in"):
        load_detector(options_for(folder))


def test_a_configuration_of_another_detector_is_refused(narrow: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(narrow, tmp_path / "copy"))
    (folder / "config.yaml").unlink()
    with pytest.raises(ModelError, match=r"Expected the 640 tensors .* the config\.yaml that belongs to it"):
        load_detector(options_for(folder))


REAL = (Path(__file__).parents[3] / "../shared/data/vocab").resolve()


def written(folder: Path, objects: str = "dog\ncat", attributes: str = "red") -> Path:
    (folder / "objects_vocab.txt").write_text(objects)
    (folder / "attributes_vocab.txt").write_text(attributes)
    return folder


@pytest.mark.skipif(not REAL.is_dir(), reason="needs ../shared/data/vocab")
def test_the_published_files(tmp_path: Path) -> None:
    for what in ("objects", "attributes"):
        shutil.copy(REAL / f"vg_{what}_vocab.txt", tmp_path / f"{what}_vocab.txt")
    vocabulary = read_vocabulary(tmp_path, classes=1600, attributes=400)
    assert vocabulary.objects[:3] == ("yolk", "goal", "bathroom")
    assert vocabulary.attributes[:3] == ("gray", "multi colored", "double decker")
    assert not any("," in name for name in (*vocabulary.objects, *vocabulary.attributes))


def test_of_synonyms_the_first_is_taken_in_lower_case(tmp_path: Path) -> None:
    vocabulary = read_vocabulary(written(tmp_path, "Dog , hound\ncat\n", "Red,scarlet"), classes=2, attributes=1)
    assert vocabulary.objects == ("dog", "cat")
    assert vocabulary.attributes == ("red",)


def test_other_names_have_another_digest(tmp_path: Path) -> None:
    one = read_vocabulary(written(tmp_path), classes=2, attributes=1)
    other = read_vocabulary(written(tmp_path, "dog\ncow"), classes=2, attributes=1)
    assert one.digest != other.digest


@each_row(
    "objects, attributes, told",
    [
        ("dog", "red", r"Expected 2 lines in .*objects_vocab.txt.* but got 1"),
        ("dog\ncat\ncow", "red", r"Expected 2 lines in .*objects_vocab.txt.* but got 3"),
        ("dog\ncat", "", r"Expected 1 lines in .*attributes_vocab.txt.* but got 0"),
        ("dog\n ,cat", "red", r"objects_vocab.txt, but line 2 has none"),
    ],
)
def test_a_file_of_another_detector_is_refused(tmp_path: Path, objects: str, attributes: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        read_vocabulary(written(tmp_path, objects, attributes), classes=2, attributes=1)


def test_a_missing_file_is_named_with_where_to_get_it(tmp_path: Path) -> None:
    (written(tmp_path) / "attributes_vocab.txt").unlink()
    with pytest.raises(ModelError, match=r"attributes_vocab\.txt.*py-bottom-up-attention"):
        read_vocabulary(tmp_path, classes=2, attributes=1)
