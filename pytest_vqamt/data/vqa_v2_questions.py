"""The questions of VQA v2 with the answers of its annotators, checked once, when the files are opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from typing import cast

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import PublishedQuestion
from pytest_vqamt.data.coco.records import id_of
from pytest_vqamt.data.listed_stream import ListedStream
from pytest_vqamt.data.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaQuestions:
    """What the files hold: the questions of each photo, by the photo's id; and what is wrong with the others."""

    of_photo: dict[str, tuple[PublishedQuestion, ...]]
    bad: tuple[str, ...]


def read_questions(questions: Path, annotations: Path) -> VqaQuestions:
    """The questions that have answers; both paths are the same where one file holds both.

    Answers to what is not asked are passed over: where questions are cut down, the file of the answers is often left as
    it is.

    Raises:
        DataError: a file is not of this form at all.
    """
    reading = _Reading(questions.name, annotations.name)
    reading.read_questions(_rows(questions, "questions"))
    reading.read_answers(_rows(annotations, "annotations"))
    return reading.found()


@dataclass(frozen=True, slots=True)
class _Asked:
    photo: str
    text: str


@dataclass(frozen=True, slots=True)
class _Answered:
    texts: tuple[str, ...]
    kind: str


@dataclass(slots=True)
class _Reading:
    questions_file: str
    answers_file: str
    asked: dict[str, _Asked] = field(default_factory=dict)
    answered: dict[str, _Answered] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    bad: list[str] = field(default_factory=list)

    def read_questions(self, rows: Iterable[object]) -> None:
        for place, value in enumerate(rows):
            own = id_of(value, "question_id")
            label = f"{self.questions_file}: {f'questions[{place}]' if own is None else f'question {own}'}"
            try:
                record = Record.of(value, label)
                question = record.identity("question_id")
                if question in self.asked or question in self.broken:
                    raise record.wrong("question_id", "an id of its own", "another question has it")
                text = " ".join(record.text("question").split())
                self.asked[question] = _Asked(intern(record.identity("image_id")), text)
            except DataError as error:
                self._refuse(own, error)

    def read_answers(self, rows: Iterable[object]) -> None:
        for place, value in enumerate(rows):
            question = id_of(value, "question_id")
            if question is not None and question not in self.asked:
                continue
            row = f"annotations[{place}]" if question is None else f"answers to question {question}"
            try:
                record = Record.of(value, f"{self.answers_file}: {row}")
                question = record.identity("question_id")
                if question in self.answered:
                    raise record.wrong("question_id", "an id of its own", "the question has answers already")
                photo = self.asked[question].photo
                if record.has("image_id") and record.identity("image_id") != photo:
                    raise record.wrong("image_id", f"the photo {photo} of the question")
                kind = intern(record.text("answer_type", ""))
                self.answered[question] = _Answered(_answers(record), kind)
            except DataError as error:
                self._refuse(question, error)

    def found(self) -> VqaQuestions:
        of_photo: dict[str, list[PublishedQuestion]] = {}
        for question, asked in self.asked.items():
            answered = self.answered.get(question)
            if answered is None:
                self.bad.append(
                    f"{self.questions_file}: question {question}: Expected its answers in {self.answers_file}, "
                    "but there are none: add them, or take the question away"
                )
                continue
            of_photo.setdefault(asked.photo, []).append(
                PublishedQuestion(id=question, text=asked.text, answers=answered.texts, kind=answered.kind)
            )
        return VqaQuestions(
            of_photo={photo: tuple(questions) for photo, questions in of_photo.items()}, bad=tuple(self.bad)
        )

    def _refuse(self, question: str | None, error: DataError) -> None:
        self.bad.append(str(error))
        if question is not None:
            self.broken.add(question)
            self.asked.pop(question, None)


def _rows(file: Path, key: str) -> Iterator[object]:
    """The records under ``key``, of which there must be one."""
    empty = True
    for row in ListedStream(file).listed(key):
        empty = False
        yield row
    if empty:
        raise DataError(
            f"Expected {file} to be a file of VQA v2, with records under {key!r}, but there are none: name another file"
        )


def _answers(annotation: Record) -> tuple[str, ...]:
    """The answers in the order of the annotators, as they were typed."""
    rows = annotation.items("answers", required=True)
    if not rows:
        raise annotation.wrong("answers", "one answer or more")
    try:
        return tuple(intern(cast("dict[str, str]", row)["answer"]) for row in rows)
    except (KeyError, TypeError):  # no object, no answer, or no text: the slower way says which
        return tuple(_answer(row) for row in annotation.records("answers"))


def _answer(row: Record) -> str:
    text = row.row.get("answer")
    if not isinstance(text, str):
        raise row.wrong("answer", "a text")
    return text
