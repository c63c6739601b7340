"""Finds, downloads and loads the region detector."""

from __future__ import annotations

import os
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit
from urllib.request import urlopen

from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.errors import ModelError, cache_home
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.input_files import expanded, read_text
from pytest_vqamt.core.progress_bar import progress_bar
from pytest_vqamt.core.spelling import setting
from pytest_vqamt.models.protocol import ModelOptions

if TYPE_CHECKING:
    from pytest_vqamt.models.region_models.frcnn.detector import FrcnnDetector


DETECTOR_VARIABLE = "VQAMT_DETECTOR"
"""The environment variable with the detector's folder or file."""

_DEAD_HOSTS = ("cdn.huggingface.co", "nlp.cs.unc.edu")
"""Hosts in published instructions that no longer have the files."""
CONFIG = "config.yaml"
WEIGHTS = "pytorch_model.bin"
_FORM = f"a folder with {CONFIG} and {WEIGHTS}, or a file of weights (.bin, .safetensors, .pkl)"

ADDRESS = "https://s3.amazonaws.com/models.huggingface.co/bert/unc-nlp/frcnn-vg-finetuned"
"""The last known address of the authors' files: the hub's earlier storage."""

_TIMEOUT_S = 30.0
_BLOCK = 1 << 20

_DETECTRON = "faster_rcnn_from_caffe_attr.pkl"
"""Detectron2's form of the same weights, under its published name."""

_WEIGHT_FILES = (WEIGHTS, "model.safetensors", _DETECTRON)

_SUFFIXES = (".bin", ".pth", ".pt", ".safetensors", ".pkl")


def load_detector(
    options: ModelOptions, model_folder: Path | None = None, *, with_names: bool = False
) -> FrcnnDetector:
    """The detector that ``find_detector`` finds; ``with_names`` requires names of classes.

    Raises:
        ModelError: there is none, or it is damaged or incomplete.
        OptionError: a setting is invalid.
    """
    files = find_detector(model_folder, options)
    # LXMERT and VisualBERT need features alone; to annotate photos the names are all that counts.
    if with_names and files.vocabulary is None:
        raise ModelError(
            f"Expected objects_vocab.txt and attributes_vocab.txt beside {files.weights}, but neither is there: take "
            "them from demo/data/genome/1600-400-20 of airsplay/py-bottom-up-attention, or name their folder: "
            f"{setting('vocabulary', 'FOLDER')}"
        )
    from pytest_vqamt.models.region_models.frcnn.detector import FrcnnDetector
    from pytest_vqamt.models.transformers.runtime import Runtime

    return FrcnnDetector(files, Runtime.of(options, dtype="float32"), options.settings)


def find_detector(model_folder: Path | None, options: ModelOptions) -> DetectorFiles:
    """The user's detector, or the first one found.

    Searched are the setting ``detector``, the environment variable, ``model_folder``, and the user's cache. It is
    downloaded only for ``detector=download``.

    Raises:
        ModelError: there is none.
    """
    found = _resolve_files(model_folder, options.settings.get("detector", ""))
    named = options.settings.get("vocabulary")
    if named is None:
        return found
    return DetectorFiles(weights=found.weights, config=found.config, vocabulary=expanded(named))


def is_detector_here(model_folder: Path | None) -> bool:
    """True if a detector would be found without a setting."""
    return bool(os.environ.get(DETECTOR_VARIABLE)) or _unnamed(model_folder) is not None


def _unnamed(model_folder: Path | None) -> DetectorFiles | None:
    return (files_beside(model_folder) if model_folder is not None else None) or files_at(_cache_folder())


def _resolve_files(model_folder: Path | None, given: str) -> DetectorFiles:
    # The order of the documentation: what the user named, the environment, then what is found without a word.
    if given == "download":
        return _downloaded()
    if given:
        return _files_named(given, setting("detector"))
    if os.environ.get(DETECTOR_VARIABLE):
        return _files_named(os.environ[DETECTOR_VARIABLE], DETECTOR_VARIABLE)
    found = _unnamed(model_folder)
    if found is None:
        looked = f"{model_folder / 'detector'}, {model_folder}, " if model_folder is not None else ""
        raise ModelError(
            f"Expected a region detector, but found none in {looked}{_cache_folder()}: give "
            f"{setting('detector', 'PATH')} or {DETECTOR_VARIABLE}=PATH ({_FORM}), or "
            f"{setting('detector', 'download')} to fetch it (262 MB) from {ADDRESS}; it is no longer at "
            f"{' or '.join(_DEAD_HOSTS)}, and not a repository of the hub"
        )
    return found


def _files_named(given: str, where: str) -> DetectorFiles:
    address = urlsplit(given)
    # Instructions for LXMERT name addresses, and nothing is fetched that the user did not ask for by name.
    if address.scheme in ("http", "https"):
        gone = f"{address.hostname} no longer has it: " if address.hostname in _DEAD_HOSTS else ""
        raise ModelError(
            f"Expected a path in {where}, but got {given!r}; {gone}nothing is fetched but by "
            f"{setting('detector', 'download')}, from {ADDRESS}. Or fetch it yourself and give {_FORM}"
        )
    found = files_at(expanded(given))
    if found is None:
        raise ModelError(
            f"Expected {where} to be {_FORM}, or download, but got {given!r}: "
            f"{'no weights are there' if expanded(given).exists() else 'there is no such path'}"
        )
    return found


