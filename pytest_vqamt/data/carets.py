"""``carets:DIR``: the question pairs that the authors of CARETS published, with or without photos."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from sys import intern
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.input_files import MAX_CONFIG_BYTES, read_bytes
from pytest_vqamt.core.meaning import YES_OR_NO
from pytest_vqamt.core.scene import Demand, Photo, PublishedPair, PublishedQuestion, Scene
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, error_reason, short_name, short_path, short_repr
from pytest_vqamt.data.annotations import AnnotatedPhotos, ListedAnnotations
from pytest_vqamt.data.coco import digest_of
from pytest_vqamt.data.coco_records import id_of
from pytest_vqamt.data.json_io import plain_or_gzip, read_json, text_of
from pytest_vqamt.data.photo_io import PhotoFiles, PhotoFolders, size_px
from pytest_vqamt.data.records import Record
from pytest_vqamt.data.sanity import SourceChecks
from pytest_vqamt.data.scene_source import warn_of_data

if TYPE_CHECKING:
    from yaml import YAMLError


FILE = "default.yml"
"""The authors' list of tests and their files."""
TESTS = (
    "antonym_consistency",
    "ontological_consistency",
    "phrasal_invariance",
    "symmetry_invariance",
    "negation_consistency",
)
"""The tests that can be run: the variants of ``carets.published``."""

_DEMANDS: MappingProxyType[str, Demand] = MappingProxyType(
    {"invariance": "same", "directional_expectation": "opposite", "ontological_invariance": "implied"}
)
"""The demands on two answers by the ``eval_type`` of the test."""

_NUMBERS = re.compile(r"(\d+-\d+)(?:-(\w+))?")
"""The end of an id after the image: the question, the template, and the suffix of a perturbed question."""

_SUFFIX = re.compile(r"(.*-\d+-\d+)-\w+")
"""The id of a perturbed question, after that of its original."""


class CaretsPhotos(AnnotatedPhotos):
    """The scenes of the published pairs."""

    annotations: CaretsAnnotations

    @property
    def published_pairs(self) -> int:
        return self.annotations.pairs


class CaretsAnnotations(ListedAnnotations):
    """The images of pairs, in the order of the files, without objects; 0 x 0 px without photos."""

    def __init__(
        self,
        of_image: Mapping[str, tuple[PublishedQuestion, ...]],
        bad: tuple[str, ...],
        *,
        folders: PhotoFolders | None,
        digest: str,
    ) -> None:
        checks = SourceChecks.of(FILE)
        for image, asked in of_image.items():
            for question in asked:
                checks.questions.add(image, question.text)
        super().__init__(map(_photo_id, of_image), bad, digest, checks.lines())
        self.pairs = sum(question.pair is not None for asked in of_image.values() for question in asked)
        self._of_image = of_image
        self._images = tuple(of_image)
        self._folders = folders

    def photo_file(self, index: int) -> str:
        name = self._photos[index]
        return self._folders.files[name] if self._folders else name

    def scene(self, index: int) -> Scene:
        image = self._images[index]
        width, height = size_px(self._folders.root / self.photo_file(index)) if self._folders else (0, 0)
        photo = Photo(id=_photo_id(image), digest="")
        return Scene(id=image, photo=photo, width=width, height=height, questions=self._of_image[image])

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus:
        """The corpus of scenes without objects, without a look at photos."""
        # Each scene would have its photo opened for its size.
        empty = Scene(id="", photo=Photo(id="", digest=""), width=0, height=0)
        return gather_corpus((empty for _ in self._images), scene=scene, measure=cache(measure))


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
    folders = folders if folders and folders.files else None  # an empty folder of photos counts as none
    of_image = dict(questions.of_image)
    bad = list(questions.bad)
    for image in questions.of_image if folders else ():
        if folders and _photo_id(image) not in folders.files:
            file = of_image.pop(image)[0].id.partition(":")[0]
            bad.append(
                f"{file}: image {short_name(image)}: Expected its photo in {short_path(folders.root)}, but there "
                f"is no {_photo_id(image)!r}: add it"
            )
    if not of_image:
        raise DataError(
            f"Expected a question pair of carets:{argument} that can be used, but there is none"
            + (f": {bad[0]}" if bad else ""),
            bad_records=bad,
        )
    digest = digest_of((files.suite, *(file.path for file in files.files)))
    annotations = CaretsAnnotations(of_image, tuple(bad), folders=folders, digest=digest)
    return CaretsPhotos(
        spec=f"carets:{argument}",
        description=f"CARETS, {count_noun(annotations.pairs, 'published question pair')} about "
        f"{count_noun(len(of_image), 'image')}" + ("" if folders else ", without photos"),
        annotations=annotations,
        photos=PhotoFiles(folders.root) if folders else None,
        without=f"put them into {files.photos[0]}",
    )


