"""Requests in flight at the same time: of one length, beside longer ones, and more and more of them."""

from __future__ import annotations

from dataclasses import replace

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOURS, NUMBER, Card
from pytest_vqamt.probing.filler import FILLER
from pytest_vqamt.probing.findings import FLIPS, MOST_CHANCE
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing, clear_numbers

LEVELS = (64, 16)
"""Requests in flight, the second where the first gives a finding, or is too many; the check before has sent eight."""

_ALONE = "the cards: sent alone they are answered as always"
_EQUAL = "sending together as such: texts of one length are answered as alone"
_SENT_ALONE = 16
"""Cards that were answered wrongly in flight and are sent alone before that is a finding."""
_DIGITS = 4
"""Of the numbers on the ladder: 64 of 9,000 are seldom met by chance."""
_SIZES = ((224, 224), (224, 224), (320, 224), (448, 448))
"""Of the cards on the ladder: half are of one size, where engines batch them."""


def batches(probing: Probing) -> None:
    """All cards at once beside two with much longer texts; where answers differ, of one length, too."""
    long = " ".join([FILLER] * 12)
    mixed = _together(probing, f"{long}\n")
    if not mixed:
        return
    plain = _together(probing, "")
    # Mixed up already among equal lengths: padding is not needed to explain it.
    if probing.is_finding(len(plain), CARDS):
        known = {probing.reference_of(place) for place in range(CARDS)}
        swapped = sum(each.reading in known for each in plain)
        kind = FindingKind.SWAPPED_ANSWERS if swapped == len(plain) else FindingKind.BATCH
        detail = f"{swapped} of {len(plain)} answers are those to another card of the batch" if swapped else ""
        probing.add(kind, plain, CARDS, detail=detail, ruled_out=(_ALONE,))
        return
    detail = f"beside a text of {len(long.split())} words"
    probing.add(FindingKind.BATCH_PADDING, mixed, CARDS, detail=detail, ruled_out=(_EQUAL,))


def _together(probing: Probing, longer: str) -> list[SentRequest]:
    """Sends one batch twice; the requests that differed both times. ``longer`` is before the text of two more."""
    wrong: list[SentRequest] = []
    for _ in range(2):
        requests = [probing.fresh(Request(card=card, text=probing.subject)) for card in probing.cards]
        longest = [
            probing.fresh(Request(card=replace(card, nonce=77), text=longer + probing.subject))
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
    if _mixes_up_alone(probing):
        by_chance = max(by_chance, misread)
    for level in LEVELS:
        if level > probing.sender.left:
            continue
        swapped, wrong, sent = _in_flight(probing, cards[:level], misread)
        said = f"of {sent:,} answers, with {level} requests in flight"
        found = probing.add(FindingKind.SWAPPED_ANSWERS, swapped, sent, detail=f"{len(swapped)} {said}", rate=by_chance)
        if not found and probing.is_finding(len(wrong), sent, misread):
            found = probing.chance_alone(_read_alone(probing, wrong), sent) <= MOST_CHANCE and probing.add(
                FindingKind.BATCH, wrong, sent, detail=f"{len(wrong)} {said}", rate=misread, ruled_out=(_ALONE,)
            )
        probing.note("requests in flight", f"up to {level}", is_minor=True)
        if swapped and not found:
            probing.note("answers of other cards in flight", f"{len(swapped)} {said}: more --max-requests decide")
        if found:
            _add_lower_level(probing, cards, misread)
        return


def _mixes_up_alone(probing: Probing) -> bool:
    """True if random answers about a card are also those to others where each is sent alone."""
    subject = probing.subject
    numbers = {str(card.number) for card in probing.cards}
    return any(
        each.reading in numbers and each.reading != probing.reference_of(place)
        for place, asked, each in probing.repeats
        if asked == subject
    )


def _read_alone(probing: Probing, wrong: list[SentRequest]) -> int:
    """How many of the wrong answers are about cards that are read alone, by some of them: the others are not mixed up.

    A model may read three digits and not four, or write four in a way of its own.
    """
    cards = list(dict.fromkeys(each.card for each in wrong))[: min(_SENT_ALONE, probing.sender.left)]
    right = sum(probing.send(card, NUMBER).is_right for card in cards)
    return round(len(wrong) * right / len(cards)) if cards else len(wrong)


def _in_flight(probing: Probing, cards: list[Card], misread: float) -> tuple[list[SentRequest], list[SentRequest], int]:
    """Sends all cards at once; the answers that are another card's, all wrong ones, and the number of all."""
    given = {str(card.number) for card in cards}
    swapped: list[SentRequest] = []
    wrong: list[SentRequest] = []
    for sent in range(len(cards), 3 * len(cards) + 1, len(cards)):
        seen = probing.sender.send_together([probing.fresh(Request(card=card, text=NUMBER)) for card in cards])
        others = [each for each in seen if not each.is_right and not each.failure]
        swapped += [each for each in others if each.reading in given]
        wrong += others
        # Looked at again, on the same cards, where chance may not be all of it.
        is_open = bool(swapped) or probing.is_undecided(len(wrong), sent, misread)
        if not is_open or probing.sender.left < len(cards):
            break
    return swapped, wrong, sent


def _add_lower_level(probing: Probing, cards: list[Card], misread: float) -> None:
    """Says of the last finding if it is seen with few requests in flight, too."""
    few = min(LEVELS)
    if probing.sender.left < few:
        return
    swapped, wrong, sent = _in_flight(probing, cards[:few], misread)
    last = probing.result.findings[-1]
    count = len(swapped if last.kind is FindingKind.SWAPPED_ANSWERS else wrong)
    probing.result.findings[-1] = replace(last, detail=f"{last.detail}; {count} of {sent} with {few}")


def _misread(probing: Probing) -> float:
    """The share of numbers that may be answered wrongly: by chance, or as the model misreads them alone."""
    right, tries = probing.result.read["numbers"]
    return max(probing.flips, 1 - right / tries + FLIPS)
