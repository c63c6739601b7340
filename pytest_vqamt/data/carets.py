"""``carets:DIR``: the question pairs that the authors of CARETS have published, on photos of yours or without any."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from pytest_vqamt.core.corpus import Corpus, gather
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Scene
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.carets_files import CaretsFiles, find
from pytest_vqamt.data.carets_questions import read_questions
from pytest_vqamt.data.coco.source import digest_of
from pytest_vqamt.data.decoding import size_px
from pytest_vqamt.data.messages import named, shown_path
from pytest_vqamt.data.photo_folders import PhotoFolders
from pytest_vqamt.data.photo_io import PhotoFiles

if TYPE_CHECKING:
    from PIL.Image import Image


class CaretsPhotos(AnnotatedPhotos):
    """The scenes of the published pairs.

    Attributes:
        published_pairs: how many pairs there are.
    """

    def __init__(
        self,
        *,
        spec: str,
        description: str,
        annotations: CaretsAnnotations,
        photos: PhotoFiles | None,
        without: str,
        published_pairs: int,
    ) -> None:
        super().__init__(spec=spec, description=description, annotations=annotations, photos=photos, without=without)
        self.published_pairs = published_pairs


class CaretsAnnotations:
    """The images that pairs are about, in the order in which the files come to them; nothing is known to be on them.

    A scene has the size that its photo says; without photos it is not known, and is 0 x 0.
    """

    def __init__(
        self,
        of_image: Mapping[str, tuple[PublishedQuestion, ...]],
        bad: tuple[str, ...],
        *,
        folders: PhotoFolders | None,
        digest: str,
    ) -> None:
        self.bad_records = bad
        self.digest = digest
        self._of_image = of_image
        self._images = tuple(of_image)
        self._folders = folders

    def __len__(self) -> int:
        return len(self._images)

    def photo_ids(self) -> tuple[str, ...]:
        return tuple(map(_photo_id, self._images))

    def photo_file(self, index: int) -> str:
        name = _photo_id(self._images[index])
        return self._folders.files[name] if self._folders else name

    def scene(self, index: int) -> Scene:
        image = self._images[index]
        width, height = size_px(self._folders.root / self.photo_file(index)) if self._folders else (0, 0)
        photo = Photo(id=_photo_id(image), digest="")
        return Scene(id=image, photo=photo, width=width, height=height, questions=self._of_image[image])

    def mask(self, index: int, thing_id: str) -> Image:
        raise DataError(
            f"Expected a thing of image {self._images[index]}, but got thing_id={thing_id!r}: it has no objects"
        )

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus:
        """Of scenes in which nothing is known to be: no photo is looked at for it."""
        empty = Scene(id="", photo=Photo(id="", digest=""), width=0, height=0)
        return gather((empty for _ in self._images), scene=scene, measure=cache(measure))


def load(argument: str) -> CaretsPhotos:
    """The scenes of ``carets:DIR``, one for each image that pairs are about.

    A file that default.yml names and that is not there is left out, with a warning.

    Raises:
        OptionError: there is no such folder.
        DataError: there is no default.yml, it or a file is not of the authors' form, or no pair can be used.
    """
    files = find(argument)
    _warn_of(files)
    questions = read_questions(files.files)
    folders = PhotoFolders.of(files.photos)
    folders = folders if folders and folders.files else None
    of_image = dict(questions.of_image)
    bad = list(questions.bad)
    for image in questions.of_image if folders else ():
        if folders and _photo_id(image) not in folders.files:
            file = of_image.pop(image)[0].id.partition(":")[0]
            bad.append(
                f"{file}: image {named(image)}: Expected its photo in {shown_path(folders.root)}, but there "
                f"is no {_photo_id(image)!r}: add it"
            )
    if not of_image:
        raise DataError(
            f"Expected a question pair of carets:{argument} that can be used, but there is none"
            + (f": {bad[0]}" if bad else "")
        )
    pairs = sum(question.pair is not None for asked in of_image.values() for question in asked)
    return CaretsPhotos(
        spec=f"carets:{argument}",
        description=f"CARETS, {pairs} published question pairs about {len(of_image)} images"
        + ("" if folders else ", without photos"),
        annotations=CaretsAnnotations(
            of_image, tuple(bad), folders=folders, digest=digest_of((files.suite, *(file.path for file in files.files)))
        ),
        photos=PhotoFiles(folders.root) if folders else None,
        without=f"put them into {files.photos[0]}",
        published_pairs=pairs,
    )


def _warn_of(files: CaretsFiles) -> None:
    """Warns of the files that are not there.

    Raises:
        DataError: the user has warnings made errors.
    """
    if not files.absent:
        return
    text = (
        f"{shown_path(files.suite)} names {', '.join(map(named, files.absent))}, which "
        f"{'is' if len(files.absent) == 1 else 'are'} not there: the pairs in it are left out"
    )
    try:
        warnings.warn(text, stacklevel=2)
    except UserWarning as error:
        raise DataError(f"Expected every file of {shown_path(files.suite)}, but {text}") from error


def _photo_id(image: str) -> str:
    return f"{image}.jpg"
