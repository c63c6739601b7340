"""The settings of a chat other than its prompts: system message, further fields, log-probabilities, picture sizes.

``openai:`` and ``hf:`` share them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, floor, log, sqrt
from typing import TYPE_CHECKING

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.models.http.http_settings import parse_number
from pytest_vqamt.models.protocol import ModelOptions

if TYPE_CHECKING:
    from PIL.Image import Image

_MOST_LOGPROBS = 20
_MOST_STEPS = 64
"""As OpenAI's API has it."""

_MOST_PIXELS = 10**9

TEMPLATE_ARGUMENTS = "chat_template_kwargs"
"""The field of a request whose fields are arguments of the chat template."""

REASONING_ARGUMENTS = ("enable_thinking", "thinking")
"""The arguments by which chat templates switch reasoning: Qwen3's and most others', and DeepSeek's."""

_EFFORT = "reasoning_effort"
_NO_EFFORTS = ("none", "minimal")
"""The efforts of OpenAI's API that mean no reasoning, or as little as the model can."""
_USUAL_EFFORT = "medium"

_SETTING_FOR = {
    "messages": ("prompt-question", "..."),
    "max_tokens": ("longest-answer", "N"),
    "max_completion_tokens": ("longest-answer", "N"),
    "temperature": ("temperature", "..."),
    "seed": ("seed", "..."),
    "response_format": ("response", "json"),
    "logprobs": ("logprobs", "K"),
    "top_logprobs": ("logprobs", "K"),
}
"""The settings of their own that fields of a request have."""

# Fields that change the form of the reply.
_FIXED = {"stream": "answers are read whole", "n": "one answer to a query is read (see the option repeats)"}

ANSWER_FIELD = "answer"
"""The field of structured output that holds the answer."""


def _instead_of(field: str) -> str:
    # These two have no option of the same kind, so each has an advice of its own.
    if field == "model":
        return f"the model's name in {option('model')}"
    if field == "extra_body":
        return "body.NAME=JSON for each field in it: extra_body is the name of OpenAI's Python client"
    return setting(*_SETTING_FOR[field]) if field in _SETTING_FOR else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """The settings of a chat other than its prompts."""

    system: str = ""
    """The system message; empty for none."""
    body: tuple[tuple[str, str], ...] = ()
    """Further fields of a request with their values in JSON, by name."""
    logprobs: int = 0
    """The number of candidates for the first token of an answer that are scored; 0 for none."""
    steps: int = 0
    """The number of first tokens whose candidates are kept one by one, for ``vqamt probe``; 0 for none."""
    min_pixels: int | None = None
    """The least width times height that a picture is enlarged to; None for no bound."""
    max_pixels: int | None = None
    """The most width times height that a picture is reduced to; None for no bound."""

    @property
    def fields(self) -> dict[str, Json]:
        """The further fields of a request."""
        return {name: json.loads(value) for name, value in self.body}

    def reasoning(self, wanted: bool) -> dict[str, Json]:
        """The further fields of a request that switch a model's reasoning; none where the user gave no such field.

        These are ``chat_template_kwargs`` with ``enable_thinking`` (or ``thinking``), and ``reasoning_effort``. The
        effort that the user gave is kept where it fits.

        >>> ChatSettings(body=(("reasoning_effort", '"high"'),)).reasoning(False)
        {'reasoning_effort': 'none'}
        """
        fields = self.fields
        found: dict[str, Json] = {}
        arguments = fields.get(TEMPLATE_ARGUMENTS)
        # Only arguments that the user gave are switched: which one a template takes is not known here.
        if isinstance(arguments, dict) and (names := [name for name in REASONING_ARGUMENTS if name in arguments]):
            found[TEMPLATE_ARGUMENTS] = {**arguments, **dict.fromkeys(names, wanted)}
        effort = fields.get(_EFFORT)
        if isinstance(effort, str):
            # A user's "low" stays "low" where reasoning is wanted, and becomes "none" where it is not.
            fits = (effort not in _NO_EFFORTS) == wanted
            found[_EFFORT] = effort if fits else _USUAL_EFFORT if wanted else _NO_EFFORTS[0]
        return found

    @property
    def fingerprint(self) -> str:
        """A digest of all settings, which may change answers; "" where none was set."""
        # Fingerprints of models from before these settings have no such part.
        if self == ChatSettings():
            return ""
        pixels = (str(self.min_pixels), str(self.max_pixels))
        # Settings of before have the fingerprints that they had.
        steps = (f"steps={self.steps}",) if self.steps else ()
        return digest(self.system, json.dumps(self.body), str(self.logprobs), *pixels, *steps)

    def resized(self, image: Image) -> Image:
        """The image, RGB uint8, resized to the bounds of pixels; the same object if it is within them.

        >>> from PIL import Image
        >>> ChatSettings(max_pixels=30_000).resized(Image.new("RGB", (640, 480))).size
        (200, 150)
        """
        size = resized_size(image.size, self.min_pixels, self.max_pixels)
        if size == image.size:
            return image
        from PIL.Image import Resampling

        return image.resize(size, Resampling.BICUBIC)


def resized_size(size: tuple[int, int], least: int | None, most: int | None) -> tuple[int, int]:
    """Width and height scaled so that their product is within the bounds; proportions stay, up to whole pixels."""
    width, height = size
    if most is not None and width * height > most:
        scale = sqrt(most / (width * height))
        # Rounded down, or the picture would exceed the bound; 1e-9, since 200.0 may come out as 199.99999999.
        return max(1, floor(width * scale + 1e-9)), max(1, floor(height * scale + 1e-9))
    if least is not None and width * height < least:
        scale = sqrt(least / (width * height))
        return ceil(width * scale - 1e-9), ceil(height * scale - 1e-9)
    return size


