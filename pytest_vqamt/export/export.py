"""The cases of a report as labelled training data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path, PurePath
from typing import cast

from pytest_vqamt.core.case_store import find_cases_file
from pytest_vqamt.core.codec import Json
from pytest_vqamt.core.edits import Insert
from pytest_vqamt.core.errors import DataError, OptionError, VqamtError
from pytest_vqamt.core.identity import check_patterns
from pytest_vqamt.core.input_files import MAX_ID_LIST_BYTES, check_data, read_text
from pytest_vqamt.core.meaning import truth
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.report_json import REPORT_FILE, not_whole, read_report_row
from pytest_vqamt.core.scene import Photo
from pytest_vqamt.core.text import error_reason, short_path
from pytest_vqamt.data import catalogue, coco, vqa_v2
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.annotations import AnnotatedPhotos
from pytest_vqamt.data.scene_source import PairedSource, SceneSource
from pytest_vqamt.data.snli_ve import index as snli_ve
from pytest_vqamt.export.cases import UsedQueries, UsedQuery, Wanted, is_certain, read_queries
from pytest_vqamt.export.export_files import Example, ExportWriter, Layout, new_folder, scratch_folder
from pytest_vqamt.models.reference.oracle import answer_text

TRAIN, TEST = "train", "test"

_MOST_LABELS = 100
"""The number of different labels listed in ``export.json``; captions are nearly all different."""

Progress = Callable[[str, int], Callable[[], object]]
"""Called with the name of a stage and its number of steps; the result is called after each step."""

EVALUATION_FILE = "vqamt-evaluation.txt"
"""Read where it lies in the report's folder or beside it, or in the current one."""

_HELD_OUT = re.compile(r"(?<![a-z])(val|valid|validation|dev|test|testdev|minival)(?![a-z])", re.IGNORECASE)
"""A held-out split in a name: "COCO_val2014_000000000042.jpg", and not "festival.jpg"."""
_A_FILE = re.compile(r"[/\\]|\.(txt|list|json|jsonl|csv)$")
"""A text that was meant as a file, and is no id of a scene."""


def split_side(photo: Photo, share: float, seed: int) -> str:
    """TRAIN for about ``share`` of all photos, by SHA-256 of the seed and the photo's digest.

    The same photo is on the same side in every export with this seed, whatever it is called in its source and whatever
    else is exported.

    >>> split_side(Photo(id="a.jpg", digest="17"), 0.8, 0) == split_side(Photo(id="b.jpg", digest="17"), 0.8, 0)
    True
    """
    drawn = int.from_bytes(sha256(f"{seed}\x1f{photo.digest}".encode()).digest()[:8], "big")
    return TRAIN if drawn < share * 2**64 else TEST


