"""Thresholds of items by globs: which rate or allowed drop of a gate's option applies to which item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.identity import matches
from pytest_vqamt.core.spelling import option
from pytest_vqamt.core.text import number_of

_GATED_ONLY_BY_NAME = {"baseline", "presumed"}
"""Tags of what a bare rate must not gate: what papers compare with, and labels that annotations do not guarantee."""
NEVER_GATED = "control"
"""The tag of relations that test the test: their rates say nothing of a model."""


APART = frozenset({NEVER_GATED, "baseline"})
"""Tags of items that have no gate on a drop and are in no figure over all relations."""

Drops = Mapping[str, float]
"""The drops that --vqamt-max-drop allows, by globs of items and by ``TotalKind.id``; "*" is any of both.

What none of them names has no gate, as with the other gates.
"""

NO_DROP: Drops = MappingProxyType({"*": 0.0})
"""Where the option is not given."""


class GateOn(StrEnum):
    """The figure that must reach the threshold (``--vqamt-gate``)."""

    POINT = "point"
    LOWER_BOUND = "lower-bound"


class GateKind(StrEnum):
    """The options that set a gate; each is the end of its name."""

    PASS_RATE = "fail-under"
    GROUNDED_RATE = "grounded-under"
    DROP = "max-drop"

    @property
    def argument(self) -> str:
        """The name in Python: "fail_under"."""
        return self.value.replace("-", "_")

    @property
    def expected(self) -> str:
        """The values of the option, in words."""
        rate = {
            GateKind.PASS_RATE: "a pass rate",
            GateKind.GROUNDED_RATE: "a grounded rate",
            GateKind.DROP: "the drop of a rate",
        }[self]
        return f"{rate} from 0 to 1, as RATE or GLOB=RATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One glob of a gate's option, with the least rate or the largest drop."""

    pattern: str
    """A glob of items: "carets", "metavqa.*", "*" for a bare rate."""
    rate: float
    """From 0 to 1."""

    @classmethod
    def parse(cls, text: str, kind: GateKind = GateKind.PASS_RATE, spelt: str = "") -> Threshold:
        """Parses ``RATE`` or ``GLOB=RATE``, given to the option ``kind``, which the user has spelt so.

        Raises:
            OptionError: the rate is not a number from 0 to 1.
        """
        # The natural mistake: other options take lists in one text.
        if "," in text:
            raise OptionError(
                f"Expected one RATE or GLOB=RATE, but got {spelt or option(kind.value)}={text!r}: give the option "
                "again for each, or a list in an ini file"
            )
        # By the last "=", so that the glob may have one itself.
        pattern, found, number = (part.strip() for part in text.rpartition("="))
        try:
            rate = number_of(number)
        except ValueError:
            rate = -1.0
        if not 0 <= rate <= 1 or (found and not pattern):
            percent = f"; {rate:g} % is {rate / 100:g}" if 1 < rate <= 100 else ""
            raise OptionError(f"Expected {kind.expected}, but got {spelt or option(kind.value)}={text!r}{percent}")
        return cls(pattern=pattern or "*", rate=rate)

    @property
    def names_relations(self) -> bool:
        return any(character.isalnum() for character in self.pattern)

    @property
    def literal_length(self) -> int:
        """The number of literal characters; the bare name of a family is as exact as "metavqa.*"."""
        # "carets" means "carets.*", which has one character more.
        is_bare = not set(".*[").intersection(self.pattern)
        return len(self.pattern.replace("*", "")) + is_bare


def threshold_for(item: str, tags: Sequence[str], thresholds: Sequence[Threshold]) -> Threshold | None:
    """Returns the threshold that applies to an item: that with the most literal characters, then the later one.

    Controls are never gated; items tagged "baseline" or "presumed" only by a pattern that names them.
    """
    if NEVER_GATED in tags:
        return None
    must_name = bool(_GATED_ONLY_BY_NAME.intersection(tags))
    fitting = [
        each for each in thresholds if matches(each.pattern, item) and not (must_name and not each.names_relations)
    ]
    return _most_exact(fitting)


def _most_exact(fitting: Sequence[Threshold]) -> Threshold | None:
    return max(enumerate(fitting), key=lambda pair: (pair[1].literal_length, pair[0]))[1] if fitting else None


class TotalKind(StrEnum):
    """What is compared with a baseline over all relations, in the words of a sentence."""

    RELATIONS = "all relations together"
    ACCURACY = "the accuracy on your answers"

    @classmethod
    def ids(cls) -> frozenset[str]:
        """The ids of both."""
        return frozenset(each.id for each in cls)

    @property
    def id(self) -> str:
        """The beginning of the name of its test, which an id can have, and which --vqamt-max-drop can name."""
        return {TotalKind.RELATIONS: "all-relations", TotalKind.ACCURACY: "accuracy"}[self]

    @property
    def unit(self) -> str:
        """The noun of what is counted."""
        return {TotalKind.RELATIONS: "case", TotalKind.ACCURACY: "question"}[self]


def drops_of(thresholds: Sequence[Threshold]) -> Drops:
    """Returns the allowed drops of an option's value. Of one glob given twice the later rate counts."""
    return {each.pattern: each.rate for each in thresholds} or NO_DROP


def describe_drops(drops: Drops) -> str:
    """Returns them in words: "0.1, carets=0.2"."""
    return ", ".join(f"{rate:g}" if glob == "*" else f"{glob}={rate:g}" for glob, rate in drops.items())


def allowed_drop(drops: Drops, item: str) -> float | None:
    """Returns the drop that an item is allowed; None where no glob matches it.

    >>> drops = {"*": 0.1, "carets": 0.2, "all-relations": 0.03}
    >>> [allowed_drop(drops, each) for each in ("metavqa.reorder[object]", "carets.negation")]
    [0.1, 0.2]
    """
    fitting = [Threshold(pattern=pattern, rate=rate) for pattern, rate in drops.items() if matches(pattern, item)]
    found = _most_exact(fitting)
    return found.rate if found else None


def allowed_drop_of(drops: Drops, kind: TotalKind) -> float | None:
    """Returns the drop that a total is allowed, by its id or "*" alone: "a*" is of relations that begin so."""
    # Not by `matches`: "a*=0.2" is meant for relations, and would match "accuracy".
    return drops.get(kind.id, drops.get("*"))