def _warn_of(files: CaretsFiles) -> None:
    """Warns of missing files; raises DataError if warnings are errors."""
    if files.absent:
        warn_of_data(
            f"{short_path(files.suite)} names {', '.join(map(short_name, files.absent))}, which "
            f"{'is' if len(files.absent) == 1 else 'are'} not there: the pairs in it are left out",
            f"Expected every file of {short_path(files.suite)}",
        )


def _photo_id(image: str) -> str:
    return image if image.endswith(".jpg") else f"{image}.jpg"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaretsFile:
    """A file of question pairs that default.yml names."""

    name: str
    """As default.yml has it; the ids of its questions begin with it."""
    path: Path
    """The plain or compressed file that was found."""
    test: str
    """One of ``TESTS``."""
    demand: Demand
    """How the answers to a pair must relate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaretsFiles:
    """The files of a folder."""

    suite: Path
    """The path of default.yml."""
    files: tuple[CaretsFile, ...]
    """The existing files that it names, in its order."""
    absent: tuple[str, ...]
    """The names of the others."""
    photos: tuple[Path, ...]
    """The possible folders of photos, the likeliest first."""


def find(argument: str) -> CaretsFiles:
    """The files of ``carets:DIR``: a clone of the authors' repository, or a folder with default.yml and its files.

    ``files_root`` and ``images_root`` of default.yml are relative to DIR.

    Raises:
        OptionError: there is no such folder.
        DataError: default.yml is missing or not of the authors' form, or all of its files are missing.
    """
    folder = Path(argument)
    if not argument or not folder.is_dir():
        raise OptionError(f"Expected {option('data', 'carets:DIR')}, but got {argument!r}: there is no such folder")
    suite = next((path for path in (folder / FILE, folder / "configs" / FILE) if path.is_file()), None)
    if suite is None:
        raise DataError(
            f"Expected {FILE} of the CARETS authors in {short_path(folder)} or in its folder 'configs', but there is "
            "none: fetch it too"
        )
    record = Record.of(_read_yaml(suite), str(suite))
    places = (folder / record.text("files_root", "."), folder)  # all files may lie in one folder, too
    found: list[CaretsFile] = []
    absent: list[str] = []
    for name, test, demand in _named(record):
        there = (plain_or_gzip(place / name) for place in places)
        path = next((path for path in there if path), None)
        if path:
            found.append(CaretsFile(name=name, path=path, test=test, demand=demand))
        else:
            absent.append(name)
    if not found:
        raise DataError(
            f"Expected the files that {short_path(suite)} names, in {' or in '.join(map(short_path, places))}, "
            f"but there is none (the first: {short_name(absent[0]) if absent else 'none is named'}): fetch them"
        )
    photos = (folder / record.text("images_root", "images"), folder / "images")
    return CaretsFiles(suite=suite, files=tuple(found), absent=tuple(absent), photos=photos)


def _named(suite: Record) -> list[tuple[str, str, Demand]]:
    """The name of each file, with its test and its demand."""
    suite.record("tests").only(TESTS)
    found: dict[str, tuple[str, str, Demand]] = {}
    for test, record in suite.keyed("tests"):
        eval_type = record.text("eval_type")
        if eval_type not in _DEMANDS:
            raise record.wrong("eval_type", f"one of {', '.join(_DEMANDS)}")
        for place, name in enumerate(record.texts("files")):
            if name in found:
                raise record.wrong(f"files[{place}]", "a file that is named once", f"{found[name][1]} has it already")
            found[name] = name, test, _DEMANDS[eval_type]
    return list(found.values())


def _read_yaml(path: Path) -> object:
    try:
        import yaml  # no other file is YAML
    except ImportError as error:
        raise DataError(f"Expected PyYAML to read {short_path(path)}, but got: {error}; pip install pyyaml") from error
    try:
        value: object = yaml.safe_load(text_of(read_bytes(path, MAX_CONFIG_BYTES), str(path)))
    except OSError as error:
        raise DataError(f"Expected {short_path(path)} to be readable, but got: {error_reason(error)}") from error
    except yaml.YAMLError as error:
        raise DataError(
            f"Expected {short_path(path)} to be YAML, but it breaks off{_place(error)}: fetch it again"
        ) from error
    except RecursionError as error:
        raise DataError(f"Expected {short_path(path)} to be YAML, but it is nested too deep: fetch it again") from error
    except ValueError as error:  # a date that is none
        raise DataError(
            f"Expected {short_path(path)} to be YAML, but got: {error_reason(error)}: fetch it again"
        ) from error
    return value


def _place(error: YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or type(error).__name__
    return f" at line {mark.line + 1}, column {mark.column + 1} ({said})" if mark else f" ({said})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaretsQuestions:
    """The usable questions, and the errors of others."""

    of_image: dict[str, tuple[PublishedQuestion, ...]]
    """By the id of the image, each original before its perturbed ones; ids begin with the name of the file."""
    bad: tuple[str, ...]
    """A message about each row or pair that cannot be used."""


def read_questions(files: Iterable[CaretsFile]) -> CaretsQuestions:
    """The questions of ``files``; raises DataError if a file cannot be read, or is no list."""
    of_image: dict[str, list[PublishedQuestion]] = {}
    bad: list[str] = []
    shared = _Shared()
    for file in files:
        reading = _CaretsReader(file, shared)
        reading.read(_rows(file.path))
        for image, original, perturbed in reading.paired():
            of_image.setdefault(image, []).extend((original, *perturbed))
        bad += reading.bad
    return CaretsQuestions(of_image={image: tuple(questions) for image, questions in of_image.items()}, bad=tuple(bad))


def _rows(path: Path) -> list[object]:
    value = read_json(path)
    if isinstance(value, list):
        return value
    raise DataError(
        f"Expected {short_path(path)} to be a list of questions, but got {short_repr(value)}: fetch it again"
    )


@dataclass(slots=True)
class _Shared:
    """Repeated values, each held once: most questions have the answers and options of others."""

    texts: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    """Answers and options: ("yes", "no")."""
    scores: dict[tuple[float, ...], tuple[float, ...]] = field(default_factory=dict)
    """Scores of answers: (1.0,)."""


@dataclass(slots=True)
class _CaretsReader:
    """Reads one file; the id of an original names the pair."""

    file: CaretsFile
    shared: _Shared
    images: dict[str, str] = field(default_factory=dict)
    """The image of each pair."""
    originals: dict[str, PublishedQuestion] = field(default_factory=dict)
    """By pair."""
    perturbed: dict[str, dict[str, PublishedQuestion]] = field(default_factory=dict)
    """By pair and suffix."""
    broken: set[str] = field(default_factory=set)
    """Pairs with a refused row; none of their questions is used."""
    bad: list[str] = field(default_factory=list)

    def read(self, rows: Iterable[object]) -> None:
        name = self.file.name
        for place, value in enumerate(rows):
            own = id_of(value, "question_id")
            try:
                self._add(
                    Record.of(value, f"{name}: [{place}]" if own is None else f"{name}: question {short_name(own)}")
                )
            except DataError as error:
                self.bad.append(str(error))
                if own is not None:
                    self.broken.add(_original_of(own))

    def paired(self) -> Iterator[tuple[str, PublishedQuestion, tuple[PublishedQuestion, ...]]]:
        """The image, the original and the perturbed questions of each pair; others are added to ``bad``."""
        for pair in dict.fromkeys((*self.originals, *self.perturbed)):
            if pair in self.broken:
                continue  # its row is in ``bad`` already
            original, perturbed = self.originals.get(pair), self.perturbed.get(pair, {})
            wrong = _unpaired(pair, original, perturbed) or _contradiction(original, perturbed, self.file)
            if wrong:
                self.bad.append(f"{self.file.name}: {wrong}")
            elif original:
                yield self.images[pair], original, tuple(perturbed.values())

    def _add(self, record: Record) -> None:
        question_id, image = record.identity("question_id"), intern(record.identity("img_id"))
        found = _NUMBERS.fullmatch(question_id.removeprefix(f"{image}-"))
        # removeprefix alone would accept an id without the image.
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
    label = record.record("label")
    for answer in label.row:
        if not answer.strip():
            raise record.wrong("label", "answers that are not blank")
    scores = tuple(label.number(answer) for answer in label.row)
    if max(scores, default=0) <= 0 or min(scores) < 0:
        raise record.wrong("label", "scores from 0 up of one answer or more, one of them above 0")
    return tuple(label.row), scores


def _options(record: Record, answers: tuple[str, ...]) -> tuple[str, ...]:
    """Yes and no, or the choices of the text and the answers."""
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
    """The error of a question without a partner, or ""."""
    if original is None:
        return f"question {pair}-{next(iter(perturbed))}: Expected its original {pair} too, but there is none: add it"
    if not perturbed:
        return f"question {pair}: Expected its perturbed partner {pair}-SUFFIX too, but there is none: add it"
    return ""


def _contradiction(
    original: PublishedQuestion | None, perturbed: dict[str, PublishedQuestion], file: CaretsFile
) -> str:
    """The error of a pair whose right answers do not meet its test's demand, or ""."""
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
    """The first answer with the highest score."""
    return question.answers[question.scores.index(max(question.scores))]
