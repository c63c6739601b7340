"""Several models of a run as tables that a person can read: who is better on the whole, and where any two differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_vqamt.core.results import Difference, RankedKind, Ranking, Report
from pytest_vqamt.reporting.page.figures import counted
from pytest_vqamt.reporting.text import p_in_words
from pytest_vqamt.reporting.text_table import table

_SIGNIFICANT = 0.05
_LARGEST = 10
"""How many differences are shown where not all are."""

_PLACES = ("model", "mean pass rate", "95 % interval", "behind the first", "best in")
_DIFFERENCES = ("relation", "shared cases", "better", "worse", "difference", "95 % interval", "p (Holm)")

_OVER = {
    RankedKind.RELATIONS: "",
    RankedKind.PRESUMED: ", their presumed cases alone",
    RankedKind.BASELINE: ", those with the tag baseline",
    RankedKind.CONTROL: ", the controls",
}


def ranking_lines(report: Report, *, in_full: bool = False) -> Iterator[str]:
    """The rankings on each data source, and the surest differences; all of both ``in_full``. Nothing of one model."""
    for data in report.data:
        rankings = [each for each in report.ranking if each.data == data.spec]
        for ranking in rankings:
            if in_full or ranking.kind is RankedKind.RELATIONS:
                yield from _ranking(ranking)
        differences = [each for each in report.differences if each.data == data.spec]
        if differences:
            yield from _differences(data.spec, differences, in_full=in_full)


def _ranking(ranking: Ranking) -> Iterator[str]:
    variants = counted(len(ranking.items), "relation variant")
    yield f"models on {ranking.data}, by their mean pass rate over {variants}{_OVER[ranking.kind]}"
    yield ""
    yield from table(
        [
            _PLACES,
            *(
                (
                    place.model,
                    f"{place.mean:.3f}",
                    _interval(place.interval, sign=""),
                    "-" if place.behind is None else _behind(place.behind.difference, place.behind.interval),
                    str(place.best_in),
                )
                for place in ranking.places
            ),
        ]
    )
    yield ""


def _differences(data: str, differences: Sequence[Difference], *, in_full: bool) -> Iterator[str]:
    sure = [each for each in differences if each.p_holm is not None and each.p_holm < _SIGNIFICANT]
    tested = sum(each.p_holm is not None for each in differences)
    yield (
        f"on {data}, {len(sure)} of {counted(tested, 'comparison')} of two models on a relation variant "
        f"{'shows' if len(sure) == 1 else 'show'} a difference beyond chance (p below {_SIGNIFICANT:g} after Holm)"
    )
    shown = sorted(sure, key=_size)
    if not in_full:
        shown = shown[:_LARGEST]
    if shown:
        yield ""
        yield from table([_DIFFERENCES, *map(_difference, shown)])
    if len(shown) < len(sure):
        yield ""
        yield f"and {len(sure) - len(shown)} smaller ones (pytest -v shows all; report.json has all comparisons)"
    yield ""


def _size(difference: Difference) -> float:
    """Sorts the largest first."""
    return -abs(difference.paired.difference or 0.0)


def _difference(each: Difference) -> tuple[str, ...]:
    paired = each.paired
    told = [(rate, name) for rate, name in zip((paired.before, paired.after), each.models, strict=True)]
    worse, better = sorted(told, key=lambda one: one[0] or 0.0)
    difference = abs(paired.difference or 0.0)
    low, high = each.interval
    turned = (low, high) if better[1] == each.models[1] else (-high, -low)
    return (
        f"{each.item} (presumed)" if each.presumed else each.item,
        str(paired.shared),
        *(f"{name} {rate:.3f}" for rate, name in (better, worse)),
        f"{difference:.3f}",
        _interval(turned, sign="+"),
        "-" if each.p_holm is None else p_in_words(each.p_holm),
    )


def _behind(difference: float, interval: tuple[float, float]) -> str:
    return f"{difference:+.3f} ({_interval(interval, sign='+')})"


def _interval(interval: tuple[float, float] | None, *, sign: str) -> str:
    if interval is None:
        return "-"
    low, high = interval
    return f"{low:{sign}.3f} to {high:{sign}.3f}"
