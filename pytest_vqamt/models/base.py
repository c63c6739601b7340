"""Model protocols, and the wrapper that makes any object or function a model.

A model is an object with one or more of the methods ``answer``, ``entail`` and ``caption``, or a plain function
``f(image, text) -> str``. Its methods decide which tasks it is tested on. These attributes are optional:

``fingerprint`` (str)
    Part of every key of the answer cache. It covers everything that can change an answer: the weights (their digest,
    or a revision that cannot move), the settings (prompt, precision, longest text), and each installed package that
    computes the answer, with its version (``transformers==5.23.0``). The version of a package never stands for
    weights: a model that comes with a package names both. Device and batch size are left out. Without a fingerprint a
    change of the model cannot be noticed, so its answers are cached for one run only.

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
    Whether the model can take the query, by its text or its meaning: True, False, or a ``Declined`` with the reason
    and the unknown words. What it cannot take is not put to it: such cases are ``declined``.

``switches_reasoning`` (bool)
    Whether it answers with or without reasoning as the ``reasoning`` of a query says, where that is not None. Such
    queries are declined for a model that does not say so.

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
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, runtime_checkable

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError, location, note
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, Declined, ModelInput, Query, Task
from pytest_vqamt.core.text import count_noun, encodable
from pytest_vqamt.models.batching import BatchSize, ModelHealth
from pytest_vqamt.models.guarded import guarded, guarded_stream, reading
from pytest_vqamt.models.time_limit import TimeLimit, TimeLimitError

if TYPE_CHECKING:
    from PIL.Image import Image

    from pytest_vqamt.data.base import SceneSource
    from pytest_vqamt.models.budget import Budget
    from pytest_vqamt.models.token_forecast import TokenForecast

if sys.version_info >= (3, 14):
    # Annotations are evaluated when they are asked for, and may name what is imported for type checkers only.
    from annotationlib import Format

    def _signature(function: Callable[..., object]) -> inspect.Signature:
        return inspect.signature(function, annotation_format=Format.STRING)

else:
    _signature = inspect.signature

DEFAULT_BATCH_SIZE = 32

METHODS: Mapping[Task, str] = {Task.VQA: "answer", Task.ENTAILMENT: "entail", Task.CAPTIONING: "caption"}
"""The method of each task, in the order in which tasks are listed."""


@runtime_checkable
class Deferred(Protocol):
    """A model whose answers are recorded elsewhere and may be incomplete."""

    @property
    def todo_file(self) -> Path:
        """The file that lists queries without an answer."""
        ...

    def lacks(self, query: Query) -> bool:
        """Whether the query has no answer yet; called before the query is sent."""
        ...

    def todo(self, queries: Iterable[Query]) -> None:
        """Adds queries to the list unless they are on it. Several processes may do so at once."""
        ...

    def prune(self) -> None:
        """Removes answered queries from the list. Called once a run, by one process, before any query."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The user's settings for models.

    Attributes:
        batch_size: None leaves it to the model.
        device: "auto", "cpu", "cuda" or "cuda:N".
        dtype: the precision of the weights, such as "bfloat16"; None leaves it to the model.
        settings: from ``--vqamt-option NAME=VALUE``.
        cache: a folder for what a model computes, such as features; None to cache nothing.
        timeout_s: the time that a batch may take; None for any time.
        budget: the money that the run may spend; None for any amount.
        worker, workers: the number of this process, from 0, and of all processes of this run.
    """

    batch_size: int | None = None
    device: str = "auto"
    dtype: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    cache: Path | None = None
    timeout_s: float | None = None
    budget: Budget | None = field(default=None, compare=False, repr=False)
    worker: int = 0
    workers: int = 1

    def __post_init__(self) -> None:
        if self.batch_size is not None and self.batch_size < 1:
            raise OptionError(f"Expected a batch size of 1 or more, or auto, but got batch_size={self.batch_size!r}")
        if self.timeout_s is not None and not 0 < self.timeout_s < inf:
            raise OptionError(f"Expected a timeout of more than 0 seconds, but got timeout={self.timeout_s!r}")


Method: TypeAlias = Callable[[Sequence[ModelInput]], object]

Preprocess: TypeAlias = Callable[[Task, Sequence[ModelInput]], object]

StreamAnswers: TypeAlias = Callable[[Task, Sequence[ModelInput]], Iterable[tuple[int, object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model ready for inference.

    Attributes:
        name: its spec or its short name, as items and reports show it.
        spec: its spec, if it has a short name.
        tasks: in the order of ``METHODS``.
        fingerprint: part of the key of its cached answers.
        persistent: whether answers may be cached for later runs: whether it declares a fingerprint.
        batch: the batch size, which changes during the run.
        health: its record so far.
        deferred: the model itself, where its answers are recorded elsewhere.
        methods: the callable for each task.
        preprocess: its method ``prepare``, if any.
        streamed: its method ``stream_answers``, if any.
        batches_at_once: how many threads may call it.
        meet: gives it the scene sources of the run.
        used: gives its usage so far.
        forecast: its method ``forecast``, if any.
        prompts: makes the prompts of its inputs, for a model of the user's.
        is_users: whether its code is the user's own, which errors are shown with a traceback.
    """

    name: str
    tasks: tuple[Task, ...]
    fingerprint: str
    persistent: bool
    batch: BatchSize = field(compare=False)
    health: ModelHealth = field(compare=False, default_factory=ModelHealth)
    deferred: Deferred | None = None
    methods: Mapping[Task, Method] = field(repr=False, compare=False)
    preprocess: Preprocess | None = field(repr=False, compare=False, default=None)
    streamed: StreamAnswers | None = field(repr=False, compare=False, default=None)
    batches_at_once: int = field(compare=False, default=1)
    meet: Callable[[Sequence[SceneSource]], object] = field(repr=False, compare=False, default=len)
    used: Callable[[], Mapping[str, float]] = field(repr=False, compare=False, default=dict)
    forecast: Callable[[Sequence[Query], Sequence[tuple[Query, Answer]]], TokenForecast] | None = field(
        repr=False, compare=False, default=None
    )
    request_note: Callable[[Image], str] | None = field(repr=False, compare=False, default=None)
    """Its method of this name, if any: what to know of a picture that is sent to it, before the run."""
    kind: str = field(compare=False, default="")
    """The kind of its spec; of a served model the kind on the server. "" for an object that ``vqamt.run`` was given."""
    switches_reasoning: bool = field(compare=False, default=False)
    """Whether its reasoning can be switched on and off."""
    prompts: Callable[[ModelInput], str] | None = field(repr=False, compare=False, default=None)
    is_users: bool = field(compare=False, default=False)
    spec: str = field(compare=False, default="")

    @property
    def batch_size(self) -> int:
        return self.batch.current

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Preprocesses a batch on another thread than ``ask``, if the model can.

        Where it takes too long, the model is disabled. Other errors are ignored here: ``ask`` meets them again, and its
        caller finds the query that they concern.
        """
        if self.preprocess is None or self.health.disabled_reason or not batch:
            return
        self._give_prompts(batch)
        try:
            self.preprocess(task, batch)
        except TimeLimitError as error:
            self.health.disabled_reason = str(error)
        except Exception:
            _drop_preprocessed(batch)

    def ask(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer for each input, in their order.

        Raises:
            ModelError: the model does not do ``task``, did not return one answer per input, or is disabled.
            Exception: whatever else the model raises, unchanged.
        """
        method = self._method(task)
        if not batch:
            return ()
        self._check_enabled()
        self._give_prompts(batch)
        try:
            returned = method(batch)
        except ModelError as error:
            self.health.disabled_reason = str(error)
            raise
        finally:
            _drop_preprocessed(batch)
        where = f" ({location(method)})" if self.is_users and location(method) else ""
        who = f"{getattr(method, '__qualname__', METHODS[task])}() of model {self.name!r}{where}"
        return validated_answers(returned, batch, who)

    def stream(self, task: Task, batch: Sequence[ModelInput]) -> Generator[tuple[int, Answer | Exception], None, None]:
        """Yields the index and the outcome of each input as it comes, in any order.

        Raises:
            ModelError: as ``ask``, or an input has no outcome, or two.
            Exception: the model raised it.
        """
        self._method(task)
        self._check_enabled()
        assert self.streamed is not None, "called only where the model has this method"
        missing = list(range(len(batch)))
        who = f"stream_answers() of model {self.name!r}"
        self._give_prompts(batch)
        try:
            pairs: object = self.streamed(task, batch)  # a user's method may return anything
            if not isinstance(pairs, Iterable):
                raise ModelError(
                    f"Expected {who} to yield pairs of an index and an outcome, but got {described(pairs)}"
                )
            for pair in pairs:
                if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] in missing):
                    raise ModelError(
                        f"Expected {who} to give pairs of the index of an input, each once, and its outcome, "
                        f"but got {pair!r} in a batch of {len(batch)}"
                    )
                place, outcome = pair
                missing.remove(place)
                yield place, outcome if isinstance(outcome, Exception) else _answer(outcome, batch[place], who)
            if missing:
                raise ModelError(
                    f"Expected {who} to give {len(batch)} outcomes, one per input, but {len(missing)} lack"
                )
        except ModelError as error:
            self.health.disabled_reason = str(error)
            raise

    def _give_prompts(self, batch: Sequence[ModelInput]) -> None:
        for item in batch:
            item.prompts = self.prompts

    def _method(self, task: Task) -> Method:
        method = self.methods.get(task)
        if method is None:
            known = ", ".join(self.tasks)
            raise ModelError(f"Expected a task of model {self.name!r} ({known}), but got task={task.value!r}")
        return method

    def _check_enabled(self) -> None:
        if self.health.disabled_reason:
            raise ModelError(f"Model {self.name!r} is disabled: {self.health.disabled_reason}")


