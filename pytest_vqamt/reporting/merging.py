"""``vqamt merge``: joins the reports of shards. Counts are added, and everything else must be equal."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from pytest_vqamt.core.atomic_write import replacing
from pytest_vqamt.core.case import ContrastVerdict, Figure, Outcome, Verdict, add_figures
from pytest_vqamt.core.case_store import (
    CaseLine,
    ItemCount,
    check_ended,
    create_cases,
    find_cases_file,
    item_lines,
    open_cases,
)
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.query import Failure
from pytest_vqamt.core.report_json import REPORT_FILE, Row, report_text
from pytest_vqamt.core.results import (
    BaselineChange,
    BaselineUse,
    Gate,
    Grounded,
    JudgedCases,
    RelationResult,
    Report,
    StratumResult,
    merge_model_uses,
    stratum_fields,
)
from pytest_vqamt.core.tallies import (
    Clusters,
    GradedCases,
    GroundedCells,
    PairedClusters,
    ReadingCounter,
    RepeatedCases,
    SceneCounter,
    Tally,
    add_unread,
)
from pytest_vqamt.reporting.case_writer import remove_report
from pytest_vqamt.reporting.files import read_report
from pytest_vqamt.stats.conclude import conclude, with_tables
from pytest_vqamt.stats.gates import GroundedCounts, gate, grounded_result
from pytest_vqamt.stats.intervals import pass_rate_interval
from pytest_vqamt.stats.paired import change_of
from pytest_vqamt.stats.thresholds import Drops, GateKind, GateOn, Threshold, describe_drops

Counted = TypeVar("Counted", RepeatedCases, GradedCases)

_SAME = "run the shards with the same options, data and model"


def merge_folders(folders: Sequence[Path], out: Path) -> Report:
    """Writes the cases and ``report.json`` of the whole run into ``out``, and returns the report.

    ``reporting.files.write_pages`` makes the pages from these. Times and query counts are those of the shards: shards
    that share a query send it each.

    Raises:
        DataError: a folder has no complete report, or the folders are not all shards of one run, each once.
        VqamtError: ``out`` is one of the folders, or cannot be written to.
    """
    if out.resolve() in [folder.resolve() for folder in folders]:
        raise VqamtError(f"Expected a folder for the merged report that is none of the shards', but got {str(out)!r}")
    parts = {str(folder): read_report(folder) for folder in folders}
    # Two spellings of one folder are found later, by their equal shard numbers.
    if len(parts) < len(folders):
        raise DataError(f"Expected each folder once, but got {', '.join(map(str, folders))}")
    # Before anything is written.
    check_one_run(parts)
    try:
        out.mkdir(parents=True, exist_ok=True)
        cases_name = find_cases_file(folders[0]).name
        # The last one opened is closed first: the cases replace old ones before the report does.
        with replacing(out / REPORT_FILE) as counts, replacing(out / cases_name) as all_cases:
            of_items = merge_cases({Path(name): part for name, part in parts.items()}, all_cases, cases_name)
            report = merge_reports(parts, of_items)
            counts.write_text(report_text(report), encoding="utf-8")
            remove_report(out)
    except OSError as error:
        raise VqamtError(f"Expected a folder that can be written to, but got {str(out)!r}: {error}") from error
    return report


def merge_reports(parts: Mapping[str, Report], of_items: Sequence[ItemCounts]) -> Report:
    """The report of the run with the shards ``parts``; ``of_items`` has the case counts of each item."""
    reports = tuple(parts.values())
    first = reports[0]
    shares = zip(*(report.relations for report in reports), strict=True)
    # All shards have the same items in the same places: check_one_run compares them.
    relations = tuple(_relation(share, cases, first.max_unread) for share, cases in zip(shares, of_items, strict=True))
    use = _baseline([report.baseline for report in reports if report.baseline])
    # Holm's correction and the gates on drops take all items and all cases.
    relations, baseline = conclude(relations, use, first.max_unread)
    merged = replace(
        first,
        shard="1/1",
        started=min(report.started for report in reports),
        # Shards run side by side: the longest one is the time of the run.
        duration_s=max(report.duration_s for report in reports),
        complete=all(report.complete for report in reports),
        models=tuple(
            use for uses in zip(*(report.models for report in reports), strict=True) for use in merge_model_uses(uses)
        ),
        relations=relations,
        baseline=baseline,
    )
    return with_tables(merged)


def _baseline(uses: Sequence[BaselineUse]) -> BaselineUse | None:
    """The baseline of all shards: ``missing`` items were run by no shard."""
    if not uses:
        return None
    missing = tuple(item for item in uses[0].missing if all(item in use.missing for use in uses))
    return replace(uses[0], missing=missing)


def _relation(shares: Sequence[RelationResult], cases: ItemCounts, max_unread: float) -> RelationResult:
    first = shares[0]
    not_applicable: Counter[str] = Counter()
    for share in shares:
        not_applicable.update(share.not_applicable)
    is_blessed = any(share.change for share in shares)
    ordinary = _stratum(first, shares, cases.ordinary, first.tags, max_unread, is_blessed=is_blessed)
    # The cases of a shard may all be sure.
    of_presumed = [share.presumed for share in shares if share.presumed]
    tags = (*first.tags, "presumed")
    presumed = (
        _stratum(first, of_presumed, cases.presumed, tags, max_unread, is_blessed=is_blessed) if of_presumed else None
    )
    # An item with presumed cases alone is gated on these.
    if presumed and not ordinary.tally.cases:
        ordinary = replace(ordinary, gate=None)
    return replace(
        first,
        **stratum_fields(ordinary),
        grounded=_grounded(shares, cases, max_unread),
        scenes_not_applicable=not_applicable.total(),
        not_applicable=dict(not_applicable),
        presumed=presumed,
        judged=cases.judged,
        right=cases.right,
    )


def _grounded(shares: Sequence[RelationResult], cases: ItemCounts, max_unread: float) -> Grounded | None:
    """The cases with a contrast of all shards."""
    first = shares[0]
    of_sure = [share.grounded for share in shares if share.grounded]
    of_presumed = [each.presumed for each in of_sure if each.presumed]
    # A shard may have no contrast of the item, and then it has no gate.
    gates = [each.gate for each in (*of_sure, *of_presumed) if each.gate]
    for each in gates:
        _check_known(each, GateKind.GROUNDED_RATE, first)
    if len(demands := sorted({describe_demand(each) for each in gates})) > 1:
        raise DataError(
            f"Expected shards of one run, but the grounded gate of {describe_item(first)} is {' and '.join(demands)}: "
            f"{_SAME}"
        )
    held = next(iter(gates), None)
    before = [share.change for share in shares if share.change]
    is_bare = bool(of_presumed) and not any(each.gate for each in of_presumed)  # only a pattern gates presumed cases
    sure, presumed = (
        GroundedCounts(
            reduce(add, (each.cells for each in found), GroundedCells()),
            reduce(add, (each.chance for each in found), Figure()),
            spread.clusters,
            spread.paired,
        )
        for found, spread in ((of_sure, cases.grounded), (of_presumed, cases.presumed_grounded))
    )
    return grounded_result(
        first.item,
        first.tags,
        sure,
        presumed,
        # A bare "*" does not gate presumed cases, an item's own name does.
        (Threshold(pattern="*" if is_bare else first.item, rate=held.threshold),) if held else (),
        GateOn(held.on) if held else GateOn.POINT,
        # The unread cases of the gate: of the ordinary stratum, or of the presumed one where it is all.
        tally=reduce(add, (share.tally for share in shares))
        if any(share.tally.cases for share in shares)
        else sum((share.presumed.tally for share in shares if share.presumed), Tally()),
        max_unread=max_unread,
        # A directional relation is its own contrast: its change is that of the pass rate.
        version_before=None if first.directional or not before else before[0].version_before,
    )


def _stratum(
    relation: RelationResult,
    shares: Sequence[StratumResult],
    counts: StratumCounts,
    tags: Sequence[str],
    max_unread: float,
    *,
    is_blessed: bool,
) -> StratumResult:
    """One stratum of all shards."""
    tally = reduce(add, (share.tally for share in shares))
    within = pass_rate_interval(counts.clusters)
    # Without a baseline no line has a verdict before, and there is no change to count.
    paired = counts.paired if is_blessed else None
    return StratumResult(
        tally=tally,
        breakdown=_breakdown(share.breakdown for share in shares),
        readings=counts.readings,
        readings_sample=counts.readings_sample,
        interval=within,
        gate=_gate(
            relation, next((share.gate for share in shares if share.gate), None), tags, tally, within, max_unread
        ),
        pairs=_pairs(share.pairs for share in shares),
        figures=reduce(add_figures, (share.figures for share in shares)),
        clusters=counts.clusters,
        unread=reduce(add_unread, (share.unread for share in shares)),
        repeated=_sum(share.repeated for share in shares),
        graded=_sum(share.graded for share in shares),
        unknown_words=reduce(add, (Counter(share.unknown_words) for share in shares), Counter[str]()),
        paired=paired,
        change=_change(paired, [share.change for share in shares if share.change]),
    )


def _sum(shares: Iterable[Counted | None]) -> Counted | None:
    counted = [share for share in shares if share is not None]
    return reduce(add, counted) if counted else None


def _change(paired: PairedClusters | None, shares: Sequence[BaselineChange]) -> BaselineChange | None:
    """The change of an item over all shards, before Holm's correction."""
    if paired is None or not shares:
        return None
    # Of the shared cases, as those that were answered then alone are not in the files.
    unread = [(share.unread_before, share.paired.shared) for share in shares if share.unread_before is not None]
    shared = sum(cases for _, cases in unread)
    return change_of(
        paired,
        version_before=shares[0].version_before,
        other_judgement=sum(share.other_judgement for share in shares),
        unread_before=sum(rate * cases for rate, cases in unread) / shared if shared else None,
    )


