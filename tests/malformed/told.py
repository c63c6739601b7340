"""What a data set says, read by nothing but a JSON reader: for comparison with the scenes that are made of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from pytest_vqamt.core.scene import Scene
from tests.malformed.good import Data, Json

Telling = tuple[tuple[str, float, float, float, float], ...]
"""The name and the corners of each thing, cut off at the edges of the picture, in order of the alphabet."""

_ALMOST = 6
_NAMELESS = "?"


class TwiceError(ValueError):
    """An object has one key twice."""


def seen(scene: Scene) -> object:
    """What the scene says, so that it can be compared."""
    if scene.questions and not scene.objects:
        return tuple((question.text, question.answers) for question in scene.questions)
    boxes = ((thing.name, thing.box) for thing in scene.objects)
    return _sorted((name, box.x, box.y, box.x1, box.y1) for name, box in boxes)


def told(data: Data) -> Mapping[str, object]:
    """What each record says that can be read at all, by its id; of several with one id none."""
    found: dict[str, object] = {}
    twice = set()
    for name, read in _READERS[data.kind](data):
        try:
            value = read()
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            continue
        if name in found:
            twice.add(name)
        found[name] = value
    return found


def records(data: Data) -> int:
    """How many records the data set has, those of one id counted once."""
    if data.kind == "vqa-v2":
        rows = _read(_bytes(data, "questions.json"))["questions"]
        names = [_id_or_none(row, "question_id") for row in rows]
    else:
        names = [name for name, _ in _READERS[data.kind](data)]
    return len({*names} - {_NAMELESS}) + names.count(_NAMELESS)


_Readable = Iterator[tuple[str, Callable[[], object]]]


def _graphs(data: Data) -> _Readable:
    for line in _bytes(data, "graphs.jsonl").split(b"\n"):
        if line.strip():
            yield from _graph(line)


def _graph(line: bytes) -> _Readable:
    try:
        row = _read(line)
        name = _id(row["id"])
    except (KeyError, TypeError, ValueError, RecursionError):
        yield _NAMELESS, _nothing
    else:
        yield name, lambda: _sorted(_thing(each["name"], each["box"], row) for each in row.get("objects") or [])


def _coco(data: Data) -> _Readable:
    root = _read(_bytes(data, "instances.json"))
    names = {_id(each["id"]): each["name"] for each in root["categories"]}

    def things(image: Json) -> object:
        own = [each for each in root["annotations"] if _id_or_none(each, "image_id") == _id(image["id"])]
        single = [each for each in own if each.get("iscrowd") != 1]
        return _sorted(_thing(names[_id(each["category_id"])], each["bbox"], image) for each in single)

    for image in root["images"]:
        yield _id_or_none(image, "id"), lambda image=image: things(image)  # type: ignore[misc]  # bound early


def _gqa(data: Data) -> _Readable:
    for image_id, row in _read(_bytes(data, "sceneGraphs.json")).items():
        yield (
            image_id,
            lambda row=row: _sorted(  # type: ignore[misc]  # bound early
                _thing(each["name"], [each[side] for side in "xywh"], row) for each in row["objects"].values()
            ),
        )


def _vqa(data: Data) -> _Readable:
    answers = {
        _id_or_none(each, "question_id"): each for each in _read(_bytes(data, "annotations.json"))["annotations"]
    }
    for row in _read(_bytes(data, "questions.json"))["questions"]:
        yield (
            _id_or_none(row, "image_id"),
            lambda row=row: (  # type: ignore[misc]  # bound early
                (
                    " ".join(row["question"].split()),
                    tuple(each["answer"] for each in answers[_id(row["question_id"])]["answers"]),
                ),
            ),
        )


_READERS: Mapping[str, Callable[[Data], _Readable]] = {"graphs": _graphs, "coco": _coco, "gqa": _gqa, "vqa-v2": _vqa}


def _bytes(data: Data, file: str) -> bytes:
    return data.raw.get(file) or data.bytes_of(file)


def _read(data: bytes) -> Json:
    return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Json]]) -> Json:
    if len(dict(pairs)) < len(pairs):
        raise TwiceError
    return dict(pairs)


def _id(value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(value)
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


def _id_or_none(row: Json, field: str) -> str:
    try:
        return _id(row[field])
    except (KeyError, TypeError, ValueError, OverflowError):
        return _NAMELESS


def _thing(name: str, box: list[float], picture: Json) -> tuple[str, float, float, float, float]:
    x, y, w, h = box
    if {type(each) for each in box} - {int, float} or not (w > 0 and h > 0):
        raise ValueError(box)
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, picture["width"]), min(y + h, picture["height"])
    if not (x1 > x0 and y1 > y0):
        raise ValueError(box)
    return " ".join(name.lower().split()), x0, y0, x1, y1


def _sorted(things: Iterator[tuple[str, float, float, float, float]]) -> Telling:
    return tuple(
        sorted(
            (name, round(x0, _ALMOST), round(y0, _ALMOST), round(x1, _ALMOST), round(y1, _ALMOST))
            for name, x0, y0, x1, y1 in things
        )
    )


def _nothing() -> object:
    raise ValueError("no record")
