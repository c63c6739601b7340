"""Which paper a relation is from, and what is published of its rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.stats.papers import PUBLISHED_IFR, human, test_of

_PAPERS: Mapping[str, str] = {
    "metavqa": "MetaVQA (Yuan et al., CVPR 2021)",
    "carets": "CARETS (Jimenez et al., ACL 2022)",
    "veglue": "VEglue (Chang et al.)",
    "text": "Changed texts (Sun et al., ICSE 2022; Wang et al., ACL 2021)",
    "metaic": "MetaIC (Yu et al., ISSTA 2022)",
    "basic_questions": "Basic questions (Huang et al., AAAI 2019)",
    "corruption": "Corruptions (Hendrycks and Dietterich, ICLR 2019)",
    "control": "Controls: the noise floor",
}

_SAME_LABEL = ("veglue.corruption", "text.word_substitution")


def paper_of(item: str) -> str:
    """The paper whose relation an item is; of a relation of one's own, the first part of its name.

    >>> paper_of("metaic.deeptest[blur]"), paper_of("ours.mirror")
    ('MetaIC (Yu et al., ISSTA 2022)', 'ours')
    """
    prefix = item.partition("[")[0].partition(".")[0]
    return _PAPERS.get(prefix, prefix)


class OfItem(Protocol):
    """Something told of an item."""

    @property
    def item(self) -> str: ...


T = TypeVar("T", bound=OfItem)


def by_paper(told: Iterable[T]) -> dict[str, list[T]]:
    """What is told, by the papers of the items, in the order in which they come."""
    found: dict[str, list[T]] = {}
    for each in told:
        found.setdefault(paper_of(each.item), []).append(each)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The share of consistent pairs that people reach (CONS); of the whole test where nobody asked for the variant."""

    rate: float
    of_whole_test: bool


def people(result: RelationResult) -> People | None:
    """What people reach on an item, None where that is not published."""
    if result.reference:
        return People(rate=result.reference.cons, of_whole_test=False)
    whole = human(test_of(result.item))
    return People(rate=whole.cons, of_whole_test=True) if whole else None


def published_rates(item: str) -> tuple[float, ...]:
    """The pass rates of published models in ascending order: one less their rates of issues (IFR).

    Empty where nothing is published, and where an issue is not a violation: of two labels that must be the same, the
    paper counts the second one that is not entailment.

    >>> published_rates("veglue.mr2_linked_erase"), published_rates("text.word_substitution")
    ((0.049, 0.174, 0.242, 0.646), ())
    """
    if item.partition("[")[0] in _SAME_LABEL:
        return ()
    return tuple(sorted(round(1 - rate, 3) for rate in PUBLISHED_IFR.get(item, ())))
