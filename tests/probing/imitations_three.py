"""Imitations of public server bugs, third set: each is as near as can be to what the users of one thread saw.

None of them looks at ``chat.acts``: where a thread tells of a share of requests, the imitation draws it itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256

import numpy as np
from PIL import Image

from tests.probing.imitations import Imitation
from tools.faulty_server import perception
from tools.faulty_server.requests import Chat, File, Pixels, Shown, Turn, count_tokens, pictures_in, resized
from tools.faulty_server.stages import RefusedError, Stages

_MID_GRAY = 127


class ShortHash(Stages):
    """Knows requests by their text and four bits of the picture, and splices what it finds with what it got.

    **Deviation:** the thread's key has 16 bits, whose collisions a server meets in days, not in some hundred requests.
    """

    _KEYS = 16

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[object, Pixels] = {}

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        pixels = shown.pixels
        if pixels is None:
            return None
        short = sha256(pixels.tobytes()).digest()[0] % self._KEYS
        with self.lock:
            found = self.seen.setdefault((chat.text, place, pixels.shape, short), pixels)
        # Whole chunks are found; the rest of the picture is computed.
        middle = pixels.shape[0] // 2
        return np.concatenate([found[:middle], pixels[middle:]])


class SeededPrefix(Stages):
    """Restores the pages of a text-only request for one with pictures, and then encodes no picture."""

    _PAGE_WORDS = 8
    _UNSEEN = (200, 130, 60)

    def __init__(self) -> None:
        super().__init__()
        self.pages: set[tuple[str, ...]] = set()

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        with self.lock:
            is_found = _first_page(chat.turns, self._PAGE_WORDS) in self.pages
        if not is_found or shown.pixels is None:
            return shown.pixels
        # The places of its tokens are there, so usage is right, but hold nothing of it.
        return np.full_like(shown.pixels, self._UNSEEN)

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        page = _first_page(chat.turns, self._PAGE_WORDS)
        if page and not chat.pictures:
            with self.lock:
                self.pages.add(page)
        return super().generate(turns, chat)


def _first_page(turns: Sequence[Turn], words: int) -> tuple[str, ...] | None:
    """The roles and words that begin a prompt, up to its first picture; None for fewer than a page."""
    page: list[str] = []
    for turn in turns:
        page.append(turn.role)
        for part in turn.parts:
            if isinstance(part, Shown):
                return None
            page += part.split()
            if len(page) >= words:
                return tuple(page[:words])
    return None


class TableAfterText(Stages):
    """Frees the table of positions at a text-only request but keeps its size: the next picture crashes the engine."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0
        self.is_freed = False

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        size = count_tokens(turns) + int(chat.fields.get("max_tokens") or 0)
        with self.lock:
            if not chat.pictures:
                self.is_freed = self.size > 0
            elif size > self.size:
                self.size, self.is_freed = size, False
            elif self.is_freed:
                # The container restarts, with no table.
                self.size, self.is_freed = 0, False
                raise RefusedError(502, "The engine has exited: invalid argument")
        return super().generate(turns, chat)


class EqualSizesPaired(Stages):
    """Takes two pictures of equal size side by side for two frames of a film, and keeps the first."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        return [Turn(turn.role, list(_without_second_frames(turn.parts))) for turn in turns]


def _without_second_frames(parts: Sequence[str | Shown]) -> Iterator[str | Shown]:
    first: Shown | None = None
    for part in parts:
        if isinstance(part, Shown) and first is not None and _shape(first) == _shape(part):
            first = None
            continue
        first = part if isinstance(part, Shown) else None
        yield part


def _shape(shown: Shown) -> tuple[int, ...]:
    return () if shown.pixels is None else shown.pixels.shape


class MarkersInLastTurn(Stages):
    """Puts the marks of all pictures at the beginning of the user's last turn."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        last = max((place for place, turn in enumerate(turns) if turn.role == "user"), default=-1)
        pictures = list(pictures_in(turns))
        return [
            Turn(turn.role, [*(pictures if place == last else ()), *_texts(turn)]) for place, turn in enumerate(turns)
        ]


def _texts(turn: Turn) -> list[str]:
    return [part for part in turn.parts if isinstance(part, str)]


class ExpandedAgain(Stages):
    """Expands one mark of a picture's tokens again at each turn that follows: 64, 127, 253 tokens."""

    _CONTEXT = 8192

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        usage = reply["usage"]
        assert isinstance(usage, dict)
        user = [turn for turn in chat.turns if turn.role == "user"]
        for later, turn in enumerate(reversed(user)):
            more = sum((shown.tokens - 1) * (2**later - 1) for shown in pictures_in([turn]) if shown.tokens)
            usage["prompt_tokens"] += more
            usage["total_tokens"] += more
        if usage["prompt_tokens"] > self._CONTEXT:
            raise RefusedError(400, f"The prompt has {usage['prompt_tokens']} tokens, more than {self._CONTEXT}")
        return reply


