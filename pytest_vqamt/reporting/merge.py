"""The reports of shards put together: counts are added up, all else must be equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path

from pytest_vqamt.core.clusters import Spread
from pytest_vqamt.core.counts import Tally
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.figures import together
from pytest_vqamt.core.gate import Gate
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.reports import added
from pytest_vqamt.core.results import ModelUse, Presumed, RelationResult, Report
from pytest_vqamt.reporting.json_file import write_report
from pytest_vqamt.reporting.merge_cases import Spreads, merge_cases
from pytest_vqamt.reporting.read_report import read_report
from pytest_vqamt.stats.coverage import coverage
from pytest_vqamt.stats.gates import GateOn, Threshold, gate
from pytest_vqamt.stats.intervals import interval
from pytest_vqamt.stats.summaries import summaries


def merge_folders(folders: Sequence[Path], out: Path) -> Report:
    """Writes into ``out`` what one run without ``--vqamt-shard`` would have written, and returns its report.

    Times are of the shards, and so are the counts of queries asked and cached: shards that share a query ask it each.

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
    spreads = merge_cases({Path(name): part for name, part in parts.items()}, out)
    report = merged(parts, spreads)
    write_report(report, out)
    return report


def check_one_run(parts: Mapping[str, Report]) -> None:
    """Whether ``parts`` are the shards of one run; their names are for messages.

    Raises:
        DataError: they are not all shards of one run, each once.
    """
    _check_all_there(parts)
    (first_name, first), *others = parts.items()
    for name, other in others:
        _check_same_run(first_name, first, name, other)


def merged(parts: Mapping[str, Report], spreads: Sequence[Spreads]) -> Report:
    """The report of the run whose shards are ``parts``; ``spreads`` are its cases by scene, for each item."""
    reports = tuple(parts.values())
    first = reports[0]
    shares = zip(*(report.relations for report in reports), strict=True)
    relations = tuple(_relation(share, spread) for share, spread in zip(shares, spreads, strict=True))
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
    )


def _check_all_there(parts: Mapping[str, Report]) -> None:
    held = ", ".join(f"{report.shard} in {name}" for name, report in parts.items())
    numbers = Counter(report.shard for report in parts.values())
    totals = {shard.partition("/")[2] for shard in numbers}
    if len(totals) != 1:
        raise DataError(f"Expected shards of one run, but got shards {held}")
    (total,) = totals
    wanted = [f"{number}/{total}" for number in range(1, int(total) + 1)]
    missing = [shard for shard in wanted if shard not in numbers]
    if missing or numbers.total() > len(wanted):
        told = f"; missing: {', '.join(missing)}" if missing else ""
        raise DataError(f"Expected each of {total} shards once, but got shards {held}{told}")


def _check_same_run(first_name: str, first: Report, name: str, other: Report) -> None:
    ours, theirs = _identity(first), _identity(other)
    for what in dict.fromkeys((*ours, *theirs)):
        if ours.get(what) != theirs.get(what):
            raise DataError(
                f"Expected shards of one run, but {what} is {ours.get(what, 'absent')} in {first_name} and "
                f"{theirs.get(what, 'absent')} in {name}: run the shards with the same options, data and model"
            )


def _identity(report: Report) -> dict[str, str]:
    """What must be equal in all shards of a run, by what a message calls it."""
    return {
        "vqamt_version": report.vqamt_version,
        "seed": str(report.seed),
        "sampler": report.sampler,
        "max_cases": str(report.max_cases),
        **{f"the setting {name}": value for name, value in report.settings},
        **{f"the fingerprint of model {model.name!r}": model.fingerprint for model in report.models},
        **{f"the digest of data {data.spec!r}": data.digest for data in report.data},
        **{f"the version of {_name(relation)}": str(relation.version) for relation in report.relations},
        **{
            f"the {what} of {_name(relation)}": which
            for relation in report.relations
            for what, which in relation.resources
        },
        **{f"the gate of {_name(relation)}": _demand(relation.gate) for relation in report.relations},
        **{f"the place of {_name(relation)}": str(place) for place, relation in enumerate(report.relations, start=1)},
    }


def _name(relation: RelationResult) -> str:
    return f"{relation.item} for {relation.model.name} on {relation.data.spec}"


def _demand(gate: Gate | None) -> str:
    return f"{gate.kind} {gate.threshold:g} by {gate.on}" if gate else "none"


def _model(uses: Sequence[ModelUse]) -> ModelUse:
    return replace(
        uses[0],
        queries_asked=sum(use.queries_asked for use in uses),
        queries_cached=sum(use.queries_cached for use in uses),
        usage=reduce(added, (use.usage for use in uses)),
    )


def _relation(shares: Sequence[RelationResult], spreads: Spreads) -> RelationResult:
    first = shares[0]
    clusters = spreads.ordinary.clusters
    within = interval(clusters)
    tally = reduce(add, (share.tally for share in shares))
    not_applicable: Counter[str] = Counter()
    for share in shares:
        not_applicable.update(share.not_applicable)
    presumed = _presumed(first, [share.presumed for share in shares if share.presumed], spreads.presumed)
    return replace(
        first,
        tally=tally,
        scenes_not_applicable=not_applicable.total(),
        not_applicable=dict(not_applicable),
        breakdown=_breakdown(share.breakdown for share in shares),
        readings=reduce(add, (share.readings for share in shares)),
        interval=within,
        gate=None if presumed and not tally.cases else _gate(first, first.gate, first.tags, tally, within),
        presumed=presumed,
        pairs=_pairs(share.pairs for share in shares),
        figures=reduce(together, (share.figures for share in shares)),
        clusters=clusters,
    )


def _presumed(relation: RelationResult, shares: Sequence[Presumed], spread: Spread) -> Presumed | None:
    """The presumed cases of all shards; a shard may have none."""
    if not shares:
        return None
    tally = reduce(add, (share.tally for share in shares))
    clusters = spread.clusters
    within = interval(clusters)
    return Presumed(
        tally=tally,
        breakdown=_breakdown(share.breakdown for share in shares),
        readings=reduce(add, (share.readings for share in shares)),
        interval=within,
        gate=_gate(relation, shares[0].gate, (*relation.tags, "presumed"), tally, within),
        pairs=_pairs(share.pairs for share in shares),
        figures=reduce(together, (share.figures for share in shares)),
        clusters=clusters,
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
    relation: RelationResult, held: Gate | None, tags: Sequence[str], tally: Tally, within: tuple[float, float]
) -> Gate | None:
    """The demand that the shards were held to, held against all cases."""
    if held is None:
        return None
    if held.kind != "fail-under" or held.on not in tuple(GateOn):
        raise DataError(
            f"Expected a gate that this version knows, but got {_demand(held)} of {_name(relation)}: "
            "merge with the version of pytest-vqamt that wrote the reports"
        )
    threshold = Threshold(pattern=relation.item, rate=held.threshold)
    return gate(relation.item, tags, tally, within, (threshold,), GateOn(held.on))
