"""``vqa-v2:DIR``: the questions of VQA v2 with their ten answers, on the photos of COCO."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, cast

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Scene
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, short_name, short_path
from pytest_vqamt.data.annotations import AnnotatedPhotos, ListedAnnotations
from pytest_vqamt.data.coco import (
    ENDS,
    annotated_exhaustively,
    captions_beside,
    counts_of,
    digest_of,
    files_of,
    has_photo_folder,
    instances_in,
    listed,
    mask_of,
    photo_folders,
    scene_of,
    split_of,
)
from pytest_vqamt.data.coco_records import CocoImage, CocoRecords, id_of, read_records
from pytest_vqamt.data.json_io import RecordStream
from pytest_vqamt.data.photo_io import PhotoFiles, size_px
from pytest_vqamt.data.records import SUFFIXES, Record
from pytest_vqamt.data.sanity import Oddity, SourceChecks

if TYPE_CHECKING:
    from PIL.Image import Image


_NUMBER = re.compile("0|[1-9][0-9]{,11}")
"""The ids of COCO's photos, which their names write with 12 digits."""
_MOST_LISTED = 200_000
"""The most photos that are listed to find those in another folder."""

_SPLIT = re.compile(r"(?:train|val|test)(?:-\w+)?\d{4}")
"""The split in a file's name: "val2014", "test-dev2015"."""
_QUESTIONS = re.compile(r".*questions.*")
_BOTH = re.compile(r"vqa(?!.*(?:questions|annotations)).*")
"""A file with questions and answers in one."""
_FORMS = "vqa-v2:DIR or vqa-v2:QUESTIONS.json"
SPLITS_OF_PHOTOS = ("train2014", "val2014", "test2015")
"""The splits of VQA v2, after which its photos are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoWithQuestions:
    """A photo with questions."""

    id: str
    """The ``image_id`` of its questions."""
    file: str
    """Its name in the folder of photos; the likeliest name without photos."""
    questions: tuple[PublishedQuestion, ...]
    """The usable ones, in the order of the file."""
    image: CocoImage | None
    """Its annotations of COCO; None where the instances file lacks it."""


class VqaAnnotations(ListedAnnotations):
    """The photos with usable questions, in the order of the questions.

    Objects, crowds, captions and exhaustive classes are those of the instances file. Other photos have none, and the
    size of their file, or 0 x 0 without one.
    """

    def __init__(
        self,
        asked: tuple[PhotoWithQuestions, ...],
        bad: tuple[str, ...],
        *,
        coco: CocoRecords | None,
        photos: PhotoFiles | None,
        digest: str,
    ) -> None:
        checks, blank = SourceChecks.of(""), Oddity()
        for each in asked:
            for question in each.questions:
                checks.questions.add(each.id, question.text)
                # A blank answer among others is one annotator's.
                if not any(map(str.strip, question.answers)):
                    blank.add(f"question {question.id}")
        remarks = (*(coco.remarks if coco else ()), *checks.lines(), *_lines_of_blank(blank))
        super().__init__([photo.file for photo in asked], bad, digest, remarks)
        self.asked = asked
        self._files = photos
        self._instances_file = coco.file if coco else ""
        self._exhaustive = annotated_exhaustively(coco.names) if coco else frozenset[str]()

    def scene(self, index: int) -> Scene:
        asked = self.asked[index]
        photo = Photo(id=asked.file, digest="")
        if asked.image:
            return replace(scene_of(asked.image, self._exhaustive), photo=photo, questions=asked.questions)
        width, height = size_px(self._files.folder / asked.file) if self._files else (0, 0)
        return Scene(id=asked.id, photo=photo, width=width, height=height, questions=asked.questions)

    def mask(self, index: int, thing_id: str) -> Image:
        asked = self.asked[index]
        return mask_of(asked.image, thing_id, self._instances_file) if asked.image else super().mask(index, thing_id)


def _lines_of_blank(questions: Oddity) -> tuple[str, ...]:
    if not questions.count:
        return ()
    have = "has" if questions.count == 1 else "have"
    return (
        f"{count_noun(questions.count, 'question')} {have} blank answers alone ({questions.first}): no answer of a "
        "model is right; write the answers, or take the questions away",
    )


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``vqa-v2:DIR`` or ``vqa-v2:QUESTIONS.json``, one for each photo that has questions.

    Raises:
        OptionError: there is no argument.
        DataError: its files are not there or not of this form, or no question can be used.
    """
    files = find(argument)
    spec = f"vqa-v2:{argument}"
    questions = read_questions(files.questions, files.annotations)
    captions = captions_beside(files.instances) if files.instances else None
    coco = read_records(files.instances, captions) if files.instances else None
    photos = _photos(files, questions, coco)
    asked, bad = _asked(questions, coco, photos, files)
    if not asked:
        raise DataError(
            f"Expected a question of {spec} that can be used, but there is none: "
            f"{bad[0] if bad else f'{files.questions} is empty'}",
            bad_records=bad,
        )
    read = dict.fromkeys(file for file in (files.questions, files.annotations, files.instances, captions) if file)
    return AnnotatedPhotos(
        spec=spec,
        description=_description(asked, coco, photos),
        annotations=VqaAnnotations(asked, bad, coco=coco, photos=photos, digest=digest_of(tuple(read))),
        photos=photos,
        without=f"put them into the folder {files.split or 'images'} beside the questions",
    )


