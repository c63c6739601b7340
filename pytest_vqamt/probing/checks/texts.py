"""Texts: long ones before, around and behind the question, letters beyond ASCII, and answers that end too early."""

from __future__ import annotations

import re

from pytest_vqamt.probing.asking import Request, SentRequest
from pytest_vqamt.probing.cards import IN_FORM, NUMBER
from pytest_vqamt.probing.filler import FILLER, LINES, with_filler
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, ROUNDS, Probing

_PLAIN, _LETTERS, _SENTENCES = "Lamp river: <number>", "Größe żółw: <number>", "Lamp.\nRiver. <number>"
"""Forms of answers, of a few tokens."""
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def long_texts(probing: Probing) -> None:
    """Filler before the question, behind it, and between the picture and the question's own words."""
    found: list[SentRequest] = []
    lengths = []
    # The longest first: where that is answered as ever, shorter ones are, too.
    for lines in sorted(LINES.values(), reverse=True):
        text = with_filler(probing.subject, lines)
        before = len(probing.sender.log)
        if differing := _confirmed(probing, text):
            found += differing
            lengths.append(len(text.split()))
        # A refusal says nothing of shorter ones.
        elif not any(each.failure or each.truncated for each in probing.sender.log[before:]):
            break
    if found:
        detail = f"texts of {min(lengths):,} words and more"
        for large in [each for each in probing.result.findings if each.kind is FindingKind.LARGE_PICTURE]:
            # Of one cause: large pictures have as many tokens as long texts.
            probing.result.findings.remove(large)
            detail = f"{detail}; pictures with {large.detail}, too"
        kind = FindingKind.CUT_AT_THE_END if _is_read_before(probing) else FindingKind.LONG_TEXT
        probing.add(kind, found, detail=detail, ruled_out=("the picture: with a short text it is answered as always",))
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
    for text, place in ((behind, "before"), (middle, "within")):
        if differing := _confirmed(probing, text):
            detail = f"the question {place} {len(text.split()):,} words"
            ruled_out = ("the length: the question after as many words is answered",)
            probing.add(FindingKind.CUT_IN_THE_MIDDLE, differing, detail=detail, ruled_out=ruled_out)
            return


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
        sent = ((place, _in_form(probing, place, form)) for place in [*range(CARDS)] * ROUNDS)
        # One that is cut off at its longest may hold the words behind that, as in sentences of the model's own.
        wrong = probing.until_right(
            (seen, seen.cut_off or _has_all(probing, place, seen, form)) for place, seen in sent
        )
        if wrong and _keeps(probing, 0, _PLAIN):
            answers = ", ".join(sorted({each.answer for each in wrong}))
            detail = f"{form!r} is answered as {answers!r}"
            probing.add(
                kind,
                wrong,
                detail=detail,
                rate=probing.flips,
                ruled_out=("the form: plain words in it come back whole",),
            )


def _in_form(probing: Probing, place: int, form: str) -> SentRequest:
    return probing.send(probing.cards[place], IN_FORM.format(NUMBER, form))


def _keeps(probing: Probing, place: int, form: str) -> bool:
    return _has_all(probing, place, _in_form(probing, place, form), form)


def _has_all(probing: Probing, place: int, seen: SentRequest, form: str) -> bool:
    words = form.replace("<number>", str(probing.cards[place].number)).split()
    # JSON may write letters as numbers.
    answer = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), seen.answer).casefold()
    return all(word.strip(".:").casefold() in answer for word in words)
