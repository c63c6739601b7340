"""A hypothesis taken apart as spaCy parses it: a trained parser in place of rules, for who has spaCy and a model.

Which noun phrases name objects is decided as by the rules; what is said of which, by the parse. Labels are those of
spaCy's English models (https://spacy.io/models/en).
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vqamt.language.english.nouns import is_plural, singular
from pytest_vqamt.language.units.lexicon import words_of
from pytest_vqamt.language.units.spacy_loading import Doc, Token, load
from pytest_vqamt.language.units.spacy_predicates import first_of, is_infinitive, is_there, said_of
from pytest_vqamt.language.units.things import is_living, is_named, is_object
from pytest_vqamt.language.units.unit import DescriptionUnit

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_BEFORE_THE_NAME = frozenset({"det", "predet", "nummod", "quantmod", "preconj"})


def by_spacy(hypothesis: str, model: str) -> tuple[DescriptionUnit, ...]:
    """The units of a hypothesis, in the order of their objects.

    Raises:
        OptionError: spaCy or the model is not installed.
    """
    return units_of_doc(load(model)(hypothesis))


def units_of_doc(doc: Doc) -> tuple[DescriptionUnit, ...]:
    """The units of a parsed sentence; see spacy.io/api/doc for what of it is read."""
    return tuple(_units(doc, {chunk.root.i: chunk.start for chunk in doc.noun_chunks}))


def _units(doc: Doc, starts: dict[int, int]) -> Iterator[DescriptionUnit]:
    """The units, where noun phrases with these heads begin at these places."""
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


def _one_of(noun: Token) -> Token | None:
    """The word "one" before "of the men"."""
    before = noun.head
    return before.head if before.text == "of" and before.head.text.lower() == "one" else None


def _is_before_the_name(token: Token) -> bool:
    return token.dep_ in _BEFORE_THE_NAME or token.tag_ == "PRP$"


def _with_of(starts: dict[int, int], noun: Token, name: int) -> tuple[int, Token, int]:
    """Where the name begins, its noun, and where the phrase ends: "group of men" is one, "a couple of dogs" is dogs."""
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


def _said(doc: Doc, noun: Token, end: int) -> str | None:
    """What a clause says of its subject; None where the noun is the subject of none that speaks of it."""
    first = first_of(noun)
    is_subject = first.dep_ in _SUBJECTS and first.head.dep_ != "relcl"
    if not (is_subject or is_there(first) or first.dep_ == "ROOT") or is_infinitive(first.head):
        return None
    is_of_other = is_subject and first.head.dep_ in ("advcl", "ccomp") and noun.text.lower() in words_of("personal")
    return None if is_of_other else said_of(doc, noun, end)


def _is_named(noun: Token, name: str, *, has_determiner: bool) -> bool:
    """Whether a noun phrase that no clause is about names an object all the same."""
    first = first_of(noun)
    if first.dep_ == "pobj":
        return is_named(name, has_determiner=has_determiner, preposition=first.head.text.lower())
    if first.dep_ in ("dobj", "dative", "oprd"):
        return is_named(name, has_determiner=has_determiner, verb=first.head.lemma_)
    return first.dep_ in _SUBJECTS and is_named(name, has_determiner=has_determiner)


def _aside(noun: Token) -> str:
    """What is said of an object behind its noun: "who is asleep", and of the living what they are doing."""
    for child in noun.children:
        if child.dep_ == "relcl" or (child.dep_ == "acl" and child.tag_ == "VBG" and is_living(noun.text.lower())):
            inside = [token.i for token in child.subtree]
            return noun.doc[min(inside) : max(inside) + 1].text.strip(" .,")
    return ""
