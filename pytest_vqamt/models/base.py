"""What a model is, and how any object or function becomes one.

A model is an object with one or more of the methods ``answer``, ``entail`` and ``caption``, or a plain function
``f(image, text) -> str``. The methods it has say which tasks it is tested on. These attributes are optional:

``fingerprint`` (str)
    Part of every key of the answer cache: it names everything that can change an answer. That is the weights (their
    digest, or a revision that cannot move), the settings (prompt, precision, longest text), and each installed package
    that computes the answer, with its version (``transformers==5.23.0``), so that an upgrade asks anew. The version of
    a package never stands for weights: a model that an installed package brings names both. Device and batch size
    are left out. Without a fingerprint nobody can tell whether the model has changed, so its answers are kept for one
    run only.

``batch_size`` (int)
    How many inputs it takes at once where the user leaves it open.

``largest_batch`` (int)
    Up to how many it may be asked at once: batches double as long as memory lasts. Without it, never more than
    ``batch_size``.

``usage`` (a mapping of names to numbers)
    What its answers have cost since it was made, such as ``{"tokens in": 1200}``: it stands in the report.

``prepare(task, batch)``
    A method that does ahead what needs no device, such as drawing, resizing and tokenizing, and leaves it on the
    inputs as their ``prepared``. It is called on a thread of its own while the batch before is answered, so what both
    use must be safe for two threads. It may also not be called, or raise: the batch is asked all the same, in parts
    where a part of it fails, and what is left of ``prepared`` is taken off afterwards.

``batches_at_once`` (int)
    From how many threads it may be asked at once, a batch each; without it, from one.

A ``ModelError`` out of a model means that all of it is unusable; any other exception is about the batch that was asked.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from reprlib import repr as shortened
from typing import Protocol, TypeAlias, runtime_checkable

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.models.batching import BatchSize, Standing

if sys.version_info >= (3, 14):
    # Annotations are evaluated when they are asked for, and may name what is imported for type checkers only.
    from annotationlib import Format

    def _signature(function: Callable[..., object]) -> inspect.Signature:
        return inspect.signature(function, annotation_format=Format.STRING)

else:
    _signature = inspect.signature

DEFAULT_BATCH_SIZE = 32


class VQAModel(Protocol):
    """Answers questions about pictures."""

    def answer(self, batch: Sequence[ModelInput]) -> Sequence[Answer]: ...


class EntailmentModel(Protocol):
    """Says whether a picture entails a hypothesis: "entailment", "neutral" or "contradiction"."""

    def entail(self, batch: Sequence[ModelInput]) -> Sequence[Answer]: ...


class CaptionModel(Protocol):
    """Describes pictures."""

    def caption(self, batch: Sequence[ModelInput]) -> Sequence[Answer]: ...


METHODS: Mapping[Task, str] = {Task.VQA: "answer", Task.ENTAILMENT: "entail", Task.CAPTIONING: "caption"}
"""The method that does each task, in the order in which tasks are listed."""


@runtime_checkable
class Deferred(Protocol):
    """A model whose answers are written down elsewhere, and that may lack some of them."""

    @property
    def todo_file(self) -> Path:
        """Where the queries that lack an answer are listed."""
        ...

    def lacks(self, query: Query) -> bool:
        """Whether the query has no answer yet; asked before the query is."""
        ...

    def todo(self, queries: Iterable[Query]) -> None:
        """Adds queries to the list; what is listed already is not added again. Several processes may do so at once."""
        ...

    def prune(self) -> None:
        """Takes off the list what has been answered. Called once a run, by one process, before any asks."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What the user says of how models are to run.

    Attributes:
        batch_size: inputs asked at once; None leaves it to the model.
        device: "auto", "cpu", "cuda" or "cuda:N".
        dtype: the precision of the weights, such as "bfloat16"; None leaves it to the model.
        settings: what ``--vqamt-option NAME=VALUE`` gave.
        cache: the folder in which a model may keep what it has worked out, such as features; None to keep nothing.
        worker, workers: which of how many processes of this run this is, counted from 0.
    """

    batch_size: int | None = None
    device: str = "auto"
    dtype: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    cache: Path | None = None
    worker: int = 0
    workers: int = 1

    def __post_init__(self) -> None:
        if self.batch_size is not None and self.batch_size < 1:
            raise OptionError(f"Expected a batch size of 1 or more, or auto, but got batch_size={self.batch_size!r}")


Method: TypeAlias = Callable[[Sequence[ModelInput]], object]

Readies: TypeAlias = Callable[[Task, Sequence[ModelInput]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model ready to be asked, whatever it was made from.

    Attributes:
        name: its spec, as items and reports show it.
        tasks: what it can do, in the order of ``METHODS``.
        fingerprint: what its answers are filed under.
        persistent: whether answers may be kept for later runs: whether it declares its fingerprint itself.
        batch: how many inputs to ask at once, which changes as the run goes on.
        standing: how it has done so far.
        deferred: the model's list of what it cannot answer yet, where it has one.
        methods: what to call for each task.
        readies: its method ``prepare``, where it has one.
        batches_at_once: from how many threads it may be asked at once.
        used: what its answers have cost so far.
    """

    name: str
    tasks: tuple[Task, ...]
    fingerprint: str
    persistent: bool
    batch: BatchSize = field(compare=False)
    standing: Standing = field(compare=False, default_factory=Standing)
    deferred: Deferred | None = None
    methods: Mapping[Task, Method] = field(repr=False, compare=False)
    readies: Readies | None = field(repr=False, compare=False, default=None)
    batches_at_once: int = field(compare=False, default=1)
    used: Callable[[], Mapping[str, float]] = field(repr=False, compare=False, default=dict)

    @property
    def batch_size(self) -> int:
        """How many inputs to ask at once now."""
        return self.batch.now

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Does ahead what of ``ask`` needs no device, where the model can; on another thread than ``ask``.

        Whatever goes wrong here goes wrong in ``ask`` once more, which finds out the query that it is about.
        """
        if self.readies is None or self.standing.given_up or not batch:
            return
        try:
            self.readies(task, batch)
        except Exception:  # told by ask, see above
            _let_go(batch)

    def ask(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer for each input, in their order.

        Raises:
            ModelError: the model does not do ``task``, what it returned is not one answer for each input, or it has
                said of itself before that it cannot be used.
            Exception: whatever else the model raises, unchanged.
        """
        method = self.methods.get(task)
        if method is None:
            known = ", ".join(self.tasks)
            raise ModelError(f"Expected a task of model {self.name!r} ({known}), but got task={task.value!r}")
        if not batch:
            return ()
        if self.standing.given_up:
            raise ModelError(f"Model {self.name!r} was given up before: {self.standing.given_up}")
        try:
            returned = method(batch)
        except ModelError as error:
            self.standing.given_up = str(error)
            raise
        finally:
            _let_go(batch)
        who = f"{getattr(method, '__qualname__', METHODS[task])}() of model {self.name!r}"
        return checked(returned, batch, who)


