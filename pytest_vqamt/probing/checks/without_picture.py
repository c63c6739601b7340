"""Requests without a picture between those with one: what they are answered by, and what they leave behind."""

from __future__ import annotations

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.models.budget import REFUSED
from pytest_vqamt.probing.asking import Request, Said, SentRequest
from pytest_vqamt.probing.checks.replies import is_refused
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing

NAME = "requests without a picture"

_BEFORE = "This is round {:06} of a long talk about pictures, which we begin anew."
"""Longer than what prefix caches call a page or a block of 16 tokens."""


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
        first, was_refused = _counted(probing, place, before)
        if was_refused or first.failure or not probing.agrees(first, place):
            break
        text = probing.sender.send_alone(
            Request(card=probing.cards[place], text=probing.subject, turns=(Said((*before, probing.subject)),))
        )
        if is_refused(text):
            probing.note(NAME, f"refused: {text.failure}")
            return False
        behind = (place + 1) % CARDS
        second, was_refused = _counted(probing, behind, before)
        is_kept = is_kept and not text.failure and probing.agrees(text, place)
        # A server that was restarted answers when the adapter asks again.
        is_unseen = is_unseen and (was_refused or bool(second.failure) or not probing.agrees(second, behind))
        kept += [text] if is_kept else []
        unseen += [second] if is_unseen else []
        if not (is_kept or is_unseen):
            return True
        if all(probing.is_finding(len(some), len(some), probing.flips) for some in (kept, unseen) if some):
            break
    if is_kept and kept:
        probing.add(FindingKind.PICTURE_KEPT, kept, rate=probing.flips)
        return False
    if is_unseen and unseen:
        ruled_out = ("the picture: before the request without one it is seen",)
        detail = "the prompts begin alike" if is_before else ""
        failure = next((each.failure for each in unseen if each.failure), "")
        probing.add(FindingKind.AFTER_TEXT, unseen, rate=probing.flips, detail=failure or detail, ruled_out=ruled_out)
        return False
    return True


def _counted(probing: Probing, place: int, before: tuple[str, ...]) -> tuple[SentRequest, bool]:
    """The question about a card, with whether the server refused it at first."""
    refused = probing.model.used().get(REFUSED, 0)
    card = probing.cards[place]
    turns = (Said((*before, card, probing.subject)),) if before else ()
    sent = probing.sender.send_alone(Request(card=card, text=probing.subject, turns=turns))
    return sent, probing.model.used().get(REFUSED, 0) > refused
