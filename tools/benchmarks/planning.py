"""How fast cases are derived, with no model in sight. Aim: 15,000 cases of metavqa.partition a second."""

from __future__ import annotations

from collections import deque
from functools import partial

from pytest_vqamt.data.catalogue import load
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.relations.catalogue import select
from pytest_vqamt.sampling.samplers import Sampler
from tools.benchmarks.measuring import cpu_s, show

_CASES = {Sampler.RANDOM: 10_000, Sampler.HYPOTHESIS: 1_000}


def main() -> None:
    source = load("pictures")
    gathering_s = cpu_s(lambda: source.corpus)
    rows = []
    for relation, variant in select():
        rates = []
        for sampler, cases in _CASES.items():
            sampling = Sampling(max_cases=cases, sampler=sampler)
            plan = Plan(relation=relation, variant=variant, source=source, sampling=sampling)
            # A run lets its cases go as it goes.
            rates.append(cases / cpu_s(partial(deque, plan, 0)))
        rows.append((relation.info.item(variant), *(f"{rate:,.0f}" for rate in rates), f"{rates[0] / rates[1]:.0f}"))
    show("Planning alone, cases a second of processor time", ("item", *_CASES, "ratio"), rows)
    print(f"\n   once before: {gathering_s:.2f} s for the corpus of {source.spec}")
