"""What is known of the words for attributes, relationships and classes of things; users may add to it."""

from __future__ import annotations

from pytest_vqamt.language.ontology.knowledge import NounClass, Ontology
from pytest_vqamt.language.ontology.merging import ontology

__all__ = ["NounClass", "Ontology", "ontology"]