class CaptionsIfTextFirst(Stages):
    """Describes the picture, whatever is asked, where the text stands before it."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        asked = next((turn for turn in reversed(turns) if turn.role == "user"), None)
        pictures = list(pictures_in([asked])) if asked else []
        if asked is None or not pictures or isinstance(asked.parts[0], Shown) or pictures[-1].pixels is None:
            return super().generate(turns, chat)
        return f"The picture is a sign on a {perception.read_ground(pictures[-1].pixels)} wall."


class GrayJpegBesideColour(Stages):
    """Leaves gray JPEG files one channel, which cannot be stacked with the three of another picture."""

    def __init__(self) -> None:
        super().__init__()
        self.of_request = threading.local()

    def admit(self, chat: Chat) -> None:
        self.of_request.channels = set()

    def decode(self, file: File, chat: Chat) -> Pixels | None:
        # Files of other types are decoded and converted on another path.
        is_gray = file.found_type == "image/jpeg" and file.open().mode == "L"
        self.of_request.channels.add(1 if is_gray else 3)
        return super().decode(file, chat)

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if len(self.of_request.channels) > 1:
            raise RefusedError(500, "Expected tensors of equal size, but got 1 and 3 channels")
        return shown.pixels


class ChromaLost(Stages):
    """Keeps the luminance of pictures alone, in rough steps.

    Of a finer gray the perceiver may say green, whose mean is near; those of the thread say gray or black.
    """

    _STEP = 44

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        gray = np.asarray(Image.fromarray(np.ascontiguousarray(pixels)).convert("L"))
        return np.repeat((gray // self._STEP * self._STEP)[..., None], 3, axis=2)


class FixedTokens(Stages):
    """Makes 256 tokens of every picture: 16 x 16 patches, whatever its size and shape."""

    _SIDE_PX = 16 * 28

    def scale(self, pixels: Pixels, detail: str, chat: Chat) -> Pixels:
        return resized(pixels, self._SIDE_PX, self._SIDE_PX)


class TilesDropped(Stages):
    """Loses all tiles but the first of each row after the first, where a picture has several rows and columns."""

    _TILE_PX = 640

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        seen = pixels.copy()
        seen[self._TILE_PX :, self._TILE_PX :] = _MID_GRAY
        return seen


class ChunkRestarts(Stages):
    """Begins a picture anew where its tokens pass into another chunk of the prompt.

    **Deviation:** chunks of the thread have 2,048 tokens, but pictures of this server have at most 1,024.
    """

    _CHUNK = 1280

    def fit(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        before = 0
        for turn in turns:
            for part in turn.parts:
                if isinstance(part, Shown):
                    part.pixels = None if part.pixels is None else self._written(part.pixels, part.tokens, before)
                    before += part.tokens
                else:
                    before += len(part.split()) * 4 // 3
        return turns

    def _written(self, pixels: Pixels, tokens: int, before: int) -> Pixels:
        first = self._CHUNK - before % self._CHUNK
        if first >= tokens:
            return pixels
        # Tokens are in rows; no picture has those of a third chunk.
        height = pixels.shape[0]
        start = round(height * first / tokens)
        return np.concatenate([pixels[:start], pixels[: height - start]])


class FirstPicturesFit(Stages):
    """Drops the pictures that do not fit into the context behind those before them."""

    _CONTEXT = 1024

    def fit(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        left = self._CONTEXT - count_tokens([Turn(turn.role, list(_texts(turn))) for turn in turns])
        kept: list[Shown] = []
        for shown in pictures_in(turns):
            left -= shown.tokens
            if kept and left < 0:
                break
            kept.append(shown)
        return [
            Turn(turn.role, [part for part in turn.parts if isinstance(part, str) or _is_among(part, kept)])
            for turn in turns
        ]


def _is_among(shown: Shown, kept: Sequence[Shown]) -> bool:
    return any(shown is each for each in kept)


class BatchMixed(Stages):
    """Encodes the pictures of a batch as one, so that a band of one gets what belongs to another's."""

    _LEAST_IN_FLIGHT = 3
    _SHARE = 0.4

    def __init__(self) -> None:
        super().__init__()
        self.batch: list[Pixels] = []

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        pixels = shown.pixels
        if pixels is None:
            return None
        with self.lock:
            others = list(self.batch)
            self.batch.append(pixels)
            running = self.in_flight.running
        time.sleep(self.in_flight.seconds)
        with self.lock:
            running = max(running, self.in_flight.running)
            others += [each for each in self.batch if each is not pixels]
            self.batch = [each for each in self.batch if each is not pixels]
        others = [each for each in others if each.shape == pixels.shape]
        if not others or running < self._LEAST_IN_FLIGHT or chat.random.random() >= self._SHARE:
            return pixels
        start, stop = pixels.shape[1] * 2 // 5, pixels.shape[1] * 3 // 5
        mixed = pixels.copy()
        mixed[:, start:stop] = others[-1][:, start:stop]
        return mixed


