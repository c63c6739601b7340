"""A server that answers rightly by the files and texts it is sent, or as engines do that lose some of them.

It knows no query. A table, noted before, says what the pixels of each picture show and what each text asks. A picture
is known by its decoded pixels; each failure changes what is decoded, or which parts of the messages reach the model.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from io import BytesIO
from itertools import pairwise
from typing import ClassVar, Literal, TypeAlias

from PIL import Image, ImageOps

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.meaning import ORDINALS, Meaning
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.questions.several import names_message
from pytest_vqamt.models.reference.conversation_faults import NO_QUESTION, answer_about
from pytest_vqamt.models.reference.oracle import right_answer
from tests.models.openai.stub import LocalServer, Reply, Request, said

BLIND = "I cannot see any picture."
UNKNOWN = "I do not know."


class PublicFailure(StrEnum):
    """A failure that users reported of an engine."""

    MERGED = "pictures of one size are merged: llama.cpp #24303, #27313; ollama #17321, #17814"
    PERMUTED = "pictures are given in the opposite order: LM Studio #1675"
    FIRST_ONLY = "only the first picture is seen: vLLM #10983, ollama #8844"
    LAST_ONLY = "only the last picture is seen"
    MARKERS_MOVED = "markers of earlier turns come in the latest turn: mlx-vlm #2211"
    REPLACED = "earlier pictures are replaced by the latest: react-native-executorch PR 1229"
    DROPPED = "pictures of earlier turns are dropped"
    TEXT_LOST = "a text before a picture is lost: vLLM #15125, #10286"
    CACHED = "a cache knows a request by its texts and its first picture"
    ORDER_FLIPS = "the answer changes with the order of the pictures: arXiv 2606.26079"
    JPEG_CHANNELS = "JPEG is decoded on a path of its own, with other channels: sglang #33464"
    EXIF_IGNORED = "the orientation in EXIF is ignored: llama.cpp #20870"
    ALPHA_LOST = "pictures with alpha are not shown: hermes-agent #64548"


@dataclass(slots=True)
class Table:
    """What pixels show and what texts ask, noted as a model of a run that answers rightly."""

    pictures: dict[str, Picture] = field(default_factory=dict)
    meanings: dict[str, Meaning] = field(default_factory=dict)
    takes: ClassVar[tuple[Ability, ...]] = tuple(Ability)

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        for item in batch:
            self.meanings[item.query.text] = item.query.meaning
            for picture, image in zip(item.query.pictures, item.images, strict=True):
                self.pictures[_digest(image)] = picture
        return [right_answer(item.query) for item in batch]


def _digest(image: Image.Image) -> str:
    return sha256(f"{image.size}".encode() + image.convert("RGB").tobytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture as it reaches the model."""

    scene: Scene
    digest: str
    size: tuple[int, int]


Part: TypeAlias = str | Seen
Turn: TypeAlias = tuple[str, list[Part]]

ORIENTATION = 0x0112
"""The tag of EXIF."""

_AS_STORED: Mapping[int, Sequence[Literal[0, 90, 180, 270]]] = {
    2: (0,),
    3: (180,),
    4: (180, 0),
    5: (90, 0),
    6: (270,),
    7: (270, 0),
    8: (90,),
}
"""By orientation, what makes the stored pixels of the upright ones: degrees clockwise; 0 mirrors."""

_EXCHANGED = {"red": "blue", "blue": "red"}


