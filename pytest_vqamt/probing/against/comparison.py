"""``vqamt probe A --against B``: compares two deployments of one model, and finds the stage where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from statistics import median

from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.acuity import Ask, faintest, faintest_read, resolutions, smallest_digits
from pytest_vqamt.probing.against.explaining import SAME_ANSWER, Explainer, Explanation
from pytest_vqamt.probing.against.schedule import Asked, Stage, schedule
from pytest_vqamt.probing.asking import Advance, Request, RequestSender, RequestsSpentError, SentRequest
from pytest_vqamt.probing.cards import COLOURS, NUMBER, Card
from pytest_vqamt.probing.checks.photos import says_the_same
from pytest_vqamt.probing.findings import FLIPS, is_finding
from pytest_vqamt.probing.outputs import distance, divergence, first_distance, is_flip, mean, parted_at
from pytest_vqamt.probing.probing import READS, clear_numbers
from pytest_vqamt.probing.results import Figure
from pytest_vqamt.stats.binomial import upper_tail

_STAGES = 20
"""Comparisons of two deployments: fifteen stages, with room."""

_PLAIN = 2
"""The first stages: sums, and clear cards as plain files."""
_PARTS = {Stage.PICTURES, Stage.TURNS, Stage.SYSTEM}

_APART, _LATER, _EQUAL = 0.5, 0.7, 0.02
"""A stage differs where its scores are apart by ``_APART`` of what two pictures are, on the mean, those of the first
tokens and those of all; or those of later ones alone. What 16 bits change in weights of 32 stays below: it grows from
token to token, and hardly differs from stage to stage."""

_APART_FROM_EXACT = 0.1
"""As ``_APART``, for conversations of more parts where clear cards alone are apart by at most ``_EQUAL``: what is left
is another prompt, such as one without its system message, which may hardly move the scores of random weights."""


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
    """Pairs of requests, of the first and the second model, whose answers or scores differed twice in a row."""
    right: tuple[int, int]
    """How many answers of each model name what the card shows."""
    wavering: int
    """Pairs that differed once, and not again."""
    apart: float = 0.0
    """The mean distance of the first tokens' scores, in shares of what two pictures are apart."""
    apart_later: float = 0.0
    """The same of all tokens up to the first that differs."""
    has_scores: bool = False
    """True if both gave log-probabilities; else answers are compared."""
    bound: float = _APART
    """A stage differs where ``apart`` and ``apart_later`` are so much."""
    divergence: float | None = None
    """The mean Kullback-Leibler divergence of the first tokens, in nats; None without log-probabilities."""
    flips: int = 0
    """Pairs whose likeliest first tokens differ; without log-probabilities, whose answers do."""
    parted_at: float | None = None
    """The median number of equal tokens, or characters, before answers part; None if none do."""

    @property
    def p_value(self) -> float:
        # A pair differs where either answer is flipped, and it must differ in both sendings.
        return upper_tail(len(self.differing), self.compared, (2 * FLIPS) ** 2) if self.differing else 1.0

    @property
    def is_worded(self) -> bool:
        """True if both read all cards rightly: what differs are the words around it."""
        return not self.has_scores and self.right == (self.compared, self.compared)

    @property
    def is_finding(self) -> bool:
        if self.has_scores:
            # Where first tokens agree and later ones do not, it is the decoding and not the precision.
            is_later = self.apart <= _EQUAL and self.apart_later >= _LATER
            return bool(self.differing) and (is_later or min(self.apart, self.apart_later) >= self.bound)
        return is_finding(len(self.differing), self.compared, (2 * FLIPS) ** 2, of=_STAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFigure:
    """How fine a detail each of both reads."""

    first: Figure
    """Of A."""
    second: Figure
    """Of B."""

    @property
    def has_dropped(self) -> bool:
        """True if A's is worse by two steps of a ladder; 0 is for nothing that is read."""
        if not self.second.value or not self.first.value:
            return bool(self.second.value)
        return self.first.is_below(self.second.value)

    def __str__(self) -> str:
        if self.first.value == self.second.value and self.first.value:
            return f"{self.first.name}: both {self.first.value:,.0f} {self.first.unit}"
        first, second = (
            f"{each.value:,.0f} {each.unit}" if each.value else "none" for each in (self.first, self.second)
        )
        return f"{self.first.name}: A {first}, B {second}"


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
    floor: float = 0.0
    """The largest distance of two answers to the same request, of either."""
    far: float = 1.0
    """The median distance of the answers about two cards, of B."""
    far_first: float = 1.0
    """The same of their first tokens."""
    has_scores: bool = False
    """True if both give log-probabilities."""
    figures: list[ComparedFigure] = field(default_factory=list)
    """Effective resolutions and the faintest step; empty where clear digits are not read."""
    unmeasured: str = ""
    """Why there are no figures, in words."""
    explanation: Explanation | None = None
    """What would explain the differences, and the smallest picture that shows them; None where they do not differ."""

    @property
    def scale(self) -> str:
        """What the distances are measured in, in words."""
        if not self.has_scores:
            return "answers, as not both give log-probabilities"
        return f"log-probabilities: 1 is what two pictures are apart ({self.far:.2g} nats; noise {self.floor:.2g})"

    @property
    def drops(self) -> list[ComparedFigure]:
        """The figures of A that are worse than those of B."""
        return [each for each in self.figures if each.has_dropped]

    @property
    def parted(self) -> str:
        """What differs, in words: the likely stage, else the first figure that A has worse; "" for nothing."""
        return self._parted_stage or next((f"detail: {each}" for each in self.drops), "")

    @property
    def _parted_stage(self) -> str:
        found = {each.stage for each in self.stages if each.is_finding}
        # Of scores what differs once is told by the figures of each stage.
        if not self.has_scores:
            once = sum(len(each.differing) + each.wavering for each in self.stages)
            compared = sum(each.compared for each in self.stages)
            # Differences that do not repeat: more of them than two sane servers have.
            if is_finding(once, compared, 2 * FLIPS, of=_STAGES) and (not found or self._is_sampling(once, compared)):
                return (
                    f"text: sampling, or a server that is not deterministic ({once} of {compared} pairs differed once)"
                )
        if not found:
            return ""
        if all(each.is_worded for each in self.stages if each.is_finding):
            return "text: the same is read, and said in other words: the chat template, a system message, or sampling"
        explained = self.explanation.words if self.explanation else ""
        # From the earliest stage on: a language model that differs also answers pictures otherwise.
        if Stage.TEXT in found and not explained:
            return "text: the language model, its chat template or its sampling, as answers that need no picture differ"
        if explained:
            stage = "parts" if found <= _PARTS else "pixels"
            return f"{'cache' if explained.endswith(SAME_ANSWER) else stage}: {explained}"
        if self.tokens.startswith("pictures"):
            return f"pixels: pictures are resized or cut into other tokens ({self.tokens})"
        if self.tokens.startswith("every"):
            return f"tokens: the prompts differ ({self.tokens})"
        if found <= {Stage.SMALL, Stage.LARGE, Stage.WIDE, Stage.TALL}:
            return "pixels: pictures are resized in another way"
        if found <= {Stage.JPEG, Stage.CMYK, Stage.ALPHA, Stage.SIXTEEN_BITS, Stage.WEBP, Stage.EXIF}:
            return "pixels: files are decoded in another way"
        if found <= _PARTS:
            return "parts: several pictures or turns are put together in another way"
        return "pixels: the decoding of pictures, their normalisation, or the precision of the encoder"

    def _is_sampling(self, once: int, compared: int) -> bool:
        """True if as many of the pairs that differed once did so twice as chance gives: all of it is random then."""
        twice = sum(len(each.differing) for each in self.stages)
        # A fault differs in both sendings. Noise of a share p does so in p squared, and ``once`` counts somewhat more.
        return once > twice and not is_finding(twice, compared, min(0.5, once / compared) ** 2, of=_STAGES)


def compare(
    first: LoadedModel,
    second: LoadedModel,
    *,
    limit: int,
    seed: int = 0,
    photos: Sequence[Request] = (),
    advance: Advance | None = None,
) -> AgainstResult:
    """Sends the same requests to both, each alone; a difference counts where both sendings differ.

    Args:
        first: A, the deployment in question.
        second: B, its reference.
        limit: the most requests to each.
        seed: other cards.
        photos: questions about photos of the user's.
        advance: is told of requests that were answered.

    Raises:
        ModelError: a model cannot be used.
    """
    senders = RequestSender(first, limit, advance=advance), RequestSender(second, limit, advance=advance)
    result = AgainstResult(models=(first.name, second.name), logs=(senders[0].log, senders[1].log))
    differing: list[tuple[Stage, SentRequest, SentRequest]] = []
    try:
        _measure(result, senders)
        files = all(each.takes_files for each in senders)
        for stage, asked in schedule(seed, first.takes & second.takes, files=files, photos=photos):
            compared = _compared(stage, asked, senders, result)
            result.stages.append(compared)
            differing += (
                [(stage, *pair) for pair in compared.differing]
                if compared.is_finding and not compared.is_worded
                else []
            )
        if differing:
            threshold = max(3 * result.floor, _APART * result.far_first) if result.has_scores else 0.5
            result.explanation = Explainer(senders, threshold).explain(differing, _paired(*result.logs))
        _measure_detail(result, senders, seed)
    except RequestsSpentError:
        result.complete = False
    result.tokens = _tokens(*result.logs)
    return result


def _measure_detail(result: AgainstResult, senders: tuple[RequestSender, RequestSender], seed: int) -> None:
    """How fine a detail each reads, if both read clear digits; a drop counts where it is one with other numbers."""
    clear = next(each for each in result.stages if each.stage is Stage.CLEAR)
    if min(clear.right) < READS * clear.compared:
        result.unmeasured = "not both read clear cards"
        return
    numbers = clear_numbers(Random(f"{seed} figures"), 4)
    figures = _figures(senders, numbers[:2])
    if any(each.has_dropped for each in figures):
        again = {each.first.name: each for each in _figures(senders, numbers[2:])}
        figures = [again.get(each.first.name, each) if each.has_dropped else each for each in figures]
    result.figures = figures


def _figures(senders: tuple[RequestSender, RequestSender], numbers: Sequence[int]) -> list[ComparedFigure]:
    """The figures of both, without the sizes at which either refuses a card."""

    def asked(sender: RequestSender) -> Ask:
        return lambda card: sender.send_alone(Request(card=card, text=NUMBER))

    def measured(sender: RequestSender, own: int = 0) -> tuple[dict[str, Figure], int]:
        before = len(sender.log)
        least = smallest_digits(asked(sender), numbers)
        # Through the eyes of B: a picture that A makes small at any size leaves A no small digits at all.
        own = own or min((found for found in least.values() if found), default=0)
        failed = {each.card.size[0] for each in sender.log[before:] if each.failure}
        figures = resolutions({px: found for px, found in least.items() if px not in failed}, own)
        return {each.name: each for each in (*figures, faintest(faintest_read(asked(sender), numbers)))}, own

    second, own = measured(senders[1])
    first, _ = measured(senders[0], own)
    return [ComparedFigure(first=first[name], second=other) for name, other in second.items() if name in first]


def _paired(first: Sequence[SentRequest], second: Sequence[SentRequest]) -> list[tuple[SentRequest, SentRequest]]:
    """The first answers of both to each request."""
    answers = {each.request: each for each in reversed(second)}
    asked = {each.request: each for each in reversed(first)}
    return [(each, answers[request]) for request, each in asked.items() if request in answers]


def _measure(result: AgainstResult, senders: tuple[RequestSender, RequestSender]) -> None:
    """Measures the noise of equal requests, and how far two pictures are apart."""
    cards = [Card(number=number, ground=COLOURS[name]) for number, name in _MEASURED_CARDS]
    for sender in senders:
        given = [sender.send_alone(Request(card=card, text=NUMBER)) for card in (*cards, cards[0])]
        result.floor = max(result.floor, distance(given[0], given[-1]))
        # Of the reference, which comes last: the other one may see nothing.
        pairs = list(combinations(given[:-1], 2))
        result.far = median(distance(*pair) for pair in pairs) or 1.0
        result.far_first = median(first_distance(*pair) for pair in pairs) or 1.0
    result.has_scores = all(sender.log[0].steps for sender in senders)


_MEASURED_CARDS = ((417, "red"), (852, "blue"), (639, "yellow"), (274, "black"))


def _compared(
    stage: Stage, asked: Sequence[Asked], senders: tuple[RequestSender, RequestSender], result: AgainstResult
) -> StageResult:
    differing: list[tuple[SentRequest, SentRequest]] = []
    pairs: list[tuple[SentRequest, SentRequest]] = []
    right = [0, 0]
    wavering = 0
    bound = _APART
    if stage in _PARTS and all(max(each.apart, each.apart_later) <= _EQUAL for each in result.stages[:_PLAIN]):
        bound = _APART_FROM_EXACT

    def differ(pair: tuple[SentRequest, SentRequest]) -> bool:
        if not result.has_scores:
            # Of a photo no short answer is right: one may say more than the other.
            if pair[0].card.photo is not None:
                return not says_the_same(pair[0].reading, pair[1].reading)
            return pair[0].reading != pair[1].reading
        if distance(*pair) <= 3 * result.floor:
            return False
        return first_distance(*pair) >= bound * result.far_first or distance(*pair) >= _LATER * result.far

    def sent(request: Request) -> tuple[SentRequest, SentRequest]:
        return senders[0].send_alone(request), senders[1].send_alone(request)

    for each in asked:
        pair = sent(each.request)
        # Both refuse it, which is no difference.
        if pair[0].failure and pair[1].failure:
            continue
        pairs.append(pair)
        for side in (0, 1):
            # "7" is in "17", but cards have three digits, and a wrong sum is rare: this is a hint and decides nothing.
            right[side] += bool(each.truth) and each.truth in pair[side].reading
        if differ(pair):
            again = sent(each.request)
            if differ(again):
                differing.append(again)
            else:
                wavering += 1
    parted = [place for pair in pairs if (place := parted_at(*pair)) is not None]
    return StageResult(
        stage=stage,
        compared=len(pairs),
        differing=tuple(differing),
        right=(right[0], right[1]),
        wavering=wavering,
        apart=(mean(first_distance(*pair) for pair in pairs) or 0.0) / result.far_first,
        apart_later=(mean(distance(*pair) for pair in pairs) or 0.0) / result.far,
        has_scores=result.has_scores,
        bound=bound,
        divergence=mean(divergence(*pair) for pair in pairs),
        flips=sum(is_flip(*pair) for pair in pairs),
        parted_at=median(parted) if parted else None,
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
