"""Imitations of public server bugs, each as near as possible to what the users of one thread describe.

They were written without knowledge of how ``vqamt probe`` looks for bugs, to test what it finds and how it explains it.
Where a thread names no numbers, or ones of a larger machine, a constant says which were chosen. The mechanics are
guesses where a thread has only the symptom: sglang #5455, llama.cpp #21871 and #17534, arduino PR 430. None asks
``chat.acts``: each decides by itself when it acts, so that ``imitated.Imitated`` needs no share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import TypeAlias, cast

import numpy as np
from PIL import Image

from tools.faulty_server import perception
from tools.faulty_server.requests import Chat, File, Pixels, Shown, Turn, count_tokens, flattened, pictures_in
from tools.faulty_server.stages import Stages

_TOKEN_PX = 28
"""The side of the patch of one token, as the server counts them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imitation:
    """A public bug, as a server that has it."""

    stages: Callable[[], Stages]
    thread: str
    """Repository and number of the thread that describes it."""
    symptom: str
    """What a user sees."""
    cause: str
    """What a good diagnosis would have to say."""
    is_plain_right: bool = True
    """True if the first plain request, a colour card and then a question about it, is answered rightly."""


IMITATIONS: dict[str, Imitation] = {}
"""All imitations by name."""


Register: TypeAlias = Callable[[type[Stages]], type[Stages]]


def registers(imitations: dict[str, Imitation]) -> Callable[..., Register]:
    """A decorator of the stages of an imitation, which adds it to ``imitations``."""

    def imitation(name: str, thread: str, *, symptom: str, cause: str, is_plain_right: bool = True) -> Register:
        def register(stages: type[Stages]) -> type[Stages]:
            assert name not in imitations, name
            imitations[name] = Imitation(
                stages=stages, thread=thread, symptom=symptom, cause=cause, is_plain_right=is_plain_right
            )
            return stages

        return register

    return imitation


_imitation = registers(IMITATIONS)


def _digest(*values: str | Pixels | None) -> bytes:
    hashed = sha256()
    for value in values:
        if isinstance(value, str):
            hashed.update(value.encode())
        elif value is not None:
            hashed.update(f"{value.shape}".encode() + value.tobytes())
    return hashed.digest()


def _patches(pixels: Pixels) -> list[Pixels]:
    """The whole patches of a picture, in the order of reading."""
    rows, columns = (side // _TOKEN_PX for side in pixels.shape[:2])
    return [
        pixels[y * _TOKEN_PX : (y + 1) * _TOKEN_PX, x * _TOKEN_PX : (x + 1) * _TOKEN_PX].copy()
        for y in range(rows)
        for x in range(columns)
    ]


def _with_patches(pixels: Pixels, patches: list[Pixels]) -> Pixels:
    """A copy of a picture with other whole patches."""
    columns = pixels.shape[1] // _TOKEN_PX
    made = pixels.copy()
    for place, patch in enumerate(patches):
        y, x = (_TOKEN_PX * each for each in divmod(place, columns))
        made[y : y + _TOKEN_PX, x : x + _TOKEN_PX] = patch
    return made


def _resized(pixels: Pixels, width: int, height: int) -> Pixels:
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.BILINEAR))


# Caches and state


@_imitation(
    "spliced-kv-chunks",
    "LMCache #4086",
    symptom="With a question that was asked before, about another picture of the same size, the answer mixes both.",
    cause="prefix cache keyed by text without the picture; the top of the picture is the earlier one's",
)
class SplicedChunks(Stages):
    CHUNK_TOKENS = 48
    """256 in the thread, where pictures have thousands."""

    def __init__(self) -> None:
        super().__init__()
        self.chunks: dict[object, Pixels] = {}

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        with self.lock:
            cached = self.chunks.setdefault((chat.text, place, shown.pixels.shape), shown.pixels)
        before = _tokens_before(shown, chat)
        end = (before + shown.tokens) // self.CHUNK_TOKENS * self.CHUNK_TOKENS
        # Only whole chunks are stored, so the end of a picture is always computed from its own pixels.
        rows = max(0, end - before) // max(1, shown.pixels.shape[1] // _TOKEN_PX)
        spliced = shown.pixels.copy()
        spliced[: rows * _TOKEN_PX] = cached[: rows * _TOKEN_PX]
        return spliced


