"""How often a probe finds something on a sane deployment that gives another answer at random.

python -m tests.probing.simulation 20000
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random

from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.probing.cards import COLOURS, CORNERS
from pytest_vqamt.probing.probe import probe

_READ_FROM = 16
"""The smallest step between ink and ground that the simulated model reads."""


class FlippingModel:
    """Answers from the name of the card, which has no pixels to decode; a share ``flips`` of answers is another's."""

    def __init__(self, flips: float, seed: int) -> None:
        self._flips = flips
        self._random = Random(seed)
        self._given: list[str] = []

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [self._one(item) for item in batch]

    def _one(self, item: ModelInput) -> str:
        look = item.query.picture.photo.id
        found = re.match(r"(?:(\d) dots |(\d+) |squares \(([a-z, ]+)\) |nothing but )(?:on )?(\w+|\([\d, ]+\))", look)
        ink = re.search(r"ink \((\d+)", look)
        assert found, look
        dots, number, corners, ground = found.groups()
        if "corner" in item.text:
            right = corners.split(", ")[next(i for i, name in enumerate(CORNERS) if name in item.text)]
        elif "dots" in item.text:
            right = dots
        elif "colour" in item.text:
            right = ground if ground in COLOURS else "grey"
        elif (
            ink and ground.startswith("(") and abs(int(ink[1]) - int(ground.strip("(").partition(",")[0])) < _READ_FROM
        ):
            right = "none"
        else:
            right = number or "none"
        self._given.append(right)
        if self._random.random() >= self._flips:
            return right
        # Half of the time the answer to an earlier request, as a server that mixes requests up would give.
        return (
            self._random.choice(self._given) if self._random.random() < 0.5 else str(self._random.randrange(100, 1000))
        )


def findings(probes: int, flips: float, seed: int = 0) -> Counter[str]:
    """The kinds that so many probes found, and how many probes found anything (``any``)."""
    counted: Counter[str] = Counter()
    for number in range(seed, seed + probes):
        model = wrap_model("flipping", FlippingModel(flips, number), ModelOptions())
        found = {finding.kind.value for finding in probe(model).findings}
        counted.update(found | ({"any"} if found else set()))
    return counted


if __name__ == "__main__":
    count = int(sys.argv[1])
    print(count, dict(findings(count, float(sys.argv[2]) if len(sys.argv) > 2 else 0.02)))
