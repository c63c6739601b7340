"""The border to an object of the user's: whatever it raises leaves it as an Exception, and in one line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from pytest_vqamt.core.errors import ModelError, VqamtError
from pytest_vqamt.core.text import error_text, shown
from pytest_vqamt.models.lost_device import device_lost, is_device_lost

P = ParamSpec("P")
T = TypeVar("T")


class RaisedError(Exception):
    """A user's object raised something that is no Exception, such as GeneratorExit, or an exception without a text."""


def is_of_the_session(error: BaseException) -> bool:
    """True for Ctrl-C, ``pytest.exit`` and exceptions of signal handlers, such as a plugin's time limit.

    A model or a relation that skips or fails a test by pytest's own means is broken as one that raises anything: were
    the test skipped, every gate would pass.
    """
    outcomes = sys.modules.get("_pytest.outcomes")  # without a session there is none
    return (
        isinstance(error, KeyboardInterrupt)
        or (outcomes is not None and isinstance(error, outcomes.Exit))
        or _is_of_a_signal(error)
    )


def _is_of_a_signal(error: BaseException) -> bool:
    """True if a signal handler raised it, as a time limit by SIGALRM does: it interrupts the model's code by chance."""
    # By the code object, as the frame of a handler has no other mark.
    handlers = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()} - {None}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


@contextmanager
def calling() -> Iterator[None]:
    """Turns a BaseException that is no Exception, or an exception without a text, into a RaisedError."""
    try:
        yield
    except VqamtError:
        raise
    except BaseException as error:
        # The item tells of SystemExit: a model or a relation has ended the process.
        if is_of_the_session(error) or isinstance(error, SystemExit):
            raise
        if isinstance(error, Exception) and _has_text(error):
            raise
        # GeneratorExit, a BaseException of a library, or an exception whose __str__ raises.
        raise RaisedError(error_text(error)).with_traceback(error.__traceback__) from None


def _has_text(error: BaseException) -> bool:
    try:
        str(error)
    except BaseException:
        return False
    return True


@contextmanager
def reading(what: str, model: str = "") -> Iterator[None]:
    """Turns any exception from reading the object into a ModelError.

    Args:
        what: the part that is read, for the message.
        model: the name of the model whose part it is, which may have lost its device.

    Raises:
        DeviceLostError: this process can use the model's device no more.
        ModelError: the object raised.
    """
    try:
        yield
    except VqamtError:
        raise
    except BaseException as error:
        if is_of_the_session(error):
            raise
        # A usage may ask the device for its memory, and a fingerprint may be computed there.
        if is_device_lost(error):
            raise device_lost(model, error) from error
        raised = ModelError(f"Expected no error from {what}, but it raised {shown(error_text(error))}")
        if _has_text(error):
            raised.about(error, str(raised))
        raise raised from None


def guarded(function: Callable[P, T]) -> Callable[P, T]:
    """Wraps a function: its iterators are exhausted within the call, and all exceptions leave it as an Exception."""

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        with calling():
            returned = function(*arguments, **named)
            # Texts and mappings stay as they are: the caller refuses them with their type.
            if isinstance(returned, Iterable) and not isinstance(returned, str | bytes | Mapping | set | frozenset):
                return list(returned)  # type: ignore[return-value]  # where it is a generator, its code runs here
            return returned

    return call


def guarded_stream(function: Callable[P, Iterable[T]]) -> Callable[P, Iterable[T]]:
    """Wraps a function that returns an iterator: exceptions from the iterator, too, leave it as an Exception."""

    def pairs(made: Iterable[T]) -> Iterator[T]:
        with calling():
            iterator = iter(made)
        while True:
            with calling():
                try:
                    each = next(iterator)
                except StopIteration:
                    return
            yield each

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> Iterable[T]:
        with calling():
            made = function(*arguments, **named)
        return pairs(made) if hasattr(made, "__iter__") else made  # the caller reports what is no iterable

    return call
