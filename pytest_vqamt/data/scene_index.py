"""Annotations in an index: opened at once however large they are, and any scene read by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict, cast

from pytest_vqamt.core.corpus import Corpus, Together
from pytest_vqamt.core.edits import Colour
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.data.graph_rows import scene_of_row
from pytest_vqamt.data.index_building import SceneReader, numbers_of
from pytest_vqamt.data.index_files import IndexFile

if TYPE_CHECKING:
    from PIL.Image import Image


class SceneIndex:
    """The annotations that a reader gives, without masks.

    The first use of large annotations reads them once, which takes minutes; later ones take a second or two.
    """

    def __init__(self, reader: SceneReader) -> None:
        """Raises DataError where a file is damaged, or no record can be used."""
        self._kind = reader.kind
        self._first_file = reader.files[0]
        self._file = IndexFile(reader)
        if not len(self):
            wrong = (
                f"each of {len(self._bad)} is broken, the first so: {self._bad[0]}" if self._bad else "there is none"
            )
            raise DataError(f"Expected {self._first_file} to have a record that can be used, but {wrong}")

    @property
    def bad_records(self) -> tuple[str, ...]:
        return self._bad

    @property
    def digest(self) -> str:
        return self._summary["digest"]

    def __len__(self) -> int:
        return self._summary["scenes"]

    def photo_ids(self) -> tuple[str, ...]:
        return tuple(self._photos["ids"])

    def photo_file(self, index: int) -> str:
        return self._photos["files"][index]

    def scene(self, index: int) -> Scene:
        photo_id = self._photos["ids"][index]
        scene = scene_of_row(self._file.row(index), f"the index of {self._first_file.parent}: photo {photo_id}")
        return replace(scene, photo=Photo(id=photo_id, digest=""))

    def mask(self, index: int, thing_id: str) -> Image:
        raise DataError(
            f"Expected a thing with a mask, but {self._kind} has boxes only "
            f"(photo={self._photos['ids'][index]!r}, thing={thing_id!r})"
        )

    def corpus(self, *, scene: Callable[[int], Scene], measure: Callable[[], Colour | None]) -> Corpus:
        kept = cast("_CorpusRow", self._file.fact("corpus"))
        named = self._file.fact("named")
        names = kept["names"]
        ranked = tuple(names[number] for number in kept["ranked"])
        return Corpus(
            scenes=len(self),
            names=ranked,
            frequency=MappingProxyType(dict(zip(ranked, kept["frequency"], strict=True))),
            together=Together(tuple(names[number] for number in numbers) for numbers in numbers_of(named)),
            exhaustive=frozenset(kept["exhaustive"]),
            plural=frozenset(names[number] for number in kept["plural"]),
            attributes=MappingProxyType(
                {name: tuple((attribute, n) for attribute, n in pairs) for name, pairs in kept["attributes"].items()}
            ),
            multi_coloured=frozenset(names[number] for number in kept["multi_coloured"]),
            cutouts=MappingProxyType({}),
            simplest_first=tuple(kept["simplest_first"]),
            scene=scene,
            measure=cache(measure),
        )

    @cached_property
    def _bad(self) -> tuple[str, ...]:
        return tuple(cast("list[str]", self._file.fact("bad")))

    @cached_property
    def _summary(self) -> _Summary:
        return cast("_Summary", self._file.fact("summary"))

    @cached_property
    def _photos(self) -> _Photos:
        return cast("_Photos", self._file.fact("photos"))


class _Summary(TypedDict):
    scenes: int
    digest: str


class _Photos(TypedDict):
    ids: list[str]
    files: list[str]


class _CorpusRow(TypedDict):
    """As ``index_building`` writes it."""

    names: list[str]
    ranked: list[int]
    frequency: list[int]
    exhaustive: list[str]
    plural: list[int]
    multi_coloured: list[int]
    attributes: dict[str, list[tuple[str, int]]]
    simplest_first: list[int]
