"""The items of a session: relation variants x models x data sources, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.query import Task
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.catalogue import select


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSpec:
    """One item: a relation variant, a model and a data source.

    Attributes:
        model: the name of the model, which for a remote one (``served:URL``) is not its spec.
        model_spec, data: the user's specs.
        position: its position in the order of the run.
    """

    relation: Relation
    variant: str
    model: str
    model_spec: str
    data: str
    position: int

    @property
    def item(self) -> str:
        return self.relation.info.item(self.variant)

    @property
    def id(self) -> str:
        """The id after ``vqamt::``, and in brackets in tests with the fixture."""
        return f"{self.item}-{self.model}-{self.data}"


def item_specs(
    models: Mapping[str, str],
    data: tuple[str, ...],
    relations: tuple[str, ...],
    excluded: tuple[str, ...],
    tasks_of: Callable[[str], tuple[Task, ...]],
    is_left_out: Callable[[Relation, str], bool],
    settings: Mapping[str, str],
) -> tuple[ItemSpec, ...]:
    """All items in the order of models, data and catalogue, without relations of tasks that a model lacks.

    ``models`` maps specs to names. ``is_left_out`` tells whether a relation is left out on the data of a spec.

    Raises:
        OptionError: a glob names nothing, or no item is left.
    """
    chosen = select(relations, excluded, settings)
    if not chosen:
        raise OptionError(
            f"Expected a relation to be left, but --vqamt-exclude={','.join(excluded)!r} excludes them all"
        )
    left_in = {source: [each for each in chosen if not is_left_out(each[0], source)] for source in data}
    runnable = [relation for each in left_in.values() for relation, _ in each]
    if not runnable and not relations:
        raise OptionError(
            f"Expected a relation of published cases to be left for --vqamt-data={','.join(data)!r}, but "
            f"--vqamt-exclude={','.join(excluded)!r} excludes them: name others with --vqamt-relations"
        )
    if not runnable:
        raise OptionError(
            f"Expected data with published pairs, such as carets:DIR, for {chosen[0][0].info.name}, "
            f"but got --vqamt-data={','.join(data)!r}"
        )
    combinations = [
        (relation, variant, model, source)
        for model in models
        for source in data
        for relation, variant in left_in[source]
        if relation.info.task in tasks_of(model)
    ]
    if not combinations:
        needed = ", ".join(sorted({relation.info.task for relation in runnable}))
        raise OptionError(
            f"Expected a model that does {needed}, as the relations chosen need, but got "
            + ", ".join(f"{model!r} ({', '.join(tasks_of(model))})" for model in models)
        )
    return tuple(
        ItemSpec(
            relation=relation,
            variant=variant,
            model=models[model],
            model_spec=model,
            data=source,
            position=position,
        )
        for position, (relation, variant, model, source) in enumerate(combinations)
    )
