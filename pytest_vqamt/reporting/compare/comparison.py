"""Two runs compared case by case: what both have judged, paired by case id, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.results import Change
from pytest_vqamt.core.tallies import AlikeTwice, PairedClusters, Spread
from pytest_vqamt.reporting.compare.sides import Side
from pytest_vqamt.reporting.compare_cases import Gathered, is_presumed, joined
from pytest_vqamt.reporting.compare_notes import notes
from pytest_vqamt.reporting.compare_pairs import PairedItem, data_by_spec, matched, models_compared
from pytest_vqamt.reporting.compared import ComparedItem, ComparedRun, Comparison, MovedCase, Standing
from pytest_vqamt.stats import paired
from pytest_vqamt.stats.paired import SIGNIFICANT, change, drop_p, holm, judged_together

_NEVER_GATED = {"control", "baseline"}


@dataclass(frozen=True, slots=True)
class _Compared:
    """An item before what needs all of them: its cases, and what became of them by itself."""

    pair: PairedItem
    presumed: bool
    cases: Gathered
    change: Change

    @property
    def is_gated(self) -> bool:
        """As ``stats.gates.held_against_baseline`` has it."""
        return not self.presumed and self.change.paired.shared > 0 and not _NEVER_GATED.intersection(self.pair.tags)


def compare(
    before: Side, after: Side, *, models: tuple[str, str] | None = None, max_drop: float | None = None, show: int = 3
) -> Comparison:
    """The comparison of two runs, of the two ``models`` where one is named of each.

    The items that are gated are judged together, as those of a run that is held against its baseline. Where nothing is
    demanded no drop is allowed to be significant, and none is called a failure.

    Raises:
        OptionError: a model is not there, or it is not clear which of several is meant.
        DataError: a file is not whole, or no case has been judged by both runs.
    """
    named = models_compared(before, after, models)
    pairs, left, added = matched(before, after, named)
    found = [each for pair in pairs for each in _compared(pair, before, after, show)]
    if not any(each.change.paired.shared for each in found):
        raise DataError(_nothing_shared(before, after, pairs))
    items = tuple(_judged(found, max_drop))
    return Comparison(
        before=_run(before, [name for name, _ in named]),
        after=_run(after, [name for _, name in named]),
        items=items,
        notes=tuple(notes(before, after, named, items)),
        only_before=left,
        only_after=added,
        shown=_shown(items, found, show),
        max_drop=max_drop,
    )


def _compared(pair: PairedItem, before: Side, after: Side, show: int) -> Iterator[_Compared]:
    """The cases of an item, and those that are presumed where there are any."""
    ordinary, presumed = Gathered(show), Gathered(show)
    for both in joined(before.lines(pair.before), after.lines(pair.after)):
        (presumed if is_presumed(both) else ordinary).add(both)
    for apart, cases in ((False, ordinary), (True, presumed)):
        if not cases.is_empty:
            made = change(cases.spread.paired, version_before=pair.before.version)
            cases.spread = Spread()  # which scenes they are of is needed no more, and of all items would be much
            yield _Compared(pair, apart, cases, made)


def _judged(found: Sequence[_Compared], max_drop: float | None) -> Iterator[ComparedItem]:
    gated = [each.is_gated for each in found]
    held = judged_together([each.change for each in found], max_drop or 0.0, gated)
    gains = iter(holm([_gain_p(each.change) for each in found if each.is_gated]))
    for each, made in zip(found, held, strict=True):
        p_gain = next(gains) if each.is_gated else None
        yield ComparedItem(
            item=each.pair.after.counted.item,
            models=(each.pair.before.counted.model, each.pair.after.counted.model),
            data=(each.pair.before.counted.data, each.pair.after.counted.data),
            presumed=each.presumed,
            tags=each.pair.tags,
            version=each.pair.after.version,
            change=made if max_drop is not None else replace(made, gate=None),
            p_gain=p_gain,
            standing=_standing(made, p_gain, max_drop),
            only_before=each.cases.only_before,
            only_after=each.cases.only_after,
            unjudged=each.cases.unjudged,
            other_verdict=each.cases.other_verdict,
            broke=tuple(each.cases.broke),
            mended=tuple(each.cases.mended),
        )


def _gain_p(made: Change) -> float:
    """The p-value of a rise: that of a drop, had the runs changed places."""
    rows = (AlikeTwice(row.kept, row.won, row.lost, row.neither, row.scenes) for row in made.paired.rows)
    return drop_p(PairedClusters(tuple(rows)))


def _standing(made: Change, p_gain: float | None, max_drop: float | None) -> Standing:
    """What is to be said; an item that is not gated is taken by itself, without Holm."""
    pairs = made.paired
    if pairs.shared and not pairs.lost and not pairs.won:
        return Standing.UNCHANGED
    stands = paired.standing(made, max_drop or 0.0)
    if stands is paired.Standing.WORSE:
        return Standing.WORSE
    if pairs.won > pairs.lost and (_gain_p(made) if p_gain is None else p_gain) < SIGNIFICANT:
        return Standing.BETTER
    if max_drop is not None and stands is paired.Standing.NO_WORSE:
        return Standing.NO_WORSE
    return Standing.UNCERTAIN


def _shown(items: Sequence[ComparedItem], found: Sequence[_Compared], show: int) -> tuple[MovedCase, ...]:
    """At most ``show`` that broke and as many that were mended, those of the surest changes first, one of each item."""

    def some(*, mended: bool) -> list[MovedCase]:
        sure = sorted(zip(items, found, strict=True), key=lambda each: _sureness(each[0], mended=mended))
        of_items = [[case for case in each.cases.shown if case.mended is mended] for _, each in sure]
        in_turns = [of_item[turn] for turn in range(show) for of_item in of_items if turn < len(of_item)]
        return in_turns[:show]

    return (*some(mended=False), *some(mended=True))


def _sureness(item: ComparedItem, *, mended: bool) -> float:
    return _gain_p(item.change) if mended else item.change.p


def _run(side: Side, models: Sequence[str]) -> ComparedRun:
    fingerprints = dict(side.models)
    return ComparedRun(
        name=side.name,
        vqamt_version=side.vqamt_version,
        seed=side.seed,
        models=tuple((model, fingerprints[model]) for model in models),
        data=side.data,
    )


def _nothing_shared(before: Side, after: Side, pairs: Sequence[PairedItem]) -> str:
    """Why there is nothing to compare, and what to do."""
    told = f"Expected runs that have judged cases in common, but {before.name} and {after.name} have none"
    if pairs and before.seed != after.seed:
        return f"{told}: their seeds are {before.seed} and {after.seed}; run both with the same --vqamt-seed"
    if pairs:
        return f"{told}, although relations are in both: run both with the same options and data"
    if not data_by_spec(before, after):
        specs = ", ".join(spec for spec, _ in before.data), ", ".join(spec for spec, _ in after.data)
        return f"{told}: their data are {specs[0]} and {specs[1]}; run both on the same data"
    return f"{told}: no relation is in both"
