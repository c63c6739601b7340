"""What differs between two runs beside the answers, and may be why their verdicts do: a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_vqamt.reporting.compare.sides import Side
from pytest_vqamt.reporting.compare_pairs import data_by_spec
from pytest_vqamt.reporting.compared import ComparedItem
from pytest_vqamt.reporting.page.figures import counted


def notes(before: Side, after: Side, models: Sequence[tuple[str, str]], items: Sequence[ComparedItem]) -> Iterator[str]:
    """The sentences, in the order of how much they can explain."""
    yield from (f"{side.name} {caveat}" for side in (before, after) for caveat in side.caveats)
    yield from _models(dict(before.models), dict(after.models), models)
    compared = [old for old, _ in models], [new for _, new in models]
    if before.name == after.name:
        yield from _left_out(after, [*compared[0], *compared[1]])
    else:
        yield from _left_out(before, compared[0])
        yield from _left_out(after, compared[1])
    if before.vqamt_version != after.vqamt_version:
        yield f"pytest-vqamt was {before.vqamt_version} and is {after.vqamt_version}"
    yield from _data(before, after)
    if before.seed != after.seed:
        yield f"the seed was {before.seed} and is {after.seed}: only few cases may be drawn by both"
    yield from _settings(dict(before.settings), dict(after.settings))
    yield from _versions(items)
    yield from _cases(items)


def _models(before: Mapping[str, str], after: Mapping[str, str], models: Sequence[tuple[str, str]]) -> Iterator[str]:
    for old, new in models:
        if before[old] == after[new] and not before[old].startswith("undeclared:"):
            yield (
                f"{_either(old, new)} is the same model, by its fingerprint: what differs comes from elsewhere, or it "
                "does not answer alike twice"
            )


def _left_out(side: Side, compared: Sequence[str]) -> Iterator[str]:
    left = [name for name, _ in side.models if name not in compared]
    if left:
        yield f"{side.name} has other models, too, which are not compared: {', '.join(left)}"


def _data(before: Side, after: Side) -> Iterator[str]:
    ours, theirs = dict(before.data), dict(after.data)
    for new, old in data_by_spec(before, after).items():
        if old != new:
            yield f"{old} is {new} now, with the same content"
        elif ours[old] != theirs[new]:
            yield f"the content of {new} has changed: only cases whose pictures are the same are compared"


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield f"the setting {name} was {before.get(name, 'not given')} and is {after.get(name, 'not given')}"


def _versions(items: Sequence[ComparedItem]) -> Iterator[str]:
    found = {each.item: (each.change.version_before, each.version) for each in items}
    for item, (then, now) in found.items():
        if then != now:
            yield f"{item} was version {then} and is version {now}, which may word, draw or judge its cases otherwise"


def _cases(items: Sequence[ComparedItem]) -> Iterator[str]:
    """What became of cases that are not compared, and of those whose answers did not change."""
    alone = sum(each.only_before for each in items), sum(each.only_after for each in items)
    if any(alone):
        yield f"only in the first run: {counted(alone[0], 'case')}; only in the second: {counted(alone[1], 'case')}"
    if unjudged := sum(each.unjudged for each in items):
        yield f"not compared, since one of the runs has no verdict or waived it: {counted(unjudged, 'case')}"
    if other := sum(each.other_verdict for each in items):
        yield f"judged otherwise than then, although every answer is the same: {counted(other, 'case')}"


def _either(old: str, new: str) -> str:
    return new if old == new else f"{new}, which was {old},"
