"""The summary at the end of a session, as a table that a person can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import RelationResult, Report
from pytest_vqamt.reporting.wording import violation_in_words

_HEAD = ("relation", "cases", "pass rate", "95 % interval", "vacuous", "unparsed", "errors", "gate")
_DOMINANT = 0.8
"""An answer that makes up this share of all is pointed out: a model that says "0" or "yes" to everything."""

_NOISE = "control"


def summary(report: Report, again: str = "pytest") -> Iterator[str]:
    """The lines of the summary; a command that replays a case begins with ``again``."""
    for model in report.models:
        for data in report.data:
            results = [r for r in report.relations if (r.model.name, r.data.spec) == (model.name, data.spec)]
            if results:
                yield from _block(results, again)
                yield ""
    if not report.complete:
        yield "this report is not complete: an item could not be run, or the session was stopped"
    asked = ", ".join(
        f"{model.name} was asked {model.queries_asked} distinct queries "
        f"({model.queries_cached} more came from the cache)"
        for model in report.models
    )
    if asked:
        yield asked
    if report.shard != "1/1":
        yield f"this is shard {report.shard}: `vqamt merge` joins the shards and holds the whole against the gates"
    elif report.relations and not any(result.gate for result in report.relations):
        yield "no gate was set, so no pass rate can fail the run: set one with --vqamt-fail-under=RATE or GLOB=RATE"


def _block(results: Sequence[RelationResult], again: str) -> Iterator[str]:
    first = results[0]
    yield f"{first.model.name} on {first.data.spec} ({first.data.scenes} scenes)"
    yield ""
    yield from table([_HEAD, *(_row(result) for result in results)])
    yield from _remarks(results)
    for result in results:
        if result.violation and _NOISE not in result.tags and not _told_as_failure(result):
            yield ""
            yield f"{result.item}: {result.claim}"
            yield from violation_in_words(result, result.violation, again)


def _told_as_failure(result: RelationResult) -> bool:
    """Whether the violation stands in the message of a failed item already."""
    return result.gate is not None and not result.gate.met


def _row(result: RelationResult) -> tuple[str, ...]:
    tally = result.tally
    name = f"{result.item} ({', '.join(result.tags)})" if result.tags else result.item
    if not tally.cases:
        return name, "0", "-", "-", "-", "-", "-", "not applicable"
    low, high = result.interval
    rate = "-" if result.pass_rate is None else f"{result.pass_rate:.3f}"
    vacuous = f"{tally.vacuous / tally.judged:.0%}" if tally.judged else "-"
    waived = f" ({tally.waived} waived)" if tally.waived else ""
    interval = f"{low:.3f} to {high:.3f}" if tally.judged else "-"
    return (
        name,
        f"{tally.cases}{waived}",
        rate,
        interval,
        vacuous,
        str(tally.unparsed),
        str(tally.errors),
        _gate(result),
    )


def _gate(result: RelationResult) -> str:
    if result.gate is None:
        return "-"
    sign = ">=" if result.gate.on == "point" else "lower end >="
    return f"{'met' if result.gate.met else 'MISSED'}: {sign} {result.gate.threshold:g}"


def _remarks(results: Sequence[RelationResult]) -> Iterator[str]:
    remarks = [remark for result in results for remark in _remark(result)]
    if remarks:
        yield ""
        yield from remarks


def _remark(result: RelationResult) -> Iterator[str]:
    total = result.readings.total()
    if total:
        reading, times = min(result.readings.items(), key=lambda pair: (-pair[1], pair[0]))
        if times / total >= _DOMINANT:
            yield f"{result.item}: {times / total:.0%} of all answers are {reading!r}"
    if result.error:
        tally = result.tally
        yield f"{result.item}: {tally.errors} of {tally.cases} cases had no answer; the first: {result.error}"


def table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows as aligned lines, the first column to the left, a rule under the head."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  ".join(cells).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)