def _pairs(shares: Iterable[Pairs | None]) -> Pairs | None:
    fed = [share for share in shares if share is not None]
    return reduce(add, fed) if fed else None


def _breakdown(shares: Iterable[Mapping[str, Mapping[str, Tally]]]) -> dict[str, dict[str, Tally]]:
    total: dict[str, dict[str, Tally]] = {}
    for share in shares:
        for fact, values in share.items():
            for value, tally in values.items():
                here = total.setdefault(fact, {})
                here[value] = here.get(value, Tally()) + tally
    return total


def _gate(
    relation: RelationResult,
    held: Gate | None,
    tags: Sequence[str],
    tally: Tally,
    within: tuple[float, float],
    max_unread: float,
) -> Gate | None:
    """The gate of the shards, applied to all cases."""
    if held is None:
        return None
    _check_known(held, GateKind.PASS_RATE, relation)
    threshold = Threshold(pattern=relation.item, rate=held.threshold)
    return gate(relation.item, tags, tally, within, (threshold,), GateOn(held.on), max_unread)


def _check_known(held: Gate, kind: GateKind, relation: RelationResult) -> None:
    if held.kind != kind or held.on not in tuple(GateOn):
        raise DataError(
            f"Expected a gate that this version knows, but got {describe_demand(held)} of {describe_item(relation)}: "
            "merge with the version of pytest-vqamt that wrote the reports"
        )


