"""``snli-ve:DIR`` is completed by a grounding model: once, line by line, and nobody's line is touched."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from pytest_vqamt.annotation import hypothesis_boxes as hypotheses
from pytest_vqamt.annotation.detectors import catalogue
from pytest_vqamt.annotation.detectors.detector import DetectedObject
from pytest_vqamt.annotation.hypothesis_boxes import ground_hypotheses
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import DataError, ModelError, OptionError
from pytest_vqamt.data.catalogue import load
from tests.annotation.detectors import small_detectors
from tests.annotation.park import here, options, put, rows, write_park
from tests.data.made_snli_ve import official_row, table_row, units_row, write_official, write_table, write_units


@pytest.fixture(scope="module")
def owl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An OWLv2 that is sure of a box for every phrase."""
    return small_detectors.owlv2(tmp_path_factory.mktemp("owl"), plant=(0.3, 0.2, 0.2, 0.2))


@pytest.fixture(scope="module")
def dino(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Grounding DINO."""
    return small_detectors.grounding_dino(tmp_path_factory.mktemp("dino"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_park(tmp_path / "park")


def test_every_entailed_hypothesis_gets_its_line(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = {"man plays with a dog": Box(10, 20, 30, 40), "woman reads a book": Box(50, 0, 9, 40)}
    put(monkeypatch, lambda _image, phrase: [here(phrase, box=boxes.get(phrase))])
    ground_hypotheses(str(folder), options(owl))

    def line(pair: str, text: str, *units: tuple[str, str, list[int] | None]) -> dict[str, object]:
        return {
            "id": pair,
            "photo": f"{pair[0]}.jpg",
            "hypothesis": text,
            "label": "entailment",
            "units": [{"object": noun, "property": said, "box": box} for noun, said, box in units],
        }

    usual = [1, 2, 30, 20]
    assert rows(folder) == [
        line(
            "1.jpg#0r1e", "A man plays with a dog.", ("man", "plays with a dog", [10, 20, 30, 40]), ("dog", "", usual)
        ),
        line("1.jpg#1r1e", "Two people sit.", ("people", "sit", None)),
        line("2.jpg#0r1e", "A dog runs.", ("dog", "runs", usual)),
        line("3.jpg#0r1e", "A woman reads a book.", ("woman", "reads a book", [50, 0, 9, 40]), ("book", "", usual)),
    ]
    source = load(f"snli-ve:{folder}")
    assert source.bad_records == ()
    assert [(thing.name, thing.box) for thing in source.scene(0).objects] == [
        ("man", Box(10, 20, 30, 40)), ("dog", Box(1, 2, 30, 20)),
    ]  # fmt: skip
    assert source.description.startswith("5 hypotheses, 3 entailed with boxes, about 3 photos")


@pytest.mark.parametrize("prefix", ["", "owl:"])
def test_a_real_model_draws_the_boxes_that_it_draws_by_itself(folder: Path, owl: Path, prefix: str) -> None:
    ground_hypotheses(str(folder), options(f"{prefix}{owl}"))
    [row] = [row for row in rows(folder) if row["photo"] == "2.jpg"]
    with Image.open(folder / "images" / "2.jpg") as image:
        [[best, *_]] = catalogue.grounder_of(str(owl), options()).ground(image.convert("RGB"), ["dog runs"])
    assert row["units"][0]["box"] == pytest.approx([best.box.x, best.box.y, best.box.w, best.box.h], abs=0.11)
    assert load(f"snli-ve:{folder}").bad_records == ()


def test_who_made_which_line(folder: Path, owl: Path) -> None:
    ground_hypotheses(str(folder), options(f"owl:{owl}"))
    noted = rows(folder, "units.grounded.jsonl")
    assert [row["photo"] for row in noted] == ["1.jpg", "2.jpg", "3.jpg"]
    assert noted[0]["settings"] == {"grounder": f"owl:{owl}"}
    assert noted[0]["hypotheses"].keys() == {"1.jpg#0r1e", "1.jpg#1r1e"}
    assert all(0.9 < score <= 1 for score in noted[0]["hypotheses"]["1.jpg#0r1e"])
    assert noted[0]["hypotheses"]["1.jpg#1r1e"] == [None]
    assert re.match(r"open-vocabulary-1 files=\w{16} ", noted[0]["grounder"])


def test_grounding_dino(folder: Path, dino: Path) -> None:
    ground_hypotheses(str(folder), options(f"grounding-dino:{dino}", **{"min-score": "0.01"}))
    assert [row["id"] for row in rows(folder)] == ["1.jpg#0r1e", "1.jpg#1r1e", "2.jpg#0r1e", "3.jpg#0r1e"]
    assert load(f"snli-ve:{folder}").bad_records == ()


def test_a_checkpoint_of_another_kind_than_is_said(folder: Path, owl: Path) -> None:
    with pytest.raises(ModelError, match=r"model_type 'grounding-dino' or .*leave out the prefix"):
        ground_hypotheses(str(folder), options(f"grounding-dino:{owl}"))
    with pytest.raises(ModelError, match="Expected --option grounder=PATH with a checkpoint folder"):
        ground_hypotheses(str(folder), options(folder / "nowhere"))


def test_a_phrase_is_an_object_with_its_property(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grounds = put(monkeypatch)
    ground_hypotheses(str(folder), options(owl))
    assert grounds.asked == [
        ("man plays with a dog", "dog"),
        ("dog runs",),
        ("woman reads a book", "book"),
    ]  # fmt: skip


def test_the_surest_box_that_can_be_seen_is_taken(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ground(_image: Image.Image, phrase: str) -> list[DetectedObject]:
        if phrase == "dog runs":
            return []
        return [here(phrase, 0.9, Box(5, 5, 0.5, 9)), here(phrase, 0.8, Box(1.04, 2, 20, 10)), here(phrase, 0.7)]

    put(monkeypatch, ground)
    ground_hypotheses(str(folder), options(owl))
    assert [[unit["box"] for unit in row["units"]] for row in rows(folder)] == [
        [[1, 2, 20, 10]] * 2, [None], [None], [[1, 2, 20, 10]] * 2,
    ]  # fmt: skip
    assert rows(folder, "units.grounded.jsonl")[0]["hypotheses"]["1.jpg#0r1e"] == [0.8, 0.8]


def test_a_phrase_that_is_too_long_loses_words_at_its_end(folder: Path, owl: Path) -> None:
    """The small OWLv2 reads 32 tokens, of which two mark the ends; each of its tokens is a letter."""
    long = "A dog jumps very high over the fence in the garden."
    write_official(folder, official_row("2.jpg#0r1e", long), official_row("2.jpg#1r1e", "A dog runs."))
    ground_hypotheses(str(folder), options(owl))
    assert [bool(row["units"][0]["box"]) for row in rows(folder)] == [True, True]
    assert rows(folder)[0]["units"][0]["property"].startswith("jumps very high over the fence")


def test_words_are_lost_one_by_one(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ground(_image: Image.Image, phrase: str) -> list[DetectedObject]:
        if len(phrase) > 12:
            raise ModelError("say it in fewer words")
        return [here(phrase)]

    grounds = put(monkeypatch, ground)
    ground_hypotheses(str(folder), options(owl))
    assert grounds.asked[:4] == [
        ("man plays with a dog", "dog"), ("man", "dog"), ("man plays with a", "dog"), ("man plays with", "dog"),
    ]  # fmt: skip
    assert ("woman reads", "book") in grounds.asked


def test_a_model_that_cannot_be_asked_at_all(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ground(_image: Image.Image, _phrase: str) -> list[DetectedObject]:
        raise ModelError("Expected numbers")

    grounds = put(monkeypatch, ground)
    with pytest.raises(ModelError, match="Expected numbers"):
        ground_hypotheses(str(folder), options(owl))
    assert grounds.looks == 2


# What is not touched, and not done twice.


def test_lines_and_tables_that_say_where_units_are_stay(folder: Path, owl: Path) -> None:
    write_table(folder, table_row("2.jpg#0r1e", subject=";dog", modifier=";runs", bbox=";1,1,20,20"))
    mine = units_row("3.jpg#0r1e", {"object": "woman", "property": "reads", "box": None}, photo="3.jpg")
    write_units(folder, mine)
    before = (folder / "units.jsonl").read_bytes()
    ground_hypotheses(str(folder), options(owl))
    assert (folder / "units.jsonl").read_bytes().startswith(before)
    assert [row["id"] for row in rows(folder)][1:] == ["1.jpg#0r1e", "1.jpg#1r1e"]


def test_a_table_without_a_box_gives_the_units(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(folder, table_row("2.jpg#0r1e", subject=";brown dog;two cats", modifier=";runs fast;", bbox=";;"))
    units = [{"object": "reader", "property": "reads"}]
    write_units(folder, {"hypothesis": "A woman reads a book", "units": units})
    grounds = put(monkeypatch)
    ground_hypotheses(str(folder), options(owl))
    assert grounds.asked[1:] == [("brown dog runs fast",), ("reader reads",)]


def test_where_nothing_is_wanting_no_model_is_loaded(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground_hypotheses(str(folder), options(owl))
    before = [(folder / name).read_bytes() for name in ("units.jsonl", "units.grounded.jsonl")]
    monkeypatch.setattr(catalogue, "grounder_of", lambda _named, _options: pytest.fail("a model was loaded"))
    monkeypatch.setattr(hypotheses, "only_writer", lambda _file: pytest.fail("the folder has to be writable"))
    ground_hypotheses(str(folder), options(owl))
    assert [(folder / name).read_bytes() for name in ("units.jsonl", "units.grounded.jsonl")] == before


def test_who_is_interrupted_goes_on_where_they_were(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_image: Image.Image, phrase: str) -> list[DetectedObject]:
        if phrase == "dog runs":
            raise KeyboardInterrupt
        return []

    put(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ground_hypotheses(str(folder), options(owl))
    assert [row["id"] for row in rows(folder)] == ["1.jpg#0r1e", "1.jpg#1r1e"]
    again = put(monkeypatch)
    ground_hypotheses(str(folder), options(owl))
    assert again.looks == 2
    assert [row["id"] for row in rows(folder)] == ["1.jpg#0r1e", "1.jpg#1r1e", "2.jpg#0r1e", "3.jpg#0r1e"]


def test_without_photos_nothing_can_be_grounded(folder: Path, owl: Path) -> None:
    write_official(folder / "bare")
    with pytest.raises(DataError, match=r"Expected photos to look .*bare' has none: put them into .*flickr30k-images"):
        ground_hypotheses(str(folder / "bare"), options(owl))


# Settings.


@pytest.mark.parametrize("given", ["", " ", "owl:"])
def test_a_setting_that_names_nothing(given: str) -> None:
    with pytest.raises(OptionError, match="Expected --option grounder=REPO-OR-PATH, but got grounder="):
        ground_hypotheses("DIR", options(given))


def test_a_score_that_is_none() -> None:
    with pytest.raises(OptionError, match="min-score=SCORE to be from 0 to below 1"):
        ground_hypotheses("DIR", options("m", **{"min-score": "2"}))


# Photos that get no lines, and what is said.


def fails_on_two(image: Image.Image, phrase: str) -> list[DetectedObject]:
    if image.size == (100, 200):
        raise RuntimeError("no kernel image\nis available")
    return [here(phrase)]


def test_a_photo_that_the_model_fails_on_costs_only_itself_and_is_tried_again(
    folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, fails_on_two)
    outcome = ground_hypotheses(str(folder), options(owl))
    assert [row["photo"] for row in rows(folder)] == ["1.jpg", "1.jpg", "3.jpg"]
    assert outcome.failures == (
        f"Expected a grounding model to look at '{folder / 'images' / '2.jpg'}', but it raised RuntimeError (no kernel "
        "image is available): write the lines of its hypotheses yourself, or take another model",
    )
    assert load(f"snli-ve:{folder}").bad_records == ()
    again = put(monkeypatch)
    assert ground_hypotheses(str(folder), options(owl)).failures == ()
    assert (again.looks, len(rows(folder))) == (1, 4)


def test_a_photo_that_is_torn(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photo = folder / "images" / "2.jpg"
    photo.write_bytes(photo.read_bytes()[:-40])
    put(monkeypatch)
    (failure,) = ground_hypotheses(str(folder), options(owl)).failures
    assert "2.jpg' is truncated: fetch it again" in failure
    assert len(rows(folder)) == 3


def test_a_missing_photo_is_reported_when_the_data_is_opened(
    folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "images" / "2.jpg").unlink()
    put(monkeypatch)
    ground_hypotheses(str(folder), options(owl))
    assert len(rows(folder)) == 3
    with pytest.raises(DataError, match=r"there is no 2\.jpg: add it"):
        load(f"snli-ve:{folder}")


def test_lines_of_other_settings_are_reported(
    folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(monkeypatch)
    ground_hypotheses(str(folder), options(owl))
    _, *rest = (folder / "units.jsonl").read_text().splitlines()
    (folder / "units.jsonl").write_text("\n".join(rest))
    capsys.readouterr()
    ground_hypotheses(str(folder), options(owl, **{"min-score": "0.1"}))
    assert f"vqamt: other settings (grounder={owl}) wrote 3 of the lines in " in capsys.readouterr().err


def test_the_hypotheses_and_the_outcome_are_printed(
    folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(monkeypatch, fails_on_two)
    outcome = ground_hypotheses(str(folder), options(owl))
    assert capsys.readouterr().err == (f"vqamt: looking for units of 4 hypotheses about 3 photos in '{folder}'\n")
    assert outcome.summary == (
        f"added 3 lines to '{folder / 'units.jsonl'}': 4 boxes, none in 1 hypothesis. Correct them; the scores are in "
        f"'{folder / 'units.grounded.jsonl'}'"
    )


def test_notes_that_are_broken_are_passed_over(folder: Path, owl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch)
    (folder / "units.grounded.jsonl").write_text('{\n[]\n{"photo": 7}\n{"photo": "1.jpg", "trouble": 3}\n')
    ground_hypotheses(str(folder), options(owl))
    assert len(rows(folder)) == 4
    lines = (folder / "units.grounded.jsonl").read_text().splitlines()[4:]
    assert [json.loads(line)["photo"] for line in lines] == ["1.jpg", "2.jpg", "3.jpg"]
