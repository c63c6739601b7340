"""Presets: relations that run together under one name, with their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_vqamt.core.errors import OptionError, did_you_mean
from pytest_vqamt.core.spelling import option


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Relations that run together, with their settings."""

    relations: tuple[str, ...]
    """Names or globs of relations or of their variants."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """The settings that differ from the defaults, by name."""
    contrasts: bool = False
    """True if some cases have a contrast by default; a paper's preset asks what its paper asked."""


# "quick" has one relation or two of each kind that anyone understands, all of them with contrasts, and needs no extra.
# "today" has the relations to gate a chat model on: of each kind of failure those that find the most planted faults for
# their queries (tests/soundness/graded_faults.json), 3,000 distinct queries in all at 100 cases each. Its last two are
# for models that take several pictures and turns; to others they are not applicable.
# "conversation" has all that take several pictures, turns, or files as they are.
# "questions" has all that need no scene graph: what runs on photos with questions.
PRESETS: Mapping[str, Preset] = {
    "metavqa": Preset(relations=("metavqa.*",), settings={"erase": "white"}),
    "carets": Preset(relations=("carets.*",)),
    "veglue": Preset(
        relations=("veglue.mr*", "veglue.corruption*", "text.antonym_swap", "text.word_substitution"),
        # As published, and so unsound: the default overlap is "share".
        settings={"erase": "inpaint", "overlap": "iou"},
    ),
    "basic-questions": Preset(relations=("basic_questions.*",), settings={"ranking": "lasso"}),
    "metaic": Preset(relations=("metaic.*",), settings={"metaic": "strict"}),
    "quick": Preset(
        relations=(
            "metavqa.partition[object]",
            "metavqa.removal_plus",
            "carets.rephrase",
            "carets.negation",
            "carets.antonym",
            "carets.visual[blur6]",
            "spatial.mirror[opposite]",
            "metaic.object_appearance[0]",
        ),
        contrasts=True,
    ),
    "today": Preset(
        relations=(
            "metavqa.partition[object]",
            "metavqa.removal_plus",
            "count.prior[more]",
            "carets.visual[mask]",
            "view.shift",
            "overlay.text[contradicting]",
            "carets.rephrase",
            "choice.none",
            "carets.negation",
            "spatial.mirror[opposite]",
            "lead.belief",
            "absent.premise",
            "multi.which",
            "turn.last",
        ),
        contrasts=True,
    ),
    "conversation": Preset(
        relations=("multi.*", "turn.*", "film.*", "lead.pushback", "form.*"),
        contrasts=True,
    ),
    "questions": Preset(
        relations=(
            "corruption[*-global]",
            "metaic.deeptest*",
            "control.*",
            "view.shift",
            "view.pad",
            "view.rescale*",
            "view.jpeg",
            "lead.belief",
            "lead.authority",
            "choice.*",
            "overlay.question",
            "question.*",
        ),
        contrasts=True,
    ),
}


def preset(name: str) -> Preset:
    """Returns the preset of this name.

    Raises:
        OptionError: there is no such preset.
    """
    if name not in PRESETS:
        raise OptionError(f"Expected a preset, but got {option('preset')}={name!r}; {did_you_mean(name, PRESETS)}")
    return PRESETS[name]
