"""Two runs compared case by case, paired by case id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, cast

from pytest_vqamt.core.case import DEMANDS, Change, Outcome
from pytest_vqamt.core.case_store import CaseLine
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import DataError, OptionError
from pytest_vqamt.core.identity import check_patterns
from pytest_vqamt.core.report_json import Row, tally_of_row
from pytest_vqamt.core.results import MAX_UNREAD, BaselineChange, BaselineTotal, GateState, JudgedCases, Undecided
from pytest_vqamt.core.tallies import PairedClusters, PairedSceneTally, SceneCounter, Tally
from pytest_vqamt.core.text import count_noun, some_of
from pytest_vqamt.reporting.compare.compared_scores import ComparedScores, Part, ScoredPairs
from pytest_vqamt.reporting.compare.runs import (
    ComparableRun,
    PairedItem,
    ReadItem,
    data_by_spec,
    match_items,
    models_compared,
)
from pytest_vqamt.reporting.html.case_cards import describe_edits
from pytest_vqamt.reporting.view.answers import OFTEN_UNREAD
from pytest_vqamt.reporting.view.format import format_cost, format_percent
from pytest_vqamt.reporting.view.model_figures import KindOfTotal
from pytest_vqamt.stats import paired
from pytest_vqamt.stats.conclude import GatedChange, with_gates_on_drops
from pytest_vqamt.stats.gates import Totals, paired_over
from pytest_vqamt.stats.paired import SIGNIFICANT, between_models, change_of, drop_p, holm, with_holm_gates
from pytest_vqamt.stats.thresholds import APART, Drops, TotalKind, allowed_drop

_CONTROL = "control"

_NAMED = 5
"""The items that a note names before "and N more"."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """An item before Holm's correction, which needs all items."""

    pair: PairedItem
    """The item in both runs."""
    presumed: bool
    """True if it is of the presumed cases."""
    grounded: bool
    """True if it is of the grounded rate."""
    cases: ItemPairs
    """The counts of the paired cases."""
    change: BaselineChange
    """Before Holm's correction, and without a gate."""
    tallies: tuple[Tally, Tally]
    """Of the shared cases of the item in the two runs."""

    # The same rules as in stats.conclude.with_baseline_gates.

    @property
    def may_be_gated(self) -> bool:
        return not self.presumed and not APART.intersection(self.pair.tags)

    @property
    def counts(self) -> bool:
        """True if it is among those that are corrected for together."""
        return self.may_be_gated and self.change.paired.shared > 0

    @property
    def part(self) -> Part:
        old, new = self.pair.before.counted, self.pair.after.counted
        return (old.model, new.model), (old.data, new.data)