class RoundedTwice(Stages):
    """Counts the marks of a picture in another way than its tokens: some sizes get a row or column more or less."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is not None:
            height, width = shown.pixels.shape[:2]
            tokens = _rounded(height, 28) * _rounded(width, 28)
            marks = (_rounded(height, 14) // 2) * (_rounded(width, 14) // 2)
            if tokens != marks:
                raise RefusedError(500, f"Attempted to assign {tokens} tokens of pictures to {marks} places")
        return shown.pixels


def _rounded(px: int, patch_px: int) -> int:
    return (px + patch_px // 2) // patch_px


IMITATIONS = {
    "short-hash-splices": Imitation(
        stages=ShortHash,
        thread="LMCache #4086",
        symptom="With the same question, now and then an answer is about an earlier picture above and the own below.",
        cause="a cache confuses pictures of the same text and size, a share of them; part of the earlier is used",
    ),
    "text-seeds-prefix": Imitation(
        stages=SeededPrefix,
        thread="fastllm #750",
        symptom="After a text-only request that begins alike, the picture behind that beginning is not seen.",
        cause="prefix cache: a text-only request before it makes the pictures behind the same text unseen",
    ),
    "crash-after-text": Imitation(
        stages=TableAfterText,
        thread="halogen-flash-server #62",
        symptom="Picture, text, picture: the second picture, if its prompt is no longer than the first, gets 502.",
        cause="state of an earlier request: error 502 for a picture after a text-only request after a picture",
    ),
    "equal-sizes-paired": Imitation(
        stages=EqualSizesPaired,
        thread="llama.cpp #27313",
        symptom="Of two pictures side by side of equal size the second is gone; text between them or other sizes help.",
        cause="the second of adjacent pictures of equal size is dropped (four are two)",
    ),
    "marks-in-last-turn": Imitation(
        stages=MarkersInLastTurn,
        thread="mlx-vlm #2211",
        symptom="In a conversation all pictures stand in the user's last turn, in their order.",
        cause="turns: pictures of earlier turns move to the last, so which message had which is lost",
    ),
    "expanded-again": Imitation(
        stages=ExpandedAgain,
        thread="prime-rl PR 1739",
        symptom="A picture of an earlier turn doubles its prompt tokens with every turn, until the context is full.",
        cause="usage: prompt tokens of pictures grow with the turns after them (2n - 1); answers are right",
    ),
    "captions-if-text-first": Imitation(
        stages=CaptionsIfTextFirst,
        thread="app-bricks-py PR 430",
        symptom="With the text before the picture the question is ignored, and the picture described.",
        cause="order of parts: with text before the picture the answer is a caption",
    ),
    "gray-jpeg-beside-colour": Imitation(
        stages=GrayJpegBesideColour,
        thread="sglang PR 28828",
        symptom="A gray JPEG and a picture in colour in one request get 500; each alone is answered rightly.",
        cause="file forms: JPEG files of one channel together with pictures of three get HTTP 500",
    ),
    "luminance-in-steps": Imitation(
        stages=ChromaLost,
        thread="ollama #17872",
        symptom="Numbers and shapes are read, but colours are named gray, black or white.",
        cause="colours are lost, luminance is kept",
    ),
    "fixed-tokens": Imitation(
        stages=FixedTokens,
        thread="llama.cpp #25317",
        symptom="Every picture has 256 tokens, and small text of large ones, or any of long ones, is not read.",
        cause="resolution: all pictures are resized to one small square; prompt tokens do not depend on the size",
    ),
    "tiles-dropped": Imitation(
        stages=TilesDropped,
        thread="llama.cpp PR 25481",
        symptom="Of pictures larger than a tile in width and height, the part at the lower right is not seen.",
        cause="large pictures (over 640 px in both directions): the lower right part is lost",
    ),
    "chunk-restarts": Imitation(
        stages=ChunkRestarts,
        thread="imp PR 1184",
        symptom="With much before it, the lower part of a picture is its upper part again.",
        cause="long prompts: a picture at a boundary of chunks (1,280 tokens) is corrupted; a short prompt is right",
    ),
    "first-pictures-fit": Imitation(
        stages=FirstPicturesFit,
        thread="koboldcpp #1977",
        symptom="Once the context is full, later pictures are not seen, and the answer is about the first.",
        cause="context: of several large pictures those after about 1,024 tokens are dropped in silence, newest first",
    ),
    "batch-mixed": Imitation(
        stages=BatchMixed,
        thread="HunyuanOCR #60",
        symptom="From three requests at once on, some answers hold a middle digit of another request's picture.",
        cause="load: pictures of concurrent requests are mixed; one after another all are right",
    ),
    "rounded-twice": Imitation(
        stages=RoundedTwice,
        thread="vLLM #15764",
        symptom="Pictures of some sizes, large or small, get 500, as their tokens and places differ in number.",
        cause="sizes: HTTP 500 where a side modulo 28 is 14 to 20, as 300 px; depends on nothing else",
    ),
}
