"""One model input and one model output."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import replace

from pytest_vqamt.core.codec import PublicStruct
from pytest_vqamt.core.conversation import (
    WORDS,
    Ability,
    Part,
    Reply,
    Turn,
    abilities_for,
    check_turns,
    parts_of,
    pictures_in,
)
from pytest_vqamt.core.identity import canonical_json, digest
from pytest_vqamt.core.meaning import Annotated, Meaning, Truth, truth
from pytest_vqamt.core.picture import Picture

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_vqamt.core.edits import Move, Redraw
    from pytest_vqamt.core.scene import Photo


class Task(StrEnum):
    """The task of a query."""

    VQA = "vqa"
    ENTAILMENT = "entailment"
    CAPTIONING = "captioning"


class Query(PublicStruct, frozen=True, kw_only=True, dict=True):
    """One model input."""

    picture: Picture
    """The image."""
    text: str = ""
    """The question or hypothesis; empty for captioning."""
    meaning: Meaning
    """What the text asks; no part of the identity."""
    task: Task = Task.VQA
    """Selects the method of the model."""
    trial: int = 0
    """0, or another number to ask the same query again, without the cached answer to trial 0."""
    reasoning: bool | None = None
    """True or False for an answer with or without reasoning, of models that can switch it; None for the model's own."""
    turns: tuple[Turn, ...] = ()
    """The conversation, whose first picture is ``picture`` and whose last text is ``text``; empty for one picture and
    one text. See ``conversation``."""

    @classmethod
    def of(cls, *turns: Turn, meaning: Meaning, task: Task = Task.VQA) -> Query:
        """The query of a conversation; one that is a picture with a text behind it is an ordinary query.

        Raises:
            VqamtError: it has no picture, or does not end with a question of the user.
        """
        check_turns(turns)
        picture, text = next(pictures_in(turns)), turns[-1].parts[-1]
        if turns == (Turn((picture, text)),) and isinstance(text, str):
            return cls(picture=picture, text=text, meaning=meaning, task=task)
        last = [part for part in turns[-1].parts if isinstance(part, str)][-1]
        return cls(picture=picture, text=last, meaning=meaning, task=task, turns=turns)

    @cached_property  # every step of a run uses it
    def id(self) -> str:
        """A digest of pixels, text, task, trial and reasoning, the same on every machine."""
        # What came later counts only where it is set: a query's id stays what it was.
        reasoning = () if self.reasoning is None else (f"reasoning={self.reasoning}",)
        said = (canonical_json([_said(turn) for turn in self.turns]),) if self.turns else ()
        return digest(self.task, self.picture.digest, self.text, str(self.trial), *reasoning, *said)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Query):
            return NotImplemented
        # Photos of two names may have the same pixels, and so the same id.
        return self.id == other.id and self.pictures == other.pictures

    @property
    def conversation(self) -> tuple[Turn, ...]:
        """The turns, also of one picture and one text."""
        return self.turns or (Turn((self.picture, self.text) if self.text else (self.picture,)),)

    @cached_property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures in the order in which they are shown; one that is shown twice comes twice."""
        return tuple(pictures_in(self.turns)) or (self.picture,)

    @property
    def truth(self) -> Truth:
        """The right answer, by the annotations of what its pictures show; None if none is sure."""
        return truth(self.meaning, *(picture.scene for picture in self.pictures))

    @property
    def asked(self) -> str:
        """The words of its question, which show the form of the answer; mostly its text.

        A published question may have pictures within: "What is the difference between [a.jpg] and [b.jpg]?", whose last
        text is "?".
        """
        if self.turns and isinstance(self.meaning, Annotated) and Ability.INTERLEAVED in self.abilities:
            return self.meaning.question or self.text
        return self.text

    @property
    def replies(self) -> frozenset[int]:
        """The indices of the queries of its case whose answers it quotes; they are asked first."""
        return frozenset(part.to for part in parts_of(self.turns) if isinstance(part, Reply))

    @property
    def abilities(self) -> frozenset[Ability]:
        """What a model must be able to take; nothing for one picture and one text."""
        return abilities_for(self.turns) if self.turns else frozenset()

    def __hash__(self) -> int:
        return hash(self.id)

    def with_picture(self, which: int, picture: Picture) -> Query:
        """The query with another picture in place of one, wherever that one is shown."""
        replaced = self.pictures[which]

        def shown(part: Part) -> Part:
            return picture if part == replaced else part

        turns = tuple(Turn(tuple(shown(part) for part in turn.parts), turn.role) for turn in self.turns)
        first = next(pictures_in(turns), picture)
        return replace(self, picture=first, turns=turns)

    def with_prompt(self, prompt: str) -> tuple[Turn, ...]:
        """The conversation with a prompt in place of the last text."""
        if not self.turns:
            return (Turn((self.picture, prompt)),)
        *before, last = self.turns
        place = max(place for place, part in enumerate(last.parts) if isinstance(part, str))
        return (*before, Turn((*last.parts[:place], prompt, *last.parts[place + 1 :]), last.role))

    def __repr__(self) -> str:
        return f"<Query {self.id} ({self.task}) of {self.picture.photo.id!r}: {self.words}>"

    @property
    def words(self) -> str:
        """Its texts, with what was done to its picture: '"Is there a dog?" (mirrored)'."""
        if self.turns:
            said = " | ".join(turn.words for turn in self.turns)
            return f"{said} ({self.manner})" if self.manner else said
        text = f'"{self.text}"' if self.text else "no text"
        return f"{text} ({self.notes})" if self.notes else text

    @property
    def manner(self) -> str:
        """How it is asked beside its text: "with reasoning", "asked again", or ""."""
        return manner_of(self.trial, self.reasoning)

    @property
    def notes(self) -> str:
        """The edits of its picture, and its manner, for display: "mirrored; with reasoning"."""
        return "; ".join(filter(None, (*(edit.words for edit in self.picture.edits), self.manner)))


def _said(turn: Turn) -> list[str]:
    """The identity of a turn: who says it, and pixels and texts in their order."""
    return [turn.role.value, *(_identity(part) for part in turn.parts)]


def _identity(part: Part) -> str:
    if isinstance(part, str):
        return f"text {part}"
    return f"picture {part.digest}" if isinstance(part, Picture) else f"reply {part.to}"


def manner_of(trial: int, reasoning: bool | None) -> str:
    """The ``Query.manner`` of these attributes of a query.

    >>> manner_of(1, False)
    'without reasoning, asked again'
    """
    said = {None: "", True: "with reasoning", False: "without reasoning"}[reasoning]
    return ", ".join(filter(None, (said, "asked again" if trial else "")))


class Answer(PublicStruct, frozen=True):
    """One model output: its text and, where the model gives them, scores of candidate answers.

    >>> Answer("yes").text
    'yes'
    """

    text: str
    scores: tuple[tuple[str, float], ...] | None = None
    truncated: bool = False
    """True if the question was too long for the model, which read only its beginning."""
    declined: str = ""
    """The reason why the model's adapter did not put the query to the model, "" if it did."""
    unknown_words: tuple[str, ...] = ()
    """The words that the model does not know."""
    tokens_in: float | None = None
    """With ``tokens_out`` and ``cost``, what the answer took, where the model's server tells it; no part of it."""
    tokens_out: float | None = None
    cost: float | None = None
    steps: tuple[tuple[tuple[str, float], ...], ...] | None = None
    """The candidates for each of its first tokens, where they were asked for (``logprob-steps``); no part of it."""

    @property
    def _said(self) -> tuple[object, ...]:
        return self.text, self.scores, self.truncated, self.declined, self.unknown_words

    def __eq__(self, other: object) -> bool:
        return self._said == other._said if isinstance(other, Answer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._said)


