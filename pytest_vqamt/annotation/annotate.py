"""Annotates data before it is opened: detectors look at photos, grounding models at hypotheses."""

from __future__ import annotations

from pytest_vqamt.annotation import hypotheses, photos
from pytest_vqamt.models.base import ModelOptions

EXTRA = "photos"
"""The extra whose packages such models need."""


def settings(spec: str) -> tuple[str, ...]:
    """The names of the settings that are of use for a data source of this spec."""
    return (*photos.settings(spec), *hypotheses.settings(spec))


def check(spec: str, options: ModelOptions) -> None:
    """Checks what the settings say of such models, and loads nothing.

    Raises:
        OptionError: a setting is wrong.
    """
    photos.check(spec, options)
    hypotheses.check(spec, options)


def annotate(spec: str, options: ModelOptions) -> None:
    """Annotates the source of this spec.

    Raises:
        VqamtError: a model or the data cannot be used.
    """
    photos.annotate_photos(spec, options)
    hypotheses.ground_hypotheses(spec, options)


def warn(spec: str, options: ModelOptions) -> None:
    """Warns where the annotations that exist differ from the settings, or are missing.

    Raises:
        DataError: the data cannot be read, or warnings are errors.
    """
    photos.warn(spec, options)
    hypotheses.warn(spec, options)
