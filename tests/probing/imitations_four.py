"""More imitations of public server bugs, each as near as possible to what the users of one thread describe.

They were written without knowledge of how ``vqamt probe`` looks for bugs. Where a thread names no numbers, or ones of
a larger machine, a constant says which were chosen. The mechanics are guesses where a thread has only the symptom:
LM Studio #1663 and #1140, transformers #41180, vLLM #40106, llama.cpp #28318. None asks ``chat.acts``: each decides by
itself when it acts.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from hashlib import sha256

import numpy as np

from pytest_vqamt.probing.cards import COLOURS, Card, render_card
from tests.probing.imitations import Imitation, registers
from tools.faulty_server import perception
from tools.faulty_server.requests import Chat, File, Pixels, Shown, Turn, count_tokens, flattened, pictures_in, resized
from tools.faulty_server.stages import RefusedError, Stages

_TOKEN_PX = 28
"""The side of the patch of one token, as the server counts them."""
_WINDOW_PX = 112
"""The side of a window of attention in Qwen2.5-VL's encoder."""
_BLOCK_TOKENS = 16
"""vLLM's; LMCache has chunks of 256, which no picture of a few hundred pixels fills."""
_MOST_TOKENS_CACHED = 50_000
_HANG_S = 0.1
"""Requests to a dead runner never end; here a gateway ends them soon."""
_PADS = 300
_GARBAGE = "?" * 31
_OVERFLOW_PX = 1_000_000
_OVERFLOW_CONTRAST = 45.0
"""The standard deviation of the gray values; the checkerboard of the thread has 127."""
_UNMASKED_SHARE = 0.18
"""MMMU fell from 51 % to 42 %: so many of the right answers were lost."""
_MISREAD_DIGITS = 0.35
"""For "many errors"."""
_CAUSAL_SHARE = 0.05
"""For a divergence of 0.03 to 0.09 in each token."""
_CORNER_SHARE = 0.3

IMITATIONS: dict[str, Imitation] = {}
"""All imitations of this module by name."""


_imitation = registers(IMITATIONS)


def _draw(*values: str | Pixels | None) -> float:
    """A number from 0 to 1 that is always the same for the same texts and pictures."""
    digest = sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(str(value.shape).encode() + value.tobytes())
        else:
            digest.update(str(value).encode() + b"\0")
    return int.from_bytes(digest.digest()[:8], "big") / 2**64


# Prefix caches that know pictures by their placeholders alone


def _laid_out(turns: list[Turn]) -> tuple[list[str], list[Pixels | None]]:
    """The tokens of a prompt, and for each the picture that it is a part of; all pictures have the same token."""
    tokens: list[str] = []
    sources: list[Pixels | None] = []

    def add(token: str, times: int = 1, source: Pixels | None = None) -> None:
        tokens.extend([token] * times)
        sources.extend([source] * times)

    for turn in turns:
        add(f"<|{turn.role}|>")
        for part in turn.parts:
            if isinstance(part, Shown):
                add("<|vision_start|>")
                add("<|image_pad|>", part.tokens, part.pixels)
                add("<|vision_end|>")
            else:
                for word in part.split():
                    add(word)
        add("<|end|>")
    return tokens, sources


def _spans(turns: list[Turn]) -> Iterator[tuple[Shown, int, int]]:
    """Each picture, and where its tokens start and stop in the prompt."""
    tokens, _ = _laid_out(turns)
    starts = [place + 1 for place, token in enumerate(tokens) if token == "<|vision_start|>"]
    for shown, start in zip(pictures_in(turns), starts, strict=True):
        yield shown, start, start + shown.tokens


class _TokenKeyed(Stages):
    """A cache of prefixes whose key are the numbers of the tokens, in blocks."""

    block = _BLOCK_TOKENS

    def __init__(self) -> None:
        super().__init__()
        self.blocks: dict[int, list[Pixels | None]] = {}

    def keys(self, tokens: list[str]) -> Iterator[int]:
        """The keys of all whole blocks; each includes what is before it."""
        key = 0
        for start in range(0, len(tokens) - self.block + 1, self.block):
            key = hash((key, *tokens[start : start + self.block]))
            yield key

    def reused(self, tokens: list[str]) -> list[Pixels | None]:
        """For each token of the longest cached prefix, the picture it was computed from."""
        found: list[Pixels | None] = []
        with self.lock:
            for key in self.keys(tokens):
                if key not in self.blocks:
                    break
                found += self.blocks[key]
        return found

    def store(self, tokens: list[str], sources: list[Pixels | None]) -> None:
        with self.lock:
            if len(self.blocks) * self.block > _MOST_TOKENS_CACHED:
                self.blocks.clear()
            for place, key in enumerate(self.keys(tokens)):
                start = place * self.block
                self.blocks.setdefault(key, sources[start : start + self.block])


