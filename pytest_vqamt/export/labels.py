"""The right answer to a query as text: what a model is to learn to say."""

from __future__ import annotations

from pytest_vqamt.core.meaning import truth
from pytest_vqamt.core.query import Query
from pytest_vqamt.models.reference.oracle import say


def label(query: Query) -> str | None:
    """The right answer, word for word what ``oracle`` says; None where the scene gives none.

    A caption is what the scene shows, by name and number: "two dogs, an apple and a cat".

    >>> from pytest_vqamt.core.meaning import Exists, Group
    >>> from pytest_vqamt.core.scene import Photo, Scene
    >>> empty = Scene(id="a", photo=Photo(id="a", digest="0"), width=10, height=10)
    >>> label(Query(picture=empty.picture, text="Is there a dog?", meaning=Exists(group=Group(name="dog"))))
    'no'
    """
    value = truth(query.meaning, query.picture.scene)
    return None if value is None else say(value)