def _tokens_before(shown: Shown, chat: Chat) -> int:
    tokens = 0
    for turn in chat.turns:
        for part in turn.parts:
            if part is shown:
                return tokens
            tokens += part.tokens if isinstance(part, Shown) else len(part.split()) * 4 // 3
    return tokens


@_imitation(
    "freed-rotary-workspace",
    "sglang #29216",
    symptom="A small picture is read rightly until a larger one was served; from then on the same request is garbage.",
    cause="state: a larger picture spoils all sizes seen before it (graphs keep a freed buffer)",
)
class FreedWorkspace(Stages):
    SHARE = 0.97
    """485 of 500 answers in the thread."""

    def __init__(self) -> None:
        super().__init__()
        self.captured: dict[int, int] = {}
        """The size of the workspace at which the graph of each number of tokens was captured."""
        self.workspace_tokens = 0

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        with self.lock:
            if shown.tokens not in self.captured:
                self.workspace_tokens = max(self.workspace_tokens, shown.tokens)
                self.captured[shown.tokens] = self.workspace_tokens
            is_freed = self.captured[shown.tokens] < self.workspace_tokens
        if not is_freed or chat.random.random() >= self.SHARE:
            return shown.pixels
        # Positions from memory that is another's now: patches are all there, and none is where it was.
        patches = _patches(shown.pixels)
        chat.random.shuffle(patches)
        return _with_patches(shown.pixels, patches)


@_imitation(
    "same-prefix-off-by-one",
    "sglang #5455",
    symptom="Of requests that begin alike, the first is right; later ones with other pictures are subtly wrong.",
    cause="prefix reuse: all but the first picture with the same text are displaced by one token (patch)",
)
class OffByOne(Stages):
    def __init__(self) -> None:
        super().__init__()
        self.prefixes: dict[object, bytes] = {}

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        digest = _digest(shown.pixels)
        with self.lock:
            is_hit = self.prefixes.setdefault((chat.text, place, shown.tokens), digest) != digest
        patches = _patches(shown.pixels)
        if not is_hit or not patches:
            return shown.pixels
        # The token that starts the picture counts as cached, so each patch stands where the next one belongs.
        return _with_patches(shown.pixels, [patches[-1], *patches[:-1]])


# Several pictures, turns and parts


@_imitation(
    "one-of-equal-sizes",
    "ollama #17814",
    symptom="Of two pictures of equal size in a message one is lost, at random; the tokens are those of one.",
    cause="two pictures of the same size in one message collapse into one; sizes that differ are fine",
)
class OneOfEqualSizes(Stages):
    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        return [Turn(turn.role, self._merged(turn, chat)) for turn in turns]

    def _merged(self, turn: Turn, chat: Chat) -> list[str | Shown]:
        parts = list(turn.parts)
        places = [place for place, part in enumerate(parts) if isinstance(part, Shown)]
        lost: set[int] = set()
        # Frames of a film are taken in pairs, so the third of three of a size stays.
        for first, second in pairwise(places):
            if first not in lost and _shape(parts[first]) == _shape(parts[second]):
                survivor = chat.random.choice((first, second))
                parts[first] = parts[survivor]
                lost.add(second)
        return [part for place, part in enumerate(parts) if place not in lost]


def _shape(part: str | Shown) -> tuple[int, ...] | None:
    return part.pixels.shape if isinstance(part, Shown) and part.pixels is not None else None


