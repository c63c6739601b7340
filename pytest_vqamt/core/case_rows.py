"""A case with its answers and verdict as one line of ``cases.jsonl``, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import cast

from pytest_vqamt.core.case import Case, Fact, Outcome, Verdict, item_name
from pytest_vqamt.core.codec import Json, decode, encode
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import MEANINGS, Meaning
from pytest_vqamt.core.query import Answer, Failure, Query, Task, is_truncated
from pytest_vqamt.core.recipes import picture_of, recipe
from pytest_vqamt.core.scene import Scene

_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def case_row(
    case: Case,
    answers: Sequence[Answer | Failure],
    verdict: Verdict,
    *,
    model: str,
    data: str,
    waived: bool = False,
    before: Outcome | None = None,
) -> dict[str, Json]:
    """One line of ``cases.jsonl``; an answer is null where the query failed.

    ``before`` is what became of the case in the blessed run, where there is one.
    """
    row: dict[str, Json] = {
        "case_id": case.id,
        "relation": item_name(case.relation, case.variant),
        "model": model,
        "data": data,
        "scene": case.scene,
        "queries": [_query_row(query) for query in case.queries],
        "answers": [answer.text if isinstance(answer, Answer) else None for answer in answers],
        "expected": case.expected,
        "verdict": verdict.outcome.value,
        "reason": verdict.reason,
        "vacuous": verdict.vacuous,
        "readings": list(verdict.readings),
        "facts": dict(case.facts),
    }
    if verdict.figures:
        row["figures"] = dict(verdict.figures)
    if case.tags:
        row["tags"] = list(case.tags)
    if waived:
        row["waived"] = True
    if before is not None:
        row["before"] = before.value
    if any(isinstance(answer, Answer) and answer.scores for answer in answers):
        row["scores"] = [encode(answer.scores) if isinstance(answer, Answer) else None for answer in answers]
    if is_truncated(answers):
        row["truncated"] = [isinstance(answer, Answer) and answer.truncated for answer in answers]
    return row


def case_line(row: dict[str, Json]) -> str:
    """The row as a line, without the line's end."""
    return _LINE.encode(row)


def case_of_row(row: dict[str, Json], scene_of: Callable[[str], Scene]) -> Case:
    """The case that ``row`` was written from; ``scene_of`` finds a scene by the id of its photo.

    Raises:
        DataError: the row is not whole, or the photo is not the one the case was made on.
    """
    try:
        relation, _, variant = str(row["relation"]).removesuffix("]").partition("[")
        queries = tuple(_query(cast("dict[str, Json]", each), scene_of) for each in cast("list[Json]", row["queries"]))
        facts = cast("dict[str, Fact]", row.get("facts") or {})
        return Case(
            relation=relation,
            variant=variant,
            scene=str(row["scene"]),
            queries=queries,
            expected=str(row["expected"]),
            facts=tuple(facts.items()),
            tags=tuple(str(tag) for tag in cast("list[Json]", row.get("tags") or [])),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected a whole case, but got case_id={row.get('case_id')!r}: {error!r}") from error


def _query_row(query: Query) -> dict[str, Json]:
    row: dict[str, Json] = {
        "id": query.id,
        "task": query.task.value,
        "picture": recipe(query.picture),
        "text": query.text,
        "meaning": encode(query.meaning),
    }
    if query.trial:
        row["trial"] = query.trial
    return row


def _query(row: dict[str, Json], scene_of: Callable[[str], Scene]) -> Query:
    picture = picture_of(row["picture"], scene_of)
    meaning = decode(row["meaning"])
    if not isinstance(meaning, MEANINGS):
        raise TypeError(f"expected a meaning, got {meaning!r}")
    return Query(
        picture=picture,
        text=str(row["text"]),
        meaning=cast("Meaning", meaning),
        task=Task(str(row["task"])),
        trial=int(cast("int", row.get("trial", 0))),
    )
