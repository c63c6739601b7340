"""Which detectors the settings name, checked before anything is loaded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.annotation.detectors import closed_set
from pytest_vqamt.annotation.detectors.catalogue import check, detector_of, grounder_of, names_setting
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.models.protocol import ModelOptions
from tests.rows import each_row


def options(**settings: str) -> ModelOptions:
    return ModelOptions(device="cpu", settings={name.replace("_", "-"): value for name, value in settings.items()})


@each_row(
    "settings, said",
    [
        ({"boxes": "DIR", "min-score": "often"}, "min-score=SCORE to be from 0 to below 1, but got 'often'"),
        ({"boxes": "DIR", "min-score": "1"}, "min-score=SCORE to be from 0 to below 1, but got '1'"),
        ({"boxes": "DIR", "min-score": "nan"}, "min-score=SCORE to be from 0 to below 1, but got 'nan'"),
        ({"boxes": " "}, "Expected --option boxes=REPO-OR-PATH, but got boxes=' '"),
        ({"open-vocabulary": "DIR"}, "Expected --option names=FILE .* but got none"),
        ({"open-vocabulary": "DIR", "names": " , "}, "but got names=' , '"),
        ({"open-vocabulary": "DIR", "names": "nofile.txt"}, "but got names='nofile.txt': there is no such file"),
        ({"open-vocabulary": "DIR", "names": "lists/mine"}, "but got names='lists/mine': there is no such file"),
        ({"boxes": "DIR", "names": "dog"}, "to look for names, but got names='dog' alone"),
    ],
)
def test_settings_that_cannot_be_used(settings: Mapping[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        check(settings)
    with pytest.raises(OptionError, match=said):
        detector_of(ModelOptions(settings=settings))


def test_names_in_a_list_and_in_a_file(tmp_path: Path) -> None:
    assert names_setting({"names": "Dogs, traffic light,dog,  skis"}) == ("dog", "traffic light", "skis")
    file = tmp_path / "names.txt"
    file.write_text("fire hydrant\n\nwoman\n", encoding="utf-8")
    assert names_setting({"names": str(file)}) == ("fire hydrant", "woman")
    file.write_text("# Mine\ndog, cat  # both\ncup/mug; St. Bernard\n", encoding="utf-8")
    assert names_setting({"names": str(file)}) == ("dog", "cat", "cup", "mug", "st bernard")
    assert names_setting({"names": "a dog,The Dogs, an owl,two cats,12 hot dogs,St. Bernard,one way sign"}) == (
        "dog", "owl", "cat", "hot dog", "st bernard", "one way sign",
    )  # fmt: skip
    file.write_bytes(b"caf\xe9\n")
    with pytest.raises(OptionError, match="Expected a file of names in UTF-8, one a line"):
        names_setting({"names": str(file)})


def test_several_are_one(checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]) -> None:
    named = options(
        masks=str(checkpoints["mask2former"]),
        boxes=str(checkpoints["detr"]),
        open_vocabulary=str(checkpoints["owlvit"]),
        names="dog,red car",
        min_score="0.05",
    )
    detector = detector_of(named)
    assert [part.partition("-1 ")[0] for part in detector.fingerprint.split("; ")] == [
        "masks",
        "boxes",
        "open-vocabulary",
    ]
    found = detector.find(pictures[0])
    assert {"masks"} < {each.by for each in found}
    assert detector.find(pictures[0]) == found


def test_none_is_named() -> None:
    with pytest.raises(
        OptionError, match=r"name a detector \(masks, boxes, open-vocabulary, detector, model\), but got none"
    ):
        detector_of(options(min_score="0.5"))


def test_a_detector_that_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        detector_of(options(boxes=str(tmp_path / "absent")))


def test_a_grounder(checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]) -> None:
    grounder = grounder_of(str(checkpoints["owlv2"]), options(min_score="0"))
    (found,) = grounder.ground(pictures[0], ["the dog"])
    assert found[0].name == "the dog"


def test_what_masks_need_for_outlines_is_missed_before_any_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skimage.measure", None)
    for name in ("closed_set", "outlines"):
        monkeypatch.delitem(sys.modules, f"pytest_vqamt.annotation.detectors.{name}", raising=False)
        monkeypatch.delattr(f"pytest_vqamt.annotation.detectors.{name}", raising=False)
    with pytest.raises(OptionError, match=r"what --option masks needs to be installed, but there is no skimage"):
        detector_of(options(masks="DIR"))


def test_a_package_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object) -> object:
        raise ModuleNotFoundError("No module named 'transformers'", name="transformers")

    monkeypatch.setattr(closed_set.ClosedSetMasks, "load", load)
    with pytest.raises(OptionError, match=r'there is no transformers; run: pip install "pytest-vqamt\[photos\]"'):
        detector_of(options(masks="DIR"))


def test_to_ask_which_are_named_imports_nothing_heavy() -> None:
    code = (
        "import sys; from pytest_vqamt.annotation.detectors.catalogue import check; check({'boxes': 'DIR'}); "
        "print(sorted({'torch', 'transformers', 'PIL', 'numpy', 'scipy', 'skimage'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
