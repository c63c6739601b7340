"""A replica of the served model: gathers chunks into full batches, preprocesses them, and runs the model."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.conversation import Ability, Turn
from pytest_vqamt.core.edits import MAX_PIXELS, Beside, Cutout, Edit, Erase, Fill, Insert, edit_from_row
from pytest_vqamt.core.errors import DataError, ModelError, VqamtError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Failure, ModelInput, Query, Task
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import ConversationSource, SceneSource
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.execution.prefetch import RenderPrefetcher
from pytest_vqamt.imaging.inpainting import KINDS, LAMA, checkpoint_of, method_of
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.lost_device import DeviceLostError
from pytest_vqamt.models.served.answer_requests import PictureRow, PngRow, QueryRow
from pytest_vqamt.models.served.wire_format import MAX_WORK, PixelsNeeded, QueryResult, ServedData
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.serving.config import ServeConfig

if TYPE_CHECKING:
    from PIL.Image import Image


Renderer: TypeAlias = "Callable[[Picture], Image]"
"""Draws a picture, RGB uint8."""
ResolvedPicture: TypeAlias = "tuple[Picture, Renderer]"
"""A picture with what draws it."""

ResolvedQuery: TypeAlias = "tuple[QueryRow, Mapping[int, ResolvedPicture] | QueryResult]"
"""A query with its pictures, by their indices in the chunk, or with the reason why it has none."""

_ORIENTATION = 0x0112
"""EXIF's tag of the orientation."""

_MAX_PIXELS_AT_ONCE = 200_000_000
"""Of the pictures of one batch: 0.8 GB, at four bytes a pixel."""


def check_edit(row: Json) -> Edit:
    """The edit of a recipe, if its values are within bounds and its inpainter is available here.

    Raises:
        DataError: it is no such edit.
        RenderError: the server was not given the checkpoint of its inpainter.
    """
    edit = edit_from_row(row)
    if isinstance(edit, Erase) and edit.fill is Fill.INPAINT:
        kind, _, rest = edit.method.partition(":")
        # A recipe names a checkpoint by its digest, and only the one that the server was started with is loaded: no
        # path of a client's is opened.
        if kind == LAMA:
            checkpoint_of(rest)
        elif edit.method not in KINDS:
            raise DataError(f"Expected an inpainter ({', '.join(KINDS)}), but got method={edit.method!r}")
    return edit


def check_picture(picture: Picture) -> None:
    """Raises DataError if the picture is empty or too large."""
    width, height = picture.scene.width, picture.scene.height
    if not (width > 0 and height > 0 and width * height <= MAX_PIXELS):
        raise DataError(f"Expected a picture of 1 to {MAX_PIXELS} pixels, but the recipe gives {width} x {height}")


class PictureResolver:
    """Resolves the pictures of requests in the served data. No file is opened that is not part of that data.

    Without ``draws`` the model looks at no pixels, and no picture takes too long.
    """

    def __init__(self, sources: Sequence[SceneSource], batch_size: int, *, draws: bool = True) -> None:
        self._draws = draws
        self._sources = tuple((source, RenderPrefetcher(source, batch_size)) for source in sources)

    def resolve(self, row: PictureRow) -> ResolvedPicture | Failure | PixelsNeeded:
        """The picture that a row of a request describes, or the reason why there is none."""
        try:
            if isinstance(row, PngRow):
                file = PngPicture(row)
                return file.picture, file.image
            return self._resolve(row.row)
        except VqamtError as error:
            return Failure(reason=str(error))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A recipe may hold values of any type; the client is at fault.
            return Failure(reason=f"Expected a picture that can be rendered, but got {type(error).__name__}: {error}")

    def expect(self, pictures: Sequence[ResolvedPicture], batch_size: int) -> None:
        """Prefetches the next pictures, in order."""
        for _, prefetcher in self._sources:
            prefetcher.expect([picture for picture, render in pictures if render == prefetcher.image], batch_size)

    def close(self) -> None:
        for _, prefetcher in self._sources:
            prefetcher.close()

    def _resolve(self, row: dict[str, Json]) -> ResolvedPicture | PixelsNeeded:
        photo, digest = str(row["photo"]), row["digest"]
        edits = [check_edit(each) for each in cast("list[Json]", row["edits"])]
        for source, prefetcher in self._sources:
            scene = _scene(source, photo)
            # Another source may have it.
            if scene is None:
                continue
            picture = _edited(scene, edits, source)
            # Drawing blocks the thread that preprocesses for everyone.
            if picture.digest == digest and self._draws and picture.work > MAX_WORK:
                return PixelsNeeded(
                    reason="Expected a picture that is drawn within seconds, but "
                    f"{count_noun(len(edits), 'edit')} of the recipe may take more: send its pixels "
                    "(--vqamt-option send=png)"
                )
            if picture.digest == digest:
                return picture, prefetcher.image
        served = ", ".join(source.spec for source, _ in self._sources) or "no data"
        return PixelsNeeded(reason=f"Expected a picture of what is served ({served}), but got photo={photo[:200]!r}")


