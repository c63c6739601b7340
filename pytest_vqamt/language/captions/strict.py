"""Captions as MetaIC's published tool reads them: its 60 class words as they stand, where a tagger calls them nouns.

The tool (RobustNLP/TestIC, meta_relation_error_report_0.py) goes through Stanza's tokens. A token that is tagged NN or
NNS and is one of 60 singulars or of their plurals names a class; the tag of the last plural is the class's form, and a
singular that comes a second time makes it NNS. Here the same is done with a tagger's rules for these words instead of a
tagger: "orange" and "remote" before a noun are adjectives, "sheep" is NNS but after an article or before a verb in the
singular, "scissors" always is, "skateboards" after "a man" is a verb, a capital within a sentence makes a proper name.

**Deviation:** the paper has no classes but the 60. Others are read as the sequence of their words where they are asked
for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from pytest_vqamt.language.captions.forms import Form
from pytest_vqamt.language.captions.lexicon import Shape, by_form
from pytest_vqamt.language.captions.number import Count, before
from pytest_vqamt.language.captions.tables import PERSON, class_rows, describing, grammar
from pytest_vqamt.language.captions.words import STOP
from pytest_vqamt.language.english.nouns import plural

_UNREAD = frozenset({"skis", "knife", "donut", "tv", "mouse"})
"""The classes of COCO with names of one word that are not among the tool's 60."""

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\s\w]")
_NOUNS_WITH_ORANGE = frozenset(
    {"juice", "slice", "slices", "peel", "peels", "tree", "trees", "soda", "wedge", "wedges"}
)


@cache
def published() -> tuple[str, ...]:
    """The 60 classes of the paper: those of COCO whose names are one word, but for five."""
    return tuple(name for name, row in class_rows().items() if row.kind and " " not in name and name not in _UNREAD)


@lru_cache(maxsize=65536)
def strictly_named(caption: str, asked: tuple[str, ...] = (), *, apart: bool = True) -> Mapping[str, Form]:
    """The classes that the caption names by their own words, with their forms: the paper's 60 and those asked for.

    ``apart``: the words of a longer name name nothing else, such as the bear of "teddy bear" where that is asked for.

    >>> dict(strictly_named("a dog with two hot dogs")), dict(strictly_named("a hot dog", ("hot dog",)))
    ({'dog': <Form.PLURAL: 'plural'>}, {'hot dog': <Form.SINGULAR: 'singular'>})
    """
    spelled = tuple(_TOKEN.findall(caption))
    words = tuple(token.lower() if token[0].isalnum() else STOP for token in spelled)
    phrases, longest = _forms(asked)
    found: dict[str, Form] = {}
    at = 0
    while at < len(words):
        step = 1
        for length in range(min(longest, len(words) - at), 0, -1):
            named = phrases.get(words[at : at + length])
            if named is None:
                continue
            if length > 1 or _is_noun(words, at, proper=_is_proper(spelled, at)):
                name, shape = named
                found[name] = Form.PLURAL if name in found else _strict_form(words, at, shape)
            if apart:
                step = length
                break
        at += step
    return MappingProxyType(found)


@cache
def _forms(asked: tuple[str, ...]) -> tuple[Mapping[tuple[str, ...], tuple[str, Shape]], int]:
    """The words of each form of a name, with its class and shape, and of how many words the longest is."""
    forms: dict[tuple[str, ...], tuple[str, Shape]] = {}
    for name in (*published(), *asked):
        many = "broccolis" if name == "broccoli" else plural(name)
        forms[tuple(many.split(" "))] = (name, Shape.MANY)
        if many != name:
            forms[tuple(name.split(" "))] = (name, Shape.ONE)
        elif name == "sheep":
            forms[(name,)] = (name, Shape.BOTH)
    return MappingProxyType(forms), max(map(len, forms))


def _strict_form(words: tuple[str, ...], at: int, shape: Shape) -> Form:
    if shape is not Shape.BOTH:
        return Form.PLURAL if shape is Shape.MANY else Form.SINGULAR
    said = before(words, at, set(), singular=False).count
    is_one = said is Count.ONE or (
        said is Count.OPEN and words[at + 1 : at + 2] and words[at + 1] in grammar().singular_verbs
    )
    return Form.SINGULAR if is_one else Form.PLURAL


def _is_proper(spelled: tuple[str, ...], at: int) -> bool:
    """Whether a capital within a sentence makes it a name ("a Frisbee"); no capital of a title in capitals does."""
    word = spelled[at]
    if not word[0].isupper() or at == 0 or spelled[at - 1] in ".!?":
        return False
    return sum(each.isalpha() and each == each.lower() for each in spelled) > len(spelled) / 2


def _is_noun(words: tuple[str, ...], at: int, *, proper: bool) -> bool:
    """Whether a tagger says NN or NNS."""
    word = words[at]
    if proper:
        return False
    if word in ("orange", "remote"):
        return not _stands_before_a_noun(words, at)
    return not _is_verb(words, at)


def _stands_before_a_noun(words: tuple[str, ...], at: int) -> bool:
    of = grammar()
    after = words[at + 1] if at + 1 < len(words) else STOP
    if after in of.joining:
        return at + 2 < len(words) and words[at + 2] in describing()
    if after == STOP or after in of.prepositions or after in of.after_a_fruit or after in of.singular_verbs:
        # "red and orange": what closes a list of colours is one itself
        return at > 1 and words[at - 1] in of.joining and words[at - 2] in describing()
    return not (after.endswith(("ing", "ed")) or (words[at] == "orange" and after in _NOUNS_WITH_ORANGE))


def _is_followed_by_ing(words: tuple[str, ...], at: int) -> bool:
    """Whether it stands in "people kite surfing"."""
    return at + 1 < len(words) and words[at + 1].endswith("ing")


def _is_verb(words: tuple[str, ...], at: int) -> bool:
    """Whether it is what the noun before it does: "a man skateboards down", "people snowboard"."""
    entry = by_form()[words[at]]
    if at == 0 or entry.lemma not in grammar().verbs or _is_followed_by_ing(words, at):
        return False
    one = entry.shape is Shape.ONE
    if words[at - 1] == "to":
        return one and (at == 1 or words[at - 2] not in grammar().towards)
    subject = by_form().get(words[at - 1])
    if subject is None or subject.classes[:1] != (PERSON,):
        return False
    return one == (subject.shape is Shape.MANY)
