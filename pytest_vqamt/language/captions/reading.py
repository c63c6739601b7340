"""Which classes of things a caption names, and whether it speaks of one or of several of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from pytest_vqamt.language.captions.forms import Form
from pytest_vqamt.language.captions.mention import Mention
from pytest_vqamt.language.captions.mentions import mentions_of
from pytest_vqamt.language.captions.persons import may_be_the_same


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a caption names.

    ``forms``: each class with its form, in the order of first mention. ``instead``: of a class that only a word of two
    meanings names ("bike"), the classes that it may be instead. ``perhaps``: classes that a word may name, with how
    many such words there are, and super-categories that a word names no class of ("vehicles").
    """

    forms: Mapping[str, Form]
    instead: Mapping[str, tuple[str, ...]]
    perhaps: Mapping[str, int]


@lru_cache(maxsize=65536)
def named_in(caption: str) -> Named:
    """What the caption names, by synonyms, kinds and compounds."""
    mentions = mentions_of(caption)
    of_class: dict[str, list[Mention]] = {}
    perhaps: dict[str, int] = {}
    for mention in mentions:
        if mention.classes:
            of_class.setdefault(mention.classes[0], []).append(mention)
        for name in mention.perhaps:
            perhaps[name] = perhaps.get(name, 0) + 1
    return Named(
        forms=MappingProxyType({name: _form(name, some) for name, some in of_class.items()}),
        instead=MappingProxyType(
            {
                name: some[0].classes[1:]
                for name, some in of_class.items()
                if all(len(each.classes) > 1 for each in some)
            }
        ),
        perhaps=MappingProxyType(perhaps),
    )


def _form(name: str, mentions: Sequence[Mention]) -> Form:
    """The form of a class: plural where it is named twice, unless the second time it is the same thing ("the dog")."""
    if any(mention.form is Form.PLURAL for mention in mentions):
        return Form.PLURAL
    things = 0
    for number, mention in enumerate(mentions):
        if mention.form is Form.SINGULAR and mention.adds:
            again = mention.definite and any(
                may_be_the_same(earlier.lemma, mention.lemma, name) for earlier in mentions[:number]
            )
            things += not again
    if things > 1:
        return Form.PLURAL
    told = things or any(mention.form is Form.SINGULAR for mention in mentions)
    return Form.SINGULAR if told else Form.NONE