def _scene(source: SceneSource, photo_id: str) -> Scene | None:
    """The scene of a photo; None if the source has no such photo."""
    try:
        beside = source.beside(photo_id) if isinstance(source, ConversationSource) else None
        place = source.place(photo_id) if beside is None else 0
    except (DataError, LookupError, ValueError):
        return None
    return source.scene(place) if beside is None else beside


def _edited(scene: Scene, edits: Sequence[Edit], source: SceneSource) -> Picture:
    """Edits the photo of the scene, and checks each step before the next."""
    picture = scene.picture
    for edit in edits:
        # These two bring in a second photo, which must be of the served data as well.
        if isinstance(edit, Insert):
            _check_cutout(source, edit.cutout)
        if isinstance(edit, Beside):
            _check_second(source, edit.second)
        picture = picture.edit(edit)
        check_picture(picture)
    return picture


def _check_cutout(source: SceneSource, cutout: Cutout) -> None:
    """Raises DataError unless the source has the cut-out's photo, and the photo its object."""
    scene = _scene(source, cutout.photo.id)
    if scene is None or scene.photo != cutout.photo:
        raise DataError(f"Expected a cut-out of a photo of {source.spec}, but got photo={cutout.photo.id[:200]!r}")
    if all(thing.id != cutout.thing.id for thing in scene.objects):
        raise DataError(
            f"Expected a cut-out of a thing of photo {cutout.photo.id!r}, but got {cutout.thing.id[:200]!r}"
        )


def _check_second(source: SceneSource, second: Scene) -> None:
    """Raises DataError unless the source has the photo of the second picture, of the same size."""
    scene = _scene(source, second.photo.id)
    if scene is None or (scene.photo, scene.width, scene.height) != (second.photo, second.width, second.height):
        raise DataError(f"Expected a second picture of {source.spec}, but got photo={second.photo.id[:200]!r}")


class PngPicture:
    """A PNG file, decoded when it is first rendered.

    Attributes:
        picture: a picture without annotations.
    """

    def __init__(self, row: PngRow) -> None:
        """Reads the header alone, and raises DataError if it is no PNG file, or too large."""
        self._row = row
        # The header alone says the size: a small file may unpack to gigabytes.
        with _opened(row) as image:
            self._orientation = _orientation_of(image)
            width, height = image.size if self._orientation < 5 else image.size[::-1]
        if width * height > MAX_PIXELS:
            raise DataError(f"Expected a picture of at most {MAX_PIXELS} pixels, but got {width} x {height}")
        photo = Photo(id=f"png-{row.key}", digest=row.key)
        self.picture = Picture(photo=photo, scene=Scene(id=photo.id, photo=photo, width=width, height=height))
        self._image: Image | None = None

    def image(self, _picture: Picture) -> Image:
        """Returns a copy of the pixels, RGB uint8, or raises DataError if the file is broken."""
        if self._image is None:
            from PIL import ImageOps

            with _opened(self._row) as image:
                turned = image if self._orientation == 1 else ImageOps.exif_transpose(image)
                self._image = turned.convert("RGB")
        # A model may write into the image that it is given.
        return self._image.copy()