def _drop_preprocessed(batch: Sequence[ModelInput]) -> None:
    for item in batch:
        item.prepared = None


def wrap_model(name: str, model: object, options: ModelOptions) -> LoadedModel:
    """Wraps ``model``, an object with one of the methods or a function ``f(image, text)``, under ``name``.

    Raises:
        ModelError: it is neither, or one of its attributes raises or is of the wrong type.
        OptionError: a prompt of ``options`` cannot be used.
    """
    with reading(f"the attributes of model {name!r}"):
        return _wrapped(name, model, options)


def _wrapped(name: str, model: object, options: ModelOptions) -> LoadedModel:
    from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, prompts_from  # which imports this module

    methods = _methods(model)
    if not methods:
        raise ModelError(
            f"Expected model {name!r} to be an object with a method answer, entail or caption, or a function "
            f"f(image, text), but got {'the class ' if isinstance(model, type) else ''}{described(model)}"
        )
    for task, method in methods.items():
        _check_method(name, method, METHODS[task] if hasattr(model, METHODS[task]) else "")
    declared: object = getattr(model, "fingerprint", None)
    if not isinstance(declared, str | None):
        raise ModelError(
            f"Expected the fingerprint of model {name!r} to be a string (an attribute or a property), "
            f"but got fingerprint={described(declared)}"
        )
    prepare, stream = _optional_method(model, "prepare"), _optional_method(model, "stream_answers")
    batches_at_once = declared_size(name, model, "batches_at_once", 1)
    check = _Understanding(model, name)
    methods = {task: check.method(guarded(method)) for task, method in methods.items()}
    prepare = prepare and check.prepare(guarded(prepare))
    stream = stream and check.stream(guarded_stream(stream))
    if options.timeout_s is not None:
        limit = TimeLimit(options.timeout_s, name, batches_at_once)
        methods = {task: limit.method(method) for task, method in methods.items()}
        prepare, stream = prepare and limit.prepare(prepare), stream and limit.stream(stream)
    is_users = not type(model).__module__.startswith("pytest_vqamt.")
    prompts = prompts_from(options) if is_users else INSTRUCTION_PROMPTS
    changed = () if prompts == INSTRUCTION_PROMPTS else (f"prompts {prompts.digest}",)
    return LoadedModel(
        name=name,
        tasks=tuple(methods),
        fingerprint=" ".join((encodable(declared or f"undeclared:{name}"), *changed)),
        persistent=bool(declared),
        batch=_batch(name, model, options),
        deferred=model if isinstance(model, Deferred) else None,
        methods=methods,
        preprocess=prepare,
        streamed=stream,
        batches_at_once=batches_at_once,
        meet=_meet(name, model),
        used=lambda: declared_usage(name, model),
        forecast=_forecast(model),
        switches_reasoning=check.switches,
        request_note=None if is_users else _request_note(model),
        prompts=prompts.text if is_users else None,
        is_users=is_users,
    )


