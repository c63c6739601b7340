"""The types of ``report.json``: a field for each of its members, in its order, from which the schema is made.

A type of ``core.results`` that has the members of its row is its own row, and stands there.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct

from pytest_vqamt.core.codec import Amount, Count, Interval, Rate, SignedInterval, SignedRate, written
from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.results import (
    MAX_UNREAD,
    Coverage,
    DataUse,
    Gate,
    HumanReference,
    Noise,
    Ranking,
    Summary,
    Undecided,
)
from pytest_vqamt.core.tallies import PairedSceneTally, SceneTally, Tally, TrialTally, UnreadCount

SCHEMA = 1
"""Raised when a field of ``report.json`` is renamed or removed; additions keep it."""

# What follows of a type is for the schema alone, as in core.codec.
Name: TypeAlias = Annotated[str, Meta(extra_json_schema={"minLength": 1})]
Positive: TypeAlias = Annotated[int, Meta(extra_json_schema={"minimum": 1})]
ItemId: TypeAlias = Annotated[str, Meta(extra_json_schema={"pattern": r"^[^\[\]]+(\[[^\[\]]+\])?$"})]
Bits: TypeAlias = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]+$"})]
Shard: TypeAlias = Annotated[str, Meta(extra_json_schema={"pattern": "^[1-9][0-9]*/[1-9][0-9]*$"})]
Day: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date"})]
Moment: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
SamplerName: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": ["hypothesis", "random"]})]
Tasks: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(extra_json_schema={"enum": [task.value for task in Task]})], ...],
    Meta(extra_json_schema={"minItems": 1, "uniqueItems": True}),
]
SchemaNumber: TypeAlias = Annotated[int, Meta(extra_json_schema={"const": SCHEMA})]
Metrics: TypeAlias = Annotated[
    dict[str, Any],
    Meta(extra_json_schema={"anyOf": [{"maxProperties": 0}, {"$ref": "#/$defs/MetricsRow"}]}),
]
"""A ``MetricsRow``, or no member at all if the relation has no pairs."""


class FigureRow(Struct, frozen=True, kw_only=True):
    """A sum over cases, and its mean."""

    cases: Count
    """How many cases added to it."""
    sum: float
    """What they added up to."""
    mean: float | None
    """The sum over the cases; null where there are none."""


class YesNoShares(Struct, frozen=True, kw_only=True):
    """The shares of the answers to yes/no questions."""

    yes: Rate
    """The share that is yes."""
    no: Rate
    """The share that is no."""
    other: Rate
    """The share that is neither."""


class PairRatesRow(Struct, frozen=True, kw_only=True):
    """The metrics of pairs, and the counts that they are worked out from."""

    pairs: Count
    """The pairs that the metrics are over: cases that are neither errors nor waived."""
    acc: Rate | None
    """ACC: the share of right answers, two a pair; like every rate here null where there is no pair."""
    acc_original: Rate | None
    """The share of right answers to the original query."""
    acc_perturbed: Rate | None
    """The share of right answers to the perturbed query."""
    cons: Rate | None
    """CONS: the share of pairs whose answers, as they were read, keep the relation."""
    c_acc: Rate | None
    """C-ACC: the share of pairs with both answers right."""
    cons_authors: Rate | None
    """CONS as the paper's authors score it, by the raw answers."""
    c_acc_authors: Rate | None
    """The share of pairs that are consistent as the authors score it and whose first answer is right."""
    answers: YesNoShares | None
    """The answers to yes/no questions; null where there were none."""
    counts: PairTally
    """What the rates are worked out from, to be added up."""


class MetricsRow(PairRatesRow, frozen=True, kw_only=True):
    """The metrics of the pairs of an item."""

    reference: HumanReference | None
    """What people reach, as the paper has it; null where it does not say."""
    by: dict[str, dict[str, PairRatesRow]]
    """The same rates for each value of some facts of the cases."""
    right: Bits
    """Bit n is set where both answers to case n of the plan of all shards are right."""
    unanswered: Bits
    """Bit n is set where that case had an error."""


