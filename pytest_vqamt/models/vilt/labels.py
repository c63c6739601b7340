"""What the outputs of a ViLT head stand for, as ``id2label`` in the configuration says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.loading.config import config_of
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

_UNNAMED = re.compile(r"LABEL_\d+")
"""What transformers calls an output that nobody named."""

_OTHERS = {
    "LXMERT": ("", "woods", "trash can", "hanging"),  # airsplay/lxmert, trainval_label2ans.json
    "VisualBERT": ("<unk>", "0", "000", "1"),  # Pythia, answers_vqa.txt
}
"""How lists of other models begin that are as long as ViLT's, 3,129 answers."""

_ENTAILED = {
    "true": "entailment", "yes": "entailment", "entailment": "entailment",
    "false": "contradiction", "no": "contradiction", "contradiction": "contradiction",
    "neutral": "neutral", "maybe": "neutral",
}  # fmt: skip


def answers_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """The answers that a head for questions chooses among, in the order of its outputs.

    Raises:
        ModelError: there are none, or they are not this head's.
    """
    labels = _labels(checkpoint)
    other = next((name for name, begins in _OTHERS.items() if labels[: len(begins)] == begins), None)
    if other is not None:
        raise ModelError(
            f"Expected ViLT's own answers as id2label in {_place(checkpoint)}, but got {other}'s list, which begins "
            f"{_OTHERS[other]!r}: both have 3,129 answers, but ViLT has them in another order, so that each output "
            "would be called by another's name. Take the config.json that came with the weights"
        )
    return labels


def entailments_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """What each output of a head for statements says: entailment, contradiction or, where it has one, neutral.

    Raises:
        ModelError: an output says something else, or two say the same.
    """
    labels = _labels(checkpoint)
    meant = tuple(_ENTAILED.get(label.strip().lower(), "") for label in labels)
    if not {"entailment", "contradiction"} <= set(meant) or "" in meant or len(set(meant)) < len(meant):
        raise ModelError(
            "Expected the outputs True and False, or entailment, neutral and contradiction, as id2label in "
            f"{_place(checkpoint)}, but got id2label={dict(enumerate(labels[:5]))!r}: a head that was trained to tell "
            "something else says nothing about entailment"
        )
    return meant


def _labels(checkpoint: Checkpoint) -> tuple[str, ...]:
    named = config_of(checkpoint).get("id2label")
    if not isinstance(named, Mapping) or not named:
        raise ModelError(
            f"Expected id2label in {_place(checkpoint)}, which says what each output of the head stands for, but there "
            "is none: take the config.json that came with the weights"
        )
    if {str(key) for key in named} != {str(number) for number in range(len(named))}:
        raise ModelError(
            f"Expected id2label in {_place(checkpoint)} to number the answers from 0 to {len(named) - 1}, but it does "
            "not: take the config.json that came with the weights"
        )
    labels = tuple(str(named[str(number)]) for number in range(len(named)))
    unnamed = [label for label in labels if _UNNAMED.fullmatch(label)]
    if unnamed:
        raise ModelError(
            f"Expected answers as id2label in {_place(checkpoint)}, but got {unnamed[0]!r} ({len(unnamed)} such), "
            "which transformers writes where nobody named the outputs: take the config.json that came with the weights"
        )
    return labels


def _place(checkpoint: Checkpoint) -> str:
    return str(checkpoint.folder / "config.json")