def check_one_run(parts: Mapping[str, Report]) -> None:
    """Checks that ``parts``, by name, are all shards of one run.

    Raises:
        DataError: they are not all shards of one run, each once.
    """
    _check_all_there(parts)
    (first_name, first), *others = parts.items()
    for name, other in others:
        _check_same_run(first_name, first, name, other)
    _check_same_drops(parts)


def _check_same_drops(parts: Mapping[str, Report]) -> None:
    found: dict[str, Drops] = {}
    for name, report in parts.items():
        if report.baseline and report.baseline.max_drop not in found.values():
            found[name] = report.baseline.max_drop
    if len(found) > 1:
        listed = " and ".join(f"{describe_drops(drops)} in {name}" for name, drops in found.items())
        raise DataError(f"Expected shards of one run, but the drop that is allowed is {listed}: {_SAME}")


def describe_item(relation: RelationResult) -> str:
    """The item with its model and its data, for messages."""
    return f"{relation.item} for {relation.model.name} on {relation.data.name}"


def describe_demand(gate: Gate | None) -> str:
    """The requirement of a gate, for messages."""
    return f"{gate.kind} {gate.threshold:g} by {gate.on}" if gate else "none"


def _check_all_there(parts: Mapping[str, Report]) -> None:
    held = ", ".join(f"{report.shard} in {name}" for name, report in parts.items())
    numbers = Counter(report.shard for report in parts.values())
    totals = {shard.partition("/")[2] for shard in numbers}
    if len(totals) != 1 or not all(re.fullmatch(r"\d{1,6}/\d{1,6}", shard, re.ASCII) for shard in numbers):
        raise DataError(f"Expected shards of one run, but got shards {held}")
    (total,) = totals
    wanted = [f"{number}/{total}" for number in range(1, int(total) + 1)]
    missing = [shard for shard in wanted if shard not in numbers]
    if missing or numbers.total() > len(wanted):
        listed = f"; missing: {', '.join(missing)}" if missing else ""
        raise DataError(f"Expected each of {total} shards once, but got shards {held}{listed}")


