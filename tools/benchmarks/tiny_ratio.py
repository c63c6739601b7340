"""``tiny`` inside a pytest run against loops of one's own. Aim: at most 1.15 times the time of the bare loop.

The bare loop is a fresh copy of the model that is asked the very batches of the run, one after the other, with every
picture drawn before. The loop of the papers' scripts asks one question at a time, each as often as a case uses it; of
its uses some are timed, evenly spread, and the time of all is computed (``--full`` times all). Both draw nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest_vqamt as vqamt
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.models.protocol import ModelOptions
from tools.benchmarks.adapters import took_inside
from tools.benchmarks.measuring import Took, show, took
from tools.benchmarks.recorded import Batches, Recorded

_RELATIONS = "metavqa.*,carets.rephrase,carets.negation,carets.visual*,veglue.vqa_mr1,metaic.singular_plural*"
_DATA = "pictures"
_CASES = 40
_RUNS = 3
_TIMED = 300


def main() -> None:
    # What a process does once, such as opening WordNet, is no part of what a model costs.
    vqamt.run(model="oracle", data=_DATA, relations=_RELATIONS, max_cases=2)
    source = load(_DATA)
    inside: list[Took] = []
    bare: list[Took] = []
    batches: Batches = []
    with TemporaryDirectory() as folder:
        for _ in range(_RUNS):
            recorded = Recorded("tiny", ModelOptions())
            inside.append(took_inside(recorded, Path(folder), _CASES, data=_DATA, relations=_RELATIONS))
            batches = recorded.drawn(source)
            bare.append(took(partial(_ask_again, batches, Recorded("tiny", ModelOptions()))))
        uses = tuple(_used(Path(folder) / "out" / "cases.jsonl"))
    alone = _alone(uses, batches, Recorded("tiny", ModelOptions()))
    ours = _least(inside)
    asked = sum(len(batch) for _, batch in batches)
    show(
        f"tiny on {_DATA}: {len(uses):,} uses of {asked:,} distinct queries, in {len(batches)} batches; "
        f"the least of {_RUNS} runs",
        ("", "wall s", "processor s", "the run's wall time over it", "processor time"),
        [
            _row("inside pytest", ours, ours),
            _row("bare loop: distinct queries, in the same batches", _least(bare), ours),
            _row("the papers' loop: every use, one at a time", alone, ours),
        ],
    )


def _row(name: str, each: Took, ours: Took) -> tuple[str, ...]:
    ratios = f"{ours.wall_s / each.wall_s:.2f}", f"{ours.cpu_s / each.cpu_s:.2f}"
    return name, f"{each.wall_s:.1f}", f"{each.cpu_s:.1f}", *ratios


def _least(runs: Sequence[Took]) -> Took:
    return Took(wall_s=min(each.wall_s for each in runs), cpu_s=min(each.cpu_s for each in runs))


def _ask_again(batches: Batches, fresh: Recorded) -> None:
    for task, batch in batches:
        fresh.model.ask(task, batch)


def _alone(wanted: Sequence[str], batches: Batches, fresh: Recorded) -> Took:
    """What it takes to ask every use by itself: measured on some, unless all are wanted."""
    inputs: dict[str, ModelInput] = {each.query.id: each for _, batch in batches for each in batch}
    step = 1 if "--full" in sys.argv else -(-len(wanted) // _TIMED)
    timed = [inputs[name] for name in wanted[::step]]
    some = took(lambda: [fresh.model.ask(each.query.task, [each]) for each in timed])
    all_over_some = len(wanted) / len(timed)
    return Took(wall_s=some.wall_s * all_over_some, cpu_s=some.cpu_s * all_over_some)


def _used(cases: Path) -> Iterable[str]:
    """The ids of all queries that the cases use."""
    with cases.open(encoding="utf-8") as lines:
        for line in lines:
            yield from (query["id"] for query in json.loads(line)["queries"])


if __name__ == "__main__":
    main()