class _Understanding:
    """Puts to a model only the queries that its method ``understands`` accepts, and whose reasoning it can switch."""

    def __init__(self, model: object, name: str) -> None:
        found: object = getattr(model, "understands", None)
        if found is not None and (not callable(found) or not accepts(found, "query")):
            raise ModelError(
                f"Expected the understands of model {name!r} to be a method of one argument, understands(query), but "
                f"got {described(found)}"
            )
        self._understands = found and guarded(cast("Callable[[Query], object]", found))
        self.switches = bool(getattr(model, "switches_reasoning", False))
        self._who = f"understands() of model {name!r}"

    def method(self, method: Method) -> Method:
        def answer(batch: Sequence[ModelInput]) -> object:
            declined = self._declined(batch)
            if not declined:
                return method(batch)
            rest = [item for place, item in enumerate(batch) if place not in declined]
            returned: object = method(rest) if rest else ()
            if not isinstance(returned, Sequence) or isinstance(returned, str | bytes) or len(returned) != len(rest):
                return returned  # the caller reports it
            given = iter(returned)
            return [declined[place] if place in declined else next(given) for place in range(len(batch))]

        answer.__qualname__ = getattr(method, "__qualname__", "answer")
        answer.__wrapped__ = method  # type: ignore[attr-defined]  # for the place of the method in messages
        return answer

    def prepare(self, prepare: Preprocess) -> Preprocess:
        def some(task: Task, batch: Sequence[ModelInput]) -> object:
            declined = self._declined(batch)
            rest = [item for place, item in enumerate(batch) if place not in declined] if declined else batch
            return prepare(task, rest) if rest else None

        return some

    def stream(self, stream: StreamAnswers) -> StreamAnswers:
        def rest(
            task: Task, batch: Sequence[ModelInput], declined: Mapping[int, Declined]
        ) -> Iterable[tuple[int, object]]:
            yield from declined.items()
            places = [place for place in range(len(batch)) if place not in declined]
            if places:
                for place, outcome in stream(task, [batch[place] for place in places]):
                    yield places[place], outcome

        def some(task: Task, batch: Sequence[ModelInput]) -> Iterable[tuple[int, object]]:
            declined = self._declined(batch)
            return rest(task, batch, declined) if declined else stream(task, batch)

        return some

    def _declined(self, batch: Sequence[ModelInput]) -> dict[int, Declined]:
        found: dict[int, bool | Declined] = {}
        for place, item in enumerate(batch):
            if item.query.reasoning is not None and not self.switches:
                found[place] = CANNOT_SWITCH
            elif self._understands is not None:
                found[place] = self._understood(self._understands, item)
        return {
            place: understood if isinstance(understood, Declined) else Declined()
            for place, understood in found.items()
            if understood is not True
        }

    def _understood(self, understands: Callable[[Query], object], item: ModelInput) -> bool | Declined:
        try:
            understood = understands(item.query)
        except VqamtError:
            raise
        except Exception as error:
            note(error, f"in {self._who}")
            raise
        if isinstance(understood, Declined):
            _check_declined(understood.reason, understood.words, self._who)
        elif not isinstance(understood, bool):
            raise ModelError(
                f"Expected {self._who} to return True, False or a Declined, but got {described(understood)} "
                f"for text={shortened(item.text)}"
            )
        return understood


