"""The published reading: its rules by hand, and its verdicts on the pairs that the authors' tool judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vqamt.language.captions.caption_reader import CaptionReading, classes_in, published_classes
from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.language.captions.verdicts import check_captions
from tests.rows import each_row

PAIRS = Path(__file__).parents[3] / "../shared/data/metaic/pairs.jsonl"

S, P = NounForm.SINGULAR, NounForm.PLURAL


def _strict(caption: str) -> dict[str, NounForm]:
    return dict(classes_in(caption, CaptionReading.STRICT))


def test_the_classes_are_the_sixty_of_the_paper() -> None:
    assert len(published_classes()) == 60
    assert {"person", "sheep", "scissors", "orange", "toaster"} <= set(published_classes())
    assert not {"hot dog", "tv", "mouse", "knife", "donut", "skis", "balloon"} & set(published_classes())


@each_row(
    ("caption", "expected"),
    [
        # words as they are: no synonym and no kind
        ("a woman with a parrot on a sofa", {}),
        ("two people and a dog", {"person": P, "dog": S}),
        ("a person's dog", {"person": S, "dog": S}),
        # a singular that comes twice is NNS, whatever it is
        ("a dog next to the dog's bowl", {"dog": P, "bowl": S}),
        ("a train in a train station", {"train": P}),
        # words within compounds count
        ("a bus stop by a horse-drawn carriage", {"bus": S, "horse": S}),
        ("a fire truck", {"truck": S}),
        # scissors are tagged NNS, sheep by their article
        ("a pair of scissors", {"scissors": P}),
        ("a sheep and a cow", {"sheep": S, "cow": S}),
        ("a group of sheep", {"sheep": P}),
        ("sheep grazing", {"sheep": P}),
        ("the sheep is on a rock", {"sheep": S}),
        ("a herd of sheep stands in a field", {"sheep": P}),
        ("two sheep and a dog", {"sheep": P, "dog": S}),
        ("a herd of elephant", {"elephant": S}),
        # what a tagger calls an adjective, a verb or a proper name
        ("a large orange ball", {}),
        ("an orange on a plate", {"orange": S}),
        ("an orange and white cat", {"cat": S}),
        ("a glass of orange juice", {"orange": S}),
        ("a remote on a couch", {"remote": S, "couch": S}),
        ("a remote control", {}),
        ("a man skateboards down a ramp", {}),
        ("a person skateboards down a ramp", {"person": S}),
        ("people snowboard down a hill", {"person": P}),
        ("people kite surfing", {"person": P, "kite": S}),
        ("a boy plays with a Frisbee. Kites are in the sky", {"kite": P}),
        ("A PERSON WITH A DOG", {"person": S, "dog": S}),
    ],
)
def test_a_caption_is_read_as_the_published_tool_does(caption: str, expected: dict[str, NounForm]) -> None:
    assert _strict(caption) == expected


def test_other_classes_are_the_sequence_of_their_words() -> None:
    assert _strict("two hot dogs and a knife") == {"hot dog": P, "dog": P, "knife": S}
    assert _strict("a cell phone and a tv") == {"cell phone": S, "tv": S}
    # an inserted teddy bear is no bear that appears
    assert not check_captions("a dog", "a dog and a teddy bear", "teddy bear", CaptionReading.STRICT).violated
    assert check_captions("a dog", "a dog and a teddy bear", "bear", CaptionReading.STRICT).violated is False
    # and where something else is inserted, classes beyond the 60 are not looked at
    assert not check_captions("a knife and a fork", "a fork and a dog", "dog", CaptionReading.STRICT).violated


def test_the_published_tool_names_no_class_of_two_words() -> None:
    """Its list has the 60 names of one word, so the inserted class is always missing; the dog of a hot dog is a dog."""
    pair = ("a room", "a teddy bear in a room", "teddy bear")
    assert not check_captions(*pair, CaptionReading.STRICT).violated
    published = check_captions(*pair, CaptionReading.PUBLISHED)
    assert (published.kind, published.reason) == (
        "misclassification",
        "teddy bear is not named; bear is named, which was neither there nor inserted",
    )
    assert check_captions("a knife", "a knife and a tv", "tv", CaptionReading.PUBLISHED).kind == "omission"
    assert classes_in("two hot dogs and a knife", CaptionReading.PUBLISHED) == {"dog": P}
    assert not check_captions("a cat", "a cat and a dog", "dog", CaptionReading.PUBLISHED).violated


def test_a_thing_is_inserted_as_its_class() -> None:
    assert check_captions("a dog", "a dog and a man", "man", CaptionReading.STRICT).kind == "omission"
    assert not check_captions("a dog", "a dog and a person", "man", CaptionReading.STRICT).violated


@pytest.mark.parametrize(
    ("before", "after", "inserted", "relation", "kind"),
    [
        # section 4.2.3: reported, and no error; the refined reading does not
        ("a dog", "a dog and a parrot", "bird", "object_appearance", "omission"),
        ("a person on a road", "a woman and a cow on a road", "cow", "object_appearance", "omission"),
        ("a desk", "a desk with a pair of scissors", "scissors", "singular_plural", "quantity"),
    ],
)
def test_the_papers_false_reports(before: str, after: str, inserted: str, relation: str, kind: str) -> None:
    strict = check_captions(before, after, inserted, CaptionReading.STRICT)
    assert (strict.violated, strict.relation, strict.kind) == (True, relation, kind)
    assert not check_captions(before, after, inserted).violated


@pytest.mark.skipif(not PAIRS.is_file(), reason="the pairs of the paper are not here")
def test_the_verdicts_are_the_published_ones(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 300 pairs with the authors' own verdict at most one is judged otherwise; words alone give 298.

    None is now. The two that words alone get wrong: "a large orange ball" has an adjective, so the inserted orange is
    not named; and "a group of sheep" is a plural that "a sheep" is not.
    """
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    wrong: dict[bool, list[int]] = {True: [], False: []}
    for row in rows:
        verdict = check_captions(
            row["background_caption"], row["inserted_caption"], row["inserted"], CaptionReading.STRICT
        )
        if verdict.violated != row["suspicious"]:
            wrong[verdict.violated].append(row["row"])
    with capsys.disabled():
        print(f"\nstrict captions: {len(rows)} pairs, false alarms {wrong[True]}, misses {wrong[False]}")
    assert len(rows) == 300
    assert wrong == {True: [], False: []}
