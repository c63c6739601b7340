"""What it takes to read an answer: a short one, a paragraph, and the hardest ones of 100 kB.

Aim: no answer of 100 kB takes above 50 ms of processor time, whatever stands in it.
"""

from __future__ import annotations

from functools import partial
from random import Random

import pytest_vqamt as vqamt
from tools.benchmarks.measuring import cpu_s, show

QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Is there a dog?", ()),
    ("Is there no dog?", ()),
    ("How many dogs are there?", ()),
    ("Which is it, a cat or a dog?", ("cat", "dog")),
    ("Which is it? A) cat B) dog C) cow", ("cat", "dog", "cow")),
    ("What color is the bus?", ()),
    ("Are there more dogs than cats?", ()),
)

_WORDS = ["the", "a", "dog", "cat", "is", "not", "no", "yes", "there", "are", "two", "3", "red", "on", "left", "of",
          "and", "or", "but", "so", "think", "image", "answer", "final", ",", ".", "\n", "-", "*", "(", ")", "[", ":",
          "'"]  # fmt: skip
_HARD = ("```" + " " * 100_000 + "x", "<|channel|>" + "a" * 100_000, "\\boxed{" * 15_000, "so, " * 25_000,
         "[" * 100_000, "\n" * 100_000 + "x", "<think>" * 14_000, "not a " * 17_000, "dog, " * 20_000,
         '{"a":' * 20_000)  # fmt: skip


def _soup(seed: int, words: int) -> str:
    """Words in any order: what no loop is, and so is not shortened as one."""
    choose = Random(seed)
    some = choose.sample(_WORDS, words)
    return " ".join(choose.choices(some, k=40_000))[:100_000]


_SOUPS = tuple(_soup(seed, words) for seed, words in enumerate((6, 6, 6, 12, 12, len(_WORDS), len(_WORDS))))
_LOOPS_AT_THE_END = tuple(
    _SOUPS[-1][:93_000] + piece * (7_000 // len(piece)) for piece in ("so, ", "' ", ", ", "a, b and ")
)
LONG = (*_HARD, *_SOUPS, *_LOOPS_AT_THE_END)
"""Answers of 100 kB on which a careless reader takes seconds, or years."""

_SHORT = "Yes, there is a dog on the left."
_PARAGRAPH = (
    "The picture shows a street on a rainy day. Two dogs stand beside a red bus, and a man with an umbrella walks past "
    "them. There is no cat to be seen. So the answer is yes, there are two dogs in it."
)
_TURNS = 5


def _least_cpu_s(question: str, text: str, options: tuple[str, ...]) -> float:
    # A text that was read before is known: each turn has another one.
    return min(cpu_s(partial(vqamt.read, question, f"{text}{turn}", options)) for turn in range(_TURNS))


def main() -> None:
    """Shows the least processor time of several turns, and the hardest answer by its beginning."""
    rows = []
    for question, options in QUESTIONS:
        vqamt.read(question, "no, two dogs: A) cat", options)  # reads the tables of words
        usual = _least_cpu_s(question, _PARAGRAPH, options)
        worst, text = max((_least_cpu_s(question, text, options), text) for text in LONG)
        rows.append(
            [
                question,
                f"{1e6 * _least_cpu_s(question, _SHORT, options):.0f} us",
                f"{1e6 * usual:.0f} us",
                f"{1e3 * worst:.0f} ms",
                f"{worst / usual:.0f}x",
                repr(text[:12]),
            ]
        )
    show("reading", ["question", "short", "paragraph", "hardest of 100 kB", "of a paragraph", "it begins with"], rows)
