"""What a run found: the values that every report is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pytest_vqamt.core.changes import BaselineUse, Change
from pytest_vqamt.core.clusters import Clusters, PairedClusters
from pytest_vqamt.core.figures import Figures
from pytest_vqamt.core.gate import Gate
from pytest_vqamt.core.judged_cases import JudgedCases
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.rankings import Difference, Ranking
from pytest_vqamt.core.summaries import Summary
from pytest_vqamt.core.tallies import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuery:
    """A query and its answer as people read them; ``edits`` says in words how its picture was edited."""

    picture: str
    text: str
    answer: str
    edits: str = ""

    @property
    def asked(self) -> str:
        """The text, with how its picture was edited."""
        return f"{self.text} [{self.edits}]" if self.edits else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """One violation, put before people."""

    id: str
    scene: str
    queries: tuple[ShownQuery, ...]
    expected: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """A model, and what it took to get its answers.

    Attributes:
        queries_needed: uses of queries by cases: a case of three queries needs three.
        queries_asked: distinct queries that the model was asked.
        queries_cached: distinct queries that were answered by what an earlier run had kept.
        busy_s: for how long it had a batch to answer, in seconds, summed over processes.
        items_s: for how long its items ran, in seconds, summed over processes.
        usage: what its answers cost, by what the model calls it ("tokens in").
    """

    name: str
    fingerprint: str
    tasks: tuple[str, ...]
    queries_needed: int = 0
    queries_asked: int = 0
    queries_cached: int = 0
    busy_s: float = 0.0
    items_s: float = 0.0
    usage: tuple[tuple[str, float], ...] = ()

    @property
    def queries_saved(self) -> int:
        """Uses of a query that had been asked or found in this run already: nothing was asked for them."""
        return self.queries_needed - self.queries_asked - self.queries_cached

    @property
    def busy_share(self) -> float | None:
        """For which share of the time that its items ran it had a batch to answer; None where they took none."""
        return min(1.0, self.busy_s / self.items_s) if self.items_s > 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataUse:
    """A scene source of the run; ``bad_records`` says what is wrong with those that were left out."""

    spec: str
    scenes: int
    digest: str
    bad_records: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What people reach on the pairs of a published test, as shares; None where the paper does not say."""

    cons: float
    acc: float | None = None
    acc_original: float | None = None
    acc_perturbed: float | None = None
    c_acc: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Whether models have the same pairs right: one CARETS test on one data source, its presumed cases apart.

    Attributes:
        test: the relation, its variants added up.
        models: their names, in the order of the run.
        right: how many pairs each model has right (both answers).
        shares: in row i and column j the share of model j's right pairs that model i has right too, of those that model
            i has answered; None where there are none.
    """

    test: str
    data: str
    presumed: bool
    models: tuple[str, ...]
    right: tuple[int, ...]
    shares: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Presumed:
    """The cases of an item that rest on an absence which the annotations do not guarantee: counted apart."""

    tally: Tally
    breakdown: dict[str, dict[str, Tally]]
    readings: Counter[str]
    interval: tuple[float, float]
    gate: Gate | None
    pairs: Pairs | None = None
    figures: Figures = field(default_factory=dict)
    clusters: Clusters = field(default_factory=Clusters)
    paired: PairedClusters | None = None
    change: Change | None = None
    readings_sample: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationResult:
    """What became of one relation variant on one model and one data source.

    Attributes:
        position: its place among the items of the run, by which reports are ordered.
        item: "metavqa.partition[object]".
        scenes_not_applicable: scenes drawn that gave no case, and in ``not_applicable`` why, with how many.
        readings: how often each reading of an answer occurred.
        readings_sample: of how many cases they are counted, where there are too many different ones; None for all.
        resources: what the relation drew on beside the data ("wordnet"), and which version.
        error: the first reason why a query had no answer.
        violation: the simplest violation found.
        presumed: the cases that are counted in none of the above; None where there are none.
        pairs: what the metrics of pairs are worked out from; None where the relation feeds none.
        reference: what people reach on such pairs.
        figures: sums over its cases, by name, of which the figures of its paper are worked out.
        clusters: its judged cases by scene, which the interval is worked out from.
        paired: those that were blessed, as they came out then and now; None where the item has no baseline.
        change: what became of it since the baseline, held against a gate once all items are known; None without one.
        judged: its cases one by one, which models are compared by; None in a session of one model, and read back.
    """

    position: int
    item: str
    version: int
    claim: str
    model: ModelUse
    data: DataUse
    tags: tuple[str, ...]
    tally: Tally
    scenes_not_applicable: int
    not_applicable: dict[str, int]
    breakdown: dict[str, dict[str, Tally]]
    readings: Counter[str]
    interval: tuple[float, float]
    gate: Gate | None
    error: str = ""
    violation: ShownCase | None = None
    presumed: Presumed | None = None
    resources: tuple[tuple[str, str], ...] = ()
    pairs: Pairs | None = None
    reference: Reference | None = None
    figures: Figures = field(default_factory=dict)
    clusters: Clusters = field(default_factory=Clusters)
    paired: PairedClusters | None = None
    change: Change | None = None
    judged: JudgedCases | None = None
    readings_sample: int | None = None

    @property
    def all_cases(self) -> int:
        """How many cases there were, the presumed ones among them."""
        return self.tally.cases + (self.presumed.tally.cases if self.presumed else 0)

    @property
    def errors(self) -> int:
        """How many cases had no answer, the presumed ones among them."""
        return self.tally.errors + (self.presumed.tally.errors if self.presumed else 0)

    @property
    def truncated(self) -> int:
        """In how many cases the model read only the beginning of a question, the presumed ones among them."""
        return self.tally.truncated + (self.presumed.tally.truncated if self.presumed else 0)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """What is demanded of its pass rates: of that of its cases, and of that of the presumed ones."""
        return tuple(held for held in (self.gate, self.presumed and self.presumed.gate) if held)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What became of its cases since the baseline, and of the presumed ones."""
        return tuple(made for made in (self.change, self.presumed and self.presumed.change) if made)

    @property
    def drop_gates(self) -> tuple[Gate, ...]:
        """What is demanded of its drops since the baseline."""
        return tuple(made.gate for made in self.changes if made.gate)

    @property
    def pass_rate(self) -> float | None:
        return self.tally.pass_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A finished run; ``settings`` are those that relations were given, ``coverage`` is of models that share data.

    ``summaries`` are worked out from several items each; ``baseline`` is what the run was held against; ``ranking`` and
    ``differences`` are of several models. ``waived`` are the ids of the cases that a person judged invalid, each with
    the reason, as the run was given them: not all need be cases of it.

    It is not ``complete`` where an item could not be run, or the session was stopped before its end.
    """

    vqamt_version: str
    seed: int
    sampler: str
    max_cases: int
    shard: str
    started: str
    duration_s: float
    models: tuple[ModelUse, ...]
    data: tuple[DataUse, ...]
    relations: tuple[RelationResult, ...] = field(default=())
    complete: bool = True
    settings: tuple[tuple[str, str], ...] = ()
    coverage: tuple[Coverage, ...] = ()
    summaries: tuple[Summary, ...] = ()
    baseline: BaselineUse | None = None
    ranking: tuple[Ranking, ...] = ()
    differences: tuple[Difference, ...] = ()
    waived: tuple[tuple[str, str], ...] = ()
