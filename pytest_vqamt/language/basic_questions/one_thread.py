"""One thread for linear algebra: with several, sums are added up in another order, and differ in their last digits."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Protocol


class _Controller(Protocol):
    def limit(self, *, limits: int) -> AbstractContextManager[object]: ...


def one_thread() -> AbstractContextManager[object]:
    """Within it NumPy, SciPy and scikit-learn compute in one thread, so that results are equal on any number."""
    return _controller().limit(limits=1)


@cache
def _controller() -> _Controller:
    # It looks up once what is loaded, and this has to be by then.
    import sklearn.linear_model  # type: ignore[import-untyped]  # noqa: F401 - it has neither types nor stubs
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # as above

    controller: _Controller = ThreadpoolController()
    return controller
