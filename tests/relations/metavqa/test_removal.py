"""Erasing a thing changes no answer about other things."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Erase, Fill
from pytest_vqamt.core.meaning import Absent, Count, Exists, Meaning, groups_of
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging import inpainting
from pytest_vqamt.relations.metavqa import Removal
from tests.making import scene_of
from tests.relations.deriving import cases_of, derive
from tests.rows import each_row

REMOVAL = Removal()


def cases(scene: Scene, variant: str = "count", removal: Removal = REMOVAL, corpus: Corpus | None = None) -> list[Case]:
    return cases_of(removal, scene, variant, draws=120, corpus=corpus)


def asked(some: list[Case]) -> set[tuple[object, str]]:
    """What was removed, and a name that was asked about."""
    return {(case.fact("removed"), group.name) for case in some for group in groups_of(case.queries[0].meaning)}


def patch(case: Case) -> Erase:
    [edit] = case.queries[1].picture.edits
    assert isinstance(edit, Erase)
    return edit


@pytest.mark.parametrize(("variant", "kind"), [("count", Count), ("exists", Exists), ("absent", Absent)])
def test_a_case_asks_the_same_before_and_after(yard: Scene, variant: str, kind: type[Meaning]) -> None:
    for case in cases(yard, variant):
        before, after = case.queries
        assert (before.text, before.meaning) == (after.text, after.meaning)
        assert isinstance(before.meaning, kind)
        assert before.picture == yard.picture
        assert (case.relation, case.variant, case.expected) == ("metavqa.removal", variant, "first = second")
        gone = {thing.id for thing in yard.objects} - {thing.id for thing in after.picture.scene.objects}
        assert len(gone) == 1
        assert yard.thing(gone.pop()).name == case.fact("removed")
        assert case.tags == ()


def test_only_what_overlaps_nothing_is_erased_and_other_things_are_asked_about(yard: Scene) -> None:
    # The cat and the bench overlap each other.
    assert asked(cases(yard)) == {
        ("dog", "cat"), ("dog", "bench"), ("dog", "car"), ("car", "dog"), ("car", "cat"), ("car", "bench"),
    }  # fmt: skip


def test_a_patch_is_white_and_covers_whole_pixels(yard: Scene) -> None:
    moved = replace(yard, objects=(*yard.objects[:-1], replace(yard.objects[-1], box=Box(150.4, 60.6, 39, 19))))
    patches = {patch(case) for case in cases(moved) if case.fact("removed") == "car"}
    assert patches == {Erase(box=Box(150, 60, 40, 20), fill=Fill.WHITE)}


@each_row("variant", REMOVAL.info.variants)
def test_the_patchs_colour_is_not_asked_about(variant: str) -> None:
    scene = scene_of("white dog", "gray cat", "black cow", "car", exhaustive=("dog", "cat", "cow", "car"))
    text = " ".join(case.queries[0].text for case in cases(scene, variant))
    assert "black cow" in text
    assert "white" not in text
    assert "gray" not in text


def test_nor_what_a_white_rectangle_may_be_taken_for() -> None:
    scene = scene_of("dog", "box", "book", "car", exhaustive=("dog", "box", "book", "car"))
    assert {name for _, name in asked(cases(scene))} == {"dog", "car"}


def test_the_mean_colour_of_the_data(yard: Scene) -> None:
    corpus = gather_corpus((yard,), measure=lambda: (20, 120, 30))
    some = cases(yard, removal=Removal(erase="mean"), corpus=corpus)
    assert {(patch(case).fill, patch(case).colour) for case in some} == {(Fill.MEAN, (20, 120, 30))}
    assert not any("green" in case.queries[0].text for case in some)
    assert any("brown" in case.queries[0].text for case in cases(yard))


def test_data_without_photos_has_no_mean_colour(yard: Scene) -> None:
    found = derive(Removal(erase="mean"), yard, variant="count")
    assert found == NotApplicable(reason="the data has no photos to take a mean colour from")


def test_an_inpainter_leaves_no_patch_to_be_taken_for_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: True)
    scene = scene_of("dog", "white box", "car", exhaustive=("dog", "box", "car"))
    some = cases(scene, removal=Removal(erase="inpaint", inpaint="biharmonic"))
    assert {(patch(case).fill, patch(case).method) for case in some} == {(Fill.INPAINT, "biharmonic")}
    assert any("white box" in case.queries[0].text for case in some)


def test_an_inpainter_that_is_not_installed_is_the_reason_for_no_case(
    yard: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inpainting, "_is_installed", lambda _: False)
    found = derive(Removal(erase="inpaint"), yard, variant="count")
    assert isinstance(found, NotApplicable)
    assert "pip install" in found.reason


def test_where_not_all_of_it_is_annotated_garments_and_the_like_are_not_asked_about() -> None:
    scene = scene_of("man", "shirt", "tree", "dog", "car")
    assert {name for removed, name in asked(cases(scene)) if removed == "man"} == {"tree"}
    assert all(case.is_presumed for case in cases(scene))