def photos_in(picture: Picture) -> tuple[Photo, ...]:
    """The picture's photo, and those that things were cut out of to be put into it."""
    inserted = (edit.cutout.photo for edit in picture.edits if isinstance(edit, Insert))
    return tuple(dict.fromkeys((picture.photo, *inserted)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The settings of an export."""

    layout: Layout = Layout.IMAGEFOLDER
    wanted: Wanted = field(default_factory=Wanted)
    """The cases that are exported."""
    split: float = 0.8
    """The share of photos on the training side; the others are on the test side."""
    seed: int = 0
    """Of the split, not of any picture."""
    evaluation: tuple[str, ...] = ()
    """Specs, files and ids of evaluation data."""
    skip_evaluation: bool = False
    """Leave out rows of evaluation data instead of refusing to export."""
    published: bool = True
    """True if held-out splits of published data sets count as evaluation data."""


@dataclass(slots=True)
class SplitSide:
    """The counts of one side of the split."""

    rows: int = 0
    pictures: int = 0
    """Files of pictures; fewer than rows, as several texts may be about one."""
    scenes: set[str] = field(default_factory=set)
    """The ids of their scenes."""


@dataclass(slots=True, kw_only=True)
class Exported:
    """The counts of an export."""

    sides: dict[str, SplitSide] = field(default_factory=lambda: {TRAIN: SplitSide(), TEST: SplitSide()})
    """By ``TRAIN`` and ``TEST``."""
    labels: dict[str, Counter[str]] = field(default_factory=dict)
    """The frequency of each label, by task."""
    relations: Counter[str] = field(default_factory=Counter)
    """The number of rows of each relation variant."""
    cases_left_out: Counter[str] = field(default_factory=Counter)
    rows_left_out: Counter[str] = field(default_factory=Counter)
    """``cases_left_out`` and ``rows_left_out``: numbers by reason."""

    @property
    def rows(self) -> int:
        return sum(side.rows for side in self.sides.values())


def export_report(
    report: Path, out: Path, terms: Terms | None = None, *, data: str | None = None, progress: Progress | None = None
) -> Exported:
    """Exports the cases of the report in the folder ``report`` to the new folder ``out``.

    Every query of a case is a row, every picture a file, and the label is the right answer by the scene. ``data`` is
    the spec of the report's source, if it is not the one that the report names.

    Raises:
        VqamtError: the report, its data or the folder cannot be used, nothing is left to export, or some of it is
            evaluation data.
    """
    terms = terms or Terms()
    if not 0 < terms.split <= 1:
        raise OptionError(f"Expected a share above 0 and up to 1 to train on, but got split={terms.split!r}")
    about = ReportSummary.of(report)
    check_patterns(terms.wanted.relations, about.tags)
    with (
        new_folder(out) as folder,
        scratch_folder(folder) as beside,
        read_queries(report, terms.wanted, about.tags, beside) as found,
    ):
        if not found:
            reasons = f"; left out are those {describe_reasons(found.left_out)}" if found.left_out else ""
            raise OptionError(f"Expected cases to export in {str(found.cases)!r}, but there are none{reasons}")
        loaded = _sources(found, data)
        evaluating = evaluation_data(terms.evaluation, report, loaded, published=terms.published)
        # All rows are checked before the first picture is drawn, which takes long.
        exported = _checked(found, loaded, evaluating, terms, progress or _silent)
        ahead = (progress or _silent)("writing", len(found))
        vqamt = version("pytest-vqamt")
        with ExportWriter(folder, terms.layout, vqamt) as writer:
            for asked in found.each(loaded):
                example = _example(asked, evaluating, terms)
                if isinstance(example, Example):
                    drawn = writer.pictures
                    writer.write(example)
                    exported.sides[example.side].pictures += writer.pictures - drawn
                ahead()
            writer.about({"vqamt_version": vqamt, **about.facts, **_facts(terms, evaluating, exported)})
    return exported


def _silent(_what: str, _steps: int) -> Callable[[], object]:
    return lambda: None


@dataclass(frozen=True, slots=True)
class _Exclusion:
    """A row that is left out."""

    why: str
    """The end of "rows left out, those ...": "whose answer the annotations leave open"."""
    evaluation: bool = False
    """It is evaluation data."""


def _example(asked: UsedQuery, evaluating: EvaluationData, terms: Terms) -> Example | _Exclusion:
    query = asked.query
    right, certain = right_label(query), is_certain(query)
    if right is None:
        return _Exclusion("to which the scene gives no right answer")
    if not certain and not terms.wanted.presumed:
        return _Exclusion("whose answer the annotations leave open")
    photos = photos_in(query.picture)
    if why := evaluating.why(asked.scene, photos, asked.source):
        return _Exclusion(why, evaluation=True)
    # A thing of a photo that is tested on must not be trained on, in whatever picture it was inserted.
    sides = {split_side(photo, terms.split, terms.seed) for photo in photos}
    if len(sides) > 1:
        return _Exclusion("of pictures with a thing cut out of a photo of the other side of the split")
    return Example(asked=asked, label=right, certain=certain, side=sides.pop())


def _checked(
    found: UsedQueries,
    loaded: Mapping[str, SceneSource],
    evaluating: EvaluationData,
    terms: Terms,
    progress: Progress,
) -> Exported:
    """Counts what will be exported, before anything is rendered."""
    exported = Exported(cases_left_out=found.left_out)
    refused: list[tuple[UsedQuery, str]] = []
    ahead = progress("checking", len(found))
    rows = 0
    for asked in found.each(loaded):
        example = _example(asked, evaluating, terms)
        if isinstance(example, Example):
            side = exported.sides[example.side]
            side.rows += 1
            side.scenes.add(asked.scene)
            exported.labels.setdefault(asked.query.task.value, Counter())[example.label] += 1
            exported.relations.update({use.item for use in asked.uses})
        elif example.evaluation and not terms.skip_evaluation:
            rows += 1  # all are counted, and the first is named
            refused = refused or [(asked, example.why)]
        else:
            exported.rows_left_out["of evaluation data" if example.evaluation else example.why] += 1
        ahead()
    for first, why in refused:
        # Data that the user has named stays refused: only the guess by names can be overruled.
        is_published = why not in {each.name for each in evaluating.named}
        raise OptionError(
            f"Expected no evaluation data to train on, but got {rows} rows of it, the first of scene {first.scene!r} "
            f"of {first.source.spec} ({why}): make the report on other scenes, or leave these rows out with "
            "--skip-evaluation" + (", or say --allow-evaluation-data" if is_published else "")
        )
    if not exported.rows:
        reasons = describe_reasons(exported.rows_left_out)
        raise OptionError(f"Expected a row that can be exported, but all {len(found)} are left out, {reasons}")
    return exported


def _sources(found: UsedQueries, data: str | None) -> dict[str, SceneSource]:
    if data is not None and len(found.data) > 1:  # which of them it is instead of cannot be known
        raise OptionError(
            f"Expected a report on one source of data where --data names it, but got {len(found.data)}: "
            f"{', '.join(found.data)}"
        )
    loaded = {}
    for spec in found.data:
        try:
            # No case of that run is of a bad record.
            named = data or check_data(spec, sources.TABLE)
            loaded[spec] = catalogue.load(named, allow_bad_records=True)
        except VqamtError as error:
            hint = "" if data else (
                "; a relative path is followed from the current folder: name the data of that run with --data"
            )  # fmt: skip
            raise DataError(f"{error}{hint}") from error
    return loaded


def describe_reasons(reasons: Counter[str]) -> str:
    """The reasons with their counts, the most frequent first.

    >>> describe_reasons(Counter({"waived": 2, "that hold": 3}))
    'that hold (3), waived (2)'
    """
    return ", ".join(f"{why} ({count:,})" for why, count in reasons.most_common())


def _facts(terms: Terms, evaluating: EvaluationData, exported: Exported) -> dict[str, Json]:
    return {
        "layout": terms.layout.value,
        "only": terms.wanted.only.value,
        "relations_wanted": list(terms.wanted.relations),
        "presumed": terms.wanted.presumed,
        "split": terms.split,
        "seed": terms.seed,
        "evaluation": [each.name for each in evaluating.named],
        "sides": {
            name: {"rows": side.rows, "pictures": side.pictures, "scenes": len(side.scenes)}
            for name, side in exported.sides.items()
        },
        "labels": {task: dict(counted.most_common(_MOST_LABELS)) for task, counted in exported.labels.items()},
        "relations": dict(sorted(exported.relations.items())),
        "cases_left_out": dict(exported.cases_left_out.most_common()),
        "rows_left_out": dict(exported.rows_left_out.most_common()),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSet:
    """Evaluation data that the user named."""

    name: str
    """The option's value, or the file."""
    ids: frozenset[str] = frozenset()
    """Of scenes or of photos."""
    digests: frozenset[str] = frozenset()
    """Of photos."""

    def has(self, scene: str, photo: Photo) -> bool:
        return photo.digest in self.digests or photo.id in self.ids or scene in self.ids

    def __len__(self) -> int:
        return max(len(self.ids), len(self.digests))


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationData:
    """All evaluation data of an export."""

    named: tuple[EvaluationSet, ...] = ()
    """The sets that the user named."""
    published: bool = True
    """True if photos and sources named like a held-out split of a published data set count."""
    _of_source: dict[str, str] = field(default_factory=dict)
    """``held_out_reason`` of each source by its spec, as every row asks."""

    def why(self, scene: str, photos: Sequence[Photo], source: SceneSource) -> str:
        """Why a picture of these photos, the scene's own first, is evaluation data; "" if it is not."""
        for place, photo in enumerate(photos):
            for each in self.named:
                if each.has(scene if place == 0 else "", photo):  # a cut-out comes from a photo of another scene
                    return each.name
            if self.published and (held_out := _HELD_OUT.search(photo.id)):
                return f"{held_out[0]!r} in the name of its photo"
        return self._published(source) if self.published else ""

    def _published(self, source: SceneSource) -> str:
        if source.spec not in self._of_source:
            self._of_source[source.spec] = held_out_reason(source)
        return self._of_source[source.spec]


def evaluation_data(
    named: Sequence[str], report: Path, loaded: Mapping[str, SceneSource], *, published: bool = True
) -> EvaluationData:
    """The evaluation data that is ``named`` (specs of sources, files, ids), with ``vqamt-evaluation.txt``.

    ``loaded`` are sources that are open already, by their specs.

    Raises:
        OptionError: one of them is nothing that there is.
        DataError: a source cannot be read.
    """
    found = [_named(each, loaded) for each in named]
    files = (folder / EVALUATION_FILE for folder in (report, report.resolve().parent, Path()))
    # Once each: the current folder may be that of the report.
    for file in {file.resolve(): file for file in files if file.is_file()}.values():
        found.append(_in_file(file, loaded))
    return EvaluationData(named=tuple(found), published=published)


def held_out_reason(source: SceneSource) -> str:
    """Why a whole source is evaluation data: a published test set, or a held-out split; "" if it is not."""
    if isinstance(source, PairedSource) and source.published_pairs:
        return f"a published test set, {source.spec}"
    for name in _names_of(source.spec):
        if _HELD_OUT.search(name):
            return f"a split that is held out, {name}"
    return ""


def _names_of(spec: str) -> Iterable[str]:
    """The names of what a source was read from: what its spec ends in, and the file that was found in its folder."""
    kind, _, argument = spec.partition(":")
    for part in argument.split(":"):
        yield PurePath(part).name
    match kind:
        case "coco":
            yield coco.find(argument).instances.name
        case "vqa-v2":
            yield vqa_v2.find(argument).questions.name
        case "snli-ve" if (decides := snli_ve.find(argument).decides) is not None:
            yield decides[0].name
        case _:
            pass


def _named(text: str, loaded: Mapping[str, SceneSource]) -> EvaluationSet:
    if _is_spec(text):
        return _in_source(text, loaded)
    if Path(text).is_file():
        return _in_file(Path(text), loaded)
    ids = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not ids or _A_FILE.search(text):
        raise OptionError(
            "Expected --evaluation=SPEC of a scene source, a file of scene ids, one a line, or the ids themselves, but "
            f"got {text!r}: there is no such file"
        )
    return EvaluationSet(name=text, ids=ids)


def _in_file(file: Path, loaded: Mapping[str, SceneSource]) -> EvaluationSet:
    try:
        lines = [line.strip() for line in read_text(file, MAX_ID_LIST_BYTES).splitlines()]
    except OSError as error:
        raise OptionError(
            f"Expected a file of scene ids, one a line, but {short_path(file)} cannot be read ({error_reason(error)})"
        ) from error
    lines = [line for line in lines if line and not line.startswith("#")]
    specs = [_in_source(check_data(line, sources.TABLE), loaded) for line in lines if _is_spec(line)]
    return EvaluationSet(
        name=str(file),
        ids=frozenset(line for line in lines if not _is_spec(line)).union(*(each.ids for each in specs)),
        digests=frozenset().union(*(each.digests for each in specs)),
    )


def _in_source(spec: str, loaded: Mapping[str, SceneSource]) -> EvaluationSet:
    """The photos of a source by their digests, which find a photo of another name in another source.

    Without photos it has digests of ids alone, so the ids count.
    """
    source = loaded.get(spec) or sources.load(spec, allow_bad_records=True)
    count = source.photo_count if isinstance(source, AnnotatedPhotos) else len(source)  # with all frames of films
    photos = [source.scene(index).photo for index in range(count)]
    without = isinstance(source, AnnotatedPhotos) and source.photos is None
    return EvaluationSet(
        name=spec,
        ids=frozenset(photo.id for photo in photos) if without else frozenset(),
        digests=frozenset(photo.digest for photo in photos),
    )


def _is_spec(text: str) -> bool:
    return text.partition(":")[0] in sources.names()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSummary:
    """The part of ``report.json`` that an export needs."""

    tags: Mapping[str, Sequence[str]]
    """Of each relation variant."""
    facts: dict[str, Json]
    """The models and the data, for ``export.json``."""

    @classmethod
    def of(cls, report: Path) -> ReportSummary:
        """Reads the report in this folder.

        Raises:
            DataError: there is no report, or it is incomplete.
        """
        find_cases_file(report)
        row = read_report_row(report)
        try:
            relations = cast("list[dict[str, Json]]", row["relations"])
            models, data = (cast("list[dict[str, Json]]", row[name]) for name in ("models", "data"))
            return cls(
                tags={str(each["id"]): tuple(map(str, cast("list[Json]", each["tags"]))) for each in relations},
                facts={
                    "report": {
                        "vqamt_version": row["vqamt_version"],
                        "seed": row["seed"],
                        "models": [{name: each[name] for name in ("name", "fingerprint")} for each in models],
                        "data": [{name: each[name] for name in ("spec", "digest")} for each in data],
                    }
                },
            )
        except (KeyError, TypeError) as error:
            raise not_whole(report / REPORT_FILE, error) from error


def right_label(query: Query) -> str | None:
    """The right answer as ``oracle`` gives it; None if the scene decides none.

    A caption names and counts the objects of the scene: "two dogs, an apple and a cat".

    >>> from pytest_vqamt.core.meaning import Exists, Group
    >>> from pytest_vqamt.core.scene import Photo, Scene
    >>> empty = Scene(id="a", photo=Photo(id="a", digest="0"), width=10, height=10)
    >>> right_label(Query(picture=empty.picture, text="Is there a dog?", meaning=Exists(group=Group(name="dog"))))
    'no'
    """
    value = truth(query.meaning, query.picture.scene)
    return None if value is None else answer_text(value)
