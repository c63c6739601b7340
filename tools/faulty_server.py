"""A server of OpenAI's chat completions that reads the cards of ``vqamt probe`` rightly, or with one known bug.

    python -m tools.faulty_server --bug text-keyed-prefix-cache --port 8123 --scenes cards
    vqamt probe openai:cards@http://127.0.0.1:8123
    pytest --vqamt-model=openai:cards@http://127.0.0.1:8123 --vqamt-data=photos:cards --vqamt-relations="serving.*"

It decodes the picture of each request and reads the number and the ground from the pixels. ``--scenes`` writes a
folder of cards as photos for runs: the number of a card stands for a thing, and the ground for its colour. Each bug
is one that users of real servers meet; ``THREADS`` names a thread where one was read. What a client sees is
imitated, not the code.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

from pytest_vqamt.probing.cards import COLOURS, Card, render_card
from tests.models.openai.stub import LocalServer, Reply

Pixels: TypeAlias = NDArray[np.uint8]
"""uint8, HWC, RGB."""


class Bug(StrEnum):
    """The bugs; the value is the name that ``--bug`` takes."""

    IMAGE_HASH = "16-bit-image-hash"
    TEXT_KEYED_CACHE = "text-keyed-prefix-cache"
    FIRST_IMAGE_STICKS = "first-image-sticks"
    DROPPED_WHEN_LARGE = "image-dropped-above-a-size"
    CONTEXT_CUT = "context-cut"
    LEFT_PADDED_BATCH = "left-padded-batch"
    NOISY_ENCODER = "noise-in-the-encoder"
    QUANTISED_ENCODER = "quantised-encoder"
    SWAPPED_CHANNELS = "colour-channels-swapped"
    NON_DETERMINISTIC = "non-determinism"
    REASONING_IN_CONTENT = "reasoning-in-the-content"
    RESIZE_MISMATCH = "resize-mismatch"


THREADS: dict[Bug, str] = {
    Bug.IMAGE_HASH: "LMCache #4086: pictures are told apart by 16 bits of their hash",
    Bug.TEXT_KEYED_CACHE: "vLLM #20261: the prefix cache knows requests by their text alone",
    Bug.FIRST_IMAGE_STICKS: "ollama #7563: every answer is about the first picture that came",
    Bug.DROPPED_WHEN_LARGE: "ollama #13549: the model gets no picture, here where a side exceeds 1,024 px",
    Bug.CONTEXT_CUT: "ollama #7484: a prompt longer than num_ctx loses its beginning, the picture",
    Bug.LEFT_PADDED_BATCH: "mlx-vlm PR 1542: shorter prompts of a batch are decoded with their padding",
    Bug.NOISY_ENCODER: "vLLM #30167: the encoder is inexact, here by noise, so that details are lost",
    Bug.QUANTISED_ENCODER: "an encoder of few bits, here of four levels a channel, merges near colours",
    Bug.SWAPPED_CHANNELS: "a loader with OpenCV's order of channels: red and blue are exchanged",
    Bug.NON_DETERMINISTIC: "a server that samples by its own defaults: temperature 0 is not kept to",
    Bug.REASONING_IN_CONTENT: "vLLM without --reasoning-parser: thoughts stand before the answer",
    Bug.RESIZE_MISMATCH: "llama.cpp #17290: oblong pictures are resized wrongly, here with width and height exchanged",
}
"""What each bug does, and a thread of users who met it, where one was read."""

_LARGEST_PX = 1024
_CONTEXT = 2048
_NOISE = 20.0
_STEP = 85
_PATCH_PX = 28
_BLIND = "I cannot see any picture."
_OPPOSITE = {"yes": "no", "no": "yes"}

NAMES = ("car", "boat", "kite", "cup", "dog", "cat", "chair", "umbrella")
"""The things of scenes of cards: a card shows the one whose place is its number modulo 8."""


@dataclass(frozen=True, slots=True)
class _Prompt:
    text: str
    pixels: Pixels | None

    @property
    def text_tokens(self) -> int:
        return len(self.text.split()) * 4 // 3 + 4

    @property
    def tokens(self) -> int:
        if self.pixels is None:
            return self.text_tokens
        height: int = self.pixels.shape[0]
        width: int = self.pixels.shape[1]
        return self.text_tokens + max(1, width // _PATCH_PX) * max(1, height // _PATCH_PX)


@dataclass(slots=True)
class Batch:
    """Requests that arrived within ``seconds`` of each other."""

    seconds: float = 0.05
    longest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: int = 0

    def padding(self, tokens: int) -> int:
        """Waits for others, and returns by how much the longest of them is longer."""
        with self.lock:
            self.longest = max(self.longest, tokens) if self.running else tokens
            self.running += 1
        time.sleep(self.seconds)
        with self.lock:
            padding = self.longest - tokens
            self.running -= 1
        return padding


class FaultyServer(LocalServer):
    """The server.

    Attributes:
        bug: what is wrong with it; None for nothing.
        batch: how it batches requests, with the left-padded batch.
        requests: how many there were.

    ``flips`` is the share of answers replaced by another at random.
    """

    def __init__(self, bug: Bug | None = None, *, port: int = 0, flips: float = 0.0, seed: int = 0) -> None:
        super().__init__(port)
        self.bug = bug
        self.requests = 0
        self._flips = flips
        self._random = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._seen: dict[object, Pixels | None] = {}
        self.batch = Batch()

    def reply(self, path: str, headers: Mapping[str, str], content: bytes) -> Reply:
        return Reply(body=json.dumps(self.complete(json.loads(content))).encode())

    def complete(self, fields: dict[str, Any]) -> dict[str, object]:
        """The chat completion of a request's JSON."""
        prompt = _prompt(fields)
        cut = self.bug is Bug.CONTEXT_CUT and prompt.tokens > _CONTEXT
        padding = self.batch.padding(prompt.tokens) if self.bug is Bug.LEFT_PADDED_BATCH else 0
        with self._lock:
            self.requests += 1
            pixels = None if cut else self._as_encoded(prompt)
            flipped = self._random.random() < (0.3 if self.bug is Bug.NON_DETERMINISTIC else self._flips)
            other = self._random.randrange(100, 1000)
        answer = _answer(prompt.text, pixels)
        if flipped and answer in _OPPOSITE:
            answer = _OPPOSITE[answer]
        elif flipped:
            # Never the right one by chance: a test would find no fault, once in a hundred runs.
            if answer.isdecimal():
                answer = str(other if answer != str(other) else other + 1)
            else:
                colours = [colour for colour in ("red", "blue", "green", "white") if colour != answer]
                answer = colours[other % len(colours)]
        if padding > 2:
            answer = answer[::-1] if len(answer) > 1 else "the the the"
        if self.bug is Bug.REASONING_IN_CONTENT:
            answer = (
                f"The user asks about the picture. It may be 12, or yellow. No, it is {answer}.\n</think>\n\n{answer}"
            )
        tokens_out = len(answer.split()) + 1
        return {
            "object": "chat.completion",
            "model": fields.get("model", ""),
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
            "usage": {
                "prompt_tokens": min(prompt.tokens, _CONTEXT) if cut else prompt.tokens,
                "completion_tokens": tokens_out,
                "total_tokens": prompt.tokens + tokens_out,
            },
        }

    def _as_encoded(self, prompt: _Prompt) -> Pixels | None:
        """The pixels that reach the model; None for none."""
        pixels = prompt.pixels
        if pixels is None:
            return None
        match self.bug:
            case Bug.IMAGE_HASH:
                # The last four hex digits, as hex_hash_to_int16 keeps them.
                return self._seen.setdefault((prompt.text, sha256(pixels.tobytes()).hexdigest()[-4:]), pixels)
            case Bug.TEXT_KEYED_CACHE:
                return self._seen.setdefault(prompt.text, pixels)
            case Bug.FIRST_IMAGE_STICKS:
                return self._seen.setdefault("first", pixels)
            case Bug.DROPPED_WHEN_LARGE if max(pixels.shape[:2]) > _LARGEST_PX:
                return None
            case Bug.NOISY_ENCODER:
                noisy = _small(pixels) + self._noise.normal(0, _NOISE, _small(pixels).shape)
                return np.clip(noisy, 0, 255).astype(np.uint8)
            case Bug.QUANTISED_ENCODER:
                return (np.round(pixels / _STEP) * _STEP).astype(np.uint8)
            case Bug.SWAPPED_CHANNELS:
                return pixels[..., ::-1]
            case Bug.RESIZE_MISMATCH:
                height, width = pixels.shape[:2]
                return np.ascontiguousarray(pixels).reshape(width, height, 3)
        return pixels


