"""Whatever an object of the user's raises, wherever it is touched, is an Exception of one line."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Task
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.guarded import RaisedError, calling, guarded, guarded_stream, reading
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model


class Quits(BaseException):
    """An exception of a library that is none of Python's ordinary ones."""


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise Quits("no text")


ODD = [GeneratorExit("gone"), Quits("gone"), UnspeakableError()]
ATTRIBUTES = (
    "answer", "fingerprint", "batch_size", "largest_batch", "usage", "prepare", "understands", "switches_reasoning",
    "batches_at_once", "stream_answers", "meet", "forecast",
)  # fmt: skip


def model_that_raises(attribute: str, error: BaseException) -> object:
    """A model with a property that raises."""

    def answer(_self: object, batch: list[Any]) -> list[str]:
        return ["yes" for _ in batch]

    def raises(_self: object) -> object:
        raise error

    return type("Own", (), {"answer": answer, "fingerprint": "x", attribute: property(raises)})()


@pytest.mark.parametrize("error", [*ODD, ValueError("no"), SystemExit(3)], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_an_attribute_that_raises_is_one_line(attribute: str, error: BaseException) -> None:
    with pytest.raises(
        ModelError, match=rf"^Expected no error from .* of model 'own', but it raised {type(error).__name__}"
    ):
        wrap_model("own", model_that_raises(attribute, error), ModelOptions()).used()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), pytest.exit.Exception("enough")])
def test_ctrl_c_and_the_end_of_a_session_go_through(error: BaseException) -> None:
    for border in (calling(), reading("it")):
        with pytest.raises(type(error)), border:
            raise error


@pytest.mark.parametrize("error", [pytest.skip.Exception("no GPU"), pytest.fail.Exception("no GPU")])
def test_an_outcome_of_a_test_is_none_of_a_model(error: BaseException) -> None:
    with pytest.raises(RaisedError, match="no GPU"), calling():
        raise error
    with pytest.raises(ModelError, match="no GPU"), reading("it"):
        raise error


def test_what_a_handler_of_signals_raises_goes_through() -> None:
    """As a time limit by SIGALRM, which meets whatever code runs."""

    def handler(*_: object) -> None:
        raise Quits("time is up")

    def computes() -> None:
        signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(Quits):
            guarded(computes)()
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("error", ODD, ids=lambda error: type(error).__name__)
def test_a_call_raises_an_exception_that_has_a_text(error: BaseException) -> None:
    def raises(*_: object) -> list[str]:
        raise error

    def yields(*_: object) -> Any:
        yield "yes"
        raise error

    class Own:
        def __iter__(self) -> Any:
            raise error

    for function in (raises, yields, lambda *_: Own()):
        with pytest.raises(RaisedError, match=type(error).__name__):
            guarded(function)([])
    with pytest.raises(RaisedError, match=type(error).__name__):
        list(guarded_stream(yields)(Task.VQA, []))


def test_other_exceptions_are_as_they_were() -> None:
    with pytest.raises(ZeroDivisionError):
        guarded(lambda: 1 // 0)()
    assert guarded(lambda: "yes")() == "yes"
    made: object = guarded(lambda: (each for each in "ab"))()
    assert made == ["a", "b"]


def test_meeting_the_sources_that_raises_is_one_line() -> None:
    class Own:
        def answer(self, batch: list[Any]) -> list[str]:
            return ["yes" for _ in batch]

        def meet(self, sources: object) -> None:
            raise Quits("gone")

    with pytest.raises(
        ModelError, match=r"^Expected no error from meet\(sources\) of model 'own', but it raised Quits"
    ):
        wrap_model("own", Own(), ModelOptions()).meet([load("pictures:2")])
