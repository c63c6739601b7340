"""Two checkpoints of the tiny model on the same cases: ``python -m tools.tiny.compare AFTER --trained GLOBS``.

The cases are drawn from scenes of a seed of its own, which neither training nor any default data uses. Each relation's
pass rates are compared case by case, by scene; whether one has dropped is corrected by Holm over all those that were
not trained on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from tqdm import tqdm

from pytest_vqamt import run
from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.events import Event, Finished, Judged
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.results import BaselineChange
from pytest_vqamt.core.tallies import PairedClusters, SceneCounter
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.tiny import load
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.stats.paired import change_of, with_holm_gates

FRESH_SEED = 90_003
SCENES = 1000
CASES = 200


@dataclass(slots=True)
class Outcomes:
    """Listens to a run: what became of each case, by relation variant."""

    by_item: dict[str, dict[str, tuple[str, Outcome]]] = field(default_factory=dict)
    bar: tqdm[NoReturn] = field(default_factory=lambda: tqdm(desc="relations", mininterval=5))

    def __call__(self, event: Event) -> None:
        if isinstance(event, Judged):
            case = event.case
            item = f"{case.relation}[{case.variant}]" if case.variant else case.relation
            self.by_item.setdefault(item, {})[case.id] = case.scene, event.verdict.outcome
        elif isinstance(event, Finished):
            self.bar.update()


def outcomes(checkpoint: str, *, relations: str, scenes: int, cases: int, cache: Path | None) -> Outcomes:
    """The relations, all for "", on a checkpoint ("" for the one of the package)."""
    told = Outcomes()
    run(
        model=load(checkpoint, ModelOptions()), data=PictureWorld(scenes, FRESH_SEED), relations=relations,
        max_cases=cases, sampler="random", shrink=0, cache=cache, listen=told,
    )  # fmt: skip
    return told


def changes(before: Outcomes, after: Outcomes, trained: list[str]) -> dict[str, BaselineChange]:
    """The comparison of each relation variant; those not ``trained`` on are held against a drop together."""
    paired = {item: _paired(cases, after.by_item[item]) for item, cases in before.by_item.items()}
    allowed = [None if any(matches(glob, item) for glob in trained) else 0.0 for item in paired]
    together = with_holm_gates([change_of(each) for each in paired.values()], allowed)
    return dict(zip(paired, together, strict=True))


def _paired(before: dict[str, tuple[str, Outcome]], after: dict[str, tuple[str, Outcome]]) -> PairedClusters:
    if before.keys() != after.keys():
        raise ValueError("Expected the same cases of both runs, but got others")
    spread = SceneCounter()
    for case, (scene, outcome) in after.items():
        spread.add(scene, outcome, before[case][1])
    return spread.paired


def table(compared: dict[str, BaselineChange]) -> Iterator[str]:
    """The comparison as a Markdown table, those that were trained on first."""
    yield "| relation | cases | before | after | difference, 95 % interval | drop: p after Holm |"
    yield "|---|---:|---:|---:|---:|---:|"
    for item, each in sorted(compared.items(), key=lambda pair: pair[1].gate is not None):
        paired, (low, high) = each.paired, each.interval
        p = "trained on" if each.p_holm is None else f"{each.p_holm:.3f}"
        yield (
            f"| {item} | {paired.shared} | {paired.first_rate:.1%} | {paired.second_rate:.1%} | "
            f"{100 * (paired.difference or 0):+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) | {p} |"
        )


def main() -> None:
    """Runs both, compares, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("after", help="the checkpoint that was trained further")
    parser.add_argument("--before", default="", help="the other one (default: the package's own)")
    parser.add_argument("--trained", default="", metavar="GLOBS", help="the relations whose cases were trained on")
    parser.add_argument("--relations", default="", metavar="GLOBS", help="those to compare (default: all)")
    parser.add_argument("--scenes", type=int, default=SCENES)
    parser.add_argument("--cases", type=int, default=CASES, help="of each relation variant (default: %(default)s)")
    parser.add_argument("--cache", type=Path, help="a folder that keeps answers, so that a second comparison is quick")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    before, after = (
        outcomes(each, relations=given.relations, scenes=given.scenes, cases=given.cases, cache=given.cache)
        for each in (given.before, given.after)
    )
    compared = changes(before, after, [glob.strip() for glob in given.trained.split(",") if glob.strip()])
    print("\n".join(table(compared)))
    if given.out:
        rows = {item: [each.paired.rows, each.interval, each.p, each.p_holm] for item, each in compared.items()}
        given.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
