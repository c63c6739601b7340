"""What every test of the project runs under: pytester, and Hypothesis without a clock or chance."""

from __future__ import annotations

from hypothesis import settings

pytest_plugins = ["pytester"]

# The same examples in every run, and no failure because a machine was busy.
settings.register_profile("project", deadline=None, derandomize=True, database=None)
settings.load_profile("project")
