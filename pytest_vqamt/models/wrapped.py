"""The wrapper that gives any object or function the interface of a run's model (``models/protocol.py``)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, cast

from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError, VqamtError, location, note
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, Declined, ModelInput, Query, Task, cannot_take
from pytest_vqamt.core.text import encodable
from pytest_vqamt.models.batching import BatchSizes, ModelHealth
from pytest_vqamt.models.guarded import guarded, guarded_stream, reading
from pytest_vqamt.models.lost_device import DeviceLostError, device_lost, is_device_lost
from pytest_vqamt.models.time_limit import TimeLimit, TimeLimitError

if TYPE_CHECKING:
    from pytest_vqamt.data.scene_source import SceneSource
    from pytest_vqamt.models.token_forecast import TokenForecast

from pytest_vqamt.models.protocol import (
    CALL_ASYNC,
    DEFAULT_BATCH_SIZE,
    METHODS,
    Deferred,
    Method,
    ModelOptions,
    Preprocess,
    StreamAnswers,
    accepts,
    check_declined,
    declared_size,
    declared_usage,
    described,
    refuse_awaitable,
    signature_of,
    validated_answer,
    validated_answers,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model ready for inference."""

    name: str
    """Its spec or its short name, as items and reports show it."""
    tasks: tuple[Task, ...]
    """In the order of ``METHODS``."""
    fingerprint: str
    """Part of the key of its cached answers."""
    lossless_fingerprint: str
    """The same of its answers to pictures that are sent without loss."""
    persistent: bool
    """True if it declares a fingerprint, so that its answers may be cached for later runs."""
    batch: BatchSizes = field(compare=False)
    """The batch size, which changes during the run."""
    health: ModelHealth = field(compare=False, default_factory=ModelHealth)
    """Its record so far."""
    deferred: Deferred | None = None
    """The model itself, where its answers are recorded elsewhere, as in answers:FILE; None for any other."""
    methods: Mapping[Task, Method] = field(repr=False, compare=False)
    """The callable for each task."""
    preprocess: Preprocess | None = field(repr=False, compare=False, default=None)
    """Its method ``prepare``, if any."""
    streamed: StreamAnswers | None = field(repr=False, compare=False, default=None)
    """Its method ``stream_answers``, if any."""
    batches_at_once: int = field(compare=False, default=1)
    """How many threads may call it."""
    meet: Callable[[Sequence[SceneSource]], object] = field(repr=False, compare=False, default=len)
    """Gives it the scene sources of the run."""
    used: Callable[[], Mapping[str, float]] = field(repr=False, compare=False, default=dict)
    """Gives its usage so far."""
    forecast: Callable[[Sequence[Query], Sequence[tuple[Query, Answer]]], TokenForecast] | None = field(
        repr=False, compare=False, default=None
    )
    """Its method ``forecast``, if any."""
    request_note: Callable[[Sequence[ModelInput]], str] | None = field(repr=False, compare=False, default=None)
    """Its method of this name, if any: what to know of requests before the run, from the largest pictures."""
    placement: str = field(compare=False, default="")
    """Where it computes, in which precision, and how large it is; "" for what does not compute here."""
    kind: str = field(compare=False, default="")
    """The kind of its spec; of a served model the kind on the server. "" for an object that ``vqamt.run`` was given."""
    switches_reasoning: bool = field(compare=False, default=False)
    """True if its reasoning can be switched on and off."""
    takes: frozenset[Ability] = field(compare=False, default=frozenset())
    """What it takes beside one picture and one text."""
    prompts: Callable[[ModelInput], str] | None = field(repr=False, compare=False, default=None)
    """Makes the prompts of its inputs, for a model of the user's."""
    is_users: bool = field(compare=False, default=False)
    """True if its code is the user's own, which errors are shown with a traceback."""
    spec: str = field(compare=False, default="")
    """Its spec, if it has a short name."""

    @property
    def batch_size(self) -> int:
        return self.batch.current

    def fingerprint_of(self, *, lossless: bool) -> str:
        """The part of the key of its answers to pictures that are sent as they are, or without loss."""
        return self.lossless_fingerprint if lossless else self.fingerprint

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        """Preprocesses a batch on another thread than ``ask``, if the model can.

        Where it takes too long, the model is disabled. Other errors are ignored here: ``ask`` meets them again, and its
        caller finds the query that they concern.
        """
        if self.preprocess is None or self.health.disabled_reason or not batch:
            return
        self._give_prompts(batch)
        try:
            # An error here is met again by `ask`; a timeout is not, as the thread still runs the model's code.
            self.preprocess(task, batch)
        except TimeLimitError as error:
            self.health.disabled_reason = str(error)
        except Exception:
            _drop_preprocessed(batch)

    def ask(self, task: Task, batch: Sequence[ModelInput]) -> tuple[Answer, ...]:
        """One answer for each input, in their order.

        Raises:
            DeviceLostError: this process can use the model's device no more.
            ModelError: the model does not do ``task``, did not return one answer per input, or is disabled.
            Exception: whatever else the model raises, unchanged.
        """
        method = self._method(task)
        if not batch:
            return ()
        self._check_enabled()
        self._give_prompts(batch)
        try:
            with self.watching_device():
                returned = method(batch)
        # The protocol: a ModelError concerns the model, any other exception this batch alone.
        except ModelError as error:
            self.health.disabled_reason = str(error)
            raise
        finally:
            _drop_preprocessed(batch)
        place = location(method) if self.is_users else ""
        where = f" ({place})" if place else ""
        who = f"{getattr(method, '__qualname__', METHODS[task])}() of model {self.name!r}{where}"
        return validated_answers(returned, batch, who)

    def stream(self, task: Task, batch: Sequence[ModelInput]) -> Generator[tuple[int, Answer | Exception], None, None]:
        """Yields the index and the outcome of each input as it comes, in any order.

        Raises:
            DeviceLostError: as ``ask``, also where it is the outcome of one input.
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
            with self.watching_device():
                pairs: object = self.streamed(task, batch)  # a user's method may return anything
            if not isinstance(pairs, Iterable):
                raise ModelError(
                    f"Expected {who} to yield pairs of an index and an outcome, but got {described(pairs)}"
                )
            for pair in self._watched(pairs):
                # Checked one by one: each outcome is stored as it comes, so a wrong index would be a wrong answer in
                # the cache.
                if not (isinstance(pair, tuple) and len(pair) == 2 and pair[0] in missing):
                    raise ModelError(
                        f"Expected {who} to give pairs of the index of an input, each once, and its outcome, "
                        f"but got {pair!r} in a batch of {len(batch)}"
                    )
                place, outcome = pair
                missing.remove(place)
                with self.watching_device():
                    if isinstance(outcome, Exception) and is_device_lost(outcome):
                        raise outcome
                yield place, outcome if isinstance(outcome, Exception) else validated_answer(outcome, batch[place], who)
            if missing:
                raise ModelError(
                    f"Expected {who} to give {len(batch)} outcomes, one per input, but {len(missing)} lack"
                )
        except ModelError as error:
            self.health.disabled_reason = str(error)
            raise

    @contextmanager
    def watching_device(self) -> Iterator[None]:
        """Turns an error after which the device cannot be used into a DeviceLostError, and disables the model."""
        try:
            yield
        except Exception as error:
            if isinstance(error, DeviceLostError) or not is_device_lost(error):
                raise
            lost = device_lost(self.name, error)
            self.health.device_lost, self.health.disabled_reason = True, str(lost)
            raise lost from error

    def _watched(self, pairs: Iterable[object]) -> Iterator[object]:
        iterator = iter(pairs)
        while True:
            with self.watching_device():
                try:
                    pair = next(iterator)
                except StopIteration:
                    return
            yield pair

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
        # Other batches in flight learn it from here, and must not count as failed either.
        if self.health.device_lost:
            raise DeviceLostError(self.health.disabled_reason)
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
    # A property may raise anything, also GeneratorExit.
    with reading(f"the attributes of model {name!r}", name):
        return _wrapped(name, model, options)


def _wrapped(name: str, model: object, options: ModelOptions) -> LoadedModel:
    from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, prompts_from  # which imports this module

    methods = _methods(model)
    if not methods:
        raise ModelError(
            f"Expected model {name!r} to be an object with a method answer, entail or caption, or a function "
            f"f(image, text), but got {'the class ' if isinstance(model, type) else ''}{described(model)}"
        )
    is_function = not any(hasattr(model, method) for method in METHODS.values())
    if is_function and _abilities(model, name):
        raise ModelError(
            f"Expected model {name!r} to have a method answer(batch) for the conversations that it takes, but it is a "
            "function of one image and one text: write a class, or leave takes off"
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
    queries = _QueryFilter(model, name)
    # The order matters: `guarded` is nearest to the user's code, then what it declines, then the time limit around
    # both.
    methods = {task: queries.method(guarded(method)) for task, method in methods.items()}
    prepare = prepare and queries.prepare(guarded(prepare))
    stream = stream and queries.stream(guarded_stream(stream))
    if options.timeout_s is not None:
        limit = TimeLimit(options.timeout_s, name, batches_at_once)
        methods = {task: limit.method(method) for task, method in methods.items()}
        prepare, stream = prepare and limit.prepare(prepare), stream and limit.stream(stream)
    # A plain function has the type builtins.function, so it is the user's.
    is_users = not type(model).__module__.startswith("pytest_vqamt.")
    prompts = prompts_from(options) if is_users else INSTRUCTION_PROMPTS
    # A user's model may read `each.prompt`: other prompts may be other answers.
    changed = () if prompts == INSTRUCTION_PROMPTS else (f"prompts {prompts.digest}",)
    # Half surrogates cannot be written into the cache.
    fingerprint = " ".join((encodable(declared or f"undeclared:{name}"), *changed))
    return LoadedModel(
        name=name,
        tasks=tuple(methods),
        fingerprint=fingerprint,
        lossless_fingerprint=fingerprint if is_users else getattr(model, "lossless_fingerprint", fingerprint),
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
        switches_reasoning=queries.switches,
        takes=queries.takes,
        request_note=None if is_users else _request_note(model),
        placement="" if is_users else getattr(model, "placement", ""),
        prompts=prompts.text if is_users else None,
        is_users=is_users,
    )


class _QueryFilter:
    """Declines queries that the model does not accept, by what it ``takes``, its reasoning and its ``understands``."""

    def __init__(self, model: object, name: str) -> None:
        found: object = getattr(model, "understands", None)
        if found is not None and (not callable(found) or not accepts(found, "query")):
            raise ModelError(
                f"Expected the understands of model {name!r} to be a method of one argument, understands(query), but "
                f"got {described(found)}"
            )
        self._understands = found and guarded(cast("Callable[[Query], object]", found))
        self.switches = bool(getattr(model, "switches_reasoning", False))
        self.takes = _abilities(model, name)
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

        # Messages name the user's own method, not this wrapper.
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
            # First: `understands` of a model without the switch knows nothing of reasoning.
            if item.query.reasoning is not None and not self.switches:
                found[place] = CANNOT_SWITCH
            elif item.query.turns and not item.query.abilities <= self.takes:
                found[place] = cannot_take(item.query.abilities - self.takes)
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
            check_declined(understood.reason, understood.words, self._who)
        elif not isinstance(understood, bool):
            raise ModelError(
                f"Expected {self._who} to return True, False or a Declined, but got {described(understood)} "
                f"for text={shortened(item.text)}"
            )
        return understood


def _abilities(model: object, name: str) -> frozenset[Ability]:
    """What the model says that it takes."""
    declared: object = getattr(model, "takes", ())
    listed = (declared,) if isinstance(declared, str) else tuple(declared) if isinstance(declared, Iterable) else None
    known = [ability.value for ability in Ability]
    if listed is None or any(each not in known for each in listed):
        raise ModelError(
            f"Expected the takes of model {name!r} to list some of {', '.join(known)}, but got "
            f"takes={described(declared)}"
        )
    return frozenset(Ability(str(each)) for each in listed)


def _methods(model: object) -> dict[Task, Method]:
    # A class has the methods too, and would be called without self; `described` says that it is a class.
    if isinstance(model, type):
        return {}
    methods: dict[Task, Method] = {}
    for task, name in METHODS.items():
        found: object = getattr(model, name, None)
        if callable(found):
            methods[task] = found
    # An object with methods may be callable as well, as every torch module is.
    if not methods and callable(model) and accepts(model, "image", "text"):
        return {Task.VQA: _per_input(model)}
    return methods


def _check_method(name: str, method: Method, called: str) -> None:
    """Raises ModelError for an async method or function, and for a method that takes no batch.

    ``called`` is the name by which the model has the method; "" where the model is a function.
    """
    place = location(method)
    where = f" ({place})" if place else ""
    who = f"{getattr(method, '__qualname__', type(method).__qualname__)}() of model {name!r}{where}"
    # A decorator such as functools.wraps hides that what it wraps is async.
    function = inspect.unwrap(method)
    if any(map(inspect.iscoroutinefunction, (function, type(function).__call__))):
        raise ModelError(f"Expected {who} to return its answers, but it is async: {CALL_ASYNC}")
    # A function f(image, text) was checked by its arguments already.
    if not called or accepts(method, "batch"):
        return
    try:
        signature = signature_of(method)
    except (TypeError, ValueError):
        return  # a function of C may have none
    raise ModelError(
        f"Expected {who} to take one batch, {called}(self, batch), but it takes {signature}: return a list with an "
        "answer for each.image and each.text of the batch, or let the model be a function f(image, text) "
        "(docs/tutorial/your-model.md)"
    )


def _optional_method(model: object, name: str) -> Callable[[Task, Sequence[ModelInput]], Any] | None:
    """The model's method of this name, or None; one with another signature serves another purpose."""
    found: object = getattr(model, name, None)
    return found if callable(found) and accepts(found, "task", "batch") else None


def _meet(name: str, model: object) -> Callable[[Sequence[SceneSource]], object]:
    found: object = getattr(model, "meet", None)
    if not callable(found) or not accepts(found, "sources"):
        return len  # takes a sequence, and does nothing

    def meet(sources: Sequence[SceneSource]) -> object:
        with reading(f"meet(sources) of model {name!r}", name):
            return found(sources)

    return meet


def _request_note(model: object) -> Callable[[Sequence[ModelInput]], str] | None:
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
        return [refuse_awaitable(function(each.image, each.text), name) for each in batch]

    answer.__qualname__ = name
    answer.__wrapped__ = function  # type: ignore[attr-defined]  # for the place of the function in messages
    return answer


def _batch(name: str, model: object, options: ModelOptions) -> BatchSizes:
    if options.batch_size is not None:
        # The user's size does not grow.
        return BatchSizes(options.batch_size)
    first = declared_size(name, model, "batch_size", DEFAULT_BATCH_SIZE)
    return BatchSizes(first, largest=max(first, declared_size(name, model, "largest_batch", first)))
