"""A thing that is spoken of once more without its noun: "one zebra beside another", "a red bus and a green one"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_vqamt.language.captions.forms import Form
from pytest_vqamt.language.captions.mention import Mention
from pytest_vqamt.language.captions.number import is_adjective
from pytest_vqamt.language.captions.tables import PERSON, grammar
from pytest_vqamt.language.captions.words import STOP


def with_elided(words: tuple[str, ...], found: Sequence[Mention]) -> tuple[Mention, ...]:
    """The mentions, those in the plural of which one more is spoken of."""
    mentions = list(found)
    for at in range(1, len(words)):
        if words[at] not in ("another", "other", "one") or not _ends_its_phrase(words, at):
            continue
        before = [number for number, each in enumerate(mentions) if each.end <= at and each.classes]
        again = _again(words, at, mentions, before)
        if again is not None and mentions[again].form is Form.SINGULAR:
            mentions[again] = replace(mentions[again], form=Form.PLURAL)
    return tuple(mentions)


def _again(words: tuple[str, ...], at: int, mentions: Sequence[Mention], before: Sequence[int]) -> int | None:
    """The number of the mention that the word at ``at`` stands for; None where it stands for none, or any."""
    match words[at]:
        case "another" if words[at - 1] != "one":
            return before[-1] if before else None
        case "other" if words[at - 1] == "the":
            ones = [
                number
                for number in before
                if "one" in words[max(mentions[number].start - 2, 0) : mentions[number].start]
            ]
            return ones[-1] if len(ones) == 1 else None
        case "one" if _tells_apart(words, at):
            things = [number for number in before if mentions[number].classes[0] != PERSON]
            return things[0] if len(things) == 1 else None
        case _:
            return None


def _ends_its_phrase(words: tuple[str, ...], at: int) -> bool:
    """Whether no noun follows: "another one" and "the other one" end with their last word."""
    of, after = grammar(), words[at + 1] if at + 1 < len(words) else STOP
    return after in (STOP, "one") or after.endswith("ing") or after in of.joining | of.prepositions | of.singular_verbs


def _tells_apart(words: tuple[str, ...], at: int) -> bool:
    """Whether an article and adjectives stand before "one": "a green one"."""
    first = at
    while first > 0 and is_adjective(words[first - 1]):
        first -= 1
    return 0 < first < at and words[first - 1] in ("a", "an", "the")
