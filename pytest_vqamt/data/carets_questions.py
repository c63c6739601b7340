"""The published CARETS questions, paired and checked once, when the files are opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import YES_OR_NO
from pytest_vqamt.core.scene import PublishedPair, PublishedQuestion
from pytest_vqamt.data.carets_files import CaretsFile
from pytest_vqamt.data.coco.records import id_of
from pytest_vqamt.data.json_io import read_json
from pytest_vqamt.data.messages import named, shown, shown_path
from pytest_vqamt.data.records import Record

_NUMBERS = re.compile(r"(\d+-\d+)(?:-(\w+))?")
"""What follows the image in an id: which of its questions, which template, and the suffix of a perturbed one."""

_SUFFIX = re.compile(r"(.*-\d+-\d+)-\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaretsQuestions:
    """The questions about each image, by its id in the order of the files, with what is wrong with others.

    An original comes before the questions that were made from it. Ids begin with the name of the file, within which
    they are unique.
    """

    of_image: dict[str, tuple[PublishedQuestion, ...]]
    bad: tuple[str, ...]


def read_questions(files: Iterable[CaretsFile]) -> CaretsQuestions:
    """The questions of ``files``.

    Raises:
        DataError: a file cannot be read, or is no list.
    """
    of_image: dict[str, list[PublishedQuestion]] = {}
    bad: list[str] = []
    shared = _Shared()
    for file in files:
        reading = _Reading(file, shared)
        reading.read(_rows(file.path))
        for image, original, perturbed in reading.paired():
            of_image.setdefault(image, []).extend((original, *perturbed))
        bad += reading.bad
    return CaretsQuestions(of_image={image: tuple(questions) for image, questions in of_image.items()}, bad=tuple(bad))


def _rows(path: Path) -> list[object]:
    value = read_json(path)
    if isinstance(value, list):
        return value
    raise DataError(f"Expected {shown_path(path)} to be a list of questions, but got {shown(value)}: fetch it again")


@dataclass(slots=True)
class _Shared:
    """Values that come again and again, each held once."""

    texts: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    scores: dict[tuple[float, ...], tuple[float, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class _Reading:
    """One file as it is read: originals and perturbed questions by the id of the original, which names the pair."""

    file: CaretsFile
    shared: _Shared
    images: dict[str, str] = field(default_factory=dict)
    originals: dict[str, PublishedQuestion] = field(default_factory=dict)
    perturbed: dict[str, dict[str, PublishedQuestion]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    bad: list[str] = field(default_factory=list)

    def read(self, rows: Iterable[object]) -> None:
        name = self.file.name
        for place, value in enumerate(rows):
            own = id_of(value, "question_id")
            try:
                self._add(Record.of(value, f"{name}: [{place}]" if own is None else f"{name}: question {named(own)}"))
            except DataError as error:
                self.bad.append(str(error))
                if own is not None:
                    self.broken.add(_original_of(own))

    def paired(self) -> Iterator[tuple[str, PublishedQuestion, tuple[PublishedQuestion, ...]]]:
        """The image, the original and the perturbed questions of each pair; what is wrong with others is kept."""
        for pair in dict.fromkeys((*self.originals, *self.perturbed)):
            if pair in self.broken:
                continue
            original, perturbed = self.originals.get(pair), self.perturbed.get(pair, {})
            wrong = _unpaired(pair, original, perturbed) or _contradiction(original, perturbed, self.file)
            if wrong:
                self.bad.append(f"{self.file.name}: {wrong}")
            elif original:
                yield self.images[pair], original, tuple(perturbed.values())

    def _add(self, record: Record) -> None:
        question_id, image = record.identity("question_id"), intern(record.identity("img_id"))
        found = _NUMBERS.fullmatch(question_id.removeprefix(f"{image}-"))
        if found is None or not question_id.startswith(f"{image}-"):
            raise record.wrong("question_id", f"{image}-I-TEMPLATE or {image}-I-TEMPLATE-SUFFIX, after its img_id")
        pair, suffix = f"{image}-{found[1]}", found[2]
        if pair in self.originals if suffix is None else suffix in self.perturbed.get(pair, ()):
            raise record.wrong("question_id", "an id of its own", "another question of the file has it")
        answers, scores = _label(record)
        name = self.file.name
        question = PublishedQuestion(
            id=f"{name}:{question_id}",
            text=" ".join(record.text("sent").split()),
            answers=self._texts(answers),
            kind=intern(record.text("question_type")),
            scores=self.shared.scores.setdefault(scores, scores),
            options=self._texts(_options(record, answers)),
            pair=self._pair(f"{name}:{pair}") if suffix else None,
        )
        self.images[pair] = image
        if suffix is None:
            self.originals[pair] = question
        else:
            self.perturbed.setdefault(pair, {})[suffix] = question

    def _pair(self, original: str) -> PublishedPair:
        return PublishedPair(original=original, test=self.file.test, demand=self.file.demand)

    def _texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return self.shared.texts.setdefault(texts, texts)


def _label(record: Record) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The answers with their scores, one of which is above 0."""
    label = record.record("label")
    for answer in label.row:
        if not answer.strip():
            raise record.wrong("label", "answers that are not blank")
    scores = tuple(label.number(answer) for answer in label.row)
    if max(scores, default=0) <= 0 or min(scores) < 0:
        raise record.wrong("label", "scores from 0 up of one answer or more, one of them above 0")
    return tuple(label.row), scores


def _options(record: Record, answers: tuple[str, ...]) -> tuple[str, ...]:
    """Yes and no, or the choices of the text; an answer that has a score is always one of them."""
    if all(answer in YES_OR_NO for answer in answers):
        return YES_OR_NO
    assignment = record.record("assignment")
    field = next((key for key in assignment.row if key.endswith("category-options1")), "category-options1")
    choices = assignment.texts(field)
    if len(set(choices)) < 2:
        raise assignment.wrong(field, "two choices or more, since the answer is neither yes nor no")
    return tuple(dict.fromkeys((*choices, *answers)))


def _original_of(question_id: str) -> str:
    found = _SUFFIX.fullmatch(question_id)
    return found[1] if found else question_id


def _unpaired(pair: str, original: PublishedQuestion | None, perturbed: dict[str, PublishedQuestion]) -> str:
    """What is wrong with a question that has no partner; "" where it has one."""
    if original is None:
        return f"question {pair}-{next(iter(perturbed))}: Expected its original {pair} too, but there is none: add it"
    if not perturbed:
        return f"question {pair}: Expected its perturbed partner {pair}-SUFFIX too, but there is none: add it"
    return ""


def _contradiction(
    original: PublishedQuestion | None, perturbed: dict[str, PublishedQuestion], file: CaretsFile
) -> str:
    """What is wrong with a pair whose right answers are not as its test demands; "" where they are."""
    first = _right(original) if original else ""
    for each in perturbed.values():
        second = _right(each)
        if file.demand == "opposite":
            fits, wanted = {first, second} == set(YES_OR_NO), "one yes and one no as the right answers of the pair"
        else:
            fits, wanted = first == second, "the same right answer as that of its original"
        if not fits:
            question = each.id.partition(":")[2]
            return (
                f"question {question}: label: Expected {wanted}, as {file.test} demands, but got {first!r} and then "
                f"{second!r}: leave the pair out"
            )
    return ""


def _right(question: PublishedQuestion) -> str:
    """The answer with the highest score, the first of several."""
    return question.answers[question.scores.index(max(question.scores))]
