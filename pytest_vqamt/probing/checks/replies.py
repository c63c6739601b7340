"""What is odd in all replies together: reasoning, failures, empty answers, and what the server counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pytest_vqamt.core.conversation import Role
from pytest_vqamt.core.results import ModelUse
from pytest_vqamt.models.budget import CUT_OFF
from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.cards import LARGE_PX, SIDE_PX
from pytest_vqamt.probing.findings import FLIPS
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import ProbeState, Probing
from pytest_vqamt.probing.results import Figure
from pytest_vqamt.stats.intervals import wilson

OF_ALL = {FindingKind.REASONING, FindingKind.EMPTY_ANSWERS, FindingKind.REFUSALS}
"""What is seen in the replies to all requests."""

_MOST_FAILED = 3
"""Failures of ordinary requests from which on they are a finding."""
_FAILS = 1e-3
"""The share of ordinary requests that fail on a sane server, after retries."""
_STATUS = re.compile(r"(?:.*?\bbut got )?(\d{3})\b", re.S)
"""The status in the failure of a request, which may quote other numbers."""
_REFUSED = ({*range(400, 500), 501}) - {408, 409, 425, 429}
"""The statuses of a request that the server does not take: an overloaded one says 429, 500 or 503."""
_OF_LENGTH = (FindingKind.LONG_TEXT, FindingKind.CUT_AT_THE_END, FindingKind.LARGE_PICTURE)
_ENDLESS = re.compile(r"(<[^<>\s]{1,40}>)(?:\s*\1){3,}|(\S)(?:\s*\2){5,}|(\S{2,16})(?:\s+\3){4,}")
"""One token of a template, one sign or one word again and again, as of scores that are no numbers."""
_SELDOM = 1e-4
"""The share of such answers on a sane server: no picture here is about a row of signs."""
_LONG_WORDS = 200
_TOKENS_OF_A_WORD, _TOKENS_OF_A_TURN = 2.0, 8
"""At most, of English and of usual templates."""
_FEW_TOKENS = 10
"""By so many tokens the words of two questions differ; a picture takes more."""


def reasoning(probing: Probing) -> None:
    """Thoughts in the answers."""
    wrong = [each for each in probing.sender.log if each.has_reasoning]
    probing.add(FindingKind.REASONING, wrong, len(probing.sender.log), rate=FLIPS)


def failures(state: ProbeState) -> None:
    """Failures of ordinary requests; a server may refuse large pictures and long texts."""
    log = state.sender.log
    failed = [each for each in log if each.failure]
    told = {number for finding in state.result.findings for number in finding.requests}
    for each in failed[:_MOST_FAILED]:
        state.note(f"request {each.number} failed", each.failure, is_minor=each.number in told)
    if len(failed) > _MOST_FAILED:
        state.note("further requests that failed", f"{len(failed) - _MOST_FAILED}")
    # Sent alone: a server may shed load. Of each look and text once: a refusal of one kind of request is one fault.
    plain = {
        (each.card.digest, each.text): each
        for each in failed
        if not each.batch
        and max(each.card.size) <= LARGE_PX
        and len(each.text.split()) < 200
        and each.card.file is None
        and not each.request.turns
    }
    # A size that is refused each time with a client's error is a bound of the server, and no failure.
    for size in sorted(_refused_sizes(state)):
        some = [key for key, each in plain.items() if each.card.size == size]
        if some:
            state.note(f"pictures of {size[0]} x {size[1]} px", f"refused: {plain[some[0]].failure}")
        for key in some:
            del plain[key]
    if len(plain) >= _MOST_FAILED:
        sizes = sorted(
            {each.card.size for each in plain.values()} - {each.card.size for each in log if not each.failure}
        )
        # Of these no request was answered.
        detail = f"pictures of {', '.join(f'{w:,} x {h:,}' for w, h in sizes)} px" if sizes else ""
        state.add_finding(FindingKind.FAILURES, list(plain.values()), len(log), rate=_FAILS, detail=detail)
        return
    # Of several turns none is answered: who does not take them says so with a client's error.
    talks = [each for each in log if _is_talk(each) and not each.batch]
    if len(talks) >= _MOST_FAILED and all(each.failure and not is_refused(each) for each in talks):
        state.add_finding(FindingKind.FAILURES, talks, rate=_FAILS, detail="conversations of several turns")


def _is_talk(sent: SentRequest) -> bool:
    """True for a conversation in which the model has answered before.

    Those with a system message are left out: the templates of some models take none, and engines then answer 500.
    """
    roles = [turn.role for turn in sent.request.turns]
    return Role.ASSISTANT in roles and Role.SYSTEM not in roles


def _refused_sizes(state: ProbeState) -> set[tuple[int, int]]:
    """The sizes, other than that of the reference cards, of which the server takes no picture."""
    own = [each for each in state.sender.log if each.card.size != state.cards[0].size]
    taken = {each.card.size for each in own if not is_refused(each)}
    return {each.card.size for each in own} - taken


def answers(probing: Probing) -> None:
    """Empty answers, and refusals."""
    # Without a picture a model may well say nothing.
    log = [each for each in probing.sender.log if each.request.cards]
    empty = [each for each in log if not each.failure and not each.answer.strip()]
    # Of large pictures and long texts alone they are what was found there.
    if not (probing.result.found(*_OF_LENGTH) and all(map(_is_long, empty))):
        probing.add(FindingKind.EMPTY_ANSWERS, empty, len(log), rate=FLIPS / 2)
    # What is no number to read may be answered by a row of dots.
    clear = [each for each in log if each.request.right or each.card.photo]
    endless = {each.card.digest: each for each in clear if _is_endless(each.answer.strip())}
    shown = {each.card.digest for each in clear}
    probing.add(FindingKind.ENDLESS_ANSWERS, list(endless.values()), len(shown), rate=_SELDOM)
    # A model may have its reasons to say nothing of a photo of people.
    refused = [each for each in log if each.is_refusal and each.card.photo is None]
    probing.add(FindingKind.REFUSALS, refused, len(log), rate=FLIPS / 2)


def is_void(answer: str) -> bool:
    """True for an empty answer, and for one sign again and again."""
    return not answer.strip() or _is_endless(answer.strip())


def _is_endless(answer: str) -> bool:
    found = _ENDLESS.match(answer)
    # The last one may be cut off.
    return found is not None and (found[1] or found[2] or found[3]).startswith(answer[found.end() :].strip())


def _is_long(sent: SentRequest) -> bool:
    return len(sent.text.split()) >= _LONG_WORDS or max(sent.card.size) >= LARGE_PX


def repeated(probing: Probing) -> None:
    """Figure of the requests about reference cards that were sent again: answers that differ from the usual one."""
    cards = {card.digest for card in probing.cards}
    given: dict[tuple[str, str], list[str]] = {}
    for each in probing.sender.log:
        if each.card.digest in cards and not each.batch and not each.failure and not each.request.turns:
            given.setdefault((each.card.digest, each.text), []).append(each.reading)
    # Of two that differ none is the majority.
    often = [some for some in given.values() if len(some) > 2]
    tries = sum(map(len, often))
    if not tries:
        return
    other = tries - sum(Counter(some).most_common(1)[0][1] for some in often)
    low, high = wilson(other, tries)
    probing.measure(
        Figure(
            name="answers that differ from the majority",
            value=round(100 * other / tries, 2),
            unit="%",
            is_better_high=False,
            words=f"{other} of {tries} ({100 * low:.0f} to {100 * high:.0f} %)",
            # It has an interval, and a finding of its own where it is high.
            is_gated=False,
        )
    )


def budget(probing: Probing) -> None:
    """What the requests went to, and what they have not decided."""
    log, limit = probing.sender.log, probing.sender.limit
    extra = f", {probing.spent_on_undecided} of them for what was undecided" if probing.spent_on_undecided else ""
    probing.note("requests", f"{len(log)} of at most {limit}{extra}", is_minor=not extra)
    for kind, each in probing.undecided.items():
        probing.note(f"undecided: {kind.value}", f"{each} (other --seed or more --max-requests decide)")


def _counted_again(log: Sequence[SentRequest], alone: int) -> list[SentRequest]:
    """Conversations with one picture, in an earlier turn, if all of them count as with more."""
    later = [
        each
        for each in log
        if each.tokens_in
        and len(each.request.turns) > 2
        and len(each.request.cards) == 1
        and each.card not in each.request.turns[-1].parts
        and each.card.size == (SIDE_PX, SIDE_PX)
    ]
    # Of this tokenizer, where long texts were sent.
    long = max((each for each in log if each.tokens_in and not each.request.turns), key=_words, default=None)
    a_word = _TOKENS_OF_A_WORD
    if long is not None and _words(long) >= _LONG_WORDS:
        a_word = 1.5 * ((long.tokens_in or 0) - alone) / _words(long)

    def most(sent: SentRequest) -> float:
        return alone + a_word * _words(sent) + _TOKENS_OF_A_TURN * len(sent.request.turns)

    return later if alone and later and all((each.tokens_in or 0) > most(each) for each in later) else []


def _words(sent: SentRequest) -> int:
    return sum(len(part.split()) for turn in sent.request.conversation for part in turn.parts if isinstance(part, str))


def is_refused(sent: SentRequest) -> bool:
    """True if the server does not take the request, and says so."""
    found = _STATUS.match(sent.failure)
    return found is not None and int(found[1]) in _REFUSED


def usage(state: ProbeState) -> None:
    """What the adapter has counted beside tokens, such as retries."""
    for name, value in sorted(state.model.used().items()):
        if name == CUT_OFF and state.result.is_by_scores:
            # Only the scores of an answer's beginning are asked for.
            continue
        if value and not name.startswith(("tokens", "answers with reasoning", ModelUse.ANSWERS_OF)):
            state.note(name, f"{value:g}")


def tokens(state: ProbeState) -> None:
    """The server's count of tokens: it must grow with the text; by the size of the picture it is told."""
    log = [each for each in state.sender.log if each.card.photo is None]
    counted = [each for each in log if each.tokens_in is not None and not each.request.turns]
    seen: dict[tuple[int, int], int] = {}
    for each in counted:
        # Without the long texts the differences are those of the pictures.
        if len(each.text.split()) < 20 and each.tokens_in is not None:
            seen.setdefault(each.card.size, each.tokens_in)
    if seen:
        said = ", ".join(f"{w} x {h}: {n:,}" for (w, h), n in sorted(seen.items(), key=lambda each: each[1]))
        state.note("prompt tokens, by the size of the picture in pixels", said, is_minor=True)
    ordinary = [each for each in counted if each.card.size == state.cards[0].size]
    two = [
        each
        for each in state.sender.log
        if each.tokens_in is not None and len(each.request.turns) == 1 and len(each.request.cards) == 2
    ]
    one = max((each.tokens_in or 0 for each in ordinary if len(each.text.split()) < 20), default=0)
    is_told = state.result.found(FindingKind.FIRST_ONLY, FindingKind.LAST_ONLY, FindingKind.MERGED)
    if two and one and not is_told and all((each.tokens_in or 0) <= one + _FEW_TOKENS for each in two):
        state.add_finding(FindingKind.USAGE, two, rate=0, detail="a second picture adds no tokens")
        return
    if again := _counted_again(state.sender.log, one):
        state.add_finding(FindingKind.USAGE, again, rate=0, detail="a picture of an earlier turn is counted again")
        return
    long = [each for each in ordinary if len(each.text.split()) > 150]
    short = [each for each in ordinary if len(each.text.split()) < 20]
    if len(long) >= 2 and short:
        most = max(each.tokens_in or 0 for each in short)
        same = [each for each in long if (each.tokens_in or 0) <= most]
        if len(same) == len(long):
            words = min(len(each.text.split()) for each in long)
            state.add_finding(
                FindingKind.USAGE, same, rate=0, detail=f"texts of {words:,} words and more count as short ones"
            )
