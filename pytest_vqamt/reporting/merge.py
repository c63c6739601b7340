"""The reports of shards put together: counts are added up, all else must be equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path

from pytest_vqamt.core.case import together
from pytest_vqamt.core.case_store import cases_in
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.results import BaselineUse, Change, Gate, ModelUse, Presumed, RelationResult, Report, models_used
from pytest_vqamt.core.tallies import PairedClusters, Tally
from pytest_vqamt.reporting import cases as cases_file
from pytest_vqamt.reporting import json_file
from pytest_vqamt.reporting.atomic_write import Beside
from pytest_vqamt.reporting.merge_cases import MergedCases, merge_cases
from pytest_vqamt.reporting.one_run import check_one_run, demand_in_words, item_in_words, max_drop
from pytest_vqamt.reporting.read_report import read_report
from pytest_vqamt.stats.gates import GateOn, Threshold, gate, held_against_baseline
from pytest_vqamt.stats.intervals import interval
from pytest_vqamt.stats.model_ranking import differences, rankings
from pytest_vqamt.stats.paired import change
from pytest_vqamt.stats.papers import coverage, summaries


def merge_folders(folders: Sequence[Path], out: Path) -> Report:
    """Writes into ``out`` what one run without ``--vqamt-shard`` would have written, and returns its report.

    Of the files that people read there are none yet: ``reporting.files.write_pages`` makes them of these two. Times are
    of the shards, and so are the counts of queries asked and cached: shards that share a query ask it each.

    Raises:
        DataError: a folder holds no whole report, or the folders do not hold all shards of one run, each once.
        VqamtError: ``out`` is one of the folders, or cannot be written to.
    """
    if out.resolve() in [folder.resolve() for folder in folders]:
        raise VqamtError(f"Expected a folder for the merged report that is none of the shards', but got {str(out)!r}")
    parts = {str(folder): read_report(folder) for folder in folders}
    if len(parts) < len(folders):
        raise DataError(f"Expected each folder once, but got {', '.join(map(str, folders))}")
    check_one_run(parts)
    try:
        out.mkdir(parents=True, exist_ok=True)
        with Beside(out / cases_in(folders[0]).name) as all_cases, Beside(out / json_file.FILE) as counts:
            of_items = merge_cases({Path(name): part for name, part in parts.items()}, all_cases)
            report = merged(parts, of_items)
            counts.path.write_text(json_file.report_text(report), encoding="utf-8")
            cases_file.remove_report(out)
            all_cases.put()
            counts.put()
    except OSError as error:
        raise VqamtError(f"Expected a folder that can be written to, but got {str(out)!r}: {error}") from error
    return report


def merged(parts: Mapping[str, Report], of_items: Sequence[MergedCases]) -> Report:
    """The report of the run whose shards are ``parts``; ``of_items`` are the cases of each of its items."""
    reports = tuple(parts.values())
    first = reports[0]
    shares = zip(*(report.relations for report in reports), strict=True)
    relations = tuple(_relation(share, cases) for share, cases in zip(shares, of_items, strict=True))
    if (drop := max_drop(parts)) is not None:
        relations = held_against_baseline(relations, drop)
    return replace(
        first,
        shard="1/1",
        started=min(report.started for report in reports),
        duration_s=max(report.duration_s for report in reports),
        complete=all(report.complete for report in reports),
        models=tuple(map(_model, zip(*(report.models for report in reports), strict=True))),
        relations=relations,
        coverage=coverage(relations),
        summaries=summaries(relations),
        baseline=_baseline([report.baseline for report in reports if report.baseline], relations),
        ranking=rankings(relations),
        differences=differences(relations),
    )


def _baseline(uses: Sequence[BaselineUse], relations: Sequence[RelationResult]) -> BaselineUse | None:
    """What all shards were held against; missing is what none has run, new what was not blessed."""
    if not uses:
        return None
    first = uses[0]
    return replace(
        first,
        missing=tuple(item for item in first.missing if all(item in use.missing for use in uses)),
        new=tuple(
            f"{result.item}-{result.model.name}-{result.data.spec}"
            for result in relations
            if result.all_cases and result.change is None
        ),
    )


def _model(uses: Sequence[ModelUse]) -> ModelUse:
    (together,) = models_used(uses)
    return together


def _relation(shares: Sequence[RelationResult], cases: MergedCases) -> RelationResult:
    first = shares[0]
    clusters = cases.ordinary.clusters
    within = interval(clusters)
    tally = reduce(add, (share.tally for share in shares))
    not_applicable: Counter[str] = Counter()
    for share in shares:
        not_applicable.update(share.not_applicable)
    changes = [share.change for share in shares if share.change]
    presumed = _presumed(first, [share.presumed for share in shares if share.presumed], cases, is_blessed=bool(changes))
    paired = cases.ordinary.paired if changes else None
    return replace(
        first,
        tally=tally,
        scenes_not_applicable=not_applicable.total(),
        not_applicable=dict(not_applicable),
        breakdown=_breakdown(share.breakdown for share in shares),
        readings=cases.ordinary.readings,
        readings_sample=cases.ordinary.readings_sample,
        interval=within,
        gate=None if presumed and not tally.cases else _gate(first, first.gate, first.tags, tally, within),
        presumed=presumed,
        pairs=_pairs(share.pairs for share in shares),
        figures=reduce(together, (share.figures for share in shares)),
        clusters=clusters,
        paired=paired,
        change=_change(paired, changes),
        judged=cases.judged,
    )


def _presumed(
    relation: RelationResult, shares: Sequence[Presumed], cases: MergedCases, *, is_blessed: bool
) -> Presumed | None:
    """The presumed cases of all shards; a shard may have none."""
    if not shares:
        return None
    tally = reduce(add, (share.tally for share in shares))
    clusters = cases.presumed.clusters
    within = interval(clusters)
    paired = cases.presumed.paired if is_blessed else None
    return Presumed(
        tally=tally,
        breakdown=_breakdown(share.breakdown for share in shares),
        readings=cases.presumed.readings,
        readings_sample=cases.presumed.readings_sample,
        interval=within,
        gate=_gate(relation, shares[0].gate, (*relation.tags, "presumed"), tally, within),
        pairs=_pairs(share.pairs for share in shares),
        figures=reduce(together, (share.figures for share in shares)),
        clusters=clusters,
        paired=paired,
        change=_change(paired, [share.change for share in shares if share.change]),
    )


def _change(paired: PairedClusters | None, shares: Sequence[Change]) -> Change | None:
    """What became of the cases of all shards since they were blessed; without what needs all items."""
    if paired is None or not shares:
        return None
    otherwise = sum(share.other_judgement for share in shares)
    return change(paired, version_before=shares[0].version_before, other_judgement=otherwise)


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
    relation: RelationResult, held: Gate | None, tags: Sequence[str], tally: Tally, within: tuple[float, float]
) -> Gate | None:
    """The demand that the shards were held to, held against all cases."""
    if held is None:
        return None
    if held.kind != "fail-under" or held.on not in tuple(GateOn):
        raise DataError(
            f"Expected a gate that this version knows, but got {demand_in_words(held)} of {item_in_words(relation)}: "
            "merge with the version of pytest-vqamt that wrote the reports"
        )
    threshold = Threshold(pattern=relation.item, rate=held.threshold)
    return gate(relation.item, tags, tally, within, (threshold,), GateOn(held.on))
