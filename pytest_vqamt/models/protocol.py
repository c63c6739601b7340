"""What a model may have, and the checks of what it gives.

A model is an object with one or more of the methods ``answer``, ``entail`` and ``caption``, or a plain function
``f(image, text) -> str``. Its methods decide which tasks it is tested on. These attributes are optional:

``fingerprint`` (str)
    Part of every key of the answer cache. It covers everything that can change an answer: the weights (their digest,
    or a revision that cannot move), the settings (prompt, precision, longest text), and each installed package that
    computes the answer, with its version (``transformers==5.23.0``). The version of a package never stands for
    weights: a model that comes with a package names both. It tells a GPU from the CPU, but not one GPU from another;
    batch size is left out. Without a fingerprint a change of the model cannot be noticed, so its answers are cached for
    one run only.

A batch is a sequence of ``ModelInput``: ``image``, ``text``, and for a model that follows instructions ``prompt``, the
text with the form of answer that it wants. A fingerprint also covers whether ``text`` or ``prompt`` was used.

``batch_size`` (int)
    The batch size where the user sets none.

``largest_batch`` (int)
    Batches double up to this size as long as memory lasts. Default: ``batch_size``.

``usage`` (a mapping of names to numbers)
    What its answers have cost since it was made, such as ``{"tokens in": 1200}``: shown in the report.

``prepare(task, batch)``
    Does in advance what needs no device, such as rendering, resizing and tokenizing, and stores it on the inputs as
    their ``prepared``. It runs on its own thread while the previous batch is answered, so shared state must be
    thread-safe. It may raise, or not be called at all: the batch is answered all the same, in parts where a part of it
    fails. What is left of ``prepared`` is removed afterwards.

``meet(sources)``
    Is given the scene sources of the run, in their order, before the first query about one of them. For reference
    models, which know scenes: what is tested is given pictures and texts alone.

``forecast(queries, measured)``
    The tokens and the cost that queries will take (``models/token_forecast.py``), for ``--vqamt-plan``.

``understands(query)``
    True if the model can take the query, by its text or its meaning; False, or a ``Declined`` with the reason and the
    unknown words, if not. Such queries are not sent to it, and their cases are ``declined``.

``switches_reasoning`` (bool)
    True if it answers with or without reasoning as the ``reasoning`` of a query says. Queries where that is not None
    are declined for other models.

``takes`` (tuple of str)
    What it takes beside one picture and one text: "pictures" for several of them, "turns" for earlier turns,
    "interleaved" for text before a picture, "system" for a system message. Queries that need more are declined. Such a
    model reads ``turns`` of its inputs, or ``images`` and ``parts``.

``batches_at_once`` (int)
    How many threads may call it at once, a batch each. Default: one.

``stream_answers(task, batch)``
    Yields ``(index, outcome)`` for each input as soon as it is known, in any order; an outcome is an ``Answer``, or the
    exception that concerns this input alone. For models that send a request per input: each answer is stored as it
    arrives, and a failure does not repeat the others. Where it is there, a run calls it in place of the methods above,
    which still say what tasks the model does.

A ``ModelError`` disables the model for the run; any other exception concerns the batch only.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.query import Answer, Declined, ModelInput, Query, Task
from pytest_vqamt.core.text import count_noun, encodable
from pytest_vqamt.models.guarded import reading

if TYPE_CHECKING:
    from pytest_vqamt.models.budget import Budget

if sys.version_info >= (3, 14):
    # Annotations are evaluated when they are asked for, and may name what is imported for type checkers only.
    from annotationlib import Format

    def signature_of(function: Callable[..., object]) -> inspect.Signature:
        """The signature of a function."""
        return inspect.signature(function, annotation_format=Format.STRING)

else:
    signature_of = inspect.signature

DEFAULT_BATCH_SIZE = 32
ONE_DEVICE = "auto, cpu, cuda, cuda:N or mps"
SEVERAL_DEVICES = "auto, cpu, cuda, cuda:N, cuda:N+cuda:M or mps"
"""The forms of a device, and with those that spread one model."""
CALL_ASYNC = "call it in a plain function, return asyncio.run(...)"
"""What to do about an async method."""

METHODS: Mapping[Task, str] = {Task.VQA: "answer", Task.ENTAILMENT: "entail", Task.CAPTIONING: "caption"}
"""The method of each task, in the order in which tasks are listed."""

Method: TypeAlias = Callable[[Sequence[ModelInput]], object]

Preprocess: TypeAlias = Callable[[Task, Sequence[ModelInput]], object]

StreamAnswers: TypeAlias = Callable[[Task, Sequence[ModelInput]], Iterable[tuple[int, object]]]


@runtime_checkable
class Deferred(Protocol):
    """A model whose answers are recorded elsewhere and may be incomplete."""

    @property
    def todo_file(self) -> Path:
        """The file that lists queries without an answer."""
        ...

    def lacks(self, query: Query) -> bool:
        """True if the query has no answer yet; called before the query is sent."""
        ...

    def todo(self, queries: Iterable[Query]) -> None:
        """Adds queries to the list unless they are on it. Several processes may do so at once."""
        ...

    def prune(self) -> None:
        """Removes answered queries from the list. Called once a run, by one process, before any query."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The user's settings for models."""

    batch_size: int | None = None
    """None leaves it to the model."""
    device: str = "auto"
    """"auto", "cpu", "mps", "cuda", "cuda:N", or "cuda:N+cuda:M" for layers of one model on several devices."""
    dtype: str | None = None
    """The precision of the weights, such as "bfloat16"; None leaves it to the model."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """From ``--vqamt-option NAME=VALUE``."""
    cache: Path | None = None
    """A folder for what a model computes, such as features; None to cache nothing."""
    timeout_s: float | None = None
    """The time that a batch may take; None for any time."""
    budget: Budget | None = field(default=None, compare=False, repr=False)
    """The money that the run may spend; None for any amount."""
    worker: int = 0
    """The place of this process among the workers of xdist that run at once, from 0."""
    workers: int = 1
    """How many processes this run has."""

    def __post_init__(self) -> None:
        if self.batch_size is not None and self.batch_size < 1:
            raise OptionError(f"Expected a batch size of 1 or more, or auto, but got batch_size={self.batch_size!r}")
        if self.timeout_s is not None and not 0 < self.timeout_s < inf:
            raise OptionError(f"Expected a timeout of more than 0 seconds, but got timeout={self.timeout_s!r}")


def accepts(function: Callable[..., object], *arguments: str) -> bool:
    """True if ``function`` takes these positional arguments; False where it has no signature."""
    try:
        signature_of(function).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def declared_size(name: str, model: object, attribute: str, default: int) -> int:
    """A positive integer attribute of the model, or ``default``.

    Raises:
        ModelError: the attribute is something else.
    """
    size: object = getattr(model, attribute, None)
    if size is None:
        return default
    # True is an int.
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ModelError(
            f"Expected the {attribute} of model {name!r} to be 1 or more, but got {attribute}={described(size)}"
        )
    return size


def declared_usage(name: str, model: object) -> Mapping[str, float]:
    """The model's ``usage``, or an empty mapping.

    Raises:
        ModelError: it does not map names to numbers.
    """
    with reading(f"the usage of model {name!r}", name):
        usage: object = getattr(model, "usage", None)
        # Copied within the border: a mapping of the user's may raise when it is read.
        usage = dict(usage) if isinstance(usage, Mapping) else usage
    if usage is None:
        return {}
    if not isinstance(usage, Mapping) or not all(
        isinstance(key, str) and isinstance(value, Real) and isfinite(value) for key, value in usage.items()
    ):
        raise ModelError(
            f"Expected the usage of model {name!r} to map names to numbers, but got usage={described(usage)}"
        )
    # Reports are UTF-8, and a name of half surrogates could not be written.
    return {encodable(key): _plain(value) for key, value in usage.items()}


def _plain(value: Real) -> float:
    """A number as Python's own: NumPy's are no JSON, though float64 is a float."""
    return int(value) if isinstance(value, Integral) else float(value)


def described(value: object) -> str:
    """A value and its type, shortened for a message."""
    return f"{shortened(value)} ({type(value).__qualname__})"


def validated_answers(returned: object, batch: Sequence[ModelInput], who: str) -> tuple[Answer, ...]:
    """One answer for each input of the batch, in their order; ``who`` names the method in messages.

    Raises:
        ModelError: the model returned something else.
    """
    refuse_awaitable(returned, who)
    # One text for a whole batch would pass as a sequence of characters, and a set has no order.
    if isinstance(returned, str | bytes | Mapping | set | frozenset) or not isinstance(returned, Iterable):
        raise ModelError(f"Expected {who} to return a sequence of answers, but got {described(returned)}")
    # A generator runs here, where its errors are those of the model.
    given = tuple(returned)
    if len(given) != len(batch):
        raise ModelError(
            f"Expected {who} to return {count_noun(len(batch), 'answer')}, one per input, but got {len(given)}"
        )
    return tuple(validated_answer(value, item, who) for value, item in zip(given, batch, strict=True))


def refuse_awaitable(returned: object, who: str) -> object:
    """Returns what a method returned; a coroutine is closed, so that Python does not warn, and raises ModelError."""
    if not inspect.iscoroutine(returned):
        return returned
    returned.close()
    raise ModelError(f"Expected {who} to return its answers, but it returns a coroutine: {CALL_ASYNC}")


def validated_answer(value: object, item: ModelInput, who: str) -> Answer:
    """The answer to one input, whatever form a model may give it in; ``who`` names the method in messages.

    Raises:
        ModelError: the model returned something else.
    """
    if isinstance(value, str):
        return Answer(encodable(value))
    # Its answer has no text, and the reason as ``declined``.
    if isinstance(value, Declined):
        check_declined(value.reason, value.words, who)
        value = value.answer
    if isinstance(value, Answer) and isinstance(value.text, str):
        scores = _valid_scores(value.scores, who)
        # An answer that declines nothing has no reason to check.
        check_declined(value.declined or "-", value.unknown_words, who)
        return replace(
            value,
            text=encodable(value.text),
            scores=scores,
            steps=None if value.steps is None else tuple(_valid_scores(each, who) or () for each in value.steps),
            truncated=bool(value.truncated),
            declined=encodable(value.declined),
            unknown_words=tuple(map(encodable, value.unknown_words)),
            **{name: _valid_amount(name, getattr(value, name), who) for name in ("tokens_in", "tokens_out", "cost")},
        )
    raise ModelError(
        f"Expected {who} to return an Answer(text, scores), a Declined or a str for each input, but got "
        f"{described(value)} for text={shortened(item.text)}"
    )


def check_declined(reason: object, words: object, who: str) -> None:
    """Checks the reason and the unknown words of a query that ``who`` has declined.

    Raises:
        ModelError: they are no texts.
    """
    if not isinstance(reason, str) or not reason.strip():
        raise ModelError(f"Expected {who} to decline with a reason, a text, but got reason={described(reason)}")
    if not isinstance(words, tuple | list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"Expected {who} to decline with a tuple of words, but got words={described(words)}")


def _valid_scores(given: object, who: str) -> tuple[tuple[str, float], ...] | None:
    if given is None:
        return None
    pairs = given if isinstance(given, tuple | list) else (given,)
    scores: list[tuple[str, float]] = []
    for pair in pairs:
        match pair:
            case (str() as label, Real() as score) if isfinite(score):
                scores.append((encodable(label), _plain(score)))
            case _:
                raise ModelError(
                    f"Expected {who} to return scores that are pairs of a text and a finite number, such as "
                    f"(('yes', 0.9), ('no', 0.1)), but got scores={described(given)}"
                )
    return tuple(scores)


def _valid_amount(name: str, given: object, who: str) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= float(given) < inf:
        raise ModelError(f"Expected {who} to return {name}, a number from 0 up, but got {name}={described(given)}")
    return _plain(given)
