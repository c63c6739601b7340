"""What several detectors find is one scene: each thing once, by hand-worked cases."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_vqamt.annotation.detectors.catalogue import TRUST_ORDER, CombinedDetector, merge_findings
from pytest_vqamt.annotation.detectors.detector import LEAST_IOU, DetectedObject, is_same_thing, may_name_one_thing
from pytest_vqamt.annotation.detectors.outlines import overlap
from pytest_vqamt.core.box import Box


def found(name: str, box: tuple[float, float, float, float], **fields: object) -> DetectedObject:
    return DetectedObject(**{"score": 0.9, "by": "boxes", **fields, "name": name, "box": Box(*box)})  # type: ignore[arg-type]  # as named


def names(findings: tuple[DetectedObject, ...]) -> list[tuple[str, str]]:
    return [(each.name, each.by) for each in findings]


# Boxes of 10 x 10 of which one lies d to the right share (10 - d) x 10 of (10 + d) x 10: IoU (10 - d) / (10 + d).


def test_within_a_detector_two_boxes_are_of_one_thing_from_an_overlap_of_seven_tenths_on() -> None:
    near, far = found("dog", (1.7, 0, 10, 10)), found("dog", (1.8, 0, 10, 10))  # IoU 8.3/11.7 = 0.709, 8.2/11.8 = 0.695
    first = found("dog", (0, 0, 10, 10), score=0.95)
    assert merge_findings([first, near]) == (first,)
    assert merge_findings([first, far]) == (first, far)


def test_whatever_they_are_called() -> None:
    dog, cat = found("dog", (0, 0, 10, 10), score=0.6), found("cat", (0, 0, 10, 9), score=0.7)
    assert merge_findings([dog, cat]) == (cat,)
    shirt = found("shirt", (0, 2, 10, 6), score=0.9)  # IoU 0.6
    assert names(merge_findings([dog, shirt])) == [("shirt", "boxes"), ("dog", "boxes")]


def test_two_side_by_side_are_two() -> None:
    buses = [found("bus", (0, 0, 10, 10)), found("bus", (2.5, 0, 10, 10), score=0.8)]  # IoU 7.5/12.5 = 0.6
    assert merge_findings(buses) == tuple(buses)


def test_of_two_detectors_the_trusted_one_stays_however_sure_the_other_is() -> None:
    outlined = found("dog", (0, 0, 10, 10), by="masks", score=0.5, polygons=((0.0, 0.0, 10.0, 0.0, 5.0, 10.0),))
    boxed = found("dog", (0, 0, 10, 9), by="boxes", score=0.99)
    worded = found("dog", (0, 0, 9, 10), by="open-vocabulary", score=0.99)
    seen = found("dog", (0, 1, 10, 9), by="detector", score=0.99)
    assert merge_findings([seen, worded, boxed, outlined]) == (outlined,)
    assert merge_findings([seen, worded, boxed]) == (boxed,)
    assert merge_findings([seen, worded]) == (worded,)


def test_two_detectors_may_differ_more_about_where_a_thing_of_one_name_ends() -> None:
    # IoU 7/13 = 0.54: enough where the names may be of one thing, not enough where they may not.
    person = found("person", (0, 0, 10, 10))
    man, backpack = (
        found(name, (3, 0, 10, 10), by="detector", score=0.5, attributes=("tall",)) for name in ("man", "backpack")
    )
    assert names(merge_findings([person, man])) == [("person", "boxes")]
    assert names(merge_findings([person, backpack])) == [("person", "boxes"), ("backpack", "detector")]
    apart = found("man", (3.4, 0, 10, 10), by="detector", score=0.5)  # IoU 6.6/13.4 = 0.493
    assert names(merge_findings([person, apart])) == [("person", "boxes"), ("man", "detector")]


def test_outlines_tell_apart_what_boxes_do_not() -> None:
    whole, upper, lower = (0.0, 0.0, 10.0, 0.0, 10.0, 10.0, 0.0, 10.0), (0.0, 0.0, 10.0, 0.0, 0.0, 10.0), (
        10.0, 10.0, 10.0, 0.0, 0.0, 10.0,
    )  # fmt: skip
    rider, horse, again = (
        found(name, (0, 0, 10, 10), by="masks", score=score, polygons=(outline,))
        for name, score, outline in [("person", 0.9, upper), ("horse", 0.8, lower), ("man", 0.7, upper)]
    )
    assert merge_findings([rider, horse, again]) == (rider, horse)
    boxed = found("person", (0, 0, 10, 10))
    assert merge_findings([rider, boxed]) == (rider,)
    assert overlap((whole,), (upper,)) == pytest.approx(0.5, abs=0.02)
    assert overlap((upper, lower), (whole,)) == pytest.approx(1, abs=0.03)


def test_attributes_go_to_the_thing_that_they_are_of() -> None:
    left = found("dog", (0, 0, 10, 10), by="masks")
    right = found("dog", (6, 0, 10, 10), by="masks")
    brown = found("dog", (1, 0, 10, 10), by="detector", attributes=("brown",))  # IoU 0.82 with the left, 0.33 the right
    wet = found("animal", (6, 0, 10, 9), by="detector", attributes=("wet",))
    one, other = merge_findings([left, right, brown, wet])
    assert (one.box, one.attributes) == (left.box, ("brown",))
    assert (other.box, other.attributes) == (right.box, ("wet",))


def test_of_two_things_that_it_covers_an_attribute_goes_to_the_one_that_it_covers_most() -> None:
    large, small = found("bus", (0, 0, 10, 10)), found("bus", (0, 0, 10, 6), score=0.8)  # IoU 0.6
    red = found("bus", (0, 0, 10, 7.5), by="detector", attributes=("red",))  # 0.75 of the large one, 0.8 of the small
    assert [each.attributes for each in merge_findings([large, small, red])] == [(), ("red",)]


def test_attributes_of_what_may_be_a_neighbour_are_left_out() -> None:
    person = found("person", (0, 0, 10, 10))
    short = found("woman", (3, 0, 10, 10), by="detector", attributes=("short",))  # IoU 7/13 = 0.54
    assert merge_findings([person, short]) == (person,)


def test_the_surest_finding_with_attributes_has_the_say() -> None:
    standing = found("man", (0, 0, 10, 10), by="detector", attributes=("standing",))
    sitting = found("person", (0, 0, 10, 9), by="detector", score=0.8, attributes=("sitting",))
    assert merge_findings([sitting, standing]) == (standing,)
    outlined = found("person", (0, 0, 10, 10), by="masks")
    assert [each.attributes for each in merge_findings([sitting, standing, outlined])] == [("standing",)]


def test_attributes_of_another_thing_at_the_same_place_are_left_out() -> None:
    couch = found("couch", (0, 0, 10, 10))
    blanket = found("blanket", (0, 0, 10, 9), by="detector", attributes=("checkered",))
    assert merge_findings([couch, blanket]) == (couch,)


def test_a_crowd_is_no_duplicate_of_one_of_its_things() -> None:
    dogs, dog = found("dog", (0, 0, 10, 10), is_crowd=True), found("dog", (0, 0, 10, 9.5))
    assert set(merge_findings([dogs, dog])) == {dogs, dog}
    again = found("dog", (0, 0, 10, 9), is_crowd=True, score=0.5)
    assert merge_findings([dogs, again]) == (dogs,)
    grass = found("grass", (0, 0, 10, 9), is_crowd=True, score=0.5)
    assert set(merge_findings([dogs, grass])) == {dogs, grass}


def test_names_for_one_thing() -> None:
    for one, other in [("man", "person"), ("couch", "sofa"), ("tv", "television"), ("bike", "motorcycle")]:
        assert may_name_one_thing(one, other)
    for one, other in [("man", "woman"), ("fork", "knife"), ("shirt", "person")]:
        assert not may_name_one_thing(one, other)


boxes = st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(2, 6), st.integers(2, 6))
things = st.builds(
    lambda name, box, by, score, attributes, is_crowd: found(
        name, box, by=by, score=score, attributes=attributes, is_crowd=is_crowd
    ),
    st.sampled_from(["dog", "cat", "man", "person", "shirt"]),
    boxes,
    st.sampled_from(TRUST_ORDER),
    st.sampled_from([0.5, 0.7, 0.9]),
    st.sampled_from([(), ("red",), ("wet",)]),
    st.booleans(),
)


@given(findings=st.lists(things, max_size=8), seed=st.integers(0, 1000))
def test_the_order_in_which_findings_come_changes_nothing(findings: list[DetectedObject], seed: int) -> None:
    mixed = random.Random(seed).sample(findings, len(findings))
    assert merge_findings(mixed) == merge_findings(findings)


@given(findings=st.lists(things, max_size=8))
def test_nothing_stays_twice_and_nothing_is_lost(findings: list[DetectedObject]) -> None:
    kept = [each for each in merge_findings(findings) if not each.is_crowd]
    assert all(one is other or one.box.iou(other.box) < LEAST_IOU for one in kept for other in kept)
    for each in findings:
        assert each.is_crowd or any(is_same_thing(each, other) or each.box == other.box for other in kept)
    assert merge_findings(merge_findings(findings)) == merge_findings(findings)


class Finds:
    """A detector that finds what it is told to."""

    def __init__(self, name: str, *findings: DetectedObject) -> None:
        self.name = name
        self.fingerprint = f"{name}-1"
        self._findings = findings

    def find(self, image: Image.Image) -> tuple[DetectedObject, ...]:
        return self._findings


def test_several_detectors_are_one_in_whatever_order_they_are_named() -> None:
    masks = Finds("masks", found("dog", (0, 0, 10, 10), by="masks"))
    seen = Finds("detector", found("dog", (0, 0, 10, 9), by="detector", attributes=("brown",)))
    picture = Image.new("RGB", (20, 20))
    one, other = CombinedDetector([masks, seen]), CombinedDetector([seen, masks])
    assert (
        one.find(picture) == other.find(picture) == (found("dog", (0, 0, 10, 10), by="masks", attributes=("brown",)),)
    )
    assert one.fingerprint == other.fingerprint == "masks-1; detector-1"
