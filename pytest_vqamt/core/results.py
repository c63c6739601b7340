"""The results of a run, from which every report is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from pytest_vqamt.core.case import Figure, Figures, Outcome
from pytest_vqamt.core.codec import Amount, Count, Interval, Rate, SignedInterval, SignedRate, written
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.pairs import Pairs
from pytest_vqamt.core.tallies import Clusters, GradedCases, GroundedCells, PairedClusters, RepeatedCases, Tally, Unread
from pytest_vqamt.core.text import shortest


class QueryPreview(Struct, frozen=True, kw_only=True):
    """A query and its answer for display; ``edits`` describes the edits of its picture, and how it is asked."""

    picture: str
    text: str
    answer: str
    edits: str = ""

    @property
    def asked(self) -> str:
        """The text with the edits of its picture.

        >>> QueryPreview(picture="", text="Is there a dog?", answer="yes", edits="dog erased").asked
        'Is there a dog? [dog erased]'
        >>> QueryPreview(picture="", text="Is there a dog?", answer="yes").asked
        'Is there a dog?'
        """
        return f"{self.text} [{self.edits}]" if self.edits else self.text


class ViolationPreview(Struct, frozen=True, kw_only=True):
    """One violation for display."""

    id: str
    scene: str
    queries: tuple[QueryPreview, ...]
    expected: str
    reason: str


COUNTED = ("calls", "calls_raised", "answers_cut", "ran_on")
"""The counts of ``ModelUse`` that the health of a model keeps and that runs are joined by."""
EXAMPLES = {"calls_raised": "raised_example", "ran_on": "ran_on_example"}
"""The field of ``ModelUse`` with an example of what is counted, the shortest."""


class ModelUse(Struct, frozen=True, kw_only=True):
    """A model and its use in a run."""

    ANSWERS_OF: ClassVar[str] = "answers of "
    """In ``usage``, the replies by the model that a server says it was."""

    name: str
    fingerprint: str
    tasks: tuple[str, ...]
    queries_needed: int = 0
    """The queries of all cases, with repetitions."""
    queries_asked: int = 0
    """The distinct queries sent to the model."""
    queries_cached: int = 0
    """The distinct queries answered from the cache."""
    busy_s: float = 0.0
    """The time in which it had a batch to answer, in seconds, summed over processes."""
    items_s: float = 0.0
    """The time in which its items ran, in seconds, summed over processes."""
    usage: tuple[tuple[str, float], ...] = ()
    """Costs of its answers, by the model's own names ("tokens in")."""
    spec: str = ""
    """Its spec, if the user gave it a short name; otherwise the name is its spec, or what a server calls it."""
    kind: str = ""
    """The kind of its spec, such as "hf"; of a served model the kind on the server.

    Empty for an object that ``vqamt.run`` was given.
    """
    calls: int = 0
    """The calls of its methods, each with a batch."""
    calls_raised: int = 0
    """Those that raised an exception; their queries were put to it again, in halves."""
    raised_example: str = ""
    """What the shortest of these exceptions says."""
    answers_cut: int = 0
    """Answers so long that only their two ends are read."""
    ran_on: int = 0
    """Answers behind which the model went on with questions of its own; only what stands before them is read."""
    ran_on_example: str = ""
    """The shortest of them."""

    @property
    def answered_by(self) -> tuple[str, ...]:
        """The models that a server says it answered with, in order of their names; none where it says nothing."""
        named = (name for name, _ in self.usage if name.startswith(self.ANSWERS_OF))
        return tuple(sorted(name.removeprefix(self.ANSWERS_OF) for name in named))

    @property
    def typed(self) -> str:
        """As ``--vqamt-model`` takes it, short name included."""
        return f"{self.name}={self.spec}" if self.spec else self.name

    @property
    def queries_saved(self) -> int:
        """The repeated queries, which needed neither the model nor the cache."""
        # An idle worker may have asked queries of an item that ended early, which then needed them no more.
        return max(0, self.queries_needed - self.queries_asked - self.queries_cached)


