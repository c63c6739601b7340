"""A report as the lines of its tables: the cases of an item on one model and data source, the presumed ones apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import urlencode

from pytest_vqamt.core.results import BaselineChange, Gate, RelationResult, Report, StratumResult
from pytest_vqamt.stats.paired import SIGNIFICANT, ChangeStatus, status_of
from pytest_vqamt.stats.papers import PUBLISHED_IFR, carets_test_of, human_reference

_NOISE = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The cases of an item that are counted together.

    Attributes:
        result: the item's.
        counted: the same, or its presumed cases.
        model: the place of its model in the report, which a colour and a mark stand for.
    """

    result: RelationResult
    counted: RelationResult | StratumResult
    model: int

    @property
    def is_presumed(self) -> bool:
        return isinstance(self.counted, StratumResult)

    @property
    def is_noise(self) -> bool:
        """Whether it shows what a model violates with no change at all."""
        return _NOISE in self.result.tags

    @property
    def tags(self) -> tuple[str, ...]:
        return (*self.result.tags, *(("presumed",) if self.is_presumed else ()))

    @property
    def place(self) -> tuple[str, bool]:
        """What it shares with the lines of other models."""
        return self.result.item, self.is_presumed

    @property
    def gates(self) -> tuple[Gate, ...]:
        """What is demanded of its pass rate, and of the drop since the baseline."""
        change = self.counted.change
        return tuple(held for held in (self.counted.gate, change and change.gate) if held)

    @property
    def is_missed(self) -> bool:
        return any(not held.met for held in self.gates)


def lines(report: Report) -> tuple[Line, ...]:
    """Every item that had a case, in the order of the run."""
    places = {model.name: place for place, model in enumerate(report.models)}
    return tuple(line for result in report.relations for line in _of(result, places[result.model.name]))


def _of(result: RelationResult, model: int) -> Iterator[Line]:
    if result.tally.cases:
        yield Line(result=result, counted=result, model=model)
    if result.presumed is not None and result.presumed.tally.cases:
        yield Line(result=result, counted=result.presumed, model=model)


def rate(value: float | None) -> str:
    """A rate to three places, "-" where there is none."""
    return "-" if value is None else f"{value:.3f}"


def span(interval: tuple[float, float]) -> str:
    """An interval.

    >>> span((0.25, 1))
    '0.250 to 1.000'
    """
    low, high = interval
    return f"{low:.3f} to {high:.3f}"


def signed(difference: float | None) -> str:
    """A difference with its sign, "-" where there is none.

    >>> signed(-0.25), signed(0), signed(0.0004)
    ('-0.250', '0.000', '+0.000')
    """
    if difference is None:
        return "-"
    return f"{difference:+.3f}" if difference else "0.000"


def percent(share: float) -> str:
    """Where a share stands on an axis from 0 to 1.

    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{round(100 * share, 2):g}%"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with what it is of.

    >>> counted(1, "case"), counted(1200, "case"), counted(2, "query", "queries")
    ('1 case', '1,200 cases', '2 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def demanded(gate: Gate) -> str:
    """What a gate demands.

    >>> demanded(Gate(kind="fail-under", threshold=0.8, on="lower-bound", met=True))
    'lower end >= 0.8'
    """
    if gate.kind == "max-drop":
        return f"no significant drop > {gate.threshold:g}"
    return f"{'lower end' if gate.on == 'lower-bound' else 'pass rate'} >= {gate.threshold:g}"


def chosen(**facets: str) -> str:
    """The link to the cases with these values.

    >>> chosen(relation="metavqa.partition[object]", model="tiny")
    '#relation=metavqa.partition%5Bobject%5D&model=tiny'
    """
    return f"#{urlencode(facets)}"


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
    whole = human_reference(carets_test_of(result.item))
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


_NAMED = 5


def is_worse(line: Line) -> bool:
    """Whether its rate has fallen beyond chance, after Holm where the line is gated with others."""
    change = line.counted.change
    return change is not None and difference(line) < 0 and _p(change) < SIGNIFICANT


def difference(line: Line) -> float:
    """By how much its rate has changed, 0 where nothing is known."""
    change = line.counted.change
    return (change.paired.difference or 0.0) if change else 0.0


def stands(line: Line) -> ChangeStatus | None:
    """What its comparison has shown for the drop that is allowed; None where no drop is gated."""
    change = line.counted.change
    return status_of(change, change.gate.threshold) if change and change.gate else None


def change_in_words(change: BaselineChange) -> str:
    """The two rates, their difference, how sure it is, and how many cases it is made of."""
    low, high = change.interval
    p = f"p = {_p(change):.2g}{'' if change.p_holm is None else ' after Holm'}"
    return (
        f"{rate(change.paired.first_rate)} in the baseline, now {rate(change.paired.second_rate)}: "
        f"{signed(change.paired.difference)} ({signed(low)} to {signed(high)}, {p}), "
        f"{counted(change.paired.first_only, 'case')} broke, {change.paired.second_only:,} mended"
    )


def broke(lines: Sequence[Line]) -> int:
    """How many cases held in the baseline and do not now."""
    return sum(line.counted.change.paired.first_only for line in lines if line.counted.change)


def since_baseline(report: Report, lines: Sequence[Line]) -> Iterator[str]:
    """What to know of the comparison as a whole, a sentence each."""
    if report.baseline is None:
        yield "There is no baseline to say what has changed: `vqamt bless DIR -o FILE` makes one of a report."
        return
    changes = [line.counted.change for line in lines if line.counted.change]
    shared = sum(change.paired.shared for change in changes)
    won = sum(change.paired.second_only for change in changes)
    models = ", ".join(name for name, _ in report.baseline.models)
    yield (
        f"Against the baseline {report.baseline.file} (of {models}), on {counted(shared, 'shared case')}: "
        f"{broke(lines):,} broke, {won:,} mended."
    )
    if not any(map(is_worse, lines)):
        yield "No relation has got worse beyond chance."
    doubtful = [line.result.item for line in lines if _is_doubtful(line)]
    if doubtful:
        more = f" and {len(doubtful) - _NAMED} more" if len(doubtful) > _NAMED else ""
        yield (
            f"The interval of the change lies below 0 for {', '.join(doubtful[:_NAMED])}{more}, but among so many "
            "comparisons that may be chance (Holm)."
        )
    yield from _standings(lines)


def _standings(lines: Sequence[Line]) -> Iterator[str]:
    known = Counter(each for line in lines if (each := stands(line)))
    if not known.total():
        return
    largest = max(
        line.counted.change.gate.threshold for line in lines if line.counted.change and line.counted.change.gate
    )
    told = (
        f"{known[ChangeStatus.NO_WORSE]:,} of {counted(known.total(), 'relation')} shown to be no worse than "
        f"the baseline by more than {largest:g}"
    )
    uncertain = known[ChangeStatus.UNCERTAIN]
    yield f"{told}; of {uncertain:,} there are too few cases to tell (`vqamt power`)." if uncertain else f"{told}."


def _is_doubtful(line: Line) -> bool:
    change = line.counted.change
    return change is not None and change.interval[1] < 0 and not is_worse(line)


def _p(change: BaselineChange) -> float:
    return change.p if change.p_holm is None else change.p_holm