def compare(
    before: ComparableRun,
    after: ComparableRun,
    *,
    models: tuple[str, str] | None = None,
    max_drop: Drops | None = None,
    max_unread: float = MAX_UNREAD,
    undecided: Undecided = Undecided.PASS,
    show: int = 3,
) -> Comparison:
    """Compares two runs case by case.

    Gated items share one Holm correction, as in a run with a baseline. Two models of different names are compared as
    ``stats.conclude`` does, by two-sided tests, unless there is a gate.

    Args:
        before: the first run.
        after: the second run.
        models: the model to take of each run; needed where the runs have no model name in common.
        max_drop: the drops that the gates allow; without them there is no gate.
        max_unread: the share of an item's cases that may be unread in the second run if it is to meet the gate.
        undecided: what a gate that cannot tell does to ``Comparison.fails``.
        show: how many regressions and how many fixes to keep in full.

    Raises:
        OptionError: a model is missing or ambiguous, a glob of ``max_drop`` matches nothing, or both are one run.
        DataError: a file is incomplete, or the runs have no judged case in common.
    """
    # A run against itself is allowed for two of its models: which is better?
    if after.place == before.place and len(set(models or ("",))) == 1:
        what = f"{models[0]!r} of {after.name!r} twice" if models else f"{after.name!r} twice"
        raise OptionError(f"Expected two runs, or two models of one, but got {what}: name another")
    named = models_compared(before, after, models)
    known = {each.counted.item for run in (before, after) for each in run.items}
    # "all-relations" and "accuracy" are no globs: they are names of totals.
    check_patterns([each for each in max_drop or () if each not in TotalKind.ids()], known, "--max-drop")
    pairs, only_before, only_after = match_items(before, after, named)
    with before.open() as old, after.open() as new:
        pooled: dict[Part, _Pooled] = {}
        found = [each for pair in pairs for each in _compare_item(pair, old, new, show, pooled)]
    if not any(each.change.paired.shared for each in found):
        raise DataError(_nothing_in_common(before, after, pairs))
    # Of two models neither is the one before, so neither direction is the bad one.
    two_sided = max_drop is None and any(old != new for old, new in named)
    totals, accuracy, families = _totals(pooled, found, max_drop, two_sided=two_sided)
    items = tuple(_conclude_models(found) if two_sided else _conclude(found, max_drop, max_unread, families))
    return Comparison(
        before=_compared_run(before, [name for name, _ in named]),
        after=_compared_run(after, [name for _, name in named]),
        items=items,
        totals=totals,
        accuracy=accuracy,
        notes=tuple(comparison_notes(before, after, named, items)),
        only_before=only_before,
        only_after=only_after,
        shown=_examples(items, found, show),
        max_drop=max_drop,
        undecided=undecided,
        two_sided=two_sided,
        scores=tuple(each.scores.compared(part) for part, each in pooled.items() if each.scores.seen),
    )


@dataclass(slots=True)
class _Pooled:
    """The cases of all items of a part, and the answers to its questions that come with answers."""

    cases: SceneCounter = field(default_factory=SceneCounter)
    """By scene, over all relations that may be gated."""
    right: JudgedCases = field(default_factory=JudgedCases)
    """The answers to source questions, each question once."""
    scores: ScoredPairs = field(default_factory=ScoredPairs)
    """Of all queries that have scores in both runs."""

    def add_right(self, both: CasePair) -> None:
        """Adds the answers to the source question of a case, if answers came with it."""
        answers = [line.right_answer if line else None for line in both]
        if both.after and answers[0] and answers[1] and answers[0].question == answers[1].question:
            scene = str(both.after.row["scene"])
            self.right.add_right(answers[1].question, scene, right=answers[1].right, before=answers[0].right)


def _compare_item(
    pair: PairedItem, before: ReadItem, after: ReadItem, show: int, pooled: dict[Part, _Pooled]
) -> Iterator[_Compared]:
    """Compares an item; its ordinary cases are added to ``pooled`` unless it is never gated."""
    ordinary, presumed, grounded = ItemPairs(show), ItemPairs(show), ItemPairs(show, of_contrasts=True)
    old, new = pair.before.counted, pair.after.counted
    of_part = pooled.setdefault(((old.model, new.model), (old.data, new.data)), _Pooled())
    # Controls and baselines say little about a model, so they are in no total.
    if not APART.intersection(pair.tags):
        ordinary.pooled = of_part.cases
    for both in join_cases(before(pair.before.counted), after(pair.after.counted)):
        of_part.add_right(both)
        if both.before and both.after:
            of_part.scores.add(both.before, both.after)
        (presumed if is_presumed(both) else ordinary).add(both)
        if not is_presumed(both) and _has_contrasts(both):
            grounded.add(both)
    # The unread rate is of the ordinary cases; an item may have presumed ones alone.
    was, now = (ordinary if ordinary.tallies[1].cases else presumed).tallies
    for cases, of_presumed in ((ordinary, False), (presumed, True), (grounded, False)):
        if not cases.is_empty:
            made = change_of(cases.spread.paired, version_before=pair.before.version)
            cases.spread = SceneCounter()  # frees the scenes, which take much memory over all items
            yield _Compared(pair, of_presumed, cases is grounded, cases, made, (was, now))


