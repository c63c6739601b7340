"""How a sample is drawn, as every row of its sheet says it, so that it can be drawn again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum

from pytest_vqamt.core.errors import DataError, OptionError

SAMPLE = 100
"""So many cases are drawn where nothing is said."""


class Of(StrEnum):
    """What a sample is drawn from, by which a person is asked something else.

    VIOLATIONS: what the report calls a violation; the share of true ones is the precision. ALL: all cases that have a
    verdict; the share of valid ones is the valid tests rate (VTR).
    """

    VIOLATIONS = "violations"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The settings of a draw.

    Attributes:
        sample: how many cases, of all together.
        per_relation: how many of each relation variant, in place of ``sample``.
        relations: globs; with none, all but those that are there to measure noise.
        model: only what this model was asked.
        data: only cases of these data, by the specs that the report has.
    """

    of: Of
    sample: int = SAMPLE
    per_relation: int | None = None
    seed: int = 0
    relations: tuple[str, ...] = ()
    model: str | None = None
    data: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sample < 1:
            raise OptionError(f"Expected --sample to be a whole number from 1 up, but got {self.sample!r}")
        if self.per_relation is not None and self.per_relation < 1:
            raise OptionError(f"Expected --per-relation to be a whole number from 1 up, but got {self.per_relation!r}")

    def words(self, population: int) -> str:
        """The draw and how many there were to draw from, as a cell of a sheet.

        >>> Draw(of=Of.ALL, relations=("metavqa.*",)).words(812)
        "population=812 sample=100 seed=0 'relations=metavqa.*'"
        """
        size = f"sample={self.sample}" if self.per_relation is None else f"per-relation={self.per_relation}"
        told = [f"population={population}", size, f"seed={self.seed}"]
        told += [f"relations={','.join(self.relations)}"] if self.relations else []
        told += [f"model={self.model}"] if self.model is not None else []
        told += [f"data={spec}" for spec in self.data]
        return shlex.join(told)


def read_draw(of: str, words: str) -> tuple[Draw, int]:
    """The draw that ``words`` tells of, and how many there were to draw from.

    Raises:
        DataError: it tells of none.
    """
    try:
        told = [part.partition("=") for part in shlex.split(words)]
        one = {name: value for name, _, value in told}
        per_relation = one.get("per-relation")
        draw = Draw(
            of=Of(of),
            sample=int(one["sample"]) if per_relation is None else SAMPLE,
            per_relation=None if per_relation is None else int(per_relation),
            seed=int(one["seed"]),
            relations=tuple(part for part in one.get("relations", "").split(",") if part),
            model=one.get("model"),
            data=tuple(value for name, _, value in told if name == "data"),
        )
        return draw, int(one["population"])
    except (KeyError, ValueError, OptionError) as error:
        raise DataError(
            f"Expected the columns of and drawn_from as `vqamt audit -o` wrote them, but got of={of!r}, "
            f"drawn_from={words!r}: leave them as they were"
        ) from error