def accepts(function: Callable[..., object], *arguments: str) -> bool:
    """Whether ``function`` takes these positional arguments; False where it has no signature."""
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
    if not methods and callable(model) and accepts(model, "image", "text"):
        return {Task.VQA: _per_input(model)}
    return methods


def _check_method(name: str, method: Method, called: str) -> None:
    """Raises ModelError for an async method or function, and for a method that takes no batch.

    ``called`` is the name by which the model has the method; "" where the model is a function.
    """
    place = f" ({location(method)})" if location(method) else ""
    who = f"{getattr(method, '__qualname__', type(method).__qualname__)}() of model {name!r}{place}"
    function = inspect.unwrap(method)
    if any(map(inspect.iscoroutinefunction, (function, type(function).__call__))):
        raise ModelError(f"Expected {who} to return its answers, but it is async: {_CALL_ASYNC}")
    if not called or accepts(method, "batch"):
        return
    try:
        signature = _signature(method)
    except (TypeError, ValueError):
        return  # a function of C may have none
    raise ModelError(
        f"Expected {who} to take one batch, {called}(self, batch), but it takes {signature}: return a list with an "
        "answer for each.image and each.text of the batch, or let the model be a function f(image, text) "
        "(docs/tutorial/your-model.md)"
    )


_CALL_ASYNC = "call it in a plain function, return asyncio.run(...)"


def _optional_method(model: object, name: str) -> Callable[[Task, Sequence[ModelInput]], Any] | None:
    """Its method of this name, unless that has another signature and so another purpose."""
    found: object = getattr(model, name, None)
    return found if callable(found) and accepts(found, "task", "batch") else None


def _meet(name: str, model: object) -> Callable[[Sequence[SceneSource]], object]:
    found: object = getattr(model, "meet", None)
    if not callable(found) or not accepts(found, "sources"):
        return len  # which does nothing

    def meet(sources: Sequence[SceneSource]) -> object:
        with reading(f"meet(sources) of model {name!r}"):
            return found(sources)

    return meet


