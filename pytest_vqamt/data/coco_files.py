"""Where the files of a data set in COCO's form lie: the layouts met in the wild."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError

_ENDS = (".json", ".json.gz")
_TWO_PATHS = re.compile(r"(.+?\.json(?:\.gz)?):(.+)")
_FORMS = "coco:DIR or coco:INSTANCES.json:IMAGES"


@dataclass(frozen=True, slots=True, kw_only=True)
class CocoFiles:
    """The files that an argument names.

    Attributes:
        captions: the file beside ``instances`` that belongs to it, None where there is none.
        photos: the folders in which the photos may lie, the likeliest first.
    """

    instances: Path
    captions: Path | None
    photos: tuple[Path, ...]


def find(argument: str) -> CocoFiles:
    """The files of ``coco:DIR`` or ``coco:INSTANCES.json:IMAGES``.

    Raises:
        OptionError: the argument has neither form.
        DataError: something is not there, or there are several instances files and none is the one meant.
    """
    two = _TWO_PATHS.fullmatch(argument)
    if two:
        instances, photos = Path(two[1]), Path(two[2])
        if not instances.is_file():
            raise DataError(f"Expected an instances file, but got instances={two[1]!r}: there is no such file")
        return CocoFiles(instances=instances, captions=captions_beside(instances), photos=(photos,))
    if not argument or argument.endswith(_ENDS):
        raise OptionError(f"Expected --vqamt-data={_FORMS}, but got data={'coco:' + argument!r}: name the photos too")
    folder = Path(argument)
    if not folder.is_dir():
        raise DataError(f"Expected a folder, but got folder={argument!r} of {_FORMS}: there is no such folder")
    found = instances_in(folder)
    if not found:
        raise DataError(
            f"Expected annotations/instances_*.json or instances.json in {argument!r}, but there is neither: "
            "name the file with coco:INSTANCES.json:IMAGES"
        )
    if len(found) > 1:
        raise DataError(
            f"Expected one instances file in {argument!r}, but got {listed(folder, found)}: "
            "name one with coco:INSTANCES.json:IMAGES"
        )
    instances = found[0]
    photos_in = photo_folders(folder, split_of(instances))
    return CocoFiles(instances=instances, captions=captions_beside(instances), photos=photos_in)


def instances_in(folder: Path, split: str = "") -> list[Path]:
    """The instances files in ``folder`` and its folder ``annotations``.

    Of several just the one of ``split``, else just the one of which there is a folder of photos, else all.
    """
    found = files_of((folder, folder / "annotations"), re.compile(r"instances(_.+)?"))
    of_split = [file for file in found if split and split_of(file) == split]
    with_photos = [file for file in found if has_photo_folder(folder, split_of(file))]
    return next((choice for choice in (of_split, with_photos) if len(choice) == 1), found)


def has_photo_folder(folder: Path, split: str) -> bool:
    """Whether ``folder`` has a folder of just the photos of ``split``."""
    return bool(split) and ((folder / split).is_dir() or (folder / "images" / split).is_dir())


def files_of(folders: Iterable[Path], stem: re.Pattern[str]) -> list[Path]:
    """The JSON files in ``folders`` of such a name, in order; one that lies there compressed too comes once, plain."""
    found = [file for folder in folders if folder.is_dir() for file in _in(folder)]
    named = [file for file in found if file.name.endswith(_ENDS) and stem.fullmatch(file.name.partition(".json")[0])]
    return [file for file in named if file.suffix != ".gz" or file.with_suffix("") not in named]


def split_of(instances: Path) -> str:
    """The "val2017" of "instances_val2017.json"; "" where there is none.

    >>> split_of(Path("annotations/instances_val2017.json.gz"))
    'val2017'
    """
    return instances.name.partition(".json")[0].removeprefix("instances").removeprefix("_")


def captions_beside(instances: Path) -> Path | None:
    """``captions_val2017.json`` beside ``instances_val2017.json``, else ``captions.json``; None where neither is."""
    split = split_of(instances) if instances.name.startswith("instances") else ""
    for stem in dict.fromkeys((f"captions_{split}" if split else "captions", "captions")):
        for end in _ENDS:
            file = instances.with_name(stem + end)
            if file.is_file():
                return file
    return None


def photo_folders(folder: Path, *splits: str) -> tuple[Path, ...]:
    """The folders in which photos of ``splits`` may lie, those that are there; the likeliest first, ``folder`` last."""
    named = [place / split for split in splits if split for place in (folder, folder / "images")]
    return tuple(dict.fromkeys(each for each in (*named, folder / "images", folder) if each.is_dir()))


def listed(folder: Path, files: Iterable[Path]) -> str:
    """The files as a message names them."""
    return ", ".join(file.relative_to(folder).as_posix() for file in files)


def _in(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise DataError(f"Expected a folder that can be read, but got folder={str(folder)!r}: {error}") from error
