"""A real server of the wire format on this machine, around a model in this process."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING
from zlib import crc32

from PIL import Image

from pytest_vqamt.core.conversation import Turn
from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.core.recipes import picture_from_recipe
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.inference import BatchBisector
from pytest_vqamt.imaging.render import render
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.served.answer_requests import AnswersRequest as Asked
from pytest_vqamt.models.served.answer_requests import PictureRow, PngRow, QueryRow, RequestTooLargeError, read_request
from pytest_vqamt.models.served.wire_format import (
    ANSWERS_PATH,
    MODEL_PATH,
    ModelCard,
    PixelsNeeded,
    QueryResult,
    ServedData,
    WireError,
    model_identity,
    write_answers,
    write_card,
    write_error,
)
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model
from tests.models.openai.stub import Reply, Request

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


class ByPixels:
    """Answers by every pixel and every letter, declares what it is, and remembers what it was asked.

    A text that begins with "bad" makes it raise, unless ``refuses`` is None.
    """

    def __init__(self, fingerprint: str | None = "by pixels, 1", batch_size: int = 4) -> None:
        self.fingerprint = fingerprint
        self.batch_size = batch_size
        self.asked: Counter[str] = Counter()
        self.meanings: list[object] = []

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        if any(each.text.startswith("bad") for each in batch):
            raise ValueError("a bad question")
        self.asked.update(each.text for each in batch)
        self.meanings += [each.query.meaning for each in batch]
        return [answer_of(each) for each in batch]


def answer_of(asked: ModelInput) -> Answer:
    """What the model answers to an input."""
    seen = crc32(asked.image.tobytes() + asked.text.encode())
    return Answer(str(seen), (("one", seen / 7), ("two", -0.5)), truncated=len(asked.text) > 20)


class Desk:
    """A script for the server: its card, and answers of ``model`` about the photos of ``source``.

    Attributes:
        requests: what was asked, as it was read.
        card: what it says of itself; may be replaced.
    """

    def __init__(
        self,
        model: object,
        source: SceneSource | None = None,
        *,
        spec: str = "python:by:pixels",
        token: str = "",
        session: str = "first",
        reads_meaning: bool = False,
        needs_scenes: bool = False,
        max_queries: int = 1000,
        max_bytes: int = 2**20,
        takes: Sequence[str] | None = None,
    ) -> None:
        self.model: LoadedModel = wrap_model(spec, model, ModelOptions())
        self.requests: list[Asked] = []
        self._bisector = BatchBisector(self.model)
        self._source = source
        self._token = token
        self.card = ModelCard(
            identity=model_identity(spec, self.model.fingerprint, "" if self.model.persistent else session),
            vqamt_version="1",
            model=spec,
            fingerprint=self.model.fingerprint,
            persistent=self.model.persistent,
            tasks=self.model.tasks,
            batch_size=self.model.batch_size,
            reads_meaning=reads_meaning,
            needs_scenes=needs_scenes,
            takes=tuple(self.model.takes if takes is None else takes),
            data=(ServedData(spec=source.spec, digest=source.digest),) if source else (),
            max_queries=max_queries,
            max_bytes=max_bytes,
        )

    def __call__(self, request: Request) -> Reply:
        if self._token and request.headers.get("authorization") != f"Bearer {self._token}":
            return failed(401, "the token is missing or another")
        if request.path.endswith(MODEL_PATH):
            return Reply(body=write_card(self.card))
        if not request.path.endswith(ANSWERS_PATH):
            return failed(404, "no such path")
        body = json.dumps(request.fields, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            asked = read_request(body, max_queries=self.card.max_queries, max_bytes=self.card.max_bytes)
        except RequestTooLargeError as error:
            return failed(413, str(error))
        except WireError as error:
            return failed(400, str(error))
        self.requests.append(asked)
        if asked.model != self.card.identity:
            return failed(409, f"Expected model={asked.model!r}, but {self.card.identity!r} is served")
        try:
            return Reply(body=write_answers(self.card.identity, self._answers(asked)))
        except ModelError as error:
            return failed(410, str(error))

    def _answers(self, asked: Asked) -> list[QueryResult]:
        shown = [self._shown(row) for row in asked.pictures]
        told: dict[int, QueryResult] = {}
        inputs: dict[int, ModelInput] = {}
        for place, query in enumerate(asked.queries):
            input_or_not = _input(query, {picture: shown[picture] for picture in query.pictures})
            if isinstance(input_or_not, PixelsNeeded):
                told[place] = input_or_not
            else:
                inputs[place] = input_or_not
        for task in self.model.tasks:
            places = [place for place, each in inputs.items() if each.query.task is task]
            if places:
                told |= dict(zip(places, self._bisector.run(task, [inputs[place] for place in places]), strict=True))
        return [told[place] for place in range(len(asked.queries))]

    def _shown(self, row: PictureRow) -> ModelInput | PixelsNeeded:
        if isinstance(row, PngRow):
            image = Image.open(BytesIO(row.png)).convert("RGB")
            scene = Scene(id="png", photo=Photo(id="png", digest=row.key), width=image.width, height=image.height)
            return ModelInput(Query(picture=scene.picture, meaning=Describe()), lambda _: image)
        source = self._source
        try:
            if source is None:
                raise DataError("no data is served")
            picture = picture_from_recipe(row.row, lambda photo: source.scene(source.place(photo)))
        except (DataError, KeyError) as error:
            return PixelsNeeded(reason=str(error))
        return ModelInput(Query(picture=picture, meaning=Describe()), partial(render, photos=source))


def _input(query: QueryRow, shown: Mapping[int, ModelInput | PixelsNeeded]) -> ModelInput | PixelsNeeded:
    own: dict[int, ModelInput] = {}
    for place, each in shown.items():
        if isinstance(each, PixelsNeeded):
            return each
        own[place] = each
    images = {each.query.picture.digest: each for each in own.values()}

    def drawn(picture: Picture) -> PillowImage:
        return images[picture.digest].image

    named = Query(
        picture=own[query.picture].query.picture,
        text=query.text,
        meaning=query.meaning or Describe(),
        task=query.task,
        trial=query.trial,
        reasoning=query.reasoning,
        turns=tuple(
            Turn(tuple(own[part].query.picture if isinstance(part, int) else part for part in turn.parts), turn.role)
            for turn in query.turns
        ),
    )
    return ModelInput(named, drawn)


def failed(status: int, reason: str = "no", headers: Mapping[str, str] | None = None) -> Reply:
    """A status other than 200, as the wire format has them."""
    return Reply(status=status, body=write_error(reason), headers=headers or {})