class RepeatedRow(Struct, frozen=True, kw_only=True):
    """The cases whose queries were asked several times, by their trials."""

    cases: Count
    """The judged and the flaky cases."""
    pass_all: Count
    """Those in which every trial holds."""
    pass_all_rate: Rate | None
    """Their share: pass@all."""
    trial_rate: Rate | None
    """The share of trials that hold."""
    variance_within: Amount | None
    """The variance of a trial (1 where it holds, else 0) within a case."""
    variance_between: Amount | None
    """The variance of the cases' own rates."""
    by_holding_trials: tuple[TrialTally, ...]
    """Lists of how many trials hold, how many were judged, and in how many cases."""
    noise: Amount
    """The expected number of violations that the model's noise causes in these cases."""


class CalibrationRow(Struct, frozen=True, kw_only=True):
    """The graded answers whose probability falls into one bin."""

    answers: Count
    """The answers in the bin."""
    right: Count
    """How many of them are right."""
    probability_sum: Amount
    """The sum of their probabilities."""


class GradedRow(Struct, frozen=True, kw_only=True):
    """How sure the model was, by the scores of its answers."""

    violated_margin: FigureRow
    """Of violated cases."""
    held_margin: FigureRow
    """Of cases that hold."""
    confident_violations: Count
    """Violated cases with a margin of 0.8 or more."""
    calibration: tuple[CalibrationRow, ...]
    """The answers with a known truth in ten bins of equal width by their probability, those below 0.1 first."""
    calibration_error: Rate | None
    """The expected calibration error over these bins."""


class ChangeRow(Struct, frozen=True, kw_only=True):
    """The change of an item since the baseline."""

    shared: Count
    """Cases that both runs have judged: the sum of the next four."""
    kept: Count
    """Those that hold in both."""
    lost: Count
    """Those that held and hold no more."""
    won: Count
    """Those that hold now and did not."""
    neither: Count
    """Those that hold in neither."""
    before: Rate | None
    """The pass rate of the shared cases then; null where there are none."""
    after: Rate | None
    """The pass rate of the shared cases now."""
    difference: SignedRate | None
    """after less before: negative where it has got worse."""
    interval: SignedInterval
    """The 95 % interval of the difference, by scene."""
    p: Rate
    """How likely a drop as large as this would be by chance, were the runs equally good (exact, one-sided, by scene).
    """
    p_holm: Rate | None
    """The same, corrected by Holm for all items that are gated together; null where this one is not."""
    p_two_sided: Rate
    """How likely a difference as large as this, in either direction, would be by chance."""
    p_mcnemar: Rate
    """The same by McNemar's exact test, which takes all cases for independent."""
    gate: Gate | None
    """What was demanded of the drop; null where nothing was."""
    unread_before: Rate | None
    """The unread rate of the item in the first run; null where nothing was answered."""
    version_before: Positive
    """The version of the relation in the first run."""
    other_judgement: Count
    """Cases of the first run that are judged otherwise now, from the same answers; they count as they are judged now.
    """
    clusters: tuple[PairedSceneTally, ...]
    """The shared cases by scene: lists of kept, lost, won, neither, and how many scenes have so many each."""


class GroundedCellsRow(Struct, frozen=True, kw_only=True):
    """The cases with a contrast, by both answers."""

    consistent_changed: Count
    """The relation holds, and the answer changed: grounded."""
    consistent_unchanged: Count
    """The relation holds, but the answer is the same about the other picture."""
    inconsistent_changed: Count
    """The relation is violated, and the answer changed."""
    inconsistent_unchanged: Count
    """The relation is violated, and the answer is the same."""


