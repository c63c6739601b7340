"""A case becomes a strip: one panel for each picture and what is asked about it."""

from __future__ import annotations

from dataclasses import replace

from PIL import Image

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import Corruption, Cutout, Fill
from pytest_vqamt.core.meaning import Absent, Count, Describe, Exists, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.contact_sheet import Strip, case_strip, sheet
from pytest_vqamt.imaging.outlines import Shows
from pytest_vqamt.imaging.render import render
from tests.imaging.coco_photos import CocoPhotos, needs_coco
from tests.making import group_of

DOG = Exists(group=group_of("dog"))


def case_of(*asked: tuple[Picture, str, Meaning], task: Task = Task.VQA) -> Case:
    return Case(
        relation="ours.test",
        variant="",
        scene="yard",
        queries=tuple(
            Query(picture=picture, text=text, meaning=meaning, task=task) for picture, text, meaning in asked
        ),
        expected="as the test says",
    )


def strip_of(case: Case, yard: Scene) -> Strip:
    return case_strip(
        case,
        [f"answer {number}" for number in range(1, len(case.queries) + 1)],
        title="ours.test",
        notes=("expected: as the test says",),
        image_of=lambda picture: Image.new("RGB", (picture.scene.width, picture.scene.height)),
        scene_of={yard.photo.id: yard}.__getitem__,
    )


def test_a_picture_is_told_with_its_edits_its_text_and_its_answer(yard: Scene) -> None:
    erased = yard.picture.erase(Box(0, 60, 20, 20)).mirror()
    strip = strip_of(case_of((yard.picture, "Is there a dog?", DOG), (erased, "Is there a dog?", DOG)), yard)
    assert (strip.title, strip.notes) == ("ours.test", ("expected: as the test says",))
    assert [(panel.note, panel.said) for panel in strip.panels] == [
        ("the photo as it is", (("1. Is there a dog?", "answer 1"),)),
        ("erased (white), mirrored", (("2. Is there a dog?", "answer 2"),)),
    ]
    assert [sum(each.shows is Shows.ASKED for each in panel.outlines) for panel in strip.panels] == [3, 2]
    assert [each.box for each in strip.panels[1].outlines if each.shows is Shows.EDITED] == [Box(180, 60, 20, 20)]


def test_texts_about_the_same_things_of_one_picture_share_a_panel(yard: Scene) -> None:
    cutting = yard.picture.cut(0, 100)
    case = case_of(
        (yard.picture, "Is there a dog?", DOG),
        (cutting, "Is there a dog?", DOG),
        (yard.picture, "Is there no dog?", Absent(group=group_of("dog"))),
    )
    assert [panel.said for panel in strip_of(case, yard).panels] == [
        (("1. Is there a dog?", "answer 1"), ("3. Is there no dog?", "answer 3")),
        (("2. Is there a dog?", "answer 2"),),
    ]


def test_texts_about_other_things_have_panels_of_their_own(yard: Scene) -> None:
    dogs, cats = Count(groups=(group_of("dog"),)), Count(groups=(group_of("cat"),))
    case = case_of((yard.picture, "How many dogs?", dogs), (yard.picture, "How many cats?", cats))
    assert len(strip_of(case, yard).panels) == 2


def test_a_caption_has_no_text_and_a_second_trial_says_so(yard: Scene) -> None:
    case = case_of((yard.picture, "", Describe()), task=Task.CAPTIONING)
    again = replace(case, queries=(*case.queries, replace(case.queries[0], trial=1)))
    assert strip_of(again, yard).panels[0].said == (
        ("1. (captioning)", "answer 1"),
        ("2. (captioning) (asked again)", "answer 2"),
    )


@needs_coco
def test_every_edit_of_a_real_photo_can_be_looked_at() -> None:
    photos = CocoPhotos()
    # The one with the most things, so that labels have little room.
    scene = max(photos.scenes.values(), key=lambda each: len(each.objects))
    thing, other = scene.objects[:2]
    picture, keep = scene.picture, (thing.box, other.box)
    made = (
        picture,
        picture.erase(thing.box, Fill.MEAN, (120, 110, 100)),
        picture.cut(0, scene.width // 3),
        picture.cut(0, scene.height // 3, "y"),
        picture.crop(Box(10, 10, 200, 150)),
        picture.insert(Cutout(photo=scene.photo, thing=thing), (20, 20), (thing.box.w, thing.box.h)),
        picture.blur(keep, sigma=6),
        picture.mask(keep, (90, 90, 90)),
        picture.corrupt(Corruption.CONTRAST, 3, keep).mirror(),
        picture.shear(0.2).brightness(20),
    )
    meaning = Count(groups=(group_of(thing.name.replace(" ", "_")),))
    case = case_of(*((each, f"How many? {number}", meaning) for number, each in enumerate(made)))
    strip = case_strip(
        case,
        [f"{number} of them" for number in range(len(made))],
        title="ours.test",
        notes=(),
        image_of=lambda each: render(each, photos),
        scene_of=photos.scenes.__getitem__,
    )
    assert len(strip.panels) == len(made)
    for panel, each in zip(strip.panels, made, strict=True):
        assert panel.image.size == (each.scene.width, each.scene.height)
    assert sheet([strip]).width == 1200
