"""A main question with basic questions behind it."""

from __future__ import annotations

from collections.abc import Sequence

MOST_WORDS = 26
"""What most models of the paper were trained on (Huang et al., AAAI 2019, section 4)."""


def noisy(question: str, basic: Sequence[str], most_words: int = MOST_WORDS) -> tuple[str, int]:
    """The main question followed by the basic ones, and how many of these stayed.

    Basic questions are left off from the end until there are at most ``most_words`` words in all; a main question that
    is longer by itself stays as it is. Words are what spaces part.

    >>> noisy("Is it red?", ["Is there a dog?", "What is it?"], most_words=7)
    ('Is it red? Is there a dog?', 1)
    """
    stayed = len(basic)
    while stayed and sum(len(each.split()) for each in (question, *basic[:stayed])) > most_words:
        stayed -= 1
    return " ".join((question, *basic[:stayed])), stayed