def _conclude(
    found: Sequence[_Compared], max_drop: Drops | None, max_unread: float, families: int
) -> Iterator[ComparedItem]:
    if max_drop is None:  # p-values and no gates
        held = with_holm_gates([each.change for each in found], [0.0 if each.counts else None for each in found])
        held = tuple(replace(change, gate=None) for change in held)
    else:
        changes = [
            GatedChange(each.pair.after.counted.item, each.change, each.tallies[1], each.may_be_gated) for each in found
        ]
        held = with_gates_on_drops(changes, max_drop, max_unread, families)
    gains = iter(holm([_gain_p(each.change) for each in found if each.counts]))
    for each, change in zip(found, held, strict=True):
        p_gain = next(gains) if each.counts else None
        # Globs may allow some items a drop and others none.
        drop = None if max_drop is None else allowed_drop(max_drop, each.pair.after.counted.item)
        yield _compared_item(each, change, _conclusion(change, p_gain, drop), p_gain)


def _conclude_models(found: Sequence[_Compared]) -> Iterator[ComparedItem]:
    """The items of two models, with Holm's correction by part, and for grounded rates apart."""
    families: dict[tuple[Part, bool], list[int]] = {}
    for place, each in enumerate(found):
        families.setdefault((each.part, each.grounded), []).append(place)
    # As in a run of both models, so that comparing two reports gives its p-values.
    changes: dict[int, BaselineChange] = {}
    for places in families.values():
        tested = [_CONTROL not in found[place].pair.tags and found[place].change.paired.shared > 0 for place in places]
        made = between_models([found[place].change.paired for place in places], tested)
        changes |= dict(zip(places, made, strict=True))
    for place, each in enumerate(found):
        change = replace(changes[place], version_before=each.change.version_before)
        yield _compared_item(each, change, _conclusion_of_models(change), None)


def _compared_item(
    each: _Compared, change: BaselineChange, conclusion: Conclusion, p_gain: float | None
) -> ComparedItem:
    models, data = each.part
    return ComparedItem(
        item=each.pair.after.counted.item,
        models=models,
        data=data,
        presumed=each.presumed,
        grounded=each.grounded,
        tags=each.pair.tags,
        version=each.pair.after.version,
        change=change,
        p_gain=p_gain,
        standing=conclusion,
        only_before=each.cases.only_before,
        only_after=each.cases.only_after,
        unjudged=each.cases.unjudged,
        other_verdict=each.cases.other_verdict,
        unread=(each.tallies[0].unread_rate, each.tallies[1].unread_rate),
        regressions=tuple(each.cases.regressions),
        fixes=tuple(each.cases.fixes),
    )


def _conclusion_of_models(made: BaselineChange) -> Conclusion:
    pairs, p = made.paired, made.p_two_sided if made.p_holm is None else made.p_holm
    if pairs.shared and not pairs.first_only and not pairs.second_only:
        return Conclusion.UNCHANGED
    if p >= SIGNIFICANT:
        return Conclusion.UNCERTAIN
    return Conclusion.WORSE if pairs.second_only < pairs.first_only else Conclusion.BETTER


def _totals(
    pooled: Mapping[Part, _Pooled], found: Sequence[_Compared], max_drop: Drops | None, *, two_sided: bool
) -> tuple[tuple[ComparedTotal, ...], tuple[ComparedTotal, ...], int]:
    """Totals and accuracies of each part, and the number of families of tests (``stats.gates.Totals``)."""
    counted = Counter(each.part for each in found if each.counts and not each.grounded)
    parts: dict[str, list[Part]] = {"relations": [], "accuracy": []}
    made: dict[str, list[BaselineTotal]] = {"relations": [], "accuracy": []}
    for part, of_part in pooled.items():
        for kind, cases in (
            ("relations", of_part.cases.paired),
            ("accuracy", paired_over([of_part.right], each_once=True)),
        ):
            if cases.shared:
                parts[kind].append(part)
                made[kind].append(BaselineTotal(model=part[0][1], data=part[1][1], change=change_of(cases)))
    totals = Totals(
        relations=tuple(made["relations"]),
        accuracy=tuple(made["accuracy"]),
        # The total of a single relation would be gated twice.
        gated=(*(counted[part] > 1 for part in parts["relations"]), *(True for _ in parts["accuracy"])),
    )
    families = 1 if max_drop is None else totals.families(max_drop)
    if max_drop is not None:
        totals = totals.with_gates(max_drop)

    def compared(of_parts: Sequence[Part], of_kind: Sequence[BaselineTotal]) -> tuple[ComparedTotal, ...]:
        return tuple(
            ComparedTotal(
                models=models,
                data=data,
                standing=_conclusion_of_models(each.change)
                if two_sided
                else _conclusion(each.change, None, each.change.gate.threshold if each.change.gate else None),
                change=each.change,
            )
            for (models, data), each in zip(of_parts, of_kind, strict=True)
        )

    return compared(parts["relations"], totals.relations), compared(parts["accuracy"], totals.accuracy), families


