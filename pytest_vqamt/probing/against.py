"""``vqamt probe A --against B``: compares two deployments of one model, and finds the stage where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random

from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import Request, RequestSender, RequestsSpentError, SentRequest
from pytest_vqamt.probing.cards import COLOUR, COLOURS, NUMBER, Card, faint_card
from pytest_vqamt.probing.findings import FLIPS, is_finding
from pytest_vqamt.probing.probing import clear_numbers
from pytest_vqamt.stats.binomial import upper_tail

_STAGES = 20
"""Comparisons of two deployments: four stages, once and twice, with room."""


class Stage(StrEnum):
    """Groups of requests, from those that depend on the language model alone to the finest details of pictures."""

    TEXT = "sums, which need no picture"
    CLEAR = "clear cards"
    SIZES = "clear cards of other sizes"
    FAINT = "faint digits"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """The paired answers of a stage.

    Attributes:
        p_value: the probability of so many differences between two sane deployments of the same weights.
    """

    stage: Stage
    """The group of requests."""
    compared: int
    """Requests that both answered."""
    differing: tuple[tuple[SentRequest, SentRequest], ...]
    """Pairs of requests, of the first and the second model, that differed twice in a row."""
    right: tuple[int, int]
    """How many answers of each model name what the card shows."""
    wavering: int
    """Pairs that differed once, and not again."""

    @property
    def p_value(self) -> float:
        # A pair differs where either answer is flipped, and it must differ in both sendings.
        return upper_tail(len(self.differing), self.compared, (2 * FLIPS) ** 2) if self.differing else 1.0

    @property
    def is_finding(self) -> bool:
        return is_finding(len(self.differing), self.compared, (2 * FLIPS) ** 2, of=_STAGES)


@dataclass(slots=True, kw_only=True)
class AgainstResult:
    """The comparison of two deployments."""

    models: tuple[str, str]
    """Their specs, A and B."""
    stages: list[StageResult] = field(default_factory=list)
    """In the order in which they were compared."""
    tokens: str = ""
    """How the counts of prompt tokens differ; "" where they do not, or where a server counts none."""
    logs: tuple[list[SentRequest], list[SentRequest]] = field(default_factory=lambda: ([], []))
    """All requests to A, and all to B."""
    complete: bool = True
    """False if the requests were spent before the last stage."""

    @property
    def parted(self) -> str:
        """The likely stage where they differ, in words; "" if they do not differ."""
        found = {each.stage for each in self.stages if each.is_finding}
        if not found:
            once = sum(len(each.differing) + each.wavering for each in self.stages)
            compared = sum(each.compared for each in self.stages)
            # Differences that do not repeat: more of them than two sane servers have.
            if is_finding(once, compared, 2 * FLIPS, of=_STAGES):
                return (
                    f"text: sampling, or a server that is not deterministic ({once} of {compared} pairs differed once)"
                )
            return ""
        # From the earliest stage on: a language model that differs also answers pictures otherwise.
        if Stage.TEXT in found:
            return "text: the language model, its chat template or its sampling, as answers that need no picture differ"
        if self.tokens.startswith("pictures"):
            return f"pixels: pictures are resized or cut into other tokens ({self.tokens})"
        if self.tokens.startswith("every"):
            return f"tokens: the prompts differ ({self.tokens})"
        if found == {Stage.SIZES}:
            return "pixels: pictures are resized in another way"
        return "pixels: the decoding of pictures, their normalisation, or the precision of the encoder"


def compare(first: LoadedModel, second: LoadedModel, *, limit: int, seed: int = 0) -> AgainstResult:
    """Sends the same requests to both, each alone; a difference counts where both sendings differ.

    Raises:
        ModelError: a model cannot be used.
    """
    senders = RequestSender(first, limit), RequestSender(second, limit)
    result = AgainstResult(models=(first.name, second.name), logs=(senders[0].log, senders[1].log))
    try:
        for stage, requests in _schedule(seed):
            result.stages.append(_compared(stage, list(requests), senders))
    except RequestsSpentError:
        result.complete = False
    result.tokens = _tokens(*result.logs)
    return result


def _compared(
    stage: Stage, requests: list[tuple[Request, str]], senders: tuple[RequestSender, RequestSender]
) -> StageResult:
    differing: list[tuple[SentRequest, SentRequest]] = []
    right = [0, 0]
    compared = wavering = 0
    for request, truth in requests:
        pair = senders[0].send_alone(request), senders[1].send_alone(request)
        # Both refuse it, which is no difference.
        if pair[0].failure and pair[1].failure:
            continue
        compared += 1
        for side in (0, 1):
            # "7" is in "17", but cards have three digits, and a wrong sum is rare: this is a hint and decides nothing.
            right[side] += truth in pair[side].reading
        if pair[0].reading != pair[1].reading:
            again = senders[0].send_alone(request), senders[1].send_alone(request)
            if again[0].reading != again[1].reading:
                differing.append(again)
            else:
                wavering += 1
    return StageResult(
        stage=stage, compared=compared, differing=tuple(differing), right=(right[0], right[1]), wavering=wavering
    )


def _schedule(seed: int) -> Iterator[tuple[Stage, Iterable[tuple[Request, str]]]]:
    random = Random(seed)
    names = tuple(COLOURS)
    cards = [
        Card(number=number, ground=COLOURS[names[place % len(names)]])
        for place, number in enumerate(clear_numbers(random, 10))
    ]
    blank = Card(number=None, ground=COLOURS["white"])
    sums = ((3, 4), (5, 2), (6, 3), (2, 2), (8, 1), (4, 4))
    # A query always has a picture, and a blank one says nothing about a sum.
    yield Stage.TEXT, [(Request(card=blank, text=f"What is {a} plus {b}?"), str(a + b)) for a, b in sums]
    yield (
        Stage.CLEAR,
        [
            (Request(card=card, text=text), str(card.number) if text == NUMBER else name)
            for card, name in zip(cards, names, strict=False)
            for text in (NUMBER, COLOUR)
        ],
    )
    # Squares below and above what encoders resize to, then oblong pictures.
    sizes = ((96, 96), (448, 448), (1024, 1024), (1536, 1536), (672, 224), (224, 672), (896, 224), (160, 640))
    yield (
        Stage.SIZES,
        [
            (Request(card=replace(card, size=size), text=NUMBER), str(card.number))
            for card, size in zip(cards, sizes, strict=False)
        ],
    )
    yield (
        Stage.FAINT,
        [
            (Request(card=faint_card(number, 40 + 45 * place, step), text=NUMBER), str(number))
            for step in (14, 24, 40)
            for place, number in enumerate(clear_numbers(random, 4))
        ],
    )


def _tokens(first: Iterable[SentRequest], second: Iterable[SentRequest]) -> str:
    """How the counts of tokens differ; "" where they do not, or where a server counts none."""
    counted = {(each.card.digest, each.text): each for each in first if each.tokens_in is not None}
    differences: dict[tuple[int, int], int] = {}
    for each in second:
        other = counted.get((each.card.digest, each.text))
        if other is not None and other.tokens_in is not None and each.tokens_in is not None:
            # One request of each size: the text adds the same number to all.
            differences.setdefault(each.card.size, each.tokens_in - other.tokens_in)
    if not any(differences.values()):
        return ""
    if len(set(differences.values())) == 1:
        return f"every request has {next(iter(differences.values())):+} tokens"
    sizes = ", ".join(f"{w} x {h}: {n:+}" for (w, h), n in differences.items())
    return f"pictures have other numbers of tokens, {sizes}"
