"""Weights that are no numbers, and sums that are too large for the precision, are errors and no answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from pytest_vqamt.core.query import Task
from tests.models.hf.conftest import KINDS, about

if TYPE_CHECKING:
    from tests.models.hf.conftest import Loaded


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [float("nan"), 3e38])
def test_no_number_is_no_answer(loaded: Loaded, kind: str, wrong: float) -> None:
    speaker: Any = loaded(kind)
    seeing = next(
        weight
        for name, weight in speaker._family.model.named_parameters()
        if weight.ndim > 1 and any(part in name for part in ("vision", "visual", "image_encoder"))
    )
    before = seeing.detach().clone()
    asked = [about(number, "", task=Task.CAPTIONING) for number in (0, 1)]
    told = speaker.caption(asked)
    with torch.no_grad():
        seeing.fill_(wrong)
    try:
        with pytest.raises(ArithmeticError, match="scores are not finite numbers"):
            speaker.caption(asked)
    finally:
        with torch.no_grad():
            seeing.copy_(before)
    assert speaker.caption(asked) == told