def _let_go(batch: Sequence[ModelInput]) -> None:
    for asked in batch:
        asked.prepared = None


def adopt(name: str, model: object, options: ModelOptions) -> LoadedModel:
    """``model``, an object with one of the methods or a function ``f(image, text)``, made ready under ``name``.

    Raises:
        ModelError: it is neither, or its ``fingerprint`` or one of its sizes is of the wrong type.
    """
    methods = _methods(model)
    if not methods:
        raise ModelError(
            f"Expected model {name!r} to be an object with a method answer, entail or caption, or a function "
            f"f(image, text), but got {'the class ' if isinstance(model, type) else ''}{told(model)}"
        )
    declared: object = getattr(model, "fingerprint", None)
    if not isinstance(declared, str | None):
        raise ModelError(
            f"Expected the fingerprint of model {name!r} to be a string (an attribute or a property), "
            f"but got fingerprint={told(declared)}"
        )
    return LoadedModel(
        name=name,
        tasks=tuple(methods),
        fingerprint=declared or f"undeclared:{name}",
        persistent=bool(declared),
        batch=_batch(name, model, options),
        deferred=model if isinstance(model, Deferred) else None,
        methods=methods,
        readies=_readies(model),
        batches_at_once=own_size(name, model, "batches_at_once", 1),
        used=lambda: usage_of(name, model),
    )


def takes(function: Callable[..., object], *arguments: str) -> bool:
    """Whether ``function`` can be called with so many positional arguments; False where it has no signature to tell."""
    try:
        _signature(function).bind(*arguments)
    except (TypeError, ValueError):
        return False
    return True


def _methods(model: object) -> dict[Task, Method]:
    if isinstance(model, type):
        return {}
    methods: dict[Task, Method] = {}
    for task, name in METHODS.items():
        found: object = getattr(model, name, None)
        if callable(found):
            methods[task] = found
    if not methods and callable(model) and takes(model, "image", "text"):
        return {Task.VQA: _one_by_one(model)}
    return methods


def _readies(model: object) -> Readies | None:
    """Its method ``prepare``, unless that takes something else and so is for other purposes."""
    found: object = getattr(model, "prepare", None)
    return found if callable(found) and takes(found, "task", "batch") else None


def _one_by_one(function: Callable[..., object]) -> Method:
    def answer(batch: Sequence[ModelInput]) -> object:
        return [function(each.image, each.text) for each in batch]

    answer.__qualname__ = getattr(function, "__qualname__", type(function).__qualname__)
    return answer


def _batch(name: str, model: object, options: ModelOptions) -> BatchSize:
    """What the user says, else what the model says."""
    if options.batch_size is not None:
        return BatchSize(options.batch_size)
    first = own_size(name, model, "batch_size", DEFAULT_BATCH_SIZE)
    return BatchSize(first, most=max(first, own_size(name, model, "largest_batch", first)))


def own_size(name: str, model: object, attribute: str, default: int) -> int:
    """A number of inputs at once that the model declares, or ``default``.

    Raises:
        ModelError: it is no such number.
    """
    size: object = getattr(model, attribute, None)
    if size is None:
        return default
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ModelError(
            f"Expected the {attribute} of model {name!r} to be 1 or more, but got {attribute}={told(size)}"
        )
    return size


def usage_of(name: str, model: object) -> Mapping[str, float]:
    """What the model's answers have cost so far; empty where it keeps no account.

    Raises:
        ModelError: it maps no names to numbers.
    """
    usage: object = getattr(model, "usage", None)
    if usage is None:
        return {}
    if not isinstance(usage, Mapping) or not all(
        isinstance(key, str) and isinstance(value, int | float) and isfinite(value) for key, value in usage.items()
    ):
        raise ModelError(f"Expected the usage of model {name!r} to map names to numbers, but got usage={told(usage)}")
    return dict(usage)


def told(value: object) -> str:
    """A value and its type, short enough for a message."""
    return f"{shortened(value)} ({type(value).__qualname__})"


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
