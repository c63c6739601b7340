"""Kinds of models and data in words: what each is, and what ``--vqamt-option`` can set."""

from __future__ import annotations

from pytest_vqamt.annotation import annotate
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.models.registry import Catalogue


def settings_in_words(name: str) -> tuple[str, ...] | None:
    """What a kind of model, or of data that can be set, is; None where there is none of this name."""
    for kind in Catalogue().kinds:
        if kind.name == name:
            taken = "any" if kind.settings is None else ", ".join(kind.settings) or "none"
            return _told(f"--vqamt-model={kind.form}", kind.description, taken, kind.extra)
    if taken := ", ".join(annotate.settings(name)):
        return _told("--vqamt-data", dict(sources.describe())[name], taken, annotate.EXTRA)
    return None


def _told(typed: str, description: str, settings: str, extra: str) -> tuple[str, ...]:
    needs = (f'needs     pip install "pytest-vqamt[{extra}]"',) if extra else ()
    return (typed, description, "", *needs, f"settings  {settings}", "page      docs/models.md")
