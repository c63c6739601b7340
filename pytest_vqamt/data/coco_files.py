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
    instances_file = find_instances(folder)
    if instances_file is None:
        raise DataError(
            f"Expected annotations/instances_*.json or instances.json in {argument!r}, but there is neither: "
            "name the file with coco:INSTANCES.json:IMAGES"
        )
    photos_in = photo_folders(folder, split_of(instances_file))
    return CocoFiles(instances=instances_file, captions=captions_beside(instances_file), photos=photos_in)


def find_instances(folder: Path, split: str = "") -> Path | None:
    """The one instances file in ``folder`` or its folder ``annotations``, None where there is none.

    Of several it is that of ``split``, else the only one of which there is a folder of photos.

    Raises:
        DataError: there are several, and none of them stands out.
    """
    found = files_of((folder, folder / "annotations"), re.compile(r"instances(_.+)?"))
    of_split = [file for file in found if split and split_of(file) == split]
    with_photos = [
        file for file in found if (folder / split_of(file)).is_dir() or (folder / "images" / split_of(file)).is_dir()
    ]
    for choice in (found, of_split, [file for file in with_photos if split_of(file)]):
        if len(choice) == 1:
            return choice[0]
    if not found:
        return None
    raise DataError(
        f"Expected one instances file in {str(folder)!r}, but got {', '.join(_within(folder, found))}: "
        "name one with coco:INSTANCES.json:IMAGES"
    )


def files_of(folders: Iterable[Path], stem: re.Pattern[str]) -> list[Path]:
    """The JSON files in ``folders`` of such a name, in order; one that lies there compressed too comes once, plain."""
    found = (file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir()))
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


def _within(folder: Path, files: Iterable[Path]) -> list[str]:
    return [file.relative_to(folder).as_posix() for file in files]