@_imitation(
    "markers-to-latest-turn",
    "mlx-vlm #2211",
    symptom="In a conversation the model takes pictures of earlier messages for ones of the last message.",
    cause="turns: pictures of earlier user turns are moved to the last one, in their order",
)
class MarkersToLatest(Stages):
    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        pictures = list(pictures_in(turns))
        last = _last_user_turn(turns)
        arranged = [Turn(turn.role, [part for part in turn.parts if isinstance(part, str)]) for turn in turns]
        if last is not None:
            arranged[last].parts[:0] = pictures
        return arranged


def _last_user_turn(turns: list[Turn]) -> int | None:
    return max((place for place, turn in enumerate(turns) if turn.role == "user"), default=None)


@_imitation(
    "final-message-media",
    "mlx-serve PR 318",
    symptom="A picture is not seen when another message of the user follows the one that holds it.",
    cause="pictures of all messages but the last of the user are dropped in silence",
)
class FinalMessageMedia(Stages):
    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        last = _last_user_turn(turns)
        return [
            turn if place == last else Turn(turn.role, [part for part in turn.parts if isinstance(part, str)])
            for place, turn in enumerate(turns)
        ]


@_imitation(
    "text-first-captions",
    "arduino/app-bricks-py PR 430",
    symptom="With the question before the picture the answer is often a general caption instead of what was asked.",
    cause="order of parts: text before the picture is ignored in a share of requests, the same at each repetition",
)
class TextFirstCaptions(Stages):
    SHARE = 0.6
    """Of 31 cases in the thread some were right in either order."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        last = _last_user_turn(turns)
        parts = turns[last].parts if last is not None else []
        final = parts[-1] if parts else ""
        is_text_first = isinstance(final, Shown) and isinstance(parts[0], str)
        if not is_text_first or not isinstance(final, Shown) or final.pixels is None:
            return super().generate(turns, chat)
        if _digest(chat.text, final.pixels)[0] >= 256 * self.SHARE:
            return super().generate(turns, chat)
        return f"The image shows some text on a {perception.read_ground(final.pixels)} background."


# Files and pixels


@_imitation(
    "jpeg-path-ignores-orientation",
    "sglang #33464",
    symptom="Photos of phones are seen lying on their side; the same picture without its EXIF entry is read rightly.",
    cause="EXIF orientation is ignored for JPEG (the fast decoder), and heeded for other files",
)
class JpegOrientation(Stages):
    def decode(self, file: File, chat: Chat) -> Pixels | None:
        return flattened(file.open()) if file.found_type == "image/jpeg" else super().decode(file, chat)


@_imitation(
    "chroma-lost",
    "ollama #17872",
    symptom="Shapes and texts are read rightly, and every colour is called gray or black.",
    cause="colour is lost; only brightness reaches the model",
    is_plain_right=False,
)
class ChromaLost(Stages):
    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        return np.asarray(Image.fromarray(pixels).convert("L").convert("RGB"))


@_imitation(
    "thumbnail-before-tiles",
    "llama.cpp #21871",
    symptom="Pictures of up to 336 pixels are read rightly, and what is in larger ones is misread or misplaced.",
    cause="pictures above 336 px are cut into tiles that stand one place too late (the thumbnail first, the last lost)",
)
class ThumbnailBeforeTiles(Stages):
    TILE_PX = 336

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        height, width = pixels.shape[:2]
        if max(height, width) <= self.TILE_PX:
            return pixels
        rows, columns = -(-height // self.TILE_PX), -(-width // self.TILE_PX)
        grid = _resized(pixels, columns * self.TILE_PX, rows * self.TILE_PX)
        boxes = [
            (slice(y * self.TILE_PX, (y + 1) * self.TILE_PX), slice(x * self.TILE_PX, (x + 1) * self.TILE_PX))
            for y in range(rows)
            for x in range(columns)
        ]
        tiles = [_resized(pixels, self.TILE_PX, self.TILE_PX), *(grid[box] for box in boxes)]
        shifted = grid.copy()
        for box, tile in zip(boxes, tiles, strict=False):
            shifted[box] = tile
        return _resized(shifted, width, height)


# Attention and numbers


@_imitation(
    "attention-across-pictures",
    "TensorRT-LLM #2183",
    symptom="One picture is described well; with several, answers are fluent, and details of one appear in another.",
    cause="several pictures of a request bleed into each other (the encoder's attention has no boundaries)",
)
class AttentionAcross(Stages):
    BLEED = 0.35

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        shown = [each for each in pictures_in(turns) if each.pixels is not None]
        seen = [each.pixels for each in shown if each.pixels is not None]
        if len(shown) < 2:
            return turns
        for place, each in enumerate(shown):
            height, width = seen[place].shape[:2]
            others = [_resized(other, width, height) for at, other in enumerate(seen) if at != place]
            mixed = (1 - self.BLEED) * seen[place] + self.BLEED * np.mean(others, axis=0)
            each.pixels = np.round(mixed).astype(np.uint8)
        return turns


@_imitation(
    "overflow-of-some-pictures",
    "llama.cpp #17534",
    symptom="A few pictures are answered with question marks without end, each time; scaled a little they are fine.",
    cause="a small share of pictures, by content and not by size, gives only question marks up to the limit of tokens",
)
class Overflow(Stages):
    WORST = 0.045
    """The share of pictures, which the thread does not name."""
    ENDLESS = 2048

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        overflows = any(self._overflows(each.pixels) for each in pictures_in(turns) if each.pixels is not None)
        return "?" * self.ENDLESS if overflows else super().generate(turns, chat)

    def _overflows(self, pixels: Pixels) -> bool:
        # Which ones cannot be told from what they show, and another scale of a picture sums up otherwise.
        return int.from_bytes(_digest(pixels)[:2], "big") < self.WORST * 2**16


# Batches, context and usage


@_imitation(
    "fragments-of-neighbours",
    "HunyuanOCR #60",
    symptom="With many requests at once, an answer now and then ends in a piece of another request's answer.",
    cause="under load only (4 or more at once), a share of answers mixes with others of the batch",
)
class FragmentsOfNeighbours(Stages):
    LEAST = 4
    SHARE = 0.3

    def __init__(self) -> None:
        super().__init__()
        self.batch: dict[int, str] = {}

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        said = super().generate(turns, chat)
        with self.lock:
            self.batch[id(chat)] = said
        most = self.in_flight.most()
        with self.lock:
            others = [other for key, other in self.batch.items() if key != id(chat) and other != said]
        self._leave(chat)
        if most < self.LEAST or not others or chat.random.random() >= self.SHARE:
            return said
        begun = (len(said) + 1) // 2
        return said[:begun] + chat.random.choice(others)[begun:]

    def _leave(self, chat: Chat) -> None:
        with self.lock:
            self.batch.pop(id(chat), None)


@_imitation(
    "context-of-1024",
    "1bit-MONSTER #1294",
    symptom="Prompts of more than about a thousand tokens, of texts or pictures, get an empty answer with HTTP 200.",
    cause="a context of 1,024 tokens, far below the model's: longer prompts give empty answers and no error",
)
class ShortContext(Stages):
    MOST_TOKENS = 1024

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        return "" if count_tokens(turns) > self.MOST_TOKENS else super().generate(turns, chat)


@_imitation(
    "pictures-not-counted",
    "ollama #7592",
    symptom="The reported prompt tokens are those of the text alone, whatever pictures are sent; answers are right.",
    cause="usage: prompt tokens leave pictures out",
)
class PicturesNotCounted(Stages):
    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        texts: list[Turn] = [Turn(turn.role, [turn.text]) for turn in chat.turns]
        prompt, completion = count_tokens(texts), cast("dict[str, int]", reply["usage"])["completion_tokens"]
        usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
        return {**reply, "usage": usage}
