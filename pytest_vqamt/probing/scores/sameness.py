"""Checks that equal content has equal scores: in other files, beside other requests, after others and after a pause."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.query import Task
from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import COLOURS, IDLE_S, INK, LARGER_PX, NUMBER, Card, CardFile, Hidden
from pytest_vqamt.probing.checks.files import FORMS
from pytest_vqamt.probing.filler import FILLER
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS
from pytest_vqamt.probing.scores.comparing import Comparing, Pair

_LEVELS = (16, 64)
"""Requests in flight."""
_GRAY = (FileForm.GRAYSCALE, FileForm.GRAYSCALE_JPEG)
_SPECK = 99
"""The nonce of a card whose pixels hardly differ."""
_LOSSY = 0.5
"""Lossy WebP may move the scores by so much of what another picture does."""
_DECODED = 0.08
"""JPEG may move them by so much from the pixels that Pillow decodes: decoders round otherwise (llama.cpp: 0.01)."""


def files(state: Comparing) -> None:
    """The same pixels in each form of file; of lossy ones, the pixels that Pillow decodes."""
    if not state.sender.takes_files:
        state.skip("forms of file", "the model gets pixels, not files")
        return
    for kind, forms in FORMS.items():
        found: list[SentRequest] = []
        names: list[str] = []
        refused: list[SentRequest] = []
        for file in forms:
            # All files of such a form differ, whatever else is special about them.
            if file.form is FileForm.JPEG and kind is not FindingKind.JPEG and state.result.found(FindingKind.JPEG):
                continue
            if differing := state.changed(_in_form(state, file)):
                found += differing
                names.append(file.words)
            refused += [each for each in state.sender.log[-2:] if each.failure and each.card.file == file]
        if found:
            told = _ignored(state, found) if kind is FindingKind.EXIF else ""
            state.add_finding(
                kind, found, rate=state.odd, detail="; ".join(names) + told, ruled_out=("the same pixels as plain PNG",)
            )
        for each in refused[:1]:
            state.note(each.card.file.words if each.card.file else "", f"refused: {each.failure}")
    if state.is_sensitive:
        transparency(state)


def _in_form(state: Comparing, file: CardFile) -> Iterator[Pair]:
    for place, card in enumerate(state.cards):
        shown = replace(card, changes=("without its colours",)) if file.form in _GRAY else card
        plain = state.reference[place] if shown is card else state.send(shown)
        sent = state.send(replace(shown, file=file))
        if file.quality and not state.is_same(plain, sent):
            # What is lost in the file is lost in plain pixels, too.
            if file.form is FileForm.LOSSY_WEBP and state.is_near(plain, sent, _LOSSY):
                return
            if file.form is not FileForm.LOSSY_WEBP:
                decoded = f"as decoded from JPEG of quality {file.quality}"
                plain = state.send(replace(shown, changes=(*shown.changes, decoded)))
                if state.is_near(plain, sent, _DECODED):
                    return
            # Decoders round otherwise; whole answers may change with any pixel.
            if not state.has_scores and not state.is_same(plain, state.send(replace(plain.card, nonce=_SPECK))):
                return
        yield plain, sent


def _ignored(state: Comparing, found: Sequence[SentRequest]) -> str:
    """Whether the scores are those of the stored pixels, which EXIF turns."""
    for sent in found:
        file = sent.card.file
        if file is None or file.orientation not in _STORED:
            continue
        stored = state.send(replace(sent.card, file=None, changes=(_STORED[file.orientation],)))
        if state.is_same(stored, sent) or state.is_near(stored, sent, _LOSSY):
            return "; the scores are those of the stored pixels: the orientation is ignored"
    return ""


_STORED = {
    2: "mirrored",
    3: "turned by a half",
    4: "upside down",
    5: "with rows and columns exchanged",
    6: "turned by a quarter to the left",
    8: "turned by a quarter to the right",
}
"""How the pixels of a file lie, by the orientation that turns them back."""


def transparency(state: Comparing) -> None:
    """What lies under transparent pixels must not count; on what they are put is told."""

    def hidden(place: int, under: Hidden) -> Card:
        return replace(state.cards[place], ground=COLOURS["white"], ink=INK, file=CardFile(hidden=under))

    for under in (Hidden.BLACK, Hidden.NOISE):
        pairs = ((state.send(hidden(place, Hidden.WHITE)), state.send(hidden(place, under))) for place in range(CARDS))
        if found := state.changed(pairs):
            detail = f"{under.value} and white under transparent pixels"
            state.add_finding(FindingKind.ALPHA, found, rate=state.odd, detail=detail)
            return
    shown = [replace(hidden(place, Hidden.WHITE), file=None) for place in range(CARDS)]
    sent = [state.send(hidden(place, Hidden.WHITE)) for place in range(CARDS)]
    on_black = [state.send(replace(each, ground=(0, 0, 0))) for each in shown[:2]]
    if all(state.is_same(black, each) for black, each in zip(on_black, sent, strict=False)):
        state.add_finding(FindingKind.TRANSPARENCY, sent[:CARDS], rate=state.odd)
    elif state.changed(((state.send(card), each) for card, each in zip(shown, sent, strict=True))):
        state.note("transparent pixels", "shown neither on white nor on black")


def together(state: Comparing) -> None:
    """All cards at once, beside longer texts, and 16 and 64 in flight."""
    places = list(range(CARDS))
    if _mixed_up(state, places, [], FindingKind.BATCH, "of one length"):
        return
    if state.sender.task is not Task.CAPTIONING:
        long = " ".join([FILLER] * 12)
        longer = [Request(card=replace(card, nonce=77), text=f"{long}\n{NUMBER}") for card in state.cards[:2]]
        beside = f"beside a text of {len(long.split())} words"
        if _mixed_up(state, places, longer, FindingKind.BATCH_PADDING, beside):
            return
    more = [Card(number=number, ground=COLOURS["white"]) for number in state.spare[: _LEVELS[0] - CARDS]]
    known = [*state.reference, *(state.send(card) for card in more)]
    reached = CARDS
    for level in _LEVELS:
        if level > state.sender.left:
            break
        reached = level
        all_places = list(range(_LEVELS[0])) * (level // _LEVELS[0])
        if _mixed_up(state, all_places, [], FindingKind.BATCH, "", known):
            return
    state.note("requests in flight", f"up to {reached}")


def _mixed_up(
    state: Comparing,
    places: Sequence[int],
    longer: Sequence[Request],
    kind: FindingKind,
    detail: str,
    known: Sequence[SentRequest] = (),
) -> bool:
    """Sends a batch twice; True if answers were twice other ones than alone, which is a finding then."""
    alone = known or state.reference
    wrong: list[SentRequest] = []
    swapped = 0
    for _ in range(2):
        batch = [*longer, *(alone[place].request for place in places)]
        sent = state.sender.send_together(batch)[len(longer) :]
        wrong = [each for place, each in zip(places, sent, strict=True) if not state.is_same(alone[place], each)]
        if not wrong:
            return False
        others = [other for other in alone if not other.failure]
        swapped = sum(any(state.is_same(other, each) for other in others if other.card != each.card) for each in wrong)
    # In 16 bits a batch is computed in another order: near what it was alone, and nothing else's answer.
    level = f"with {len(places)} requests in flight"
    told = ", ".join(filter(None, (detail, level)))
    if swapped * 2 > len(wrong):
        found = f"{swapped} of {len(places)} are the scores of another card, {told}"
        return state.add_finding(FindingKind.SWAPPED_ANSWERS, wrong, len(places), rate=state.odd, detail=found)
    return state.add_finding(kind, wrong, len(places), rate=state.odd, detail=told, ruled_out=("sent alone",))


def after_others(state: Comparing) -> None:
    """A small picture behind a large one, and a card after a pause."""
    small = [replace(card, size=(160, 160)) for card in state.cards]

    def behind_large() -> Iterator[Pair]:
        for card in small:
            before = state.send(card)
            state.send(replace(card, size=(LARGER_PX, LARGER_PX)))
            yield before, state.send(card)

    if found := state.changed(behind_large()):
        state.add_finding(FindingKind.LARGE_BEFORE, found, rate=state.odd, ruled_out=("small pictures alone",))

    def after_pause() -> Iterator[Pair]:
        for place, card in enumerate(state.cards):
            state.send(state.cards[place - 1])
            time.sleep(IDLE_S)
            yield state.reference[place], state.send(card)

    if found := state.changed(after_pause()):
        state.add_finding(FindingKind.IDLENESS, found, rate=state.odd, detail=f"of {IDLE_S:g} s")