class Declined(PublicStruct, frozen=True):
    """What a model returns in place of an answer to a query that it is not made for.

    A case with a declined query is neither a pass nor a violation; reports count such cases, and the unknown words.

    >>> Declined("unknown words", words=("kite",)).answer.declined
    'unknown words: kite'
    """

    reason: str = "not understood"
    words: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """The answer without a text that stands for it."""
        listed = ", ".join(self.words)
        return Answer("", declined=f"{self.reason}: {listed}" if listed else self.reason, unknown_words=self.words)


CANNOT_SWITCH = Declined("the model cannot switch its reasoning")
"""Of an adapter, or of a server of another version, and not of the model: it is never kept as the model's answer."""


_CANNOT_TAKE = "the model does not take "


def cannot_take(abilities: Iterable[Ability]) -> Declined:
    """What an adapter says to a conversation that its model cannot take; never kept as the model's answer."""
    lacking = set(abilities)
    return Declined(_CANNOT_TAKE + ", ".join(WORDS[ability] for ability in Ability if ability in lacking))


def untaken(reasons: Iterable[str]) -> tuple[str, ...]:
    """What models cannot take, by the reasons that ``cannot_take`` gives; others are passed over.

    >>> untaken(["no dog", cannot_take([Ability.TURNS]).reason, cannot_take([Ability.TURNS, Ability.PICTURES]).reason])
    ('several pictures', 'earlier turns')
    """
    said = [reason.removeprefix(_CANNOT_TAKE).split(", ") for reason in reasons if reason.startswith(_CANNOT_TAKE)]
    return tuple(words for words in WORDS.values() if any(words in each for each in said))


