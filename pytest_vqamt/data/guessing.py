"""Guesses the kind of data that a path holds, for messages about a spec without its kind."""

from __future__ import annotations

from pathlib import Path

from pytest_vqamt.core.input_files import expanded, open_input, parse_json

_HEAD_BYTES = 1 << 16


def spec_of_path(text: str) -> str:
    """The spec for data at a path, such as ``questions:a.csv``; "" where there is none, or its kind cannot be told."""
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
    from pytest_vqamt.data.own_photos import FILE, SUFFIXES
    from pytest_vqamt.data.questions import FILES

    names = {each.name for each in folder.iterdir()}
    found = {
        "questions": bool(names.intersection(FILES)),
        "photos": FILE in names,
        "coco": "instances.json" in names or any((folder / "annotations").glob("instances_*.json")),
        "gqa": any(name.endswith("sceneGraphs.json") for name in names),
        "visual-genome": bool(names & {"scene_graphs.json", "image_data.json"}),
        "vqa-v2": any(name.startswith("v2_OpenEnded") for name in names),
    }
    named = [kind for kind, is_there in found.items() if is_there]
    if named:
        return named[0]
    return "photos" if any(Path(name).suffix.lower() in SUFFIXES for name in names) else ""


def _kind_of_line(line: str) -> str:
    """Scene graphs have objects, or a photo without a question."""
    try:
        record = parse_json(line)
    except ValueError:
        return "questions"
    is_graph = isinstance(record, dict) and "question" not in record and record.keys() & {"objects", "photo", "regions"}
    return "graphs" if is_graph else "questions"
