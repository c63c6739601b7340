"""Encodings of pictures that are given to a model again, for models known only by transformers' interface.

Nothing says how the encodings of several pictures are joined for a batch: along an axis, in a list, in lists of layers.
So a trial of two pictures finds it, and shows that the scores stay as they were.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    import torch

    from pytest_vqamt.models.transformers.prompted.family import PretrainedModel


ModelInputs: TypeAlias = "Mapping[str, object]"
"""What a processor makes of pictures and texts: tensors, and of some processors lists."""

Encoding: TypeAlias = "Mapping[str, object]"
"""The fields of what the encoder returned for one picture; without those that no model reads."""

_ENCODE = "get_image_features"
"""The method of transformers' models that encodes pictures."""

_GIVEN_AS = "mm_encoder_outputs"
"""The argument by which they take the encodings in place of pixels."""

_MOST_DIFFERENCE = 0.1
"""Relative to what is compared: rounding in 16 bits makes a tenth of it, another picture ten times as much."""

_STEPS_INSIDE = frozenset({"hidden_states", "attentions"})
"""Fields with the steps inside the encoder, which no model reads."""

_BEFORE_PROJECTION = "last_hidden_state"
"""The field that a few models read in place of the projected one."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReusedEncodings:
    """How the pictures of one model are encoded one by one, and joined for a batch."""

    names: tuple[str, ...]
    """The inputs of the model that its encoder takes."""
    _encode: Callable[..., Any]
    _constants: Mapping[str, object]
    _output_type: type[Any]
    _joins: Mapping[str, _Join]
    """For each field of an encoding how it is joined."""

    def encode(self, pixels: ModelInputs) -> Encoding:
        """Encodes one picture; ``pixels`` are the inputs of the encoder, on the device."""
        found = self._encode(**pixels, **self._constants)
        return {name: found[name] for name in self._joins}

    def instead_of_pixels(self, inputs: ModelInputs, encodings: Sequence[Encoding]) -> ModelInputs | None:
        """The inputs of the model with the encodings of the pictures in place of their pixels.

        None where encodings of these sizes are not joined, since the encoder would pad such pictures.
        """
        joined = self._output_type()
        try:
            for name, join in self._joins.items():
                setattr(joined, name, join([each[name] for each in encodings]))
        except NotJoinedError:
            return None
        return {**self.without_pixels(inputs), _GIVEN_AS: {"image": joined}}

    def without_pixels(self, inputs: ModelInputs) -> ModelInputs:
        """The inputs that stay: sizes and layouts of the pictures are read by the rest of the model, too."""
        return {name: value for name, value in inputs.items() if not (name in self.names and _is_pixels(value))}


def _is_pixels(value: object) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.is_floating_point()


@contextmanager
def replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Sets an attribute of an instance over that of its class."""
    setattr(owner, name, value)
    try:
        yield
    finally:
        delattr(owner, name)


