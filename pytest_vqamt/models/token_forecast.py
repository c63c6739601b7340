"""Forecasts of tokens, by the documented formula of a family of models, or by measured answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import fmean
from typing import TypeAlias

from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.models.chat_settings import resized_size

CHARACTERS_PER_TOKEN = 4.4
"""Of English prompts, about; https://help.openai.com/en/articles/4936856 says 4."""

_MEASURED_FROM = 8
"""So many measured answers replace the formula."""

_TOKENS_FOR_A_TURN = 5
"""Tokens of the chat template around each turn after the first, about: the marks of ChatML and the role."""

_TOKENS_OUT: Mapping[Task, float] = {Task.VQA: 2, Task.ENTAILMENT: 3, Task.CAPTIONING: 18}
"""Tokens of an answer before any is measured: a word and the end; a label; a sentence."""


def openai_tiles(base: float, tile: float) -> Callable[[int, int], float]:
    """Tiles of 512 pixels, after the picture was made to fit 2048 x 2048 and its shorter side 768.

    https://platform.openai.com/docs/guides/images-vision#calculating-costs
    """

    def tokens(width: int, height: int) -> float:
        # In two steps, as the page has it: first into the square, then by the shorter side.
        scale = min(1.0, 2048 / max(width, height))
        scale = min(scale, 768 / min(width, height))
        return base + tile * ceil(width * scale / 512 - 1e-9) * ceil(height * scale / 512 - 1e-9)

    return tokens


def openai_patches(factor: float) -> Callable[[int, int], float]:
    """Patches of 32 pixels, at most 1,536, times a factor of the model; the same page as above."""

    def tokens(width: int, height: int) -> float:
        patches = ceil(width / 32) * ceil(height / 32)
        if patches > 1536:
            shrink = sqrt(32**2 * 1536 / (width * height))
            across, down = width * shrink / 32, height * shrink / 32
            shrink *= min(int(across) / across, int(down) / down)
            # The shrunken sides are made whole numbers of patches, so rounding may give one patch too many.
            patches = min(1536, ceil(width * shrink / 32) * ceil(height * shrink / 32))
        return factor * patches

    return tokens


def qwen_patches(side: int, least: int, most: int) -> Callable[[int, int], float]:
    """Squares of merged patches, after the sides were rounded to multiples of ``side`` within bounds of pixels.

    ``smart_resize`` of transformers' Qwen2VLImageProcessor, and the two tokens around a picture.
    """

    def tokens(width: int, height: int) -> float:
        # As the image processor rounds: to the nearest multiple, and down or up where a bound is exceeded.
        across, down = (max(side, round(length / side) * side) for length in (width, height))
        if across * down > most:
            shrink = sqrt(width * height / most)
            across, down = (max(side, int(length / shrink / side) * side) for length in (width, height))
        elif across * down < least:
            grow = sqrt(least / (width * height))
            across, down = (ceil(length * grow / side) * side for length in (width, height))
        return across * down / side**2 + 2

    return tokens


def claude_area(width: int, height: int) -> float:
    """A token for 750 pixels, after the longer side was made 1568 at most.

    https://docs.anthropic.com/en/docs/build-with-claude/vision#evaluate-image-size
    """
    scale = min(1.0, 1568 / max(width, height))
    return min(1600.0, width * height * scale**2 / 750)


def gemini_tiles(width: int, height: int) -> float:
    """258 tokens; for a picture with a side above 384 pixels, 258 for each tile.

    https://ai.google.dev/gemini-api/docs/tokens
    """
    if max(width, height) <= 384:
        return 258
    tile = min(768.0, max(256.0, min(width, height) / 1.5))
    return 258.0 * ceil(width / tile) * ceil(height / tile)


def pixtral_patches(width: int, height: int) -> float:
    """Patches of 16 pixels and one token for each row, after the longer side was made 1024 at most.

    Agrawal et al. 2024 (Pixtral 12B), section 2.
    """
    scale = min(1.0, 1024 / max(width, height))
    across, down = ceil(width * scale / 16), ceil(height * scale / 16)
    return float((across + 1) * down)