def is_of_adapter(answer: Answer) -> bool:
    """True if an adapter declined the query for what it cannot do, which an update may mend."""
    return answer == CANNOT_SWITCH.answer or bool(untaken([answer.declined]))


class Failure(Struct, frozen=True, kw_only=True):
    """The reason why a query has no answer: the model raised, or its picture could not be rendered."""

    reason: str


def is_truncated(answers: Iterable[Answer | Failure]) -> bool:
    """True if the model read only part of a question, in any of the answers."""
    return any(isinstance(answer, Answer) and answer.truncated for answer in answers)


class PictureFile(Struct, frozen=True):
    """A picture as it is sent to a server."""

    media_type: str
    """Such as "image/jpeg"."""
    base64: str
    """The content of the file."""
    url: str = ""
    """An http(s) address that the server fetches it from, where it is not sent itself."""
    detail: str = ""
    """The resolution at which it is to be seen, where it has one of its own ("high"), as OpenAI's API names it."""

    @property
    def data_uri(self) -> str:
        return f"data:{self.media_type};base64,{self.base64}"


class PictureEncoder(Protocol):
    """Makes the files of pictures. Hashable: equal encoders make equal files."""

    @property
    def only_png(self) -> bool:
        """True if the wire takes no other files."""
        ...

    def encode(
        self, picture: Picture, image: Callable[[], Image], photos: PhotoStore | None, *, lossless: bool
    ) -> PictureFile:
        """The file of a picture.

        Args:
            picture: its recipe.
            image: renders it.
            photos: its source; None where only the image is known.
            lossless: the file must hold exactly the pixels of the image.
        """
        ...


class InputTurn(NamedTuple):
    """A turn of a conversation as a model gets it.

    Attributes:
        role: "user", "assistant" or "system".
        parts: texts and images (PIL, RGB) in their order.
    """

    role: str
    parts: tuple[str | Image, ...]


def _copied_on_write(image: Image) -> Image:
    """The image as another object, whose pixels are copied once it is changed: PIL does so where they are read-only."""
    image.load()
    other: Image = image._new(image.im)
    other.readonly = 1
    return other