def _photos(files: VqaFiles, questions: VqaQuestions, coco: CocoRecords | None) -> PhotoFiles | None:
    """The first folder with any of the photos."""
    images = _by_id(coco)
    names = [_names(photo, images.get(photo), files.split) for photo in questions.of_photo]
    folders = [PhotoFiles(folder) for folder in files.photos]
    found = next((photos for photos in folders if any(_first_there(each, photos) for each in names)), None)
    if found is None and names:
        # The last folder is the one of the questions itself, which may hold any pictures.
        _refuse_other_names(folders[:-1] or folders, names[0])
        _refuse_other_folders(_folder_of(files.questions), {name for each in names for name in each})
    return found


def _refuse_other_folders(folder: Path, names: AbstractSet[str]) -> None:
    """Raises DataError if a photo lies deeper in the folder than photos are looked for."""
    for file in islice(folder.rglob("*.jpg"), _MOST_LISTED):
        if file.name in names:
            raise DataError(
                f"Expected photos in {short_path(folder)}, in images or in a folder of a split there, but "
                f"{short_name(file.name)} is in {short_path(file.parent)}: move that folder up, or link to it"
            )


def _refuse_other_names(folders: Iterable[PhotoFiles], names: tuple[str, ...]) -> None:
    """Raises DataError if a folder has photos, but none of the names that are looked for: the set has photos then."""
    for photos in folders:
        there = sorted(each.name for each in photos.folder.iterdir() if each.suffix.lower() in SUFFIXES)
        if there:
            raise DataError(
                f"Expected {' or '.join(map(short_name, names))} in {photos.folder}, but there "
                f"{'is one photo' if len(there) == 1 else f'are {len(there):,} photos'} of other names "
                f"({short_name(there[0])}): rename them, or move them away to ask without photos"
            )


def _asked(
    questions: VqaQuestions, coco: CocoRecords | None, photos: PhotoFiles | None, files: VqaFiles
) -> tuple[tuple[PhotoWithQuestions, ...], tuple[str, ...]]:
    """The usable photos, and the errors of others and of single questions."""
    images = _by_id(coco)
    # Errors of images that no question is about are left out; those that name no image stay.
    wrong = [each for each in coco.bad if each.image is None or each.image in questions.of_photo] if coco else []
    broken = {each.image for each in wrong}
    bad = [*questions.bad, *(each.text for each in wrong)]
    asked: list[PhotoWithQuestions] = []
    for photo, its_questions in questions.of_photo.items():
        if photo in broken:
            continue
        names = _names(photo, images.get(photo), files.split)
        file = _first_there(names, photos) if photos else names[0]
        if file:  # else photos are there, but not this one
            asked.append(PhotoWithQuestions(id=photo, file=file, questions=its_questions, image=images.get(photo)))
        elif photos:
            bad.append(
                f"{files.questions.name}: photo {short_name(photo)} of question {its_questions[0].id}: image_id: "
                f"Expected {' or '.join(map(short_name, names))} in {photos.folder}, but there is no such photo"
                f"{photos.advice(names[0])}"
            )
    return tuple(asked), tuple(bad)


