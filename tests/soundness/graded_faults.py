"""The smallest share of queries in which a relation finds a fault: ``python -m tests.soundness.graded_faults``.

A fault is planted in each query by itself with the same probability. It is found if the relation is violated in some
case, or where contrasts are judged, too, if some answer is the same about both pictures; the oracle has neither. The
probability is worked out for the cases that a given number of distinct queries is enough for, without chance.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import exp, log1p
from pathlib import Path
from typing import NamedTuple

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import CONTRAST_SHARE, Sampling
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations.contrasts import judge_contrast
from pytest_vqamt.relations.presets import preset
from tests.soundness.asking import Item, cases, items, model, no_pixels
from tests.soundness.fault_effects import HARMLESS, OF_CHANCE

FILE = Path(__file__).with_name("graded_faults.json")
DATA, QUERIES, POWER = "pictures:500", 1_000, 0.8
_MAX_CASES = 1_000
_SHARES = tuple(10 ** (step / 20 - 4) for step in range(81))
"""From 0.0001 to 1, each 12 % more than the one before. Power may fall again: who is always wrong is consistent."""
_LEFT_OUT = "basic_questions."


MEASURED = tuple(fault for fault in FAULTS if fault not in OF_CHANCE | HARMLESS)


class Found(NamedTuple):
    """The smallest share in percent at which a fault is found; None if it is found at none."""

    plain: float | None
    grounded: float | None


def measured_items() -> tuple[Item, ...]:
    """The items that are measured, in the order of the catalogue."""
    return tuple(item for item in items() if not item.name.startswith(_LEFT_OUT))


def measure(some: Iterable[Item], faults: Sequence[str] = MEASURED) -> dict[str, dict[str, Found]]:
    """What each item finds of each fault that it finds at all."""
    source = load(DATA)
    found: dict[str, dict[str, Found]] = {}
    for item in some:
        plain, grounded = (_Drawn(item, _within(item, source, share)) for share in (0.0, CONTRAST_SHARE))
        by_fault: dict[str, Found] = {}
        for fault in faults:
            asked = model(f"fault:{fault}")
            asked.meet((source,))
            each = Found(*(_smallest_share(drawn.ways(asked)) for drawn in (plain, grounded)))
            if each != Found(None, None):
                by_fault[fault] = each
        found[item.name] = by_fault
    return found


def _within(item: Item, source: SceneSource, contrast: float) -> list[Case]:
    """As many cases as the queries are enough for."""
    sampling = Sampling(max_cases=_MAX_CASES, contrast=contrast)
    seen: set[str] = set()
    drawn: list[Case] = []
    for case in cases(item, source, sampling):
        seen.update(query.id for query in case.asked)
        if len(seen) > QUERIES:
            break
        drawn.append(case)
    return drawn


Ways = Sequence[tuple[int, Sequence[int]]]
"""For each case that a fault can show in: the number of queries that it answers otherwise, and of the sets of these in
which it shows itself, the sizes."""


class _Drawn:
    """The cases of one item, with what the oracle answers, and the verdicts so far."""

    def __init__(self, item: Item, drawn: Sequence[Case]) -> None:
        self._item = item
        self._cases = drawn
        self._right = self._answers(model("oracle"))
        self._known: dict[tuple[str, ...], bool] = {}

    def ways(self, asked: LoadedModel) -> Ways:
        """In which cases, and by which of their queries, a fault shows itself."""
        wrong = self._answers(asked)
        found: list[tuple[int, Sequence[int]]] = []
        for case in self._cases:
            # A query that is asked again has the fault in all of its trials, or in none.
            asked_once = {q.id: replace(q, trial=0).id for q in case.asked}
            otherwise = list(dict.fromkeys(asked_once[q.id] for q in case.asked if self._differs(wrong, q)))
            shown: list[int] = []
            for planted in product((False, True), repeat=len(otherwise)):
                named = {name for name, is_planted in zip(otherwise, planted, strict=True) if is_planted}
                faulty = {q.id for q in case.asked if asked_once[q.id] in named}
                answers = [(wrong if q.id in faulty else self._right)[q.id] for q in case.asked]
                if faulty and self._shows(case, answers):
                    shown.append(len(named))
            if shown:
                found.append((len(otherwise), shown))
        return found

    def _differs(self, wrong: Mapping[str, Answer], query: Query) -> bool:
        return self._right[query.id].text != wrong[query.id].text

    def _answers(self, asked: LoadedModel) -> Mapping[str, Answer]:
        queries = {query.id: query for case in self._cases for query in case.asked}
        return {name: asked.ask(each.task, [ModelInput(each, no_pixels)])[0] for name, each in queries.items()}

    def _shows(self, case: Case, answers: Sequence[Answer]) -> bool:
        key = (case.id, *(each.text for each in answers))
        if key not in self._known:
            self._known[key] = self._judge(case, answers)
        return self._known[key]

    def _judge(self, case: Case, answers: Sequence[Answer]) -> bool:
        own = answers[: len(case.queries)]
        if not self._item.relation.judge(case, own).obeys:
            return True
        return case.contrast is not None and judge_contrast(case, own, answers[-1]).outcome is not Outcome.HOLDS


def _power(ways: Ways, share: float) -> float:
    """The probability that the fault shows itself in some case."""
    missed = 0.0
    for queries, sizes in ways:
        shown = sum(share**size * (1 - share) ** (queries - size) for size in sizes)
        if shown >= 1:
            return 1.0
        missed += log1p(-shown)
    return 1 - exp(missed)


def _smallest_share(ways: Ways) -> float | None:
    """In percent, with two digits; None if the fault is found at no share."""
    return next((float(f"{100 * share:.2g}") for share in _SHARES if _power(ways, share) >= POWER), None)


def recorded() -> Mapping[str, Mapping[str, Found]]:
    """The shares in the file."""
    read: dict[str, dict[str, list[float | None]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: {fault: Found(*shares) for fault, shares in by_fault.items()} for name, by_fault in read.items()}


def preset_against_all(name: str) -> Iterator[tuple[str, str, str]]:
    """Each fault with the item that finds the smallest share of it, of a preset and of all that ask questions."""
    known = recorded()
    asking = [
        item.name
        for item in measured_items()
        if set(item.relation.info.tasks(item.variant)) == {Task.VQA} and not item.name.startswith("control.")
    ]
    for fault in MEASURED:
        found = {
            item: min(share for share in known[item][fault] if share is not None)
            for item in asking
            if fault in known[item]
        }
        if found:
            of_preset = {item: share for item, share in found.items() if item in preset(name).relations}
            yield f"`{fault}`", _best(of_preset), _best(found)


def _best(found: Mapping[str, float]) -> str:
    if not found:
        return "-"
    item = min(found, key=lambda name: found[name])
    return f"{found[item]:g} `{item}`"


def _smallest(found: Mapping[str, Found]) -> list[tuple[str, Found]]:
    return sorted(found.items(), key=lambda pair: (pair[1].plain or 0, pair[1].grounded or 0, pair[0]))


if __name__ == "__main__":
    lines = (
        f' "{name}": {{\n' + ",\n".join(f'  "{fault}": {json.dumps(found)}' for fault, found in by_fault.items())
        for name, by_fault in measure(measured_items()).items()
    )
    FILE.write_text("{\n" + "\n },\n".join(lines) + "\n }\n}\n", encoding="utf-8")
