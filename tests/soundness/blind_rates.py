"""What models reach that do not look at the picture, in a file: ``python -m tests.soundness.blind_rates``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.tallies import GroundedCounter, Tally
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.models.wrapped import LoadedModel
from tests.soundness.asking import Item, cases, contrasted, items, judged, model
from tests.soundness.fault_effects import OF_OTHER_SCENES

FILE = Path(__file__).with_name("blind_rates.json")
DATA, CASES, PASSED = "pictures:200", 100, 0.95
BLIND = tuple(fault for fault in FAULTS if fault in OF_OTHER_SCENES)
_LEFT_OUT = "basic_questions."
"""They take long to plan, and the questions put behind a question change no answer of these models but the cache's."""


class Rates(NamedTuple):
    """The pass rate of an item, its share of vacuous cases, and its grounded rate; None without a contrast."""

    passed: float
    vacuous: float
    grounded: float | None


RatesByFault = Mapping[str, Mapping[str, Rates]]
"""The rates of each item, by fault."""


def measured_items() -> tuple[Item, ...]:
    """The items that are measured, in the order of the catalogue."""
    return tuple(item for item in items() if not item.name.startswith(_LEFT_OUT))


def measure(some: Iterable[Item]) -> dict[str, dict[str, Rates]]:
    """The rates of some items, as of a run in which every case may have a contrast."""
    found: dict[str, dict[str, Rates]] = {fault: {} for fault in BLIND}
    source = load(DATA)
    for item in some:
        drawn = tuple(cases(item, source, Sampling(max_cases=CASES, contrast=1.0)))
        for fault in BLIND:
            asked = model(f"fault:{fault}")
            asked.meet((source,))
            found[fault][item.name] = _rates(item, asked, drawn)
    return found


def _rates(item: Item, asked: LoadedModel, drawn: Sequence[Case]) -> Rates:
    tally, counted = Tally(), GroundedCounter()
    for each in judged(item, asked, drawn):
        verdict = contrasted(each, asked)
        tally += Tally.of(verdict)
        if verdict.contrast or item.relation.info.is_directional(item.variant):
            counted.add(each.case.scene, verdict, 0.0)
    assert tally.pass_rate is not None, f"{item.name} has no case"
    grounded = counted.cells.rate
    return Rates(
        round(tally.pass_rate, 4),
        round(tally.vacuous / tally.cases, 4),
        None if grounded is None else round(grounded, 4),
    )


def recorded() -> RatesByFault:
    """The rates in the file."""
    read: dict[str, dict[str, list[float]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {fault: {name: Rates(*rates) for name, rates in by_item.items()} for fault, by_item in read.items()}


def gated_items() -> tuple[str, ...]:
    """The items that are neither baselines nor controls."""
    return tuple(item.name for item in measured_items() if not {"baseline", "control"} & {*item.relation.info.tags})


def caught_by(fault: str) -> list[str]:
    """The items of which the model does not pass enough cases."""
    return [name for name, rates in recorded()[fault].items() if rates.passed < PASSED]


def passes() -> Iterator[tuple[str, ...]]:
    """Each model with how many items it passes, of all and of those gated by default, and where it is grounded."""
    gated = gated_items()
    for fault, by_item in recorded().items():
        passed = [name for name, rates in by_item.items() if rates.passed >= PASSED]
        of_gated = [name for name in passed if name in gated]
        shown = [name for name in of_gated if by_item[name].vacuous < 1 - PASSED]
        yield (
            f"`fault:{fault}`",
            f"{len(passed)} of {len(by_item)}",
            f"{len(of_gated)} of {len(gated)}",
            str(len(shown)),
            str(len(grounded_in(fault))),
        )


def grounded_in(fault: str) -> list[str]:
    """The gated items in which the model's grounded rate is as high as a pass rate must be."""
    return [name for name in gated_items() if (recorded()[fault][name].grounded or 0) >= PASSED]


if __name__ == "__main__":
    lines = (
        f' "{fault}": {{\n' + ",\n".join(f'  "{name}": {json.dumps(rates)}' for name, rates in each.items())
        for fault, each in measure(measured_items()).items()
    )
    FILE.write_text("{\n" + "\n },\n".join(lines) + "\n }\n}\n", encoding="utf-8")
