"""What a run needs: its settings, the models, data and baseline that they name, its items, and its report.

The pytest plugin, ``vqamt.run`` and replay all start here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Ability, Turn
from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError
from pytest_vqamt.core.identity import name_of, split_name
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task, cannot_take
from pytest_vqamt.core.results import (
    ModelUse,
    RelationResult,
    Report,
    Undecided,
    build_report,
    order_results,
)
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.core.spelling import Spelling, option, spelt
from pytest_vqamt.core.text import count_noun, error_text, short_path, shown
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import DemandingSource, PairedSource, PresetSource, SceneSource, warn_of_data
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.baseline import Baseline, BaselineItem, baseline_use
from pytest_vqamt.execution.leases import RunProcess
from pytest_vqamt.execution.plan import Job, RunOptions, is_left_out
from pytest_vqamt.execution.prefetch import InputPipeline
from pytest_vqamt.language.answers.final import parse_tags, strip_traces
from pytest_vqamt.models.batching import free_memory
from pytest_vqamt.models.catalogue import QUICK, ModelCatalogue, ModelKind
from pytest_vqamt.models.lost_device import device_lost, is_device_lost
from pytest_vqamt.models.protocol import ModelOptions, described
from pytest_vqamt.models.python import imported
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations.base import Relation, check_data
from pytest_vqamt.relations.catalogue import READER, THOUGHT_TAGS, own_names, select
from pytest_vqamt.relations.catalogue import check as check_patterns
from pytest_vqamt.relations.catalogue import names as all_names
from pytest_vqamt.relations.presets import preset
from pytest_vqamt.stats.conclude import Concluded, conclude, with_tables
from pytest_vqamt.stats.thresholds import Drops, GateKind, TotalKind

AnswerReader: TypeAlias = Callable[[Query, Answer], Answer]
"""Gives the answer that is judged; the report has the model's own."""

_SCENES_SAMPLED = 200
"""Scenes of each source that are searched for the photo with the most pixels."""


def answer_reader(settings: Mapping[str, str]) -> AnswerReader | None:
    """The reader that the settings name; None if they name none.

    Raises:
        OptionError: the module or the function does not exist.
        ModelError: the module raised.
    """
    tags = parse_tags(settings.get(THOUGHT_TAGS.name, ""))
    function = _function(settings[READER.name]) if settings.get(READER.name) else None
    if not tags and function is None:
        return None

    def read(query: Query, answer: Answer) -> Answer:
        # No text to read: the question had words that the model does not know, say.
        if answer.declined:
            return answer
        if tags:
            stripped = strip_traces(answer.text, tags)
            # A trace that is cut off has no answer behind it; "<think>" alone is read as such an answer.
            answer = replace(answer, text="<think>" if stripped.is_cut_off else stripped.text)
        return answer if function is None else _read_by(function, settings[READER.name], query, answer)

    return read


def _read_by(function: Callable[[str, str], object], name: str, query: Query, answer: Answer) -> Answer:
    try:
        found = function(query.text, answer.text)
    except Exception as error:
        raise VqamtError(
            f"Expected {READER.name}={name} to read {answer.text[:80]!r}, but it raised {shown(error_text(error))}"
        ).about(error, f"in {READER.name}={name}, for the answer {answer.text[:80]!r} to {query.text!r}") from error
    # None: the reader leaves this answer to the readings of the package.
    if found is None:
        return answer
    if not isinstance(found, str):
        raise VqamtError(f"Expected {READER.name}={name} to return a text or None, but got {found!r}")
    return replace(answer, text=found)