class SeeingServer(LocalServer):
    """The server, with one failure or none.

    Attributes:
        requests: how many there were.
        unknown: texts and pictures that the table lacks.
    """

    def __init__(self, table: Table, failure: PublicFailure | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.requests = 0
        self.unknown: list[str] = []
        self._table = table
        self._lock = threading.Lock()
        self._cache: dict[tuple[str, ...], str] = {}

    def reply(self, path: str, headers: Mapping[str, str], content: bytes) -> Reply:
        request = Request(number=self.requests, path=path, headers=headers, fields=json.loads(content))
        try:
            turns: list[Turn] = [(role, list(map(self._part, parts))) for role, parts in request.conversation]
        except KeyError as unknown:
            self.unknown.append(f"pixels {unknown}")
            turns = []
        with self._lock:
            self.requests += 1
            answer = self._answer(turns) if turns else UNKNOWN
            if self.failure is PublicFailure.CACHED and turns:
                texts = (part for _, parts in turns for part in parts if isinstance(part, str))
                answer = self._cache.setdefault((_pictures(turns)[0].digest, *texts), answer)
        return said(answer)

    def _part(self, part: str | bytes) -> Part:
        if isinstance(part, str):
            return part
        image = Image.open(BytesIO(part))
        upright = ImageOps.exif_transpose(image)
        digest = _digest(upright)
        picture = self._table.pictures[digest]
        scene = picture.scene
        match self.failure:
            case PublicFailure.JPEG_CHANNELS if image.format == "JPEG" and image.mode != "L":
                scene = _with_channels_exchanged(scene)
            case PublicFailure.EXIF_IGNORED:
                for degrees in _AS_STORED.get(image.getexif().get(ORIENTATION, 1), ()):
                    picture = picture.rotate(degrees) if degrees else picture.mirror()
                scene = picture.scene
            case PublicFailure.ALPHA_LOST if image.mode == "RGBA":
                scene = replace(scene, objects=(), relationships=())
        return Seen(scene, digest, upright.size)

    def _answer(self, turns: list[Turn]) -> str:
        turns = self._as_they_reach_the_model(turns)
        texts = [part for part in turns[-1][1] if isinstance(part, str)]
        if not texts:
            return NO_QUESTION
        question = texts[-1].rpartition("\n")[0] or texts[-1]
        meaning = self._table.meanings.get(question)
        if meaning is None:
            self.unknown.append(question)
            return UNKNOWN
        seen = _pictures(turns)
        if names_message(question):
            messages = [parts for role, parts in turns if role == "user"]
            named = next(nth for nth, word in enumerate(ORDINALS) if f"my {word} message" in question)
            seen = [part for part in messages[named] if isinstance(part, Seen)]
        if not seen:
            return BLIND
        answer = answer_about(meaning, [each.scene for each in seen])
        if self.failure is PublicFailure.ORDER_FLIPS and len(seen) > 1 and seen[0].digest > seen[-1].digest:
            other = {"yes": "no", "no": "yes", "first": "second", "second": "first", "third": "first"}
            return other.get(answer) or (str(int(answer) + 1) if answer.isdecimal() else UNKNOWN)
        return answer

    def _as_they_reach_the_model(self, turns: list[Turn]) -> list[Turn]:
        seen = _pictures(turns)
        match self.failure:
            case PublicFailure.MERGED:
                merged = seen[:1]
                for before, each in pairwise(seen):
                    merged.append(merged[-1] if before.size == each.size else each)
                return _with_pictures(turns, merged)
            case PublicFailure.PERMUTED:
                return _with_pictures(turns, seen[::-1])
            case PublicFailure.FIRST_ONLY:
                return _with_pictures(turns, seen[:1])
            case PublicFailure.LAST_ONLY:
                return _with_pictures(turns, [*[None] * (len(seen) - 1), *seen[-1:]])
            case PublicFailure.REPLACED:
                latest = next(shown for turn in reversed(turns) if (shown := _pictures([turn])))
                return _with_pictures(turns, [*[None] * (len(seen) - len(latest)), *latest])
            case PublicFailure.DROPPED:
                latest = _pictures(turns[-1:])
                return _with_pictures(turns, [*[None] * (len(seen) - len(latest)), *latest])
            case PublicFailure.MARKERS_MOVED:
                # All pictures in the latest turn of the user, with the texts behind them.
                bare = _with_pictures(turns, [])
                return [*bare[:-1], (bare[-1][0], [*seen, *bare[-1][1]])]
            case PublicFailure.TEXT_LOST:
                return [(role, _without_texts_before(parts)) for role, parts in turns]
        return turns


def _pictures(turns: Sequence[Turn]) -> list[Seen]:
    return [part for _, parts in turns for part in parts if isinstance(part, Seen)]


def _with_pictures(turns: Sequence[Turn], pictures: Sequence[Seen | None]) -> list[Turn]:
    """The turns with these in place of their pictures; those for which there is none are left out."""
    left = iter(pictures)

    def shown(parts: Sequence[Part]) -> list[Part]:
        replaced = [part if isinstance(part, str) else next(left, None) for part in parts]
        return [part for part in replaced if part is not None]

    return [(role, shown(parts)) for role, parts in turns]


def _without_texts_before(parts: Sequence[Part]) -> list[Part]:
    last = max((place for place, part in enumerate(parts) if isinstance(part, Seen)), default=-1)
    return [part for place, part in enumerate(parts) if isinstance(part, Seen) or place > last]


def _with_channels_exchanged(scene: Scene) -> Scene:
    return replace(
        scene,
        objects=tuple(
            replace(thing, attributes=tuple(_EXCHANGED.get(each, each) for each in thing.attributes))
            for thing in scene.objects
        ),
    )
