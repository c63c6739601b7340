"""Whatever an object of the user's raises, and wherever it is touched, leaves the border as an Exception in one line."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Task
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.base import ModelOptions, wrap_model
from pytest_vqamt.models.guarded import RaisedError, calling, guarded, guarded_stream, reading
from tests.plugin.conftest import Run, run  # noqa: F401 - a fixture


class Quits(BaseException):
    """An exception of a library that is none of Python's ordinary ones."""


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise Quits("no text")


ODD = [GeneratorExit("gone"), Quits("gone"), Unspeakable()]
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


@pytest.mark.parametrize("error", [KeyboardInterrupt(), pytest.fail.Exception("time is up")])
def test_ctrl_c_and_what_pytest_raises_go_through(error: BaseException) -> None:
    for border in (calling(), reading("it")):
        with pytest.raises(type(error)), border:
            raise error


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
    assert guarded(lambda: (each for each in "ab"))() == ["a", "b"]


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


OWN = """
    class Quits(BaseException): pass

    class Call:
        fingerprint = "x"
        def answer(self, batch): raise Quits("gone")

    class Generator(Call):
        def answer(self, batch): raise GeneratorExit

    class Meets(Call):
        def meet(self, sources): raise Quits("gone")

    class Prints(Call):
        @property
        def fingerprint(self): raise ValueError("gone")

    class Loads(Call):
        def __init__(self): raise Quits("gone")
"""


@pytest.mark.parametrize("name", ["Call", "Generator", "Meets", "Prints", "Loads"])
def test_a_session_tells_it_in_a_few_lines(name: str, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own=OWN)
    result = run("--vqamt-relations=carets.negation", model=f"python:own:{name}")
    lines = result.outlines + result.errlines
    assert len(lines) < 60
    assert not any("INTERNALERROR" in line for line in lines)
    assert any("raised Quits" in line or "GeneratorExit" in line or "gone" in line for line in lines)
