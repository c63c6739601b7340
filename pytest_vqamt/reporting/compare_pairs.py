"""Which items of two runs belong together: the same relation variant, on the same data, of the models to compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.reporting.compare.sides import Side, SideItem


class PairedItem(NamedTuple):
    """An item in both runs."""

    before: SideItem
    after: SideItem

    @property
    def tags(self) -> tuple[str, ...]:
        """Of the relation as it is now."""
        return self.after.tags


def models_compared(before: Side, after: Side, named: tuple[str, str] | None) -> tuple[tuple[str, str], ...]:
    """The names of the models to be compared: those that are ``named``, the only ones, or all that are in both runs.

    Raises:
        OptionError: a model is not there, or it is not clear which is meant.
    """
    ours, theirs = ([name for name, _ in side.models] for side in (before, after))
    if named:
        for name, known, side in ((named[0], ours, before), (named[1], theirs, after)):
            if name not in known:
                raise OptionError(
                    f"Expected --models to name a model of {side.name}, but got {name!r}; it has {', '.join(known)}: "
                    f"{did_you_mean(name, known)}"
                )
        return (named,)
    if len(ours) == len(theirs) == 1:
        return ((ours[0], theirs[0]),)
    both = tuple((name, name) for name in theirs if name in ours)
    if not both:
        raise OptionError(
            f"Expected a model that is in both runs, but {before.name} has {', '.join(ours)} and {after.name} has "
            f"{', '.join(theirs)}: name one of each with --models OLD NEW"
        )
    return both


def data_by_spec(before: Side, after: Side) -> dict[str, str]:
    """By the spec of each data source of the second run, its spec in the first: the same, or that of equal content."""
    specs = {spec for spec, _ in before.data}
    by_digest = {digest: spec for spec, digest in reversed(before.data)}
    found = {spec: spec if spec in specs else by_digest.get(digest) for spec, digest in after.data}
    return {spec: other for spec, other in found.items() if other is not None}


def matched(
    before: Side, after: Side, models: Sequence[tuple[str, str]]
) -> tuple[tuple[PairedItem, ...], tuple[str, ...], tuple[str, ...]]:
    """The items that are in both runs, in the order of the second, and the ids of those that only one of them has."""
    of_data, old_names = data_by_spec(before, after), {new: old for old, new in models}
    ours = {each.counted[:3]: each for each in before.items if each.counted.model in old_names.values()}
    pairs: list[PairedItem] = []
    added: list[str] = []
    for each in after.items:
        item, model, data, _ = each.counted
        if model not in old_names:
            continue
        known = ours.pop((item, old_names[model], of_data.get(data, "")), None)
        if known is not None:
            pairs.append(PairedItem(known, each))
        elif each.counted.cases:
            added.append(each.id)
    return tuple(pairs), tuple(each.id for each in ours.values() if each.counted.cases), tuple(added)
