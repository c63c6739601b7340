"""A case put to a model once more, past the cache, and judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.core.query import Answer, ModelInput, Query
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.imaging.render import render
from pytest_vqamt.integration.case_files import AnsweredCase, Said
from pytest_vqamt.models.protocol import LoadedModel
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation

if TYPE_CHECKING:
    from PIL import Image

    from pytest_vqamt.core.picture import Picture


def relation_of(case_id: str, item: str, settings: Mapping[str, str]) -> Relation:
    """The relation of a case, which judges it, set as ``settings`` say where they name one of its own.

    Raises:
        OptionError: it is none that is known here.
    """
    name = item.partition("[")[0]
    if name not in catalogue.names():
        raise OptionError(
            f"Expected a relation that is known here, but case {case_id} is of {item!r}: ask a model with "
            f"`pytest --vqamt-replay={case_id}` where the conftest.py is that has it, or see the pictures with "
            f"`vqamt replay {case_id}`"
        )
    return catalogue.get(name, settings)


def judging(settings: Mapping[str, str]) -> dict[str, str]:
    """Those of a report's settings that mean the same everywhere: none that name a file."""
    return {
        setting.name: settings[setting.name]
        for setting in catalogue.settings_known()
        if settings.get(setting.name) in setting.values
    }


def ask_again(
    case: Case, source: SceneSource, model: LoadedModel, relation: Relation, before: Said | None
) -> AnsweredCase:
    """What ``model`` makes of the case now; ``before`` is what it has said of it.

    Raises:
        ModelError: it does not do what is asked, cannot be asked, or lacks a written answer.
        RenderError: a picture cannot be drawn.
        DataError: a photo cannot be read.
    """
    answers = _answers(case.queries, source, model)
    verdict = relation.judge(case, answers)
    return AnsweredCase(
        case=case,
        source=source,
        model=model.name,
        said=Said(
            answers=tuple(answer.text for answer in answers), outcome=verdict.outcome.value, reason=verdict.reason
        ),
        before=before,
    )


def _answers(queries: Sequence[Query], source: SceneSource, model: LoadedModel) -> list[Answer]:
    """The answers one by one, so that a batch cannot change them."""
    if model.deferred and (lacking := [query for query in queries if model.deferred.lacks(query)]):
        model.deferred.todo(lacking)
        raise ModelError(
            f"Expected model {model.name!r} to hold an answer to every query, but it lacks {len(lacking)}: they are "
            f"listed in {model.deferred.todo_file}; add their answers and ask again"
        )

    def drawn(picture: Picture) -> Image.Image:
        return render(picture, source)

    answers: list[Answer] = []
    for query in queries:
        try:
            answers += model.ask(query.task, [ModelInput(query, drawn)])
        except VqamtError:
            raise
        except Exception as error:  # a model may raise anything
            raise ModelError(
                f"Expected model {model.name!r} to answer {query.text or query.task.value!r}, but it raised "
                f"{type(error).__name__}: {' '.join(str(error).split())}"
            ) from error
    return answers