def _prompt(fields: dict[str, Any]) -> _Prompt:
    """The text and the last picture of a request."""
    texts: list[str] = []
    pixels: Pixels | None = None
    for message in fields["messages"]:
        content = message["content"]
        parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            if part["type"] == "text":
                texts.append(part["text"])
            elif part["type"] == "image_url":
                pixels = _decoded(part["image_url"]["url"])
    return _Prompt("\n".join(texts), pixels)


def _decoded(uri: str) -> Pixels:
    image = ImageOps.exif_transpose(Image.open(BytesIO(base64.b64decode(uri.partition(",")[2]))))
    if image.mode == "RGBA":
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return np.asarray(image.convert("RGB"))


def _answer(text: str, pixels: Pixels | None) -> str:
    """What a perfect perceiver of cards says."""
    if "3 plus 4" in text:
        return "7"
    if pixels is None:
        return _BLIND
    number, ground = read_card(_without_margin(pixels))
    question = next((line for line in reversed(text.splitlines()) if "?" in line), "")
    words = set(re.findall("[a-z]+", question.casefold()))
    asked = [name for name in NAMES if words & {name, f"{name}s"}]
    if not asked:
        return ground if "colour" in words else number or "none"
    if "or" in words:
        return ground
    is_there = number.isdecimal() and NAMES[int(number) % len(NAMES)] in asked
    if words & {"many", "number", "count"}:
        return str(int(is_there))
    return "yes" if is_there else "no"


