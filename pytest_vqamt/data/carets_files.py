"""What default.yml says of the published CARETS files: which tests there are, of which files, and where they lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.scene import Demand
from pytest_vqamt.data.json_io import text_of
from pytest_vqamt.data.messages import named, reason, shown_path
from pytest_vqamt.data.record_stream import plain_or_gzip
from pytest_vqamt.data.records import Record

if TYPE_CHECKING:
    from yaml import YAMLError


FILE = "default.yml"
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
"""What is expected of two answers, by the ``eval_type`` of the test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaretsFile:
    """A file of question pairs that is there, as default.yml names it.

    Attributes:
        test: the test that it belongs to.
        demand: what that expects of two answers.
    """

    name: str
    path: Path
    test: str
    demand: Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class CaretsFiles:
    """The files of a folder.

    Attributes:
        suite: the path of default.yml.
        files: those that it names and that are there, in its order.
        absent: the names of the others.
        photos: the folders in which the photos may lie, the likeliest first.
    """

    suite: Path
    files: tuple[CaretsFile, ...]
    absent: tuple[str, ...]
    photos: tuple[Path, ...]


def find(argument: str) -> CaretsFiles:
    """The files of ``carets:DIR``: as default.yml says, or flat beside it.

    Raises:
        OptionError: there is no such folder.
        DataError: it has no default.yml, that is not of the authors' form, or none of its files is there.
    """
    folder = Path(argument)
    if not argument or not folder.is_dir():
        raise OptionError(f"Expected --vqamt-data=carets:DIR, but got {argument!r}: there is no such folder")
    suite = folder / FILE
    if not suite.is_file():
        raise DataError(
            f"Expected {FILE} of the CARETS authors in {shown_path(folder)}, but there is none: fetch it too"
        )
    record = Record.of(_read_yaml(suite), str(suite))
    places = (folder / record.text("files_root", "."), folder)
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
            f"Expected the files that {shown_path(suite)} names, in {' or in '.join(map(shown_path, places))}, "
            f"but there is none (the first: {named(absent[0]) if absent else 'none is named'}): fetch them"
        )
    photos = (folder / record.text("images_root", "images"), folder / "images")
    return CaretsFiles(suite=suite, files=tuple(found), absent=tuple(absent), photos=photos)


def _named(suite: Record) -> list[tuple[str, str, Demand]]:
    """Each file that is named, with its test and what that expects."""
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
        import yaml  # no other file of ours is YAML
    except ImportError as error:
        raise DataError(f"Expected PyYAML to read {shown_path(path)}, but got: {error}; pip install pyyaml") from error
    try:
        value: object = yaml.safe_load(text_of(path.read_bytes(), str(path)))
    except OSError as error:
        raise DataError(f"Expected {shown_path(path)} to be readable, but got: {reason(error)}") from error
    except yaml.YAMLError as error:
        raise DataError(
            f"Expected {shown_path(path)} to be YAML, but it breaks off{_place(error)}: fetch it again"
        ) from error
    except RecursionError as error:
        raise DataError(f"Expected {shown_path(path)} to be YAML, but it is nested too deep: fetch it again") from error
    except ValueError as error:  # a date that is none
        raise DataError(f"Expected {shown_path(path)} to be YAML, but got: {reason(error)}: fetch it again") from error
    return value


def _place(error: YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    said = getattr(error, "problem", None) or type(error).__name__
    return f" at line {mark.line + 1}, column {mark.column + 1} ({said})" if mark else f" ({said})"
