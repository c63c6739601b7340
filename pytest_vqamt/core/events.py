"""What is told while a run goes on. Listeners only listen: the terminal, the progress bar, the writers of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.core.results import ModelUse, RelationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A window of cases was derived: ``queries`` distinct queries, of which ``cached`` were answered before."""

    item: str
    cases: int
    queries: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The model answered so many more queries."""

    item: str
    queries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A case has its verdict; ``before`` is what became of it in the blessed run, where there is one."""

    case: Case
    answers: tuple[Answer | Failure, ...]
    verdict: Verdict
    model: str
    data: str
    waived: bool
    before: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """An item is done."""

    result: RelationResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """An item ended without a result; what was asked till then.

    Its model or its data cannot be used, or its time is up.
    """

    use: ModelUse


Event: TypeAlias = Planned | Answered | Judged | Finished | Stopped
Listener: TypeAlias = Callable[[Event], None]
