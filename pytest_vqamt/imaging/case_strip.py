"""A case as a strip of a contact sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edit_words import in_words
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.protocols import PhotoStore
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.outline import Outline, outlines
from pytest_vqamt.imaging.render import render
from pytest_vqamt.imaging.sheet import Panel, Strip


def case_strip(
    case: Case,
    answers: Sequence[str],
    *,
    title: str,
    notes: tuple[str, ...],
    photos: PhotoStore,
    scene_of: Callable[[str], Scene],
) -> Strip:
    """The pictures of ``case`` with what was answered to each of its texts, numbered in their order.

    Texts about the same boxes of the same picture share one panel.

    Raises:
        RenderError: a picture cannot be drawn.
        DataError: a photo cannot be read; ``scene_of`` finds a scene by the id of its photo.
    """
    panels: dict[tuple[str, tuple[Outline, ...]], tuple[Picture, list[tuple[str, str]]]] = {}
    for number, (query, answer) in enumerate(zip(case.queries, answers, strict=True), start=1):
        picture = query.picture
        boxes = outlines(picture, query.meaning, scene_of(picture.photo.id))
        _, said = panels.setdefault((picture.digest, boxes), (picture, []))
        said.append((f"{number}. {asked(query)}", answer))
    return Strip(
        title=title,
        notes=notes,
        panels=tuple(
            Panel(image=render(picture, photos), outlines=boxes, note=made(picture), said=tuple(said))
            for (_, boxes), (picture, said) in panels.items()
        ),
    )


def made(picture: Picture) -> str:
    """What was done to the photo, in words."""
    return ", ".join(map(in_words, picture.edits)) or "the photo as it is"


def asked(query: Query) -> str:
    """The text of a query; where it has none, its task."""
    text = query.text or f"({query.task.value})"
    return f"{text} (asked again)" if query.trial else text
