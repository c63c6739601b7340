"""Imitations of public server bugs by a second author, who knew neither the probe nor the bugs planted before.

Each follows what one thread reports as its users met it; the mechanics are our own, on the stages of ``faulty_server``.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from random import Random

import numpy as np

from tests.probing.imitations import Imitation
from tools.faulty_server import perception
from tools.faulty_server.requests import Chat, File, Pixels, Shown, Turn, count_tokens, pictures_in, resized
from tools.faulty_server.stages import RefusedError, Stages

_PATCH_PX = 28
_CACHED_CHUNK = 256
_PREFILL_CHUNK = 2048
_CONTEXT = 2048
_WINDOW = 1000
"""Below the most tokens that a picture has here, as the thread's window is below its own."""
_TILE_PX = 336
_REPLICAS = 2
_STALE_SHARE = 0.97
_MIXED_SHARE = 0.3
_TYPED_MARKS = ("<|image_pad|>", "<image>", "<|image|>")
_CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
_CLIP_STD = (0.26862954, 0.26130258, 0.27577711)


def _before(shown: Shown, chat: Chat) -> list[Turn]:
    """The conversation up to a picture."""
    turns: list[Turn] = []
    for turn in chat.turns:
        place = next((at for at, part in enumerate(turn.parts) if part is shown), None)
        if place is not None:
            return [*turns, replace(turn, parts=turn.parts[:place])]
        turns.append(turn)
    return turns


def _token_ids(shown: Shown, chat: Chat) -> object:
    """All that token ids tell of a prompt up to the end of a picture: texts, and how large the pictures are."""
    before = _before(shown, chat)
    texts = tuple((turn.role, turn.text) for turn in before)
    return texts, tuple(each.tokens for each in pictures_in(before)), shown.tokens


# Caches and state


class TokenIdChunks(Stages):
    """Keeps chunks of 256 tokens by their ids, which are the same for all pictures of a size."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[object, Pixels] = {}

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        start = count_tokens(_before(shown, chat))
        # The rest of the picture, in a chunk that is not full, is computed anew.
        cached = (start + shown.tokens) // _CACHED_CHUNK * _CACHED_CHUNK - start
        if cached <= 0:
            return shown.pixels
        with self.lock:
            first = self.seen.setdefault((_token_ids(shown, chat), shown.pixels.shape), shown.pixels)
        rows = round(len(first) * cached / shown.tokens)
        return np.concatenate([first[:rows], shown.pixels[rows:]])


class CountedIdentities(Stages):
    """Two replicas count their pictures from 0 for the identities by which they share a cache."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = 0
        self.seen: dict[object, Pixels] = {}
        self.own = threading.local()

    def admit(self, chat: Chat) -> None:
        if chat.pictures:
            with self.lock:
                self.own.number = self.requests // _REPLICAS
                self.requests += 1

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        key = self.own.number, place, _token_ids(shown, chat), shown.pixels.shape
        with self.lock:
            return self.seen.setdefault(key, shown.pixels)


