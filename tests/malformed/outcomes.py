"""What becomes of a data set: opened and used as a run does, every mistake caught that a user would be told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.scene_source import SceneSource

T = TypeVar("T")

MOST_CHARACTERS = 400
MOST_OF_A_REFUSAL = 500
"""Where the first bad record is told in a sentence that says how many there are, and what to do."""

_ADVICE = re.compile(
    r"(?:: |; |, so |, or |, and |\. )(?:give|write|save|add|put|fetch|mend|correct|name|take|leave|draw|decompress|"
    r"rename|start|run|scale|remove|see|move|make|did you mean|known|is it|do|all of it lies|it is \S+ x|cut|"
    r"one plain line of|another|control characters|the same)\b|"
    r"docs/reference/scene-graphs\.md|no file of this data set|but there is none$|"
    r"(?:^|: )[\w./-]+\.jsonl?(?::\d+)?: (?:[^:]+: ){1,2}Expected |can be read, but got path="
)
"""A message tells what to do; or it leads to the very field, or says of what kind of file it is none."""

_OF_A_TRACEBACK = re.compile(r"Traceback|\b\w+(?:Error|Exception)\(|<class |<\S+ object at | object at 0x|\[Errno")


@dataclass(frozen=True, slots=True)
class Used:
    """What could be used of a source.

    Attributes:
        scenes: by id, those that could be used to the last pixel.
        refused: what was said when others were asked for.
    """

    scenes: dict[str, Scene]
    refused: tuple[str, ...]


def use(source: SceneSource) -> Used:
    """Asks for all that a run can ask for."""
    scenes: dict[str, Scene] = {}
    refused: list[str] = []
    _caught(lambda: source.digest, refused)
    if corpus := _caught(lambda: source.corpus, refused):
        assert corpus.scenes == len(source)
        _caught(lambda: corpus.mean_colour, refused)
    for index in range(len(source)):
        scene = _caught(lambda at=index: _to_the_last_pixel(source, at), refused)  # type: ignore[misc]  # bound early
        if scene is not None:
            assert scene.id not in scenes
            scenes[scene.id] = scene
    return Used(scenes, tuple(dict.fromkeys(refused)))


def unclear(text: str, says: tuple[str, ...] = (), *, most: int = MOST_CHARACTERS) -> list[str]:
    """What is wrong with a message, nothing where it is clear."""
    wrong = [f"lacks {each!r}" for each in says if each not in text]
    if len(text.splitlines()) != 1 or not text.isprintable():
        wrong.append("is not one plain line")
    if len(text) >= most:
        wrong.append(f"has {len(text)} characters")
    if "Expected " not in text or ", but " not in text:
        wrong.append("does not say what was expected, and what came")
    if _OF_A_TRACEBACK.search(text):
        wrong.append("shows the inside of Python")
    return wrong


def lacks_advice(text: str) -> bool:
    return not _ADVICE.search(text)


def _to_the_last_pixel(source: SceneSource, index: int) -> Scene:
    scene = source.scene(index)
    assert source.place(scene.photo.id) == index
    photo = source.photo(scene.photo)
    assert (photo.mode, photo.size) == ("RGB", (scene.width, scene.height))
    for thing in scene.objects:
        if thing.has_mask:
            mask = source.mask(scene.photo, thing.id)
            assert (mask.mode, mask.size) == ("L", photo.size)
    return scene


def _caught(ask: Callable[[], T], refused: list[str]) -> T | None:
    try:
        return ask()
    except VqamtError as error:
        refused.append(str(error))
        return None
