"""Two runs compared case by case: what both have judged, paired by case id, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, cast

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.results import BaselineChange
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, SceneCounter
from pytest_vqamt.reporting.cases import CaseLine
from pytest_vqamt.reporting.compare.sides import PairedItem, Side, data_by_spec, matched, models_compared
from pytest_vqamt.reporting.html.cards import edits_in_words
from pytest_vqamt.reporting.view.lines import counted
from pytest_vqamt.stats import paired
from pytest_vqamt.stats.paired import SIGNIFICANT, change_of, drop_p, holm, with_holm_gates

_NEVER_GATED = {"control", "baseline"}


@dataclass(frozen=True, slots=True)
class _Compared:
    """An item before what needs all of them: its cases, and what became of them by itself."""

    pair: PairedItem
    presumed: bool
    cases: Gathered
    change: BaselineChange

    @property
    def is_gated(self) -> bool:
        """As ``stats.gates.with_baseline_gates`` has it."""
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
            made = change_of(cases.spread.paired, version_before=pair.before.version)
            cases.spread = SceneCounter()  # which scenes they are of is needed no more, and of all items would be much
            yield _Compared(pair, apart, cases, made)


def _judged(found: Sequence[_Compared], max_drop: float | None) -> Iterator[ComparedItem]:
    gated = [each.is_gated for each in found]
    held = with_holm_gates([each.change for each in found], max_drop or 0.0, gated)
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


def _gain_p(made: BaselineChange) -> float:
    """The p-value of a rise: that of a drop, had the runs changed places."""
    rows = (
        PairedSceneTally(row.both, row.second_only, row.first_only, row.neither, row.scenes) for row in made.paired.rows
    )
    return drop_p(PairedClusters(tuple(rows)))


def _standing(made: BaselineChange, p_gain: float | None, max_drop: float | None) -> Standing:
    """What is to be said; an item that is not gated is taken by itself, without Holm."""
    pairs = made.paired
    if pairs.shared and not pairs.first_only and not pairs.second_only:
        return Standing.UNCHANGED
    stands = paired.status_of(made, max_drop or 0.0)
    if stands is paired.ChangeStatus.WORSE:
        return Standing.WORSE
    if pairs.second_only > pairs.first_only and (_gain_p(made) if p_gain is None else p_gain) < SIGNIFICANT:
        return Standing.BETTER
    if max_drop is not None and stands is paired.ChangeStatus.NO_WORSE:
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


class Standing(StrEnum):
    """What is to be said of an item of two runs."""

    WORSE = "worse"
    """It has dropped, by more than is allowed where there is a demand, and that is no chance."""

    BETTER = "better"
    """It has risen, and that is no chance."""

    NO_WORSE = "no worse"
    """The whole 95 % interval of the difference lies above the drop that is allowed."""

    UNCHANGED = "unchanged"
    """No verdict is another one."""

    UNCERTAIN = "uncertain"
    """None of these: more cases are needed to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One of the two runs.

    Attributes:
        name: as the user named it.
        model, fingerprint: of the models that are compared, each, in the order of the other run's.
        data: the spec and the digest of each source.
    """

    name: str
    vqamt_version: str
    seed: int
    models: tuple[tuple[str, str], ...]
    data: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTwice:
    """A query with the answers of both runs; None where it had none."""

    text: str
    edits: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedCase:
    """A case that held in one of the runs alone.

    Attributes:
        mended: whether it holds now; otherwise it broke.
        reason: why it did not hold in the run in which it did not.
    """

    case_id: str
    item: str
    model: str
    data: str
    scene: str
    mended: bool
    queries: tuple[SeenTwice, ...]
    expected: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedItem:
    """A relation variant in two runs, its presumed cases apart.

    Attributes:
        models: the names of the two.
        data: the specs of the two, which are mostly the same.
        tags: of the relation.
        version: of the relation now; ``change`` has the one before.
        p_gain: how likely a rise as large as this would be by chance, after Holm for all that are gated together.
        only_before, only_after: how many cases only one of the runs has.
        unjudged: how many cases both have, of which one of them has no verdict, or which a person judged invalid.
        other_verdict: of how many the verdict is another one although every answer is the same.
        broke, mended: the ids of the cases that held before alone, or hold now alone, in their order.
    """

    item: str
    models: tuple[str, str]
    data: tuple[str, str]
    presumed: bool
    tags: tuple[str, ...]
    version: int
    change: BaselineChange
    p_gain: float | None
    standing: Standing
    only_before: int
    only_after: int
    unjudged: int
    other_verdict: int
    broke: tuple[str, ...]
    mended: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs, case by case.

    Attributes:
        notes: what else differs between them and may be why, or why little can be said, a sentence each.
        only_before, only_after: items that only one of them has.
        shown: some of the cases that broke or were mended, those of the surest changes first.
        max_drop: how far an item may drop; None where nothing is demanded.
    """

    before: ComparedRun
    after: ComparedRun
    items: tuple[ComparedItem, ...]
    notes: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    shown: tuple[MovedCase, ...]
    max_drop: float | None

    @property
    def missed(self) -> tuple[ComparedItem, ...]:
        """The items that have dropped further than is allowed, beyond chance."""
        return tuple(each for each in self.items if each.change.gate and not each.change.gate.met)


