"""The only source of random choices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import accumulate, count
from random import Random
from typing import Protocol, TypeVar

T = TypeVar("T")

_PART = 100
"""The number of draws in a part of a run; each part has its own seed, so that a violation is shrunk from its part."""

_STEPS = 1 << 20
"""Chances and weights in whole numbers: shares of this."""


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


class OrderedChooser:
    """A Chooser over whole numbers, of which smaller ones are simpler; ``between`` draws one from its ends included.

    >>> OrderedChooser(lambda lo, hi: lo).several("abc", 2)
    ('a', 'b')
    """

    def __init__(self, between: Callable[[int, int], int]) -> None:
        self._between = between

    def one(self, options: Sequence[T]) -> T:
        return options[self.between(0, len(options) - 1)]

    def several(self, options: Sequence[T], k: int) -> tuple[T, ...]:
        left = list(options)
        return tuple(left.pop(self.between(0, len(left) - 1)) for _ in range(k))

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        sums = list(accumulate(weights))
        at = self.between(0, _STEPS - 1) / _STEPS * sums[-1]
        return options[min(bisect_right(sums, at), len(options) - 1)]

    def chance(self, p: float) -> bool:
        return self.between(0, _STEPS - 1) >= (1 - p) * _STEPS  # from above, so that 0 is False

    def between(self, lo: int, hi: int) -> int:
        return self._between(lo, hi) if hi > lo else lo  # a single number is no choice, and costs no draw


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
    for part in count():
        # What ``explore`` draws, in its order: the simplest choices first, then those of the seeded backend. As long as
        # there is nothing to shrink, the engine of Hypothesis would make the same draws at ten times the price.
        random = Random(seed(part))
        yield make(OrderedChooser(_nearest_to_0))
        chooser_of_part = OrderedChooser(random.randint)
        for _ in range(_PART - 1):
            yield make(chooser_of_part)


def _nearest_to_0(lo: int, hi: int) -> int:
    """The whole number that Hypothesis takes to be the simplest of a range."""
    return min(max(lo, 0), hi)


class _CarriedOut(BaseException):
    """Leaves Hypothesis at once: other exceptions are failing examples, which are run again."""


class Interesting(Exception):  # noqa: N818 - it marks a find, not an error
    """Raised by ``look`` to have the value shrunk."""


def explore(make: Callable[[Chooser], T], look: Callable[[T], None], seed: int) -> None:
    """Runs one part with Hypothesis and calls ``look`` with each value; shrinks values for which it raises Interesting.

    The values of a part are those of ``draws`` (with small choices of few outcomes, Hypothesis may end it early).

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
        phases=(Phase.generate, Phase.shrink),
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
