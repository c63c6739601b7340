"""A case as a strip of a contact sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PIL import Image

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.edits import in_words
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.imaging.contact_sheet import Strip
from pytest_vqamt.imaging.outlines import Outline, outlines
from pytest_vqamt.imaging.panels import Panel


def case_strip(
    case: Case,
    answers: Sequence[str],
    *,
    title: str,
    notes: tuple[str, ...],
    image_of: Callable[[Picture], Image.Image],
    scene_of: Callable[[str], Scene],
) -> Strip:
    """The pictures of ``case`` with what was answered to each of its texts, numbered in their order.

    Texts about the same boxes of the same picture share a panel. ``scene_of`` finds a scene by the id of its photo.
    """
    panels: dict[tuple[str, tuple[Outline, ...]], tuple[Picture, list[tuple[str, str]]]] = {}
    for number, (query, answer) in enumerate(zip(case.queries, answers, strict=True), start=1):
        picture = query.picture
        boxes = outlines(picture, query.meaning, scene_of(picture.photo.id))
        _, said = panels.setdefault((picture.digest, boxes), (picture, []))
        said.append((f"{number}. {_asked(query)}", answer))
    return Strip(
        title=title,
        notes=notes,
        panels=tuple(
            Panel(image=image_of(picture), outlines=boxes, note=_made(picture), said=tuple(said))
            for (_, boxes), (picture, said) in panels.items()
        ),
    )


def _made(picture: Picture) -> str:
    return ", ".join(map(in_words, picture.edits)) or "the photo as it is"


def _asked(query: Query) -> str:
    text = query.text or f"({query.task.value})"
    return f"{text} (asked again)" if query.trial else text