def nbytes(value: object) -> int:
    """The memory of the tensors in an encoding."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.nbytes
    if isinstance(value, Mapping):
        return sum(map(nbytes, value.values()))
    return sum(map(nbytes, value)) if isinstance(value, list | tuple) else 0


def learn_to_reuse(
    model: PretrainedModel,
    each: Sequence[ModelInputs],
    both: ModelInputs,
    scores: Callable[[ModelInputs], torch.Tensor],
) -> ReusedEncodings | None:
    """Tries how the model encodes two pictures.

    Args:
        model: it has transformers' interface.
        each: the inputs of two different pictures, one by one, on the device.
        both: the same as one batch.
        scores: computes the scores of the first token of an answer.

    Returns:
        None where the model does not take encodings, or takes them otherwise than can be found out.
    """
    import torch

    base: Any = getattr(model, "base_model", None)
    encode = getattr(base, _ENCODE, None)
    # An encoder-decoder encodes the texts together with the pictures.
    if encode is None or model.config.is_encoder_decoder or not _takes_encodings(model):
        return None
    calls: list[tuple[dict[str, Any], Any]] = []

    @wraps(encode)
    def recording(**given: Any) -> Any:
        calls.append((given, encode(**given)))
        return calls[-1][1]

    with replaced(base, _ENCODE, recording):
        expected = scores(both)
    if len(calls) != 1:
        return None
    (given, together), names = calls[0], tuple(name for name in calls[0][0] if name in both)
    constants = {name: value for name, value in given.items() if name not in names}
    if any(isinstance(value, torch.Tensor) for value in constants.values()):
        return None  # made from other inputs, which nothing names
    alone = [encode(**{name: one[name] for name in names}, **constants) for one in each]
    for left_out in (_STEPS_INSIDE | {_BEFORE_PROJECTION}, _STEPS_INSIDE):
        fields = [name for name in together if name not in left_out and not _is_number(together[name])]
        joins = {name: _learn(together[name], [one[name] for one in alone]) for name in fields}
        if None in joins.values():
            continue
        reused = ReusedEncodings(
            names=names,
            _encode=encode,
            _constants=constants,
            _output_type=type(together),
            _joins=cast("Mapping[str, _Join]", joins),
        )
        inputs = reused.instead_of_pixels(both, [{name: one[name] for name in fields} for one in alone])
        try:
            if inputs is not None and is_close(scores(inputs), expected):
                return reused
        except (TypeError, AttributeError):  # it reads a field that was left out
            continue
    return None


def _takes_encodings(model: PretrainedModel) -> bool:
    return _GIVEN_AS in inspect.signature(cast(Any, model).forward).parameters


class NotJoinedError(Exception):
    """Parts of other shapes than those of the trial."""


_Join: TypeAlias = Callable[[Sequence[Any]], Any]
"""Joins the values of several pictures."""


def _learn(together: object, alone: Sequence[object]) -> _Join | None:
    """How the values of single pictures are joined; None where no way gives the value of both."""
    import torch

    ways: tuple[_Join, ...] = (_first, _along_first_axis)
    if isinstance(together, list | tuple):
        parts = [list(one) for one in alone if isinstance(one, list | tuple)]
        # Of each picture a part or more, as of a picture in tiles.
        if len(together) == sum(map(len, parts)):
            ways = (_one_behind_another,)
        # Of each layer the values of both pictures.
        elif len(parts) == len(alone) and all(len(one) == len(together) for one in parts):
            joins = [_learn(one, of_each) for one, *of_each in zip(together, *parts, strict=True)]
            if None in joins:
                return None
            ways = (_Layered(cast("tuple[_Join, ...]", tuple(joins)), type(together)),)
        else:
            return None
    elif not isinstance(together, torch.Tensor):
        ways = (_first,)
    for way in ways:
        try:
            if is_close(way(alone), together):
                return way
        except NotJoinedError:
            continue
    return None


def _is_number(value: object) -> bool:
    """True for a single number, such as the loss of Chameleon's encoder, which is of the whole batch."""
    import torch

    return isinstance(value, torch.Tensor) and value.ndim == 0


def _first(parts: Sequence[Any]) -> Any:
    return parts[0]


def _along_first_axis(parts: Sequence[Any]) -> Any:
    import torch

    if len({part.shape[1:] for part in parts}) != 1:
        raise NotJoinedError
    return torch.cat(list(parts))


def _one_behind_another(parts: Sequence[Any]) -> Any:
    return type(parts[0])(one for part in parts for one in part)


@dataclass(frozen=True, slots=True)
class _Layered:
    """Joins values layer by layer."""

    joins: tuple[_Join, ...]
    kind: type[Any]

    def __call__(self, parts: Sequence[Any]) -> Any:
        return self.kind(join(layer) for join, *layer in zip(self.joins, *parts, strict=True))


def is_close(one: object, other: object) -> bool:
    """True if values differ by no more than rounding makes of them."""
    import torch

    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        if one.shape != other.shape:
            return False
        if not one.is_floating_point():
            return torch.equal(one, other)
        # Suppressed words have a score of -inf.
        a, b = (torch.nan_to_num(each.float(), 0.0, 0.0, 0.0) for each in (one, other))
        return bool((a - b).norm() <= _MOST_DIFFERENCE * (b - b.mean()).norm())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(is_close(*pair) for pair in zip(one, other, strict=True))
    return bool(one == other)
