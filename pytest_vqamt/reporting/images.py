"""Whose pictures the page of a report shows."""

from __future__ import annotations

from enum import StrEnum


class Images(StrEnum):
    """``--vqamt-report-images``."""

    VIOLATIONS = "violations"
    ALL = "all"
    NONE = "none"
