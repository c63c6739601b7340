"""The only source of random choices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import accumulate
from random import Random
from typing import Protocol, TypeVar

T = TypeVar("T")

_PART = 100
"""The number of draws in a Hypothesis run; each part has its own seed, so that long runs are not kept in memory."""


class Chooser(Protocol):
    """Makes the choices of a relation.

    The first option of every choice (the lowest number, False) is the simplest, towards which violations shrink.
    """

    def one(self, options: Sequence[T]) -> T:
        """One of ``options`` (at least one), with equal probabilities."""
        ...

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        """``k`` different positions of ``options``, in the order they were drawn."""
        ...

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One of ``options``, with probabilities proportional to ``weights``."""
        ...

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        ...

    def between(self, lo: int, hi: int) -> int:
        """A whole number from ``lo`` to ``hi``, both included."""
        ...


class RandomChooser:
    """A Chooser over ``random.Random``.

    >>> RandomChooser(Random(0)).one(["cat", "dog"])
    'dog'
    """

    def __init__(self, random: Random) -> None:
        self._random = random.random
        self._sample = random.sample

    def one(self, options: Sequence[T]) -> T:
        return options[int(self._random() * len(options))]

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        return tuple(self._sample(options, k))

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        sums = list(accumulate(weights))
        # bisect_right leaves out options of weight 0; min, as rounding may give the sum itself.
        return options[min(bisect_right(sums, self._random() * sums[-1]), len(options) - 1)]

    def chance(self, p: float) -> bool:
        return self._random() < p

    def between(self, lo: int, hi: int) -> int:
        return lo + int(self._random() * (hi - lo + 1))


class Sampler(StrEnum):
    """The source of the choices."""

    HYPOTHESIS = "hypothesis"
    RANDOM = "random"


def draws(sampler: Sampler, make: Callable[[Chooser], T], seed: Callable[[int], int]) -> Iterator[T]:
    """The results of ``make`` for one draw after another, without end; ``seed(part)`` seeds each part of the run.

    The same seeds give the same draws, in every process.
    """
    if sampler is Sampler.RANDOM:
        chooser = RandomChooser(Random(seed(0)))
        while True:
            yield make(chooser)
    part = 0
    while True:
        yield from hypothesis_part(make, seed(part))
        part += 1


def hypothesis_part(make: Callable[[Chooser], T], seed: int) -> list[T]:
    """One part of a Hypothesis run: generate phase only, nothing shrunk."""
    made: list[T] = []
    explore(make, made.append, seed, shrink=False)
    return made


class _CarriedOut(BaseException):
    """Leaves Hypothesis at once: other exceptions are failing examples, which are run again."""


class Interesting(Exception):  # noqa: N818 - it marks a find, not an error
    """Raised by ``look`` to have the value shrunk."""


def explore(make: Callable[[Chooser], T], look: Callable[[T], None], seed: int, *, shrink: bool) -> None:
    """Runs one part with Hypothesis and calls ``look`` with each value; shrinks values for which it raises Interesting.

    Hypothesis's database and the user's profile are not used: the same seed draws the same values, and shrinks them in
    the same order.
    """
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import seed as shrinking_seeded
    from hypothesis import strategies as st
    from hypothesis.errors import HypothesisException, StopTest

    from pytest_vqamt.sampling.hypothesis import BACKEND, HypothesisChooser, seeded

    raised: list[BaseException] = []

    @contextmanager
    def carrying_out() -> Iterator[None]:
        """Records any error that is not Hypothesis's own: ours, the user's, or pytest-timeout's.

        Hypothesis would call ``make`` again, which raises no more (the disk has room, the time is not up), and blame it
        as flaky.
        """
        try:
            yield
        except (HypothesisException, StopTest, Interesting):
            raise
        except BaseException as error:
            raised.append(error)
            raise _CarriedOut from None

    @st.composite
    def one_draw(draw: st.DrawFn) -> T:
        with carrying_out():
            return make(HypothesisChooser(draw))

    @shrinking_seeded(seed)  # what it draws is seeded by the backend
    @settings(
        backend=BACKEND,
        max_examples=_PART,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        database=None,
        deadline=None,
        derandomize=False,  # it would seed by the function's name instead
        print_blob=False,
        report_multiple_bugs=False,  # else it raises a group of exceptions, and shrinks each kind of them
        suppress_health_check=tuple(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(one_draw())
    def run(drawn: T) -> None:
        with carrying_out():
            look(drawn)

    with seeded(seed), suppress(Interesting, _CarriedOut):
        run()
    if raised:  # the error itself, without Hypothesis's frames and notes
        raise raised[0]
