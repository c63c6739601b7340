"""One mention of a thing in a caption."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vqamt.language.captions.forms import Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A thing, or some of a kind, that a caption names.

    ``classes``: its class, and after it those that it may be of instead; none where the words only may name something,
    of the classes in ``perhaps``. ``adds``: whether it may be one more of its class; a part of a thing is not.
    """

    lemma: str
    start: int
    end: int
    form: Form = Form.NONE
    classes: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    definite: bool = False
    adds: bool = True
