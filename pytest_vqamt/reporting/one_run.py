"""Whether reports are the shards of one run: what must be equal in all of them, and what a message calls it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.results import Gate, RelationResult, Report


def check_one_run(parts: Mapping[str, Report]) -> None:
    """Whether ``parts`` are the shards of one run; their names are for messages.

    Raises:
        DataError: they are not all shards of one run, each once.
    """
    _check_all_there(parts)
    (first_name, first), *others = parts.items()
    for name, other in others:
        _check_same_run(first_name, first, name, other)
    max_drop(parts)


def max_drop(parts: Mapping[str, Report]) -> float | None:
    """How far the run may drop below its baseline; None where no shard has a case to be held against one.

    Raises:
        DataError: the shards were run with different ones.
    """
    found: dict[float, str] = {}
    for name, report in parts.items():
        for held in (held for result in report.relations for held in result.drop_gates):
            found.setdefault(held.threshold, name)
    if len(found) > 1:
        told = " and ".join(f"{drop:g} in {name}" for drop, name in found.items())
        raise DataError(f"Expected shards of one run, but the drop that is allowed is {told}: {_SAME}")
    return next(iter(found), None)


def item_in_words(relation: RelationResult) -> str:
    """The item, its model and its data."""
    return f"{relation.item} for {relation.model.name} on {relation.data.spec}"


def demand_in_words(gate: Gate | None) -> str:
    """What is demanded, in the words of the report."""
    return f"{gate.kind} {gate.threshold:g} by {gate.on}" if gate else "none"


_SAME = "run the shards with the same options, data and model"


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
                f"{theirs.get(what, 'absent')} in {name}: {_SAME}"
            )


def _identity(report: Report) -> dict[str, str]:
    """What must be equal in all shards of a run, by what a message calls it."""
    return {
        "vqamt_version": report.vqamt_version,
        "seed": str(report.seed),
        "sampler": report.sampler,
        "max_cases": str(report.max_cases),
        **{f"the setting {name}": value for name, value in report.settings},
        **({"the digest of the baseline": report.baseline.digest} if report.baseline else {}),
        **{f"the waiver of case {case_id}": reason for case_id, reason in report.waived},
        **{f"the fingerprint of model {model.name!r}": model.fingerprint for model in report.models},
        **{f"the digest of data {data.spec!r}": data.digest for data in report.data},
        **{f"the version of {item_in_words(relation)}": str(relation.version) for relation in report.relations},
        **{
            f"the {what} of {item_in_words(relation)}": which
            for relation in report.relations
            for what, which in relation.resources
        },
        **{f"the gate of {item_in_words(relation)}": demand_in_words(relation.gate) for relation in report.relations},
        **{f"the place of {item_in_words(each)}": str(place) for place, each in enumerate(report.relations, start=1)},
    }
