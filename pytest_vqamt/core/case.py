"""Cases and verdicts, and the metadata of relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from pytest_vqamt.core.codec import PublicStruct
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.query import Answer, Failure, Query, Task

Fact: TypeAlias = str | int | float | bool


class Outcome(StrEnum):
    """The outcome of a case."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNPARSED = "unparsed"
    ERROR = "error"
    DECLINED = "declined"
    FLAKY = "flaky"

    @property
    def is_judged(self) -> bool:
        """True if a case with it counts in the pass rate."""
        return self in (Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNPARSED)


class Verdict(PublicStruct, frozen=True, kw_only=True):
    """What the answers say of the relation: whether they obey it, and why not."""

    outcome: Outcome
    """UNPARSED counts as a violation but is reported separately; ERROR, DECLINED and FLAKY count as neither. DECLINED
    means that the model answered none of the queries, or that its adapter declined one; FLAKY, that each query was
    asked several times, and that the verdict depends on which of the answers are taken.
    """
    reason: str = ""
    """A few words on why it does not hold; empty if it does."""
    vacuous: bool = False
    """Whether it holds without showing anything about the model (0 = 0 + 0)."""
    readings: tuple[str, ...] = ()
    """Each answer as parsed ("3", "yes", "unparsed"), in the order of the queries."""
    unread: tuple[str, ...] = ()
    """Why each answer has no reading ("refusal"), "" if it has one; empty if all answers have a reading."""
    figures: tuple[Amount, ...] = ()
    """The case's contributions to figures of the relation's paper, by name ("accuracy", 0.3)."""
    contrast: ContrastVerdict | None = None
    """The verdict on the case's contrast; None without one."""
    trials: Trials | None = None
    """The trials that the verdict is made from; None if each query was asked once."""
    grades: tuple[Grade | None, ...] = ()
    """How sure the model was of each answer, None where that is not known; empty if no answer has scores."""

    @property
    def margin(self) -> float | None:
        """The margin of the answer that the model was least sure of; None unless all are known."""
        known = [grade.margin for grade in self.grades if grade is not None]
        return min(known) if known and len(known) == len(self.grades) else None

    @property
    def is_confident_violation(self) -> bool:
        """Whether the case is violated, and the model was sure of every answer: the margins are at least 0.8."""
        return self.violates and self.margin is not None and self.margin >= CONFIDENT

    @property
    def obeys(self) -> bool:
        return self.outcome is Outcome.HOLDS

    @property
    def violates(self) -> bool:
        return self.outcome in (Outcome.VIOLATED, Outcome.UNPARSED)

    @property
    def grounded(self) -> Outcome:
        """HOLDS if the relation holds and the contrast's answer, where there is one, differs as it must."""
        both = {self.outcome, self.contrast.outcome if self.contrast else self.outcome}
        for missing in (Outcome.ERROR, Outcome.DECLINED, Outcome.FLAKY):
            if missing in both:
                return missing
        return Outcome.HOLDS if both == {Outcome.HOLDS} else Outcome.VIOLATED


CONFIDENT = 0.8
"""The margin from which on a model is sure: a probability of 0.9 against one of 0.1, say."""


class Grade(NamedTuple):
    """How sure a model was of an answer.

    Attributes:
        probability: of the answer's reading, by the scores that the model gave.
        margin: the probability minus that of the likeliest other reading.
        right: whether the reading is the right one by the scene's annotations; None if these do not say.
    """

    probability: float
    margin: float
    right: bool | None = None


class Trials(Struct, frozen=True, kw_only=True):
    """The trials of a case whose queries were asked several times."""

    answers: tuple[tuple[Answer | Failure, ...], ...]
    """The answers to each query of ``Case.asked``, in the order of the trials."""
    outcomes: tuple[Outcome, ...]
    """The outcome of each trial, judged by its answers alone."""
    noise: float = 0.0
    """The expected number of violations that the model's noise causes in the case
    (``execution.judging.chance_of_noise``).
    """


class Change(StrEnum):
    """How the answer to a contrast must differ from the answer to the same text about the case's own picture.

    NAMES: the caption names at least one of certain things that the other caption does not name. NOTHING: the other
    picture is blank, so that it is an answer, too, that nothing can be told.
    """

    OTHER = "other"
    MORE = "more"
    LESS = "less"
    NAMES = "names"
    NOTHING = "nothing"


class Contrast(Struct, frozen=True, kw_only=True):
    """A query of the case about another picture, for which the right answer surely differs.

    A model that does not look at the picture cannot answer both rightly.
    """

    of: int
    """The index of the case's query with the same text."""
    query: Query
    """The same text about the other picture."""
    scene: str
    """The id of the scene of the other picture."""
    change: Change
    """How the answer must differ from that to the case's query."""
    names: tuple[str, ...] = ()
    """With ``Change.NAMES``, the names of things that only the other picture shows."""
    presumed: bool = False
    """Whether one of the two right answers rests on an absence that the annotations do not guarantee."""

    @property
    def expected(self) -> str:
        """How the answer must differ, in words."""
        return f"{DEMANDS[self.change]} ({', '.join(self.names)})" if self.names else DEMANDS[self.change]