class FreedWorkspace(Stages):
    """Graphs that were captured before a larger picture came read the positions from freed memory."""

    def __init__(self) -> None:
        super().__init__()
        self.largest = 0
        self.captured: set[int] = set()
        self.stale: set[int] = set()

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        height, width = shown.pixels.shape[:2]
        patches = -(-height // _PATCH_PX) * -(-width // _PATCH_PX)
        with self.lock:
            if patches > self.largest:
                self.stale |= self.captured
                self.largest = patches
            self.captured.add(patches)
            is_stale = patches in self.stale
        return _shuffled(shown.pixels) if is_stale and chat.random.random() < _STALE_SHARE else shown.pixels


def _shuffled(pixels: Pixels) -> Pixels:
    """The patches at other positions, the same ones for each picture of a size."""
    height, width = pixels.shape[:2]
    corners = [(y, x) for y in range(0, height - 27, _PATCH_PX) for x in range(0, width - 27, _PATCH_PX)]
    moved = pixels.copy()
    for (y, x), (from_y, from_x) in zip(corners, Random(0).sample(corners, len(corners)), strict=True):
        moved[y : y + _PATCH_PX, x : x + _PATCH_PX] = pixels[from_y : from_y + _PATCH_PX, from_x : from_x + _PATCH_PX]
    return moved


# Several pictures, turns and the order of parts


class MergedNeighbours(Stages):
    """Two pictures of one size without text between them become one, as two frames of a film do."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        return [replace(turn, parts=_merged(turn.parts)) for turn in turns]


def _merged(parts: list[str | Shown]) -> list[str | Shown]:
    kept: list[str | Shown] = []
    is_open = False
    for part in parts:
        last = kept[-1] if kept else None
        if is_open and isinstance(part, Shown) and isinstance(last, Shown):
            one, other = last.pixels, part.pixels
            if one is not None and other is not None and one.shape == other.shape:
                mean = np.mean([one, other], axis=0).astype(np.uint8)
                kept[-1] = replace(last, pixels=mean)
                is_open = False
                continue
        kept.append(part)
        is_open = isinstance(part, Shown)
    return kept


class LatestTurnMarkers(Stages):
    """The markers of all pictures stand in the latest turn of the user, in the order of the pictures."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        latest = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=-1)
        texts = [replace(turn, parts=[part for part in turn.parts if isinstance(part, str)]) for turn in turns]
        if latest >= 0:
            texts[latest].parts[:0] = pictures_in(turns)
        return texts


class SizedAsFirst(Stages):
    """All pictures of a request are resized to the width and height of its first."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        first = chat.pictures[0].pixels
        if shown.pixels is None or first is None or shown.pixels.shape == first.shape:
            return shown.pixels
        return resized(shown.pixels, first.shape[1], first.shape[0])


class TypedMarks(Stages):
    """A mark that the user typed before a picture takes it, and the picture's own place stays empty."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        open_marks = 0
        arranged = []
        for turn in turns:
            parts: list[str | Shown] = []
            for part in turn.parts:
                if isinstance(part, str):
                    open_marks += sum(part.count(mark) for mark in _TYPED_MARKS)
                    parts.append(part)
                elif open_marks:
                    # Within a sentence, without the marks around it, a model does not see it.
                    open_marks -= 1
                else:
                    parts.append(part)
            arranged.append(replace(turn, parts=parts))
        return arranged


# Files, colours and resolution


class UnequalPlanes(Stages):
    """JPEGs keep the planes of their file: a gray one has 1, and cannot be stacked with a coloured picture's 3."""

    def __init__(self) -> None:
        super().__init__()
        self.own = threading.local()

    def admit(self, chat: Chat) -> None:
        self.own.planes = set()

    def decode(self, file: File, chat: Chat) -> Pixels | None:
        with file.open() as image:
            self.own.planes.add(1 if image.format == "JPEG" and image.mode == "L" else 3)
        if len(self.own.planes) > 1:
            raise RefusedError(500, "Internal server error: pictures of 1 and 3 planes in one batch")
        return super().decode(file, chat)


class ClipNormalised(Stages):
    """Pixels are normalised by the mean and deviation of another encoder, which stretches them 1.9 times."""

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        normal = (pixels / 255 - np.array(_CLIP_MEAN)) / np.array(_CLIP_STD)
        # What the encoder takes it for, by its own mean and deviation of 0.5.
        seen: Pixels = np.clip((normal * 0.5 + 0.5) * 255, 0, 255).astype(np.uint8)
        return seen


class ShiftedTiles(Stages):
    """The overview of a picture that has tiles is taken for its first tile, and each tile for the next one."""

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        height, width = pixels.shape[:2]
        rows, columns = -(-height // _TILE_PX), -(-width // _TILE_PX)
        if rows * columns == 1:
            return pixels
        whole = resized(pixels, columns * _TILE_PX, rows * _TILE_PX)
        corners = [(y * _TILE_PX, x * _TILE_PX) for y in range(rows) for x in range(columns)]
        tiles = [whole[y : y + _TILE_PX, x : x + _TILE_PX] for y, x in corners]
        shifted = whole.copy()
        for (y, x), tile in zip(corners, [resized(pixels, _TILE_PX, _TILE_PX), *tiles[:-1]], strict=True):
            shifted[y : y + _TILE_PX, x : x + _TILE_PX] = tile
        return resized(shifted, width, height)


# Attention and context


class CausalPatches(Stages):
    """The patches of a picture with more tokens than the window see the earlier ones alone, which blurs them."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None or shown.tokens <= _WINDOW:
            return shown.pixels
        height, width = shown.pixels.shape[:2]
        return resized(resized(shown.pixels, width // _PATCH_PX, height // _PATCH_PX), width, height)


class RestartedChunk(Stages):
    """The part of a picture behind the end of a prefill chunk shows its beginning again."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        room = _PREFILL_CHUNK - count_tokens(_before(shown, chat)) % _PREFILL_CHUNK
        if room >= shown.tokens:
            return shown.pixels
        height = len(shown.pixels)
        rows = round(height * room / shown.tokens)
        return np.concatenate([shown.pixels[:rows], shown.pixels[: height - rows]])


class FullContext(Stages):
    """Pictures that do not fit into the context beside the earlier ones are left out."""

    def fit(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        texts = [replace(turn, parts=[part for part in turn.parts if isinstance(part, str)]) for turn in turns]
        room = _CONTEXT - count_tokens(texts)
        fitted = []
        for turn in turns:
            parts: list[str | Shown] = []
            for part in turn.parts:
                if isinstance(part, Shown):
                    if part.tokens > room:
                        continue
                    room -= part.tokens
                parts.append(part)
            fitted.append(replace(turn, parts=parts))
        return fitted


# Batch and usage


class NeighboursFragments(Stages):
    """Among pictures that are encoded at once, the middle of an answer comes from a neighbour at times."""

    def __init__(self) -> None:
        super().__init__()
        self.batch: list[tuple[Chat, str]] = []

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        answer = perception.answer(turns)
        if not chat.pictures:
            return answer
        mine = chat, answer
        with self.lock:
            self.batch.append(mine)
            met = list(self.batch)
        time.sleep(self.in_flight.seconds)
        with self.lock:
            met += self.batch
            self.batch = [each for each in self.batch if each is not mine]
        others = [each[1] for each in met if each is not mine]
        if not others or chat.random.random() >= _MIXED_SHARE:
            return answer
        third = -(-len(answer) // 3)
        return answer[:third] + chat.random.choice(others)[third : 2 * third] + answer[2 * third :]


class UncountedLastToken(Stages):
    """The token at which an answer was cut is not counted."""

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        choices, usage = reply["choices"], reply["usage"]
        assert isinstance(choices, list)
        assert isinstance(usage, dict)
        if choices[0]["finish_reason"] == "length":
            usage["completion_tokens"] -= 1
            usage["total_tokens"] -= 1
        return reply


IMITATIONS = {
    "token-id-chunks": Imitation(
        stages=TokenIdChunks,
        thread="LMCache #4086",
        symptom="With the same question about another large picture, the answer is about a splice of both pictures.",
        cause="prefix cache without the pictures: same text and size, whole chunks of the first picture are reused",
    ),
    "counted-identities": Imitation(
        stages=CountedIdentities,
        thread="LMCache PR 5055",
        symptom="The second of two requests with one text through two replicas is about the first's picture.",
        cause="cache key of pictures is not their content: every second request of one text gets the one before",
    ),
    "freed-workspace": Imitation(
        stages=FreedWorkspace,
        thread="sglang #29216",
        symptom="A small picture is read rightly until a larger one was served; then the same request gets garbage.",
        cause="state: a larger picture spoils all later pictures of the sizes that came before it",
    ),
    "merged-neighbours": Imitation(
        stages=MergedNeighbours,
        thread="llama.cpp #24303",
        symptom="Of four pictures of one size the model sees two; with text between them it sees all.",
        cause="neighbouring pictures of the same size are merged in pairs unless text stands between them",
    ),
    "latest-turn-markers": Imitation(
        stages=LatestTurnMarkers,
        thread="mlx-vlm #2211",
        symptom="Pictures of earlier messages are taken for pictures of the latest message.",
        cause="pictures move to the last turn of the user; their turn is lost, their order kept",
    ),
    "sized-as-first": Imitation(
        stages=SizedAsFirst,
        thread="Megatron-LM PR 6260",
        symptom="A picture of another shape behind the first one is squashed, and its text is not read.",
        cause="several pictures: all get the first one's size, so aspect and resolution of later ones are lost",
    ),
    "typed-marks": Imitation(
        stages=TypedMarks,
        thread="vLLM #57740",
        symptom="With a typed <|image_pad|> before the picture the model does not see it; behind it, it does.",
        cause="a picture's mark in the user's text is taken for a placeholder where the text stands before the picture",
    ),
    "unequal-planes": Imitation(
        stages=UnequalPlanes,
        thread="sglang PR 35101",
        symptom="A gray JPEG beside a coloured picture gets HTTP 500; each alone is answered.",
        cause="error for a JPEG of one channel (gray) in a request with coloured pictures",
    ),
    "clip-normalised": Imitation(
        stages=ClipNormalised,
        thread="coreai-models #82",
        symptom="Colours are somewhat wrong, and what is faint on a light or dark ground is not seen.",
        cause="pixel values are stretched and clipped (wrong normalisation): contrast at both ends is lost",
    ),
    "shifted-tiles": Imitation(
        stages=ShiftedTiles,
        thread="llama.cpp #21871",
        symptom="Pictures of more than 336 px are misread, smaller ones are not.",
        cause="pictures above 336 px are wrong: their tiles are mixed up",
    ),
    "causal-patches": Imitation(
        stages=CausalPatches,
        thread="vLLM PR 47217",
        symptom="Text in very large pictures is not read, though the same text in smaller ones is.",
        cause="detail is lost in pictures above about 1,000 tokens (900 x 900 px) alone",
    ),
    "restarted-chunk": Imitation(
        stages=RestartedChunk,
        thread="kekzl/imp PR 1184",
        symptom="Behind a long text, the lower part of a picture shows its upper part again.",
        cause="a picture that stands across token 2,048 of the prompt is wrong: the length of the text before counts",
    ),
    "full-context": Imitation(
        stages=FullContext,
        thread="koboldcpp #1977",
        symptom="In a long conversation the model does not see new pictures, and describes the first one instead.",
        cause="pictures beyond about 2,048 tokens of context are dropped in silence, the newest first",
    ),
    "neighbours-fragments": Imitation(
        stages=NeighboursFragments,
        thread="HunyuanOCR #60",
        symptom="With several requests at once, some answers hold a piece of another request's answer.",
        cause="concurrency: requests in one batch mix, in a share of answers; one at a time is right",
    ),
    "uncounted-last-token": Imitation(
        stages=UncountedLastToken,
        thread="LM Studio #2335",
        symptom="An answer that ends at max_tokens reports one completion token less than it has.",
        cause="usage: completion_tokens is max_tokens - 1 where finish_reason is length",
    ),
}
