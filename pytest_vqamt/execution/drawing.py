"""The cases of one item in their order, some of them drawn before their turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.execution.baseline import BlessedCase
from pytest_vqamt.execution.plan import Plan


class PlannedCase(NamedTuple):
    """A case, the part of the sampling run that it comes from, its place in the whole plan, and how it was blessed."""

    case: Case
    part: int
    position: int
    blessed: BlessedCase | None


class Drawing:
    """Draws the cases of a plan, each once, and gives them out in their order.

    An error that ends the plan is raised in its place, after the cases before it: it is that of the item whose plan
    this is, whoever looked ahead.

    Attributes:
        plan: what is drawn from.
        is_spoilt: whether drawing was broken off, as by a time limit: what would come next is not known any more.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.is_spoilt = False
        self._cases = iter(plan)
        self._has_ended = False
        self._error: VqamtError | None = None
        self._waiting: deque[PlannedCase] = deque()
        self._seen = 0
        self._rest: deque[Query] = deque()

    def __iter__(self) -> Iterator[PlannedCase]:
        return self

    def __next__(self) -> PlannedCase:
        """The next case of the item, whose turn has come.

        Raises:
            VqamtError: the relation raised an error of its own, or a scene cannot be read.
        """
        if not self._waiting and not self._draw():
            if self._error is not None:
                raise self._error
            raise StopIteration
        self._seen = max(0, self._seen - 1)
        if not self._seen:
            self._rest.clear()
        return self._waiting.popleft()

    @property
    def waiting(self) -> int:
        """How many cases were drawn before their turn."""
        return len(self._waiting)

    def look_ahead(self, task: Task, room: int) -> Query | None:
        """The next query of ``task``, of a case whose turn has not come; each is given once.

        None where there is none left, or none without having more than ``room`` cases wait.
        """
        while True:
            while self._rest:
                query = self._rest.popleft()
                if query.task is task:
                    return query
            if self._seen == len(self._waiting) and (self._seen >= room or not self._draw()):
                return None
            self._rest.extend(self._waiting[self._seen].case.queries)
            self._seen += 1

    def put_back(self, queries: Sequence[Query]) -> None:
        """Has ``look_ahead`` give these, its latest, once more."""
        self._rest.extendleft(reversed(queries))

    def _draw(self) -> bool:
        """Draws one case more; False where there is none."""
        if self._has_ended:
            return False
        try:
            case = next(self._cases)
        except StopIteration:
            self._has_ended = True
            return False
        except VqamtError as error:
            self._has_ended, self._error = True, error
            return False
        except BaseException:
            self._has_ended = self.is_spoilt = True  # a generator that an exception has left gives no more
            raise
        self._waiting.append(PlannedCase(case, self.plan.part, self.plan.position, self.plan.latest))
        return True