def _orientation_of(image: Image) -> int:
    """The orientation by the EXIF in the header, from 1 (upright) to 8; from 5 on width and height are exchanged."""
    # Where the header has none, ``getexif`` would decode the whole file to look behind the pixels.
    if "exif" not in image.info:
        return 1
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # Pillow's reader raises any exception on broken EXIF
        return 1
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


@contextmanager
def _opened(row: PngRow) -> Iterator[Image]:
    """Opens the file and reads its header. No other format is tried."""
    from PIL import Image

    try:
        with Image.open(BytesIO(row.png), formats=["PNG"]) as image:
            yield image
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"Expected a PNG file that can be read, but got {len(row.png)} bytes: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """At most a batch of queries of one task, and their pictures."""

    task: Task
    pictures: tuple[PictureRow, ...]
    """Those of the queries alone, each once."""
    queries: tuple[QueryRow, ...]
    """Sorted by picture; ``QueryRow.pictures`` are indices into ``pictures``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkResult:
    """The result of a chunk."""

    answers: tuple[QueryResult, ...]
    """One for each query."""
    disabled: str = ""
    """Why the model is disabled; "" if it is not."""
    busy_s: float = 0.0
    """How long the model had the batch, in the batch's first chunk; 0 in its others."""
    batch_size: int = 1
    """The model's batch size from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaInfo:
    """The description of a replica's model and data."""

    error: str = ""
    """Why there is no model, in one line; "" if there is one."""
    tasks: tuple[Task, ...] = ()
    """What the model is tested on; empty without a model."""
    fingerprint: str = ""
    """Part of the key of cached answers."""
    persistent: bool = False
    """True if the model declares its fingerprint."""
    switches_reasoning: bool = False
    """True if its reasoning can be switched on and off."""
    takes: tuple[Ability, ...] = ()
    """What it takes beside one picture and one text."""
    batch_size: int = 1
    """The model's batch size at the start."""
    data: tuple[ServedData, ...] = ()
    """The scene sources that recipes may name."""


class _Batched(Protocol):
    """A method decorated by ``serve.batch``: callers pass one chunk, and the method gets a list of chunks."""

    async def __call__(self, chunk: Chunk) -> ChunkResult: ...

    def set_max_batch_size(self, new_max_batch_size: int) -> None: ...


