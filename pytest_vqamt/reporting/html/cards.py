"""A case as a card of the page: what was asked, what was answered, and what was expected of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import cast

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import Json, decode
from pytest_vqamt.core.edits import EDITS, Edit, Insert, in_words
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import MEANINGS, Meaning, groups_of
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.recipes import picture_of
from pytest_vqamt.core.report_json import Row
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.base import SceneSource
from pytest_vqamt.imaging.outlines import Outline, Shows, asked, edited

_MOST_CHARACTERS = 500
"""Of a text in a card; whole ones stand in ``cases.jsonl``."""
_MOST_OF_A_LABEL = 60
_MOST_REGIONS = 30
"""Of a picture or a query: more are not told apart on a small picture."""
_KINDS = {Shows.EDITED: "edit", Shows.ASKED: "asked"}


def card(row: Row, pictures: dict[str, Picture]) -> Row:
    """The card of the case that ``row`` tells of; ``pictures`` are those of its pictures that could be found."""
    queries = cast("list[Row]", row["queries"])
    readings = cast("list[str]", row["readings"])
    told = (*readings, *[None] * (len(queries) - len(readings)))
    answers = cast("list[str | None]", row["answers"])
    meanings = [_meaning(query) for query in queries]
    return {
        "id": row["case_id"],
        "item": row["relation"],
        "model": row["model"],
        "data": row["data"],
        "scene": row["scene"],
        "verdict": row["verdict"],
        "presumed": "presumed" in cast("list[str]", row.get("tags") or []),
        "waived": bool(row.get("waived")),
        "before": row.get("before"),
        "expected": shortened(str(row["expected"])),
        "reason": shortened(str(row["reason"])),
        "facts": {
            name: shortened(value) if isinstance(value, str) else value
            for name, value in cast("Row", row.get("facts") or {}).items()
        },
        "objects": list(dict.fromkeys(_objects(queries, meanings))),
        "queries": [
            {
                "picture": digest_of(query),
                "text": shortened(str(query["text"])),
                "task": query.get("task", ""),
                "again": bool(query.get("trial")),
                "answer": None if answer is None else shortened(answer),
                "reading": None if reading is None else shortened(reading),
                "edits": edits_in_words(query),
                "asked": _asked(pictures.get(digest_of(query)), meaning),
            }
            for query, answer, reading, meaning in zip(queries, answers, told, meanings, strict=False)
        ],
    }


def shortened(text: str, most: int = _MOST_CHARACTERS) -> str:
    """The beginning of a text that is longer than a card shows."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def digest_of(query: Row) -> str:
    """The digest of the picture that a query is about."""
    return str(cast("Row", query["picture"])["digest"])


def edits_in_words(query: Row) -> str:
    """How the picture was edited that a query is about."""
    return "; ".join(map(in_words, _edits(query)))


def pictures_of(row: Row, source: SceneSource) -> dict[str, Picture | str]:
    """The pictures of a case by their digests, or why there is none."""
    found: dict[str, Picture | str] = {}
    for query in cast("list[Row]", row["queries"]):
        digest = digest_of(query)
        if digest not in found:
            try:
                found[digest] = picture_of(query["picture"], scenes_of(source))
            except DataError as error:
                found[digest] = str(error)
    return found


def scenes_of(source: SceneSource) -> Callable[[str], Scene]:
    """What finds a scene of ``source`` by the id of its photo."""
    return lambda photo_id: source.scene(source.place(photo_id))


def edit_regions(picture: Picture, source: SceneSource) -> Json:
    """Where a picture was edited."""
    return _regions(edited(picture, scenes_of(source)(picture.photo.id)), picture.scene.frame)


def _asked(picture: Picture | None, meaning: Meaning | None) -> list[Json]:
    """Where in the picture is what is asked about."""
    if picture is None or meaning is None:
        return []
    return _regions(asked(picture.scene, meaning).values(), picture.scene.frame)


def _regions(outlines: Iterable[Outline], frame: Box) -> list[Json]:
    return [
        {
            "kind": _KINDS[each.shows],
            "label": shortened(each.label, _MOST_OF_A_LABEL),
            "x": round(box.x / frame.w, 3),
            "y": round(box.y / frame.h, 3),
            "w": round(box.w / frame.w, 3),
            "h": round(box.h / frame.h, 3),
        }
        for each in islice(outlines, _MOST_REGIONS)
        if (box := each.box.common(frame))
    ]


def _objects(queries: list[Row], meanings: list[Meaning | None]) -> Iterator[str]:
    """The names that the texts or the edits are about, in the order of the queries."""
    for query, meaning in zip(queries, meanings, strict=True):
        if meaning is not None:
            yield from (group.name for group in groups_of(meaning))
        yield from (edit.cutout.thing.name for edit in _edits(query) if isinstance(edit, Insert))


def _meaning(query: Row) -> Meaning | None:
    """None where this version does not read it."""
    meaning = _decoded(query.get("meaning"))
    return cast("Meaning", meaning) if isinstance(meaning, MEANINGS) else None


def _edits(query: Row) -> tuple[Edit, ...]:
    """Those that this version reads."""
    edits = cast("Row", query["picture"]).get("edits")
    found = map(_decoded, edits if isinstance(edits, list) else [])
    return tuple(cast("Edit", edit) for edit in found if isinstance(edit, EDITS))


def _decoded(row: Json) -> object:
    try:
        return decode(row)
    except (AttributeError, DataError, TypeError, ValueError):
        return None
