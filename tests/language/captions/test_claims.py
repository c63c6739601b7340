"""How many things a caption surely says are there."""

from __future__ import annotations

import pytest

from pytest_vqamt.language.captions.claims import least_claimed
from tests.rows import each_row


@each_row(
    ("caption", "name", "least"),
    [
        # Names and their kinds, as one or several.
        ("A dog on a couch.", "dog", 1),
        ("Two puppies and a cat.", "dog", 2),
        ("Three large brown dogs run; 5 cars pass.", "dog", 3),
        ("Three large brown dogs run; 5 cars pass.", "car", 5),
        ("A group of people.", "person", 2),
        ("Three men and a woman.", "person", 3),
        ("A herd of sheep.", "sheep", 2),
        ("A boy in an armchair.", "chair", 1),
        ("A boy in an armchair.", "man", 0),
        ("A duck.", "bird", 1),
        ("A burger and a cupcake.", "sandwich", 0),
        ("A bird.", "duck", 0),
        ("A table with a bowl.", "dining table", 0),
        # The same things again are not added up.
        ("A dog and a puppy.", "dog", 1),
        ("Two dogs play, and two dogs sleep.", "dog", 2),
        # Nothing else goes by the name.
        ("A hot dog.", "dog", 0),
        ("A dog house at a train station.", "dog", 0),
        ("A dog house at a train station.", "train", 0),
        ("A man playing frisbee.", "frisbee", 0),
        ("An elephant. Its baby is near.", "person", 0),
        ("A bike.", "bicycle", 0),
        # What is denied, guessed, only looked like, or wanted.
        ("There is no dog, only a cat.", "dog", 0),
        ("It isn't a dog.", "dog", 0),
        ("A street without any cars.", "car", 0),
        ("The dog is missing.", "dog", 0),
        ("There might be a dog behind the couch.", "dog", 0),
        ("Either a dog or a cat.", "cat", 0),
        ("A cloud that looks like a dog.", "dog", 0),
        ("A stuffed dog on a bed.", "dog", 0),
        ("A statue of a horse.", "horse", 0),
        ("A kite shaped as a dog.", "dog", 0),
        ("A sign with a bear on it.", "bear", 0),
        ("A woman on the television.", "person", 0),
        ("A boy with a dog on his shirt.", "dog", 0),
        ("A boy in a white shirt.", "boy", 1),
        ("A framed picture of a dog.", "dog", 0),
        ("A picture of a dog hangs there.", "dog", 0),
        ("A bench for people.", "person", 0),
        # A doubt is about its own sentence, and the picture itself is none.
        ("There is no dog. A cat sleeps.", "cat", 1),
        ("A picture of two dogs in a park.", "dog", 2),
        ("The image shows a bus.", "bus", 1),
        ("In this photo, there is a bus.", "bus", 1),
        ("A stop sign next to a book.", "stop sign", 1),
        ("A stop sign next to a book.", "book", 1),
        ("no", "dog", 0),
        ("", "dog", 0),
    ],
)
def test_a_claim(caption: str, name: str, least: int) -> None:
    assert least_claimed(caption, name) == least


@pytest.mark.parametrize("number", [2, 3, 12, 20])
def test_numbers_are_read_in_digits_and_years_are_none(number: int) -> None:
    assert least_claimed(f"{number} dogs", "dog") == number
    assert least_claimed("1950 cars", "car") == 2