def always(tokens: float) -> Callable[[int, int], float]:
    """The same for every picture."""
    return lambda _width, _height: tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of models whose pictures take tokens by one formula."""

    name: str
    """For messages."""
    parts: tuple[str, ...]
    """Its models have one of these in their names, in lower case."""
    picture: Callable[[int, int], float]
    """Tokens of a picture of a width and a height."""
    around: float = 8
    """Tokens of the chat template around picture and prompt."""


FAMILIES: tuple[Family, ...] = (
    Family(name="GPT-4.1 mini and GPT-5 mini", parts=("gpt-4.1-mini", "gpt-5-mini"), picture=openai_patches(1.62)),
    Family(name="GPT-4.1 nano and GPT-5 nano", parts=("gpt-4.1-nano", "gpt-5-nano"), picture=openai_patches(2.46)),
    Family(name="o4-mini", parts=("o4-mini",), picture=openai_patches(1.72)),
    Family(name="GPT-4o mini", parts=("gpt-4o-mini",), picture=openai_tiles(2833, 5667)),
    Family(name="GPT-4o and GPT-4.1", parts=("gpt-4o", "gpt-4.1", "gpt-4.5"), picture=openai_tiles(85, 170)),
    Family(name="GPT-5", parts=("gpt-5",), picture=openai_tiles(70, 140)),
    Family(name="Claude", parts=("claude",), picture=claude_area),
    Family(name="Gemini", parts=("gemini",), picture=gemini_tiles),
    Family(name="Gemma 3", parts=("gemma-3", "gemma3"), picture=always(258)),
    Family(name="Qwen3-VL", parts=("qwen3-vl", "qwen3vl"), picture=qwen_patches(32, 65_536, 16_777_216), around=12),
    Family(
        name="Qwen2-VL and Qwen2.5-VL",
        parts=("qwen2-vl", "qwen2.5-vl", "qwen2vl", "qwen2.5vl", "qwen2_5_vl"),
        picture=qwen_patches(28, 3_136, 12_845_056),
        around=22,
    ),
    Family(name="Pixtral", parts=("pixtral", "mistral-small"), picture=pixtral_patches),
    Family(name="LLaVA 1.5", parts=("llava-1.5", "llava:"), picture=always(576), around=36),
)
"""The first that fits a name counts. The last digits of a formula are the server's: a few per cent off is usual."""

# Claude's formula, for want of a better one; the forecast calls it a guess.
_UNKNOWN = Family(name="", parts=(), picture=claude_area)


_Sizes: TypeAlias = tuple[tuple[int, int], ...]
"""Widths and heights of the pictures of a query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenForecast:
    """The tokens that queries will take."""

    tokens_in: float
    """Tokens of all requests."""
    tokens_out: float
    """Tokens of all answers."""
    tokens_out_most: float
    """Tokens of all answers where each is as long as it may be."""
    basis: str
    """What the forecast rests on."""
    cost: float | None = None
    """In the currency of the prices; None without prices."""
    cost_most: float | None = None
    """The cost at ``tokens_out_most``, if ``tokens_in`` is right; None without prices."""


class TokenForecaster:
    """Forecasts tokens for one model.

    Args:
        model: its name.
        prompt: the whole text that is sent for a query.
        longest: the most tokens of the answer to a query.
        bounds: of width times height that pictures are resized to.
    """

    def __init__(
        self,
        model: str,
        prompt: Callable[[Query], str],
        longest: Callable[[Query], int],
        bounds: tuple[int | None, int | None] = (None, None),
    ) -> None:
        # "gpt-4o-mini" also holds "gpt-4o", so FAMILIES has the longer names first.
        name = model.lower()
        fitting = (family for family in FAMILIES if any(part in name for part in family.parts))
        self._family = next(fitting, _UNKNOWN)
        self._prompt = prompt
        self._longest = longest
        self._bounds = bounds

    def forecast(self, queries: Sequence[Query], measured: Iterable[tuple[Query, Answer]]) -> TokenForecast:
        """Forecasts the tokens of ``queries``, each sent once; ``measured`` are queries with their answers."""
        known = [(query, answer) for query, answer in measured if answer.tokens_in is not None]
        # The difference of measurement and formula for each size of pictures: the error of text differs little.
        off: dict[_Sizes, list[float]] = defaultdict(list)
        out: dict[Task, list[float]] = defaultdict(list)
        for query, answer in known:
            off[self._sizes(query)].append((answer.tokens_in or 0) - self._formula(query))
            out[query.task].append(answer.tokens_out or 0)
        is_measured = len(known) >= _MEASURED_FROM
        by_size = {size: fmean(each) for size, each in off.items()} if is_measured else {}
        # Sizes without a measurement are corrected by the mean error of all that were measured.
        ratio = 1.0
        if is_measured:
            ratio = sum(answer.tokens_in or 0 for _, answer in known) / sum(self._formula(query) for query, _ in known)
        tokens_in = tokens_out = most = 0.0
        for query in queries:
            formula, difference = self._formula(query), by_size.get(self._sizes(query))
            tokens_in += formula * ratio if difference is None else formula + difference
            answers = out.get(query.task) if is_measured else None
            longest = self._longest(query)
            # The usual length may exceed the longest answer that the user allows.
            tokens_out += fmean(answers) if answers else min(_TOKENS_OUT[query.task], longest)
            most += longest
        return TokenForecast(
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_out_most=most,
            basis=f"measured on {len(known):,} answers" if is_measured else self._formula_name,
        )

    @property
    def _formula_name(self) -> str:
        if self._family is _UNKNOWN:
            return "a guess, a token for 750 pixels, as the family is not known; measured once there are answers"
        return f"the documented formula of {self._family.name}; measured once there are answers"

    def _sizes(self, query: Query) -> _Sizes:
        """The sizes of all its pictures, as they are sent."""
        scenes = (picture.scene for picture in query.pictures)
        return tuple(resized_size((scene.width, scene.height), *self._bounds) for scene in scenes)

    def _formula(self, query: Query) -> float:
        around = self._family.around + _TOKENS_FOR_A_TURN * (len(query.conversation) - 1)
        text = around + len(self._prompt(query)) / CHARACTERS_PER_TOKEN
        return sum(self._family.picture(*size) for size in self._sizes(query)) + text
