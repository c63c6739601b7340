"""Baselines as a run uses them: their items for its own items, and their cases on its scenes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from pytest_vqamt.core.baseline_store import BaselineFile
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.query import Answer, Failure
from pytest_vqamt.core.report_json import Row, answer_from_row, case_from_row, trial_from_row
from pytest_vqamt.core.results import BaselineEntry, BaselineUse
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.scene_source import SceneSource, scenes_by_photo
from pytest_vqamt.stats.thresholds import Drops

_UNANSWERED = Failure(reason="it had no answer when it was blessed")


class BaselineCase(NamedTuple):
    """A case of a baseline, its answers and its outcome there."""

    case: Case
    """The blessed case, with the pictures of this run's data."""
    trials: tuple[tuple[Answer | Failure, ...], ...]
    """The answers to each query of ``Case.asked``, in the order of its trials."""
    outcome: Outcome
    """The verdict when it was blessed."""


class Baseline(BaselineFile):
    """The file of a baseline, read one item at a time."""

    def item(
        self, item: str, model: str, spec: str, digest: str, *, models_run: Collection[str] = ()
    ) -> BaselineItem | None:
        """The baseline's item for a relation variant on a model and data of this run; None if it has none.

        The model is found by name if the baseline has several, or if its only model is among ``models_run``, all models
        of this run. Otherwise it is that only model: a new version may have another name. Data is found by its ``spec``
        or its ``digest``: its path differs between machines.
        """
        models = [name for name, _ in self.head.models]
        specs = [spec for spec, _ in self.head.data]
        same = [known for known, its_digest in self.head.data if its_digest == digest]
        # One model: the release before this one, under its old name. Several: names must match.
        of_model = model if len(models) > 1 or models[0] in models_run else models[0]
        # The digest finds the same records in another folder: /data/coco here, ./coco on CI.
        of_data = spec if spec in specs else next(iter(same), None)
        wanted = (item, of_model, of_data)
        found = (each for each in self.head.items if (each.item, each.model, each.data) == wanted)
        return next((BaselineItem(self, each) for each in found), None)

    def cases(self, item: BaselineEntry, source: SceneSource) -> Iterator[BaselineCase]:
        """The cases of an item in the order of their ids, on the scenes of ``source``.

        Raises:
            DataError: a line is broken, or ``source`` lacks a photo of a case.
        """
        scene_of = scenes_by_photo(source)
        for where, line in self.lines(item):
            try:
                case = _case(line.row, scene_of)
            except (DataError, ValueError) as error:
                raise DataError(
                    f"{where}: Expected the pictures that were blessed on {item.data}, but {source.spec} does not give "
                    f"them ({error}): name the data of the baseline, or bless a report of this data"
                ) from error
            yield case

    def answers_to(self, item: BaselineEntry, case_id: str) -> tuple[str | None, ...]:
        """The answers to a case in the baseline; empty if it has no such case.

        Raises:
            DataError: a line is broken.
        """
        found = (line.row for _, line in self.lines(item) if line.case_id == case_id)
        return next((tuple(cast("list[str | None]", row["answers"])) for row in found), ())


@dataclass(frozen=True, slots=True)
class BaselineItem:
    """One item of a baseline, for an item of this run."""

    baseline: Baseline
    """The file that it is in."""
    item: BaselineEntry
    """Where its cases are in the file, and the relation version that they are of."""

    def cases(self, source: SceneSource) -> Iterator[BaselineCase]:
        """As ``Baseline.cases``."""
        return self.baseline.cases(self.item, source)

    def answers_to(self, case_id: str) -> tuple[str | None, ...]:
        """As ``Baseline.answers_to``."""
        return self.baseline.answers_to(self.item, case_id)


def _case(row: Row, scene_of: Callable[[str], Scene]) -> BaselineCase:
    case = case_from_row(row, scene_of)
    # An id hashes the pictures and texts: another id means that a photo or its annotations have changed.
    if case.id != row["case_id"]:
        raise DataError(f"case_id={row['case_id']!r} is {case.id!r} by its content")
    return BaselineCase(case, tuple(_trials(row, case)), Outcome(str(row["verdict"])))


def _trials(row: Row, case: Case) -> Iterator[tuple[Answer | Failure, ...]]:
    # Only cases blessed with repeats have this row; it holds the contrast's answers, too.
    if (repeated := row.get("trials")) is not None:
        for answers in cast("list[list[Json]]", cast("Row", repeated)["texts"]):
            yield tuple(_UNANSWERED if each is None else trial_from_row(each) for each in answers)
        return
    yield from ((each,) for each in _answers(row))
    if case.contrast is not None:
        of_contrast = cast("Row", row["contrast"])
        text, declined = of_contrast.get("answer"), of_contrast.get("declined")
        yield (_UNANSWERED if text is None else answer_from_row(str(text), declined=declined),)


def _answers(row: Row) -> Iterator[Answer | Failure]:
    texts = cast("list[str | None]", row["answers"])
    parts = [cast("list[Json]", row.get(name) or [None] * len(texts)) for name in ("scores", "truncated", "declined")]
    for text, scores, truncated, declined in zip(texts, *parts, strict=True):
        yield _UNANSWERED if text is None else answer_from_row(text, scores, truncated, declined)


def baseline_use(
    baseline: Baseline,
    run: Collection[str],
    wanted: Sequence[str],
    excluded: Sequence[str],
    drops: Drops,
) -> BaselineUse:
    """The use that a run made of its baseline; ``run`` are the ids of the baseline's items that it ran, or tried to.

    Items that the user's globs ``wanted`` and ``excluded`` leave out are not missing.
    """

    def is_missed(item: str) -> bool:
        taken = not wanted or any(matches(pattern, item) for pattern in wanted)
        return taken and not any(matches(pattern, item) for pattern in excluded)

    return BaselineUse(
        file=baseline.file.name,
        digest=baseline.digest,
        models=baseline.head.models,
        answered_by=baseline.head.answered_by,
        missing=tuple(each.id for each in baseline.head.items if each.id not in run and is_missed(each.item)),
        max_drop=drops,
    )
