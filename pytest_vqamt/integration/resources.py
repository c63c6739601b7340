"""Loads the models, the data and the baseline that the options name, once, on first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pytest_vqamt.core.errors import OptionError, VqamtError
from pytest_vqamt.core.query import Task
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.baseline import Baseline, BaselineItem
from pytest_vqamt.execution.plan import Job, is_left_out
from pytest_vqamt.integration.item_specs import ItemSpec, item_specs
from pytest_vqamt.integration.settings import Settings
from pytest_vqamt.models.base import LoadedModel
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.relations.catalogue import check as check_patterns


class Resources:
    """The models, the scene sources, the answer stores and the items of a session."""

    def __init__(self, settings: Settings, *, is_worker: bool) -> None:
        self.settings = settings
        self._is_worker = is_worker
        self._catalogue = ModelCatalogue()
        self._models: dict[str, LoadedModel] = {}
        self._unusable: dict[str, VqamtError] = {}
        self._sources: dict[str, SceneSource] = {}

    def close(self) -> None:
        """Closes the answer stores."""
        if "stores" in self.__dict__:
            self.stores.close()

    def model(self, spec: str) -> LoadedModel:
        """The model of this spec, loaded once.

        Raises:
            VqamtError: it cannot be loaded.
        """
        if spec in self._unusable:
            raise self._unusable[spec]
        if spec not in self._models:
            try:
                self._models[spec] = self._catalogue.load(spec, self.settings.model_options)
            except VqamtError as error:
                self._unusable[spec] = error  # loading takes long, and every item would try again
                raise
        return self._models[spec]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of the models, by spec. A remote model is queried for its name.

        Raises:
            OptionError: two models have the same name.
            VqamtError: a remote model cannot be reached.
        """
        names: dict[str, str] = {}
        for spec in self.settings.models:
            name = self.model(spec).name if self._catalogue.kind(spec).is_remote else spec
            for other, its_name in names.items():
                if its_name == name:
                    raise OptionError(
                        f"Expected models of different names, but got --vqamt-model={other} and --vqamt-model={spec}, "
                        f"which are both {name!r}: leave one of them off"
                    )
            names[spec] = name
        return names

    def source(self, spec: str) -> SceneSource:
        """The scene source of this spec, opened once.

        Raises:
            VqamtError: it cannot be opened.
        """
        if spec not in self._sources:
            self._sources[spec] = sources.load(spec, allow_bad_records=self.settings.terms.sampling.allow_bad_records)
        return self._sources[spec]

    def source_of(self, spec: str) -> SceneSource | None:
        """The source of this name in a report of this session; None if it can no longer be opened."""
        try:
            return next((source for each in self.settings.data if (source := self.source(each)).spec == spec), None)
        except VqamtError:
            return None

    @cached_property
    def stores(self) -> AnswerStores:
        return AnswerStores(self.settings.cache, self.settings.run)

    @cached_property
    def baseline(self) -> Baseline | None:
        """The baseline, checked once; None if none is named, or the file does not exist yet.

        Raises:
            VqamtError: the file is no baseline, or a line of it is broken.
        """
        file = self.settings.baseline
        if file is None or not file.exists():
            return None
        opened = Baseline(file)
        if not self._is_worker:  # workers read only the items that they need
            opened.check()
        return opened

    def baseline_item(self, spec: ItemSpec) -> BaselineItem | None:
        """The item of the baseline for an item of this session.

        Raises:
            VqamtError: the baseline or the data cannot be used.
        """
        if self.baseline is None:
            return None
        source = self.source(spec.data)
        return self.baseline.item(
            spec.item, spec.model, source.spec, source.digest, models_run=tuple(self.names.values())
        )

    @cached_property
    def item_specs(self) -> tuple[ItemSpec, ...]:
        """The items of this session.

        Raises:
            VqamtError: the options leave no item, or name data or a model that cannot be used.
        """
        settings = self.settings
        for spec in settings.data:
            self.source(spec)  # before any model is loaded
        _ = self.baseline
        check_patterns(
            [each.pattern for each in settings.terms.thresholds],
            "--vqamt-fail-under to name a relation or a glob of relations",
        )
        wanted = settings.relations or (("*",) if settings.only else ())  # an id may be of any item
        return item_specs(
            self.names,
            settings.data,
            settings.relations,
            settings.excluded,
            self._tasks,
            lambda relation, spec: is_left_out(relation, self.source(spec), wanted),
            settings.relation_settings,
        )

    def job(self, spec: ItemSpec) -> Job:
        """Loads the model and the source of an item."""
        return Job(
            relation=spec.relation,
            variant=spec.variant,
            model=self.model(spec.model_spec),
            source=self.source(spec.data),
            position=spec.position,
            baseline=self.baseline_item(spec),
        )

    def _tasks(self, spec: str) -> tuple[Task, ...]:
        """The tasks of a model. In a worker, a model that cannot be loaded has all tasks, and each item reports why."""
        try:
            return self.model(spec).tasks
        except VqamtError:
            if not self._is_worker:
                raise
            return tuple(Task)
