"""What a model says of itself is checked before it is relied on."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.base import own_size, usage_of


def test_what_is_not_declared_has_its_default() -> None:
    assert own_size("m", object(), "batch_size", 32) == 32
    assert usage_of("m", object()) == {}


def test_what_is_declared_is_taken() -> None:
    model = SimpleNamespace(largest_batch=9, usage={"tokens in": 3, "cost": 0.5})
    assert own_size("m", model, "largest_batch", 32) == 9
    assert usage_of("m", model) == {"tokens in": 3, "cost": 0.5}


@pytest.mark.parametrize("size", [0, -1, True, "8", 2.0])
def test_a_size_that_is_none_is_refused(size: object) -> None:
    with pytest.raises(ModelError, match="Expected the largest_batch of model 'm' to be 1 or more"):
        own_size("m", SimpleNamespace(largest_batch=size), "largest_batch", 32)


@pytest.mark.parametrize("usage", [[], {"tokens": "3"}, {3: 3}, {"tokens": float("nan")}, "much"])
def test_usage_that_is_none_is_refused(usage: object) -> None:
    with pytest.raises(ModelError, match="Expected the usage of model 'm' to map names to numbers"):
        usage_of("m", SimpleNamespace(usage=usage))
