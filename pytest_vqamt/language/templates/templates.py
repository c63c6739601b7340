"""What the templates of one question type are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_vqamt.language.questions.templates import Askable, Asking


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The wordings of one question type.

    Attributes:
        asks: the kind of meaning that the type asks.
        fill: the question that a wording makes of what is asked, negated where the flag says so and the type has
            negated partners; as it stands in the middle of a sentence.
        plain: the wordings for things that are named by themselves ("a red cup").
        related: the wordings for things that are named with another ("a red cup on the table"); none where the type
            has no wordings of its own for them.
    """

    asks: type[Askable]
    fill: Callable[[Asking, str, bool], str]
    plain: tuple[str, ...]
    related: tuple[str, ...] = ()

    def applicable(self, *, related: bool) -> tuple[str, ...]:
        """The wordings of which one may be taken for a thing that is related to another, or that is not."""
        return self.related if related and self.related else self.plain
