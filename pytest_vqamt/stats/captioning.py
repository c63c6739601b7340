"""What MetaIC reports of a captioning model: suspicious issues, and the kinds of error (Yu et al., ISSTA 2022).

A pair of captions is a suspicious issue where it violates either relation (section 3.4). The second one is judged where
the first holds, and both are made of the same pairs, so at each level of overlap the violations of the two add up. The
published precision, 84.9 to 98.4 %, is what people found of such issues, and is not worked out here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Figures
from pytest_vqamt.core.results import Cell, Cells, RelationResult, Summary
from pytest_vqamt.core.tallies import Tally

_OF_PAPER = "metaic."
_APPEARANCE, _FORMS = "metaic.object_appearance", "metaic.singular_plural"
_SUSPICIOUS = "suspicious"
_KINDS = ("omission", "misclassification", "quantity")
_PRESUMED = " (presumed)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """What an item found, of its presumed cases or of the others; ``suffix`` is said of them."""

    item: str
    suffix: str
    tally: Tally
    figures: Figures

    @property
    def level(self) -> str:
        return self.item.rpartition("[")[2].removesuffix("]")

    def sum_of(self, name: str) -> int | None:
        return round(self.figures[name].total) if name in self.figures else None

    @property
    def row(self) -> Cells:
        return {
            "relation": self.item + self.suffix,
            "cases": self.tally.judged,
            "unparsed": self.tally.unparsed,
            **{name: self.sum_of(name) for name in (_SUSPICIOUS, *_KINDS)},
        }


def captioning(results: Sequence[RelationResult], *, model: str, data: str) -> Summary | None:
    """A row for each of MetaIC's items, and for each level of overlap how many suspicious issues there are."""
    counted = [each for result in results if result.item.startswith(_OF_PAPER) for each in _counted(result)]
    if not counted:
        return None
    return Summary(
        kind="captioning",
        model=model,
        data=data,
        rows=tuple(each.row for each in counted),
        totals=_by_level(counted),
    )


def _counted(result: RelationResult) -> list[_Counted]:
    apart = [("", result.tally, result.figures)]
    if result.presumed:
        apart.append((_PRESUMED, result.presumed.tally, result.presumed.figures))
    return [
        _Counted(item=result.item, suffix=suffix, tally=tally, figures=figures)
        for suffix, tally, figures in apart
        if tally.judged
    ]


def _by_level(counted: Sequence[_Counted]) -> Mapping[str, Cell]:
    """Of each level of which both relations have the same number of pairs: how many violate either, and their share."""
    totals: dict[str, Cell] = {}
    of_forms = {(each.level, each.suffix): each for each in counted if each.item.startswith(_FORMS)}
    for each in counted:
        other = of_forms.get((each.level, each.suffix))
        if not (each.item.startswith(_APPEARANCE) and other and _SUSPICIOUS in each.figures):
            continue
        pairs = each.figures[_SUSPICIOUS].cases
        violated, of_the_rest = each.sum_of(_SUSPICIOUS), other.sum_of(_SUSPICIOUS)
        if violated is None or of_the_rest is None or other.figures[_SUSPICIOUS].cases != pairs:
            continue
        where = f"at overlap {each.level}{each.suffix}"
        totals[f"suspicious issues {where}"] = violated + of_the_rest
        totals[f"share of pairs {where}"] = (violated + of_the_rest) / pairs
    return totals
