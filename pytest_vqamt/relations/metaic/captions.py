"""Captions as MetaIC's relations ask for them and read them."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_vqamt.core.case import Outcome, Setting, Verdict
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.language.answers.text import Unread, prepare, strip_reasoning
from pytest_vqamt.language.captions import Form, Reading, classes_in
from pytest_vqamt.language.english.nouns import plural

METAIC = Setting(
    name="metaic",
    values=(Reading.REFINED.value, Reading.STRICT.value),
    default=Reading.REFINED.value,
    meaning="how classes are read from captions: with kinds, compounds and numbers understood, or as published",
)


def caption_of(picture: Picture) -> Query:
    """The query for a caption of ``picture``."""
    return Query(picture=picture, meaning=Describe(), task=Task.CAPTIONING)


def texts_of(answers: Sequence[Answer]) -> tuple[str, ...]:
    """The captions without the model's thinking aloud."""
    return tuple(strip_reasoning(answer.text) for answer in answers)


def readings(answers: Sequence[Answer], reading: Reading) -> tuple[str, ...]:
    """The classes that are read from each caption: "dog, 2+ cats"; "no class" where none is."""
    return tuple(_in_words(answer, reading) for answer in answers)


def unparsed(answers: Sequence[Answer], reading: Reading) -> Verdict | None:
    """The verdict where one of the captions is empty or a refusal; None where all can be read."""
    for answer in answers:
        found = prepare(answer.text)
        if isinstance(found, Unread):
            return Verdict(outcome=Outcome.UNPARSED, reason=found.reason.value, readings=readings(answers, reading))
    return None


def _in_words(answer: Answer, reading: Reading) -> str:
    if isinstance(prepare(answer.text), Unread):
        return "unparsed"
    forms = classes_in(strip_reasoning(answer.text), reading)
    named = (f"2+ {plural(each)}" if form is Form.PLURAL else each for each, form in forms.items())
    return ", ".join(named) or "no class"