def _gain_p(made: BaselineChange) -> float:
    """The p-value of a rise, as of a drop with the runs swapped."""
    rows = (
        PairedSceneTally(row.both, row.second_only, row.first_only, row.neither, row.scenes) for row in made.paired.rows
    )
    return drop_p(PairedClusters(tuple(rows)))


def _conclusion(made: BaselineChange, p_gain: float | None, max_drop: float | None) -> Conclusion:
    pairs = made.paired
    if pairs.shared and not pairs.first_only and not pairs.second_only:
        return Conclusion.UNCHANGED
    state = paired.state_of(made, max_drop or 0.0)
    if state is GateState.MISSED:
        return Conclusion.WORSE
    # Totals and items without a gate have no adjusted p-value of a rise.
    if pairs.second_only > pairs.first_only and (_gain_p(made) if p_gain is None else p_gain) < SIGNIFICANT:
        return Conclusion.BETTER
    if max_drop is not None and state is GateState.MET:
        return Conclusion.NO_WORSE
    return Conclusion.UNCERTAIN


def _examples(items: Sequence[ComparedItem], found: Sequence[_Compared], show: int) -> tuple[ChangedCase, ...]:
    """At most ``show`` regressions and as many fixes, one of each item in turn, the smallest p-values first."""

    def of_kind(*, fixes: bool) -> list[ChangedCase]:
        ordered = sorted(
            zip(items, found, strict=True),
            key=lambda pair: _gain_p(pair[0].change) if fixes else pair[0].change.p,
        )
        of_items = [[case for case in each.cases.shown if case.is_fix is fixes] for _, each in ordered]
        # One case of each item before the second of any: ten of one item would show one fault.
        in_turns = [cases[turn] for turn in range(show) for cases in of_items if turn < len(cases)]
        return in_turns[:show]

    return (*of_kind(fixes=False), *of_kind(fixes=True))


def _compared_run(side: ComparableRun, models: Sequence[str]) -> ComparedRun:
    fingerprints = dict(side.models)
    return ComparedRun(
        name=side.name,
        vqamt_version=side.vqamt_version,
        seed=side.seed,
        models=tuple((model, fingerprints[model]) for model in models),
        data=side.data,
    )


def _nothing_in_common(before: ComparableRun, after: ComparableRun, pairs: Sequence[PairedItem]) -> str:
    problem = f"Expected runs that have judged cases in common, but {before.name} and {after.name} have none"
    # A seed decides which cases are drawn, so it is the likeliest cause.
    if pairs and before.seed != after.seed:
        return f"{problem}: their seeds are {before.seed} and {after.seed}; run both with the same --vqamt-seed"
    if pairs:
        return f"{problem}, although relations are in both: run both with the same options and data"
    if not data_by_spec(before, after):
        specs = ", ".join(spec for spec, _ in before.data), ", ".join(spec for spec, _ in after.data)
        return f"{problem}: their data are {specs[0]} and {specs[1]}; run both on the same data"
    return f"{problem}: no relation is in both"


