"""Requests without a picture between those with one: what they are answered by, and what they leave behind."""

from __future__ import annotations

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.text import quoted
from pytest_vqamt.models.budget import BROKEN
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.checks.replies import is_refused
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing

NAME = "requests without a picture"

_BEFORE = "This is round {:06} of a long talk about pictures, which we begin anew."
"""Longer than what prefix caches call a page or a block of 16 tokens."""
_RANDOM = 0.1
"""Of wrong answers: a server that errs at random so often is allowed for, also where that was not measured."""


def without_picture(probing: Probing) -> None:
    """A picture, the same text without one, and another picture."""
    # An adapter that sends files as they are is one of a server that takes conversations.
    if not probing.sender.takes_files or probing.lacks(Ability.TURNS):
        probing.skip(NAME, probing.lacks(Ability.TURNS) or "the model gets pixels with each question")
        return
    # With the text before the picture, too: prompts that begin alike share a prefix.
    placed = (False, True) if not probing.lacks(Ability.INTERLEAVED) else (False,)
    for is_before in placed:
        if not _look(probing, is_before=is_before):
            return


def _look(probing: Probing, *, is_before: bool) -> bool:
    """Looks in rounds until all is as it should be; False where nothing more can be said."""
    kept: list[SentRequest] = []
    unseen: list[SentRequest] = []
    is_kept = is_unseen = True
    for place in range(CARDS):
        before = (_BEFORE.format(probing.random.randrange(10**6)),) if is_before else ()
        first, was_broken = _counted(probing, place, before)
        if was_broken or not probing.agrees(first, place):
            if not unseen:
                return True
            # What a text left behind may last for more than one picture.
            unseen.append(first)
        text = probing.sender.send_alone(
            Request(card=probing.cards[place], text=probing.subject, turns=(Said((*before, probing.subject)),))
        )
        if text.failure:
            if is_refused(text):
                probing.note(NAME, f"refused: {text.failure}")
            return False
        behind = (place + 1) % CARDS
        second, was_broken = _counted(probing, behind, before)
        source = _source(probing, text, first, place)
        is_kept = is_kept and source is not None
        is_unseen = is_unseen and (was_broken or not probing.agrees(second, behind))
        if is_kept and source is not None:
            kept.append(text)
            probing.compared_with[text.number] = source.number
        if is_unseen:
            unseen.append(second)
        if not (is_kept or is_unseen):
            return True
        seen = ((len(kept), probing.flips), (len(unseen), _rate(probing)))
        if all(probing.is_finding(count, count, rate) for count, rate in seen if count):
            break
    # Always the same is what the model says without a picture.
    if is_kept and len({each.reading for each in kept}) > 1:
        shown = f"{quoted(kept[0].reading, 40)} is in the picture of request {probing.compared_with[kept[0].number]}"
        probing.add(FindingKind.PICTURE_KEPT, kept, rate=probing.flips, detail=shown)
        return False
    if is_unseen and unseen:
        failure = next((each.failure for each in unseen if each.failure), "")
        broken = "a server's error at first, and an answer when it is sent again"
        alike = "the prompts begin alike" if is_before else ""
        detail = failure or (broken if all(each.is_right for each in unseen) else alike)
        ruled_out = ("the picture: before the request without one it is seen",)
        rate = _rate(probing)
        if probing.add_finding(FindingKind.AFTER_TEXT, unseen, rate=rate, detail=detail, ruled_out=ruled_out):
            # It may last for all later pictures.
            probing.measure_again()
        return False
    return True


def _source(probing: Probing, text: SentRequest, first: SentRequest, place: int) -> SentRequest | None:
    """The request whose picture an answer without one is about; None for none, or if several have that reference."""
    alike = [each for each in range(CARDS) if probing.reference_of(each) == probing.reference_of(place)]
    return first if probing.agrees(text, place) and len(alike) == 1 else probing.card_of(text)


def _rate(probing: Probing) -> float:
    """The chance that an answer is wrong, or a request is broken off, at random."""
    broken: float = probing.model.used().get(BROKEN, 0)
    return max(_RANDOM, probing.flips, broken / len(probing.sender.log))


def _counted(probing: Probing, place: int, before: tuple[str, ...]) -> tuple[SentRequest, bool]:
    """The question about a card, with whether the server broke it off at first; that it is busy is another matter."""
    broken = probing.model.used().get(BROKEN, 0)
    card = probing.cards[place]
    turns = (Said((*before, card, probing.subject)),) if before else ()
    sent = probing.sender.send_alone(Request(card=card, text=probing.subject, turns=turns))
    return sent, bool(sent.failure) or probing.model.used().get(BROKEN, 0) > broken