def _by_id(coco: CocoRecords | None) -> Mapping[str, CocoImage]:
    return {image.id: image for image in coco.images} if coco else {}


def _names(photo: str, image: CocoImage | None, split: str) -> tuple[str, ...]:
    """The possible names of the photo's file, the likeliest first."""
    if not _NUMBER.fullmatch(photo):  # an id of users' own data
        named: tuple[str, ...] = (f"{photo}.jpg",)
    else:
        number = f"{photo.zfill(12)}.jpg"  # as from 2017 on; before, the split stands before it
        of_split = tuple(f"COCO_{each}_{number}" for each in ((split,) if split else SPLITS_OF_PHOTOS))
        named = (*of_split, number) if split else (number, *of_split)
    return tuple(dict.fromkeys((image.file_name, *named) if image else named))


def _first_there(names: tuple[str, ...], photos: PhotoFiles) -> str | None:
    for name in names:
        try:
            if photos.has(name):
                return name
        except DataError:  # a name that leads out of the folder is no photo of it
            continue
    return None


def _description(asked: tuple[PhotoWithQuestions, ...], coco: CocoRecords | None, photos: PhotoFiles | None) -> str:
    questions = sum(len(photo.questions) for photo in asked)
    scenes = f"{count_noun(len(asked), 'scene')} with {count_noun(questions, 'question')} and their answers"
    objects = counts_of([photo.image for photo in asked if photo.image]) if coco else "no objects"
    return f"{scenes}, {objects}" + ("" if photos else ", no photos found")


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaFiles:
    """The files that an argument names."""

    questions: Path
    annotations: Path
    """The file of the answers; ``questions`` again if that has both."""
    split: str
    """The "val2014" in the files' names, or ""."""
    instances: Path | None
    """An instances file in COCO's form beside them."""
    photos: tuple[Path, ...]
    """The possible folders of photos, the likeliest first."""


def find(argument: str) -> VqaFiles:
    """The files of ``vqa-v2:DIR`` or ``vqa-v2:QUESTIONS.json``.

    Raises:
        OptionError: there is no argument.
        DataError: something is missing, or there are several files of questions.
    """
    if not argument:
        raise OptionError(f"Expected {option('data')}={_FORMS}, but got 'vqa-v2:': name the folder")
    given = Path(argument)
    if given.is_dir():
        folder, questions = given, _questions_in(given)
    elif given.is_file():
        folder, questions = _folder_of(given), given
    else:
        raise DataError(f"Expected a folder, or a file of questions, but got data={argument!r}: there is no such path")
    annotations = _annotations_of(questions, folder)
    if annotations is None:
        raise DataError(
            f"Expected {_partner(questions)}.json (or .json.gz) with the answers to {str(questions)!r}, "
            "but there is none: fetch it too"
        )
    split = _split_of(questions)
    instances = _instances_in(folder, split)
    splits = (split, split_of(instances) if instances else "", *SPLITS_OF_PHOTOS, "train2017", "val2017")
    return VqaFiles(
        questions=questions,
        annotations=annotations,
        split=split,
        instances=instances,
        photos=photo_folders(folder, *splits),
    )


def _questions_in(folder: Path) -> Path:
    found = [*files_of(_places(folder), _QUESTIONS), *files_of(_places(folder), _BOTH)]
    if not found:
        raise DataError(
            f"Expected v2_OpenEnded_mscoco_*_questions.json, questions.json or vqa_*.json in {str(folder)!r}, "
            f"but there is none: name the file with vqa-v2:QUESTIONS.json"
        )
    # The questions of the test splits have no answers. Of several with answers, those with photos are meant.
    answered = [file for file in found if _annotations_of(file, folder)]
    with_photos = [file for file in answered if has_photo_folder(folder, _split_of(file))]
    for choice in (found, answered, with_photos):
        if len(choice) == 1:
            return choice[0]
    raise DataError(
        f"Expected one file of questions in {str(folder)!r}, but got {listed(folder, answered or found)}: "
        "name one with vqa-v2:QUESTIONS.json"
    )