def _reuse(turns: list[Turn], reused: list[Pixels | None]) -> None:
    """Replaces the part of each picture that lies in the cached prefix, which patches fill row by row."""
    for shown, start, stop in list(_spans(turns)):
        count = min(len(reused), stop) - start
        if count <= 0 or shown.pixels is None:
            continue
        earlier = reused[start]
        # None where a user's own words look like the token of a picture.
        if earlier is None:
            continue
        if count == stop - start:
            shown.pixels = earlier
            continue
        height, width = shown.pixels.shape[:2]
        rows = round(height * count / (stop - start))
        mixed = shown.pixels.copy()
        mixed[:rows] = resized(earlier, width, height)[:rows]
        shown.pixels = mixed


@_imitation(
    "kv-store-by-placeholders",
    "LMCache #690",
    symptom="pictures of one size with the same text before them get the first one's answer",
    cause="the key of a cache leaves the content of pictures out: all placeholders are the same token",
)
class KvStoreByPlaceholders(_TokenKeyed):
    """An external store of the KV cache in chunks; the rest of a picture after the last whole chunk is its own."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        tokens, sources = _laid_out(turns)
        reused = self.reused(tokens)
        self.store(tokens, sources)
        _reuse(turns, reused)
        return turns


@_imitation(
    "radix-tree-of-placeholders",
    "sglang-omni #258",
    symptom="a later picture with the same text before it is answered as an earlier, finished request's one",
    cause="the prefix cache matches numbers of tokens, and those of all pictures are the same",
)
class RadixTreeOfPlaceholders(_TokenKeyed):
    """A radix tree matches token by token; a request enters it when it is finished, so not those at once with it."""

    block = 1

    def __init__(self) -> None:
        super().__init__()
        self.running: dict[int, tuple[list[str], list[Pixels | None]]] = {}

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        tokens, sources = _laid_out(turns)
        # The last token is always computed.
        reused = self.reused(tokens[:-1])
        with self.lock:
            self.running[id(chat)] = tokens, sources
        _reuse(turns, reused)
        return turns

    def report(self, reply: dict[str, object], chat: Chat) -> dict[str, object]:
        with self.lock:
            tokens, sources = self.running.pop(id(chat))
        self.store(tokens, sources)
        return reply


@_imitation(
    "cached-prefix-kills-runner",
    "ROCm/ATOM PR 1358",
    symptom="the second picture ends the model's process: it and all requests after it get no answer",
    cause="a picture whose tokens are in part in the prefix cache crashes the server, which stays up without a model",
)
class CachedPrefixKillsRunner(_TokenKeyed):
    """All patches of a picture are embedded, but only the placeholders after the cached blocks are left for them."""

    def __init__(self) -> None:
        super().__init__()
        self.dead = threading.Event()

    def admit(self, chat: Chat) -> None:
        if self.dead.is_set():
            self._hang()

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        tokens, sources = _laid_out(turns)
        reused = self.reused(tokens[:-1])
        if any(start < len(reused) < stop for _, start, stop in _spans(turns)):
            self.dead.set()
            self._hang()
        self.store(tokens, sources)
        _reuse(turns, reused)
        return turns

    def _hang(self) -> None:
        time.sleep(_HANG_S)
        raise RefusedError(504, "The upstream server did not answer in time")


# Conversations and several pictures


@_imitation(
    "later-pictures-ignored",
    "ollama #9513",
    symptom="a second picture, sent later in a conversation, is ignored, and the first one is described again",
    cause="only the pictures of the first turn that has any reach the model",
)
class LaterPicturesIgnored(Stages):
    """The slot of a conversation keeps the pictures with which it began."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        kept: list[Turn] = []
        has_some = False
        for turn in turns:
            parts = [part for part in turn.parts if isinstance(part, str) or not has_some]
            has_some = has_some or any(isinstance(part, Shown) for part in parts)
            kept.append(Turn(turn.role, parts))
        return kept