def chat_settings(options: ModelOptions, *, fields: Sequence[str] | None = None) -> ChatSettings:
    r"""The user's settings; ``\n`` in the system message is a new line.

    ``fields`` are the further fields of a request that the model takes; None lets it take any.

    Raises:
        OptionError: a value is invalid, or a field is set by another option.
    """
    given = options.settings
    least, most = (_pixels(given, name) for name in ("min-pixels", "max-pixels"))
    if least is not None and most is not None and least > most:
        raise OptionError(f"Expected min-pixels of at most max-pixels, but got min-pixels={least}, max-pixels={most}")
    logprobs = parse_number(given.get("logprobs", "0"), "logprobs", at_least=0, most=_MOST_LOGPROBS, whole=True)
    steps = parse_number(given.get("logprob-steps", "0"), "logprob-steps", at_least=0, most=_MOST_STEPS, whole=True)
    if steps and not logprobs:
        raise OptionError(f"Expected logprob-steps={int(steps)} together with logprobs=K: set both, or leave it off")
    body = {
        name.partition(".")[2]: _field(name, value, fields) for name, value in given.items() if name.startswith("body.")
    }
    return ChatSettings(
        system=given.get("system", "").replace("\\n", "\n"),
        body=tuple(sorted(body.items())),
        logprobs=int(logprobs),
        steps=int(steps),
        min_pixels=least,
        max_pixels=most,
    )


def _pixels(given: Mapping[str, str], name: str) -> int | None:
    if name not in given:
        return None
    return int(parse_number(given[name], name, at_least=1, most=_MOST_PIXELS, whole=True))


def _field(name: str, value: str, known: Sequence[str] | None) -> str:
    """Checks a further field of the request, and returns its value as canonical JSON."""
    field = name.partition(".")[2]
    shown = f"but got '{name}={value}'"
    if not re.fullmatch(r"[A-Za-z_][\w-]*", field):
        raise OptionError(f"Expected body.NAME=JSON with the name of a field of the request, {shown}")
    if instead := _instead_of(field):
        raise OptionError(f"Expected a field that has no option of its own, {shown}: use {instead}")
    if field in _FIXED:
        raise OptionError(f"Expected a field that can be set, {shown}: {_FIXED[field]}")
    if known is not None and field not in known:
        raise OptionError(f"Expected body.{' or body.'.join(known)}, which is all that applies here, {shown}")
    try:
        # Python's parser takes NaN and Infinity, which are no JSON and which servers refuse.
        found: Json = json.loads(value, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        quoted = json.dumps(value, ensure_ascii=False)
        raise OptionError(
            f"Expected JSON as the value of a field, {shown}: a text stands in quotation marks ('{name}={quoted}')"
        ) from None
    # Sorted, so that the same value has one fingerprint however the user wrote it.
    return json.dumps(found, sort_keys=True)


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def byte_label(codes: Iterable[int]) -> str:
    """The label of a token that is a part of a character: its bytes, as SentencePiece writes them.

    >>> byte_label([0xE2, 0x82])
    '<0xE2><0x82>'
    """
    return "".join(f"<0x{code:02X}>" for code in codes)


def token_scores(
    completion: str,
    tokens: int,
    prefix_length: Callable[[int], int],
    candidates: Callable[[int], Sequence[tuple[str, float]]],
) -> tuple[tuple[str, float], ...] | None:
    """The scores of the candidates for the first token of the answer in a completion.

    The answer begins after reasoning, and in JSON at its value. Candidates that differ only in case and blanks are
    added up, blank ones left out.

    Args:
        completion: the whole text.
        tokens: their number.
        prefix_length: the length of the text of the first so many tokens.
        candidates: gives the candidates for the token of an index with natural log-probabilities.

    Returns:
        Texts and natural log-probabilities, the likeliest first; None where the token cannot be found.
    """
    from pytest_vqamt.language.answers.final import read_json, strip_traces

    answer = read_json(text := strip_traces(completion).text) or text
    # The last place: reasoning before it may quote the answer.
    start = completion.rfind(answer) if answer else -1
    if start < 0 or prefix_length(tokens) <= start:
        return None
    first, last = 0, tokens - 1
    # By halves: each look decodes the tokens so far, which takes long for thoughts of thousands of tokens.
    while first < last:  # the first token whose text ends after the start of the answer
        middle = (first + last) // 2
        first, last = (first, middle) if prefix_length(middle + 1) > start else (middle + 1, last)
    # "Yes", " yes" and "\"yes" are one candidate to whoever reads the scores.
    sums: dict[str, tuple[str, float]] = {}
    for text, score in sorted(candidates(first), key=lambda each: -each[1]):
        label = text.strip().strip('"').strip()
        if label:
            # Tokens that are parts of characters (byte-level BPE) all look alike, and are different candidates.
            key = f"{label}{len(sums)}" if "\ufffd" in label else label.casefold()
            spelling, before = sums.get(key, (label, 0.0))
            sums[key] = (spelling, before + exp(score))
    found = sorted(sums.values(), key=lambda each: -each[1])
    # A share may be 0 by underflow: exp(-800).
    return tuple((label, log(share)) for label, share in found if share > 0) or None
