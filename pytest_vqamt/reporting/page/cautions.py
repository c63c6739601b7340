"""What makes the figures of a report less than they seem: said before them, and loudly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import Report
from pytest_vqamt.reporting.page.figures import counted
from pytest_vqamt.reporting.view.lines import Line


def cautions(report: Report, lines: Sequence[Line], left_out: int) -> Iterator[str]:
    """A sentence each; ``left_out`` violations have no card."""
    if not report.complete:
        yield (
            "This report is not complete: an item could not be run, or the run was stopped before its end. What was "
            "not run to its end is missing here."
        )
    if report.shard != "1/1":
        yield (
            f"This is shard {report.shard}: it has a part of the cases alone. `vqamt merge` joins the shards and holds "
            "the whole against the gates."
        )
    errors = sum(line.counted.tally.errors for line in lines)
    if errors:
        cases = sum(line.counted.tally.cases for line in lines)
        yield f"{errors:,} of {counted(cases, 'case')} had no answer (a model or a file failed): no rate counts them."
    bad = sum(len(source.bad_records) for source in report.data)
    if bad:
        yield f"{counted(bad, 'record')} of the data could not be used and {'was' if bad == 1 else 'were'} left out."
    truncated = sum(line.counted.tally.truncated for line in lines)
    if truncated:
        yield f"In {counted(truncated, 'case')} a model read only the beginning of a question."
    if report.baseline is not None:
        yield from _not_compared("in the baseline and not in this run", report.baseline.missing)
        yield from _not_compared("in this run and not in the baseline", report.baseline.new)
    if left_out:
        violations = sum(line.counted.tally.violated + line.counted.tally.unparsed for line in lines)
        yield (
            f"{violations - left_out:,} of {counted(violations, 'violation')} have a card on this page: "
            f"{'first those that broke since the baseline, then ' if report.baseline else ''}of each relation variant "
            "its fair share, those whose case ids come first, which is as good as drawn at random. All figures are "
            "over all cases."
        )


def _not_compared(where: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"{counted(len(items), 'relation variant')} {where}: {', '.join(items)}."
