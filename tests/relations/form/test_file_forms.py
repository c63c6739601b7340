"""The relations ``form.*``: one question of the pixels and of a file that holds just these."""

from __future__ import annotations

from collections import Counter

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.edits import FileForm, Store
from pytest_vqamt.core.meaning import Choice, Located, groups_of, truth
from pytest_vqamt.core.scene import PublishedQuestion, Scene
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.imaging.file_forms import stored_file
from pytest_vqamt.imaging.render import render
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.contrasts import with_contrast
from tests.making import answers_of, scene_of, thing_of
from tests.relations.deriving import cases_of
from tests.relations.spatial.gardens import IN_A_ROW
from tests.rows import each_row

ITEMS = [(relation, variant) for relation, variant in catalogue.select(("form.*",))]
IDS = [relation.info.item(variant) for relation, variant in ITEMS]
LOSSLESS = {"form.webp[lossless]", "form.png[alpha]", "form.png[16-bit]", "form.png[interlaced]", "form.exif[png]"}
GRAY = {"form.jpeg[grayscale]", "form.png[grayscale]"}
OF_A_ROW = replace(IN_A_ROW, objects=tuple(replace(each, attributes=("red",)) for each in IN_A_ROW.objects))


def found(item: str, scene: Scene = OF_A_ROW, draws: int = 60) -> list[Case]:
    relation, variant = ITEMS[IDS.index(item)]
    return cases_of(relation, scene, variant, draws=draws)


@each_row("item", IDS)
def test_the_two_sides_have_the_same_pixels_and_one_has_its_file(item: str) -> None:
    source = load("pictures:6")
    relation, variant = ITEMS[IDS.index(item)]
    some = [case for place in range(6) for case in cases_of(relation, source.scene(place), variant, draws=2)]
    assert some
    for case in some:
        pixels, file = case.queries
        assert (pixels.text, pixels.meaning) == (file.text, file.meaning)
        (edit,) = file.picture.edits
        assert isinstance(edit, Store)
        assert not edit.plain
        assert pixels.picture.edits == (() if item in LOSSLESS else (replace(edit, plain=True),))
        shown, sent = (render(each.picture, source) for each in case.queries)
        assert shown.tobytes() == sent.tobytes()
        assert stored_file(shown) is None
        # The others are made of their pixels (``in_its_form``).
        assert (stored_file(sent) is None) == (edit.form in (FileForm.ALPHA, FileForm.PALETTE, FileForm.GRAYSCALE))


@each_row("item", IDS)
def test_the_same_answer_is_expected(item: str) -> None:
    relation, _ = ITEMS[IDS.index(item)]
    for case in found(item):
        first, second = (truth(each.meaning, each.picture.scene) for each in case.queries)
        assert first == second
    yes_or_no = next(case for case in found(item) if dict(case.facts)["asked"] == "place")
    assert relation.judge(yes_or_no, answers_of("yes", "Yes.")).outcome is Outcome.HOLDS
    assert relation.judge(yes_or_no, answers_of("yes", "no")).outcome is Outcome.VIOLATED


@each_row("item", IDS)
def test_half_of_the_questions_are_about_colours_but_of_gray_and_of_turned_files(item: str) -> None:
    asked = Counter(dict(case.facts)["asked"] for case in found(item, draws=200))
    if item in GRAY:
        assert set(asked) == {"count", "exists", "place"}
    elif item.startswith("form.exif"):
        assert asked["place"] > 120
        assert "color" not in asked
    else:
        assert 70 < asked["color"] < 130
        colours = [case for case in found(item) if dict(case.facts)["asked"] == "color"]
        assert {type(case.queries[0].meaning) for case in colours} == {Choice}


