"""Rankings and differences of models as rows of ``report.json``, and back."""

from __future__ import annotations

from typing import cast

from pytest_vqamt.core.cluster_rows import paired_of, paired_row
from pytest_vqamt.core.clusters import PairedClusters
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.rankings import Behind, Difference, Ranked, RankedKind, Ranking

Row = dict[str, Json]


def ranking_row(ranking: Ranking) -> Row:
    """One entry of ``ranking``."""
    return {
        "data": ranking.data,
        "kind": ranking.kind.value,
        "items": list(ranking.items),
        "models": [_place_row(place) for place in ranking.places],
    }


def ranking_of(row: Row) -> Ranking:
    """The ranking that ``ranking_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    return Ranking(
        data=str(row["data"]),
        kind=RankedKind(str(row["kind"])),
        items=tuple(cast("list[str]", row["items"])),
        places=tuple(_place(each) for each in cast("list[Row]", row["models"])),
    )


def difference_row(difference: Difference) -> Row:
    """One entry of ``differences``."""
    paired = difference.paired
    return {
        "id": difference.item,
        "data": difference.data,
        "presumed": difference.presumed,
        "models": list(difference.models),
        "shared": paired.shared,
        "both": paired.kept,
        "first_only": paired.lost,
        "second_only": paired.won,
        "neither": paired.neither,
        "pass_rates": [paired.before, paired.after],
        "difference": paired.difference,
        "interval": list(difference.interval),
        "p": difference.p,
        "p_holm": difference.p_holm,
        "clusters": paired_row(paired),
    }


def difference_of(row: Row) -> Difference:
    """The difference that ``difference_row`` was made of.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    first, second = cast("list[str]", row["models"])
    p_holm = row["p_holm"]
    return Difference(
        item=str(row["id"]),
        data=str(row["data"]),
        presumed=row["presumed"] is True,
        models=(str(first), str(second)),
        paired=paired_of(row["clusters"]) or PairedClusters(),
        interval=_ends(row["interval"]),
        p=float(cast("float", row["p"])),
        p_holm=None if p_holm is None else float(cast("float", p_holm)),
    )


def _place_row(place: Ranked) -> Row:
    behind = place.behind
    return {
        "name": place.model,
        "mean": place.mean,
        "interval": list(place.interval) if place.interval else None,
        "best_in": place.best_in,
        "behind": {"difference": behind.difference, "interval": list(behind.interval)} if behind else None,
    }


def _place(row: Row) -> Ranked:
    behind = cast("Row | None", row["behind"])
    return Ranked(
        model=str(row["name"]),
        mean=float(cast("float", row["mean"])),
        interval=_ends(row["interval"]) if row["interval"] else None,
        best_in=int(cast("int", row["best_in"])),
        behind=Behind(difference=float(cast("float", behind["difference"])), interval=_ends(behind["interval"]))
        if behind
        else None,
    )


def _ends(row: Json) -> tuple[float, float]:
    low, high = cast("list[float]", row)
    return low, high
