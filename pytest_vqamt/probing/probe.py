"""``vqamt probe``: calibrates a model and runs the checks in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.probing.asking import Advance, RequestSender, RequestsSpentError
from pytest_vqamt.probing.checks import (
    colours,
    files,
    lengths,
    names,
    parts,
    photos,
    prompts,
    reading,
    replies,
    sameness,
    sizes,
    texts,
    together,
    unlike,
    urls,
    without_picture,
)
from pytest_vqamt.probing.kinds import CACHES, FindingKind
from pytest_vqamt.probing.own_photos import OwnPhotos
from pytest_vqamt.probing.probing import CARDS, TOGETHER, Probing
from pytest_vqamt.probing.results import ProbeResult

MOST_REQUESTS = 400

_MOST_ROUNDS = 10
"""Rounds over the reference cards at the end, where it is undecided if too many answers are odd."""


class _Needs(StrEnum):
    """What a model must read for a check to mean something."""

    NOTHING = ""
    SOMETHING = "something"
    """The numbers or the colours: a card that is changed is the same only to who reads it."""
    NUMBERS = "numbers"


class _Check(NamedTuple):
    name: str
    run: Callable[[Probing], None]
    needs: _Needs = _Needs.NOTHING
    fresh: bool = False
    """True if it means nothing where a cache takes one picture for another."""
    canary: bool = True
    """False if the reference cards are not asked again before the next check, which sends requests of the same kind."""


_CHECKS = (
    _Check("blank and noise", sameness.empty_pictures),
    _Check("text", sameness.texts),
    _Check("repeated", sameness.repeats),
    _Check("short image hashes", sameness.hashes),
    _Check("alike pictures", sameness.likenesses),
    _Check(TOGETHER, together.batches),
    _Check("sides and counts", reading.measure_sides),
    _Check("colours", colours.colours),
    _Check("places", sizes.places, needs=_Needs.SOMETHING),
    _Check(sizes.SIZES_NAME, sizes.squares, needs=_Needs.SOMETHING),
    _Check("large, then small", sameness.large_then_small),
    _Check("forms of file", files.forms, needs=_Needs.SOMETHING, fresh=True, canary=False),
    _Check("colours of files", colours.colours_of_files, needs=_Needs.SOMETHING, fresh=True),
    _Check(urls.NAME, urls.urls, fresh=True),
    _Check("long texts", texts.long_texts, needs=_Needs.SOMETHING),
    _Check(parts.SEVERAL_NAME, parts.pictures, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check(unlike.NAME, unlike.unlike, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check("turns", parts.turns, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check("text before a picture", parts.text_first, needs=_Needs.SOMETHING, canary=False),
    _Check("system messages", parts.system, needs=_Needs.SOMETHING, canary=False),
    _Check("the model's own turns", parts.assistant, needs=_Needs.SOMETHING),
    _Check(without_picture.NAME, without_picture.without_picture, needs=_Needs.SOMETHING, fresh=True, canary=False),
    _Check(prompts.MARKS_NAME, prompts.marks, needs=_Needs.SOMETHING, fresh=True, canary=False),
    _Check(prompts.CHUNKS_NAME, prompts.chunks, needs=_Needs.SOMETHING, fresh=True),
    _Check(parts.LARGE_NAME, parts.large_pictures, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check("letters and stops", texts.letters, needs=_Needs.NUMBERS, canary=False),
    _Check(lengths.NAME, lengths.lengths, needs=_Needs.NUMBERS),
    _Check("faint digits", sizes.faint, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check(sizes.ENDS_NAME, sizes.ends, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check("near colours", sizes.levels, needs=_Needs.NUMBERS, fresh=True),
    _Check(sizes.ACUITY_NAME, sizes.acuity, needs=_Needs.NUMBERS, fresh=True, canary=False),
    _Check("detail of pictures", urls.details, needs=_Needs.NUMBERS, fresh=True),
    _Check("many in flight", together.ladder, needs=_Needs.NUMBERS, fresh=True),
    _Check("after a pause", sameness.idleness),
)


def probe(
    model: LoadedModel,
    *,
    limit: int = MOST_REQUESTS,
    seed: int = 0,
    own: OwnPhotos | None = None,
    url_host: str = "",
    advance: Advance | None = None,
) -> ProbeResult:
    """Probes a model that answers questions, in at most ``limit`` requests.

    Args:
        model: the deployment.
        limit: the most requests about cards.
        seed: other cards.
        own: photos of the user's, about which at most 120 further requests are sent.
        url_host: the name of this machine where the model is.
        advance: is told of requests that were answered.

    Raises:
        ModelError: the model cannot be used, or most requests fail.
    """
    probing = Probing(RequestSender(model, limit, advance=advance), seed, url_host)
    result = probing.result
    try:
        sees = reading.calibrate(probing)
        # Pictures that arrive, and cards that are not told apart, leave nothing to compare.
        if sees or result.findings:
            result.checked.append("sees at all")
        if sees:
            reading.measure_reading(probing)
            reading.look_at_fresh_texts(probing)
    except RequestsSpentError:
        probing.skip("all checks", "the requests were spent before the first comparison")
        return result
    if not sees:
        probing.skip("all other checks", "they compare answers that depend on the picture")
    again = [check for check in (_CHECKS if sees else ()) if _run(probing, check)]
    if sees:
        _look_again(probing, again)
    if own is not None:
        _about_photos(probing, own, sees=sees)
    _check_replies(probing)
    if sees:
        _ask_more(probing)
    reading.count_numbers(probing)
    replies.tokens(probing)
    names.names(probing)
    replies.usage(probing)
    replies.repeated(probing)
    replies.budget(probing)
    return result


def _check_replies(probing: Probing) -> None:
    replies.reasoning(probing)
    replies.answers(probing)
    replies.failures(probing)


def _look_again(probing: Probing, checks: Sequence[_Check]) -> None:
    """Makes the checks again that are undecided, once, while requests are left; what they find is added up."""
    probing.is_second_look = True
    for check in checks:
        sent = len(probing.sender.log)
        if probing.spare_requests > 0 and probing.undecided:
            try:
                check.run(probing)
            except RequestsSpentError:
                break
            finally:
                probing.spend(len(probing.sender.log) - sent)
    probing.is_second_look = False


def _ask_more(probing: Probing) -> None:
    """Asks about the reference cards again while it is undecided if too many of all answers are odd."""
    for _ in range(_MOST_ROUNDS):
        if not probing.undecided.keys() & replies.OF_ALL or min(probing.spare_requests, probing.sender.left) < CARDS:
            return
        for card in probing.cards:
            probing.send(card, probing.subject)
        probing.spend(CARDS)
        replies.reasoning(probing)
        replies.answers(probing)


def _run(probing: Probing, check: _Check) -> bool:
    """Makes a check, unless it means nothing here; True if it has left something undecided."""
    known = set(probing.undecided)
    if check.needs is not _Needs.NOTHING and not probing.reads_something:
        probing.skip(check.name, "the model reads too little on the cards: --scores needs no reading")
        return False
    if check.needs is _Needs.NUMBERS and not probing.reads:
        right, tries = probing.result.read["numbers"]
        probing.skip(check.name, f"the model reads {right} of {tries} numbers on the cards")
        return False
    if check.needs is _Needs.NUMBERS and probing.result.found(FindingKind.TEXT_IGNORED):
        probing.skip(check.name, "the answers do not depend on the text")
        return False
    if probing.is_spoilt:
        probing.skip(check.name, "since what was found the cards are not read any more")
        return False
    if check.fresh and probing.result.found(*CACHES):
        probing.skip(check.name, "a cache takes one picture for another")
        return False
    try:
        before, sent = len(probing.result.findings), len(probing.sender.log)
        check.run(probing)
        # A check may skip itself.
        if check.name not in dict(probing.result.skipped):
            probing.result.checked.append(check.name)
        # After a finding the cards may well be answered otherwise, which is no second one.
        if len(probing.result.findings) > before:
            probing.since.clear()
        elif len(probing.sender.log) > sent:
            probing.since.append(check.name)
            if check.canary:
                probing.canary()
    except RequestsSpentError:
        probing.skip(check.name, f"the {probing.sender.limit} requests were spent")
    return bool(probing.undecided.keys() - known)


def _about_photos(probing: Probing, own: OwnPhotos, *, sees: bool) -> None:
    result = probing.result
    if photos.photos(probing, own) and not sees and result.found(FindingKind.PICTURE_UNUSED):
        # Pictures arrive: it is the cards that say nothing to this model.
        result.findings[:] = [each for each in result.findings if each.kind is not FindingKind.PICTURE_UNUSED]
        probing.note("cards", "the model tells your photos apart, and not the cards")
