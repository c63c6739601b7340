"""What became of a run's items since they were blessed, as a table that a person can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_vqamt.core.results import BaselineUse, Change, Gate, RelationResult, Report
from pytest_vqamt.reporting.text import p_in_words

_BASELINE_HEAD = ("relation", "shared cases", "before", "now", "change", "95 % interval", "p (Holm)", "gate")
_WIDTH = 100


def baseline_lines(report: Report) -> Iterator[str]:
    """A table for each model and data source, and what was blessed or run alone; nothing where there is no baseline."""
    use = report.baseline
    if use is None:
        return
    yield f"against the baseline {use.file}: {', '.join(f'{name} ({mark})' for name, mark in use.models)}"
    for model in report.models:
        for data in report.data:
            results = [r for r in report.relations if (r.model.name, r.data.spec) == (model.name, data.spec)]
            yield from _baseline_block(results)
    yield from _named_alone(use)


def _baseline_block(results: Sequence[RelationResult]) -> Iterator[str]:
    from pytest_vqamt.reporting.text_table import table  # which uses this module

    rows = [row for result in results for row in _baseline_rows(result)]
    if not rows:
        return
    yield ""
    yield f"{results[0].model.name} on {results[0].data.spec}"
    yield ""
    yield from table([_BASELINE_HEAD, *rows])
    remarks = [remark for result in results for remark in _baseline_warnings(result)]
    if remarks:
        yield ""
        yield from remarks


def _baseline_rows(result: RelationResult) -> Iterator[tuple[str, ...]]:
    apart = result.presumed.change if result.presumed else None
    if result.change and (result.change.paired.shared or not apart):
        yield _baseline_row(result.item, result.tags, result.change)
    if apart:
        yield _baseline_row(result.item, (*result.tags, "presumed"), apart)


def _baseline_row(item: str, tags: Sequence[str], change: Change) -> tuple[str, ...]:
    name = f"{item} ({', '.join(tags)})" if tags else item
    before, after, difference = change.paired.before, change.paired.after, change.paired.difference
    if before is None or after is None or difference is None:
        return name, "0", *("-" for _ in _BASELINE_HEAD[2:])
    low, high = change.interval
    return (
        name,
        str(change.paired.shared),
        f"{before:.3f}",
        f"{after:.3f}",
        f"{difference:+.3f}",
        f"{low:+.3f} to {high:+.3f}",
        "-" if change.p_holm is None else p_in_words(change.p_holm),
        _baseline_gate(change.gate),
    )


def _baseline_gate(gate: Gate | None) -> str:
    if gate is None:
        return "-"
    return f"{'met' if gate.met else 'MISSED'}: drop <= {gate.threshold:g}"


def _baseline_warnings(result: RelationResult) -> Iterator[str]:
    changes = [change for change in (result.change, result.presumed and result.presumed.change) if change]
    versions = {change.version_before for change in changes if change.paired.shared} - {result.version}
    for version in sorted(versions):
        yield f"{result.item}: blessed by version {version} of the relation, judged by version {result.version} now"
    other = sum(change.other_judgement for change in changes)
    if other:
        yield (
            f"{result.item}: {other} of the blessed cases {'is' if other == 1 else 'are'} judged otherwise than then, "
            "from the same answers: before and now are both as they are judged now"
        )


def _named_alone(use: BaselineUse) -> Iterator[str]:
    for items, what in (
        (use.missing, "blessed, and not in this run"),
        (use.new, "new in this run, and held against nothing until blessed"),
    ):
        if items:
            yield ""
            yield from wrap(
                f"{len(items)} {'item' if len(items) == 1 else 'items'} {what}: {', '.join(items)}",
                width=_WIDTH,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
