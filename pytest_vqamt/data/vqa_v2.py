"""``vqa-v2:DIR``: the questions of VQA v2 with their ten answers, on the photos of COCO."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Scene
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.coco.records import CocoImage, CocoRecords, read_records
from pytest_vqamt.data.coco.source import counts_of, digest_of, mask_of, scene_of
from pytest_vqamt.data.coco_classes import annotated_exhaustively
from pytest_vqamt.data.coco_files import captions_beside
from pytest_vqamt.data.decoding import size_px
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.vqa_v2_files import SPLITS_OF_PHOTOS, VqaFiles, find
from pytest_vqamt.data.vqa_v2_questions import VqaQuestions, read_questions

if TYPE_CHECKING:
    from PIL.Image import Image


_NUMBER = re.compile("0|[1-9][0-9]{,11}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPhoto:
    """A photo that questions are asked about; ``image`` is what COCO says of it, None where that is not at hand."""

    id: str
    file: str
    questions: tuple[PublishedQuestion, ...]
    image: CocoImage | None


class VqaAnnotations:
    """The photos that have questions which can be used, in the order in which they are first asked about.

    Objects, crowds, captions and exhaustive classes are those of the instances file. A photo that it does not know has
    none, and the size that its file says; without the file its size is not known, and is 0 x 0.
    """

    def __init__(
        self,
        asked: tuple[AskedPhoto, ...],
        bad: tuple[str, ...],
        *,
        coco: CocoRecords | None,
        photos: PhotoFiles | None,
        digest: str,
    ) -> None:
        self.asked = asked
        self.bad_records = bad
        self.digest = digest
        self._photos = photos
        self._instances_file = coco.file if coco else ""
        self._exhaustive = annotated_exhaustively(coco.names) if coco else frozenset[str]()

    def __len__(self) -> int:
        return len(self.asked)

    def photo_ids(self) -> tuple[str, ...]:
        return tuple(photo.file for photo in self.asked)

    def photo_file(self, index: int) -> str:
        return self.asked[index].file

    def scene(self, index: int) -> Scene:
        asked = self.asked[index]
        photo = Photo(id=asked.file, digest="")
        if asked.image:
            return replace(scene_of(asked.image, self._exhaustive), photo=photo, questions=asked.questions)
        width, height = size_px(self._photos.folder / asked.file) if self._photos else (0, 0)
        return Scene(id=asked.id, photo=photo, width=width, height=height, questions=asked.questions)

    def mask(self, index: int, thing_id: str) -> Image:
        asked = self.asked[index]
        if asked.image is None:
            raise DataError(f"Expected a thing of photo {asked.id}, but got thing_id={thing_id!r}: it has no objects")
        return mask_of(asked.image, thing_id, self._instances_file)

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus | None:
        """None: scenes are made quickly enough to be looked at one by one."""
        return None


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
            f"{bad[0] if bad else f'{files.questions} is empty'}"
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
    """The first of the folders in which any of the photos lies, None where none does."""
    images = _by_id(coco)
    names = [_names(photo, images.get(photo), files.split) for photo in questions.of_photo]
    folders = (PhotoFiles(folder) for folder in files.photos)
    return next((photos for photos in folders if any(_first_there(each, photos) for each in names)), None)


def _asked(
    questions: VqaQuestions, coco: CocoRecords | None, photos: PhotoFiles | None, files: VqaFiles
) -> tuple[tuple[AskedPhoto, ...], tuple[str, ...]]:
    """The photos that can be used; and what is wrong with others, and with single questions."""
    images = _by_id(coco)
    wrong = [each for each in coco.bad if each.image is None or each.image in questions.of_photo] if coco else []
    broken = {each.image for each in wrong}
    bad = [*questions.bad, *(each.text for each in wrong)]
    asked: list[AskedPhoto] = []
    for photo, its_questions in questions.of_photo.items():
        if photo in broken:
            continue
        names = _names(photo, images.get(photo), files.split)
        file = _first_there(names, photos) if photos else names[0]
        if file:
            asked.append(AskedPhoto(id=photo, file=file, questions=its_questions, image=images.get(photo)))
        elif photos:
            bad.append(
                f"{files.questions.name}: photo {photo} of question {its_questions[0].id}: image_id: "
                f"Expected {' or '.join(names)} in {photos.folder}, but there is no such photo: add it"
            )
    return tuple(asked), tuple(bad)


def _by_id(coco: CocoRecords | None) -> Mapping[str, CocoImage]:
    return {image.id: image for image in coco.images} if coco else {}


def _names(photo: str, image: CocoImage | None, split: str) -> tuple[str, ...]:
    """What the photo's file may be called, the likeliest first."""
    if not _NUMBER.fullmatch(photo):
        named: tuple[str, ...] = (f"{photo}.jpg",)
    else:
        number = f"{photo.zfill(12)}.jpg"
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


def _description(asked: tuple[AskedPhoto, ...], coco: CocoRecords | None, photos: PhotoFiles | None) -> str:
    questions = sum(len(photo.questions) for photo in asked)
    scenes = f"{len(asked)} scenes with {questions} questions and their answers"
    objects = counts_of([photo.image for photo in asked if photo.image]) if coco else "no objects"
    return f"{scenes}, {objects}" + ("" if photos else ", no photos")
