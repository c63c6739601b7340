"""What a session says of a baseline that is not there."""

from __future__ import annotations

from pathlib import Path


def none_yet(baseline: Path, report: Path | None) -> str:
    """How a baseline is made where there is none."""
    file = _shown(baseline)
    told = f"there is no baseline yet, so nothing was held against {file}: make it with"
    if report is not None:
        return f"{told} `vqamt bless {_shown(report)} -o {file}`"
    return f"{told} --vqamt-report=DIR and `vqamt bless DIR -o {file}`"


def _shown(path: Path) -> Path:
    """The path as it can be typed in the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
