"""Where the questions and the answers of VQA v2 lie: the official names, plain ones, and both in one file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.coco_files import files_of, has_photo_folder, instances_in, listed, photo_folders, split_of

_ENDS = (".json", ".json.gz")
_SPLIT = re.compile(r"(?:train|val|test)(?:-\w+)?\d{4}")
_QUESTIONS = re.compile(r".*questions.*")
_BOTH = re.compile(r"vqa(?!.*(?:questions|annotations)).*")
_FORMS = "vqa-v2:DIR or vqa-v2:QUESTIONS.json"
SPLITS_OF_PHOTOS = ("train2014", "val2014", "test2015")
"""Of which VQA v2 asks; the photos of each are named after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VqaFiles:
    """The files that an argument names.

    Attributes:
        annotations: the file of the answers; ``questions`` again where that holds both.
        split: the "val2014" in the files' names, or "".
        instances: an instances file in COCO's form that lies beside, None where there is none.
        photos: the folders in which the photos may lie, the likeliest first.
    """

    questions: Path
    annotations: Path
    split: str
    instances: Path | None
    photos: tuple[Path, ...]


def find(argument: str) -> VqaFiles:
    """The files of ``vqa-v2:DIR`` or ``vqa-v2:QUESTIONS.json``.

    Raises:
        OptionError: there is no argument.
        DataError: something is not there, or there are several files of questions and none is the one meant.
    """
    if not argument:
        raise OptionError(f"Expected --vqamt-data={_FORMS}, but got data='vqa-v2:': name the folder")
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
    """The file of the answers to ``questions``: itself, where its name does not say that it is only of questions."""
    if "questions" not in questions.name:
        return questions
    there = (place / (_partner(questions) + end) for place in (questions.parent, *_places(folder)) for end in _ENDS)
    return next((file for file in there if file.is_file()), None)


def _partner(questions: Path) -> str:
    """The official name of the other file, without its end: of ``questions.json`` it is ``annotations``."""
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
    """``folder``, and its folders that the official evaluation code has for each kind of file."""
    inner = (folder / name for name in ("questions", "Questions", "annotations", "Annotations"))
    return (folder, *(each for each in inner if each.is_dir()))


def _folder_of(questions: Path) -> Path:
    return questions.parent.parent if questions.parent.name.lower() == "questions" else questions.parent
