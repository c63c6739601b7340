"""Events of a run, for listeners such as the terminal, the progress bar and the writers of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pytest_vqamt.core.case import Case, Verdict
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.core.results import ModelUse, RelationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A window of cases was derived; of its distinct ``queries``, ``cached`` have cached answers."""

    item: str
    cases: int
    queries: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The model answered more queries; ``cost`` is that of all its answers so far, None where it tells none."""

    item: str
    queries: int
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A case was judged.

    ``before`` is the verdict on it in the baseline, if it has the case; ``data_spec`` is the spec of data with a short
    name.
    """

    case: Case
    answers: tuple[Answer | Failure, ...]
    verdict: Verdict
    model: str
    data: str
    waived: bool
    before: Verdict | None = None
    data_spec: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simplified:
    """A violation was made simpler, to be shown: ``line`` is that of a case that is none of the run's."""

    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """An item was finished; ``queries`` are the ids of the distinct queries that it needed, None of very many."""

    result: RelationResult
    queries: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """An item ended without a result, as its model or data failed or its time was up; ``use`` counts its queries."""

    use: ModelUse


Event: TypeAlias = Planned | Answered | Judged | Simplified | Finished | Stopped
Listener: TypeAlias = Callable[[Event], None]
