"""A folder of users' own photos with the scene graphs of what is in them."""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.graphs import open_graphs
from pytest_vqamt.data.showing import reason, shown_path

FILE = "graphs.jsonl"


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``photos:DIR``: what the file ``graphs.jsonl`` in the folder says of the photos there.

    Raises:
        OptionError: no folder is named.
        DataError: there is no such folder, it has no such file, or no record can be used.
    """
    if not argument:
        raise OptionError("Expected --vqamt-data=photos:DIR, but got no folder")
    folder = Path(argument)
    try:
        why = "" if folder.is_dir() else "there is no such folder"
        has_file = not why and (folder / FILE).is_file()
    except OSError as error:
        why, has_file = f"it cannot be read ({reason(error)})", False
    if why:
        raise DataError(f"Expected a folder of photos, but got photos={shown_path(argument)}: {why}")
    if not has_file:
        raise DataError(
            f"Expected {FILE} beside the photos, but {shown_path(argument)} has none: photos alone say nothing of what "
            f"is in them, and this version has no object detectors to find out. Write {FILE}, one scene a line "
            "(docs/graphs.md)"
        )
    return open_graphs(f"photos:{argument}", folder / FILE, folder)