def _function(name: str) -> Callable[[str, str], object]:
    given = f"{READER.name}={name}"
    found = imported(name, given)
    if not callable(found):
        raise OptionError(f"Expected a function, but got {given}, which is {described(found)}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings that decide on the items and the results of a run."""

    models: tuple[str, ...]
    """Specs ("tiny"), or the names of models that were given as objects."""
    data: tuple[str, ...]
    """Specs ("coco:DIR"), or the names of sources that were given as objects."""
    relations: tuple[str, ...]
    """Globs of items ("metavqa.*"); empty for the preset, or for all where ``only`` is given."""
    excluded: tuple[str, ...]
    """Globs of items that do not run."""
    terms: RunOptions
    """What ``run_item`` needs, but the reader, which ``Resources`` makes of ``relation_settings``."""
    model_options: ModelOptions
    relation_settings: Mapping[str, str]
    """The settings that relations define, such as ``READER``, by name."""
    baseline: Path | None
    """The file of blessed cases."""
    max_drop: Drops
    """How far a rate may fall below the baseline's, by globs of items."""
    cache: Path | None
    """The folder of the answer cache; None without one."""
    undecided: Undecided = Undecided.PASS
    """The effect on the run of a gate with too few cases to decide."""
    only: tuple[str, ...] = ()
    """The ids of the items that the command line names, which may be of any relation; empty for all."""
    run: RunProcess = field(default_factory=RunProcess)
    """The run that this process is a part of."""
    max_error_rate: float = 0.0
    """The share of an item's cases that may end in an error."""
    spelling: Spelling = field(default_factory=Spelling)
    """How the user has given the settings, for messages."""

    @property
    def has_no_contrasts(self) -> bool:
        """True if no case can have a contrast, so that no grounded rate can be gated; a baseline has its own."""
        return not self.terms.sampling.contrast and self.baseline is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSpec:
    """One item by name: a relation variant, a model and a data source."""

    relation: Relation
    """The relation that derives and judges the cases."""
    variant: str
    """The part of the item's id in brackets; "" for a relation without variants."""
    model: str
    """The name of the model, which for a remote one (``served:URL``) is not its spec."""
    model_spec: str
    """What the user typed: a name, a short name with a spec, or a URL."""
    data: str
    """The short name of the data, or the user's spec."""
    data_spec: str
    """What the user typed: a spec, or a short name with a spec."""
    position: int
    """Its position in the order of the run."""

    @property
    def item(self) -> str:
        return self.relation.info.item(self.variant)

    @property
    def id(self) -> str:
        """The id after ``vqamt::``, and in brackets in tests with the fixture."""
        return f"{self.item}-{self.model}-{self.data}"


def largest_scenes(source: SceneSource) -> Iterator[Scene]:
    """The scene with the largest file, which is the longest request as a rule, and one of the most pixels."""
    from pytest_vqamt.data.photo_io import sample_indices  # imports NumPy

    # Only sources that list their files know it; others do without.
    largest = getattr(source, "largest_file", None)
    if largest is not None:
        # A photo that cannot be read is left to the case that needs it.
        with suppress(VqamtError):
            yield source.scene(largest)
    sampled = []
    for index in sample_indices(len(source), _SCENES_SAMPLED):
        with suppress(VqamtError):
            sampled.append(source.scene(index))
    if sampled:
        yield max(sampled, key=lambda scene: scene.width * scene.height)


_MOST_PICTURES = 3
"""In a query about photos; films of more frames are of drawn scenes, which are small."""


def _largest_inputs(source: SceneSource, pipeline: InputPipeline, *, lossless: bool, several: bool) -> list[ModelInput]:
    """Inputs with the largest pictures; ``lossless`` adds those that are sent without loss, ``several`` one of many."""
    plain = [scene.picture for scene in {scene.photo.id: scene for scene in largest_scenes(source)}.values()]
    # An edited photo may be larger than its own file.
    edited = [picture.mirror() for picture in plain]
    queries = [Query(picture=picture, meaning=Describe()) for picture in (*plain, *edited)]
    exact = pipeline.inputs(queries[: len(plain)], lossless=True) if lossless else []
    if several:
        queries.append(Query.of(Turn((*(plain * _MOST_PICTURES)[:_MOST_PICTURES], "?")), meaning=Describe()))
    return [*pipeline.inputs(queries), *exact]


class Resources:
    """The models, the scene sources, the answer stores, the baseline and the items of a run, each loaded on first use.

    Args:
        is_worker: whether this is a worker of xdist, whose controller has checked the baseline.
        models, data: those that were given as objects, by the names that ``settings`` has for them.
    """

    def __init__(
        self,
        settings: RunSettings,
        *,
        is_worker: bool = False,
        models: Mapping[str, LoadedModel] | None = None,
        data: Mapping[str, SceneSource] | None = None,
    ) -> None:
        self.settings = settings
        self.run_options = replace(settings.terms, reader=answer_reader(settings.relation_settings))
        self._is_worker = is_worker
        self._catalogue = ModelCatalogue()
        self._objects = frozenset(models or {})
        self._data_objects = frozenset(data or {})
        self._models = dict(models or {})
        self._unusable: dict[str, VqamtError] = {}
        self._declared: dict[str, tuple[Task, ...] | None] = {}
        self._held = set(self._objects)
        self._sources = dict(data or {})
        self._looked_at: set[tuple[str, str]] = set()
        self._started = datetime.now(UTC)
        self._clock = time.monotonic()

    def close(self) -> None:
        """Closes the answer stores."""
        if "stores" in self.__dict__:
            self.stores.close()

    def model(self, spec: str) -> LoadedModel:
        """The model of this spec, loaded once unless it is released.

        Raises:
            VqamtError: it cannot be loaded.
        """
        if spec in self._unusable:
            raise self._unusable[spec]
        if spec not in self._models:
            try:
                model = self._catalogue.load(spec, self.settings.model_options)
                self._check_tasks(spec, model.tasks)
                self._models[spec] = model
            except VqamtError as error:
                cause = error.__cause__
                # Loading takes long, and every item would try again.
                self._unusable[spec] = device_lost(spec, cause) if cause and is_device_lost(cause) else error
                raise self._unusable[spec] from cause
        return self._models[spec]

    def _declared_tasks(self, spec: str) -> tuple[Task, ...] | None:
        """The tasks of a model that need not be loaded for them; None for any other."""
        if spec in self._models or spec in self._unusable:
            return None
        if spec not in self._declared:
            try:
                self._declared[spec] = self._catalogue.tasks(spec, self.settings.model_options)
            except VqamtError as error:
                self._unusable[spec] = error
                raise
        return self._declared[spec]

    def _check_tasks(self, spec: str, tasks: tuple[Task, ...]) -> None:
        declared = self._declared.get(spec)
        if declared is not None and declared != tasks:
            raise ModelError(
                f"Expected model {spec!r} to have the tasks that its class or configuration says "
                f"({', '.join(declared)}), but once loaded it does {', '.join(tasks)}: make it by a function without a "
                "return type, whose tasks are read from what it returns"
            )

    @property
    def loaded(self) -> tuple[str, ...]:
        """The specs of the models that are loaded now, but for those that were given as objects."""
        return tuple(spec for spec in self._models if spec not in self._objects)

    def is_worth_help(self, spec: str) -> bool:
        """True for a model whose answers take long: neither that of a server nor one that reads the scene."""
        kind = self._catalogue.kind(spec)
        return not (kind.is_remote or kind.needs_scenes)

    def release(self, spec: str) -> None:
        """Lets a model go, so that the next one finds room; where it is needed again, it is loaded again."""
        if spec not in self._held and self._models.pop(spec, None) is not None:
            free_memory()

    def held_model(self, spec: str) -> LoadedModel:
        """The model of this spec, which is never released, since someone else uses it."""
        self._held.add(spec)
        return self.model(spec)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of the models, by spec. A remote model is queried for its name.

        Raises:
            OptionError: two models have the same name.
            VqamtError: a remote model cannot be reached.
        """
        names: dict[str, str] = {}
        for spec in self.settings.models:
            # Only a remote or a given model has to be loaded for its name: a spec is its own name.
            has_own_name = spec in self._models or self._catalogue.kind(spec).is_remote
            name = self.model(spec).name if has_own_name else name_of(spec)
            for other, its_name in names.items():
                if its_name == name:
                    raise OptionError(
                        f"Expected models of different names, but got {option('model')}={other} and "
                        f"{option('model')}={spec}, which are both {name!r}: leave one of them off"
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
        """The source of this name in a report of this run; None if it can no longer be opened."""
        try:
            return next((self.source(each) for each in self.settings.data if self.data_name(each) == spec), None)
        except VqamtError:
            return None

    def data_name(self, spec: str) -> str:
        """The name of the source of this spec in reports: its short name, or its spec with the defaults filled in.

        Raises:
            VqamtError: it cannot be opened.
        """
        return self._short_name(spec) or self.source(spec).spec

    def _short_name(self, spec: str) -> str:
        return "" if spec in self._data_objects else split_name(spec)[0]

    @cached_property
    def stores(self) -> AnswerStores:
        return AnswerStores(self.settings.cache, self.settings.run)

    @cached_property
    def baseline(self) -> Baseline | None:
        """The baseline, checked once; None if none is named.

        Raises:
            OptionError: there is no such file.
            VqamtError: the file is no baseline, or a line of it is broken.
        """
        if self.settings.baseline is None:
            return None
        if not self.settings.baseline.exists():
            raise OptionError(self._missing_baseline)
        opened = Baseline(self.settings.baseline)
        if not self._is_worker:  # workers read only the items that they need
            opened.check()
        return opened

    @property
    def _missing_baseline(self) -> str:
        file = self.settings.baseline
        return (
            f"Expected {option('baseline')} to name a file that `vqamt bless` wrote, but there is no "
            f"{str(file)!r}: get it (is it committed?), or run once with "
            f"{option('allow-missing-baseline')}, and `vqamt bless` that report"
        )

    def baseline_item(self, spec: ItemSpec) -> BaselineItem | None:
        """The item of the baseline for an item of this run.

        Raises:
            VqamtError: the baseline or the data cannot be used.
        """
        if self.baseline is None:
            return None
        name, source = self.data_name(spec.data_spec), self.source(spec.data_spec)
        return self.baseline.item(spec.item, spec.model, name, source.digest, models_run=tuple(self.names.values()))

    @property
    def known_items(self) -> tuple[ItemSpec, ...]:
        """The items if something has asked for them; a session of unit tests need not read the data for them."""
        return tuple(self.__dict__.get("item_specs", ()))

    @cached_property
    def item_specs(self) -> tuple[ItemSpec, ...]:
        """The items of this run, in the order of models, data and catalogue, without tasks that a model lacks.

        What takes long comes last: the arguments are checked, then the data is opened, then models are loaded.

        Raises:
            OptionError: the settings leave no item.
            VqamtError: they name data or a model that cannot be used.
        """
        with spelt(self.settings.spelling):
            return self._found_items()

    def _check_gates(self) -> None:
        """Checks the patterns of the settings, and that each gate has something to judge."""
        settings = self.settings
        terms, drops = settings.terms, settings.max_drop
        # A glob that matches nothing is a typing error, which would otherwise run or gate nothing in silence.
        for name, patterns in {
            "relations": settings.relations,
            "exclude": settings.excluded,
            GateKind.PASS_RATE.value: [each.pattern for each in terms.thresholds],
            GateKind.GROUNDED_RATE.value: [each.pattern for each in terms.grounded_thresholds],
            GateKind.DROP.value: [each for each in settings.max_drop if each not in TotalKind.ids()],
        }.items():
            or_total = f", or {' or '.join(sorted(TotalKind.ids()))}" if name == GateKind.DROP.value else ""
            check_patterns(patterns, f"{option(name)} to name a relation or a glob of relations{or_total}")
        # The gate would have no case to judge.
        if settings.terms.grounded_thresholds and settings.has_no_contrasts:
            raise OptionError(
                f"Expected {option('contrast')} above 0 with {option(GateKind.GROUNDED_RATE.value)}, "
                "but it is 0 (the default with a paper's preset), so no case has a contrast: set a share (0.5)"
            )
        if settings.undecided is Undecided.FAIL and settings.baseline is not None and not any(drops.values()):
            raise OptionError(
                f"Expected {option('max-drop')} above 0 with {option('undecided')}=fail, but it is 0: "
                "no number of cases shows that a rate has not dropped at all, so every run would fail; allow 0.05, say"
            )

    def _found_items(self) -> tuple[ItemSpec, ...]:
        settings = self.settings
        self._check_gates()
        wanted = settings.relations or (all_names() if settings.only else ())  # an id may be of any item
        chosen = select(wanted, settings.excluded, settings.relation_settings)
        if not chosen:
            raise OptionError(f"Expected a relation to be left, but {self._excluded} excludes them all")
        # A baseline that is missing or broken is reported before data is opened and models are loaded.
        _ = self.baseline
        left_in = self._left_in(chosen)
        runnable = [each for some in left_in.values() for each in some]
        combinations = [
            (relation, variant, model, source)
            for model in self.names
            for source in settings.data
            for relation, variant in self._preset_items(model, source, left_in[source])
            # A captioning relation has no item for a model that only answers questions.
            if set(relation.info.tasks(variant)) <= set(self._tasks(model))
        ]
        if not combinations:
            needed = ", ".join(sorted({" and ".join(relation.info.tasks(variant)) for relation, variant in runnable}))
            raise OptionError(
                f"Expected a model that does {needed}, as the relations chosen need, but got "
                + ", ".join(f"{model!r} ({', '.join(self._tasks(model))})" for model in self.names)
            )
        return tuple(
            ItemSpec(
                relation=relation,
                variant=variant,
                model=self.names[model],
                model_spec=model,
                data=self._short_name(source) or source,
                data_spec=source,
                position=position,
            )
            for position, (relation, variant, model, source) in enumerate(combinations)
        )

    def request_notes(self) -> Iterator[str]:
        """Notes of loaded models on requests, from the largest pictures of each source, to read before the run."""
        for model in self.names:
            note = self._models[model].request_note if model in self._models else None
            for spec in self.settings.data if note else ():
                asked = [
                    each.relation.info for each in self.item_specs if (each.model_spec, each.data_spec) == (model, spec)
                ]
                is_exact = any(info.exact_pixels for info in asked)
                several = self._models[model].takes.issuperset((Ability.PICTURES,)) and any(
                    Ability.PICTURES in info.needs for info in asked
                )
                with closing(InputPipeline(self.source(spec), batch_size=1)) as pipeline:
                    largest = _largest_inputs(self.source(spec), pipeline, lossless=is_exact, several=several)
                    said = note(largest) if note else ""
                if said:
                    yield f"{self.names[model]}: {said}"

    def placement(self, spec: str) -> str:
        """A loaded model and where it computes; "" for one that does not compute here."""
        model = self._models.get(spec)
        return f"{self.names[spec]} {model.placement}" if model and model.placement else ""

    def _kind(self, model: str) -> ModelKind:
        """The kind of a model: for a served one its kind on the server, so that both run the same relations."""
        kind = self._catalogue.kind(model)
        if not kind.is_remote:
            return kind
        served = self.model(model).kind
        return next((each for each in self._catalogue.kinds if each.name == served), kind)

    def preset_of(self, model: str, source: str) -> str:
        """The name of the preset that runs because no relations are named; "" for none.

        A preset asks about scenes: none runs on published pairs, or for a model without the tasks of its relations.
        Photos with questions have their own, for any model.
        """
        if self.settings.relations or self.settings.only:
            return ""
        data = self.source(source)
        # Photos with questions of their own, which fit any model.
        if isinstance(data, PresetSource):
            return data.preset
        if isinstance(data, PairedSource):
            return ""
        # A model given as an object has no kind in the catalogue to name its preset.
        name = QUICK if model in self._objects else self._kind(model).preset
        tasks = set(self._tasks(model))
        fits = name and any(
            tasks.issuperset(relation.info.tasks(variant)) for relation, variant in select(preset(name).relations)
        )
        return name if fits else ""

    def _preset_items(
        self, model: str, source: str, others: Sequence[tuple[Relation, str]]
    ) -> Sequence[tuple[Relation, str]]:
        """The relation variants of the preset, those of users and plugins about scenes, and those of the baseline.

        They are ``others`` where no preset runs.
        """
        name = self.preset_of(model, source)
        if not name:
            return others
        settings = self.settings
        # A blessed item runs though the preset lacks it: otherwise it would be reported as missing.
        blessed = {each.item for each in self.baseline.head.items} if self.baseline else set()
        known = [relation.info.item(variant) for relation, variant in select(all_names())] if blessed else []
        # Relations of users and plugins are about scenes, which photos with questions lack.
        own = () if isinstance(self.source(source), PresetSource) else own_names()
        wanted = (*preset(name).relations, *own, *(item for item in known if item in blessed))
        chosen = select(wanted, settings.excluded, settings.relation_settings)
        if not chosen:
            raise OptionError(f"Expected a relation of the preset {name} to be left, but {self._excluded} excludes all")
        return chosen

    def _left_in(self, chosen: Sequence[tuple[Relation, str]]) -> dict[str, list[tuple[Relation, str]]]:
        """The relation variants that run on each source."""
        settings = self.settings
        wanted = settings.relations or (("*",) if settings.only else ())  # an id may be of any item
        for relation in {each.info.name: each for each, _ in chosen}.values():
            check_data(relation, (self.source(spec).corpus for spec in settings.data))
        left_in = {
            spec: [each for each in chosen if not is_left_out(each[0], self.source(spec), wanted)]
            for spec in settings.data
        }
        data = f"{option('data')}={','.join(settings.data)!r}"
        # Two mistakes end here: exclusions that leave nothing, and published relations named for other data.
        if not any(left_in.values()) and not settings.relations:
            raise OptionError(
                f"Expected a relation of published cases to be left for {data}, but {self._excluded} excludes them: "
                f"name others with {option('relations')}"
            )
        if not any(left_in.values()):
            raise OptionError(
                f"Expected data with published pairs, such as carets:DIR, for {chosen[0][0].info.name}, but got {data}"
            )
        return left_in

    @property
    def _excluded(self) -> str:
        return f"{option('exclude')}={','.join(self.settings.excluded)!r}"

    def job(self, spec: ItemSpec) -> Job:
        """Loads the model and the source of an item.

        Raises:
            VqamtError: one of them, or the baseline, cannot be used.
        """
        model = self.model(spec.model_spec)
        source = self.source(spec.data_spec)
        if (model.name, spec.data_spec) not in self._looked_at:
            self._looked_at.add((model.name, spec.data_spec))
            _check_demands(model, source)
        # All sources, not only this item's: what a model learns of them must not depend on the order of items.
        model.meet([self.source(each) for each in self.settings.data])
        return Job(
            relation=spec.relation,
            variant=spec.variant,
            model=model,
            source=source,
            position=spec.position,
            baseline=self.baseline_item(spec),
            short_name=self._short_name(spec.data_spec),
            given=split_name(spec.data_spec)[1],
        )

    def _tasks(self, spec: str) -> tuple[Task, ...]:
        """The tasks of a model. In a worker, a model that cannot be loaded has all tasks, and each item reports why."""
        try:
            return self._declared_tasks(spec) or self.model(spec).tasks
        except VqamtError:
            if not self._is_worker:
                raise
            return tuple(Task)

    def concluded(self, results: Sequence[RelationResult], items_run: Collection[str]) -> Concluded:
        """The results in the order of the run and its baseline; ``items_run`` are as in ``report``.

        Raises:
            VqamtError: the baseline cannot be read.
        """
        settings, use = self.settings, None
        if self.baseline is not None:
            wanted = settings.only or settings.relations  # with named items, no other is missing
            use = baseline_use(self.baseline, items_run, wanted, settings.excluded, settings.max_drop)
        return conclude(order_results(results), use, settings.terms.max_unread)

    def report(
        self,
        results: Sequence[RelationResult],
        items_run: Collection[str],
        *,
        spent: Sequence[ModelUse] = (),
        complete: bool = True,
    ) -> Report:
        """The report of the run, whose time counts from the making of this object.

        Args:
            results: in order of arrival.
            items_run: the ids of the baseline's items that were run, or failed to.
            spent: the model use of items without a result.
            complete: whether the run came to its end.

        Raises:
            VqamtError: the baseline cannot be read.
        """
        settings, sampling = self.settings, self.settings.terms.sampling
        relations, baseline = self.concluded(results, items_run)
        left = {result.position: result for result in relations}
        made = build_report(
            # All results in order of arrival, the first of each item replaced by its compared one.
            [left.pop(result.position, result) for result in results],
            vqamt_version=version("pytest-vqamt"),
            seed=sampling.seed,
            sampler=sampling.sampler.value,
            max_cases=sampling.max_cases,
            contrast=sampling.contrast,
            repeats=sampling.repeats,
            max_unread=settings.terms.max_unread,
            max_error_rate=settings.max_error_rate,
            undecided=settings.undecided,
            shard=sampling.shard,
            started=self._started.isoformat(timespec="seconds"),
            duration_s=time.monotonic() - self._clock,
            complete=complete,
            settings=settings.relation_settings,
            baseline=baseline,
            waived=settings.terms.waived,
            expired_waivers=settings.terms.expired_waivers,
            spent=spent,
        )
        report = with_tables(made)
        return (
            report if complete else replace(report, models=tuple(map(partial(self._forecast, results), report.models)))
        )

    def _forecast(self, results: Sequence[RelationResult], use: ModelUse) -> ModelUse:
        """Adds the forecast cost of the whole run to the usage of a model with a cost, by the items that ended."""
        ended = [result.model for result in results if result.model.name == use.name]
        cost = dict(use.usage).get("cost")
        if not cost or not use.queries_asked or not ended or self.settings.only:
            return use
        items = sum(spec.model == use.name for spec in self.item_specs)
        expected = items * fmean(each.queries_asked + each.queries_cached for each in ended)
        # Queries that the cache will answer count as if they were paid for, so the forecast tends to be too high.
        left = max(0.0, expected - use.queries_asked - use.queries_cached)
        forecast = cost + left * cost / use.queries_asked
        return replace(use, usage=(*use.usage, ("cost of all items, about", float(f"{forecast:.3g}"))))


def _check_demands(model: LoadedModel, source: SceneSource) -> None:
    """Says how many questions of the data are not asked of the model, as they end conversations that it cannot take."""
    demands = source.demands if isinstance(source, DemandingSource) else {}
    left_out = {needed: count for needed, count in demands.items() if not needed <= model.takes}
    if not left_out:
        return
    lacking = frozenset[Ability]().union(*left_out) - model.takes
    count, total = sum(left_out.values()), sum(demands.values())
    named = f"{count_noun(total, 'question')} of {short_path(source.spec)}"
    few = "none" if count == total else f"{count:,}"
    warn_of_data(
        f"{few} of the {named} {'is' if count in (1, total) else 'are'} {'' if count == total else 'not '}asked of "
        f"{model.name}: {cannot_take(lacking).reason}",
        "Expected a model that takes each question",
        stacklevel=3,
    )
