"""A case is shown as a person can judge it: pictures with what was edited, and no answers where these would lead."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageOps

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError, RenderError
from pytest_vqamt.core.meaning import Describe, Exists, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.core.report_json import case_row
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.reporting.audit.sample import AuditCase, AuditTarget
from pytest_vqamt.reporting.audit.sheet import SIDE_PX, SheetCase, sheet_case

SOURCE = PictureWorld(4)
SCENE = SOURCE.scene(0)
THING = SCENE.objects[0]
ERASED = SCENE.picture.erase(THING.box).mirror()
VIOLATED = Verdict(outcome=Outcome.VIOLATED, reason="but got yes, no", readings=("yes", "no"))


MEANING = Exists(group=Group(name=THING.name))


def drawn(*asked: tuple[Picture, str], answers: tuple[Answer | Failure, ...] = ()) -> AuditCase:
    queries = tuple(Query(picture=picture, text=text, meaning=MEANING) for picture, text in asked)
    case = Case(relation="ours.erase", variant="", scene=SCENE.id, queries=queries, expected="first = second")
    said = answers or tuple(Answer(str(number)) for number in range(len(asked)))
    row = case_row(case, said, VIOLATED, model="tiny", data=SOURCE.spec)
    return AuditCase(row=row, where="out/cases.jsonl:7", item="ours.erase", model="tiny")


def of(case: AuditCase, what: AuditTarget = AuditTarget.VIOLATIONS) -> SheetCase:
    return sheet_case(case, what, "nothing changes", SOURCE)


def far_apart(one: Image.Image, other: Image.Image) -> float:
    """How much two images of a size differ on average, of 255."""
    return float(np.asarray(ImageChops.difference(one, other), dtype=np.float64).mean())


def image_of(file: bytes) -> Image.Image:
    with Image.open(BytesIO(file)) as image:
        return image.convert("RGB")


def test_each_picture_is_shown_once_with_all_that_was_asked_of_it() -> None:
    photo = SCENE.picture
    case = of(drawn((photo, "a?"), (ERASED, "b?"), (photo, "c?"), answers=(Answer("x"), Answer("y"), Answer("z"))))
    assert [[each.text for each in picture.asked] for picture in case.pictures] == [["a?", "c?"], ["b?"]]
    assert [(each.place, each.text, each.answer) for each in case.asked] == [
        ("first", "a?", "x"),
        ("second", "b?", "y"),
        ("third", "c?", "z"),
    ]
    assert (case.expected, case.verdict, case.reason) == ("first = second", "violated", "but got yes, no")
    assert [picture.note for picture in case.pictures] == ["", "erased (white); mirrored"]


def test_who_judges_a_test_sees_no_answer() -> None:
    case = of(drawn((SCENE.picture, "a?"), (ERASED, "b?")), AuditTarget.ALL)
    assert [each.answer for each in case.asked] == [None, None]
    assert (case.verdict, case.reason) == ("", "")


def test_what_was_edited_is_outlined_where_it_is_to_be_seen() -> None:
    photo, erased = of(drawn((SCENE.picture, "a?"), (ERASED, "b?"))).pictures
    assert photo.edits == ()
    (edit,) = erased.edits
    assert (edit.label, edit.box) == ("erased", THING.box.mirrored(SCENE.width))
    assert erased.frame == (SCENE.width, SCENE.height)


def test_the_pictures_are_those_that_the_model_got() -> None:
    photo, erased = (image_of(each.image) for each in of(drawn((SCENE.picture, "a?"), (ERASED, "b?"))).pictures)
    original = SOURCE.photo(SCENE.photo)
    assert photo.size == erased.size == original.size
    assert far_apart(photo, original) < 8, "compressed, but nothing else"
    assert far_apart(erased, ImageOps.mirror(original)) > far_apart(photo, original)
    x, y = map(int, THING.box.mirrored(SCENE.width).centre)
    patch = np.asarray(erased.crop((x, y, x + 2, y + 2)))
    assert patch.min() > 240, "white, where the thing was"


def test_a_large_picture_is_made_smaller_and_a_small_one_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def photo(source: PictureWorld, of: Photo) -> Image.Image:
        return Image.new("RGB", (1920, 960), (10, 200, 30))

    monkeypatch.setattr(PictureWorld, "photo", photo)
    (picture,) = of(drawn((SCENE.picture, "a?"))).pictures
    assert image_of(picture.image).size == (SIDE_PX, SIDE_PX // 2)
    assert picture.frame == (1920, 960), "of the picture itself, which the boxes are in pixels of"


def test_a_query_without_an_answer_and_one_that_is_asked_again() -> None:
    queries = tuple(
        Query(picture=SCENE.picture, meaning=Describe(), task=Task.CAPTIONING, trial=trial) for trial in (0, 1)
    )
    case = Case(relation="ours.repeat", variant="", scene=SCENE.id, queries=queries, expected="first = second")
    answers = (Answer("a dog"), Failure(reason="out of memory"))
    row = case_row(case, answers, VIOLATED, model="tiny", data=SOURCE.spec)
    (picture,) = of(AuditCase(row=row, where="", item="ours.repeat", model="tiny")).pictures
    assert [(each.words, each.answer) for each in picture.asked] == [
        ("(describe the picture)", "a dog"),
        ("(describe the picture) (asked again)", None),
    ]


def test_a_case_of_many_texts_numbers_them() -> None:
    case = of(drawn(*[(SCENE.picture, f"{number}?") for number in range(12)]))
    assert [each.place for each in case.asked][8:] == ["ninth", "tenth", "number 11", "number 12"]


def test_other_data_are_refused_with_the_line() -> None:
    with pytest.raises(DataError, match=r"^out/cases\.jsonl:7: Expected a photo of .*: .* name it with --data$"):
        sheet_case(drawn((SOURCE.scene(3).picture, "a?")), AuditTarget.ALL, "", PictureWorld(1))


def test_a_picture_that_cannot_be_drawn_is_named_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def photo(source: PictureWorld, of: Photo) -> Image.Image:
        raise OSError("no such photo")

    monkeypatch.setattr(PictureWorld, "photo", photo)
    with pytest.raises(RenderError, match=r"^out/cases\.jsonl:7: no such photo$"):
        of(drawn((SCENE.picture, "a?")))


@pytest.mark.parametrize("broken", [{"answers": ["yes", "no"]}, {"queries": [{}]}, {"expected": None, "queries": 3}])
def test_a_line_that_is_not_whole_is_named(broken: dict[str, Json]) -> None:
    whole = drawn((SCENE.picture, "a?"))
    with pytest.raises(DataError, match=r"^out/cases\.jsonl:7: Expected a whole "):
        of(replace(whole, row={**whole.row, **broken}))
