"""Which photos lie in the folders of a data set, listed once: a hundred thousand single looks would take long."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotoFolders:
    """The photos of some folders together; where two have a photo of one name, the first folder's.

    Attributes:
        root: the nearest folder that holds all of them, links followed.
        files: the file of each photo relative to ``root``, with forward slashes, by its name alone.
        state: changes whenever a photo comes, goes, or is replaced.
    """

    root: Path
    files: Mapping[str, str] = field(repr=False)
    state: str

    @classmethod
    def of(cls, folders: Iterable[Path]) -> PhotoFolders | None:
        """The photos in those of ``folders`` that are there; None where none is."""
        there = list(dict.fromkeys(folder.resolve() for folder in folders if folder.is_dir()))
        if not there:
            return None
        root = Path(os.path.commonpath(there))
        files: dict[str, str] = {}
        stats: list[str] = []
        for folder in there:
            start = "" if folder == root else f"{folder.relative_to(root).as_posix()}/"
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.endswith(".jpg") and entry.name not in files:
                        try:
                            stat = entry.stat()
                        except OSError:
                            continue  # a link that leads nowhere: who names it is told that there is no such photo
                        files[entry.name] = start + entry.name
                        stats.append(f"{entry.name} {stat.st_size} {stat.st_mtime_ns}")
        return cls(root=root, files=files, state=digest(str(root), *sorted(stats)))

    def file(self, name: str, where: str) -> str:
        """The file of the photo of this name, relative to ``root``.

        Raises:
            DataError: there is none; the text begins with ``where``, the record that names the photo.
        """
        if name not in self.files:
            raise DataError(f"{where}: Expected its photo in {self.root}, but there is no {name!r}: add it")
        return self.files[name]