@each_row(
    "item, form",
    [
        ("form.jpeg[baseline]", FileForm.JPEG),
        ("form.jpeg[progressive]", FileForm.PROGRESSIVE_JPEG),
        ("form.jpeg[grayscale]", FileForm.GRAYSCALE_JPEG),
        ("form.jpeg[cmyk]", FileForm.CMYK_JPEG),
        ("form.webp[lossless]", FileForm.WEBP),
        ("form.webp[lossy]", FileForm.LOSSY_WEBP),
        ("form.png[alpha]", FileForm.ALPHA),
        ("form.png[palette]", FileForm.PALETTE),
        ("form.png[grayscale]", FileForm.GRAYSCALE),
        ("form.png[16-bit]", FileForm.SIXTEEN_BITS),
        ("form.png[interlaced]", FileForm.INTERLACED),
        ("form.exif[jpeg]", FileForm.JPEG),
        ("form.exif[png]", FileForm.PNG),
    ],
)
def test_what_is_stored(item: str, form: FileForm) -> None:
    edits = [edit for case in found(item, draws=200) for edit in case.queries[1].picture.edits]
    stored = [edit for edit in edits if isinstance(edit, Store)]
    assert {edit.form for edit in stored} == {form}
    assert {edit.quality for edit in stored} == (set(range(85, 96)) if form.is_lossy else {0})
    assert {edit.orientation for edit in stored} == (set(range(2, 9)) if item.startswith("form.exif") else {1})
    for case, edit in zip(found(item, draws=200), stored, strict=True):
        facts = dict(case.facts)
        assert facts.get("quality", 0) == edit.quality
        assert facts.get("orientation", 1) == edit.orientation


def test_a_published_question_is_asked_where_nothing_else_is_but_not_of_gray() -> None:
    scene = replace(
        scene_of(thing_of("dog", box=Box(0, 0, 2, 2))),
        questions=(PublishedQuestion(id="1", text="What is the man holding?", answers=("ball",) * 10),),
    )
    kinds = {item: {dict(case.facts)["asked"] for case in found(item, scene)} for item in IDS}
    assert kinds == {item: set() if item in GRAY else {"published"} for item in IDS}


@each_row("item", IDS)
def test_a_case_has_a_contrast_to_the_plain_picture(item: str) -> None:
    other = replace(scene_of("cow"), id="other", photo=replace(OF_A_ROW.photo, id="other", digest="other"))
    relation, variant = ITEMS[IDS.index(item)]
    corpus = gather_corpus((OF_A_ROW, other))
    some = cases_of(relation, OF_A_ROW, variant, corpus=corpus)
    contrasts = [case.contrast for case in (with_contrast(relation, each, corpus, 1.0) for each in some)]
    about = [each for each in contrasts if each is not None]
    assert about
    assert all(not any(isinstance(edit, Store) for edit in each.query.picture.edits) for each in about)


def test_a_place_is_asked_about_what_a_turn_moves() -> None:
    places = [case for case in found("form.exif[jpeg]") if isinstance(case.queries[0].meaning, Located)]
    assert len(places) > 30


@pytest.mark.parametrize(("relation", "variant"), ITEMS, ids=IDS)
def test_an_empty_scene_gives_no_case(relation: object, variant: str) -> None:
    assert found(IDS[ITEMS.index((relation, variant))], scene_of(exhaustive=())) == []  # type: ignore[arg-type]


def test_a_picture_beyond_the_sides_of_webp_is_left_out() -> None:
    relation, variant = ITEMS[IDS.index("form.webp[lossy]")]
    dog = scene_of(thing_of("dog", box=Box(10, 10, 4000, 4000)), exhaustive=("dog",))
    for width, is_asked in ((16_383, True), (16_384, False)):
        wide = replace(dog, width=width, height=8000)
        assert bool(cases_of(relation, wide, variant, draws=9)) == is_asked


@pytest.mark.parametrize("item", sorted(GRAY))
def test_a_gray_file_is_asked_nothing_about_properties(item: str) -> None:
    source = load("pictures:40")
    relation, variant = ITEMS[IDS.index(item)]
    some = [case for place in range(40) for case in cases_of(relation, source.scene(place), variant, draws=5)]
    groups = {group for case in some for group in groups_of(case.queries[0].meaning)}
    assert len(groups) > 20
    assert not any(group.attributes or group.related for group in groups)
