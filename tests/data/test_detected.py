"""Who has written which line is found beside the lines."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_vqamt.data.own.photos import NOTES, Author, Trouble, note_found, note_trouble, settings_of_lines, troubles
from tests.data.test_graph_writing import DOG, TREES, WOMAN


def test_which_detector_found_what_and_how_surely(tmp_path: Path) -> None:
    author = Author(settings={"masks": "org/name"}, fingerprint="masks-1 files=12")
    note_found(tmp_path, "a.jpg", "a", author, (DOG, TREES, WOMAN), size_bytes=1200)
    (line,) = (tmp_path / NOTES).read_text().splitlines()
    assert json.loads(line) == {
        "photo": "a.jpg",
        "id": "a",
        "bytes": 1200,
        "settings": {"masks": "org/name"},
        "detectors": "masks-1 files=12",
        "objects": {"1": {"by": "masks", "score": 0.9}, "2": {"by": "detector", "score": 0.7}},
    }


def test_the_last_word_on_a_photo_counts(tmp_path: Path) -> None:
    assert troubles(tmp_path) == {}
    torn, empty = Trouble(why="it is torn", digest="12", asked="7"), Trouble(why="it is empty", digest="", asked="7")
    for photo in ("a.jpg", "b.jpg", "c.jpg"):
        note_trouble(tmp_path, photo, torn)
    note_found(tmp_path, "b.jpg", "b", Author(settings={}, fingerprint="boxes-1"), (), size_bytes=9)
    note_trouble(tmp_path, "c.jpg", empty)
    assert troubles(tmp_path) == {"a.jpg": torn, "c.jpg": empty}


def test_lines_of_another_form_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / NOTES).write_text('\n{"photo": \n[]\n{"photo": 3, "trouble": "x", "digest": ""}\n{"photo": "a.jpg"}\n')
    assert troubles(tmp_path) == {}


def test_by_which_settings_lines_were_last_written(tmp_path: Path) -> None:
    for settings in ({"boxes": "a"}, {"boxes": "b", "min-score": "0.3"}):
        note_found(tmp_path, "a.jpg", "a", Author(settings=settings, fingerprint="boxes-1"), (), size_bytes=9)
    note_trouble(tmp_path, "b.jpg", Trouble(why="it is torn", digest="", asked="7"))
    assert settings_of_lines(tmp_path) == {"a.jpg": {"boxes": "b", "min-score": "0.3"}}