class ModelInput:
    """The input of a model.

    Attributes:
        query: the query itself, with its ``meaning``, ``task`` and ``picture``.
        lossless: True if answers are compared that depend on exact pixels (``RelationInfo.exact_pixels``).
        prepared: the result of the model's ``prepare``; None if it was not called.
        prompts: makes ``prompt``; None for a model that makes its own.
    """

    def __init__(
        self,
        query: Query,
        render: Callable[[Picture], Image],
        encode: Callable[[Picture, PictureEncoder, bool], PictureFile] | None = None,
        *,
        lossless: bool = False,
    ) -> None:
        """``encode`` gives the file of a picture, encoded before perhaps; None encodes the rendered image."""
        self.query = query
        self.lossless = lossless
        self.prepared: object | None = None
        self.prompts: Callable[[ModelInput], str] | None = None
        self._render = render
        self._encode = encode
        self._image: Image | None = None
        self._pixels: Image | None = None
        self._others: tuple[Image, ...] | None = None
        self._shown: tuple[Image, ...] | None = None
        self._drawn_s = 0.0
        self._drawing_since: float | None = None

    @property
    def text(self) -> str:
        """The bare question or hypothesis; empty for captioning."""
        return self.query.text

    @property
    def turns(self) -> tuple[InputTurn, ...]:
        """The conversation: of each turn who says it, and its texts and images in order.

        One turn of the user, an image and a text, unless the query is a conversation. The images are those of
        ``images``.
        """
        return self._with_pixels(self.query.conversation)

    @property
    def prompted(self) -> tuple[InputTurn, ...]:
        """As ``turns``, with ``prompt`` in place of the last text: the question with the form of its answer."""
        return self._with_pixels(self.query.with_prompt(self.prompt))

    def _with_pixels(self, turns: Iterable[Turn]) -> tuple[InputTurn, ...]:
        shown = iter(self.images)
        return tuple(
            InputTurn(
                turn.role.value,
                tuple(next(shown) if isinstance(part, Picture) else str(part) for part in turn.parts),
            )
            for turn in turns
        )

    @property
    def parts(self) -> tuple[str | Image, ...]:
        """The texts and images of all turns in order."""
        return tuple(part for turn in self.turns for part in turn.parts)

    @property
    def images(self) -> tuple[Image, ...]:
        """All pictures in the order in which they are shown; the model may change them.

        They share their pixels with other queries until it does.
        """
        if self._shown is None:
            self._shown = tuple(map(_copied_on_write, self.all_pixels))
        return self._shown

    @property
    def all_pixels(self) -> tuple[Image, ...]:
        """As ``images``, but not to be changed (``pixels``)."""
        pictures = self.query.pictures
        if len(pictures) == 1:
            return (self.pixels,)
        if self._others is None:
            with self._drawing():
                self._others = tuple(self._render(picture) for picture in pictures[1:])
        return (self.pixels, *self._others)

    @property
    def prompt(self) -> str:
        r"""The text for a model that follows instructions: the question and the form of answer that it wants.

        "Is there a dog?" becomes "Is there a dog?\nAnswer with yes or no." A hypothesis is put as a question about
        entailment, and captioning as a request for a sentence. The form depends on the text alone.
        """
        return self.text if self.prompts is None else self.prompts(self)

    @property
    def image(self) -> Image:
        """The picture: PIL, mode RGB, rendered on first access; the model may change it."""
        # Not functools.cached_property: before Python 3.12 it has one lock for all instances, held during rendering.
        if self._image is None:
            self._image = self.pixels.copy()
        return self._image

    @property
    def pixels(self) -> Image:
        """As ``image``, but shared with other queries about the picture, and so not to be changed.

        A copy of a photo takes a millisecond, and a model that only reads needs none.
        """
        if self._pixels is None:
            with self._drawing():
                self._pixels = self._render(self.query.picture)
        return self._pixels

    def file(self, encoder: PictureEncoder, picture: Picture | None = None) -> PictureFile:
        """One of its pictures, the first if none is given, as a file that ``encoder`` makes.

        In a run, a picture is encoded once for all queries about it.
        """
        shown = self.query.picture if picture is None else picture
        if self._encode is None:
            return encoder.encode(shown, lambda: self._pixels_of(shown), None, lossless=self.lossless)
        with self._drawing():
            return self._encode(shown, encoder, self.lossless)

    def _pixels_of(self, picture: Picture) -> Image:
        return self.all_pixels[self.query.pictures.index(picture)]

    @contextmanager
    def _drawing(self) -> Iterator[None]:
        self._drawing_since = time.monotonic()
        try:
            yield
        finally:
            self._drawn_s += time.monotonic() - self._drawing_since
            self._drawing_since = None

    @property
    def drawn_s(self) -> float:
        """For how long its picture was drawn so far, in seconds: no time of the model's."""
        since = self._drawing_since
        return self._drawn_s + (0.0 if since is None else time.monotonic() - since)

    def __repr__(self) -> str:
        return f"ModelInput(text={self.text!r}, picture={self.query.picture.digest})"


class PhotoStore(Protocol):
    """Provides the pixels of source photos, to several threads at once. A scene source is one."""

    def photo(self, photo: Photo) -> Image:
        """The image, RGB uint8, of the size of its scene. A new copy, which the caller may change.

        Raises:
            DataError: the photo cannot be read.
        """
        ...

    def mask(self, photo: Photo, thing_id: str) -> Image:
        """The mask of the thing: mode L, 255 on its pixels, of the size of the photo.

        Raises:
            DataError: the thing has no mask.
        """
        ...


class PhotoFile(Struct, frozen=True):
    """The file of a photo, without its metadata."""

    media_type: str
    content: bytes


@runtime_checkable
class FiledStore(PhotoStore, Protocol):
    """A ``PhotoStore`` whose photos are files."""

    def is_lossy(self, photo: Photo) -> bool:
        """True if the file is of a form that loses pixels, as JPEG does.

        Raises:
            DataError: the photo cannot be read.
        """
        ...

    def file(self, photo: Photo) -> PhotoFile | None:
        """The file, without metadata; None where a viewer without them would show another picture than ``photo``.

        Raises:
            DataError: the photo cannot be read.
        """
        ...


@runtime_checkable
class RedrawingStore(Protocol):
    """A ``PhotoStore`` that draws its photos, also with other parts of a thing, and with things elsewhere."""

    def redrawn(self, photo: Photo, redraw: Redraw) -> Image:
        """The photo with the edit; as ``photo``.

        Raises:
            DataError: the photo has no such thing, or it cannot be drawn so.
        """
        ...

    def moved(self, photo: Photo, moves: tuple[Move, ...]) -> Image:
        """The photo with all of the edits; as ``photo``.

        Raises:
            DataError: the photo has no such thing, or it cannot be drawn elsewhere.
        """
        ...
