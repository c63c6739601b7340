"""Requests in flight at the same time: of one length, beside longer ones, and more and more of them."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOURS, NUMBER, Card
from pytest_vqamt.probing.filler import FILLER
from pytest_vqamt.probing.findings import FLIPS, FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing, clear_numbers

LEVELS = (16, 64)
"""Requests in flight; the check before has sent six and eight."""

_ALONE = "the cards: sent alone they are answered as always"
_EQUAL = "sending together as such: texts of one length are answered as alone"
_DIGITS = 4
"""Of the numbers on the ladder: 64 of 9,000 are seldom met by chance."""
_SIZES = ((224, 224), (224, 224), (320, 224), (448, 448))
"""Of the cards on the ladder: half are of one size, where engines batch them."""


def batches(probing: Probing) -> None:
    """All cards at once, with texts of one length, and beside two that are much longer."""
    long = " ".join([FILLER] * 12)
    plain = _together(probing, "")
    # Mixed up already among equal lengths: padding is not needed to explain it.
    if probing.is_finding(len(plain), CARDS):
        known = {probing.reference_of(place) for place in range(CARDS)}
        swapped = sum(each.reading in known for each in plain)
        kind = FindingKind.SWAPPED_ANSWERS if swapped == len(plain) else FindingKind.BATCH
        detail = f"{swapped} of {len(plain)} answers are those to another card of the batch" if swapped else ""
        probing.add(kind, plain, CARDS, detail=detail, ruled_out=(_ALONE,))
        return
    mixed = _together(probing, f"{long}\n")
    detail = f"beside a text of {len(long.split())} words"
    probing.add(FindingKind.BATCH_PADDING, mixed, CARDS, detail=detail, ruled_out=(_EQUAL,))


def _together(probing: Probing, longer: str) -> list[SentRequest]:
    """Sends one batch twice; the requests that differed both times. ``longer`` is before the text of two more."""
    wrong: list[SentRequest] = []
    for _ in range(2):
        requests = [Request(card=card, text=probing.salted_text(probing.subject)) for card in probing.cards]
        longest = [
            Request(card=replace(card, nonce=77), text=longer + probing.salted_text(probing.subject))
            for card in probing.cards[:2]
        ]
        sent = probing.sender.send_together([*(longest if longer else ()), *requests])[-CARDS:]
        differing = [each for place, each in enumerate(sent) if not each.failure and not probing.agrees(each, place)]
        if not differing:
            return []
        # Only cards that differed in both sendings.
        before = {each.card.digest for each in wrong}
        wrong = [each for each in differing if not before or each.card.digest in before]
    return wrong


def ladder(probing: Probing) -> None:
    """More and more cards in flight, each with a number of its own: no answer may be the number of another."""
    if probing.result.found(FindingKind.BATCH, FindingKind.SWAPPED_ANSWERS, FindingKind.BATCH_PADDING):
        return
    numbers = clear_numbers(probing.random, max(LEVELS), _DIGITS)
    names = tuple(COLOURS)
    spoilt = probing.result.found(
        *(FindingKind.LARGE_PICTURE, FindingKind.SIZE, FindingKind.ASPECT_RATIO, FindingKind.TILES),
        *(FindingKind.CROPPED, FindingKind.DETAIL),
    )
    sizes = _SIZES[:1] if spoilt else _SIZES
    cards = [
        Card(number=number, ground=COLOURS[names[place % 6]], size=sizes[place % len(sizes)])
        for place, number in enumerate(numbers)
    ]
    misread = _misread(probing)
    # Of numbers that a model misreads at random, so few are another card's.
    by_chance = misread * max(LEVELS) / 10**_DIGITS
    swapped: list[SentRequest] = []
    wrong: list[SentRequest] = []
    sent_so_far = 0
    reached = 0
    for level in LEVELS:
        # One that is found is looked at again, on the same cards.
        for _ in range(3):
            if len(probing.sender.log) + level > probing.sender.limit:
                break
            sent = probing.sender.send_together(
                [Request(card=card, text=probing.salted_text(NUMBER)) for card in cards[:level]]
            )
            sent_so_far += level
            reached = level
            given = {str(card.number) for card in cards[:level]}
            others = [each for each in sent if not each.is_right and not each.failure]
            swapped += [each for each in others if each.reading in given]
            wrong += others
            if not others or probing.is_finding(len(swapped), sent_so_far, by_chance):
                break
        detail = f"{len(swapped)} of {sent_so_far:,} answers, with {level} requests in flight"
        if probing.add(FindingKind.SWAPPED_ANSWERS, swapped, sent_so_far, detail=detail, rate=by_chance):
            return
    detail = f"{len(wrong)} of {sent_so_far:,} answers, with up to {reached} requests in flight"
    probing.add(FindingKind.BATCH, wrong, sent_so_far, detail=detail, rate=misread, ruled_out=(_ALONE,))
    probing.note("requests in flight", f"up to {reached}", is_minor=True)


def _misread(probing: Probing) -> float:
    """The share of numbers that may be answered wrongly: by chance, or as the model misreads them alone."""
    right, tries = probing.result.read["numbers"]
    return max(probing.flips, 1 - right / tries + FLIPS)