DEMANDS: Mapping[Change, str] = {
    Change.OTHER: "the answer must be another than about the case's picture",
    Change.MORE: "the number must be greater than in the case's picture",
    Change.LESS: "the number must be smaller than in the case's picture",
    Change.NAMES: "the caption must name what only the other picture shows",
    Change.NOTHING: "a blank picture must get another answer, or none",
}


class ContrastVerdict(Struct, frozen=True, kw_only=True):
    """The verdict on the answer to a contrast, which must differ from that to the case."""

    answer: Answer | Failure
    outcome: Outcome
    """HOLDS if it differs, VIOLATED if not, UNPARSED if one of the two answers cannot be read, ERROR without an answer,
    DECLINED if the case is or the model's adapter declined one of the queries, and FLAKY if it depends on which of
    several answers is taken.
    """
    reason: str = ""
    """A few words on why it does not hold; empty if it does."""
    reading: str = ""
    """The answer to the contrast as parsed; empty without one."""

    @property
    def violates(self) -> bool:
        return self.outcome in (Outcome.VIOLATED, Outcome.UNPARSED)


class Case(PublicStruct, frozen=True, kw_only=True, dict=True):
    """A source query and its follow-ups, with the expected relation between the answers."""

    relation: str
    """Such as "metavqa.partition" and "object"."""
    variant: str
    scene: str
    """The id of the scene it was derived from."""
    queries: tuple[Query, ...]
    """The source query first."""
    expected: str
    """The relation between the answers in words, which are called first, second, third."""
    facts: tuple[tuple[str, Fact], ...] = ()
    """Properties by which reports break verdicts down, in a stable order."""
    tags: tuple[str, ...] = ()
    """"presumed" if the case rests on an absence that the annotations do not guarantee."""
    contrast: Contrast | None = None
    """One of the texts about another picture, with another right answer; no part of the identity."""

    def __post_init__(self) -> None:
        # Two waves ask every case: no answer depends on one that depends on another.
        quoting = [bool(query.turns and query.replies) for query in self.queries]
        for place, query in enumerate(self.queries):
            for to in sorted(query.replies) if quoting[place] else ():
                if not 0 <= to < len(self.queries) or quoting[to]:
                    raise VqamtError(
                        f"Expected a Reply to a query of the case that quotes no answer itself, but query {place} of "
                        f"{item_name(self.relation, self.variant)} has Reply({to}) of {len(self.queries)} queries"
                    )

    @cached_property
    def id(self) -> str:
        """A digest of relation, variant, pictures and texts."""
        return digest(self.relation, self.variant, *(query.id for query in self.queries))

    def __repr__(self) -> str:
        """What a person needs of a failing example: texts, edits, scene and id. The fields take hundreds of lines."""
        asked = " | ".join(query.words for query in self.queries)
        tags = f" ({', '.join(self.tags)})" if self.tags else ""
        return f"<Case {self.id} of {item_name(self.relation, self.variant)}{tags}, scene {self.scene!r}: {asked}>"

    @property
    def is_presumed(self) -> bool:
        """True if it rests on an absence that the annotations do not guarantee."""
        return "presumed" in self.tags

    @property
    def asked(self) -> tuple[Query, ...]:
        """All that the model is asked: the queries, and that of the contrast."""
        return self.queries if self.contrast is None else (*self.queries, self.contrast.query)

    def trials(self, repeats: int) -> tuple[tuple[Query, ...], ...]:
        """All that the model is asked if each distinct query is asked ``repeats`` times: the trials of each query.

        A case that itself asks a query again, such as those of ``control.repeat``, is about single answers: each of
        its queries is asked once.
        """
        if repeats == 1 or any(query.trial for query in self.asked):
            return tuple((query,) for query in self.asked)
        return tuple(tuple(replace(query, trial=trial) for trial in range(repeats)) for query in self.asked)

    def fact(self, name: str) -> Fact | None:
        return next((value for key, value in self.facts if key == name), None)


class NotApplicable(PublicStruct, frozen=True):
    """A scene that gives no case; ``reason`` is a few words without details of the scene, so that it can be counted."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationSetting:
    """A setting of a relation for ``--vqamt-option NAME=VALUE``: a field of the relation's class.

    Attributes:
        values: the allowed values; "PATH" allows any text, and one that ends in ":PATH" any text with that beginning.
        default: one of them.
        meaning: a few words for users.
    """

    name: str
    values: tuple[str, ...]
    default: str
    meaning: str

    @property
    def field(self) -> str:
        """The name of the field: the setting's, with _ for -."""
        return self.name.replace("-", "_")

    def takes(self, value: str) -> bool:
        """True if ``value`` is allowed."""
        return any(
            value == known
            or (known == "PATH" and bool(value))
            or (known.endswith(":PATH") and value.startswith(known.removesuffix("PATH")))
            for known in self.values
        )


