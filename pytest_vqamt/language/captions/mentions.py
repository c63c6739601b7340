"""What a caption mentions: each word or phrase that names a thing, with its number, as the words around it have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.language.captions.determiners import Before, Count, before
from pytest_vqamt.language.captions.followers import Follower, follower
from pytest_vqamt.language.captions.forms import Form, form_of
from pytest_vqamt.language.captions.lexicon import Shape, Span, Word, spans_of
from pytest_vqamt.language.captions.meant import Around, meant
from pytest_vqamt.language.captions.tables import PERSON, class_rows, grammar, people


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A thing, or some of a kind, that a caption names.

    ``classes``: its class, and after it those that it may be of instead; none where the words only may name something,
    of the classes in ``perhaps``. ``adds``: whether it is one more of its class; a part of a thing is not.
    """

    lemma: str
    form: Form
    start: int
    end: int
    classes: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    definite: bool = False
    adds: bool = True