class DataUse(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A scene source of the run."""

    short_name: str = field(default="", name="name")
    """The short name of --vqamt-data=NAME=SPEC, which results and cases have; absent if there is none and they have the
    spec.
    """
    spec: str
    """The source with its defaults filled in, as --vqamt-data takes it."""
    scenes: Count
    """How many scenes it has."""
    digest: str
    """Changes whenever a scene or a photo of the source does."""
    bad_records: tuple[str, ...] = written(())
    """What is wrong with each record that could not be used and was left out (--vqamt-allow-bad-records)."""
    given: str = written("")
    """The spec as the user gave it, without a short name; ids of tests have it."""

    @property
    def name(self) -> str:
        """The name in results, cases and tables: its short name, or its spec."""
        return self.short_name or self.spec

    @property
    def typed(self) -> str:
        """As ``--vqamt-data`` takes it, short name included."""
        return f"{self.short_name}={self.spec}" if self.short_name else self.spec


class HumanReference(Struct, frozen=True, kw_only=True):
    """The human reference for the pairs of a published test, as shares; None where the paper gives none."""

    acc: Rate | None = None
    """ACC of people."""
    acc_original: Rate | None = None
    """Their share of right answers to original queries."""
    acc_perturbed: Rate | None = None
    """Their share of right answers to perturbed queries."""
    cons: Rate
    """CONS of people."""
    c_acc: Rate | None = None
    """C-ACC of people."""


class Coverage(Struct, frozen=True, kw_only=True):
    """The agreement of models in right pairs, on one CARETS test and one data source."""

    test: str
    """The relation, its variants added up."""
    data: str
    """The name of one of data: its short name, or its spec."""
    presumed: bool
    """True if it is of the presumed cases alone; the other entries are without them."""
    models: tuple[str, ...]
    """The names of models."""
    right: tuple[Count, ...]
    """How many pairs each model has right, both answers of them."""
    shares: tuple[tuple[Rate | None, ...], ...]
    """In row i, column j: of the pairs that model j has right, the share that model i has right too. Null where there
    are none.
    """


class StratumResult(Struct, frozen=True, kw_only=True):
    """The counts of one kind of an item's cases: the ordinary ones, or the presumed ones.

    Presumed cases rest on an absence that the annotations do not guarantee, so they are counted apart.
    """

    tally: Tally
    breakdown: dict[str, dict[str, Tally]]
    """A tally for each value of each fact that the relation breaks its verdicts down by."""
    readings: Counter[str]
    """How often each reading of an answer occurred."""
    interval: tuple[float, float]
    """The 95 % interval of the pass rate, by scene."""
    gate: Gate | None
    pairs: Pairs | None = None
    """The counts behind the metrics of pairs; None if the relation has no pairs."""
    figures: Figures = field(default_factory=dict)
    """Sums over the cases, by name, for the figures of the relation's paper."""
    clusters: Clusters = field(default_factory=Clusters)
    """The judged cases by scene, from which the interval is computed."""
    paired: PairedClusters | None = None
    """Cases of the baseline with their verdicts then and now; None if the item has no baseline."""
    change: BaselineChange | None = None
    """The change since the baseline; None without one."""
    readings_sample: int | None = None
    """The number of cases whose readings are counted, if they are a sample; None for all cases."""
    unread: Unread = field(default_factory=dict)
    """The answers without a reading, by cause ("refusal"), to source and to follow-up queries."""
    unknown_words: Mapping[str, int] = field(default_factory=dict)
    """Declined cases, by each word that the model does not know."""
    repeated: RepeatedCases | None = None
    """The cases whose queries were asked several times; None without any."""
    graded: GradedCases | None = None
    """The cases whose answers have scores, by how sure the model was; None without any."""
    noise: Noise | None = None
    """The violations that the model's noise would cause, and whether there are more; None if it is not known."""


class Noise(Struct, frozen=True, kw_only=True):
    """The violations that a model's noise would cause by itself (``stats.conclude``)."""

    expected: Amount
    """How many violations the model's noise would cause."""
    explains: bool
    """True if there are violations, and no more than noise causes in 19 of 20 such runs."""


def stratum_fields(stratum: StratumResult) -> dict[str, Any]:
    """The fields of a stratum by name, to make them those of a ``RelationResult``."""
    return {name: getattr(stratum, name) for name in StratumResult.__struct_fields__}


class Grounded(Struct, frozen=True, kw_only=True):
    """The cases of an item that have a contrast (docs/explanation/grounding.md)."""

    cells: GroundedCells
    interval: tuple[float, float]
    """The 95 % interval of the grounded rate, by scene."""
    chance: Figure = field(default_factory=Figure)
    """The sum of what a model that guesses would reach on each case."""
    clusters: Clusters = field(default_factory=Clusters)
    """The cases by scene; grounded ones hold."""
    gate: Gate | None = None
    """The "grounded-under" gate; None without one."""
    change: BaselineChange | None = None
    """The change of the grounded rate since the baseline; None without one."""
    presumed: Grounded | None = None
    """The cases where a right answer rests on an absence that the annotations do not guarantee, which are counted here
    alone; None if there are none.
    """

    @property
    def rate(self) -> float | None:
        return self.cells.rate


class RelationResult(StratumResult, frozen=True, kw_only=True):
    """The result of one relation variant on one model and one data source; its own counts exclude presumed cases."""

    position: int
    """The item's position in the run, which orders reports."""
    item: str
    """"metavqa.partition[object]"."""
    version: int
    claim: str
    model: ModelUse
    data: DataUse
    tags: tuple[str, ...]
    scenes_not_applicable: int
    """Number of sampled scenes that gave no case; ``not_applicable`` counts them by reason."""
    not_applicable: dict[str, int]
    error: str = ""
    """The first reason why a query had no answer."""
    violation: ViolationPreview | None = None
    """The simplest violation found."""
    ungrounded: ViolationPreview | None = None
    """The simplest violation of a contrast, if possible of a case that holds: its two queries."""
    presumed: StratumResult | None = None
    """The presumed cases; None if there are none."""
    resources: tuple[tuple[str, str], ...] = ()
    """Resources other than the data ("wordnet"), with their versions."""
    reference: HumanReference | None = None
    """What humans reach on such pairs."""
    judged: JudgedCases | None = None
    """The cases one by one, to compare models; None in a session of one model without a baseline, and in reports read
    back.
    """
    right: JudgedCases | None = None
    """The answers to questions that come with answers, one by one, to compare accuracies; kept likewise."""
    directional: bool = False
    """Whether no model that does not look at the picture can satisfy the relation."""
    grounded: Grounded | None = None
    """The cases with a contrast; None if there are none."""

    @property
    def strata(self) -> tuple[StratumResult, ...]:
        """The ordinary cases, and the presumed ones if there are any."""
        return (self, self.presumed) if self.presumed else (self,)

    @property
    def id(self) -> str:
        """The id of its test in a session, after "vqamt::": "metavqa.partition[object]-tiny-pictures"."""
        return f"{self.item}-{self.model.name}-{self.data.short_name or self.data.given or self.data.spec}"

    @property
    def id_in_baseline(self) -> str:
        """The id of its test against the baseline, after "vqamt::baseline::"."""
        return f"{self.item}-{self.model.name}-{self.data.name}"

    @property
    def all_cases(self) -> int:
        """The number of cases, with the presumed ones."""
        return sum(stratum.tally.cases for stratum in self.strata)

    @property
    def errors(self) -> int:
        """The number of cases without an answer, with the presumed ones."""
        return sum(stratum.tally.errors for stratum in self.strata)

    @property
    def declined(self) -> int:
        """The number of declined cases, with the presumed ones."""
        return sum(stratum.tally.declined for stratum in self.strata)

    @property
    def flaky(self) -> int:
        """The number of flaky cases, with the presumed ones."""
        return sum(stratum.tally.flaky for stratum in self.strata)

    @property
    def refused(self) -> int:
        """The number of cases that the model refused in words, with the presumed ones."""
        return sum(stratum.tally.refused for stratum in self.strata)

    @property
    def total(self) -> Tally:
        """The counts of the ordinary and the presumed cases together."""
        return sum((stratum.tally for stratum in self.strata), Tally())

    @property
    def read_tally(self) -> Tally:
        """The cases whose unread rate a gate limits: the ordinary ones, or the presumed ones if there are no others."""
        return self.presumed.tally if self.presumed and not self.tally.cases else self.tally

    @property
    def truncated(self) -> int:
        """The number of cases with a truncated question, with the presumed ones."""
        return sum(stratum.tally.truncated for stratum in self.strata)

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gates on its pass rates and grounded rates, of ordinary and of presumed cases."""
        held = (*self.strata, self.grounded, self.grounded.presumed if self.grounded else None)
        return tuple(each.gate for each in held if each and each.gate)

    @property
    def changes(self) -> tuple[BaselineChange, ...]:
        """The changes since the baseline, of ordinary and of presumed cases, and of grounded rates."""
        return tuple(each.change for each in (*self.strata, self.grounded) if each and each.change)

    @property
    def drop_gates(self) -> tuple[Gate, ...]:
        """The gates on its drops since the baseline."""
        return tuple(made.gate for made in self.changes if made.gate)

    @property
    def pass_rate(self) -> float | None:
        return self.tally.pass_rate


class Undecided(StrEnum):
    """What a gate that cannot tell, with too few cases, does to a run (``--vqamt-undecided``)."""

    PASS = "pass"
    FAIL = "fail"

    def fails(self, gate: Gate) -> bool:
        """Tells whether the gate fails the run."""
        return not gate.met or (self is Undecided.FAIL and gate.state is GateState.CANNOT_TELL)


MAX_UNREAD = 0.2
"""Above this share of unread cases an item meets no gate, by default."""


class Report(Struct, frozen=True, kw_only=True):
    """A finished run."""

    vqamt_version: str
    seed: int
    sampler: str
    max_cases: int
    shard: str
    started: str
    duration_s: float
    models: tuple[ModelUse, ...]
    data: tuple[DataUse, ...]
    relations: tuple[RelationResult, ...] = ()
    complete: bool = True
    """False if an item could not be run, or the session was stopped early."""
    settings: tuple[tuple[str, str], ...] = ()
    """The settings of relations."""
    coverage: tuple[Coverage, ...] = ()
    """Of models that share data."""
    summaries: tuple[Summary, ...] = ()
    """Tables over several items each."""
    baseline: BaselineUse | None = None
    """The baseline of the run, if it had one."""
    ranking: tuple[Ranking, ...] = ()
    """Comparisons of several models."""
    differences: tuple[ModelDifference, ...] = ()
    waived: tuple[tuple[str, str], ...] = ()
    """The ids of cases that a person judged invalid, with reasons; not all need be cases of this run."""
    expired_waivers: tuple[tuple[str, str], ...] = ()
    """The ids of cases whose waivers no longer hold, with their last day, as in "2026-10-31"."""
    contrast: float = 0.0
    """The share of cases that may have a contrast."""
    repeats: int = 1
    """How many times each distinct query was asked."""
    max_unread: float = MAX_UNREAD
    """The share of an item's cases that may be unread if it is to meet a gate."""
    max_error_rate: float = 0.0
    """The share of an item's cases that may end in an error if its test is to pass."""
    failure: str = ""
    """Why the first item that could not be run could not, where that is known."""
    undecided: Undecided = Undecided.PASS
    """What a gate that cannot tell does to the run."""

    @property
    def total_gates(self) -> tuple[Gate, ...]:
        """The gates on the changes of all relations together, and of the accuracy."""
        return self.baseline.total_gates if self.baseline else ()

    @property
    def fails(self) -> bool:
        """Whether a gate is missed, or cannot tell where that counts as missed (``undecided``).

        An item without a case misses no gate but that on its drop: its answers may all be refused now.
        """
        held = [
            each
            for result in self.relations
            for each in ((*result.gates, *result.drop_gates) if result.all_cases else result.drop_gates)
        ]
        return any(self.undecided.fails(each) for each in (*held, *self.total_gates))


class GateState(StrEnum):
    """What is known of a gate."""

    MISSED = "missed"
    CANNOT_TELL = "cannot tell"
    MET = "met"


GateKind: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": ["fail-under", "grounded-under", "max-drop"]})]
GateValue: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": ["point", "lower-bound", "holm"]})]


class Gate(Struct, frozen=True, kw_only=True):
    """A threshold on an item, and whether the item meets it."""

    kind: GateKind
    """Which option demands it: --vqamt-fail-under of the pass rate, --vqamt-grounded-under of the grounded rate,
    --vqamt-max-drop of the drop of either since the baseline.
    """
    threshold: Rate
    """The rate to be reached, or the largest drop."""
    on: GateValue
    """What must reach the rate: the pass rate, or the lower end of its interval. A drop must be significant after Holm,
    too.
    """
    met: bool
    """True if it is met; of a rate never with nothing judged. Of a drop: no larger drop is shown."""
    unread: Rate | None = None
    """The unread rate of the item where it is above max_unread, so that the gate is not met; null elsewhere."""
    uncertain: bool = False
    """True if there are too few cases to tell if the drop is larger: met, but nothing is shown."""
    dropped: bool = False
    """True if the drop by itself misses the gate, whatever is unread."""

    @property
    def state(self) -> GateState:
        if not self.met:
            return GateState.MISSED
        return GateState.CANNOT_TELL if self.uncertain else GateState.MET


class BaselineChange(Struct, frozen=True, kw_only=True):
    """The paired comparison of one item with the baseline."""

    paired: PairedClusters
    """The cases that both runs judged."""
    interval: tuple[float, float]
    """The 95 % interval of the difference of pass rates, by scene."""
    p: float
    """The one-sided p-value of the drop, by scene."""
    p_two_sided: float
    """The two-sided p-value of the difference, by scene."""
    p_holm: float | None = None
    """The same, Holm-adjusted for all items of the comparison; None until these are known."""
    gate: Gate | None = None
    """The "max-drop" gate; None without one."""
    version_before: int = 1
    """The version of the relation in the baseline."""
    other_judgement: int = 0
    """The number of cases of the baseline that this version of the package judges differently, from the same answers;
    they count as they are judged now.
    """
    p_mcnemar: float = 1.0
    """The p-value of McNemar's exact test, which assumes independent cases, as in other tools."""
    unread_before: float | None = None
    """The unread rate of the item in the baseline; None if no case was answered there."""


class BaselineUse(Struct, frozen=True, kw_only=True):
    """The baseline of a gated run."""

    file: str
    """The name, without the folder."""
    digest: str
    """Of its content."""
    models: tuple[tuple[str, str], ...]
    """The name and the fingerprint of each model in it."""
    answered_by: tuple[tuple[str, str], ...] = ()
    """The name of each model whose server said with what it answered, and what that was."""
    missing: tuple[str, ...] = ()
    """Items of the baseline that are not in this run."""
    new: tuple[str, ...] = ()
    """Items of this run that are not in the baseline."""
    totals: tuple[BaselineTotal, ...] = ()
    """The comparison of all relations together, for each model and data source."""
    accuracy: tuple[BaselineTotal, ...] = ()
    """The comparison of the accuracy on questions that come with answers, likewise."""
    max_drop: Mapping[str, float] = field(default_factory=lambda: {"*": 0.0})
    """The drops that are allowed, by globs (``stats.thresholds.Drops``)."""

    @property
    def total_gates(self) -> tuple[Gate, ...]:
        """The gates on the changes of all relations together, and of the accuracy."""
        return tuple(each.change.gate for each in (*self.totals, *self.accuracy) if each.change.gate)


class BaselineTotal(Struct, frozen=True, kw_only=True):
    """The comparison of all relations of a model on a data source with the baseline, or of its accuracy.

    Presumed cases, controls and relations tagged "baseline" are not in the first. The cases of a scene are counted
    together over all relations, because they are correlated. In the second a question counts once, whatever relations
    ask it, and "holds" is a right answer.
    """

    model: str
    data: str
    change: BaselineChange


class BaselineEntry(Struct, frozen=True, kw_only=True):
    """One relation variant on one model and one data source in a baseline."""

    item: str
    """"metavqa.partition[object]"."""
    version: int
    """Of the relation."""
    model: str
    data: str
    tally: Tally
    """Without waived cases."""
    size_bytes: int
    """The size of its gzip member in the file."""

    @property
    def id(self) -> str:
        """The part of the pytest item's id after ``vqamt::``."""
        return f"{self.item}-{self.model}-{self.data}"


class BaselineHead(Struct, frozen=True, kw_only=True):
    """A baseline without its cases.

    The file is JSON Lines in gzip members: one for the head and one for each item, so that the cases of an item can be
    read without the others. Any tool that reads gzip reads them as one file.
    """

    vqamt_version: str
    seed: int
    models: tuple[tuple[str, str], ...]
    """The name and the fingerprint of each."""
    data: tuple[tuple[str, str], ...]
    """The spec and the digest of each."""
    items: tuple[BaselineEntry, ...]
    settings: tuple[tuple[str, str], ...] = ()
    """The settings of relations."""
    answered_by: tuple[tuple[str, str], ...] = ()
    """The name of each model whose server said with what it answered, and what that was."""


HOLDS, PRESUMED, COMPARED, HELD = 1, 2, 4, 8
"""The bits of a record's last byte; the last two tell if the baseline has a verdict, and if the case held there."""

RECORD_BYTES = 17
"""Eight bytes of the case's digest, eight of its scene's, and one of bits."""


class JudgedCases(Struct):
    """The judged cases of one item, without errors, declined, flaky and waived cases.

    Kept only in sessions of several models, or with a baseline. As ``RelationResult.right`` it has questions in place
    of cases, and "holds" is a right answer.

    Attributes:
        records: ``RECORD_BYTES`` for each case.
    """

    records: bytearray = field(default_factory=bytearray)

    def add(self, case_id: str, scene: str, outcome: Outcome, *, presumed: bool, before: Outcome | None = None) -> None:
        """Adds a case if it is judged; ``before`` is its outcome in the baseline. Waived cases must not be added."""
        if not outcome.is_judged:
            return
        compared = before is not None and before.is_judged
        bits = HOLDS * (outcome is Outcome.HOLDS) + PRESUMED * presumed
        self.records += bytes.fromhex(digest(case_id) + digest(scene))
        self.records.append(bits + COMPARED * compared + HELD * (before is Outcome.HOLDS))

    def add_right(self, question: str, scene: str, *, right: bool, before: bool | None = None) -> None:
        """Adds the answer to a question (``own_question``); ``before`` tells of that in the baseline."""
        outcomes = {True: Outcome.HOLDS, False: Outcome.VIOLATED, None: None}
        self.add(question, scene, Outcome.HOLDS if right else Outcome.VIOLATED, presumed=False, before=outcomes[before])


Cell: TypeAlias = str | int | float | None
"""A text, a count, a rate or another figure; None if there is nothing to compute it from."""
Cells: TypeAlias = Mapping[str, Cell]


class Summary(Struct, frozen=True, kw_only=True):
    """A table with a name for each column."""

    kind: str
    """What it is about. Of one model: VEglue, MetaIC, basic questions. Of all models: MetaVQA, CARETS, VEglue, basic
    questions.
    """
    model: str
    """The name of one of models; empty for a table of all of them, and of published ones."""
    data: str
    """The name of one of data: its short name, or its spec."""
    rows: tuple[Cells, ...]
    """All with the same fields: a line each of a table."""
    totals: Cells = field(default_factory=lambda: MappingProxyType({}))
    """Figures of all rows together."""


class RankingKind(StrEnum):
    """The kind of cases of a ranking."""

    RELATIONS = "relations"
    PRESUMED = "presumed"
    BASELINE = "baseline"
    CONTROL = "control"


class GapToFirst(Struct, frozen=True, kw_only=True):
    """The pass rate less that of the first model on the shared cases."""

    difference: SignedRate
    """Its pass rate less that of the first model on the cases that both judged."""
    interval: SignedInterval
    """The 95 % interval of that, by scene, the two models paired."""
    p: Rate
    """The two-sided p-value of that, by the sign-flip test of scenes."""


class RankedModel(Struct, frozen=True, kw_only=True):
    """A model's place in a ranking."""

    model: str = field(name="name")
    """The name of one of models."""
    mean: Rate
    """Its pass rate over all cases of the items."""
    interval: Interval | None
    """The 95 % interval of that rate, by scene over all of the items; None where the cases are not known one by one."""
    best_in: Count
    """In how many of the items each other model has a lower pass rate."""
    behind: GapToFirst | None = None
    """How far it is behind the first model; null for the first."""


class Ranking(Struct, frozen=True, kw_only=True):
    """Models on one data source by their pass rate over the items that all of them have, the highest first."""

    data: str
    """The name of one of data: its short name, or its spec."""
    kind: RankingKind
    """Which cases it is over: presumed ones, relations with the tag baseline or control, or all others."""
    items: tuple[str, ...]
    """The ids of the relations that it is over: those in which each of these models has a pass rate."""
    places: tuple[RankedModel, ...] = field(name="models")
    """The models, the best first."""


class ModelDifference(Struct, frozen=True, kw_only=True):
    """The comparison of two models on the cases of an item that both have judged."""

    item: str
    data: str
    presumed: bool
    """Whether it is of presumed cases, which are compared separately."""
    models: tuple[str, str]
    """Their names, in the order of the run."""
    paired: PairedClusters
    """The cases by both verdicts."""
    interval: tuple[float, float]
    """The 95 % interval of the second pass rate minus the first, by scene."""
    p: float
    """The two-sided p-value of the difference."""
    p_holm: float | None
    """The same, Holm-adjusted for all items of these models on this data; None for a control."""


def merge_model_uses(uses: Iterable[ModelUse]) -> tuple[ModelUse, ...]:
    """Each model once, in order of appearance, with its summed use.

    Raises:
        ModelError: two models have the same name, so the report could not tell them apart.
    """
    total: dict[str, ModelUse] = {}
    for use in uses:
        before = total.get(use.name)
        if before and before.fingerprint != use.fingerprint:
            raise ModelError(
                f"Expected model {use.name!r} to be one model all along, but it was fingerprint={before.fingerprint!r} "
                f"for some items and fingerprint={use.fingerprint!r} for others: see that all workers and machines "
                "have the same weights, settings and versions, and that no server changes its model, and run again"
            )
        total[use.name] = (
            replace(
                before,
                queries_needed=before.queries_needed + use.queries_needed,
                queries_asked=before.queries_asked + use.queries_asked,
                queries_cached=before.queries_cached + use.queries_cached,
                busy_s=before.busy_s + use.busy_s,
                items_s=before.items_s + use.items_s,
                usage=add_usage(before.usage, use.usage),
                **_joined(before, use),
            )
            if before
            else use
        )
    return tuple(total.values())


def _joined(one: ModelUse, other: ModelUse) -> dict[str, Any]:
    """The counts of both, and the shortest examples."""
    counts = {name: getattr(one, name) + getattr(other, name) for name in COUNTED}
    return counts | {name: shortest(getattr(one, name), getattr(other, name)) for name in EXAMPLES.values()}


def add_usage(
    one: tuple[tuple[str, float], ...], other: tuple[tuple[str, float], ...], sign: int = 1
) -> tuple[tuple[str, float], ...]:
    """The sum of both, or with ``sign`` -1 their difference."""
    total = dict(one)
    for name, value in other:
        total[name] = total.get(name, 0) + sign * value
    return tuple(total.items())


def merge_data_uses(results: Iterable[RelationResult]) -> tuple[DataUse, ...]:
    """Each scene source once, in the order of the results, with the bad records of all relations."""
    total: dict[str, DataUse] = {}
    for result in results:
        use = result.data
        before = total.get(use.name, use)
        total[use.name] = replace(before, bad_records=tuple(sorted({*before.bad_records, *use.bad_records})))
    return tuple(total.values())


def order_results(results: Iterable[RelationResult]) -> tuple[RelationResult, ...]:
    """The results in the order of the run's items; the first if there are two for an item."""
    return tuple(
        result for _, result in sorted({result.position: result for result in reversed(tuple(results))}.items())
    )


def _position(result: RelationResult) -> int:
    return result.position


def build_report(
    results: Sequence[RelationResult],
    *,
    vqamt_version: str,
    seed: int,
    sampler: str,
    max_cases: int,
    shard: tuple[int, int],
    started: str,
    duration_s: float,
    contrast: float = 0.0,
    repeats: int = 1,
    max_unread: float = MAX_UNREAD,
    max_error_rate: float = 0.0,
    undecided: Undecided = Undecided.PASS,
    complete: bool = True,
    settings: Mapping[str, str] = MappingProxyType({}),
    baseline: BaselineUse | None = None,
    waived: Mapping[str, str] = MappingProxyType({}),
    expired_waivers: tuple[tuple[str, str], ...] = (),
    spent: Sequence[ModelUse] = (),
) -> Report:
    """The report of a finished run, without the tables that ``stats.conclude`` makes of its items.

    ``waived`` maps case ids to reasons; ``spent`` is the use of models by items without a result.
    """
    ordered = order_results(results)
    return Report(
        vqamt_version=vqamt_version,
        seed=seed,
        sampler=sampler,
        max_cases=max_cases,
        shard=f"{shard[0]}/{shard[1]}",
        started=started,
        duration_s=duration_s,
        models=merge_model_uses((*(result.model for result in sorted(results, key=_position)), *spent)),
        data=merge_data_uses(ordered),
        relations=ordered,
        complete=complete,
        settings=tuple(sorted(settings.items())),
        baseline=baseline,
        waived=tuple(sorted(waived.items())),
        expired_waivers=tuple(sorted(expired_waivers)),
        contrast=contrast,
        repeats=repeats,
        max_unread=max_unread,
        max_error_rate=max_error_rate,
        undecided=undecided,
    )
