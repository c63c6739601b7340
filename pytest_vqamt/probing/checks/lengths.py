"""The most tokens of an answer, as they are asked for: answers must end there, neither after nor before."""

from __future__ import annotations

from itertools import chain, cycle, islice

from pytest_vqamt.probing.asking import SentRequest
from pytest_vqamt.probing.cards import IN_FORM, NUMBER
from pytest_vqamt.probing.findings import FLIPS
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.probing import CARDS, Probing

NAME = "length of answers"
_WORDS = (
    *("lamp", "river", "stone", "apple", "window", "garden", "paper"),
    *("silver", "morning", "table", "forest", "candle", "bridge", "winter", "basket"),
)
_MORE = 14
"""Words beyond the limit that are asked for: a word has a token and more."""
_LARGEST_LIMIT = 512
_TRIES = 3
_SLACK = 2
"""Tokens that servers count beside those of the text: the beginning and the end."""


def lengths(probing: Probing) -> None:
    """A form of more words than an answer may have tokens: it must be cut off at just so many."""
    limit = probing.sender.longest
    reason = dict(probing.result.skipped).get("letters and stops", "")
    if not limit:
        reason = "the model's adapter does not tell how long an answer may be"
    elif limit > _LARGEST_LIMIT:
        reason = f"answers may have {limit:,} tokens, which is too many to ask for"
    elif any(each.has_reasoning for each in probing.sender.log):
        reason = "the answers hold reasoning, which may have tokens of its own"
    if reason:
        probing.skip(NAME, reason)
        return
    form = f"<number> {' '.join(islice(cycle(_WORDS), limit + _MORE))}"

    def asked(place: int) -> SentRequest:
        return probing.send(probing.cards[place % CARDS], IN_FORM.format(NUMBER, form))

    # One that is empty or random says nothing about lengths.
    first = asked(0)
    for place in range(1, _TRIES):
        if _ended(first, limit) is not None or _is_at_limit(first, limit):
            break
        first = asked(place)
    kind = _ended(first, limit)
    if kind is None and not _is_at_limit(first, limit):
        counted = first.tokens_out is not None
        ended = "the model ends such an answer by itself" if counted else "nothing counts the tokens of answers"
        probing.skip(NAME, f"{ended}, after {len(first.answer.split())} words")
    if kind is None:
        return
    again = chain([first], (asked(place) for place in range(_TRIES, _TRIES + CARDS)))
    wrong = probing.until_right(((each, _ended(each, limit) is not kind) for each in again), FLIPS)
    counts = sorted({each.tokens_out or len(each.answer.split()) for each in wrong})
    detail = f"{' or '.join(map(str, counts))} tokens, where {limit} are the most"
    probing.add(kind, wrong, detail=detail, rate=FLIPS)


def _ended(seen: SentRequest, limit: int) -> FindingKind | None:
    """What is wrong with the length of an answer; None where nothing is, or where it ended by itself."""
    # A word has a token at least, so no server's way of counting explains as many words.
    if len(seen.answer.split()) > limit or (seen.tokens_out or 0) > limit + _SLACK:
        return FindingKind.LIMIT_IGNORED
    # Fewer tokens than words are a wrong count, and no short answer.
    is_counted = seen.tokens_out is not None and seen.tokens_out >= len(seen.answer.split())
    if seen.cut_off and is_counted and (seen.tokens_out or 0) < limit:
        return FindingKind.LIMIT_EARLY
    return None


def _is_at_limit(seen: SentRequest, limit: int) -> bool:
    return seen.tokens_out is not None and limit <= seen.tokens_out <= limit + _SLACK
