"""``vqamt probe --scores``: measures the noise of a model's scores, and runs the checks that need no reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from pytest_vqamt.core.query import Task
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import Advance, Request, RequestSender, RequestsSpentError
from pytest_vqamt.probing.cards import GRAY, NUMBER, Card
from pytest_vqamt.probing.checks import replies
from pytest_vqamt.probing.kinds import CACHES, FindingKind
from pytest_vqamt.probing.own_photos import OwnPhotos
from pytest_vqamt.probing.results import ProbeResult
from pytest_vqamt.probing.scores import content, photos, sameness
from pytest_vqamt.probing.scores.comparing import Comparing

LOGPROBS: Mapping[str, str] = MappingProxyType({"logprobs": "20", "logprob-steps": "8"})
"""Settings of a model that give log-probabilities."""
SETTINGS: Mapping[str, str] = MappingProxyType({**LOGPROBS, "longest-answer": "8", "longest-caption": "8"})
"""All settings of a probe by scores, where the user has set no others."""

_TRIES = 3

_OF_TEXTS = ("text", "several pictures", "turns and system messages", "letters", "long texts")
"""Checks that a model without questions skips."""

_SENSITIVE = ("colour channels", "several pictures", "turns and system messages", "letters")
"""Checks of changes that a model which reads may well answer as before."""

_CHECKS: Mapping[str, Callable[[Comparing], None]] = MappingProxyType(
    {
        "text": content.texts,
        "blank pictures": content.blank,
        "alike pictures": content.likenesses,
        "colour channels": content.channels,
        "edges": content.edges,
        "sizes and aspect ratios": content.sizes,
        "detail": content.detail,
        "forms of file": sameness.files,
        "several pictures": content.pictures,
        "turns and system messages": content.turns,
        "letters": content.letters,
        "long texts": content.long_texts,
        "together, many in flight": sameness.together,
        "after a large picture, after a pause": sameness.after_others,
    }
)

_NOTHING_COMPARES = {*CACHES, FindingKind.TEXT_IGNORED, FindingKind.NON_DETERMINISTIC}
"""Findings after which files and batches cannot be compared."""


def is_refused(model: LoadedModel) -> bool:
    """True if a request with these settings fails: some servers refuse log-probabilities."""
    task = Task.VQA if Task.VQA in model.tasks else Task.CAPTIONING
    request = Request(card=Card(number=417, ground=GRAY), text=NUMBER)
    sender = RequestSender(model, _TRIES, task)
    # More than once: a server that is just starting fails, too.
    return all(sender.send_alone(request).failure for _ in range(_TRIES))


def probe_scores(
    model: LoadedModel, *, limit: int, seed: int = 0, own: OwnPhotos | None = None, advance: Advance | None = None
) -> ProbeResult:
    """Probes a model by the scores of its tokens, in at most ``limit`` requests; its weights may be random.

    ``own`` are photos of the user's, about which at most 80 further requests are sent; ``advance`` is told of requests
    that were answered.

    Raises:
        ModelError: the model cannot be used, or most requests fail.
    """
    task = Task.VQA if Task.VQA in model.tasks else Task.CAPTIONING
    state = Comparing(RequestSender(model, limit, task, advance=advance), seed)
    result = state.result
    try:
        sees = content.calibrate(state)
    except RequestsSpentError:
        state.skip("all checks", "the requests were spent before the first comparison")
        return result
    # Whole answers that are all the same say nothing, so nothing was checked.
    if sees or result.findings:
        result.checked.append("sees at all")
    if not state.has_scores:
        state.note("log-probabilities", "none: whole answers are compared, so faint changes are not seen")
    state.note("compared by", state.scale)
    if not sees:
        is_noise = result.found(FindingKind.NON_DETERMINISTIC)
        state.skip(
            "all other checks",
            "equal requests are as far apart as other pictures"
            if is_noise
            else "the scores do not depend on the picture"
            if state.has_scores
            else "whole answers are the same for all pictures, and the server gives no log-probabilities: turn them on "
            "(mlx-vlm: --top-logprobs-k 20), or see if it drops the picture",
        )
    for name, check in _CHECKS.items() if sees else ():
        _run(state, name, check)
    if own is not None and sees:
        _run(state, photos.NAME, partial(photos.photos, own=own))
    replies.failures(state)
    replies.tokens(state)
    replies.usage(state)
    return result


def _run(state: Comparing, name: str, check: Callable[[Comparing], None]) -> None:
    result = state.result
    if result.found(*_NOTHING_COMPARES):
        state.skip(name, "what was found before would show here, too")
        return
    if name in _OF_TEXTS and state.sender.task is Task.CAPTIONING:
        state.skip(name, "the model takes no text")
        return
    if name in _SENSITIVE and not state.is_sensitive:
        state.skip(name, "the model gives no log-probabilities and reads the cards: probe without --scores")
        return
    before, sent = len(result.findings), len(state.sender.log)
    try:
        check(state)
        if name not in dict(result.skipped):
            result.checked.append(name)
        if len(result.findings) == before and len(state.sender.log) > sent:
            state.canary(name)
    except RequestsSpentError:
        state.skip(name, f"the {state.sender.limit} requests were spent")