class GroundedRow(Struct, frozen=True, kw_only=True):
    """The cases of an item that have a contrast."""

    cases: Count
    """Those with an answer to every query and to the contrast."""
    rate: Rate | None
    """The share of them in which the relation holds and the contrast is answered otherwise, as it must be; null where
    there are none.
    """
    interval: Interval
    """The 95 % interval of that rate, by scene."""
    chance: Rate | None
    """The rate that a model which guesses would have on these cases: 0 for captions, which cannot be guessed."""
    chance_sum: Amount
    """The sum over the cases of which chance is the mean."""
    cells: GroundedCellsRow
    """The cases by whether the relation holds (consistent), and whether the answer to the contrast changed."""
    errors: Count
    """Cases that lack an answer, in none of the cells."""
    declined: Count
    """Cases that are declined, or whose contrast is, in none of the cells."""
    flaky: Count
    """Cases that are flaky, or whose contrast is, in none of the cells."""
    clusters: tuple[SceneTally, ...]
    """The cases by scene: lists of how many are grounded, how many there are, and how many scenes have so many each."""
    gate: Gate | None
    """What was demanded of the rate; null where nothing was."""
    change: ChangeRow | None
    """What became of the rate since the baseline; null where there is no baseline, and for directional relations."""
    presumed: GroundedRow | None
    """The cases of which a right answer rests on an absence that the annotations do not guarantee, counted apart; null
    where there are none.
    """


class StratumRow(Tally, frozen=True, kw_only=True):
    """The counts of one kind of an item's cases."""

    # Of a Tally each has a default; here a file that lacks one is not whole.
    cases: Count
    holds: Count
    violated: Count
    unparsed: Count
    errors: Count
    waived: Count
    vacuous: Count
    truncated: Count
    declined: Count
    refused: Count
    flaky: Count
    unread_cases: Count
    unread_holds: Count
    pass_rate: Rate | None = None
    """holds over holds + violated + unparsed; null where that is 0."""
    interval: Interval
    """The 95 % interval of the pass rate, by scene: cases of one picture are not independent. 0 to 1 where nothing was
    judged.
    """
    scenes: Count = 0
    """How many scenes the judged cases are of."""
    clusters: tuple[SceneTally, ...]
    """The judged cases by scene: lists of how many hold, how many were judged, and how many scenes have so many each.
    """
    gate: Gate | None
    """What was demanded of the pass rate; null where nothing was."""
    change: ChangeRow | None
    """What became of it since the baseline, on the cases that both runs have judged; null where there is no baseline.
    """
    breakdown: dict[str, dict[str, Tally]]
    """For some facts of the cases, the counts by each value of the fact, as text. Waived cases are in none."""
    metrics: Metrics
    """Figures of the relation's paper by their names there; empty where it has none."""
    figures: dict[str, FigureRow]
    """Sums that summaries are worked out from, by name."""
    readings: dict[str, Count]
    """How often each answer was given, as it was understood; without cases that were waived or had an error."""
    readings_sample: Count | None
    """Of how many cases the readings are counted: there are too many different ones to count them all; null where it is
    all.
    """
    unread_rate: Rate | None = None
    """unread_cases over holds + violated + unparsed + refused; null where that is 0."""
    readable_pass_rate: Rate | None = None
    """The pass rate of the other cases, whose answers could all be read; null where there are none."""
    unread: dict[str, UnreadCount]
    """The answers that have no reading, by cause, such as refusal, sees nothing, unsure, declined, cut off."""
    unknown_words: dict[str, Count]
    """The words that the model's adapter does not know, with the declined cases that each was in."""
    repeated: RepeatedRow | None
    """The cases by their trials; null where each query was asked once."""
    graded: GradedRow | None
    """How sure the model was; null where its answers have no scores."""
    noise: Noise | None
    """The violations by noise alone; null where it is not known to cause any."""


class RelationRow(StratumRow, frozen=True, kw_only=True):
    """An entry of ``relations``; in the file, what it is of stands first."""

    id: ItemId
    """The relation and its variant, as --vqamt-relations takes it."""
    version: Positive
    """Goes up when the relation's wording or sampling changes: do not compare rates across it."""
    claim: Name
    """The relation in one sentence."""
    model: str
    """The name of one of models."""
    data: str
    """The name of one of data: its short name, or its spec."""
    tags: tuple[str, ...]
    """control: never gated. baseline, presumed: gated only by a pattern that names the relation."""
    resources: dict[str, str]
    """What the relation drew on beside the data, such as WordNet, and which version."""
    scenes_not_applicable: Count
    """Scenes that were drawn and gave no case."""
    not_applicable: dict[str, Count]
    """Why they gave none, and how many of them each reason is of."""
    presumed: StratumRow | None
    """The cases that rest on an absence which the annotations do not guarantee, counted apart and in none of the above;
    null where there are none.
    """
    directional: bool
    """True if only a model that looks at the picture can satisfy the relation, so that its cases need no contrast."""
    grounded: GroundedRow | None
    """The cases with a contrast, or those of a directional relation; null where there are none."""


