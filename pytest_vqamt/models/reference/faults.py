"""``fault:NAME``: the oracle with one planted fault.

Each relation must catch the faults it is made for, which shows that its passes mean something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.meaning import (
    Absent,
    Annotated,
    Both,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Has,
    Label,
    Meaning,
    Neither,
    NotBoth,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.models.caption_faults import always_plural, wrong_class
from pytest_vqamt.models.edit_faults import SeesErased, background_dependent, counts_pieces_wrong, omits_inserted
from pytest_vqamt.models.label_faults import always_label, label_swap
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.reference.oracle import Scripted, known, say
from pytest_vqamt.models.word_faults import (
    antonym_blind,
    first_choice,
    hypernym_blind,
    ignores_negation,
    ignores_not_both,
    order_sensitive,
    reads_last,
    template_sensitive,
)
from pytest_vqamt.models.wrong_answers import Reply, another, off_by, told

_SATURATED = 1
"""The highest count that ``saturates`` ever gives. With 2, too few things of one name and property would show it."""

_MANY = 2
"""The lowest count that ``quantifies`` calls many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong, in one line, and what gives one model its replies: some remember what they have been shown."""

    description: str
    replies: Callable[[], Reply]


def load(name: str, _options: ModelOptions) -> Scripted:
    """The model with the fault of this name.

    Raises:
        OptionError: there is no such fault.
    """
    if name not in FAULTS:
        hint = did_you_mean(f"fault:{name}", (f"fault:{known_name}" for known_name in FAULTS))
        raise OptionError(f"Expected a planted fault, but got model='fault:{name}'; {hint}")
    return Scripted(FAULTS[name].replies())


def _always(text: str) -> Callable[[], Reply]:
    return _by(lambda _query: text)


def _by(reply: Reply) -> Callable[[], Reply]:
    """What gives every model the same replies."""
    return lambda: reply


def _ignores_attributes(query: Query) -> str:
    return told(query, _without_attributes(query.meaning))


def _first_group_only(query: Query) -> str:
    if isinstance(query.meaning, Count):
        return told(query, Count(groups=query.meaning.groups[:1]))
    return say(known(query))


def _adds_wrong(query: Query) -> str:
    return off_by(query, int(isinstance(query.meaning, Count) and len(query.meaning.groups) > 1))


def _off_by_one(query: Query) -> str:
    return off_by(query, int(isinstance(query.meaning, Count)))


def _saturates(query: Query) -> str:
    value = known(query)
    if isinstance(query.meaning, Count) and isinstance(value, int):
        return say(min(value, _SATURATED))
    return say(value)


def _sees_absent(query: Query) -> str:
    value = known(query)
    match query.meaning:
        case Count(groups=(_,)) if value == 0:
            return say(1)
        case Exists():
            return say(True)
    return say(value)


def _inconsistent(query: Query) -> str:
    value = known(query)
    return say(another(value) if query.trial > 0 else value)


def _spacing_sensitive(query: Query) -> str:
    value = known(query)
    return say(another(value) if "  " in query.text else value)


def _quantifies(query: Query) -> str:
    value = known(query)
    match query.meaning:
        case Count(groups=(_,)) if isinstance(value, int) and value >= _MANY:
            return "many"
    return say(value)


FAULTS: Mapping[str, Fault] = {
    "always-yes": Fault(description='says "yes" whatever is asked', replies=_always("yes")),
    "always-no": Fault(description='says "no" whatever is asked', replies=_always("no")),
    "always-zero": Fault(description='says "0" whatever is asked', replies=_always("0")),
    "refuses": Fault(description="declines to answer", replies=_always("I cannot help with that.")),
    "ignores-negation": Fault(
        description='takes "Is there no dog?" for "Is there a dog?"',
        replies=_by(ignores_negation),
    ),
    "ignores-not-both": Fault(
        description='takes "either no dog or no cat" for "both a dog and a cat"',
        replies=_by(ignores_not_both),
    ),
    "hypernym-blind": Fault(
        description="does not know that a dog is an animal",
        replies=_by(hypernym_blind),
    ),
    "antonym-blind": Fault(
        description='takes "closed" for "open"',
        replies=_by(antonym_blind),
    ),
    "first-choice": Fault(
        description="takes the first of the choices that a question names",
        replies=_by(first_choice),
    ),
    "template-sensitive": Fault(
        description="is wrong about yes/no questions and choices that are put in an odd number of words",
        replies=_by(template_sensitive),
    ),
    "reads-last": Fault(
        description="answers the last of several questions, which are about something else than the first",
        replies=_by(reads_last),
    ),
    "ignores-attributes": Fault(
        description='takes "red cars" for "cars"',
        replies=_by(_ignores_attributes),
    ),
    "first-group-only": Fault(
        description='counts the dogs alone, asked for "dogs and cats"',
        replies=_by(_first_group_only),
    ),
    "order-sensitive": Fault(
        description="is wrong where groups or choices are not named in the order of the alphabet",
        replies=_by(order_sensitive),
    ),
    "adds-wrong": Fault(
        description="counts one too many where several groups are to be added up",
        replies=_by(_adds_wrong),
    ),
    "counts-pieces-wrong": Fault(
        description="counts one too many in a picture that was cut out of another",
        replies=_by(counts_pieces_wrong),
    ),
    "off-by-one": Fault(
        description="counts one too many, always",
        replies=_by(_off_by_one),
    ),
    "saturates": Fault(
        description=f"never counts above {_SATURATED}",
        replies=_by(_saturates),
    ),
    "sees-absent": Fault(
        description="sees one of whatever single group it is asked for, there or not; totals are right",
        replies=_by(_sees_absent),
    ),
    "quantifies": Fault(
        description=f'says "many" for {_MANY} or more of one group, and gives totals as numbers',
        replies=_by(_quantifies),
    ),
    "omits-inserted": Fault(
        description="does not see what was inserted into a picture",
        replies=_by(omits_inserted),
    ),
    "sees-erased": Fault(
        description="answers as if nothing had been erased from a picture that it was shown before",
        replies=SeesErased,
    ),
    "background-dependent": Fault(
        description="gives another answer where anything around what is asked about was blurred, masked or cropped",
        replies=_by(background_dependent),
    ),
    "entails-everything": Fault(
        description='says "entailment" of every hypothesis',
        replies=_by(always_label(Label.ENTAILMENT)),
    ),
    "contradicts-everything": Fault(
        description='says "contradiction" of every hypothesis',
        replies=_by(always_label(Label.CONTRADICTION)),
    ),
    "label-swap": Fault(
        description='says "entailment" for contradiction, and "contradiction" for entailment',
        replies=_by(label_swap),
    ),
    "wrong-class": Fault(
        description="calls what was inserted into a picture by the name of something else",
        replies=_by(wrong_class),
    ),
    "always-plural": Fault(
        description="describes everything in the plural",
        replies=_by(always_plural),
    ),
    "inconsistent": Fault(
        description="gives another answer when it is asked the very same thing again",
        replies=_by(_inconsistent),
    ),
    "spacing-sensitive": Fault(
        description="gives a wrong answer where words are two spaces apart",
        replies=_by(_spacing_sensitive),
    ),
}
"""Every planted fault by its name."""


def _without_attributes(meaning: Meaning) -> Meaning:
    match meaning:
        case Count(groups=groups) | Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups):
            return replace(meaning, groups=tuple(map(_bare, groups)))
        case Neither(groups=groups):
            return replace(meaning, groups=tuple(map(_bare, groups)))
        case Exists(group=group) | Absent(group=group):
            return replace(meaning, group=_bare(group))
        case Has(group=group):
            return Exists(group=_bare(group))
        case Entails(units=units):
            return Entails(units=tuple(replace(unit, group=_bare(unit.group)) for unit in units))
        case Choice() | Describe() | Annotated():
            return meaning
        case _:
            assert_never(meaning)


def _bare(group: Group) -> Group:
    related = tuple(replace(condition, to=_bare(condition.to)) for condition in group.related)
    return replace(group, attributes=(), related=related)
