"""Units by spaCy's parser, as an option instead of the rules.

The rules decide which noun phrases are objects, the parse which properties they have. Labels are those of spaCy's
English models (https://spacy.io/models/en).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.language.english.nouns import is_plural, singular
from pytest_vqamt.language.units.lexicon import words_of
from pytest_vqamt.language.units.unit import DescriptionUnit, is_living, is_named, is_object

SpacyToken: TypeAlias = Any
"""A word (spacy.io/api/token)."""

SpacyDoc: TypeAlias = Any
"""A parsed text (spacy.io/api/doc)."""

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_BEFORE_THE_NAME = frozenset({"det", "predet", "nummod", "quantmod", "preconj"})


def units_of_doc(doc: SpacyDoc) -> tuple[DescriptionUnit, ...]:
    """Returns the units of a parsed text."""
    return tuple(_units(doc, {chunk.root.i: chunk.start for chunk in doc.noun_chunks}))


def _units(doc: SpacyDoc, starts: dict[int, int]) -> Iterator[DescriptionUnit]:
    """Yields the units of noun phrases, by their heads and starts."""
    until = 0
    for place in sorted(starts):
        noun, start = doc[place], starts[place]
        if start < until or noun.tag_ in ("WP", "WDT", "EX"):
            continue
        name = start
        while name < place and _is_before_the_name(doc[name]):
            name += 1
        one = _one_of(noun)
        if one is None:
            one, name, head, end = noun, *_with_of(starts, noun, name)
        else:
            name, head, end = one.i, one, place + 1
        said = _said(doc, one, end)
        text = doc[name : noun.i + 1].text.lower() if head is noun else doc[name:end].text.lower()
        if said is None and not _is_named(one, text, has_determiner=name > start):
            continue
        until = end
        yield DescriptionUnit(
            object=doc[name:end].text, property=said or _aside(noun), is_plural=is_plural(head.text.lower())
        )


def _one_of(noun: SpacyToken) -> SpacyToken | None:
    """Returns the word "one" before "of the men"."""
    before = noun.head
    return before.head if before.text == "of" and before.head.text.lower() == "one" else None


def _is_before_the_name(token: SpacyToken) -> bool:
    return token.dep_ in _BEFORE_THE_NAME or token.tag_ == "PRP$"


def _with_of(starts: dict[int, int], noun: SpacyToken, name: int) -> tuple[int, SpacyToken, int]:
    """Returns the begin of the name, its noun, the end: "group of men", but "dogs" of "a couple of dogs"."""
    inner = next(
        (child for of in noun.children if of.text == "of" for child in of.children if child.dep_ == "pobj"), None
    )
    if inner is None or inner.i not in starts or inner.i < noun.i:
        return name, noun, noun.i + 1
    word = singular(noun.text.lower())
    begins = starts[inner.i]
    while begins < inner.i and _is_before_the_name(inner.doc[begins]):
        begins += 1
    if word in words_of("quantities_dropped") or word in words_of("determiner"):
        return begins, inner, inner.i + 1
    if word in words_of("quantities_kept"):
        return name, inner, inner.i + 1
    is_stuff = not is_object(inner.doc[begins : inner.i + 1].text.lower())
    return name, noun, inner.i + 1 if is_stuff else noun.i + 1


def _said(doc: SpacyDoc, noun: SpacyToken, end: int) -> str | None:
    """Returns the property of a subject, None if the noun is none."""
    first = first_of(noun)
    is_subject = first.dep_ in _SUBJECTS and first.head.dep_ != "relcl"
    if not (is_subject or is_asserted(first) or first.dep_ == "ROOT") or is_infinitive(first.head):
        return None
    is_of_other = is_subject and first.head.dep_ in ("advcl", "ccomp") and noun.text.lower() in words_of("personal")
    return None if is_of_other else predicate_of(doc, noun, end)


def _is_named(noun: SpacyToken, name: str, *, has_determiner: bool) -> bool:
    """Whether a noun phrase that is no subject names an object."""
    first = first_of(noun)
    if first.dep_ == "pobj":
        return is_named(name, has_determiner=has_determiner, preposition=first.head.text.lower())
    if first.dep_ in ("dobj", "dative", "oprd"):
        return is_named(name, has_determiner=has_determiner, verb=first.head.lemma_)
    return first.dep_ in _SUBJECTS and is_named(name, has_determiner=has_determiner)


def _aside(noun: SpacyToken) -> str:
    """Returns a property behind the noun: "who is asleep", and of the living the action."""
    for child in noun.children:
        if child.dep_ == "relcl" or (child.dep_ == "acl" and child.tag_ == "VBG" and is_living(noun.text.lower())):
            inside = [token.i for token in child.subtree]
            return str(noun.doc[min(inside) : max(inside) + 1].text).strip(" .,")
    return ""


MODEL = "en_core_web_sm"
"""The default model."""


@cache
def load(model: str) -> Callable[[str], SpacyDoc]:
    """Loads a model by its name or folder, once per process.

    Raises:
        OptionError: spaCy or the model is not installed, or cannot be loaded.
    """
    if find_spec("spacy") is None:
        raise OptionError(
            f"Expected the package spacy for units by spacy:{model}, but it is not installed: "
            f"pip install spacy && python -m spacy download {MODEL}, or leave it to the rules (--by rules)"
        )
    try:
        pipeline: Callable[[str], SpacyDoc] = import_module("spacy").load(model)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).partition("\n")[0]
        raise OptionError(
            f"Expected an English model of spaCy, but got model={model!r}, which cannot be loaded ({reason}): "
            f"python -m spacy download {model}"
        ) from error
    return pipeline


def first_of(noun: SpacyToken) -> SpacyToken:
    """Returns the first of the things that "and" joins."""
    while noun.dep_ == "conj" and noun.head.pos_ in ("NOUN", "PROPN", "PRON"):
        noun = noun.head
    return noun


def is_asserted(noun: SpacyToken) -> bool:
    """Whether the sentence states its existence."""
    return noun.dep_ in ("attr", "nsubj") and any(child.dep_ == "expl" for child in noun.head.children)


def predicate_of(doc: SpacyDoc, noun: SpacyToken, end: int) -> str:
    """Returns the property of a subject whose phrase ends before ``end``: its own words, then those of all subjects."""
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


def _lead(doc: SpacyDoc, first: SpacyToken, verb: SpacyToken, said: set[int]) -> str:
    """Returns the words before the subject: "in the park" of "In the park, a man sits"."""
    start = min(token.i for token in first.subtree)
    places = {place for place in said if place < start and place != verb.i}
    is_where = any(doc[place].dep_ == "prep" for place in places) and not is_asserted(first)
    return _text(doc, places) if is_where else ""


def is_infinitive(verb: SpacyToken) -> bool:
    """Whether "to" precedes it: "for the train to pass"."""
    return any(child.dep_ == "aux" and child.tag_ == "TO" for child in verb.children)


def _members(first: SpacyToken) -> list[SpacyToken]:
    """Returns the subjects of one verb: joined by "and", or in a list."""
    found = [first]
    if first.dep_ in _SUBJECTS:
        found = [child for child in first.head.children if child.dep_ in _SUBJECTS]
    for member in found:
        found.extend(child for child in member.children if child.dep_ == "conj" and child.pos_ != "VERB")
    return sorted(found, key=lambda token: token.i)


def _of_other_clauses(verb: SpacyToken) -> set[int]:
    """Returns the places of words in clauses with subjects of their own, except for "while she sings"."""
    found: set[int] = set()
    for token in verb.subtree:
        if token.i == verb.i or token.dep_ not in ("advcl", "conj") or is_infinitive(token):
            continue
        subject = next((child for child in token.children if child.dep_ in _SUBJECTS), None)
        if subject is None or (token.dep_ == "advcl" and subject.text.lower() in words_of("personal")):
            continue
        found |= {inner.i for inner in token.subtree}
    return found


def _text(doc: SpacyDoc, places: Iterable[int]) -> str:
    """Returns the words at the places, without marks and "and" at their ends."""
    kept = sorted(_without_ends(doc, places))
    runs: list[list[int]] = []
    for place in kept:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return " ".join(doc[run[0] : run[-1] + 1].text for run in runs)


def _without_ends(doc: SpacyDoc, places: Iterable[int]) -> set[int]:
    kept = sorted(places)
    while kept and doc[kept[-1]].dep_ in ("punct", "cc", "mark"):
        kept.pop()
    while kept and doc[kept[0]].dep_ in ("punct", "cc"):
        del kept[0]
    return set(kept)
