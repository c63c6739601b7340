"""What a parsed clause says of its subjects, word for word."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.language.units.lexicon import words_of
from pytest_vqamt.language.units.spacy_loading import Doc, Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})


def first_of(noun: Token) -> Token:
    """The first of the things that "and" joins to this one."""
    while noun.dep_ == "conj" and noun.head.pos_ in ("NOUN", "PROPN", "PRON"):
        noun = noun.head
    return noun


def is_there(noun: Token) -> bool:
    """Whether the sentence says that there is such a thing."""
    return noun.dep_ in ("attr", "nsubj") and any(child.dep_ == "expl" for child in noun.head.children)


def said_of(doc: Doc, noun: Token, end: int) -> str:
    """What is said of a subject whose noun phrase ends before ``end``: its own words, then those for all subjects."""
    first = first_of(noun)
    members = _members(first)
    verb = first if first.dep_ == "ROOT" else first.head
    said = {token.i for token in verb.subtree} - _of_other_clauses(verb)
    own: set[int] = set()
    begins = max(end, members[-1].i + 1)
    if noun.i != members[-1].i:
        following = next(member for member in members if member.i > noun.i)
        own = {token.i for token in noun.subtree if token.i >= end} - {token.i for token in following.subtree}
        if own := _without_ends(doc, own):
            begins = 1 + max(token.i for token in members[-1].subtree)
    behind = _text(doc, own | {place for place in said if place >= begins})
    return " ".join(filter(None, (behind, _lead(doc, members[0], verb, said))))


def _lead(doc: Doc, first: Token, verb: Token, said: set[int]) -> str:
    """What stands before the subject: "in the park" of "In the park, a man sits"."""
    start = min(token.i for token in first.subtree)
    places = {place for place in said if place < start and place != verb.i}
    is_where = any(doc[place].dep_ == "prep" for place in places) and not is_there(first)
    return _text(doc, places) if is_where else ""


def is_infinitive(verb: Token) -> bool:
    """Whether it has "to" before it: "for the train to pass"."""
    return any(child.dep_ == "aux" and child.tag_ == "TO" for child in verb.children)


def _members(first: Token) -> list[Token]:
    """The subjects of one verb: those that "and" joins, and those that a list has before."""
    found = [first]
    if first.dep_ in _SUBJECTS:
        found = [child for child in first.head.children if child.dep_ in _SUBJECTS]
    for member in found:
        found.extend(child for child in member.children if child.dep_ == "conj" and child.pos_ != "VERB")
    return sorted(found, key=lambda token: token.i)


def _of_other_clauses(verb: Token) -> set[int]:
    """The places of words in clauses with subjects of their own; "while she sings" is left where it is."""
    found: set[int] = set()
    for token in verb.subtree:
        if token.i == verb.i or token.dep_ not in ("advcl", "conj") or is_infinitive(token):
            continue
        subject = next((child for child in token.children if child.dep_ in _SUBJECTS), None)
        if subject is None or (token.dep_ == "advcl" and subject.text.lower() in words_of("personal")):
            continue
        found |= {inner.i for inner in token.subtree}
    return found


def _text(doc: Doc, places: Iterable[int]) -> str:
    """The words at the places, as the sentence has them, without marks and "and" at their ends."""
    kept = sorted(_without_ends(doc, places))
    runs: list[list[int]] = []
    for place in kept:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return " ".join(doc[run[0] : run[-1] + 1].text for run in runs)


def _without_ends(doc: Doc, places: Iterable[int]) -> set[int]:
    kept = sorted(places)
    while kept and doc[kept[-1]].dep_ in ("punct", "cc", "mark"):
        kept.pop()
    while kept and doc[kept[0]].dep_ in ("punct", "cc"):
        del kept[0]
    return set(kept)