def _request_note(model: object) -> Callable[[Image], str] | None:
    note: object = getattr(model, "request_note", None)
    return note if callable(note) else None


def _forecast(
    model: object,
) -> Callable[[Sequence[Query], Sequence[tuple[Query, Answer]]], TokenForecast] | None:
    found: object = getattr(model, "forecast", None)
    return guarded(found) if callable(found) and accepts(found, "queries", "measured") else None


def _per_input(function: Callable[..., object]) -> Method:
    name = getattr(function, "__qualname__", type(function).__qualname__)

    def answer(batch: Sequence[ModelInput]) -> object:
        return [_awaitable_refused(function(each.image, each.text), name) for each in batch]

    answer.__qualname__ = name
    answer.__wrapped__ = function  # type: ignore[attr-defined]  # for the place of the function in messages
    return answer


def _batch(name: str, model: object, options: ModelOptions) -> BatchSize:
    if options.batch_size is not None:
        return BatchSize(options.batch_size)
    first = declared_size(name, model, "batch_size", DEFAULT_BATCH_SIZE)
    return BatchSize(first, largest=max(first, declared_size(name, model, "largest_batch", first)))


def declared_size(name: str, model: object, attribute: str, default: int) -> int:
    """A positive integer attribute of the model, or ``default``.

    Raises:
        ModelError: the attribute is something else.
    """
    size: object = getattr(model, attribute, None)
    if size is None:
        return default
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
    with reading(f"the usage of model {name!r}"):
        usage: object = getattr(model, "usage", None)
        usage = dict(usage) if isinstance(usage, Mapping) else usage
    if usage is None:
        return {}
    if not isinstance(usage, Mapping) or not all(
        isinstance(key, str) and isinstance(value, int | float) and isfinite(value) for key, value in usage.items()
    ):
        raise ModelError(
            f"Expected the usage of model {name!r} to map names to numbers, but got usage={described(usage)}"
        )
    return {encodable(key): value for key, value in usage.items()}


def described(value: object) -> str:
    """A value and its type, shortened for a message."""
    return f"{shortened(value)} ({type(value).__qualname__})"


def validated_answers(returned: object, batch: Sequence[ModelInput], who: str) -> tuple[Answer, ...]:
    """One answer for each input of the batch, in their order; ``who`` names the method in messages.

    Raises:
        ModelError: the model returned something else.
    """
    _awaitable_refused(returned, who)
    if isinstance(returned, str | bytes | Mapping | set | frozenset) or not isinstance(returned, Iterable):
        raise ModelError(f"Expected {who} to return a sequence of answers, but got {described(returned)}")
    given = tuple(returned)
    if len(given) != len(batch):
        raise ModelError(
            f"Expected {who} to return {count_noun(len(batch), 'answer')}, one per input, but got {len(given)}"
        )
    return tuple(_answer(value, item, who) for value, item in zip(given, batch, strict=True))


def _awaitable_refused(returned: object, who: str) -> object:
    """What a method returned; raises ModelError for a coroutine, and closes it, so that Python warns of none."""
    if not inspect.iscoroutine(returned):
        return returned
    returned.close()
    raise ModelError(f"Expected {who} to return its answers, but it returns a coroutine: {_CALL_ASYNC}")


def _answer(value: object, item: ModelInput, who: str) -> Answer:
    if isinstance(value, str):
        return Answer(encodable(value))
    if isinstance(value, Declined):
        _check_declined(value.reason, value.words, who)
        value = value.answer
    if isinstance(value, Answer) and _is_valid(value.text, value.scores):
        scores = value.scores and tuple((encodable(label), score) for label, score in value.scores)
        _check_declined(value.declined or "-", value.unknown_words, who)
        return replace(
            value,
            text=encodable(value.text),
            scores=scores,
            truncated=bool(value.truncated),
            declined=encodable(value.declined),
            unknown_words=tuple(map(encodable, value.unknown_words)),
        )
    raise ModelError(
        f"Expected {who} to return an Answer(text, scores), a Declined or a str for each input, but got "
        f"{described(value)} for text={shortened(item.text)}"
    )


def _check_declined(reason: object, words: object, who: str) -> None:
    if not isinstance(reason, str) or not reason.strip():
        raise ModelError(f"Expected {who} to decline with a reason, a text, but got reason={described(reason)}")
    if not isinstance(words, tuple | list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"Expected {who} to decline with a tuple of words, but got words={described(words)}")


def _is_valid(text: object, scores: object) -> bool:
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
