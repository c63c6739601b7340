"""Queries of questions, each in the conversation that it ends where the data set has one.

Every query of a ``Question`` is made here, so that no published question is asked without its conversation. A change of
the scene's picture is made to all pictures of the conversation alike: "Are these the same?" keeps its answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_vqamt.core.case import NotApplicable
from pytest_vqamt.core.conversation import bare_picture, published_conversation
from pytest_vqamt.core.edits import Edit
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Scene, ShownPhoto
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.language.questions.simple import Question

NOT_OF_ALL = NotApplicable(reason="the change cannot be made to all pictures of the conversation")


def query_of(
    scene: Scene, picture: Picture, asked: Question | Hypothesis, task: Task = Task.VQA
) -> Query | NotApplicable:
    """Returns the query of a question about a picture; of a conversation, with the picture's edits in all pictures.

    Args:
        scene: the scene that has the question, unedited.
        picture: the scene's picture, perhaps edited.
        asked: the question, perhaps in other words.
        task: what is asked for.
    """
    turns = asked.turns if isinstance(asked, Question) else ()
    if not turns:
        return Query(picture=picture, text=asked.text, meaning=asked.meaning, task=task)
    pictures: dict[str, Picture] = {}
    for shown in (photo for turn in turns for photo in turn.photos):
        made = _shown(shown, scene, picture)
        if made is None:
            return NOT_OF_ALL
        pictures[shown.photo.id] = made
    said = published_conversation(turns, asked.text, lambda each: pictures[each.photo.id])
    return Query.of(*said, meaning=asked.meaning, task=task)


def is_of_conversation(query: Query) -> bool:
    """True if a published question is asked in its conversation."""
    return bool(query.turns) and isinstance(query.meaning, Annotated)


def _shown(shown: ShownPhoto, scene: Scene, picture: Picture) -> Picture | None:
    """The picture of a photo of the conversation with the edits of ``picture``; None where one cannot be made."""
    if shown.photo.id == scene.photo.id:
        return picture
    return edited_alike(bare_picture(shown), scene, picture.edits)


def edited_alike(picture: Picture, scene: Scene, edits: Iterable[Edit]) -> Picture | None:
    """Returns a picture after the same edits as that of ``scene``; None where one of them cannot be made to it."""
    here = scene
    for edit in edits:
        same = edit.carried((here.width, here.height), (picture.scene.width, picture.scene.height))
        if same is None:
            return None
        try:
            picture = picture.edit(same)
        except DataError:  # it would be too large
            return None
        here = edit.after(here)
    return picture
