"""What people said of the cases that they judged: the precision of violations, and the rate of valid tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.reporting.page.figures import counted, rate, span
from pytest_vqamt.reporting.page.tables import Table

_OF = {
    "violations": ("precision", "precision", "a sample of the violations: precision is the share of valid ones"),
    "all": ("vtr", "VTR", "a sample of all cases: VTR is the share of valid tests"),
}

_Judged = Mapping[str, Json]


def audit_tables(audit: _Judged) -> tuple[Table, ...]:
    """A table for each kind of sample of this run that was judged."""
    audits = cast("Mapping[str, _Judged]", audit.get("audits", {str(audit.get("of")): audit}))
    return tuple(map(audit_table, audits.values()))


def earlier_audit(audit: _Judged) -> str:
    """What to say where judgements are left out because they are of an earlier run; "" where none are."""
    if not audit.get("earlier"):
        return ""
    return (
        "What people said of an earlier run in this folder is not shown. Where the cases are the same now, "
        "`vqamt audit DIR --read FILE.csv` takes a sheet in again."
    )


def audit_table(audit: _Judged) -> Table:
    """The figures of one audit of ``audit.json``, of all cases together and of each item."""
    figure, name, what = _OF[str(audit["of"])]
    items = cast("dict[str, _Judged]", audit["by_item"])
    return Table(
        caption=f"Judged by people, {what}",
        head=("relation", "judged", "valid", "invalid", "unsure", name, "95 % interval"),
        rows=tuple(tuple(_cells(item, judged, figure)) for item, judged in (("all together", audit), *items.items())),
        notes=tuple(_notes(audit)),
    )


def _cells(name: str, judged: _Judged, figure: str) -> Iterator[str]:
    yield name
    for count in ("judged", "valid", "invalid", "unsure"):
        yield str(judged[count])
    value = cast("float | None", judged.get(figure))
    yield rate(value)
    yield "-" if value is None else _span(judged[f"{figure}_interval"])


def _notes(audit: _Judged) -> Iterator[str]:
    if audit.get("sheet"):
        yield f"Judged on {audit['sheet']}."
    without = cast("float | None", audit.get("without_unsure"))
    if audit["unsure"] and without is not None:
        yield f"Without the unsure ones: {rate(without)} ({_span(audit['without_unsure_interval'])})."
    unseen = cast("list[str]", audit.get("not_judged_items") or [])
    if unseen:
        yield f"No case is judged of {', '.join(unseen)}: the rate is without them."
    for each in cast("list[_Judged]", audit.get("agreement") or []):
        first, second = cast("list[str]", each["sheets"])
        kappa = cast("float | None", each["kappa"])
        yield (
            f"{first} and {second} say the same of {each['same']} of {counted(cast('int', each['shared']), 'case')}"
            f"{'' if kappa is None else f', Cohen kappa {kappa:.3f}'}."
        )


def _span(interval: Json) -> str:
    low, high = cast("list[float]", interval)
    return span((low, high))
