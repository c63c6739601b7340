"""VQA accuracy, as the official evaluation of VQA v2 computes it.

Antol et al., ICCV 2015, section 4, and vqaEval.py of GT-Vision-Lab/VQA, with what only the program does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.tables import toml_table

ENOUGH = 3
"""So many agreeing annotators make an answer wholly right."""

_COMMA_IN_A_NUMBER = pattern_of(r"\d,\d")
"""The official program removes all marks of an answer that has one: "1,000" is "1000"."""
_PERIOD = pattern_of(r"\.(?!\d)")
"""A period that is no decimal point: "a.m." is "am", "2.5" stays."""
_MOST_PERIODS = 32
"""The official program removes no more: its argument ``count`` is the flag ``re.UNICODE``."""


def vqa_accuracy(answer: str, answers: Sequence[str]) -> float:
    """Returns the mean of ``min(agreeing / 3, 1)`` over all sets of the annotators without one of them, from 0 to 1.

    With fewer than four annotators no answer reaches 1. As in the official program, answers are normalised only if
    those of the annotators differ; else ``answer`` must be the same but for white space at its ends: "Yes" is wrong if
    all said "yes".

    >>> ten = ("two", "2", "2", "3", "3", "3", "3", "a lot", "many", "many")
    >>> [round(vqa_accuracy(answer, ten), 2) for answer in ("two.", "3", "lot", "4")]
    [0.9, 1.0, 0.3, 0.0]

    Raises:
        VqamtError: there are no annotators.
    """
    if not answers:
        raise VqamtError(f"Expected the answer of one annotator or more to hold {answer!r} against, but got answers=()")
    said, given = _in_one_line(answer), [_in_one_line(each) for each in answers]
    if len(set(given)) > 1:
        plain = {each: normalise_answer(each) for each in (said, *dict.fromkeys(given))}  # most annotators say the same
        said, given = plain[said], [plain[each] for each in given]
    # The mean over all sets without one annotator in closed form: leaving out one who agrees leaves one fewer.
    agreeing, annotators = given.count(said), len(given)
    without_one_of_them = agreeing * min(agreeing - 1, ENOUGH)
    without_another = (annotators - agreeing) * min(agreeing, ENOUGH)
    return (without_one_of_them + without_another) / (ENOUGH * annotators)


def normalise_answer(answer: str) -> str:
    """Returns the answer in lower case, without articles, with digits and apostrophes.

    Punctuation becomes a space, or nothing if a space stands beside such a mark or a comma stands in a number;
    apostrophes and colons stay. A period goes unless a digit follows.

    >>> normalise_answer("The  T-shirt."), normalise_answer("two dogs, dont know"), normalise_answer("1,000 a.m.")
    ('t shirt', "2 dogs don't know", '1000 am')
    """
    words = _words()
    # As in the official program, one mark beside a space changes what happens to all such marks.
    number = _COMMA_IN_A_NUMBER.search(answer)
    marks = {
        ord(mark): "" if number or f"{mark} " in answer or f" {mark}" in answer else " " for mark in words.punctuation
    }
    text = _PERIOD.sub("", answer.translate(marks), count=_MOST_PERIODS)
    found = (words.numbers.get(word, word) for word in text.lower().split())
    return " ".join(words.contractions.get(word, word) for word in found if word not in words.articles)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    punctuation: str
    """Marks that become a space, or nothing."""
    articles: frozenset[str]
    """Words that are left out."""
    numbers: Mapping[str, str]
    """Digits by number word, from none to ten."""
    contractions: Mapping[str, str]
    """Short forms with their apostrophe, by the spelling without it: "dont"."""


@cache
def _words() -> _Words:
    table = toml_table("answers/vqa_accuracy.toml")
    numbers = {word: str(number) for number, word in enumerate(table["number_words"])}
    mended = {wrong: right for right in table["contractions"] for wrong in _lacking_an_apostrophe(right)}
    return _Words(
        punctuation=table["punctuation"],
        articles=frozenset(table["articles"]),
        numbers={**numbers, table["none"]: "0"},
        contractions={**mended, **table["contractions_to"]},
    )


def _lacking_an_apostrophe(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place, letter in enumerate(word) if letter == "'")


def _in_one_line(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").strip()
