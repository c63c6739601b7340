"""The registry of scene sources for ``--vqamt-data``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast

from pytest_vqamt.core.entry_points import entry_points
from pytest_vqamt.core.errors import DataError, OptionError, did_you_mean
from pytest_vqamt.core.identity import split_name
from pytest_vqamt.core.input_files import expanded, open_input, parse_json
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import count_noun, error_reason, short_path
from pytest_vqamt.data.scene_source import Remarked, SceneSource, warn_of_data

ENTRY_POINTS = "pytest_vqamt.data"
"""The entry points with which packages add sources: ``name = "module:load"``, called as ``load(argument)``."""

TABLE: dict[str, tuple[str, str]] = {
    "pictures": (
        "pytest_vqamt.picture_world.source:load",
        "pictures[:N]: scenes drawn by this package, nothing to download",
    ),
    "coco": (
        "pytest_vqamt.data.coco:load",
        "coco:DIR or coco:INSTANCES.json:IMAGES: COCO's photos with boxes, masks, crowds and captions",
    ),
    "gqa": ("pytest_vqamt.data.gqa:load", "gqa:DIR: GQA's scene graphs, and its photos where they are there"),
    "visual-genome": (
        "pytest_vqamt.data.visual_genome:load",
        "visual-genome:DIR: Visual Genome's scene graphs, or its objects, attributes and relationships",
    ),
    "carets": (
        "pytest_vqamt.data.carets:load",
        "carets:DIR: the question pairs that the authors of CARETS published, with or without photos",
    ),
    "vqa-v2": ("pytest_vqamt.data.vqa_v2:load", "vqa-v2:DIR: questions with ten answers each, on photos of COCO"),
    "snli-ve": (
        "pytest_vqamt.data.snli_ve.scenes:load",
        "snli-ve:DIR: hypotheses with labels on photos of Flickr30k, with or without these, and their units with boxes",
    ),
    "graphs": ("pytest_vqamt.data.graphs:load", "graphs:FILE.jsonl[:PHOTOS]: scene graphs of your own, one a line"),
    "photos": (
        "pytest_vqamt.data.own_photos:load",
        "photos:DIR: your own photos, with scene graphs in DIR/graphs.jsonl that you or detectors write",
    ),
    "questions": (
        "pytest_vqamt.data.questions:load",
        "questions:FILE.jsonl, questions:FILE.csv or questions:DIR: your own photos with questions, and answers and "
        "options where you have them",
    ),
}

_HEAD_BYTES = 1 << 16
"""The bytes that are read of a file to find its kind; it may have gigabytes."""


def names() -> tuple[str, ...]:
    """The kinds of sources, without importing any."""
    return tuple(dict.fromkeys((*TABLE, *(point.name for point in entry_points(group=ENTRY_POINTS)))))


def describe() -> tuple[tuple[str, str], ...]:
    """Each kind of source with a one-line description."""
    return tuple((name, TABLE[name][1] if name in TABLE else "from an installed package") for name in names())


def check(spec: str) -> None:
    """Raises OptionError if ``spec`` names no kind of source."""
    _, spec = split_name(spec)
    name, _, argument = spec.partition(":")
    if name not in names():
        near = did_you_mean(name, names())
        if path := spec_of_path(spec):
            near = f"did you mean {path!r}?"
        elif expanded(spec).is_dir():
            near = "this folder has no photos, and no data of a known kind"
        elif not argument and Path(spec).suffix and not expanded(spec).exists():  # "a.csv", misspelt
            near = f"there is no such file; {near}"
        raise OptionError(
            f"Expected data to begin with its kind, as in questions:FILE, but got data={short_path(spec)}; {near}"
        )


def spec_of_path(text: str) -> str:
    """The spec of data at a path, such as ``questions:a.csv``, for messages; "" if its kind is not clear."""
    path = expanded(text)
    if path.is_dir():
        kind = _kind_of_folder(path)
        return f"{kind}:{text}" if kind else ""
    if not path.is_file():
        return ""
    if path.suffix == ".csv":
        return f"questions:{text}"
    try:
        with open_input(path) as file:
            head = file.read(_HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    if path.suffix == ".jsonl":
        return f"{_kind_of_line(head.partition(chr(10))[0])}:{text}"
    if path.suffix != ".json":
        return ""
    if path.name.endswith("sceneGraphs.json"):
        return f"gqa:{text}"
    if '"questions"' in head and '"question_id"' in head:
        return f"vqa-v2:{text}"
    is_coco = path.name.startswith("instances") or ('"images"' in head and '"file_name"' in head)
    return f"coco:{text}:PHOTOS" if is_coco else ""


def _kind_of_folder(folder: Path) -> str:
    from pytest_vqamt.data.own_photos import FILE
    from pytest_vqamt.data.questions import FILES
    from pytest_vqamt.data.records import SUFFIXES

    names = {each.name for each in folder.iterdir()}
    found = {
        "questions": bool(names.intersection(FILES)),
        "photos": FILE in names,
        "coco": "instances.json" in names or any((folder / "annotations").glob("instances_*.json")),
        "gqa": any(name.endswith("sceneGraphs.json") for name in names),
        "visual-genome": bool(names & {"scene_graphs.json", "image_data.json"}),
        "vqa-v2": any(name.startswith("v2_OpenEnded") for name in names),
    }
    named = [kind for kind, is_there in found.items() if is_there]  # in the order above: users' own files come first
    if named:
        return named[0]
    return "photos" if any(Path(name).suffix.lower() in SUFFIXES for name in names) else ""


def _kind_of_line(line: str) -> str:
    """Scene graphs have objects, or photos without a question."""
    try:
        record = parse_json(line)
    except ValueError:
        return "questions"
    of_graphs = {"objects", "photo", "regions", "frames", "photos"}
    is_graph = isinstance(record, dict) and "question" not in record and record.keys() & of_graphs
    return "graphs" if is_graph else "questions"


def load(spec: str, *, allow_bad_records: bool = False, samples_photos: bool = True) -> SceneSource:
    """Loads the source of ``spec``, which is ``name`` or ``name:argument``, with or without a short name.

    What is odd in its records, and in some of its photos, is warned of.

    Raises:
        OptionError: there is no such source, or its argument is wrong.
        DataError: its files are wrong, or it has bad records and ``allow_bad_records`` is not set.
    """
    check(spec)
    _, spec = split_name(spec)
    name, _, argument = spec.partition(":")
    if name in TABLE:
        module, _, attribute = TABLE[name][0].partition(":")
        factory = getattr(import_module(module), attribute)
    else:
        (point,) = entry_points(group=ENTRY_POINTS, name=name)
        factory = point.load()
    try:
        source = cast("SceneSource", factory(from_home(argument)))
    except OSError as error:
        raise DataError(
            f"Expected data that can be read, but got {option('data')}={short_path(spec)} ({error_reason(error)}): "
            "name a folder or a file that is there and that you may read"
        ) from error
    bad = source.bad_records
    if bad and not allow_bad_records:
        raise DataError(
            f"Expected every record of {spec} to be usable, but {len(bad)} {'is' if len(bad) == 1 else 'are'} bad, "
            f"beside {count_noun(len(source), 'good scene')}; the first: {bad[0]}; fix them, or leave them out with "
            f"{option('allow-bad-records')}"
        )
    remarks = source.remarks if isinstance(source, Remarked) else ()
    if samples_photos and getattr(source, "photos", None) is not None:
        from pytest_vqamt.data.sanity import sampled_photo_lines  # imports NumPy, which drawn pictures do without

        remarks += sampled_photo_lines(source)
    for remark in remarks:
        warn_of_data(remark, f"Expected nothing odd in {short_path(source.spec)}")
    return source


def from_home(argument: str) -> str:
    """The argument with a leading ``~`` expanded, which shells do not expand after a colon."""
    return str(expanded(argument)) if argument.startswith("~") else argument
