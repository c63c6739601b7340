"""The rows of a report: each item on one model and data source, its presumed cases in a row of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from pytest_vqamt.core.results import BaselineChange, Gate, GateState, Grounded, RelationResult, Report, StratumResult
from pytest_vqamt.core.text import count_noun
from pytest_vqamt.reporting.view.format import format_change, format_difference, format_rate
from pytest_vqamt.stats.paired import SIGNIFICANT
from pytest_vqamt.stats.papers import PUBLISHED_IFR, carets_test_of, human_reference

_NOISE = "control"

# By the first part of a relation's name; all other names are of users' own relations.
_PAPERS: Mapping[str, str] = {
    "metavqa": "MetaVQA (Yuan et al., CVPR 2021)",
    "carets": "CARETS (Jimenez et al., ACL 2022)",
    "veglue": "VEglue (Chang et al.)",
    "text": "Changed texts (Sun et al., ICSE 2022; Wang et al., ACL 2021)",
    "metaic": "MetaIC (Yu et al., ISSTA 2022)",
    "caption": "Captions: erased, moved (Yu et al., ISSTA 2023; Liu et al., ASE 2024)",
    "basic_questions": "Basic questions (Huang et al., AAAI 2019)",
    "corruption": "Corruptions (Hendrycks and Dietterich, ICLR 2019)",
    "spatial": "Places: left, right, higher, lower",
    "count": "Counts: parts and wholes",
    "view": "Views: moved, padded, scaled, saved as JPEG, recoloured",
    "lang": "Languages",
    "agree": "One fact in two forms",
    "think": "With and without reasoning",
    "lead": "Leading statements",
    "multi": "Several pictures",
    "film": "Films, given as frames",
    "turn": "Later turns",
    "absent": "False premises",
    "negation": "Negation",
    "choice": "Options with letters",
    "overlay": "Written words",
    "question": "Your own questions in other words and views",
    "control": "Controls: the noise floor",
    "serving": "Checks of the deployment",
}

_SAME_LABEL = ("veglue.corruption", "text.word_substitution")
"""Relations of which the paper counts other issues than violations, so that 1 - IFR is no pass rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """One stratum of an item: its ordinary or its presumed cases."""

    result: RelationResult
    """The item on one model and data source."""
    counted: StratumResult
    """The figures of the stratum."""
    model: int
    """The index of the model in the report, which decides its colour and mark."""

    @property
    def is_presumed(self) -> bool:
        return self.counted is not self.result

    @property
    def is_noise(self) -> bool:
        """True if the item is a control, which measures the noise floor."""
        return _NOISE in self.result.tags

    @property
    def tags(self) -> tuple[str, ...]:
        return (*self.result.tags, *(("presumed",) if self.is_presumed else ()))

    @property
    def place(self) -> tuple[str, bool]:
        """Equal for the same stratum of an item on other models."""
        return self.result.item, self.is_presumed

    @property
    def grounded(self) -> tuple[Grounded, ...]:
        """The cases with a contrast: sure ones, then presumed ones unless these have a row of their own."""
        whole = self.result.grounded
        if whole is None:
            return ()
        presumed = (whole.presumed,) if whole.presumed else ()
        if self.is_presumed:
            return presumed
        # Presumed cases with a row of their own have their contrasts there.
        other = self.result.presumed
        return (whole,) if other and other.tally.cases else (whole, *presumed)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gates on the pass rate and the grounded rate, and on their drops since the baseline."""
        rates = [self.counted.gate, *(part.gate for part in self.grounded)]
        changes = [self.counted.change, *(part.change for part in self.grounded)]
        return tuple(gate for gate in (*rates, *(each.gate for each in changes if each)) if gate)

    @property
    def gate_state(self) -> GateState | None:
        """The worst state of its gates, in the order of ``GateState``; None without a gate."""
        states = {gate.state for gate in self.gates}
        return next((state for state in GateState if state in states), None)

    @property
    def is_missed(self) -> bool:
        return self.gate_state is GateState.MISSED

    def is_of_grounded(self, gate: Gate) -> bool:
        """True if a gate is on the grounded rate, or on its drop."""
        # By identity: gates on both rates may be equal.
        return any(gate is part.gate or (part.change and gate is part.change.gate) for part in self.grounded)


def result_rows(report: Report) -> tuple[ResultRow, ...]:
    """A row for each stratum with cases, in the order of the run."""
    places = {model.name: place for place, model in enumerate(report.models)}
    return tuple(
        ResultRow(result=result, counted=stratum, model=places[result.model.name])
        for result in report.relations
        for stratum in result.strata
        if stratum.tally.cases
    )


def results_by_model_and_data(report: Report) -> Iterator[tuple[tuple[str, str], list[RelationResult]]]:
    """The results of each model on each data source, with the model's name and the data's spec."""
    for model in report.models:
        for data in report.data:
            names = model.name, data.name
            # In the order of the report's models and data, whatever the order of its items.
            results = [each for each in report.relations if (each.model.name, each.data.name) == names]
            if results:
                yield names, results


def case_link(**facets: str) -> str:
    """The link that selects the cases with these values on the HTML page.

    >>> case_link(relation="metavqa.partition[object]", model="tiny")
    '#relation=metavqa.partition%5Bobject%5D&model=tiny'
    """
    return f"#{urlencode(facets)}"


def paper_of(item: str) -> str:
    """The paper of an item's relation; for a user's own relation the first part of its name.

    >>> paper_of("metaic.deeptest[blur]"), paper_of("ours.mirror")
    ('MetaIC (Yu et al., ISSTA 2022)', 'ours')
    """
    prefix = item.partition("[")[0].partition(".")[0]
    return _PAPERS.get(prefix, prefix)


def is_own(item: str) -> bool:
    """True if an item is of a user's own relation.

    >>> is_own("ours.mirror"), is_own("metaic.deeptest[blur]")
    (True, False)
    """
    return item.partition("[")[0].partition(".")[0] not in _PAPERS


class HasItem(Protocol):
    """Anything that belongs to an item."""

    @property
    def item(self) -> str: ...


T = TypeVar("T", bound=HasItem)


def by_paper(values: Iterable[T]) -> dict[str, list[T]]:
    """The values grouped by the papers of their items, in order of appearance."""
    groups: dict[str, list[T]] = {}
    for each in values:
        groups.setdefault(paper_of(each.item), []).append(each)
    return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanRate:
    """The share of consistent pairs (CONS) that humans reach on a variant, or else on its whole test."""

    rate: float
    """From 0 to 1."""
    of_whole_test: bool
    """True if nothing is published of the variant, and the rate is of its test."""


def human_rate(result: RelationResult) -> HumanRate | None:
    """The published human rate on an item, if there is one."""
    if result.reference:
        return HumanRate(rate=result.reference.cons, of_whole_test=False)
    whole = human_reference(carets_test_of(result.item))
    return HumanRate(rate=whole.cons, of_whole_test=True) if whole else None


def published_rates(item: str) -> tuple[float, ...]:
    """The pass rates of published models, 1 - IFR, in ascending order.

    Empty if nothing is published, or if the paper counts other issues than violations.

    >>> published_rates("veglue.mr2_linked_erase"), published_rates("text.word_substitution")
    ((0.049, 0.174, 0.242, 0.646), ())
    """
    if item.partition("[")[0] in _SAME_LABEL:
        return ()
    # Rounded, as 1 - 0.951 is 0.04900000000000004.
    return tuple(sorted(round(1 - rate, 3) for rate in PUBLISHED_IFR.get(item, ())))


def is_significant_drop(line: ResultRow) -> bool:
    """True if the pass rate dropped significantly, after Holm's correction for a gated row."""
    change = line.counted.change
    return change is not None and rate_difference(line) < 0 and p_value(change) < SIGNIFICANT


def rate_difference(line: ResultRow) -> float:
    """The change of the pass rate since the baseline, 0 without one."""
    change = line.counted.change
    return (change.paired.difference or 0.0) if change else 0.0


def describe_change(change: BaselineChange) -> str:
    """Both rates, their difference with its interval and p-value, and the numbers of regressions and fixes."""
    (low, high), before, after = change.interval, change.paired.first_rate, change.paired.second_rate
    p = f"p = {p_value(change):.2g}{'' if change.p_holm is None else ' after Holm'}"
    return (
        f"{format_rate(before)} in the baseline, now {format_rate(after)}: "
        f"{format_change(before, after)} points ({format_difference(low)} to {format_difference(high)}, {p}), "
        f"{count_noun(change.paired.first_only, 'regression')}, {count_noun(change.paired.second_only, 'fix', 'fixes')}"
    )


def p_value(change: BaselineChange) -> float:
    """The p-value of a drop, after Holm's correction where the rate is among those corrected for."""
    # Items without a gate are in no family of tests: they have their own p alone.
    return change.p if change.p_holm is None else change.p_holm
