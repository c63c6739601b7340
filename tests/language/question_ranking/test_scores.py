"""Scores that were published, or worked out by hand."""

from __future__ import annotations

from math import e, exp, log, sqrt

import pytest

from pytest_vqamt.language.question_ranking.word_overlap import Bleu, Cider, Measure, Meteor, RougeL


def score(measure: Measure, reference: str) -> float:
    """The score of the first text."""
    return next(measure.scores(reference.split()))


def pool(*texts: str) -> list[list[str]]:
    return [text.split() for text in texts]


# Papineni et al. (2002), section 2.1, example 2: "the" stands twice in the reference, so of seven two count.
def test_bleu_counts_no_word_more_often_than_the_reference_has_it() -> None:
    candidate, reference = "the the the the the the the", "the cat is on the mat"
    assert score(Bleu(pool(candidate), 1), reference) == pytest.approx(2 / 7)
    # None of six pairs matches; smoothed, (0 + 1) / (6 + 1). The mean is geometric.
    assert score(Bleu(pool(candidate), 2), reference) == pytest.approx(sqrt(2 / 7 * 1 / 7))


# Both words match, so the precision is 1, and for a third of the reference's six words there is exp(1 - 6 / 2).
def test_bleu_of_what_is_too_short() -> None:
    assert score(Bleu(pool("the cat"), 1), "the cat is on the mat") == pytest.approx(exp(-2))


# "is there a big dog" for "is there a dog": 4 of 5 words; smoothed, of pairs 2 + 1 of 4 + 1, of threes 1 + 1 of 3 + 1,
# of fours 0 + 1 of 2 + 1.
@pytest.mark.parametrize(
    ("longest", "expected"),
    [(1, 4 / 5), (2, (4 / 5 * 3 / 5) ** (1 / 2)), (3, (4 / 5 * 3 / 5 * 2 / 4) ** (1 / 3)),
     (4, (4 / 5 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4))],
)  # fmt: skip
def test_bleu_of_each_length(longest: int, expected: float) -> None:
    candidate = "is there a big dog"
    assert score(Bleu(pool(candidate), longest), "is there a dog") == pytest.approx(expected)


# Lin (2004), section 3.1: 3/4 and 1/2, with beta = 1.
@pytest.mark.parametrize(
    ("candidate", "expected"), [("police kill the gunman", 3 / 4), ("the gunman kill police", 1 / 2)]
)
def test_rouge_l_of_its_paper(candidate: str, expected: float) -> None:
    assert score(RougeL(pool(candidate)), "police killed the gunman") == pytest.approx(expected)


# "there a dog" of 4 and of 6 words: precision 1/2, recall 3/4, so 2 x 3 / (4 + 6).
def test_rouge_l_weighs_recall_as_precision() -> None:
    candidate = "was there not a brown dog"
    assert score(RougeL(pool(candidate)), "is there a dog") == pytest.approx(0.6)


# Three questions are the documents. "a" is in two of them, so its idf is log(3/2); "b", "c", "a b" are in one: log 3.
def test_cider_of_the_same_question() -> None:
    # One for words, one for pairs; there are no longer n-grams. The mean of four, times 10.
    assert score(Cider(pool("a b", "a c", "d e")), "a b") == pytest.approx(10 * 2 / 4)


def test_cider_of_a_shared_word_that_is_frequent() -> None:
    common, rare = log(3 / 2), log(3)
    expected = 10 * common**2 / (common**2 + rare**2) / 4
    assert score(Cider(pool("a c", "a b", "d e")), "a b") == pytest.approx(expected)


def test_cider_of_another_length() -> None:
    # In "b b c" for "b": idf of "b" and "c" is log 3. Clipped, "b" counts once: log(3)^2 over |b| = log 3 and
    # |b b c| = sqrt(4 + 1) log 3, so 1 / sqrt 5. It has two pairs of words, "b" none: exp(-2^2 / (2 x 6^2)).
    assert score(Cider(pool("b b c", "d", "e")), "b") == pytest.approx(10 / sqrt(5) / 4 * e ** (-4 / 72))


# Banerjee and Lavie (2005), section 2: six words match, in two chunks. P = 6/7, R = 1, Fmean = 10 P R / (R + 9 P).
def test_meteor_of_its_paper() -> None:
    candidate = "the president then spoke to the audience"
    mean = 10 * (6 / 7) / (1 + 9 * 6 / 7)
    expected = mean * (1 - 0.5 * (2 / 6) ** 3)
    assert score(Meteor(pool(candidate)), "the president spoke to the audience") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reference", "candidate", "chunks"),
    [
        ("is the dog brown", "is the brown dog", 3),  # the order: "is the", "brown", "dog"
        ("is the dog brown", "is the dogs brown", 1),  # the stem
        ("is the couch brown", "is the sofa brown", 1),  # a synonym
        ("is the sofa brown", "is the couch brown", 1),
    ],
)
def test_meteor_of_all_words(reference: str, candidate: str, chunks: int) -> None:
    assert score(Meteor(pool(candidate)), reference) == pytest.approx(1 - 0.5 * (chunks / 4) ** 3)


# nltk's own example, whose words match as they are or by stem. 0.6944 by its documentation.
def test_meteor_of_the_librarys_example() -> None:
    candidate = "It is a guide to action which ensures that the military always obeys the commands of the party"
    reference = "It is a guide to action that ensures that the military will forever heed Party commands"
    assert score(Meteor(pool(candidate.lower())), reference) == pytest.approx(0.6944, abs=5e-5)
