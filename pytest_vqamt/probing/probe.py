"""``vqamt probe``: calibrates a model and runs the checks in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import RequestSender, RequestsSpentError
from pytest_vqamt.probing.checks import (
    colours,
    files,
    lengths,
    names,
    parts,
    reading,
    replies,
    sameness,
    sizes,
    texts,
    together,
    urls,
)
from pytest_vqamt.probing.findings import FindingKind
from pytest_vqamt.probing.probing import ProbeResult, Probing

MOST_REQUESTS = 400


class _Check(NamedTuple):
    name: str
    run: Callable[[Probing], None]
    reads: bool = False
    """True if the model must read the numbers on the cards."""
    fresh: bool = False
    """True if it means nothing where a cache takes one picture for another."""


_CHECKS = (
    _Check("blank and noise", sameness.empty_pictures),
    _Check("text", sameness.texts),
    _Check("repeated", sameness.repeats),
    _Check("short image hashes", sameness.hashes),
    _Check("alike pictures", sameness.likenesses),
    _Check("together", together.batches),
    _Check("colours", colours.colours),
    _Check("places", sizes.places),
    _Check("sizes and aspect ratios", sizes.squares),
    _Check("large, then small", sameness.large_then_small),
    _Check("forms of file", files.forms, fresh=True),
    _Check("colours of files", colours.colours_of_files, fresh=True),
    _Check(urls.NAME, urls.urls, fresh=True),
    _Check("long texts", texts.long_texts),
    _Check("several pictures", parts.pictures, reads=True),
    _Check("turns", parts.turns, reads=True),
    _Check("text before a picture", parts.text_first),
    _Check("system messages", parts.system),
    _Check("the model's own turns", parts.assistant),
    _Check("letters and stops", texts.letters, reads=True),
    _Check(lengths.NAME, lengths.lengths, reads=True),
    _Check("faint digits", sizes.faint, reads=True),
    _Check("near colours", sizes.levels, reads=True),
    _Check("small digits", sizes.acuity, reads=True),
    _Check("detail of pictures", urls.details, reads=True, fresh=True),
    _Check("many in flight", together.ladder, reads=True, fresh=True),
    _Check("after a pause", sameness.idleness),
)


_CACHES = (
    *(FindingKind.TEXT_KEYED, FindingKind.SHORT_HASH, FindingKind.LENGTH_KEYED),
    *(FindingKind.BEGINNING_KEYED, FindingKind.LOOK_KEYED),
)


def probe(model: LoadedModel, *, limit: int = MOST_REQUESTS, seed: int = 0, url_host: str = "") -> ProbeResult:
    """Probes a model that answers questions, in at most ``limit`` requests.

    ``url_host`` is the name of this machine where the model is.

    Raises:
        ModelError: the model cannot be used, or most requests fail.
    """
    probing = Probing(RequestSender(model, limit), seed, url_host)
    result = probing.result
    try:
        sees = reading.calibrate(probing)
        result.checked.append("sees at all")
        if sees:
            reading.measure_reading(probing)
    except RequestsSpentError:
        probing.skip("all checks", "the requests were spent before the first comparison")
        return result
    if not sees:
        probing.skip("all other checks", "they compare answers that depend on the picture")
    for check in _CHECKS if sees else ():
        _run(probing, check)
    replies.reasoning(probing)
    replies.failures(probing)
    replies.tokens(probing)
    names.names(probing)
    replies.usage(probing)
    return result


def _run(probing: Probing, check: _Check) -> None:
    if check.reads and not probing.reads:
        right, tries = probing.result.read["numbers"]
        probing.skip(check.name, f"the model reads {right} of {tries} numbers on the cards")
        return
    if check.fresh and probing.result.found(*_CACHES):
        probing.skip(check.name, "a cache takes one picture for another")
        return
    try:
        before, sent = len(probing.result.findings), len(probing.sender.log)
        check.run(probing)
        # A check may skip itself.
        if check.name not in dict(probing.result.skipped):
            probing.result.checked.append(check.name)
        if len(probing.result.findings) == before and len(probing.sender.log) > sent:
            probing.canary(check.name)
    except RequestsSpentError:
        probing.skip(check.name, f"the {probing.sender.limit} requests were spent")