def _annotations_of(questions: Path, folder: Path) -> Path | None:
    """The file of the answers to ``questions``: itself, unless its name says "questions"."""
    if "questions" not in questions.name:
        return questions
    there = (place / (_partner(questions) + end) for place in (questions.parent, *_places(folder)) for end in ENDS)
    return next((file for file in there if file.is_file()), None)


def _partner(questions: Path) -> str:
    """The official name of the file of answers without its suffix: "annotations" for "questions.json"."""
    return questions.name.partition(".json")[0].replace("OpenEnded_", "").replace("questions", "annotations")


def _split_of(questions: Path) -> str:
    found = _SPLIT.search(questions.name)
    return found[0] if found else ""


def _instances_in(folder: Path, split: str) -> Path | None:
    found = instances_in(folder, split)
    if len(found) > 1:
        raise DataError(
            f"Expected one instances file beside the questions in {str(folder)!r}, but got {listed(folder, found)}: "
            "move the others away, or name the right one after the split of the questions"
        )
    return found[0] if found else None


def _places(folder: Path) -> tuple[Path, ...]:
    """``folder``, and the folders of the official evaluation code in it."""
    inner = (folder / name for name in ("questions", "Questions", "annotations", "Annotations"))
    return (folder, *(each for each in inner if each.is_dir()))


def _folder_of(questions: Path) -> Path:
    return questions.parent.parent if questions.parent.name.lower() == "questions" else questions.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaQuestions:
    """The usable questions, and the errors of others."""

    of_photo: dict[str, tuple[PublishedQuestion, ...]]
    """The questions of each photo by its id."""
    bad: tuple[str, ...]
    """A message about each question that cannot be used."""


def read_questions(questions: Path, annotations: Path) -> VqaQuestions:
    """The questions with answers; both paths may be of one file. Other answers are ignored.

    Raises:
        DataError: a file is not of this form.
    """
    reading = _VqaReader(questions.name, annotations.name)
    reading.read_questions(_rows(questions, "questions"))
    reading.read_answers(_rows(annotations, "annotations"))
    return reading.found()


@dataclass(frozen=True, slots=True)
class _QuestionText:
    photo: str
    """The ``image_id``."""
    text: str
    """With single spaces."""


@dataclass(frozen=True, slots=True)
class _AnswerTexts:
    texts: tuple[str, ...]
    """One of each annotator; ten in the published files."""
    kind: str
    """The ``answer_type``: "yes/no", "number", "other" or ""."""


@dataclass(slots=True)
class _VqaReader:
    """Reads the questions, then their answers, and joins them by the id of the question."""

    questions_file: str
    """Its name; the same as ``answers_file`` where one file has both."""
    answers_file: str
    asked: dict[str, _QuestionText] = field(default_factory=dict)
    """The usable questions by id."""
    answered: dict[str, _AnswerTexts] = field(default_factory=dict)
    """The answers by the id of the question."""
    broken: set[str] = field(default_factory=set)
    """The ids of refused questions: a second one of such an id is refused, too."""
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
                self.asked[question] = _QuestionText(intern(record.identity("image_id")), text)
            except DataError as error:
                self._refuse(own, error)

    def read_answers(self, rows: Iterable[object]) -> None:
        for place, value in enumerate(rows):
            question = id_of(value, "question_id")
            if question is not None and question not in self.asked:
                continue  # the question was refused, or cut out of a smaller file of questions
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
                self.answered[question] = _AnswerTexts(_answers(record), kind)
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
    """The records under ``key``; raises DataError if there is none."""
    empty = True
    for row in RecordStream(file).listed(key):
        empty = False
        yield row
    if empty:
        raise DataError(
            f"Expected {file} to be a file of VQA v2, with records under {key!r}, but there are none: name another file"
        )


def _answers(annotation: Record) -> tuple[str, ...]:
    rows = annotation.items("answers", required=True)
    if not rows:
        raise annotation.wrong("answers", "one answer or more")
    try:
        # Interned, as the millions of answers repeat a few texts.
        return tuple(intern(cast("dict[str, str]", row)["answer"]) for row in rows)
    except (KeyError, TypeError):  # the slower way reports which
        return tuple(_answer(row) for row in annotation.records("answers"))


def _answer(row: Record) -> str:
    text = row.row.get("answer")
    if not isinstance(text, str):
        raise row.wrong("answer", "a text")
    return text
