"""What a model returned, held against what was asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from reprlib import repr as shortened

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.models.declared import told


def checked(returned: object, batch: Sequence[ModelInput], who: str) -> tuple[Answer, ...]:
    """One answer for each input of the batch, in their order.

    Args:
        returned: what the model gave.
        batch: what it was asked.
        who: the method that gave it, as errors call it.

    Raises:
        ModelError: it is something else.
    """
    if isinstance(returned, str | bytes | Mapping | set | frozenset) or not isinstance(returned, Iterable):
        raise ModelError(f"Expected {who} to return a sequence of answers, but got {told(returned)}")
    given = tuple(returned)
    if len(given) != len(batch):
        raise ModelError(f"Expected {who} to return {len(batch)} answers, one per input, but got {len(given)}")
    return tuple(_answer(value, asked, who) for value, asked in zip(given, batch, strict=True))


def _answer(value: object, asked: ModelInput, who: str) -> Answer:
    if isinstance(value, str):
        return Answer(_writable(value))
    if isinstance(value, Answer) and _is_sound(value.text, value.scores):
        return Answer(_writable(value.text), value.scores, bool(value.truncated))
    raise ModelError(
        f"Expected {who} to return an Answer(text, scores) or a str for each input, but got {told(value)} "
        f"for text={shortened(asked.text)}"
    )


def _writable(text: str) -> str:
    """The text as a plain string that every file can hold: half of a cut-off emoji becomes a question mark."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def _is_sound(text: object, scores: object) -> bool:
    """Whether what a model put into an Answer is of the types that Answer declares."""
    if not isinstance(text, str) or not isinstance(scores, tuple | None):
        return False
    return all(
        isinstance(pair, tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and isinstance(pair[1], float | int)
        and isfinite(pair[1])
        for pair in scores or ()
    )
