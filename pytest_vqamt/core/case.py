"""A case and its verdict; what a relation says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias, cast

from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Query, Task

Fact: TypeAlias = str | int | float | bool


class Outcome(StrEnum):
    """What became of a case."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNPARSED = "unparsed"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the answers obey the relation.

    Attributes:
        outcome: UNPARSED counts as a violation and is shown apart; ERROR counts as neither.
        reason: why not, in a few words; empty where it holds.
        vacuous: it holds without the model having shown anything (0 = 0 + 0).
        readings: what was understood of each answer ("3", "yes", "unparsed"), in the order of the queries.
        figures: what the case adds to figures of the relation's paper, by name ("accuracy", 0.3).
    """

    outcome: Outcome
    reason: str = ""
    vacuous: bool = False
    readings: tuple[str, ...] = ()
    figures: tuple[Amount, ...] = ()

    @property
    def obeys(self) -> bool:
        return self.outcome is Outcome.HOLDS

    @property
    def violates(self) -> bool:
        return self.outcome in (Outcome.VIOLATED, Outcome.UNPARSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A source query and its follow-ups, with what is expected of the answers.

    Attributes:
        relation, variant: what it is a case of ("metavqa.partition", "object").
        scene: the id of the scene it was derived from.
        queries: the source query first.
        expected: the relation between the answers, in words, naming them first, second, third.
        facts: what reports break verdicts down by, in a stable order.
        tags: "presumed" where it rests on an absence that the annotations do not guarantee.
        id: a digest of what the case is: relation, variant, pictures and texts.
    """

    relation: str
    variant: str
    scene: str
    queries: tuple[Query, ...]
    expected: str
    facts: tuple[tuple[str, Fact], ...] = ()
    tags: tuple[str, ...] = ()
    id: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", digest(self.relation, self.variant, *(query.id for query in self.queries)))

    @property
    def is_presumed(self) -> bool:
        """Whether it rests on an absence that the annotations do not guarantee."""
        return "presumed" in self.tags

    def fact(self, name: str) -> Fact | None:
        return next((value for key, value in self.facts if key == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotApplicable:
    """A scene that gives no case, and why: a few words that repeat from scene to scene, so that they can be counted."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationSetting:
    """What ``--vqamt-option NAME=VALUE`` can set of a relation: a field of the relation's class, of the same name.

    Attributes:
        values: what it can be; one that ends in ":PATH" stands for any text with that beginning, "PATH" for any text.
        default: one of them.
        meaning: what it decides, in a few words.
    """

    name: str
    values: tuple[str, ...]
    default: str
    meaning: str

    def takes(self, value: str) -> bool:
        """Whether the setting can be ``value``."""
        return any(
            value == known
            or (known == "PATH" and bool(value))
            or (known.endswith(":PATH") and value.startswith(known.removesuffix("PATH")))
            for known in self.values
        )


class PairKind(StrEnum):
    """How the two answers of a pair must relate, for the metrics of pairs (``core.pairs``).

    SAME: an invariance. OPPOSITE: one yes, one no. IMPLIED: a right first answer implies the same second one.
    """

    SAME = "same"
    OPPOSITE = "opposite"
    IMPLIED = "implied"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationInfo:
    """What a relation says of itself.

    Attributes:
        name: the paper and its own name of the relation ("metavqa.partition").
        task: what the model must be able to do.
        claim: the relation in one sentence.
        source: paper and section.
        variants: "" alone where there is just one.
        version: goes up when wording or sampling changes, so that reports are not compared across it.
        tags: "baseline" (reported, gated only when named), "control" (never gated).
        breakdown: names of the facts by which verdicts are tallied in reports.
        settings: what users can set of it.
        pairs: where its cases of two queries feed the metrics of pairs, how the answers must relate; a case whose fact
            "pairs" says otherwise is of that kind.
        draws_as: what seeds its draws in place of its name and variant: all items with the same word draw alike, and
            make their cases of the same choices; "" where each draws its own.
    """

    name: str
    task: Task
    claim: str = ""
    source: str
    variants: tuple[str, ...] = ("",)
    version: int = 1
    tags: tuple[str, ...] = ()
    breakdown: tuple[str, ...] = ()
    settings: tuple[RelationSetting, ...] = ()
    pairs: PairKind | None = None
    draws_as: str = ""

    def item(self, variant: str) -> str:
        """What users type: "metavqa.partition[object]", or just the name where there is one variant."""
        return item_name(self.name, variant)


def item_name(relation: str, variant: str) -> str:
    """The name of a relation variant, as users type it."""
    return f"{relation}[{variant}]" if variant else relation


# The accuracy of an answer, or 1 for a case of a certain kind. Sums are kept in millionths, as whole numbers: those of
# two shards added are those of the whole, to the last digit, whatever the order.


_UNIT = 1_000_000

Amount: TypeAlias = tuple[str, float]
"""A figure's name, and what a case adds to it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A sum over ``cases``, in millionths."""

    cases: int = 0
    millionths: int = 0

    @classmethod
    def of(cls, amount: float) -> Figure:
        return cls(1, round(amount * _UNIT))

    @property
    def total(self) -> float:
        return self.millionths / _UNIT

    @property
    def mean(self) -> float | None:
        """The mean over the cases that added to it, None where there are none."""
        return self.millionths / _UNIT / self.cases if self.cases else None

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.cases + other.cases, self.millionths + other.millionths)


Figures: TypeAlias = Mapping[str, Figure]


def add_figures(one: Figures, other: Figures) -> dict[str, Figure]:
    """Both, added up by name."""
    total = dict(one)
    for name, figure in other.items():
        total[name] = total.get(name, Figure()) + figure
    return total


def figures_row(figures: Figures) -> dict[str, Json]:
    """The figures as an object of ``report.json``, by name."""
    return {
        name: {"cases": figure.cases, "sum": figure.total, "mean": figure.mean}
        for name, figure in sorted(figures.items())
    }


def figures_from_row(row: Json) -> dict[str, Figure]:
    """The figures that ``figures_row`` was made of; none where a report is older than they are.

    Raises:
        KeyError, TypeError, ValueError: the row is not whole.
    """
    told = cast("dict[str, dict[str, float]]", row or {})
    return {name: Figure(int(each["cases"]), round(each["sum"] * _UNIT)) for name, each in told.items()}