class DifferenceRow(Struct, frozen=True, kw_only=True):
    """Two models on the cases of an item that both have judged."""

    id: str
    """The id of one of relations."""
    data: str
    """The name of one of data: its short name, or its spec."""
    presumed: bool
    """True if it is of the presumed cases alone; the other entries are without them."""
    models: tuple[str, str]
    """The names of two models, in the order of the run."""
    shared: Count
    """Cases that both have judged: the sum of the next four."""
    both: Count
    """Those that hold for both."""
    first_only: Count
    """Those that hold for the first model alone."""
    second_only: Count
    """Those that hold for the second model alone."""
    neither: Count
    """Those that hold for neither."""
    pass_rates: tuple[Rate | None, Rate | None]
    """Of the two models on these cases."""
    difference: SignedRate | None
    """The second pass rate less the first."""
    interval: SignedInterval
    """The 95 % interval of the difference, by scene."""
    p: Rate
    """How likely a difference as large as this, in either direction, would be by chance (exact, by scene)."""
    p_holm: Rate | None
    """The same, corrected by Holm for all entries of these two models on this data; null for a control."""
    clusters: tuple[PairedSceneTally, ...]
    """The shared cases by scene: lists of both, first_only, second_only, neither, and how many scenes have so many
    each.
    """


class ModelRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model and its use."""

    name: Name
    """The model as --vqamt-model named it."""
    kind: str = written("")
    """The kind of model of its spec, such as hf; of a served model the kind on the server. Empty for an object that
    vqamt.run was given.
    """
    fingerprint: Name
    """What can change its answers: weights, settings, versions. Begins with undeclared: where the model does not say.
    """
    tasks: Tasks
    """What the model can do."""
    queries_needed: Count = written(0)
    """Uses of queries by cases, those of shrinking included: the sum of queries_asked, queries_cached and
    queries_saved.
    """
    queries_asked: Count = written(0)
    """Distinct queries that the model was asked."""
    queries_cached: Count = written(0)
    """Distinct queries that were answered by what an earlier run had kept in the answer cache."""
    queries_saved: Count = written(0)
    """Uses of a query that had been asked or found in this run already."""
    busy_s: Amount = written(0.0)
    """For how long the model had a batch to answer, in seconds, summed over processes."""
    items_s: Amount = written(0.0)
    """For how long its items ran, in seconds, summed over processes: busy_s over this is the share of the time in which
    the model was at work.
    """
    usage: dict[str, float]
    """What its answers cost, by what the model calls it, such as tokens in."""
    calls: Count = 0
    """Calls of the model's methods, each with a batch; absent if none raised."""
    calls_raised: Count = 0
    """Calls that raised; their queries were put to the model again, in halves. Absent if none did."""
    raised_example: str = ""
    """What the shortest of the exceptions says; absent without any."""
    answers_cut: Count = 0
    """Answers of more than 12,000 characters, of which only the two ends are read; absent without any."""
    ran_on: Count = 0
    """Answers behind which the model went on with questions of its own, of which only what stands before them is read;
    absent without any.
    """
    ran_on_example: str = ""
    """The shortest of these answers; absent without any."""
    spec: str = ""
    """The spec of --vqamt-model=NAME=SPEC; absent if the user gave no short name."""


class BlessedModel(Struct, frozen=True, kw_only=True):
    """A model of the baseline."""

    name: str
    """As --vqamt-model named it."""
    fingerprint: str
    """As in models."""


class BlessedAnswerer(Struct, frozen=True, kw_only=True):
    """The model that a server said it answered with in the baseline."""

    name: str
    """The model as the blessed run named it."""
    model: str
    """What its server said that it answered with."""


class BaselineTotalRow(Struct, frozen=True, kw_only=True):
    """The comparison of all relations of a model on a data source with the baseline."""

    model: str
    """The model."""
    data: str
    """The data source."""
    change: ChangeRow
    """What changed, by scene over all relations. It has no gate where one relation alone is compared."""