@_imitation(
    "three-pictures-permuted",
    "LM Studio #1663",
    symptom="three and more pictures arrive in another order, which depends on their number; two are in order",
    cause="the pictures of a request are permuted from three on",
)
class ThreePicturesPermuted(Stages):
    """The list for the engine is filled from its second place on, each picture before the one that came before it."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        order: list[Shown] = []
        for shown in pictures_in(turns):
            # Of one or none: at the end.
            order.insert(1 if len(order) > 1 else len(order), shown)
        left = iter(order)
        return [
            Turn(turn.role, [part if isinstance(part, str) else next(left) for part in turn.parts]) for turn in turns
        ]


@_imitation(
    "turns-with-pictures-fail",
    "mlx-vlm #833",
    symptom="a conversation of several turns with pictures gets an HTTP error 500; one turn works",
    cause="the template puts no markers of pictures into a conversation of several turns, and the server answers 500",
)
class TurnsWithPicturesFail(Stages):
    """Marks are put while the first user message is also the last."""

    def admit(self, chat: Chat) -> None:
        if chat.pictures and sum(turn.role == "user" for turn in chat.turns) > 1:
            raise RefusedError(500, "The prompt has 0 places for the features of its images")


# Pictures that never arrive, or as something else


@_imitation(
    "pictures-discarded-answers-made-up",
    "ollama #17501",
    symptom="pictures are accepted and discarded, and answers about them are fluent and made up from the text",
    cause="no picture reaches the model, which does not say so: answers depend on the text alone",
    is_plain_right=False,
)
class PicturesDiscarded(Stages):
    """The runner of one quantization has no encoder; the model imagines what the question supposes."""

    def arrange(self, turns: list[Turn], chat: Chat) -> list[Turn]:
        return [Turn(turn.role, [part for part in turn.parts if isinstance(part, str)]) for turn in turns]

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        if not chat.pictures:
            return perception.answer(turns)
        number = 100 + int(_draw("number", chat.text) * 900)
        ground = list(COLOURS.values())[int(_draw("ground", chat.text) * len(COLOURS))]
        imagined = Shown(File("", b""), pixels=np.asarray(render_card(Card(number=number, ground=ground))))
        return perception.answer([*turns[:-1], Turn(turns[-1].role, [imagined, *turns[-1].parts])])


@_imitation(
    "orientation-unread",
    "ollama #18418",
    symptom="photos whose EXIF says that they are turned or mirrored are seen as they are stored",
    cause="the EXIF orientation of files is ignored",
)
class OrientationUnread(Stages):
    """Decodes the file, and reads nothing else of it."""

    def decode(self, file: File, chat: Chat) -> Pixels | None:
        return flattened(file.open())


@_imitation(
    "red-and-blue-flipped",
    "ollama #12784",
    symptom="red is called blue and blue red; green is right",
    cause="the red and the blue channel are swapped",
    is_plain_right=False,
)
class RedAndBlueFlipped(Stages):
    """The API's path hands BGR to the encoder."""

    def preprocess(self, pixels: Pixels, chat: Chat) -> Pixels | None:
        return np.ascontiguousarray(pixels[..., ::-1])


@_imitation(
    "pictures-make-pads",
    "omlx #1678",
    symptom="with any picture the answer is one padding token after the other up to the limit; text alone works",
    cause="pictures overflow the encoder's half precision: every answer about one is garbage",
    is_plain_right=False,
)
class PicturesMakePads(Stages):
    """NaN from the encoder reach the language model."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        return "<pad>" * _PADS if any(pictures_in(turns)) else perception.answer(turns)


@_imitation(
    "encoder-quantized-by-mistake",
    "vllm-omni #2686",
    symptom="a red picture is called gray: pictures are accepted, and nothing of them is seen",
    cause="the encoder's output is garbage: no picture's content reaches the model, all look gray",
    is_plain_right=False,
)
class EncoderQuantizedByMistake(Stages):
    """Weights of 16 bits, read as of 8, make the same features of all pictures."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        return None if shown.pixels is None else np.full_like(shown.pixels, 128)


@_imitation(
    "strong-large-pictures-overflow",
    "ollama PR 18070",
    symptom="some large pictures with strong contrast always get 31 question marks",
    cause="half precision overflows at large pictures of strong contrast, and the answer is garbage",
)
class StrongLargePicturesOverflow(Stages):
    """A sum of 16 bits overflows where many patches are strong."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        for shown in pictures_in(turns):
            pixels = shown.pixels
            if pixels is None or pixels[..., 0].size < _OVERFLOW_PX:
                continue
            if float(pixels[::4, ::4].mean(axis=2).std()) >= _OVERFLOW_CONTRAST:
                return _GARBAGE
        return perception.answer(turns)


# Encoders and attention that are subtly wrong


@_imitation(
    "patches-in-one-row",
    "mlx-lm PR 1768",
    symptom="where something is in a picture is told wrongly; what there is, is right",
    cause="the places of patches in the grid are lost: positions within pictures are wrong",
)
class PatchesInOneRow(Stages):
    """Patches are numbered in one row: far to the right and further down are the same, so two corners change places."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        if shown.pixels is None:
            return None
        height, width = (round(side * _CORNER_SHARE) for side in shown.pixels.shape[:2])
        if min(height, width) == 0:
            return shown.pixels
        moved = shown.pixels.copy()
        moved[:height, -width:] = shown.pixels[-height:, :width]
        moved[-height:, :width] = shown.pixels[:height, -width:]
        return moved


