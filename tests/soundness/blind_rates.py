"""What models reach that do not look at the picture, in a file: ``python -m tests.soundness.blind_rates``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import Sampling
from pytest_vqamt.models.reference.faults import FAULTS
from tests.soundness.asking import Item, cases, items, judged, model
from tests.soundness.fault_effects import OF_OTHER_SCENES

FILE = Path(__file__).with_name("blind_rates.json")
DATA, CASES, PASSED = "pictures:200", 100, 0.95
BLIND = tuple(fault for fault in FAULTS if fault in OF_OTHER_SCENES)
_LEFT_OUT = "basic_questions."
"""They take long to plan, and the questions put behind a question change no answer of these models but the cache's."""

Rates = Mapping[str, Mapping[str, tuple[float, float]]]
"""The pass rate and the vacuous share of each item, by fault."""


def measured_items() -> tuple[Item, ...]:
    """The items that are measured, in the order of the catalogue."""
    return tuple(item for item in items() if not item.name.startswith(_LEFT_OUT))


def measure(some: Iterable[Item]) -> dict[str, dict[str, tuple[float, float]]]:
    """The rates of some items, as of a run with the default settings."""
    found: dict[str, dict[str, tuple[float, float]]] = {fault: {} for fault in BLIND}
    source = load(DATA)
    for item in some:
        drawn = tuple(cases(item, source, Sampling(max_cases=CASES)))
        for fault in BLIND:
            asked = model(f"fault:{fault}")
            asked.meet((source,))
            tally = sum((Tally.of(each.verdict) for each in judged(item, asked, drawn)), Tally())
            assert tally.pass_rate is not None, f"{item.name} has no case"
            found[fault][item.name] = round(tally.pass_rate, 4), round(tally.vacuous / tally.cases, 4)
    return found


def recorded() -> Rates:
    """The rates in the file."""
    read: dict[str, dict[str, list[float]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        fault: {name: (rate, vacuous) for name, (rate, vacuous) in by_item.items()} for fault, by_item in read.items()
    }


def caught_by(fault: str) -> list[str]:
    """The items of which the model does not pass enough cases."""
    return [name for name, (rate, _) in recorded()[fault].items() if rate < PASSED]


def passes() -> Iterator[tuple[str, ...]]:
    """Each model with how many items it passes, of all and of those that are gated by default."""
    tags = {item.name: item.relation.info.tags for item in measured_items()}
    for fault, by_item in recorded().items():
        gated = [name for name in by_item if not {"baseline", "control"} & {*tags[name]}]
        passed = {name for name, (rate, _) in by_item.items() if rate >= PASSED}
        shown = [name for name in passed.intersection(gated) if by_item[name][1] < 1 - PASSED]
        yield (
            f"`fault:{fault}`",
            f"{len(passed)} of {len(by_item)}",
            f"{len(passed.intersection(gated))} of {len(gated)}",
            str(len(shown)),
        )


def by_relation() -> Iterator[tuple[str, ...]]:
    """Each item with the pass rate of each model."""
    rates = recorded()
    for item in measured_items():
        yield f"`{item.name}`", *(f"{rates[fault][item.name][0]:.2f}" for fault in BLIND)


if __name__ == "__main__":
    lines = (
        f' "{fault}": {{\n' + ",\n".join(f'  "{name}": [{rate}, {vacuous}]' for name, (rate, vacuous) in each.items())
        for fault, each in measure(measured_items()).items()
    )
    FILE.write_text("{\n" + "\n },\n".join(lines) + "\n }\n}\n", encoding="utf-8")
