"""Visual Genome: scene graphs of real photos by many annotators, of which none says what is absent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.index_building import Found
from pytest_vqamt.data.photo_folders import PhotoFolders
from pytest_vqamt.data.photo_io import PhotoFiles
from pytest_vqamt.data.picture_sizes import PictureSizes
from pytest_vqamt.data.record_stream import RecordStream, plain_or_gzip
from pytest_vqamt.data.records import Record
from pytest_vqamt.data.records_beside import RecordsBeside
from pytest_vqamt.data.scene_index import SceneIndex
from pytest_vqamt.data.visual_genome_scene import ImageRecords, image_id_of, scene_of

_PHOTOS = ("images", "VG_100K", "VG_100K_2", "images/VG_100K", "images/VG_100K_2")


def load(argument: str) -> AnnotatedPhotos:
    """The scenes of ``visual-genome:DIR``.

    Raises:
        OptionError: there is no such folder.
        DataError: a file is missing or damaged, or none of the records can be used.
    """
    folder = Path(argument)
    if not argument or not folder.is_dir():
        raise OptionError(f"Expected --vqamt-data=visual-genome:DIR, but got DIR={argument!r}: there is no such folder")
    files = Files.of(folder)
    photos = PhotoFolders.of(folder / name for name in _PHOTOS)
    annotations = SceneIndex(VisualGenomeReader(files, photos))
    return AnnotatedPhotos(
        spec=f"visual-genome:{argument}",
        description=f"Visual Genome, {len(annotations)} scene graphs of {files.graphs.name}{_lacking(files, photos)}",
        annotations=annotations,
        photos=PhotoFiles(photos.root) if photos else None,
        without=f"put them into {folder / _PHOTOS[0]}",
    )


def _lacking(files: Files, photos: PhotoFolders | None) -> str:
    if photos:
        return ""
    return ", without photos" if files.sizes else ", without photos; each picture taken to end with its farthest boxes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The annotation files of one folder.

    Attributes:
        graphs: scene_graphs.json, or objects.json where there is none.
        attributes, relationships: what goes with objects.json.
        sizes: image_data.json.
    """

    graphs: Path
    attributes: Path | None = None
    relationships: Path | None = None
    sizes: Path | None = None

    @classmethod
    def of(cls, folder: Path) -> Files:
        names = ("scene_graphs", "objects", "attributes", "relationships", "image_data")
        graphs, objects, attributes, relationships, sizes = (plain_or_gzip(folder / f"{name}.json") for name in names)
        if graphs:
            return cls(graphs=graphs, sizes=sizes)
        if objects:
            return cls(graphs=objects, attributes=attributes, relationships=relationships, sizes=sizes)
        raise DataError(
            f"Expected scene_graphs.json, or objects.json with attributes.json and relationships.json, in {folder}, "
            "but there is none: fetch one"
        )

    @property
    def is_whole(self) -> bool:
        """Whether each record of ``graphs`` has its attributes and relationships in it."""
        return self.graphs.name.startswith("scene_graphs")

    @property
    def all(self) -> tuple[Path, ...]:
        every = (self.graphs, self.attributes, self.relationships, self.sizes)
        return tuple(path for path in every if path is not None)


class VisualGenomeReader:
    """Reads scene graphs as Visual Genome publishes them, those with a photo where there are photos."""

    kind = "visual-genome"
    version = 2

    def __init__(self, files: Files, photos: PhotoFolders | None) -> None:
        self.files = files.all
        self.settings = photos.state if photos else ""
        self._files = files
        self._photos = photos

    def records(self, progress: Callable[[int], object]) -> Iterator[Found | str]:
        sizes = PictureSizes(self._files.sizes, self._photos.root if self._photos else None, image_id_of)
        yield from sizes.read(progress)
        path = self._files.graphs
        with (
            closing(RecordsBeside(self._files.attributes, image_id_of, progress)) as attributes,
            closing(RecordsBeside(self._files.relationships, image_id_of, progress)) as relationships,
        ):
            for place, value in enumerate(RecordStream(path, progress).items()):
                try:
                    record = Record.of(value, f"{path}: record {place}")
                    image_id = image_id_of(record)
                except DataError as error:
                    yield str(error)
                    continue
                record = Record(record.row, f"{path}: image {image_id}")
                records = ImageRecords(
                    id=image_id,
                    objects=record,
                    attributes=record if self._files.is_whole else attributes.take(image_id),
                    relationships=record if self._files.is_whole else relationships.take(image_id),
                )
                yield self._found(records, sizes)
            yield from attributes.left(path)
            yield from relationships.left(path)

    def _found(self, records: ImageRecords, sizes: PictureSizes) -> Found | str:
        try:
            name = f"{records.id}.jpg"
            photo_file = self._photos.file(name, records.objects.where) if self._photos else name
            scene = scene_of(records, partial(sizes.of, records.id, photo_file))
        except DataError as error:
            return str(error)
        return Found(scene=scene, photo_file=photo_file, path=self._files.graphs)