def _downloaded() -> DetectorFiles:
    folder = _cache_folder()
    if files_at(folder) is None:
        download_detector(folder, ADDRESS)
    found = files_at(folder)
    assert found is not None
    return found


def _cache_folder() -> Path:
    """The folder in the user's cache, under the same root as all other caches."""
    return cache_home() / "detector"


def download_detector(folder: Path, address: str) -> None:
    """Downloads missing files of the detector into ``folder``, in one process at a time.

    Files are renamed when complete: an interrupted download starts anew.

    Raises:
        ModelError: they cannot be downloaded or written.
    """
    from filelock import FileLock

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            for name in (CONFIG, WEIGHTS):  # the weights last: where they are, all is there
                if not (folder / name).is_file():
                    _download(f"{address}/{name}", folder / name)
    except (OSError, HTTPException) as error:
        raise ModelError(
            f"Expected to fetch the region detector from {address} into {folder}, but got: {error}. Fetch {CONFIG} and "
            f"{WEIGHTS} by other means, and name their folder: {setting('detector', 'FOLDER')}"
        ) from error


def _download(address: str, file: Path) -> None:
    with (
        replacing(file) as part,
        cast("HTTPResponse", urlopen(address, timeout=_TIMEOUT_S)) as response,
        part.open("wb") as opened,
    ):
        # None where the server does not say it.
        expected = response.length
        with progress_bar(f"fetching {file.name}", expected, "B") as progress:
            while block := response.read(_BLOCK):
                opened.write(block)
                progress(len(block))
        if expected is not None and opened.tell() != expected:
            raise OSError(f"{opened.tell()} of the {expected} bytes of {file.name}, and then no more")


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorFiles:
    """The files of one detector."""

    weights: Path
    """A .bin, .pth, .pt, .safetensors or .pkl."""
    config: Path | None = None
    """A config.yaml; None for the published settings."""
    vocabulary: Path | None = None
    """The folder of the names of classes and attributes; None where there are none: LXMERT needs no names."""


def files_at(path: Path) -> DetectorFiles | None:
    """The detector in a folder, or with this file of weights; None where there is none."""
    if path.is_dir():
        # A folder may hold several forms of the same weights; the first one is taken.
        path = next((path / name for name in _WEIGHT_FILES if (path / name).is_file()), path)
    if path.suffix not in _SUFFIXES or not path.is_file():
        return None
    folder = path.parent
    # One of the two files is enough: reading the other one then says what is missing.
    has_names = any((folder / name).is_file() for name in (OBJECTS, ATTRIBUTES))
    return DetectorFiles(
        weights=path,
        config=folder / CONFIG if (folder / CONFIG).is_file() else None,
        vocabulary=folder if has_names else None,
    )


def files_beside(folder: Path) -> DetectorFiles | None:
    """The detector among a model's files: in the subfolder ``detector``, or beside them.

    The model's own weights may have the same name. So ``pytorch_model.bin`` is taken for the detector's only beside its
    ``config.yaml``, and where the model has ``model.safetensors`` or there is no model.
    """
    found = files_at(folder / "detector")
    if found is not None:
        return found
    has_another = (folder / "model.safetensors").is_file() or not (folder / "config.json").is_file()
    if (folder / CONFIG).is_file() and has_another:
        return files_at(folder / WEIGHTS)
    return files_at(folder / _DETECTRON)


OBJECTS, ATTRIBUTES = "objects_vocab.txt", "attributes_vocab.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Names by class and by attribute, from 0; several may share one."""

    objects: tuple[str, ...]
    """1,600 in the published vocabulary."""
    attributes: tuple[str, ...]
    """400 in the published vocabulary."""

    @property
    def digest(self) -> str:
        return digest(*self.objects, "", *self.attributes)


def read_vocabulary(folder: Path, *, classes: int, attributes: int) -> Vocabulary:
    """The names in the two files of ``folder``, for so many classes and attributes.

    Raises:
        ModelError: a file is missing, or is not of this detector.
    """
    return Vocabulary(
        objects=_read_names(folder / OBJECTS, classes, "classes"),
        attributes=_read_names(folder / ATTRIBUTES, attributes, "attributes"),
    )


def _read_names(path: Path, count: int, what: str) -> tuple[str, ...]:
    """One name a line: the first of synonyms, in lower case."""
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise ModelError(
            f"Expected the names of the detector's {what} in {path}, but got: {error}; the files that belong to it are "
            "demo/data/genome/1600-400-20 of airsplay/py-bottom-up-attention"
        ) from error
    # A line has synonyms: "stop sign,stopsign".
    names = tuple(line.partition(",")[0].strip().lower() for line in lines)
    if len(names) != count:
        raise ModelError(
            f"Expected {count} lines in {path}, one for each of the detector's {what}, but got {len(names)}"
        )
    if "" in names:
        raise ModelError(f"Expected a name in each line of {path}, but line {names.index('') + 1} has none")
    return names
