"""The settings of each paper as published: what makes its figures comparable with one's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_vqamt.core.errors import OptionError, did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A paper's relations, as globs, and what is set of them other than by default."""

    relations: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "metavqa": Preset(relations=("metavqa.*",), settings={"erase": "white"}),
    "carets": Preset(relations=("carets.*",)),
    "veglue": Preset(
        relations=("veglue.mr*", "veglue.corruption*", "text.*"), settings={"erase": "inpaint", "overlap": "iou"}
    ),
    "basic-questions": Preset(relations=("basic_questions.*",), settings={"ranking": "lasso"}),
    "metaic": Preset(relations=("metaic.*",), settings={"metaic": "strict"}),
}


def preset(name: str) -> Preset:
    """The preset of this name.

    Raises:
        OptionError: there is none.
    """
    if name not in PRESETS:
        known = ", ".join(PRESETS)
        raise OptionError(f"Expected a preset ({known}), but got preset={name!r}; {did_you_mean(name, PRESETS)}")
    return PRESETS[name]
