"""``audit.json``: the judgements of a report's cases, beside the report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from pytest_vqamt.core.atomic_write import replace_text
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.input_files import describe_broken, parse_json, read_text
from pytest_vqamt.core.report_json import REPORT_FILE as REPORT
from pytest_vqamt.core.results import Report
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.audit.judgements import Agreement, AuditFigures, ValidRate
from pytest_vqamt.reporting.audit.sample import AuditTarget, Sample
from pytest_vqamt.reporting.view.format import ViewTable, aligned_table, format_interval, format_rate, text_table

AUDIT_FILE = "audit.json"
AUDIT_SCHEMA = 1
"""Raised when a field is renamed or removed."""

Row = dict[str, Json]

_RATE = {AuditTarget.VIOLATIONS: "precision", AuditTarget.ALL: "vtr"}
"""The name of the share of valid cases."""

RATES = {AuditTarget.VIOLATIONS: "precision", AuditTarget.ALL: "valid tests rate (VTR)"}
_HEAD = ("relation", "of", "judged", "valid", "invalid", "unsure", "rate", "95 % interval")

_OF = {
    "violations": ("precision", "precision", "a sample of the violations: precision is the share of valid ones"),
    "all": ("vtr", "VTR", "a sample of all cases: VTR is the share of valid tests"),
}

_Judged = Mapping[str, Json]


def audit_row(
    report: Report,
    sample: Sample,
    whole: AuditFigures,
    by_item: dict[str, AuditFigures],
    agreements: Sequence[Agreement],
    sheets: Sequence[Path],
) -> Row:
    """One audit."""
    of = sample.draw.of
    return {
        "of": of.value,
        "sheet": ", ".join(sheet.name for sheet in sheets),
        "drawn_from": sample.words,
        "run_started": report.started,
        **_figures_row(of, whole),
        "not_judged_items": list(whole.unseen),
        "by_item": {item: _figures_row(of, each) for item, each in by_item.items()},
        "agreement": [
            {"sheets": [each.first, each.second], "shared": each.shared, "same": each.same, "kappa": each.kappa}
            for each in agreements
        ],
    }


def write_audit(folder: Path, audit: Row) -> None:
    """Writes ``audit`` into ``folder``, and keeps an audit of the same run with another target.

    The top level has the audit that was read last, with the rate of the other one.

    Raises:
        DataError: the present file cannot be read.
        VqamtError: the folder cannot be written to.
    """
    before = _read(folder)
    # Judgements of another run are of other cases, even in the same folder.
    audits = {**(_of_run(before, audit["run_started"]) if before else {}), str(audit["of"]): audit}
    rates = {
        name: audits[of][name] if of in audits else None
        for of, rate in _RATE.items()
        for name in (rate, f"{rate}_interval")
    }
    row: Row = {"schema": AUDIT_SCHEMA, **audit, **rates, "audits": dict(audits)}
    replace_text(folder / AUDIT_FILE, json.dumps(row, ensure_ascii=False, indent=1) + "\n")


def read_audit(folder: Path) -> Row | None:
    """The audits of the report in ``folder``; None without a file.

    Audits of an earlier run in this folder are left out, and named in ``earlier``.

    Raises:
        DataError: it cannot be read.
    """
    row = _read(folder)
    if row is None:
        return None
    audits = cast("dict[str, Row]", row["audits"])
    try:
        ours = _of_run(row, _started(folder))
        found: Row = {**row, "audits": dict(ours), "earlier": [of for of in audits if of not in ours]}
        # Laid out once, so that a broken file is found here and not while pages are written.
        audit_tables(found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"Expected what `vqamt audit --read` wrote, but got {str(folder / AUDIT_FILE)!r} "
            f"({type(error).__name__}: {error}): delete it and read the sheets again"
        ) from error
    return found


def _read(folder: Path) -> Row | None:
    file = folder / AUDIT_FILE
    try:
        row: Json = cast("Json", parse_json(read_text(file)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise DataError(
            f"Expected what `vqamt audit --read` wrote, but got {str(file)!r} ({describe_broken(error)}): delete it "
            "and read the sheets again"
        ) from error
    if not isinstance(row, dict) or row.get("schema") != AUDIT_SCHEMA or not isinstance(row.get("audits"), dict):
        raise DataError(
            f"Expected audits of schema {AUDIT_SCHEMA}, but got {str(file)!r}: delete it and read the sheets again"
        )
    return row


def _of_run(row: Row, started: Json) -> dict[str, Row]:
    """The audits of the run that began at ``started``."""
    audits = cast("dict[str, Row]", row["audits"])
    return {of: audit for of, audit in audits.items() if audit.get("run_started") == started}


def _started(folder: Path) -> Json:
    file = folder / REPORT
    try:
        row: Json = cast("Json", parse_json(read_text(file)))
    except (OSError, ValueError) as error:
        raise DataError(
            f"Expected a report beside {AUDIT_FILE}, but got {str(file)!r} ({describe_broken(error)}): copy it anew, "
            "or run the tests again"
        ) from error
    return row.get("started") if isinstance(row, dict) else None


def _figures_row(of: AuditTarget, figures: AuditFigures) -> Row:
    rates: Row = {}
    for each, rate in _RATE.items():
        mine = each is of
        rates[rate] = figures.share.rate if mine else None
        rates[f"{rate}_interval"] = list(figures.share.interval) if mine else None
    return {
        "population": figures.population,
        "drawn": figures.drawn,
        "judged": figures.judged,
        "valid": figures.valid,
        "invalid": figures.invalid,
        "unsure": figures.unsure,
        **rates,
        "without_unsure": figures.decided.rate,
        "without_unsure_interval": list(figures.decided.interval),
    }


def audit_lines(
    of: AuditTarget, whole: AuditFigures, by_item: Mapping[str, AuditFigures], agreements: Sequence[Agreement]
) -> Iterator[str]:
    """The figures of all cases and of each item, and the agreement of the judges, as lines."""
    yield (
        f"{whole.drawn} of {describe_population(of, whole.population)} drawn, {whole.judged} judged: "
        f"{whole.valid} valid, {whole.invalid} invalid, {whole.unsure} unsure"
    )
    yield f"{RATES[of]}: {describe_valid_rate(whole.share)}"
    if whole.unsure:
        yield f"without the unsure ones: {describe_valid_rate(whole.decided)}"
    if whole.unseen:
        yield f"no case is judged of {', '.join(whole.unseen)}: the rate is without them"
    yield ""
    yield from aligned_table([_HEAD, *(_row(item, figures) for item, figures in by_item.items())])
    for each in agreements:
        kappa = "no kappa" if each.kappa is None else f"Cohen's kappa {each.kappa:z.3f}"
        yield ""
        yield f"{each.first} and {each.second} agree on {each.same} of {count_noun(each.shared, 'case')}: {kappa}"


def describe_population(of: AuditTarget, number: int) -> str:
    """The number of violations or cases that a sample was drawn from."""
    return count_noun(number, "violation" if of is AuditTarget.VIOLATIONS else "case")


def describe_valid_rate(share: ValidRate) -> str:
    """The rate with its interval."""
    if share.rate is None:
        return "nothing is judged"
    return f"{format_rate(share.rate)} (95 % interval {format_interval(share.interval)})"


def _row(item: str, figures: AuditFigures) -> tuple[str, ...]:
    share = figures.share
    return (
        item,
        str(figures.population),
        str(figures.judged),
        str(figures.valid),
        str(figures.invalid),
        str(figures.unsure),
        format_rate(share.rate),
        "-" if share.rate is None else format_interval(share.interval),
    )


def audit_tables(audit: _Judged) -> tuple[ViewTable, ...]:
    """A table for each judged sample of this run."""
    audits = cast("Mapping[str, _Judged]", audit.get("audits", {str(audit.get("of")): audit}))
    return tuple(map(audit_table, audits.values()))


def earlier_audit(audit: _Judged) -> str:
    """A note if judgements of an earlier run are left out, otherwise ""."""
    if not audit.get("earlier"):
        return ""
    return (
        "Judgements of an earlier run in this folder are not shown. If the cases are the same, "
        "`vqamt audit DIR --read FILE.csv` reads a sheet again."
    )


def audit_table(audit: _Judged) -> ViewTable:
    """The figures of one audit, of all cases and of each item."""
    figure, name, what = _OF[str(audit["of"])]
    items = cast("dict[str, _Judged]", audit["by_item"])
    head = ("relation", "judged", "valid", "invalid", "unsure", name, "95 % interval")
    rows = [tuple(_cells(item, judged, figure)) for item, judged in (("all together", audit), *items.items())]
    return text_table([head, *rows], caption=f"Judged by people, {what}", notes=tuple(_notes(audit)))


def _cells(name: str, judged: _Judged, figure: str) -> Iterator[str]:
    yield name
    for count in ("judged", "valid", "invalid", "unsure"):
        yield str(judged[count])
    value = cast("float | None", judged.get(figure))
    yield format_rate(value)
    yield "-" if value is None else _span(judged[f"{figure}_interval"])


def _notes(audit: _Judged) -> Iterator[str]:
    if audit.get("sheet"):
        yield f"Judged on {audit['sheet']}."
    without = cast("float | None", audit.get("without_unsure"))
    if audit["unsure"] and without is not None:
        yield f"Without the unsure ones: {format_rate(without)} ({_span(audit['without_unsure_interval'])})."
    unseen = cast("list[str]", audit.get("not_judged_items") or [])
    if unseen:
        yield f"No case is judged of {', '.join(unseen)}: the rate is without them."
    for each in cast("list[_Judged]", audit.get("agreement") or []):
        first, second = cast("list[str]", each["sheets"])
        kappa = cast("float | None", each["kappa"])
        yield (
            f"{first} and {second} agree on {each['same']} of {count_noun(cast('int', each['shared']), 'case')}"
            f"{'' if kappa is None else f', Cohen kappa {kappa:z.3f}'}."
        )


def _span(interval: Json) -> str:
    low, high = cast("list[float]", interval)
    return format_interval((low, high))