@_imitation(
    "windows-unmasked",
    "vllm-gaudi PR 831",
    symptom="about one in six pictures of more than one window is misread, always the same ones; colours are right",
    cause="details are misread in a part of the pictures, whatever the question and load: the encoder is wrong",
)
class WindowsUnmasked(Stages):
    """Windows of attention see each other: in a part of the pictures each has the content of the next."""

    def encode(self, shown: Shown, place: int, chat: Chat) -> Pixels | None:
        pixels = shown.pixels
        if pixels is None or _draw(pixels) >= _UNMASKED_SHARE:
            return pixels
        rows, columns = (side // _WINDOW_PX for side in pixels.shape[:2])
        corners = [(row * _WINDOW_PX, column * _WINDOW_PX) for row in range(rows) for column in range(columns)]
        mixed = pixels.copy()
        for (y, x), (other_y, other_x) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            seen = pixels[other_y : other_y + _WINDOW_PX, other_x : other_x + _WINDOW_PX]
            mixed[y : y + _WINDOW_PX, x : x + _WINDOW_PX] = seen
        return mixed


class _Misreading(Stages):
    """Numbers in pictures are said otherwise; colours and shapes are right."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        said = perception.answer(turns)
        for shown in pictures_in(turns):
            number = "" if shown.pixels is None else perception.read_number(shown.pixels)
            # As a word: "12" is not a part of "3126".
            if number and re.search(rf"\b{number}\b", said):
                return re.sub(rf"\b{number}\b", self.misread(number, shown.pixels, chat), said)
        return said

    def misread(self, number: str, pixels: Pixels | None, chat: Chat) -> str:
        raise NotImplementedError


def _other_digit(digit: str, *drawn_from: str | Pixels | None) -> str:
    return str((int(digit) + 1 + int(_draw(*drawn_from) * 9)) % 10)


@_imitation(
    "picture-tokens-not-causal",
    "llama.cpp #28318",
    symptom="text in pictures is read with many errors; colours and shapes are right",
    cause="digits and letters in most pictures are misread: the picture's tokens are decoded with the wrong attention",
)
class PictureTokensNotCausal(_Misreading):
    """Each digit is misread with the same chance."""

    def misread(self, number: str, pixels: Pixels | None, chat: Chat) -> str:
        return "".join(
            _other_digit(digit, pixels, f"other {place}") if _draw(pixels, str(place)) < _MISREAD_DIGITS else digit
            for place, digit in enumerate(number)
        )


@_imitation(
    "text-in-pictures-unrelated",
    "LM Studio #1140",
    symptom="the text that is read from a picture has nothing to do with it, in any picture",
    cause="no text in pictures is read, though their colours are seen",
)
class TextInPicturesUnrelated(_Misreading):
    """What the deeper layers of the encoder add of details is missing."""

    def misread(self, number: str, pixels: Pixels | None, chat: Chat) -> str:
        return "".join(_other_digit(digit, pixels, f"other {place}") for place, digit in enumerate(number))


@_imitation(
    "causal-within-pictures",
    "vLLM #40106",
    symptom="answers about pictures differ a little from the reference's: a few are wrong, and always the same ones",
    cause="a few pictures in a hundred are misread in one place, whatever the load",
)
class CausalWithinPictures(_Misreading):
    """Patches do not see those after them, so one digit tips over in some prompts."""

    def misread(self, number: str, pixels: Pixels | None, chat: Chat) -> str:
        if _draw(pixels, chat.text) >= _CAUSAL_SHARE:
            return number
        place = int(_draw(pixels, chat.text, "place") * len(number))
        return number[:place] + _other_digit(number[place], pixels, chat.text) + number[place + 1 :]


@_imitation(
    "padded-pictures-displaced",
    "transformers #41180",
    symptom="in batches of prompts of different lengths a quarter of the answers about pictures are wrong",
    cause="requests at once spoil each other: where prompts are padded to the longest, pictures are displaced",
)
class PaddedPicturesDisplaced(Stages):
    """The positions of patches count the padding before a shorter prompt, so that the picture is shifted by it."""

    def generate(self, turns: list[Turn], chat: Chat) -> str:
        padding = self.in_flight.padding(count_tokens(turns))
        if padding:
            for shown in pictures_in(turns):
                if shown.pixels is not None:
                    columns = max(1, shown.pixels.shape[1] // _TOKEN_PX)
                    shown.pixels = np.roll(shown.pixels, padding % columns * _TOKEN_PX, axis=1)
        return perception.answer(turns)
