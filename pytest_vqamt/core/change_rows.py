"""Changes between two runs as rows of ``report.json``, and back."""

from __future__ import annotations

from typing import cast

from pytest_vqamt.core.changes import BaselineUse, Change
from pytest_vqamt.core.cluster_rows import paired_of, paired_row
from pytest_vqamt.core.clusters import PairedClusters
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.gate_rows import gate_of, gate_row

Row = dict[str, Json]


def change_row(change: Change | None) -> Row | None:
    """The change of an item; None where there is no other run."""
    if change is None:
        return None
    paired = change.paired
    return {
        "shared": paired.shared,
        "kept": paired.kept,
        "lost": paired.lost,
        "won": paired.won,
        "neither": paired.neither,
        "before": paired.before,
        "after": paired.after,
        "difference": paired.difference,
        "interval": list(change.interval),
        "p": change.p,
        "p_holm": change.p_holm,
        "p_two_sided": change.p_two_sided,
        "p_mcnemar": change.p_mcnemar,
        "gate": gate_row(change.gate),
        "version_before": change.version_before,
        "other_judgement": change.other_judgement,
        "clusters": paired_row(paired),
    }


def change_of(row: Json) -> Change | None:
    """The change that ``change_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if row is None:
        return None
    told = cast("Row", row)
    low, high = cast("list[float]", told["interval"])
    p_holm = told["p_holm"]
    return Change(
        paired=paired_of(told["clusters"]) or PairedClusters(),
        interval=(low, high),
        p=float(cast("float", told["p"])),
        p_two_sided=float(cast("float", told["p_two_sided"])),
        p_mcnemar=float(cast("float", told["p_mcnemar"])),
        p_holm=None if p_holm is None else float(cast("float", p_holm)),
        gate=gate_of(told["gate"]),
        version_before=int(cast("int", told["version_before"])),
        other_judgement=int(cast("int", told["other_judgement"])),
    )


def baseline_row(baseline: BaselineUse | None) -> Row | None:
    """What the run was held against; None where it was held against nothing."""
    if baseline is None:
        return None
    return {
        "file": baseline.file,
        "digest": baseline.digest,
        "models": [{"name": name, "fingerprint": fingerprint} for name, fingerprint in baseline.models],
        "missing": list(baseline.missing),
        "new": list(baseline.new),
    }


def baseline_of(row: Json) -> BaselineUse | None:
    """The baseline that ``baseline_row`` was made of.

    Raises:
        KeyError, TypeError: the row is not whole.
    """
    if row is None:
        return None
    told = cast("Row", row)
    return BaselineUse(
        file=str(told["file"]),
        digest=str(told["digest"]),
        models=tuple((str(each["name"]), str(each["fingerprint"])) for each in cast("list[Row]", told["models"])),
        missing=tuple(cast("list[str]", told["missing"])),
        new=tuple(cast("list[str]", told["new"])),
    )
