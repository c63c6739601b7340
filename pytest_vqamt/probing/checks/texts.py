"""Texts: long ones before, around and behind the question, letters beyond ASCII, and answers that end too early."""

from __future__ import annotations

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import ECHO, Card
from pytest_vqamt.probing.findings import FindingKind
from pytest_vqamt.probing.probing import Probing
from pytest_vqamt.relations.serving import FILLER, LINES, with_filler

_PLAIN, _LETTERS = "lamp river seven", "żółw ñandú Straße"
_LINES = "lamp. river. seven"


def long_texts(probing: Probing) -> None:
    """Filler before the question, behind it, and between the picture and the question's own words."""
    found: list[SentRequest] = []
    lengths = []
    for lines in LINES.values():
        text = with_filler(probing.subject, lines)
        if differing := _confirmed(probing, text):
            found += differing
            lengths.append(len(text.split()))
    if found:
        detail = f"texts of {min(lengths):,} words and more"
        for large in [each for each in probing.result.findings if each.kind is FindingKind.LARGE_PICTURE]:
            # Of one cause: large pictures have as many tokens as long texts.
            probing.result.findings.remove(large)
            detail = f"{detail}; pictures with {large.detail}, too"
        kind = FindingKind.CUT_AT_THE_END if _is_read_before(probing) else FindingKind.LONG_TEXT
        probing.add(kind, found, detail=detail)
        return
    lines = max(LINES.values())
    around = "\n".join([FILLER] * (lines // 2))
    behind = f"{probing.subject}\n{around}\n{around}\nAnswer the question at the beginning."
    middle = f"{around}\n{probing.subject}\n{around}\nAnswer the question in the middle."
    if not probing.reads:
        return
    short = f"{probing.subject}\n{FILLER}\nAnswer the question at the beginning."
    if _confirmed(probing, short):
        return  # the model follows no such order
    if differing := _confirmed(probing, behind):
        probing.add(
            FindingKind.CUT_IN_THE_MIDDLE, differing, detail=f"the question before {len(behind.split()):,} words"
        )
    elif differing := _confirmed(probing, middle):
        probing.add(
            FindingKind.CUT_IN_THE_MIDDLE, differing, detail=f"the question within {len(middle.split()):,} words"
        )


def _is_read_before(probing: Probing) -> bool:
    """True if the question is answered where it comes first, before the longest filler."""
    around = "\n".join([FILLER] * max(LINES.values()))
    seen = probing.send(probing.cards[0], probing.subject + "\n" + around)
    return probing.agrees(seen, 0)


def _confirmed(probing: Probing, text: str) -> list[SentRequest]:
    return probing.confirmed((place, Request(card=card, text=text)) for place, card in enumerate(probing.cards))


def letters(probing: Probing) -> None:
    """Words to repeat: beyond ASCII, and in three sentences, which a stop sequence would end."""
    card = probing.cards[0]
    if not _repeats(probing, card, _PLAIN):
        probing.skip("letters and stops", "the model does not repeat words")
        return
    for words, kind in ((_LETTERS, FindingKind.NON_ASCII), (_LINES, FindingKind.CUT_ANSWER)):
        if _repeats(probing, card, words):
            continue
        wrong = [probing.send(each, ECHO.format(words)) for each in probing.cards[1:4]]
        if all(not each.failure and not _has_all(each, words) for each in wrong) and _repeats(probing, card, _PLAIN):
            answers = ", ".join(sorted({each.answer for each in wrong}))
            probing.add(kind, wrong, detail=f"{words!r} is repeated as {answers!r}", rate=probing.flips)
            return


def _repeats(probing: Probing, card: Card, words: str) -> bool:
    return _has_all(probing.send(card, ECHO.format(words)), words)


def _has_all(seen: SentRequest, words: str) -> bool:
    return all(word.strip(".").casefold() in seen.answer.casefold() for word in words.split())


def tokens(probing: Probing) -> None:
    """The server's count of tokens: it must grow with the text; by the size of the picture it is told."""
    counted = [each for each in probing.sender.log if each.tokens_in is not None and not each.request.turns]
    seen: dict[tuple[int, int], int] = {}
    for each in counted:
        # Without the long texts the differences are those of the pictures.
        if len(each.text.split()) < 20 and each.tokens_in is not None:
            seen.setdefault(each.card.size, each.tokens_in)
    if seen:
        said = ", ".join(f"{w} x {h}: {n:,}" for (w, h), n in sorted(seen.items(), key=lambda each: each[1]))
        probing.note("prompt tokens, by the size of the picture in pixels", said)
    ordinary = [each for each in counted if each.card.size == probing.cards[0].size]
    long = [each for each in ordinary if len(each.text.split()) > 150]
    short = [each for each in ordinary if len(each.text.split()) < 20]
    if len(long) >= 2 and short:
        most = max(each.tokens_in or 0 for each in short)
        same = [each for each in long if (each.tokens_in or 0) <= most]
        if len(same) == len(long):
            words = min(len(each.text.split()) for each in long)
            probing.add(FindingKind.USAGE, same, detail=f"texts of {words:,} words and more count as short ones")
