"""The runs to compare: reports or baselines, whose cases are read item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pytest_vqamt.core.baseline_store import BaselineFile
from pytest_vqamt.core.case_store import CaseLine, ItemCount, open_items
from pytest_vqamt.core.errors import DataError, OptionError, did_you_mean
from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.files import read_report

ReadItem: TypeAlias = Callable[[ItemCount], Iterator[CaseLine]]
"""Reads the cases of an item, sorted by id."""


class StoredItem(NamedTuple):
    """An item of a run."""

    counted: ItemCount
    """Its names and number of cases."""
    version: int
    """Of the relation."""
    tags: tuple[str, ...] = ()
    """Empty for a baseline, whose file has none."""

    @property
    def id(self) -> str:
        """What follows ``vqamt::`` in the id of the item."""
        return f"{self.counted.item}-{self.counted.model}-{self.counted.data}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparableRun:
    """A run to compare."""

    name: str
    """As the user named it."""
    place: Path
    """The resolved path, by which a run is found to be compared with itself."""
    vqamt_version: str
    """Such as "1.2.0"."""
    seed: int
    """Of the sampler of cases."""
    models: tuple[tuple[str, str], ...]
    """Name and fingerprint of each model."""
    data: tuple[tuple[str, str], ...]
    """Spec and digest of each source."""
    settings: tuple[tuple[str, str], ...]
    """Of the relations, by name."""
    items: tuple[StoredItem, ...]
    """In the order of the run."""
    caveats: tuple[str, ...]
    """Why the run is incomplete, a clause each."""
    open: Callable[[], AbstractContextManager[ReadItem]]
    """Opens the cases."""
    costs: tuple[tuple[str, tuple[float, int]], ...] = ()
    """The cost of each model that tells it, and the number of queries that were sent for it."""


def open_run(path: Path) -> ComparableRun:
    """Opens the report in a folder, or the baseline in a file.

    Raises:
        DataError: it is neither.
    """
    if path.is_dir():
        return open_report_run(path)
    if path.is_file():
        return _open_baseline_run(path)
    raise DataError(
        f"Expected a folder that --vqamt-report wrote, or a file that `vqamt bless` wrote, but got {str(path)!r}, "
        "which is not there"
    )


def open_report_run(folder: Path) -> ComparableRun:
    """Opens the report in ``folder``.

    Raises:
        DataError: there is no report, or it is incomplete.
    """
    report = read_report(folder)
    items = tuple(StoredItem(ItemCount.of(each), each.version, each.tags) for each in report.relations)
    return ComparableRun(
        name=str(folder),
        place=folder.resolve(),
        vqamt_version=report.vqamt_version,
        seed=report.seed,
        models=tuple((model.name, model.fingerprint) for model in report.models),
        data=tuple((data.name, data.digest) for data in report.data),
        settings=report.settings,
        items=items,
        caveats=tuple(_caveats(report)),
        open=lambda: open_items(folder, [each.counted for each in items]),
        costs=tuple(
            (model.name, (cost, model.queries_asked))
            for model in report.models
            if (cost := dict(model.usage).get("cost")) is not None
        ),
    )


def _caveats(report: Report) -> Iterator[str]:
    if report.shard != "1/1":
        yield f"is shard {report.shard} of a run: `vqamt merge` puts the shards together"
    if not report.complete:
        yield "is not complete: an item could not be run, or the session was stopped"


def _open_baseline_run(path: Path) -> ComparableRun:
    file = BaselineFile(path)
    head = file.head
    entries = {ItemCount(each.item, each.model, each.data, each.tally.cases): each for each in head.items}

    @contextmanager
    def opened() -> Iterator[ReadItem]:
        yield lambda item: (line for _, line in file.lines(entries[item]))

    return ComparableRun(
        name=str(path),
        place=path.resolve(),
        vqamt_version=head.vqamt_version,
        seed=head.seed,
        models=head.models,
        data=head.data,
        settings=head.settings,
        items=tuple(StoredItem(counted, each.version) for counted, each in entries.items()),
        caveats=(),
        open=opened,
    )


class PairedItem(NamedTuple):
    """An item in both runs."""

    before: StoredItem
    """In the first run."""
    after: StoredItem
    """In the second run."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags in the second run, as a baseline has none."""
        return self.after.tags


def models_compared(
    before: ComparableRun, after: ComparableRun, named: tuple[str, str] | None
) -> tuple[tuple[str, str], ...]:
    """The pairs of models to compare: the ``named`` ones, the only ones, or all that are in both runs.

    Raises:
        OptionError: a model is missing or ambiguous.
    """
    ours, theirs = ([name for name, _ in side.models] for side in (before, after))
    if named:
        for name, known, side in ((named[0], ours, before), (named[1], theirs, after)):
            if name not in known:
                raise OptionError(
                    f"Expected --models to name a model of {side.name}, but got {name!r}; {did_you_mean(name, known)}"
                )
        return (named,)
    # Two models are compared without being named, where nothing else can be meant.
    if len(ours) == len(theirs) == 1:
        return ((ours[0], theirs[0]),)
    both = tuple((name, name) for name in theirs if name in ours)
    if not both:
        raise OptionError(
            f"Expected a model that is in both runs, but {before.name} has {', '.join(ours)} and {after.name} has "
            f"{', '.join(theirs)}: name one of each with --models OLD NEW"
        )
    return both


def data_by_spec(before: ComparableRun, after: ComparableRun) -> dict[str, str]:
    """Maps the data specs of the second run to those of the first: the same spec, or one of equal content."""
    specs = {spec for spec, _ in before.data}
    # Reversed, so that of several specs of equal content the first is taken.
    by_digest = {digest: spec for spec, digest in reversed(before.data)}
    found = {spec: spec if spec in specs else by_digest.get(digest) for spec, digest in after.data}
    return {spec: other for spec, other in found.items() if other is not None}


def match_items(
    before: ComparableRun, after: ComparableRun, models: Sequence[tuple[str, str]]
) -> tuple[tuple[PairedItem, ...], tuple[str, ...], tuple[str, ...]]:
    """The items of both runs, in the order of the second, and the ids of items that only one run has."""
    of_data, old_names = data_by_spec(before, after), {new: old for old, new in models}
    ours = {each.counted[:3]: each for each in before.items if each.counted.model in old_names.values()}
    pairs: list[PairedItem] = []
    added: list[str] = []
    for each in after.items:
        item, model, data, _ = each.counted
        if model not in old_names:
            continue
        # Popped, so that what is left is in the first run alone.
        known = ours.pop((item, old_names[model], of_data.get(data, "")), None)
        if known is not None:
            pairs.append(PairedItem(known, each))
        # An item without a case was in neither run: it does not apply to the data.
        elif each.counted.cases:
            added.append(each.id)
    return tuple(pairs), tuple(each.id for each in ours.values() if each.counted.cases), tuple(added)
