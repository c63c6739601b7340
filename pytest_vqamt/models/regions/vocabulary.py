"""What the detector's classes and attributes are called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest

OBJECTS, ATTRIBUTES = "objects_vocab.txt", "attributes_vocab.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Names by class and by attribute, counted from 0; several may share one."""

    objects: tuple[str, ...]
    attributes: tuple[str, ...]

    @property
    def digest(self) -> str:
        return digest(*self.objects, "", *self.attributes)


def read_vocabulary(folder: Path, *, classes: int, attributes: int) -> Vocabulary:
    """The names in the two files of ``folder``, for a detector of so many classes and attributes.

    Raises:
        ModelError: a file is missing, or is not of this detector.
    """
    return Vocabulary(
        objects=_names(folder / OBJECTS, classes, "classes"),
        attributes=_names(folder / ATTRIBUTES, attributes, "attributes"),
    )


def _names(path: Path, count: int, what: str) -> tuple[str, ...]:
    """One name a line: the first of synonyms, in lower case."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(
            f"Expected the names of the detector's {what} in {path}, but got: {error}; the files that belong to it are "
            "demo/data/genome/1600-400-20 of airsplay/py-bottom-up-attention"
        ) from error
    names = tuple(line.partition(",")[0].strip().lower() for line in lines)
    if len(names) != count:
        raise ModelError(
            f"Expected {count} lines in {path}, one for each of the detector's {what}, but got {len(names)}"
        )
    if "" in names:
        raise ModelError(f"Expected a name in each line of {path}, but line {names.index('') + 1} has none")
    return names
