"""The metrics of pairs as rows of ``report.json``, and back: the rates for readers, the counts for who adds them up."""

from __future__ import annotations

from typing import cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.pairs import PAIR_COUNTS, Pairs, PairTally
from pytest_vqamt.core.results import Coverage, Reference

Row = dict[str, Json]

_FIGURES = ("acc", "acc_original", "acc_perturbed", "cons", "c_acc")


def metrics_row(pairs: Pairs | None, reference: Reference | None) -> Row:
    """``metrics`` of an entry; empty where the relation feeds no pairs. The bits stand in hexadecimal digits."""
    if pairs is None:
        return {}
    return {
        **_tally_row(pairs.tally),
        "reference": {name: getattr(reference, name) for name in _FIGURES} if reference else None,
        "by": {
            fact: {value: _tally_row(tally) for value, tally in sorted(values.items())}
            for fact, values in sorted(pairs.by.items())
        },
        "right": f"{pairs.right:x}",
        "unanswered": f"{pairs.unanswered:x}",
    }


def pairs_of(row: Row) -> Pairs | None:
    """What ``metrics_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    if not row:
        return None
    return Pairs(
        tally=_tally(row),
        by={
            fact: {value: _tally(cast("Row", tally)) for value, tally in values.items()}
            for fact, values in cast("dict[str, Row]", row["by"]).items()
        },
        right=_bits(row["right"]),
        unanswered=_bits(row["unanswered"]),
    )


def reference_of(row: Row) -> Reference | None:
    """The reference in ``metrics``."""
    told = cast("dict[str, float] | None", row.get("reference"))
    return Reference(**{name: told[name] for name in _FIGURES}) if told else None


def coverage_row(coverage: Coverage) -> Row:
    """One entry of ``coverage``."""
    return {
        "test": coverage.test,
        "data": coverage.data,
        "presumed": coverage.presumed,
        "models": list(coverage.models),
        "right": list(coverage.right),
        "shares": [list(row) for row in coverage.shares],
    }


def _tally_row(tally: PairTally) -> Row:
    answers = tally.binary_answers
    return {
        "pairs": tally.pairs,
        **{name: getattr(tally, name) for name in (*_FIGURES, "cons_authors", "c_acc_authors")},
        "answers": {name: getattr(tally, name) / answers for name in ("yes", "no", "other")} if answers else None,
        "counts": {name: getattr(tally, name) for name in PAIR_COUNTS},
    }


def _tally(row: Row) -> PairTally:
    counts = cast("Row", row["counts"])
    return PairTally(**{name: _count(counts[name]) for name in PAIR_COUNTS})


def _count(value: Json) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, got {value!r}")
    return value


def _bits(value: Json) -> int:
    if not isinstance(value, str):
        raise TypeError(f"expected hexadecimal digits, got {value!r}")
    return int(value, 16)
