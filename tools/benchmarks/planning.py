"""How fast cases are derived, with no model in sight. Aim: 3,000 cases a second of processor time for each variant.

Measured are all built-in relations, those on request included, but for those of published cases, of which the picture
world has none, and basic questions, which are ranked first (``basic_questions``). A variant that has fewer distinct
cases than are wanted is marked: its rate is about draws that gave nothing new, too.
"""

from __future__ import annotations

from time import process_time

from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.relations.catalogue import BUILT_IN, get
from pytest_vqamt.sampling.chooser import Sampler
from tools.benchmarks.measuring import cpu_s, show

_CASES = {Sampler.RANDOM: 5_000, Sampler.HYPOTHESIS: 300}
_AIM = 3_000


def main() -> None:
    source = load("pictures")
    gathering_s = cpu_s(lambda: source.corpus)
    rows = []
    for name in BUILT_IN:
        relation = get(name)
        if isinstance(relation, PublishedRelation) or name.startswith("basic_questions."):
            continue
        for variant in relation.info.variants:
            rate, made = _rate(relation, variant, source, Sampler.RANDOM)
            with_hypothesis, _ = _rate(relation, variant, source, Sampler.HYPOTHESIS)
            few = f"has {made:,}" if made < _CASES[Sampler.RANDOM] else ""
            note = few or ("below" if rate < _AIM else "")
            ratio = f"{rate / with_hypothesis:.0f}" if with_hypothesis else ""
            rows.append((relation.info.item(variant), f"{rate:,.0f}", f"{with_hypothesis:,.0f}", ratio, note))
    show("Planning alone, cases a second of processor time", ("item", *_CASES, "ratio", f"aim: {_AIM:,}"), rows)
    print(f"\n   once before: {gathering_s:.2f} s for the corpus of {source.spec}")


def _rate(relation: Relation, variant: str, source: SceneSource, sampler: Sampler) -> tuple[float, int]:
    """Cases a second, and how many there were."""
    sampling = Sampling(max_cases=_CASES[sampler], sampler=sampler)
    start = process_time()
    # A run lets its cases go as it goes.
    made = sum(1 for _ in Plan(relation=relation, variant=variant, source=source, sampling=sampling))
    return made / (process_time() - start), made