def _check_same_run(first_name: str, first: Report, name: str, other: Report) -> None:
    ours, theirs = _identity(first), _identity(other)
    for what in dict.fromkeys((*ours, *theirs)):
        if ours.get(what) != theirs.get(what):
            raise DataError(
                f"Expected shards of one run, but {what} is {ours.get(what, 'absent')} in {first_name} and "
                f"{theirs.get(what, 'absent')} in {name}: {_SAME}"
            )


def _identity(report: Report) -> dict[str, str]:
    """The values that must be equal in all shards, by their names in messages."""
    return {
        "vqamt_version": report.vqamt_version,
        "seed": str(report.seed),
        "sampler": report.sampler,
        "max_cases": str(report.max_cases),
        "the share of contrasts": str(report.contrast),
        "the number of repeats": str(report.repeats),
        "the share that may be unread": str(report.max_unread),
        "the share that may end in an error": str(report.max_error_rate),
        "--vqamt-undecided": report.undecided.value,
        **{f"the setting {name}": value for name, value in report.settings},
        **({"the digest of the baseline": report.baseline.digest} if report.baseline else {}),
        **{f"the waiver of case {case_id}": reason for case_id, reason in report.waived},
        **{f"the last day of the waiver of case {case_id}": day for case_id, day in report.expired_waivers},
        **{f"the fingerprint of model {model.name!r}": model.fingerprint for model in report.models},
        **{f"the digest of data {data.name!r}": data.digest for data in report.data},
        **{f"the version of {describe_item(relation)}": str(relation.version) for relation in report.relations},
        **{
            f"the {what} of {describe_item(relation)}": which
            for relation in report.relations
            for what, which in relation.resources
        },
        **{f"the gate of {describe_item(relation)}": describe_demand(relation.gate) for relation in report.relations},
        **{f"the place of {describe_item(each)}": str(place) for place, each in enumerate(report.relations, start=1)},
    }


class StratumCounts(NamedTuple):
    """The cases of one stratum of an item: outcomes by scene, and readings of the answers."""

    clusters: Clusters
    """Judged cases by scene."""
    paired: PairedClusters
    """Judged cases by scene, with their outcomes in the baseline."""
    readings: Counter[str]
    """How often each answer was given."""
    readings_sample: int | None
    """The number of cases whose answers are counted; None if all are."""


class SceneCounts(NamedTuple):
    """Cases with a contrast by scene; grounded ones hold."""

    clusters: Clusters = Clusters()
    """By scene."""
    paired: PairedClusters = PairedClusters()
    """By scene, with the outcomes in the baseline."""


class ItemCounts(NamedTuple):
    """The counts of an item over all shards."""

    ordinary: StratumCounts
    """Of the ordinary cases."""
    presumed: StratumCounts
    """Of the presumed cases."""
    judged: JudgedCases | None
    """The judged cases, to compare models or runs; otherwise None."""
    right: JudgedCases | None = None
    """The answers to questions that come with answers; None likewise."""
    grounded: SceneCounts = SceneCounts()
    """The cases with a sure contrast."""
    presumed_grounded: SceneCounts = SceneCounts()
    """The cases with a presumed contrast."""


@dataclass(slots=True)
class _StratumCounter:
    spread: SceneCounter = field(default_factory=SceneCounter)
    """Outcomes by scene."""
    readings: ReadingCounter = field(default_factory=ReadingCounter)
    """Of the answers."""

    @property
    def counted(self) -> StratumCounts:
        return StratumCounts(self.spread.clusters, self.spread.paired, self.readings.counted, self.readings.sample)


