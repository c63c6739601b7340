"""What is wrong with a line of hypotheses is told with file, line and field, and costs that hypothesis alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.data.snli_ve.scenes import load
from tests.data.made_coco import Row, without, write_photos
from tests.data.made_snli_ve import (
    MAN,
    graph_row,
    official_row,
    table_row,
    thing,
    unit,
    units_row,
    write_lines,
    write_official,
    write_table,
    write_units,
)
from tests.rows import each_row

GOOD = "8.jpg#0r1e"
FLAT = "bbox: Expected a box of a width and height above 0"


def told(folder: Path, good: str = GOOD) -> str:
    """What is wrong with the one bad record; the hypothesis ``good`` is still there, and no other."""
    source = load(str(folder))
    hypotheses = [each.id for index in range(len(source)) for each in source.scene(index).hypotheses]
    assert hypotheses == [good]
    [text] = source.bad_records
    assert "\n" not in text
    return text


@each_row(
    "row, text",
    [
        (without(official_row(), "pairID"), "pairID: Expected an id, a text or a whole number, but got no 'pairID'"),
        (without(official_row(), "gold_label"), "gold_label: Expected a text that is not blank, but got no"),
        (without(official_row(), "sentence2"), "sentence2: Expected a text that is not blank, but got no 'sentence2'"),
        (official_row(text=" "), "sentence2: Expected a text that is not blank, but got sentence2=' '"),
        (official_row(gold_label="maybe"), "gold_label: Expected one of entailment, neutral, contradiction, but got"),
        (official_row(gold_label=2), "gold_label: Expected a text that is not blank, but got gold_label=2"),
        (official_row("vg_7r1e", Flickr30K_ID=None), "pairID: Expected PHOTO.jpg#NUMBER, the id of a pair, but got"),
        ("[1, 2]", "Expected a JSON object, but got record=[1, 2]"),
        ('{"pairID": "7.jpg#0', "Expected JSON, but it breaks off at column 12"),
        ('{"pairID": "a", "pairID": "b"}', "Expected each key of an object once, but got 'pairID' twice"),
    ],
)
def test_a_broken_line_of_snli_ve(tmp_path: Path, row: Row | str, text: str) -> None:
    write_official(tmp_path, row, official_row(GOOD))
    assert told(tmp_path).startswith(f"snli_ve_test.jsonl:1: {text}")


@each_row(
    "row, text",
    [
        *(
            (without(table_row(), field), f"{field}: Expected a text")
            for field in ("modifier", "bbox", "sentence", "label")
        ),
        (table_row("7"), "uniq_id: Expected PHOTO.jpg#NUMBER, the id of a pair, but got uniq_id='7'"),
        (table_row(label="yes"), "label: Expected one of entailment, neutral, contradiction, but got label='yes'"),
        (table_row(subject=";man"), "modifier: Expected as many units as subject has (1), but got"),
        (
            table_row(bbox=";1,1,2,2"),
            "bbox: Expected as many units as subject has (2), but got bbox=';1,1,2,2': it has 1",
        ),
        (
            table_row(bbox=";1,1,2,2;1,2,3"),
            "bbox: Expected x0,y0,x1,y1 of unit 2, but got bbox=';1,1,2,2;1,2,3': it is",
        ),
        (table_row(bbox=";1,1,2,2;1,2,3,x"), "bbox: Expected x0,y0,x1,y1 of unit 2, but got"),
        (table_row(bbox=";1,1,2,2;5,2,3,4"), f"{FLAT} for unit 2"),
        (table_row(bbox=";1,1,2,2;1,2,1,4"), f"{FLAT} for unit 2"),
        (table_row(bbox=";1,1,2,2;1,2,nan,4"), f"{FLAT} for unit 2"),
        (table_row(bbox=";1,1,2,2;1,2,3,inf"), f"{FLAT} for unit 2"),
        (table_row(bbox=";-inf,1,2,2;1,2,3,4"), f"{FLAT} for unit 1"),
        (table_row(bbox=7), "bbox: Expected a text that is not blank, but got bbox=7"),
    ],
)
def test_a_broken_line_of_the_table(tmp_path: Path, row: Row, text: str) -> None:
    write_table(tmp_path, table_row(GOOD), row)
    assert told(tmp_path).startswith(f"hypotheses.jsonl:2: {text}")


@each_row(
    "row, text",
    [
        *(
            (without(units_row(), field), f"{field}: Expected ")
            for field in ("id", "photo", "hypothesis", "label", "units")
        ),
        (units_row(label="-"), "label: Expected one of entailment, neutral, contradiction, but got label='-'"),
        (units_row(units={"man": MAN}), "units: Expected a list, but got units={'man': [10, 10, 30, 60]}"),
        (units_row(units=["man"]), "units[0]: Expected a JSON object, but got units[0]='man'"),
        (units_row("q", {"property": "sits"}), "units[0].object: Expected a text that is not blank, but got no"),
        (units_row("q", unit("man", "", [1, 2, 3])), "units[0].box: Expected a box [x, y, w, h], but got"),
        (units_row("q", unit("man", "", [1, 2, 3, "4"])), "units[0].box[3]: Expected a number, but got box[3]='4'"),
        (units_row("q", unit("man", "", [1, 2, 3, 0])), "units[0].box: Expected a box of a width and height above 0"),
        (units_row("q", unit("man"), unit("dog", "", "all")), "units[1].box: Expected a list, but got box='all'"),
        (units_row("q", unit("man") | {"bbox": MAN}), "units[0]: Expected known fields only, but got field='bbox'"),
        (units_row("q", unit("man") | {"property": 3}), "units[0].property: Expected a text that is not"),
    ],
)
def test_a_broken_line_of_units(tmp_path: Path, row: Row, text: str) -> None:
    write_units(tmp_path, row, units_row(GOOD, photo="8"))
    assert told(tmp_path).startswith(f"units.jsonl:1: {text}")


def test_a_box_outside_of_its_photo(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "7.jpg", "8.jpg")
    write_units(tmp_path, units_row("q", unit("man", "", [100, 0, 9, 9])), units_row(GOOD, photo="8.jpg"))
    assert told(tmp_path) == (
        "units.jsonl:1: units[0].box: Expected a box within the picture of 100 x 80 px, but got box=[100, 0, 9, 9]: "
        "all of it lies outside"
    )
    (tmp_path / "units.jsonl").unlink()
    write_table(tmp_path, table_row(bbox=";1,1,2,2;1,80,9,99"), table_row(GOOD))
    assert told(tmp_path).startswith(
        "hypotheses.jsonl:1: bbox: Expected a box within the picture of 100 x 80 px, but got bbox=';1,1,2,2;1,80,9,99'"
    )


def test_a_box_outside_of_what_the_scene_graph_says(tmp_path: Path) -> None:
    write_lines(tmp_path / "graphs.jsonl", [graph_row()])
    write_units(tmp_path, units_row("q", unit("man", "", [100, 0, 9, 9])), units_row(GOOD, photo="8.jpg"))
    assert "box within the picture of 100 x 80 px" in told(tmp_path)


def test_a_broken_line_of_units_costs_its_hypothesis_wherever_else_it_stands(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(), official_row(GOOD))
    write_table(tmp_path)
    write_units(tmp_path, units_row("7.jpg#0r1e", unit("man", "", [1])))
    assert told(tmp_path).startswith("units.jsonl:1: units[0].box")
    (tmp_path / "snli_ve_test.jsonl").unlink()
    write_table(tmp_path, table_row(), table_row(GOOD))
    assert told(tmp_path).startswith("units.jsonl:1: units[0].box")


def test_of_one_id_twice_the_first_stays(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(GOOD), official_row(GOOD, "It is another."))
    assert told(tmp_path) == (
        "snli_ve_test.jsonl:2: pairID: Expected an id of its own, but got pairID='8.jpg#0r1e': another line has it"
    )
    (tmp_path / "snli_ve_test.jsonl").unlink()
    write_table(tmp_path, table_row(GOOD), table_row(GOOD))
    assert told(tmp_path).endswith("but got uniq_id='8.jpg#0r1e': hypotheses.jsonl:1 has it")
    (tmp_path / "hypotheses.jsonl").unlink()
    write_units(tmp_path, units_row("q"), units_row("q", text="It is another."))
    assert told(tmp_path, "q").endswith("but got id='q': units.jsonl:1 has it")


def test_one_hypothesis_is_about_one_photo(tmp_path: Path) -> None:
    write_official(tmp_path, official_row(), official_row(GOOD))
    write_units(tmp_path, units_row(photo="9.jpg"))
    assert told(tmp_path) == (
        "units.jsonl:1: Expected the photo 7.jpg, as snli_ve_test.jsonl:1 has it for this id, but got 9.jpg: correct "
        "one of them"
    )


def test_a_photo_that_is_missing_among_others(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "8.jpg")
    write_official(tmp_path, official_row(), official_row("7.jpg#2r1e"), official_row(GOOD))
    assert told(tmp_path) == (
        f"snli_ve_test.jsonl:1: Expected its photo in '{tmp_path / 'images'}', but there is no 7.jpg: add it"
    )


def test_a_photo_that_cannot_be_read(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "8.jpg")
    (tmp_path / "images" / "7.jpg").write_text("no picture")
    write_official(tmp_path, official_row(), official_row(GOOD))
    text = told(tmp_path)
    assert text.startswith("snli_ve_test.jsonl:1: Expected a photo (JPEG")
    assert "7.jpg' is no image" in text
    write_table(tmp_path)
    assert load(str(tmp_path)).bad_records[0].startswith("hypotheses.jsonl:1: uniq_id: Expected a photo (JPEG")


@each_row("photo", ["../7.jpg", "/7.jpg", "a\\7.jpg", "http://x/7.jpg"])
def test_a_photo_that_is_none_of_the_folder(tmp_path: Path, photo: str) -> None:
    write_photos(tmp_path / "images", "8.jpg")
    write_units(tmp_path, units_row("q", photo=photo), units_row(GOOD, photo="8.jpg"))
    assert told(tmp_path).startswith("units.jsonl:1: photo: Expected the name of a photo within")


def test_a_scene_graph_of_another_size(tmp_path: Path) -> None:
    write_photos(tmp_path / "images", "7.jpg")
    graph = graph_row(thing("1", "tree", [0, 0, 9, 9]), width=50)
    write_lines(tmp_path / "images" / "graphs.jsonl", [graph])
    source = load(str(write_official(tmp_path)))
    assert source.bad_records == (
        "graphs.jsonl: photo 7.jpg: Expected it to be 50 x 80 px, as its line says, but got 100 x 80 px: is it the "
        "photo that was annotated?",
    )
    assert (source.scene(0).objects, source.scene(0).width) == ((), 100)


def test_a_broken_scene_graph_and_two_of_one_photo(tmp_path: Path) -> None:
    rows = [graph_row(), graph_row(id="again"), graph_row(thing("1", "tree", [0]), photo="8.jpg")]
    write_lines(tmp_path / "graphs.jsonl", rows)
    source = load(str(write_official(tmp_path)))
    again, broken = source.bad_records
    assert again == "graphs.jsonl:2: photo: Expected one line a photo, but got another of 7.jpg: remove one"
    assert broken.startswith("graphs.jsonl:3: objects[0].box: Expected a box [x, y, w, h]")


def test_where_nothing_can_be_used_the_first_reason_is_told(tmp_path: Path) -> None:
    write_official(tmp_path, "{")
    with pytest.raises(DataError, match=r"can be used, but there is none: snli_ve_test\.jsonl:1: Expected JSON"):
        load(str(tmp_path))
    write_official(tmp_path, official_row(gold_label="-"))
    with pytest.raises(DataError, match="there is none: no line has a label"):
        load(str(tmp_path))


@each_row("text", ["", "{}\n", "gone"])
def test_a_file_that_changes_while_it_is_used(tmp_path: Path, text: str) -> None:
    source = load(str(write_official(tmp_path)))
    file = tmp_path / "snli_ve_test.jsonl"
    if text == "gone":
        file.unlink()
    else:
        file.write_text(text)
    with pytest.raises(DataError, match=r"start again|it is empty|gold_label") as error:
        source.scene(0)
    assert "snli_ve_test.jsonl" in str(error.value)


def test_a_file_whose_lines_are_exchanged_while_it_is_used(tmp_path: Path) -> None:
    rows = [official_row("7.jpg#0r1e"), official_row("8.jpg#0r1e")]
    source = load(str(write_official(tmp_path, *rows)))
    write_official(tmp_path, *reversed(rows))
    with pytest.raises(DataError, match=r"a hypothesis about 7\.jpg, but its line has changed"):
        source.scene(0)