class Replica:
    """One replica. Ray Serve makes it, calls its methods from one event loop, and replaces it when it dies."""

    def __init__(self, config: ServeConfig) -> None:
        if not config.cluster:
            listen_on_loopback_only()
        self._error = ""
        self._was_called_without_model = False
        try:
            self._load(config)
        except VqamtError as error:
            self._error = str(error)  # returned as a value: Ray would retry an exception, and report it at length

    def info(self) -> ReplicaInfo:
        """Describes the model and the data."""
        if self._error:
            return ReplicaInfo(error=self._error)
        return ReplicaInfo(
            tasks=self._model.tasks,
            fingerprint=self._model.fingerprint,
            persistent=self._model.persistent,
            switches_reasoning=self._model.switches_reasoning,
            takes=tuple(ability for ability in Ability if ability in self._model.takes),
            batch_size=self._model.batch_size,
            data=self._data,
        )

    def check_health(self) -> None:
        """Makes Ray, which calls this regularly, replace a replica that got queries but has no model.

        Not before it got queries: the first replicas report their error in ``info``, and must not be replaced.
        """
        if self._was_called_without_model:
            raise ModelError(self._error)

    async def run(self, chunk: Chunk) -> ChunkResult:
        """Runs the model on a chunk, in a batch with other chunks."""
        if self._error:
            self._was_called_without_model = True
            raise ModelError(self._error)
        return await self._batched(chunk)

    def _load(self, config: ServeConfig) -> None:
        from ray import serve

        if config.inpaint:
            method_of(config.inpaint)
        self._model: LoadedModel = ModelCatalogue().load(config.model, config.model_options)
        self._bisector = BatchBisector(self._model)
        loaded = [sources.load(spec, allow_bad_records=True) for spec in config.data]  # no recipe is of a bad record
        self._model.meet(loaded)
        batches_at_once = self._model.batches_at_once
        self._preprocessing = ThreadPoolExecutor(1, thread_name_prefix="vqamt-prepare")
        self._inference = ThreadPoolExecutor(batches_at_once, thread_name_prefix="vqamt-infer")
        self._resolver = PictureResolver(loaded, self._model.batch_size, draws=not config.needs_scenes)
        self._data = tuple(ServedData(spec=source.spec, digest=source.digest) for source in loaded)
        batch = serve.batch(
            max_batch_size=self._model.batch_size,
            batch_wait_timeout_s=config.wait_ms / 1000,
            max_concurrent_batches=batches_at_once + 1,  # one more is preprocessed meanwhile
            batch_size_fn=self._query_count,
        )
        self._batched = cast("_Batched", batch(self._run_chunks))

    def _query_count(self, chunks: Sequence[Chunk]) -> int:
        """Counts queries. A single chunk always fits, though the batch size may have shrunk since it was made."""
        count = sum(len(chunk.queries) for chunk in chunks)
        return count if len(chunks) > 1 else min(count, self._model.batch_size)

    async def _run_chunks(self, chunks: list[Chunk]) -> list[ChunkResult]:
        loop = asyncio.get_running_loop()
        answers: list[list[QueryResult]] = [[] for _ in chunks]
        disabled, busy_s = "", 0.0
        # Chunks of several tasks come together, and a model answers one task at a time.
        for task in dict.fromkeys(chunk.task for chunk in chunks):
            places = [place for place, chunk in enumerate(chunks) if chunk.task is task]
            queries = await loop.run_in_executor(self._preprocessing, self._resolve, [chunks[i] for i in places])
            of_places = iter([place for place in places for _ in chunks[place].queries])
            while queries:
                # Large pictures go in parts of the batch.
                some = queries[: fitting_count(queries)]
                del queries[: len(some)]  # and with them their decoded pictures
                inputs = await loop.run_in_executor(self._preprocessing, self._preprocess, task, some)
                outcome, took_s = await loop.run_in_executor(self._inference, self._timed_infer, task, inputs)
                busy_s += took_s
                if isinstance(outcome, str):
                    disabled = outcome
                    outcome = [Failure(reason=disabled)] * len(some)
                for answer in outcome:
                    answers[next(of_places)].append(answer)
        size = self._model.batch_size
        # The model may have grown its batches, or run out of memory.
        self._batched.set_max_batch_size(size)
        return [
            ChunkResult(answers=tuple(each), disabled=disabled, busy_s=0.0 if place else busy_s, batch_size=size)
            for place, each in enumerate(answers)
        ]

    def _resolve(self, chunks: Sequence[Chunk]) -> list[ResolvedQuery]:
        found: list[ResolvedQuery] = []
        for chunk in chunks:
            pictures = [self._resolver.resolve(row) for row in chunk.pictures]
            found += [(row, _own_pictures(row, pictures)) for row in chunk.queries]
        return found

    def _preprocess(self, task: Task, queries: Sequence[ResolvedQuery]) -> list[ModelInput | QueryResult]:
        """Makes and preprocesses the inputs, in order; where one cannot be made, the reason is in its place."""
        pictures = [picture for _, own in queries if isinstance(own, Mapping) for picture in own.values()]
        self._resolver.expect(pictures, self._model.batch_size)
        made = [_input(row, own) for row, own in queries]
        if inputs := [each for each in made if isinstance(each, ModelInput)]:
            self._model.prepare(task, inputs)
        return made

    def _timed_infer(
        self, task: Task, made: Sequence[ModelInput | QueryResult]
    ) -> tuple[list[QueryResult] | str, float]:
        began = time.monotonic()
        return self._infer(task, made), time.monotonic() - began

    def _infer(self, task: Task, made: Sequence[ModelInput | QueryResult]) -> list[QueryResult] | str:
        """Runs the model: the answers in order, or the reason why the model is disabled."""
        inputs = [each for each in made if isinstance(each, ModelInput)]
        answers: Iterator[QueryResult]
        try:
            answers = iter([answer for batch in self._batches_of(inputs) for answer in self._bisector.run(task, batch)])
        except DeviceLostError as error:
            # Ray replaces a replica that ends, and ``Failover`` sends its queries elsewhere; one that stayed would
            # answer faster than all others, with errors.
            print(f"vqamt: {error}: this replica ends, and another takes its place", file=sys.stderr, flush=True)
            os._exit(1)
        except ModelError as error:
            health = self._model.health
            if not health.answered and health.failed and health.disabled_reason == str(error):
                # It has failed on every query so far. Those queries may be at fault, so other queries may follow.
                health.failed, health.disabled_reason = 0, ""
                answers = iter([Failure(reason=str(error))] * len(inputs))
            else:
                return str(error)
        return [next(answers) if isinstance(each, ModelInput) else each for each in made]

    def _batches_of(self, inputs: Sequence[ModelInput]) -> Iterator[Sequence[ModelInput]]:
        """Splits the inputs by the batch size, which may change between batches."""
        start = 0
        while start < len(inputs):
            size = self._model.batch_size
            yield inputs[start : start + size]
            start += size


