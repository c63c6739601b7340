"""The stages of a request, as a correct server does them, and the registry of bugs, each of which spoils one stage."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias, TypeVar

from tools.faulty_server import perception
from tools.faulty_server.requests import Chat, File, Pixels, Shown, Turn, decoded, fetched, scaled_down

_LOW_PX = 512
_ALLOWED_URLS = "http://127.0.0.1"
"""No other is followed."""


class Stage(StrEnum):
    """Where in a server a bug acts, in the order of a request."""

    HTTP = "http"
    FILE = "file"
    PIXELS = "pixels"
    CACHE = "cache"
    PARTS = "parts"
    PROMPT = "prompt"
    BATCH = "batch"
    ANSWER = "answer"
    RESPONSE = "response"


class RefusedError(Exception):
    """The server answers with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(slots=True)
class InFlight:
    """The requests that are answered at once."""

    seconds: float = 0.05
    """How long a batch waits for more."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: int = 0
    """All requests that came and have no answer yet."""
    joined: int = 0
    """The requests of the batch."""
    longest: int = 0
    """The most tokens of a request of the batch."""

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Counts a request from its arrival to its answer."""
        with self.lock:
            self.running += 1
        try:
            yield
        finally:
            with self.lock:
                self.running -= 1

    def most(self) -> int:
        """Waits for others, and returns how many requests there were at once."""
        # Before the wait, too: others may have been answered meanwhile.
        before = self.running
        time.sleep(self.seconds)
        return max(before, self.running)

    def padding(self, tokens: int) -> int:
        """Waits for others, and returns by how many tokens the longest of the batch is longer."""
        with self.lock:
            self.longest = max(self.longest, tokens) if self.joined else tokens
            self.joined += 1
        time.sleep(self.seconds)
        with self.lock:
            self.joined -= 1
            return self.longest - tokens


class Stages:
    """All stages without a bug; a bug overrides one, and acts in it where ``chat.acts``."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.in_flight = InFlight()
        self.clock: Callable[[], float] = time.monotonic

    def admit(self, chat: Chat) -> None:
        """Raises RefusedError for a request that is answered with an HTTP error."""

    def fetch(self, file: File, chat: Chat) -> File | None:
        """The file with its content, which a URL is followed for; None for a picture that is lost."""
        if file.url and not file.url.startswith(_ALLOWED_URLS):
            raise RefusedError(400, f"Expected a URL of {_ALLOWED_URLS}, but got {file.url}")
        return fetched(file)

    def decode(self, file: File, chat: Chat) -> Pixels | None:
        """The pixels of a file; None for a picture that is lost."""
        return decoded(file)

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        """The pixels that the encoder gets."""
        return pixels

    def scale(self, pixels: Pixels, detail: str, chat: Chat) -> Pixels:
        """The pixels at the resolution that the request asks for: low is 512 px, as OpenAI's API has it."""
        return scaled_down(pixels, _LOW_PX) if detail == "low" else pixels

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        """The pixels that the model sees of the picture at a place of the request."""
        return shown.pixels

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        """The conversation as the chat template makes it."""
        return turns

    def fit(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        """The part of the prompt that fits into the context."""
        return turns

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        """The answer, in a batch with others."""
        return perception.answer(turns)

    def finish(self, answer: str, chat: Chat) -> str:
        """The text of the answer."""
        return answer

    def most_tokens(self, asked: int, chat: Chat) -> int:
        """The tokens at which an answer ends, of those that the request asks for."""
        return asked

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        """The JSON of the response."""
        return reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """A planted bug."""

    name: str
    stage: Stage
    thread: str
    """Of users who met it, or one of its kind; "" where none is known."""
    does: str
    """What a client sees of it."""
    condition: str
    """The requests in which it can act."""
    share: float
    """The share of these in which it acts by default."""
    make: Callable[[], Stages]


BUGS: dict[str, Bug] = {}
"""All bugs by name, in the order of the modules."""

ALLOWED = ("transparent-on-black",)
"""Properties that users allow, as servers differ in them."""

_Made = TypeVar("_Made", bound=type[Stages])
FileBug: TypeAlias = Callable[[File], Pixels | None]
PixelBug: TypeAlias = Callable[[Pixels], Pixels | None]
PartsBug: TypeAlias = Callable[[list[Turn]], list[Turn]]
AnswerBug: TypeAlias = Callable[[str], str]


def bug(name: str, stage: Stage, condition: str, *, thread: str = "", share: float = 1.0) -> Callable[[_Made], _Made]:
    """Registers a class of stages; its docstring says what it does."""

    def register(made: _Made) -> _Made:
        _add(name, stage, condition, thread, share, made.__doc__, made)
        return made

    return register


def file_bug(name: str, condition: str, *, thread: str = "", share: float = 1.0) -> Callable[[FileBug], FileBug]:
    """Registers a function that decodes the files of pictures."""

    def register(function: FileBug) -> FileBug:
        class OfFiles(Stages):
            def decode(self, file: File, chat: Chat) -> Pixels | None:
                return function(file) if chat.acts else super().decode(file, chat)

        _add(name, Stage.FILE, condition, thread, share, function.__doc__, OfFiles)
        return function

    return register


def pixel_bug(name: str, condition: str, *, thread: str = "", share: float = 1.0) -> Callable[[PixelBug], PixelBug]:
    """Registers a function that preprocesses decoded pictures."""

    def register(function: PixelBug) -> PixelBug:
        class OfPixels(Stages):
            def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
                return function(pixels) if chat.acts else pixels

        _add(name, Stage.PIXELS, condition, thread, share, function.__doc__, OfPixels)
        return function

    return register


def parts_bug(name: str, condition: str, *, thread: str = "", share: float = 1.0) -> Callable[[PartsBug], PartsBug]:
    """Registers a function that arranges the turns and parts of a conversation."""

    def register(function: PartsBug) -> PartsBug:
        class OfParts(Stages):
            def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
                return function(turns) if chat.acts else turns

        _add(name, Stage.PARTS, condition, thread, share, function.__doc__, OfParts)
        return function

    return register


def answer_bug(name: str, condition: str, *, thread: str = "", share: float = 1.0) -> Callable[[AnswerBug], AnswerBug]:
    """Registers a function that changes the text of answers."""

    def register(function: AnswerBug) -> AnswerBug:
        class OfAnswers(Stages):
            def finish(self, answer: str, chat: Chat) -> str:
                return function(answer) if chat.acts else answer

        _add(name, Stage.ANSWER, condition, thread, share, function.__doc__, OfAnswers)
        return function

    return register


def _add(
    name: str, stage: Stage, condition: str, thread: str, share: float, does: str | None, make: Callable[[], Stages]
) -> None:
    assert name not in BUGS, name
    assert does, name
    BUGS[name] = Bug(
        name=name,
        stage=stage,
        thread=thread,
        does=does.partition("\n")[0],
        condition=condition,
        share=share,
        make=make,
    )
