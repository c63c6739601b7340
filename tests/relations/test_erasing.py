"""What stands where a thing was erased."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.corpus import gather
from pytest_vqamt.core.edits import Colour, Erase, Fill
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging import inpainting
from pytest_vqamt.language.english.lexical_relations import COLOURS
from pytest_vqamt.relations.edits import ERASE, FLAT, INPAINT, Eraser, eraser, words_for
from tests.making import scene_of

SCENE = scene_of("dog", "cat")
CORPUS = gather((SCENE,))


def made(erase: str, inpaint: str = "telea", colour: Colour | None = None) -> Eraser:
    found = eraser(erase, inpaint, gather((SCENE,), measure=lambda: colour))
    assert isinstance(found, Eraser)
    return found


def patch(with_: Eraser, box: Box = Box(0.5, 10, 14, 15), scene: Scene = SCENE) -> Erase:  # noqa: B008 - a frozen box
    [edit] = with_.erase(scene.picture, box).edits
    assert isinstance(edit, Erase)
    return edit


def test_the_paper_paints_white() -> None:
    assert ERASE.default == "white"
    assert patch(made("white")) == Erase(box=Box(0, 10, 15, 15))


def test_the_mean_colour_of_the_data() -> None:
    assert patch(made("mean", colour=(120, 130, 90))) == Erase(
        box=Box(0, 10, 15, 15), fill=Fill.MEAN, colour=(120, 130, 90)
    )


def test_data_without_photos_has_no_mean_colour() -> None:
    assert eraser("mean", "telea", CORPUS) == NotApplicable(reason="the data has no photos to take a mean colour from")


@pytest.mark.parametrize("method", ["telea", "biharmonic"])
def test_an_inpainter_by_its_name(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: True)
    assert patch(made("inpaint", method)) == Erase(box=Box(0, 10, 15, 15), fill=Fill.INPAINT, method=method)


def test_what_must_be_installed_first_is_the_reason_for_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: False)
    found = eraser("inpaint", "telea", CORPUS)
    assert isinstance(found, NotApplicable)
    assert "pip install 'pytest-vqamt[inpaint]'" in found.reason
    # It is not needed for the others.
    assert isinstance(eraser("white", "telea", CORPUS), Eraser)


def test_a_checkpoint_that_is_not_there_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"big-lama\.pt"):
        eraser("inpaint", f"lama:{tmp_path / 'big-lama.pt'}", CORPUS)


def test_a_patch_ends_at_the_frame() -> None:
    assert patch(made("white"), Box(190.5, 90, 20, 20)).box == Box(190, 90, 10, 10)


def test_a_patch_may_be_taken_for_something_white_and_flat() -> None:
    white = made("white")
    assert white.barred == ("white", "gray")
    assert {"box", "book", "paper", "sign"} <= white.barred_names == FLAT
    assert not {"dog", "car", "person", "ball"} & FLAT


def test_an_inpainted_patch_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: True)
    found = made("inpaint")
    assert (found.barred, found.barred_names) == ((), frozenset())


def test_a_patch_of_the_mean_colour_goes_by_several_words() -> None:
    assert made("mean", colour=(110, 100, 90)).barred == words_for((110, 100, 90))


@pytest.mark.parametrize(
    ("colour", "words"),
    [
        ((250, 250, 250), {"white"}),
        ((135, 135, 135), {"gray"}),
        ((120, 95, 70), {"brown", "gray"}),
        ((60, 120, 70), {"green", "gray"}),
        ((25, 25, 25), {"black", "gray"}),
    ],
)
def test_the_words_for_a_colour_hold_what_people_call_it(colour: Colour, words: set[str]) -> None:
    assert words <= set(words_for(colour)) <= set(COLOURS)


def test_the_settings_are_those_that_users_may_type() -> None:
    assert ERASE.values == ("white", "mean", "inpaint")
    assert INPAINT.values == ("telea", "biharmonic", "lama:PATH")
    assert all(setting.takes(setting.default) for setting in (ERASE, INPAINT))
    assert INPAINT.takes("lama:/models/big-lama.pt")