def _without_margin(pixels: Pixels) -> Pixels:
    """The pixels without rows and columns of mid grey at their edges."""
    shown = (pixels.min(axis=2) != 127) | (pixels.max(axis=2) != 127)
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    return pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else pixels


def write_scenes(folder: Path, count: int, seed: int = 0) -> None:
    """Writes cards of three shapes, red or blue, and what they show, as ``--vqamt-data=photos:DIR`` reads it."""
    chosen = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for place in range(count):
        number, colour = chosen.randrange(100, 1000), chosen.choice(("red", "blue"))
        width, height = chosen.choice(((224, 224), (320, 224), (224, 300)))
        card = Card(number=number, ground=COLOURS[colour], size=(width, height), nonce=place + 1)
        render_card(card).save(folder / f"{place}.png")
        thing = {"id": "1", "name": NAMES[number % len(NAMES)], "box": [0, 0, width, height], "attributes": [colour]}
        row = {"id": str(place), "photo": f"{place}.png", "width": width, "height": height}
        rows.append(json.dumps({**row, "objects": [thing], "exhaustive": NAMES}))
    (folder / "graphs.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def read_card(pixels: Pixels) -> tuple[str, str]:
    """The number, "" where none can be read, and the colour of the ground of a card.

    >>> import numpy as np
    >>> read_card(np.asarray(render_card(Card(number=417, ground=COLOURS["blue"]))))
    ('417', 'blue')
    """
    smooth = Image.fromarray(np.ascontiguousarray(_small(pixels))).filter(ImageFilter.BoxBlur(1))
    small = np.asarray(smooth).astype(np.int16)
    ground = np.median(small.reshape(-1, 3), axis=0)
    name = min(COLOURS, key=lambda each: float(np.abs(np.array(COLOURS[each]) - ground).sum()))
    height, width = small.shape[:2]
    inner = small[height // 8 : -(height // 8) or None, width // 16 : -(width // 16) or None]
    difference = np.abs(inner - ground).max(axis=2)
    strongest = float(np.percentile(difference, 99))
    if strongest < 6:
        return "", name
    return "".join(map(_digit, _pieces(difference > strongest / 2))), name


def _small(pixels: Pixels) -> Pixels:
    """Every n-th pixel, so that no side is longer than 448 px."""
    step = -(-max(pixels.shape[:2]) // 448)
    return pixels[::step, ::step]


def _pieces(ink: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The three largest pieces of the ink, cut at empty columns, each without empty rows above and below."""
    columns = np.flatnonzero(np.diff(np.concatenate(([0], ink.any(axis=0).astype(np.int8), [0]))))
    pieces = [ink[:, start:stop] for start, stop in zip(columns[::2], columns[1::2], strict=True)]
    rows = [np.flatnonzero(piece.any(axis=1)) for piece in pieces]
    trimmed = [piece[each[0] : each[-1] + 1] for piece, each in zip(pieces, rows, strict=True)]
    largest = sorted(trimmed, key=np.size, reverse=True)[:3]
    return [piece for piece in trimmed if any(piece is each for each in largest)]


def _normal(piece: NDArray[np.bool_]) -> NDArray[np.float64]:
    scaled = Image.fromarray(piece.astype(np.uint8) * 255).resize((12, 18), Image.Resampling.BOX)
    return np.append(np.asarray(scaled, dtype=np.float64).ravel() / 255, 60 * piece.shape[1] / piece.shape[0])


@cache
def _templates() -> dict[str, NDArray[np.float64]]:
    found: dict[str, NDArray[np.float64]] = {}
    for start in ("123", "456", "789", "100"):
        pixels = np.asarray(render_card(Card(number=int(start), ground=(0, 0, 0), size=(300, 300))))
        for digit, piece in zip(start, _pieces(pixels.max(axis=2) > 128), strict=True):
            found[digit] = _normal(piece)
    return found


def _digit(piece: NDArray[np.bool_]) -> str:
    seen = _normal(piece)
    distances = {digit: float(np.abs(seen - template).sum()) for digit, template in _templates().items()}
    return min(distances, key=distances.__getitem__)


def main(argv: Sequence[str] | None = None) -> None:
    """Serves until it is interrupted."""
    parser = argparse.ArgumentParser(
        description="A server that reads the cards of `vqamt probe`, with one bug or none."
    )
    parser.add_argument("--bug", choices=[bug.value for bug in Bug], help="; ".join(THREADS.values()))
    parser.add_argument("--port", type=int, default=8123)
    parser.add_argument("--scenes", type=Path, metavar="DIR", help="write 200 cards as photos with graphs for runs")
    parser.add_argument("--flips", type=float, default=0.0, help="the share of answers replaced by others at random")
    given = parser.parse_args(argv)
    if given.scenes:
        write_scenes(given.scenes, 200)
    server = FaultyServer(Bug(given.bug) if given.bug else None, port=given.port, flips=given.flips)
    print(f"vqamt probe openai:cards@{server.url}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