@dataclass(slots=True)
class _ItemCounter:
    judged: JudgedCases | None
    """None where neither models nor runs are compared."""
    right: JudgedCases | None
    """Answers to questions that come with answers; None likewise."""
    is_directional: bool
    """True if each case is its own contrast."""
    ordinary: _StratumCounter = field(default_factory=_StratumCounter)
    """Of cases that are not presumed."""
    presumed: _StratumCounter = field(default_factory=_StratumCounter)
    """Of presumed cases."""
    grounded: SceneCounter = field(default_factory=SceneCounter)
    """Cases with a sure contrast."""
    presumed_grounded: SceneCounter = field(default_factory=SceneCounter)
    """Cases with a presumed contrast."""

    @property
    def merged(self) -> ItemCounts:
        return ItemCounts(
            self.ordinary.counted,
            self.presumed.counted,
            self.judged,
            self.right,
            *(SceneCounts(each.clusters, each.paired) for each in (self.grounded, self.presumed_grounded)),
        )


def merge_cases(parts: Mapping[Path, Report], cases: Path, name: str) -> tuple[ItemCounts, ...]:
    """Merges the cases of the folders into the new file ``cases``, and counts them for each item.

    One line of each shard is in memory at a time, and with several models or a baseline 17 bytes of each case.

    Raises:
        DataError: the cases of a folder do not match its report.
        OSError: the file cannot be written.
    """
    merged: list[ItemCounts] = []
    first = next(iter(parts.values()))
    with ExitStack() as closing:
        joined = closing.enter_context(create_cases(cases, name))
        shards = {folder: closing.enter_context(open_cases(find_cases_file(folder))) for folder in parts}
        for position in range(len(first.relations)):
            shares = [
                item_lines(lines, ItemCount.of(parts[folder].relations[position]), str(lines.name))
                for folder, lines in shards.items()
            ]
            is_directional = first.contrast > 0 and first.relations[position].directional
            keeps_judged = len(first.models) > 1 or first.baseline is not None
            judged, right = (JudgedCases() if keeps_judged else None for _ in range(2))
            item = _ItemCounter(judged, right, is_directional)
            # The lines of each shard are sorted by case id, and so are those merged.
            joined.writelines(_each_once(heapq.merge(*shares), item))
            merged.append(item.merged)
        # A file with more lines than its report counts is of another run.
        for lines in shards.values():
            check_ended(lines, str(lines.name))
    return tuple(merged)


def _each_once(lines: Iterator[CaseLine], item: _ItemCounter) -> Iterator[bytes]:
    before = ""
    for line in lines:
        if line.case_id == before:
            raise DataError(f"Expected each case in one shard, but got case_id={line.case_id!r} in two")
        before = line.case_id
        _count(line.case_id, line.row, item)
        if item.right is not None and (answer := line.right_answer):
            item.right.add_right(answer.question, str(line.row["scene"]), right=answer.right, before=answer.before)
        yield line.text


def _count(case_id: str, row: Row, item: _ItemCounter) -> None:
    if row.get("waived"):
        return
    scene, outcome, before = str(row["scene"]), Outcome(str(row["verdict"])), row.get("before")
    presumed = "presumed" in cast("list[str]", row.get("tags") or [])
    cases = item.presumed if presumed else item.ordinary
    earlier = Outcome(str(before)) if before else None
    cases.spread.add(scene, outcome, earlier)
    cases.readings.add(case_id, cast("list[str]", row.get("readings") or []))
    _count_grounded(row, item, presumed=presumed)
    if item.judged is not None:
        item.judged.add(case_id, scene, outcome, presumed=presumed, before=earlier)


def _count_grounded(row: Row, item: _ItemCounter, *, presumed: bool) -> None:
    contrast = cast("Row | None", row.get("contrast")) or {}
    if item.is_directional:
        # Grounded if the case holds.
        contrast = {"verdict": row["verdict"], **({"before": row["before"]} if row.get("before") else {})}
    if "verdict" not in contrast:
        return
    verdict = Verdict(
        outcome=Outcome(str(row["verdict"])),
        # Only the outcome counts here; the answer is a placeholder.
        contrast=ContrastVerdict(answer=Failure(reason=""), outcome=Outcome(str(contrast["verdict"]))),
    )
    counter = item.presumed_grounded if presumed or contrast.get("presumed") else item.grounded
    before = contrast.get("before")
    counter.add(str(row["scene"]), verdict.grounded, Outcome(str(before)) if before else None)
