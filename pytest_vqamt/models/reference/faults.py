"""``fault:NAME``: the oracle with one planted fault.

Each relation must catch the faults it is made for, which shows that its passes mean something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import assert_never

from pytest_vqamt.core.edits import Blur, Crop, Cut, Erase, Insert, Mask, with_objects
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
    Inventory,
    Label,
    Meaning,
    Neither,
    NotBoth,
    Truth,
    truth,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Photo, Scene
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.models.base import ModelOptions
from pytest_vqamt.models.reference.oracle import (
    Responder,
    ScriptedModel,
    answer_text,
    answer_to,
    off_by,
    true_answer,
    wrong_answer,
)

_WRONG_NAMES = ("zebra", "toaster", "kite", "surfboard")
"""The first of these that names nothing in the picture is the wrong name."""


def wrong_class(query: Query) -> str:
    """Gives inserted objects the name of something else."""
    scene = query.picture.scene
    inserted = [thing.name for thing in scene.objects if thing.id.startswith(INSERTED)]
    if not (inserted and isinstance(query.meaning, Describe)):
        return answer_text(true_answer(query))
    wrong = next(name for name in _WRONG_NAMES if not scene.count(name))
    left = ((name, n - inserted.count(name)) for name, n in _inventory(query))
    return answer_text((*((name, n) for name, n in left if n), (wrong, len(inserted))))


def always_plural(query: Query) -> str:
    """Names everything in the plural."""
    if not isinstance(query.meaning, Describe):
        return answer_text(true_answer(query))
    return answer_text(tuple((name, max(2, n)) for name, n in _inventory(query)))


def _inventory(query: Query) -> Inventory:
    value = truth(query.meaning, query.picture.scene)
    assert isinstance(value, tuple)
    return value


INSERTED = "inserted-"
"""The prefix of the ids of inserted objects."""


def counts_pieces_wrong(query: Query) -> str:
    """Counts one too many in a picture that was cut out of another."""
    edits = query.picture.edits
    return off_by(query, int(isinstance(query.meaning, Count) and bool(edits) and isinstance(edits[-1], Cut)))


def omits_inserted(query: Query) -> str:
    """Answers as if nothing had been inserted."""
    scene = query.picture.scene
    if not any(isinstance(edit, Insert) for edit in query.picture.edits):
        return answer_text(true_answer(query))
    seen = (thing for thing in scene.objects if not thing.id.startswith(INSERTED))
    return answer_text(truth(query.meaning, with_objects(scene, seen, scene.regions)))


def background_dependent(query: Query) -> str:
    """Answers wrongly where a part of the picture was obscured or cropped away."""
    value = true_answer(query)
    obscured = any(isinstance(edit, Blur | Mask | Crop) for edit in query.picture.edits)
    return answer_text(wrong_answer(value) if obscured else value)


class SeesErased:
    """Answers by the unedited scene that it saw last of each photo, as if nothing had been erased."""

    def __init__(self) -> None:
        self._before: dict[Photo, Scene] = {}

    def __call__(self, query: Query) -> str:
        picture = query.picture
        if not picture.edits:
            self._before[picture.photo] = picture.scene
        if picture.photo not in self._before or not any(isinstance(edit, Erase) for edit in picture.edits):
            return answer_text(true_answer(query))
        scene = self._before[picture.photo]
        for edit in picture.edits:
            if not isinstance(edit, Erase):
                scene = edit.after(scene)
        return answer_text(truth(query.meaning, scene))


_SWAPPED: Mapping[Truth, Label] = MappingProxyType(
    {Label.ENTAILMENT: Label.CONTRADICTION, Label.CONTRADICTION: Label.ENTAILMENT}
)


def always_label(label: Label) -> Responder:
    """Gives every hypothesis the same label."""
    return lambda query: answer_text(label if isinstance(query.meaning, Entails) else true_answer(query))


def label_swap(query: Query) -> str:
    """Swaps "entailment" and "contradiction"."""
    value = true_answer(query)
    return answer_text(_SWAPPED.get(value, value) if isinstance(query.meaning, Entails) else value)


def ignores_negation(query: Query) -> str:
    """Answers as if nothing had been negated."""
    match query.meaning:
        case Absent(group=group):
            return answer_to(query, Exists(group=group))
        case Neither(groups=groups):
            return answer_to(query, Either(groups=groups))
    return ignores_not_both(query)


def ignores_not_both(query: Query) -> str:
    """Takes "either no A or no B" for "both A and B"."""
    if isinstance(query.meaning, NotBoth):
        return answer_to(query, Both(groups=query.meaning.groups))
    return answer_text(true_answer(query))


def hypernym_blind(query: Query) -> str:
    """Does not know that a dog is an animal: sees only exact names."""
    match query.meaning:
        case Exists(group=group) | Absent(group=group):
            meaning: Meaning = replace(query.meaning, group=_by_name(group))
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            meaning = replace(query.meaning, groups=tuple(map(_by_name, groups)))
        case Has(group=group):
            meaning = replace(query.meaning, group=_related_by_name(group))
        case Choice(what=what):
            meaning = replace(query.meaning, what=_related_by_name(what))
        case _:
            return answer_text(true_answer(query))
    return answer_to(query, meaning)


def antonym_blind(query: Query) -> str:
    """Takes "closed" for "open"."""
    if isinstance(query.meaning, Has):
        words = (query.meaning.attribute, *ontology().antonyms(query.meaning.attribute))
        seen = (answer_to(query, replace(query.meaning, attribute=word)) for word in words)
        return answer_text(answer_text(True) in seen)
    return answer_text(true_answer(query))


def first_choice(query: Query) -> str:
    """Takes the first option, whatever is right."""
    return query.meaning.options[0] if isinstance(query.meaning, Choice) else answer_text(true_answer(query))


def order_sensitive(query: Query) -> str:
    """Answers wrongly where groups or options are not in alphabetical order."""
    match query.meaning:
        case Count(groups=groups) if _unsorted(groups):
            return off_by(query, 1)
        case Both(groups=groups) | NotBoth(groups=groups) | Either(groups=groups) | Neither(groups=groups):
            return _wrong_text(query) if _unsorted(groups) else answer_text(true_answer(query))
        case Choice(options=options) if list(options) != sorted(options):
            return _wrong_text(query)
    return answer_text(true_answer(query))


def template_sensitive(query: Query) -> str:
    """Answers yes/no questions and choices with an odd number of words wrongly."""
    item = isinstance(query.meaning, Exists | Absent | Both | NotBoth | Either | Neither | Has | Choice)
    return _wrong_text(query) if item and len(query.text.split()) % 2 else answer_text(true_answer(query))


def reads_last(query: Query) -> str:
    """Answers the last of several questions, and so wrongly."""
    return _wrong_text(query) if query.text.count("?") > 1 else answer_text(true_answer(query))


def _wrong_text(query: Query) -> str:
    value = true_answer(query)
    if isinstance(query.meaning, Choice):
        return next((option for option in query.meaning.options if option != value), "something else")
    return answer_text(wrong_answer(value))


def _unsorted(groups: tuple[Group, ...]) -> bool:
    phrases = [" ".join((*group.attributes, group.name)) for group in groups]
    return phrases != sorted(phrases)


def _by_name(group: Group) -> Group:
    return replace(_related_by_name(group), covers=())


def _related_by_name(group: Group) -> Group:
    """The group with its conditions restricted to exact names."""
    return replace(group, related=tuple(replace(condition, to=_by_name(condition.to)) for condition in group.related))


_SATURATED = 1
"""The highest count of ``saturates``. With 2, too few things of one name and property would show the fault."""

_MANY = 2
"""The lowest count that ``quantifies`` calls many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A planted fault; ``replies`` makes the responder of one model, which may keep state."""

    description: str
    replies: Callable[[], Responder]


def load(name: str, _options: ModelOptions) -> ScriptedModel:
    """The model with this fault.

    Raises:
        OptionError: there is no such fault.
    """
    if name not in FAULTS:
        hint = did_you_mean(f"fault:{name}", (f"fault:{known_name}" for known_name in FAULTS))
        raise OptionError(f"Expected a planted fault, but got model='fault:{name}'; {hint}")
    return ScriptedModel(FAULTS[name].replies())


def _always(text: str) -> Callable[[], Responder]:
    return _by(lambda _query: text)


def _by(reply: Responder) -> Callable[[], Responder]:
    """A factory of stateless responders."""
    return lambda: reply


def _ignores_attributes(query: Query) -> str:
    return answer_to(query, _without_attributes(query.meaning))


def _first_group_only(query: Query) -> str:
    if isinstance(query.meaning, Count):
        return answer_to(query, Count(groups=query.meaning.groups[:1]))
    return answer_text(true_answer(query))


def _adds_wrong(query: Query) -> str:
    return off_by(query, int(isinstance(query.meaning, Count) and len(query.meaning.groups) > 1))


def _off_by_one(query: Query) -> str:
    return off_by(query, int(isinstance(query.meaning, Count)))


def _saturates(query: Query) -> str:
    value = true_answer(query)
    if isinstance(query.meaning, Count) and isinstance(value, int):
        return answer_text(min(value, _SATURATED))
    return answer_text(value)


def _sees_absent(query: Query) -> str:
    value = true_answer(query)
    match query.meaning:
        case Count(groups=(_,)) if value == 0:
            return answer_text(1)
        case Exists():
            return answer_text(True)
    return answer_text(value)


def _inconsistent(query: Query) -> str:
    value = true_answer(query)
    return answer_text(wrong_answer(value) if query.trial > 0 else value)


def _spacing_sensitive(query: Query) -> str:
    value = true_answer(query)
    return answer_text(wrong_answer(value) if "  " in query.text else value)


def _quantifies(query: Query) -> str:
    value = true_answer(query)
    match query.meaning:
        case Count(groups=(_,)) if isinstance(value, int) and value >= _MANY:
            return "many"
    return answer_text(value)


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
        description="answers as if nothing had been erased from a picture that it was shown before", replies=SeesErased
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
