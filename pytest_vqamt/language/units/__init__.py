"""Object description units: a hypothesis taken apart into its objects and what it says of each, and put together again."""

from __future__ import annotations

from pytest_vqamt.language.units.erasing import without
from pytest_vqamt.language.units.rules import by_rules
from pytest_vqamt.language.units.sentences import recombined
from pytest_vqamt.language.units.unit import DescriptionUnit, head_noun

__all__ = ["DescriptionUnit", "by_rules", "head_noun", "recombined", "without"]
