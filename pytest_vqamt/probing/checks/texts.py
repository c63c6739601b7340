"""Texts: long ones before, around and behind the question, letters beyond ASCII, and answers that end too early."""

from __future__ import annotations

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import IN_FORM, NUMBER
from pytest_vqamt.probing.findings import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing
from pytest_vqamt.relations.serving import FILLER, LINES, with_filler

_PLAIN, _LETTERS, _SENTENCES = "Lamp river: <number>", "Größe żółw: <number>", "Lamp.\nRiver. <number>"
"""Forms of answers, of a few tokens."""


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
    """Answers in a given form: of plain words, of letters beyond ASCII, and of sentences and lines."""
    if not _keeps(probing, 0, _PLAIN):
        probing.skip("letters and stops", "the model does not answer in a given form")
        return
    for form, kind in ((_LETTERS, FindingKind.NON_ASCII), (_SENTENCES, FindingKind.CUT_ANSWER)):
        wrong: list[SentRequest] = []
        for place in range(CARDS):
            seen = _in_form(probing, place, form)
            if seen.failure or _has_all(probing, place, seen, form):
                break
            wrong.append(seen)
            if probing.is_finding(len(wrong), len(wrong), probing.flips) and _keeps(probing, place, _PLAIN):
                answers = ", ".join(sorted({each.answer for each in wrong}))
                detail = f"{form!r} is answered as {answers!r}"
                probing.add(kind, wrong, detail=detail, rate=probing.flips, ruled_out=("plain words",))
                break


def _in_form(probing: Probing, place: int, form: str) -> SentRequest:
    return probing.send(probing.cards[place], IN_FORM.format(NUMBER, form))


def _keeps(probing: Probing, place: int, form: str) -> bool:
    return _has_all(probing, place, _in_form(probing, place, form), form)


def _has_all(probing: Probing, place: int, seen: SentRequest, form: str) -> bool:
    words = form.replace("<number>", str(probing.cards[place].number)).split()
    return all(word.strip(".:").casefold() in seen.answer.casefold() for word in words)


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
