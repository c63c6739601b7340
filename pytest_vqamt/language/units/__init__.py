"""Object description units: the objects of a hypothesis with their properties, and the sentence of units."""

from __future__ import annotations

from pytest_vqamt.language.units.erasing import recombine, remaining_units, without_unit
from pytest_vqamt.language.units.parser import units_of
from pytest_vqamt.language.units.unit import DescriptionUnit, head_noun, unit_of

__all__ = ["DescriptionUnit", "head_noun", "recombine", "remaining_units", "unit_of", "units_of", "without_unit"]
