"""Captions that lack what two others of the picture share, counted by hand."""

from __future__ import annotations

from pytest_vqamt.language.captions.verdicts import lacking, names_of, super_categories


def _lacking(*captions: str) -> list[tuple[int, tuple[str, ...], int]]:
    found = lacking([super_categories(caption) for caption in captions])
    return [(each.place, names_of(each.missing), each.times) for each in found]


def test_what_two_share_must_be_in_the_third() -> None:
    assert _lacking("a dog and a man", "a puppy with a woman", "a cat") == [(2, ("person",), 1)]
    # animals are one super-category, so that the cat is no mistake; two captions of three lack nothing of one
    assert _lacking("a dog", "a cat", "a man") == [(2, ("animal",), 1)]
    assert _lacking("a dog", "a cat") == []
    assert _lacking() == []


def test_each_pair_that_it_breaks_counts() -> None:
    """Four of five name an animal: for the fifth, six pairs; three of five a person: for each of the others, three."""
    captions = ("a man and a dog", "a man and a dog", "a man and a dog", "a dog", "at")
    assert _lacking(*captions) == [(3, ("person",), 3), (4, ("person", "animal"), 6)]


def test_a_word_that_may_name_it_is_enough_for_the_third_only() -> None:
    assert _lacking("a backpack", "a suitcase", "a bag on a floor") == []
    assert _lacking("a bag", "a bag", "a floor") == []
    assert _lacking("a bus and a car", "two buses", "traffic on a road") == []
    assert _lacking("a bus and a car", "two buses", "a traffic light on a road") == [(2, ("vehicle",), 1)]


def test_the_bits_have_names_in_the_order_of_coco() -> None:
    named, perhaps = super_categories("a spoon, a fork and a bed")
    assert (names_of(named), names_of(perhaps)) == (("kitchen", "furniture"), ())