class PairKind(StrEnum):
    """The required relation between the two answers of a pair, for the metrics in ``core.pairs``.

    SAME: an invariance. OPPOSITE: one yes, one no. IMPLIED: a right first answer implies the same second answer.
    """

    SAME = "same"
    OPPOSITE = "opposite"
    IMPLIED = "implied"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationInfo:
    """The metadata of a relation.

    Attributes:
        name: the paper and its name for the relation ("metavqa.partition").
        task: the task that the model must support.
        captioned: the variants whose cases ask for captions, too.
        claim: the relation in one sentence.
        source: paper and section.
        variants: ("",) if there is just one.
        version: raised when wording or sampling changes, as reports cannot be compared across that.
        tags: "baseline" (reported, gated only when named), "control" (never gated).
        breakdown: names of the facts by which reports break verdicts down.
        settings: the options of users.
        pairs: the kind of pairs that its cases of two queries are; None without metrics of pairs. The fact "pairs" of a
            case overrides it.
        directional: the variants that hold for no model that answers by the text alone: they need no contrast.
        draws_as: replaces name and variant in the seed, so that all items with the same word make the same choices; ""
            for a seed of its own.
        contrast: whether its cases may get a contrast, or the index of the query that may.
        fixed_texts: whether it is about the texts themselves, so that wordings of a user do not replace them.
        exact_pixels: its answers depend on exact pixels, so that no picture is compressed with a loss when it is sent.
        changes_globals: deriving its cases changes state of the whole process for a moment (the generator of
            ``random``, the filters of warnings), so that none is derived while a model works.
        needs: what a model must take beside one picture and one text; for one that does not, it is not applicable.
    """

    name: str
    task: Task
    claim: str = ""
    source: str
    variants: tuple[str, ...] = ("",)
    captioned: tuple[str, ...] = ()
    version: int = 1
    tags: tuple[str, ...] = ()
    breakdown: tuple[str, ...] = ()
    settings: tuple[RelationSetting, ...] = ()
    pairs: PairKind | None = None
    directional: tuple[str, ...] = ()
    draws_as: str = ""
    contrast: bool | int = True
    fixed_texts: bool = False
    exact_pixels: bool = False
    changes_globals: bool = False
    needs: tuple[Ability, ...] = ()

    def tasks(self, variant: str) -> tuple[Task, ...]:
        """The tasks that the model must support for the variant, the main one first."""
        return (self.task, Task.CAPTIONING) if variant in self.captioned else (self.task,)

    def is_directional(self, variant: str) -> bool:
        """Whether no model that answers by the text alone satisfies the variant: each case is its own contrast."""
        return variant in self.directional

    def item(self, variant: str) -> str:
        """The name that users type: "metavqa.partition[object]", or just the relation if it has one variant."""
        return item_name(self.name, variant)


def item_name(relation: str, variant: str) -> str:
    """The name of a relation variant as users type it."""
    return f"{relation}[{variant}]" if variant else relation


# Sums are whole numbers, so that the sums of shards add up to those of the whole run exactly, in any order.
MILLION = 1_000_000

Amount: TypeAlias = tuple[str, float]
"""The name of a figure, and the amount that a case adds to it."""


RIGHT_SOURCE, RIGHT_FOLLOW_UP = "right source answer", "right follow-up answer"
"""The figures of questions that come with answers: 1 where the model's is the most frequent of these, else 0."""


def own_question(picture: str, is_edited: bool, text: str, question: str) -> str:
    """The id of a question of the data that is asked as it is there, about its photo; "" for others.

    Letters of options may follow it. "I have no doubt that ... Is it sunny?" is another question, and so is one about
    an edited picture: their answers say nothing of the accuracy on the user's own questions.

    >>> own_question("d", False, "Is it red? A. yes B. no", "Is it red?"), own_question("d", True, "Is it?", "Is it?")
    ('d Is it red?', '')
    """
    return f"{picture} {question}" if question and text.startswith(question) and not is_edited else ""


class Figure(Struct, frozen=True):
    """A sum over ``cases``, in millionths."""

    cases: int = 0
    millionths: int = 0

    @classmethod
    def of(cls, amount: float) -> Figure:
        return cls(1, round(amount * MILLION))

    @property
    def total(self) -> float:
        return self.millionths / MILLION

    @property
    def mean(self) -> float | None:
        """The mean over its cases; None without any."""
        return self.millionths / MILLION / self.cases if self.cases else None

    def __add__(self, other: Figure) -> Figure:
        return Figure(self.cases + other.cases, self.millionths + other.millionths)


Figures: TypeAlias = Mapping[str, Figure]


def add_figures(one: Figures, other: Figures) -> dict[str, Figure]:
    """The sums of both, by name."""
    total = dict(one)
    for name, figure in other.items():
        total[name] = total.get(name, Figure()) + figure
    return total
