"""Photos of the user's by scores: others move them, and the same pixels in another file or in a batch do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import Card, CardFile
from pytest_vqamt.probing.checks.photos import MAIN
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.own_photos import OwnPhotos
from pytest_vqamt.probing.scores.comparing import Comparing, Pair

NAME = "your photos"

REQUESTS = 80
"""The most about photos, beside those about cards."""

_MOST_PX = 1024
"""The longer side of photos in other forms of file: a PNG of 16 bits has 6 MB then."""
_FORMS = {
    FindingKind.FILE_FORM: (CardFile(form=FileForm.INTERLACED), CardFile(form=FileForm.SIXTEEN_BITS)),
    FindingKind.WEBP: (CardFile(form=FileForm.WEBP),),
}
_DECODED = 0.5
"""Another decoder of JPEG may move the scores by so much of what another picture does."""
_ON = "on your photos"


def requests(own: OwnPhotos) -> list[Request]:
    """What two deployments are asked about the photos: the data's question about each, or an open one."""
    return [
        Request(card=Card.of_photo(photo), text=asked[0] if asked else MAIN)
        for photo, asked in zip(own.photos, own.questions, strict=True)
    ]


def photos(state: Comparing, own: OwnPhotos) -> None:
    """Makes all comparisons of the photos; a kind that the cards have shown is not found again."""
    if own.unreadable:
        state.note("photos that cannot be read", f"{len(own.unreadable)}, the first: {own.unreadable[0]}")
    # Photos are beside the requests about cards.
    state.sender.limit = len(state.sender.log) + REQUESTS
    cards = [Card.of_photo(photo) for photo in own.photos]
    if found := state.unmoved((state.send(first, MAIN), state.send(second, MAIN)) for first, second in pairwise(cards)):
        state.add_finding(FindingKind.PICTURE_UNUSED, found, rate=state.alike, detail=_ON)
        return
    small = [card for card in cards if max(card.size) <= _MOST_PX] or [replace(cards[0], size=_fitted(cards[0].size))]
    plain = [replace(card, file=CardFile()) for card in small]
    if state.sender.takes_files:
        for kind, forms in _FORMS.items():
            found = [each for file in forms for each in state.changed(_in_form(state, plain, file))]
            _add(state, kind, found)
        own_files = ((state.send(card, MAIN), state.send(each, MAIN)) for card, each in zip(small, plain, strict=True))
        is_near = partial(state.is_near, share=_DECODED)
        _add(state, FindingKind.JPEG, state.changed(pair for pair in own_files if not is_near(*pair)))
    alone = [state.send(card, MAIN) for card in cards[:8]]
    wrong: list[SentRequest] = []
    for _ in range(2):
        sent = state.sender.send_together([each.request for each in alone])
        wrong = [each for first, each in zip(alone, sent, strict=True) if not state.is_same(first, each)]
        if not wrong:
            return
    _add(state, FindingKind.BATCH, wrong, len(alone))


def _in_form(state: Comparing, cards: Sequence[Card], file: CardFile) -> Iterator[Pair]:
    return ((state.send(card, MAIN), state.send(replace(card, file=file), MAIN)) for card in cards)


def _fitted(size: tuple[int, int]) -> tuple[int, int]:
    scale = _MOST_PX / max(size)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _add(state: Comparing, kind: FindingKind, found: Sequence[SentRequest], compared: int = 0) -> None:
    if found and not state.result.found(kind):
        state.add_finding(kind, found, compared, rate=state.odd, detail=_ON)
