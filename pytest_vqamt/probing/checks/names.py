"""The models that a server says it answered with."""

from __future__ import annotations

from pytest_vqamt.core.results import ModelUse
from pytest_vqamt.probing.kinds import FindingKind
from pytest_vqamt.probing.model_names import address_of, is_other_model, may_be_one
from pytest_vqamt.probing.probing import Probing


def names(probing: Probing) -> None:
    """One model must answer all requests, and the one that was asked; an alias of it is a fact."""
    used = probing.model.used()
    counts = {name: used[ModelUse.ANSWERS_OF + name] for name in sorted(probing.sender.answering)}
    if not counts:
        return
    said = ", ".join(f"{name} ({count:g})" for name, count in counts.items())
    address = address_of(probing.model)
    asked = address.model if address else ""
    alias = f", asked for as {asked}" if asked and list(counts) != [asked] else ""
    probing.note("answering model", f"{said}{alias}")
    usual = max(counts, key=lambda name: counts[name])
    log = probing.sender.log
    # A gateway may have a model of its own for requests without a picture.
    of_pictures = {each.answered_by for each in log if each.request.cards}
    of_texts = {each.answered_by for each in log if not each.request.cards} - of_pictures
    others = [name for name in counts if name not in of_texts and not may_be_one(usual, name)]
    if others:
        # Answers of one batch by several models cannot be told apart.
        differing = [each for each in log if not each.failure and each.answered_by in (*others, "")]
        probing.add(FindingKind.OTHER_MODEL, differing, len(log), detail=said, rate=0)
    elif asked and is_other_model(asked, usual):
        probing.add(FindingKind.OTHER_MODEL, log[:6], detail=f"{usual} answers where {asked} is asked", rate=0)