class Both(NamedTuple):
    """What two runs say of one case; None where a run has it not."""

    before: CaseLine | None
    after: CaseLine | None


def joined(before: Iterator[CaseLine], after: Iterator[CaseLine]) -> Iterator[Both]:
    """Every case once, in the order of the ids, which is that of both; a line of each is in memory at a time."""
    old, new = next(before, None), next(after, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.case_id < new.case_id):
            yield Both(old, None)
            old = next(before, None)
        elif old is None or new.case_id < old.case_id:
            yield Both(None, new)
            new = next(after, None)
        else:
            yield Both(old, new)
            old, new = next(before, None), next(after, None)


@dataclass(slots=True)
class Gathered:
    """What is counted of the cases of an item that two runs have; at most ``show`` of each sort are kept whole.

    Attributes:
        spread: those that both have judged, by scene.
        broke, mended: the ids of those that held before alone, or hold now alone.
        shown: some of these.
    """

    show: int
    spread: SceneCounter = field(default_factory=SceneCounter)
    only_before: int = 0
    only_after: int = 0
    unjudged: int = 0
    other_verdict: int = 0
    broke: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    shown: list[MovedCase] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.spread.paired.shared or self.only_before or self.only_after or self.unjudged)

    def add(self, both: Both) -> None:
        """Counts a case.

        Raises:
            DataError: a line of it is not whole.
        """
        before, after = both
        if before is None or after is None:
            self.only_before += after is None
            self.only_after += before is None
            return
        then, now = _outcome(before.row), _outcome(after.row)
        if then is None or now is None:
            self.unjudged += 1
            return
        self.spread.add(str(after.row["scene"]), now, then)
        held, holds = then is Outcome.HOLDS, now is Outcome.HOLDS
        self.other_verdict += held != holds and before.row.get("answers") == after.row.get("answers")
        if held != holds:
            moved = self.mended if holds else self.broke
            if len(moved) < self.show:
                self.shown.append(_moved(before.row, after.whole, mended=holds))
            moved.append(after.case_id)


def is_presumed(both: Both) -> bool:
    """Whether the case rests on an absence that the annotations do not guarantee, as they are now."""
    line = both.before if both.after is None else both.after
    return line is not None and "presumed" in cast("list[str]", line.row.get("tags") or [])


def _outcome(row: Row) -> Outcome | None:
    """The verdict; None where there is none that counts."""
    outcome = Outcome(str(row["verdict"]))
    return None if outcome is Outcome.ERROR or row.get("waived") else outcome


def _moved(before: Row, after: Row, *, mended: bool) -> MovedCase:
    try:
        queries = cast("list[Row]", after["queries"])
        then, now = (cast("list[str | None]", row["answers"]) for row in (before, after))
        return MovedCase(
            case_id=str(after["case_id"]),
            item=str(after["relation"]),
            model=str(after["model"]),
            data=str(after["data"]),
            scene=str(after["scene"]),
            mended=mended,
            queries=tuple(
                SeenTwice(
                    text=str(query["text"]) or f"({query['task']})",
                    edits=edits_in_words(query),
                    before=told,
                    after=tells,
                )
                for query, told, tells in zip(queries, then, now, strict=True)
            ),
            expected=str(after["expected"]),
            reason=str((before if mended else after)["reason"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"Expected a whole case, but got case_id={after.get('case_id')!r} of {after.get('relation')}: {error!r}: "
            "make the report anew"
        ) from error


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
