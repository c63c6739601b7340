"""What the options name, loaded when it is first needed, and once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pytest_vqamt.annotation.annotate import annotate, warn
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
    """The models, the scene sources, the stores and the entries of a session."""

    def __init__(self, settings: Settings, *, is_worker: bool) -> None:
        self.settings = settings
        self._is_worker = is_worker
        self._catalogue = ModelCatalogue()
        self._models: dict[str, LoadedModel] = {}
        self._unusable: dict[str, VqamtError] = {}
        self._sources: dict[str, SceneSource] = {}

    def close(self) -> None:
        """Closes what was opened."""
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
                self._unusable[spec] = error  # loading it takes long, and each item asks for it
                raise
        return self._models[spec]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What the models of the session are called, by their specs. One that is elsewhere is asked for its name.

        Raises:
            OptionError: two have the same.
            VqamtError: one that is elsewhere cannot be asked.
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
            annotate(spec, self.settings.model_options)
            warn(spec, self.settings.model_options)
            self._sources[spec] = sources.load(spec, allow_bad_records=self.settings.terms.sampling.allow_bad_records)
        return self._sources[spec]

    def source_of(self, spec: str) -> SceneSource | None:
        """The source that a report of this session names so; None where it cannot be opened any more."""
        try:
            return next((source for each in self.settings.data if (source := self.source(each)).spec == spec), None)
        except VqamtError:
            return None

    def complete_data(self) -> None:
        """Has models look at photos of which too little is known, where there are any: once, before workers start.

        Raises:
            VqamtError: a model or a photo cannot be used.
        """
        for spec in self.settings.data:
            annotate(spec, self.settings.model_options)

    @cached_property
    def stores(self) -> AnswerStores:
        return AnswerStores(self.settings.cache, self.settings.run)

    @cached_property
    def baseline(self) -> Baseline | None:
        """The blessed run to be held against, read through once; None where none is named, or there is none yet.

        Raises:
            VqamtError: the file is no baseline, or a line of it is broken.
        """
        file = self.settings.baseline
        if file is None or not file.exists():
            return None
        opened = Baseline(file)
        if not self._is_worker:  # of several workers each reads what it needs
            opened.check()
        return opened

    def blessed(self, entry: ItemSpec) -> BaselineItem | None:
        """What was blessed of the entry.

        Raises:
            VqamtError: the baseline or the data cannot be used.
        """
        if self.baseline is None:
            return None
        source = self.source(entry.data)
        return self.baseline.item(
            entry.item, entry.model, source.spec, source.digest, models_run=tuple(self.names.values())
        )

    @cached_property
    def entries(self) -> tuple[ItemSpec, ...]:
        """What this session is to run.

        Raises:
            VqamtError: the options name nothing to be run, or data or a model that cannot be used.
        """
        named = self.settings
        for spec in named.data:
            self.source(spec)  # before any model is loaded
        _ = self.baseline
        check_patterns(
            [each.pattern for each in named.terms.thresholds],
            "--vqamt-fail-under to name a relation or a glob of relations",
        )
        wanted = named.relations or (("*",) if named.only else ())  # an id may be of any item
        return item_specs(
            self.names,
            named.data,
            named.relations,
            named.excluded,
            self._tasks,
            lambda relation, spec: is_left_out(relation, self.source(spec), wanted),
            named.relation_settings,
        )

    def job(self, entry: ItemSpec) -> Job:
        """The entry with its model and its source loaded."""
        return Job(
            relation=entry.relation,
            variant=entry.variant,
            model=self.model(entry.model_spec),
            source=self.source(entry.data),
            position=entry.position,
            baseline=self.blessed(entry),
        )

    def _tasks(self, spec: str) -> tuple[Task, ...]:
        """What a model can do; a worker tries every task of one that cannot be loaded, and each item says why."""
        try:
            return self.model(spec).tasks
        except VqamtError:
            if not self._is_worker:
                raise
            return tuple(Task)