class BaselineRow(Struct, frozen=True, kw_only=True):
    """The baseline of a run."""

    file: Name
    """Its name, without the folder."""
    digest: Name
    """Of its content."""
    models: tuple[BlessedModel, ...]
    """The models that were blessed."""
    answered_by: tuple[BlessedAnswerer, ...]
    """What the servers of the blessed models said that they answered with."""
    missing: tuple[str, ...]
    """Items that were blessed and are not in this run."""
    new: tuple[str, ...]
    """Items of this run that were not blessed."""
    totals: tuple[BaselineTotalRow, ...]
    """All relations together, for each model and data source, without presumed cases, controls and relations tagged
    baseline.
    """
    accuracy: tuple[BaselineTotalRow, ...]
    """The answers to questions that come with answers, each question once: right ones hold."""
    max_drop: dict[str, Rate]
    """--vqamt-max-drop: the drops that are allowed, by globs of items, all-relations and accuracy; * is any."""


class WaivedRow(Struct, frozen=True, kw_only=True):
    """A case that a person judged invalid."""

    case_id: Name
    """The case."""
    reason: str
    """Why it is invalid, as the person put it."""


class ExpiredWaiverRow(Struct, frozen=True, kw_only=True):
    """A case whose waiver no longer holds."""

    case_id: Name
    """The case."""
    until: Day
    """The last day on which it was waived."""


class ReportRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole of ``report.json``."""

    schema: SchemaNumber
    """The number of this schema."""
    vqamt_version: Name
    """The version of pytest-vqamt that ran."""
    seed: Count
    """--vqamt-seed: the same seed gives the same cases."""
    sampler: SamplerName
    """--vqamt-sampler: who drew the cases."""
    max_cases: Positive
    """--vqamt-max-cases: the most cases of a relation variant, model and data source."""
    contrast: Rate = written(0.0)
    """--vqamt-contrast: the share of cases that may have a contrast, which is one of their texts about another picture,
    with another right answer.
    """
    repeats: Positive = written(1)
    """--vqamt-repeats: how many times each distinct query was asked."""
    max_unread: Rate = written(MAX_UNREAD)
    """--vqamt-max-unread: the share of an item's cases that may be unread if it is to meet a gate."""
    max_error_rate: Rate = written(0.0)
    """--vqamt-max-error-rate: the share of an item's cases that may end in an error if its test is to pass."""
    undecided: Undecided = written(Undecided.PASS)
    """--vqamt-undecided: what a gate that cannot tell does to the run."""
    shard: Shard
    """--vqamt-shard: which share of the cases this is; 1/1 is all of them."""
    started: Moment
    """When the run began (UTC)."""
    duration_s: Amount
    """How long the run took, in seconds."""
    complete: bool = written(True)
    """True if every item of the run was run; false where a model or data failed, or the run was stopped."""
    failure: str = ""
    """Why the first item that could not be run could not; absent if all could be run."""
    settings: dict[str, str]
    """The settings of relations that --vqamt-option gave."""
    models: tuple[ModelRow, ...]
    """The models of the run, in the order of the relations."""
    data: tuple[DataUse, ...]
    """The scene sources of the run, in the order of the relations."""
    relations: Annotated[tuple[RelationRow, ...], Meta(extra_json_schema={"minItems": 1})]
    """One entry for each relation variant, model and data source."""
    coverage: tuple[Coverage, ...] = written(())
    """Where several models were asked the same pairs: whether they have the same ones right. Empty for one model."""
    summaries: tuple[Summary, ...] = written(())
    """Figures that papers report of several relations together, for each model and data source."""
    ranking: tuple[Ranking, ...]
    """Several models by their mean pass rates, on each data source. Empty for one model."""
    differences: tuple[DifferenceRow, ...]
    """Every two models on the cases of each item that both have judged. Empty for one model."""
    baseline: BaselineRow | None
    """The blessed run that this one was held against (--vqamt-baseline); null where there is none."""
    waived: tuple[WaivedRow, ...]
    """The cases that a person judged invalid (--vqamt-waive), as the run was given them: not all need be cases of it.
    """
    expired_waivers: tuple[ExpiredWaiverRow, ...]
    """Waivers with a last day that is over, so that their cases count again."""