def fitting_count(queries: Sequence[ResolvedQuery], max_pixels: int = _MAX_PIXELS_AT_ONCE) -> int:
    """How many of the first queries fit into memory with their pictures at once; at least one.

    Each query has its own copies of its pictures.
    """
    pixels = 0
    for count, (_, own) in enumerate(queries):
        if isinstance(own, Mapping):
            pixels += _pixels_of(own)
        if count and pixels > max_pixels:
            return count
    return len(queries)


def _pixels_of(own: Mapping[int, ResolvedPicture]) -> int:
    return sum(picture.scene.width * picture.scene.height for picture, _ in own.values())


def _own_pictures(
    row: QueryRow, pictures: Sequence[ResolvedPicture | Failure | PixelsNeeded]
) -> Mapping[int, ResolvedPicture] | QueryResult:
    own: dict[int, ResolvedPicture] = {}
    for place in row.pictures:
        found = pictures[place]
        if not isinstance(found, tuple):
            return found
        own[place] = found
    # One picture is bounded by itself; many of them would fill the memory.
    if len(own) > 1 and (pixels := _pixels_of(own)) > _MAX_PIXELS_AT_ONCE:
        return Failure(reason=f"Expected at most {_MAX_PIXELS_AT_ONCE} pixels in one query, but got {pixels}")
    return own


def _input(row: QueryRow, own: Mapping[int, ResolvedPicture] | QueryResult) -> ModelInput | QueryResult:
    if not isinstance(own, Mapping):
        return own
    turns = tuple(
        Turn(tuple(own[part][0] if isinstance(part, int) else part for part in turn.parts), turn.role)
        for turn in row.turns
    )
    try:
        query = Query(
            picture=own[row.picture][0],
            text=row.text,
            meaning=row.meaning or Describe(),
            task=row.task,
            trial=row.trial,
            reasoning=row.reasoning,
            turns=turns,
        )
    except (TypeError, ValueError) as error:
        return Failure(reason=f"Expected a query that can be asked, but got {type(error).__name__}: {error}")
    renderers = {picture.digest: render for picture, render in own.values()}
    return ModelInput(query, lambda picture: renderers[picture.digest](picture))


def listen_on_loopback_only() -> None:
    """Makes the replica in this process listen on the loopback for other deployments.

    A replica of Ray Serve binds its gRPC port to all addresses, after the constructor of the deployment (2.60,
    ``Replica._on_initialized``), and there is no setting. Without this it is open to others, and wants Ray's token.
    """
    module: Any = import_module("ray.serve._private.replica")
    add_port = getattr(module, "add_port_to_grpc_server", None)
    if add_port is not None:  # other versions of Ray Serve have no such port, or another way
        module.add_port_to_grpc_server = lambda server, address: add_port(server, address.replace("[::]", "127.0.0.1"))
