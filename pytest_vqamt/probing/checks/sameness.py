"""Checks that one request has one answer: repeated, about other pictures and texts, after other requests and pauses."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import (
    COLOUR,
    COLOURS,
    IDLE_S,
    LARGER_PX,
    NUMBER,
    SIDE_PX,
    Card,
    CardFile,
    alike_pairs,
    colliding_pairs,
    says,
)
from pytest_vqamt.probing.checks.reading import EMPTY, FRESH, distinct, is_by_text
from pytest_vqamt.probing.findings import FLIPS, MOST_CHANCE
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, ROUNDS, Probing
from pytest_vqamt.stats.binomial import upper_tail

_MORE_ROUNDS = 7
"""Further rounds over all cards where answers to the same request differ, to measure how often."""

_OTHERS_CARD = 0.5
"""The share of random answers that may be one about another card."""

_COLOUR_ROUNDS = 3
"""The same where answers about colours alone differ."""
_FRESH = 3
_OTHER_SIZE = (SIDE_PX + 16, SIDE_PX)
"""Cards that are asked about once more with a speck of their own."""

_UNPACKED = CardFile(unpacked=True)


def empty_pictures(probing: Probing) -> None:
    """Pictures of one colour, and noise: no answer about them may be the number of a card."""
    # A card with a number first, whose answer a server may keep.
    probing.send(probing.cards[0], probing.subject)
    seen = [probing.send(card, probing.subject) for card in EMPTY.values()]
    said = (f"{each.failure or each.answer!r} (on {name})" for name, each in zip(EMPTY, seen, strict=True))
    probing.note("answers about blank and noise pictures", ", ".join(said), is_minor=True)
    if probing.subject == NUMBER:
        # Sent again: a model may guess a number once.
        again = [probing.send(each.card, NUMBER) for each in seen if _names_a_card(probing, each)]
        wrong = [each for each in again if _names_a_card(probing, each)]
        probing.add(FindingKind.EMPTY_PICTURE, wrong, len(EMPTY))


def _names_a_card(probing: Probing, asked: SentRequest) -> bool:
    return any(str(card.number) in asked.reading for card in probing.cards)


def texts(probing: Probing) -> None:
    """The same picture with another text: number and colour must not get the same answer."""
    reference = probing.reference
    places = [place for place in range(CARDS) if reference[place, NUMBER] == reference[place, COLOUR]]
    same = [each for place, question, each in probing.repeats if place in places and question == COLOUR]
    # On all cards; where colours are not told apart either, the text proves nothing.
    if len(places) == CARDS and distinct({key: [said] for key, said in reference.items()}, COLOUR) >= 3:
        # A cache has never seen the same look with another speck; who ignores texts answers as always.
        fresh = [probing.send(replace(card, nonce=5), COLOUR) for card in probing.cards[:_FRESH]]
        is_cache = any(each.reading != reference[place, NUMBER] for place, each in enumerate(fresh))
        ruled_out = () if is_cache else ("a cache: a new picture gets this answer to its first question, too",)
        probing.add(FindingKind.TEXT_IGNORED, same[:CARDS], ruled_out=ruled_out)


def repeats(probing: Probing) -> None:
    """The same request again: cold, warm, and in three orders."""
    other, tries = probing.repeat_cards(0)
    # Of colours, too; a deterministic server costs no further requests.
    of_colours = [(place, each.reading) for place, asked, each in probing.repeats if asked == COLOUR]
    if other or any(said != probing.reference[place, COLOUR] for place, said in of_colours):
        probing.is_measured = True
        other, tries = probing.repeat_cards(_MORE_ROUNDS)
    while _is_open(probing, len(other), tries):
        probing.spend(CARDS)
        other, tries = probing.repeat_cards(1)
    if probing.is_finding(len(other), tries, FLIPS) and is_by_text(probing, len(other), tries):
        probing.add_finding(FindingKind.TEXT_KEYED, other, tries, detail=FRESH, rate=FLIPS)
        return
    kind = FindingKind.EARLIER_ANSWER if _are_earlier(probing) else FindingKind.NON_DETERMINISTIC
    if not probing.add(kind, other, tries, rate=FLIPS):
        _repeat_colours(probing)


def _are_earlier(probing: Probing) -> bool:
    """True if wrong answers about the cards are those to other cards, and more often than of one that makes them up."""
    wrong = [each for _, asked, each in probing.repeats if asked == NUMBER and not each.is_right and not each.failure]
    named = sum(
        any(card.number != each.card.number and says(each.reading, str(card.number)) for card in probing.cards)
        for each in wrong
    )
    return bool(wrong) and upper_tail(named, len(wrong), _OTHERS_CARD) <= MOST_CHANCE


def _repeat_colours(probing: Probing) -> None:
    """Colours alone may vary, as where some requests get other channels."""
    given: list[list[SentRequest]] = [[] for _ in range(CARDS)]
    for place, asked, each in probing.repeats:
        if asked == COLOUR:
            given[place].append(each)
    if not _varying(given):
        return
    for turn in range(_MORE_ROUNDS):
        if turn >= _COLOUR_ROUNDS:
            if not _is_open(probing, len(_varying(given)), sum(map(len, given))):
                break
            probing.spend(CARDS)
        for place, card in enumerate(probing.cards):
            given[place].append(probing.send(card, COLOUR))
    other, tries = _varying(given), sum(map(len, given))
    # As random as numbers are it is the same noise, which all checks allow for.
    probing.add(FindingKind.NON_DETERMINISTIC, other, tries, rate=probing.flips, detail="of colours")


def _varying(given: list[list[SentRequest]]) -> list[SentRequest]:
    """The answers that differ from the usual one about their card."""
    usual = [Counter(each.reading for each in some).most_common(1)[0][0] for some in given]
    return [each for some, said in zip(given, usual, strict=True) for each in some if each.reading != said]


def _is_open(probing: Probing, other: int, tries: int) -> bool:
    return probing.spare_requests >= CARDS and probing.is_undecided(other, tries, FLIPS)


def hashes(probing: Probing) -> None:
    """Pairs of pictures that collide in 16 bits of a usual hash, one after the other with one text."""
    shown: list[SentRequest] = []
    names: list[str] = []
    for name, pairs in colliding_pairs((probing.cards[0], probing.cards[2])).items():
        if found := _mistaken(
            probing, [(2, first, second, replace(second, nonce=second.nonce + 1000)) for first, second in pairs]
        ):
            names.append(name)
            shown += found
    if shown:
        probing.add(FindingKind.SHORT_HASH, shown, detail=f"they share {' and '.join(names)}")


def likenesses(probing: Probing) -> None:
    """Pairs of cards whose files have one length or one beginning, or that look alike when they are small."""

    def pairs(cards: list[Card]) -> list[tuple[int, Card, Card, Card]]:
        return [(b, cards[a], cards[b], probing.cards[b]) for a, b in ((0, 1), (2, 3), (4, 5))]

    if probing.sender.takes_files:
        plain = [replace(card, file=_UNPACKED) for card in probing.cards]
        if found := _mistaken(probing, pairs(plain)):
            probing.add(FindingKind.LENGTH_KEYED, found)
            return
    if not probing.reads:
        return
    if probing.sender.takes_files:
        # One ground: the first rows, and so the first bytes, are the same.
        white = [replace(card, ground=COLOURS["white"], file=_UNPACKED) for card in probing.cards]
        found = _mistaken(probing, pairs(white))
        # As hard to read: a file of another size begins otherwise.
        if found and probing.send(replace(found[0].card, file=None, size=_OTHER_SIZE), NUMBER).is_right:
            probing.add(FindingKind.BEGINNING_KEYED, found)
            return
    alike = alike_pairs(probing.cards, probing.spare)
    found = _mistaken(probing, [(place, *pair, probing.cards[place]) for place, pair in alike.items()])
    # White on black is as hard to read, and of another look.
    if found and probing.send(replace(found[0].card, ground=COLOURS["black"]), NUMBER).is_right:
        probing.add(FindingKind.LOOK_KEYED, found)


def _mistaken(probing: Probing, pairs: Sequence[tuple[int, Card, Card, Card]]) -> list[SentRequest]:
    """Sends pairs of cards one after the other; the second ones if each got the answer to the first both times.

    A pair is the place of the second, both cards, and a control: the second in a form that is not like the first.
    """
    found: list[SentRequest] = []
    for place, first, second, control in pairs:
        text = probing.salted_text(probing.subject)
        last: SentRequest | None = None
        for _ in range(2):
            before = probing.sender.send_alone(Request(card=first, text=text))
            last = probing.sender.send_alone(Request(card=second, text=text))
            if before.failure or last.failure or last.reading != before.reading or probing.agrees(last, place):
                return []
        # With the same text: where that card gets its own answer, the likeness was the reason.
        own = probing.sender.send_alone(Request(card=control, text=text))
        if last is None or not probing.agrees(own, place):
            return []
        found.append(last)
        if probing.is_finding(len(found), len(found)):
            return found
    return []


def large_then_small(probing: Probing) -> None:
    """A small picture, a large one, and the small one again."""

    def asked() -> Iterator[tuple[int, Request]]:
        for place, card in [*enumerate(probing.cards)] * ROUNDS:
            small = Request(card=replace(card, size=(160, 160)), text=probing.subject)
            if probing.differs(place, small) is not None:
                return  # small pictures are another matter
            probing.send(replace(card, size=(LARGER_PX, LARGER_PX)), probing.subject)
            yield place, small

    sent = ((place, probing.sender.send_alone(small)) for place, small in asked())
    found = probing.until_right((seen, probing.agrees(seen, place)) for place, seen in sent)
    probing.add(
        FindingKind.LARGE_BEFORE,
        found,
        rate=probing.flips,
        ruled_out=("the small pictures: before a large one they are answered as always",),
    )


def idleness(probing: Probing) -> None:
    """A card after a pause of some seconds, in which nothing is sent."""

    def after_a_pause(place: int) -> SentRequest:
        probing.send(probing.cards[place - 1], probing.subject)
        time.sleep(IDLE_S)
        return probing.send(probing.cards[place], probing.subject)

    sent = ((place, after_a_pause(place)) for place in range(CARDS))
    found = probing.until_right((seen, probing.agrees(seen, place)) for place, seen in sent)
    probing.add(FindingKind.IDLENESS, found, rate=probing.flips, detail=f"of {IDLE_S:g} s")
