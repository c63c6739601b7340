"""The scores of all queries that two runs share: how far they have moved, whatever the verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from typing import Any, TypeAlias, cast

from msgspec import Struct

from pytest_vqamt.core.case_store import CaseLine
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.text import count_noun, quoted, shown
from pytest_vqamt.reporting.view.format import format_percent
from pytest_vqamt.stats.candidates import Candidates, divergence, likeliest, shares

Part: TypeAlias = tuple[tuple[str, str], tuple[str, str]]
"""The names of a model, and the specs of its data, in the two runs."""

_SHOWN = 3


class MovedAnswer(Struct, frozen=True, kw_only=True):
    """A query whose scores have moved far."""

    case_id: str
    scene: str
    text: str
    before: str
    """The answer in the first run."""
    after: str
    """The answer in the second run."""
    divergence: float
    """The Kullback-Leibler divergence of its scores, in nats."""


class ComparedScores(Struct, frozen=True, kw_only=True):
    """The scores of the queries that both runs asked a model."""

    models: tuple[str, str]
    data: tuple[str, str]
    queries: int
    """Those that have scores in both runs, each once."""
    flips: int
    """Those whose likeliest candidate differs."""
    other_texts: int
    """Those whose answer differs."""
    divergence: float
    """The mean Kullback-Leibler divergence from the first run to the second, in nats; a lower bound."""
    moved: tuple[MovedAnswer, ...]
    """The queries whose scores have moved most, the farthest first."""


@dataclass(slots=True)
class ScoredPairs:
    """Counts the queries of paired cases that have scores in both runs."""

    seen: set[str] = field(default_factory=set)
    """The ids of queries, which cases share."""
    flips: int = 0
    other_texts: int = 0
    total: float = 0.0
    farthest: list[tuple[float, str, MovedAnswer]] = field(default_factory=list)
    """A heap of a few."""

    def add(self, before: CaseLine, after: CaseLine) -> None:
        """Counts the queries of a case.

        Raises:
            DataError: a line is incomplete.
        """
        if not (before.row.get("scores") and after.row.get("scores")):
            return
        old, new = dict(_scored(before)), dict(_scored(after))
        for query, (text, answer, scores) in new.items():
            if query not in old or query in self.seen:
                continue
            self.seen.add(query)
            _, known, known_scores = old[query]
            moved = divergence(known_scores, scores)
            self.total += moved
            self.flips += likeliest(shares(known_scores)) != likeliest(shares(scores))
            self.other_texts += known != answer
            if moved:
                self._keep(after, text, known, answer, moved)

    def _keep(self, line: CaseLine, text: str, before: str, after: str, moved: float) -> None:
        found = MovedAnswer(
            case_id=line.case_id,
            scene=str(line.row["scene"]),
            text=text,
            before=before,
            after=after,
            divergence=moved,
        )
        # By case, too, so that equal ones have an order.
        entry = (moved, f"{line.case_id} {text}", found)
        heappush(self.farthest, entry) if len(self.farthest) < _SHOWN else heappushpop(self.farthest, entry)

    def compared(self, part: Part) -> ComparedScores:
        """What was counted; at least one query must have been."""
        models, data = part
        return ComparedScores(
            models=models,
            data=data,
            queries=len(self.seen),
            flips=self.flips,
            other_texts=self.other_texts,
            divergence=self.total / len(self.seen),
            moved=tuple(found for *_, found in sorted(self.farthest, key=lambda each: (-each[0], each[1]))),
        )


def _scored(line: CaseLine) -> Iterator[tuple[str, tuple[str, str, Candidates]]]:
    """The queries of a case that have scores: their ids, texts, answers and scores."""
    row = line.whole
    each = zip(
        cast("list[Row]", row["queries"]),
        cast("list[Any]", row["answers"]),
        cast("list[Any]", row["scores"]),
        strict=True,
    )
    for query, answer, scores in each:
        if answer is not None and scores:
            yield str(query["id"]), (str(query["text"]), str(answer), [(str(text), float(at)) for text, at in scores])


def score_sentences(found: ComparedScores) -> Iterator[str]:
    """What was counted, and the queries that have moved most, a sentence each."""
    flips = format_percent(found.flips / found.queries)
    yield (
        f"scores of {count_noun(found.queries, 'query', 'queries')} in both runs: the likeliest candidate of "
        f"{found.flips:,} ({flips}) and the text of {found.other_texts:,} differ; mean divergence "
        f"{found.divergence:.2g} nats"
    )
    for each in found.moved:
        answers = f"{quoted(shown(each.before))} before, {quoted(shown(each.after))} now"
        where = f"scene {each.scene}, case {each.case_id}"
        yield f"moved by {each.divergence:.2g} nats: {where}: {shown(each.text)} {answers}"