class Conclusion(StrEnum):
    """What the comparison shows for an item."""

    WORSE = "worse"
    """A significant drop, larger than the gate allows where there is one."""

    BETTER = "better"
    """A significant rise."""

    NO_WORSE = "no worse"
    """The whole 95 % interval of the difference lies above the allowed drop."""

    UNCHANGED = "unchanged"
    """Every verdict is the same."""

    UNCERTAIN = "uncertain"
    """None of these: too few cases to tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One of the two runs."""

    name: str
    """As the user named it."""
    vqamt_version: str
    """Of the run, such as "1.2.0"."""
    seed: int
    """Of the sampler of cases."""
    models: tuple[tuple[str, str], ...]
    """Name and fingerprint of each compared model, in the order of the other run."""
    data: tuple[tuple[str, str], ...]
    """Spec and digest of each source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedQuery:
    """A query with the answers of both runs; None for no answer."""

    text: str
    """"(captioning)" and the like for a task without a text."""
    edits: str
    """The edits of its picture in words; "" for none."""
    before: str | None
    """The answer in the first run."""
    after: str | None
    """The answer in the second run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCase:
    """A case that holds in only one of the runs."""

    case_id: str
    """16 hexadecimal digits."""
    item: str
    """The relation variant."""
    model: str
    """In the second run."""
    data: str
    """The spec in the second run."""
    scene: str
    """The id of its scene."""
    is_fix: bool
    """True if it holds in the second run; otherwise it is a regression."""
    expected: str
    """The expectation in words, with that of a contrast."""
    reason: str
    """Why it is violated in the other run."""
    queries: tuple[ComparedQuery, ...]
    """In the order of the case; last that of a contrast, if it is what changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedItem:
    """A relation variant in two runs, its presumed cases apart."""

    item: str
    """The relation variant."""
    version: int
    """The relation's version in the second run; ``change`` has the first one."""
    models: tuple[str, str]
    """The names in the two runs."""
    data: tuple[str, str]
    """The specs in the two runs."""
    presumed: bool
    """True if it is of the presumed cases."""
    grounded: bool
    """True if it is of the grounded rate, over the cases that have a contrast in both runs."""
    tags: tuple[str, ...]
    """Of the relation, in the second run."""
    standing: Conclusion
    """The conclusion; "standing" is its name in tables and JSON."""
    change: BaselineChange
    """Rates, interval and p-value on the shared cases, with the gate."""
    p_gain: float | None
    """The p-value of a rise, Holm-adjusted over the gated items; None for an item without a gate."""
    only_before: int
    """Cases that only the first run has."""
    only_after: int
    """Cases that only the second run has."""
    unjudged: int
    """The number of shared cases that are waived or have no verdict in one of the runs."""
    other_verdict: int
    """The number of cases with another verdict for the same answers."""
    unread: tuple[float | None, float | None]
    """The unread rates of the item's shared cases in the two runs."""
    regressions: tuple[str, ...]
    """Ids of the cases that hold in the first run only, sorted."""
    fixes: tuple[str, ...]
    """Ids of the cases that hold in the second run only, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTotal:
    """All relations of a model on a data source together, or its accuracy, as in ``core.results.BaselineTotal``."""

    models: tuple[str, str]
    """The names in the two runs."""
    data: tuple[str, str]
    """The specs in the two runs."""
    standing: Conclusion
    """The conclusion, as in ``ComparedItem``."""
    change: BaselineChange
    """Rates, interval and p-value on the shared cases or questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs, case by case."""

    before: ComparedRun
    """The first run."""
    after: ComparedRun
    """The second run."""
    items: tuple[ComparedItem, ...]
    """In the order of the second run; presumed cases and grounded rates apart."""
    totals: tuple[ComparedTotal, ...]
    """All relations together, for each model and data source."""
    notes: tuple[str, ...]
    """Other differences between the runs and limits of the comparison, a sentence each."""
    only_before: tuple[str, ...]
    """Ids of the items that only the first run has."""
    only_after: tuple[str, ...]
    """Ids of the items that only the second run has."""
    shown: tuple[ChangedCase, ...]
    """Some regressions, then some fixes, the smallest p-values first."""
    max_drop: Drops | None
    """The drops that the gates allow; None without gates."""
    accuracy: tuple[ComparedTotal, ...] = ()
    """The accuracy on questions that come with answers, for each model and data source."""
    undecided: Undecided = Undecided.PASS
    """What a gate that cannot tell does to ``fails``."""
    two_sided: bool = False
    """True if the p-values are two-sided, of two models neither of which is the one before."""
    scores: tuple[ComparedScores, ...] = ()
    """How far scores have moved, for each model and data source that has scores in both runs."""

    @property
    def missed(self) -> tuple[ComparedItem, ...]:
        """The items that missed the gate."""
        return tuple(each for each in self.items if each.change.gate and not each.change.gate.met)

    @property
    def gated_totals(self) -> tuple[KindOfTotal, ...]:
        """All relations together, and accuracies, that have a gate."""
        kinds = [TotalKind.RELATIONS] * len(self.totals) + [TotalKind.ACCURACY] * len(self.accuracy)
        both = zip(kinds, (*self.totals, *self.accuracy), strict=True)
        gated = [(kind, each) for kind, each in both if each.change.gate]
        return tuple(
            KindOfTotal(kind, BaselineTotal(model=each.models[1], data=each.data[1], change=each.change), len(gated))
            for kind, each in gated
        )

    @property
    def fails(self) -> bool:
        """True if a gate is missed, or cannot tell where that counts as missed."""
        changes = [each.change for each in self.items] + [each.change for each in (*self.totals, *self.accuracy)]
        return any(self.undecided.fails(each.gate) for each in changes if each.gate)


class CasePair(NamedTuple):
    """The lines of one case in two runs; None for a run that lacks it."""

    before: CaseLine | None
    """In the first run."""
    after: CaseLine | None
    """In the second run."""


def join_cases(before: Iterator[CaseLine], after: Iterator[CaseLine]) -> Iterator[CasePair]:
    """Joins two streams that are sorted by case id; one line of each is in memory at a time."""
    old, new = next(before, None), next(after, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.case_id < new.case_id):
            yield CasePair(old, None)
            old = next(before, None)
        elif old is None or new.case_id < old.case_id:
            yield CasePair(None, new)
            new = next(after, None)
        else:
            yield CasePair(old, new)
            old, new = next(before, None), next(after, None)


@dataclass(slots=True)
class ItemPairs:
    """Counts of the paired cases of an item; at most ``show`` regressions and fixes are held in full."""

    show: int
    """The most regressions, and the most fixes, in ``shown``."""
    of_contrasts: bool = False
    """Count a case as holding only if it is grounded."""
    spread: SceneCounter = field(default_factory=SceneCounter)
    """Outcomes of the cases that both runs judged, by scene."""
    pooled: SceneCounter | None = None
    """Counts the cases of several items by scene, these too; None for none."""
    only_before: int = 0
    """Cases of the first run alone."""
    only_after: int = 0
    """Cases of the second run alone."""
    unjudged: int = 0
    """Shared cases that are waived or lack a verdict in one run."""
    other_verdict: int = 0
    """Cases whose verdict changed though the answers did not: the reader or the relation has changed."""
    regressions: list[str] = field(default_factory=list)
    """Ids of cases that held and do not now."""
    fixes: list[str] = field(default_factory=list)
    """Ids of cases that hold now and did not."""
    shown: list[ChangedCase] = field(default_factory=list)
    """The first regressions and fixes, with their texts and answers."""
    tallies: tuple[Tally, Tally] = (Tally(), Tally())
    """The shared cases by outcome, in the two runs."""

    @property
    def is_empty(self) -> bool:
        return not (self.spread.paired.shared or self.only_before or self.only_after or self.unjudged)

    def add(self, both: CasePair) -> None:
        """Counts a case.

        Raises:
            DataError: one of its lines is incomplete.
        """
        before, after = both
        if before is None or after is None:
            self.only_before += after is None
            self.only_after += before is None
            return
        self.tallies = self.tallies[0] + tally_of_row(before.row), self.tallies[1] + tally_of_row(after.row)
        old, new = (_outcome(line.row, of_contrast=self.of_contrasts) for line in (before, after))
        if old is None or new is None:
            self.unjudged += 1
            return
        for counter in filter(None, (self.spread, self.pooled)):
            # SceneCounter takes the new outcome first, then that of the earlier run.
            counter.add(str(after.row["scene"]), new, old)
        held, holds = old is Outcome.HOLDS, new is Outcome.HOLDS
        # Counted once: the same case is added to the ordinary pairs, too.
        if not self.of_contrasts:
            self.other_verdict += held != holds and before.row.get("answers") == after.row.get("answers")
        if held != holds:
            ids = self.fixes if holds else self.regressions
            # A case whose relation changed as well is among the examples of the ordinary pairs.
            is_new = not self.of_contrasts or _outcome(before.row) == _outcome(after.row)
            if len(ids) < self.show and is_new:
                self.shown.append(_changed_case(before.row, after.whole, is_fix=holds, of_contrast=self.of_contrasts))
            ids.append(after.case_id)


def is_presumed(both: CasePair) -> bool:
    """True if the case is presumed, in the second run if it has the case."""
    line = both.before if both.after is None else both.after
    return line is not None and "presumed" in cast("list[str]", line.row.get("tags") or [])


def _has_contrasts(both: CasePair) -> bool:
    """True if the case has a verdict on the same sure contrast in both runs."""
    contrasts = [cast("Row | None", line.row.get("contrast")) if line else None for line in both]
    # Another seed or version may pair the case with another contrast, which is no comparison.
    queries = {str(cast("Row", each["query"]).get("id")) for each in contrasts if each}
    return len(queries) == 1 and all(each and each.get("verdict") and not each.get("presumed") for each in contrasts)


def _outcome(row: Row, *, of_contrast: bool = False) -> Outcome | None:
    """The verdict, or of a contrast the grounded verdict; None for errors, declined, flaky and waived cases."""
    outcomes = {Outcome(str(row["verdict"]))}
    if of_contrast:
        outcomes.add(Outcome(str(cast("Row", row["contrast"])["verdict"])))
    if not all(each.is_judged for each in outcomes) or row.get("waived"):
        return None
    # Grounded takes both to hold: with one violated verdict the case is not.
    return next(iter(outcomes)) if len(outcomes) == 1 else Outcome.VIOLATED


def _changed_case(before: Row, after: Row, *, is_fix: bool, of_contrast: bool = False) -> ChangedCase:
    try:
        queries = cast("list[Row]", after["queries"])
        old_answers, new_answers = (cast("list[str | None]", row["answers"]) for row in (before, after))
        # A verdict has a reason only where it is a violation.
        wrong = before if is_fix else after
        expected, reason = str(after["expected"]), str(wrong["reason"])
        if of_contrast:
            contrasts = [cast("Row", row["contrast"]) for row in (before, after)]
            queries = [*queries, cast("Row", contrasts[1]["query"])]
            old_answers, new_answers = (
                [*answers, cast("str | None", contrast["answer"])]
                for answers, contrast in zip((old_answers, new_answers), contrasts, strict=True)
            )
            expected = f"{expected}; the last text, a contrast: {DEMANDS[Change(str(contrasts[1]['change']))]}"
            # The relation may hold in the violated run, where only the contrast fails.
            reason = reason or str(contrasts[0 if is_fix else 1]["reason"])
        return ChangedCase(
            case_id=str(after["case_id"]),
            item=str(after["relation"]),
            model=str(after["model"]),
            data=str(after["data"]),
            scene=str(after["scene"]),
            is_fix=is_fix,
            queries=tuple(
                ComparedQuery(
                    # A captioning query has no text.
                    text=str(query["text"]) or f"({query['task']})",
                    edits=describe_edits(query),
                    before=old,
                    after=new,
                )
                for query, old, new in zip(queries, old_answers, new_answers, strict=True)
            ),
            expected=expected,
            reason=reason,
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"Expected a complete case, but got case_id={after.get('case_id')!r} of {after.get('relation')}: "
            f"{error!r}: make the report anew"
        ) from error


def comparison_notes(
    before: ComparableRun, after: ComparableRun, models: Sequence[tuple[str, str]], items: Sequence[ComparedItem]
) -> Iterator[str]:
    """Other differences between the runs, those that explain most first."""
    yield from (f"{side.name} {caveat}" for side in (before, after) for caveat in side.caveats)
    yield from _models(dict(before.models), dict(after.models), models)
    compared = [old for old, _ in models], [new for _, new in models]
    # Two models of one report: together they are those compared.
    if before.name == after.name:
        yield from _left_out(after, [*compared[0], *compared[1]])
    else:
        yield from _left_out(before, compared[0])
        yield from _left_out(after, compared[1])
    if before.vqamt_version != after.vqamt_version:
        yield f"pytest-vqamt was {before.vqamt_version} and is {after.vqamt_version}"
    yield from _data(before, after)
    if before.seed != after.seed:
        yield f"the seed was {before.seed} and is {after.seed}: the runs may have few cases in common"
    yield from _settings(dict(before.settings), dict(after.settings))
    yield from _versions(items)
    yield from _cases([each for each in items if not each.grounded])
    yield from _costs(dict(before.costs), dict(after.costs), models)


def _models(before: Mapping[str, str], after: Mapping[str, str], models: Sequence[tuple[str, str]]) -> Iterator[str]:
    for old, new in models:
        # A model that declares no fingerprint has its name as one, which says nothing of its weights.
        if before[old] == after[new] and not before[old].startswith("undeclared:"):
            yield (
                f"{_either(old, new)} has the same fingerprint in both runs: differences have another cause, or the "
                "model is not deterministic"
            )


def _left_out(side: ComparableRun, compared: Sequence[str]) -> Iterator[str]:
    left = [name for name, _ in side.models if name not in compared]
    if left:
        yield f"{side.name} has models that are not compared: {', '.join(left)}"


def _data(before: ComparableRun, after: ComparableRun) -> Iterator[str]:
    ours, theirs = dict(before.data), dict(after.data)
    for new, old in data_by_spec(before, after).items():
        if old != new:
            yield f"{old} is {new} now, with the same content"
        elif ours[old] != theirs[new]:
            yield f"the content of {new} has changed: only cases with the same pictures are compared"


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield f"the setting {name} was {before.get(name, 'not given')} and is {after.get(name, 'not given')}"


def _versions(items: Sequence[ComparedItem]) -> Iterator[str]:
    # By item, as versions are the same for all models and data.
    found = {each.item: (each.change.version_before, each.version) for each in items}
    for item, (old, new) in found.items():
        if old != new:
            yield f"{item} was version {old} and is version {new}, whose cases and verdicts may differ"


def _cases(items: Sequence[ComparedItem]) -> Iterator[str]:
    first, second = sum(each.only_before for each in items), sum(each.only_after for each in items)
    if first or second:
        yield f"only in the first run: {count_noun(first, 'case')}; only in the second: {count_noun(second, 'case')}"
    if unjudged := sum(each.unjudged for each in items):
        yield f"not compared, without a verdict or waived in one of the runs: {count_noun(unjudged, 'case')}"
    yield from _unread(items)
    if other := sum(each.other_verdict for each in items):
        yield f"another verdict for the same answers: {count_noun(other, 'case')}"


def _unread(items: Sequence[ComparedItem]) -> Iterator[str]:
    """The items whose answers could often not be read in one of the runs."""
    often = [
        f"{each.item} ({format_percent(before or 0.0)} before, {format_percent(now or 0.0)} now)"
        for each in items
        if not each.grounded and not each.presumed
        for before, now in (each.unread,)
        if max(before or 0.0, now or 0.0) > OFTEN_UNREAD
    ]
    if often:
        yield f"cases with an answer that could not be read: {some_of(often, _NAMED)}"


def _costs(
    before: Mapping[str, tuple[float, int]], after: Mapping[str, tuple[float, int]], models: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """What the answers cost in both runs; cached answers cost nothing again."""
    for old, new in models:
        if old in before and new in after:
            (cost, queries), (cost_now, queries_now) = before[old], after[new]
            yield (
                f"{_either(old, new)} cost {format_cost(cost)} for {queries:,} queries sent, and "
                f"{format_cost(cost_now)} for {queries_now:,}"
            )


def _either(old: str, new: str) -> str:
    return new if old == new else f"{new}, which was {old},"
