"""Where on this machine things are kept between runs, whatever the project."""

from __future__ import annotations

import os
from pathlib import Path

HOME_VARIABLE = "VQAMT_CACHE_HOME"
"""The environment variable that names another folder than the user's cache."""


def home() -> Path:
    """The folder of what is kept between runs."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get(HOME_VARIABLE) or user_cache_dir("pytest-vqamt")).absolute()
