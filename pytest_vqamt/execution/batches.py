"""Full batches of queries that nobody else asks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Answer, Failure, Query, Task
from pytest_vqamt.execution.answer_cache import AnswerStore, Found

More: TypeAlias = Callable[[Task, int], Sequence[Query]]
"""Up to so many further queries of a task, which are not needed yet."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.005, 0.1
"""Between two looks at what another process is about to answer."""


class Batches:
    """Makes batches of the queries of one model, each claimed before it is given out.

    What another process asks is left until all else has been asked, and then waited for. Batches come task by task, all
    that is asked of one picture in a row: it is drawn, and may be encoded, once.

    Args:
        more: gives what a batch is filled up with.
        later: gives what ``more`` would give next.
        failed_ahead: the ids of queries that are not to fill a batch up again.

    Attributes:
        asked_ahead: the ids of queries in batches that only fill them up.
    """

    def __init__(
        self,
        store: AnswerStore,
        fingerprint: str,
        queries: Iterable[Query],
        more: More,
        later: More,
        failed_ahead: Iterable[str] = (),
    ) -> None:
        self.asked_ahead: set[str] = set()
        self._found = Found({}, 0, 0)
        self._store = store
        self._fingerprint = fingerprint
        self._more = more
        self._later = later
        self._left = _by_picture(queries)
        self._met = {query.id for some in self._left.values() for query in some} | set(failed_ahead)
        self._mine: dict[Task, deque[Query]] = {task: deque() for task in Task}  # claimed, and in no batch yet
        self._theirs: dict[str, Query] = {}
        self._claimed: dict[str, None] = {}

    def next(self, size: int) -> list[Query]:
        """The next batch; nothing where nothing is left but what other processes ask."""
        for task in Task:
            if batch := self.resized([], task, size):
                return batch
        return []

    def resized(self, batch: Sequence[Query], task: Task, size: int) -> list[Query]:
        """The batch filled up to ``size``, or cut down to it: what is cut off comes next."""
        self._mine[task].extendleft(reversed(batch[size:]))
        made = list(batch[:size])
        while (room := size - len(made)) > 0:
            if self._mine[task]:
                made.append(self._mine[task].popleft())
            elif wanted := list(islice(_popped(self._left[task]), room)):
                made += self._claim(wanted)
            elif made and (filling := self._filling(task, room)):
                made += self._claim_ahead(filling)
            else:
                break
        return made

    def coming(self, n: int | None) -> list[Query]:
        """The next ``n`` queries that are not in a batch yet; None for all."""
        return list(islice((query for task in Task for some in (self._mine, self._left) for query in some[task]), n))

    def later(self, task: Task, n: int) -> list[Query]:
        """Up to ``n`` queries that are asked next, as far as that is known, once nothing is left here.

        They are neither claimed nor needed: they are to be made ready for.
        """
        if self.coming(1):
            return []
        new = {query.id: query for query in self._later(task, n) if query.id not in self._met}
        known = self._store.get(self._fingerprint, tuple(new))
        return [query for name, query in new.items() if name not in known]

    def wait(self, size: int) -> bool:
        """Waits until something can be done about what others ask; False where they ask nothing more of this.

        Nothing claimed may be unanswered meanwhile: two processes would wait for each other.
        """
        pause = _FIRST_PAUSE_S
        while self._theirs:
            settled = self._store.settled(self._fingerprint, tuple(self._theirs))
            if settled:
                wanted = [self._theirs.pop(query_id) for query_id in settled[:size]]
                for query in self._claim(wanted):
                    self._mine[query.task].append(query)
                return True
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_PAUSE_S)
        return False

    def take_found(self) -> Found:
        """What others have answered meanwhile, since this was last called."""
        found, self._found = self._found, Found({}, 0, 0)
        return found

    def answered(self, found: dict[str, Answer | Failure]) -> None:
        """Tells what became of a batch; the answers of it have been kept."""
        for query_id in found:
            self._claimed.pop(query_id, None)
        self._store.let_go(self._fingerprint, [name for name, each in found.items() if isinstance(each, Failure)])

    def let_go(self) -> int:
        """Ends all claims. How many of what is needed have an answer, of batches that were never told of as a whole."""
        answered = 0
        with suppress(VqamtError):  # something worse is under way, and the claims end with the process
            needed = [name for name in self._claimed if name not in self.asked_ahead]
            answered = len(self._store.get(self._fingerprint, needed))
            self._store.let_go(self._fingerprint, tuple(self._claimed))
        self._claimed.clear()
        return answered

    def _claim(self, wanted: Sequence[Query]) -> list[Query]:
        by_id = {query.id: query for query in wanted}
        found, mine = self._store.claim(self._fingerprint, tuple(by_id))
        if found.answers:
            so_far = self._found
            answers = so_far.answers | found.answers
            self._found = Found(answers, so_far.cached + found.cached, so_far.ahead + found.ahead)
        self._claimed |= dict.fromkeys(mine)
        settled = {*found.answers, *mine}
        self._theirs |= {name: query for name, query in by_id.items() if name not in settled}
        return [by_id[name] for name in mine]

    def _filling(self, task: Task, room: int) -> list[Query]:
        """What is not needed yet, and has not been met here."""
        while got := self._more(task, room):
            if new := [query for query in got if query.id not in self._met]:
                return new
        return []

    def _claim_ahead(self, wanted: Sequence[Query]) -> list[Query]:
        by_id = {query.id: query for query in wanted}
        self._met |= by_id.keys()
        _, mine = self._store.claim(self._fingerprint, tuple(by_id), ahead=True)
        self._claimed |= dict.fromkeys(mine)
        self.asked_ahead |= set(mine)
        return [by_id[name] for name in mine]


def _popped(queries: deque[Query]) -> Iterable[Query]:
    while queries:
        yield queries.popleft()


def _by_picture(queries: Iterable[Query]) -> dict[Task, deque[Query]]:
    of_picture: dict[Task, dict[str, list[Query]]] = {task: {} for task in Task}
    for query in queries:
        of_picture[query.task].setdefault(query.picture.digest, []).append(query)
    return {task: deque(query for some in pictures.values() for query in some) for task, pictures in of_picture.items()}
